"""Comparisons of models: each planned difference becomes one record.

A difference is model minus reference. ``told_apart`` says whether the data can tell the
two apart: the adjusted p-value is below 1 - level or, where no test could be made, the
interval leaves out 0. Test and limits are one calculation, but for the exact tests and score
tests of shares beside limits of their own (McNemar's beside Newcombe's): where these disagree
the test decides, and a note says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from evalreport.engine.comparisons.comparer import Comparer, Found, Values, difference_of
from evalreport.engine.comparisons.contrast import Test
from evalreport.engine.comparisons.draws import PairedDraws
from evalreport.engine.comparisons.folds import fold_names, over_folds
from evalreport.engine.comparisons.other_rows import OtherRows
from evalreport.engine.comparisons.pairs import Pair, Side, Thresholds, pair, restricted
from evalreport.engine.comparisons.same_rows import SameRows
from evalreport.engine.counting.memory import MemoryTables
from evalreport.engine.counting.set_tables import tables_of
from evalreport.engine.measures import shown_params, state_of
from evalreport.engine.metric_values import Evaluated
from evalreport.engine.settings import Settings
from evalreport.metrics.catalogue import metric_named
from evalreport.metrics.declare import Goal, Metric
from evalreport.metrics.estimates import different_classes
from evalreport.metrics.formula import Undefined, Value
from evalreport.plan.comparisons import ComparisonRequest, ComparisonTask, stand_in
from evalreport.predict.view import LabelView as Seen
from evalreport.results.identity import EVERYTHING, MEAN_OF_FOLDS, Slice
from evalreport.results.records import Comparison, Hypothesis, with_disagreement
from evalreport.statistics.multiplicity import Adjusted, adjust_families, corrected_family

View = tuple[str, str]
#: All rows, at the first threshold.
FIRST = (EVERYTHING, None)
#: Dataset and model of both sides, and whether they are compared row by row.
Views = tuple[View, View, bool]
#: Comparisons by their rows and threshold.
Every = dict[tuple[Slice, str | None], list[ComparisonTask]]


@dataclass(frozen=True)
class Difference:
    """One comparison before its p-value is adjusted."""

    task: ComparisonTask
    values: Values
    difference: float | None
    found: Found
    rows: int
    thresholds: tuple[float | None, float | None]
    notes: tuple[str, ...] = ()
    fold: str | None = None


def compare(
    request: ComparisonRequest,
    tables: Mapping[View, MemoryTables],
    thresholds: Mapping[View, Thresholds],
    tasks: Sequence[ComparisonTask],
    settings: Settings,
    repeats: Mapping[View, Sequence[Seen]] | None = None,
) -> list[Comparison]:
    """The records of all planned comparisons, in their order.

    Args:
        request: whose correction is applied to the comparisons of its families.
        tables: by dataset and model.
        thresholds: the solved thresholds, by dataset and model.
        tasks: as :func:`evalreport.plan.comparisons.plan_comparisons` plans them.
        settings: level, resamples, seed and costs.
        repeats: the further repeats of cross-validated views, by dataset and model.
    """
    differences: list[Difference] = []
    for (first, second, paired), own, every in grouped(tasks):
        model, reference = (
            Side(tables[view].view, tables[view], settings, thresholds.get(view, {}))
            for view in (first, second)
        )
        if own and paired:
            further = _further(model, reference, first, second, repeats or {})
            differences.extend(_paired(model, reference, own, further))
        elif own:
            by, sides = OtherRows(model, reference), (model, reference)
            differences.extend(_each(by, sides, own, model.view.rows))
        for (where, _), alike in every.items():
            differences.extend(_of_slice(model, reference, alike, where, paired=paired))
    return as_records(differences, request, settings.level)


def grouped(tasks: Sequence[ComparisonTask]) -> Iterator[tuple[Views, list[ComparisonTask], Every]]:
    """The comparisons of each two models: of all rows at the first threshold, and the others."""
    for views, group in groupby(tasks, key=_views):
        every: Every = {}
        for task in group:
            every.setdefault((task.task.where, task.at), []).append(task)
        yield views, every.pop(FIRST, []), every


def _further(
    model: Side,
    reference: Side,
    first: View,
    second: View,
    repeats: Mapping[View, Sequence[Seen]],
) -> list[tuple[Side, Side]]:
    """Both models in each further repeat of a cross-validation."""
    return [
        (
            replace(model, view=one, tables=tables_of(one)),
            replace(reference, view=two, tables=tables_of(two)),
        )
        for one, two in zip(repeats.get(first, ()), repeats.get(second, ()), strict=False)
    ]


def _of_slice(
    model: Side,
    reference: Side,
    tasks: Sequence[ComparisonTask],
    where: Slice,
    *,
    paired: bool,
) -> Iterator[Difference]:
    """Comparisons in a subgroup, or at a threshold after the first; draws of their own."""
    one, two = restricted(model, where), restricted(reference, where)
    if not one.view.rows or not two.view.rows:
        for task in tasks:
            yield not_compared(task, "there are no rows of it on one of the two sides")
    elif paired:
        yield from _paired(one, two, tasks, (), of=f", {where}, {tasks[0].at}")
    else:
        yield from _each(OtherRows(one, two), (one, two), tasks, one.view.rows)


def _views(task: ComparisonTask) -> Views:
    own, other = task.task, task.reference
    return (own.dataset, own.model), (other.dataset, other.model), task.paired


def _paired(
    model: Side,
    reference: Side,
    tasks: Sequence[ComparisonTask],
    further: Sequence[tuple[Side, Side]],
    of: str = "",
) -> Iterator[Difference]:
    both = pair(model, reference)
    if isinstance(both, str):
        for task in tasks:
            yield not_compared(task, both)
        return
    sides = both.model, both.reference
    yield from _each(SameRows(both, PairedDraws(both, of)), sides, tasks, both.rows, both.note)
    pairs = [both, *(p for each in further if isinstance(p := pair(*each), Pair))]
    folded = () if of or not all(fold_names(p) for p in pairs) else tasks
    for task in folded:
        renamed, means, difference, found = over_folds(pairs, task)
        at = numbers_of(*sides, task)
        notes = (both.note,) if both.note else ()
        yield Difference(renamed, means, difference, found, both.rows, at, notes, MEAN_OF_FOLDS)


def numbered_by(side: Side, task: ComparisonTask) -> ComparisonTask:
    """The comparison with the numbers that are compared, see ``stand_in``."""
    two = len(side.view.labels) <= 2
    own, other = (stand_in(one, two_classes=two) for one in (task.task, task.reference))
    return replace(task, task=own, reference=other)


def difference_by(
    by: Comparer,
    sides: tuple[Side, Side],
    task: ComparisonTask,
    values: Values,
    rows: int,
    note: str | None = None,
) -> Difference:
    """The difference of two values, with its test and limits where both are numbers."""
    model, reference = sides
    numbered, difference = numbered_by(model, task), difference_of(*values)
    if difference is None:
        found = _nothing(_why_none(numbered, values))
    else:
        found = by.found(numbered, values, difference)
    notes = ([note] if note else []) + _notes_of(model, reference, numbered)
    at = numbers_of(model, reference, numbered)
    return Difference(task, values, difference, found, rows, at, tuple(notes))


def _each(
    by: Comparer,
    sides: tuple[Side, Side],
    tasks: Sequence[ComparisonTask],
    rows: int,
    note: str | None = None,
) -> Iterator[Difference]:
    for task in tasks:
        numbered = numbered_by(sides[0], task)
        values = sides[0].value(numbered.task), sides[1].value(numbered.reference)
        yield difference_by(by, sides, task, values, rows, note)


def numbers_of(
    model: Side, reference: Side, task: ComparisonTask
) -> tuple[float | None, float | None]:
    """The thresholds of both sides."""
    return model.threshold(task.task).number, reference.threshold(task.reference).number


def _notes_of(model: Side, reference: Side, task: ComparisonTask) -> list[str]:
    """What is noted of a comparison, whatever rows the two sides share."""
    chosen = _threshold_notes(model, reference, task)
    if not task.paired:
        return ["the rows of the two datasets are treated as independent", *chosen]
    if task.task.indeterminate or task.reference.indeterminate:
        return [*chosen, "indeterminate predictions count as wrong"]
    return chosen


def _threshold_notes(model: Side, reference: Side, task: ComparisonTask) -> list[str]:
    sides = zip(_names(task), ((model, task.task), (reference, task.reference)), strict=True)
    chosen = [name for name, (side, own) in sides if side.threshold(own).exploratory]
    if not chosen:
        return []
    return [f"conditional on the threshold, which was chosen on these rows: {', '.join(chosen)}"]


def _nothing(reason: str) -> Found:
    return Found(Test(reason=reason), None, reason)


def not_compared(task: ComparisonTask, reason: str) -> Difference:
    """A comparison of which there are no rows, because."""
    none = Evaluated(Undefined(reason), "", "")
    return Difference(task, (none, none), None, _nothing(reason), 0, (None, None))


def _names(task: ComparisonTask) -> tuple[str, str]:
    """What tells the two sides apart: their models, or the datasets of one model."""
    own, other = task.task, task.reference
    return (own.model, other.model) if own.model != other.model else (own.dataset, other.dataset)


def _why_none(task: ComparisonTask, values: Values) -> str:
    names = _names(task)
    parts = []
    for name, value in zip(names, values, strict=True):
        state, _, reason = state_of(value)
        if state != "value":
            parts.append(f"{name}: {state}, {reason}")
    (one, two), (first, second) = names, values
    apart = different_classes((one, first.left_out), (two, second.left_out))
    return "; ".join(parts) or apart or ""


# -- records ----------------------------------------------------------------------------------


def as_records(
    differences: Sequence[Difference], request: ComparisonRequest, level: float
) -> list[Comparison]:
    """The records of all differences, their p values corrected within each family."""
    families = [d.task.task.dataset if request.family == "dataset" else "" for d in differences]
    p_values = [_family_p(d) for d in differences]
    adjusted = adjust_families(p_values, families, request.correction)
    return [_record(d, own, request, level) for d, own in zip(differences, adjusted, strict=True)]


def _family_p(d: Difference) -> float | None:
    """The p value that is corrected: of the hypothesis where one is stated."""
    test = d.found.test if d.task.hypothesis is None else d.found.hypothesis
    return None if test is None else test.p_value


def _record(
    d: Difference, adjusted: Adjusted, request: ComparisonRequest, level: float
) -> Comparison:
    task, own = d.task, d.task.task
    metric, interval, test = metric_named(own.metric), d.found.interval, d.found.test
    if interval is not None and own.threshold is not None and _is_conditional(d):
        interval = interval.noted(d.notes[-1])
    family, tests = corrected_family(adjusted, request.correction, request.family)
    p_adjusted = adjusted.p_value if task.hypothesis is None else None
    record = Comparison(
        **_asked_for(task, d.fold),
        threshold=d.thresholds[0],
        reference_threshold=d.thresholds[1],
        n=d.rows,
        model_value=_number(d.values[0]),
        reference_value=_number(d.values[1]),
        difference=d.difference,
        interval=interval,
        interval_reason=d.found.interval_reason,
        test=task.test or None,
        statistic=test.statistic,
        df=test.df,
        p_value=test.p_value,
        p_adjusted=p_adjusted,
        correction=request.correction,
        family=family,
        family_tests=tests,
        reason=test.reason,
        hypothesis=_hypothesis(d, adjusted, request.alpha or (1.0 - level) / 2.0),
        ratio=d.found.ratio,
        exploratory=True if _is_conditional(d) else None,
        note="; ".join(d.notes) or None,
        joint_table=d.found.counts.rows,
        joint_calls=d.found.counts.calls,
        fold_differences=d.found.counts.folds,
        model_fraction=d.found.counts.fractions[0],
        reference_fraction=d.found.counts.fractions[1],
    )
    return judged(record, metric, level)


def _asked_for(task: ComparisonTask, fold: str | None) -> dict[str, Any]:
    """The fields that say which difference a record is of, and why it is compared so."""
    own, metric = task.task, metric_named(task.task.metric)
    return {
        "dataset": own.dataset,
        "subgroup": dict(own.where.subgroup),
        "fold": fold,
        "threshold_rule": own.threshold.text if own.threshold is not None else None,
        "metric": own.metric,
        "title": metric.title,
        "params": shown_params(metric, own),
        "average": own.average,
        "label": own.label,
        "model": own.model,
        "reference": task.reference.model,
        "reference_dataset": None if task.paired else task.reference.dataset,
        "paired": task.paired,
        "why": task.why,
        "margin": task.margin,
    }


def judged(record: Comparison, metric: Metric, level: float) -> Comparison:
    """The record with what its difference, p value and limits say of the two."""
    p_value = record.p_value if record.hypothesis is not None else record.p_adjusted
    interval = record.interval
    apart = interval is not None and not interval.low <= 0.0 <= interval.high
    return replace(
        with_disagreement(record),
        better=better(metric, record),
        told_apart=apart if p_value is None else p_value < 1.0 - level,
        non_inferior=_non_inferior(metric, record),
    )


def _hypothesis(d: Difference, adjusted: Adjusted, alpha: float) -> Hypothesis | None:
    asked, found = d.task.hypothesis, d.found.hypothesis
    if asked is None:
        return None
    made = found or Test(reason=asked.reason or d.found.test.reason or "there is no difference")
    p_value = adjusted.p_value
    return Hypothesis(
        kind=asked.kind,
        margin=asked.margin,
        null=d.found.null,
        test=asked.test,
        standard_error=made.error,
        statistic=made.statistic,
        df=made.df,
        p_value=made.p_value,
        p_adjusted=p_value,
        alpha=alpha,
        shown=None if p_value is None else p_value < alpha,
        why=asked.why,
        reason=made.reason,
    )


def _is_conditional(d: Difference) -> bool:
    return any(note.startswith("conditional") for note in d.notes[-1:])


def _number(value: Evaluated) -> float | None:
    return value.outcome.number if isinstance(value.outcome, Value) else None


def better(metric: Metric, record: Comparison) -> str | None:
    """``model`` or ``reference``, by the metric's goal; None when equal or where neither is."""
    difference = record.difference
    if difference is None:
        return None
    gain = {Goal.MAXIMIZE: difference, Goal.MINIMIZE: -difference}.get(metric.goal, 0.0)
    if metric.goal is Goal.TARGET and metric.best is not None:
        one, two = record.model_value or 0.0, record.reference_value or 0.0
        gain = abs(two - metric.best) - abs(one - metric.best)
    if gain == 0.0:
        return None
    return "model" if gain > 0.0 else "reference"


def _non_inferior(metric: Metric, record: Comparison) -> bool | None:
    """Whether the limit on the losing side stays within the margin; None without a limit."""
    interval, margin = record.interval, record.margin
    if margin is None or interval is None:
        return None
    if metric.goal is Goal.MAXIMIZE:
        return interval.low > -margin
    return interval.high < margin if metric.goal is Goal.MINIMIZE else None
