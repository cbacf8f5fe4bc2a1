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
#: Single tests of seconds, of what others hold more quickly.
SLOW = frozenset(
    {
        "api/test_arrays.py::test_a_pdf_is_written_where_it_is_told",
        "cli/test_training_from_the_command.py::test_rerun_trains_again_and_finds_altered_kept_predictions",
        "design/test_against_reference.py::test_together_they_are_judged_on_the_same_draws",
        "design/test_against_reference.py::test_what_is_assumed_for_nothing_is_said",
        "design/test_areas_and_calls.py::test_the_margin_the_value_and_the_correlation_count",
        "design/test_study.py::test_clusters_and_enrichment",
        "design/test_study.py::test_the_area_under_the_curve_is_drawn_and_ranked",
        "engine/counting/test_kept_counts.py::test_tables_nearly_as_large_as_their_files_are_not_kept",
        "engine/test_bands.py::test_the_page_names_method_and_level",
        "engine/test_grouped_jackknife.py::test_bca_of_more_rows_than_can_be_left_out_one_by_one",
        "engine/test_grouped_jackknife.py::test_it_covers_as_often_as_it_says",
        "hostile/test_endless_queries.py::test_a_signal_ends_an_endless_query",
        "hostile/test_models_and_templates.py::test_an_endless_template_is_stopped",
        "hostile/test_mutated_results.py::test_history_goes_on_over_results_that_are_none",
        "hostile/test_mutated_results.py::test_verify_and_diff_say_where_results_are_none",
        "hostile/test_refused_data.py::test_damaged_parquet_is_refused_or_recorded",
        "hostile/test_unpacked.py::test_a_packed_parquet_file_is_not_loaded",
        "predict/test_schemes.py::test_every_row_is_tested_once_per_repeat_and_never_trained_on_there",
        "predict/test_schemes_against_scikit_learn.py::test_leave_one_out_is_pooled_only_and_says_why",
        "qualify/test_planted_faults.py::test_faults_of_runs_are_found_and_named",
        "record/test_forgeries.py::test_a_change_of_kept_rows_is_told_by_the_command",
        "record/test_forgeries.py::test_a_line_kept_elsewhere_covers_the_run",
        "record/test_forgeries.py::test_kept_rows_that_cannot_be_read_are_told_by_the_command",
        "record/test_forgeries.py::test_what_verify_cannot_find_is_on_its_page_and_printed",
        "render/test_accessibility.py::test_axe_finds_no_violation_in_ready_specs",
        "render/test_accessibility.py::test_axe_finds_no_violation_in_the_dark",
        "render/test_accessibility.py::test_letters_twice_as_large_lose_nothing",
        "render/test_accessibility.py::test_twice_as_large_nothing_is_lost",
        "render/test_docx.py::test_without_the_library_it_is_told_before_and_at_the_end",
        "render/test_keyboard.py::test_nothing_scrolls_sideways_but_tables_that_are_reached",
        "render/test_links_and_copies.py::test_each_page_that_a_browser_prints_says_of_which_report",
        "render/test_pdf.py::test_a_page_that_takes_too_long_meets_a_limit",
        "render/test_pdf.py::test_hostile_labels_reach_the_page_as_text",
        "render/test_pdf.py::test_nothing_is_left_in_the_temporary_folder",
        "render/test_signing.py::test_a_key_that_cannot_be_used_is_told",
        "render/test_templates.py::test_an_endless_loop_meets_a_limit",
        "report/test_calibration_in_numbers.py::test_a_line_for_each_model_with_intervals",
        "report/test_what_the_page_says.py::test_curves_of_seven_models_are_all_drawn",
        "seal/test_pades_t.py::test_the_signature_of_the_pdf_is_stamped",
        "seal/test_seal.py::test_a_stamp_from_a_file",
        "seal/test_seal.py::test_a_stamp_of_another_seal_is_refused_and_seen",
        "seal/test_seal.py::test_a_stamp_that_was_taken_away_is_seen_where_one_is_asked_for",
    }
)
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
        "engine/counting/test_kept_counts.py",
        "engine/counting/test_kinds_table.py",
        "engine/counting/test_parts_add_up.py",
        "engine/counting/test_periods_counted.py",
        "engine/counting/test_progress_and_stopping.py",
        "engine/counting/test_twenty_jobs.py",
        "engine/counting/test_weights_counted.py",
        "engine/test_counted_rows.py::test_ten_million_rows_of_four_kinds",
        "engine/test_grouped_jackknife.py",
        "engine/test_hypotheses.py",
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
        "predict/test_schemes_against_scikit_learn.py",
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
        "results/test_codec.py",
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
        if (
            within & LONG
            or name in SLOW
            or (test in seen and {inside.as_posix(), name} & FIRST_CASE)
        ):
            item.add_marker("long")
        seen.add(test)
