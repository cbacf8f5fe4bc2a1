"""Which interval method a value gets: as asked for, else the default of its kind and design."""

from __future__ import annotations

import math

from evalreport.metrics.counts import impact_ratio
from evalreport.metrics.declare import Average, Interval, Metric
from evalreport.metrics.kinds import Design
from evalreport.metrics.methods import (
    CLASSICAL,
    RESAMPLING,
    VALUES,
    Value,
    classical,
    offered,
    value_of,
)
from evalreport.metrics.properties import same_number
from evalreport.plan.inputs import Facts, Requests

NO_FORMULA = f"no formula is known that holds: {RESAMPLING[0]} can be requested"
#: Above so many classes no interval of a smooth function of the whole table is taken.
SMOOTH_CLASSES = 200
#: The same of averages over labels.
SMOOTH_LABELS = 500
MOST_LABELS = {
    Value.WHOLE: (SMOOTH_CLASSES, "classes"), Value.LABELS: (SMOOTH_LABELS, "labels"),
}  # fmt: skip

ASKED = "requested in the spec"
AS_CLASSICAL = "classical, as requested in the spec"
#: Reasons of methods that a spec names, which are exchanged for no other.
REQUESTED = (ASKED, AS_CLASSICAL)


def choose(
    metric: Metric, average: Average | None, facts: Facts, asked: str | None
) -> tuple[str | None, str]:
    """The method for one task and the reason for it; None where there is no interval."""
    metric, average = stands_for(metric, average, facts)
    design = design_of(facts)
    of = {"two_classes": facts.two_classes, "of_labels": facts.label_sets}
    known = offered(metric, average, design, **of)
    # a method for independent rows is kept where it is asked for, and what it passes over said
    if asked in known or asked in offered(metric, average, Design.ROWS, **of):
        return asked, ASKED
    if metric.interval is Interval.NONE:
        return None, "a p value or test statistic has no interval"
    if metric.no_interval:
        return None, metric.no_interval
    kind = value_of(metric, average, **of)
    most, what = MOST_LABELS.get(kind, (math.inf, ""))
    if len(facts.labels) > most:
        return None, f"more than {most} {what}"
    if not VALUES[kind][design]:
        return None, NO_FORMULA
    if asked == CLASSICAL:
        printed = classical(metric, average, design, **of)
        if printed != known[0]:
            return printed, AS_CLASSICAL
    elif asked is not None:
        return known[0], f"{kind.value}; {asked} is no method of it"
    return known[0], kind.value


def method_of_ratios(requests: Requests, facts: Facts) -> str | None:
    """The interval method of the ratios of selection rates."""
    method, _ = choose(impact_ratio, None, facts, requests.methods.get(impact_ratio.name))
    return method


def design_of(facts: Facts) -> Design:
    """How the rows of a dataset were drawn."""
    return Design.of(
        weighted=facts.weighted, clustered=facts.clustered, designed=facts.designed is not None
    )


def stands_for(
    metric: Metric, average: Average | None, facts: Facts
) -> tuple[Metric, Average | None]:
    """The metric, and average, whose interval a value has: those of the same number."""
    if average is None or facts.indeterminate or facts.label_sets:
        return metric, average
    same, other = same_number(metric, average.value, two_classes=facts.two_classes)
    return same, None if other is None else Average(other)
