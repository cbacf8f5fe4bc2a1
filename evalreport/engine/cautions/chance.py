"""Cautions about models that do no better than one without information."""

from __future__ import annotations

import math
from collections.abc import Iterator

from evalreport.engine.cautions.declare import Caution, caution
from evalreport.engine.cautions.facts import RunFacts
from evalreport.engine.cautions.wording import limits, listed, name, number
from evalreport.engine.records import Measure
from evalreport.metrics.catalogue import find
from evalreport.metrics.declare import Goal
from evalreport.predict.view import View


@caution(
    "no_better_than_chance",
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


def _against_chance(run: RunFacts, view: View, m: Measure) -> str | None:
    value = m.value
    assert value is not None
    baseline = _baseline(run, view, m)
    if baseline is None or m.average not in (None, "macro"):
        return None
    expected, loss = baseline
    of = f" of {name(m.label)}" if m.label is not None and len(view.labels) > 2 else ""
    if loss:
        if value < expected:
            return None
        return f"{m.title} {number(value)} (the prevalence alone {number(expected)})"
    low = m.interval.low if m.interval is not None else value
    if low > expected:
        return None
    inside = f"{limits(low, m.interval.high)}; " if m.interval is not None else ""
    return f"{m.title}{of} {number(value)} ({inside}chance {number(expected)})"


def _baseline(run: RunFacts, view: View, m: Measure) -> tuple[float, bool] | None:
    """What chance gets, and whether it is a loss; None where it is not known."""
    metric = find(m.metric)
    if metric is None:
        return None
    own = view.labels.index(m.label) if m.label in view.labels else None
    expected = metric.by_chance(_shares(run, view), own)
    return None if expected is None else (expected, metric.goal is Goal.MINIMIZE)


def _shares(run: RunFacts, view: View) -> list[float]:
    """Share of each class, by weight where rows are weighted."""
    counts: list[float] = [float(n) for n in run.class_rows(view)]
    if view.weight is not None:
        counts = [
            math.fsum(view.weight[view.actual == code].tolist()) for code in range(len(view.labels))
        ]
    total = math.fsum(counts)
    return [count / total for count in counts] if total else [0.0] * len(counts)
