"""A progress line on standard error; plain lines where there is no terminal."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Self


class Progress:
    """`report(done, total, what)` rewrites one line on a terminal and prints nothing where quiet."""

    def __init__(self, verb: str, quiet: bool) -> None:
        self.verb = verb
        self.quiet = quiet
        self.live = sys.stderr.isatty()
        self.width = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.live and self.width:
            sys.stderr.write("\r" + " " * self.width + "\r")
            sys.stderr.flush()

    def report(self, done: int, total: int, what: str) -> None:
        """One step of `total` is about to start."""
        if self.quiet or not what:
            return
        line = f"{self.verb} {done + 1}/{total} {what}"
        if self.live:
            sys.stderr.write("\r" + line.ljust(self.width))
            self.width = max(self.width, len(line))
        else:
            sys.stderr.write(line + "\n")
        sys.stderr.flush()
