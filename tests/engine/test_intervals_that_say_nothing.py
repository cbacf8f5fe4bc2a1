"""Where nothing varies, or too few rows make up a mean, there is no interval but a reason."""

from __future__ import annotations

import math
from typing import Any

import pytest
from scipy import stats

import evalreport

ALIKE = "all losses are equal: they show no variance"


def run(frame: dict[str, Any], metrics: list[str], **asked: Any) -> evalreport.Results:
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y", **asked.pop("dataset", {})}},
        "models": {"m": {"score": "p"}},
        "positive": {"label": 1},
        "metrics": metrics,
        **asked,
    }
    return evalreport.run(spec, frames={"d": frame})


def of_all_rows(results: evalreport.Results) -> dict[str, dict[str, Any]]:
    return {
        m["metric"]: m for m in results.json["measures"] if not m["subgroup"] and m["fold"] is None
    }


#: |1 - 0.7| = |0 - 0.3| but for the last bit: sums of squares leave a variance of 1e-17.
EQUAL = {"y": [1, 0] * 20, "p": [0.7, 0.3] * 20, "g": ["a"] * 20 + ["b"] * 20}
LOSSES = ["brier", "squared_error", "absolute_error", "log_loss"]


@pytest.mark.parametrize(
    "more",
    [{}, {"w": [1.0, 2.0] * 20}, {"c": [f"c{k // 4}" for k in range(40)]}],
    ids=["rows", "weights", "clusters"],
)
@pytest.mark.parametrize("asked", [{}, {"methods": dict.fromkeys(LOSSES, "normal")}])
def test_equal_losses_have_no_limits(more: dict[str, Any], asked: dict[str, Any]) -> None:
    dataset = {"weight": "w"} if "w" in more else {"cluster": "c"} if "c" in more else {}
    found = of_all_rows(run({**EQUAL, **more}, LOSSES, dataset=dataset, confidence=asked))
    assert found["absolute_error"]["value"] == pytest.approx(0.3, rel=1e-15)
    assert found["log_loss"]["value"] == pytest.approx(-math.log(0.7), rel=1e-15)
    for name in LOSSES:
        assert found[name]["interval"] is None, name
        assert found[name]["interval_reason"], name


def test_the_reason_stands_on_cards_and_in_flat_tables() -> None:
    results = run(EQUAL, ["brier"], subgroups=["g"])
    assert of_all_rows(results)["brier"]["interval_reason"] == ALIKE
    page = results.to_html()
    assert f"no interval: {ALIKE}" in page
    assert page.count('<small class="why">all losses are equal</small>') >= 2


def test_losses_that_differ_by_little_keep_their_limits() -> None:
    """0.3 and 0.3001 in turn, by hand: half = 1.96 * SD / sqrt(60), SD = 0.00005 sqrt(60 / 59)."""
    frame = {"y": [1, 0] * 30, "p": [0.7, 0.3001] * 30}
    asked = {"methods": {"absolute_error": "normal"}}
    found = of_all_rows(run(frame, ["absolute_error"], confidence=asked))["absolute_error"][
        "interval"
    ]
    half = 1.959964 * 0.00005 * math.sqrt(60 / 59) / math.sqrt(60)
    assert (found["low"], found["high"]) == pytest.approx((0.30005 - half, 0.30005 + half))


@pytest.mark.parametrize(("large", "limits"), [(1, False), (2, True)])
def test_a_mean_that_fewer_than_four_rows_make_up_has_no_limits(large: int, limits: bool) -> None:
    """``large`` losses of 0.9 and 40 of 0.02: (sum)^2 / sum of squares by hand."""
    frame = {"y": [1] * large + [0] * 40, "p": [0.1] * large + [0.02] * 40}
    n, total = large + 40, 0.9 * large + 0.02 * 40
    squares = 0.81 * large + 0.0004 * 40
    carrying = total**2 / squares
    assert (carrying >= 4) is limits  # 3.5 and 4.1
    record = of_all_rows(run(frame, ["absolute_error"]))["absolute_error"]
    if not limits:
        assert record["interval"] is None
        assert "too few losses" in record["interval_reason"]
        return
    mean, df = total / n, (carrying - 1) / 1.5
    error = math.sqrt((squares / n - mean**2) / (n - 1))
    spread = math.exp(stats.t.ppf(0.975, df) * error / mean)
    assert record["interval"]["low"] == pytest.approx(mean / spread)


def test_four_rows_have_no_limits_of_their_log_loss() -> None:
    """-log .9, .8, .3 and .9999: (1.53)^2 / 1.51 = 1.6 equal losses."""
    frame = {"y": [1, 0, 1, 0], "p": [0.9, 0.2, 0.3, 0.0001]}
    losses = [-math.log(p) for p in (0.9, 0.8, 0.3, 0.9999)]
    carrying = sum(losses) ** 2 / sum(x * x for x in losses)
    record = of_all_rows(run(frame, ["log_loss"]))["log_loss"]
    assert record["value"] == pytest.approx(sum(losses) / 4)
    assert record["interval"] is None
    words = f"too few losses: {carrying:.2g} of 4 make up the mean"
    assert record["interval_reason"] == words


def test_folds_of_one_value_have_a_spread_of_0_and_no_limits() -> None:
    """Each of five folds has 2 of 4 right, and squared errors that are equal but for rounding."""
    y, p = [1, 0, 1, 0] * 5, [0.7, 0.3, 0.3, 0.7] * 5
    frame = {"y": y, "p": p, "f": [f"f{k // 4}" for k in range(20)]}
    found = run(frame, ["accuracy", "squared_error"], dataset={"fold": "f"}).json["measures"]
    means = {m["metric"]: m for m in found if m["fold"] == "mean"}
    assert means["accuracy"]["value"] == 0.5
    for record in means.values():
        assert (record["spread"], record["interval"]) == (0.0, None)
        assert record["interval_reason"]
