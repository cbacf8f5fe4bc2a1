"""Cautions about models beside each other and beside no information at all."""

from __future__ import annotations

from typing import Any

import pytest

from evalreport.results.records import Comparison, Interval


def test_metrics_that_put_different_models_first(kit: Any) -> None:
    """a: accuracy 0.89, balanced accuracy 0.578; b: 0.82 and 0.823."""
    views = [
        kit.from_counts(2, 10, 1, 87, model="a"),
        kit.from_counts(10, 2, 16, 72, model="b"),
    ]
    asked = ["accuracy", "balanced_accuracy", "recall"]
    (record,) = kit.cautions(kit.run(views, asked), "metrics_rank_differently")
    assert record.message == ("a is first on accuracy; b is first on balanced accuracy.")
    assert (record.dataset, record.model) == ("d", None)


def test_models_that_share_the_first_place_are_named_together(kit: Any) -> None:
    """Accuracy 0.8, 0.8 and 0.75; F1 70/90 = 0.778, 72/92 = 0.783 and 100/125 = 0.8."""
    cells = {"a": (35, 15, 5, 45), "b": (36, 14, 6, 44), "c": (50, 0, 25, 25)}
    views = [
        kit.from_counts(*(100 * cell for cell in own), model=model) for model, own in cells.items()
    ]
    message = kit.message(kit.run(views, ["accuracy", "f1"]), "metrics_rank_differently")
    assert message == "c is first on F1; a and b share the first place on accuracy."


def test_a_model_that_is_best_throughout_is_silent(kit: Any) -> None:
    views = [
        kit.from_counts(45, 5, 5, 45, model="a"),
        kit.from_counts(40, 10, 10, 40, model="b"),
    ]
    asked = ["accuracy", "f1", "error_rate", "recall"]
    assert kit.message(kit.run(views, asked), "metrics_rank_differently") is None


def test_one_sided_metrics_count_where_there_are_no_others(kit: Any) -> None:
    views = [
        kit.from_counts(45, 5, 15, 35, model="a"),
        kit.from_counts(35, 15, 5, 45, model="b"),
    ]
    message = kit.message(kit.run(views, ["recall", "specificity"]), "metrics_rank_differently")
    assert message == "a is first on recall; b is first on specificity."


def _comparison(low: float = -0.05, high: float = 0.03, **more: Any) -> Comparison:
    given: dict[str, Any] = {
        "dataset": "d", "subgroup": {}, "fold": None, "metric": "recall", "model": "b",
        "reference": "a", "difference": -0.01, "p_value": 0.3, "p_adjusted": 0.6,
        "correction": "holm", "threshold": None, "params": {}, "average": None, "label": None,
        "test": "paired_t", "statistic": None, "interval": Interval(0.95, low, high, "paired_t"),
    }  # fmt: skip
    return Comparison(**given | more)


def test_no_better_than_the_reference(kit: Any) -> None:
    made = [
        _comparison(),
        _comparison(
            metric="accuracy", difference=0.02, p_value=0.4, p_adjusted=0.6, low=-0.01, high=0.05
        ),
        _comparison(metric="f1", difference=None, p_value=None, p_adjusted=None),
    ]
    (record,) = kit.cautions(kit.run([], comparisons=made), "no_better_than_baseline")
    assert record.message == (
        "b is not shown to be better than a: none of 2 comparisons shows it. Recall −0.0100 "
        "(−0.0500 to +0.0300; adjusted p = 0.60) and Accuracy +0.0200 (−0.0100 to +0.0500; "
        "adjusted p = 0.60)."
    )
    # where the model is shown to be better on some metric, there is nothing to beware of
    better = _comparison(metric="f1", told_apart=True, better="model", low=0.1, high=0.2)
    made[2] = better
    assert kit.message(kit.run([], comparisons=made), "no_better_than_baseline") is None
    assert (record.severity, record.model) == ("note", "b")


def test_the_reference_is_better(kit: Any) -> None:
    shown: dict[str, Any] = {"low": -0.5, "high": -0.1, "p_value": 0.01, "p_adjusted": 0.01}
    made = [_comparison(told_apart=True, better="reference", **shown)]
    (record,) = kit.cautions(kit.run([], comparisons=made), "no_better_than_baseline")
    assert record.message == (
        "b is worse than a on recall: Recall −0.0100 (−0.500 to −0.100; p = 0.010); "
        "shown to be better on no metric."
    )
    assert record.severity == "warning"


def test_a_model_that_does_worse_on_other_rows(kit: Any) -> None:
    """No dataset is better than a model; that no difference was shown is what one hopes for."""
    shown: dict[str, Any] = {"low": -0.5, "high": -0.1, "p_value": 0.01, "p_adjusted": 0.01}
    other: dict[str, Any] = {"reference": "b", "reference_dataset": "e"}
    made = [
        _comparison(told_apart=True, better="reference", **shown, **other),
        _comparison(metric="f1", **other),
    ]
    facts = kit.run([], comparisons=made)
    (record,) = kit.cautions(facts, "worse_on_other_rows")
    assert record.message == (
        "b is worse on d than on e: Recall −0.0100 (−0.500 to −0.100; p = 0.010)."
    )
    assert kit.message(facts, "no_better_than_baseline") is None
    assert kit.message(kit.run([], comparisons=made[1:]), "worse_on_other_rows") is None


