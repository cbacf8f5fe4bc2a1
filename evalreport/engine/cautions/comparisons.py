"""Cautions about models beside each other, beside a baseline and beside chance."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from evalreport.engine.cautions.declare import Caution, caution
from evalreport.engine.cautions.facts import RunFacts, pairs
from evalreport.engine.cautions.wording import (
    counted,
    listed,
    name,
    number,
    of_class,
    p_value,
)
from evalreport.engine.printed_table import PrintedTable
from evalreport.metrics.catalogue import find, metric_named, named_within, of_caution
from evalreport.metrics.declare import Goal, Shows
from evalreport.metrics.tables import Matrix
from evalreport.numbers import difference_text
from evalreport.predict.view import View
from evalreport.results.records import Comparison, Measure

#: From this lead in true positive rate on, both ways, curves are said to cross.
CROSSING = 0.02
#: Values this close are the same to a reader.
SAME = 0.005
#: Comparisons named in one sentence.
NAMED = 2
#: From this difference of specificity on, tables with the same recall differ.
DIFFERENT = 0.05
#: From this difference of a recall on, models with the same accuracy behave differently.
OTHER_RECALL = 0.1


@caution(
    "metrics_rank_differently",
    severity="note",
    title="Metrics put different models first",
    why="which model is better depends on the metric, so the choice of metric decides",
    read_instead="the metric that fits the use, named before the results were seen",
)
def metrics_rank_differently(run: RunFacts) -> Iterator[Caution]:
    """On some two metrics no model is first, or within its own limits of the first, on both."""
    for dataset in run.datasets:
        views = run.views_of(dataset)
        if len(views) < 2:
            continue
        best = _best_models(run, views)
        composite = {
            metric: first
            for metric, first in best.items()
            if metric_named(metric).shows is not Shows.ONE_KIND
        }
        chosen = composite if len(composite) > 1 else best
        if chosen and not set.intersection(*(set(first) for first in chosen.values())):
            yield Caution(_ranking(views, chosen), dataset, numbers={"metrics": len(chosen)})


def _best_models(run: RunFacts, views: Sequence[View]) -> dict[str, list[str]]:
    """The models whose value is the best, or whose limits hold it, by each metric of all."""
    found: dict[str, list[str]] = {}
    for metric in dict.fromkeys(m.metric for m in run.measures_of(views[0])):
        declared = find(metric)
        if declared is None or declared.goal not in (Goal.MAXIMIZE, Goal.MINIMIZE):
            continue
        own = [(view.model, m) for view in views if (m := run.measure(view, metric)) is not None]
        if len(own) < len(views) or len({frozenset(m.left_out) for _, m in own}) > 1:
            continue
        values = [m.value for _, m in own if m.value is not None]
        best = max(values) if declared.goal is Goal.MAXIMIZE else min(values)
        found[metric] = [model for model, m in own if _reaches(m, best)]
    return found


def _reaches(m: Measure, best: float) -> bool:
    """Whether a value is the best one, or its interval holds it."""
    within = m.interval is not None and m.interval.low <= best <= m.interval.high
    return m.value == best or within


def two_errors(rows: float) -> float:
    """Two standard errors of the difference of two shares of so many rows each, at most.

    >>> two_errors(200)
    0.1
    """
    return math.sqrt(2 / rows) if rows else math.inf


def _ranking(views: Sequence[View], best: Mapping[str, Sequence[str]]) -> str:
    """Which models are first on which metrics; those that share a place are named together."""
    by_models: dict[tuple[str, ...], list[str]] = {}
    for metric, first in best.items():
        by_models.setdefault(tuple(first), []).append(named_within(metric))
    order = [view.model for view in views]
    parts = []
    for models in sorted(by_models, key=lambda own: (len(own), order.index(own[0]))):
        verb = "is first" if len(models) == 1 else "share the first place"
        who = listed(map(name, models), len(order))
        parts.append(f"{who} {verb} on {listed(by_models[models])}")
    return f"{'; '.join(parts[:5])}."


@caution(
    "roc_curves_cross",
    severity="note",
    title="ROC curves cross",
    why="where curves cross neither model ranks better everywhere, and one area hides it",
    read_instead="the curves at the false positive rates that could be used, or a partial AUC",
)
def roc_curves_cross(run: RunFacts) -> Iterator[Caution]:
    """Each of two models leads the other somewhere, by 0.02 and more than two standard errors."""
    positives = {v.dataset: run.class_rows(v)[v.positive_index] for v in run.views if v.has_score}
    for record in run.roc:
        ahead, behind = record.first_leads, record.second_leads
        least = max(CROSSING, two_errors(positives.get(record.dataset, 0)))
        if record.relation == "cross" and min(ahead.by, behind.by) >= least:
            yield Caution(
                f"{name(record.first)} finds up to {number(ahead.by)} more of the positives at "
                f"a false positive rate of {number(ahead.fpr)}, {name(record.second)} up to "
                f"{number(behind.by)} more at {number(behind.fpr)}.",
                record.dataset,
                numbers={"first_leads": ahead.by, "second_leads": behind.by},
            )


@caution(
    "same_precision_and_recall",
    whole_table=True,
    severity="warning",
    title="Models with the same precision and recall differ in true negatives",
    why="precision, recall and F1 ignore true negatives",
    read_instead="specificity, or the tables themselves",
)
def same_precision_and_recall(run: RunFacts) -> Iterator[Caution]:
    """Two tables agree in precision and recall and differ in specificity."""
    tables = [(view, record) for view in run.views if (record := run.main_table(view)) is not None]
    two = [(view, record) for view, record in tables if record.table.size == 2]
    for (first, a), (second, b) in combinations(two, 2):
        rates = [_rates(run, record) for record in (a, b)]
        if rates[0] is None or rates[1] is None:
            continue
        (precision, recall, specificity, tn), other = rates[0], rates[1]
        same = abs(precision - other[0]) <= SAME and abs(recall - other[1]) <= SAME
        if same and abs(specificity - other[2]) >= DIFFERENT:
            one_dataset = first.dataset == second.dataset
            yield Caution(
                f"{_called(first, one_dataset)} and {_called(second, one_dataset)} both have "
                f"precision {number(precision)} and recall {number(recall)}; their "
                f"specificities are {number(specificity)} and {number(other[2])} "
                f"({number(tn)} and {number(other[3])} true negatives).",
                first.dataset if one_dataset else None,
                table=a.id,
                numbers={"tn_first": tn, "tn_second": other[3]},
            )


@caution(
    "same_accuracy",
    whole_table=True,
    severity="warning",
    title="Models with the same accuracy make different mistakes",
    why="accuracy counts right rows of every class equally, so models that miss different classes "
    "can share it",
    read_instead="recall of each class, or the tables themselves",
)
def same_accuracy(run: RunFacts) -> Iterator[Caution]:
    """Two models agree in an accuracy that was asked for and differ in the recall of a class."""
    asked = run.requested
    if of_caution("majority_class").name not in asked:
        return
    for dataset in run.datasets:
        for first, second in pairs(run, dataset):
            a, b = run.main_table(first), run.main_table(second)
            if a is not None and b is not None:
                yield from _same_accuracy(run, (first, a), (second, b))


def _same_accuracy(
    run: RunFacts, first: tuple[View, PrintedTable], second: tuple[View, PrintedTable]
) -> Iterator[Caution]:
    matrices = run.matrix(first[1]), run.matrix(second[1])
    same_classes = first[1].table.labels == second[1].table.labels
    if not same_classes or not all(matrix.n.value for matrix in matrices):
        return
    right = [matrix.correct.value / matrix.n.value for matrix in matrices]
    if abs(right[0] - right[1]) > SAME:
        return
    label, recalls = _most_apart(matrices)
    least = max(OTHER_RECALL, two_errors(matrices[0].row_totals[label]))
    if abs(recalls[0] - recalls[1]) < least:
        return
    names = [name(view.model) for view, _ in (first, second)]
    same = number(right[0]) if right[0] == right[1] else " and ".join(map(number, right))
    yield Caution(
        f"{names[0]} and {names[1]} have accuracy {same}; their recalls of "
        f"{name(first[0].labels[label])} are {number(recalls[0])} and {number(recalls[1])}.",
        first[0].dataset,
        table=first[1].id,
        numbers={"recall_first": recalls[0], "recall_second": recalls[1]},
    )


def _most_apart(matrices: tuple[Matrix, Matrix]) -> tuple[int, tuple[float, float]]:
    """The class whose recalls differ most, and both; classes without rows have none."""
    best: tuple[int, tuple[float, float]] = (0, (0.0, 0.0))
    totals = [matrix.row_totals for matrix in matrices]
    for k in range(matrices[0].size):
        if totals[0][k] and totals[1][k]:
            one, two = (
                float(matrix.one_versus_rest(k).tp.value) / float(total[k])
                for matrix, total in zip(matrices, totals, strict=True)
            )
            if abs(one - two) > abs(best[1][0] - best[1][1]):
                best = k, (one, two)
    return best


def _rates(run: RunFacts, record: PrintedTable) -> tuple[float, float, float, float] | None:
    """Precision, recall, specificity and true negatives; None where one is undefined."""
    positive = record.table.positive
    counts = run.matrix(record).one_versus_rest(positive if positive is not None else 1)
    tp, fp, fn, tn = (float(getattr(counts, cell).value) for cell in ("tp", "fp", "fn", "tn"))
    if not (tp + fp and tp + fn and fp + tn):
        return None
    return tp / (tp + fp), tp / (tp + fn), tn / (tn + fp), tn


def _called(view: View, one_dataset: bool) -> str:
    return name(view.model) if one_dataset else f"{name(view.model)} on {name(view.dataset)}"


@caution(
    "no_better_than_baseline",
    unless=("one_prediction",),
    severity="note",
    title="Not shown to be better than the reference",
    why="a difference whose interval contains 0 may favour either model",
    read_instead="the interval of the difference: how much better or worse is still possible",
)
def no_better_than_baseline(run: RunFacts) -> Iterator[Caution]:
    """The reference is better on some metric, or the model is shown to be better on none."""
    for (dataset, model, reference), records in _compared(run, of_models=True).items():
        worse = _worse(records)
        better = [r for r in records if r.told_apart and r.better != "reference"]
        numbers = {"worse": len(worse), "better": len(better), "compared": len(records)}
        compared = counted(len(records), "comparison")
        if any(r.fold for r in run.comparisons):
            # means over folds are compared too, and counted apart
            compared += " of pooled rows"
        if worse:
            on = listed(dict.fromkeys(_quantity(run, r, within=True) for r in worse), NAMED)
            none = "" if better else "; shown to be better on no metric"
            of = f", of {compared}" if len(worse) < len(records) else ""
            told = f"{name(model)} is worse than {name(reference)} on {on}"
            yield Caution(
                f"{told}: {_differences(run, worse)}{of}{none}.",
                dataset,
                model,
                numbers=numbers,
                severity="warning",
                headline=told,
            )
        # no difference from an earlier run is what one hopes for
        elif not better and not records[0].reference_run:
            told = f"{name(model)} is not shown to be better than {name(reference)}"
            shown = f"none of {compared} shows" if len(records) > 1 else f"{compared} does not show"
            yield Caution(
                f"{told}: {shown} it. {_differences(run, records)}.",
                dataset,
                model,
                numbers=numbers,
                headline=told,
            )


@caution(
    "worse_on_other_rows",
    severity="warning",
    title="Worse than on the reference dataset",
    why="the values of a model depend on its test rows, so values from one dataset do not carry "
    "over to another",
    read_instead="the values on the rows that are most like those where the model will be used",
)
def worse_on_other_rows(run: RunFacts) -> Iterator[Caution]:
    """A model is shown to be worse on a dataset than on the one it is compared with."""
    for (dataset, model, reference), records in _compared(run, of_models=False).items():
        worse = _worse(records)
        if worse:
            told = f"{name(model)} is worse on {name(dataset)} than on {name(reference)}"
            yield Caution(
                f"{told}: {_differences(run, worse)}.",
                dataset,
                model,
                numbers={"worse": len(worse), "compared": len(records)},
                headline=told,
            )


def _compared(run: RunFacts, *, of_models: bool) -> dict[tuple[str, str, str], list[Comparison]]:
    """Comparisons of all rows by dataset, model and reference: another model, or other rows."""
    found: dict[tuple[str, str, str], list[Comparison]] = {}
    for record in run.comparisons:
        whole = not record.subgroup and not record.fold and record.difference is not None
        if whole and (record.model != record.reference) == of_models:
            reference, there = record.reference, record.reference_dataset
            if there is not None:
                reference = f"{reference} on {there}" if of_models else there
            key = (record.dataset, record.model, reference)
            found.setdefault(key, []).append(record)
    return found


def _worse(records: Sequence[Comparison]) -> list[Comparison]:
    return [r for r in records if r.told_apart and r.better == "reference"]


def _differences(run: RunFacts, records: Sequence[Comparison]) -> str:
    """The first few differences of the model from the reference."""
    return listed((_difference(run, r) for r in records), NAMED)


def _difference(run: RunFacts, record: Comparison) -> str:
    """A difference with its interval and the p value that decides, adjusted where it is."""
    interval, p, adjusted = record.interval, record.p_value, record.p_adjusted
    inside = []
    if interval is not None:
        inside.append(f"{difference_text(interval.low)} to {difference_text(interval.high)}")
    if adjusted is not None and adjusted != p:
        inside.append(f"adjusted {p_value(adjusted)}")
    elif p is not None:
        inside.append(p_value(p))
    shown = f" ({'; '.join(inside)})" if inside else ""
    return f"{_quantity(run, record)} {difference_text(record.difference or 0.0)}{shown}"


def _quantity(run: RunFacts, record: Comparison, *, within: bool = False) -> str:
    """A metric with its average, and with its class unless it is the positive one of two.

    ``within`` a sentence it has no capital.
    """
    metric, views = find(record.metric), run.views_of(record.dataset)
    words = metric.title if metric is not None else record.metric
    words = named_within(record.metric) if within else words
    if record.average:
        # where every row has one label, micro accuracy is accuracy
        overall = metric is not None and metric.for_classes is not None and bool(views)
        plain = record.average == "micro" and overall
        return words if plain else f"{words} ({record.average})"
    for view in views[:1]:
        if len(view.labels) == 2 and record.label == view.labels[view.positive_index]:
            return words
    return words + of_class(record.label)
