"""What is assumed before the data come: true values, the wanted power, clusters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints

from evalreport.metrics.catalogue import find
from evalreport.spec.datasets import LocalFile
from evalreport.spec.faults import Fault, refuse
from evalreport.spec.fields import Name, Number, Part, Text, Whole
from evalreport.spec.metric_requests import unknown_metric


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
