"""Cautions about thresholds, criteria, resampling and what was asked for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from evalreport.results.records import Criterion, Threshold


def test_a_threshold_chosen_on_the_rows_it_is_judged_on(kit: Any) -> None:
    chosen = Threshold(
        dataset="d", model="m", threshold=0.4321, rule="maximize youden_j", status="exploratory"
    )
    facts = kit.run([], thresholds=[])
    assert kit.message(replace(facts, thresholds=[chosen]), "threshold_chosen_here") == (
        "Thresholds were chosen on the rows they are judged on: 0.4321 (maximize Youden's J)."
    )
    other = replace(chosen, threshold=0.1, rule="recall at_least 0.95")
    assert kit.message(replace(facts, thresholds=[chosen, other]), "threshold_chosen_here") == (
        "Thresholds were chosen on the rows they are judged on: 0.4321 (maximize Youden's J) and "
        "0.10 (recall at least 0.95)."
    )
    declared = replace(chosen, status="declared")
    assert kit.message(replace(facts, thresholds=[declared]), "threshold_chosen_here") is None


def test_a_rule_without_a_threshold(kit: Any) -> None:
    none = Threshold(
        dataset="d",
        model="m",
        threshold=None,
        rule="recall at_least 0.99",
        status="exploratory",
        reason="no threshold gives recall at least 0.99",
    )
    facts = replace(kit.run([]), thresholds=[none])
    assert kit.message(facts, "threshold_not_found") == (
        "The rule recall at least 0.99 gives no threshold: no threshold gives recall at least 0.99."
    )
    assert kit.message(facts, "threshold_chosen_here") is None


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (["accuracy"], "The only measure requested is accuracy."),
        (["f1", "accuracy"], "The only measures requested are f1 and accuracy."),
        (["accuracy", "recall"], None),
        ([], None),
    ],
)
def test_a_headline_alone(kit: Any, asked: list[str], message: str | None) -> None:
    facts = replace(kit.run([]), requested=asked)
    assert kit.message(facts, "headline_alone") == message


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (["ece", "recall"], "Only ece is requested for calibration."),
        (["mce", "ece"], "Only mce and ece are requested for calibration."),
        (["hosmer_lemeshow_p"], "Only hosmer_lemeshow_p is requested for calibration."),
        (["ece", "calibration_slope"], None),
        (["brier"], None),
    ],
)
def test_binned_calibration_alone(kit: Any, asked: list[str], message: str | None) -> None:
    facts = replace(kit.run([]), requested=asked)
    assert kit.message(facts, "calibration_evidence") == message


def _judged(facts: Any, **more: Any) -> Criterion:
    (recall,) = (m for m in facts.measures if m.metric == "recall")
    given = {
        "criterion": 1, "text": "recall >= 0.9", "metric": "recall", "dataset": "d", "model": "m",
        "measure": recall.id, "bound": "point", "direction": "at_least", "required": 0.9,
        "observed": recall.value, "outcome": "pass", "reason": None,
    }  # fmt: skip
    return Criterion(**given | more)


def test_acceptance_on_the_point(kit: Any) -> None:
    """45 of 50: exactly 0.9, with a lower limit below."""
    facts = kit.run(kit.from_counts(45, 5, 5, 45), ["recall"])
    on_point = replace(facts, acceptance=[_judged(facts)])
    assert kit.message(on_point, "acceptance_on_point") == (
        "Recall is judged by its value, not its lower limit: recall at least 0.90; "
        "on the limit of the interval 1 of 1 would fail."
    )
    easy = replace(facts, acceptance=[_judged(facts, required=0.1)])
    message = kit.message(easy, "acceptance_on_point")
    assert message is not None
    assert [c.severity for c in kit.cautions(easy, "acceptance_on_point")] == ["note"]
    assert message.endswith(
        "lower limit: recall at least 0.10; the limit of the interval would pass too."
    )
    on_limit = replace(facts, acceptance=[_judged(facts, bound="lower")])
    assert kit.message(on_limit, "acceptance_on_point") is None
    nothing = replace(facts, acceptance=[_judged(facts, measure=None)])
    assert kit.message(nothing, "acceptance_on_point") is None


def test_lost_bootstrap_replicates(kit: Any) -> None:
    facts = kit.run(kit.from_counts(45, 5, 5, 45), ["recall"])
    (m,) = facts.measures
    interval = replace(m.interval, resamples=2000, usable=1800)
    lossy = replace(facts, measures=[replace(m, interval=interval)])
    (record,) = kit.cautions(lossy, "replicates_lost")
    assert record.message.startswith(
        "1 interval rests on fewer replicates than were drawn; at most, for Recall, 200 of 2000"
    )
    some = replace(m, interval=replace(interval, usable=1901))
    assert kit.message(replace(facts, measures=[some]), "replicates_lost") is None
    assert kit.message(facts, "replicates_lost") is None


def test_replicates_that_lack_a_class_are_counted_by_the_engine(kit: Any) -> None:
    """With 2 positives among 30 some draws hold none: (28 / 30) ** 30 = 13 % of them."""
    actual = [1] * 2 + [0] * 28
    one = kit.view(actual, score=[i / 30 for i in range(30)])
    method = {"average_precision": "bootstrap_percentile"}
    facts = kit.run(one, ["average_precision"], resamples=1000, methods=method)
    (record,) = kit.cautions(facts, "replicates_lost")
    assert 90 < record.numbers["lost"] < 170
    assert record.numbers["drawn"] == 1000


def test_pooled_folds(kit: Any) -> None:
    one = kit.from_counts(20, 5, 5, 20, fold=["a", "b"] * 25)
    message = kit.message(kit.run(one, ["recall"]), "pooled_folds")
    assert message == "1 interval of pooled predictions from 2 folds."
    assert kit.message(kit.run(kit.from_counts(20, 5, 5, 20), ["recall"]), "pooled_folds") is None
