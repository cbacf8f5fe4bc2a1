"""The cautions of the nine ready specs are few, and each fact stands once."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from ready_specs import CONFIGS, results_of

pytestmark = pytest.mark.long

#: What a reviewer would raise of each.
RAISED = {
    "breast_cancer": {
        "miscalibration", "no_better_than_baseline", "threshold_chosen_here",
        "acceptance_on_point",
    },
    "cross_validation": {"no_better_than_baseline", "pooled_folds"},
    "digits": {"no_better_than_baseline", "acceptance_on_point", "miscalibration"},
    "grouped_folds": {
        "baseline_not_beaten", "small_denominator", "labels_differ", "no_better_than_baseline",
        "pooled_folds",
    },
    "imbalanced": {
        "majority_class", "one_prediction", "auc_flatters_rare_positives",
        "threshold_chosen_here", "extreme_proportion", "small_denominator",
        "no_better_than_baseline",
    },
    "leave_one_out": {
        "confident_mistake", "clipped_probabilities", "no_better_than_baseline", "pooled_folds",
    },
    "multilabel": {"data_finding"},
    "penguins": {"rows_excluded", "small_denominator"},
    "training_history": {"step_chosen_here", "miscalibration"},
}  # fmt: skip


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_a_ready_spec_draws_what_a_reviewer_would_raise_and_each_once(path: Path) -> None:
    told = Counter(caution["code"] for caution in results_of(path)["cautions"])
    assert set(told) == RAISED[path.stem]
    assert set(told.values()) == {1}


def test_they_are_few() -> None:
    assert sum(map(len, RAISED.values())) <= 30
