"""Which datasets are counted where they lie, which are read row by row, and why."""

from __future__ import annotations

import re
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from evalreport.data.files import Files, parts_of
from evalreport.data.parquet_file import LOCKS, plain_name
from evalreport.data.source import Source
from evalreport.engine.counting.loading import (
    PACKED_BYTES,
    TEXT_BYTES,
    VALUE_BYTES,
    check_room,
    told,
)
from evalreport.engine.counting.wanted import quoted_text
from evalreport.errors import Problem, SpecError
from evalreport.plan.asked import Requests
from evalreport.predict.columns import columns_needed, columns_read, in_overlap
from evalreport.spec.datasets import Dataset
from evalreport.spec.model import Spec
from evalreport.spec.models import MarginModel, PredictionModel, ScoreModel

#: From so many rows on, ``auto`` counts where the data lie.
MANY_ROWS = 2_000_000
#: The same for text, in bytes, and for text that is packed.
MUCH_TEXT, MUCH_PACKED = 100_000_000, 25_000_000
#: Memory that counting keeps to unless the spec sets a limit.
MEMORY = "1GB"
#: Bytes that one distinct score takes while metrics are computed from its table.
ENTRY_BYTES = 512

#: The reason of a dataset that is read, completed with its rows.
FITS = "{rows:,} rows fit in memory"
#: The same where there are many, before the reason why they are read.
LOADED = "{rows:,} rows are loaded: "

_UNITS = {"MB": 10**6, "GB": 10**9, "MiB": 2**20, "GiB": 2**30}


@dataclass(frozen=True)
class Choice:
    """The engine of one dataset, and the reason in words."""

    name: str
    reason: str


def limit_bytes(text: str) -> int:
    """A memory limit as a number of bytes.

    >>> limit_bytes("1.5 GiB"), limit_bytes("4GB")
    (1610612736, 4000000000)
    """
    found = re.fullmatch(r"([0-9.]+) ?(\w+)", text)
    assert found is not None
    return int(float(found[1]) * _UNITS[found[2]])


def asked_engine(spec: Spec, option: str) -> str:
    """The engine that the command names, else the one of the spec."""
    return option if option != "auto" else str(spec.engine.name)


def choose(spec: Spec, name: str, source: Source | None, asked: str, requests: Requests) -> Choice:
    """The engine for one dataset.

    Raises SpecError for Spark without an address, DataError for what a cluster cannot read,
    LimitError for rows that have to be loaded and would not fit.
    """
    if asked == "spark" and spec.engine.spark is None:
        raise SpecError(
            Problem("the engine spark has no cluster", "engine: {spark: {url: sc://host:port}}")
        )
    if asked == "memory":
        return loaded(spec, name, source, requests, "asked for", "the engine memory is asked for")
    why = _needs_rows(spec, name, source, requests)
    if asked == "spark" and why is None and source is not None:
        from evalreport.engine.counting.spark_rows import check_kind

        check_kind(source)
    if asked in ("duckdb", "spark"):
        if why is None:
            return Choice(asked, "asked for")
        return loaded(
            spec, name, source, requests, f"{asked} was asked for, but {why}", why
        )
    many = None if source is None else _many(source) or _beyond(spec, name, source, requests)
    if many is None:
        return Choice("memory", FITS)
    if why is not None:
        return loaded(spec, name, source, requests, LOADED + why, why)
    return Choice("duckdb", many)


def loaded(
    spec: Spec, name: str, source: Source | None, requests: Requests, reason: str, why: str
) -> Choice:
    """Loading, with the memory that it takes where that is much. Raises LimitError."""
    if source is None or not source.size or _many(source) is None:
        return Choice("memory", reason)
    needed, limit = _needed(spec, name, source, requests), spec.engine.memory_limit
    check_room(source.name, needed, None if limit is None else limit_bytes(limit), why)
    return Choice("memory", f"{reason} (about {told(needed)} of memory)")


def _needed(spec: Spec, name: str, source: Source, requests: Requests) -> int:
    """About how many bytes loading takes, at most."""
    if source.suffix != ".parquet":
        return source.size * (PACKED_BYTES if source.suffix.endswith(".gz") else TEXT_BYTES)
    subgroups = tuple(dict.fromkeys(c for crossing in requests.subgroups for c in crossing))
    columns = columns_read(spec, name, subgroups) or columns_needed(spec, name, subgroups)
    return (stored_rows(source) or 0) * len(columns) * VALUE_BYTES


