"""Likelihood ratios, odds ratios, impact ratios and predictive values at a prevalence."""

from __future__ import annotations

import math

import numpy as np
import pytest
from finite_differences import delta_variance
from hypothesis import given
from hypothesis import strategies as st

from evalreport.statistics import ratios

Z = 1.959963984540054

# tp, fn, fp, tn; limits by R epiR 2.0.57. The second: Altman, Bland, BMJ 1994;309:188
# (liver scans); the third: one model on the Wisconsin breast masses.
REFERENCES = [
    ("lr_plus", (3, 2, 1, 4), 0.451629641639054, 19.927832830762),
    ("lr_minus", (3, 2, 1, 4), 0.156816725188062, 1.59421770669033),
    ("diagnostic_odds_ratio", (3, 2, 1, 4), 0.354444017189249, 101.567520550864),
    ("lr_plus", (231, 27, 32, 54), 1.82279062783183, 3.17646962525099),
    ("lr_minus", (231, 27, 32, 54), 0.112589658565529, 0.246716955461861),
    ("diagnostic_odds_ratio", (231, 27, 32, 54), 7.98963629878491, 26.0889730714902),
    ("lr_plus", (228, 11, 10, 434), 22.936132925806, 78.2203284872279),
    ("lr_minus", (228, 11, 10, 434), 0.0264327155948193, 0.0838753347499143),
    ("diagnostic_odds_ratio", (228, 11, 10, 434), 376.404371316287, 2149.85477729162),
]


@pytest.mark.parametrize(("name", "table", "low", "high"), REFERENCES)
def test_published_counts(
    name: str, table: tuple[int, int, int, int], low: float, high: float
) -> None:
    assert getattr(ratios, name)(*table, 0.95) == pytest.approx((low, high), rel=1e-9)


def test_a_zero_that_breaks_the_logarithm_gives_no_interval() -> None:
    assert ratios.lr_plus(5, 0, 0, 5, 0.95) is None
    assert ratios.lr_minus(5, 0, 1, 5, 0.95) is None
    assert ratios.diagnostic_odds_ratio(5, 0, 1, 5, 0.95) is None


def test_full_sensitivity_alone_does_not_break_the_positive_ratio() -> None:
    # ratio 1 / (1/5); variance 1/4 - 1/4 + 1/1 - 1/5
    factor = math.exp(Z * math.sqrt(0.8))
    assert ratios.lr_plus(4, 0, 1, 4, 0.95) == pytest.approx((5 / factor, 5 * factor))


def test_impact_ratio_by_hand() -> None:
    # female 34 of 76 against male 50 of 92 (6 RCNY 5-300, example): 0.82
    ratio = (34 / 76) / (50 / 92)
    spread = math.exp(Z * math.sqrt(1 / 34 - 1 / 76 + 1 / 50 - 1 / 92))
    assert round(ratio, 2) == 0.82
    assert ratios.RATIO_METHODS["log"](34, 76, 50, 92, 0.95) == pytest.approx(
        (ratio / spread, ratio * spread)
    )


@given(
    cells=st.tuples(*[st.integers(2, 300)] * 4),
    prevalence=st.floats(0.001, 0.999),
)
def test_predictive_values_follow_the_logit_delta_method(
    cells: tuple[int, int, int, int], prevalence: float
) -> None:
    def logit_ppv(t: np.ndarray) -> float:
        (tp, fn), (fp, tn) = t
        return math.log((tp / (tp + fn)) / (fp / (fp + tn)) * prevalence / (1 - prevalence))

    def logit_npv(t: np.ndarray) -> float:
        (tp, fn), (fp, tn) = t
        return math.log((tn / (fp + tn)) / (fn / (tp + fn)) * (1 - prevalence) / prevalence)

    table = np.array(cells, float).reshape(2, 2)
    for function, method in (
        (logit_ppv, ratios.ppv_at_prevalence),
        (logit_npv, ratios.npv_at_prevalence),
    ):
        variance = delta_variance(function, table, margin=0)
        assert variance is not None
        centre, half = function(table), Z * math.sqrt(variance)
        expected = [1 / (1 + math.exp(-(centre + side * half))) for side in (-1, 1)]
        assert method(*cells, prevalence, 0.95) == pytest.approx(expected, rel=1e-5)


def test_a_prevalence_of_0_or_1_gives_no_interval() -> None:
    assert ratios.ppv_at_prevalence(5, 5, 5, 5, 0.0, 0.95) is None
    assert ratios.npv_at_prevalence(5, 5, 5, 5, 1.0, 0.95) is None


