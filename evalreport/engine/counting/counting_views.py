"""The datasets that are counted where they lie, as each model sees them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from evalreport.data.source import Source
from evalreport.data.table import RawTable
from evalreport.data.types import with_types
from evalreport.engine.counting.calendar import periods_of, with_periods
from evalreport.engine.counting.choosing import (
    ENTRY_BYTES,
    MEMORY,
    MUCH_TEXT,
    Choice,
    columns_alone,
    compares,
    counts_lack,
    elsewhere,
    limit_bytes,
    loaded,
    together,
)
from evalreport.engine.counting.wanted import (
    OTHER_ENGINE,
    UNWATCHED,
    NotPlainError,
    TooManyKindsError,
    Wanted,
    Watcher,
)
from evalreport.errors import DataError, LimitError, Location, Problem
from evalreport.metrics.catalogue import find
from evalreport.metrics.declare import Interval, Table
from evalreport.plan.inputs import Requests
from evalreport.plan.task import Plan, Skipped, Task
from evalreport.predict.columns import (
    columns_needed,
    columns_read,
    roles_of,
    rules_of,
    said_in,
    view_of,
)
from evalreport.predict.label_sets import has_sets, set_roles
from evalreport.predict.view import LabelView, View
from evalreport.spec.datasets import ClusterTable, Dataset, Query
from evalreport.spec.model import Spec

if TYPE_CHECKING:
    from evalreport.engine.counting.answering import CountedRows
    from evalreport.engine.counting.counted_rows import Known
    from evalreport.engine.counting.counted_view import Numbers
    from evalreport.engine.counting.kept_counts import KeptCounts
    from evalreport.engine.counting.single_columns import Described

#: Up to so many rows a dataset that is not in order is read, to name every mistake.
READ_FOR_MISTAKES = 20_000_000
#: Why rows are read that are not in order.
MISTAKES = "read row by row to find its mistakes"
#: Up to so many bytes text that is not plain is read instead of counted.
MOST_READ = 2_000_000_000
#: The part of ``memory_limit`` that the engine may hold; the rest is for tables and numbers.
ENGINE_SHARE = 0.4
#: From so many rows on kinds of rows that were read are added up, and not written out.
MANY_COUNTED = 200_000
#: What the engine cannot do without, however low the limit.
LEAST_FOR_ENGINE = 64_000_000


@dataclass(frozen=True, eq=False)
class Counted:
    """The views of a dataset's models; ``table``: its kinds of whole rows, where these are held.

    Where they are not, ``columns`` has the values of the columns that are compared, and
    ``described`` those that are described, by model.
    """

    views: Sequence[View]
    table: RawTable | None = None
    columns: Mapping[str, RawTable] = field(default_factory=dict)
    described: Mapping[str, Described] = field(default_factory=dict)


def counted_views(
    spec: Spec,
    name: str,
    source: Source,
    choice: Choice,
    requests: Requests,
    watch: Watcher = UNWATCHED,
    numbers_of: Numbers | None = None,
    counts: KeptCounts | None = None,
    classes: tuple[str, ...] = (),
) -> Counted | Choice:
    """The views of a dataset's models by counting, or how and why the rows are to be read.

    ``numbers_of`` gives the thresholds at which models are compared; ``counts`` keeps the
    tables of files that were counted before; ``classes`` are known from elsewhere.
    Raises DataError, FilesError and LimitError.
    """
    wanted = _wanted(spec, name, requests, watch)
    try:
        if isinstance(spec.datasets[name].path, Query | ClusterTable):
            return _in_database(spec, name, source, choice, requests, watch, classes)
        with _rows(source, wanted, counts) as rows:
            try:
                _check_counts(rows)
                if together(spec, name, requests) is None:
                    found = _counted(rows, spec, name, requests, numbers_of, classes)
                else:
                    found = _together(rows, spec, name, requests, classes)
            except DataError as error:
                if _count(rows) > READ_FOR_MISTAKES:
                    raise
                return _read_for_mistakes(choice, error)
        if counts is not None:
            counts.store()
        return found
    except NotPlainError as error:
        if choice.named:
            what = f"the engine {choice.name} cannot count these rows: {error}"
            told = Problem(what, OTHER_ENGINE, Location(source.name))
            many = isinstance(error, TooManyKindsError)
            if many or choice.name != "duckdb" or source.size > MUCH_TEXT:
                raise (LimitError(told) if many else DataError(told)) from None
            return Choice("memory", f"{MISTAKES}: {error}", named=True)
        if source.size > MOST_READ:
            told = Problem(f"the rows cannot be counted: {error}", "", Location(source.name))
            raise DataError(told) from None
        reason = f"read row by row, not counted: {error}"
        return loaded(spec, name, source, requests, reason, str(error))


def _read_for_mistakes(choice: Choice, error: DataError) -> Choice:
    """How rows are read that are not in order, each mistake by its row."""
    lacks = f": {error.problems[0]}" if choice.named else ""
    return Choice("memory", f"{MISTAKES}{lacks}", choice.named)


def _in_database(
    spec: Spec,
    name: str,
    source: Source,
    choice: Choice,
    requests: Requests,
    watch: Watcher,
    classes: tuple[str, ...],
) -> Counted | Choice:
    """The views of a dataset's models by the kinds of rows that its database counts."""
    from evalreport.engine.databases.kinds import database_kinds

    dataset, subgroups = spec.datasets[name], _subgroup_columns(requests)
    columns = columns_read(spec, name, subgroups) or columns_needed(spec, name, subgroups)
    written = _written(spec, dataset)
    alone = dataset.id if dataset.id not in {*written, *_parts(spec, name, subgroups)} else None
    wanted = Wanted(
        columns=tuple(dict.fromkeys((*columns, *columns_alone(spec)))),
        watch=watch,
        query=dataset.path if isinstance(dataset.path, Query) else None,
        table=dataset.path if isinstance(dataset.path, ClusterTable) else None,
        count=dataset.count,
        periods=periods_of(spec, name),
        intervals={c: spec.bins[c] for c in spec.bins if c not in written},
        id=alone,
        repeats=dataset.cluster is not None,
        room=limit_bytes(spec.engine.memory_limit or MEMORY),
    )
    kinds, rows = database_kinds(source, wanted)
    try:
        table = rules_of(spec, name).reading(with_types(kinds, dataset.types), classes)
        return _of_whole_rows(spec, name, table, subgroups, rows if dataset.count else None)
    except DataError as error:
        if choice.name == "spark" or rows > READ_FOR_MISTAKES:
            raise
        return _read_for_mistakes(choice, error)


