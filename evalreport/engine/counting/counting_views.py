"""The datasets that are counted where they lie, as each model sees them.

Rows are counted by their kinds: whatever part its columns play, a kind is checked and described
as a row in memory is, and stands for so many rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from evalreport.data.files import Files
from evalreport.data.multiplicity import multiplicities, written_out
from evalreport.data.scores import with_grain
from evalreport.data.selection import selected
from evalreport.data.source import Source
from evalreport.data.table import RawTable
from evalreport.data.types import with_types
from evalreport.engine.calendar import periods_of, with_periods
from evalreport.engine.counting.choosing import (
    MEMORY,
    MUCH_TEXT,
    VALUE_BYTES,
    Choice,
    check_room,
    columns_alone,
    counts_lack,
    limit_bytes,
    loaded,
    room_of,
)
from evalreport.engine.databases.kinds import counted_kinds
from evalreport.engine.databases.sessions import Session, database
from evalreport.engine.databases.wanted import (
    OTHER_ENGINE,
    UNWATCHED,
    NotPlainError,
    TooManyKindsError,
    Wanted,
    Watcher,
)
from evalreport.errors import DataError, LimitError, Location, Problem
from evalreport.plan.inputs import Requests
from evalreport.predict.columns import (
    columns_needed,
    columns_read,
    roles_of,
    rules_of,
    score_columns,
    view_of,
)
from evalreport.predict.label_sets import has_sets, set_roles
from evalreport.predict.view import View
from evalreport.spec.datasets import ClusterTable, Query
from evalreport.spec.model import Spec

if TYPE_CHECKING:
    from evalreport.engine.counting.kept_kinds import KeptKinds

#: Up to so many rows a dataset that is not in order is read, to name every mistake.
READ_FOR_MISTAKES = 20_000_000
#: Why rows are read that are not in order.
MISTAKES = "read row by row to find its mistakes"
#: Up to so many bytes text that is not plain is read instead of counted.
MOST_READ = 2_000_000_000
#: The part of ``memory_limit`` that the engine may hold; the rest is for tables and numbers.
ENGINE_SHARE = 0.4
#: What the engine cannot do without, however low the limit.
LEAST_FOR_ENGINE = 64_000_000
#: What there is to do where rows are of more kinds than fit.
COARSER = "raise engine.memory_limit, or round scores by engine.grain"


@dataclass(frozen=True, eq=False)
class Counted:
    """The views of a dataset's models, and the ``table`` of its kinds of rows."""

    views: tuple[View, ...]
    table: RawTable


def counted_views(
    spec: Spec,
    name: str,
    source: Source,
    choice: Choice,
    requests: Requests,
    watch: Watcher = UNWATCHED,
    kept: KeptKinds | None = None,
    classes: tuple[str, ...] = (),
) -> Counted | Choice:
    """The views of a dataset's models by counting, or how and why the rows are to be read.

    ``kept``: the kinds of files that were counted before; ``classes`` are known from elsewhere.
    Raises DataError, FilesError and LimitError.
    """
    wanted = _wanted(spec, name, requests, watch)
    try:
        with _session(source, wanted, kept) as (found, asked):
            rows = found.size
            try:
                kinds = counted_kinds(found, source, asked)
                rows = kinds.rows
                return _of_kinds(spec, name, kinds.table, requests, classes, rows)
            except DataError as error:
                if choice.name == "spark" or rows is None or rows > READ_FOR_MISTAKES:
                    raise
                lacks = f": {error.problems[0]}" if choice.named else ""
                return Choice("memory", f"{MISTAKES}{lacks}", choice.named)
    except TooManyKindsError as error:
        told = Problem(str(error), COARSER, Location(source.name))
        raise LimitError(told) from None
    except NotPlainError as error:
        if choice.named:
            what = f"the engine {choice.name} cannot count these rows: {error}"
            if choice.name != "duckdb" or source.size > MUCH_TEXT:
                raise DataError(Problem(what, OTHER_ENGINE, Location(source.name))) from None
            return Choice("memory", f"{MISTAKES}: {error}", named=True)
        if source.size > MOST_READ:
            told = Problem(f"the rows cannot be counted: {error}", "", Location(source.name))
            raise DataError(told) from None
        reason = f"read row by row, not counted: {error}"
        return loaded(spec, name, source, requests, reason, str(error))


def views_of_kinds(
    spec: Spec, name: str, table: RawTable, requests: Requests, classes: tuple[str, ...] = ()
) -> Counted | None:
    """The views of a dataset whose kinds of rows were read.

    None where rows are to be written out: single ones are needed, they have ids, or something is
    wrong with them.
    """
    dataset = spec.datasets[name]
    if dataset.count is None or dataset.count not in table.columns or dataset.id is not None:
        return None
    if counts_lack(spec, name) is not None:
        return None
    times = multiplicities(table, dataset.count)
    held = np.flatnonzero(times)
    columns = {
        column: own.at(held) for column, own in table.columns.items() if column != dataset.count
    }
    kinds = replace(table, rows=len(held), columns=columns, times=times[held], kind=held, _kept={})
    try:
        return _of_kinds(spec, name, kinds, requests, classes, table.rows)
    except DataError:
        return None


