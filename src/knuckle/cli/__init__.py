"""The command line: parse, call a task, print."""

from knuckle.cli.run import main, run

__all__ = ["main", "run"]
