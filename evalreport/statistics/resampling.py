"""Seeded bootstrap: resampled tables, and intervals from replicates.

A generator is derived from the seed and from names of the task, never from the order in
which tasks run. Tables are resampled, not rows, wherever that gives the same distribution.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evalreport.statistics.interval import Interval, check_level
from evalreport.statistics.tail import normal_cdf, normal_quantile

Counts = NDArray[np.int64]

# About 2 MB per batch of counts, so that what is computed from it stays in the cache.
_BATCH_CELLS = 200_000

# Rows drawn at a time: their numbers fit 16 bits, their counters the second-level cache.
_BLOCK = 2**16


def generator(seed: int, *key: str | int) -> np.random.Generator:
    """A random generator of its own for each seed and key; the same on every machine.

    >>> a, b = generator(7, "recall", 3), generator(7, "recall", "3")
    >>> int(a.integers(1000)) == int(b.integers(1000))
    False
    """
    digest = hashlib.sha256(json.dumps([seed, *key]).encode("ascii")).digest()
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(int.from_bytes(digest))))


def multinomial_tables(counts: ArrayLike, resamples: int, rng: np.random.Generator) -> Counts:
    """Bootstrap tables of independent rows: shape (resamples, *shape of counts).

    Each is a multinomial draw of as many rows as ``counts`` holds.
    """
    table = _whole(counts)
    drawn = _multinomial(table.reshape(-1), resamples, rng)
    return drawn.reshape(resamples, *table.shape)


def stratified_tables(counts: ArrayLike, resamples: int, rng: np.random.Generator) -> Counts:
    """Bootstrap tables with the row sums of ``counts``, shape (K, L), held fixed."""
    table = _whole(counts)
    rows = [_multinomial(row, resamples, rng) for row in table]
    return np.stack(rows, axis=1)


def _whole(counts: ArrayLike) -> Counts:
    table = np.asarray(counts)
    whole: Counts = np.rint(table).astype(np.int64)
    if bool(np.any(whole != table)) or bool(np.any(whole < 0)):
        raise ValueError("counts to resample: must be whole numbers, 0 or more")
    return whole


def _multinomial(counts: Counts, resamples: int, rng: np.random.Generator) -> Counts:
    drawn = np.zeros((resamples, counts.size), np.int64)
    # empty cells are left out: rounding must not put a row into one of them
    held = np.flatnonzero(counts)
    if held.size:
        total = int(counts.sum())
        drawn[:, held] = rng.multinomial(total, counts[held] / total, size=resamples)
    return drawn


def score_table_resamples(
    positives: ArrayLike,
    negatives: ArrayLike,
    resamples: int,
    rng: np.random.Generator,
    *,
    stratify: bool = False,
) -> Iterator[tuple[Counts, Counts]]:
    """Bootstrap of a score table, in batches of bounded memory.

    Args:
        positives: whole counts per distinct score, shape (D,).
        negatives: likewise.
        resamples: replicates in all.
        rng: drawn from in the order of the replicates; batches do not change the draws.
        stratify: keep the numbers of positives and of negatives.

    Yields:
        Positives and negatives per distinct score, both of shape (b, D), the scores in
        the order given: nothing has to be sorted again.
    """
    pos, neg = _whole(positives), _whole(negatives)
    if not stratify and bool(np.all(pos + neg == 1)):
        yield from _distinct_resamples(pos, resamples, rng)
        return
    size = pos.size
    strata = (pos, neg) if stratify else (np.concatenate([pos, neg]),)
    # a generator for each stratum, so that batches do not change the draws
    own = rng.spawn(2) if stratify else (rng,)
    draw = [_CellSampler(*each) for each in zip(strata, own, strict=True)]
    batch = max(1, min(resamples, _BATCH_CELLS // max(2 * size, 1)))
    for start in range(0, resamples, batch):
        rows = min(batch, resamples - start)
        cells = np.zeros((rows, 2 * size), np.int64)
        for number, sample in enumerate(draw):
            sample(cells[:, number * size :] if stratify else cells)
        yield cells[:, :size], cells[:, size:]


def _distinct_resamples(
    positives: Counts, resamples: int, rng: np.random.Generator
) -> Iterator[tuple[Counts, Counts]]:
    """The same where every score belongs to one row: rows are drawn in the order of scores."""
    draw = _RowSampler(positives.size, rng)
    batch = max(1, min(resamples, _BATCH_CELLS // max(2 * positives.size, 1)))
    for start in range(0, resamples, batch):
        times = draw(min(batch, resamples - start))
        drawn = times * positives
        yield drawn, np.subtract(times, drawn, out=times)


class _RowSampler:
    """How often each row is drawn when as many rows as there are, are drawn with replacement.

    How many fall into each block of rows is a multinomial draw, and within a block the
    rows are drawn evenly: the same distribution as drawing among all rows, but the
    counters of a block stay in the processor's cache.
    """

    def __init__(self, rows: int, rng: np.random.Generator) -> None:
        self._rng = rng
        self._rows = rows
        self._sizes = [min(_BLOCK, rows - start) for start in range(0, rows, _BLOCK)]

    def __call__(self, replicates: int) -> Counts:
        """How often each row is drawn, of shape (replicates, rows)."""
        if len(self._sizes) < 2:
            return self._at_once(replicates)
        times = np.empty((replicates, self._rows), np.int64)
        for row in times:
            self._by_blocks(row)
        return times

    def _at_once(self, replicates: int) -> Counts:
        # 32 bits a number: a generator keeps what is left of 64 for the next call, so that
        # the draws do not depend on how many replicates are asked for at a time.
        shape = (replicates, self._rows)
        numbers = self._rng.integers(0, max(self._rows, 1), shape, dtype=np.uint32)
        cells = numbers + np.arange(replicates)[:, np.newaxis] * self._rows
        return np.bincount(cells.reshape(-1), minlength=cells.size).reshape(shape)

    def _by_blocks(self, into: Counts) -> None:
        shares, start = np.array(self._sizes) / self._rows, 0
        draws = self._rng.multinomial(self._rows, shares).tolist()
        for size, drawn in zip(self._sizes, draws, strict=True):
            numbers = self._rng.integers(0, size, drawn, dtype=np.uint16)
            into[start : start + size] = np.bincount(numbers, minlength=size)
            start += size


class _CellSampler:
    """Draws bootstrap replicates of counts, the quicker of two ways."""

    def __init__(self, counts: Counts, rng: np.random.Generator) -> None:
        self._rng = rng
        self._counts = counts
        self._total = int(counts.sum())
        self._held = np.flatnonzero(counts)
        self._rows: _RowSampler | None = None
        # drawing a row costs about a tenth of a binomial draw per cell
        if self._total <= 10 * self._held.size:
            self._rows = _RowSampler(self._total, rng)
            held = counts[self._held]
            self._first_row = np.cumsum(held) - held

    def __call__(self, into: Counts) -> None:
        """Write the counts of replicates into the first columns of an array of zeros."""
        if self._total == 0:
            return
        if self._rows is None:
            share = self._counts[self._held] / self._total
            into[:, self._held] = self._rng.multinomial(self._total, share, size=len(into))
            return
        times = self._rows(len(into))
        if self._total > self._held.size:
            times = np.add.reduceat(times, self._first_row, axis=1)
        into[:, self._held] = times


def cluster_resamples(
    cluster_count: int, resamples: int, rng: np.random.Generator
) -> Iterator[Counts]:
    """How often each cluster is drawn: batches of shape (b, clusters), rows adding up to it."""
    draw = _RowSampler(cluster_count, rng)
    batch = max(1, min(resamples, _BATCH_CELLS // max(cluster_count, 1)))
    for start in range(0, resamples, batch):
        yield draw(min(batch, resamples - start))


def stratified_resamples(
    strata: Sequence[NDArray[np.intp]], resamples: int, rng: np.random.Generator
) -> Iterator[Counts]:
    """How often each row is drawn, the number of draws from each stratum held fixed.

    ``strata``: the rows of each, together all rows, in batches of shape (b, rows).

    >>> strata = [np.array([0, 2]), np.array([1])]
    >>> (drawn,) = stratified_resamples(strata, 3, generator(0, "x"))
    >>> drawn[:, [0, 2]].sum(axis=1).tolist(), drawn[:, 1].tolist()
    ([2, 2, 2], [1, 1, 1])
    """
    rows = sum(len(members) for members in strata)
    # a generator for each stratum, so that batches do not change the draws
    draw = [_RowSampler(len(m), own) for m, own in zip(strata, rng.spawn(len(strata)), strict=True)]
    batch = max(1, min(resamples, _BATCH_CELLS // max(rows, 1)))
    for start in range(0, resamples, batch):
        count = min(batch, resamples - start)
        drawn = np.empty((count, rows), np.int64)
        for members, sample in zip(strata, draw, strict=True):
            drawn[:, members] = sample(count)
        yield drawn


def _usable(values: ArrayLike) -> NDArray[np.float64]:
    array = np.asarray(values, np.float64)
    return np.sort(array[~np.isnan(array)])


def _quantile(ordered: NDArray[np.float64], probability: float) -> float:
    """Type-7 quantile of sorted values; equal neighbours, infinite ones too, need no weighing."""
    position = probability * (ordered.size - 1)
    below = min(int(position), ordered.size - 1)
    above = min(below + 1, ordered.size - 1)
    low, high = float(ordered[below]), float(ordered[above])
    share = position - below
    return low if low == high or share == 0.0 else low + share * (high - low)


def percentile(values: ArrayLike, level: float) -> Interval | None:
    """Percentile interval of bootstrap replicates (type-7 quantiles).

    NaN marks a replicate that is undefined and is left out; None with fewer than two left.

    >>> percentile(range(101), 0.5)
    Interval(low=25.0, high=75.0)
    """
    check_level(level)
    ordered = _usable(values)
    if ordered.size < 2:
        return None
    tail = (1.0 - level) / 2.0
    return Interval(_quantile(ordered, tail), _quantile(ordered, 1.0 - tail))


def least_tail(replicates: int) -> float:
    """The smallest one-sided p value that so many replicates can show: 1 / (B + 1)."""
    return 1.0 / (replicates + 1.0)


def percentile_tails(values: ArrayLike, null: float) -> tuple[float, float]:
    """Shares of the replicates at or below ``null``, and at or above it.

    They are the tails at which :func:`percentile` puts its limits on ``null``, so that a test by
    them agrees with the limits of every level; at least 1 / (B + 1), as B replicates show no less
    (Davison A., Hinkley D. Bootstrap Methods and their Application, 1997, 4.4 and 5.3).

    >>> percentile_tails(range(101), 25.0)
    (0.25, 0.75)
    >>> percentile_tails(range(9), -3.0)
    (0.1, 1.0)
    """
    ordered = _usable(values)
    least = least_tail(ordered.size)
    below, above = _share_below(ordered, null), _share_below(-ordered[::-1], -null)
    return max(below, least), max(above, least)


def _share_below(ordered: NDArray[np.float64], value: float) -> float:
    """The largest probability whose type-7 quantile is at most ``value``."""
    count = int(np.searchsorted(ordered, value, "right"))
    if count in (0, ordered.size):
        return float(count > 0)
    low, high = float(ordered[count - 1]), float(ordered[count])
    return (count - 1 + (value - low) / (high - low)) / (ordered.size - 1)


def bca(
    values: ArrayLike,
    estimate: float,
    jackknife_values: ArrayLike,
    jackknife_weights: ArrayLike,
    level: float,
) -> Interval | None:
    """Bias-corrected and accelerated interval (Efron 1987).

    Args:
        values: replicates; NaN for an undefined one.
        estimate: the value on the data.
        jackknife_values: value with one row of each cell left out, shape (cells,).
        jackknife_weights: rows of each cell, shape (cells,).
        level: confidence level.

    Returns:
        None with fewer than two usable replicates, when all of them lie on one side of
        the estimate, or when a jackknife value is undefined.
    """
    check_level(level)
    ordered = _usable(values)
    if ordered.size < 2:
        return None
    below = int(np.searchsorted(ordered, estimate, "left"))
    not_above = int(np.searchsorted(ordered, estimate, "right"))
    # replicates equal to the estimate count half: tables give many of them
    share = (below + not_above) / (2.0 * ordered.size)
    acceleration = _acceleration(jackknife_values, jackknife_weights)
    if acceleration is None or not 0.0 < share < 1.0:
        return None
    bias = normal_quantile(share)
    limits = []
    for tail in ((1.0 - level) / 2.0, (1.0 + level) / 2.0):
        shifted = bias + normal_quantile(tail)
        if acceleration * shifted >= 1.0:
            return None
        limits.append(normal_cdf(bias + shifted / (1.0 - acceleration * shifted)))
    return Interval(_quantile(ordered, limits[0]), _quantile(ordered, limits[1]))


def _acceleration(values: ArrayLike, weights: ArrayLike) -> float | None:
    value, weight = np.asarray(values, np.float64), np.asarray(weights, np.float64)
    value, weight = value[weight > 0.0], weight[weight > 0.0]
    if value.size == 0 or not bool(np.all(np.isfinite(value))):
        return None
    distance = float(np.sum(weight * value)) / float(np.sum(weight)) - value
    squares = float(np.sum(weight * distance**2))
    if squares <= 0.0:
        return 0.0
    return float(np.sum(weight * distance**3)) / (6.0 * squares * math.sqrt(squares))
