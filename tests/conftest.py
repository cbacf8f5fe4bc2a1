"""Settings that all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# A busy machine is no failure, and a build must not depend on a draw of examples;
# run with EVALREPORT_RANDOM=1 to look for new ones.
settings.register_profile(
    "steady",
    deadline=None,
    derandomize=not os.environ.get("EVALREPORT_RANDOM"),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("steady")

#: Scripts that run in environments of their own.
collect_ignore_glob = ["benchmarks/peer_*.py"]

#: Folders whose tests go from fault to fault through what others cover already.
UNCOUNTED = frozenset({"benchmarks", "fault_injection", "fuzz", "hostile", "mutation", "spark"})


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what CI tests without counting lines, which takes half as long again."""
    tests = Path(__file__).parent
    for item in items:
        inside = item.path.relative_to(tests).parts if item.path.is_relative_to(tests) else ()
        if inside and inside[0] in UNCOUNTED:
            item.add_marker("uncounted")
