"""Rows that databases easily tell apart in different ways, and what is asked of them."""

from __future__ import annotations

import datetime as dt
import math
from collections import Counter
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from evalreport.data.source import Source
from evalreport.engine.calendar import period_name
from evalreport.engine.databases.kinds import Kinds, counted_kinds
from evalreport.engine.databases.sessions import database
from evalreport.engine.databases.wanted import Wanted

TYPES = {
    "y": "text", "s": "double", "d": "decimal", "whole": "decimal0", "n": "bigint",
    "day": "date", "moment": "timestamp", "zoned": "zoned", "mood": "mood", "id": "text",
    "times": "bigint", "flag": "text",
}  # fmt: skip
_TEXTS = (
    "a", "A", "a ", " a", "", None, "é", "e\u0301", "ß", "ss", "1", "01", "1.0", "it's", '"q"',
    "back\\slash", "tab\t", "new\nline", "😀", "ﬀ", "%s {} $1 ?", "-- ; DROP", "null", "NaN",
)  # fmt: skip
_NUMBERS = (
    0.1, 0.1 + 0.2, 0.3, -0.0, 0.0, None, math.nan, math.inf, -math.inf, 5e-324, 1.7e308, 1e-7,
    1 / 3, 40.0, 59.999999999999, 60.0,
)  # fmt: skip
_WHOLE = (0, 1, -1, 2**53, 2**53 + 1, 2**63 - 1, -(2**63), None)
_ZONE = dt.timezone(dt.timedelta(hours=5, minutes=30))


def database_kinds(source: Source, wanted: Wanted) -> Kinds:
    """The kinds of the rows that a query, or a table, gives."""
    asked = wanted.query or wanted.table
    assert asked is not None
    with database(source, asked, 1 << 30) as found:
        return counted_kinds(found, source, wanted)


def _row(i: int) -> dict[str, Any]:
    day = dt.date(2024, 1, 1) + dt.timedelta(days=i * 37 % 800)
    moment = dt.datetime.combine(day, dt.time(i % 24, i * 7 % 60, i % 60, i % 3 * 250_000))
    return {
        "y": _TEXTS[i * 5 % len(_TEXTS)], "s": _NUMBERS[i * 3 % len(_NUMBERS)],
        "d": None if i % 11 == 0 else Decimal(i % 7) / 8, "whole": Decimal(i % 5) + Decimal("0.5"),
        "n": _WHOLE[i % len(_WHOLE)], "day": None if i % 13 == 0 else day,
        "moment": moment, "zoned": moment.replace(tzinfo=_ZONE),
        "mood": ("x", "Y", None)[i % 3], "id": None if i % 50 == 7 else f"p{i}",
        "times": i % 4, "flag": "ab"[i % 2],
    }  # fmt: skip


ROWS = [_row(i) for i in range(600)]


def plain(value: Any) -> Any:
    """A value as kinds of rows hold it."""
    if isinstance(value, float | Decimal):
        number = float(value)
        return None if math.isnan(number) else number + 0.0
    if isinstance(value, dt.datetime) and value.tzinfo is not None:
        return str(value.astimezone(dt.UTC))
    return str(value) if isinstance(value, dt.date) else value


_PLAIN = [{name: plain(value) for name, value in row.items()} for row in ROWS]


def _every(column: str, every: str) -> list[Any]:
    days = [row[column] for row in _PLAIN]
    return [None if day is None else period_name(str(day)[:10], every) for day in days]


def _edges(column: str, edges: tuple[float, ...]) -> list[Any]:
    below = math.nextafter(edges[0], -math.inf)
    numbers = (row[column] for row in _PLAIN)
    return [
        None if x is None else max((e for e in edges if x >= e), default=below) for x in numbers
    ]


def _rounded(column: str, steps: float, whole: int | None = 1) -> list[Any]:
    """Numbers as multiples of 1 / steps; of ``steps`` itself where not ``whole``."""
    numbers = [row[column] for row in _PLAIN]
    if whole is None:
        return [None if x is None else math.floor(x / steps + 0.5) * steps for x in numbers]
    return [None if x is None else math.floor(x * steps + 0.5) / steps for x in numbers]


