"""What the labels mean, and where the rows went."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from evalreport.numbers import count_text, share_text
from evalreport.report.contents import Contents, View
from evalreport.report.model import Facts, LedgerRow, Ledgers
from evalreport.report.words import first_few, label_text, listed, prose, visible
from evalreport.results.records import ClassCount, LabelLedger, RowLedger

MOST_CLASSES_LISTED = 12


def ledgers(contents: Contents) -> Ledgers:
    """Label ledgers and row ledgers, alike ones printed once."""
    labels: dict[Facts, list[View]] = {}
    rows: dict[tuple[LedgerRow, ...], list[View]] = {}
    for view in contents.views:
        record = contents.label_record(view)
        if record is not None:
            labels.setdefault(_label_facts(record), []).append(view)
        own = contents.row_record(view)
        if own is not None:
            rows.setdefault(_row_ledger(own, contents.has_sets(view)), []).append(view)
    named = [replace(facts, aside=_whose(contents, views)) for facts, views in labels.items()]
    accounts = tuple(
        (f"Rows of {_whose(contents, views)}", account) for account, views in rows.items()
    )
    return Ledgers(tuple(named[:4]), accounts[:6])


def _whose(contents: Contents, views: Sequence[View]) -> str:
    """Which views a ledger is of."""
    if len(views) == len(contents.views) and len(contents.datasets) == 1:
        return label_text(views[0][0])
    names = [contents.mark(v).name for v in views]
    shown = names if len(names) <= 4 else [*names[:3], f"{len(names) - 3} others"]
    return listed(shown)


def _label_facts(record: LabelLedger) -> Facts:
    order = list(record.order)
    positive = record.positive
    title = f"Positive class: {label_text(positive)}" if positive is not None else "Labels"
    declared = list(record.declared or ())
    # labels that rows have sets of are named by the columns or lists that hold them
    kind, undeclared = ("labels", "") if record.label_sets else ("classes", " (not declared)")
    told = " (declared in this order)" if declared == order else "" if declared else undeclared
    items = [(kind, _names(order) + told)]
    if declared and declared != order:
        items.append(("declared", _names(declared)))
    if positive is not None and record.rule in {"largest", "smallest"}:
        items.append(("positive class set by", f"the {record.rule} label"))
    if seen := _seen(record, record.seen_true):
        items.append(("classes in the data", seen))
    if seen := _seen(record, record.seen_predicted):
        items.append(("classes predicted", seen))
    if record.decided:
        items.append(("decision", "the model's own labels; curves are of its score"))
    elif record.operator:
        items.append(
            ("decision", visible(record.operator).replace(">=", "≥") + " predicts positive")
        )
    return Facts(title, tuple(items), "box")


def _seen(record: LabelLedger, labels: Sequence[str]) -> str:
    """Which of the classes were met, where not all of them; scores alone are of no labels."""
    return "" if labels == record.order else _names(labels) if labels else ""


def _names(labels: Sequence[str]) -> str:
    return ", ".join(first_few(list(map(label_text, labels)), MOST_CLASSES_LISTED)) or "none"


def class_shares_of(record: RowLedger, has_sets: bool) -> float | None:
    """The rows that the rows of each class are a share of; None where some were not counted.

    A row with a set of labels counts for each of them: the counts then add up to more
    than the rows used, and each is a share of these.
    """
    if has_sets:
        return float(record.used)
    if any(c.uncounted for c in record.classes):
        return None
    return math.fsum(c.count for c in record.classes)


def count_of_class(entry: ClassCount) -> str:
    """How many rows of a class there are, as far as anybody counted them."""
    return f"{'at least ' if entry.uncounted else ''}{count_text(entry.count)}"


def predictions_of(record: RowLedger) -> tuple[str, str]:
    """What is said of rows that were predicted several times, and how many predictions."""
    repeats = int(record.repeats or 1)
    said = "predictions of used rows"
    return (
        f"{said}, in each of {repeats} repeats" if repeats > 1 else said,
        count_text(record.predictions),
    )


def clusters_text(record: RowLedger) -> str:
    """In how many clusters the used rows are, by which column; nothing where rows stand alone."""
    if record.clusters is None:
        return ""
    by = "" if record.clustered is None else f" by {label_text(record.clustered.column)}"
    noun = "cluster" if record.clusters == 1 else "clusters"
    return f"in {count_text(record.clusters)} {noun}{by}"


def _cluster_rows(record: RowLedger) -> list[LedgerRow]:
    """Clusters beside rows: how many, how large, and how many have rows of each class."""
    if record.clusters is None:
        return []
    held = record.clustered
    if held is None:
        return [LedgerRow("clusters of used rows", count_text(record.clusters), "", "sub")]
    column = label_text(held.column)
    found = [
        LedgerRow(f"clusters of used rows, by {column}", count_text(record.clusters), "", "sub"),
        LedgerRow("rows in a cluster, median", count_text(held.median), "", "sub"),
        LedgerRow("rows in a cluster, most", count_text(held.most), "", "sub"),
    ]
    for one in held.classes[:MOST_CLASSES_LISTED]:
        share = share_text(one.count, record.clusters)
        text = f"clusters with rows of {label_text(one.label)}"
        found.append(LedgerRow(text, count_text(one.count), share, "sub"))
    return found


def _row_ledger(record: RowLedger, has_sets: bool) -> tuple[LedgerRow, ...]:
    found = [LedgerRow("read", count_text(record.read))]
    found += [
        LedgerRow(f"− {prose(lost.reason)}", f"−{count_text(lost.count)}")
        for lost in record.excluded
    ]
    found.append(LedgerRow("= used", count_text(record.used), style="sum"))
    if record.predictions is not None:
        found.append(LedgerRow(*predictions_of(record), "", "sub"))
    found += _cluster_rows(record)
    classes = record.classes
    total = class_shares_of(record, has_sets)
    unknown = {one.label: one.count for one in record.unknown}
    for entry in classes[:MOST_CLASSES_LISTED]:
        lacking = unknown.get(entry.label, 0)
        share = "" if total is None else share_text(entry.count, total - lacking)
        count = count_of_class(entry)
        found.append(LedgerRow(label_text(entry.label), count, share, "sub"))
        if lacking:
            name = f"{label_text(entry.label)}: not known"
            of_all = "" if total is None else share_text(lacking, total)
            found.append(LedgerRow(name, count_text(lacking), of_all, "sub"))
    if len(classes) > MOST_CLASSES_LISTED:
        rest = classes[MOST_CLASSES_LISTED:]
        others = sum(c.count for c in rest)
        # labels of one row would be counted more than once
        share = "" if has_sets or total is None else share_text(others, total)
        found.append(LedgerRow(f"{len(rest)} other classes", count_text(others), share, "sub"))
        lacking = sum(unknown.get(c.label, 0) for c in rest)
        if lacking:
            name = "other classes: not known"
            found.append(LedgerRow(name, count_text(lacking), "", "sub"))
    return tuple(found)
