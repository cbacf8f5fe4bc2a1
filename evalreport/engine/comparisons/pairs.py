"""Two models on the rows that both use, in the same order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from evalreport.engine.counting.canonical_rows import canonical_rows, codes_of
from evalreport.engine.counting.memory import MemoryTables
from evalreport.engine.counting.set_tables import tables_of
from evalreport.engine.measures import Measurer
from evalreport.engine.metric_values import Evaluated
from evalreport.engine.settings import Settings
from evalreport.engine.thresholds import Resolved
from evalreport.metrics.catalogue import metric_named
from evalreport.metrics.declare import Metric, Table
from evalreport.metrics.properties import share_of
from evalreport.metrics.tables import Counts, Matrix
from evalreport.plan.task import Task, ThresholdRequest
from evalreport.predict.view import LabelView
from evalreport.results.identity import EVERYTHING, Slice
from evalreport.results.records import Calls, JointCalls, JointTable

if TYPE_CHECKING:
    from evalreport.engine.run_state import Key, RunState

T = TypeVar("T")
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Thresholds = Mapping[ThresholdRequest, Resolved]


@dataclass(frozen=True, eq=False)
class Side:
    """One model of a comparison with its tables; ``where`` is always all rows."""

    view: LabelView
    tables: MemoryTables
    settings: Settings
    thresholds: Thresholds

    @cached_property
    def measurer(self) -> Measurer:
        """What computes values of these rows."""
        return Measurer(self.view, self.tables, self.settings, self.thresholds)

    def value(self, task: Task) -> Evaluated:
        """The value of a task on these rows, without its interval."""
        return self.measurer.compute(replace(task, interval=None)).evaluated

    def threshold(self, task: Task) -> Resolved:
        """The threshold of a task as it applies."""
        return Resolved(None) if task.threshold is None else self.thresholds[task.threshold]

    def predicted(self, task: Task) -> npt.NDArray[Any]:
        """Predicted label codes of a task, see :meth:`predicted_at`."""
        return self.predicted_at(self.threshold(task).number)

    def predicted_at(self, threshold: float | None) -> npt.NDArray[Any]:
        """Predicted label codes; an indeterminate prediction is a wrong one.

        With two classes it is the other class, with more the code K: none of them.
        """
        size = len(self.view.labels)
        codes = self.tables.predicted(threshold)
        within = codes < size
        if within.all():
            return codes
        return np.where(within, codes, 1 - self.view.actual if size == 2 else size)

    def metric(self, task: Task) -> Metric:
        """The metric of a task as it reads the scores of this model."""
        return self.measurer.metric_of(task)

    def class_index(self, task: Task) -> int:
        """Code of the class that a task's value belongs to."""
        return self.measurer.class_index(task)

    def column(self, task: Task) -> int | None:
        """Column of the class scores that is of the task; None where there is one score."""
        return self.measurer.column(task)

    def scores(self, task: Task) -> Floats:
        """The score of every row for the class of the task, shape (n,)."""
        return self.view.scores_of(self.column(task))

    def ranks(self, task: Task) -> npt.NDArray[np.int32]:
        """The place of every row among the distinct of these scores, lowest first, shape (n,)."""
        return self.tables.ranked(self.column(task)).ranks

    def arguments(self, task: Task) -> dict[str, Any]:
        """What the metric of a task is called with beside its table."""
        return self.measurer.arguments(task, self.threshold(task).number)

    def losses(self, task: Task) -> Floats | None:
        """What every row adds to a mean over rows, shape (n,); None where it is not known."""
        metric = self.metric(task)
        if task.table == Table.CLASS_SCORES.value:
            if metric.class_loss is None:
                return None
            return np.asarray(
                metric.class_loss(self.view.class_scores, self.view.actual), np.float64
            )
        if task.table == Table.SCORES.value:
            if metric.row_loss is None:
                return None
            score, positive = self.scores(task), self.view.actual == self.class_index(task)
            found = np.empty(len(score))
            for side in (True, False):
                chosen = positive if side else ~positive
                found[chosen] = metric.row_loss(score[chosen], side)
            return found
        return self._cell_losses(task, metric)

    def _cell_losses(self, task: Task, metric: Metric) -> Floats | None:
        """Mean over rows that is a metric of the table: the table of each row alone."""
        size, arguments = len(self.view.labels), self.arguments(task)
        code, place = np.unique(
            self.view.actual.astype(np.int64) * (size + 1) + self.predicted(task),
            return_inverse=True,
        )
        values = []
        for actual, predicted in (divmod(c, size + 1) for c in code.tolist()):
            if predicted == size:
                return None
            alone = Matrix(size, {(actual, predicted): 1})
            form = metric.for_classes if size > 2 and metric.for_classes else metric.function
            table: Matrix | Counts = alone
            if metric.table is Table.COUNTS and form is metric.function:
                table = alone.one_versus_rest(self.class_index(task))
            values.append(float(form(table, **arguments).exact()))
        by_cell: Floats = np.asarray(values, np.float64)
        return np.asarray(by_cell[place.reshape(-1)])

    def hits(self, task: Task) -> tuple[Bools, Bools]:
        """Rows above and below the line of a proportion, both of shape (n,)."""
        actual, predicted = self.view.actual, self.predicted(task)
        if task.average is not None:
            right = actual == predicted
            whole = float(metric_named(task.metric)(Counts(tp=1, fp=0, fn=0, tn=1)).exact())
            return (right if whole > 0 else ~right), np.ones(len(actual), bool)
        k = self.class_index(task)
        share = share_of(metric_named(task.metric))
        top, bottom = np.zeros(len(actual), bool), np.zeros(len(actual), bool)
        for (is_class, called), counted in share.bottom.items():
            cell = ((actual == k) == is_class) & ((predicted == k) == called)
            bottom |= cell & counted
            top |= cell & share.top[is_class, called]
        return top, bottom


