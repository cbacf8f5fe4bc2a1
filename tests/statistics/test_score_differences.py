"""Differences of two areas in score form: by hand, their test, and how often they hold."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import t as student

from evalreport.statistics import delong
from evalreport.statistics.delong import (
    AreaLimits,
    PairedAreas,
    hanley_mcneil_variance,
    score_difference,
    score_difference_statistic,
)
from evalreport.statistics.interval import deviate

FIRST = AreaLimits(0.9, 0.004, (8.0, 40.0), 8.0)
SECOND = AreaLimits(0.75, 0.007, (8.0, 40.0), 8.0)


def far(area: AreaLimits, errors: float, bound: float) -> float:
    """How far a bound is from its area, less so many errors of its own: 0 at a limit."""
    m, n = area.rows
    k, formed = area.units, hanley_mcneil_variance(area.area, m, n)
    assert area.variance is not None
    factor = (k * area.variance / formed + 6) / (k + 6)
    return abs(bound - area.area) - errors * math.sqrt(factor * hanley_mcneil_variance(bound, m, n))


def test_limits_of_a_difference_are_square_and_add_of_those_of_the_areas() -> None:
    errors, r = 2.1, 0.4
    ends = {}
    for name, area in (("one", FIRST), ("two", SECOND)):
        limits = area.at(errors)
        for bound in limits:
            assert far(area, errors, bound) == pytest.approx(0.0, abs=1e-9)
        ends[name] = limits
    low, high = score_difference(FIRST, SECOND, r, errors)
    a, b = 0.9 - ends["one"].low, ends["two"].high - 0.75
    c, d = ends["one"].high - 0.9, 0.75 - ends["two"].low
    assert low == pytest.approx(0.15 - math.sqrt(a * a - 2 * r * a * b + b * b), abs=1e-12)
    assert high == pytest.approx(0.15 + math.sqrt(c * c - 2 * r * c * d + d * d), abs=1e-12)
    # areas of the same rows that go together leave less room
    wide = score_difference(FIRST, SECOND, 0.0, errors)
    assert high - low < wide.high - wide.low


@pytest.mark.parametrize("null", [0.0, -0.1, 0.3])
def test_the_statistic_is_the_deviate_whose_limit_meets_the_null(null: float) -> None:
    found = score_difference_statistic(FIRST, SECOND, 0.4, null)
    assert (found > 0) == (null < 0.15)
    meets = score_difference(FIRST, SECOND, 0.4, abs(found))[0 if found > 0 else 1]
    assert meets == pytest.approx(null, abs=1e-9)
    back = score_difference_statistic(SECOND, FIRST, 0.4, -null)
    assert back == pytest.approx(-found, abs=1e-9)


def test_a_difference_is_its_own_null() -> None:
    same = SECOND._replace(variance=0.005)
    assert score_difference_statistic(SECOND, same, 0.2, 0.0) == 0.0


def test_with_many_rows_it_is_delongs() -> None:
    rng = np.random.default_rng(5)
    actual = np.arange(6000) < 3000
    shared = rng.normal(size=6000)
    scores = [shared + rng.normal(size=6000) + mu * actual for mu in (1.0, 0.8)]
    areas = delong.delong_paired(actual, *scores)
    assert areas is not None
    assert areas.difference_variance is not None
    plain = delong.difference_interval(areas.difference, areas.difference_variance, 0.95)
    assert plain is not None
    one = AreaLimits(areas.auc_1, areas.variance_1, (3000.0, 3000.0), 3000.0)
    two = AreaLimits(areas.auc_2, areas.variance_2, (3000.0, 3000.0), 3000.0)
    found = score_difference(one, two, areas.correlation, deviate(0.95, one.degrees))
    assert found.low == pytest.approx(plain.low, abs=3e-4)
    assert found.high == pytest.approx(plain.high, abs=3e-4)


def test_areas_without_a_variance_do_not_correlate() -> None:
    assert PairedAreas(1.0, 0.9, 0.0, 0.01, 0.0).correlation == 0.0
    assert PairedAreas(1.0, 0.9, None, None, None).correlation == 0.0
    assert PairedAreas(0.8, 0.8, 0.01, 0.01, 0.02).correlation == 1.0


@pytest.mark.parametrize(
    ("positives", "negatives", "areas"),
    [(5, 45, (0.8, 0.9)), (10, 90, (0.99, 0.95)), (5, 45, (0.6, 0.6)), (10, 10, (0.95, 0.95))],
)
def test_it_holds_with_few_positives_where_delongs_does_not(
    positives: int, negatives: int, areas: tuple[float, float]
) -> None:
    rng = np.random.default_rng([17, positives, negatives, round(100 * areas[0])])
    rows, truth = positives + negatives, areas[0] - areas[1]
    actual = np.arange(rows) < positives
    held, least, sets = 0, float(min(positives, negatives)), 300
    t = float(student.ppf(0.975, least + 5))
    for _ in range(sets):
        shared = rng.normal(size=rows)
        one, two = (
            math.sqrt(0.5) * (shared + rng.normal(size=rows)) + math.sqrt(2) * ndtri(a) * actual
            for a in areas
        )
        found = delong.delong_paired(actual, one, two)
        assert found is not None
        sides = (found.auc_1, found.variance_1), (found.auc_2, found.variance_2)
        first, second = (AreaLimits(area, v, (positives, negatives), least) for area, v in sides)
        low, high = score_difference(first, second, found.correlation, t)
        held += low - 1e-12 <= truth <= high + 1e-12
    # 93 % less two standard errors of a count of 300
    assert held >= 0.90 * sets
