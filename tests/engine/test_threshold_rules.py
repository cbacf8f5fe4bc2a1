"""Thresholds by rule, on tables small enough to work out by hand."""

from __future__ import annotations

from typing import Any

import pytest

import evalreport

# scores from high to low and what they are: tp and fp at each threshold can be counted off
TRUTH = [1, 1, 0, 1, 1, 0, 0, 1, 0, 0]
SCORES = [0.99, 0.98, 0.72, 0.70, 0.65, 0.51, 0.39, 0.24, 0.11, 0.01]


def _threshold(rule: Any, truth: Any = TRUTH, scores: Any = SCORES, **more: Any) -> dict[str, Any]:
    result = evalreport.run(
        {
            "evalreport": 1,
            "title": "rules",
            "datasets": {"d": {"target": "y", "labels": ["0", "1"]}},
            "models": {"m": {"score": "s"}},
            "metrics": ["recall", "precision"],
            "thresholds": [rule],
            **more,
        },
        frames={"d": {"y": truth, "s": scores}},
    ).json
    found: dict[str, Any] = result["thresholds"][0]
    measures = {m["metric"]: m for m in result["measures"]}
    assert all(m["threshold"] == found["threshold"] for m in measures.values())
    return {**found, "measures": measures}


def test_youden_picks_the_largest_of_equally_good_thresholds() -> None:
    # J at 0.98: 2/5 - 0; at 0.65: 4/5 - 1/5 = 0.6, the largest
    assert _threshold({"maximize": "youden_j"})["threshold"] == 0.65
    # J is 0.5 at 0.8 (1/2 - 0) and again at 0.4 (2/2 - 1/2)
    tied = _threshold({"maximize": "youden_j"}, [0, 1, 0, 1], [0.1, 0.4, 0.5, 0.8])
    assert tied["threshold"] == 0.8


def test_least_distance_to_the_corner() -> None:
    # at 0.65: fpr 1/5, fnr 1/5, distance 0.28; no other point is nearer
    assert _threshold({"minimize": "distance_to_corner"})["threshold"] == 0.65


def test_reaching_a_recall_takes_the_largest_threshold_that_does() -> None:
    found = _threshold({"at_least": {"recall": 0.8}})
    assert found["threshold"] == 0.65
    assert found["measures"]["recall"]["value"] == 0.8
    assert _threshold({"at_least": {"recall": 0.81}})["threshold"] == 0.24


@pytest.mark.parametrize(
    ("rule", "threshold", "recall"),
    [
        # of 5 negatives one is at or above 0.65, two at or above 0.51
        ({"at_least": {"specificity": 0.8}}, 0.65, 0.8),
        ({"at_most": {"fpr": 0.2}}, 0.65, 0.8),
        # 4 of 5 at 0.65, 5 of 8 at 0.24; at 0.99 one of one is right too
        ({"at_least": {"precision": 0.8}}, 0.65, 0.8),
        ({"at_most": {"selection_rate": 0.5}}, 0.65, 0.8),
        ({"at_most": {"fnr": 0.2}}, 0.65, 0.8),
    ],
)
def test_a_limit_alone_gives_up_as_little_as_it_can(
    rule: Any, threshold: float, recall: float
) -> None:
    found = _threshold(rule)
    assert found["threshold"] == threshold
    assert found["measures"]["recall"]["value"] == recall


def test_reaching_one_while_doing_best_on_another() -> None:
    # precision among thresholds with recall of 0.6 or more: 3/4 at 0.70, 4/5 at 0.65, ...
    found = _threshold({"at_least": {"recall": 0.6}, "maximize": "precision"})
    assert found["threshold"] == 0.65


def test_a_value_that_cannot_be_reached_leaves_no_threshold() -> None:
    found = _threshold({"at_least": {"specificity": 1.0}, "maximize": "recall"})
    assert found["threshold"] == 0.98
    none = _threshold({"at_least": {"precision": 0.9}}, [0, 0, 1], [0.9, 0.5, 0.1])
    assert none["threshold"] is None
    assert "precision at least 0.9" in none["reason"]
    recall = none["measures"]["recall"]
    assert (recall["state"], recall["value"]) == ("undefined", None)


def test_costs_move_the_threshold() -> None:
    # a miss costs 10 false alarms: everything down to 0.24 must be flagged
    cheap = {"false_negative": 1, "false_positive": 10}
    dear = {"false_negative": 10, "false_positive": 1}
    assert _threshold({"minimize": "expected_cost"}, costs=dear)["threshold"] == 0.24
    assert _threshold({"minimize": "expected_cost"}, costs=cheap)["threshold"] == 0.98


def test_predicting_nothing_is_chosen_only_where_it_is_strictly_better() -> None:
    # one negative above the only positive, and false alarms cost far more than misses
    costs = {"false_negative": 1, "false_positive": 10}
    found = _threshold({"minimize": "expected_cost"}, [0, 1, 0], [0.9, 0.5, 0.1], costs=costs)
    assert found["threshold"] > 0.9
    assert found["measures"]["precision"]["state"] == "undefined"


@pytest.mark.parametrize(("top", "threshold"), [(3, 0.72), (0.3, 0.72), (0.25, 0.72), (1.0, 0.01)])
def test_the_top_rows_by_count_or_share_rounded_up(top: Any, threshold: float) -> None:
    assert _threshold({"top": top})["threshold"] == threshold


def test_a_rule_on_the_same_rows_is_exploratory_and_marked_so() -> None:
    found = _threshold({"maximize": "youden_j"})
    assert found["status"] == "exploratory"
    recall = found["measures"]["recall"]
    assert recall["exploratory"] is True
    assert recall["threshold_rule"] == "maximize youden_j"
    assert "conditional" in recall["interval"]["note"]


def test_a_rule_solved_elsewhere_is_applied_here() -> None:
    result = evalreport.run(
        {
            "evalreport": 1,
            "title": "on",
            "datasets": {"validation": {"target": "y"}, "test": {"target": "y"}},
            "models": {"m": {"score": "s"}},
            "metrics": ["recall"],
            "thresholds": [{"maximize": "youden_j", "on": "validation"}],
        },
        frames={
            "validation": {"y": TRUTH, "s": SCORES},
            "test": {"y": [0, 1, 1, 0], "s": [0.2, 0.65, 0.9, 0.7]},
        },
    ).json
    there = {t["dataset"]: t for t in result["thresholds"]}
    assert there["test"]["threshold"] == there["validation"]["threshold"] == 0.65
    assert there["test"]["status"] == "declared"
    assert there["validation"]["status"] == "exploratory"
    recall = next(m for m in result["measures"] if m["dataset"] == "test")
    assert recall["value"] == 1.0
    assert "exploratory" not in recall


def test_a_rule_is_solved_on_all_rows_and_applied_to_subgroups() -> None:
    result = evalreport.run(
        {
            "evalreport": 1,
            "title": "groups",
            "datasets": {"d": {"target": "y"}},
            "models": {"m": {"score": "s"}},
            "metrics": ["recall"],
            "thresholds": [{"maximize": "youden_j"}],
            "subgroups": ["g"],
        },
        frames={"d": {"y": TRUTH, "s": SCORES, "g": list("ababababab")}},
    ).json
    assert {m["threshold"] for m in result["measures"]} == {0.65}