def side_of(state: RunState, key: Key) -> Side:
    """A model on a dataset with its tables, as the run has them."""
    tables = state.tables[key]
    return Side(tables.view, tables, state.prepared.settings, state.thresholds.get(key, {}))


@dataclass(frozen=True, eq=False)
class Pair:
    """A model and its reference on the same rows; ``note`` counts the rows left out.

    Rows may be kinds of rows, see ``times``.
    """

    model: Side
    reference: Side
    note: str | None = None
    _kept: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)

    def once(self, key: Any, work: Callable[[], T]) -> T:
        """The result of ``work``, done once per pair and key."""
        if key not in self._kept:
            self._kept[key] = work()
        result: T = self._kept[key]
        return result

    @property
    def times(self) -> npt.NDArray[np.int64] | None:
        """How many rows are of each kind; None where each stands for itself."""
        return self.model.view.times

    def count(self, chosen: Bools) -> int:
        """How many rows are chosen."""
        return int(np.sum(chosen if self.times is None else self.times[chosen]))

    def each(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """A value for every row, where kinds of rows have one each."""
        return values if self.times is None else np.repeat(values, self.times)

    @property
    def rows(self) -> int:
        """Number of rows that both use."""
        return self.model.view.rows

    def joint_table(self, task: Task, reference: Task) -> JointTable:
        """Rows that count for both models, one only, or neither: n11, n10 (model only), ..."""

        def counted() -> JointTable:
            first, included = self.model.hits(task)
            second, _ = self.reference.hits(reference)
            return JointTable(*self._counted(included, first, second))

        return self.once((JointTable, task, reference), counted)

    def _counted(self, included: Bools, first: Bools, second: Bools) -> Iterator[int]:
        """How many of some rows are chosen by both, by one only, or by neither."""
        for one, two in ((first, second), (first, ~second), (~first, second), (~first, ~second)):
            yield self.count(included & one & two)

    def calls(self, task: Task, reference: Task) -> JointCalls:
        """Rows of the class and of the rest, by which of the two models call them so."""
        k = self.model.class_index(task)
        actual = self.model.view.actual == k
        both = self.model.predicted(task) == k, self.reference.predicted(reference) == k
        return JointCalls(*(Calls(*self._counted(rows, *both)) for rows in (actual, ~actual)))


def pair(model: Side, reference: Side) -> Pair | str:
    """Both models on their common rows, or the reason why they cannot be paired.

    A row that occurs several times (repeated cross-validation) is paired occurrence by
    occurrence.
    """
    found = together((model, reference), "two models", "both models")
    if isinstance(found, str):
        return found
    one, two = found
    if not _weigh_alike(one.view, two.view):
        return "rows represent others by what each model predicts: name the strata by a column"
    return Pair(one, two, left_out_of(model, reference, one.view.rows))


def restricted(side: Side, where: Slice) -> Side:
    """A model on the rows of a subgroup."""
    return side if where == EVERYTHING else _taken(side, side.tables.kinds(where))


def together(
    sides: Sequence[Side], words: str = "models", every: str = "all models"
) -> list[Side] | str:
    """All models on the rows that every one of them uses, or the reason why there are none."""
    if len({side.view.labels for side in sides}) > 1:
        return f"the {words} do not have the same classes"
    taken = list(sides)
    if not all(_same_rows(sides[0].view.row, side.view.row) for side in sides[1:]):
        keys = [_keys(side.view) for side in sides]
        common = reduce(np.intersect1d, keys)
        if not len(common):
            return f"no row is used by {every}"
        taken = [
            _taken(side, np.intersect1d(own, common, return_indices=True)[1])
            for side, own in zip(sides, keys, strict=True)
        ]
    if any(not np.array_equal(taken[0].view.actual, one.view.actual) for one in taken[1:]):
        return f"the true classes of the rows differ between the {words}"
    return taken


def _weigh_alike(one: LabelView, two: LabelView) -> bool:
    """Whether rows of a sample stand for as many others under both models."""
    if one.sample is None or one.weight is None or two.weight is None:
        return True
    return bool(np.allclose(one.weight, two.weight, rtol=1e-9, atol=0.0))


def row_by_row(both: Pair) -> Pair:
    """The pair with a row for each row, where it has kinds of rows."""
    if both.times is None:
        return both
    return replace(both, model=each_row_of(both.model), reference=each_row_of(both.reference))


def each_row_of(side: Side) -> Side:
    """The side with a row for each row; itself where it has no kinds of rows."""
    times = side.view.times
    if times is None:
        return side
    view = replace(side.view.at(np.repeat(np.arange(len(times)), times)), times=None)
    return replace(side, view=view, tables=tables_of(view))


def ordered(both: Pair) -> Pair:
    """The same rows in an order of their own, so that draws do not depend on the file's.

    By weight, predictions and true class; rows equal in all of these are interchangeable.
    Rows of a cluster stand together, clusters in the order of what their rows hold. Which model
    is the reference does not matter: what the two hold decides whose predictions come first.
    """
    sides: list[list[npt.NDArray[Any]]] = []
    for view in (both.model.view, both.reference.view):
        own = [] if view.class_scores is None else [*view.class_scores.T]
        sides.append(
            [*own, *(k for k in (view.weight, view.score, view.predicted) if k is not None)]
        )
    sides.sort(key=lambda side: [np.sort(own).tobytes() for own in side])
    keys = [own for side in sides for own in side]
    actual, cluster = both.model.view.actual, both.model.view.cluster
    if cluster is None:
        order = np.lexsort([*keys, actual])
    else:
        order, _ = canonical_rows(codes_of(actual, *keys), None, cluster[0])
    return replace(both, model=_taken(both.model, order), reference=_taken(both.reference, order))


def _same_rows(one: npt.NDArray[Any], two: npt.NDArray[Any]) -> bool:
    """Whether two models use the same rows, each once and in the order of the file."""
    return bool(len(one)) and np.array_equal(one, two) and bool(np.all(one[1:] > one[:-1]))


def _keys(view: LabelView) -> npt.NDArray[np.int64]:
    """One number per row: its index in the file and how often it has occurred before."""
    row = view.row.astype(np.int64)
    order = np.argsort(row, kind="stable")
    ordered = row[order]
    new = np.concatenate([[True], ordered[1:] != ordered[:-1]])[: len(row)]
    start = np.maximum.accumulate(np.where(new, np.arange(len(row)), 0))
    occurrence = np.empty(len(row), np.int64)
    occurrence[order] = np.arange(len(row)) - start
    span = np.int64(row.max() + 1) if len(row) else np.int64(1)
    return np.asarray(occurrence * max(span, np.int64(2**40)) + row)


def _taken(side: Side, index: npt.NDArray[np.intp]) -> Side:
    """The side on the rows at ``index``; itself where these are all rows in order."""
    if np.array_equal(index, np.arange(len(side.view.actual))):
        return side
    view = side.view.at(index)
    return replace(side, view=view, tables=tables_of(view))


def left_out_of(model: Side, reference: Side, common: int) -> str | None:
    """What is noted of the rows that one of two models uses alone; None where there are none."""
    parts = []
    for side, other in ((model, reference), (reference, model)):
        dropped = side.view.rows - common
        if dropped:
            rows = "1 row" if dropped == 1 else f"{dropped:,} rows"
            parts.append(f"{rows} of {side.view.model} that {other.view.model} does not use")
    return f"left out: {'; '.join(parts)}" if parts else None