def views_of_kinds(
    spec: Spec,
    name: str,
    table: RawTable,
    requests: Requests,
    numbers_of: Numbers,
    classes: tuple[str, ...] = (),
) -> Counted | None:
    """The views of a dataset whose kinds of rows were read, by adding up how many there are.

    None where rows are to be written out: there are not many of them, single ones are needed,
    or something is wrong with them.
    """
    count = spec.datasets[name].count
    if count is None or count not in table.columns:
        return None
    from evalreport.data.multiplicity import multiplicities
    from evalreport.data.score_bins import binned_scores
    from evalreport.engine.counting.table_rows import table_rows

    wanted = _wanted(spec, name, requests, UNWATCHED)
    subgroups = _subgroup_columns(requests)
    scores = _only_numbers(spec, name, subgroups)
    binned = [c for c in scores if c in table.columns and binned_scores(table, c) is not None]
    times = multiplicities(table, count)
    if int(times.sum()) < MANY_COUNTED and not binned:
        return None
    # by their numbers, all others by what tells their values apart
    numbers = scores | {column for column in subgroups if column in spec.bins}
    whole = together(spec, name, requests)
    lack = _written_out(spec, name, requests, numbers)
    if (lack or whole) is not None and binned:
        what = f"scores of {binned[0]} are known by their bins alone, and {lack or whole}"
        raise DataError(Problem(what, "the scores themselves", Location(table.name)))
    if lack is not None:
        return None
    try:
        if whole is not None:
            return _together_as_read(table, times, spec, name, requests, classes)
        with table_rows(table, count, wanted, numbers) as rows:
            return _counted(rows, spec, name, requests, numbers_of, classes)
    except DataError:
        if binned:
            raise
        return None
    except NotPlainError as error:
        if binned:
            raise DataError(Problem(str(error), "", Location(table.name))) from None
        return None


