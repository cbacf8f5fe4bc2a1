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
    },
    "leave_one_out": {
        "confident_mistake", "clipped_probabilities", "no_better_than_baseline", "pooled_folds",
    },
    "multilabel": {"data_finding", "miscalibration"},
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


#: What a reader should conclude first, of each caution that says more than its title.
HEADLINES = {
    "breast_cancer": [
        "Scores are not probabilities: forest is too timid (slope 1.62)",
        "forest is worse than logistic on Brier score and log loss",
        "Precision is judged by its value, not its lower limit",
    ],
    "imbalanced": [
        "Accuracy is not shown to beat always naming no",
        "Every row is predicted no",
        "Precision is 0, on 2 rows",
        "Precision rests on 20 rows",
    ],
    "leave_one_out": [
        "One confident mistake makes up 29.0\u202f% of the log loss",
        "2 mistakes at a probability of 0 were clipped",
        "neighbours is not shown to be better than discriminant",
    ],
    "penguins": ["2 of 344 rows (0.6\u202f%) were left out", "Precision rests on 11 rows"],
}


@pytest.mark.parametrize("name", HEADLINES)
def test_a_headline_says_what_to_conclude(name: str) -> None:
    path = next(path for path in CONFIGS if path.stem == name)
    told = [caution.get("headline", "") for caution in results_of(path)["cautions"]]
    assert list(filter(None, told)) == HEADLINES[name]


def test_labels_whose_scores_are_no_probabilities_are_counted() -> None:
    """Scores of labels are drawn though no metric judges them: one line counts the labels."""
    path = next(path for path in CONFIGS if path.stem == "multilabel")
    (found,) = (c for c in results_of(path)["cautions"] if c["code"] == "miscalibration")
    assert found["headline"].startswith("Scores are not probabilities: logistic is off in ")
    assert " of 4 labels" in found["headline"]
    assert found["severity"] == "note"