def _beyond(spec: Spec, name: str, source: Source, requests: Requests) -> str | None:
    """Why a dataset that is not large is counted: it may not fit the limit that the spec sets."""
    if spec.engine.memory_limit is None or not source.size:
        return None
    needed = _needed(spec, name, source, requests)
    if source.suffix == ".parquet":
        # Of every row the score may be one of its own.
        needed = max(needed, (stored_rows(source) or 0) * ENTRY_BYTES)
    if needed <= limit_bytes(spec.engine.memory_limit):
        return None
    return f"loading may take {told(needed)}, more than engine.memory_limit"


def _many(source: Source) -> str | None:
    """Why a dataset is rather counted than loaded; None where it is small."""
    if source.suffix != ".parquet":
        most = MUCH_PACKED if source.suffix.endswith(".gz") else MUCH_TEXT
        return None if source.size < most else f"{source.size:,} bytes are counted, not loaded"
    # Below one byte a row and column nothing is stored: a small file needs no look.
    rows = 0 if source.size < MANY_ROWS // 8 else stored_rows(source)
    if rows is None or rows < MANY_ROWS:
        return None
    return f"{rows:,} rows are counted in the file, not loaded"


def _needs_rows(spec: Spec, name: str, source: Source | None, requests: Requests) -> str | None:
    """Why single rows are needed, or None where counts are enough."""
    if source is None:
        return "the rows are handed over in memory"
    if spec.drift is not None and spec.drift.columns:
        return "columns are compared value by value"
    if spec.report.characteristics:
        return "rows are described by class"
    single = source.suffix == ".parquet" and not isinstance(source, Files)
    if in_overlap(spec, name) and not single:
        return "rows are compared with those that a model learned from"
    if elsewhere(requests, name) and _compares(spec):
        return "a threshold is chosen on another dataset, and models are compared at it"
    for model in spec.models:
        if name in spec.datasets_of(model) and not _counts_enough(spec.models[model]):
            return f"{model} needs several columns of each row"
    for role in ("weight", "cluster"):
        if getattr(spec.datasets[name], role) is not None and not _of_labels(spec, name):
            return f"a {role} belongs to each row"
    return _columns_need_rows(spec.datasets[name])


def elsewhere(requests: Requests, name: str) -> bool:
    """Whether a threshold is chosen on another dataset."""
    return any(threshold.on not in (None, name) for threshold in requests.thresholds)


def _compares(spec: Spec) -> bool:
    return spec.comparisons is not None or spec.baselines.previous is not None


def _of_labels(spec: Spec, name: str) -> bool:
    """Whether weights and clusters need no rows: there are labels only, and no comparison."""
    if _compares(spec):
        return False
    models = [model for key, model in spec.models.items() if name in spec.datasets_of(key)]
    return all(isinstance(model, PredictionModel) for model in models)


def _columns_need_rows(dataset: Dataset) -> str | None:
    if dataset.period is not None:
        return "rows are sorted into periods"
    if dataset.keep_rows:
        return "digests of its rows are kept"
    if dataset.types:
        return "types are declared for its columns"
    return None if isinstance(dataset.target, str) else "rows have sets of labels"


def _counts_enough(model: Any) -> bool:
    if isinstance(model, PredictionModel):
        return isinstance(model.prediction, str)
    return isinstance(model, (ScoreModel, MarginModel))


def stored_rows(source: Source) -> int | None:
    """Rows of a Parquet file by its own account; None where that cannot be read."""
    import duckdb

    with ExitStack() as stack, duckdb.connect(":memory:") as connection:
        paths = [stack.enter_context(plain_name(p.source.path)) for p in parts_of(source)]
        listed = ", ".join(quoted_text(path) for path in paths)
        for setting in (f"allowed_paths=[{listed}]", *LOCKS):
            connection.execute(f"SET {setting}")
        try:
            query = "SELECT sum(num_rows) FROM parquet_file_metadata(?)"
            found = connection.execute(query, [paths]).fetchone()
        except duckdb.Error:
            return None
    return None if found is None else int(found[0])
