"""Acceptance criteria: inclusive, on the bound that was asked for, three outcomes."""

from __future__ import annotations

from typing import Any

import pytest

import evalreport
from evalreport.verify.recompute import recompute

ROWS = {
    "y": ["yes"] * 10 + ["no"] * 10,
    "p": ["yes"] * 9 + ["no"] + ["no"] * 8 + ["yes"] * 2,
    "sex": ["F"] * 5 + ["M"] * 5 + ["F"] * 10,
}


def _judged(*criteria: dict[str, Any], **more: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = evalreport.run(
        {
            "evalreport": 1,
            "title": "criteria",
            "datasets": {"d": {"target": "y"}},
            "models": {"m": {"prediction": "p"}},
            "metrics": ["recall", "specificity"],
            "acceptance": list(criteria),
            **more,
        },
        frames={"d": ROWS},
    ).json["acceptance"]
    return found


def test_exactly_met_is_passed_both_ways() -> None:
    least, most = _judged(
        {"metric": "recall", "at_least": 0.9}, {"metric": "recall", "at_most": 0.9}
    )
    assert (least["outcome"], most["outcome"]) == ("pass", "pass")
    assert least["observed"] == 0.9


def test_the_bound_decides() -> None:
    point, lower, upper = _judged(
        {"metric": "recall", "at_least": 0.8},
        {"metric": "recall", "at_least": 0.8, "bound": "lower"},
        {"metric": "recall", "at_most": 0.95, "bound": "upper"},
    )
    assert point["outcome"] == "pass"
    # Wilson for 9 of 10: 0.596 to 0.982
    assert lower["outcome"] == "fail"
    assert round(lower["observed"], 3) == 0.596
    assert upper["outcome"] == "fail"
    assert round(upper["observed"], 3) == 0.982


def test_each_subgroup_is_judged_and_an_undefined_one_is_not_evaluated() -> None:
    each = _judged(
        {"metric": "specificity", "at_least": 0.5, "subgroup": "each"}, subgroups=["sex"]
    )
    outcomes = {e["subgroup"]["sex"]: e["outcome"] for e in each}
    # no row of the five men is actually "no"
    assert outcomes == {"F": "pass", "M": "not_evaluated"}
    men = next(e for e in each if e["subgroup"] == {"sex": "M"})
    assert men["observed"] is None
    assert "undefined" in men["reason"]


def test_a_subgroup_that_does_not_occur_is_not_evaluated() -> None:
    (found,) = _judged(
        {"metric": "recall", "at_least": 0.5, "subgroup": {"sex": "X"}}, subgroups=["sex"]
    )
    assert found["outcome"] == "not_evaluated"
    assert found["reason"]


def test_a_criterion_on_a_metric_nobody_listed_is_measured_for_it() -> None:
    (found,) = _judged({"metric": "ppv", "at_least": 0.8})
    assert found["metric"] == "precision"
    assert found["outcome"] == "pass"


def test_a_measure_without_an_interval_cannot_be_judged_by_its_limit() -> None:
    (found,) = _judged({"metric": "roc_auc", "at_least": 0.8, "bound": "lower"})
    assert found["outcome"] == "not_evaluated"
    assert "not applicable" in found["reason"]


def test_the_criterion_is_said_in_words_with_its_number_and_measure() -> None:
    first, second = _judged(
        {"metric": "recall", "at_least": 0.8, "bound": "lower"},
        {"metric": {"fbeta": {"beta": 2}}, "at_least": 0.5},
    )
    assert first["text"] == "lower limit of recall >= 0.8"
    assert second["text"] == "fbeta(beta=2) >= 0.5"
    assert (first["criterion"], second["criterion"]) == (1, 2)
    assert first["measure"].startswith("m")


def test_plus_infinity_reaches_any_number_and_keeps_to_none() -> None:
    results = evalreport.run(
        {
            "evalreport": 1,
            "title": "infinite",
            "datasets": {"d": {"target": "y"}},
            "models": {"m": {"prediction": "p"}},
            "metrics": ["lr_plus"],
            "acceptance": [
                {"metric": "lr_plus", "at_least": 5},
                {"metric": "lr_plus", "at_most": 5},
                {"metric": "lr_plus", "at_least": 5, "bound": "upper"},
                {"metric": "lr_plus", "at_most": 5, "bound": "upper"},
                {"metric": "lr_plus", "at_least": 5, "bound": "lower"},
                {"metric": "lr_plus", "at_least": 4, "bound": "lower"},
            ],
        },
        frames={"d": {"y": ["a"] * 20 + ["b"] * 10, "p": ["a"] * 22 + ["b"] * 8}},
    ).json["acceptance"]
    outcomes = ["pass", "fail", "pass", "fail", "fail", "pass"]
    assert [e["outcome"] for e in results] == outcomes
    assert all("infinite" in e["reason"] for e in results)
    # the lower limit of 8 of 10 against 0 of 20 is a number, the upper one is none
    assert [e["observed"] for e in results[:4]] == [None] * 4
    assert [round(e["observed"], 2) for e in results[4:]] == [4.72] * 2


def test_a_subgroup_of_too_few_rows_is_not_evaluated() -> None:
    rows = {
        # one ill person in the north, who is missed; 12 of 15 in the south are found
        "y": ["yes"] + ["no"] * 14 + ["yes"] * 15 + ["no"] * 5,
        "p": ["no"] * 15 + ["yes"] * 12 + ["no"] * 8,
        "site": ["north"] * 15 + ["south"] * 20,
    }
    asked = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "models": {"m": {"prediction": "p"}},
        "metrics": ["recall", "specificity"],
        "subgroups": ["site"],
        "acceptance": [
            {"metric": "recall", "at_least": 0.75, "subgroup": "each"},
            {"metric": "recall", "at_least": 0.75, "subgroup": {"site": "north"}, "bound": "lower"},
            {"metric": "specificity", "at_least": 0.9, "subgroup": {"site": "north"}},
        ],
    }
    found = evalreport.run(asked, frames={"d": rows}).json["acceptance"]
    told = [(e["criterion"], e["subgroup"]["site"], e["outcome"], e["observed"]) for e in found]
    assert told == [
        (1, "north", "not_evaluated", None),
        (1, "south", "pass", 0.8),
        (2, "north", "not_evaluated", None),
        (3, "north", "pass", 1.0),  # 14 rows are enough, and none is predicted ill
    ]
    assert found[0]["reason"] == ("it rests on 1 row (0 of 1), fewer than subgroup_minimum: 10")
    for minimum, outcomes in (
        (1, ["fail", "pass", "fail", "pass"]),
        (15, ["not_evaluated", "pass", "not_evaluated", "not_evaluated"]),
        (16, ["not_evaluated"] * 4),
    ):
        again = evalreport.run({**asked, "subgroup_minimum": minimum}, frames={"d": rows})
        assert [e["outcome"] for e in again.json["acceptance"]] == outcomes


