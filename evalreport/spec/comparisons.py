"""Comparisons: of models on the same rows, of datasets, and with an earlier run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, Field, Tag

from evalreport.metrics.declare import Interval, Metric, Paired
from evalreport.spec.by_metric import by_metric, methods_by_metric
from evalreport.spec.datasets import LocalFile
from evalreport.spec.fields import Flag, Name, Number, Part, form

MCNEMAR = ("mcnemar_exact", "mcnemar_midp", "mcnemar", "mcnemar_corrected")
PAIRED_INTERVALS = ("newcombe", "newcombe_uncorrected", "wald", "agresti_min", "tango")


def tests_of(metric: Metric) -> tuple[str, ...]:
    """Tests that compare a metric, default first."""
    return (*_family(metric)[0], "bootstrap")


def intervals_of(metric: Metric) -> tuple[str, ...]:
    """Interval methods of a difference of a metric, default first."""
    return (*_family(metric)[1], "bootstrap_percentile")


def _family(metric: Metric) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if metric.paired is Paired.PROPORTION:
        return MCNEMAR, PAIRED_INTERVALS
    if metric.paired is Paired.PREDICTIVE:
        return ("leisenring", "kosinski"), ()
    if metric.paired is Paired.AREA:
        return ("delong",), ("delong",)
    if metric.interval is Interval.MEAN:
        return ("paired_t",), ("paired_t",)
    return (), ()


class DatasetReference(Part):
    """The same model on another dataset: unpaired."""

    dataset: Name = Field(description="The dataset that is compared with.")


class RunReference(Part):
    """The same model in an earlier run."""

    run: LocalFile = Field(description="The folder of an earlier run, relative to the spec.")


def _reference_form(value: Any) -> str:
    if isinstance(value, dict):
        return "(run)" if "run" in value else "(dataset)"
    if isinstance(value, Part):
        return "(run)" if isinstance(value, RunReference) else "(dataset)"
    return "(model)"


#: A model by its name, another dataset, or an earlier run.
Reference: TypeAlias = Annotated[
    Annotated[Name, Tag("(model)")]
    | Annotated[DatasetReference, Tag("(dataset)")]
    | Annotated[RunReference, Tag("(run)")],
    form(_reference_form),
]


class Comparisons(Part):
    """What is compared with what, and how."""

    reference: Reference = Field(
        description="A model, {dataset: name} (the same model there) or {run: folder}."
    )
    correction: Literal["none", "bonferroni", "holm", "benjamini_hochberg"] = Field(
        "none", description="Correction of p values for their number."
    )
    tests: Annotated[Mapping[Name, Name], AfterValidator(methods_by_metric(tests_of, "test"))] = (
        Field(default_factory=dict, description="Test of a metric, by its name.")
    )
    methods: Annotated[
        Mapping[Name, Name], AfterValidator(methods_by_metric(intervals_of, "interval method"))
    ] = Field(default_factory=dict, description="Interval method of the difference, by metric.")
    margins: Annotated[Mapping[Name, Annotated[Number, Field(gt=0)]], AfterValidator(by_metric)] = (
        Field(
            default_factory=dict,
            description="Non-inferiority margin of a metric: how much worse is still good enough.",
        )
    )
    net_reclassification: Flag = Field(
        False, description="Whether net reclassification is reported as well, against a model."
    )
