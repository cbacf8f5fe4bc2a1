"""Costs of mistakes: those of two classes are of no more, and none is free in silence."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import evalreport
from evalreport.errors import SpecError
from evalreport.predict.baselines import CHEAPEST

ROWS = pd.DataFrame({"y": list("abcabbacca"), "p": list("abacbaacbc")})
WHOLE = {"a": {"b": 1, "c": 2}, "b": {"a": 3, "c": 4}, "c": {"a": 5, "b": 6}}


def reported(costs: Any, labels: list[str] | None = None) -> Any:
    spec = {
        "evalreport": 1,
        "title": "t",
        "datasets": {"d": {"target": "y", **({"labels": labels} if labels else {})}},
        "models": {"m": {"prediction": "p"}},
        "metrics": ["expected_cost"],
        "costs": costs,
        "acceptance": [{"metric": "expected_cost", "at_most": 0.1}],
    }
    return evalreport.run(spec, frames={"d": ROWS})


def unpriced(results: Any) -> list[str]:
    found = results.cautions
    return found[found.code == "unpriced_mistakes"].message.tolist()


def test_costs_of_two_outcomes_are_not_those_of_three_classes() -> None:
    results = reported({"false_negative": 5, "false_positive": 1})
    (measure,) = results.records.measures
    assert measure.state == "not_applicable"
    assert measure.reason is not None
    assert "{actual: {predicted: cost}}" in measure.reason
    (criterion,) = results.records.acceptance
    assert criterion.outcome == "not_evaluated"
    # nor is there an answer that costs least
    assert CHEAPEST not in {one.baseline for one in results.records.baselines}


def test_every_pair_of_classes_with_its_price() -> None:
    results = reported(WHOLE)
    (measure,) = results.records.measures
    wrong = [WHOLE[y][p] for y, p in zip(ROWS.y, ROWS.p, strict=True) if y != p]
    assert measure.value == pytest.approx(sum(wrong) / len(ROWS))
    assert unpriced(results) == []


def test_the_cheapest_answer_needs_every_price() -> None:
    whole, partial = reported(WHOLE), reported({**WHOLE, "c": {"a": 5}})
    assert CHEAPEST in {one.baseline for one in whole.records.baselines}
    assert CHEAPEST not in {one.baseline for one in partial.records.baselines}


def test_a_pair_without_a_price_is_named() -> None:
    assert unpriced(reported({**WHOLE, "c": {"a": 5}})) == [
        "1 of 6 kinds of mistake has no price and counts as free. Actual as predicted: c as b."
    ]
    misspelt = {**{k: v for k, v in WHOLE.items() if k != "c"}, "C": WHOLE["c"]}
    assert unpriced(reported(misspelt)) == [
        (
            "2 of 6 kinds of mistake have no price and count as free. Actual as predicted: c as a "
            "and c as b. The costs also name C, no class of these rows."
        )
    ]


def test_an_indeterminate_result_has_no_price_among_three_classes() -> None:
    spec = {
        "evalreport": 1,
        "title": "t",
        "datasets": {"d": {"target": "y", "labels": list("abc"), "indeterminate": ["?"]}},
        "models": {"m": {"prediction": "p"}},
        "metrics": ["accuracy", "expected_cost"],
        "costs": WHOLE,
    }
    rows = pd.concat([ROWS, pd.DataFrame({"y": ["a", "b"], "p": ["?", "?"]})])
    measures = evalreport.run(spec, frames={"d": rows}).records.measures
    states = {(one.metric, one.indeterminate): one.state for one in measures}
    assert states["expected_cost", "against"] == "not_applicable"
    assert states["expected_cost", "for"] == "not_applicable"
    assert states["accuracy", "for"] == "value"


def test_a_class_that_is_not_declared_has_no_price() -> None:
    with pytest.raises(SpecError, match="there is no label 'C'; did you mean 'c'"):
        reported({**WHOLE, "C": {"a": 1}}, ["a", "b", "c"])
    with pytest.raises(SpecError, match="there is no label 'd'"):
        reported({**WHOLE, "c": {"a": 1, "d": 1}}, ["a", "b", "c"])
