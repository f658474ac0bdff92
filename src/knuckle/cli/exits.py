"""Exit codes, fixed by the contract with callers."""

from __future__ import annotations

ANSWERED = 0
BAD_INPUT = 2
NO_ANSWER = 3
SEVERAL_ANSWERS = 4
NOT_DECIDED = 5
INPUT_OUTPUT = 6
INTERRUPTED = 130

# A verdict is an answer; only `--require determinate` turns some of them into failures.
_REQUIRED = {
    "determinate": ANSWERED,
    "inconsistent": NO_ANSWER,
    "indeterminate": SEVERAL_ANSWERS,
    "force_indeterminate": SEVERAL_ANSWERS,
    "undecided": NOT_DECIDED,
    "invalid_input": BAD_INPUT,
}


def of_verdict(verdict: str, require: str | None) -> int:
    """The exit code of an answer with this verdict."""
    if verdict == "invalid_input":
        return BAD_INPUT
    return _REQUIRED[verdict] if require else ANSWERED
