"""Datasets: where rows are, what their columns mean, and how classes are declared."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, Field, StringConstraints, Tag, model_validator

from evalreport.spec.faults import Fault, refuse
from evalreport.spec.fields import (
    Column,
    Distinct,
    Flag,
    Label,
    Name,
    Part,
    Text,
    form,
    text_or_mapping,
)

SUFFIXES = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".jsonl", ".jsonl.gz", ".parquet")
_PASSWORD = re.compile(r"://[^/@?]*:[^/@?]*@|[?&\s]password=|^password=", re.IGNORECASE)
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:(//|.*@)")


def local_file(path: str) -> str:
    """A path of this machine, or a fault."""
    if _URL.match(path) or path.startswith("//"):
        raise refuse(Fault(f"'{path}' is an address", "a file on this machine"))
    return path


def data_file(path: str) -> str:
    """A path with the suffix of a format that can be read, or of a folder, or a fault."""
    local_file(path)
    if not path.lower().endswith((*SUFFIXES, "/")):
        raise refuse(
            Fault(
                f"'{path}': unknown suffix, so the format is not known",
                "a file ending in .csv, .tsv, .jsonl (each also with .gz) or .parquet, "
                "or a folder ending in /",
            )
        )
    return path


LocalFile: TypeAlias = Annotated[Name, AfterValidator(local_file)]
DataFile: TypeAlias = Annotated[Name, AfterValidator(data_file)]


def without_password(database: str) -> str:
    """An address without a password, or a fault that does not repeat it."""
    if _PASSWORD.search(database):
        raise refuse(
            Fault(
                "the address of the database holds a password",
                "an address without one; Postgres takes it from PGPASSWORD or ~/.pgpass",
            )
        )
    return database


class Query(Part):
    """Rows from a database."""

    sql: Name = Field(description="A SELECT statement.")
    database: Annotated[Name, AfterValidator(without_password)] = Field(
        description="A SQLite or DuckDB file, relative to the spec, or a Postgres address, "
        "postgresql://user@host:port/name, without a password."
    )


class LabelColumns(Part):
    """Sets of labels as one 0/1 column per label."""

    labels: Annotated[Mapping[Label, Column], Field(min_length=1)] = Field(
        description="The 0/1 column of each label."
    )


class LabelList(Part):
    """Sets of labels as one column that lists them."""

    column: Column = Field(alias="list", description="The column that lists the labels of a row.")
    separator: Annotated[Text, StringConstraints(min_length=1)] = Field(
        ";", description="What stands between two labels."
    )


def _set_form(value: Any) -> str:
    if not isinstance(value, (dict, Part)):
        return "(column)"
    if isinstance(value, dict):
        return "(list)" if "list" in value else "(labels)"
    return "(list)" if isinstance(value, LabelList) else "(labels)"


#: A column of labels, or of sets of labels.
LabelSource: TypeAlias = Annotated[
    Annotated[Column, Tag("(column)")]
    | Annotated[LabelColumns, Tag("(labels)")]
    | Annotated[LabelList, Tag("(list)")],
    form(_set_form),
]


class NamedPositive(Part):
    """The positive class by name."""

    label: Label = Field(description="The positive class, exactly as written in the data.")


Positive: TypeAlias = Annotated[
    Annotated[Literal["largest", "smallest"], Tag("(text)")]
    | Annotated[NamedPositive, Tag("(mapping)")],
    form(text_or_mapping),
]


class Period(Part):
    """Evaluation per period of time."""

    column: Column = Field(description="The column with the date or time of a row.")
    every: Literal["day", "week", "month", "quarter", "year"] = Field(
        "month", description="The length of a period."
    )


class Dataset(Part):
    """Rows with their true labels."""

    path: (
        Annotated[
            Annotated[DataFile, Tag("(text)")] | Annotated[Query, Tag("(mapping)")],
            form(text_or_mapping),
        ]
        | None
    ) = Field(
        None,
        description="File relative to the spec, or absolute: csv, tsv, jsonl (each also .gz) or "
        "parquet; a pattern (data/*.parquet) or a folder (data/) of such files, whose folders may "
        "be named column=value; or {sql: ..., database: ...}.",
    )
    target: LabelSource = Field(
        description="Column with the true label; {labels: {a: column_a}} or {list: column} "
        "for sets of labels."
    )
    id: Column | None = Field(
        None, description="Column that names a row; unique unless `cluster` is declared."
    )
    weight: Column | None = Field(None, description="Column of weights, finite and >= 0.")
    cluster: Column | None = Field(
        None, description="Column whose equal values mark rows that are not independent."
    )
    group: Column | None = Field(
        None, description="Column whose rows stay in one fold; the cluster unless declared."
    )
    fold: Column | None = Field(
        None, description="Column with the fold of predictions made out of fold elsewhere."
    )
    labels: Annotated[Distinct[Label], Field(min_length=1)] | None = Field(
        None, description="The classes in their order, exactly as written in the data."
    )
    missing: Literal["error", "exclude"] = Field(
        "error", description="What to do with rows lacking a target, prediction or score."
    )
    indeterminate: Distinct[Label] = Field(
        (), description="Predictions that are neither class; kept as a column of the table."
    )
    positive: Positive | None = Field(
        None, description="The positive class of this dataset, where it differs."
    )
    types: Mapping[Column, Literal["text", "integer", "number", "boolean"]] = Field(
        default_factory=dict, description="Declared types of columns."
    )
    sha256: Annotated[Text, StringConstraints(pattern=r"^[0-9a-fA-F]{64}$")] | None = Field(
        None, description="The hash that the file, or the rows of a Postgres query, must have."
    )
    period: Period | None = Field(None, description="Evaluate per period of time.")
    keep_rows: Flag | None = Field(
        None,
        description="Keep, in rows.json of the run, of each row a keyed digest of its `id`, its "
        "true class and what each model said, so that `evalreport diff` can pair the rows of two "
        "runs; nothing is kept unless this is true.",
    )
    sampling: Literal["cohort", "case_control"] = Field(
        "cohort",
        description="case_control: the share of positives was fixed by the sampling, so it "
        "says nothing about prevalence.",
    )
    benchmark: Literal["reference_standard", "non_reference"] = Field(
        "reference_standard",
        description="non_reference: the target is another test, so agreement is reported.",
    )

    @model_validator(mode="after")
    def _kept_by_id(self) -> Dataset:
        if self.keep_rows and self.id is None:
            raise refuse(
                Fault("keep_rows pairs rows by their id", "id: the column", ("keep_rows",),
                      at_key=True)
            )
        return self
