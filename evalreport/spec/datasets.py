"""Datasets: where rows are, what their columns mean, and how classes are declared."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    StringConstraints,
    Tag,
    ValidationInfo,
    model_validator,
)

from evalreport.errors import nearest
from evalreport.metrics.kinds import Design as Drawn
from evalreport.spec.fields import (
    Column,
    Distinct,
    Fault,
    Flag,
    Label,
    Many,
    Name,
    Part,
    Text,
    Whole,
    form,
    refuse,
    text_or_mapping,
    wrong_type,
)
from evalreport.spec.hosts import database_host, in_store
from evalreport.spec.sampling import AnyReaders, AnySampling, Readers, Sampling
from evalreport.spec.scalars import Scalar

SUFFIXES = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".jsonl", ".jsonl.gz", ".parquet", ".xlsx")
#: The columns of a table in the spec.
ACTUAL, PREDICTED, COUNT = "actual", "predicted", "count"
#: What a dataset that is a table may say besides.
_BESIDE_TABLE = ("table", "target", "count", "labels", "positive", "sampling", "benchmark")
_PASSWORD = re.compile(r"://[^/@?]*:[^/@?]*@|[?&\s]password=|^password=", re.IGNORECASE)
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:(//|.*@)")


#: Addresses of object stores that are written otherwise.
_STORES = ("s3:", "s3a:", "gs:", "gcs:", "az:", "azure:", "abfs:", "abfss:")


def _instead_of(path: str) -> str:
    """What to give for an address."""
    if path.lower().startswith(_STORES):
        return (
            "of object stores the files of datasets are read, s3://bucket/name, gs://bucket/name "
            "or az://container/name; or a table of a cluster, {table: catalog.schema.name}"
        )
    return "a file on this machine"


def local_file(path: str) -> str:
    """A path of this machine, or a fault."""
    if _URL.match(path) or path.startswith("//"):
        raise refuse(Fault(f"'{path}' is a URL", _instead_of(path)))
    return path


def data_file(path: str, info: ValidationInfo) -> str:
    """A path with the suffix of a format that can be read, or of a folder, or a fault.

    How columns of a .txt file are separated has to be declared before.
    """
    if not in_store(path, info):
        local_file(path)
    read = info.data.get("read")
    declared = (".txt",) if read is not None and read.delimiter is not None else ()
    if not path.lower().endswith((*SUFFIXES, *declared, "/")):
        raise refuse(
            Fault(
                f"'{path}': unknown suffix, so the format is not known",
                "a file ending in .csv, .tsv, .jsonl (each also with .gz), .parquet or .xlsx, "
                "or a folder ending in /"
                + ("; one object a line makes a .jsonl" if path.lower().endswith(".json") else ""),
            )
        )
    return path


#: Encodings of names, of source code and of nothing, which no file is saved in.
NO_FILES = frozenset(("idna", "punycode", "undefined", "unicode-escape", "raw-unicode-escape"))


def _known_encoding(name: str) -> str:
    """The name of an encoding of text that Python knows, or a fault."""
    try:
        text = codecs.lookup(name)
    except (LookupError, ValueError):
        text = None
    if text is None or not getattr(text, "_is_text_encoding", True) or text.name in NO_FILES:
        raise refuse(Fault(f"the encoding '{name}' is not known", "utf-8, latin-1, cp1252, ..."))
    return name


LocalFile: TypeAlias = Annotated[Name, AfterValidator(local_file)]
DataFile: TypeAlias = Annotated[Name, AfterValidator(data_file)]


#: Names of catalog, schema and table; nothing in them needs quotes.
_TABLE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*(\.[A-Za-z0-9_][A-Za-z0-9_-]*){0,3}")


def without_password(database: str) -> str:
    """An address without a password, or a fault that does not repeat it."""
    if _PASSWORD.search(database):
        raise refuse(
            Fault(
                "the address of the database contains a password",
                "an address without one; Postgres takes it from PGPASSWORD or ~/.pgpass",
            )
        )
    return database


def _row(value: Any) -> Any:
    """A row of counts in which an empty scalar stands for a cell that is not known."""
    if not isinstance(value, (list, tuple)):
        return value
    return [None if isinstance(v, Scalar) and v.kind == "null" else v for v in value]


class Pivot(Part):
    """A long table as a wide one: a row for each case, a column for each class."""

    row: Column = Field(description="The column that names the case.")
    column: Column = Field(description="The column with the class, whose values become columns.")
    value: Column = Field(description="The column with the score of the class.")


def _codes_form(value: Any) -> str:
    return "(mapping)" if isinstance(value, Mapping) else "(list)"


class Read(Part):
    """How a file is written, where that is not told by its suffix."""

    delimiter: Annotated[Text, StringConstraints(min_length=1, max_length=1)] | None = Field(
        None, description="The delimiter of columns; a comma in csv, a tab in tsv by default."
    )
    decimal: Literal[".", ","] = Field(".", description="The sign before the decimals of numbers.")
    encoding: Annotated[Name, AfterValidator(_known_encoding)] = Field(
        "utf-8", description="How characters are stored, e.g. latin-1 or utf-16."
    )
    sheet: Name | None = Field(
        None, description="The sheet of an Excel file, by its name; the first by default."
    )
    percent: Distinct[Column] = Field(
        (), description="Columns of percentages, with or without the sign: they are divided by 100."
    )
    missing: Annotated[
        Annotated[Distinct[Name], Tag("(list)")]
        | Annotated[Mapping[Column, Distinct[Name]], Tag("(mapping)"), Field(min_length=1)],
        form(_codes_form),
    ] = Field(
        (),
        description="Codes for no value, such as NA: a list for every column, or lists by column, "
        '{label: ["-1"], score: [NA]}.',
    )
    strip: Flag = Field(
        False,
        description="Blanks around values, and around names of columns in text and sheets, are no "
        "part of them.",
    )
    escape: Annotated[Text, StringConstraints(min_length=1, max_length=1)] | None = Field(
        None,
        description="What precedes a quote within quotes, where quotes are not doubled: a "
        "backslash in csv written by Spark.",
    )
    pivot: Pivot | None = Field(
        None,
        description="Of a long table, with a row for each case and class: what becomes a "
        "row, and what a column.",
    )


class JoinedColumns(Part):
    """The columns that name the same rows, where they are called differently."""

    left: Column = Field(description="The column in the file of the dataset.")
    right: Column = Field(description="The column in the file that is joined.")


class Join(Part):
    """A second file with further columns of the same rows."""

    read: Read | None = Field(None, description="How that file is written; as `read` says.")
    path: DataFile = Field(description="The file that is joined, relative to the spec.")
    on: Annotated[
        Annotated[Column, Tag("(text)")] | Annotated[JoinedColumns, Tag("(mapping)")],
        form(text_or_mapping),
    ] = Field(description="The column that names a row in both files, or {left: ..., right: ...}.")

    @property
    def left(self) -> str:
        """The column in the file of the dataset."""
        return self.on if isinstance(self.on, str) else self.on.left

    @property
    def right(self) -> str:
        """The column in the file that is joined."""
        return self.on if isinstance(self.on, str) else self.on.right


def _table_name(name: str) -> str:
    """The name of a table, or a fault: parts with dots between, each plain."""
    if not _TABLE.fullmatch(name):
        raise refuse(
            Fault(
                "it is not a name of a table",
                "catalog.schema.name: up to four parts of letters, digits, _ and -",
            )
        )
    return name


class Query(Part):
    """Rows from a database: those that a SELECT gives, or a whole table."""

    sql: Name | None = Field(None, description="A SELECT statement.")
    table: Annotated[Name, AfterValidator(_table_name)] | None = Field(
        None, description="In place of `sql`, a table or view: schema.name or name."
    )
    database: Annotated[Name, AfterValidator(without_password), AfterValidator(database_host)] = (
        Field(
            description="A SQLite or DuckDB file, relative to the spec, or the address of a "
            "Postgres server without a password, postgresql://user@host:port/name; a host other "
            "than this computer has to be allowed with --allow-host."
        )
    )

    @model_validator(mode="after")
    def _one_of_both(self) -> Query:
        if (self.sql is None) == (self.table is None):
            told = "neither sql nor table" if self.sql is None else "sql and table"
            raise refuse(Fault(f"the path has {told}", "a SELECT (sql) or the name of a table"))
        return self


class ClusterTable(Part):
    """A table or view of a Spark cluster, counted there."""

    table: Annotated[Name, AfterValidator(_table_name)] = Field(
        description="The table or view: catalog.schema.name, schema.name or name."
    )
    where: Name | None = Field(
        None, description="Which rows of it: a condition in the cluster's SQL."
    )
    version: Name | None = Field(
        None,
        description="The version or snapshot that is read, of a table that keeps them (Delta, "
        "Iceberg).",
    )


def _path_form(value: Any) -> str:
    of_cluster = isinstance(value, dict) and "table" in value and "database" not in value
    if isinstance(value, ClusterTable) or of_cluster:
        return "(table)"
    return text_or_mapping(value)


class LabelColumns(Part):
    """Sets of labels as one 0/1 column per label."""

    labels: Annotated[Mapping[Label, Column], Field(min_length=1)] = Field(
        description="The 0/1 column of each label."
    )


class LabelList(Part):
    """Sets of labels as one column that lists them."""

    column: Column = Field(alias="list", description="The column that lists the labels of a row.")
    separator: Annotated[Text, StringConstraints(min_length=1)] = Field(
        ";", description="The delimiter of labels."
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


def _which_end(value: Any) -> Any:
    """``largest`` or ``smallest``; the name of a class is told how it is written."""
    text = value.text if isinstance(value, Scalar) else value
    if text in ("largest", "smallest") or not isinstance(text, str):
        return text
    named = f"{{label: {json.dumps(text, ensure_ascii=False)}}}"
    close = nearest(text, ("largest", "smallest"))
    hint = f"largest, smallest, or {named}" if close is None else f"{close}, or {named}"
    raise wrong_type(value, hint)


Positive: TypeAlias = Annotated[
    Annotated[Literal["largest", "smallest"], BeforeValidator(_which_end), Tag("(text)")]
    | Annotated[NamedPositive, Tag("(mapping)")],
    form(text_or_mapping),
]


class CountTable(Part):
    """A table of two or more classes as it was printed: no rows, only how many they are."""

    labels: Annotated[Distinct[Label], Field(min_length=2)] = Field(
        description="The classes, in the order of the rows and columns of counts."
    )
    counts: Annotated[
        Many[Annotated[Many[Annotated[Whole, Field(ge=0)] | None], BeforeValidator(_row)]],
        Field(min_length=2),
    ] = Field(
        description="Rows actual, columns predicted; null for a cell that nobody counted, which "
        "makes what needs it undefined (of two classes only)."
    )

    @model_validator(mode="after")
    def _square(self) -> CountTable:
        size, faults = len(self.labels), []
        wanted = f"{size} rows of {size} counts, one for each label"
        if len(self.counts) != size:
            told = f"{len(self.counts)} rows of counts for {size} labels"
            faults.append(Fault(told, wanted, ("counts",)))
        for place, row in enumerate(self.counts):
            if len(row) != size:
                told = f"{len(row)} counts for {size} labels"
                faults.append(Fault(told, wanted, ("counts", place)))
        cells = [count for row in self.counts for count in row]
        if not faults and not any(cells):
            faults.append(Fault("the table has no rows", "a count above 0", ("counts",)))
        if not faults and size > 2 and None in cells:
            what = "an unknown cell in a table of more than two classes"
            faults.append(Fault(what, "a count in every cell", ("counts",)))
        if faults:
            raise refuse(*faults)
        return self

    def columns(self) -> dict[str, list[str] | list[int]]:
        """The kinds of rows: columns actual, predicted and count; unknown cells hold none."""
        cells = [(i, j) for i in range(len(self.labels)) for j in range(len(self.labels))]
        return {
            ACTUAL: [self.labels[i] for i, _ in cells],
            PREDICTED: [self.labels[j] for _, j in cells],
            COUNT: [self.counts[i][j] or 0 for i, j in cells],
        }

    def unknown(self, positive: str) -> tuple[str, ...]:
        """The cells that nobody counted, of a table of two classes."""
        return tuple(
            cell
            for cell, actual, predicted in (
                ("tp", True, True),
                ("fp", False, True),
                ("fn", True, False),
                ("tn", False, False),
            )
            if self.counts[self._place(positive, actual)][self._place(positive, predicted)] is None
        )

    def _place(self, positive: str, same: bool) -> int:
        place = self.labels.index(positive)
        return place if same else 1 - place


def _of_table(raw: Any) -> Any:
    """A dataset that is a table, with the columns that a table has; nothing beside belongs to it.

    The columns are filled in where the dataset is read, so that nothing after has to ask
    where its rows come from.
    """
    if not isinstance(raw, dict) or raw.get("table") is None:
        return raw
    faults = [
        Fault(
            f"{key} is of rows in a file, and a table has none", "leave it out", (key,), at_key=True
        )
        for key in raw
        if key not in _BESIDE_TABLE
    ]
    for key, own in (("target", ACTUAL), ("count", COUNT)):
        if raw.get(key, own) != own:
            faults.append(
                Fault(
                    f"the {key} of a table is its column {own}", "leave it out", (key,), at_key=True
                )
            )
    if faults:
        raise refuse(*faults)
    table = raw["table"]
    labels = table.get("labels") if isinstance(table, dict) else getattr(table, "labels", None)
    filled = {"target": ACTUAL, "count": COUNT}
    return {**filled, **({} if labels is None else {"labels": labels}), **raw}


class Period(Part):
    """Evaluation per period of time."""

    column: Column = Field(description="The column with the date or time of a row.")
    every: Literal["day", "week", "month", "quarter", "year"] = Field(
        "month", description="The length of a period."
    )


def _one_or_several(value: Any) -> Any:
    return value if isinstance(value, (list, tuple, dict)) else [value]


class Dataset(Part):
    """Rows with their true labels."""

    # before the path, whose suffix it may explain
    read: Read | None = Field(None, description="How the file is written.")
    path: (
        Annotated[
            Annotated[DataFile, Tag("(text)")]
            | Annotated[Query, Tag("(mapping)")]
            | Annotated[ClusterTable, Tag("(table)")],
            form(_path_form),
        ]
        | None
    ) = Field(
        None,
        description="File relative to the spec, or absolute: csv, tsv, jsonl (each also .gz), "
        "parquet or xlsx; a pattern (data/*.parquet) or a folder (data/) of such files, whose "
        "folders may be named column=value; the same of an object store (s3://bucket/..., gs://, "
        "az://); {sql: ..., database: ...}; or {table: ...} of a cluster.",
    )
    table: CountTable | None = Field(
        None,
        description="Instead of a file a table of counts, {labels: [...], counts: "
        "[[...], ...]}: rows actual, columns predicted. Models that give a prediction are "
        "evaluated on it.",
    )
    join: Join | None = Field(
        None,
        description="A second file with further columns of the same rows, such as the "
        "predictions; rows without a partner are left out and counted.",
    )
    where: (
        Annotated[
            Mapping[
                Column,
                Annotated[Distinct[Label], BeforeValidator(_one_or_several), Field(min_length=1)],
            ],
            Field(min_length=1),
        ]
        | None
    ) = Field(
        None,
        description="Which rows of the file are those of the dataset: {column: value} or {column: "
        "[value, value]}; the others are counted, not selected.",
        examples=[{"column": "value"}],
    )
    map: Annotated[Mapping[Label, Label], Field(min_length=1)] | None = Field(
        None,
        description="What labels are called, by how the file writes them; all else in the "
        "spec uses these names.",
    )
    target: LabelSource = Field(
        description="Column with the true label; {labels: {a: column_a}} or {list: column} "
        "for sets of labels."
    )
    id: Column | None = Field(
        None, description="Column that names a row; unique unless `cluster` is declared."
    )
    weight: Column | None = Field(None, description="Column of weights, finite and >= 0.")
    count: Column | None = Field(
        None,
        description="Column of whole numbers: how many rows are of this kind. No weight: "
        "every one of the rows is independent of the others.",
    )
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
        "error",
        description="What to do with rows lacking a target, prediction or score; of sets of labels "
        "in 0/1 columns, exclude evaluates each label on the rows that know it.",
    )
    indeterminate: Distinct[Label] = Field(
        (), description="Predictions that are neither class; kept as a column of the table."
    )
    positive: Positive | None = Field(
        None, description="The positive class of this dataset, where it differs."
    )
    unknown: Distinct[Literal["tp", "fp", "fn", "tn"]] | None = Field(
        None,
        description="Cells of the table of two classes that nobody counted, e.g. [tn] in search: "
        "whatever needs them is undefined.",
    )
    types: Mapping[Column, Literal["text", "integer", "number", "boolean"]] = Field(
        default_factory=dict,
        description="Declared types of columns, held to in every row; in a column of numbers 1 and "
        "1.0 are one class.",
    )
    sha256: Annotated[Text, StringConstraints(pattern=r"^[0-9a-fA-F]{64}$")] | None = Field(
        None, description="The hash that the file, or the rows of a Postgres query, must have."
    )
    period: Period | None = Field(None, description="Evaluate per period of time.")
    keep_rows: Flag | None = Field(
        None,
        description="Keep, in rows.json of the run, of each row a keyed digest of its `id`, its "
        "true class and the prediction of each model, so that `evalreport diff` can pair the rows "
        "of two "
        "runs; nothing is kept unless this is true.",
    )
    readers: AnyReaders | None = Field(
        None,
        description="Column of who read the case of a row, where several readers read the same "
        "cases (a row for each reader and case): values of each reader, their mean with limits "
        "for other readers and cases, and how far readers agree. Rows of a case are a cluster.",
    )
    sampling: AnySampling = Field(
        "cohort",
        description="case_control: the share of positives was fixed by the sampling, so it "
        "says nothing about prevalence; or how rows were drawn, or got their labels.",
    )
    benchmark: Literal["reference_standard", "non_reference"] = Field(
        "reference_standard",
        description="non_reference: the target is another test, so agreement is reported.",
    )

    @model_validator(mode="before")
    @classmethod
    def _filled_table(cls, raw: Any) -> Any:
        return _of_table(raw)

    @model_validator(mode="after")
    def _of_one_file(self) -> Dataset:
        faults = []
        if self.count is not None and self.id is not None:
            faults.append(
                Fault(
                    "an id names one row, and count means that there are several",
                    "leave `id` or `count` out",
                    ("id",),
                    at_key=True,
                )
            )
        if self.read is not None and not isinstance(self.path, str):
            faults.append(
                Fault(
                    "read describes a file, and these rows have none",
                    "leave it out; a query can give rows as they should be",
                    ("read",),
                    at_key=True,
                )
            )
        if self.join is not None and not isinstance(self.path, str):
            faults.append(
                Fault("join needs a file to be joined to", "path: a file", ("join",), at_key=True)
            )
        if self.map is not None and not isinstance(self.target, str):
            faults.append(
                Fault(
                    "map is for single labels, not for sets of them",
                    "the labels as they are written",
                    ("map",),
                    at_key=True,
                )
            )
        if faults:
            raise refuse(*faults)
        return self

    @property
    def design(self) -> Sampling | None:
        """How rows were sampled, where that is declared."""
        return self.sampling if isinstance(self.sampling, Sampling) else None

    @property
    def drawn(self) -> Drawn:
        """How rows were drawn, as far as limits of values depend on it."""
        return Drawn.of(
            weighted=self.weight is not None,
            clustered=self.cluster is not None or self.readers is not None,
            designed=self.design is not None,
        )

    @model_validator(mode="after")
    def _sampled_once(self) -> Dataset:
        design, faults = self.design, []
        if design is None:
            return self
        if self.weight is not None:
            faults.append(
                Fault(
                    "sampling gives the weights of rows",
                    "leave `weight` out, or write sampling: {weight: column}",
                    ("weight",),
                    at_key=True,
                )
            )
        if self.cluster is not None and design.cluster is not None:
            faults.append(
                Fault(
                    "cluster is declared twice",
                    "keep the one of sampling",
                    ("cluster",),
                    at_key=True,
                )
            )
        if not isinstance(self.target, str):
            faults.append(
                Fault(
                    "sampling is for single labels, not for sets of them",
                    "target: a column",
                    ("sampling",),
                    at_key=True,
                )
            )
        if self.fold is not None:
            faults.append(
                Fault(
                    "the folds of a sample drawn by a design are not evaluated",
                    "leave `fold` or `sampling` out",
                    ("fold",),
                    at_key=True,
                )
            )
        if faults:
            raise refuse(*faults)
        return self

    @property
    def reading(self) -> Readers | None:
        """The readers with the column of their cases filled in; None where there are none."""
        if self.readers is None:
            return None
        found = self.readers if isinstance(self.readers, Readers) else Readers(column=self.readers)
        return found.model_copy(update={"case": found.case or self.id or self.cluster})

    @model_validator(mode="after")
    def _read_by_readers(self) -> Dataset:
        found = self.reading
        if found is None:
            return self
        faults = []
        if found.case is None:
            what = "the spec does not state which rows are of the same case"
            faults.append(Fault(what, "id: the column that names the case", ("readers",)))
        elif found.case == found.column:
            what = f"the case and its reader are both the column '{found.column}'"
            faults.append(Fault(what, "id: the column that names the case", ("readers",)))
        if not isinstance(self.target, str):
            what = "readers are for single labels, not for sets of them"
            faults.append(Fault(what, "target: a column", ("readers",), at_key=True))
        for key, given in (
            ("weight", self.weight),
            ("count", self.count),
            ("fold", self.fold),
            ("sampling", self.design),
        ):
            if given is not None:
                what = f"readers read cases one by one, which {key} does not go with"
                instead = f"leave `readers` or `{key}` out"
                faults.append(Fault(what, instead, (key,), at_key=True))
        if faults:
            raise refuse(*faults)
        return self

    @model_validator(mode="after")
    def _kept_by_id(self) -> Dataset:
        if self.keep_rows and self.id is None:
            raise refuse(
                Fault(
                    "keep_rows pairs rows by their id",
                    "id: the column",
                    ("keep_rows",),
                    at_key=True,
                )
            )
        return self
