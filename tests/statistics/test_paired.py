"""Two proportions of the same rows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar

from evalreport.statistics.paired import (
    PAIRED_METHODS,
    mcnemar,
    mcnemar_corrected,
    mcnemar_exact,
    mcnemar_midp,
    tango,
)

# Cells n11, n10, n01, n00 of: Altman et al., Statistics with Confidence 2000, table 6.2;
# Cavo et al. 2012; Agresti, Categorical Data Analysis 1990 (approval of the Prime
# Minister); a tiny table. Limits: R contingencytables 3.0.1, PropCIs 0.3-0, formulas.
INTERVALS = [
    ("newcombe", (14, 5, 0, 22), 0.0114832413830333, 0.226492684351211),
    ("newcombe_uncorrected", (14, 5, 0, 22), 0.0222104351830225, 0.21678167786365),
    ("wald", (14, 5, 0, 22), 0.0217879347253636, 0.222114504299027),
    ("agresti_min", (14, 5, 0, 22), 0.0101771191600414, 0.222381020374842),
    ("tango", (14, 5, 0, 22), 0.0258363846711216, 0.255442115209769),
    ("newcombe", (59, 6, 16, 80), -0.11862119563871, -0.00462511393305007),
    ("newcombe_uncorrected", (59, 6, 16, 80), -0.117350927606339, -0.00592350543180853),
    ("wald", (59, 6, 16, 80), -0.11839965766158, -0.0058239448228922),
    ("agresti_min", (59, 6, 16, 80), -0.118242009578827, -0.00445737692424082),
    ("tango", (59, 6, 16, 80), -0.124023432464068, -0.00543339573167711),
    ("newcombe", (794, 150, 86, 570), 0.0212304239828771, 0.0587038728957288),
    ("newcombe_uncorrected", (794, 150, 86, 570), 0.0212705058000144, 0.05866397375402),
    ("wald", (794, 150, 86, 570), 0.0212838832496683, 0.0587161167503317),
    ("agresti_min", (794, 150, 86, 570), 0.0212171891179726, 0.0586829357259724),
    ("tango", (794, 150, 86, 570), 0.0213615647547872, 0.0589980333056994),
    ("newcombe", (3, 1, 0, 1), -0.285224191761046, 0.588383811558945),
    ("newcombe_uncorrected", (3, 1, 0, 1), -0.136319356032227, 0.498523726568812),
    ("wald", (3, 1, 0, 1), -0.150609016230632, 0.550609016230633),
    ("agresti_min", (3, 1, 0, 1), -0.238711526166962, 0.524425811881248),
    ("tango", (3, 1, 0, 1), -0.32137895773981, 0.624465370237475),
]

# Discordant pairs, chi-square without and with correction (statistic, p), exact p, mid-p:
# R stats 4.2.2, exact2x2 1.7.0; mid-p by Fagerland, Lydersen, Laake 2013.
TESTS = [
    ((5, 0), (5, 0.0253473186774683), (3.2, 0.0736382701203028), 0.0625, 0.03125),
    (
        (6, 16),
        (4.54545454545455, 0.0330062576612324),
        (3.68181818181818, 0.0550088336292657),
        0.0524787902832031,
        0.0346896648406983,
    ),
    (
        (150, 86),
        (17.3559322033898, 3.09929344104522e-05),
        (16.8177966101695, 4.11456228134594e-05),
        3.71593613957144e-05,
        2.89338951761549e-05,
    ),
    ((1, 0), (1, 0.317310507862914), (0, 1), 1, 0.5),
]

cells = st.integers(0, 400)


@pytest.mark.parametrize(("method", "table", "low", "high"), INTERVALS)
def test_published_tables(
    method: str, table: tuple[int, int, int, int], low: float, high: float
) -> None:
    found = PAIRED_METHODS[method](*table, 0.95)
    assert found == pytest.approx((low, high), rel=1e-7, abs=1e-9)


def test_altman_table_6_2_as_printed() -> None:
    assert PAIRED_METHODS["newcombe"](14, 5, 0, 22, 0.95) == pytest.approx((0.011, 0.226), abs=6e-4)


@pytest.mark.parametrize(("pairs", "plain", "corrected", "exact", "midp"), TESTS)
def test_published_tests(
    pairs: tuple[int, int],
    plain: tuple[float, float],
    corrected: tuple[float, float],
    exact: float,
    midp: float,
) -> None:
    for result, expected in ((mcnemar(*pairs), plain), (mcnemar_corrected(*pairs), corrected)):
        assert result is not None
        assert (result.statistic, result.p_value) == pytest.approx(expected, rel=1e-9)
    assert mcnemar_exact(*pairs) == pytest.approx(exact, rel=1e-9)
    assert mcnemar_midp(*pairs) == pytest.approx(midp, rel=1e-9)


def test_viera_and_garrett_2005() -> None:
    assert mcnemar_exact(5, 10) == pytest.approx(0.3017578125)
    result = mcnemar(5, 10)
    assert result is not None
    assert result.statistic == pytest.approx(25 / 15)


def test_no_discordant_pairs() -> None:
    assert mcnemar(0, 0) is None
    assert mcnemar_corrected(0, 0) is None
    assert mcnemar_exact(0, 0) == 1.0
    assert mcnemar_midp(0, 0) == 1.0


def test_evenly_split_pairs_show_no_difference() -> None:
    assert mcnemar_exact(4, 4) == 1.0
    assert mcnemar_midp(4, 4) == 1.0


def test_midp_is_the_exact_p_less_the_observed_probability() -> None:
    # 2 against 6 of 8: exact 2 (1 + 8 + 28) / 256, observed 28 / 256
    assert mcnemar_exact(2, 6) == pytest.approx(74 / 256)
    assert mcnemar_midp(2, 6) == pytest.approx(74 / 256 - 28 / 256)


@given(n10=cells, n01=cells)
def test_exact_against_statsmodels(n10: int, n01: int) -> None:
    expected = statsmodels_mcnemar([[0, n10], [n01, 0]], exact=True).pvalue if n10 + n01 else 1.0
    assert mcnemar_exact(n10, n01) == pytest.approx(expected, rel=1e-9)


@given(n11=cells, n10=cells, n01=cells, n00=cells, method=st.sampled_from(sorted(PAIRED_METHODS)))
def test_swapping_the_models_swaps_the_limits(
    n11: int, n10: int, n01: int, n00: int, method: str
) -> None:
    found = PAIRED_METHODS[method](n11, n10, n01, n00, 0.95)
    swapped = PAIRED_METHODS[method](n11, n01, n10, n00, 0.95)
    if found is None or swapped is None:
        assert n11 + n10 + n01 + n00 == 0
        return
    assert -1 <= found.low <= found.high <= 1
    assert (-swapped.high, -swapped.low) == pytest.approx(found, abs=1e-9)
    if method != "agresti_min":
        difference = (n10 - n01) / (n11 + n10 + n01 + n00)
        assert found.low - 1e-12 <= difference <= found.high + 1e-12


def test_tango_without_discordant_pairs_is_z2_over_n_plus_z2() -> None:
    z2 = 1.959963984540054**2
    assert tango(30, 0, 0, 10, 0.95) == pytest.approx((-z2 / (40 + z2), z2 / (40 + z2)), rel=1e-10)


def test_tango_when_one_model_is_always_right_alone() -> None:
    found = tango(0, 12, 0, 0, 0.95)
    assert found is not None
    assert found.high == 1.0
    # the score of a lower limit d solves (1 - d)^2 n = z^2 (1 - d^2) here: a root of Wilson
    z2 = 1.959963984540054**2
    assert found.low == pytest.approx((12 - z2) / (12 + z2), rel=1e-9)


@pytest.mark.parametrize("method", sorted(PAIRED_METHODS))
def test_no_rows_give_no_interval(method: str) -> None:
    assert PAIRED_METHODS[method](0, 0, 0, 0, 0.95) is None


def test_an_empty_margin_has_no_correlation() -> None:
    # both always right: the Wilson limits of 9 of 9 are 1 and n / (n + z^2), phi is 0
    width = 1 - 9 / (9 + 1.959963984540054**2)
    found = PAIRED_METHODS["newcombe"](9, 0, 0, 0, 0.95)
    assert found == pytest.approx((-width, width), rel=1e-12)


# What PROC FREQ of SAS prints with the option AGREE, statistic and p, for the discordant pairs:
# SAS Usage Note 23127 (support.sas.com/kb/23/127.html), matched pairs of Fleiss, p alone;
# approval of the Prime Minister of Agresti, in the SAS output of the UCLA textbook examples
# (stats.oarc.ucla.edu/sas/examples/icda/chapter9-htm), whose p is printed as "<.0001".
@pytest.mark.parametrize(
    ("pairs", "statistic", "least", "most"),
    [((20, 5), None, 0.00265, 0.00275), ((150, 86), 17.3559, 0.0, 0.0001)],
)
def test_mcnemars_test_is_what_sas_prints(
    pairs: tuple[int, int], statistic: float | None, least: float, most: float
) -> None:
    for n10, n01 in (pairs, pairs[::-1]):
        found = mcnemar(n10, n01)
        assert found is not None
        assert found.df == 1
        assert least <= found.p_value < most
        if statistic is not None:
            assert found.statistic == pytest.approx(statistic, abs=5.1e-5, rel=0.0)
