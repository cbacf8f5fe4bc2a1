"""Area under the ROC curve: variance, intervals, paired and clustered rows."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from evalreport.statistics import delong as d
from evalreport.statistics.interval import Interval
from evalreport.statistics.obuchowski import (
    obuchowski_paired,
    obuchowski_variance,
    sandwich_auc_variance,
    weighted_influence,
)

# Hanley, McNeil, Radiology 1982;143:29-36: ratings 5 to 1 of 51 abnormal and 58 normal scans.
ABNORMAL, NORMAL = [33, 11, 2, 2, 3], [2, 11, 6, 6, 33]

rows = st.lists(
    st.tuples(st.booleans(), st.integers(0, 6), st.integers(0, 6), st.integers(0, 4)),
    min_size=6,
    max_size=40,
).filter(lambda r: 2 <= sum(x[0] for x in r) <= len(r) - 2)


def limits(
    method: d.AucMethod, positives: list[int], negatives: list[int], level: float
) -> Interval | None:
    found = d.area_of(positives, negatives)
    return None if found is None else method(found, level)


def psi(positive: float, negative: float) -> float:
    return 1.0 if positive > negative else 0.5 if positive == negative else 0.0


def brute_force(y: list[bool], score: list[int]) -> tuple[list[float], list[float]]:
    pos = [s for s, a in zip(score, y, strict=True) if a]
    neg = [s for s, a in zip(score, y, strict=True) if not a]
    v10 = [sum(psi(p, q) for q in neg) / len(neg) for p in pos]
    return v10, [sum(psi(p, q) for p in pos) / len(pos) for q in neg]


def covariance(a: list[float], b: list[float]) -> float:
    mean_a, mean_b = sum(a) / len(a), sum(b) / len(b)
    return sum((x - mean_a) * (y - mean_b) for x, y in zip(a, b, strict=True)) / (len(a) - 1)


def table(y: list[bool], score: list[int]) -> tuple[list[int], list[int]]:
    values = sorted(set(score), reverse=True)
    pairs = list(zip(score, y, strict=True))
    return [pairs.count((v, True)) for v in values], [pairs.count((v, False)) for v in values]


def variance_of(positives: ArrayLike, negatives: ArrayLike) -> float | None:
    found = d.area_of(positives, negatives)
    assert found is not None
    return found.variance


def test_hanley_and_mcneil_1982() -> None:
    # AUC, DeLong and Hanley-McNeil errors: R pROC 1.18.0, auctestr 1.0.0; printed .893, .032
    area, variance = d.auc(ABNORMAL, NORMAL), variance_of(ABNORMAL, NORMAL)
    assert area == pytest.approx(0.893171061528059, rel=1e-12)
    assert variance is not None
    assert math.sqrt(variance) == pytest.approx(0.0307244083793811, rel=1e-10)
    assert math.sqrt(d.hanley_mcneil_variance(area, 51, 58)) == pytest.approx(
        0.0324865796073421, rel=1e-10
    )
    assert limits(d.delong, ABNORMAL, NORMAL, 0.95) == pytest.approx(
        (0.832952327658172, 0.953389795397947), rel=1e-9
    )
    assert limits(d.delong, ABNORMAL, NORMAL, 0.90) == pytest.approx(
        (0.842633906969296, 0.943708216086823), rel=1e-9
    )
    assert limits(d.delong_logit, ABNORMAL, NORMAL, 0.95) == pytest.approx(
        (0.816443457911481, 0.940176194612198), rel=1e-9
    )


def test_four_rows_by_hand() -> None:
    # scores .1 .35 .4 .8, positives .35 and .8: pairs 1, 0, 1, 1
    assert d.auc([1, 0, 1, 0], [0, 1, 0, 1]) == 0.75
    # placements of positives 1, 1/2 and of negatives 1/2, 1: each variance 1/8, over 2 rows
    assert variance_of([1, 0, 1, 0], [0, 1, 0, 1]) == pytest.approx(1 / 8)


def test_one_class_has_no_area() -> None:
    assert d.auc([3, 1], [0, 0]) is None
    for method in d.AUC_METHODS.values():
        assert limits(method, [3, 1], [0, 0], 0.95) is None


def test_one_positive_has_no_variance() -> None:
    assert variance_of([1, 0], [2, 3]) is None
    assert limits(d.delong, [1, 0], [2, 3], 0.95) is None
    assert limits(d.hanley_mcneil_score, [1, 0], [2, 3], 0.95) is not None


def test_perfect_separation_degenerates_except_for_the_score_interval() -> None:
    assert limits(d.delong, [10, 0], [0, 10], 0.95) == (1.0, 1.0)
    assert limits(d.delong_logit, [10, 0], [0, 10], 0.95) is None
    found = limits(d.hanley_mcneil_score, [10, 0], [0, 10], 0.95)
    assert found is not None
    assert found.high == 1.0
    error = math.sqrt(d.hanley_mcneil_variance(found.low, 10, 10))
    assert 1.0 - found.low == pytest.approx(1.959963984540054 * error, rel=1e-9)


def test_score_interval_of_the_worst_ranking() -> None:
    found = limits(d.hanley_mcneil_score, [0, 10], [10, 0], 0.95)
    assert found is not None
    assert found.low == 0.0
    assert 0.0 < found.high < 0.5


def test_all_scores_tied() -> None:
    assert d.auc([4], [6]) == 0.5
    assert limits(d.delong, [4], [6], 0.95) == (0.5, 0.5)


def test_tables_of_different_length_are_refused() -> None:
    with pytest.raises(ValueError, match="one entry per distinct score"):
        d.auc([1, 2], [1])


@given(rows)
def test_table_and_rows_against_the_definition(r: list[tuple[bool, int, int, int]]) -> None:
    y, s1, s2 = [x[0] for x in r], [x[1] for x in r], [x[2] for x in r]
    (a10, a01), (b10, b01) = brute_force(y, s1), brute_force(y, s2)
    m, n = len(a10), len(a01)
    variance = covariance(a10, a10) / m + covariance(a01, a01) / n
    both = covariance(a10, b10) / m + covariance(a01, b01) / n
    counts = table(y, s1)
    assert d.auc(*counts) == pytest.approx(sum(a10) / m, abs=1e-12)
    assert variance_of(*counts) == pytest.approx(variance, abs=1e-12)
    found = d.delong_paired(np.array(y), s1, s2)
    assert found is not None
    assert found.auc_1 == pytest.approx(sum(a10) / m, abs=1e-12)
    assert found.auc_2 == pytest.approx(sum(b10) / m, abs=1e-12)
    assert found.variance_1 == pytest.approx(variance, abs=1e-12)
    assert found.covariance == pytest.approx(both, abs=1e-12)


@given(rows)
def test_one_row_per_cluster_is_delong(r: list[tuple[bool, int, int, int]]) -> None:
    y, s1 = np.array([x[0] for x in r]), [x[1] for x in r]
    counts = table(y.tolist(), s1)
    expected = variance_of(*counts)
    assert obuchowski_variance(y, s1, range(len(r))) == pytest.approx(expected, abs=1e-12)
    assert sandwich_auc_variance(y, s1, [2.5] * len(r)) == pytest.approx(expected, abs=1e-12)


@given(rows)
def test_clusters_against_the_definition(r: list[tuple[bool, int, int, int]]) -> None:
    y, s1, s2, cluster = ([x[i] for x in r] for i in range(4))
    found = obuchowski_paired(np.array(y), s1, s2, cluster)
    assert found is not None
    v = [brute_force(y, s) for s in (s1, s2)]
    names = sorted(set(cluster))
    sums = []
    for v10, v01 in v:
        area, pos, neg = sum(v10) / len(v10), iter(v10), iter(v01)
        of = {c: [0.0, 0.0] for c in names}
        for a, c in zip(y, cluster, strict=True):
            of[c][0 if a else 1] += next(pos if a else neg) - area
        sums.append([of[c] for c in names])
    m, n = len(v[0][0]), len(v[0][1])
    i10 = len({c for a, c in zip(y, cluster, strict=True) if a})
    i01 = len({c for a, c in zip(y, cluster, strict=True) if not a})
    if min(i10, i01) < 2:
        assert found.covariance is None
        return
    k = len(names)
    s10 = i10 / ((i10 - 1) * m) * sum(a[0] * b[0] for a, b in zip(*sums, strict=True))
    s01 = i01 / ((i01 - 1) * n) * sum(a[1] * b[1] for a, b in zip(*sums, strict=True))
    s11 = k / (k - 1) * sum(a[0] * b[1] + b[0] * a[1] for a, b in zip(*sums, strict=True))
    assert found.covariance == pytest.approx(s10 / m + s01 / n + s11 / (m * n), abs=1e-12)


def test_a_model_against_itself() -> None:
    y, score = np.array([True, False, True, False, True]), [3, 1, 2, 2, 5]
    found = d.delong_paired(y, score, score)
    assert found is not None
    assert found.difference == 0.0
    assert found.difference_variance == 0.0
    assert d.difference_interval(0.0, 0.0, 0.95) == (0.0, 0.0)


def test_row_order_changes_nothing() -> None:
    rng = np.random.default_rng(1)
    y, s = rng.random(200) < 0.4, rng.integers(0, 50, 200)
    order = rng.permutation(200)
    a, b = d.delong_paired(y, s, -s), d.delong_paired(y[order], s[order], -s[order])
    assert a is not None
    assert b is not None
    assert a == pytest.approx(b, rel=1e-12)


def test_influence_adds_up_to_zero_and_ignores_rows_without_weight() -> None:
    y = np.array([True, True, False, False, True])
    influence = weighted_influence(y, [5, 2, 3, 1, 9], [2.0, 1.0, 0.5, 3.0, 0.0])
    assert float(influence.sum()) == pytest.approx(0.0, abs=1e-15)
    assert influence[4] == 0.0
    assert sandwich_auc_variance(y[:3], [5, 2, 3], [1, 1, 1]) is None


def test_jackknife_confirms_the_weighted_variance() -> None:
    rng = np.random.default_rng(5)
    y = rng.random(400) < 0.5
    s, w = rng.normal(size=400) + y, rng.uniform(0.5, 2.0, 400)

    def area(keep: np.ndarray) -> float:
        p, q = keep & y, keep & ~y
        win = (s[p][:, None] > s[q][None, :]).astype(float)
        total = (w[p][:, None] * win * w[q][None, :]).sum()
        return float(total / (w[p].sum() * w[q].sum()))

    full = np.ones(400, bool)
    left_out = [area(full & (np.arange(400) != i)) for i in range(400)]
    jackknife = 399 / 400 * sum((v - sum(left_out) / 400) ** 2 for v in left_out)
    assert sandwich_auc_variance(y, s, w) == pytest.approx(jackknife, rel=0.02)


def test_hanley_mcneil_interval_is_normal() -> None:
    found = limits(d.hanley_mcneil, ABNORMAL, NORMAL, 0.95)
    half = 1.959963984540054 * 0.0324865796073421
    assert found == pytest.approx((0.893171061528059 - half, 0.893171061528059 + half), rel=1e-9)


def test_difference_by_hand() -> None:
    # limits .1 -+ 1.96 * .05; a difference cannot exceed 1
    assert d.difference_interval(0.1, 0.0025, 0.95) == pytest.approx((0.002002, 0.197998), abs=1e-6)
    assert d.difference_interval(0.9, 0.01, 0.95) == pytest.approx((0.704004, 1.0), abs=1e-6)
    assert d.difference_interval(0.9, None, 0.95) is None


def test_rows_of_one_class_or_one_positive() -> None:
    assert d.delong_paired(np.array([True, True]), [1, 2], [2, 1]) is None
    assert obuchowski_paired(np.array([True, True]), [1, 2], [2, 1], [0, 1]) is None
    found = d.delong_paired(np.array([True, False, False]), [3, 1, 2], [1, 2, 3])
    assert found is not None
    assert (found.auc_1, found.auc_2) == (1.0, 0.0)
    assert found.difference == 1.0
    assert found.difference_variance is None


def test_kinds_of_rows_give_what_their_rows_give_to_the_last_bit() -> None:
    rng = np.random.default_rng(7)
    positive, one, two = rng.random(300) < 0.4, rng.random(300).round(1), rng.random(300)
    two = (one + two).round(1)
    times = rng.integers(1, 9, 300)
    spread = rng.permutation(np.repeat(np.arange(300), times))
    kinds = d.delong_paired(positive, one, two, times)
    assert kinds == d.delong_paired(positive[spread], one[spread], two[spread])
    assert kinds is not None
    assert kinds.variance_1 == pytest.approx(
        variance_of(*table_of(positive[spread], one[spread])), rel=1e-12
    )


def table_of(positive: np.ndarray, score: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    _, entry = np.unique(-score, return_inverse=True)
    return np.bincount(entry, positive), np.bincount(entry, ~positive)


def test_rows_that_are_alike_may_be_counted() -> None:
    rng = np.random.default_rng(4)
    times = rng.integers(1, 6, 30)
    positive, score = rng.random(30) < 0.4, np.round(rng.random(30), 1)
    weight = rng.choice([0.0, 0.3, 1.1, 2.7], 30)
    each = [np.repeat(values, times) for values in (positive, score, weight)]
    alike = weighted_influence(positive, score, weight, times)
    assert np.repeat(alike, times) == pytest.approx(weighted_influence(*each), rel=1e-12)
    found = sandwich_auc_variance(positive, score, weight, times)
    assert found == pytest.approx(sandwich_auc_variance(*each), rel=1e-12)
