"""Differences of separate samples from recorded values alone."""

from __future__ import annotations

import math

import pytest

from evalreport.metrics.estimates import estimate_of
from evalreport.results.codec import decode_as
from evalreport.results.records import Measure
from evalreport.statistics.separate_samples import Estimate, shift


def record(**more: object) -> Measure:
    interval = {"method": "wilson", "low": 0.69, "high": 0.88, "level": 0.95}
    told = {
        "id": "m1",
        "dataset": "d",
        "model": "m",
        "subgroup": {},
        "fold": None,
        "params": {},
        "label": None,
        "threshold": 0.5,
        "reason": None,
        "table": None,
        "formula": "",
        "substituted": "",
        "metric": "recall",
        "average": None,
        "state": "value",
        "value": 0.8,
        "n": 150,
        "interval": interval,
        "numerator": 56,
        "denominator": 70,
        **more,
    }
    return decode_as(Measure, told)


def test_a_share_of_rows_keeps_its_counts() -> None:
    found = estimate_of(record())
    assert found is not None
    assert found.fraction == (56, 70)


def test_two_proportions_are_newcombes_published_example() -> None:
    """56/70 and 48/80: Newcombe 1998, table II, method 10: 0.0524 to 0.3339."""
    now = Estimate(0.8, 0.69, 0.88, 0.95, (56, 70))
    then = Estimate(0.6, 0.49, 0.70, 0.95, (48, 80))
    found = shift(now, then)
    assert found.interval is not None
    assert [round(limit, 4) for limit in found.interval] == [0.0524, 0.3339]
    # pooled: 104/150, z = 0.2 / sqrt(p q (1/70 + 1/80))
    z = 0.2 / math.sqrt(104 / 150 * 46 / 150 * (1 / 70 + 1 / 80))
    assert found.statistic == pytest.approx(z, rel=1e-12)
    assert found.p_value == pytest.approx(math.erfc(z / math.sqrt(2)), rel=1e-12)
    assert found.beyond_chance is True


def test_unequal_limits_are_squared_and_added_on_their_own_sides() -> None:
    """0.9 (0.6 to 0.94) minus 0.5 (0.47 to 0.9): hypot(.3, .4) down, hypot(.04, .03) up."""
    found = shift(Estimate(0.9, 0.6, 0.94, 0.9), Estimate(0.5, 0.47, 0.9, 0.9))
    assert found.interval is not None
    assert found.interval.low == pytest.approx(0.4 - 0.5)
    assert found.interval.high == pytest.approx(0.4 + 0.05)
    assert (found.method, found.beyond_chance) == ("square_and_add", False)


@pytest.mark.parametrize(
    ("now", "then", "reason"),
    [
        (Estimate(1.0), Estimate(2.0), "no interval of both"),
        (Estimate(1.0, 0.5, 1.5, 0.95), Estimate(2.0), "no interval of one"),
        (Estimate(1.0, 0.5, 1.5, 0.95), Estimate(2.0, 1.0, 3.0, 0.9), "levels differ"),
    ],
)
def test_no_interval_has_a_reason(now: Estimate, then: Estimate, reason: str) -> None:
    found = shift(now, then)
    assert found.interval is None
    assert found.beyond_chance is None
    assert found.difference == -1.0
    assert reason in str(found.reason)


@pytest.mark.parametrize(
    "more",
    [
        {"interval": {"method": "wilson_n_eff", "low": 0.7, "high": 0.9, "level": 0.95}},
        {"interval": {"method": "cluster_robust", "low": 0.7, "high": 0.9, "level": 0.95}},
        {"interval": None},
        {"metric": "roc_auc"},
        {"metric": "kappa", "interval": {"method": "wald", "low": 0.7, "high": 0.9, "level": 0.95}},
        {"average": "macro"},
        {"average": "micro", "denominator": 300},
        {"weight": 70.5},
        {"numerator": 56.5},
        {"denominator": 0},
    ],
)
def test_counts_of_rows_that_depend_on_each_other_are_not_used(more: dict[str, object]) -> None:
    found = estimate_of(record(**more))
    assert found is not None
    assert found.fraction is None


def test_undefined_is_no_estimate() -> None:
    assert estimate_of(record(state="undefined", value=None)) is None


def test_all_succeed_on_both_sides() -> None:
    found = shift(Estimate(1, 0.9, 1, 0.95, (30, 30)), Estimate(1, 0.9, 1, 0.95, (40, 40)))
    assert (found.difference, found.p_value, found.beyond_chance) == (0.0, 1.0, False)
