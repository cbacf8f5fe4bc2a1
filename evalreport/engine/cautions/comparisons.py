"""Cautions about models beside each other, beside a baseline and beside chance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from evalreport.engine.cautions.declare import Caution, caution
from evalreport.engine.cautions.facts import Record, RunFacts, pairs
from evalreport.engine.cautions.merging import bounded
from evalreport.engine.cautions.roc import leads
from evalreport.engine.cautions.wording import (
    counted,
    estimate,
    limits,
    listed,
    name,
    number,
    p_value,
)
from evalreport.engine.records import Measure, TableRecord
from evalreport.metrics.catalogue import find
from evalreport.metrics.declare import Goal, Shows
from evalreport.plan.requests import metric_named
from evalreport.predict.view import View

#: From this lead in true positive rate on, both ways, curves are said to cross.
CROSSING = 0.02
#: Values this close are the same to a reader.
SAME = 0.005
#: Comparisons named in one sentence.
NAMED = 2
#: From this difference of specificity on, tables with the same recall differ.
DIFFERENT = 0.05


@caution(
    "metrics_rank_differently",
    severity="note",
    title="Metrics put different models first",
    why="which model is better depends on the metric, so the choice of metric decides",
    read_instead="the metric that fits the use, named before the results were seen",
)
def metrics_rank_differently(run: RunFacts) -> Iterator[Caution]:
    """No model is best, or tied for best, on every metric that has a direction."""
    for dataset in run.datasets:
        views = run.views_of(dataset)
        if len(views) < 2:
            continue
        best = _best_models(run, views)
        composite = {
            metric: first for metric, first in best.items()
            if metric_named(metric).shows is not Shows.ONE_KIND
        }
        chosen = composite if len(composite) > 1 else best
        if chosen and not set.intersection(*(set(first) for first in chosen.values())):
            yield Caution(_ranking(views, chosen), dataset, numbers={"metrics": len(chosen)})


def _best_models(run: RunFacts, views: Sequence[View]) -> dict[str, list[str]]:
    """The models with the best value of each metric that every one of them has."""
    found: dict[str, list[str]] = {}
    for metric in dict.fromkeys(m.metric for m in run.measures_of(views[0])):
        declared = find(metric)
        if declared is None or declared.goal not in (Goal.MAXIMIZE, Goal.MINIMIZE):
            continue
        values = [_value(run.measure(view, metric)) for view in views]
        if any(value is None for value in values):
            continue
        known = [value for value in values if value is not None]
        best = max(known) if declared.goal is Goal.MAXIMIZE else min(known)
        found[metric] = [
            view.model for view, value in zip(views, known, strict=True) if value == best
        ]
    return found


def _value(measure: Measure | None) -> float | None:
    return None if measure is None else measure.value


def _ranking(views: Sequence[View], best: Mapping[str, Sequence[str]]) -> str:
    parts = []
    for view in views:
        own = [metric for metric, first in best.items() if view.model in first]
        if own:
            parts.append(f"{name(view.model)} is first on {listed(own)}")
    return f"{'; '.join(parts[:5])}."


@caution(
    "roc_curves_cross",
    severity="note",
    title="ROC curves cross",
    why="where curves cross neither model ranks better everywhere, and one area hides it",
    read_instead="the curves at the false positive rates that could be used, or a partial AUC",
)
def roc_curves_cross(run: RunFacts) -> Iterator[Caution]:
    """Each of two models leads the other by 0.02 or more somewhere."""
    for dataset in run.datasets:
        found = []
        for first, second in pairs(run, dataset):
            a, b = run.score_table(first), run.score_table(second)
            both = leads(a, b) if a is not None and b is not None else None
            if both is None or min(lead.height for lead in both) < CROSSING:
                continue
            ahead, behind = both
            found.append(
                Caution(
                    f"{name(first.model)} finds up to {number(ahead.height)} more of the positives "
                    f"at a false positive rate of {number(ahead.at)}, {name(second.model)} up to "
                    f"{number(behind.height)} more at {number(behind.at)}.",
                    dataset,
                    numbers={"first_leads": ahead.height, "second_leads": behind.height},
                )
            )
        yield from bounded(
            found, "The ROC curves of {count} pairs of models cross. The first: {first}"
        )


@caution(
    "same_precision_and_recall",
    severity="warning",
    title="Same precision and recall, different true negatives",
    why="precision, recall and F1 never look at true negatives",
    read_instead="specificity, or the tables themselves",
)
def same_precision_and_recall(run: RunFacts) -> Iterator[Caution]:
    """Two tables agree in precision and recall and differ in specificity."""
    tables = [(view, record) for view in run.views if (record := run.main_table(view)) is not None]
    two = [(view, record) for view, record in tables if record.table.size == 2]
    found = []
    for (first, a), (second, b) in combinations(two, 2):
        rates = [_rates(run, record) for record in (a, b)]
        if rates[0] is None or rates[1] is None:
            continue
        (precision, recall, specificity, tn), other = rates[0], rates[1]
        same = abs(precision - other[0]) <= SAME and abs(recall - other[1]) <= SAME
        if same and abs(specificity - other[2]) >= DIFFERENT:
            one_dataset = first.dataset == second.dataset
            found.append(
                Caution(
                    f"{_called(first, one_dataset)} and {_called(second, one_dataset)} both have "
                    f"precision {number(precision)} and recall {number(recall)}; their "
                    f"specificities are {number(specificity)} and {number(other[2])} "
                    f"({number(tn)} and {number(other[3])} true negatives).",
                    first.dataset if one_dataset else None,
                    table=a.id,
                    numbers={"tn_first": tn, "tn_second": other[3]},
                )
            )
    yield from bounded(
        found, "{count} pairs of tables agree in precision and recall only. The first: {first}"
    )


def _rates(run: RunFacts, record: TableRecord) -> tuple[float, float, float, float] | None:
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
    severity="note",
    title="Not shown to be better than the reference",
    why="a difference whose interval holds 0 may be in favour of either model",
    read_instead="the interval of the difference: how much better or worse is still possible",
)
def no_better_than_baseline(run: RunFacts) -> Iterator[Caution]:
    """Comparisons of all rows that cannot tell the models apart, or favour the reference."""
    by_pair: dict[tuple[str, str, str], list[Record]] = {}
    for record in run.comparisons:
        whole = not record.get("subgroup") and not record.get("fold")
        if whole and record.get("difference") is not None:
            key = tuple(str(record.get(k)) for k in ("dataset", "model", "reference"))
            by_pair.setdefault((key[0], key[1], key[2]), []).append(record)
    for (dataset, model, reference), records in by_pair.items():
        open_ones = [r for r in records if not _told_apart(run, r)]
        worse = [r for r in records if _told_apart(run, r) and r.get("better") == "reference"]
        parts = []
        if worse:
            parts.append(f"{name(reference)} is better on {listed(map(_difference, worse), NAMED)}")
        # no difference from an earlier run is what one hopes for
        if open_ones and not records[0].get("reference_run"):
            compared = counted(len(records), "comparison")
            parts.append(
                f"in {number(len(open_ones))} of {compared} no difference "
                f"from {name(reference)} was shown: {listed(map(_difference, open_ones), NAMED)}"
            )
        if parts:
            text = "; ".join(parts)
            yield Caution(
                f"{text if worse else text[0].upper() + text[1:]}.",
                dataset,
                model,
                numbers={"open": len(open_ones), "worse": len(worse), "compared": len(records)},
                severity="warning" if worse else None,
            )


def _told_apart(run: RunFacts, record: Record) -> bool:
    """As the record says; else by the adjusted p value, else by the interval."""
    if record.get("told_apart") is not None:
        return bool(record["told_apart"])
    adjusted = record.get("p_adjusted")
    p = adjusted if adjusted is not None else record.get("p_value")
    if p is not None:
        return bool(p < 1 - run.settings.level)
    interval = record.get("interval")
    return interval is not None and not interval["low"] <= 0 <= interval["high"]


def _difference(record: Record) -> str:
    """A difference with its interval and the p value that decides, adjusted where it is."""
    metric = find(str(record.get("metric")))
    words = metric.title if metric is not None else str(record.get("metric"))
    if record.get("average"):
        words = f"{words} ({record['average']})"
    elif record.get("label") is not None:
        words = f"{words} of {name(str(record['label']))}"
    interval, p, adjusted = (record.get(k) for k in ("interval", "p_value", "p_adjusted"))
    inside = [limits(interval["low"], interval["high"])] if interval else []
    if adjusted is not None and adjusted != p:
        inside.append(f"adjusted {p_value(adjusted)}")
    elif p is not None:
        inside.append(p_value(p))
    shown = f" ({'; '.join(inside)})" if inside else ""
    return f"{words} {estimate(record['difference'])}{shown}"
