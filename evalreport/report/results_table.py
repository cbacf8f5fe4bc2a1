"""The table of results on the first page: primary metric first, every row with its own limit."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

from evalreport.metrics.catalogue import find
from evalreport.metrics.methods import method_title
from evalreport.numbers import (
    count_text,
    level_text,
    observed_text,
    threshold_text,
    value_text,
)
from evalreport.report.cards import interval_text, number_of, outcome_cell, whisker_of
from evalreport.report.contents import Contents, View, identity, view_of
from evalreport.report.criteria import margin_of, requirement_text
from evalreport.report.leading import headline_identities
from evalreport.report.marking import flat_counts
from evalreport.report.model import Head, Line, TableBlock
from evalreport.report.pieces import LineCell
from evalreport.report.words import (
    MEAN,
    OVER_FOLDS,
    POOLED,
    POOLED_FOLDS,
    condition_text,
    counted,
    prose,
    subgroup_text,
)
from evalreport.report.worst import share_of_rows, sign_of
from evalreport.results import records
from evalreport.results.identity import MEAN_OF_FOLDS
from evalreport.results.records import Measure, rank_of

#: Rows of models and metrics on the first page, fewer metrics of more models; in large type.
MOST_ROWS, FEW_ROWS = 10, 4
#: Limits on single groups and classes that are listed beside the metrics.
MOST_MORE_LIMITS = 6
LOWER = "Lower is better"
#: Distances of the ends of the axis, for ranges up to so wide.
STEPS = ((0.05, 0.01), (0.25, 0.05), (2.0, 0.1))


def results_tables(contents: Contents, views: Sequence[View]) -> list[TableBlock]:
    """The table of these views, and that of what is better lower; none of nothing measured.

    The one that has the first metric stands first.
    """
    rows = _rows(contents, views)
    found: dict[str, list[tuple[Measure, str]]] = {}
    for row in rows:
        caption = LOWER if sign_of(row[0].metric) < 0 else "Results"
        found.setdefault(caption, []).append(row)
    first = next(iter(found), "")
    return [
        _results(contents, own, f"Results. {LOWER}" if caption == first == LOWER else caption)
        for caption, own in found.items()
    ]


def criteria_in(contents: Contents, views: Sequence[View]) -> list[records.Criterion]:
    """The criteria of which the table of these views says all: value, limit held, requirement."""
    return [
        own[0]
        for m, _ in _rows(contents, views)
        if len(own := contents.criteria.get(m.id, [])) == 1 and _says_all(own[0], m)
    ]


def _says_all(entry: records.Criterion, m: Measure) -> bool:
    plain = entry.reference is None and entry.claim is None and not entry.readers
    if not plain or entry.exploratory or entry.reason or entry.look is not None or entry.limits:
        return False
    if (entry.breaches_in_a_row or 0) > 1 or entry.observed is None or entry.required is None:
        return False
    if observed_text(entry.observed, entry.required) != value_text(entry.observed):
        # digits that decide are printed only where it is held against its limit
        return False
    ends = {"point": m.value}
    if m.interval is not None:
        ends |= {"lower": m.interval.low, "upper": m.interval.high}
    return ends.get(entry.bound) == entry.observed


def _rows(contents: Contents, views: Sequence[View]) -> list[tuple[Measure, str]]:
    """The measures of the table with what is said of their place, metric by metric."""
    found: dict[str, tuple[Measure, str]] = {}
    room, pooled = FEW_ROWS if contents.large else MOST_ROWS, ""
    for place, key in enumerate(headline_identities(contents, views[:1])):
        own = [m for view in views for m in contents.pooled(view) if identity(m) == key]
        # that a rule without scores has no ROC AUC tells nothing
        own = [m for m in own if m.state != "not_applicable" or contents.criteria.get(m.id)]
        room -= len(own)
        if place and room < 0:
            break
        # limits that allow for the variation of training come first
        first = own if not place else ()
        means = {m.id: mean for m in first if (mean := contents.mean_over_folds(m)) is not None}
        found |= {mean.id: (mean, OVER_FOLDS) for mean in means.values()}
        # beside means over folds every other value says what it is of
        pooled = POOLED_FOLDS if means else pooled
        for m in own:
            found.setdefault(m.id, (m, pooled))
    judged = sorted(contents.of(records.Criterion), key=lambda c: rank_of(c.outcome))
    limits = [contents.measure_of(c.measure) for c in judged]
    more = [m for m in limits if m is not None and m.id not in found]
    if contents.large:
        # limits that other models fail are named in the sentence on what decided
        more = [m for m in more if (m.dataset, m.model) in views]
    for m in more[:MOST_MORE_LIMITS]:
        found.setdefault(m.id, (m, ""))
    return list(found.values())


def _results(contents: Contents, rows: Sequence[tuple[Measure, str]], caption: str) -> TableBlock:
    judged = any(contents.criteria.get(m.id) for m, _ in rows)
    axis = _axis(contents, [m for m, _ in rows])
    levels = {m.interval.level for m, _ in rows if m.interval}
    ranges = [found for m, _ in rows if (found := _range_of_folds(contents, m))]
    columns = [
        Head(""),
        Head("model"),
        Head(
            "found / of" if all("/" in one for one in ranges) else "found / of, or range", "right"
        ),
        Head("value", "right"),
        Head(f"{level_text(levels.pop())} limits" if len(levels) == 1 else "limits", "right"),
    ]
    columns += [Head("required", "right")] if judged else []
    columns.append(Head("axis"))
    columns += [Head("outcome")] if judged else []
    named = [(m, _titled(contents, m, words)) for m, words in rows]
    asked: dict[str, set[str]] = {}
    for m, title in named:
        asked.setdefault(title, set()).add(_required(_judged_by(contents, m)))
    lines = []
    previous = None
    for m, title in named:
        mean = contents.mean_over_readers(m)
        if mean is not None:
            own = _required(_judged_by(contents, m, readers=True))
            above = f"{contents.title(m)}, {MEAN}"
            lines.append(_line(contents, m, above, None, own if judged else None, mean))
        again = title == previous
        # one requirement for all models of a metric stands once
        required = "" if again and len(asked[title]) == 1 else _required(_judged_by(contents, m))
        shown = "" if again else title
        lines.append(_line(contents, m, shown, axis, required if judged else None))
        previous = title
    ticks = () if axis is None else (axis[0], (axis[0] + axis[1]) / 2, axis[1])
    return TableBlock(
        caption,
        tuple(columns),
        tuple(lines),
        style="results kept",
        ticks=tuple(threshold_text(round(tick, 3)) for tick in ticks),
    )


def _titled(contents: Contents, m: Measure, words: str) -> str:
    """What a row is of: the metric, what is said of its place or its group, another threshold."""
    told = [contents.title(m), words, POOLED if contents.pools_readings(m) else ""]
    if m.subgroup and not any(told[1:]):
        told.append(subgroup_text(m.subgroup))
    if _elsewhere(contents, m):
        told.append(condition_text(m.threshold, contents.operator(view_of(m))))
    return ", ".join(filter(None, told))


def _elsewhere(contents: Contents, m: Measure) -> bool:
    """Whether it is at another threshold than the first of its model."""
    return not contents.at_first(view_of(m))(m)


def _judged_by(contents: Contents, m: Measure, *, readers: bool = False) -> list[records.Criterion]:
    """The criteria of a measure, or of its mean over ``readers``, the gravest first."""
    own = (c for c in contents.criteria.get(m.id, []) if bool(c.readers) == readers)
    return sorted(own, key=lambda c: (rank_of(c.outcome), margin_of(contents, c)))


def _line(
    contents: Contents,
    m: Measure,
    title: str,
    axis: tuple[float, float] | None,
    required: str | None,
    mean: records.ReaderMean | None = None,
) -> Line:
    """A row of the table, or above that of pooled readings the one of their ``mean``.

    Without a title it is of what the row above is of; ``required`` is None where no row is judged.
    """
    one = next(iter(_judged_by(contents, m, readers=mean is not None)), None)
    if mean is None:
        found = _range_of_folds(contents, m) or share_of_rows(contents, m)
        value = LineCell(number=number_of(contents, m, whisker=False), strong=True)
        # why a value has no limits, in a word or a few
        reason = "" if m.value is None else prose(m.interval_reason or "")
        limits = interval_text(m.interval, m.value) or re.split("[:;]", reason)[0]
    else:
        found = counted(len(mean.readers), "reader")
        value = LineCell(value_text(mean.value or 0.0), strong=True)
        limits = interval_text(mean.interval, mean.value)
    apart = mean is None and (bool(m.subgroup) or _elsewhere(contents, m))
    table = contents.table_of(m.table) if apart else None
    flat = None if table is None else flat_counts(table)
    counts = tuple((name, count_text(flat[name])) for name in contents.flat) if flat else ()
    cells = [
        LineCell(title, head=bool(title), counts=counts),
        LineCell(mark=contents.mark(view_of(m))),
        LineCell(found),
        value,
        LineCell(limits),
        *([] if required is None else [LineCell(required)]),
        LineCell(whisker=whisker_of(contents, m, one, axis) if axis and _on_axis(m) else None),
    ]
    if required is not None:
        cells.append(LineCell() if one is None else outcome_cell(one.outcome))
    return Line(tuple(cells), whole=True, table=m.table or "" if flat else "", rule=bool(title))


def _required(own: Sequence[records.Criterion]) -> str:
    """What the first of these criteria requires, and how many more there are."""
    if not own:
        return ""
    entry, more = own[0], len(own) - 1
    if entry.required is None or entry.claim is not None:
        return "as printed" if entry.claim is not None else ""
    bound = {"lower": "lower ", "upper": "upper "}.get(entry.bound, "")
    by = "" if entry.limits is None else f", {method_title(entry.limits.method)}"
    what = "difference " if entry.reference else ""
    told = f"{what}{bound}{requirement_text(entry)}{by}"
    return f"{told} and {more} more" if more else told


def _range_of_folds(contents: Contents, m: Measure) -> str:
    """The folds with the least and the most value beside a mean over folds: in counts if any.

    As ``folds 17/22 to 21/21``; nothing beside any other value.
    """
    if m.fold != MEAN_OF_FOLDS:
        return ""
    at = (identity(m), m.threshold, m.threshold_rule)
    folds = [
        one
        for one in contents.of_view((m.dataset, m.model))
        if one.fold not in (None, MEAN_OF_FOLDS) and not one.subgroup and one.value is not None
        if (identity(one), one.threshold, one.threshold_rule) == at
    ]
    if not folds:
        return ""
    ends = [pick(folds, key=lambda one: one.value or 0.0) for pick in (min, max)]
    told = [share_of_rows(contents, one).replace(" ", "") for one in ends]
    told = told if all(told) else [value_text(one.value or 0.0) for one in ends]
    return f"folds {told[0]} to {told[1]}"


def _on_axis(m: Measure) -> bool:
    """Whether a value has a place on the axis: a share from 0 or from -1 to 1, or any loss."""
    declared = find(m.metric)
    if declared is None or m.value is None or m.value < 0:
        return False
    return sign_of(m.metric) < 0 or declared.range_of(3) in {(0.0, 1.0), (-1.0, 1.0)}


def _axis(contents: Contents, measures: Iterable[Measure]) -> tuple[float, float] | None:
    """Where the values, limits and requirements of the rows lie, on round numbers."""
    found: list[float] = []
    most = 1.0
    for m in measures:
        if not _on_axis(m) or m.value is None:
            continue
        found.append(m.value)
        ends = [m.interval.low, m.interval.high] if m.interval else []
        found += filter(math.isfinite, ends)
        found += contents.required(m)
        most = max(most, m.value) if sign_of(m.metric) >= 0 else math.inf
    if not found:
        return None
    low, high = max(0.0, min(found)), min(most, max(found))
    step = next((step for wide, step in STEPS if high - low <= wide), None)
    step = 10 ** math.floor(math.log10(high - low)) if step is None else step
    low, high = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
    if low == high:
        low, high = max(0.0, low - step), min(most, high + step)
    return round(low, 2), round(high, 2)
