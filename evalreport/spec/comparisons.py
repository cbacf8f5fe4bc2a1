"""Comparisons: of models on the same rows, of datasets, with an earlier run, and with baselines.

Baselines are what every model is set beside, besides what needs no model.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, Field, Tag, model_validator

from evalreport.metrics.catalogue import find, metric_named
from evalreport.metrics.methods import has_ratio, known_intervals, known_methods, known_tests
from evalreport.metrics.properties import directed
from evalreport.spec.confidence import by_metric, methods_by_metric
from evalreport.spec.datasets import LocalFile
from evalreport.spec.fields import Fault, Flag, Many, Name, Number, Part, form, refuse
from evalreport.spec.metric_requests import unknown_metric
from evalreport.statistics.hypotheses import WITH_DIRECTION, WITH_MARGIN

#: What may be stated of a difference, model minus reference.
Kind: TypeAlias = Literal["superiority", "non_inferiority", "equivalence", "greater", "less"]


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


def _of_shares(words: Sequence[str]) -> tuple[str, ...]:
    """Canonical names of metrics that have ratios; raises the faults of those that have none."""
    faults: list[Fault] = []
    found: dict[str, None] = {}
    for place, word in enumerate(words):
        metric = find(word)
        if metric is None:
            faults.append(replace(unknown_metric(word), path=(place,)))
        elif not has_ratio(metric):
            what = f"limits of a ratio of {metric.name} are not known"
            faults.append(Fault(what, "a share of rows, such as recall or precision", (place,)))
        else:
            found[metric.name] = None
    if faults:
        raise refuse(*faults)
    return tuple(found)


class Comparisons(Part):
    """What is compared with what, and how."""

    reference: Reference = Field(
        description="A model, {dataset: name} (the same model there) or {run: folder}."
    )
    correction: Literal["none", "bonferroni", "holm", "benjamini_hochberg"] = Field(
        "none", description="Correction of p values for their number."
    )
    family: Literal["report", "dataset"] = Field(
        "report",
        description="Which tests are corrected together: all comparisons of the report, or those "
        "of each dataset by themselves.",
    )
    tests: Annotated[
        Mapping[Name, Name], AfterValidator(methods_by_metric(known_tests, "test"))
    ] = Field(default_factory=dict, description="Test of a metric, by its name.")
    methods: Annotated[
        Mapping[Name, Name], AfterValidator(methods_by_metric(known_intervals, "interval method"))
    ] = Field(default_factory=dict, description="Interval method of the difference, by metric.")
    margins: Annotated[Mapping[Name, Annotated[Number, Field(gt=0)]], AfterValidator(by_metric)] = (
        Field(
            default_factory=dict,
            description="Margin of a metric, of its hypothesis if it has one, else of "
            "non-inferiority: how much worse is still good enough.",
        )
    )
    hypotheses: Annotated[Mapping[Name, Kind], AfterValidator(by_metric)] = Field(
        default_factory=dict,
        description="What is to be shown of a metric, by a one-sided test: superiority, "
        "non_inferiority, equivalence (two tests), greater or less.",
    )
    ratios: Annotated[Many[Name], AfterValidator(_of_shares)] = Field(
        (),
        description="Metrics whose ratio, model over reference, is reported with limits: shares.",
    )
    alpha: Annotated[Number, Field(gt=0, lt=0.5)] | None = Field(
        None,
        description="Level of the one-sided tests of hypotheses; half of 1 - level by default, "
        "which is that of the limits.",
    )
    subgroups: Flag = Field(
        False,
        description="Whether each comparison is also made in every subgroup, in the same family.",
    )
    thresholds: Flag = Field(
        False,
        description="Whether each comparison is also made at every threshold, not at the first "
        "alone, in the same family.",
    )
    omnibus: Flag = Field(
        False,
        description="Whether all models of a dataset are also tested at once, three or more: "
        "Cochran's Q, DeLong, Friedman.",
    )
    net_reclassification: Flag = Field(
        False, description="Whether net reclassification is reported as well, against a model."
    )

    @model_validator(mode="after")
    def _testable(self) -> Comparisons:
        """A hypothesis has the margin and the direction that it is about."""
        faults = [*self._without_margin(), *self._without_direction()]
        if self.alpha is not None and not self.hypotheses:
            remedy = "hypotheses: {metric: superiority}, or remove it"
            faults.append(Fault("alpha without a hypothesis", remedy, ("alpha",), at_key=True))
        if faults:
            raise refuse(*faults)
        return self

    def _without_margin(self) -> Iterator[Fault]:
        for name, kind in self.hypotheses.items():
            if kind in WITH_MARGIN and name not in self.margins:
                what = f"the {kind.replace('_', '-')} of {name} has no margin"
                yield Fault(what, f"margins: {{{name}: 0.05}}", ("hypotheses", name))

    def _without_direction(self) -> Iterator[Fault]:
        for name, kind in self.hypotheses.items():
            metric = find(name)
            if kind in WITH_DIRECTION and metric is not None and not directed(metric):
                what = f"neither more nor less of {name} is better: no {kind.replace('_', '-')}"
                yield Fault(what, "equivalence, greater or less", ("hypotheses", name))

    def unfit(self, same_rows: Collection[bool]) -> Iterator[tuple[str, str | int, str, str]]:
        """Methods that the kind of reference has no use for: key, metric, what and remedy.

        Methods for the same rows and for independent rows are not the same; ``same_rows``
        holds which of the two are compared.
        """
        if isinstance(self.reference, RunReference):
            for key in ("tests", "methods"):
                for name, method in getattr(self, key).items():
                    what = f"{method} is not used against an earlier run, whose rows are not there"
                    yield key, name, what, "remove it"
            for name in self.hypotheses:
                what = f"no hypothesis of {name} is tested against an earlier run"
                yield "hypotheses", name, what, "a margin, which the limits are compared with"
            for place, name in enumerate(self.ratios):
                what = f"no ratio of {name} to an earlier run is reported"
                yield "ratios", place, what, "remove it"
            return
        for key, place in (("tests", 0), ("methods", 1)):
            for name, method in getattr(self, key).items():
                known = known_methods(metric_named(name), place, same_rows)
                if method not in known:
                    rows = "two datasets" if True in same_rows else "two models on the same rows"
                    what = f"{method} compares {rows}: {name} will have none"
                    yield key, name, what, f"one of {', '.join(known)}"


class Baselines(Part):
    """Baselines beside majority class, prevalence and stratified random, which are always there."""

    previous: Name | None = Field(
        None, description="The model in use until now; the others are compared with it, row by row."
    )
