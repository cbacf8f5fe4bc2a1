"""The headline measures: one frame of rows that every short format prints.

Rows stand model by model: of all rows of the data, at the first threshold, one for each metric,
in the order of page one. ``print(results)`` and the end of a run print them as text, ``summary.md``
as Markdown, ``measures.tex`` as LaTeX; ``results.summary()`` is the same frame in pandas, which no
command has to load for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from evalreport.numbers import count_text, level_text, limits_text, threshold_text
from evalreport.report.cards import said_value
from evalreport.report.contents import Contents, View, identity
from evalreport.report.leading import average_rank, best_first, headline_identities
from evalreport.report.marking import flat_counts
from evalreport.report.words import (
    POOLED,
    POOLED_FOLDS,
    condition_text,
    counted,
    label_text,
    listed,
    method_text,
    prose,
)
from evalreport.report.worst import share_of_rows
from evalreport.results.lookup import Results
from evalreport.results.records import Measure, ReaderMean, Table

#: Tables printed, of no more classes than this.
MOST_TABLES, MOST_CLASSES = 12, 12
#: Tables named beside a measure that is taken over those of several labels.
MOST_NAMED = 4
#: How predictions of neither class are counted, in words.
_INDETERMINATE = {"for": "indeterminate as right", "against": "indeterminate as wrong"}


@dataclass(frozen=True)
class HeadlineRow:
    """One headline measure, with its words.

    ``over`` is empty, or says what a mean is over; ``counts`` is ``177 / 212`` where the value is a
    share of rows, else the table of two classes, else how many rows there are.
    """

    record: Measure
    name: str
    counts: str
    over: str = ""

    @property
    def value(self) -> str:
        """The value as printed, or the word for its state."""
        return said_value(self.record)

    @property
    def limits(self) -> str:
        """``0.779 to 0.879``; empty where there is no interval."""
        interval = self.record.interval
        return (
            "" if interval is None else limits_text(interval.low, interval.high, self.record.value)
        )

    @property
    def method(self) -> str:
        """The method of its interval; empty where there is none."""
        return "" if self.record.interval is None else method_text(self.record.interval.method)

    @property
    def reason(self) -> str:
        """Why it has no value, or no interval; empty where it has both."""
        m = self.record
        return "" if m.interval is not None else prose(m.reason or m.interval_reason or "")

    @property
    def tables(self) -> str:
        """The names of the tables that it stands on."""
        names = _tables_of(self.record)
        more = len(names) - MOST_NAMED
        return ", ".join(names) if more < 1 else f"{', '.join(names[:MOST_NAMED])} and {more} more"


Headline = Mapping[View, Sequence[HeadlineRow]]


def headline_of(contents: Contents, most: int | None = None) -> dict[View, list[HeadlineRow]]:
    """The frame: the rows of each model on each dataset, best first, means above what they are of.

    ``most``: so many measures of each model, all by default.
    """
    return {
        view: [row for m in own[:most] for row in _rows(contents, m)]
        for view in best_first(contents)
        if (own := headline_measures(contents, view))
    }


def headline_measures(contents: Contents, view: View) -> list[Measure]:
    """One measure of each metric of a model: of all rows, at its first threshold.

    Those of page one lead. With two classes it is that of the positive one; with more the value
    over all classes, else the first average, and that of each class only where a criterion is on
    it or there is nothing else. Indeterminate predictions counted for and against make two.
    """
    pooled = contents.pooled(view)
    known = {identity(m): m for m in pooled}
    # in the order of the best model, whose metrics lead page one
    of_best = headline_identities(contents, best_first(contents)[:1])
    keys = dict.fromkeys([*of_best, *headline_identities(contents, (view,))])
    leading = [known[key] for key in keys if key in known]
    by_metric: dict[tuple[object, ...], list[Measure]] = {}
    for m in pooled:
        key = (m.metric, identity(m).params, m.indeterminate)
        by_metric.setdefault(key, []).append(m)
    found = {m.id: m for m in leading}
    for own in by_metric.values():
        over_all = [m for m in own if not contents.names_class(m)]
        chosen = [min(over_all, key=lambda m: average_rank(contents, m))] if over_all else own
        found |= {m.id: m for m in chosen}
    return list(found.values())


def _rows(contents: Contents, m: Measure) -> Iterator[HeadlineRow]:
    """The row of a measure; the mean over readers or over folds is a row above it."""
    title, name = contents.title(m), name_words(contents, m)
    if m.indeterminate is not None:
        name = f"{name}, {_INDETERMINATE[m.indeterminate]}"
    leading = contents.mean_of(m)
    if leading is not None:
        over, mean = leading
        if isinstance(mean, ReaderMean):
            record = replace(
                m,
                state="value",
                value=mean.value,
                interval=mean.interval,
                interval_reason=mean.reason,
            )
            counts = counted(len(mean.readers), "reader")
        else:
            record, counts = mean, counted(len(mean.tables or ()), "fold")
            name = f"{name}, {POOLED_FOLDS}"
        yield HeadlineRow(record, f"{title}, {over}", counts, over)
    yield HeadlineRow(m, name, _counts(contents, m))


def _counts(contents: Contents, m: Measure) -> str:
    share, table = share_of_rows(contents, m), contents.table_of(m.table)
    flat = None if table is None else flat_counts(table)
    if share or not flat:
        return share or f"n {count_text(m.n)}"
    return " ".join(f"{name} {count_text(flat[name])}" for name in contents.flat)


def name_words(contents: Contents, m: Measure) -> str:
    """What the page calls a measure; of a study of readers it says that readings are pooled."""
    name = contents.title(m)
    return f"{name}, {POOLED}" if contents.pools_readings(m) else name


def left_out(contents: Contents, headline: Headline) -> str:
    """How many measures of each kind are in the results and not among these, in words."""
    shown = {row.record.id for own in headline.values() for row in own}
    kinds = dict.fromkeys(
        (
            "of single classes",
            "of other averages",
            "of subgroups",
            "of folds",
            "at other thresholds",
        ),
        0,
    )
    for view in contents.views:
        at_first = contents.at_first(view)
        for m in contents.of_view(view):
            if m.id in shown:
                continue
            if m.subgroup:
                kinds["of subgroups"] += 1
            elif m.fold is not None:
                kinds["of folds"] += 1
            elif not at_first(m):
                kinds["at other thresholds"] += 1
            elif contents.names_class(m):
                kinds["of single classes"] += 1
            else:
                kinds["of other averages"] += 1
    told = [f"{count_text(number)} {kind}" for kind, number in kinds.items() if number]
    return f"Measures not shown here: {listed(told)}; results.json has all of them." if told else ""


def headline_tables(results: Results, headline: Headline) -> tuple[list[Table], int]:
    """The tables that these measures stand on, and how many more the report has.

    Those of folds are left to the report, and those of too many classes.
    """
    rows = [row for own in headline.values() for row in own]
    ids = dict.fromkeys(i for row in rows for i in _tables_of(row.record) if results.has_table(i))
    pooled = dict.fromkeys(i for row in rows if not row.over for i in _tables_of(row.record))
    own = [results.table(i) for i in ids if i in pooled]
    printed = [t for t in own if t.counts is not None and len(t.labels) <= MOST_CLASSES]
    shown = printed[:MOST_TABLES]
    return shown, len(ids) - len(shown)


def _tables_of(m: Measure) -> list[str]:
    """The table of a measure, or those of the labels that it is taken over."""
    return [m.table] if m.table else [name for name in m.tables or () if name]


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


def more_tables(count: int) -> str:
    """How many tables are left to the report."""
    return f"The report has {counted(count, 'more table')}."


def limits_head(headline: Headline) -> str:
    """The head of a column of limits: ``95 % limits``, or ``limits`` where levels differ."""
    levels = {
        row.record.interval.level
        for own in headline.values()
        for row in own
        if row.record.interval is not None
    }
    return f"{level_text(levels.pop())} limits" if len(levels) == 1 else "limits"


def view_words(contents: Contents, view: View) -> str:
    """A model with its decision, and its dataset where there are several."""
    decided = decided_words(contents, view)
    return f"{label_text(view[0])}, {decided}" if len(contents.datasets) > 1 else decided


def decided_words(contents: Contents, view: View) -> str:
    """A model with its decision: ``logistic, score ≥ 0.50``."""
    threshold, _ = contents.first_threshold(view)
    at = "" if threshold is None else f", {condition_text(threshold, contents.operator(view))}"
    return f"{label_text(view[1])}{at}"
