"""One dataset and model with sets of labels, from its plan to its records."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from evalreport.engine.counting.set_tables import SetTables
from evalreport.engine.curves import curve_records
from evalreport.engine.evaluation import Evaluation, Evaluator, Numbering
from evalreport.engine.label_sets.measures import SetMeasurer
from evalreport.engine.printed_table import PrintedTable
from evalreport.engine.settings import Settings
from evalreport.engine.thresholds import Resolved
from evalreport.plan.asked import RECORDS_PER_CLASS
from evalreport.plan.everything import CURVED_CLASSES
from evalreport.plan.task import Plan, Skipped, Task, ThresholdRequest
from evalreport.results.identity import MEAN_OF_FOLDS, Slice
from evalreport.results.records import Curve


class SetEvaluator(Evaluator):
    """Runs the tasks of a view with sets of labels.

    A value of one label stands beside the table of that label against its absence; any
    other value beside the tables of all labels, named in ``tables``.
    """

    tables: SetTables

    def __init__(
        self,
        measurer: SetMeasurer,
        tables: SetTables,
        numbering: Numbering,
        first: ThresholdRequest | None,
    ) -> None:
        super().__init__(measurer, tables, numbering, first)
        self._label: str | None = None
        self._ids: dict[tuple[Slice, float | None, str], str] = {}

    def _task(self, task: Task, parts: Sequence[Evaluator]) -> None:
        self._label = task.label
        super()._task(task, parts)
        self._beside(task)

    def _skip(self, skipped: Skipped) -> None:
        self._label = skipped.record.label
        before = len(self.result.measures)
        super()._skip(skipped)
        if len(self.result.measures) > before:
            self._beside(skipped.record)

    def _beside(self, task: Task) -> None:
        """Name the tables that the last record stands beside, where they are several."""
        if task.label is not None:
            return
        slices = [task.where]
        if task.where.fold == MEAN_OF_FOLDS:
            assert self.view.fold is not None
            slices = [Slice(fold=name) for name in self.view.fold[1]]
        request = self._request(task)
        labels = self.view.labels if len(self.view.labels) <= RECORDS_PER_CLASS else ()
        ids = [self._of_label(where, request, label) for where in slices for label in labels]
        measure = self.result.measures[-1]
        self.result.measures[-1] = replace(measure, tables=tuple(ids))

    def _table(self, where: Slice, request: ThresholdRequest | None) -> str | None:
        return None if self._label is None else self._of_label(where, request, self._label)

    def _of_label(self, where: Slice, request: ThresholdRequest | None, label: str) -> str:
        """Id of the table of one label against its absence."""
        threshold = None if request is None else self.measurer.thresholds[request].number
        key = (where, threshold, label)
        if key not in self._ids:
            self._ids[key] = self.numbering.table()
            of_label = self.tables.of_labels[self.view.labels.index(label)]
            self.result.tables.append(
                PrintedTable(
                    id=self._ids[key],
                    dataset=self.view.dataset,
                    model=self.view.model,
                    where=where,
                    threshold=threshold,
                    threshold_rule=None,
                    table=of_label.classification(where, threshold),
                    label=label,
                )
            )
        return self._ids[key]


def evaluate_sets(
    plan: Plan,
    tables: SetTables,
    settings: Settings,
    thresholds: Mapping[ThresholdRequest, Resolved],
    parents: Mapping[str, str],
    numbering: Numbering,
    first: ThresholdRequest | None,
    step: Callable[[], None] = lambda: None,
) -> Evaluation:
    """The records of one dataset and model with sets of labels."""
    measurer = SetMeasurer(tables, settings, thresholds, parents)
    return SetEvaluator(measurer, tables, numbering, first).run(plan, step)


def set_curves(
    tables: SetTables,
    new_id: Callable[[], str],
    thresholds: list[float],
    probabilities: bool,
    level: float,
) -> list[Curve]:
    """The curves of each label's scores, where there are scores and few labels."""
    if tables.view.label_scores is None or len(tables.view.labels) > CURVED_CLASSES:
        return []
    return [
        record
        for one in tables.of_labels
        for record in curve_records(one, new_id, thresholds, probabilities, level)
    ]