@pytest.mark.parametrize(
    ("counts", "koopman", "miettinen_nurminen"),
    [
        (
            (36, 40, 16, 80),
            (2.9395691922149965, 7.15222343486603),
            (2.934646459487796, 7.166298299460339),
        ),
        (
            (2, 50, 9, 60),
            (0.06660955137927228, 1.026948381245108),
            (0.06624313682371942, 1.0323652544898392),
        ),
        (
            (15, 40, 18, 28),
            (0.35447852887029696, 0.9472622635464816),
            (0.35314413949804363, 0.9507361386888749),
        ),
    ],
)
def test_score_intervals_of_a_ratio_are_those_of_statsmodels(
    counts: tuple[int, int, int, int],
    koopman: tuple[float, float],
    miettinen_nurminen: tuple[float, float],
) -> None:
    """confint_proportions_2indep of statsmodels 0.14; the first is Koopman's own example."""
    assert ratios.koopman(*counts, 0.95) == pytest.approx(koopman, rel=1e-9)
    found = ratios.miettinen_nurminen(*counts, 0.95)
    assert found == pytest.approx(miettinen_nurminen, rel=1e-9)


def test_a_rate_of_one_is_not_certain() -> None:
    low, high = ratios.koopman(1, 1, 40, 100, 0.95) or (0.0, 0.0)
    assert low < 1 < high
    assert low == pytest.approx(0.5103592527890431)
    assert ratios.koopman(3, 3, 0, 100, 0.95) is not None
    assert math.isinf((ratios.koopman(3, 3, 0, 100, 0.95) or (0, 0))[1])
    assert ratios.koopman(0, 3, 0, 5, 0.95) is None
    assert ratios.koopman(0, 0, 1, 5, 0.95) is None
    # LR+ of 20 of 20 and 5 of 20: by the log method 1.9 to 8.5, as if recall were known
    score = ratios.lr_plus_score(20, 0, 5, 15, 0.95)
    assert score is not None
    assert score.low < 4 < score.high


def _covered(method: ratios.RatioMethod, n1: int, p1: float, n2: int, p2: float) -> float:
    """Exact coverage: the probability of all counts whose interval holds the ratio."""
    inside = total = 0.0
    for x1 in range(n1 + 1):
        for x2 in range(1, n2 + 1):
            chance = math.comb(n1, x1) * p1**x1 * (1 - p1) ** (n1 - x1)
            chance *= math.comb(n2, x2) * p2**x2 * (1 - p2) ** (n2 - x2)
            if chance < 1e-7:
                continue
            total += chance
            limits = method(x1, n1, x2, n2, 0.95)
            inside += chance * (limits is not None and limits.low <= p1 / p2 <= limits.high)
    return inside / total


def test_koopman_covers_small_groups_where_the_log_method_does_not() -> None:
    assert _covered(ratios.koopman, 3, 0.7, 40, 0.4) > 0.93
    assert _covered(ratios.katz, 3, 0.7, 40, 0.4) < 0.85
    assert _covered(ratios.koopman, 10, 0.8, 30, 0.5) > 0.93


@pytest.mark.parametrize(("own", "rest"), [(0.8, 0.6), (0.9, 0.9)])
def test_a_group_against_all_rows_is_covered_as_the_overlapping_sets_they_are(
    own: float, rest: float
) -> None:
    n, others = 12, 30
    truth = own / ((n * own + others * rest) / (n + others))

    def method(x1: float, n1: float, x2: float, n2: float, level: float) -> object:
        found = ratios.to_the_whole(x1, n1, x1 + x2, n1 + n2, level)
        if found is None:
            return None
        # as the ratio of the two parts, for the sum over counts above
        return type(found)(found.low * own / rest / truth, found.high * own / rest / truth)

    assert _covered(method, n, own, others, rest) > 0.93  # type: ignore[arg-type]


def test_an_odds_ratio_of_rows_worth_less_than_one_has_no_score_limits() -> None:
    # of rows in clusters or of unequal weights, what they are worth may be no more than one row
    assert ratios.odds_ratio_score(0.5, 0.1, 0.1, 0.2, 0.95) is None
    assert ratios.odds_ratio_score(0.5, 0.2, 0.2, 0.1, 0.95) is None
    assert ratios.odds_ratio_score(0.7, 0.2, 0.2, 0.2, 0.95) is not None
