"""Limits of values, differences and ratios as a run that asks for nothing makes them.

For the study of :mod:`benchmarks.coverage_samples`. Names of what is found: ``recall`` is a
difference and ``recall ratio`` a ratio; ``recall to all`` and ``recall ratio to all`` are those of
a subgroup and all rows, ``recall widest`` is the largest gap between subgroups.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from evalreport.engine.comparisons.records import compare
from evalreport.engine.counting.memory import MemoryTables
from evalreport.engine.groups.gaps import heterogeneity_tests, subgroup_gaps
from evalreport.engine.measures import Measurer, as_measure
from evalreport.engine.settings import Settings
from evalreport.engine.thresholds import Resolved
from evalreport.metrics.catalogue import find
from evalreport.metrics.methods import has_ratio
from evalreport.plan.build import build_plan
from evalreport.plan.comparisons import ComparisonRequest, plan_comparisons
from evalreport.plan.inputs import Facts, MetricRequest, Requests
from evalreport.plan.task import Task, ThresholdRequest
from evalreport.predict.view import LabelView
from evalreport.results.records import Interval, Measure

#: Of each value that there is, the limits; None where it has none.
Limits = dict[str, tuple[float, float] | None]
RATIO, TO_ALL, WIDEST = " ratio", " to all", " widest"
_AT = ThresholdRequest(0.5)


def facts(view: LabelView) -> Facts:
    """What a plan knows of a view."""
    return Facts(
        view.dataset,
        view.model,
        "score",
        view.labels,
        "p",
        view.rows,
        low=0.0,
        high=1.0,
        weighted=view.weight is not None,
        clustered=view.cluster is not None,
    )


def _requests(metrics: Sequence[str], methods: Mapping[str, str] | None = None) -> Requests:
    asked = tuple(MetricRequest(find(m)) for m in metrics)
    return Requests(asked, thresholds=(_AT,), methods=methods or {})


@lru_cache(maxsize=64)
def _planned(
    metrics: tuple[str, ...], methods: tuple[tuple[str, str], ...], known: Facts
) -> tuple[Task, ...]:
    return build_plan(_requests(metrics, dict(methods)), [known]).tasks


def of_values(view: LabelView, cut: float, metrics: Sequence[str], resamples: int) -> Limits:
    """Limits of the value of each metric."""
    found: Limits = {}
    for made in measured(view, cut, metrics, resamples):
        _keep(found, made.metric, made.value, made.interval)
    return found


def measured(
    view: LabelView,
    cut: float,
    metrics: Sequence[str],
    resamples: int,
    methods: Mapping[str, str] | None = None,
) -> Iterator[Measure]:
    """The record of each metric of one view; ``methods``: asked for, by metric."""
    tasks = _planned(tuple(metrics), tuple((methods or {}).items()), facts(view))
    tables = MemoryTables(view)
    measurer = Measurer(view, tables, Settings(resamples=resamples), {_AT: Resolved(cut)})
    measurer.announce(tasks)
    for number, task in enumerate(tasks):
        yield as_measure(measurer.compute(task), f"v{number}", None, view.rows, None)


def of_two(
    views: Sequence[LabelView], cuts: Sequence[float], metrics: Sequence[str], resamples: int
) -> Limits:
    """Of two models on the same rows, or one model on two datasets: the first less the second."""
    known = [facts(view) for view in views]
    names = [(view.dataset, view.model) for view in views]
    asked = ComparisonRequest(
        reference=views[1].model,
        reference_dataset=None if views[0].dataset == views[1].dataset else views[1].dataset,
        ratios=[m for m in metrics if has_ratio(find(m))],
    )
    plan = build_plan(_requests(metrics), known)
    found: Limits = {}
    for record in compare(
        asked,
        {name: MemoryTables(view) for name, view in zip(names, views, strict=True)},
        {name: {_AT: Resolved(cut)} for name, cut in zip(names, cuts, strict=True)},
        plan_comparisons(asked, plan.tasks, known).tasks,
        Settings(resamples=resamples),
    ):
        _keep(found, record.metric, record.difference, record.interval)
        if record.ratio is not None:
            _keep(found, record.metric + RATIO, record.ratio.value, record.ratio.interval)
    return found


def _keep(found: Limits, name: str, value: float | None, interval: Interval | None) -> None:
    if value is not None:
        found[name] = None if interval is None else (interval.low, interval.high)


def of_groups(
    views: Sequence[LabelView], cuts: Sequence[float], metrics: Sequence[str], resamples: int
) -> Limits:
    """Of the first subgroup against the last, the largest, and all; and of the largest gap."""
    groups = [
        {m.metric: replace(m, id=f"{m.id} of {k}", subgroup={"g": f"{k}"}, threshold=None)
         for m in measured(view, cut, metrics, resamples)}
        for k, (view, cut) in enumerate(zip(views, cuts, strict=True))
    ]  # fmt: skip
    every = [_all_rows([own[name] for own in groups]) for name in metrics]
    records = [*every, *(m for own in groups for m in own.values())]
    found: Limits = {}
    for gap in subgroup_gaps(records, 0.95):
        if gap.subgroup == {"g": "0"}:
            end = TO_ALL if gap.against == "all rows" else ""
            _keep(found, gap.metric + end, gap.gap, gap.gap_interval)
            _keep(found, gap.metric + RATIO + end, gap.ratio, gap.ratio_interval)
    for entry in heterogeneity_tests(records, 0.95, widest=True):
        if entry.widest is not None:
            widest = entry.widest
            _keep(found, entry.metric + WIDEST, widest.gap, widest.interval)
    return found


def _all_rows(groups: Sequence[Measure]) -> Measure:
    """All rows, of which only the shares are needed."""
    first, rows = groups[0], sum(m.n for m in groups)
    if any(m.numerator is None or m.denominator is None for m in groups):
        return replace(first, id=f"{first.id} of all", subgroup={}, n=rows, interval=None)
    top, bottom = sum(m.numerator or 0 for m in groups), sum(m.denominator or 0 for m in groups)
    value = top / bottom if bottom else None
    changes = {"value": value, "numerator": top, "denominator": bottom, "n": rows}
    return replace(first, id=f"{first.id} of all", subgroup={}, interval=None, **changes)


def sides_of(name: str, own: Sequence[float], rows: Sequence[float]) -> tuple[float, float]:
    """What limits of this name compare, from the true values of each side or group.

    ``rows``: the expected rows below the line of the metric in each group, as a share of all.
    """
    if name.endswith(WIDEST):
        return max(own), min(own)
    if name.endswith(TO_ALL):
        return own[0], sum(value * part for value, part in zip(own, rows, strict=True))
    return own[0], own[-1]
