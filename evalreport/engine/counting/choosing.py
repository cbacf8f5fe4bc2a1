"""Which datasets are counted where they lie, which are read row by row, and why."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from evalreport.data.files import Files, parts_of
from evalreport.data.joined import Joined
from evalreport.data.limits import DEFAULT_LIMITS, plain_bytes
from evalreport.data.parquet_file import locked_connection
from evalreport.data.source import Source, opened
from evalreport.engine.calendar import period_columns
from evalreport.errors import DataError, LimitError, Location, Problem, SpecError
from evalreport.plan.inputs import Requests
from evalreport.predict.columns import (
    columns_needed,
    columns_read,
    fitted_on,
    in_overlap,
    roles_of,
    said_in,
)
from evalreport.spec.datasets import ClusterTable, Query
from evalreport.spec.model import Spec
from evalreport.spec.models import MarginModel, PredictionModel, ScoreModel, ScoresModel

#: From so many rows on, ``auto`` counts where the data lie.
MANY_ROWS = 2_000_000
#: The same for text, in bytes when unpacked.
MUCH_TEXT = 100_000_000
#: Bytes that a value takes at most while a dataset is loaded, labels as text (measured).
VALUE_BYTES = 100
#: The same for each byte of text when unpacked, where rows are not known beforehand.
TEXT_BYTES = 10
#: No gzip data unpack to more than this many times their size.
MOST_PACKED = 1032
#: Memory that counting keeps to unless the spec sets a limit.
MEMORY = "1GB"
#: Engines that count, and may be asked for by name.
NAMED = ("duckdb", "database", "spark")

#: The reason of a dataset that is read, completed with its rows.
FITS = "{rows:,} rows fit in memory"
#: The same where there are many, before the reason why they are read.
LOADED = "{rows:,} rows are loaded: "

#: The same of a few rows where the engine of this process is asked for by name.
FEW = "duckdb was requested, but "

#: What is said of rows that come as kinds with counts.
AS_MANY = "each kind of row has a count"

#: Models whose numbers follow from how many rows there are of each kind.
_COUNTED = (PredictionModel, ScoreModel, ScoresModel, MarginModel)
_CGROUP = Path("/sys/fs/cgroup/memory.max")
_UNITS = {"MB": 10**6, "GB": 10**9, "MiB": 2**20, "GiB": 2**30}


@dataclass(frozen=True)
class Choice:
    """The engine of one dataset, and the reason in words.

    ``named``: somebody asked for it by name, so no other may take its place; where there are
    few rows, memory may take that of the engine of this process. ``much``: rows are loaded that
    are many, which is said before it begins.
    """

    name: str
    reason: str
    named: bool = False
    much: bool = False


def limit_bytes(text: str) -> int:
    """A memory limit as a number of bytes.

    >>> limit_bytes("1.5 GiB"), limit_bytes("4GB")
    (1610612736, 4000000000)
    """
    found = re.fullmatch(r"([0-9.]+) ?(\w+)", text)
    assert found is not None
    return int(float(found[1]) * _UNITS[found[2]])


def room_of(spec: Spec, *, query: bool) -> int:
    """Bytes that kinds of rows may take; those that a ``query`` may take a spec can only lower."""
    usual = max(limit_bytes(MEMORY), (machine_bytes() or 0) // 2)
    limit = spec.engine.memory_limit
    most = limit_bytes(limit) if limit else usual
    return min(most, usual) if query else most


def asked_engine(spec: Spec, option: str) -> str:
    """The engine that the command names, else the one of the spec."""
    return option if option != "auto" else str(spec.engine.name)


def choose(spec: Spec, name: str, source: Source | None, asked: str, requests: Requests) -> Choice:
    """The engine for one dataset; what a query gives is counted by its own database.

    Raises SpecError for Spark without an address and for what an engine that is named cannot
    count, DataError for files that it cannot count, LimitError for rows that have to be loaded
    and would not fit.
    """
    if asked == "spark" and spec.engine.spark is None:
        raise SpecError(
            Problem("the engine spark has no cluster", "engine: {spark: {url: sc://host:port}}")
        )
    if asked != "spark" and isinstance(spec.datasets[name].path, ClusterTable):
        raise SpecError(
            Problem(
                f"{name} is a table of a cluster, which only the cluster counts",
                "engine: {name: spark, spark: {url: sc://host:port}}",
            )
        )
    found = _chosen(spec, name, source, asked, requests)
    in_database = found.name == "duckdb" and isinstance(spec.datasets[name].path, Query)
    return replace(found, name="database") if in_database else found


def _chosen(spec: Spec, name: str, source: Source | None, asked: str, requests: Requests) -> Choice:
    """The same, of files and of what may be counted elsewhere. Raises as ``choose``."""
    if asked == "memory":
        asks = "the engine memory is requested"
        return replace(loaded(spec, name, source, requests, "requested", asks), much=False)
    why = _needs_rows(spec, name, source)
    if asked in NAMED:
        return _named(spec, name, source, asked, why)
    many = None if source is None else many_rows(source) or _beyond(spec, name, source, requests)
    if many is None:
        return Choice("memory", FITS)
    if why is not None:
        return loaded(spec, name, source, requests, LOADED + why, why)
    return Choice("duckdb", many)


def _named(spec: Spec, name: str, source: Source | None, asked: str, why: str | None) -> Choice:
    """The engine that is asked for by name, which counts or does not. Raises as ``choose``."""
    dataset, path = spec.datasets[name], spec.datasets[name].path
    if asked == "database" and why is None and not isinstance(path, Query):
        why = "its rows are not in a database"
    if asked == "spark" and path is not None and not isinstance(path, ClusterTable):
        what = f"the engine spark counts tables of a cluster, and {name} is none"
        raise SpecError(Problem(what, "path: {table: ...}; files are counted by duckdb"))
    few = asked == "duckdb" and (source is None or many_rows(source) is None)
    if why is None:
        counts = source is not None and dataset.count is not None
        return Choice(asked, f"requested; {AS_MANY}" if counts else "requested", named=not few)
    if dataset.table is not None:
        return Choice("memory", "a table in the spec is counted already")
    if few:
        return Choice("memory", FEW + why)
    what = f"the engine {asked} cannot count {name}: {why}"
    instead = "the engine auto or memory, which load the rows"
    # how a file is written is a matter of the data, anything else of the spec
    if source is not None and _files_need_reading(source) == why:
        raise DataError(Problem(what, instead, Location(source.name)))
    raise SpecError(Problem(what, instead))


def loaded(
    spec: Spec, name: str, source: Source | None, requests: Requests, reason: str, why: str
) -> Choice:
    """Loading, with the memory that it takes where that is much. Raises LimitError."""
    if source is None or not source.size or many_rows(source) is None:
        return Choice("memory", reason)
    needed = _needed(spec, name, source, requests)
    check_room(spec, source.name, needed, why)
    return Choice("memory", f"{reason} (about {_in_words(needed)} of memory)", much=True)


def _needed(spec: Spec, name: str, source: Source, requests: Requests) -> int:
    """About how many bytes loading takes, at most."""
    if source.suffix != ".parquet":
        return unpacked_bytes(source, DEFAULT_LIMITS.bytes) * TEXT_BYTES
    subgroups = requests.subgroup_columns
    columns = columns_read(spec, name, subgroups) or columns_needed(spec, name, subgroups)
    return (stored_rows(source) or 0) * len(columns) * VALUE_BYTES


def _beyond(spec: Spec, name: str, source: Source, requests: Requests) -> str | None:
    """Why a dataset that is not large is counted: it may not fit the limit that the spec sets."""
    if spec.engine.memory_limit is None or not source.size:
        return None
    needed = _needed(spec, name, source, requests)
    if needed <= limit_bytes(spec.engine.memory_limit):
        return None
    return f"loading may take {_in_words(needed)}, more than engine.memory_limit"


def many_rows(source: Source) -> str | None:
    """Why a dataset is rather counted than loaded; None where it is small."""
    if source.suffix != ".parquet":
        packed = source.suffix.endswith(".gz")
        if source.size * (MOST_PACKED if packed else 1) < MUCH_TEXT:
            return None
        size = unpacked_bytes(source, MUCH_TEXT)
        if size < MUCH_TEXT:
            return None
        told = f"more than {size:,} unpacked bytes" if packed else f"{size:,} bytes"
        return f"{told} are counted, not loaded"
    # However small the file: a value that repeats takes no room in it.
    rows = stored_rows(source)
    if rows is None or rows < MANY_ROWS:
        return None
    return f"{rows:,} rows are counted in the file, not loaded"


def unpacked_bytes(source: Source, most: int) -> int:
    """The bytes of text files, gzip undone, looked at up to about ``most``.

    Raises FilesError and LimitError as reading does; what is damaged counts as far as it goes.
    """
    if not source.suffix.endswith(".gz"):
        return source.size
    total = 0
    for part in parts_of(source):
        if total >= most:
            break
        one = part.source
        with opened(one) as stream, suppress(DataError):
            total += plain_bytes(stream, one.name, one.size, DEFAULT_LIMITS, most - total)
    return total


def _needs_rows(spec: Spec, name: str, source: Source | None) -> str | None:
    """Why single rows are needed, or None where counts are enough."""
    if source is None:
        return "the rows are handed over in memory"
    single = source.suffix == ".parquet" and not isinstance(source, (Files, Joined))
    return _files_need_reading(source) or counts_lack(spec, name, single=single)


def counts_lack(spec: Spec, name: str, *, single: bool = False) -> str | None:
    """Why counts of kinds of rows are not enough, wherever they come from, or None.

    ``single``: the rows are of one Parquet file.
    """
    dataset = spec.datasets[name]
    if in_overlap(spec, name):
        if fitted_on(spec, name):
            return "a model is trained on its rows"
        if not single or dataset.where is not None:
            return "rows are compared with the training rows of a model"
    for key, model in spec.models.items():
        if name in spec.datasets_of(key) and not isinstance(model, _COUNTED):
            return f"{key} needs several columns of each row"
    if dataset.design is not None:
        return "how it was sampled belongs to each row"
    if dataset.readers is not None:
        return "the readings of a case are kept together"
    if dataset.keep_rows:
        return "digests of its rows are kept"
    if {*dataset.types} & {*period_columns(spec)}:
        return "types are declared for its columns"
    return _changed_need_rows(spec, name)


def columns_alone(spec: Spec) -> tuple[str, ...]:
    """The columns that are compared or described, each by itself."""
    compared = spec.drift.columns if spec.drift is not None else ()
    return tuple(dict.fromkeys((*compared, *spec.report.characteristics)))


def _files_need_reading(source: Source) -> str | None:
    """Why files are read row by row for how they are written, or None."""
    for side in (source.left, source.right) if isinstance(source, Joined) else (source,):
        dialect = side.dialect
        if side.suffix == ".xlsx":
            return "they are cells of a spreadsheet"
        if why := dialect.why_read():
            return why
        if not dialect.is_usual and side.suffix.startswith((".jsonl", ".parquet")):
            return "numbers in it are written in another way"
    return None


def _changed_need_rows(spec: Spec, name: str) -> str | None:
    """Why a column that makes subgroups or periods of its values is read row by row, or None."""
    made = {
        **dict.fromkeys(spec.bins, "subgroups"),
        **dict.fromkeys(period_columns(spec), "periods"),
    }
    for column, what in made.items():
        if any(column in (r for _, r in _other_roles(spec, name, model)) for model in spec.models):
            return f"{column} makes {what} and has another part"
        if what == "periods" and (column in spec.bins or spec.datasets[name].count is not None):
            return "rows are sorted into periods"
    return None


def _other_roles(spec: Spec, name: str, model: str) -> list[tuple[str, str]]:
    """The columns of a model that are no subgroups; none where it is not of the dataset."""
    if name not in spec.datasets_of(model) or not isinstance(spec.datasets[name].target, str):
        return []
    named = roles_of(spec.datasets[name], spec.models[model], ()).named()
    said = said_in(spec.models[model])
    return named if said is None else [*named, ("prediction", said)]


def stored_rows(source: Source) -> int | None:
    """Rows of a Parquet file by its own account; None where that cannot be read."""
    import duckdb

    files = [part.source.path for part in parts_of(source)]
    with locked_connection(files, ()) as (connection, paths):
        try:
            query = "SELECT sum(num_rows) FROM parquet_file_metadata(?)"
            found = connection.execute(query, [paths]).fetchone()
        except duckdb.Error:
            return None
    return None if found is None else int(found[0])


def machine_bytes() -> int | None:
    """The memory of this machine, or what its container may take; None where neither is told."""
    found = []
    with suppress(AttributeError, OSError, ValueError):
        found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    with suppress(OSError, ValueError):
        found.append(int(_CGROUP.read_text(encoding="ascii")))
    return min(found, default=None)


def _in_words(size: int) -> str:
    """A size in words.

    >>> _in_words(2_340_000_000), _in_words(40_000_000)
    ('2.3 GB', '40 MB')
    """
    return f"{size / 1e9:.1f} GB" if size >= 10**9 else f"{size / 1e6:.0f} MB"


def check_room(spec: Spec, file: str, needed: int, why: str) -> None:
    """Raise LimitError where rows that have to be loaded would not fit.

    They may take what the spec sets, or the memory of this machine.
    """
    limit = spec.engine.memory_limit
    most = machine_bytes() if limit is None else limit_bytes(limit)
    if most is None or needed <= most:
        return
    whose = "this machine has" if limit is None else "engine.memory_limit allows"
    instead = "fewer rows or columns, or what can be counted where the rows lie"
    raise LimitError(
        Problem(
            f"loading the rows takes about {_in_words(needed)} of memory, and {whose} "
            f"{_in_words(most)}; they are loaded, not counted, because {why}",
            instead if limit is None else f"a higher engine.memory_limit, {instead}",
            Location(file),
        )
    )
