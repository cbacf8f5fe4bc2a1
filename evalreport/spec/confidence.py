"""How sure: level, resamples, seed, and the interval method of each metric by its name or alias."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, Literal, TypeAlias, TypeVar

from pydantic import AfterValidator, Field, Tag

from evalreport.errors import did_you_mean
from evalreport.metrics.catalogue import catalogue, find
from evalreport.metrics.declare import Metric
from evalreport.metrics.kinds import Average, Design
from evalreport.metrics.methods import CLASSICAL, interval_methods
from evalreport.spec.fields import (
    SEED_LIMIT,
    Fault,
    Flag,
    Name,
    Number,
    Part,
    Whole,
    form,
    refuse,
    text_or_mapping,
)
from evalreport.spec.metric_requests import unknown_metric

T = TypeVar("T")


def by_metric(settings: Mapping[str, T]) -> Mapping[str, T]:
    """The settings by canonical name; raises the faults of names that are no metric."""
    found: dict[str, T] = {}
    faults: list[Fault] = []
    for word, setting in settings.items():
        metric = find(word)
        if metric is None:
            faults.append(unknown_metric(word, at_key=True))
        elif metric.name in found:
            what = f"{word} is {metric.name}, which is set already"
            faults.append(Fault(what, "keep one of them", (word,), at_key=True))
        else:
            found[metric.name] = setting
    if faults:
        raise refuse(*faults)
    return found


def methods_by_metric(
    known: Callable[[Metric], tuple[str, ...]], what: str
) -> Callable[[Mapping[str, str]], Mapping[str, str]]:
    """A validator of ``{metric: method}`` where ``known`` gives the methods of a metric."""

    def check(methods: Mapping[str, str]) -> Mapping[str, str]:
        faults: list[Fault] = []
        for word, method in methods.items():
            metric = find(word)
            if metric is not None and method not in known(metric):
                words = f"those of {metric.name}"
                hint = partial(did_you_mean, method, known(metric), words)
                faults.append(Fault(f"{metric.name} has no {what} '{method}'", hint, (word,)))
            elif metric is None:
                faults.append(unknown_metric(word, at_key=True))
        if faults:
            raise refuse(*faults)
        return by_metric(methods)

    return check


MOST_RESAMPLES = 1_000_000

Seed: TypeAlias = Annotated[Whole, Field(ge=0, lt=SEED_LIMIT)]
Level: TypeAlias = Annotated[Number, Field(gt=0, lt=1)]
Resamples: TypeAlias = Annotated[Whole, Field(ge=1, le=MOST_RESAMPLES)]


def averaged(average: str | None) -> Average | None:
    """The average that a spec names; None for single classes."""
    return None if average in (None, "none") else Average(average)


def requestable(metric: Metric, average: Average | None = None) -> tuple[str, ...]:
    """Interval methods of a metric, or of an average, under any design, default first."""
    known = interval_methods(metric, Design, average)
    return (*known, CLASSICAL) if known else ()


Methods: TypeAlias = Annotated[
    Annotated[Literal["classical"], Tag("(text)")]
    | Annotated[
        Mapping[Name, Name],
        AfterValidator(methods_by_metric(requestable, "interval method")),
        Tag("(mapping)"),
    ],
    form(text_or_mapping),
]


class Confidence(Part):
    """Settings of intervals."""

    level: Level = Field(0.95, description="Confidence level, between 0 and 1.")
    resamples: Resamples = Field(2000, description="Resamples of a bootstrap.")
    seed: Seed = Field(0, description="Seed of everything drawn at random.")
    stratify: Flag = Field(False, description="Whether a bootstrap keeps the number of each class.")
    methods: Methods = Field(
        default_factory=dict,
        description="Interval method of a metric, by its name; or classical: of every metric what "
        "R and SAS print by default, and of its comparisons.",
    )
    width: Annotated[Number, Field(gt=0, lt=1)] | None = Field(
        None, description="Wanted width of intervals; the rows it would take are stated."
    )

    @property
    def method_of(self) -> Mapping[str, str]:
        """The method that is asked for of each metric, by its canonical name."""
        if isinstance(self.methods, str):
            return {metric.name: self.methods for metric in catalogue()}
        return self.methods

    @property
    def classical(self) -> tuple[str, ...]:
        """The metrics, by their names, with the methods that R and SAS print by default."""
        return tuple(name for name, method in self.method_of.items() if method == CLASSICAL)
