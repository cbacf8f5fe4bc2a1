"""Cautions about models that do no better than one without information."""

from __future__ import annotations

import math
from collections.abc import Iterator

from evalreport.engine.cautions.declare import Caution, caution
from evalreport.engine.cautions.facts import RunFacts
from evalreport.engine.cautions.wording import (
    counted,
    estimate,
    limits,
    listed,
    name,
    number,
    of_class,
)
from evalreport.metrics.catalogue import find
from evalreport.metrics.declare import Goal
from evalreport.predict.view import LabelView
from evalreport.results.records import AgainstBaseline, Measure


@caution(
    "no_better_than_chance",
    whole_table=True,
    severity="warning",
    title="No better than without information",
    why="a model that looks at nothing reaches these values too",
    read_instead="the intervals, and whether the model was given the right columns",
)
def no_better_than_chance(run: RunFacts) -> Iterator[Caution]:
    """An interval holds the value of chance, or a loss is no lower than the prevalence's."""
    for view in run.views:
        found = [
            (m, words)
            for m in run.measures_of(view)
            if m.value is not None and (words := _against_chance(run, view, m)) is not None
        ]
        if found:
            yield Caution(
                f"Not shown to be better than chance: {listed((w for _, w in found), 3)}.",
                view.dataset,
                view.model,
                found[0][0].id,
                found[0][0].table,
                {"measures": len(found)},
            )


def _against_chance(run: RunFacts, view: LabelView, m: Measure) -> str | None:
    value = m.value
    assert value is not None
    baseline = _baseline(run, view, m)
    if baseline is None or m.average not in (None, "macro"):
        return None
    expected, loss = baseline
    of = of_class(m.label) if len(view.labels) > 2 else ""
    if loss:
        if value < expected:
            return None
        return f"{m.title} {number(value)} (the prevalence alone {number(expected)})"
    low = m.interval.low if m.interval is not None else value
    if low > expected:
        return None
    inside = f"{limits(low, m.interval.high)}; " if m.interval is not None else ""
    return f"{m.title}{of} {estimate(value)} ({inside}chance {number(expected)})"


def _baseline(run: RunFacts, view: LabelView, m: Measure) -> tuple[float, bool] | None:
    """What chance gets, and whether it is a loss; None where it is not known."""
    metric = find(m.metric)
    if metric is None:
        return None
    own = view.labels.index(m.label) if m.label in view.labels else None
    expected = metric.by_chance(_shares(run, view), own)
    return None if expected is None else (expected, metric.goal is Goal.MINIMIZE)


def _shares(run: RunFacts, view: LabelView) -> list[float]:
    """Share of each class, by weight where rows are weighted."""
    counts: list[float] = [float(n) for n in run.class_rows(view)]
    if view.weight is not None:
        counts = [view.total_weight(view.actual == code) for code in range(len(view.labels))]
    total = math.fsum(counts)
    return [count / total for count in counts] if total else [0.0] * len(counts)


@caution(
    "baseline_not_beaten",
    severity="warning",
    title="Not shown to be better than a baseline",
    why="what needs no model, or the model in use until now, does as well as far as these "
    "rows can tell",
    read_instead="the values of the baselines beside the model's, with the intervals",
)
def baseline_not_beaten(run: RunFacts) -> Iterator[Caution]:
    """An interval does not lie on the better side of what a baseline reaches."""
    for view in run.views:
        own = [r for r in run.against if (r.dataset, r.model) == (view.dataset, view.model)]
        open_ones = [r for r in own if r.outcome in ("not_shown", "worse")]
        if not open_ones:
            continue
        by_baseline: dict[str, list[AgainstBaseline]] = {}
        for record in open_ones:
            by_baseline.setdefault(_baseline_words(record), []).append(record)
        parts = [
            f"{words} on {listed((_beside(view, r) for r in records), 1)}"
            if place == 0
            else f"{words} on {number(len(records))}"
            for place, (words, records) in enumerate(by_baseline.items())
        ]
        worse = sum(r.outcome == "worse" for r in open_ones)
        judged = sum(r.outcome != "not_judged" for r in own)
        told = f", in {number(worse)} of them worse" if worse else ""
        yield Caution(
            f"In {number(len(open_ones))} of {counted(judged, 'comparison')} not shown to be "
            f"better than a baseline{told}: {'; '.join(parts)}.",
            view.dataset,
            view.model,
            open_ones[0].measure,
            numbers={"open": len(open_ones), "worse": worse, "judged": judged},
        )


def _baseline_words(record: AgainstBaseline) -> str:
    if record.previous is not None:
        return f"the previous model {name(record.previous)}"
    return str(record.baseline).replace("_", " ")


def _beside(view: LabelView, record: AgainstBaseline) -> str:
    """A value beside that of a baseline, with the interval that was judged."""
    of = of_class(record.label) if len(view.labels) > 2 else ""
    average = f" ({record.average})" if record.average else ""
    interval = record.interval
    assert interval is not None
    inside = limits(interval.low, interval.high)
    if record.difference is not None:
        shown = f"difference {estimate(record.difference)}, {inside}"
    else:
        shown = f"{inside}; baseline {estimate(record.baseline_value)}"
    return f"{record.title}{average}{of} {estimate(record.value)} ({shown})"
