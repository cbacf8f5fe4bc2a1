"""Values that can name no class, row or group: infinite numbers, lists, texts with NUL."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from evalreport.data.findings import SHOWN_ROWS, quoted, rows_problem
from evalreport.data.table import RawColumn, RawTable
from evalreport.errors import Problem

#: Roles whose values are names.
_NAMES = frozenset({"target", "prediction", "id", "cluster", "fold", "subgroups"})


def unfit_names(table: RawTable, roles: Iterable[tuple[str, str]]) -> list[Problem]:
    """A problem for each kind of unfit value in each (role, column) that holds names.

    Every number too large for a double is read as infinity, so it stands for no one
    name; NUL can be written into no page, and ends a text for many a program.
    """
    return [
        rows_problem(
            table,
            f"{name} ({role}) {what}",
            rows[:SHOWN_ROWS],
            instead,
            [_shown(table.columns[name].values[row]) for row in rows[:SHOWN_ROWS]],
            len(rows),
        )
        for role, name in dict.fromkeys(roles)
        if role in _NAMES
        for what, instead, kinds, unfit in _UNFIT
        if (rows := _rows(table.columns[name], kinds, unfit))
    ]


def _rows(column: RawColumn, kinds: str, unfit: Callable[[Any], bool]) -> list[int]:
    """The rows with a value of which ``unfit`` holds; only columns of ``kinds`` can have one."""
    if column.kind not in kinds.split():
        return []
    if column.kind == "text" and not unfit("".join(column.values[~column.missing].tolist())):
        return []
    codes, values = column.factorize()
    wrong = [number for number, value in enumerate(values) if unfit(value)]
    found: list[int] = np.flatnonzero(np.isin(codes, wrong)).tolist() if wrong else []
    return found


def _infinite(value: Any) -> bool:
    return isinstance(value, float) and math.isinf(value)


def _list(value: Any) -> bool:
    return isinstance(value, list)


def _with_nul(value: Any) -> bool:
    return isinstance(value, str) and "\0" in value


#: What is wrong, what would be right, which kinds of columns can have it, which values do.
_UNFIT: tuple[tuple[str, str, str, Callable[[Any], bool]], ...] = (
    (
        "is an infinite or too large number",
        "write it as text, or leave it out",
        "float64 float32 mixed",
        _infinite,
    ),
    ("is a list", "give text, numbers or booleans", "mixed", _list),
    ("holds a NUL character", "write text without it", "text mixed", _with_nul),
)


def _shown(value: Any) -> str:
    return quoted(value) if isinstance(value, str) else str(value)
