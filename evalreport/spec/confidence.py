"""How sure: level, resamples, seed and the interval method of each metric."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, TypeAlias

from pydantic import AfterValidator, Field

from evalreport.metrics.declare import Metric
from evalreport.spec.by_metric import methods_by_metric
from evalreport.spec.fields import SEED_LIMIT, Flag, Name, Number, Part, Whole

MOST_RESAMPLES = 1_000_000

Seed: TypeAlias = Annotated[Whole, Field(ge=0, lt=SEED_LIMIT)]
Level: TypeAlias = Annotated[Number, Field(gt=0, lt=1)]
Resamples: TypeAlias = Annotated[Whole, Field(ge=1, le=MOST_RESAMPLES)]


def _methods(metric: Metric) -> tuple[str, ...]:
    """Interval methods of a metric, default first."""
    return metric.interval_methods


class Confidence(Part):
    """Settings of intervals."""

    level: Level = Field(0.95, description="Confidence level, between 0 and 1.")
    resamples: Resamples = Field(2000, description="Resamples of a bootstrap.")
    seed: Seed = Field(0, description="Seed of everything drawn at random.")
    stratify: Flag = Field(False, description="Whether a bootstrap keeps the number of each class.")
    methods: Annotated[
        Mapping[Name, Name], AfterValidator(methods_by_metric(_methods, "interval method"))
    ] = Field(default_factory=dict, description="Interval method of a metric, by its name.")
    width: Annotated[Number, Field(gt=0, lt=1)] | None = Field(
        None, description="Wanted width of intervals; the rows it would take are stated."
    )
