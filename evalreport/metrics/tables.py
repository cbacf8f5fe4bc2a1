"""The tables every number is computed from.

Engines build these and nothing else; all mathematics after them is one code.

- :class:`Counts`: one class against the rest, four cells.
- :class:`Matrix`: the K x K classification table, rows actual, columns predicted.
- :class:`ScoreTable`: the distinct scores of one class, highest first, with the
  weight of actual positives and actual negatives at each.
- :class:`ClassScores`: what K columns of class scores are reduced to.

Cells may hold whole numbers, sums of weights, or numpy arrays (a stack of
resampled tables); formulas do not care.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from evalreport.metrics.formula import Cell
from evalreport.statistics.exact_sums import exact_sum

Floats = npt.NDArray[np.float64]


class Counts:
    """One class against the rest: true and false positives and negatives.

    >>> c = Counts(tp=8, fp=2, fn=4, tn=6)
    >>> c.tp.value, c.positives.exact(), c.n.exact()
    (8, 12, 20)
    """

    def __init__(self, tp: Any, fp: Any, fn: Any, tn: Any) -> None:
        self.tp = Cell("TP", tp)
        self.fp = Cell("FP", fp)
        self.fn = Cell("FN", fn)
        self.tn = Cell("TN", tn)

    @property
    def positives(self) -> Any:
        """Rows actually of the class: TP + FN."""
        return self.tp + self.fn

    @property
    def negatives(self) -> Any:
        """Rows actually of the rest: FP + TN."""
        return self.fp + self.tn

    @property
    def predicted_positives(self) -> Any:
        """Rows predicted to be of the class: TP + FP."""
        return self.tp + self.fp

    @property
    def n(self) -> Any:
        """All rows."""
        return self.tp + self.fp + self.fn + self.tn

    def __repr__(self) -> str:
        return (
            f"Counts(tp={self.tp.value}, fp={self.fp.value}, "
            f"fn={self.fn.value}, tn={self.tn.value})"
        )


class Matrix:
    """The K x K classification table; rows are actual, columns predicted.

    Built from its non-zero cells, so 60,000 classes cost what their cells cost.
    ``unplaced`` counts, per actual class, rows whose prediction is none of the
    classes (indeterminate predictions counted against the model).

    >>> m = Matrix.from_counts([[329, 21], [33, 177]])
    >>> m.correct.value, m.n.value, m.row_totals, m.column_totals
    (506, 560, [350, 210], [362, 198])
    """

    def __init__(
        self,
        size: int,
        cells: Mapping[tuple[int, int], Any],
        unplaced: Sequence[Any] | None = None,
    ) -> None:
        self.size = size
        self.cell_counts = dict(cells)
        self.unplaced = list(unplaced) if unplaced is not None else [0] * size
        rows: list[Any] = list(self.unplaced)
        columns: list[Any] = [0] * size
        diagonal: list[Any] = [0] * size
        for (actual, predicted), count in self.cell_counts.items():
            rows[actual] = rows[actual] + count
            columns[predicted] = columns[predicted] + count
            if actual == predicted:
                diagonal[actual] = count
        self.row_totals, self.column_totals, self.diagonal = rows, columns, diagonal

    @classmethod
    def from_counts(cls, counts: Sequence[Sequence[Any]]) -> Matrix:
        """From a dense K x K list of lists of Python numbers (or of equal-shaped arrays)."""
        cells = {
            (i, j): count
            for i, row in enumerate(counts)
            for j, count in enumerate(row)
            if not (isinstance(count, (int, float)) and count == 0)
        }
        return cls(len(counts), cells)

    @cached_property
    def n(self) -> Cell:
        """All rows."""
        return Cell("n", _total(self.row_totals))

    @cached_property
    def correct(self) -> Cell:
        """Rows whose predicted class is the actual one: the diagonal."""
        return Cell("correct", _total(self.diagonal))

    @cached_property
    def chance(self) -> Cell:
        """Sum over classes of row total times column total."""
        products = [r * c for r, c in zip(self.row_totals, self.column_totals, strict=True)]
        return Cell("sum(row * column)", _total(products))

    @cached_property
    def row_squares(self) -> Cell:
        """Sum over classes of the squared row total."""
        return Cell("sum(row^2)", _total([r * r for r in self.row_totals]))

    @cached_property
    def column_squares(self) -> Cell:
        """Sum over classes of the squared column total."""
        return Cell("sum(column^2)", _total([c * c for c in self.column_totals]))

    def one_versus_rest(self, index: int) -> Counts:
        """The four cells of one class against all others."""
        tp = self.diagonal[index]
        fn = _rest(self.row_totals[index], tp)
        fp = _rest(self.column_totals[index], tp)
        return Counts(tp=tp, fp=fp, fn=fn, tn=_rest(self.n.value, tp, fn, fp))

    def pooled(self) -> Counts:
        """The one-versus-rest cells of all classes added up (micro average)."""
        tp = self.correct.value
        fn = _rest(self.n.value, tp)
        fp = _rest(_total(self.column_totals), tp)
        return Counts(tp=tp, fp=fp, fn=fn, tn=_rest(self.size * self.n.value, tp, fn, fp))


def _rest(whole: Any, *parts: Any) -> Any:
    """What is left of a total; of sums of weights 0 where no more is left than their rounding.

    A cell that comes out as -3e-14 would be a count below 0, and a share of it no share.

    >>> _rest(10, 4, 6), _rest(0.1 + 0.2, 0.3), _rest(1.5, 1.0)
    (0, 0.0, 0.5)
    """
    left = whole
    for part in parts:
        left = left - part
    if isinstance(left, float):
        return 0.0 if abs(left) <= ROUNDING * abs(whole) else left
    if isinstance(left, np.ndarray) and left.dtype.kind == "f":
        return np.where(np.abs(left) <= ROUNDING * np.abs(whole), 0.0, left)
    return left


def _total(parts: Sequence[Any]) -> Any:
    total: Any = 0
    for part in parts:
        total = total + part
    return total


def summed(name: str, parts: npt.NDArray[Any], stacked: bool) -> Cell:
    """The sum over the last axis as a named cell.

    A Python int for whole numbers, the exactly rounded float for others, and an
    array over the leading axes for a stack of tables.

    >>> summed("loss", np.array([0.1] * 10), stacked=False).value
    1.0
    """
    if stacked:
        return Cell(name, parts.sum(axis=-1))
    if np.issubdtype(parts.dtype, np.integer) or parts.dtype == object:
        return Cell(name, int(parts.sum()))
    return Cell(name, exact_sum(np.asarray(parts, np.float64)))


def pooled(tables: Sequence[ScoreTable]) -> ScoreTable:
    """One table of all entries: each row counts once for every class that it has a score of.

    Tables of draws, shape (..., D) each, are pooled draw by draw.

    >>> first = ScoreTable(np.array([0.9, 0.4]), np.array([1, 0]), np.array([0, 2]))
    >>> other = ScoreTable(np.array([0.6, 0.4]), np.array([1, 1]), np.array([0, 1]))
    >>> both = pooled([first, other])
    >>> both.scores.tolist(), both.positives.tolist(), both.negatives.tolist()
    ([0.9, 0.6, 0.4], [1, 1, 1], [0, 0, 3])
    """
    every = np.concatenate([table.scores for table in tables])
    order = np.argsort(-every, kind="stable")
    together = zip(*(table.parts for table in tables), strict=False)
    return joined(every[order], *(np.concatenate(own, axis=-1)[..., order] for own in together))


def joined(scores: Floats, *parts: npt.NDArray[Any]) -> ScoreTable:
    """The table of entries that fall by their scores, of which those with one score become one.

    ``parts``: as :attr:`ScoreTable.parts`.
    """
    starts = np.flatnonzero(np.concatenate([[True], scores[1:] != scores[:-1]])[: len(scores)])
    if len(starts) < len(scores):
        scores, parts = scores[starts], tuple(np.add.reduceat(p, starts, axis=-1) for p in parts)
    positives, negatives, *squared = parts
    return ScoreTable(scores, positives, negatives, (squared[0], squared[1]) if squared else None)


#: Products of counts up to here are summed in 64 bits.
_LARGEST_PRODUCT = 1 << 62


#: Share of a total below which what is left of it is nothing but rounding.
ROUNDING = 1e-13


@dataclass(frozen=True, eq=False)
class Squares:
    """Squares of weights, made of the part that is looked at."""

    weights: Floats

    def __getitem__(self, part: Any) -> Floats:
        return np.asarray(self.weights[part] ** 2)


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Distinct scores of one class, highest first, and the weight of each kind of row there.

    ``scores`` has shape (D,), strictly decreasing. ``positives`` and
    ``negatives`` have shape (..., D): leading axes are stacks of resampled
    tables. Whole numbers are int64, sums of weights float64. Rows with equal
    scores share an entry, so nothing can depend on the order of rows.

    ``squared``: sums of squared weights of positives and of negatives, or None where every row
    weighs 1. Where ``single`` each score is that of one row, and they follow from its weight.
    """

    scores: Floats
    positives: npt.NDArray[Any]
    negatives: npt.NDArray[Any]
    squared: tuple[Floats, Floats] | None = None
    single: bool = False

    @property
    def squares(self) -> tuple[Any, Any] | None:
        """Sums of squared weights of positives and of negatives, to be taken by parts."""
        if self.single:
            return Squares(self.positives), Squares(self.negatives)
        return self.squared

    @property
    def parts(self) -> tuple[npt.NDArray[Any], ...]:
        """Positives and negatives at each score, and their squared weights where they have some."""
        return self.positives, self.negatives, *(own[...] for own in self.squares or ())

    def at(self, chosen: Any) -> ScoreTable:
        """The table of the chosen scores only."""
        positives, negatives, *squared = (
            own[..., chosen] for own in (self.positives, self.negatives, *(self.squared or ()))
        )
        pair = (squared[0], squared[1]) if squared else None
        return ScoreTable(self.scores[chosen], positives, negatives, pair, self.single)

    def without_overflow(self) -> ScoreTable:
        """The same table, as exact Python numbers where products of counts leave 64 bits.

        Only tables of more than some 10^9 rows of each class pay for it.
        """
        whole = np.issubdtype(self.positives.dtype, np.integer)
        if self.stacked or not whole or not len(self.scores):
            return self
        if int(self.positive_total) * int(self.negative_total) < _LARGEST_PRODUCT:
            return self
        return ScoreTable(self.scores, self.positives.astype(object), self.negatives.astype(object))

    @cached_property
    def positive_total(self) -> Any:
        """Weight of all actual positives, shape (...)."""
        return self._total(self.positives, self.actual_positives)

    @cached_property
    def negative_total(self) -> Any:
        """Weight of all actual negatives, shape (...)."""
        return self._total(self.negatives, self.actual_negatives)

    def _total(self, parts: npt.NDArray[Any], total: Cell) -> Any:
        if self.stacked or not np.issubdtype(parts.dtype, np.floating):
            return parts.sum(axis=-1)
        return np.float64(total.value)

    @cached_property
    def total(self) -> Any:
        """Weight of all rows, shape (...)."""
        return self.positive_total + self.negative_total

    @property
    def true_positives(self) -> npt.NDArray[Any]:
        """TP when the threshold is each score in turn (``>=``), shape (..., D)."""
        return self._cumulated(self.positives, self.positive_total)

    @property
    def false_positives(self) -> npt.NDArray[Any]:
        """FP when the threshold is each score in turn (``>=``), shape (..., D)."""
        return self._cumulated(self.negatives, self.negative_total)

    def _cumulated(self, parts: npt.NDArray[Any], total: Any) -> npt.NDArray[Any]:
        """Sums over the highest scores; those of weights end at the total.

        Else rounding on the way would take a share above 1 and what is left below 0.
        """
        sums = np.cumsum(parts, axis=-1)
        if len(self.scores) and np.issubdtype(sums.dtype, np.floating):
            np.minimum(sums, np.asarray(total)[..., None], out=sums)
            sums[..., -1] = total
            if not self.stacked:
                sums[len(parts) - 1 - int(np.argmax(parts[::-1] != 0)) :] = total
        return sums

    def _above(self, counts: list[int], parts: npt.NDArray[Any], total: Any) -> list[Any]:
        """What :meth:`_cumulated` gives for so many highest scores; whole numbers need no more.

        Each of shape (...).
        """
        if not np.issubdtype(parts.dtype, np.floating):
            ends = sorted({0, *counts})
            between = [parts[..., i:j].sum(axis=-1) for i, j in itertools.pairwise(ends)]
            found = dict(zip(ends, itertools.accumulate(between, initial=total * 0), strict=True))
            return [found[k] for k in counts]
        sums = self._cumulated(parts, total)
        return [sums[..., k - 1] if k else total * 0 for k in counts]

    @property
    def stacked(self) -> bool:
        """Whether this is a stack of resampled tables."""
        return self.positives.ndim > 1

    def cell(self, name: str, parts: npt.NDArray[Any]) -> Cell:
        """The sum of ``parts``, shape (..., D), over the scores, as a named cell."""
        return summed(name, parts, self.stacked)

    @cached_property
    def actual_positives(self) -> Cell:
        """Rows actually of the class: P."""
        return self.cell("P", self.positives)

    @cached_property
    def actual_negatives(self) -> Cell:
        """Rows actually of the rest: N."""
        return self.cell("N", self.negatives)

    @cached_property
    def rows(self) -> Cell:
        """All rows: n."""
        return Cell("n", self.actual_positives.value + self.actual_negatives.value)

    def counts_at(self, threshold: float) -> Counts:
        """The four cells at ``score >= threshold``; a threshold above all scores predicts none."""
        return self.counts_at_each([threshold])[0]

    def counts_at_each(self, thresholds: Sequence[float]) -> list[Counts]:
        """The same at each of several thresholds, for which weights are cumulated once."""
        places = len(self.scores) - np.searchsorted(self.scores[::-1], thresholds)
        above: list[int] = places.tolist()
        if self._weighs and len(self.scores) <= _ADDED_EACH_TIME:
            return [self._added_up(k) for k in above]
        p, n = self.positive_total, self.negative_total
        tp = self._above(above, self.positives, p)
        fp = self._above(above, self.negatives, n)
        if not self.stacked:
            kind = float if self._weighs else int
            tp, fp, p, n = [kind(a) for a in tp], [kind(b) for b in fp], kind(p), kind(n)
        return [Counts(tp=a, fp=b, fn=p - a, tn=n - b) for a, b in zip(tp, fp, strict=True)]

    def _added_up(self, k: int) -> Counts:
        """The cells of weights where the ``k`` highest scores are predicted, each rounded once."""
        tp, fn, fp, tn = (
            exact_sum(np.asarray(part, np.float64))
            for parts in (self.positives, self.negatives)
            for part in (parts[:k], parts[k:])
        )
        return Counts(tp=tp, fp=fp, fn=fn, tn=tn)

    @property
    def _weighs(self) -> bool:
        """Whether the counts are sums of weights of one table."""
        parts = (self.positives, self.negatives)
        return not self.stacked and any(np.issubdtype(part.dtype, np.floating) for part in parts)


