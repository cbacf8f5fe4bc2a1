"""The spec as a whole: one frozen, typed value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise
from typing import Annotated, Any, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Field, Tag, TypeAdapter, WithJsonSchema

from evalreport.spec.acceptance import Averaging, Criterion, Declared, Looks, WhichNumber
from evalreport.spec.claims import Claim, ClaimCriterion
from evalreport.spec.comparisons import Baselines, Comparisons
from evalreport.spec.confidence import Confidence
from evalreport.spec.costs import Costs
from evalreport.spec.cross_validation import CrossValidation, LearningCurve
from evalreport.spec.datasets import Dataset, NamedPositive, Positive
from evalreport.spec.design import CitedProtocol, Design
from evalreport.spec.engine import Drift, Engine
from evalreport.spec.fields import (
    Column,
    Distinct,
    Fault,
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
    form,
    refuse,
    shown,
    text_or_mapping,
    wrong_type,
)
from evalreport.spec.metric_requests import MetricRequest
from evalreport.spec.models import AnyModel, PredictionModel
from evalreport.spec.report import Cautions, Report
from evalreport.spec.scalars import Scalar
from evalreport.spec.series import AsOf, Cadence, SeriesName
from evalreport.spec.thresholds import Threshold


class Impact(Part):
    """Which categories of subgroups take part in impact ratios."""

    smallest_share: Annotated[Number, Field(ge=0, lt=1)] = Field(
        0.0,
        description="Categories with a smaller share of the rows are left out of impact ratios; "
        "their number and rate are shown. 0.02 is the most that New York City's rule allows.",
    )
    unknown: Distinct[Label] = Field(
        (),
        description="Values that say that a category is not known, as an empty one does: such "
        "rows are counted and have no rate.",
    )


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


def _rising(edges: tuple[float, ...]) -> tuple[float, ...]:
    """The same edges; refused unless each is above the one before."""
    if any(low >= high for low, high in pairwise(edges)):
        raise refuse(Fault("bins do not rise", "edges from the lowest to the highest, each once"))
    return edges


class BinnedColumn(Part):
    """A column of numbers as subgroups: the half-open intervals between edges."""

    column: Column = Field(description="The column of numbers.")
    bins: Annotated[Many[Number], Field(min_length=1), AfterValidator(_rising)] = Field(
        description="Where intervals begin: [40, 60] gives (-inf, 40), [40, 60) and [60, inf)."
    )


def _columns(value: Any) -> Any:
    """One subgroup: a column, or the crossing of several."""
    if isinstance(value, dict) and not {"column", "bins"} & set(value):
        wanted = "a column, {column: age, bins: [40, 60]}, or a list of columns to be crossed"
        raise wrong_type(value, wanted)
    return value if isinstance(value, (list, tuple)) else (value,)


def _name_of(column: str | BinnedColumn) -> str:
    return column if isinstance(column, str) else column.column


def _distinct(columns: tuple[str | BinnedColumn, ...]) -> tuple[str | BinnedColumn, ...]:
    if len({_name_of(column) for column in columns}) < len(columns):
        raise refuse(Fault("a column is crossed with itself", "each column once"))
    return columns


_NAME_SCHEMA: dict[str, Any] = {"type": ["string", "number", "boolean"]}
_BINNED_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "column": _NAME_SCHEMA,
        "bins": {"type": "array", "minItems": 1, "items": {"type": "number"}},
    },
    "required": ["column", "bins"],
    "additionalProperties": False,
}
_GROUP_SCHEMA = {"anyOf": [_NAME_SCHEMA, _BINNED_SCHEMA]}

GroupColumn: TypeAlias = Annotated[
    Annotated[Column, Tag("(text)")] | Annotated[BinnedColumn, Tag("(mapping)")],
    form(text_or_mapping),
]

Crossing: TypeAlias = Annotated[
    tuple[GroupColumn, ...],
    Field(min_length=1, strict=False),
    AfterValidator(_distinct),
    BeforeValidator(_columns),
    WithJsonSchema(
        {
            "anyOf": [
                *_GROUP_SCHEMA["anyOf"],
                {"type": "array", "minItems": 1, "items": _GROUP_SCHEMA},
            ]
        }
    ),
]


@cache
def crossing_reader() -> TypeAdapter[tuple[Crossing, ...]]:
    """What reads crossings apart from a spec; made once, for it takes longer than to use it."""
    return TypeAdapter(tuple[Crossing, ...])


def crossed(crossing: Crossing) -> tuple[str, ...]:
    """The names of the columns that a subgroup is made of."""
    return tuple(_name_of(column) for column in crossing)


def _one_way_each(crossings: tuple[Crossing, ...]) -> tuple[Crossing, ...]:
    """The same subgroups; a column that is put into intervals in two ways is refused."""
    first: dict[str, str | BinnedColumn] = {}
    faults = []
    for place, crossing in enumerate(crossings):
        for column in crossing:
            name = _name_of(column)
            if first.setdefault(name, column) != column:
                faults.append(
                    Fault(
                        f"'{name}' makes subgroups in two ways",
                        "the same bins everywhere",
                        (place,),
                    )
                )
    if faults:
        raise refuse(*faults)
    return crossings


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


def _criterion_form(value: Any) -> str:
    ours = isinstance(value, ClaimCriterion) or (isinstance(value, dict) and "claim" in value)
    return "(claim)" if ours else "(number)"


AnyCriterion: TypeAlias = Annotated[
    Annotated[Criterion, Tag("(number)")] | Annotated[ClaimCriterion, Tag("(claim)")],
    form(_criterion_form),
]


class Spec(Part):
    """A spec: what is evaluated, how, and what has to hold."""

    evalreport: Annotated[Whole, AfterValidator(_version)] = Field(
        description="The version of the spec language: 1."
    )
    title: Text = Field("Classifier evaluation", description="The title of the report.")
    series: SeriesName | None = Field(
        None,
        description="The line of history that its runs belong to: two specs in one folder of runs "
        "are two series. Default: the name of the spec's file without its suffix.",
    )
    cadence: Cadence | None = Field(
        None, description="How often a run is due: day, week, month, quarter or year."
    )
    as_of: AsOf | None = Field(
        None,
        description="The date or time of the data, if not the time of the run; it orders the runs "
        "of a series. Most often given with the command: `run --as-of`.",
    )
    about: Mapping[Name, FreeText] = Field(
        default_factory=dict,
        description="Free text: question, intended_use, out_of_scope, limitations, and more "
        "for the checklists; unit, positive_means and negative_means are the nouns of sentences "
        "(mass, malignant, benign).",
    )
    datasets: Annotated[Mapping[Name, Dataset], Field(min_length=1)] = Field(
        description="The rows that are evaluated, by name.",
        examples=[{"name": {"path": "file.csv", "target": "column"}}],
    )
    positive: Positive = Field(
        "largest",
        description="The positive class: largest or smallest of all labels that are known, or "
        "{label: name}.",
    )
    models: Annotated[Mapping[Name, AnyModel], Field(min_length=1)] = Field(
        description="Where predictions come from, by name.",
        examples=[{"name": {"score": "column"}}],
    )
    metrics: Annotated[Once[MetricRequest], Field(min_length=1)] = Field(
        description="What is measured: names, or {name: {parameter: value}}."
    )
    averaging: Annotated[Once[Averaging], Field(min_length=1)] | None = Field(
        None,
        description="Averages over classes; none means one record per class. Default: "
        "none for two classes, none and macro for more.",
    )
    thresholds: Annotated[Once[Threshold], Field(min_length=1)] | None = Field(
        None, description="Numbers and rules; 0.5 for a score and 0 for a margin by default."
    )
    subgroups: Annotated[Once[Crossing], AfterValidator(_one_way_each)] = Field(
        (),
        description="Columns, {column: age, bins: [40, 60]} for numbers in intervals, and "
        "lists of either to be crossed.",
    )
    subgroup_minimum: Annotated[Whole, Field(ge=1)] = Field(
        10,
        description="Below so many rows a subgroup is shown as too few, and a criterion on a value "
        "that rests on fewer is not evaluated.",
    )
    largest_gap: Flag = Field(
        False,
        description="Whether the largest gap between any two subgroups of a column is reported, "
        "with simultaneous limits.",
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
    confidence: Confidence = Field(
        default_factory=Confidence, description="How sure.", examples=[{"level": 0.95}]
    )
    cross_validation: CrossValidation | None = Field(
        None, description="How estimators are trained and tested."
    )
    learning_curve: LearningCurve | None = Field(
        None, description="How results grow with the number of training rows."
    )
    baselines: Baselines = Field(
        default_factory=Baselines, description="What every model is compared with."
    )
    comparisons: Comparisons | None = Field(None, description="What is compared with what.")
    acceptance: Many[AnyCriterion] = Field(
        (), description="What numbers have to meet; or {claim: all, outcome: reproduced}."
    )
    claims: Many[Claim] = Field(
        (), description="Values printed elsewhere, to be found again from the counts."
    )
    declared: Many[Declared] = Field((), description="Values declared elsewhere.")
    design: Design | None = Field(
        None, description="What is assumed before the data come; see `evalreport design`."
    )
    protocol: CitedProtocol | None = Field(
        None, description="The protocol that fixed the criteria before the data came."
    )
    looks: Looks | None = Field(
        None, description="How often criteria are judged while rows come in, run by run."
    )
    drift: Drift | None = Field(None, description="Whether the data have moved.")
    cautions: Cautions = Field(default_factory=Cautions, description="Cautions not wanted.")
    engine: Engine = Field(default_factory=Engine, description="Which engine counts the rows.")
    report: Report = Field(default_factory=Report, description="Formats, template and annexes.")

    @property
    def criteria(self) -> tuple[tuple[int, Criterion], ...]:
        """The criteria on numbers, each with its number in the spec, from 1."""
        return tuple(
            (number, one)
            for number, one in enumerate(self.acceptance, start=1)
            if isinstance(one, Criterion)
        )

    @property
    def numbers(self) -> tuple[WhichNumber, ...]:
        """Everything that refers to numbers of the report: criteria, declared values, claims."""
        return (*(one for _, one in self.criteria), *self.declared, *self.claims)

    @property
    def crossings(self) -> tuple[tuple[str, ...], ...]:
        """The columns of each subgroup, by their names."""
        return tuple(crossed(crossing) for crossing in self.subgroups)

    @property
    def bins(self) -> dict[str, tuple[float, ...]]:
        """The edges of the intervals that a column of numbers is put into."""
        return {
            one.column: one.bins
            for crossing in self.subgroups
            for one in crossing
            if isinstance(one, BinnedColumn)
        }

    def positive_of(self, dataset: str) -> str | NamedPositive:
        """The positive class of a dataset: its own, else that of the spec."""
        return self.datasets[dataset].positive or self.positive

    def datasets_of(self, model: str) -> tuple[str, ...]:
        """The datasets on which a model is evaluated."""
        found = self.models[model].evaluated_on(self.datasets)
        return tuple(name for name in found if self._evaluates(model, name))

    def _evaluates(self, model: str, dataset: str) -> bool:
        """Whether a dataset has what a model gives: a table has labels only."""
        asked, table = self.models[model], self.datasets[dataset].table
        return table is None or isinstance(asked, PredictionModel)

    def models_on(self, dataset: str) -> tuple[str, ...]:
        """The models that are evaluated on a dataset; none where others only learned from it."""
        return tuple(name for name in self.models if dataset in self.datasets_of(name))
