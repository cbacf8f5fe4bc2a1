"""What an acceptance criterion is of, what was held against it, and what it required, in words."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from evalreport.metrics.catalogue import find
from evalreport.metrics.methods import method_title
from evalreport.numbers import (
    difference_text,
    observed_text,
    required_text,
)
from evalreport.report.contents import Contents
from evalreport.report.words import (
    MEAN,
    condition_text,
    counted,
    first_few,
    label_text,
    subgroup_text,
    visible,
)
from evalreport.results.records import NOT_HELD, Criterion, rank_of

#: Criteria that a sentence names.
MOST_NAMED = 3
BOUNDS = {"point": "the value", "lower": "lower limit", "upper": "upper limit"}


def counted_criteria(contents: Contents) -> str:
    """How many criteria the spec has: ``4 criteria``, or ``4 criteria for 2 models``."""
    entries = contents.of(Criterion)
    declared = len({entry.criterion for entry in entries})
    words = counted(declared, "criterion", "criteria")
    if declared == len(entries):
        return words
    kinds = (
        ("for", "model", {entry.model for entry in entries if entry.model}),
        ("on", "dataset", {entry.dataset for entry in entries if entry.dataset}),
        ("in", "group", {subgroup_text(entry.subgroup) for entry in entries if entry.subgroup}),
    )
    told = [f"{at} {counted(len(own), noun)}" for at, noun, own in kinds if len(own) > 1]
    return " ".join([words, *told])


def counted_outcomes(contents: Contents) -> str:
    """What outcomes are counted of: the criteria, or each time that one is judged."""
    outcomes, words = len(contents.of(Criterion)), counted_criteria(contents)
    one_each = len({entry.criterion for entry in contents.of(Criterion)}) == outcomes
    return words if one_each else f"{outcomes} outcomes of {words}"


def protocol_text(contents: Contents) -> str:
    """Whether a protocol fixed the criteria before the results were seen: for the head of page one.

    Empty where no criterion was declared.
    """
    if not contents.of(Criterion):
        return ""
    cited = contents.results.provenance.protocol
    return "protocol: none" if cited is None else f"protocol {visible(cited.sha256)[:12]}"


def post_hoc_text(contents: Contents) -> str:
    """The criteria that no protocol fixed before the results were seen."""
    if not contents.of(Criterion):
        return ""
    cited = contents.results.provenance.protocol
    if cited is None:
        these = "these limits" if len(contents.of(Criterion)) > 1 else "this limit"
        return f"No protocol fixed {these} beforehand."
    if not cited.post_hoc:
        return ""
    named = [_with_titles(contents, text) for text in cited.post_hoc]
    return f"Not in the protocol, so post hoc: {'; '.join(first_few(named, MOST_NAMED))}."


def criterion_title(contents: Contents, entry: Criterion) -> str:
    """The metric of a criterion as the page names it, with its group, threshold and reference."""
    m = contents.measure_of(entry.measure)
    if m is None:
        asked = entry.text or entry.metric or f"criterion {entry.criterion}"
        return _with_titles(contents, asked)
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
    if not contents.at_first(view)(m):
        text += f", {condition_text(m.threshold, contents.operator(view))}"
    return f"{text}, exploratory" if entry.exploratory else text


def _with_titles(contents: Contents, text: str) -> str:
    """The text of a criterion with the titles of metrics for their names in the spec."""

    def title(match: re.Match[str]) -> str:
        declared = find(match[0])
        name = "" if declared is None else declared.title
        return contents.words.titles.get(match[0]) or name or match[0]

    known = sorted({entry.metric for entry in contents.of(Criterion) if entry.metric})
    if known:
        text = re.sub(rf"\b({'|'.join(map(re.escape, known))})\b", title, text)
    return visible(text.replace(">=", "≥").replace("<=", "≤"))


def bound_text(entry: Criterion) -> str:
    """What is held, with the method that the criterion names: ``lower limit by Wilson``."""
    by = "" if entry.limits is None else f" by {method_title(entry.limits.method)}"
    return f"{BOUNDS.get(entry.bound, entry.bound)}{by}"


def criterion_line(contents: Contents, entry: Criterion) -> str:
    """A criterion on one line: ``ROC AUC, lower limit ≥ 0.90``."""
    title = criterion_title(contents, entry)
    if entry.measure is None or entry.required is None or entry.claim is not None:
        return title
    what = "" if entry.bound == "point" else f", {bound_text(entry)}"
    if entry.reference:
        what = f", difference{what}"
    return f"{title}{what} {requirement_text(entry)}"


def held_text(entry: Criterion) -> str:
    """What is held against the requirement: the value, or a limit and where it lies."""
    bound = bound_text(entry)
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


def requirement_text(entry: Criterion) -> str:
    """The requirement: ``≥ 0.90``."""
    if entry.claim is not None:
        return "as printed"
    if entry.required is None:
        return "–"
    return f"{sign_of(entry)} {required_text(entry.required)}"


def sign_of(entry: Criterion) -> str:
    """On which side of the requirement what is held against it has to lie."""
    return "≤" if entry.direction == "at_most" else "≥"


def margin_of(contents: Contents, entry: Criterion) -> float:
    """How far a criterion was from its limit, in widths of the interval of what is judged.

    Infinity where nothing was observed, or a claim is to be reproduced.
    """
    if entry.observed is None or entry.required is None or entry.claim:
        return math.inf
    m = contents.measure_of(entry.measure)
    limits = entry.interval if entry.reference else entry.limits or (m.interval if m else None)
    width = limits.high - limits.low if limits is not None else 0.0
    return abs(entry.observed - entry.required) / (width or 1.0)


def gravest_first(contents: Contents, entries: Iterable[Criterion]) -> list[Criterion]:
    """Failed criteria, farthest from their limit first; then others, closest to theirs first."""

    def standing(entry: Criterion) -> tuple[int, float]:
        margin, failed = margin_of(contents, entry), entry.outcome in NOT_HELD
        return rank_of(entry.outcome), -margin if failed and math.isfinite(margin) else margin

    return sorted(entries, key=standing)
