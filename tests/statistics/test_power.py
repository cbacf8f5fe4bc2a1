"""Power before the data: by enumeration, by simulation of the rule itself, by published values."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from evalreport.statistics import power
from evalreport.statistics.proportions import PROPORTION_METHODS


def _rule(method: str, required: float, *, at_least: bool = True) -> power.Rule:
    def rule(x: int, n: int) -> bool:
        found = PROPORTION_METHODS[method](x, n, 0.95)
        assert found is not None
        return found.low >= required if at_least else found.high <= required

    return rule


@pytest.mark.parametrize("method", ["wilson", "clopper_pearson", "wald", "jeffreys"])
@pytest.mark.parametrize(("n", "p"), [(20, 0.95), (73, 0.9), (200, 0.93)])
def test_power_of_a_share_is_the_sum_over_every_count(method: str, n: int, p: float) -> None:
    rule = _rule(method, 0.8)
    every = math.fsum(stats.binom.pmf(x, n, p) for x in range(n + 1) if rule(x, n))
    assert power.share_power(rule, n, p, at_least=True) == pytest.approx(every, abs=1e-12)


def test_an_upper_limit_is_kept_to() -> None:
    rule = _rule("wilson", 0.1, at_least=False)
    every = math.fsum(stats.binom.pmf(x, 150, 0.03) for x in range(151) if rule(x, 150))
    assert power.share_power(rule, 150, 0.03, at_least=False) == pytest.approx(every, abs=1e-12)


def test_the_size_stays_past_the_teeth() -> None:
    rule = _rule("clopper_pearson", 0.8)
    found = power.size_needed(lambda n: power.share_power(rule, n, 0.9, at_least=True), 0.9)
    assert found is not None
    curve = [power.share_power(rule, n, 0.9, at_least=True) for n in range(1, found.stays + 200)]
    assert curve[found.first - 1] >= 0.9
    assert max(curve[: found.first - 1]) < 0.9
    assert min(curve[found.stays - 1 :]) >= 0.9
    assert curve[found.stays - 2] < 0.9 or found.stays == found.first


@pytest.mark.parametrize(("n", "a", "b"), [(100, 0.2, 0.05), (40, 0.3, 0.1), (500, 0.04, 0.02)])
def test_mcnemar_against_every_split(n: int, a: float, b: float) -> None:
    total = 0.0
    for d in range(n + 1):
        chance = stats.binom.pmf(d, n, a + b)
        splits = np.arange(d + 1)
        p_values = np.minimum(1.0, 2.0 * stats.binom.cdf(np.minimum(splits, d - splits), d, 0.5))
        total += chance * stats.binom.pmf(splits, d, a / (a + b))[p_values <= 0.05].sum()
    assert power.mcnemar_power(n, a, b) == pytest.approx(total, abs=1e-9)


def test_variance_of_the_area_is_that_of_drawn_scores() -> None:
    draw = np.random.default_rng(3)
    distance = math.sqrt(2.0) * stats.norm.ppf(0.85)
    above = draw.normal(distance, 1.0, (6000, 40))
    below = np.sort(draw.normal(0.0, 1.0, (6000, 60)), axis=1)
    ranks = np.array([np.searchsorted(b, a).mean() / 60 for a, b in zip(above, below, strict=True)])
    expected = power.binormal_variance(0.85, 40, 60)
    assert expected == pytest.approx(ranks.var(ddof=1), rel=0.06)
    # one half, no ties: the Mann-Whitney variance (m + n + 1) / (12 m n) for large samples
    assert power.binormal_variance(0.5, 1e4, 1e4) == pytest.approx(2e4 / (12 * 1e8), rel=1e-9)


def test_a_requirement_that_no_size_meets() -> None:
    rule = _rule("wilson", 0.9)
    assert (
        power.size_needed(lambda n: power.share_power(rule, n, 0.85, at_least=True), 0.8, most=5000)
        is None
    )
