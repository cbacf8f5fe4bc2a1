"""The measures that short formats print: all rows, pooled, at the first threshold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evalreport.report.cards import said_value
from evalreport.report.contents import Contents
from evalreport.report.numbers import count_text, level_text, limits_text, threshold_text
from evalreport.report.words import POOLED, method_text, prose
from evalreport.results.lookup import Results
from evalreport.results.records import Measure, Table

#: Above so many measures of a model the per-class ones are left to the report.
MOST = 40
#: Tables printed, of no more classes than this.
MOST_TABLES, MOST_CLASSES = 12, 12
#: Tables named beside a measure that is taken over those of several labels.
MOST_NAMED = 4


def headline_measures(results: Results) -> list[Measure]:
    """Measures of all rows, not of subgroups or folds, at the first threshold of their model."""
    first: dict[tuple[str, str], tuple[Any, Any]] = {}
    for t in results.thresholds:
        first.setdefault((t.dataset, t.model), (t.threshold, t.rule))
    found = []
    for m in results.measures:
        if m.subgroup or m.fold is not None or m.state == "not_applicable":
            continue
        place = (m.dataset, m.model)
        at = (m.threshold, m.threshold_rule)
        if at == (None, None) or at == first.get(place, at):
            found.append(m)
    if len(found) > MOST:
        found = [m for m in found if m.average is not None or m.label is None]
    return found


def headline_tables(results: Results, measures: Sequence[Measure]) -> tuple[list[Table], int]:
    """The tables that these measures stand on, and how many more are too large to be printed."""
    ids = dict.fromkeys(name for m in measures for name in _tables_of(m))
    own = [results.table(i) for i in ids if results.has_table(i)]
    printed = [t for t in own if t.counts is not None and len(t.labels) <= MOST_CLASSES]
    shown = printed[:MOST_TABLES]
    return shown, len(own) - len(shown)


def _tables_of(m: Measure) -> list[str]:
    """The table of a measure, or those of the labels that it is taken over."""
    return [m.table] if m.table else [name for name in m.tables or () if name]


def tables_words(m: Measure) -> str:
    """The names of the tables that a measure stands on."""
    names = _tables_of(m)
    more = len(names) - MOST_NAMED
    return ", ".join(names) if more < 1 else f"{', '.join(names[:MOST_NAMED])} and {more} more"


def table_title(table: Table) -> str:
    """What a table is of, in words."""
    parts = [table.id, prose(table.dataset), prose(table.model)]
    if table.threshold is not None:
        parts.append(f"threshold {threshold_text(table.threshold)}")
    return ", ".join(parts)


def table_lines(table: Table) -> list[list[str]]:
    """Rows of a table as texts: the head of labels, then each actual class with its counts."""
    head = ["actual, predicted →", *table.labels, *table.extra_columns]
    rows = zip(table.labels, table.counts or (), strict=True)
    return [head, *([label, *map(count_text, counts)] for label, counts in rows)]


def value_words(m: Measure) -> str:
    """The value as printed, or the word for its state."""
    return said_value(m)


def interval_words(m: Measure) -> str:
    """``0.779 to 0.879 (95 %, Wilson)``, or why there is none."""
    interval = m.interval
    if interval is None:
        return prose(m.reason or m.interval_reason or "none")
    limits = limits_text(interval.low, interval.high, m.value)
    level, method = level_text(interval.level), method_text(interval.method)
    return f"{limits} ({level}, {method})"


def counts_words(m: Measure) -> str:
    """``177 / 212`` where the value is one fraction of whole rows, else n."""
    top, bottom = m.numerator, m.denominator
    if isinstance(top, int) and isinstance(bottom, int):
        return f"{count_text(top)} / {count_text(bottom)}"
    return f"n {count_text(m.n)}"


def name_words(heading: str, label: str | None) -> str:
    """A measure's heading, in which its average stands, with its class."""
    return heading if label is None else f"{heading} of {label}"


def with_readings(contents: Contents, m: Measure, name: str) -> str:
    """The name of a measure; of a study of readers it says that their readings are pooled."""
    return f"{name}, {POOLED}" if contents.pools_readings(m) else name
