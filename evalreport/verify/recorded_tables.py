"""The tables and curves of results as what the engine counts, so that it can work from them.

A classification table of ``results.json`` is one; the precision-recall curve of all rows holds
the table of scores, with the positives and negatives at each distinct score, where it was not
thinned out. Whatever else the engine asks for needs the rows, and is told so.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NoReturn, TypeVar

import numpy as np

from evalreport.engine import curves as engine_curves
from evalreport.engine.counting.classification import ClassificationTable
from evalreport.engine.counting.memory import MemoryTables
from evalreport.metrics.tables import ScoreTable
from evalreport.predict.label_sets import SetView
from evalreport.predict.view import LabelView, View
from evalreport.results.identity import EVERYTHING, Slice
from evalreport.results.lookup import Results
from evalreport.results.records import Curve, LabelLedger, MissingRows, RowLedger, Table


class NotRecorded(Exception):  # noqa: N818 - a way to go on, not an error
    """What is asked for is not in the results; the text says what."""


SINGLE_ROWS = "single rows are not in the results"
CLUSTERS = "which rows belong together is not in the results"
WEIGHTS = "the weights of single rows are not in the results"
SCORES_OF_PART = "scores of a subgroup or fold are not in the results"
THINNED = "there are more distinct scores than points of the curve"
EARLIER = "the earlier run is verified by itself"
NO_CURVE = "there is no curve with the scores"
CLASS_SCORES = "scores of several classes of one row are not in the results"

Place = tuple[Slice, float | None]
T = TypeVar("T")


def refusing(reason: str) -> Any:
    """A method that needs what is not in the results."""

    def refuse(*_asked: Any, **_named: Any) -> NoReturn:
        raise NotRecorded(reason)

    return refuse


class RecordedTables(MemoryTables):
    """The tables of one dataset and model, as far as its results hold them."""

    def __init__(
        self,
        view: LabelView,
        results: Results,
        ledger: RowLedger,
        *,
        weighted: bool,
        of_values: bool = False,
        rough: bool = False,
    ) -> None:
        super().__init__(view)
        self._results, self._ledger, self._weighted = results, ledger, weighted
        # of weighted rows a curve gives values, to within the rounding of its sums
        self._of_values = of_values or rough
        # of thinned curves the points are taken for the scores
        self._rough = rough

    rows_of = rows = ranked = refusing(SINGLE_ROWS)
    class_scores = refusing(CLASS_SCORES)

    def row_count(self, where: Slice) -> int:
        """Rows of a slice: those that were used, or those that its tables hold."""
        if where == EVERYTHING:
            return self._ledger.predictions or self._ledger.used
        found = self._of(where)
        if found is None:
            raise NotRecorded(WEIGHTS if self._weighted else SINGLE_ROWS)
        known = rows_in(found)
        if not known and any(None in row for row in found.counts or ()):
            raise NotRecorded(SINGLE_ROWS)
        return known

    def rows_known(self, where: Slice) -> int:
        """The same, where every cell of the table was counted. Raises NotRecorded."""
        found = self._of(where)
        cells = [count for row in (() if found is None else found.counts or ()) for count in row]
        if where != EVERYTHING and (None in cells or self._weighted):
            raise NotRecorded(WEIGHTS if self._weighted else SINGLE_ROWS)
        return self.row_count(where)

    def class_rows(self, where: Slice) -> tuple[int, ...]:
        """Rows of each class of a slice, as its table tells. Raises NotRecorded."""
        own = self.view if where == EVERYTHING else self.view_of(where)
        return own.class_rows

    cluster_sizes = refusing(CLUSTERS)

    def view_of(self, where: Slice) -> RecordedView:
        """The view of a slice: its rows, and those of each class where its table tells them."""
        view, rows = self.view, None
        assert isinstance(view, RecordedView)
        with suppress(NotRecorded):
            rows = self.row_count(where)
        found = None if self._weighted else self._of(where)
        counts = () if found is None or found.counts is None else found.counts
        # no table, no rows by class: whoever asks for them is told so
        classes = tuple(sum(int(n or 0) for n in row) for row in counts)
        return replace(
            view, count=rows or 0, of_classes=classes, predictions=classes, cluster_count=None
        )

    def _of(self, where: Slice) -> Table | None:
        """A table of a slice, at whatever threshold."""
        return next((t for (at, _), t in self._tables.items() if at == where), None)

    def classification(self, where: Slice, threshold: float | None) -> ClassificationTable:
        """The table of a slice at a threshold. Raises NotRecorded."""
        found = self._tables.get((where, threshold))
        cells = (count for row in (() if found is None else found.counts or ()) for count in row)
        # no number rests on a cell that is not known
        if found is None or (not self.view.unknown and None in cells):
            raise NotRecorded(SINGLE_ROWS)
        return self.once(("classification", where, threshold), lambda: self.as_counted(found))

    def scores(self, where: Slice, index: int | None = None) -> ScoreTable:
        """The scores of all rows, for one class. Raises NotRecorded."""
        if where != EVERYTHING:
            raise NotRecorded(SCORES_OF_PART)
        label = self.view.labels[self.view.positive_index if index is None else index]
        return self.once(("scores", label), lambda: self._scores_of(label))

    def missing(self, where: Slice, threshold: float | None) -> MissingRows | None:
        """The rows of a slice that lack something; of any threshold where it is None."""
        for (place, at), table in self._tables.items():
            if place == where and threshold in (None, at) and table.missing is not None:
                return table.missing
        return None

    def clusters(self, *_asked: Any, **_named: Any) -> None:
        if self.view.cluster is not None:
            raise NotRecorded(CLUSTERS)

    @cached_property
    def _tables(self) -> Mapping[Place, Table]:
        """The tables with all classes, by slice and threshold."""
        found: dict[Place, Table] = {}
        for one in self._results.tables:
            if not one.label:
                found.setdefault((one.where, one.threshold), one)
        return found

    def as_counted(self, table: Table) -> ClassificationTable:
        """A table of the results as counts by actual and predicted label."""
        if table.label is None and table.labels != self.view.labels:
            raise ValueError(f"table {table.id} has other labels than the account of labels")
        cells = {place: count for place, count in _cells_of(table.counts or ()) if count}
        cells |= {(i, j): count for i, j, count in table.cells or ()}
        squares: Any = Absent(WEIGHTS) if self._weighted else None
        return ClassificationTable(
            table.labels, self.view.positive, cells, rows_in(table), table.extra_columns, squares,
            None if table.sampled_rows is None else dict(_cells_of(table.sampled_rows)),
        )  # fmt: skip

    def _scores_of(self, label: str) -> ScoreTable:
        found = self._curves.get(label)
        if found is None:
            raise NotRecorded(NO_CURVE)
        if found.thinned and not self._rough and self.row_count(EVERYTHING) > self._most_points:
            raise NotRecorded(THINNED)
        if self._weighted and not self._of_values:
            raise NotRecorded(WEIGHTS)
        return table_of_steps(found, whole=not self._weighted)

    @property
    def _most_points(self) -> int:
        """So many rows have no more scores than a curve has points."""
        if len(self.view.labels) <= 2:
            return engine_curves.MOST_POINTS
        return engine_curves.MOST_CLASS_POINTS

    @cached_property
    def _curves(self) -> Mapping[str | None, Curve]:
        return {
            one.label: one for one in self._results.curves if one.kind == STEPS and not one.subgroup
        }


def _cells_of(counts: Sequence[Sequence[T]]) -> Iterator[tuple[tuple[int, int], T]]:
    """The cells of a table, each with its row and column."""
    for i, row in enumerate(counts):
        for j, count in enumerate(row):
            yield (i, j), count


#: The curve whose points hold every distinct score.
STEPS = "precision_recall"


def table_of_steps(curve: Curve, *, whole: bool = True) -> ScoreTable:
    """The scores with the rows at each, from a curve that counts those at or above each."""
    columns = curve.points
    if not columns["threshold"]:
        # precision and recall have no points where no row is of the class
        raise NotRecorded(NO_CURVE)
    scores = np.array(columns["threshold"], np.float64)
    parts = []
    for name in ("tp", "fp"):
        counted = columns[name]
        if whole and any(type(count) is not int for count in counted):
            raise NotRecorded(WEIGHTS)
        parts.append(np.diff(np.array([0, *counted], np.int64 if whole else np.float64)))
    falling = bool(np.all(scores[1:] < scores[:-1]))
    if not falling or any(bool(np.any(np.less(part, -1e-9))) for part in parts):
        raise ValueError(f"curve {curve.id} does not count rows from the highest score on")
    return ScoreTable(scores, parts[0], parts[1])


def rows_in(table: Table) -> int:
    """How many rows a table of whole counts holds."""
    counts: list[Any] = [count for row in table.counts or () for count in row if count]
    counts += [count for _, _, count in table.cells or ()]
    # of weights nobody knows; that there is a row is known
    rows: int = math.ceil(sum(counts))
    return rows


def source_of(ledger: LabelLedger, scores: bool) -> str:
    """What a model gives, as the account of its labels says; ``scores``: one of each class."""
    if ledger.operator is None:
        return "scores" if scores and len(ledger.order) > 2 else "prediction"
    return "margin" if ledger.operator.startswith("margin") else "score"


class Absent:
    """Stands where rows would have been: whoever looks into it is told that they are not there."""

    def __init__(self, reason: str) -> None:
        self._reason = reason

    def _refuse(self, *_asked: Any) -> NoReturn:
        raise NotRecorded(self._reason)

    __len__ = __getitem__ = __iter__ = __gt__ = __lt__ = __mul__ = __rmul__ = _refuse
    __eq__ = __ne__ = __ge__ = __le__ = __array__ = _refuse
    __hash__ = None  # type: ignore[assignment]

    def __getattr__(self, name: str) -> NoReturn:
        self._refuse(name)


@dataclass(frozen=True)
class RecordedLedger:
    """What is known of the rows that were read, as :class:`evalreport.data.checked.Checked`."""

    rows_read: int
    excluded: tuple[tuple[str, int], ...]
    lost: None = None

    @property
    def findings(self) -> NoReturn:
        """What was found in the file."""
        raise NotRecorded(SINGLE_ROWS)


@dataclass(frozen=True, eq=False, kw_only=True)
class _WithoutRows(View):
    """What a view without rows tells of them: as many as the accounts of the results say."""

    count: int
    of_classes: tuple[int, ...]
    reach: tuple[float | None, float | None]

    @property
    def rows(self) -> int:
        return self.count

    @property
    def score_range(self) -> tuple[float | None, float | None]:
        return self.reach

    row_number = group_rows = refusing(SINGLE_ROWS)
    group_columns = entries = property(refusing(SINGLE_ROWS))
    total_weight = refusing(WEIGHTS)


@dataclass(frozen=True, eq=False, kw_only=True)
class RecordedView(_WithoutRows, LabelView):
    """A view without rows.

    ``predictions``: by class, where rows were predicted several times; empty where no table has
    them. ``cluster_count``: where the account of the rows tells. ``ties``: rows at each threshold,
    as the account of the labels says.
    """

    predictions: tuple[int, ...] | None
    cluster_count: int | None
    ties: Mapping[float, int | None]

    @property
    def clusters(self) -> int:
        if self.cluster is not None and self.cluster_count is None:
            raise NotRecorded(CLUSTERS)
        return self.cluster_count or 0

    @property
    def class_rows(self) -> tuple[int, ...]:
        if self.predictions == ():
            raise NotRecorded(SINGLE_ROWS)
        return self.of_classes if self.predictions is None else self.predictions

    @property
    def classes_of_rows(self) -> tuple[int, ...]:
        return self.of_classes

    @property
    def has_score(self) -> bool:
        return self.source in ("score", "margin")

    @property
    def decided(self) -> bool:
        return self.has_score and self.predicted is not None

    def tied(self, threshold: float) -> int | None:
        if threshold not in self.ties:
            raise NotRecorded(SINGLE_ROWS)
        return self.ties[threshold]

    of_other_class = refusing("scores of the other class are not in the results")


@dataclass(frozen=True, eq=False, kw_only=True)
class RecordedSets(_WithoutRows, SetView):
    """A view of sets of labels without rows."""

    @property
    def class_rows(self) -> tuple[int, ...]:
        return self.of_classes

    tied = not_known = of_label = refusing(SINGLE_ROWS)
