"""Score limits of likelihood and odds ratios: Koopman's, asked for by name; of an empty cell."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any

import pytest
from scipy.optimize import brentq, minimize_scalar
from scipy.stats import binom, norm
from statsmodels.stats.proportion import confint_proportions_2indep

import evalreport
from evalreport.metrics.catalogue import find
from evalreport.metrics.methods import interval_methods

First = Callable[[float, float], float]


def limits(counts: list[list[int]], metric: str) -> dict[str, Any]:
    record = measure(counts, metric, {"methods": {metric: "koopman"}})
    assert record["interval"]["method"] == "koopman"
    assert record["interval"]["low"] <= record["value"] <= record["interval"]["high"]
    return dict(record["interval"])


def measure(counts: list[list[int]], metric: str, confidence: dict[str, Any]) -> dict[str, Any]:
    """``counts``: of the negatives, then the positives, by negative and positive predictions."""
    kinds = [
        (actual, said, counts[i][j])
        for i, actual in enumerate(("no", "yes"))
        for j, said in enumerate(("no", "yes"))
    ]
    truth, given, n = ([kind[k] for kind in kinds] for k in range(3))
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y", "count": "n"}},
        "positive": {"label": "yes"},
        "models": {"m": {"prediction": "p"}},
        "metrics": [metric],
        "confidence": confidence,
    }
    frame = {"y": truth, "p": given, "n": n}
    (record,) = (
        m for m in evalreport.run(spec, frames={"d": frame}).json["measures"] if m["label"] == "yes"
    )
    return dict(record)


def test_koopmans_example() -> None:
    """36 of 40 against 16 of 80 (Koopman 1984, table 1): 2.94 to 7.15."""
    found = limits([[64, 16], [4, 36]], "lr_plus")
    assert (found["low"], found["high"]) == pytest.approx((2.94, 7.15), abs=0.006)


@pytest.mark.parametrize("counts", [[[64, 16], [4, 36]], [[400, 35], [7, 58]]])
@pytest.mark.parametrize("metric", ["lr_plus", "lr_minus"])
def test_limits_are_those_of_statsmodels(counts: list[list[int]], metric: str) -> None:
    (tn, fp), (fn, tp) = counts
    above, below = (tp, fp) if metric == "lr_plus" else (fn, tn)
    expected = confint_proportions_2indep(
        above, tp + fn, below, tn + fp, compare="ratio", method="score", correction=False
    )
    found = limits(counts, metric)
    assert (found["low"], found["high"]) == pytest.approx(expected, rel=1e-3)


def test_a_spec_may_ask_for_it_where_there_is_such_a_ratio() -> None:
    for name, known in (("lr_plus", True), ("lr_minus", True), ("diagnostic_odds_ratio", False)):
        metric = find(name)
        assert metric is not None
        assert ("koopman" in interval_methods(metric)) is known


def lower_limit(found: tuple[int, int], all_: tuple[int, int], first: First) -> float:
    """The ratio whose score statistic is 1.96, both rates found by search (Miettinen 1985).

    ``first``: the first rate that goes with a second one and a ratio.
    """
    (x1, x2), (n1, n2) = found, all_

    def excess(ratio: float) -> float:
        def unlikely(p2: float) -> float:
            return float(-binom.logpmf(x1, n1, first(p2, ratio)) - binom.logpmf(x2, n2, p2))

        most = min(1.0, 1.0 / ratio) if first is by_ratio else 1.0
        ends, closely = (1e-12, most - 1e-12), {"xatol": 1e-13}
        p2 = minimize_scalar(unlikely, bounds=ends, method="bounded", options=closely).x
        sides = ((x1, n1, first(p2, ratio)), (x2, n2, p2))
        scores = sum((x - n * p) ** 2 / (n * p * (1 - p)) for x, n, p in sides)
        return float(sqrt(scores * (n1 + n2 - 1) / (n1 + n2)) - norm.ppf(0.975))

    return float(brentq(excess, 0.5, 100))


def by_ratio(p2: float, ratio: float) -> float:
    return p2 * ratio


def by_odds(p2: float, ratio: float) -> float:
    odds = p2 / (1 - p2) * ratio
    return odds / (1 + odds)


@pytest.mark.parametrize(
    ("metric", "counts", "found", "all_", "first"),
    [
        ("lr_plus", [[20, 0], [2, 8]], (8, 0), (10, 20), by_ratio),
        ("lr_minus", [[0, 20], [2, 8]], (2, 0), (10, 20), by_ratio),
        ("diagnostic_odds_ratio", [[20, 0], [2, 8]], (8, 0), (10, 20), by_odds),
        ("diagnostic_odds_ratio", [[18, 2], [0, 10]], (18, 0), (20, 10), by_odds),
    ],
)
def test_an_infinite_ratio_has_a_lower_limit(
    metric: str,
    counts: list[list[int]],
    found: tuple[int, int],
    all_: tuple[int, int],
    first: First,
) -> None:
    record = measure(counts, metric, {})
    assert (record["state"], record["value"]) == ("infinite", None)
    assert record["interval"]["high"] == "infinity"
    expected = lower_limit(found, all_, first)
    assert record["interval"]["low"] == pytest.approx(expected, rel=1e-4)
    # the study counted finite limits alone
    assert record["interval"]["why"] == "a ratio of rates"


def test_a_method_without_infinite_limits_says_so() -> None:
    record = measure([[20, 0], [2, 8]], "lr_plus", {"methods": {"lr_plus": "log"}})
    assert (record["state"], record["interval"]) == ("infinite", None)
    assert record["interval_reason"] == "log method gives no limits for an infinite value"


@pytest.mark.parametrize("counts", [[[20, 0], [10, 0]], [[0, 20], [0, 10]]])
def test_nothing_over_nothing_has_no_limits(counts: list[list[int]]) -> None:
    record = measure(counts, "diagnostic_odds_ratio", {})
    assert (record["state"], record["interval"]) == ("undefined", None)
