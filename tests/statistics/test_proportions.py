"""Intervals of one proportion."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from evalreport.statistics.proportions import (
    PROPORTION_METHODS,
    clopper_pearson,
    jeffreys,
    likelihood_ratio,
    mid_p,
    wilson,
    wilson_n_eff,
)

# Counts: Newcombe, Statistics in Medicine 1998;17:857-872, table I. Limits: R packages
# binom 1.1-1.1, DescTools 0.99.59, stats 4.2.2; mid-p and likelihood ratio by their equations.
NEWCOMBE_1998 = [
    ("clopper_pearson", 81, 263, 0.252736745585271, 0.367621922601351),
    ("wilson", 81, 263, 0.255288519878274, 0.3662095769828),
    ("jeffreys", 81, 263, 0.254521934991023, 0.365647499174082),
    ("wald", 81, 263, 0.252190126213107, 0.363779455535942),
    ("wilson_cc", 81, 263, 0.253508682295185, 0.368176201043004),
    ("wald_cc", 81, 263, 0.250288985528697, 0.365680596220353),
    ("mid_p", 81, 263, 0.254402104945522, 0.365773474257777),
    ("likelihood_ratio", 81, 263, 0.254238988775461, 0.365453341299324),
    ("agresti_coull", 81, 263, 0.255220665189997, 0.366277431671078),
    ("logit", 81, 263, 0.255147511406811, 0.366381773030362),
    ("clopper_pearson", 15, 148, 0.0578440100834485, 0.161650490349479),
    ("wilson", 15, 148, 0.0623863995307363, 0.160487241723308),
    ("jeffreys", 15, 148, 0.0604485170092964, 0.157643143478741),
    ("wald", 15, 148, 0.052730006408794, 0.149972696293909),
    ("wilson_cc", 15, 148, 0.0597782084284981, 0.164449779364837),
    ("wald_cc", 15, 148, 0.0493516280304156, 0.153351074672287),
    ("mid_p", 15, 148, 0.0600636026655322, 0.158121733050612),
    ("likelihood_ratio", 15, 148, 0.0596306921009183, 0.156733913925489),
    ("agresti_coull", 15, 148, 0.0613859749287973, 0.161487666325247),
    ("logit", 15, 148, 0.0620279834758777, 0.161316737889272),
    ("clopper_pearson", 0, 20, 0.0, 0.168433470983085),
    ("wilson", 0, 20, 0.0, 0.161125158052819),
    ("jeffreys", 0, 20, 0.0, 0.116638982904875),
    ("wald", 0, 20, 0.0, 0),
    ("wilson_cc", 0, 20, 0.0, 0.200453345013487),
    ("wald_cc", 0, 20, 0.0, 0.025),
    ("mid_p", 0, 20, 0.0, 0.139108340668265),
    ("likelihood_ratio", 0, 20, 0.0, 0.0915691154797905),
    ("agresti_coull", 0, 20, 0.0, 0.189809560542489),
    ("clopper_pearson", 1, 29, 0.000872646883579908, 0.177644295488723),
    ("wilson", 1, 29, 0.00611321429276266, 0.171755218793203),
    ("jeffreys", 1, 29, 0.00374617364905708, 0.150077686002232),
    ("wald", 1, 29, 0.0, 0.100892243239672),
    ("wilson_cc", 1, 29, 0.00180264021327966, 0.19628175100976),
    ("wald_cc", 1, 29, 0.0, 0.118133622550017),
    ("mid_p", 1, 29, 0.00172477011470513, 0.158537383681466),
    ("likelihood_ratio", 1, 29, 0.00200017371116826, 0.143186297225329),
    ("agresti_coull", 1, 29, 0.0, 0.186286508561706),
    ("logit", 1, 29, 0.00483580171905367, 0.207913544613918),
]

# The same table as printed, four digits.
AS_PRINTED = [
    ("wald", 81, 263, 0.2522, 0.3638),
    ("wald_cc", 81, 263, 0.2503, 0.3657),
    ("wilson", 81, 263, 0.2553, 0.3662),
    ("wilson_cc", 81, 263, 0.2535, 0.3682),
    ("clopper_pearson", 81, 263, 0.2527, 0.3676),
    ("mid_p", 81, 263, 0.2544, 0.3658),
    ("likelihood_ratio", 81, 263, 0.2542, 0.3655),
    ("wilson", 15, 148, 0.0624, 0.1605),
]

METHODS = sorted(PROPORTION_METHODS)


@pytest.mark.parametrize(("method", "x", "n", "low", "high"), NEWCOMBE_1998)
def test_published_counts(method: str, x: int, n: int, low: float, high: float) -> None:
    found = PROPORTION_METHODS[method](x, n, 0.95)
    assert found == pytest.approx((low, high), rel=1e-7, abs=1e-9)


@pytest.mark.parametrize(("method", "x", "n", "low", "high"), AS_PRINTED)
def test_published_limits(method: str, x: int, n: int, low: float, high: float) -> None:
    assert PROPORTION_METHODS[method](x, n, 0.95) == pytest.approx((low, high), abs=6e-5)


def test_ten_of_ten_is_kept_within_one() -> None:
    assert wilson(10, 10, 0.95) == pytest.approx((0.7225, 1.0), abs=5e-5)
    assert clopper_pearson(10, 10, 0.95) == pytest.approx((0.6915, 1.0), abs=5e-5)


def test_none_and_all_of_eighteen_at_99_percent() -> None:
    assert clopper_pearson(0, 18, 0.99) == pytest.approx((0.0, 0.2550), abs=5e-5)
    assert clopper_pearson(18, 18, 0.99) == pytest.approx((0.7450, 1.0), abs=5e-5)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", [1, 7, 10**6, 10**15])
def test_limits_at_the_ends_are_exact(method: str, n: int) -> None:
    none, every = (PROPORTION_METHODS[method](x, n, 0.95) for x in (0, n))
    if method == "logit":
        assert none is None
        assert every is None
        return
    assert none is not None
    assert every is not None
    assert none.low == 0.0
    assert every.high == 1.0


@pytest.mark.parametrize("method", METHODS)
def test_no_rows_give_no_interval(method: str) -> None:
    assert PROPORTION_METHODS[method](0, 0, 0.95) is None


@pytest.mark.parametrize("method", METHODS)
def test_more_successes_than_rows_are_refused(method: str) -> None:
    with pytest.raises(ValueError, match="must satisfy 0 <= x <= n"):
        PROPORTION_METHODS[method](3, 2, 0.95)


@pytest.mark.parametrize("level", [0.0, 1.0, 95.0, math.nan])
def test_a_level_outside_0_to_1_is_refused(level: float) -> None:
    with pytest.raises(ValueError, match="confidence level"):
        wilson(1, 2, level)


@given(
    n=st.integers(1, 10**15),
    share=st.floats(0, 1),
    method=st.sampled_from(METHODS),
    level=st.sampled_from([0.5, 0.9, 0.95, 0.999]),
)
def test_limits_are_ordered_mirrored_and_within_0_1(
    n: int, share: float, method: str, level: float
) -> None:
    x = min(math.floor(share * n), n)
    found, mirror = (PROPORTION_METHODS[method](k, n, level) for k in (x, n - x))
    if found is None or mirror is None:
        assert method == "logit"
        return
    assert 0.0 <= found.low <= found.high <= 1.0
    assert found.low <= x / n * (1 + 1e-12)
    assert found.high >= x / n * (1 - 1e-12)
    assert (1 - mirror.high, 1 - mirror.low) == pytest.approx(found, abs=2e-16)


@given(n=st.integers(1, 20_000), share=st.floats(0, 1), level=st.sampled_from([0.8, 0.95, 0.99]))
def test_against_statsmodels(n: int, share: float, level: float) -> None:
    x = math.floor(share * n)
    names = {
        "wilson": "wilson",
        "clopper_pearson": "beta",
        "agresti_coull": "agresti_coull",
        "wald": "normal",
    }
    for ours, theirs in names.items():
        expected = proportion_confint(x, n, 1 - level, theirs)
        found = PROPORTION_METHODS[ours](x, n, level)
        assert found == pytest.approx([min(max(v, 0), 1) for v in expected], rel=1e-8, abs=1e-12)


def test_very_many_rows_keep_their_digits() -> None:
    # n = 10^15: the half-width is 3.1e-8, of which all methods agree to 7 digits
    half = 1.959963984540054 * math.sqrt(0.25 / 1e15)
    for method in METHODS:
        found = PROPORTION_METHODS[method](5 * 10**14, 10**15, 0.95)
        assert found is not None
        assert found.high - 0.5 == pytest.approx(half, rel=1e-7)
        assert 0.5 - found.low == pytest.approx(half, rel=1e-7)


def test_few_successes_among_very_many_rows_follow_the_poisson_limits() -> None:
    # x = 3: gamma quantiles, 0.618672 and 8.767273 (Garwood 1936), over n
    found = clopper_pearson(3, 10**15, 0.95)
    assert found == pytest.approx((0.6186721228e-15, 8.7672730697e-15), rel=1e-9)


def test_mid_p_solves_its_equation() -> None:
    # one success of two at level 0.9: P(X > 1) + P(X = 1) / 2 = p^2 + p (1 - p) = p
    assert mid_p(1, 2, 0.9) == pytest.approx((0.05, 0.95), abs=1e-14)


def test_likelihood_limits_solve_the_deviance() -> None:
    found = likelihood_ratio(3, 10, 0.95)
    assert found is not None
    for p in found:
        deviance = 2 * (3 * math.log(0.3 / p) + 7 * math.log(0.7 / (1 - p)))
        assert deviance == pytest.approx(1.959963984540054**2, rel=1e-12)


def test_jeffreys_of_half_successes_is_centred() -> None:
    found = jeffreys(5, 10, 0.95)
    assert found is not None
    assert found.low + found.high == pytest.approx(1.0, abs=1e-14)


def test_effective_size_scales_the_counts() -> None:
    assert wilson_n_eff(0.5, 51.5, 0.95) == wilson(25.75, 51.5, 0.95)
    assert wilson_n_eff(1.0, 10, 0.95) == wilson(10, 10, 0.95)