def counted_out(table: RawTable, spec: Spec, name: str) -> RawTable:
    """The rows that a dataset's kinds stand for; the table itself where every row is one.

    Raises DataError for what is no count, LimitError where the rows would not fit in memory.
    """
    column = spec.datasets[name].count
    if column is None or column not in table.columns:
        return table
    width = max(len(table.columns) - 1, 1) * VALUE_BYTES
    why = "each kind of row has a count"
    room: Callable[[int], None] = lambda rows: check_room(spec, table.name, rows * width, why)  # noqa: E731
    return written_out(table, column, room)


def _of_kinds(
    spec: Spec,
    name: str,
    kinds: RawTable,
    requests: Requests,
    classes: tuple[str, ...],
    rows: int,
) -> Counted:
    """Each model of a dataset; ``rows``: how many its file, or query, has."""
    subgroups = requests.subgroup_columns
    table = as_declared(spec, name, kinds, subgroups, classes)
    views = [
        view_of(spec, name, model, table, subgroups, lambda _: None)
        for model in spec.models
        if name in spec.datasets_of(model)
    ]
    if spec.datasets[name].count is not None:
        views = [replace(view, ledger=replace(view.ledger, kinds_read=rows)) for view in views]
    return Counted(tuple(views), table)


def as_declared(
    spec: Spec,
    name: str,
    table: RawTable,
    subgroups: tuple[str, ...],
    classes: tuple[str, ...] = (),
    where: Callable[[str], Location | None] = lambda _: None,
) -> RawTable:
    """The rows of a table, or its kinds, as their dataset declares them.

    ``where``: where the spec names the type of a column. Raises DataError.
    """
    dataset = spec.datasets[name]
    typed = with_types(table, dataset.types, where)
    found = selected(typed, dataset.where or {}, str(dataset.target))
    if table.times is None or table.kind is not None:  # what was counted is of periods already
        found = with_periods(found, spec, name)
    scores = score_columns(spec, name, subgroups)
    return with_grain(rules_of(spec, name).reading(found, classes), scores, spec.engine.grain)


def _wanted(spec: Spec, name: str, requests: Requests, watch: Watcher) -> Wanted:
    """The columns that are counted by, and what is kept to."""
    dataset = spec.datasets[name]
    memory = limit_bytes(spec.engine.memory_limit or MEMORY)
    subgroups = requests.subgroup_columns
    # as they are written: what is checked in memory looks at that
    columns = columns_read(spec, name, subgroups) or columns_needed(spec, name, subgroups)
    columns = tuple(dict.fromkeys((*columns, *([dataset.count] if dataset.count else ()))))
    written = {*columns_alone(spec), *dataset.types, *(spec.bins if has_sets(dataset) else ())}
    scores = [c for c in score_columns(spec, name, subgroups) if c not in written]
    grain = spec.engine.grain
    identified = dataset.id not in {*written, *_parts(spec, name, subgroups)}
    path = dataset.path
    return Wanted(
        columns=columns,
        numbers=frozenset([*scores, *([dataset.count] if dataset.count else [])]),
        memory=max(int(ENGINE_SHARE * memory), LEAST_FOR_ENGINE),
        watch=watch,
        query=path if isinstance(path, Query) else None,
        count=dataset.count,
        table=path if isinstance(path, ClusterTable) else None,
        periods=periods_of(spec, name),
        intervals={c: edges for c, edges in spec.bins.items() if c not in written},
        grains={} if grain is None else dict.fromkeys(scores, grain),
        id=dataset.id if identified else None,
        repeats=dataset.cluster is not None,
        room=room_of(spec, query=isinstance(path, Query | ClusterTable)),
    )


def _parts(spec: Spec, name: str, subgroups: tuple[str, ...]) -> set[str]:
    """The columns that play a part other than that of the id."""
    dataset, found = spec.datasets[name], set[str]()
    for key, model in spec.models.items():
        if name in spec.datasets_of(key):
            own = set_roles if has_sets(dataset) else roles_of
            named = own(dataset, model, subgroups).named()
            found |= {column for role, column in named if role != "id"}
    return found


@contextmanager
def _session(
    source: Source, wanted: Wanted, kept: KeptKinds | None
) -> Iterator[tuple[Session, Wanted]]:
    """A session with the rows of a database or of files, and what is wanted of these."""
    asked = wanted.query or wanted.table
    lines = source.suffix.startswith(".jsonl")
    if asked is not None:
        with database(source, asked, wanted.room) as found:
            yield found, wanted
    elif kept and isinstance(source, Files) and len(source.parts) > 1 and not lines:
        from evalreport.engine.counting.kept_kinds import rows_of_files

        with rows_of_files(source, wanted, kept) as of_files:
            yield of_files
    else:
        from evalreport.engine.counting.duckdb_rows import duckdb_rows

        with duckdb_rows(source, wanted) as rows:
            yield rows, wanted
