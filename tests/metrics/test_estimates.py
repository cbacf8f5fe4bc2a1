"""What a recorded measure says to another run: its key, its estimate, exact differences."""

from __future__ import annotations

import json
from typing import Any

import pytest

from evalreport.metrics.estimates import estimate_of, exact_difference
from evalreport.results.codec import decode_as
from evalreport.results.records import Measure

RECORD: dict[str, Any] = {
    "dataset": "d", "model": "m", "subgroup": {"sex": "f", "age": "old"}, "fold": None,
    "metric": "recall", "params": {}, "average": None, "label": None, "threshold": 0.5,
    "threshold_rule": None, "state": "value", "value": 0.8, "n": 150, "numerator": 56,
    "denominator": 70,
    "interval": {"method": "wilson", "low": 0.69, "high": 0.88, "level": 0.95},
    "id": "m1", "reason": None, "table": None, "formula": "", "substituted": "",
}  # fmt: skip


def record(**more: Any) -> Measure:
    return decode_as(Measure, {**RECORD, **more})


def test_the_same_number_of_two_runs_has_one_key() -> None:
    turned = record(subgroup={"age": "old", "sex": "f"}, value=0.1, n=3, id="m7")
    assert turned.which.series == record().which.series
    assert turned.which.text() == record().which.text()
    assert json.loads(record().which.text())[:3] == ["d", "m", [["age", "old"], ["sex", "f"]]]


@pytest.mark.parametrize(
    "change",
    [
        {"dataset": "e"}, {"model": "n"}, {"subgroup": {}}, {"fold": "1"},
        {"metric": "precision"}, {"params": {"beta": 2.0}}, {"average": "macro"},
        {"label": "ill"}, {"threshold": 0.6}, {"indeterminate": "against"},
    ],
)  # fmt: skip
def test_another_number_has_another_key(change: dict[str, Any]) -> None:
    assert record(**change).which.series != record().which.series
    assert record(**change).which.text() != record().which.text()


def test_a_rule_stays_where_its_threshold_moves() -> None:
    one, two = (record(threshold_rule="max f1", threshold=t) for t in (0.41, 0.43))
    assert one.which.series == two.which.series
    assert one.which.series != record(threshold=0.41).which.series


def test_an_estimate_has_its_limits_and_counts() -> None:
    found = estimate_of(record())
    assert found is not None
    assert (found.value, found.low, found.high, found.level) == (0.8, 0.69, 0.88, 0.95)
    assert found.fraction == (56, 70)


@pytest.mark.parametrize(
    "change",
    [{"state": "undefined", "value": None}, {"state": "infinite", "value": None}, {"value": None}],
)
def test_no_value_no_estimate(change: dict[str, Any]) -> None:
    assert estimate_of(record(**change)) is None


@pytest.mark.parametrize(
    "change",
    [
        {"numerator": None, "denominator": None},
        {"numerator": 56.0},
        {"weight": 150.0},
        {"metric": "no such metric"},
        {"metric": "mcc"},
        # shares of the K x K table: jaccard counts rows, the largest class is chosen by them
        {"metric": "no_information_rate"},
        {"average": "macro"},
        # more rows in the denominator than there are: one-versus-rest tables were added up
        {"average": "micro", "n": 60},
        {"n": 0},
        {"numerator": 71},
        {"numerator": -1},
        {"numerator": 0, "denominator": 0},
        {"interval": {"method": "cluster_robust", "low": 0.6, "high": 0.9, "level": 0.95}},
        {"interval": None},
    ],
)
def test_what_is_no_share_of_independent_rows_keeps_no_counts(change: dict[str, Any]) -> None:
    found = estimate_of(record(**change))
    assert found is not None
    assert found.value == 0.8
    assert found.fraction is None


@pytest.mark.parametrize("change", [{"metric": "jaccard"}, {"average": "micro"}])
def test_a_share_of_rows_keeps_its_counts(change: dict[str, Any]) -> None:
    found = estimate_of(record(**change))
    assert found is not None
    assert found.fraction == (56, 70)


def test_fractions_of_counts_are_subtracted_exactly() -> None:
    now = record(value=0.3, numerator=3, denominator=10)
    then = record(value=0.1, numerator=1, denominator=10)
    assert exact_difference(now, then) == 0.2 != 0.3 - 0.1


@pytest.mark.parametrize(
    "change",
    [
        {"numerator": None},
        {"denominator": 10.0},
        {"denominator": 0},
        # the value is a mean over folds or is weighted: not that of its counts
        {"numerator": 4},
    ],
)
def test_other_values_are_subtracted_as_they_are(change: dict[str, Any]) -> None:
    now = record(**{"value": 0.3, "numerator": 3, "denominator": 10, **change})
    then = record(value=0.1, numerator=1, denominator=10)
    assert exact_difference(now, then) == 0.3 - 0.1
    assert exact_difference(then, now) == 0.1 - 0.3


def test_without_a_value_there_is_no_difference() -> None:
    nothing = record(state="undefined", value=None, reason="no rows", interval=None)
    with pytest.raises(ValueError, match="has no value"):
        exact_difference(record(), nothing)