def _written_out(spec: Spec, name: str, requests: Requests, numbers: frozenset[str]) -> str | None:
    """Why kinds that were read are written out as rows; ``numbers``: columns of numbers only."""
    lack = counts_lack(spec, name, requests)
    if lack is not None or together(spec, name, requests) is not None:
        return lack
    shared = numbers & {*columns_alone(spec)}
    return f"{min(shared)} is compared, or described, value by value" if shared else None


def _wanted(spec: Spec, name: str, requests: Requests, watch: Watcher) -> Wanted:
    """The columns that are counted by, and what is kept to."""
    memory, count = limit_bytes(spec.engine.memory_limit or MEMORY), spec.datasets[name].count
    subgroups = _subgroup_columns(requests)
    columns, numbers = columns_needed(spec, name, subgroups), frozenset[str]()
    if together(spec, name, requests) is None:
        numbers = _only_numbers(spec, name, subgroups)
    else:
        # as they are written: what is checked in memory looks at that
        columns = columns_read(spec, name, subgroups) or columns
    alone = columns_alone(spec)
    columns, numbers = (*columns, *alone), numbers - {*alone}
    return Wanted(
        columns=tuple(dict.fromkeys((*columns, *([count] if count else ())))),
        numbers=numbers | ({count} if count else set()),
        memory=max(int(ENGINE_SHARE * memory), LEAST_FOR_ENGINE),
        watch=watch,
        count=count,
    )


def _subgroup_columns(requests: Requests) -> tuple[str, ...]:
    return tuple(dict.fromkeys(c for crossing in requests.subgroups for c in crossing))


def _counted(
    rows: CountedRows,
    spec: Spec,
    name: str,
    requests: Requests,
    numbers_of: Numbers | None,
    classes: tuple[str, ...],
) -> Counted:
    """Each model of a dataset by counting, with the columns that are looked at by themselves."""
    from evalreport.engine.counting.in_periods import in_periods
    from evalreport.engine.counting.single_columns import column_tables, described

    rows = in_periods(rows, periods_of(spec, name))
    views, known = _views(rows, spec, name, requests, numbers_of, classes)
    if not columns_alone(spec):
        return Counted(views)
    rules, types = rules_of(spec, name), spec.datasets[name].types
    memory = limit_bytes(spec.engine.memory_limit or MEMORY)
    compared = spec.drift.columns if spec.drift is not None else ()
    return Counted(
        views,
        columns=column_tables(rows, compared, types, rules, memory),
        described={
            model: described(rows, one, spec.report.characteristics, types, rules, memory)
            for model, one in known.items()
        },
    )


