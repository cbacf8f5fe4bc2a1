"""Tail areas, beta quantiles, the level's deviate, roots and the cost of imports."""

from __future__ import annotations

import subprocess
import sys

import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from evalreport.statistics import tail
from evalreport.statistics.interval import z_value
from evalreport.statistics.root import bisect
from evalreport.statistics.tail import beta_cdf, beta_quantile, beta_quantile_upper, minus_log1p


@given(st.floats(-8, 8), st.floats(1, 200))
def test_tails_against_scipy_stats(x: float, df: float) -> None:
    assert tail.normal_sf(x) == pytest.approx(scipy.stats.norm.sf(x), rel=1e-12)
    assert tail.normal_two_sided(x) == pytest.approx(2 * scipy.stats.norm.sf(abs(x)), rel=1e-12)
    assert tail.t_two_sided(x, df) == pytest.approx(2 * scipy.stats.t.sf(abs(x), df), rel=1e-9)
    assert tail.chi2_sf(x * x, df) == pytest.approx(scipy.stats.chi2.sf(x * x, df), rel=1e-9)


@given(st.integers(1, 500), st.integers(-1, 501), st.floats(0.01, 0.99))
def test_binomial_tails_against_scipy_stats(n: int, x: int, p: float) -> None:
    x = min(x, n + 1)
    binomial = scipy.stats.binom(n, p)
    assert tail.binomial_greater(x, n, p) == pytest.approx(binomial.sf(x - 1), rel=1e-8)
    assert tail.binomial_less(x, n, p) == pytest.approx(binomial.cdf(x), rel=1e-8)


def test_accuracy_above_the_no_information_rate() -> None:
    # R binom.test by caret 6.0-93: 7 of 10 against .5; 285 of 344 against .75
    assert tail.binomial_greater(7, 10, 0.5) == 0.171875
    assert tail.binomial_greater(285, 344, 258 / 344) == pytest.approx(0.00030969833403687)


def test_deviate_of_a_level() -> None:
    assert z_value(0.95) == pytest.approx(1.959963984540054, rel=1e-15)
    assert z_value(1 - 2e-12) == pytest.approx(7.034, abs=1e-3)


# mpmath 1.3, 40 digits: integral of the density up to the quantile gives .025.
@pytest.mark.parametrize(
    ("a", "b", "quantile"),
    [
        (5e3, 5001.0, 0.4901513805899805),
        (5e5 + 0.5, 5e5 + 0.5, 0.49902001919386424),
        (1e8, 9e8 + 1, 0.09998140680679558),
        (5e9 + 0.5, 5e9 + 0.5, 0.4999902001800785),
        (1e14 + 0.5, 9e14 + 0.5, 0.09999998140615018),
        (5e14 + 0.5, 5e14 + 0.5, 0.4999999690102484),
    ],
)
def test_beta_quantiles_of_large_parameters(a: float, b: float, quantile: float) -> None:
    deviation = abs(a / (a + b) - quantile) / 1.96
    assert beta_quantile(0.025, a, b) == pytest.approx(quantile, abs=1e-7 * deviation)
    assert 1 - beta_quantile_upper(0.025, b, a) == pytest.approx(quantile, abs=1e-7 * deviation)


@given(st.floats(1, 1e6), st.floats(1, 1e6), st.floats(0.001, 0.999))
def test_beta_quantile_inverts_the_distribution(a: float, b: float, probability: float) -> None:
    assert beta_cdf(beta_quantile(probability, a, b), a, b) == pytest.approx(probability, rel=1e-7)


def test_the_two_forms_of_the_beta_distribution_meet() -> None:
    # just below and just above the size from which the saddlepoint form is used
    below, above = beta_quantile(0.025, 4.9e8, 4.9e8), beta_quantile(0.025, 5.1e8, 5.1e8)
    assert (0.5 - below) * (9.8e8) ** 0.5 == pytest.approx(
        (0.5 - above) * (10.2e8) ** 0.5, rel=1e-8
    )


def test_small_arguments_of_minus_log1p_keep_their_digits() -> None:
    assert minus_log1p(1e-9) == pytest.approx(5e-19, rel=1e-8)
    assert minus_log1p(0.05) == pytest.approx(minus_log1p(0.0500000001), rel=1e-7)
    assert minus_log1p(-1.0) == float("inf")


def test_bisection() -> None:
    assert bisect(lambda x: x**3 - 8, 0, 100) == pytest.approx(2, rel=1e-15)
    assert bisect(lambda x: 2 - x, 2, 5) == 2
    assert bisect(lambda x: x - 5, 2, 5) == 5
    assert bisect(lambda x: x + 1, 2, 5) == 2  # no change of sign: the nearer end


def test_importing_the_names_of_methods_does_not_load_scipy() -> None:
    modules = "proportions, paired, unpaired, ratios, delong, agreement, means, resampling"
    program = (
        f"from evalreport.statistics import {modules}; import sys; print('scipy' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"
