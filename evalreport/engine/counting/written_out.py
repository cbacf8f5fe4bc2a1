"""Datasets that are counts: tables in the spec, and files of kinds of rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evalreport.data.multiplicity import written_out
from evalreport.data.table import RawTable
from evalreport.engine.counting.choosing import limit_bytes
from evalreport.engine.counting.loading import VALUE_BYTES, check_room
from evalreport.spec.model import Spec


def printed_tables(spec: Spec) -> Mapping[str, Any]:
    """The datasets that are tables in the spec: their kinds of rows, column by column."""
    return {
        name: dataset.table.columns()
        for name, dataset in spec.datasets.items()
        if dataset.table is not None
    }


def counted_out(table: RawTable, spec: Spec, name: str) -> RawTable:
    """The rows that a dataset's kinds stand for; the table itself where every row is one.

    Raises DataError for what is no count, LimitError where the rows would not fit in memory.
    """
    column = spec.datasets[name].count
    if column is None or column not in table.columns:
        return table
    width, limit = max(len(table.columns) - 1, 1), spec.engine.memory_limit

    def room(rows: int) -> None:
        check_room(
            table.name,
            rows * width * VALUE_BYTES,
            None if limit is None else limit_bytes(limit),
            "each kind of row has a count",
        )

    return written_out(table, column, room)
