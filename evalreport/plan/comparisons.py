"""Which comparisons are made, with which test and interval, and why. Pure; reads nothing.

A comparison takes one number of a model and the same number of a reference: another
model on the rows both use, the same model on another dataset, or another model on its own
dataset where the two share none. One test may compare all models of a dataset at once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from evalreport.metrics.catalogue import metric_named
from evalreport.metrics.declare import Interval, Table
from evalreport.metrics.kinds import Design
from evalreport.metrics.methods import (
    ADDED,
    AREA_OF_CLUSTERS,
    AT_A_MARGIN,
    BOOTSTRAP,
    BY_DESIGN,
    CLUSTERS,
    KOOPMAN,
    OF_RATIOS,
    PERCENTILE,
    SEVERAL,
    WITHOUT_PAIRS,
    Family,
    classical_of,
    default_of,
    family_in,
    family_of,
    methods_of,
)
from evalreport.metrics.properties import directed, is_of_truth_alone, same_number
from evalreport.plan.inputs import Facts
from evalreport.plan.methods import AS_CLASSICAL, ASKED
from evalreport.plan.task import AT_THRESHOLD, Request, Skipped, Task
from evalreport.results.identity import EVERYTHING
from evalreport.statistics.hypotheses import WITH_DIRECTION


@dataclass(frozen=True)
class ComparisonRequest:
    """What a spec asks to be compared.

    ``reference``: a model (None: the first one of each dataset); models that share no dataset
    with it are compared with it on each of its own. ``reference_dataset``: the same model on
    that dataset instead. ``tests``, ``methods`` and ``margins`` are
    by metric name; a margin is the loss that is still acceptable. ``family``: whose tests
    are corrected together, ``report`` (all of them) or ``dataset``. ``hypotheses``: what is to
    be shown, by metric, at the one-sided level ``alpha`` (None: half of 1 - level).
    ``ratios``: metrics whose ratio is told beside the difference. ``subgroups``, ``thresholds``:
    whether each comparison is also made in every subgroup, and at every threshold.
    ``classical``: metrics compared as R and SAS do by default.
    """

    reference: str | None = None
    reference_dataset: str | None = None
    correction: str = "none"
    family: str = "report"
    tests: Mapping[str, str] = field(default_factory=dict)
    methods: Mapping[str, str] = field(default_factory=dict)
    margins: Mapping[str, float] = field(default_factory=dict)
    hypotheses: Mapping[str, str] = field(default_factory=dict)
    alpha: float | None = None
    ratios: Sequence[str] = ()
    subgroups: bool = False
    thresholds: bool = False
    classical: Collection[str] = ()


@dataclass(frozen=True)
class Hypothesis:
    """What is to be shown of a difference: ``kind`` with its ``margin``, by a one-sided test.

    ``reason``: why it cannot be tested.
    """

    kind: str
    margin: float
    test: str
    why: str
    reason: str | None = None

    def as_json(self) -> dict[str, Any]:
        """The hypothesis as plain data, for the plan."""
        return {key: value for key, value in asdict(self).items() if value is not None}


@dataclass(frozen=True)
class ComparisonTask:
    """One difference to be computed: ``task`` minus ``reference``.

    ``test_reason`` and ``interval_reason`` say why a test or interval that was asked
    for cannot be given; its name stays in the record. ``ratio``: the method of the limits of the
    ratio, where it was asked for.
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
    hypothesis: Hypothesis | None = None
    ratio: str = ""
    ratio_reason: str | None = None
    at: str | None = None

    def as_json(self) -> dict[str, Any]:
        """The task as plain data, for the plan."""
        return {
            "dataset": self.task.dataset,
            "model": self.task.model,
            "reference": self.reference.model,
            **({} if self.paired else {"reference_dataset": self.reference.dataset}),
            "metric": self.task.metric,
            "params": dict(self.task.params),
            "average": self.task.average,
            "label": self.task.label,
            **({"where": str(self.task.where)} if self.task.where != EVERYTHING else {}),
            **({"threshold": self.at} if self.at else {}),
            "paired": self.paired,
            "test": self.test,
            "interval": self.interval,
            "why": self.why,
            **({"margin": self.margin} if self.margin is not None else {}),
            **({"hypothesis": self.hypothesis.as_json()} if self.hypothesis else {}),
            **({"ratio": self.ratio_reason or self.ratio} if self.ratio else {}),
            **({"test_reason": self.test_reason} if self.test_reason else {}),
            **({"interval_reason": self.interval_reason} if self.interval_reason else {}),
        }


