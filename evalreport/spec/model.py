"""The spec as a whole: one frozen, typed value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from evalreport.spec.acceptance import Averaging, Criterion, Declared
from evalreport.spec.baselines import Baselines
from evalreport.spec.comparisons import Comparisons
from evalreport.spec.confidence import Confidence
from evalreport.spec.costs import Costs
from evalreport.spec.cross_validation import CrossValidation, LearningCurve
from evalreport.spec.datasets import Dataset, NamedPositive, Positive
from evalreport.spec.engine import Drift, Engine
from evalreport.spec.faults import Fault, refuse, shown, wrong_type
from evalreport.spec.fields import (
    Column,
    Flag,
    Label,
    Many,
    Name,
    Number,
    Once,
    Part,
    Text,
    Whole,
    as_text,
)
from evalreport.spec.impact import Impact
from evalreport.spec.metric_requests import MetricRequest
from evalreport.spec.models import AnyModel
from evalreport.spec.report import Cautions, Report
from evalreport.spec.scalars import Scalar
from evalreport.spec.thresholds import Threshold

VERSION = 1


def _free_text(value: Any) -> Any:
    """Text, lists and mappings of text, exactly as written."""
    faults = tuple(_empty_places(value))
    if faults:
        raise refuse(*faults)
    return _as_written(value)


def _empty_places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[Fault]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _empty_places(item, (*path, key))
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            yield from _empty_places(item, (*path, index))
    elif isinstance(value, Scalar) and value.kind == "null":
        yield Fault(f"is {shown(value)}", "quote it if it is meant as text", path, named=True)


def _as_written(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _as_written(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_as_written(item) for item in value]
    return as_text(value)


FreeText: TypeAlias = Annotated[
    Any,
    BeforeValidator(_free_text),
    WithJsonSchema({"type": ["string", "number", "boolean", "array", "object"]}),
]


def _columns(value: Any) -> Any:
    """One subgroup: a column, or the crossing of several."""
    if isinstance(value, (list, tuple)):
        return value
    if isinstance(value, dict):
        raise wrong_type(value, "a column, or a list of columns to be crossed")
    return (value,)


def _distinct(columns: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(columns)) < len(columns):
        raise refuse(Fault("a column is crossed with itself", "each column once"))
    return columns


_NAME_SCHEMA = {"type": ["string", "number", "boolean"]}

Crossing: TypeAlias = Annotated[
    tuple[Column, ...],
    Field(min_length=1, strict=False),
    AfterValidator(_distinct),
    BeforeValidator(_columns),
    WithJsonSchema(
        {
            "anyOf": [
                _NAME_SCHEMA,
                {"type": "array", "minItems": 1, "items": _NAME_SCHEMA},
            ]
        }
    ),
]


def _no_cycle(parents: Mapping[str, str]) -> Mapping[str, str]:
    """The same hierarchy; a label that is its own ancestor is refused."""
    faults = []
    done: set[str] = set()
    for child in parents:
        path: dict[str, None] = {}
        label = child
        while label in parents and label not in done and label not in path:
            path[label] = None
            label = parents[label]
        if label in path:
            faults.append(Fault(f"'{label}' is its own ancestor", "a tree of labels", (label,)))
        done.update(path)
    if faults:
        raise refuse(*faults)
    return parents


def _version(value: int) -> int:
    if value != VERSION:
        raise refuse(Fault(f"version {value} of the spec language is not known", str(VERSION)))
    return value


class Spec(Part):
    """A spec: what is evaluated, how, and what has to hold."""

    evalreport: Annotated[Whole, AfterValidator(_version)] = Field(
        description="The version of the spec language: 1."
    )
    title: Text = Field("Classifier evaluation", description="The title of the report.")
    about: Mapping[Name, FreeText] = Field(
        default_factory=dict,
        description="Free text: question, intended_use, out_of_scope, limitations, and more "
        "for the checklists.",
    )
    datasets: Annotated[Mapping[Name, Dataset], Field(min_length=1)] = Field(
        description="The rows that are evaluated, by name."
    )
    positive: Positive = Field(
        "largest", description="The positive class: largest, smallest or {label: name}."
    )
    models: Annotated[Mapping[Name, AnyModel], Field(min_length=1)] = Field(
        description="Where predictions come from, by name."
    )
    metrics: Annotated[Once[MetricRequest], Field(min_length=1)] = Field(
        description="What is measured: names, or {name: {parameter: value}}."
    )
    averaging: Annotated[Once[Averaging], Field(min_length=1)] | None = Field(
        None,
        description="Averages over classes; none stands for one record per class. Default: "
        "none for two classes, none and macro for more.",
    )
    thresholds: Annotated[Once[Threshold], Field(min_length=1)] | None = Field(
        None, description="Numbers and rules; 0.5 for a score and 0 for a margin by default."
    )
    subgroups: Once[Crossing] = Field(
        (), description="Columns, and lists of columns to be crossed."
    )
    subgroup_minimum: Annotated[Whole, Field(ge=1)] = Field(
        10, description="Below so many rows a subgroup is shown as too few."
    )
    impact: Impact = Field(
        default_factory=Impact, description="What is unknown, or too small, in impact ratios."
    )
    one_versus_rest: Flag = Field(
        False, description="Whether each class also gets its own table against the rest."
    )
    costs: Costs | None = Field(
        None, description="{false_negative: 5, false_positive: 1} or {actual: {predicted: cost}}."
    )
    prevalence: Once[Annotated[Number, Field(gt=0, lt=1)]] = Field(
        (), description="Shares of positives at which predictive values are re-expressed."
    )
    hierarchy: Annotated[Mapping[Label, Label], AfterValidator(_no_cycle)] = Field(
        default_factory=dict, description="The parent of each label."
    )
    confidence: Confidence = Field(default_factory=Confidence, description="How sure.")
    cross_validation: CrossValidation | None = Field(
        None, description="How estimators are trained and tested."
    )
    learning_curve: LearningCurve | None = Field(
        None, description="How results grow with the number of training rows."
    )
    baselines: Baselines = Field(
        default_factory=Baselines, description="What every model is set beside."
    )
    comparisons: Comparisons | None = Field(None, description="What is compared with what.")
    acceptance: Many[Criterion] = Field((), description="What has to hold.")
    declared: Many[Declared] = Field((), description="Values declared elsewhere.")
    drift: Drift | None = Field(None, description="Whether the data have moved.")
    cautions: Cautions = Field(default_factory=Cautions, description="Cautions not wanted.")
    engine: Engine = Field(default_factory=Engine, description="Which engine counts the rows.")
    report: Report = Field(default_factory=Report, description="Formats, template and annexes.")

    def positive_of(self, dataset: str) -> str | NamedPositive:
        """The positive class of a dataset: its own, else that of the spec."""
        return self.datasets[dataset].positive or self.positive

    def datasets_of(self, model: str) -> tuple[str, ...]:
        """The datasets on which a model is evaluated."""
        return self.models[model].evaluated_on(self.datasets)

    def models_on(self, dataset: str) -> tuple[str, ...]:
        """The models that are evaluated on a dataset; none where others only learned from it."""
        return tuple(name for name in self.models if dataset in self.datasets_of(name))
