"""How sure: level, resamples, seed and the interval method of each metric."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, TypeAlias

from pydantic import AfterValidator, Field

from evalreport.errors import did_you_mean
from evalreport.spec.faults import Fault, refuse
from evalreport.spec.fields import SEED_LIMIT, Flag, Name, Number, Part, Whole
from evalreport.spec.metric_requests import known_metric

MOST_RESAMPLES = 1_000_000

Seed: TypeAlias = Annotated[Whole, Field(ge=0, lt=SEED_LIMIT)]
Level: TypeAlias = Annotated[Number, Field(gt=0, lt=1)]
Resamples: TypeAlias = Annotated[Whole, Field(ge=1, le=MOST_RESAMPLES)]


def by_canonical_name(values: Mapping[str, str]) -> Mapping[str, str]:
    """Interval methods by the canonical name of the metric; unknown ones are faults."""
    found: dict[str, str] = {}
    faults = []
    for word, method in values.items():
        try:
            metric = known_metric(word, at_key=True)
        except ValueError as error:
            faults.extend(_faults(error))
            continue
        if method not in metric.interval.methods:
            hint = did_you_mean(method, metric.interval.methods, f"methods of {metric.name}")
            faults.append(Fault(f"{metric.name} has no interval method '{method}'", hint, (word,)))
        elif metric.name in found:
            faults.append(Fault(f"{metric.name} has two methods", "keep one", (word,), at_key=True))
        found[metric.name] = method
    if faults:
        raise refuse(*faults)
    return found


def _faults(error: ValueError) -> tuple[Fault, ...]:
    context = getattr(error, "context", None) or {}
    return tuple(context.get("faults", ()))


class Confidence(Part):
    """Settings of intervals."""

    level: Level = Field(0.95, description="Confidence level, between 0 and 1.")
    resamples: Resamples = Field(2000, description="Resamples of a bootstrap.")
    seed: Seed = Field(0, description="Seed of everything drawn at random.")
    stratify: Flag = Field(False, description="Whether a bootstrap keeps the number of each class.")
    methods: Annotated[Mapping[Name, Name], AfterValidator(by_canonical_name)] = Field(
        default_factory=dict, description="Interval method of a metric, by its name."
    )
    width: Annotated[Number, Field(gt=0, lt=1)] | None = Field(
        None, description="Wanted width of intervals; the rows it would take are stated."
    )
