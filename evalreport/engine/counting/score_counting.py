"""Score tables from queries: exact while distinct scores are few, in bins beyond."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.data.known_labels import Labels
from evalreport.data.label_column import label_column
from evalreport.data.roles import Roles
from evalreport.data.score_bins import ScoreBins
from evalreport.data.table import RawTable
from evalreport.data.types import ColumnType, with_types
from evalreport.engine.counting import queries
from evalreport.engine.counting.answering import Columns, CountedRows
from evalreport.engine.counting.binned_scores import BinnedScores
from evalreport.engine.counting.canonical_rows import codes_of
from evalreport.engine.counting.counted_rows import TARGET, WEIGHT, Known, known
from evalreport.engine.counting.counted_view import FOLD, CountedView, with_tables
from evalreport.engine.counting.in_intervals import in_intervals
from evalreport.engine.counting.keys import Key
from evalreport.engine.counting.queries import Binning
from evalreport.engine.counting.wanted import NotPlainError, TooManyKindsError
from evalreport.errors import DataError, LimitError, Location, Problem
from evalreport.metrics.tables import ScoreTable
from evalreport.plan.inputs import default_threshold
from evalreport.predict.columns import (
    from_checked,
    plain_thresholds,
    roles_of,
    rules_of,
    said_in,
    source_of,
)
from evalreport.predict.labels_beside_scores import Scored, agreement
from evalreport.predict.view import LabelView
from evalreport.spec.model import Spec
from evalreport.statistics.numbering import numbered, tallied

Codes = npt.NDArray[np.int64]
Tables = dict[tuple[int, ...], ScoreTable]

#: Edges k / bins then hold every threshold of two decimals, and the tenths of calibration.
EDGES = 100


@dataclass(frozen=True)
class Room:
    """``entries``: distinct scores that one table may hold; ``bins``: how many beyond that.

    Tables of all values of a subgroup together may hold eight times as many entries. ``kinds``:
    of rows that have weights or clusters, by all that each holds. With ``apart`` scores are not
    binned, because a threshold is not known beforehand.
    """

    entries: int
    bins: int
    apart: bool = False
    kinds: int = 1_000_000

    @property
    def together(self) -> int:
        """Entries of the tables of one subgroup column together."""
        return 8 * self.entries

    @property
    def rounded_bins(self) -> int:
        """The number of bins, rounded up to a multiple of 100."""
        return EDGES * math.ceil(self.bins / EDGES)


def counted_view(
    rows: CountedRows,
    spec: Spec,
    dataset: str,
    model: str,
    crossings: Sequence[tuple[str, ...]],
    thresholds: Sequence[float],
    room: Room,
    classes: tuple[str, ...] = (),
) -> tuple[LabelView, Known]:
    """A dataset as one model sees it, from counts alone; and what is known of its rows.

    ``crossings`` are the subgroup columns to count by, ``thresholds`` the numbers that
    scores are held against, ``classes`` those known from elsewhere. Raises DataError where the
    rows are not in order, LimitError where the tables would not fit.
    """
    subgroups = tuple(dict.fromkeys(column for crossing in crossings for column in crossing))
    roles = roles_of(spec.datasets[dataset], spec.models[model], subgroups)
    rules = rules_of(spec, dataset)
    rows = in_intervals(rows, {c: rules.bins[c] for c in subgroups if c in rules.bins})
    found = known(rows, roles, rules, _types(spec, dataset, rows), classes)
    source = source_of(spec.models[model])
    found = _with_agreement(rows, spec, dataset, model, found)
    seen = _seen(dataset, model, source, found)
    held = rows.binned.get(str(roles.score or roles.margin))
    if roles.weight is not None or roles.cluster is not None:
        if held is not None:
            raise NotPlainError("rows have weights or clusters, and scores are known by their bins")
        return seen, found
    if source == "prediction":
        return with_tables(seen, {}, None, found.low, found.high), found
    if held is not None:
        at = plain_thresholds(spec, source)
        _check_edges(rows.name, str(roles.score or roles.margin), held, at)
    return with_scores(rows, seen, found, crossings, thresholds, room, held)[0], found


def with_scores(
    rows: CountedRows,
    seen: LabelView,
    found: Known,
    crossings: Sequence[tuple[str, ...]],
    thresholds: Sequence[float],
    room: Room,
    held: ScoreBins | None = None,
    many: int = 0,
) -> tuple[CountedView, Told | None]:
    """Kinds of rows with the tables of scores of all rows, of each subgroup and of each fold.

    Sums of weights where rows have weights. ``held``: the bins by which alone scores are known;
    ``many``: there are more distinct scores than that. And what was told of all columns that kinds
    of rows are told apart by, where one count did.
    """
    binning = None
    if held is None:
        binning = _binning(rows, found.roles, found, crossings, thresholds, room, seen.source, many)
    groupings = [*crossings, *([(FOLD,)] if found.checked.fold is not None else [])]
    tables, told = _counted(rows, found.roles, found, groupings or [()], binning)
    bins = None if binning is None else binning.bins
    if held is not None:
        tables = {by: {k: _held(t, held) for k, t in own.items()} for by, own in tables.items()}
        bins = len(held.lows)
    return with_tables(seen, tables, bins, found.low, found.high), told


def _types(spec: Spec, dataset: str, rows: CountedRows) -> Mapping[str, ColumnType]:
    """The declared types of columns that this count reads."""
    return {c: kind for c, kind in spec.datasets[dataset].types.items() if c in rows.header}


def _with_agreement(rows: CountedRows, spec: Spec, dataset: str, model: str, found: Known) -> Known:
    """What is known, with whether labels beside the scores are those of a threshold.

    Counted by the label and the thresholds that the score reaches. Raises DataError where there
    is no column of labels, NotPlainError where scores are known by their bins.
    """
    column, roles = said_in(spec.models[model]), found.roles
    if column is None:
        return found
    if column not in rows.header:
        raise DataError(Problem(f"{rows.name} has no column '{column}'", ""))
    scored = str(roles.score or roles.margin)
    if scored in rows.binned:
        raise NotPlainError("labels stand beside scores that are known by their bins")
    source = source_of(spec.models[model])
    at = plain_thresholds(spec, source) or (default_threshold(source),)
    score = queries.number(rows.field(scored))
    keys = [rows.field(column).value, queries.reached(score, sorted({*at}))]
    answer = rows.ask(queries.ranges(keys, score, found.where, rows.times))
    labels = rows.column(column, rows.field(column).kind, answer["k0"])
    n = np.ma.getdata(answer["n"]).astype(np.int64)
    raw = RawTable(rows.name, len(n), rows.header, {column: labels}, times=n)
    types = spec.datasets[dataset].types
    own = {column: types[column]} if column in types else {}
    raw = rules_of(spec, dataset).reading(with_types(raw, own))
    low, high = (np.ma.getdata(answer[name]).astype(np.float64) for name in ("low", "high"))
    given = Scored(raw, np.arange(len(n)), low, high, n)
    told = agreement(given, column, model, found.checked, at)
    checked = replace(
        found.checked,
        findings=(*found.checked.findings, *told),
        known=found.checked.known + Labels(beside=label_column(raw, column).labels),
    )
    return replace(found, checked=checked)


def _check_edges(name: str, column: str, held: ScoreBins, thresholds: Sequence[float]) -> None:
    """Raise DataError for a threshold within a bin: nobody knows how many scores reach it."""
    problems = [
        Problem(
            f"the threshold {threshold:g} lies within a bin of {column}",
            "a threshold at an edge of its bins, or finer bins",
            Location(name),
        )
        for threshold in thresholds
        if held.inside(threshold)
    ]
    if problems:
        raise DataError(*problems)


def _held(table: ScoreTable, held: ScoreBins | None) -> ScoreTable:
    """A table of lower edges as one of bins, where scores are known by their bins alone."""
    if held is None:
        return table
    highs = held.highs[np.searchsorted(held.lows, table.scores)]
    counts = table.positives, table.negatives
    return BinnedScores(table.scores, *counts, highs=highs, bins=len(held.lows))


def _seen(dataset: str, model: str, source: str, found: Known) -> LabelView:
    """Kinds of rows as a model sees them, whatever is known of their scores."""
    # the score of a kind stands for those that were looked at to check them all
    view = from_checked(dataset, model, found.checked, source)
    return replace(view, score=None, row=np.arange(len(view.actual)), times=found.times)


def _binning(
    rows: CountedRows,
    roles: Roles,
    found: Known,
    crossings: Sequence[tuple[str, ...]],
    thresholds: Sequence[float],
    room: Room,
    source: str,
    many: int,
) -> Binning | None:
    """None where every distinct score, of which there are more than ``many``, can have an entry."""
    count = int(found.times.sum())
    score = rows.field(str(roles.score or roles.margin))
    groups = max([1, *(len(_combinations(found, c)) for c in crossings)])
    groups *= 1 if found.checked.weight is None else len(np.unique(found.checked.weight))
    distinct = count
    if count > room.entries > many:
        distinct = _distinct(rows, score, found, room.entries)
    if distinct <= room.entries and min(count, 2 * distinct * groups) <= room.together:
        return None
    if room.apart:
        raise TooManyKindsError(
            f"a threshold is chosen on another dataset, and there are more than {room.entries:,} "
            "distinct scores"
        )
    bins = room.rounded_bins
    if found.checked.weight is not None:
        # rows are counted by weight as well, before weights are added up
        bins = max(min(bins, room.together // (8 * groups) // EDGES * EDGES), EDGES)
    if min(count, 2 * bins * groups) > room.together:
        columns = max(crossings, key=lambda c: len(_combinations(found, c)))
        raise LimitError(
            Problem(
                f"{rows.name}: {groups:,} subgroups by {', '.join(columns)} with {bins:,} bins of "
                "scores each do not fit in memory",
                "raise engine.memory_limit, or ask for fewer engine.bins",
                Location(rows.name),
            )
        )
    low, high = found.low, found.high
    assert low is not None
    assert high is not None
    if source == "score" and low >= 0 and high <= 1:
        # A score of exactly 0 has a logarithm of its own.
        return Binning(bins, 0.0, 1.0, tuple(sorted({*thresholds, 0.0})))
    if not math.isfinite(high - low):
        raise DataError(
            Problem(
                f"{rows.name}: scores from {low:g} to {high:g} are too far apart to be binned",
                "raise engine.memory_limit",
                Location(rows.name),
            )
        )
    return Binning(bins, low, high, tuple(sorted(thresholds)))


def _distinct(rows: CountedRows, score: queries.Field, found: Known, limit: int) -> int:
    """How many distinct scores there are, or a number beyond the limit."""
    for first in (limit + limit // 4, None):
        query = queries.distinct_scores(score, found.where, first)
        distinct = int(rows.ask(query)["n"][0])
        if distinct > limit:
            break
    return distinct


def _combinations(found: Known, columns: Sequence[str]) -> npt.NDArray[Any]:
    """Every combination of codes of the columns that occurs, shape (combinations, columns)."""
    folds = found.checked.fold
    codes = [
        folds[0] if c == FOLD and folds is not None else found.checked.groups[c][0] for c in columns
    ]
    return np.unique(np.stack(codes, axis=1), axis=0) if codes else np.zeros((1, 0), np.int64)


def _counted(
    rows: CountedRows,
    roles: Roles,
    found: Known,
    groupings: Sequence[tuple[str, ...]],
    binning: Binning | None,
) -> tuple[dict[tuple[str, ...], Tables], Told | None]:
    """The score tables of all rows, and of every combination of values of each grouping.

    All rows are added up from the grouping with the fewest combinations. And what a count told
    that was by all columns of the groupings.
    """
    columns, whole = {column for by in groupings for column in by}, None
    fewest = min(groupings, key=lambda by: len(_combinations(found, by)), default=())
    tables: dict[tuple[str, ...], Tables] = {}
    for by in [fewest, *(other for other in groupings if other != fewest)]:
        told = _asked(rows, roles, found, by, binning)
        tables[by] = _cut(told, by, binning)
        if () not in tables:
            tables[()] = _cut(told, (), binning)
        if columns == {*by}:
            whole = told
    return tables, whole


@dataclass(frozen=True, eq=False)
class Told:
    """What a count told, line by line: how many rows there are of each class, group and score.

    ``entry`` tells entries of a table apart, in the order of their scores, of which ``lows`` and
    ``highs`` are the ends. ``codes``: of the true class, of the columns counted by and, where
    rows have weights, of the place among ``weights``, which ascend. All others of shape (lines,).
    """

    entry: npt.NDArray[Any]
    lows: npt.NDArray[np.float64]
    highs: npt.NDArray[np.float64]
    n: Codes
    positive: npt.NDArray[np.bool_]
    codes: Mapping[str, Codes]
    weights: npt.NDArray[np.float64] | None


def _asked(
    rows: CountedRows, roles: Roles, found: Known, by: tuple[str, ...], binning: Binning | None
) -> Told:
    """The answer to one count by class, by the columns ``by``, by weight and by score."""
    names = [roles.target, *(str(roles.fold) if column == FOLD else column for column in by)]
    columns = [TARGET, *by]
    if found.checked.weight is not None:
        names, columns = [*names, str(roles.weight)], [*columns, WEIGHT]
    keys = [Key(name, found.codes[column]) for name, column in zip(names, columns, strict=True)]
    score = rows.field(str(roles.score or roles.margin))
    trees = [key.tree(rows) for key in keys]
    where = _with_units(rows, roles, found.where)
    answer = rows.ask(queries.score_counts(trees, score, where, binning, rows.times))
    codes = {
        column: key.read(rows, answer[f"k{i}"])
        for i, (column, key) in enumerate(zip(columns, keys, strict=True))
    }
    index, entry = found.checked.positive, _entries(answer, binning)
    positive = codes[TARGET] == (len(found.checked.labels) - 1 if index is None else index)
    return Told(
        entry,
        entry if binning is None else np.ma.getdata(answer["low"]).astype(np.float64) + 0.0,
        entry if binning is None else np.ma.getdata(answer["high"]).astype(np.float64) + 0.0,
        np.ma.getdata(answer["n"]).astype(np.int64),
        np.asarray(positive),
        codes,
        None if found.checked.weight is None else np.unique(found.checked.weight),
    )


def _with_units(rows: CountedRows, roles: Roles, where: queries.Tree | None) -> Any:
    """The condition of a used row, which has a weight above 0 and a cluster where others have."""
    if where is None:
        return None
    units = [] if roles.cluster is None else [queries.there(rows.field(roles.cluster))]
    units += [] if roles.weight is None else [queries.above_zero(rows.field(roles.weight))]
    return queries.all_of([where, *units])


def _entries(answer: Columns, binning: Binning | None) -> npt.NDArray[Any]:
    """What tells entries apart, in the order of their scores."""
    if binning is None:
        return np.ma.getdata(answer["s"]).astype(np.float64) + 0.0
    steps = 2 * len(binning.cuts) + 1
    whole = np.ma.getdata(answer["bin"]).astype(np.int64) * steps
    return np.asarray(whole + np.ma.getdata(answer["step"]).astype(np.int64))


def _cut(told: Told, by: Sequence[str], binning: Binning | None) -> Tables:
    """A table for each combination of values of the columns ``by``, of entries from the highest on.

    Lines are not sorted but numbered: that takes a tenth of the time.
    """
    if not len(told.entry):
        return {}
    group = codes_of(*(told.codes[column] for column in by)) if by else 0 * told.n
    entries, entry = numbered(told.entry)
    place, of_line = numbered((group + 1) * len(entries) - 1 - entry)
    table = _summed(told, of_line, len(place))
    if binning is None:
        table = replace(table, scores=entries[len(entries) - 1 - place % len(entries)])
    else:
        lows, highs = np.full(len(place), np.inf), np.full(len(place), -np.inf)
        np.minimum.at(lows, of_line, told.lows)
        np.maximum.at(highs, of_line, told.highs)
        table = BinnedScores(
            lows,
            table.positives,
            table.negatives,
            table.squares_positive,
            table.squares_negative,
            highs=highs,
            bins=binning.bins,
        )
    line = np.zeros(int(group.max()) + 1, np.intp)
    line[group] = np.arange(len(group))  # any line of a group tells its values
    starts = np.searchsorted(place // len(entries), np.arange(len(line) + 1)).tolist()
    return {
        tuple(int(told.codes[column][one]) for column in by): _part(table, slice(start, end))
        for one, (start, end) in zip(line.tolist(), pairwise(starts), strict=True)
    }


def _part(table: ScoreTable, part: slice) -> ScoreTable:
    """Some of the entries of a table."""
    own = {one.name: getattr(table, one.name) for one in fields(table)}
    return replace(
        table, **{k: held[part] for k, held in own.items() if isinstance(held, np.ndarray)}
    )


def _summed(told: Told, of_line: Codes, size: int) -> ScoreTable:
    """Positives and negatives of each entry, whose scores are left open; weights added up.

    ``of_line``: the entry that each line belongs to. Equal weights of an entry are counted before
    they are added, smallest first, as :func:`.memory.summed` does it of rows.
    """
    side = 2 * of_line + ~told.positive
    if told.weights is None:
        counts = np.bincount(side, told.n, 2 * size).astype(np.int64).reshape(size, 2)
        return ScoreTable(np.zeros(0), *counts.T.copy())
    width = len(told.weights)
    sums: list[npt.NDArray[np.float64]] = []
    once = tallied(side * width + told.codes[WEIGHT], told.n)
    for power in (1, 2):
        weights, alike = np.unique(told.weights**power, return_inverse=True)
        of, many = once
        if len(weights) < width:  # squares of tiny weights
            of, many = tallied(of // width * len(weights) + alike[of % width], many)
        worth = weights[of % len(weights)] * many
        own = np.bincount(of // len(weights), worth, 2 * size).astype(np.float64)
        sums += list(own.reshape(size, 2).T.copy())
    return ScoreTable(np.zeros(0), *sums)
