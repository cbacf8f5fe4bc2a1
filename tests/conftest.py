"""Settings that all tests share."""

from __future__ import annotations

import gc
import os
from collections import Counter

import pytest
from hypothesis import HealthCheck, settings
from programs import LACKING

# A busy machine is no failure, and a build must not depend on a draw of examples;
# run with EVALREPORT_RANDOM=1 to look for new ones.
settings.register_profile(
    "steady",
    deadline=None,
    derandomize=not os.environ.get("EVALREPORT_RANDOM"),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("steady")

# Whole results are trees of many thousand small records; Python's collector looking through them
# every 700 of them takes a tenth of the time of all tests.
gc.set_threshold(100_000, 50, 100)

#: Scripts that run in environments of their own.
collect_ignore_glob = ["benchmarks/peer_*.py", "seal/published_profiles.py"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Make all cases but the first of a test long, or all but each n-th nightly, by its marks."""
    seen: Counter[str] = Counter()
    for item in items:
        test = item.nodeid.partition("[")[0]
        if seen[test] and item.get_closest_marker("long_but_first"):
            item.add_marker("long")
        if seen[test] and item.get_closest_marker("nightly_but_first"):
            item.add_marker("nightly")
        each = item.get_closest_marker("nightly_but_each")
        if each and seen[test] % each.args[0]:
            item.add_marker("nightly")
        seen[test] += 1


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what was skipped for lack of something that this machine could have."""
    reasons = [
        report.longrepr[2].removeprefix("Skipped: ")
        for report in terminalreporter.stats.get("skipped", [])
        if isinstance(report.longrepr, tuple)
    ]
    lacking = Counter(r.removeprefix(LACKING) for r in reasons if r.startswith(LACKING))
    most = lacking.most_common()
    for what, count in most[:4]:
        terminalreporter.write_line(f"skipped {count:4d} for lack of {what}")
    if most[4:]:
        rest = ", ".join(what.partition(" (")[0] for what, _ in most[4:])
        terminalreporter.write_line(f"skipped {sum(c for _, c in most[4:]):4d} for lack of {rest}")
