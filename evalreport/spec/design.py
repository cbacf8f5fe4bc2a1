"""What is assumed before the data come: true values, the wanted power, clusters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from evalreport.metrics.catalogue import find
from evalreport.metrics.methods import Family, family_of
from evalreport.spec.datasets import LocalFile
from evalreport.spec.fields import Fault, Name, Number, Part, Text, Whole, refuse
from evalreport.spec.metric_requests import unknown_metric
from evalreport.statistics.paired import PairChances, pair_chances


def _metrics(expect: Mapping[str, float]) -> Mapping[str, float]:
    """The same, by the canonical names; values outside the range of a metric are refused."""
    found: dict[str, float] = {}
    faults = []
    for name, value in expect.items():
        metric = find(name)
        if metric is None:
            faults.append(unknown_metric(name, at_key=True))
            continue
        low, high = metric.range_of(2)
        if not low <= value <= high:
            hint = f"a value from {low:g} to {high:g}"
            faults.append(Fault(f"{metric.name} is never {value:g}", hint, (name,)))
        found[metric.name] = value
    if faults:
        raise refuse(*faults)
    return found


class CitedProtocol(Part):
    """The protocol that `evalreport design -o FOLDER` wrote before the data came."""

    path: LocalFile = Field(description="Its protocol.json, relative to the spec.")
    fixed: Annotated[Text, StringConstraints(pattern=r"^\d{4}-\d{2}-\d{2}$")] | None = Field(
        None, description="The day on which it was fixed, as YYYY-MM-DD; declared, not shown."
    )


class ClusterAssumption(Part):
    """Rows of one cluster are alike: how many there are, and how much alike."""

    size: Annotated[Number, Field(ge=1)] = Field(description="Rows in a cluster, on average.")
    correlation: Annotated[Number, Field(ge=0, le=1)] = Field(
        description="Correlation of two rows of one cluster, 0 to 1."
    )


class PairedAssumption(Part):
    """A reference on the same rows: its true value, and how often the two differ on a row."""

    value: Annotated[Number, Field(ge=0, le=1)] = Field(
        description="The true value of the reference."
    )
    discordance: Annotated[Number, Field(ge=0, le=1)] | None = Field(
        None, description="Share of the rows that count on which only one of the two is right."
    )
    correlation: Annotated[Number, Field(ge=-1, le=1)] | None = Field(
        None,
        description="Instead: correlation (phi) of the two being right on a row; of areas under "
        "the ROC curve that of the scores of the rows of one class.",
    )

    @model_validator(mode="after")
    def _one_of_the_two(self) -> PairedAssumption:
        if self.discordance is not None and self.correlation is not None:
            what = "a discordance and a correlation: one follows from the other"
            raise refuse(Fault(what, "remove one", ("correlation",), at_key=True))
        if self.discordance is None and self.correlation is None:
            what = "the spec does not state how often the two differ on the same rows"
            raise refuse(Fault(what, "discordance: 0.1, or correlation: 0.5"))
        return self

    def with_first(self, first: float) -> PairChances:
        """The chances of the four cells beside a model of this true value.

        Raises ValueError, with what would be right, where there are none.
        """
        return pair_chances(
            first, self.value, discordance=self.discordance, correlation=self.correlation
        )


class ReadingCorrelations(Part):
    """How much alike two readings of the same cases are: the correlations of their errors."""

    same_modality: Annotated[Number, Field(ge=0, lt=1)] = Field(
        description="Of two readers with the same model (r2)."
    )
    same_reader: Annotated[Number, Field(ge=0, lt=1)] | None = Field(
        None, description="Of one reader with two models (r1); a difference needs it."
    )
    neither: Annotated[Number, Field(ge=0, lt=1)] | None = Field(
        None, description="Of two readers with two models (r3); a difference needs it."
    )

    @model_validator(mode="after")
    def _least_where_nothing_is_shared(self) -> ReadingCorrelations:
        alike = [r for r in (self.same_reader, self.same_modality) if r is not None]
        if self.neither is not None and self.neither > min(alike):
            what = f"readings that share neither are more similar ({self.neither:g})"
            hint = f"at most {min(alike):g}, as similar as those that share one"
            raise refuse(Fault(what, hint, ("neither",)))
        return self


class ReadingCovariances(Part):
    """Covariances of readings from an earlier study, by the names of its results.json."""

    cases: Annotated[Whole, Field(ge=2)] = Field(description="The cases of that study.")
    variance: Annotated[Number, Field(gt=0)] = Field(description="Variance of one reading.")
    same_modality: Number = Field(description="Of two readers with the same model (Cov2).")
    same_reader: Number | None = Field(
        None, description="Of one reader with two models (Cov1); a difference needs it."
    )
    neither: Number | None = Field(
        None, description="Of two readers with two models (Cov3); a difference needs it."
    )


class ReaderMeasure(Part):
    """What is assumed of one measure in a study of several readers."""

    between: Annotated[Number, Field(ge=0, le=1)] | None = Field(
        None, description="Standard deviation of the readers' own true values."
    )
    differences: Annotated[Number, Field(ge=0, le=1)] | None = Field(
        None, description="That of the readers' own true differences from a reference."
    )
    references: Mapping[Name, Annotated[Number, Field(ge=0, le=1)]] = Field(
        default_factory=dict, description="True values of reference models: {old: 0.8}."
    )
    correlations: ReadingCorrelations | None = Field(
        None, description="Of readings of the same cases; the variance of one follows."
    )
    covariances: ReadingCovariances | None = Field(
        None, description="Instead: those of an earlier study."
    )

    @model_validator(mode="after")
    def _one_of_the_two(self) -> ReaderMeasure:
        if (self.correlations is None) == (self.covariances is None):
            what = "the spec does not state how similar readings of the same cases are"
            if self.correlations is not None:
                what = "correlations and covariances: one follows from the other"
            raise refuse(Fault(what, "correlations: {same_modality: 0.4}, or covariances"))
        return self


def _of_readers(assumed: Mapping[str, ReaderMeasure]) -> Mapping[str, ReaderMeasure]:
    """The same, by the canonical names."""
    faults = [unknown_metric(name, at_key=True) for name in assumed if find(name) is None]
    if faults:
        raise refuse(*faults)
    known = {name: metric for name in assumed if (metric := find(name)) is not None}
    return {known[name].name: one for name, one in assumed.items()}


class ReaderAssumption(Part):
    """A study in which several readers read the same cases."""

    number: Annotated[Whole, Field(ge=2, le=1000)] | None = Field(
        None, description="Readers that are planned."
    )
    cases: Annotated[Whole, Field(ge=2, le=10_000_000)] | None = Field(
        None, description="Cases that are planned; each reader reads all of them."
    )
    measures: Annotated[Mapping[Name, ReaderMeasure], AfterValidator(_of_readers)] = Field(
        description="By metric: {roc_auc: {between: 0.03, correlations: {same_modality: 0.4}}}."
    )


def _paired(
    assumed: Mapping[str, PairedAssumption],
) -> Mapping[str, PairedAssumption]:
    """The same, by the canonical names: shares whose rows both models share, and areas."""
    found: dict[str, PairedAssumption] = {}
    faults = []
    for name, one in assumed.items():
        metric = find(name)
        if metric is None:
            faults.append(unknown_metric(name, at_key=True))
        elif family_of(metric, None) is Family.AREA:
            if one.correlation is None:
                what = f"{metric.name} is not a share of rows, on which models could be discordant"
                hint = "correlation: 0.5, of the scores of the rows of one class"
                faults.append(Fault(what, hint, (name, "discordance"), at_key=True))
            found[metric.name] = one
        elif family_of(metric, None) is not Family.ROWS:
            what = f"{metric.name} is not a share of rows that are the same for both models"
            hint = (
                "a share such as recall, specificity or accuracy, or the area under the ROC curve"
            )
            if family_of(metric, None) is Family.CALLS:
                hint = f"recall and specificity of the reference: {metric.name} follows from them"
            faults.append(Fault(what, hint, (name,), at_key=True))
        else:
            found[metric.name] = one
    if faults:
        raise refuse(*faults)
    return found


class Design(Part):
    """What is assumed when a study is planned: `evalreport design` says whether it is enough."""

    expect: Annotated[Mapping[Name, Number], AfterValidator(_metrics)] = Field(
        description="The true values that are assumed, by metric: {recall: 0.9, prevalence: 0.1}."
    )
    power: Annotated[Number, Field(gt=0, lt=1)] = Field(
        0.8, description="The chance of passing that is wanted if the assumptions are true."
    )
    rows: Annotated[Whole, Field(ge=1, le=10_000_000)] | None = Field(
        None, description="Rows that are planned; their power is stated."
    )
    enrichment: Annotated[Number, Field(gt=0, lt=1)] | None = Field(
        None, description="Share of positives in the sample, where positives are sought out."
    )
    clusters: ClusterAssumption | None = Field(
        None, description="Clusters, where rows depend on each other."
    )
    readers: ReaderAssumption | None = Field(
        None,
        description="Several readers of the same cases: how many, and how much alike they read.",
    )
    references: Mapping[
        Name, Annotated[Mapping[Name, PairedAssumption], AfterValidator(_paired)]
    ] = Field(
        default_factory=dict,
        description="What is assumed of a reference model, by metric: {old: {recall: {value: "
        "0.8, discordance: 0.2}}}.",
    )

    @model_validator(mode="after")
    def _on_one_table(self) -> Design:
        """Where the value of the model is told too, the two shares leave room for the pairs."""
        faults = []
        for model, assumed in self.references.items():
            for name, one in assumed.items():
                if name not in self.expect:
                    continue
                if (metric := find(name)) is None or family_of(metric, None) is Family.AREA:
                    continue
                try:
                    one.with_first(self.expect[name])
                except ValueError as error:
                    kind = "correlation" if one.discordance is None else "discordance"
                    what = f"no {kind} of {getattr(one, kind):g} goes with {name} "
                    what += f"{self.expect[name]:g} and {one.value:g}"
                    faults.append(Fault(what, str(error), ("references", model, name, kind)))
        if faults:
            raise refuse(*faults)
        return self
