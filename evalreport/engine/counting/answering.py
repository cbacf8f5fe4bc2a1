"""What rows that are not held can be asked: the interface of DuckDB, databases and Spark."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from evalreport.data.table import RawColumn

if TYPE_CHECKING:
    # Where rows are read, no query is written.
    from sqlglot import exp

    from evalreport.engine.counting.queries import Field

Columns = Mapping[str, Any]


class CountedRows(Protocol):
    """Rows that answer counting queries: an engine."""

    name: str
    header: tuple[str, ...]
    #: The column that says how many rows each one stands for; None where each is one.
    times: Field | None

    @property
    def rows(self) -> int:
        """How many rows there are, as they are written."""

    def field(self, column: str) -> Field:
        """The column of ``data`` that holds a column of the dataset."""

    def ask(self, query: exp.Select) -> Columns:
        """The columns of a query's answer, as numpy arrays, masked where NULL."""

    def column(self, name: str, kind: str, values: Any) -> RawColumn:
        """Values of an answer as they would have been read from the file."""

    def kinds(self, asked: KindsOf) -> tuple[list[RawColumn], Any]:
        """The columns of each kind of rows, and how many rows are of it."""


@dataclass(frozen=True)
class KindsOf:
    """What rows are counted by: the query, its columns ``k0``, ``k1``, ... and what they are.

    ``kinds``: the DuckDB names of their types.
    """

    columns: tuple[str, ...]
    kinds: tuple[str, ...]
    query: exp.Select


def fetched(rows: CountedRows, asked: KindsOf) -> tuple[list[RawColumn], Any]:
    """The kinds as one answer gives them."""
    answer = rows.ask(asked.query)
    named = enumerate(zip(asked.columns, asked.kinds, strict=True))
    return [rows.column(name, kind, answer[f"k{i}"]) for i, (name, kind) in named], answer["n"]