def _views(
    rows: CountedRows,
    spec: Spec,
    name: str,
    requests: Requests,
    numbers_of: Numbers | None,
    classes: tuple[str, ...],
) -> tuple[Sequence[LabelView], Mapping[str, Known]]:
    """Each model of a dataset by counting, with what pairs of models share, and what is known."""
    from evalreport.engine.counting.score_counting import Room, counted_view, with_scores
    from evalreport.engine.counting.scored_kinds import KIND_BYTES

    memory = limit_bytes(spec.engine.memory_limit or MEMORY)
    room = Room(
        max(1_000, memory // ENTRY_BYTES),
        spec.engine.bins,
        elsewhere(requests, name),
        max(1_000, memory // KIND_BYTES),
    )
    numbers = [t.number for t in requests.thresholds if t.number is not None] or [0.0, 0.5]
    views = [
        counted_view(rows, spec, name, model, requests.subgroups, numbers, room, classes)
        for model in spec.models
        if name in spec.datasets_of(model)
    ]
    told = {view.model: known for view, known in views}
    if any(not view.counted for view, _ in views):
        from evalreport.engine.counting.in_intervals import in_intervals
        from evalreport.engine.counting.scored_kinds import Finer, Seen, kinds_of_models

        columns = _subgroup_columns(requests)
        rows = in_intervals(rows, {c: spec.bins[c] for c in columns if c in spec.bins})
        seen = [Seen(view, known) for view, known in views]
        finer = None
        if not room.apart:
            crossings = requests.subgroups
            finer = Finer(
                lambda one, many: with_scores(
                    rows, one.view, one.known, crossings, numbers, room, many=many
                ),
                numbers_of or (lambda _: numbers),
            )
        compared = compares(spec)
        return kinds_of_models(rows, seen, room.kinds, together=compared, finer=finer), told
    pairs = _compared(spec, [view.model for view, _ in views])
    if not pairs or numbers_of is None:
        return [view for view, _ in views], told
    from evalreport.engine.counting.counted_view import CountedView
    from evalreport.engine.counting.joint_kinds import with_joints

    counted = [(v, k) for v, k in views if isinstance(v, CountedView)]
    return with_joints(rows, counted, pairs, numbers_of, _by_score(requests), memory), told


def _together(
    rows: CountedRows, spec: Spec, name: str, requests: Requests, classes: tuple[str, ...]
) -> Counted:
    """Each model of a dataset, by kinds of whole rows that are checked as rows in memory are.

    Raises DataError where they are not in order, NotPlainError where they are to be read.
    """
    from evalreport.engine.counting.in_intervals import in_intervals
    from evalreport.engine.counting.in_periods import in_periods
    from evalreport.engine.counting.kinds_table import kinds_table

    dataset, subgroups = spec.datasets[name], _subgroup_columns(requests)
    columns = columns_read(spec, name, subgroups) or columns_needed(spec, name, subgroups)
    rows = in_periods(rows, periods_of(spec, name))
    written = _written(spec, dataset)
    rows = in_intervals(rows, {c: spec.bins[c] for c in spec.bins if c not in written})
    memory = limit_bytes(spec.engine.memory_limit or MEMORY)
    alone = dataset.id if dataset.id not in {*written, *_parts(spec, name, subgroups)} else None
    kinds = kinds_table(rows, columns, memory, alone, repeats=dataset.cluster is not None)
    table = rules_of(spec, name).reading(with_types(kinds, dataset.types), classes)
    return _of_whole_rows(
        spec, name, table, subgroups, None if rows.times is None else _count(rows)
    )


def _written(spec: Spec, dataset: Dataset) -> set[str]:
    """The columns whose values are told apart as they are written."""
    return {*columns_alone(spec), *dataset.types, *(spec.bins if has_sets(dataset) else ())}


def _parts(spec: Spec, name: str, subgroups: tuple[str, ...]) -> set[str]:
    """The columns that play a part other than that of the id."""
    dataset, found = spec.datasets[name], set[str]()
    for key, model in spec.models.items():
        if name in spec.datasets_of(key):
            own = set_roles if has_sets(dataset) else roles_of
            named = own(dataset, model, subgroups).named()
            found |= {column for role, column in named if role != "id"}
    return found


def _together_as_read(
    table: RawTable,
    times: npt.NDArray[np.int64],
    spec: Spec,
    name: str,
    requests: Requests,
    classes: tuple[str, ...],
) -> Counted | None:
    """The same of kinds that were read; None where they have ids, which are of single rows."""
    dataset = spec.datasets[name]
    if dataset.id is not None:
        return None
    held = np.flatnonzero(times)
    columns = {
        column: replace(own, values=own.values[held], missing=own.missing[held])
        for column, own in table.columns.items()
        if column != dataset.count
    }
    kinds = replace(table, rows=len(held), columns=columns, times=times[held], kind=held, _kept={})
    typed = with_periods(with_types(kinds, dataset.types), spec, name)
    read = rules_of(spec, name).reading(typed, classes)
    return _of_whole_rows(spec, name, read, _subgroup_columns(requests), table.rows)


def _of_whole_rows(
    spec: Spec, name: str, table: RawTable, subgroups: tuple[str, ...], read: int | None
) -> Counted:
    """Each model of a dataset from kinds of whole rows; ``read``: kinds that the file has."""
    views = [
        view_of(spec, name, model, table, subgroups, lambda _: None)
        for model in spec.models
        if name in spec.datasets_of(model)
    ]
    for view in views:
        if view.weight is not None and getattr(view.ledger, "lost", None) is not None:
            raise NotPlainError("rows are left out that have weights")
    if read is not None:
        views = [replace(view, ledger=replace(view.ledger, kinds_read=read)) for view in views]
    return Counted(views, table)


def _check_counts(rows: CountedRows) -> None:
    """Raise NotPlainError where rows do not say how many they stand for: reading names each."""
    if rows.times is None:
        return
    from evalreport.engine.counting import queries

    found = rows.ask(queries.uncountable(rows.times))
    wrong, total = (found[name].tolist()[0] for name in ("n", "total"))
    if wrong or not 0 < (total or 0.0) <= queries.MOST:
        raise NotPlainError("rows do not say how many they stand for")


def _compared(spec: Spec, models: Sequence[str]) -> list[tuple[str, str]]:
    """Each model with those that it is compared with on the same rows."""
    references = [] if spec.baselines.previous is None else [spec.baselines.previous]
    asked = spec.comparisons
    if asked is not None and isinstance(asked.reference, str):
        references.append(asked.reference)
    pairs = [(model, other) for model in models for other in references if model != other]
    return list(dict.fromkeys(pairs))


def _by_score(requests: Requests) -> bool:
    """Whether a metric of scores, or a mean over rows, is asked for."""
    declared = [request.metric for request in requests.metrics]
    return any(one.table is Table.SCORES or one.interval is Interval.MEAN for one in declared)


def _only_numbers(spec: Spec, name: str, subgroups: tuple[str, ...]) -> frozenset[str]:
    """Columns that are scores or margins and nothing else."""
    if has_sets(spec.datasets[name]):
        return frozenset()
    numbers: set[str] = set()
    other: set[str] = set()
    for model in spec.models:
        if name in spec.datasets_of(model):
            said = said_in(spec.models[model])
            other |= set() if said is None else {said}
            for role, column in roles_of(
                spec.datasets[name], spec.models[model], subgroups
            ).named():
                (numbers if role in ("score", "margin") else other).add(column)
    return frozenset(numbers - other)


def _rows(
    source: Source, wanted: Wanted, counts: KeptCounts | None
) -> AbstractContextManager[CountedRows]:
    from evalreport.engine.counting.duckdb_rows import duckdb_rows

    return duckdb_rows(source, wanted, counts)


def refuse_unbounded(plan: Plan, views: Sequence[View]) -> Plan:
    """The plan without what bins of scores cannot give: neither a value nor bounds."""
    from evalreport.engine.counting.binned_scores import bounded
    from evalreport.engine.counting.kinds import joint_notes

    plan = replace(plan, counted=(*plan.counted, *joint_notes(views)))
    bins = {(v.dataset, v.model): getattr(v, "bins", None) for v in views}
    if not any(bins.values()):
        return plan
    kept: list[Task] = []
    refused: list[Skipped] = []
    for task in plan.tasks:
        metric, count = find(task.metric), bins[task.dataset, task.model]
        assert metric is not None
        single = bounded(metric) and task.average is None
        if count is None or task.table != Table.SCORES.value or single:
            kept.append(task)
        else:
            reason = f"it needs every distinct score; only {count:,} bins of scores are kept"
            refused.append(Skipped(task, reason))
    notes = [
        f"{dataset}, {model}: scores are counted in {count:,} bins; what that can change is "
        "given between exact bounds, and thresholds chosen by a rule are lower ends of bins"
        for (dataset, model), count in bins.items()
        if count is not None
    ]
    return replace(
        plan,
        tasks=tuple(kept),
        skipped=(*plan.skipped, *refused),
        notes=(*plan.notes, *notes),
    )


def _count(rows: Any) -> int:
    return int(rows.rows)
