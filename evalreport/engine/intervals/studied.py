"""What the coverage study held, told with an interval that a default method made."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.metrics import coverage_study
from evalreport.metrics.catalogue import find
from evalreport.metrics.coverage_study import Drawn
from evalreport.plan.task import Task
from evalreport.predict.view import LabelView, distinct
from evalreport.results.records import Interval


def as_declared(metric: str, params: Iterable[tuple[str, Any]]) -> bool:
    """Whether a metric is measured with the parameters of its declaration, written or not."""
    declared = find(metric)
    defaults = {} if declared is None else {own.name: own.default for own in declared.parameters}
    return all(defaults.get(name) == value for name, value in params)


def was_studied(view: LabelView, task: Task) -> bool:
    """Whether the study knows such a value: of one of two classes, of rows drawn in one way."""
    plain = task.average is None and as_declared(task.metric, task.params) and len(view.labels) == 2
    both = view.weight is not None and view.cluster is not None
    return plain and not both and view.sample is None


def design_of(view: LabelView, *, compared: bool = False) -> str:
    """How the study calls rows like these, of one model or of two that are compared on them."""
    if view.weight is not None:
        return coverage_study.WEIGHTED_PAIRS if compared else coverage_study.WEIGHTS
    if view.cluster is not None:
        return coverage_study.CLUSTERED_PAIRS if compared else coverage_study.CLUSTERS
    return coverage_study.PAIRS if compared else ""


def drawn_as(view: LabelView, inside: npt.NDArray[np.intp], of_class: int) -> Drawn:
    """The rows, or kinds of rows, at ``inside`` as the study counts them.

    Weighted rows are counted, whatever they weigh; ``of_class``: the code of the class that is
    counted as positive.
    """
    # of all rows nothing is picked: it would take longer than counting them
    chosen = slice(None) if len(inside) == len(view.actual) else inside
    times = np.ones(len(inside)) if view.times is None else view.times[chosen]
    positive = view.actual[chosen] == of_class
    positives = times[positive].sum()
    rows = float(positives), float(times.sum() - positives)
    clusters = 0 if view.cluster is None else distinct(view.cluster[0][chosen])
    return Drawn(*rows, design_of(view), clusters)


def drawn_together(view: LabelView, of_class: int) -> Drawn:
    """All rows as the study counts those on which two models are compared."""
    positives = float(view.class_rows[of_class])
    rows = positives, sum(view.class_rows) - positives
    return Drawn(*rows, design_of(view, compared=True), view.clusters)


def with_study(
    interval: Interval | None, metric: str, drawn: Drawn | None, of: str = ""
) -> Interval | None:
    """The interval with what such limits held in the study."""
    if interval is None or drawn is None:
        return interval
    return interval.with_study(coverage_study.held(metric, drawn, interval.level, of))
