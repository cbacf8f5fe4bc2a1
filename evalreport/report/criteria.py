"""What an acceptance criterion is of, what was held against it, and what it required, in words."""

from __future__ import annotations

from evalreport.metrics.catalogue import find
from evalreport.report.contents import Contents
from evalreport.report.numbers import (
    difference_text,
    observed_text,
    threshold_text,
    value_text,
)
from evalreport.report.words import (
    MEAN,
    condition_text,
    label_text,
    subgroup_text,
    visible,
)
from evalreport.results.records import Criterion

BOUNDS = {"point": "the value", "lower": "lower limit", "upper": "upper limit"}


def criterion_title(contents: Contents, entry: Criterion) -> str:
    """The metric of a criterion as the page names it, with its group, threshold and reference."""
    m = contents.measure_of(entry.measure)
    if m is None:
        return _as_asked(contents, entry)
    text = f"{contents.title(m)}, {MEAN}" if entry.readers else contents.title(m)
    if entry.claim is not None:
        text = f"Claim {entry.claim}: {text}"
    view = (m.dataset, m.model)
    if m.subgroup:
        text += f", {subgroup_text(m.subgroup)}"
    if entry.reference:
        name = entry.reference
        told = "the earlier run" if name.startswith("run ") else label_text(name)
        text += f", no worse than {told}"
    first = contents.first_threshold(view)
    if m.threshold is not None and (m.threshold, m.threshold_rule) != first:
        text += f", {condition_text(m.threshold, contents.operator(view))}"
    return f"{text}, exploratory" if entry.exploratory else text


def _as_asked(contents: Contents, entry: Criterion) -> str:
    """A criterion that no measure answers, as the spec asks for it."""
    declared = find(entry.metric)
    title = contents.words.titles.get(entry.metric) or (declared.title if declared else "")
    asked = entry.text or entry.metric or f"criterion {entry.criterion}"
    if title:
        asked = asked.replace(entry.metric, title)
    return visible(asked.replace(">=", "≥").replace("<=", "≤"))


def criterion_line(contents: Contents, entry: Criterion) -> str:
    """A criterion on one line: ``ROC AUC, lower limit ≥ 0.90``."""
    title = criterion_title(contents, entry)
    if entry.measure is None or entry.required is None or entry.claim is not None:
        return title
    what = {"point": "", "lower": ", lower limit", "upper": ", upper limit"}.get(entry.bound, "")
    if entry.reference:
        what = f", difference{what}"
    return f"{title}{what} {required_text(entry)}"


def held_text(entry: Criterion) -> str:
    """What is held against the requirement: the value, or a limit and where it lies."""
    bound = BOUNDS.get(entry.bound, entry.bound)
    if entry.claim is not None:
        return "value and limits"
    if entry.reference:
        what = "the difference" if entry.bound == "point" else bound
        observed = entry.observed
        return what if observed is None else f"{what} {difference_text(observed)}"
    if entry.observed is None:
        return bound
    if entry.bound == "point" or entry.required is None:
        return bound
    return f"{bound} {observed_text(entry.observed, entry.required)}"


def required_text(entry: Criterion) -> str:
    """The requirement: ``≥ 0.90``."""
    if entry.claim is not None:
        return "as printed"
    if entry.required is None:
        return "–"
    return f"{'≤' if entry.direction == 'at_most' else '≥'} {_as_written(entry.required)}"


def _as_written(required: float) -> str:
    """A requirement with at least two decimals and never fewer than were declared."""
    return (
        threshold_text(required)
        if abs(required) < 1 and len(repr(required)) <= 4
        else value_text(required)
        if float(value_text(required).replace("−", "-")) == required
        else repr(required)
    )
