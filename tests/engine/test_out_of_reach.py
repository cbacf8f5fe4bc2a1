"""A criterion that no predictions of its rows could have passed says so."""

from __future__ import annotations

from typing import Any

import pytest

import evalreport


def _run(found: int, ill: int, *limits: dict[str, Any]) -> evalreport.Results:
    frame = {
        "y": ["ill"] * ill + ["well"] * 40,
        "p": ["ill"] * found + ["well"] * (ill - found + 40),
    }
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "positive": {"label": "ill"},
        "models": {"m": {"prediction": "p"}},
        "metrics": ["recall", "precision", "fnr", "accuracy"],
        "acceptance": list(limits),
    }
    return evalreport.run(spec, frames={"d": frame})


def test_six_of_six_do_not_reach_a_lower_limit_of_nine_tenths() -> None:
    """Wilson's lower limit of 6 of 6 is 6 / (6 + 1.959964^2) = 0.60967."""
    limit = {"metric": "recall", "at_least": 0.9, "bound": "lower"}
    results = _run(6, 6, limit)
    (entry,) = results.records.acceptance
    assert entry.outcome == "fail"
    assert entry.reason == "out of reach: 6 of 6 would give a lower limit of 0.61"
    assert "out of reach: 6 of 6 would give a lower limit of 0.61" in results.to_html()


@pytest.mark.parametrize(
    ("limit", "reason"),
    [
        # 5 of 6 fail, and 6 of 6 would pass
        ({"metric": "recall", "at_least": 0.6, "bound": "lower"}, None),
        # how many rows precision is of, predictions decide
        ({"metric": "precision", "at_least": 0.9, "bound": "lower"}, None),
        # the value can be reached
        ({"metric": "recall", "at_least": 0.9}, None),
        # 0 of 6: 1.959964^2 / (6 + 1.959964^2) = 0.39033
        (
            {"metric": "fnr", "at_most": 0.1, "bound": "upper"},
            "out of reach: 0 of 6 would give an upper limit of 0.39",
        ),
    ],
)
def test_only_what_no_prediction_reaches_is_out_of_reach(
    limit: dict[str, Any], reason: str | None
) -> None:
    (entry,) = _run(5, 6, limit).records.acceptance
    assert (entry.outcome, entry.reason) == ("fail", reason)