@dataclass(frozen=True)
class ComparisonPlan:
    """Every comparison of a run, in order, and what is not compared, because.

    ``apart``: models on datasets where there is nothing to compare with.
    """

    tasks: tuple[ComparisonTask, ...]
    skipped: tuple[Skipped, ...]
    apart: tuple[Request, ...] = ()


def plan_comparisons(
    request: ComparisonRequest, tasks: Sequence[Task], facts: Sequence[Facts]
) -> ComparisonPlan:
    """Comparisons of all rows at the first threshold of each model, and further as asked.

    Args:
        request: what is compared with what.
        tasks: the metric tasks of the plan, in its order.
        facts: of every dataset and model, in the order of the plan.
    """
    planned: list[ComparisonTask] = []
    skipped: list[Skipped] = []
    apart: list[Request] = []
    by_view = {(f.dataset, f.model): f for f in facts}
    wide = {"subgroups": request.subgroups, "thresholds": request.thresholds}
    comparable = {view: comparable_tasks(tasks, view, **wide) for view in by_view}
    pairs = [(view, other) for view in by_view for other in _references(request, view, by_view)]
    for view, other in pairs:
        own = by_view[view]
        if other == view:
            apart += _reference_alone(request, view, by_view)
            continue
        if other not in by_view:
            where = f"{other[1]} is not evaluated on {other[0]}"
            told = f"with {_told(request, other)}"
            apart.append(Request("comparison", told, *view, reason=where))
            continue
        for key, task in comparable[view].items():
            twin = _twin(comparable.get(other, {}), key)
            reason = why_not_compared(task, twin, own, other, of_models=other[1] != view[1])
            if reason is not None or twin is None:
                skipped.append(Skipped(task, reason or "", recorded=False))
            else:
                chosen = planned_by(request, task, twin, own, by_view[other])
                # told where it is not the first one
                at = str(task.threshold) if key[-1] else None
                planned.append(replace(chosen, at=at))
    return ComparisonPlan(tuple(planned), tuple(skipped), tuple(apart))


def _told(request: ComparisonRequest, other: tuple[str, str]) -> str:
    return other[1] if request.reference_dataset is None else f"the dataset {other[0]}"


def _reference_alone(
    request: ComparisonRequest, view: tuple[str, str], views: Mapping[tuple[str, str], Facts]
) -> list[Request]:
    """A model on the reference dataset that is evaluated on no other one is compared nowhere."""
    dataset, model = view
    if request.reference_dataset is None or any(
        own == model and where != dataset for where, own in views
    ):
        return []
    reason = f"{model} is evaluated on no other dataset"
    return [Request("comparison", f"with the dataset {dataset}", dataset, model, reason=reason)]


def _references(
    request: ComparisonRequest, view: tuple[str, str], views: Mapping[tuple[str, str], Facts]
) -> list[tuple[str, str]]:
    """What a model on a dataset is compared with; several where the reference has its own rows."""
    dataset, model = view
    if request.reference_dataset is not None:
        return [(request.reference_dataset, model)]
    if request.reference is None:
        return [next(v for v in views if v[0] == dataset)]
    others = [where for where, own in views if own == request.reference]
    shared = any((where, model) in views for where in others)
    return [(where, request.reference) for where in ([dataset] if shared else others or [dataset])]


def comparable_tasks(
    tasks: Sequence[Task],
    view: tuple[str, str],
    *,
    subgroups: bool = False,
    thresholds: bool = False,
) -> dict[tuple[Any, ...], Task]:
    """The numbers of one model that are compared; indeterminate predictions count against it.

    Of all rows at the first threshold, and in ``subgroups`` and at the other ``thresholds``.
    The key of a number ends with the place of its threshold among those of the model.
    """
    own = [t for t in tasks if (t.dataset, t.model) == view and t.where.fold is None]
    given = list(dict.fromkeys(t.threshold for t in own if t.threshold is not None))
    decided = any(t.threshold is None and t.table in AT_THRESHOLD for t in own)
    found: dict[tuple[Any, ...], Task] = {}
    for task in own:
        if decided and given and task.threshold == given[0]:
            continue  # its own labels stand in the place of the first threshold
        place = given.index(task.threshold) if task.threshold is not None else 0
        kept = (subgroups or task.where == EVERYTHING) and (thresholds or not place)
        if kept and task.indeterminate != "for":
            quantity = task.metric, task.params, task.average, task.label
            found[(*quantity, task.where, place)] = task
    return found


def _twin(numbers: Mapping[tuple[Any, ...], Task], key: tuple[Any, ...]) -> Task | None:
    """The same number of the reference; labels have one threshold, whatever the model's is."""
    alone = numbers.get((*key[:-1], 0))
    of_labels = alone if alone is not None and alone.threshold is None else None
    return numbers.get(key) or of_labels


