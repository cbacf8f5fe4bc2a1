"""Measures and tables as CSV, safe to open in a spreadsheet.

The rule: a cell that starts with ``=``, ``+``, ``-``, ``@`` (or their full-width
forms), a tab or a line break and is not a plain number gets an apostrophe in front,
so that no spreadsheet runs it as a formula. ``results.json`` has every text exactly.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any

from evalreport.report.contents import Contents
from evalreport.results.forms import or_infinity
from evalreport.results.lookup import Results
from evalreport.results.records import Measure, Table

_RISKY = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_QUOTED = frozenset(',"\r\n')

MEASURE_COLUMNS = (
    "id", "dataset", "model", "subgroup", "fold", "metric", "name", "params", "average", "label",
    "threshold", "threshold_rule", "state", "value", "reason", "level", "low", "high", "method",
    "numerator", "denominator", "n", "weight", "table", "formula", "substituted",
)  # fmt: skip
#: The columns that are of the interval.
_LIMITS = ("level", "low", "high", "method")
_limits_of = attrgetter(*_LIMITS)


def neutral(value: Any) -> str:
    """A cell as it is written.

    >>> neutral("=1+1"), neutral("-1"), neutral(0.5), neutral(None), neutral("@SUM(1)")
    ("'=1+1", '-1', '0.5', '', "'@SUM(1)")
    """
    if value is None:
        return ""
    if isinstance(value, float):
        return str(or_infinity(value))
    text = str(value)
    if text.startswith(_RISKY) and not _NUMBER.fullmatch(text):
        return f"'{text}"
    return text


def measures_csv(results: Results) -> bytes:
    """One line per measure, UTF-8, lines ended by a line feed.

    ``name`` is what the page calls the metric, by the name that the spec has for it.
    """
    contents = Contents(results)
    return _written(MEASURE_COLUMNS, (_measure(m, contents.heading(m)) for m in results.measures))


def tables_csv(results: Results) -> bytes:
    """One line per cell of every classification table: table, actual, predicted, count."""
    columns = (
        "table",
        "dataset",
        "model",
        "subgroup",
        "fold",
        "threshold",
        "actual",
        "predicted",
        "count",
    )
    return _written(columns, (row for t in results.tables for row in _cells(t)))


def _measure(m: Measure, name: str) -> list[Any]:
    interval = m.interval
    limits = [None] * len(_LIMITS) if interval is None else _limits_of(interval)
    own: dict[str, Any] = dict(zip(_LIMITS, limits, strict=True))
    own |= {"name": name, "subgroup": _pairs(m.subgroup), "params": _pairs(m.params)}
    return [own[key] if key in own else getattr(m, key) for key in MEASURE_COLUMNS]


def _cells(table: Table) -> Iterable[list[Any]]:
    names = [*table.labels, *table.extra_columns]
    place = [
        table.id,
        table.dataset,
        table.model,
        _pairs(table.subgroup),
        table.fold,
        table.threshold,
    ]
    if table.counts is None:
        for actual, predicted, count in table.cells or ():
            yield [*place, names[actual], names[predicted], count]
        return
    for label, row in zip(table.labels, table.counts, strict=True):
        for name, cell in zip(names, row, strict=True):
            yield [*place, label, name, cell]


def _pairs(mapping: Mapping[str, Any]) -> str:
    """Parameters or a group as text; whole floats without a point."""
    texts = (
        (key, int(v) if isinstance(v, float) and v.is_integer() else v)
        for key, v in mapping.items()
    )
    return "; ".join(f"{key}={text}" for key, text in texts)


def _written(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> bytes:
    lines = [columns, *([neutral(cell) for cell in row] for row in rows)]
    return "".join(",".join(map(_field, line)) + "\n" for line in lines).encode("utf-8")


def _field(text: str) -> str:
    r"""A field, in quotes where it needs them.

    The csv module leaves a carriage return bare when lines end in a line feed, and
    every reader takes it for the end of a row.

    >>> _field("a"), _field("a,b"), _field("a\rb") == '"a\rb"'
    ('a', '"a,b"', True)
    """
    if _QUOTED.isdisjoint(text):
        return text
    return '"' + text.replace('"', '""') + '"'
