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
collect_ignore_glob = ["benchmarks/peer_*.py", "seal/published_profiles.py"]

#: Folders whose tests go from fault to fault through what others cover already.
UNCOUNTED = frozenset({"benchmarks", "fault_injection", "fuzz", "hostile", "mutation", "spark"})


#: Folders that only `make test-all` runs: fault by fault, flips, fuzzing, whole services.
LONG = frozenset({"fault_injection", "fuzz", "mutation", "spark"})
#: Files that take long by their many cases: of each of their tests the first case is quick.
FIRST_CASE = frozenset(
    {
        "cli/test_training_from_the_command.py",
        "engine/test_grouped_jackknife.py",
        "engine_duckdb/test_comparisons_counted.py",
        "engine_duckdb/test_duckdb_equals_memory.py",
        "engine_duckdb/test_files_equal_memory.py",
        "engine_duckdb/test_progress_and_stopping.py",
        "engine_duckdb/test_weights_counted.py",
        "golden/test_golden_configs.py",
        "hostile/test_endless_queries.py",
        "hostile/test_exact_data.py",
        "hostile/test_exact_numbers.py",
        "hostile/test_extreme_numbers.py",
        "hostile/test_failed_sections.py",
        "hostile/test_machine.py",
        "hostile/test_models_and_templates.py",
        "hostile/test_mutated_results.py",
        "hostile/test_refused_data.py",
        "hostile/test_refused_specs.py",
        "hostile/test_templates_outside.py",
        "hostile/test_text_round_trip.py",
        "record/test_crash_safety.py",
        "record/test_forgeries.py",
        "render/test_accessibility.py",
        "render/test_keyboard.py",
        "render/test_pdf.py",
        "schedules/test_many_specs.py",
    }
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what CI tests without counting lines, and what the quick tests leave out."""
    tests = Path(__file__).parent
    seen: set[str] = set()
    for item in items:
        inside = item.path.relative_to(tests) if item.path.is_relative_to(tests) else Path()
        folder = inside.parts[0] if inside.parts else ""
        if folder in UNCOUNTED:
            item.add_marker("uncounted")
        test = item.nodeid.partition("[")[0]
        if folder in LONG or (inside.as_posix() in FIRST_CASE and test in seen):
            item.add_marker("long")
        seen.add(test)