def why_not_compared(
    task: Task,
    twin: Task | None,
    facts: Facts,
    other: tuple[str, str] = ("", ""),
    *,
    of_models: bool,
) -> str | None:
    """Why a number is not compared with its twin under ``other``; None where it is."""
    if twin is None:
        return f"{other[1]} on {other[0]} does not have it"
    metric = metric_named(task.metric)
    if (none := task.undefined or twin.undefined) is not None:
        return none
    if of_other_class(task, facts):
        return "scores are compared for the positive class"
    if task.table == Table.LABEL_SETS.value:
        return "metrics of sets of labels are not compared"
    if metric.interval is Interval.NONE:
        return "a p value or test statistic is not compared"
    if "highest" in metric.context:
        return "it compares a group with the others, which are not among its rows"
    if of_models and is_of_truth_alone(metric, dict(task.params)):
        return "it does not depend on the model"
    return None


def of_other_class(task: Task, facts: Facts) -> bool:
    """Whether scores are of the positive of two classes and the value is of the other one."""
    if not facts.two_classes or task.table != Table.SCORES.value:
        return False
    return task.label not in (None, facts.positive)


# -- how ------------------------------------------------------------------------------------


def planned_by(
    request: ComparisonRequest, task: Task, twin: Task, facts: Facts, other: Facts
) -> ComparisonTask:
    """The comparison of two numbers, with its test and interval and why these."""
    paired = task.dataset == twin.dataset
    same = stand_in(task, two_classes=facts.two_classes)
    family = family_of(
        metric_named(same.metric), same.average, paired=paired, two_classes=facts.two_classes
    )
    weighted = facts.weighted or other.weighted
    clustered = facts.clustered or other.clustered
    designed = paired and facts.designed is not None
    design = Design.of(weighted=weighted, clustered=clustered, designed=designed)
    declared = metric_named(task.metric)
    none = NO_DEFAULT if declared.no_interval else None
    if paired and declared.interval is Interval.AT_RATE:
        none = TWO_THRESHOLDS
    test, interval, why = "", "", none or ""
    if none is None:
        as_printed = task.metric in request.classical
        test, interval, why = _default(family, task, design, paired=paired, as_printed=as_printed)
    chosen = ComparisonTask(task, twin, paired, family, test, interval, why, none, none)
    for place, (key, asked) in enumerate((("test", request.tests), ("interval", request.methods))):
        if task.metric in asked:
            word = asked[task.metric]
            name, known = word if paired else WITHOUT_PAIRS.get(word, word), getattr(chosen, key)
            fit = methods_of(family, paired=paired)[place]
            reason = None if name == known else _unfit(name, fit, family, weighted=weighted)
            named: dict[str, Any] = {key: name, f"{key}_reason": reason}
            chosen = replace(chosen, why=ASKED, **named)
    if not facts.folds and facts.fold_sizes and metric_named(task.metric).ranks_rows:
        reason = "each row was scored by another fit, and their scores are not on one scale"
        chosen = replace(chosen, test_reason=reason, interval_reason=reason)
    if task.metric in request.ratios:
        reason = _no_ratio(family, weighted=weighted, clustered=clustered)
        of_ratio = OF_RATIOS.get(family, KOOPMAN) if paired else KOOPMAN
        chosen = replace(chosen, ratio=of_ratio, ratio_reason=reason)
    return _to_be_shown(request, chosen)


def stand_in(task: Task, *, two_classes: bool) -> Task:
    """The task that is compared: of an average that is another number, this other one."""
    if task.average is None or task.indeterminate is not None:
        return task
    metric, average = same_number(metric_named(task.metric), task.average, two_classes=two_classes)
    params = task.params if metric.name == task.metric else ()
    return replace(task, metric=metric.name, average=average, params=params)


def _no_ratio(family: Family, *, weighted: bool, clustered: bool) -> str | None:
    if family not in (Family.ROWS, Family.CALLS):
        return "ratios are of shares of rows"
    if clustered:
        return "rows of one cluster are not independent"
    return "ratios are not defined for weighted rows" if weighted else None


def _to_be_shown(request: ComparisonRequest, chosen: ComparisonTask) -> ComparisonTask:
    """With the margin, or the hypothesis and its test.

    A test of equality alone gives way to one that has a margin, with the limits of that same test:
    p and limits say one thing.
    """
    metric = metric_named(chosen.task.metric)
    margin, kind = request.margins.get(metric.name), request.hypotheses.get(metric.name)
    if kind is None:
        return replace(chosen, margin=margin)
    test, why, reason = chosen.test, "the test of the difference, one-sided", chosen.test_reason
    if margin and test in AT_A_MARGIN:
        test, why = AT_A_MARGIN[test], f"{test} is of equality alone"
        if chosen.task.metric not in request.methods:
            chosen = replace(chosen, interval=test, why=f"limits of {test}, which tests the margin")
    if reason is None and kind in WITH_DIRECTION and not directed(metric):
        reason = "neither more nor less of it is better"
    return replace(chosen, hypothesis=Hypothesis(kind, margin or 0.0, test, why, reason))


