"""What cautions look at: the facts of a finished run, and how to find one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.engine.due import Due
from evalreport.engine.printed_table import PrintedTable
from evalreport.engine.settings import Settings
from evalreport.metrics.catalogue import find
from evalreport.metrics.tables import Matrix, ScoreTable
from evalreport.predict.overlap import Overlap
from evalreport.predict.view import LabelView, View
from evalreport.results.identity import EVERYTHING, Slice
from evalreport.results.records import (
    AgainstBaseline,
    Comparison,
    Criterion,
    Drift,
    Input,
    Look,
    Measure,
    Period,
    RocRelation,
    Threshold,
)
from evalreport.statistics.exact_sums import exact_sum

Floats = npt.NDArray[np.float64]
Key = tuple[str, str]


#: The scores of all rows of a dataset and model, or those of a class or label by its place.
Scores = Callable[[str, str, int | None], ScoreTable | None]


def no_score_table(_dataset: str, _model: str, _index: int | None) -> ScoreTable | None:
    """For runs in which no model gives scores."""
    return None


@dataclass(frozen=True, eq=False)
class RunFacts:
    """The facts of a run, as the engine hands them over.

    ``comparisons`` and ``acceptance`` are the records of ``results.json``;
    ``thresholds`` its records of dataset, model, threshold, rule, status and reason.
    ``set_views`` are those whose rows have sets of labels: cautions about data look at
    them, cautions about numbers, which judge one label per row, do not.
    ``scores`` gives the score table of all rows of a dataset and model, for a class or label
    where scores are of several, or None.
    ``requested`` are the canonical names of the metrics asked for.
    ``drift``: what has moved from a reference; ``drift_limits`` are the stability
    indices from which a note and a warning are given.
    ``overlaps``: what tested datasets share with training datasets. ``against``: the
    records of models against baselines. ``periods``: subgroup columns that are periods,
    ``courses``: the measures over them.
    ``enriched``: datasets whose share of positives the sampling fixed. ``roc``: how the ROC
    curves of every two models lie to each other. ``due``: the series of the run, where its spec
    says how often a run is due. ``looks``: at its criteria; ``later_look``: what the data of the
    newest look are of, where those of this run are earlier.
    ``histories``: the models of which the spec names a training history. ``inputs``: what the
    datasets were read from.
    """

    views: Sequence[LabelView]
    set_views: Sequence[View] = field(default=(), kw_only=True)
    measures: Sequence[Measure] = ()
    tables: Sequence[PrintedTable] = ()
    comparisons: Sequence[Comparison] = ()
    acceptance: Sequence[Criterion] = ()
    thresholds: Sequence[Threshold] = ()
    scores: Scores = no_score_table
    settings: Settings = field(default_factory=Settings)
    requested: Sequence[str] = ()
    overlaps: Sequence[Overlap] = field(default=(), kw_only=True)
    drift: Sequence[Drift] = field(default=(), kw_only=True)
    drift_limits: tuple[float, float] = field(default=(0.1, 0.25), kw_only=True)
    against: Sequence[AgainstBaseline] = field(default=(), kw_only=True)
    roc: Sequence[RocRelation] = field(default=(), kw_only=True)
    courses: Sequence[Period] = field(default=(), kw_only=True)
    periods: frozenset[str] = field(default=frozenset(), kw_only=True)
    enriched: frozenset[str] = field(default=frozenset(), kw_only=True)
    due: Due | None = field(default=None, kw_only=True)
    looks: Sequence[Look] = field(default=(), kw_only=True)
    later_look: str | None = field(default=None, kw_only=True)
    histories: Sequence[str] = field(default=(), kw_only=True)
    inputs: Sequence[Input] = field(default=(), kw_only=True)

    # -- datasets and models ----------------------------------------------------------------

    @cached_property
    def datasets(self) -> tuple[str, ...]:
        """Names of the datasets in the order of the run."""
        return tuple(dict.fromkeys(view.dataset for view in self.views))

    def views_of(self, dataset: str) -> tuple[LabelView, ...]:
        """The views of every model on one dataset."""
        return tuple(view for view in self.views if view.dataset == dataset)

    def class_rows(self, view: View) -> tuple[int, ...]:
        """Number of rows actually of each class, in the order of the labels."""
        return view.classes_of_rows

    def score_table(self, view: View) -> ScoreTable | None:
        """The score table of all rows, where the model scores one positive class."""
        if not view.has_score or not view.rows or len(view.labels) > 2:
            return None
        return self.scores(view.dataset, view.model, None)

    def class_table(self, view: View, index: int) -> ScoreTable | None:
        """The same of one of several classes, or labels, by its place."""
        return self.scores(view.dataset, view.model, index) if view.rows else None

    # -- tables -----------------------------------------------------------------------------

    @cached_property
    def _tables_by_view(self) -> Mapping[Key, tuple[PrintedTable, ...]]:
        return _grouped(t for t in self.tables if t.label is None)

    def tables_of(self, view: View, where: Slice = EVERYTHING) -> tuple[PrintedTable, ...]:
        """The whole classification tables of a slice, first threshold first."""
        own = self._tables_by_view.get((view.dataset, view.model), ())
        return tuple(t for t in own if t.where == where)

    def subgroup_tables(self, view: View) -> tuple[PrintedTable, ...]:
        """The whole classification tables of subgroups, in the order of the run."""
        own = self._tables_by_view.get((view.dataset, view.model), ())
        return tuple(t for t in own if t.where.subgroup and t.where.fold is None)

    def main_table(self, view: View) -> PrintedTable | None:
        """The table of all rows at the first threshold."""
        return next(iter(self.tables_of(view)), None)

    @cached_property
    def _matrices(self) -> dict[str, Matrix]:
        return {}

    def matrix(self, record: PrintedTable) -> Matrix:
        """The K x K table, indeterminate predictions counted for the model."""
        if record.id not in self._matrices:
            self._matrices[record.id] = record.table.matrix("for")
        return self._matrices[record.id]

    # -- measures ---------------------------------------------------------------------------

    @cached_property
    def _measures_by_view(self) -> Mapping[Key, tuple[Measure, ...]]:
        return _grouped(self.measures)

    def measures_of(self, view: View, metric: str | None = None) -> tuple[Measure, ...]:
        """The measures of all rows of a dataset and model, in the order of the run."""
        own = self._measures_by_view.get((view.dataset, view.model), ())
        return tuple(
            m for m in own if m.where == EVERYTHING and (metric is None or m.metric == metric)
        )

    def sliced(self, view: View) -> tuple[Measure, ...]:
        """The measures of subgroups of a dataset and model."""
        own = self._measures_by_view.get((view.dataset, view.model), ())
        return tuple(m for m in own if m.where.subgroup and m.where.fold is None)

    def measure(self, view: View, metric: str, threshold: float | None = None) -> Measure | None:
        """The one measure of all rows that stands for a metric, if it has a value.

        With more than two classes the one over all classes, else the macro
        average. ``threshold`` None takes the first threshold.
        """
        own = [
            m
            for m in self.measures_of(view, metric)
            if m.state == "value" and (threshold is None or m.threshold in (None, threshold))
        ]
        if len(view.labels) <= 2:
            return next((m for m in own if m.average is None), None)
        declared = find(metric)
        averages = () if declared is None else declared.speaking_averages
        return next(
            (m for kind in averages for m in own if m.average == kind),
            next((m for m in own if m.label is None and m.average is None), None),
        )


def _grouped(records: Any) -> Mapping[Key, tuple[Any, ...]]:
    found: dict[Key, list[Any]] = {}
    for record in records:
        found.setdefault((record.dataset, record.model), []).append(record)
    return {key: tuple(own) for key, own in found.items()}


@dataclass(frozen=True, eq=False)
class Given:
    """What a model gave: ``values`` of shape (n,), or (n, K) by class, each for ``times`` rows.

    ``times`` is None where every value is that of one row.
    """

    values: Floats
    times: npt.NDArray[np.int64] | None = None

    def rows(self, chosen: npt.NDArray[np.bool_]) -> int:
        """Number of rows whose value is chosen."""
        return int(np.count_nonzero(chosen) if self.times is None else self.times[chosen].sum())

    @property
    def total(self) -> float:
        """Sum over all rows, rounded once; ``values`` of shape (n,)."""
        return exact_sum(self.values, self.times)


def given_scores(run: RunFacts, view: LabelView) -> Given | None:
    """The score of each row, or of each row and class.

    From the score table, in no order of rows, where the view holds none; None where
    the model gives labels or margins, or the table holds sums of weights.
    """
    if view.source not in ("score", "scores") or not view.rows:
        return None
    if len(view.labels) > 2 or view.score is not None:
        own = view.class_scores if len(view.labels) > 2 else view.score
        return None if own is None else Given(own, view.times)
    table = _unweighted(run, view)
    return None if table is None else Given(table.scores, table.positives + table.negatives)


def actual_probability(run: RunFacts, view: LabelView) -> Given | None:
    """The probability given to the actual class of each row, ``values`` of shape (n,).

    None where there are no scores, or where some lie outside 0 and 1.
    """
    given = given_scores(run, view)
    if given is None or given.values.min() < 0 or given.values.max() > 1:
        return None
    if given.values.ndim == 2:
        own = given.values[np.arange(len(view.actual)), view.actual]
        return Given(np.asarray(own, dtype=np.float64), view.times)
    if view.score is not None:
        positive = view.actual == view.positive_index
        return Given(np.where(positive, given.values, 1.0 - given.values), view.times)
    table = _unweighted(run, view)
    assert table is not None
    held = [table.positives > 0, table.negatives > 0]
    return Given(
        np.concatenate([table.scores[held[0]], 1.0 - table.scores[held[1]]]),
        np.concatenate([table.positives[held[0]], table.negatives[held[1]]]),
    )


def _unweighted(run: RunFacts, view: View) -> ScoreTable | None:
    """The score table, where it counts rows."""
    table = run.score_table(view)
    if table is None or not np.issubdtype(table.positives.dtype, np.integer):
        return None
    return table


def pairs(run: RunFacts, dataset: str) -> Iterator[tuple[LabelView, LabelView]]:
    """Every two models of a dataset, in the order of the run."""
    own = run.views_of(dataset)
    for place, first in enumerate(own):
        for second in own[place + 1 :]:
            yield first, second
