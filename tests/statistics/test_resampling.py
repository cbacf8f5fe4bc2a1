"""Seeded bootstrap."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats

from evalreport.statistics.delong import auc
from evalreport.statistics.resampling import (
    bca,
    cluster_resamples,
    generator,
    multinomial_tables,
    percentile,
    percentile_tails,
    score_table_resamples,
    stratified_tables,
)


def test_same_seed_and_key_same_numbers() -> None:
    a, b = (generator(3, "roc_auc", "model", 1).random(5).tolist() for _ in range(2))
    assert a == b
    # the first draw, fixed for good: a report must be reproducible years later
    assert generator(0).integers(0, 10**6) == 384630


@pytest.mark.parametrize("other", [(4, "a"), (3, "b"), (3, "a", 1), (3,), (3, "a", "1")])
def test_another_seed_or_key_other_numbers(other: tuple[int | str, ...]) -> None:
    seed, *key = other
    assert generator(3, "a").random() != generator(int(seed), *key).random()


def test_multinomial_tables_keep_the_total_and_the_empty_cells() -> None:
    drawn = multinomial_tables([[30, 0], [5, 65]], 500, generator(1))
    assert drawn.shape == (500, 2, 2)
    assert set(drawn.sum(axis=(1, 2)).tolist()) == {100}
    assert not drawn[:, 0, 1].any()
    # mean 30 and variance 100 * .3 * .7 = 21, four standard errors wide
    assert drawn[:, 0, 0].mean() == pytest.approx(30, abs=4 * math.sqrt(21 / 500))
    assert drawn[:, 0, 0].var() == pytest.approx(21, rel=0.3)


def test_stratified_tables_keep_the_row_sums() -> None:
    drawn = stratified_tables([[30, 10], [5, 55]], 200, generator(1))
    assert set(map(tuple, drawn.sum(axis=2).tolist())) == {(40, 60)}


def test_fractional_counts_are_refused() -> None:
    with pytest.raises(ValueError, match="whole numbers"):
        multinomial_tables([1.5, 2], 3, generator(1))
    with pytest.raises(ValueError, match="whole numbers"):
        multinomial_tables([-1, 2], 3, generator(1))


def test_an_empty_table_stays_empty() -> None:
    assert not multinomial_tables([0, 0], 3, generator(1)).any()
    batches = list(score_table_resamples([0], [0], 3, generator(1)))
    assert sum(len(p) for p, _ in batches) == 3


@pytest.mark.parametrize("scale", [1, 1000])  # rows are drawn, or cells
@pytest.mark.parametrize("stratify", [False, True])
def test_score_tables(scale: int, stratify: bool) -> None:
    pos, neg = np.array([5, 3, 2, 0]) * scale, np.array([0, 4, 3, 8]) * scale
    batches = list(score_table_resamples(pos, neg, 300, generator(2), stratify=stratify))
    p = np.concatenate([b[0] for b in batches])
    q = np.concatenate([b[1] for b in batches])
    assert p.shape == q.shape == (300, 4)
    assert set((p.sum(axis=1) + q.sum(axis=1)).tolist()) == {25 * scale}
    if stratify:
        assert set(p.sum(axis=1).tolist()) == {10 * scale}
    assert not p[:, 3].any()
    assert not q[:, 0].any()
    variance = 8 * scale * (1 - 8 / (15 if stratify else 25))
    assert q[:, 3].mean() == pytest.approx(8 * scale, abs=4 * math.sqrt(variance / 300))


@pytest.mark.parametrize("stratify", [False, True])
@pytest.mark.parametrize(
    ("positives", "negatives"),
    [([3, 1, 2], [1, 4, 0]), ([300, 100, 200], [100, 400, 0]), ([1, 0, 1], [0, 1, 0])],
)
def test_batches_do_not_change_the_draws(
    positives: list[int], negatives: list[int], stratify: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def drawn() -> list[list[int]]:
        tables = (positives, negatives, 50, generator(9))
        batches = score_table_resamples(*tables, stratify=stratify)
        return [row for p, q in batches for row in np.hstack([p, q]).tolist()]

    whole = drawn()
    monkeypatch.setattr("evalreport.statistics.resampling._BATCH_CELLS", 20)
    assert drawn() == whole


def test_bootstrap_of_hanley_and_mcneil() -> None:
    # R pROC 1.18.0, 20 000 stratified resamples: .8288 to .9473
    pos, neg = [33, 11, 2, 2, 3], [2, 11, 6, 6, 33]
    values = [
        auc(p, q)
        for b in score_table_resamples(pos, neg, 4000, generator(1), stratify=True)
        for p, q in zip(*b, strict=True)
    ]
    assert percentile(np.array(values, float), 0.95) == pytest.approx((0.8288, 0.9473), abs=0.006)


def test_clusters_are_drawn_as_often_as_there_are() -> None:
    drawn = np.concatenate(list(cluster_resamples(7, 100, generator(4))))
    assert drawn.shape == (100, 7)
    assert set(drawn.sum(axis=1).tolist()) == {7}


def test_percentile_is_the_type_7_quantile_of_the_usable_replicates() -> None:
    values = generator(5).random(777)
    expected = np.quantile(values, [0.025, 0.975])
    assert percentile(values, 0.95) == pytest.approx(expected, rel=1e-12)
    with_undefined = np.concatenate([values, [math.nan] * 20])
    assert percentile(with_undefined, 0.95) == percentile(values, 0.95)


def test_percentile_needs_two_replicates() -> None:
    assert percentile([math.nan, 1.0], 0.95) is None


def test_percentile_of_infinite_replicates() -> None:
    assert percentile([1.0, 2.0] + [math.inf] * 98, 0.9) == (math.inf, math.inf)


def test_bca_against_scipy() -> None:
    data = generator(6).exponential(size=40)
    theirs = scipy.stats.bootstrap(
        (data,), np.mean, n_resamples=5000, method="BCa", rng=np.random.default_rng(1)
    )
    left_out = (data.sum() - data) / 39
    ours = bca(theirs.bootstrap_distribution, float(data.mean()), left_out, np.ones(40), 0.95)
    assert ours == pytest.approx(tuple(theirs.confidence_interval), rel=1e-9)


def test_bca_weights_are_repetitions() -> None:
    values = generator(8).normal(size=500)
    once = bca(values, 0.1, [0.1, 0.1, 0.4], [1, 1, 1], 0.95)
    assert bca(values, 0.1, [0.1, 0.4, 9.0], [2, 1, 0], 0.95) == once


def test_bca_without_bias_and_acceleration_is_the_percentile_interval() -> None:
    values = np.arange(-50.0, 51.0)
    found = bca(values, 0.0, [1.0, -1.0], [1, 1], 0.9)
    assert found == pytest.approx(percentile(values, 0.9), rel=1e-12)


def test_bca_is_undefined_when_all_replicates_lie_on_one_side() -> None:
    assert bca([1.0, 2.0, 3.0], 0.0, [1.0, 2.0], [1, 1], 0.95) is None
    assert bca([1.0, 2.0, 3.0], 2.0, [1.0, math.nan], [1, 1], 0.95) is None


def test_bca_needs_two_replicates_and_rows() -> None:
    assert bca([1.0], 1.0, [1.0], [1], 0.95) is None
    assert bca([1.0, 2.0, 3.0], 2.0, [1.0], [0], 0.95) is None


def test_bca_is_undefined_when_its_transformation_folds_back() -> None:
    # one row far from all others: the acceleration is -1/6, and 1 - a (z0 + z) turns
    # negative for deviates below -6
    jackknife, weights = [0.0, 1.0], [10_000, 1]
    values = [-1.0] * 10 + [0.0] + [1.0]
    assert bca(values, 0.0, jackknife, weights, 0.95) is not None
    assert bca(values, 0.0, jackknife, weights, 1 - 1e-15) is None


@pytest.mark.parametrize("seed", range(20))
def test_percentile_tails_are_those_of_the_quantiles_of_numpy(seed: int) -> None:
    """The tail is the largest probability whose quantile does not lie beyond the null."""
    rng = np.random.default_rng(seed)
    drawn = np.round(rng.normal(0.3, 1.0, 40 + seed), seed % 3)  # rounded: some are alike
    for null in (0.0, 0.3, -0.5, float(np.sort(drawn)[9])):
        below, above = percentile_tails(drawn, null)
        assert np.quantile(drawn, below - 1e-9) <= null <= np.quantile(drawn, below + 1e-9)
        assert np.quantile(drawn, 1 - above - 1e-9) <= null <= np.quantile(drawn, 1 - above + 1e-9)
        for level in (0.5, 0.8, 0.9, 0.95):
            low, high = percentile(drawn, level)
            assert (low <= null <= high) == (2 * min(below, above) >= 1 - level)


def test_draws_all_on_one_side_show_no_less_than_one_in_so_many() -> None:
    assert percentile_tails(np.arange(1.0, 100.0), 0.0) == (0.01, 1.0)
    assert percentile_tails(-np.arange(1.0, 100.0), 0.0) == (1.0, 0.01)
