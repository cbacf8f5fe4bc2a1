"""Which metrics and which models a report leads with."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from evalreport.metrics.catalogue import catalogue, find
from evalreport.metrics.declare import Average
from evalreport.metrics.properties import same_number as declared_as
from evalreport.report.contents import Contents, View, identity
from evalreport.report.words import prose
from evalreport.report.worst import compares_groups, sign_of
from evalreport.results.identity import Quantity
from evalreport.results.records import Measure

#: Models on the first page; the others have sections of their own.
MOST_MODELS = 3
#: Metrics at the head of the report; the others have sections of their own.
MOST_METRICS = 6
#: The same in large type.
FEW_MODELS = 2


def primary_metric(contents: Contents) -> str | None:
    """The metric that the spec's own words call the primary one, where they begin with its name."""
    text = _plain(prose(contents.about.get("primary_metric") or "")).removeprefix("the ")
    asked = {m.metric for m in contents.measures}
    named = [
        (len(name), declared.name)
        for declared in catalogue()
        if declared.name in asked
        for name in map(
            _plain, (declared.title, declared.name, *declared.aliases, *declared.spoken)
        )
        if re.match(rf"{re.escape(name)}\b", text)
    ]
    return max(named)[1] if named else None


def _plain(text: str) -> str:
    return text.casefold().replace("_", " ")


def headline_identities(contents: Contents, views: Sequence[View]) -> list[Quantity]:
    """The primary metric, those with a criterion, then as the spec orders them for these views.

    Where a model has scores of two classes, what scores are judged by stands before what is true
    of one cut-off. Those that are better neither way, a rate of the data alone, come last.
    """
    primary = primary_metric(contents)
    judged = [contents.measure[i] for i in contents.criteria if i in contents.measure]
    found: dict[Quantity, None] = {}
    for m in judged:
        found.setdefault(identity(m))
    # both ways of counting indeterminate predictions stand there: one alone would flatter
    metrics = {(key.metric, key.indeterminate) for key in found}
    for view in views:
        ranked = sorted(contents.pooled(view), key=lambda m: average_rank(contents, m))
        for m in contents.pooled(view) if contents.is_binary(view) else ranked:
            own, counted_so = not contents.names_class(m), (m.metric, m.indeterminate)
            if own and (contents.is_binary(view) or counted_so not in metrics):
                metrics.add(counted_so)
                found.setdefault(identity(m))
    asked = {m.metric for m in judged}
    scored = _has_scores(contents, views)

    def standing(key: Quantity) -> tuple[bool, bool, bool, float]:
        declared, own = find(key.metric), key.metric in asked
        leads = declared.leads if scored and declared is not None else None
        place = math.inf if leads is None else leads
        describes = not own and not sign_of(key.metric) and math.isinf(place)
        return key.metric != primary, describes, not own, place

    ordered = sorted(found, key=standing)
    once = [key for k, key in enumerate(ordered) if not _repeats(contents, views, key, ordered[:k])]
    return once[:MOST_METRICS]


def same_number(key: Quantity, other: Quantity) -> bool:
    """Whether two quantities of several classes are one number by their definitions."""
    apart = (key.metric, key.average) != (other.metric, other.average)
    return apart and _defined_as(key) == _defined_as(other)


def _defined_as(key: Quantity) -> tuple[str, str | None]:
    """The metric that a quantity of several classes is by its definition, with its average."""
    metric = find(key.metric)
    if metric is None:
        return key.metric, key.average
    same, average = declared_as(metric, key.average, two_classes=False)
    return same.name, None if average == Average.MICRO.value else average


def _repeats(
    contents: Contents, views: Sequence[View], key: Quantity, before: Sequence[Quantity]
) -> bool:
    """Whether an earlier quantity is the same number, in every one of these models."""
    values = [{identity(m): m.value for m in contents.pooled(view)} for view in views]
    return any(
        same_number(key, other)
        and all(own.get(key) is not None and own.get(key) == own.get(other) for own in values)
        for other in before
    )


def _has_scores(contents: Contents, views: Sequence[View]) -> bool:
    """Whether any of these models was judged by its scores of two classes."""
    own = [m for v in views if contents.is_binary(v) for m in contents.pooled(v)]
    metrics = {m.metric for m in own if m.state != "not_applicable"}
    return any(one.takes_scores and one.leads for one in map(find, metrics) if one is not None)


def front_views(contents: Contents) -> list[View]:
    """The models of the first page."""
    most = MOST_MODELS
    if contents.large:
        # each label has a line of its own
        most = 1 if any(map(contents.has_sets, contents.views)) else FEW_MODELS
    return best_first(contents)[:most]


def best_first(contents: Contents) -> list[View]:
    """All models, best first within each dataset: by the primary metric, ties by the next ones.

    Where there is a mean over folds or readers, which leads the page, it is what counts.
    """
    keys = headline_identities(contents, contents.views)

    def standing(view: View) -> tuple[int, list[float]]:
        means = ((m, contents.mean_of(m)) for m in contents.pooled(view))
        values = {identity(m): m.value if mean is None else mean[1].value for m, mean in means}
        known = [(sign_of(key.metric), values.get(key)) for key in keys]
        worst_last = [math.inf if value is None else -sign * value for sign, value in known]
        return contents.datasets.index(view[0]), worst_last

    return sorted(contents.views, key=standing)


def average_rank(contents: Contents, m: Measure) -> int:
    """Which average stands for a metric: the plain value over classes, else the plain mean."""
    order = (None, "macro", "micro")
    if contents.words.is_plain(m):
        return -1
    return order.index(m.average) if m.average in order else 3


def comparable_in_groups(contents: Contents, views: Sequence[View]) -> Quantity | None:
    """The first headline quantity by which groups compare; None where there is none."""
    keys = headline_identities(contents, views[:1])
    return next((key for key in keys if compares_groups(contents, key, views)), None)