#: Of 10 ill rows 6 are found; of 40 well ones 39 are, and one is called something else.
STRAY = {
    "y": ["ill"] * 10 + ["well"] * 40,
    "p": ["ill"] * 6 + ["well"] * 43 + ["n/a"],
}


@pytest.mark.parametrize(
    "declared",
    [
        {"positive": {"label": "ill"}},
        {"positive": "smallest", "datasets": {"d": {"target": "y", "labels": ["well", "ill"]}}},
    ],
)
def test_a_stray_prediction_does_not_turn_a_criterion_on_the_positive_class_into_macro(
    declared: dict[str, Any],
) -> None:
    found = evalreport.run(
        {
            "evalreport": 1,
            "datasets": {"d": {"target": "y"}},
            "models": {"m": {"prediction": "p"}},
            "metrics": ["recall"],
            **declared,
            "acceptance": [
                {"metric": "recall", "at_least": 0.75},
                {"metric": "specificity", "at_least": 0.75},
                {"metric": "accuracy", "at_least": 0.75},
                {"metric": "recall", "at_least": 0.75, "average": "macro"},
            ],
            "declared": [{"metric": "recall", "value": 0.9, "source": "instructions for use"}],
        },
        frames={"d": STRAY},
    ).json
    recall, specificity, accuracy, macro = found["acceptance"]
    # one class against all others: 6 of 10, 40 of 40; what is right of all rows: 45 of 50
    assert (recall["observed"], recall["outcome"]) == (0.6, "fail")
    assert specificity["observed"] == 1.0
    assert accuracy["observed"] == 0.9
    # (6 / 10 + 39 / 40) / 2, as no row is n/a
    assert round(macro["observed"], 12) == 0.7875
    assert (found["declared"][0]["label"], found["declared"][0]["measured"]) == ("ill", 0.6)
    assert recompute(found).problems == ()
