"""Kappa and weighted kappa."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import cohens_kappa

from evalreport.statistics.agreement import (
    agreement_weights,
    kappa,
    kappa_se,
    kappa_wald,
)

Table = list[list[int]]

Z = 1.959963984540054

# Altman, Practical Statistics for Medical Research 1991, p. 403-409: xeromammograms.
ALTMAN: Table = [[21, 12, 0, 0], [4, 17, 1, 0], [3, 9, 15, 2], [0, 0, 0, 1]]
# Cohen, Psychological Bulletin 1968;70:213-220.
COHEN: Table = [[88, 14, 18], [10, 40, 10], [2, 6, 12]]
# Landis, Koch, Biometrics 1977;33:159-174: multiple sclerosis, New Orleans patients.
LANDIS_KOCH: Table = [[5, 3, 0, 0], [3, 11, 4, 0], [2, 13, 3, 4], [1, 2, 4, 14]]
# Viera, Garrett, Family Medicine 2005;37:360-363.
VIERA: Table = [[15, 5], [10, 70]]
# Stuart, Biometrika 1953;40:105-110: unaided vision of 7477 women.
STUART: Table = [
    [1520, 266, 124, 66],
    [234, 1512, 432, 78],
    [117, 362, 1772, 205],
    [36, 82, 179, 492],
]

# Value, standard error, limits: R DescTools 0.99.59 and vcd 1.4-11. Of the last two tables
# the limits only were recorded: the error is their half-width over z.
REFERENCES = [
    (ALTMAN, "none", 0.472789115646258, 0.0727153781706477, 0.330269593309579, 0.615308637982938),
    (ALTMAN, "linear", 0.568399044205496, 0.0675560904370228, 0.4359915400126, 0.700806548398391),
    (
        ALTMAN,
        "quadratic",
        0.67137057800116,
        0.0681144710521464,
        0.537868667912957,
        0.804872488089363,
    ),
    (COHEN, "none", 0.491525423728813, 0.0510018155760779, 0.391563702053547, 0.59148714540408),
    (
        LANDIS_KOCH,
        "none",
        0.296516567544605,
        0.0785038706723704,
        0.142651808379769,
        0.450381326709441,
    ),
    (
        LANDIS_KOCH,
        "linear",
        0.477272727272727,
        0.0730309868510976,
        0.334134623289158,
        0.620410831256297,
    ),
    (
        LANDIS_KOCH,
        "quadratic",
        0.625581395348837,
        0.0787318738140618,
        0.471269758237924,
        0.779893032459751,
    ),
    (VIERA, "none", 0.571428571428571, 0.0979591836734695, 0.379432099473627, 0.763425043383515),
    (STUART, "none", 0.595388828089434, 0.00728685113474573, 0.581106862304628, 0.609670793874241),
    (
        STUART,
        "linear",
        0.652380429500598,
        0.00707526357069839,
        0.638513167720901,
        0.666247691280295,
    ),
    (
        STUART,
        "quadratic",
        0.702334252490098,
        0.00838193658653676,
        0.685905958659787,
        0.718762546320408,
    ),
    (
        [[3, 2], [1, 4]],
        "none",
        0.4,
        (0.956574558617957 - 0.4) / Z,
        -0.156574558617958,
        0.956574558617957,
    ),
    (
        [[231, 27], [32, 54]],
        "none",
        0.533596837944664,
        (0.638031957955327 - 0.533596837944664) / Z,
        0.429161717934001,
        0.638031957955327,
    ),
]


@pytest.mark.parametrize(("table", "weights", "value", "error", "low", "high"), REFERENCES)
def test_published_tables(
    table: Table, weights: str, value: float, error: float, low: float, high: float
) -> None:
    of_kind = weights in ("linear", "quadratic")
    w = agreement_weights(len(table), weights) if of_kind else None
    assert kappa(table, w) == pytest.approx(value, rel=1e-9)
    assert kappa_se(table, w) == pytest.approx(error, rel=1e-7)
    assert kappa_wald(table, 0.95, w) == pytest.approx((low, high), rel=1e-7)


def test_weights_of_ones_own() -> None:
    # Cohen 1968: disagreements 1, 3 and 6 give 0.348
    disagreement = np.array([[0, 1, 3], [1, 0, 6], [3, 6, 0]])
    assert kappa(COHEN, 1 - disagreement / 6) == pytest.approx(0.347826086956522, rel=1e-9)


def test_one_class_on_both_sides_is_undefined() -> None:
    assert kappa([[7, 0], [0, 0]]) is None
    assert kappa_se([[7, 0], [0, 0]]) is None
    assert kappa_wald([[7, 0], [0, 0]], 0.95) is None
    assert kappa([[0, 0], [0, 0]]) is None


def test_one_class_on_one_side_is_no_agreement_beyond_chance() -> None:
    assert kappa([[3, 1], [0, 0]]) == pytest.approx(0.0, abs=1e-15)
    assert kappa([[0, 1], [0, 0]]) == 0.0


@given(st.lists(st.lists(st.integers(1, 50), min_size=3, max_size=3), min_size=3, max_size=3))
def test_against_statsmodels(table: Table) -> None:
    expected = cohens_kappa(np.array(table))
    assert kappa(table) == pytest.approx(expected.kappa, rel=1e-9, abs=1e-12)
    assert kappa_se(table) == pytest.approx(math.sqrt(expected.var_kappa), rel=1e-6)
