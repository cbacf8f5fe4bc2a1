"""Kinds of rows by bins of scores, where kinds by the scores themselves would be too many.

Values and curves follow from tables of the scores by themselves, which are as fine as without
weights and clusters. What these tables do not tell is how rows go together: which rows are of one
cluster, and what two models say of the same row. Kinds of rows by coarser bins tell that, and
variances and covariances are made of them. What a variance loses is the spread of scores within
a bin, which is added as that of independent rows. A third of the edges of bins divides the
positive rows into equal parts, a third the negative ones and a third the range of the scores, of
probabilities on the logit scale: ranks differ little within a bin, and losses neither.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from evalreport.engine.counting import queries
from evalreport.engine.counting.answering import CountedRows
from evalreport.engine.counting.binned_scores import BinnedScores
from evalreport.engine.counting.canonical_rows import codes_of
from evalreport.engine.counting.counted_view import BinnedKinds, CountedView
from evalreport.engine.counting.keys import UNUSED, Key
from evalreport.engine.counting.score_counting import Told
from evalreport.engine.counting.scored_kinds import (
    Finer,
    Seen,
    few_kinds,
    in_order,
    keys_of,
    of_model,
    scores_of,
    used_by_any,
)
from evalreport.engine.counting.wanted import TooManyKindsError
from evalreport.metrics.tables import ScoreTable
from evalreport.predict.view import Codes, Floats, LabelView

Edges = tuple[float, ...]

#: How many bins a score may have here: more tell a variance no better, and with fewer it would
#: be a guess.
GRAINS = (200, 150, 100, 75, 50, 40, 30)
#: Where there are at most so many times as many kinds as there is room for, they are counted by and
#: looked at then: to count them before takes as long again.
AT_ONCE = 3


def binned_kinds(
    rows: CountedRows, models: Sequence[Seen], most: int, finer: Finer, crowded: str | None
) -> list[LabelView]:
    """The view of each model, with at most ``most`` kinds told apart by bins of all their scores.

    ``crowded``: a column with more than ``most`` distinct scores, if one is known. Raises
    TooManyKindsError where even a few bins are too many.
    """
    tables, lines = _tables(models, most, finer, crowded)
    keys, scores = keys_of(models), scores_of(models)
    trees, where = [key.tree(rows) for key in keys.values()], used_by_any(rows, models)
    numbers = [queries.read_number(rows.field(column)) for column in scores]
    cells = max(len(one.view.actual) for one in models)
    if any(one.scored is None for one in models):
        # labels that one model gives do not stand in the kinds of the others
        cells = int(rows.ask(queries.how_many(trees, where))["n"][0])
    grain = grain_of(cells, len(scores), most)
    edges = _edges(models, tables, scores, grain or GRAINS[-1], finer)
    binned = list(zip(numbers, (edges[column] for column in scores), strict=True))
    columns = ", ".join([*(key.column for key in keys.values()), *scores])
    too_many = f"by {columns} there are too many kinds of rows, even with bins of scores"
    if grain is None and cells * GRAINS[-1] ** len(scores) > AT_ONCE * most:
        by = [*trees, *(queries.reached(*one) for one in binned)]
        if not few_kinds(rows, by, where, models[0].view.rows, most):
            raise TooManyKindsError(too_many)
    if lines is not None and grain is not None and {*lines.codes} == {*keys}:
        codes, place, times = _added_up(lines, edges[scores[0]])
        own = models[0].known.codes
        codes = {name: _codes_among(key, own[name])[codes[name]] for name, key in keys.items()}
        told = {scores[0]: np.ma.masked_array(place)}
    else:
        answer = rows.ask(queries.binned_kinds(trees, binned, where, rows.times))
        codes = {k: key.read(rows, answer[f"k{i}"]) for i, (k, key) in enumerate(keys.items())}
        told = {column: _places(answer[f"b{i}"]) for i, column in enumerate(scores)}
        times = np.ma.getdata(answer["n"]).astype(np.int64)
        if grain is None and len(times) > most:
            raise TooManyKindsError(too_many)
    codes, told, times = in_order(codes, told, times)
    views: list[LabelView] = []
    for one in models:
        view, used = of_model(one, keys, codes, told, times)
        if one.scored is not None:
            place = np.ma.getdata(told[one.scored])[used]
            view = in_bins(view, place, edges[one.scored], tables[view.model])
        views.append(view)
    return views


def _tables(
    models: Sequence[Seen], most: int, finer: Finer, crowded: str | None
) -> tuple[dict[str, CountedView], Told | None]:
    """By model the view with its tables; and what one count told of all kinds of a model alone."""
    tables, lines = {}, None
    for one in models:
        if one.scored is not None:
            many = most if one.scored == crowded else 0
            tables[one.view.model], lines = finer.tables(one, many)
    return tables, lines if len(models) == 1 else None


def _added_up(lines: Told, edges: Edges) -> tuple[dict[str, Codes], Codes, Codes]:
    """Kinds by bins from a count by finer ones, or by scores: codes, how many edges, and times.

    No line has scores on both sides of an edge: edges are lowest scores of lines, or thresholds.
    """
    place = np.searchsorted(np.asarray(edges), lines.lows, side="right")
    kind = codes_of(*lines.codes.values(), place)
    line = np.zeros(int(kind.max(initial=-1)) + 1, np.intp)
    line[kind] = np.arange(len(kind))  # any line of a kind tells its values
    times = np.bincount(kind, lines.n, len(line)).astype(np.int64)
    return {name: codes[line] for name, codes in lines.codes.items()}, place[line], times


def _codes_among(key: Key, own: Mapping[Any, int]) -> Codes:
    """The code that a key has for each code that a model has, for one of its values."""
    codes = np.full(max(own.values()) + 2, UNUSED, np.int64)  # the last one is that of UNUSED
    for value, code in own.items():
        codes[code] = key.codes[value]
    return codes


def _places(values: Any) -> Any:
    """Places of bins, masked, and alike underneath, where a row has no score."""
    gone = np.ma.getmaskarray(values)
    return np.ma.masked_array(np.ma.filled(values, -1).astype(np.int64), gone)


def grain_of(cells: int, scores: int, most: int) -> int | None:
    """How many bins of each score keep kinds below ``most``; None where no number surely does.

    ``cells``: kinds of rows without scores.

    >>> grain_of(6_000, 1, 2_000_000), grain_of(300, 2, 2_000_000), grain_of(10**6, 1, 2_000_000)
    (200, 75, None)
    """
    return next((grain for grain in GRAINS if cells * grain**scores <= most), None)


def edges_of(table: ScoreTable, cuts: Sequence[float], bins: int) -> Edges:
    """Where bins of scores begin, ascending: at ``cuts``, and at scores of the ``table``.

    At most as many as ``bins`` less one, but for the cuts.
    """
    # bins of the table are taken whole
    ascending = table.scores[::-1]
    parts = np.arange(1, max((bins - len(cuts) - 1) // 3, 1) + 1)
    chosen = [np.asarray(cuts, np.float64)]
    for counts in (table.positives[::-1], table.negatives[::-1]):
        cumulated = np.cumsum(counts, dtype=np.float64)
        if len(cumulated) and cumulated[-1] > 0:
            at = cumulated[-1] * parts / (len(parts) + 1)
            chosen.append(ascending[np.minimum(np.searchsorted(cumulated, at), len(ascending) - 1)])
    if len(ascending):
        scale = _even_scale(ascending)
        even = np.linspace(scale[0], scale[-1], len(parts) + 2)[1:-1]
        chosen.append(ascending[np.searchsorted(scale, even)])
    return tuple(np.unique(np.concatenate(chosen) + 0.0).tolist())


def _even_scale(scores: Floats) -> Floats:
    """Ascending scores on the scale on which losses change evenly: probabilities as log odds."""
    inside = (scores > 0.0) & (scores < 1.0)
    if scores[0] < 0.0 or scores[-1] > 1.0 or not inside.any():
        return scores
    within = np.clip(scores, scores[inside][0], scores[inside][-1])
    return np.asarray(np.log(within) - np.log1p(-within))


def in_bins(view: LabelView, place: Codes, edges: Edges, tables: CountedView) -> BinnedKinds:
    """Kinds of a model with the bins that their scores lie in, and its finer ``tables``.

    ``place``: how many of the ``edges`` the scores of each kind reach, shape (n,).
    """
    table = tables.all_scores
    bin_of = len(edges) - np.searchsorted(np.asarray(edges), table.scores, side="right")
    present, entry = np.unique(len(edges) - place, return_inverse=True)
    starts = np.flatnonzero(np.concatenate([[True], bin_of[1:] != bin_of[:-1]]))
    held = np.searchsorted(bin_of[starts], present)
    assert np.array_equal(bin_of[starts][held], present), "scores that no table has"
    highs = getattr(table, "highs", None)
    tops = table.scores if highs is None else highs
    middles = table.middle.scores if isinstance(table, BinnedScores) else table.scores
    weight = np.asarray(table.positives + table.negatives, np.float64)
    lows = np.minimum.reduceat(table.scores, starts)[held]
    ends = np.maximum.reduceat(tops, starts)[held]
    sums = [np.add.reduceat(own, starts)[held] for own in (weight * middles, weight)]
    centres = np.clip(sums[0] / sums[1], lows, ends)
    own = {one.name: getattr(view, one.name) for one in fields(LabelView)}
    own["score"] = centres[entry.reshape(-1)]
    return BinnedKinds(
        **own,
        centres=centres,
        lows=lows,
        highs=ends,
        score_tables=tables.score_tables,
        bins=tables.bins,
        low=tables.low,
        high=tables.high,
    )


def _edges(
    models: Sequence[Seen],
    tables: Mapping[str, CountedView],
    scores: Sequence[str],
    grain: int,
    finer: Finer,
) -> dict[str, Edges]:
    """By column of scores; models of the same column share its edges."""
    found = {}
    for column in scores:
        own = [tables[one.view.model] for one in models if one.scored == column]
        cuts = sorted({float(number) for view in own for number in finer.numbers(view)})
        found[column] = edges_of(own[0].all_scores, cuts, grain)
    return found
