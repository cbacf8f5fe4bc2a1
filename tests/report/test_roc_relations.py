"""Every two models: one ROC curve above the other everywhere, or where they cross."""

from __future__ import annotations

from typing import Any

import pytest

import evalreport

# 4 ill and 4 healthy rows. best: every ill row first. early: half of the ill first, then all
# healthy rows but one half. late: no ill row first.
ROWS = {
    "y": ["ill"] * 4 + ["healthy"] * 4,
    "best": [8, 7, 6, 5, 4, 3, 2, 1],
    "early": [8, 7, 4, 3, 6, 5, 2, 1],
    "late": [7, 6, 5, 4, 8, 3, 2, 1],
    "says": ["ill"] * 4 + ["healthy"] * 4,
}


@pytest.fixture(scope="module")
def results() -> Any:
    models: dict[str, Any] = {name: {"score": name} for name in ("best", "early", "late")}
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "positive": {"label": "ill"},
        "models": {**models, "says": {"prediction": "says"}},
        "metrics": ["roc_auc"],
    }
    return evalreport.run(spec, frames={"d": ROWS})


def test_every_pair_is_told(results: Any) -> None:
    told = {(r["first"], r["second"]): r for r in results.json["roc_relations"]}
    assert list(told) == [
        ("best", "early"),
        ("best", "late"),
        ("best", "says"),
        ("early", "late"),
        ("early", "says"),
        ("late", "says"),
    ]
    assert told["best", "early"]["relation"] == "above"
    assert told["best", "early"]["first_leads"] == {"by": 0.5, "fpr": 0.0}
    # early is at 0.5 until 0.5, late at 0 until 0.25 and at 1 from there on
    cross = told["early", "late"]
    assert (cross["relation"], cross["crossings"]) == ("cross", [{"fpr": 0.25, "tpr": 0.5}])
    assert (cross["first_leads"], cross["second_leads"]) == (
        {"by": 0.5, "fpr": 0.0},
        {"by": 0.5, "fpr": 0.25},
    )
    assert told["best", "says"]["relation"] is None
    assert "labels" in told["best", "says"]["reason"]


@pytest.mark.long
def test_the_chart_says_which_curve_lies_above_all_others(results: Any) -> None:
    assert "best lies above all others everywhere" in results.to_html().casefold()