#: So many distinct scores are added up again at each threshold, for cells that are rounded once.
_ADDED_EACH_TIME = 10_000


@dataclass(frozen=True, eq=False)
class ClassScores:
    """What K columns of class scores are reduced to, classes in declared order.

    ``per_class``: one-versus-rest score table of each class on its own column.
    ``true_scores``, ``true_weights``: distinct scores given to the actual class,
    with the weight of the rows that got them. ``ranks``: weight of rows by the
    rank (0 = first) of the actual class among the scores; ties count by their
    place in class order, as the predicted class does. ``pairs[i, j]``: rows
    of classes i and j only, scored by column i, class i positive.
    """

    labels: tuple[str, ...]
    per_class: tuple[ScoreTable, ...]
    true_scores: Floats
    true_weights: npt.NDArray[Any]
    ranks: npt.NDArray[Any]
    class_totals: npt.NDArray[Any]
    pairs: Mapping[tuple[int, int], ScoreTable] = field(default_factory=dict)

    @property
    def stacked(self) -> bool:
        """Whether this is a stack of resampled tables."""
        return self.class_totals.ndim > 1

    def cell(self, name: str, parts: npt.NDArray[Any]) -> Cell:
        """The sum of ``parts`` over the last axis as a named cell."""
        return summed(name, parts, self.stacked)

    @cached_property
    def rows(self) -> Cell:
        """All rows: n."""
        return self.cell("n", self.class_totals)


T = TypeVar("T")
Further = ParamSpec("Further")


def once_for_each_table(
    build: Callable[Concatenate[ScoreTable, Further], T],
) -> Callable[Concatenate[ScoreTable, Further], T]:
    """What takes long and several metrics ask for is made once for each table, while it lasts.

    What is made must not hold the table.
    """
    known: WeakKeyDictionary[ScoreTable, dict[Any, T]] = WeakKeyDictionary()

    @wraps(build)
    def kept(table: ScoreTable, /, *args: Further.args, **named: Further.kwargs) -> T:
        found = known.setdefault(table, {})
        key = (args, tuple(sorted(named.items())))
        if key not in found:
            found[key] = build(table, *args, **named)
        return found[key]

    return kept
