"""The engine that counts, and its limits; and drift against another dataset."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from evalreport.spec.comparisons import Reference
from evalreport.spec.fields import Column, Distinct, Number, Part, Text, Whole
from evalreport.spec.hosts import ClusterAddress


class Spark(Part):
    """An existing cluster."""

    url: ClusterAddress = Field(
        description="The address of Spark Connect, sc://host:port; a host other than this "
        "computer has to be allowed with --allow-host."
    )


class Engine(Part):
    """What counts the rows."""

    name: Literal["auto", "memory", "duckdb", "database", "spark"] = Field(
        "auto", description="auto chooses by the size of the data."
    )
    memory_limit: (
        Annotated[Text, StringConstraints(pattern=r"^[1-9][0-9]*(\.[0-9]+)? ?(MB|GB|MiB|GiB)$")]
        | None
    ) = Field(None, description="The most memory that is used, e.g. 4GB.")
    spark: Spark | None = Field(None, description="The cluster, for the engine spark.")
    retries: Annotated[Whole, Field(ge=0, le=10)] = Field(
        0, description="How often a database is asked again where its connection was lost."
    )
    grain: Annotated[Number, Field(gt=0)] | None = Field(
        None,
        description="Scores are rounded to a multiple of this before rows are counted, where "
        "there are too many different ones; e.g. 0.0001.",
    )


class DriftLimits(Part):
    """What must not be exceeded: each is a criterion, and decides on the exit status."""

    psi: Annotated[Number, Field(gt=0)] | None = Field(
        None, description="The largest acceptable population stability index."
    )
    ks: Annotated[Number, Field(gt=0, le=1)] | None = Field(
        None, description="The largest acceptable Kolmogorov-Smirnov distance, of numbers."
    )


class Drift(Part):
    """Whether labels, scores and columns have moved from a reference."""

    reference: Reference = Field(description="{dataset: name} or {run: folder}.")
    columns: Distinct[Column] = Field(
        (), description="Columns to be compared beside the scores, with a dataset only."
    )
    retries: Annotated[Whole, Field(ge=0, le=10)] = Field(
        0, description="How often a database is asked again where its connection was lost."
    )
    bins: Annotated[Whole, Field(ge=2, le=1000)] = Field(
        10, description="Bins of the population stability index, cut at shares of the reference."
    )
    note: Annotated[Number, Field(gt=0)] = Field(
        0.1, description="Index from which a caution is given, where chance does not explain it."
    )
    warning: Annotated[Number, Field(gt=0)] = Field(
        0.25, description="Index from which that caution is a warning."
    )
    at_most: DriftLimits | None = Field(
        None, description="Limits whose breach fails the run, as a criterion of acceptance."
    )
