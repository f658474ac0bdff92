"""Workspaces that a thread keeps between calls: to allocate one takes longer than to solve a small problem."""
from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Work = TypeVar("Work")


class Kept(threading.local, Generic[Work]):
    """`kept(n)`: room for a problem of size n, the thread's own until its next call; made anew each time beyond `most`."""

    def __init__(self, make: Callable[[int], Work], most: int) -> None:
        self.make, self.most, self.works = make, most, dict[int, Work]()

    def __call__(self, n: int) -> Work:
        if n > self.most:
            return self.make(n)
        if n not in self.works:
            self.works[n] = self.make(n)
        return self.works[n]
