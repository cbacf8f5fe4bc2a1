"""Acceptance criteria: what has to hold, for which rows, at which bound, judged how often.

Where criteria are looked at while data come in, the error that all looks may spend is declared.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field, Tag, model_validator

from evalreport.errors import did_you_mean
from evalreport.metrics.declare import Goal, Interval
from evalreport.spec.comparisons import Reference
from evalreport.spec.confidence import averaged, requestable
from evalreport.spec.fields import (
    Column,
    Fault,
    Flag,
    Label,
    Name,
    Number,
    Part,
    Text,
    Whole,
    form,
    refuse,
    text_or_mapping,
)
from evalreport.spec.metric_requests import MetricRequest, out_of_range
from evalreport.spec.thresholds import Threshold

Averaging: TypeAlias = Literal["none", "macro", "micro", "weighted", "samples"]

#: One group of rows: the value of each column.
Group: TypeAlias = Annotated[Mapping[Column, Text], Field(min_length=1)]
SubgroupChoice: TypeAlias = Annotated[
    Annotated[Literal["each"], Tag("(text)")] | Annotated[Group, Tag("(mapping)")],
    form(text_or_mapping),
]


def _threshold_form(value: Any) -> str:
    if isinstance(value, str):
        return "(rule)"
    return "(threshold)"


#: A threshold as it stands in ``thresholds``, or the words of its rule.
ThresholdChoice: TypeAlias = Annotated[
    Annotated[Name, Tag("(rule)")] | Annotated[Threshold, Tag("(threshold)")],
    form(_threshold_form),
]


class WhichNumber(Part):
    """Which of the numbers of a report is meant."""

    metric: MetricRequest = Field(description="The metric, with its parameters if it has any.")
    dataset: Name | None = Field(None, description="Only this dataset; every one by default.")
    model: Name | None = Field(None, description="Only this model; every one by default.")
    threshold: ThresholdChoice | None = Field(
        None, description="Only at this threshold; the first of the spec by default."
    )
    subgroup: SubgroupChoice | None = Field(
        None, description="{column: value}, or each for every subgroup; all rows by default."
    )
    average: Averaging | None = Field(
        None, description="The average; a single class by default, where one is positive."
    )
    label: Label | None = Field(
        None,
        description="The class; the positive one by default, of several classes the one that "
        "`positive` names.",
    )


class Criterion(WhichNumber):
    """One thing that has to hold.

    Either a value (``at_least`` or ``at_most``), or a ``reference`` that must not be
    missed by more than ``margin``.
    """

    at_least: Number | None = Field(None, description="The least acceptable value.")
    at_most: Number | None = Field(None, description="The largest acceptable value.")
    bound: Literal["point", "lower", "upper"] = Field(
        "point", description="What is judged: the value, or a limit of its interval."
    )
    method: Name | None = Field(
        None, description="The interval method of the limit; by default that of the measure."
    )
    reference: Reference | None = Field(
        None, description="A model, {dataset: name} or {run: folder} that must not be missed."
    )
    margin: Annotated[Number, Field(ge=0)] | None = Field(
        None, description="How much worse than the reference is still accepted; 0 by default."
    )
    deliberate: Flag | None = Field(
        None, description="true: a limit on the worse side is meant, e.g. a loss at_least 0.3."
    )

    @model_validator(mode="before")
    @classmethod
    def _one_requirement(cls, raw: Any) -> Any:
        if not isinstance(raw, dict):
            return raw
        given = [key for key in ("at_least", "at_most", "reference") if key in raw]
        if len(given) > 1:
            fault = Fault(
                f"the criterion has {' and '.join(given)}",
                "one each; write two criteria",
                (given[1],),
                at_key=True,
            )
            raise refuse(fault)
        if not given:
            if "margin" in raw:
                fault = Fault(
                    "a margin with no reference",
                    "reference: the model, dataset or run",
                    ("margin",),
                    at_key=True,
                )
            elif not set(raw) <= set(cls.model_fields):
                return raw
            else:
                fault = Fault("the criterion asks for nothing", "at_least or at_most: a value")
            raise refuse(fault)
        if "margin" in raw and given != ["reference"]:
            raise refuse(Fault("a margin with no reference", "remove it", ("margin",), at_key=True))
        return raw

    @model_validator(mode="after")
    def _can_be_met(self) -> Criterion:
        faults = [
            *_outside(self),
            *_wrong_way(self),
            *_no_limit(self),
            *_no_method(self),
            *_no_average(self),
        ]
        if faults:
            raise refuse(*faults)
        return self

    @property
    def required(self) -> float | None:
        """The value that is required; None where it comes from a reference."""
        return self.at_least if self.at_least is not None else self.at_most


def _outside(criterion: Criterion) -> list[Fault]:
    required = criterion.required
    key = "at_least" if criterion.at_least is not None else "at_most"
    return [] if required is None else out_of_range(criterion.metric.metric, required, (key,))


def _wrong_way(criterion: Criterion) -> list[Fault]:
    """A loss that has to be large: nearly always at_most was meant."""
    asked, metric = criterion.at_least, criterion.metric.metric
    if asked is None or metric.goal is not Goal.MINIMIZE or criterion.deliberate:
        return []
    what = f"of {metric.name} smaller is better, and at_least asks for a large one"
    hint = f"at_most: {asked:g}; or deliberate: true, if the worse side is meant"
    return [Fault(what, hint, ("at_least",), at_key=True)]


def _no_limit(criterion: Criterion) -> list[Fault]:
    if criterion.bound == "point" or criterion.metric.metric.interval is not Interval.NONE:
        return []
    what = f"{criterion.metric.name} has no interval"
    return [Fault(what, "bound: point", ("bound",))]


def _no_method(criterion: Criterion) -> list[Fault]:
    method, metric = criterion.method, criterion.metric.metric
    if method is None:
        return []
    if criterion.reference is not None:
        hint = f"comparisons: {{methods: {{{metric.name}: {method}}}}}"
        return [Fault("the limit of a difference has methods of its own", hint, ("method",))]
    if criterion.bound == "point":
        return [Fault("a method, and no limit is judged", "bound: lower or upper", ("method",))]
    known = requestable(metric, averaged(criterion.average))
    if method in known or not known:
        return []
    name = metric.name if criterion.average is None else f"{criterion.average} {metric.name}"
    hint = did_you_mean(method, known, f"those of {name}")
    return [Fault(f"{name} has no interval method '{method}'", hint, ("method",))]


def _no_average(criterion: Criterion) -> list[Fault]:
    metric = criterion.metric.metric
    if criterion.average in (None, "none"):
        return []
    if criterion.average in [average.value for average in metric.averages]:
        return []
    reason = f": {metric.no_average}" if metric.no_average else ""
    what = f"{metric.name} has no {criterion.average} average{reason}"
    return [Fault(what, "remove it or choose another", ("average",))]


class Declared(WhichNumber):
    """A value that was declared elsewhere, printed beside the measured one."""

    value: Number = Field(description="The declared value.")
    source: Text = Field(description="Where it was declared, e.g. instructions for use.")

    @model_validator(mode="after")
    def _possible(self) -> Declared:
        faults = out_of_range(self.metric.metric, self.value, ("value",))
        if faults:
            raise refuse(*faults)
        return self


def as_threshold(choice: str | Threshold) -> str:
    """The words of a threshold, for comparison with those of the spec."""
    return choice if isinstance(choice, str) else choice.text


class Looks(Part):
    """Criteria are judged again with every run of the series, on all rows so far."""

    planned: Annotated[Whole, Field(ge=2, le=1000)] | None = Field(
        None, description="How many looks there will be, the last one included."
    )
    spending: Literal["obrien_fleming", "pocock"] | None = Field(
        None,
        description="How the error is spent over planned looks: pocock (the default) nearly "
        "evenly, so that harm is found soon; obrien_fleming little of it early.",
    )
    always: Flag | None = Field(
        None, description="true: looks without end, by confidence sequences."
    )

    @model_validator(mode="after")
    def _one_kind(self) -> Looks:
        if self.always and (self.planned is not None or self.spending is not None):
            key = "planned" if self.planned is not None else "spending"
            fault = Fault("looks without end are not planned", "one of the two", (key,))
            raise refuse(fault)
        if not self.always and self.planned is None:
            hint = "planned: 12, or always: true"
            raise refuse(Fault("neither a number of looks nor always", hint))
        return self

    @property
    def rule(self) -> str | None:
        """The spending function; None for looks without end."""
        return None if self.always else self.spending or "pocock"
