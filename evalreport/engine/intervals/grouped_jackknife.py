"""The grouped jackknife: random groups of rows, or of clusters, are left out in turn.

For metrics without a formula on samples that are too large to be drawn thousands of times.
With groups of many rows it also holds for metrics that follow quantiles, for which leaving
out single rows fails (Shao J., Tu D. The Jackknife and Bootstrap, 1995, sections 2.3 and
6.2; Kott P. The delete-a-group jackknife. Journal of Official Statistics 17, 2001). With
fewer units than groups it is the ordinary jackknife.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evalreport.engine.intervals import methods as intervals
from evalreport.metrics.tables import ScoreTable
from evalreport.predict.view import LabelView
from evalreport.results.records import Interval
from evalreport.statistics.resampling import generator
from evalreport.statistics.tail import t_quantile

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]

METHOD = "grouped_jackknife"
NO_INFLUENCE = "the influence of a row is not known here: groups of rows are left out"
#: Groups that are left out in turn: the error of the variance is then about 20 %.
GROUPS = 50


def lots(seed: int) -> np.random.Generator:
    """What puts rows into groups: of the seed alone, so that no limit moves with a name."""
    return generator(seed, "groups")


def groups_of(units: int, rng: np.random.Generator) -> Places:
    """The group of each row or cluster, drawn at random; groups differ by one unit at most.

    >>> np.bincount(groups_of(101, np.random.default_rng(0))).tolist() == [3] + [2] * 49
    True
    """
    return np.asarray(rng.permutation(units) % min(GROUPS, max(units, 1)), np.intp)


def parts_of_kinds(
    counts: npt.NDArray[np.int64], rng: np.random.Generator
) -> npt.NDArray[np.int64] | None:
    """How many rows of each kind are in each group, shape (groups, kinds).

    ``counts``: rows of each kind, shape (kinds,). Each row takes a group of its own accord. None
    unless rows by far outnumber kinds: groups would differ too much in size.
    """
    if int(counts.sum()) <= GROUPS * len(counts):
        return None
    return np.asarray(rng.multinomial(counts, [1.0 / GROUPS] * GROUPS).T, np.int64)


def of_counts(table: ScoreTable, rng: np.random.Generator) -> Iterator[ScoreTable]:
    """The score table of independent rows without each group in turn, as stacks of one.

    Rows are only counted: they are put into groups by lot.
    """
    size = len(table.scores)
    counts = np.concatenate([table.positives, table.negatives])
    parts: Iterable[npt.NDArray[np.int64]] | None = parts_of_kinds(counts, rng)
    if parts is None:
        code, group = np.repeat(np.arange(len(counts)), counts), groups_of(int(counts.sum()), rng)
        parts = (
            np.bincount(code[group == g], minlength=len(counts))
            for g in range(int(group.max(initial=-1)) + 1)
        )
    for part in parts:
        left = (counts - part).astype(np.float64)[None]
        yield ScoreTable(table.scores, left[:, :size], left[:, size:])


class Spread(NamedTuple):
    """The jackknife's standard error, with its degrees of freedom; over how many groups."""

    error: float
    df: float
    groups: int


def spread(left_out: Floats, view: LabelView | None = None) -> Spread | None:
    """Of values without each group, of which those that are undefined are not counted.

    None of fewer than two values, and where their squares leave the range of numbers. ``view``:
    of a sample that was drawn by a design, whose degrees of freedom may be fewer.
    """
    usable = left_out[np.isfinite(left_out)]
    count = len(usable)
    if count < 2:
        return None
    variance = (count - 1) / count * float(np.sum((usable - usable.mean()) ** 2))
    if not math.isfinite(variance):
        return None
    sample = None if view is None else view.sample
    most = math.inf if sample is None else sample.units_df
    return Spread(variance**0.5, min(count - 1.0, most), count)


def interval(
    left_out: Floats,
    number: float,
    level: float,
    bounds: tuple[float, float],
    note: str = "",
    view: LabelView | None = None,
) -> Interval | None:
    """The value plus and minus Student's t times the jackknife's standard error, see `spread`."""
    found = spread(left_out, view)
    if found is None:
        return None
    half = -t_quantile((1.0 - level) / 2.0, found.df) * found.error
    low, high = max(number - half, bounds[0]), min(number + half, bounds[1])
    notes = "; ".join(filter(None, (note, undefined_in(left_out)))) or None
    made = Interval(level, low, high, METHOD, notes, groups=found.groups)
    return made if intervals.has_width(made) else None


def undefined_in(left_out: Floats) -> str | None:
    """Without how many groups a value is undefined, as a note; None for none."""
    lost = int(np.count_nonzero(~np.isfinite(left_out)))
    return f"undefined without {lost} of {len(left_out)} groups" if lost else None
