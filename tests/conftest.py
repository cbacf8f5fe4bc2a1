"""Settings that all tests share."""

from __future__ import annotations

import gc
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

# Whole results are trees of many thousand small records; Python's collector looking through them
# every 700 of them takes a tenth of the time of all tests.
gc.set_threshold(100_000, 50, 100)

#: Scripts that run in environments of their own.
collect_ignore_glob = ["benchmarks/peer_*.py", "seal/published_profiles.py"]

#: Folders and files whose long tests go from fault to fault, draw pages again or simulate,
#: through what others cover already.
UNCOUNTED = frozenset(
    {
        "benchmarks",
        "design/test_power_against_simulation.py",
        "determinism",
        "engine/counting/spark",
        "fault_injection",
        "fuzz",
        "hostile",
        "mutation",
        "qualify/test_planted_faults.py",
        "render/test_accessibility.py",
        "render/test_every_page.py",
        "render/test_keyboard.py",
        "stress",
    }
)


#: Folders that only `make test-all` runs: fault by fault, flips, fuzzing, whole services.
LONG = frozenset({"fault_injection", "fuzz", "mutation", "engine/counting/spark"})
#: What takes long by its many cases, whole files or single tests: the first case of each is quick.
FIRST_CASE = frozenset(
    {
        "cli/test_training_from_the_command.py",
        "data/test_parquet_reading.py::test_no_flipped_bit_changes_a_value_unseen",
        "design/test_against_reference.py::test_sizes_near_the_formulas",
        "design/test_areas_and_calls.py::test_predictive_values_against_drawn_studies",
        "determinism/test_order_of_rows.py",
        "engine/counting/test_comparisons_counted.py",
        "engine/counting/test_duckdb_equals_memory.py",
        "engine/counting/test_files_equal_memory.py",
        "engine/counting/test_parts_add_up.py",
        "engine/counting/test_periods_counted.py",
        "engine/counting/test_progress_and_stopping.py",
        "engine/counting/test_twenty_jobs.py",
        "engine/counting/test_weights_counted.py",
        "engine/test_counted_rows.py::test_ten_million_rows_of_four_kinds",
        "engine/test_grouped_jackknife.py",
        "engine/test_readers.py::test_every_template_has_the_readers",
        "golden/test_golden_configs.py",
        "hostile/test_endless_queries.py",
        "hostile/test_exact_data.py",
        "hostile/test_exact_numbers.py",
        "hostile/test_extreme_numbers.py",
        "hostile/test_failed_sections.py",
        "hostile/test_machine.py",
        "hostile/test_models_and_templates.py",
        "hostile/test_mutated_results.py",
        "hostile/test_names_and_paths.py",
        "hostile/test_refused_data.py",
        "hostile/test_refused_specs.py",
        "hostile/test_start_folder.py",
        "hostile/test_templates_outside.py",
        "hostile/test_text_round_trip.py",
        "hostile/test_unpacked.py",
        "qualify/test_planted_faults.py",
        "record/test_crash_safety.py",
        "record/test_forgeries.py",
        "record/test_interval_limits.py::test_a_changed_limit_is_found",
        "record/test_odd_runs_verify.py::test_an_odd_run_is_verified",
        "render/test_accessibility.py",
        "render/test_keyboard.py",
        "render/test_links_and_copies.py",
        "render/test_pdf.py",
        "render/test_signing.py",
        "render/test_templates.py",
        "report/test_agreement_words.py",
        "report/test_report_html.py",
        "report/test_report_sections.py::test_every_template_keeps_the_numbers_and_has_its_own_words",
        "schedules/test_many_specs.py",
        "seal/test_seal.py",
        "spec/first/test_first_files.py",
    }
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what CI tests without counting lines, and what the quick tests leave out."""
    tests = Path(__file__).parent
    seen: set[str] = set()
    for item in items:
        inside = item.path.relative_to(tests) if item.path.is_relative_to(tests) else Path()
        within = {place.as_posix() for place in (inside, *inside.parents)}
        if within & UNCOUNTED:
            item.add_marker("uncounted")
        test = item.nodeid.partition("[")[0]
        name = f"{inside.as_posix()}::{test.rpartition('::')[2]}"
        if within & LONG or (test in seen and {inside.as_posix(), name} & FIRST_CASE):
            item.add_marker("long")
        seen.add(test)
