"""The text of the queries that go to a database: the same for all but for a few words of each.

The rows are the user's SELECT as it was written, in brackets on lines of its own, or a quoted
table name: neither is parsed. Columns are called by their place, so that no name becomes part of
a query.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, nextafter

from evalreport.data.duckdb_columns import Kind
from evalreport.data.scores import steps_of

#: The largest whole number up to which a double counts every one.
MOST = 2**53
_LARGEST = "1.7976931348623157e308"
#: A number as people write it; and a date, with or without a time of day behind it.
NUMBER = r"^[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]+)?$"
_MOMENT = (
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?"
    r"(Z|[+-]([01][0-9]|2[0-3])(:[0-5][0-9])?)?)?$"
)


@dataclass(frozen=True)
class Column:
    """A column of the rows: its ``name``, the ``text`` that a query calls it by, and its type.

    ``kind`` is None for a ``type`` of the database whose values are not taken. ``plain``: what
    rows are grouped by, where values are taken as they stand.
    """

    name: str
    text: str
    kind: Kind | None
    type: str = ""
    plain: str = ""


@dataclass(frozen=True)
class Dialect:
    """The words of one kind of database; each template has a place for a column.

    ``text``: text told apart by its bytes, whatever order was declared for it. ``whole`` and
    ``double``: names of types. ``number``: a number, NULL for one that is NaN. ``fits``: whether a
    text is as a pattern says. ``group``: what rows are grouped by; ``floor``: the whole
    number below. ``parsed``: the number that a text is. ``values``: how columns
    of other kinds are taken.
    """

    text: str
    whole: str
    double: str
    number: str
    fits: str
    group: str = "{0}"
    floor: str = "floor({0})"
    literal: str = "CAST('{0}' AS {1})"
    parsed: str = "CAST({0} AS {1})"
    mark: str = '"'
    values: Mapping[Kind, str] = field(default_factory=dict)

    def quoted(self, name: str) -> str:
        """A name with its quotes; dots stand between the parts of that of a table."""
        return f"{self.mark}{name.replace(self.mark, 2 * self.mark)}{self.mark}"

    def table(self, name: str) -> str:
        """The SELECT of a whole table.

        >>> POSTGRES.table("lab.results")
        'SELECT * FROM "lab"."results"'
        """
        return f"SELECT * FROM {'.'.join(map(self.quoted, name.split('.')))}"  # noqa: S608 - quoted

    def value(self, column: Column) -> str:
        """The values of a column as they are grouped and fetched."""
        plain = {Kind.WHOLE: f"CAST({{0}} AS {self.whole})", Kind.TEXT: self.text,
                 Kind.NUMBER: f"CAST({{0}} AS {self.double})", **self.values}  # fmt: skip
        return plain.get(column.kind or Kind.ANY, "{0}").format(column.text)

    def empty(self, column: Column) -> str:
        """Whether there is no value: NULL, NaN, or empty text."""
        if column.kind is Kind.NUMBER:
            return f"({self.number.format(column.text)} IS NULL)"
        blank = f" OR {column.text} = ''" if column.kind in (Kind.TEXT, Kind.ANY) else ""
        return f"({column.text} IS NULL{blank})"

    def lower_edge(self, column: Column, edges: Sequence[float]) -> str:
        """The lower edge of the interval of each number; any number below the first for those."""
        number = self.as_number(column)
        told = [self.literal.format(repr(edge), self.double) for edge in edges]
        below = self.literal.format(repr(nextafter(edges[0], -inf)), self.double)
        cases = (f"WHEN {number} >= {edge} THEN {edge}" for edge in reversed(told))
        return f"CASE {' '.join(cases)} WHEN {number} < {told[0]} THEN {below} END"

    def rounded(self, column: Column, grain: float) -> str:
        """Each score as the multiple of a grain that is nearest."""
        step = self.literal.format(repr(grain), self.double)
        return rounded(self.as_number(column), grain, self.floor, step)

    def no_number(self, column: Column) -> str:
        """Whether a value is there that is no finite number."""
        number, text = self.as_number(column), self.text.format(column.text)
        nan = f" OR lower({text}) = 'nan'" if column.kind in (Kind.TEXT, Kind.ANY) else ""
        largest = self.literal.format(_LARGEST, self.double)
        wrong = f"{number} IS NULL OR abs({number}) > {largest}"
        return f"NOT ({self.empty(column)}{nan}) AND ({wrong})"

    def day(self, column: Column) -> str:
        """The day of each value as text, empty for one that is no date."""
        if column.kind in (Kind.DAY, Kind.MOMENT):
            return self.text.format(f"CAST({column.text} AS DATE)")
        text = self.text.format(column.text)
        if column.kind not in (Kind.TEXT, Kind.ANY):
            return f"CASE WHEN {column.text} IS NOT NULL THEN '' END"
        date = f"CASE WHEN {self.fits.format(text, _MOMENT)} THEN substr({text}, 1, 10) ELSE '' END"
        return f"CASE WHEN {column.text} IS NOT NULL THEN {date} END"

    def as_number(self, column: Column) -> str:
        """The values of a column as numbers; NULL for what is none, or NaN."""
        if column.kind is not Kind.TEXT:
            known = column.kind in (Kind.WHOLE, Kind.NUMBER, Kind.ANY)
            return self.number.format(column.text) if known else f"CAST(NULL AS {self.double})"
        text = self.text.format(column.text)
        number = self.parsed.format(text, self.double)
        return f"CASE WHEN {self.fits.format(text, NUMBER)} THEN {number} END"


def rounded(number: str, grain: float, floor: str = "FLOOR({0})", step: str = "") -> str:
    """A number as the multiple of a grain that is nearest, as ``data.scores.rounded`` does.

    ``step``: the grain as the database writes a double.

    >>> rounded("score", 0.01)
    'FLOOR(score * 100 + 0.5) / 100'
    """
    steps = steps_of(grain)
    if steps is None:
        step = step or repr(grain)
        return f"{floor.format(f'{number} / {step} + 0.5')} * {step}"
    return f"{floor.format(f'{number} * {steps} + 0.5')} / {steps}"


def rows_query(rows: str, values: Sequence[str]) -> str:
    """The values of all rows, as columns ``k0``, ``k1``, ..."""
    return f"SELECT {_named(values) or '1 AS n'} FROM {rows}"  # noqa: S608 - places


def kinds_query(dialect: Dialect, rows: str, values: Sequence[str], times: str | None) -> str:
    """How many rows there are of each kind of values: ``k0``, ``k1``, ... and ``n``.

    ``times``: how many each row stands for; one where None.
    """
    keys = [f"k{place}" for place in range(len(values))]
    grouped = ", ".join(dialect.group.format(key) for key in keys)
    by = f" GROUP BY {grouped}" if keys else ""
    inner = ", ".join(filter(None, [_named(values), f"{times or 1} AS t"]))
    count = "COUNT(*)" if times is None else "SUM(t)"
    return (
        f"SELECT {', '.join([*keys, f'{count} AS n'])} FROM (SELECT {inner} FROM {rows}) AS d{by}"  # noqa: S608
    )


def grouped_by_name(
    rows: str, columns: Sequence[tuple[str, str]], times: str | None, count: str
) -> str:
    """How many rows there are of each kind, for tools of others: columns by their names.

    ``columns``: each as it is taken, and as it is called in the answer.
    """
    own = "COUNT(*)" if times is None else f"SUM({times})"
    shown = ",\n  ".join([*(f"{one} AS {name}" for one, name in columns), f"{own} AS {count}"])
    by = ", ".join(one for one, _ in columns)
    return f"SELECT\n  {shown}\nFROM {rows}" + (f"\nGROUP BY {by}" if by else "")


def twice_query(dialect: Dialect, rows: str, column: Column, times: str | None = None) -> str:
    """One value that stands in several rows, with how many, if there is any.

    ``times``: how many rows each row stands for.
    """
    there = f"{rows} WHERE NOT {dialect.empty(column)}"
    counted = "COUNT(*)" if times is None else "SUM(t)"
    query = kinds_query(dialect, there, [dialect.value(column)], times)
    return f"{query} HAVING {counted} > 1 LIMIT 1"


def count_query(rows: str, where: str = "1 = 1") -> str:
    """How many rows there are of which a condition holds."""
    return f"SELECT COUNT(*) AS n FROM {rows} WHERE {where}"  # noqa: S608 - places


def _named(values: Sequence[str]) -> str:
    return ", ".join(f"{value} AS k{place}" for place, value in enumerate(values))


POSTGRES = Dialect(
    # Put together anew, as blanks at the end of char(n) would be taken for none.
    text='(CASE WHEN {0} IS NOT NULL THEN concat({0}) END COLLATE "C")',
    whole="bigint",
    double="double precision",
    number="NULLIF(CAST({0} AS double precision), 'NaN')",
    fits="{0} ~ '{1}'",
    values={
        Kind.TEXTS: "CAST({0} AS text[])",
        Kind.NUMBERS: "CAST({0} AS double precision[])",
    },
)
DUCKDB = Dialect(
    text="(CAST({0} AS VARCHAR) COLLATE C)",
    whole="BIGINT",
    double="DOUBLE",
    number="CASE WHEN NOT isnan(CAST({0} AS DOUBLE)) THEN CAST({0} AS DOUBLE) END",
    fits="regexp_matches({0}, '{1}')",
    parsed="TRY_CAST({0} AS {1})",
)
#: A value has a type of its own, so rows are grouped by it as well. What SQLite would do with
#: rounding of its own, or lacks, it asks of Python: ``evalreport_number`` and ``regexp``.
SQLITE = Dialect(
    text="({0} || '')",
    whole="INTEGER",
    double="REAL",
    number="evalreport_number({0})",
    fits="{0} REGEXP '{1}'",
    group="typeof({0}), {0} COLLATE BINARY",
    floor="evalreport_floor({0})",
    literal="evalreport_number('{0}')",
)
SPARK = Dialect(
    text="CAST({0} AS STRING)",
    whole="BIGINT",
    double="DOUBLE",
    number="nanvl(CAST({0} AS DOUBLE), CAST(NULL AS DOUBLE))",
    # The end of a line is also before its last sign; nothing but plain letters is a number or date.
    fits="({0} RLIKE '{1}' AND NOT {0} RLIKE '[^ -~]')",
    mark="`",
)
