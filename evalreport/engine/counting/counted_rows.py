"""What queries tell of rows that are not held: their kinds, their labels, what is excluded.

The same checks as for rows in memory run on one representative of every kind of
row, so labels, positive class, groups and findings come out of the same code.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.data.checked import Checked, check
from evalreport.data.findings import Finding
from evalreport.data.known_labels import labels_known
from evalreport.data.label_column import texts
from evalreport.data.roles import Roles, Rules
from evalreport.data.scores import numbers, weights
from evalreport.data.table import PARTNER, RawColumn, RawTable
from evalreport.data.types import ColumnType, with_types
from evalreport.engine.counting import queries
from evalreport.engine.counting.answering import Columns, CountedRows
from evalreport.engine.counting.counted_lost import lost_kinds
from evalreport.engine.counting.counted_values import values_of
from evalreport.engine.counting.counted_view import FOLD
from evalreport.engine.counting.wanted import NotPlainError, TooManyKindsError
from evalreport.errors import DataError, LimitError, Location, Problem

#: Kinds of rows (values of all label and subgroup columns together) that are held.
MOST_CELLS = 2_000_000

#: A name that no column has, for the true label among columns.
TARGET = "\0target"
#: The same for the predicted label.
PREDICTED = "\0predicted"
#: The same for what a row weighs: the code is the place among the weights that occur.
WEIGHT = "\0weight"
#: The same for the cluster.
CLUSTER = "\0cluster"
_NO_TYPES: Mapping[str, ColumnType] = MappingProxyType({})


@dataclass(frozen=True, eq=False)
class Known:
    """What is known of a dataset before its scores are counted.

    ``codes`` gives the code of each raw value: by subgroup column, and under TARGET, FOLD,
    PREDICTED, WEIGHT and CLUSTER; ``where`` is the condition of a used row, None where all
    rows are used; a row without weight or cluster is to be left out beside it.
    """

    roles: Roles
    checked: Checked
    times: npt.NDArray[np.int64]
    codes: Mapping[str, Mapping[Any, int]]
    where: queries.Tree | None
    low: float | None
    high: float | None


def known(
    rows: CountedRows,
    roles: Roles,
    rules: Rules,
    types: Mapping[str, ColumnType] = _NO_TYPES,
    classes: tuple[str, ...] = (),
) -> Known:
    """Check every kind of row there is; raises DataError where the rows are not in order.

    ``types``: of columns that are counted by, as declared; ``classes``: known from elsewhere.
    """
    absent = [c for _, c in roles.named() if c not in rows.header]
    if absent:
        raise DataError(Problem(f"{rows.name} has no column '{absent[0]}'", ""))
    columns = [roles.target, roles.prediction, roles.fold, roles.weight, roles.cluster]
    keys = list(dict.fromkeys(c for c in (*columns, *roles.subgroups) if c is not None))
    if PARTNER in rows.header:
        keys.append(PARTNER)
    by_row = roles.weight is not None or roles.cluster is not None
    if by_row:
        _few_kinds(rows, keys)
    scored = roles.score or roles.margin
    answer = rows.ask(
        queries.cells(
            [rows.field(c) for c in keys],
            None if scored is None else rows.field(scored),
            None if roles.id is None else rows.field(roles.id),
            rows.times,
        )
    )
    counts = np.asarray(answer["n"], np.int64)
    if len(counts) > MOST_CELLS:
        raise LimitError(
            Problem(
                f"{rows.name}: the columns {', '.join(keys)} have {len(counts):,} combinations "
                "of values",
                f"columns to count by with at most {MOST_CELLS:,} together",
                Location(rows.name),
            )
        )
    raw = rules.reading(with_types(_representatives(rows, keys, scored, answer), types), classes)
    _check_rows(rows, roles, rules, raw, answer, counts)
    named = _without_nameless(raw, scored or roles.prediction or roles.target, answer)
    checked = check(named, replace(roles, id=None), rules)
    if roles.weight is not None and checked.lost is not None:
        raise NotPlainError("rows are left out that have weights")
    excluded = _excluded(raw, roles, answer, counts)
    held = counts[checked.used]
    names = [c for c in (roles.fold, roles.id) if c is not None]
    alone = [PARTNER] if PARTNER in rows.header else []
    where = None
    if excluded:
        labels = [c for c in (roles.target, roles.prediction) if c is not None]
        where = queries.used(
            [rows.field(c) for c in labels],
            None if scored is None else rows.field(scored),
            [rows.field(c) for c in names],
            [rows.field(c) for c in alone],
        )
    low, high, outside = _score_range(answer, checked, counts)
    findings = _findings(checked, scored if roles.score else None, outside, int(held.sum()))
    written = {c: values_of(rows, c, answer[f"k{i}"]) for i, c in enumerate(keys)}
    codes = _codes(written, roles, checked)
    checked = replace(
        checked,
        rows_read=int(counts.sum()),
        kinds_read=None if rows.times is None else int(rows.rows),  # type: ignore[attr-defined]
        excluded=tuple(excluded),
        findings=findings,
        known=labels_known(replace(raw, times=counts), roles, rules.indeterminate),
        lost=lost_kinds(rows, roles, raw, checked, counts, written, codes),
    )
    return Known(roles, checked, held, codes, where, low, high)


def _few_kinds(rows: CountedRows, keys: Sequence[str]) -> None:
    """Raise TooManyKindsError where rows with weights or clusters are nearly all of their own."""
    query = queries.how_many([rows.field(c).value for c in keys], None)
    found = int(rows.ask(query)["n"][0])
    if found > MOST_CELLS:
        raise TooManyKindsError(f"by {', '.join(keys)} there are {found:,} kinds of rows")


def _representatives(
    rows: CountedRows, keys: Sequence[str], scored: str | None, answer: Columns
) -> RawTable:
    """One row per kind of row, the lowest score for all of its scores."""
    columns = {
        name: rows.column(name, rows.field(name).kind, answer[f"k{i}"])
        for i, name in enumerate(keys)
    }
    if scored is not None:
        low = np.ma.getdata(answer["low"]).astype(np.float64)
        gone = np.asarray(answer["state"]) != queries.READ
        kind: Any = "float32" if rows.field(scored).kind == "FLOAT" else "float64"
        columns[scored] = RawColumn(scored, kind, np.where(gone, np.nan, low), gone)
    return RawTable(rows.name, len(answer["n"]), rows.header, columns)


def _without_nameless(raw: RawTable, column: str, answer: Columns) -> RawTable:
    """The table in which rows without an id lack a value of ``column``, so are not used."""
    nameless = np.asarray(answer["gap"]) == 1
    old = raw.columns[column]
    changed = replace(old, missing=old.missing | nameless)
    return replace(raw, columns={**raw.columns, column: changed}, _kept={})


def _check_rows(
    rows: CountedRows,
    roles: Roles,
    rules: Rules,
    raw: RawTable,
    answer: Columns,
    counts: npt.NDArray[np.int64],
) -> None:
    nameless_rows = np.asarray(answer["gap"]) == 1
    if PARTNER in raw.columns:
        nameless_rows &= raw.columns[PARTNER].missing
    wrong = int(counts[np.asarray(answer["state"]) == queries.WRONG].sum())
    problems = []
    if wrong:
        what = f"{roles.score or roles.margin} is no finite number in {wrong:,} rows"
        problems.append(Problem(what, "give a number, or nothing", Location(rows.name)))
    nameless = int(counts[nameless_rows].sum())
    if nameless and rules.missing == "error":
        what = f"{roles.id} is empty in {nameless:,} rows"
        problems.append(Problem(what, "fill it in", Location(rows.name)))
    if roles.id is not None and roles.cluster is None and not problems:
        twice = rows.ask(queries.repeated(rows.field(roles.id)))
        for value, count in zip(twice["k0"].tolist(), twice["n"].tolist(), strict=True):
            what = f"{roles.id} is not unique: {value!r} stands in {count} rows"
            problems.append(Problem(what, "give each row its own id", Location(rows.name)))
    if problems:
        raise DataError(*problems)


def _excluded(
    raw: RawTable, roles: Roles, answer: Columns, counts: npt.NDArray[np.int64]
) -> list[tuple[str, int]]:
    """Reasons and rows, as for rows in memory: each row under the first reason that holds."""
    free = np.ones(len(counts), np.bool_)
    found = []
    for reason, gap in _gaps(raw, roles, answer):
        count = int(counts[free & gap].sum())
        if count:
            found.append((reason, count))
        free &= ~gap
    return found


def _gaps(
    raw: RawTable, roles: Roles, answer: Columns
) -> Iterator[tuple[str, npt.NDArray[np.bool_]]]:
    if PARTNER in raw.columns:
        codes, reasons = raw.columns[PARTNER].factorize()
        for told in sorted(reasons):
            yield told, codes == reasons.index(told)
    yield f"{roles.target} is empty", raw.columns[roles.target].missing
    if roles.prediction is not None:
        yield f"{roles.prediction} is empty", raw.columns[roles.prediction].missing
    scored = roles.score or roles.margin
    if scored is not None:
        yield f"{scored} is missing", np.asarray(answer["state"]) == queries.MISSING
    if roles.weight is not None:
        yield f"{roles.weight} is missing", numbers(raw, roles.weight).missing
    for column in (roles.cluster, roles.fold):
        if column is not None:
            yield f"{column} is empty", texts(raw, column)[0] < 0
    if roles.id is not None:
        yield f"{roles.id} is empty", np.asarray(answer["gap"]) == 1
    if roles.weight is not None:
        yield "weight is 0", weights(raw, roles.weight).values == 0


def _score_range(
    answer: Columns, checked: Checked, counts: npt.NDArray[np.int64]
) -> tuple[float | None, float | None, int]:
    low, high = (np.ma.filled(answer[name], np.nan).astype(float) for name in ("low", "high"))
    low, high = low[checked.used], high[checked.used]
    if not len(low) or np.isnan(low).all():
        return None, None, 0
    outside = np.ma.filled(answer["outside"], 0).astype(np.int64)[checked.used]
    assert len(outside) <= len(counts)
    return float(low.min()) + 0.0, float(high.max()) + 0.0, int(outside.sum())


def _findings(checked: Checked, score: str | None, outside: int, rows: int) -> tuple[Finding, ...]:
    found = [f for f in checked.findings if f.code != "scores_outside_unit"]
    if score is not None and outside:
        message = (
            f"{outside} of {rows} scores in {score} lie outside 0 to 1: they rank rows, "
            "but are not probabilities."
        )
        found.append(Finding("scores_outside_unit", message, {"column": score, "rows": outside}))
    return tuple(found)


def _codes(
    written: Mapping[str, Sequence[Any]], roles: Roles, checked: Checked
) -> dict[str, dict[Any, int]]:
    """Code of each raw value, by column: of the true label, the groups and the fold."""
    given: dict[str, tuple[str, npt.NDArray[Any]]] = {TARGET: (roles.target, checked.actual)}
    given |= {column: (column, codes) for column, (codes, _) in checked.groups.items()}
    if roles.prediction is not None and checked.predicted is not None:
        given[PREDICTED] = (roles.prediction, checked.predicted)
    if roles.weight is not None and checked.weight is not None:
        places = np.unique(checked.weight, return_inverse=True)[1]
        given[WEIGHT] = (roles.weight, places.reshape(-1))
    if roles.cluster is not None and checked.cluster is not None:
        given[CLUSTER] = (roles.cluster, checked.cluster[0])
    if roles.fold is not None and checked.fold is not None:
        given[FOLD] = (roles.fold, checked.fold[0])
    used = checked.used.tolist()
    return {
        name: dict(zip((written[column][i] for i in used), codes.tolist(), strict=True))
        for name, (column, codes) in given.items()
    }