#: Why a difference has neither test nor limits unless a spec names them.
TWO_THRESHOLDS = f"each threshold is chosen on the same rows: {PERCENTILE} can be requested"
NO_DEFAULT = f"neither value has valid limits: {PERCENTILE} can be requested"


def _default(
    family: Family, task: Task, design: Design, *, paired: bool, as_printed: bool
) -> tuple[str, str, str]:
    """Test and limits of a difference of which the spec names none, and why these.

    ``as_printed``: those that R and SAS print by default.
    """
    metric, at = metric_named(task.metric), task.table in AT_THRESHOLD
    single = task.average is None and task.table != Table.CLASS_SCORES.value
    used = family_in(family, metric, design, paired=paired, single=single, of_table=at)
    default = test, method = default_of(used, design, paired=paired)
    if as_printed and (printed := classical_of(used, design, paired=paired)) != default:
        return (*printed, AS_CLASSICAL)
    why = used.value
    if test == ADDED and not (used is Family.SHARES and design is Design.ROWS):
        why = Family.LIMITS.value
    elif design is Design.SAMPLE and paired:
        by_rows = "variance by the design of the sample"
        why = by_rows if test == BY_DESIGN else "units are left out in groups"
    elif test == AREA_OF_CLUSTERS:
        why = "rows of one cluster are not independent"
    elif test == BY_DESIGN and used is Family.MEAN:
        why = f"{used.value}: by what each contributes"
    return test, method, why


def _unfit(name: str, known: Sequence[str], family: Family, *, weighted: bool) -> str | None:
    if name not in (*known, CLUSTERS):
        return f"{name} is not defined for {family.value.partition(':')[0]}"
    if weighted and name not in (BOOTSTRAP, PERCENTILE, CLUSTERS):
        return f"{name} is not defined for weighted rows"
    return None


#: With two models the comparison of the two says it.
LEAST = 3


@dataclass(frozen=True)
class OmnibusTask:
    """The same number of every model of a dataset; ``reason``: why there is no test of them."""

    dataset: str
    tasks: tuple[Task, ...]
    test: str
    reason: str | None = None

    @property
    def words(self) -> str:
        """The request as the plan names it."""
        return f"all models at once, {self.tasks[0].name()}{self.test and f': {self.test}'}"


def plan_omnibus(tasks: Sequence[Task], facts: Sequence[Facts]) -> list[OmnibusTask]:
    """Each number that models of a dataset have, in the order of the plan."""
    found = []
    for dataset in dict.fromkeys(f.dataset for f in facts):
        own = [f for f in facts if f.dataset == dataset]
        by_model = {f.model: comparable_tasks(tasks, (dataset, f.model)) for f in own}
        names: dict[tuple[Any, ...], None] = {}
        for numbers in by_model.values():
            names |= dict.fromkeys(numbers)
        for name in names:
            same = tuple(numbers[name] for numbers in by_model.values() if name in numbers)
            found.append(_planned_of_all(dataset, same, own))
    return found


def _planned_of_all(dataset: str, same: tuple[Task, ...], facts: Sequence[Facts]) -> OmnibusTask:
    metric = metric_named(same[0].metric)
    test = SEVERAL.get(family_of(metric, same[0].average), "")
    reason = next(_reasons(same, facts), None)
    if reason is None and not test:
        reason = "no test of more than two models is known for it"
    return OmnibusTask(dataset, same, test, reason)


def _reasons(same: tuple[Task, ...], facts: Sequence[Facts]) -> Iterator[str]:
    """Why a number is not tested, the first reason first."""
    if len(same) < LEAST:
        yield f"fewer than {LEAST} models have it"
    own = [f for f in facts if f.model in {t.model for t in same}]
    for task, one in zip(same, own, strict=True):
        found = why_not_compared(task, task, one, of_models=True)
        if found is not None:
            yield found
    if any(f.clustered for f in own):
        yield "rows of one cluster are not independent"
    if any(f.weighted or f.designed is not None for f in own):
        yield "it is not defined for weighted rows"
    ranked = metric_named(same[0].metric).ranks_rows
    if ranked and any(f.fold_sizes and not f.folds for f in own):
        yield "each row was scored by another fit, and their scores are not on one scale"
