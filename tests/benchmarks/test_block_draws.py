"""Rows drawn block by block have the distribution of rows drawn one by one."""

from __future__ import annotations

import math

import numpy as np
import pytest

from evalreport.statistics.resampling import cluster_resamples, generator, score_table_resamples

ROWS, RESAMPLES = 10, 4000


def drawn_rows() -> np.ndarray:
    return np.concatenate(list(cluster_resamples(ROWS, RESAMPLES, generator(5)))).astype(float)


@pytest.mark.parametrize("block", [3, 4, 5, 10, 2**16])
def test_moments_of_a_multinomial_draw(monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    monkeypatch.setattr("evalreport.statistics.resampling._BLOCK", block)
    times = drawn_rows()
    assert set(times.sum(axis=1).tolist()) == {ROWS}
    # mean 1, variance n p (1 - p) = 0.9, covariance -n p^2 = -0.1, five standard errors wide
    assert times.mean(axis=0) == pytest.approx(1.0, abs=5 * math.sqrt(0.9 / RESAMPLES))
    covariance = np.cov(times, rowvar=False)
    expected = np.where(np.eye(ROWS, dtype=bool), 0.9, -0.1)
    assert covariance == pytest.approx(expected, abs=0.12)
    # a row is left out with probability 0.9^10 = 0.3487
    left_out = (times == 0).mean(axis=0)
    assert left_out == pytest.approx(0.9**10, abs=5 * math.sqrt(0.3487 * 0.6513 / RESAMPLES))


def test_scores_of_one_row_each_keep_their_class() -> None:
    pos = np.array([1, 0, 0, 1, 1, 0])
    parts = list(score_table_resamples(pos, 1 - pos, 500, generator(6)))
    p, q = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
    assert not p[:, pos == 0].any()
    assert not q[:, pos == 1].any()
    assert set((p + q).sum(axis=1).tolist()) == {6}
    assert (p + q).mean(axis=0) == pytest.approx(1.0, abs=5 * math.sqrt(5 / 6 / 500))


@pytest.mark.parametrize("ties", [False, True])
def test_batches_and_blocks_do_not_mix(monkeypatch: pytest.MonkeyPatch, ties: bool) -> None:
    pos = np.array([1, 0, 0, 1, 1, 0, 1, 0, 0])
    neg = np.where(ties, 2, 1 - pos)
    monkeypatch.setattr("evalreport.statistics.resampling._BLOCK", 4)

    def drawn() -> list[list[int]]:
        batches = score_table_resamples(pos, neg, 40, generator(9))
        return [row for batch in batches for row in np.concatenate(batch, axis=1).tolist()]

    whole = drawn()
    monkeypatch.setattr("evalreport.statistics.resampling._BATCH_CELLS", 50)
    assert drawn() == whole


def test_no_rows() -> None:
    drawn = np.concatenate(list(cluster_resamples(0, 3, generator(1))))
    assert drawn.shape == (3, 0)
