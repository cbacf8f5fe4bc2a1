"""What rows that are not held can be asked: the interface of DuckDB and Spark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from evalreport.data.score_bins import ScoreBins
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
    #: Columns whose scores are known by their bins alone; a score is the lowest of its bin.
    binned: Mapping[str, ScoreBins]

    def field(self, column: str) -> Field:
        """The column of ``data`` that holds a column of the dataset."""

    def ask(self, query: exp.Select) -> Columns:
        """The columns of a query's answer, as numpy arrays, masked where NULL."""

    def column(self, name: str, kind: str, values: Any) -> RawColumn:
        """Values of an answer as they would have been read from the file."""

    def fingerprints(self, texts: Sequence[str]) -> Any | None:
        """What ``queries.fingerprint`` makes of each text, as numbers; None where it is not known.

        A kind of rows is then told by a number in place of a long text: numbers are fetched
        and sorted in a fraction of the time, and room, of texts.
        """
