"""Both scores of the rows that two models share, counted in cells of a grid."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from evalreport.engine.comparisons.pairs import Bools, Floats, Pair, pair, side_of
from evalreport.plan.task import AT_THRESHOLD
from evalreport.predict.view import LabelView
from evalreport.results.records import ScoreCells, ScorePairs

if TYPE_CHECKING:
    from evalreport.engine.run_state import Key, RunState

Codes = npt.NDArray[np.int32]
#: Cells of both classes that a chart has room for, and bins of each score: the first of these
#: that give no more. The last always do.
MOST_CELLS, BINS = 1_000, (80, 40, 20)


def score_pairs(state: RunState) -> list[ScorePairs]:
    """One record for every two models whose scores are compared on the same rows, where they fit.

    There is none for more than two classes, for labels without scores, and for weighted or
    sampled rows.
    """
    made = (_counted(state, record) for record in planned_pairs(state))
    return [record for record in made if record is not None]


def planned_pairs(state: RunState) -> Iterator[ScorePairs]:
    """The record of every two models that are compared by scores on the same rows, uncounted."""
    compared = dict.fromkeys(
        ((one.task.dataset, one.task.model), (one.reference.dataset, one.reference.model))
        for one in state.prepared.plan.comparisons
        if one.paired and one.task.table not in AT_THRESHOLD
    )
    nothing = ScoreCells((), (), ())
    for own, other in compared:
        at, reference_at = _threshold(state, own), _threshold(state, other)
        if at is not None and reference_at is not None:
            view = state.tables[own].view
            yield ScorePairs(
                dataset=own[0], model=own[1], reference=other[1],
                label=view.labels[view.positive_index],
                threshold=at, reference_threshold=reference_at,
                bins=0, positives=nothing, negatives=nothing,
            )  # fmt: skip


def _counted(state: RunState, record: ScorePairs) -> ScorePairs | None:
    names = record.model, record.reference
    both = pair(*(side_of(state, (record.dataset, name)) for name in names))
    scores = None if isinstance(both, str) else _scores(both)
    if isinstance(both, str) or scores is None:
        return None
    bins, cells = _in_cells(both, scores, (record.threshold, record.reference_threshold))
    return replace(record, bins=bins, positives=cells[0], negatives=cells[1])


def _scores(both: Pair) -> tuple[Floats, Floats] | None:
    """The scores of the model and of the reference; None where they, or their range, are none."""
    one, two = both.model.view.score, both.reference.view.score
    if one is None or two is None:
        return None
    finite = all(math.isfinite(own.max() - own.min()) for own in (one, two))
    return (one, two) if finite else None


def _threshold(state: RunState, key: Key) -> float | None:
    """The first threshold of a model whose score and threshold decide; None of any other."""
    number, tables = state.first_number(key), state.tables.get(key)
    if number is None or tables is None:
        return None
    decides = math.isfinite(number) and tables.view.drawn_at(number) is None
    return number if decides and _counts_once(tables.view) else None


def _counts_once(view: LabelView) -> bool:
    """Whether a row of two classes with a score counts as one row."""
    return (
        len(view.labels) == 2
        and view.has_score
        and not view.decided
        and view.weight is None
        and view.sample is None
    )


def _in_cells(
    both: Pair, scores: Sequence[Floats], at: Sequence[float]
) -> tuple[int, tuple[ScoreCells, ScoreCells]]:
    """The cells of positives and of negatives, and by how many bins of each score."""
    view = both.model.view
    positive = view.actual == view.positive_index
    for bins in BINS:
        places = [_places(*one, bins) for one in zip(scores, at, strict=True)]
        cell = places[0] * np.int32(2 * bins) + places[1]
        found = tuple(_cells(both, scores, cell, chosen) for chosen in (positive, ~positive))
        if sum(len(one.rows) for one in found) <= MOST_CELLS:
            break
    return bins, (found[0], found[1])


def _places(score: Floats, at: float, bins: int) -> Codes:
    """The bin of each score between the lowest and the highest; a threshold parts its bin."""
    low, width = score.min(), score.max() - score.min()
    share = (score - low) / width if width else np.zeros(len(score))
    share *= bins
    place = np.minimum(share.astype(np.int32), bins - 1)
    place *= 2
    place += score >= at
    return place


def _cells(both: Pair, scores: Sequence[Floats], cell: Codes, chosen: Bools) -> ScoreCells:
    """The cells that hold rows of a class, each at the middle of the scores in it."""
    at = cell[chosen]
    rows = np.bincount(at, None if both.times is None else both.times[chosen])
    held = np.flatnonzero(rows)
    first, second = (tuple(_middles(own[chosen], at, held)) for own in scores)
    # whole numbers below 2^53, so the sums are exact
    return ScoreCells(first, second, tuple(rows[held].astype(np.int64).tolist()))


def _middles(score: Floats, at: Codes, held: npt.NDArray[np.intp]) -> Iterator[float]:
    """Half-way between the lowest and the highest score of each cell: no order of rows matters."""
    cells = int(held.max(initial=-1)) + 1
    low, high = np.full(cells, np.inf), np.full(cells, -np.inf)
    np.minimum.at(low, at, score)
    np.maximum.at(high, at, score)
    yield from (low[held] + (high[held] - low[held]) / 2.0).tolist()