@pytest.mark.parametrize(
    "made",
    [
        {"told_apart": True, "better": "model"},
        {"subgroup": {"sex": "f"}},
        {"fold": "1"},
    ],
)
def test_differences_that_were_shown_are_silent(kit: Any, made: dict[str, Any]) -> None:
    facts = kit.run([], comparisons=[_comparison(**made)])
    assert kit.message(facts, "no_better_than_baseline") is None


def test_many_tests_without_a_correction(kit: Any) -> None:
    corrected = kit.run([], comparisons=[_comparison(), _comparison()])
    assert kit.message(corrected, "multiplicity") is None
    none = [_comparison(correction="none"), _comparison(correction="none")]
    assert kit.message(kit.run([], comparisons=none), "multiplicity") == (
        "The report has 2 tests, uncorrected."
    )
    assert kit.message(kit.run([], comparisons=none[:1]), "multiplicity") is None


def test_an_interval_beside_an_adjusted_p_value_is_no_contradiction(kit: Any) -> None:
    """One test alone would tell the models apart; the p value that decides is printed."""
    made = [_comparison(
        metric="f1", average="macro", low=0.01, high=0.05, difference=0.03,
        p_value=0.01, p_adjusted=0.17,
    )]  # fmt: skip
    assert kit.message(kit.run([], comparisons=made), "no_better_than_baseline") == (
        "b is not shown to be better than a: 1 comparison does not show it. "
        "F1 (macro) +0.0300 (+0.0100 to +0.0500; adjusted p = 0.17)."
    )


def test_equal_accuracy_with_other_mistakes(kit: Any) -> None:
    # 140 of 200 right both times: 20 of 50 ill and 120 of 150 healthy, 40 of 50 and 100 of 150
    careful = kit.from_counts(20, 30, 30, 120, model="careful")
    eager = kit.from_counts(40, 10, 50, 100, model="eager")
    assert kit.message(kit.run([careful, eager], ["accuracy"]), "same_accuracy") == (
        "careful and eager have accuracy 0.700; their recalls of yes are 0.400 and 0.800."
    )
    assert kit.message(kit.run([careful, eager], ["recall"]), "same_accuracy") is None
    # 2 of 5 and 4 of 5: two standard errors are 2 * sqrt(2 * 0.25 / 5) = 0.63
    few = [
        kit.from_counts(2, 3, 3, 12, model="careful"),
        kit.from_counts(4, 1, 5, 10, model="eager"),
    ]
    assert kit.message(kit.run(few, ["accuracy"]), "same_accuracy") is None
    same = kit.from_counts(20, 30, 30, 120, model="same")
    assert kit.message(kit.run([careful, same], ["accuracy"]), "same_accuracy") is None
    better = kit.from_counts(50, 0, 30, 120, model="better")
    assert kit.message(kit.run([careful, better], ["accuracy"]), "same_accuracy") is None


def test_equal_accuracy_of_several_classes(kit: Any) -> None:
    actual = [0] * 4 + [1] * 4 + [2] * 4
    one = kit.view(actual, predicted=[0] * 4 + [1] * 4 + [0] * 4, labels="abc", model="one")
    two = kit.view(actual, predicted=[1] * 4 + [1] * 4 + [2] * 4, labels="abc", model="two")
    assert kit.message(kit.run([one, two], ["accuracy"]), "same_accuracy") == (
        "one and two have accuracy 0.667; their recalls of a are 1 and 0."
    )


def test_accuracy_is_of_no_class_in_comparisons(kit: Any) -> None:
    """Of two classes the positive one goes unnamed, of more each is named; micro is plain there."""
    two = [kit.from_counts(45, 5, 15, 35, model=model) for model in "ab"]
    made = [_comparison(metric="accuracy", label="yes"), _comparison(label="no")]
    told = kit.message(kit.run(two, comparisons=made), "no_better_than_baseline")
    assert "Accuracy −0.0100 (" in told
    assert "and Recall of no −0.0100 (" in told
    three = kit.view([0, 1, 2], predicted=[0, 1, 1], labels=("0", "1", "2"))
    made = [
        _comparison(metric="accuracy", average="micro"),
        _comparison(average="micro"),
        _comparison(label="1"),
    ]
    told = kit.message(kit.run(three, comparisons=made[:2]), "no_better_than_baseline")
    assert "Accuracy −0.0100 (" in told
    assert "and Recall (micro) −0.0100 (" in told
    told = kit.message(kit.run(three, comparisons=made[2:]), "no_better_than_baseline")
    assert "Recall of class 1 −0.0100 (" in told
