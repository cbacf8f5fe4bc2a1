"""More than two classes: the whole table, what is confused with what, and each class by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evalreport.metrics.catalogue import find
from evalreport.metrics.declare import Metric
from evalreport.metrics.properties import same_number
from evalreport.numbers import count_text, share_text
from evalreport.report.charts.canvas import HALF, WHOLE, drawing, panel
from evalreport.report.charts.confusion import confusion
from evalreport.report.columns import Column, left, right, table_of
from evalreport.report.contents import Contents, View, view_of
from evalreport.report.count_tables import MOST_WHOLE, abreast, cell_counts, count_table
from evalreport.report.forest_charts import (
    forest_chart,
    most_groups,
    over_groups,
    squares_text,
    worst_words,
)
from evalreport.report.leading import best_first, front_views
from evalreport.report.marking import flat_counts, role_text
from evalreport.report.model import (
    Block,
    Chart,
    Charts,
    Heading,
    TableBlock,
    TablePair,
    Tables,
    Text,
)
from evalreport.report.pieces import ACTUAL_IN_ROWS, Orientation
from evalreport.report.sections import section
from evalreport.report.strips import Row, measures_strip
from evalreport.report.words import counted, label_text, listed, lower_first, rows_text
from evalreport.report.worst import by_class, worst_first
from evalreport.results.records import LabelLedger, Measure, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_CONFUSIONS = 10
#: Confusions beside a table of so many classes.
MOST_IN_ONE = 6
#: Classes of a table that is drawn; points of a cell of it, and of its side at most.
MOST_DRAWN, SQUARE, LARGEST = 60, 18.0, 300.0
#: Pairs of classes that are confused equally often and are all named.
MOST_TIED = 3
#: Classes in the plot of one metric: the worst ones, beside the lines of all below.
MOST_PLOTTED = 7
#: The same on the first page, below their tables.
MOST_ON_FRONT = 6
#: Classes with a line of their own; the others are in results.json.
MOST_LINES = 50
#: The counts of a class that averages over classes are made of, and what stands between them.
TERMS, DOT = ("TP", "FN", "FP"), "\N{NO-BREAK SPACE}·\N{NO-BREAK SPACE}"


@section("classes", "Classes", of=(LabelLedger,))
def class_blocks(contents: Contents) -> list[Block]:
    """The section on classes, view by view; empty with two classes."""
    blocks: list[Block] = []
    for view in best_first(contents):
        own = [*_tables(contents, view), *class_lines(contents, view)]
        if own:
            mark = contents.mark(view)
            blocks += [Heading(f"{mark.symbol} {mark.name}", _how_many(contents, view)), *own]
    return [*blocks, *_forests(contents)]


def joined_class_blocks(contents: Contents) -> list[Block]:
    """What the section on classes has beside the tables and the lines of each class."""
    blocks: list[Block] = []
    found: list[TableBlock] = []
    for view in best_first(contents):
        table = first_table(contents, view)
        if table is None or contents.is_binary(view) or contents.has_sets(view):
            continue
        if len(table.labels) > MOST_WHOLE:
            blocks += _confused(contents, table)
        elif len(contents.views) > 1:  # that of one model stands beside its table
            confusions = top_confusions(table, contents.orientation(table.dataset))
            if isinstance(confusions, TableBlock):
                name = f"{confusions.caption}, {contents.mark(view).name}"
                found.append(replace(confusions, caption=name))
        blocks += _asked_for(contents, view, contents.classes(view))
    pairs = [TablePair(tuple(found))] if found else []
    return [*pairs, *blocks, *_forests(contents)]


def _how_many(contents: Contents, view: View) -> str:
    one, many = ("label", "labels") if contents.has_sets(view) else ("class", "classes")
    return counted(len(contents.classes(view)), one, many)


def _tables(contents: Contents, view: View) -> list[Block]:
    """The table of a view with what is mistaken for what, or those of its labels."""
    table = first_table(contents, view)
    if contents.has_sets(view):
        return [Tables(tuple(count_table(contents, t) for t in label_tables(contents, view)), 2)]
    if table is None or contents.is_binary(view):
        return []
    return [*_confused(contents, table), *_asked_for(contents, view, contents.classes(view))]


def label_tables(contents: Contents, view: View) -> list[Table]:
    """The tables of labels that rows have sets of, each against its absence."""
    named = {m.table for m in contents.pooled(view)}
    named |= {str(i) for m in contents.pooled(view) for i in m.tables or ()}
    return [t for i, t in contents.tables.items() if i in named][:MOST_LINES]


def front_classes(contents: Contents, views: Sequence[View]) -> list[Block]:
    """The worst classes of the best model on one axis, where the first page has their tables.

    ``views`` are those of the first page, the best one first.
    """
    if contents.large:
        return []
    first = views[0]
    few = 2 < len(contents.classes(first)) <= MOST_WHOLE and not contents.has_sets(first)
    return [*_forest(contents, [first], MOST_ON_FRONT)] if few else []


def _forests(contents: Contents) -> list[Block]:
    """The plot of each dataset, but for one that the first page has."""
    found: list[Block] = []
    shown = front_views(contents) if "verdict" in contents.sections else []
    for dataset in contents.datasets:
        views = [view for view in best_first(contents) if view[0] == dataset]
        if views != shown[:1] or not front_classes(contents, shown):
            found += _forest(contents, views)
    return found


def _confused(contents: Contents, table: Table) -> list[Block]:
    """The table and what is mistaken for what: side by side, or with a picture of many classes."""
    confusions = top_confusions(table, contents.orientation(table.dataset))
    counts = count_table(contents, table)
    if confusions is None or isinstance(confusions, TableBlock):
        return [Tables((counts,), 2, aside=confusions)]
    drawn = len(table.labels) <= MOST_DRAWN and not table.extra_columns
    picture = [heat_map(contents, table)] if drawn else []
    return [Tables((counts,), 1), *picture, confusions]


def _forest(contents: Contents, views: Sequence[View], most: int = MOST_PLOTTED) -> list[Charts]:
    """One metric of every class of a dataset on one axis, worst first, models below each."""
    measures = [m for view in views for m in by_class(contents, view)]
    if not measures:
        return []
    order = worst_first(contents, views)
    kept = order[: min(most, most_groups(len({m.model for m in measures})))]
    groups = {label_text(x): [m for m in measures if m.label == x] for x in kept}
    shown = over_groups(contents, groups)
    kind = "label" if contents.has_sets(views[0]) else "class"
    caption = f"{shown.heads[1]} by {kind}"
    caption += f", {label_text(views[0][0])}" if len(contents.datasets) > 1 else ""
    one = len(views) == 1 and len(contents.views) > 1
    caption += f", {contents.mark(views[0]).name}" if one else ""
    few = f"The worst {len(kept)} of {len(order)}. " if len(kept) < len(order) else ""
    finding = worst_words(contents, groups, f"{kind} ")
    aside = f"{few}Worst first. {squares_text(shown)}"
    return [forest_chart(shown, caption, aside, "classes", finding)]


def confusion_on(axes: Axes, contents: Contents, table: Table) -> None:
    """A classification table as a heat map on these axes."""
    how = contents.orientation(table.dataset)
    order = _heat_map_order(contents, table)
    place = {table.labels.index(label): k for k, label in enumerate(order)}
    cells = {(place[i], place.get(j, j)): n for (i, j), n in cell_counts(table).items()}
    confusion(axes, [label_text(label) for label in order], cells, (how.actual, how.predicted))


def _heat_map_order(contents: Contents, table: Table) -> Sequence[str]:
    """The classes as the spec declares them, which may mean something, else worst first."""
    ledger = contents.label_record(view_of(table))
    if ledger is None or ledger.declared is not None:
        return table.labels
    return [x for x in worst_first(contents, [view_of(table)]) if x in table.labels]


def heat_map(contents: Contents, table: Table) -> Charts:
    """The table drawn, under the two classes that are most often taken for each other."""
    size = len(table.labels)
    longest = max((len(count_text(n)) for n in cell_counts(table).values()), default=1)
    side = min(LARGEST, max(SQUARE, 3.8 * longest + 2) * size)
    labels = [label_text(label) for label in table.labels]
    over = 12.0 + (5.0 * min(14, max(map(len, labels))) if max(map(len, labels)) > 3 else 10.0)
    beside = 12.0 + 4.2 * min(14, max(map(len, labels)))

    def draw(figure: Figure) -> None:
        confusion_on(panel(figure, beside, 4, side, side), contents, table)

    mark = contents.mark(view_of(table))
    finding = _most_confused(table)
    caption = f"Actual and predicted classes, {mark.name}"
    wide = beside + side + 34 > HALF
    width = WHOLE if wide else HALF
    aside = "Blue: right, orange: wrong, by the share of the row; blank: no row."
    if _heat_map_order(contents, table) != table.labels:
        aside += " Worst class first."
    made = drawing(draw, width, side + over + 14)
    return Charts(
        (
            Chart(
                made, f"{caption}. {finding}.", caption, aside, wide=wide, finding=finding,
                name="confusion",
            ),
        )
    )  # fmt: skip


def _most_confused(table: Table) -> str:
    """The largest cell off the diagonal, in words; all of them where some are equally large."""
    cells, labels = cell_counts(table), table.labels
    rows = [sum(n for (i, _), n in cells.items() if i == k) for k in range(len(labels))]
    off = {(i, j): n for (i, j), n in cells.items() if i != j and n and j < len(labels)}
    if not off:
        return "No class is confused with another"
    most = max(off.values())
    tied = sorted((p for p, n in off.items() if n == most), key=lambda p: (rows[p[0]], p))
    if len(tied) > MOST_TIED:
        return f"Most often confused: {len(tied)} pairs of classes, each in {rows_text(most)}"
    told = [
        f"{label_text(labels[i])} mistaken for {label_text(labels[j])}, {count_text(most)} of "
        f"{count_text(rows[i])}"
        for i, j in tied
    ]
    return f"Most often confused: {'; '.join(told)}"


def first_table(contents: Contents, view: View) -> Table | None:
    """The table of all rows and all classes at the first threshold."""
    found = (contents.table_of(m.table) for m in contents.pooled(view))
    return next((t for t in found if t is not None and t.label is None), None)


def top_confusions(
    table: Table, how: Orientation = ACTUAL_IN_ROWS
) -> TableBlock | TablePair | None:
    """The cells off the diagonal that hold most rows; of many classes also the largest shares."""
    labels = table.labels
    cells = cell_counts(table)
    off = sorted(
        ((count, i, j) for (i, j), count in cells.items() if i != j and j < len(labels)),
        key=lambda c: (-c[0], c[1], c[2]),
    )
    if not off:
        return None
    rows_of = [0.0] * len(labels)
    for (i, _), count in sorted(cells.items()):
        rows_of[i] += count
    wrong = sum(count for count, _, _ in off)

    columns: list[Column[tuple[Any, int, int]]] = [
        left(how.actual, lambda one: label_text(labels[one[1]])),
        left(how.predicted, lambda one: label_text(labels[one[2]])),
        right("rows", lambda one: count_text(one[0])),
        right("of the actual class", lambda one: share_text(one[0], rows_of[one[1]])),
        right("of all mistakes", lambda one: share_text(one[0], wrong)),
    ]
    few = len(labels) <= MOST_WHOLE
    rows = off[: min(MOST_IN_ONE, MOST_CONFUSIONS) if few else MOST_CONFUSIONS]
    more = len(off) - len(rows)
    account = "accounts" if more == 1 else "account"
    note = f"{counted(more, 'other pair')} of classes {account} for the rest." if more else ""
    title = "Most frequent confusions"
    if few:
        return table_of(title, rows, columns, note)
    by_share = sorted(off, key=lambda c: -c[0] / rows_of[c[1]])[:MOST_CONFUSIONS]
    return TablePair(
        (
            table_of(f"{title}, by rows", rows, columns, note),
            table_of(f"{title}, by share of the class", by_share, columns),
        )
    )


def _asked_for(contents: Contents, view: View, labels: Sequence[str]) -> list[Block]:
    """The tables of each class against the rest, where the spec asks for them."""
    own = [t for t in contents.tables.values() if view_of(t) == view and t.label in labels]
    captions = (f"{t.id} · {label_text(t.label)} against the rest" for t in own)
    tables = [
        count_table(contents, table, caption=caption)
        for table, caption in zip(own, captions, strict=True)
    ]
    return list(abreast(tables))


def against_the_rest(whole: Table | None, label: str) -> dict[str, Any] | None:
    """TN, FP, FN and TP of one class; none where some predictions are of no class."""
    if whole is None or whole.extra_columns:
        return None
    if label not in whole.labels:
        return None
    k = whole.labels.index(label)
    found = dict.fromkeys(("TN", "FP", "FN", "TP"), 0)
    for (i, j), count in cell_counts(whole).items():
        found[role_text(int(i != k), int(j != k), 0)] += count
    return found


def pooled_counts(tables: Sequence[Table]) -> dict[str, Any] | None:
    """TN, FP, FN and TP of all labels together; none where one was not counted."""
    cells = [flat_counts(table) for table in tables]
    if not cells or any(own is None or None in own.values() for own in cells):
        return None
    return {name: sum(own[name] for own in cells if own) for name in ("TN", "FP", "FN", "TP")}


def counts_of_each(whole: Table | None) -> dict[str, str] | None:
    """TP, FN and FP of each of several classes, which all that is averaged over them is made of."""
    if whole is None or not 2 < len(whole.labels) <= MOST_WHOLE:
        return None
    found = {}
    for label in whole.labels:
        counts = against_the_rest(whole, label)
        if counts is None or None in counts.values():
            return None
        three = DOT.join(count_text(counts[name]) for name in TERMS)
        found[f"{label_text(label)}: {DOT.join(TERMS)}"] = three
    return found


#: What stands at the head of the line of an average.
AVERAGES = {
    "macro": "macro, mean of the classes",
    "weighted": "weighted by rows",
    "micro": "micro, of all counts",
    "samples": "samples, mean of the rows",
}


def class_lines(contents: Contents, view: View) -> list[Block]:
    """Each class against the rest, and below the column of its terms each average."""
    if contents.is_binary(view):
        return []
    by_label: dict[str, list[Measure]] = {}
    means: dict[str, list[Measure]] = {}
    equal: dict[str, list[str]] = {}
    plain = [m for m in contents.pooled(view) if not m.average or contents.words.is_plain(m)]
    for m in contents.pooled(view):
        if m.label is not None and m.average is None:
            by_label.setdefault(m.label, []).append(m)
        elif m.average and not contents.words.is_plain(m):
            same = _of_all_classes(contents, m)
            if same is not None and same.name != m.metric:
                equal.setdefault(same.title, []).append(contents.heading(m))
            if same is None or not any(one.metric == same.name for one in plain):
                means.setdefault(m.average, []).append(m)
    if not (by_label or means or equal):
        return []
    shown = [x for x in contents.classes(view) if x in by_label][:MOST_LINES]
    sets = contents.has_sets(view)
    whole = None if sets else first_table(contents, view)
    rows = [Row((label_text(x),), tuple(by_label[x]), x, against_the_rest(whole, x)) for x in shown]
    pooled = pooled_counts(label_tables(contents, view)) if sets else None
    # the terms of an average are the lines above it, where there are any
    terms = None if by_label else counts_of_each(whole)
    rows += [
        Row((AVERAGES[kind],), tuple(own), kind, pooled if kind == "micro" else terms)
        for kind, own in sorted(means.items(), key=lambda item: [*AVERAGES].index(item[0]))
    ]
    blocks: list[Block] = []
    if len(by_label) > len(shown):
        blocks.append(
            Text(
                f"{len(shown)} of {len(by_label)} {'labels' if sets else 'classes'}, in their "
                "order; the others are in results.json and measures.csv."
            )
        )
    mark = contents.mark(view)
    strips = measures_strip(
        contents,
        f"Each {'label by itself' if sets else 'class against the rest'}, "
        f"{mark.symbol} {mark.name}",
        rows,
        ["label" if sets else "class"],
        flat=sets,
        with_model=False,
        strong=lambda row: row.group in means,
        of_classes=True,
    )
    # on paper a short one stays whole
    kept = f"kept {strips[0].style}" if strips and len(shown) <= MOST_WHOLE else ""
    told = [
        f"{listed(list(dict.fromkeys(names)))}: with one label a row the same as "
        f"{lower_first(title)}."
        for title, names in equal.items()
    ]
    return [
        *blocks,
        *(replace(one, style=kept or one.style) for one in strips),
        *([Text(" ".join(told), "small")] if told else []),
    ]


def _of_all_classes(contents: Contents, m: Measure) -> Metric | None:
    """The metric over all classes that says what an average does, with one label a row.

    It is the same number by another name, or has a form of its own for several classes, of which
    averages over each class against the rest say less.
    """
    declared = find(m.metric)
    if declared is None or contents.has_sets(view_of(m)) or m.indeterminate is not None:
        return None
    same, _ = same_number(declared, m.average, two_classes=False)
    return None if same is declared and declared.for_classes is None else same
