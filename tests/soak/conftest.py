"""The long tests say at the end how many members they saw, and how many of these were left undecided.

KNUCKLE_SOAK_SHARE (1.0): the share of the members that is run; 0.01 takes about a minute for each file."""

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

SHARE = float(os.environ.get("KNUCKLE_SOAK_SHARE", "1.0"))


class Count:
    """Members of one test: seen, undecided, and which were wrong."""

    def __init__(self):
        self.members, self.undecided, self.wrong = 0, 0, []


@pytest.fixture
def share():
    """How many members to run of so many."""
    return lambda members: max(1, round(SHARE * members))


@pytest.fixture
def count(record_property):
    counted = Count()
    yield counted
    record_property("soak", (counted.members, counted.undecided, len(counted.wrong)))


def pytest_terminal_summary(terminalreporter):
    reports = [report for kind in ("", "passed", "failed") for report in terminalreporter.getreports(kind)]
    seconds = {report.nodeid: report.duration for report in reports if report.when == "call"}
    rows = [(report.nodeid.partition("::")[2], dict(report.user_properties)["soak"], seconds.get(report.nodeid, 0.0))
            for report in reports if report.when == "teardown" and "soak" in dict(report.user_properties)]  # fmt: skip
    if rows:
        terminalreporter.section(f"members, undecided (or not proved), wrong (share {SHARE:g})")
        for name, (members, undecided, wrong), spent in sorted(rows):
            terminalreporter.write_line(f"{members:7d} {undecided:6d} {wrong:4d} {spent:9.1f} s  {name}")
        totals = [sum(row[1][k] for row in rows) for k in range(3)]
        terminalreporter.write_line(f"{totals[0]:7d} {totals[1]:6d} {totals[2]:4d} {sum(row[2] for row in rows):9.1f} s  all")
