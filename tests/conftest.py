"""Settings that all tests share."""

from __future__ import annotations

import os

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
