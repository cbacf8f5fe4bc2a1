"""Differences of metrics of two tables: by hand, their test, their hold."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

import evalreport
from evalreport.statistics.paired import correlation
from evalreport.statistics.square_and_add import (
    difference_of_tables,
    difference_statistic,
    jeffreys_one_sided,
)
from evalreport.verify.recompute import recompute

Cells = tuple[float, float, float, float]
#: Rows by who calls them: (both, the first, the second, neither), of positives and negatives.
POSITIVES, NEGATIVES = (7, 3, 1, 2), (2, 3, 4, 41)
FIRST, SECOND = (10.0, 3.0, 5.0, 45.0), (8.0, 5.0, 6.0, 44.0)


def f1(shares: Any) -> Any:
    return 2 * shares[:, 0] / (2 * shares[:, 0] + shares[:, 1] + shares[:, 2])


def balanced_accuracy(shares: Any) -> Any:
    tp, fn, fp, tn = shares.T
    return (tp / (tp + fn) + tn / (tn + fp)) / 2


def f1_of(prevalence: float, recall: float, fall_out: float) -> float:
    tp, fp = prevalence * recall, (1 - prevalence) * fall_out
    return 2 * tp / (tp + fp + prevalence)


def limits_by_hand(level: float) -> tuple[float, float]:
    """Distances of the three shares, share by share."""
    n, phi = 63, [1.0, correlation(*POSITIVES), correlation(*NEGATIVES)]
    moves = []
    for tp, fn, fp, tn in (FIRST, SECOND):
        own, found = [(tp + fn) / n, tp / (tp + fn), fp / (fp + tn)], []
        for place, (x, m) in enumerate(((tp + fn, n), (tp, tp + fn), (fp, fp + tn))):
            ends = [
                f1_of(*(e if k == place else p for k, p in enumerate(own))) - f1_of(*own)
                for e in jeffreys_one_sided(x, m, level)
            ]
            found.append((-min(*ends, 0.0), max(*ends, 0.0)))
        moves.append((f1_of(*own), found))
    (one, first), (two, second) = moves
    down = sum(
        a[0] ** 2 - 2 * r * a[0] * b[1] + b[1] ** 2
        for a, b, r in zip(first, second, phi, strict=True)
    )
    up = sum(
        a[1] ** 2 - 2 * r * a[1] * b[0] + b[0] ** 2
        for a, b, r in zip(first, second, phi, strict=True)
    )
    return one - two - math.sqrt(down), one - two + math.sqrt(up)


@cache
def compared(**more: tuple[tuple[str, Any], ...]) -> dict[str, Any]:
    """Two models whose rows are counted above; ``more``: of the comparisons of the spec."""
    one, two, actual = [], [], []
    for truth, counts in ((1, POSITIVES), (0, NEGATIVES)):
        for (a, b), count in zip(((1, 1), (1, 0), (0, 1), (0, 0)), counts, strict=True):
            one, two, actual = one + [a] * count, two + [b] * count, actual + [truth] * count
    found: dict[str, Any] = evalreport.run(
        {
            "evalreport": 1,
            "title": "two tables",
            "datasets": {"d": {"target": "y"}},
            "models": {"old": {"prediction": "b"}, "new": {"prediction": "a"}},
            "metrics": ["f1", "mcc", "balanced_accuracy", "kappa", "lr_plus"],
            "comparisons": {"reference": "old", **{k: dict(v) for k, v in more.items()}},
            "confidence": {"resamples": 200},
        },
        frames={"d": {"y": actual, "a": one, "b": two}},
    ).json
    assert recompute(found).problems == ()
    return {c["metric"]: c for c in found["comparisons"]}


def test_limits_of_a_difference_add_the_squares_of_both_tables() -> None:
    found = compared()
    assert found["f1"]["test"] == found["f1"]["interval"]["method"] == "mover_paired"
    ends = found["f1"]["interval"]["low"], found["f1"]["interval"]["high"]
    assert ends == pytest.approx(limits_by_hand(0.95), abs=1e-9)
    assert {found[m]["test"] for m in ("mcc", "balanced_accuracy", "kappa")} == {"mover_paired"}
    # ratios have score limits, which are squared and added
    assert found["lr_plus"]["test"] == "square_and_add"


def test_the_test_agrees_with_the_limits() -> None:
    found = compared()["f1"]
    p = found["p_value"]
    low, high = limits_by_hand(1 - p)
    assert min(abs(low), abs(high)) == pytest.approx(0.0, abs=1e-6)
    assert (p < 0.05) == (not found["interval"]["low"] <= 0 <= found["interval"]["high"])


def test_what_was_asked_for_is_drawn() -> None:
    found = compared(tests=(("f1", "bootstrap"),))
    assert found["f1"]["test"] == "bootstrap"
    assert found["mcc"]["test"] == "mover_paired"


def test_a_margin_is_tested_by_the_same_form() -> None:
    found = compared(hypotheses=(("f1", "non_inferiority"),), margins=(("f1", 0.1),))["f1"]
    hypothesis = found["hypothesis"]
    assert hypothesis["test"] == "mover_paired"
    low, _ = limits_by_hand(1 - 2 * hypothesis["p_value"])
    assert low == pytest.approx(-0.1, abs=1e-6)


def test_equal_tables_have_a_statistic_of_0_and_undefined_ones_none() -> None:
    values, phi = (f1, f1), (1.0, 0.5, 0.5)
    assert difference_statistic(values, (FIRST, FIRST), phi, 0.0) == 0.0
    empty = (0.0, 0.0, 0.0, 9.0)
    with np.errstate(invalid="ignore"):
        assert difference_of_tables(values, (FIRST, empty), phi, 0.95) is None
        assert difference_statistic(values, (FIRST, empty), phi, 0.0) is None


@pytest.mark.parametrize(
    ("positives", "rows", "areas"), [(5, 50, (0.8, 0.9)), (10, 100, (0.95, 0.8))]
)
def test_it_holds_with_few_positives_where_draws_do_not(
    positives: int, rows: int, areas: tuple[float, float]
) -> None:
    rng = np.random.default_rng([23, positives])
    actual, cut, held, sets = np.arange(rows) < positives, ndtri(0.8), 0, 200
    recalls = [float(ndtr(math.sqrt(2) * ndtri(a) - cut)) for a in areas]
    truth = (recalls[0] - recalls[1]) / 2
    for _ in range(sets):
        shared = rng.normal(size=rows)
        one, two = (
            math.sqrt(0.8) * shared + math.sqrt(0.2) * rng.normal(size=rows)
            + math.sqrt(2) * ndtri(a) * actual >= cut
            for a in areas
        )  # fmt: skip
        counts = [
            [float((side & a & b).sum()) for a, b in ((one, two), (one, ~two), (~one, two),
                                                      (~one, ~two))]
            for side in (actual, ~actual)
        ]  # fmt: skip
        (both, alone, other, none), (wrong, false_1, false_2, right) = counts
        cells: tuple[Cells, Cells] = (
            (both + alone, other + none, wrong + false_1, false_2 + right),
            (both + other, alone + none, wrong + false_2, false_1 + right),
        )
        phi = (1.0, correlation(*counts[0]), correlation(*counts[1]))
        found = difference_of_tables((balanced_accuracy,) * 2, cells, phi, 0.95)
        assert found is not None
        held += found.low <= truth <= found.high
    # percentiles of drawn rows held 73 and 81 % of such samples
    assert held >= 0.90 * sets
