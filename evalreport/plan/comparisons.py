"""Which comparisons are made, with which test and interval, and why. Pure; reads nothing.

A comparison takes one number of a model and the same number of a reference: another
model on the rows both use, or the same model on another dataset.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from evalreport.metrics.catalogue import find
from evalreport.metrics.declare import Average, Interval, Metric, Table
from evalreport.metrics.tables import Counts, Matrix
from evalreport.plan.facts import Facts
from evalreport.plan.methods import pooled_over_rows
from evalreport.plan.task import EVERYTHING, Skipped, Task

BOOTSTRAP, PERCENTILE, CLUSTERS = "bootstrap", "bootstrap_percentile", "cluster_bootstrap"
ASKED = "asked for in the spec"


class Family(Enum):
    """Metrics that are compared alike."""

    ROWS = "a share of rows with a given true class"
    CALLS = "a share of rows with a given prediction"
    AREA = "the area under the ROC curve"
    MEAN = "a mean over rows"
    OTHER = "no formula is known: rows are drawn"


#: Tests and interval methods of two models on the same rows; the first is the default.
PAIRED: Mapping[Family, tuple[tuple[str, ...], tuple[str, ...]]] = {
    Family.ROWS: (
        ("mcnemar_exact", "mcnemar_midp", "mcnemar", "mcnemar_corrected", BOOTSTRAP),
        ("newcombe", "newcombe_uncorrected", "wald", "agresti_min", "tango", PERCENTILE),
    ),
    Family.CALLS: (("leisenring", "kosinski", BOOTSTRAP), (PERCENTILE,)),
    Family.AREA: (("delong", BOOTSTRAP), ("delong", PERCENTILE)),
    Family.MEAN: (("paired_t", BOOTSTRAP), ("paired_t", PERCENTILE)),
    Family.OTHER: ((BOOTSTRAP,), (PERCENTILE,)),
}

_TWO_SAMPLES = (
    ("two_proportion_z", "fisher_exact", BOOTSTRAP),
    (
        "newcombe_hybrid",
        "newcombe_hybrid_cc",
        "wald",
        "wald_cc",
        "agresti_caffo",
        "mee",
        "miettinen_nurminen",
        PERCENTILE,
    ),
)

#: The same for one model on two datasets, whose rows are independent.
UNPAIRED: Mapping[Family, tuple[tuple[str, ...], tuple[str, ...]]] = {
    Family.ROWS: _TWO_SAMPLES,
    Family.CALLS: _TWO_SAMPLES,
    Family.AREA: (("delong_unpaired", BOOTSTRAP), ("delong_unpaired", PERCENTILE)),
    Family.MEAN: ((BOOTSTRAP,), (PERCENTILE,)),
    Family.OTHER: ((BOOTSTRAP,), (PERCENTILE,)),
}

#: Names that mean another form of the same method where the rows are not the same.
_WITHOUT_PAIRS = {"delong": "delong_unpaired", "newcombe": "newcombe_hybrid"}


@dataclass(frozen=True)
class ComparisonRequest:
    """What a spec asks to be compared.

    ``reference``: a model (None: the first one of each dataset). ``reference_dataset``:
    the same model on that dataset instead. ``tests``, ``methods`` and ``margins`` are
    by metric name; a margin is the loss that is still acceptable.
    """

    reference: str | None = None
    reference_dataset: str | None = None
    correction: str = "none"
    tests: Mapping[str, str] = field(default_factory=dict)
    methods: Mapping[str, str] = field(default_factory=dict)
    margins: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class ComparisonTask:
    """One difference to be computed: ``task`` minus ``reference``.

    ``test_reason`` and ``interval_reason`` say why a test or interval that was asked
    for cannot be given; its name stays in the record.
    """

    task: Task
    reference: Task
    paired: bool
    family: Family
    test: str
    interval: str
    why: str
    test_reason: str | None = None
    interval_reason: str | None = None
    margin: float | None = None

    def as_json(self) -> dict[str, Any]:
        """The task as plain data, for the plan."""
        return {
            "dataset": self.task.dataset,
            "model": self.task.model,
            "reference": self.reference.model if self.paired else self.reference.dataset,
            "metric": self.task.metric,
            "params": dict(self.task.params),
            "average": self.task.average,
            "label": self.task.label,
            "paired": self.paired,
            "test": self.test,
            "interval": self.interval,
            "why": self.why,
        }


@dataclass(frozen=True)
class ComparisonPlan:
    """Every comparison of a run, in order, and what is not compared, because."""

    tasks: tuple[ComparisonTask, ...]
    skipped: tuple[Skipped, ...]


def plan_comparisons(
    request: ComparisonRequest, tasks: Sequence[Task], facts: Sequence[Facts]
) -> ComparisonPlan:
    """Comparisons of all rows, at the first threshold of each model.

    Args:
        request: what is compared with what.
        tasks: the metric tasks of the plan, in its order.
        facts: of every dataset and model, in the order of the plan.
    """
    planned: list[ComparisonTask] = []
    skipped: list[Skipped] = []
    by_view = {(f.dataset, f.model): f for f in facts}
    comparable = {view: _comparable(tasks, view) for view in by_view}
    for view, own in by_view.items():
        other = _reference(request, view, by_view)
        if other == view:
            continue
        for task in comparable[view].values():
            twin = comparable.get(other, {}).get(_identity(task))
            reason = _refused(task, twin, other, paired=request.reference_dataset is None)
            if reason is not None or twin is None:
                skipped.append(Skipped(task, reason or "", recorded=False))
            else:
                planned.append(_planned(request, task, twin, own, by_view[other]))
    return ComparisonPlan(tuple(planned), tuple(skipped))


def _reference(
    request: ComparisonRequest, view: tuple[str, str], views: Mapping[tuple[str, str], Facts]
) -> tuple[str, str]:
    dataset, model = view
    if request.reference_dataset is not None:
        return request.reference_dataset, model
    if request.reference is not None:
        return dataset, request.reference
    return next(v for v in views if v[0] == dataset)


def _comparable(tasks: Sequence[Task], view: tuple[str, str]) -> dict[tuple[Any, ...], Task]:
    """The numbers of one model that are compared; indeterminate predictions count against it."""
    own = [t for t in tasks if (t.dataset, t.model) == view and t.where == EVERYTHING]
    at = next((t.threshold for t in own if t.threshold is not None), None)
    chosen = [t for t in own if t.threshold in (None, at) and t.indeterminate != "for"]
    return {_identity(t): t for t in chosen}


def _identity(task: Task) -> tuple[Any, ...]:
    return task.metric, task.params, task.average, task.label


def _refused(
    task: Task, twin: Task | None, other: tuple[str, str], *, paired: bool
) -> str | None:
    if twin is None:
        return f"{other[1]} on {other[0]} does not have it"
    metric = _metric(task)
    if task.table == Table.LABEL_SETS.value:
        return "metrics of sets of labels are not compared"
    if metric.interval is Interval.NONE:
        return "a p value or test statistic is not compared"
    if paired and _same_for_all_models(metric, task):
        return "it does not depend on the model"
    return None


def _metric(task: Task) -> Metric:
    metric = find(task.metric)
    assert metric is not None
    return metric


def _same_for_all_models(metric: Metric, task: Task) -> bool:
    """Tried on two tables with the same true classes and different predictions."""
    if metric.table not in (Table.COUNTS, Table.MATRIX) or metric.context:
        return False
    arguments = metric.arguments(dict(task.params))
    examples = [Matrix.from_counts(c) for c in ([[5, 3], [2, 7]], [[6, 2], [4, 5]])]
    values = [
        metric(m if metric.table is Table.MATRIX else m.one_versus_rest(1), **arguments).exact()
        for m in examples
    ]
    return bool(values[0] == values[1])


# -- how ------------------------------------------------------------------------------------


def family_of(metric: Metric, average: str | None, *, paired: bool = True) -> Family:
    """How a value of this metric is compared.

    >>> from evalreport.metrics.combined import f1
    >>> from evalreport.metrics.counts import precision, recall
    >>> [family_of(m, None).name for m in (recall, precision, f1)]
    ['ROWS', 'CALLS', 'OTHER']
    """
    if metric.interval is Interval.AUC and average is None:
        return Family.AREA
    if metric.interval is Interval.MEAN and average is None:
        return Family.MEAN
    if metric.interval is Interval.PROPORTION:
        if average == Average.MICRO.value and pooled_over_rows(metric):
            return Family.ROWS
        if average is None and not paired:
            return Family.ROWS
        if average is None and metric.table is Table.COUNTS:
            return share_of(metric).family
    return Family.OTHER


@dataclass(frozen=True)
class Share:
    """Which rows a proportion counts, above and below the line.

    Both by (actual is the class, predicted is the class).
    """

    top: Mapping[tuple[bool, bool], bool]
    bottom: Mapping[tuple[bool, bool], bool]

    @property
    def family(self) -> Family:
        """Whether the rows below the line are chosen by their true class or the prediction."""
        b = self.bottom
        if all(b[actual, True] == b[actual, False] for actual in (True, False)):
            return Family.ROWS
        if all(b[True, predicted] == b[False, predicted] for predicted in (True, False)):
            return Family.CALLS
        return Family.OTHER


def share_of(metric: Metric) -> Share:
    """Found by putting a single row into each cell of the metric's formula.

    >>> from evalreport.metrics.counts import recall
    >>> [cell for cell, counted in share_of(recall).bottom.items() if counted]
    [(True, True), (True, False)]
    """
    top, bottom = {}, {}
    for cell, name in (
        ((True, True), "tp"),
        ((True, False), "fn"),
        ((False, True), "fp"),
        ((False, False), "tn"),
    ):
        alone = {"tp": 0, "fn": 0, "fp": 0, "tn": 0} | {name: 1}
        expression = metric(Counts(**alone))
        top[cell] = bool(expression.top.exact())
        bottom[cell] = bool(expression.bottom.exact())
    return Share(top, bottom)


def _planned(
    request: ComparisonRequest, task: Task, twin: Task, facts: Facts, other: Facts
) -> ComparisonTask:
    paired = request.reference_dataset is None
    family = family_of(_metric(task), task.average, paired=paired)
    weighted = facts.weighted or other.weighted
    clustered = facts.clustered or other.clustered
    test, interval, why = _default(family, paired=paired, weighted=weighted, clustered=clustered)
    chosen = ComparisonTask(
        task, twin, paired, family, test, interval, why, margin=request.margins.get(task.metric)
    )
    known = (PAIRED if paired else UNPAIRED)[family]
    if task.metric in request.tests:
        name = _named(request.tests[task.metric], paired=paired)
        reason = _unfit(name, known[0], family, weighted=weighted)
        chosen = replace(chosen, test=name, test_reason=reason, why=ASKED)
    if task.metric in request.methods:
        name = _named(request.methods[task.metric], paired=paired)
        reason = _unfit(name, known[1], family, weighted=weighted)
        chosen = replace(chosen, interval=name, interval_reason=reason, why=ASKED)
    return chosen


def _named(word: str, *, paired: bool) -> str:
    return word if paired else _WITHOUT_PAIRS.get(word, word)


def _default(
    family: Family, *, paired: bool, weighted: bool, clustered: bool
) -> tuple[str, str, str]:
    if clustered:
        why = "rows of one cluster are not independent"
        if family is Family.AREA and paired and not weighted:
            return "obuchowski", "obuchowski", why
        return CLUSTERS, CLUSTERS, why
    if weighted:
        return BOOTSTRAP, PERCENTILE, "weighted rows are drawn"
    tests, methods = (PAIRED if paired else UNPAIRED)[family]
    return tests[0], methods[0], family.value


def _unfit(name: str, known: Sequence[str], family: Family, *, weighted: bool) -> str | None:
    if name not in (*known, CLUSTERS):
        return f"{name} is not defined for {family.value.partition(':')[0]}"
    if weighted and name not in (BOOTSTRAP, PERCENTILE, CLUSTERS):
        return f"{name} is not defined for weighted rows"
    return None


def names(*, tests: bool) -> Iterator[str]:
    """Every test, or every interval method, that a spec may ask for; each once, sorted."""
    place = 0 if tests else 1
    pairs = [pair for table in (PAIRED, UNPAIRED) for pair in table.values()]
    found = {name for pair in pairs for name in pair[place]}
    yield from sorted(found)
