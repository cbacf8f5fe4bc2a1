"""Sections that lay tables flat: subgroups, thresholds, folds."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from evalreport.metrics.catalogue import find, named_within
from evalreport.metrics.properties import is_of_truth_alone
from evalreport.numbers import count_text, threshold_text, value_text
from evalreport.report.charts.points import spread_over
from evalreport.report.choosing import threshold_choosers
from evalreport.report.classes import against_the_rest, counts_of_each, pooled_counts
from evalreport.report.columns import Column, across, right, table_of
from evalreport.report.contents import Contents, View, grouped, identity, view_of
from evalreport.report.forest_charts import (
    forest_chart,
    most_groups,
    over_groups,
    squares_text,
    worst_words,
)
from evalreport.report.front_room import lines_of_room
from evalreport.report.gaps import gap_blocks, impact_blocks
from evalreport.report.leading import best_first, headline_identities
from evalreport.report.model import Block, TableBlock, TablePair, Text
from evalreport.report.sections import section
from evalreport.report.strips import (
    ACROSS,
    Row,
    measures_strip,
    metric_strip,
    slice_heads,
    tables_strip,
)
from evalreport.report.words import (
    POOLED,
    column_text,
    condition_text,
    counted,
    label_text,
    listed,
    prose,
    visible,
)
from evalreport.report.worst import FEWEST, compares_groups, sign_of, stands_on_few
from evalreport.results.identity import Quantity
from evalreport.results.records import Curve, Gap, Heterogeneity, Impact, Measure, Table, Threshold

#: Thresholds of a sweep up to which all are printed, and how many of longer ones are.
WHOLE_SWEEP, SWEEP_LINES = 11, 11
#: Metrics of periods that are shown: the course of others is drawn and tested.
OWN_OF_PERIODS = 2
TOO_FEW = "not to be relied on"


def wanted(contents: Contents, m: Measure) -> bool:
    """Whether a measure belongs in slices: of two classes, or over all classes."""
    view = (m.dataset, m.model)
    return contents.is_binary(view) or m.label is None


@section(
    "subgroups",
    "Subgroups",
    of=(Gap, Heterogeneity, Impact),
    intro="Read the width of an interval first: few rows are little evidence.",
)
def subgroups_section(contents: Contents) -> list[Block]:
    """Every subgroup, then the gaps between them, then selection rates and impact ratios."""
    blocks = subgroup_blocks(contents)
    if not blocks:
        return []
    return [*blocks, *gap_blocks(contents), *impact_blocks(contents)]


def subgroup_blocks(contents: Contents) -> list[Block]:
    """Every declared subgroup: strips of the leading metrics, then the rest side by side."""
    periods = contents.period_columns
    blocks: list[Block] = []
    for columns, measures in _sliced(contents).items():
        if columns not in periods:
            blocks += _of_columns(contents, columns, measures)
    return blocks


def period_strips(contents: Contents) -> list[Block]:
    """The same for periods of time, the newest ones."""
    blocks: list[Block] = []
    for columns, measures in _sliced(contents).items():
        if columns in contents.period_columns:
            blocks += _of_columns(contents, columns, measures, newest=True)
    return blocks


def _sliced(contents: Contents) -> dict[tuple[str, ...], list[Measure]]:
    """The measures of subgroups at the first threshold, by the columns that make the groups."""
    found: dict[tuple[str, ...], list[Measure]] = {}
    for m in contents.measures:
        view = (m.dataset, m.model)
        if m.subgroup and m.fold is None and contents.at_first(view)(m) and wanted(contents, m):
            found.setdefault(tuple(m.subgroup), []).append(m)
    return found


def _of_columns(
    contents: Contents, columns: tuple[str, ...], measures: list[Measure], *, newest: bool = False
) -> list[Block]:
    name = " and ".join(map(column_text, columns))
    whole = [m for v in contents.views for m in contents.pooled(v) if wanted(contents, m)]
    by = None if newest else _leading_metric(contents, measures)
    worst_by = None if _are_bins(contents, columns) else by
    slices = _worst_first(measures, worst_by)
    if newest:
        slices.sort()
    most = most_groups(len(contents.views))
    kept = slices[-most:] if newest else slices[:most]
    blocks: list[Block] = _said_of_groups(contents, name, measures, worst_by)
    if len(slices) > most:
        blocks.append(
            Text(
                f"{'The newest ' if newest else 'The first ' if by else ''}{most} of {len(slices)} "
                f"{'periods' if newest else 'subgroups'} by {name}; the others are in results.json "
                "and measures.csv."
            )
        )
    measures = [m for m in measures if slice_heads(m.subgroup) in kept]
    same = {i: ms for i, ms in grouped([*whole, *measures]).items() if any(m.subgroup for m in ms)}
    ranked = sorted(same, key=lambda i: (i != by, _rank(contents, same[i])))
    leading = ranked[:OWN_OF_PERIODS] if newest else []
    flat = all(contents.is_binary(v) for v in contents.views)
    if not newest and columns != _front_columns(contents):
        blocks += _plot(contents, columns, measures, beside=False)
    for i in leading:
        rows = _ordered(contents, same[i], slices)
        of_readings = _readings(contents, same[i])
        title = f"{contents.title(same[i][0])} by {name}{of_readings}{_at(contents, same[i][0])}"
        blocks.append(metric_strip(contents, title, rows, [name]))
    others = [] if newest else _side_by_side(contents, same)
    # what holds for all rows stands in the sections of metrics
    rest = [m for i in others for m in same[i] if m.subgroup]
    if rest:
        rows = _merged(contents, _ordered(contents, rest, slices))
        blocks += measures_strip(
            contents,
            f"Metrics by {name}{_readings(contents, rest)}",
            rows,
            [name],
            flat=flat,
        )
    if not newest:
        blocks += _classes_in_groups(contents, columns, name, kept)
    blocks += _left_out(len(same) - len(leading) - len(others), f"by {name}")
    return blocks


def _side_by_side(
    contents: Contents, keys: Iterable[Quantity], most: int = ACROSS
) -> list[Quantity]:
    """As many metrics as stand beside each other, those of the first page first."""
    first = headline_identities(contents, contents.views)
    return sorted(keys, key=lambda key: first.index(key) if key in first else len(first))[:most]


def _left_out(metrics: int, where: str) -> list[Block]:
    """That so many metrics are in the results alone."""
    if metrics <= 0:
        return []
    told = f"{counted(metrics, 'more metric')} {where}: see results.json and measures.csv."
    return [Text(told, "small")]


def front_groups(contents: Contents, *, beside: bool) -> list[Block]:
    """The plot of groups that stands on the first page; ``beside`` its square chart."""
    columns = _front_columns(contents)
    measures = [] if columns is None else _sliced(contents)[columns]
    return [] if columns is None else _plot(contents, columns, measures, beside=beside)


def _front_columns(contents: Contents) -> tuple[str, ...] | None:
    """The first columns whose groups have room on the first page; None without any."""
    room = lines_of_room(contents)
    for columns, measures in _sliced(contents).items() if room else ():
        groups = _plotted(contents, columns, measures)
        if groups and len(over_groups(contents, groups).rows) <= room:
            return columns
    return None


def _plotted(
    contents: Contents, columns: tuple[str, ...], measures: Sequence[Measure]
) -> dict[str, list[Measure]]:
    """The leading metric of all rows and in each group of some columns, the worst group first.

    Bins stand in their order; periods, and groups without such a metric, have no plot.
    """
    by = None if columns in contents.period_columns else _leading_metric(contents, measures)
    if by is None:
        return {}
    slices = _worst_first(measures, None if _are_bins(contents, columns) else by)
    whole = [m for v in contents.views for m in contents.pooled(v) if wanted(contents, m)]
    # that a rule without scores has no ROC AUC tells nothing
    known = [m for m in (*whole, *measures) if m.state != "not_applicable"]
    views = best_first(contents)
    same = sorted((m for m in known if identity(m) == by), key=lambda m: views.index(view_of(m)))
    return _by_group(same, slices[: most_groups(len(contents.views))])


def _plot(
    contents: Contents, columns: tuple[str, ...], measures: Sequence[Measure], *, beside: bool
) -> list[Block]:
    """The leading metric in every group on one axis; what a first page says of them is not said."""
    groups = _plotted(contents, columns, measures)
    if not groups:
        return []
    first = next(m for own in groups.values() for m in own)
    caption = f"{contents.title(first)} by {' and '.join(map(column_text, columns))}"
    shown = over_groups(contents, groups)
    # the lines of hollow squares say "too few"
    aside = "" if beside else squares_text(shown)
    finding = "" if beside else worst_words(contents, groups, "")
    return [forest_chart(shown, caption, aside, "subgroups", finding, beside=beside)]


def leading_groups(
    contents: Contents, dataset: str, metric: str | None = None
) -> dict[str, list[Measure]] | None:
    """The measures of one metric of all rows and of the first subgroups of a dataset, in order.

    None where there are none.
    """
    for columns, measures in _sliced(contents).items():
        if columns in contents.period_columns:
            continue
        own = [m for m in measures if m.dataset == dataset and metric in (None, m.metric)]
        by = _leading_metric(contents, own) or next((identity(m) for m in own), None)
        if by is None:
            continue
        whole = [m for v in contents.views if v[0] == dataset for m in contents.pooled(v)]
        same = [m for m in [*whole, *own] if identity(m) == by]
        return _by_group(same, _worst_first(own, None if _are_bins(contents, columns) else by))
    return None


def _by_group(measures: Sequence[Measure], slices: Sequence[str]) -> dict[str, list[Measure]]:
    """The measures of one metric by their group in this order, those of all rows first."""
    found: dict[str, list[Measure]] = {name: [] for name in ("all rows", *slices)}
    for m in measures:
        if slice_heads(m.subgroup) in found:
            found[slice_heads(m.subgroup)].append(m)
    return found


def _said_of_groups(
    contents: Contents, name: str, measures: Sequence[Measure], by: Quantity | None
) -> list[Block]:
    """The order that groups stand in, and what is meant by a small n."""
    told = []
    if by is not None and len({slice_heads(m.subgroup) for m in measures}) > 1:
        worst = contents.title(next(m for m in measures if identity(m) == by))
        several = len({(m.dataset, m.model) for m in measures}) > 1
        of = " of the model worst there" if several else ""
        told.append(f"Groups by {name}: worst first, by {worst}{of}.")
    if any(stands_on_few(contents, m) for m in measures):
        least = count_text(contents.spec.get("subgroup_minimum") or FEWEST)
        few = f"fewer than {least} rows in the group or in the denominator"
        told.append(f"Too few, or small n: {few}; {TOO_FEW}.")
    return [Text(" ".join(told), "small")] if told else []


def _readings(contents: Contents, measures: Sequence[Measure]) -> str:
    """That rows are readings by several readers, put together, of all or of these datasets."""
    own = {m.dataset: contents.pools_readings(m) for m in measures}
    if all(own.values()):
        return f", {POOLED}"
    named = [label_text(dataset) for dataset, several in own.items() if several]
    return f", readings of {listed(named)} pooled" if named else ""


def _classes_in_groups(
    contents: Contents, columns: tuple[str, ...], name: str, kept: Sequence[str]
) -> list[Block]:
    """Each of several classes, or labels, in each group: its counts against the others first.

    ``kept`` are the groups in their order.
    """
    found: dict[tuple[str, str, View], list[Measure]] = {}
    for m in contents.measures:
        view = (m.dataset, m.model)
        if m.label is None or m.average is not None or m.fold is not None:
            continue
        if tuple(m.subgroup) != columns or slice_heads(m.subgroup) not in kept:
            continue
        if not contents.is_binary(view) and contents.at_first(view)(m):
            few = [slice_heads(m.subgroup)] if m.few else []
            found.setdefault((_head(m, few), m.label, view), []).append(m)
    if not found:
        return []
    rows = []
    for (head, label, view), own in found.items():
        table = None if contents.has_sets(view) else contents.table_of(own[0].table)
        heads = (head, label_text(label))
        rows.append(Row(heads, tuple(own), " ".join(heads), against_the_rest(table, label)))
    classes = {label: k for k, label in enumerate(dict.fromkeys(row.heads[1] for row in rows))}
    views = best_first(contents)
    rows.sort(
        key=lambda row: (
            kept.index(slice_heads(row.measures[0].subgroup)),
            classes[row.heads[1]],
            views.index(view_of(row.measures[0])),
        )
    )
    sets = all(contents.has_sets(view) for _, _, view in found)
    title = f"{'Labels' if sets else 'Classes'} by {name}"
    return [*measures_strip(contents, title, rows, [name, "label" if sets else "class"])]


def _rank(contents: Contents, measures: Sequence[Measure]) -> tuple[bool, int]:
    """Metrics under a criterion come first, those of scores last."""
    judged = any(m.id in contents.criteria for m in measures)
    return (not judged, 1 if contents.is_of_scores(measures[0]) else 0)


def _at(contents: Contents, m: Measure) -> str:
    if m.threshold is None:
        return ""
    return f", {condition_text(m.threshold, contents.operator((m.dataset, m.model)))}"


def _ordered(contents: Contents, measures: Sequence[Measure], slices: list[str]) -> list[Row]:
    place = {name: k for k, name in enumerate(["all rows", *slices])}
    views = {view: k for k, view in enumerate(best_first(contents))}
    ranked = sorted(
        measures,
        key=lambda m: (place.get(slice_heads(m.subgroup), 0), views[m.dataset, m.model]),
    )
    # beside several metrics it is said of the rows alone: shares have denominators of their own
    one = len({identity(m) for m in measures}) == 1
    few = {
        slice_heads(m.subgroup) for m in measures if (stands_on_few(contents, m) if one else m.few)
    }
    return [Row((_head(m, few),), (m,), slice_heads(m.subgroup)) for m in ranked]


def _leading_metric(contents: Contents, measures: Sequence[Measure]) -> Quantity | None:
    """The first metric of the report that groups have values of and that is better one way.

    Those that the share of positives in a group moves come last.
    """
    measured = {identity(m) for m in measures if m.value is not None}
    views = list(dict.fromkeys((m.dataset, m.model) for m in measures))
    keys = [k for k in headline_identities(contents, views) if k in measured and sign_of(k.metric)]
    return min(keys, key=lambda k: not compares_groups(contents, k, views), default=None)


def _are_bins(contents: Contents, columns: Sequence[str]) -> bool:
    """Whether groups are intervals of the numbers of one column, which have an order."""
    declared = contents.spec.get("subgroups") or ()
    parts = [part for group in declared if isinstance(group, list) for part in group]
    binned = {part["column"] for part in (*declared, *parts) if isinstance(part, Mapping)}
    return len(columns) == 1 and columns[0] in binned


def _worst_first(measures: Sequence[Measure], by: Quantity | None) -> list[str]:
    """The groups by their worst value over the models, those without one last; else as they are."""
    values: dict[str, float] = {}
    for m in measures:
        if m.value is not None and identity(m) == by:
            head = slice_heads(m.subgroup)
            values[head] = min(sign_of(m.metric) * m.value, values.get(head, math.inf))
    slices = dict.fromkeys(slice_heads(m.subgroup) for m in measures)
    return sorted(slices, key=lambda head: values.get(head, math.inf))


def _head(m: Measure, few: Collection[str]) -> str:
    """The values of a subgroup, and a warning where it has too few rows."""
    head = slice_heads(m.subgroup)
    return f"{head}, small n" if m.subgroup and head in few else head


def _merged(contents: Contents, rows: Sequence[Row]) -> list[Row]:
    """One row per slice and model, its measures side by side."""
    found: dict[tuple[Any, ...], list[Measure]] = {}
    groups: dict[tuple[Any, ...], Row] = {}
    for row in rows:
        m = row.measures[0]
        key = (row.heads, m.dataset, m.model, m.table)
        found.setdefault(key, []).append(m)
        groups.setdefault(key, row)
    return [
        Row(groups[k].heads, tuple(ms), groups[k].group, _pooled(contents, ms))
        for k, ms in found.items()
    ]


def _pooled(contents: Contents, measures: Sequence[Measure]) -> Mapping[str, Any] | None:
    """The counts of all labels together, of rows that have sets of them, else of each class."""
    ids = next((m.tables for m in measures if m.tables), None) or ()
    whole = counts_of_each(contents.table_of(measures[0].table))
    return whole or pooled_counts([contents.tables[i] for i in ids if i in contents.tables])


@section(
    "thresholds",
    "Thresholds",
    of=(Threshold, Curve),
    intro="A threshold chosen on the rows it is judged on is exploratory: its values "
    "are optimistic.",
)
def thresholds_section(contents: Contents) -> list[Block]:
    """Every threshold used, and the sweep; on screen one threshold of it at a time as well."""
    if contents.words.brief:
        return threshold_blocks(contents)
    return [
        *threshold_blocks(contents),
        *sweep_tables(contents),
        *threshold_choosers(contents),
    ]


#: Metrics at every threshold in a short report, which has its fonts from the reader.
FEW_ACROSS = 3
#: Rows from which on the counts of a table take so much room that models stand apart.
WIDE_COUNTS = 100_000_000


def threshold_blocks(contents: Contents) -> list[Block]:
    """The same rows at every threshold, exploratory ones marked, and the sweep."""
    together: dict[tuple[str, bool, View | None], list[View]] = {}
    for view in best_first(contents):
        if len(contents.thresholds(view)) > 1:
            # beside the names of models there is no room for counts of thousands of millions
            alone = view if (contents.used(view) or 0) > WIDE_COUNTS else None
            together.setdefault((view[0], contents.is_binary(view), alone), []).append(view)
    blocks: list[Block] = []
    columns = ["threshold", "how it was set"]
    for (dataset, binary, _), views in together.items():
        rows = [row for view in views for row in _threshold_rows(contents, view)]
        one = len(views) == 1
        mark = contents.mark(views[0])
        of = "Other thresholds" if contents.words.brief else "Thresholds"
        title = f"{of}, {mark.symbol} {mark.name}" if one else of
        if not one and len(contents.datasets) > 1:
            title += f", {label_text(dataset)}"
        if any(_is_found(t) for view in views for t in contents.thresholds(view)):
            title += "; those chosen by a rule are exploratory, unless declared"
        if rows:
            most = FEW_ACROSS if contents.words.brief else ACROSS
            keys = list(dict.fromkeys(identity(m) for row in rows for m in row.measures))
            kept = _side_by_side(contents, keys, most)
            rows = [replace(row, measures=_of_metrics(row.measures, kept)) for row in rows]
            blocks += measures_strip(
                contents, title, rows, columns, flat=binary, with_model=not one
            )
            blocks += _left_out(len(keys) - len(kept), "at each threshold")
        elif binary:
            counts = [row for view in views for row in _counted_rows(contents, view)]
            blocks += tables_strip(contents, title, counts, columns, with_model=not one)
        for view in views:
            blocks += _missing_thresholds(contents, view, named=not one)
    return blocks


def _of_metrics(measures: Sequence[Measure], kept: Sequence[Quantity]) -> tuple[Measure, ...]:
    """The measures of these metrics, in the order of the metrics."""
    own = [m for m in measures if identity(m) in kept]
    return tuple(sorted(own, key=lambda m: kept.index(identity(m))))


def _threshold_rows(contents: Contents, view: View) -> Iterator[Row]:
    """A line for each threshold of a model at which something was measured.

    A short report has what holds at the first one in its results.
    """
    first = contents.first_threshold(view) if contents.words.brief else None
    for threshold in contents.thresholds(view):
        if (threshold.threshold, threshold.rule) == first:
            continue
        measures = tuple(_at_threshold(contents, view, threshold))
        if measures:
            heads = _threshold_heads(contents, view, threshold)
            yield Row(heads, measures, f"{view} {heads[0]} {heads[1]}")


def _counted_rows(contents: Contents, view: View) -> Iterator[tuple[tuple[str, ...], Table]]:
    """The same of thresholds at which rows were only counted."""
    for threshold in contents.thresholds(view):
        for table in contents.tables.values():
            plain = view_of(table) == view and not table.subgroup and table.fold is None
            here = (table.threshold, table.threshold_rule) == (threshold.threshold, threshold.rule)
            if plain and here and table.threshold is not None:
                yield _threshold_heads(contents, view, threshold), table


def _threshold_heads(contents: Contents, view: View, threshold: Threshold) -> tuple[str, ...]:
    told = rule_text(threshold.rule)
    # that those of a rule are exploratory stands in the caption
    told = told.removesuffix(", ") if _is_found(threshold) else f"{told}{threshold.status}"
    return (
        condition_text(threshold.threshold, contents.operator(view)),
        contents.said(view[0], told),
    )


def _is_found(threshold: Threshold) -> bool:
    """Whether a rule found it on the rows that it is judged on."""
    return bool(threshold.rule) and threshold.status == "exploratory"


def _missing_thresholds(contents: Contents, view: View, *, named: bool) -> Iterator[Block]:
    """Why a rule has no threshold."""
    of = f"{contents.mark(view).name}: " if named else ""
    for threshold in contents.thresholds(view):
        if threshold.threshold is None:
            why = f"{rule_text(threshold.rule)}no threshold: {prose(threshold.reason or '')}"
            yield Text(f"{of}{contents.said(view[0], why)}", "small")


def rule_text(rule: Any) -> str:
    """A threshold rule in words, ready to stand before its status.

    >>> rule_text("maximize youden_j"), rule_text("recall at_least 0.95"), rule_text(None)
    ("maximizes Youden's J, ", 'recall at least 0.95, ', '')
    """
    if not rule:
        return ""
    words = [_VERBS.get(word) or named_within(word) for word in visible(str(rule)).split(" ")]
    return f"{' '.join(words)}, "


_VERBS = {"maximize": "maximizes", "minimize": "minimizes"}


def _at_threshold(contents: Contents, view: View, threshold: Threshold) -> list[Measure]:
    """What was measured at a threshold; what follows from the true classes is the same at each."""
    found = []
    for m in contents.of_view(view):
        declared = find(m.metric)
        plain = not m.subgroup and m.fold is None and wanted(contents, m)
        plain = plain and not (declared and is_of_truth_alone(declared, m.params))
        here = (m.threshold, m.threshold_rule) == (
            threshold.threshold,
            threshold.rule,
        )
        if plain and here and m.threshold is not None:
            found.append(m)
    return found


def sweep_tables(contents: Contents) -> list[Block]:
    """A few lines of each sweep; the whole is in results.json."""
    tables: list[TableBlock] = []
    found = [c for c in contents.of(Curve) if c.kind == "sweep" and not c.subgroup]
    order = best_first(contents)
    for curve in sorted(found, key=lambda c: order.index(view_of(c))):
        points = curve.points
        total = len(points["threshold"])
        view = (curve.dataset, curve.model)
        mark = contents.mark(view)
        of = "" if contents.is_binary(view) else f" of {label_text(curve.label)}"
        lines = _lines_of_sweep(contents, curve)
        few = len(lines) < total
        note = f"{len(lines)} of {total} thresholds; all are in results.json." if few else ""
        title = f"Threshold sweep{of}, {mark.symbol} {mark.name}"
        tables.append(table_of(title, lines, _sweep_columns(contents, curve), note))
    return [TablePair(tuple(tables))] if tables else []


def _lines_of_sweep(contents: Contents, curve: Curve) -> list[int]:
    """The places that are printed: spread over all, thresholds in use among them."""
    at = curve.points["threshold"]
    lines = spread_over(len(at), len(at) if len(at) <= WHOLE_SWEEP else SWEEP_LINES)
    used = {t.threshold for t in contents.tables.values() if view_of(t) == view_of(curve)}
    for place in (k for k, threshold in enumerate(at) if threshold in used - {None}):
        free = [k for k in lines if at[k] not in used] or [place]
        nearest = min(free, key=lambda k: abs(k - place))
        if place not in lines:
            lines[lines.index(nearest)] = place
    return sorted(lines)


def _sweep_columns(contents: Contents, curve: Curve) -> list[Column[int]]:
    """The threshold, the counts and the shares of a point of a sweep, by its place."""
    points = curve.points

    def known(name: str, k: int, text: Callable[[float], str], otherwise: str) -> str:
        value = points[name][k]
        return otherwise if value is None else text(value)

    columns: list[Column[int]] = [
        right(
            contents.operator(view_of(curve)),
            lambda k: known("threshold", k, threshold_text, "above all"),
        )
    ]
    columns += across(
        [(contents.said(curve.dataset, name), name.lower()) for name in contents.flat],
        lambda name, k: count_text(points[name][k]),
    )
    shares = (("recall", "tpr"), ("FPR", "fpr"), ("precision", "precision"))
    return columns + across(
        [(contents.said(curve.dataset, head), name) for head, name in shares],
        lambda name, k: known(name, k, value_text, "undefined"),
    )