ALL = "SELECT * FROM hard"
FINITE = "SELECT y, CASE WHEN s > -1e300 AND s < 1e300 THEN s END AS s FROM hard"
#: Two rows of ``more`` are of one id, and rows without an id find none.
JOINED = "SELECT h.y, m.label FROM hard AS h JOIN more AS m ON h.id = m.id"
MORE = [(f"p{i % 400}", "low" if i % 3 else "high") for i in range(500)]

_JOINED = [
    {"y": row["y"], "label": label} for row in _PLAIN for key, label in MORE if row["id"] == key
]


class Case:
    """What is asked, the SELECT that gives the rows, and the columns that memory makes of them."""

    def __init__(
        self, columns: str, sql: str = ALL, made: Mapping[str, list[Any]] | None = None,
        rows: list[dict[str, Any]] | None = None, **wanted: Any,
    ) -> None:  # fmt: skip
        self.sql, self.columns, self.wanted = sql, tuple(columns.split()), wanted
        self._made, self._rows = made or {}, _PLAIN if rows is None else rows

    def asked(self, **more: Any) -> Wanted:
        return Wanted(columns=self.columns, **self.wanted, **more)

    def expected(self) -> Counter[tuple[Any, ...]]:
        found: Counter[tuple[Any, ...]] = Counter()
        shown = [*self.columns, *([self.wanted["id"]] if "id" in self.wanted else [])]
        for place, row in enumerate(self._rows):
            values = {**row, **{name: values[place] for name, values in self._made.items()}}
            times = row[self.wanted["count"]] if "count" in self.wanted else 1
            found[tuple(values[name] for name in sorted(shown))] += times
        return +found


_IDS = {"id": [None if row["id"] is None else "id" for row in _PLAIN]}
CASES = {
    "text, case, blanks, accents, gaps": Case("y"),
    "numbers, NaN, infinities, -0.0": Case("s"),
    "decimals": Case("d"),
    "decimals and what they are beside": Case("whole d y"),
    "whole numbers of 64 bits": Case("n"),
    "days": Case("day"),
    "times": Case("moment"),
    "times with a zone": Case("zoned"),
    "enumerations": Case("mood"),
    "several columns": Case("y s n mood"),
    "no column that is there": Case("absent"),
    "one that is not there": Case("flag"),
    "months": Case("flag day", made={"day": _every("day", "month")}, periods={"day": "month"}),
    "quarters": Case("day", made={"day": _every("day", "quarter")}, periods={"day": "quarter"}),
    "weeks": Case("day", made={"day": _every("day", "week")}, periods={"day": "week"}),
    "years of times": Case(
        "moment y", made={"moment": _every("moment", "year")}, periods={"moment": "year"}),
    "weeks in a zone": Case(
        "zoned", made={"zoned": _every("zoned", "week")}, periods={"zoned": "week"}),
    "intervals": Case(
        "flag whole", made={"whole": _edges("whole", (1.0, 2.5, 4.0))},
        intervals={"whole": (1.0, 2.5, 4.0)}),
    "intervals with gaps": Case(
        "d", made={"d": _edges("d", (0.25, 0.5))}, intervals={"d": (0.25, 0.5)}),
    "a grain": Case("d y", made={"d": _rounded("d", 4)}, grains={"d": 0.25}),
    "a grain of no whole steps": Case(
        "d", made={"d": _rounded("d", 0.3, None)}, grains={"d": 0.3}),
    "ids": Case("y", made=_IDS, id="id"),
    "counts": Case("y s", count="times"),
    "counts and periods": Case(
        "day", made={"day": _every("day", "month")}, periods={"day": "month"}, count="times"),
    "a join with ids that occur twice": Case("y label", JOINED, rows=_JOINED),
    "a filter": Case("y mood", f"{ALL} WHERE flag = 'a'",
                     rows=[row for row in _PLAIN if row["flag"] == "a"]),
    "a comment at the end": Case("flag", f"{ALL} -- of all\n;"),
}  # fmt: skip
CASES["no column that is there"].columns = ()
