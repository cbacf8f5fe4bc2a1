"""Found, missed and false alarms of each model, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from evalreport.numbers import count_text, share_text
from evalreport.report.classes import first_table
from evalreport.report.contents import Contents, View
from evalreport.report.marking import flat_counts, positive_index
from evalreport.report.words import (
    MOST_NAMES,
    class_text,
    counted,
    label_text,
    listed,
    rows_text,
)
from evalreport.report.worst import by_class, share_of_rows, worst_first
from evalreport.results.records import Table


def plain_numbers(contents: Contents, views: Sequence[View]) -> str:
    """Of so many rows of a class, how many were found: whole counts alone."""
    told: list[str] = []
    before: tuple[str, str] | None = None
    for view in views:
        if contents.is_weighted(view):
            continue
        if contents.has_sets(view):
            told.append(_of_labels(contents, view))
            continue
        table = first_table(contents, view)
        counts = None if table is None else _whole(table)
        own = contents.thresholds(view)
        # beside a rule without a solution scores have a table at a threshold nobody asked for
        if table is None or counts is None or (own and own[0].threshold is None):
            continue
        several = len(contents.views) > 1
        who = contents.called(view) if several or len(table.labels) > 2 else "the model"
        if table.positive is None or flat_counts(table) is None:
            told.append(_of_many(contents, table, counts, who))
            continue
        classes = _two_classes(contents, table)
        if classes is not None:
            sentence = _of_two(table, classes, who, again=classes == before)
            if classes == before and sentence not in told[-1]:
                told[-1] = f"{told[-1].removesuffix('.')}; {sentence}."
            else:
                told.append(f"{sentence}.")
            before = classes
    return " ".join(dict.fromkeys(text for text in told if text))


def _of_labels(contents: Contents, view: View) -> str:
    """How many rows have all their labels right, and the label that fares worst."""
    who = contents.called(view) if len(contents.views) > 1 else "the model"
    told = []
    exact = next((m for m in contents.pooled(view) if m.metric == "exact_match"), None)
    share = "" if exact is None else share_of_rows(contents, exact)
    if share:
        told.append(f"{who} had all labels right in {share.replace('/', 'of')} rows")
    label = next(iter(worst_first(contents, [view])), None)
    own = next((m for m in by_class(contents, view) if m.label == label), None)
    table = None if own is None else contents.table_of(own.table)
    cells = None if table is None or _whole(table) is None else flat_counts(table)
    if cells and label is not None:
        found = f"{count_text(cells['TP'])} of {count_text(cells['TP'] + cells['FN'])}"
        alarms = counted(cells["FP"], "false alarm")
        worst = f"found {found} rows of {label_text(label)}, its worst label, with {alarms}"
        told.append(worst if told else f"{who} {worst}")
    text = " and ".join(told)
    return f"{text[:1].upper()}{text[1:]}." if who == "the model" else f"{text}." if text else ""


def _whole(table: Table) -> list[list[int]] | None:
    """The counts where all are whole; estimated and weighted ones are no number of rows."""
    rows = table.counts or ()
    if any(c is None or not float(c).is_integer() for row in rows for c in row):
        return None
    return [[int(c or 0) for c in row] for row in rows] or None


def _two_classes(contents: Contents, table: Table) -> tuple[str, str] | None:
    """How many rows of either class a table has, in words; None of an empty one."""
    cells = flat_counts(table) or {}
    k = positive_index(table)
    ill, well = cells["TP"] + cells["FN"], cells["TN"] + cells["FP"]
    if not ill and not well:
        return None
    positive = contents.rows_of(ill, str(table.labels[k]), positive=True)
    return positive, contents.others(well)


def _of_two(table: Table, classes: tuple[str, str], who: str, *, again: bool) -> str:
    """Found, missed and false alarms; ``again``: of the rows that the sentence before is of."""
    cells = flat_counts(table) or {}
    found, missed = (count_text(cells[name]) for name in ("TP", "FN"))
    alarms = counted(cells["FP"], "false alarm")
    if again:
        return f"{who} found {found} and missed {missed}, with {alarms}"
    told = f"Of {classes[0]}, {who} found {found} and missed {missed}"
    return f"{told}, with {alarms} among {classes[1]}"


def _of_many(contents: Contents, table: Table, counts: list[list[int]], who: str) -> str:
    """The class that is found least, and what its rows are taken for."""
    size = len(table.labels)
    shares = [(counts[i][i] / sum(counts[i]), i) for i in range(size) if sum(counts[i])]
    if len(shares) < 2:
        return ""
    share, worst = min(shares)
    alike = [class_text(table.labels[i]) for own, i in shares if own == share and i != worst]
    row = counts[worst]
    total = sum(row)
    right = sum(counts[i][i] for i in range(size))
    everything = sum(sum(own) for own in counts)
    taken = max((j for j in range(len(row)) if j != worst), key=lambda j: row[j])
    names = [*table.labels, *table.extra_columns]
    told = (
        f"Of {contents.rows_text(everything)}, {who} classified {count_text(right)} correctly. "
        f"Worst class: of {rows_text(total)} of {class_text(table.labels[worst])} it found "
        f"{count_text(row[worst])} ({share_text(row[worst], total)})"
    )
    if share < 1 and row[taken]:
        told += f" and called {count_text(row[taken])} {class_text(names[taken])}"
    if alike and share < 1:
        as_low = listed(alike) if len(alike) < MOST_NAMES else f"{len(alike)} other classes"
        told += f"; of {as_low} it found the same share"
    return f"{told}."
