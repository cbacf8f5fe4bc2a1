"""Evaluation per period of time: rows sorted into days, weeks, months, quarters or years."""

from __future__ import annotations

import dataclasses
import re
from datetime import date, datetime

import numpy as np

from evalreport.data.table import RawColumn, RawTable
from evalreport.errors import DataError, Problem
from evalreport.spec.model import Spec

#: No more wrong dates are listed.
MOST_PROBLEMS = 10
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def period_name(text: str, every: str) -> str:
    """The period of an ISO 8601 date or time, by a name that sorts in time.

    A time of day is read as it is written, in its own zone. Weeks are those of ISO 8601,
    which begin on Monday. Raises ValueError for anything else.

    >>> [period_name("2026-11-21", e) for e in ("day", "week", "month", "quarter", "year")]
    ['2026-11-21', '2026-W47', '2026-11', '2026-Q4', '2026']
    >>> period_name("2027-01-01T10:30:00+01:00", "week")
    '2026-W53'
    """
    if not _DATE.match(text):
        raise ValueError(text)
    day = date.fromisoformat(text) if len(text) == 10 else datetime.fromisoformat(text).date()
    year, week, _ = day.isocalendar()
    return {
        "day": day.isoformat(),
        "week": f"{year:04d}-W{week:02d}",
        "month": f"{day.year:04d}-{day.month:02d}",
        "quarter": f"{day.year:04d}-Q{(day.month + 2) // 3}",
        "year": f"{day.year:04d}",
    }[every]


def period_columns(spec: Spec) -> dict[str, str]:
    """The columns of dates that any dataset names, each with its length of period."""
    found: dict[str, str] = {}
    for dataset in spec.datasets.values():
        if dataset.period is not None:
            found.setdefault(dataset.period.column, dataset.period.every)
    return found


def periods_of(spec: Spec, dataset: str) -> dict[str, str]:
    """The columns of dates of one dataset, each with its length of period.

    Periods are the same for every dataset of a spec, so that they can be set side by
    side; a dataset's own length comes first.
    """
    own = spec.datasets[dataset].period
    return period_columns(spec) | ({} if own is None else {own.column: own.every})


def with_periods(table: RawTable, spec: Spec, dataset: str) -> RawTable:
    """The table with the names of periods in place of dates.

    Raises DataError with every wrong date.
    """
    asked = periods_of(spec, dataset)
    replaced = {
        column: _replaced(table, table.columns[column], every)
        for column, every in asked.items()
        if column in table.columns
    }
    if not replaced:
        return table
    return dataclasses.replace(table, columns={**table.columns, **replaced})


def _replaced(table: RawTable, column: RawColumn, every: str) -> RawColumn:
    codes, distinct = column.factorize()
    names: list[str] = []
    problems: list[Problem] = []
    for code, value in enumerate(distinct):
        try:
            names.append(period_name(str(value), every))
        except ValueError:
            names.append("")
            if len(problems) < MOST_PROBLEMS:
                row = int(np.flatnonzero(codes == code)[0])
                what = (
                    f"column '{column.name}', {table.row_name(row)}: {str(value)!r} is not a date"
                )
                hint = "ISO 8601, such as 2026-11-21 or 2026-11-21T06:00:00"
                problems.append(Problem(what, hint, table.where(row)))
    if problems:
        raise DataError(*problems)
    # code -1, a missing date, takes the text added last, which is never looked at
    values = np.array([*names, ""], dtype=object)[codes]
    return RawColumn(column.name, "text", values, column.missing)
