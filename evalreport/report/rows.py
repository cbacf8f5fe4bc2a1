"""The flow of rows as a diagram: read, excluded by reason, used, and what was predicted.

Clinicians read it by the result of the test (STARD 2015, item 19): test positive, negative,
indeterminate or without a result, and of each what the reference standard says.
"""

from __future__ import annotations

import math
from dataclasses import replace

from evalreport.numbers import count_text, share_text
from evalreport.report.contents import Contents, View, view_of
from evalreport.report.ledgers import (
    class_shares_of,
    clusters_text,
    count_of_class,
    ledgers,
    predictions_of,
)
from evalreport.report.model import Block, Flow, FlowBranches, FlowStep, Text
from evalreport.report.sections import section
from evalreport.report.wording import AGREEMENT_NOTE
from evalreport.report.words import condition_text, label_text, listed, prose
from evalreport.results.records import MissingRows, RowLedger, Table

MOST_CLASSES = 12
#: Models whose results are told apart, and classes of these: of more the tables say the same.
MOST_BRANCHES, MOST_RESULTS = 6, 4
STANDARD = "reference standard"
ADDED_UP = "Rows read = rows excluded + rows used. The results of a test add up to the rows used"
WITH_MISSING = " and those excluded for lack of a result of the test or of the {}"


@section("rows", "Flow of rows", short="Rows", of=(RowLedger,))
def rows_blocks(contents: Contents) -> list[Block]:
    """A flow for each account of rows that differs, then what the labels mean.

    The ledgers of rows say the same as the flow, and stand below it where they say more.
    """
    flows: dict[tuple[FlowStep, ...], list[RowLedger]] = {}
    for record in contents.of(RowLedger):
        flows.setdefault(_steps(contents, record), []).append(record)
    blocks: list[Block] = [_flow(contents, steps, own) for steps, own in flows.items()]
    blocks += [Text(text) for text in agreement_words(contents)]
    more = any(r.unknown or len(r.classes) > MOST_CLASSES for r in contents.of(RowLedger))
    # of sets a row has any number of labels, and each a share of its own
    more |= any(map(contents.has_sets, contents.views))
    own = ledgers(contents) if more else replace(ledgers(contents), rows=())
    return [*blocks, own] if blocks else []


def agreement_words(contents: Contents) -> list[str]:
    """What is said where the target is another test."""
    names = [label_text(name) for name in contents.words.agreement]
    return [AGREEMENT_NOTE.format(listed(names))] if names else []


def _flow(contents: Contents, steps: tuple[FlowStep, ...], records: list[RowLedger]) -> Flow:
    """The flow of datasets and models whose accounts of rows are alike."""
    names = dict.fromkeys(_name(contents, record) for record in records)
    title = f"Flow of rows, {listed(list(names))}"
    if not contents.words.flow_by_result:
        return Flow(title, steps)
    views = [v for v in contents.views for r in records if _is_of(r, v)]
    parted = [found for v in views if (found := _by_result(contents, v)) is not None]
    tables = [_whole_table(contents, v) for v in views]
    note = ""
    if parted:
        lost = any(t is not None and t.missing is not None for t in tables)
        missing = WITH_MISSING.format(_standard(contents, views[0][0])) if lost else ""
        note = f"{ADDED_UP}{missing}."
    if len(parted) > MOST_BRANCHES:
        note += f" {MOST_BRANCHES} of {len(parted)} models; the tables of the others show the same."
    apart = tuple(dict.fromkeys(step for r in records for step in _apart(r)))
    return Flow(title, steps, tuple(parted[:MOST_BRANCHES]), apart, note)


def _name(contents: Contents, record: RowLedger) -> str:
    if record.model:
        return contents.mark((record.dataset, record.model)).name
    return label_text(record.dataset)


def _is_of(record: RowLedger, view: View) -> bool:
    return view[0] == record.dataset and record.model in {None, "", view[1]}


def _clusters(record: RowLedger) -> tuple[str, ...]:
    """How many clusters the used rows are of, where rows of one cluster depend on each other."""
    held, told = record.clustered, clusters_text(record)
    if held is None:
        return (told,) if told else ()
    return (told, *_of_clusters(record))


def _of_clusters(record: RowLedger) -> tuple[str, ...]:
    """How large the clusters are, and how many have rows of each class."""
    held = record.clustered
    if held is None:
        return ()
    sizes = f"rows in a cluster: median {count_text(held.median)}, most {count_text(held.most)}"
    holders = [
        f"{label_text(one.label)} in {count_text(one.count)}" for one in held.classes[:MOST_CLASSES]
    ]
    return (sizes, f"clusters with rows of each class: {listed(holders)}")


def _apart(record: RowLedger) -> tuple[FlowStep, ...]:
    """The clusters of the used rows, persons say, which are counted apart from rows."""
    if record.clusters is None:
        return ()
    by = "" if record.clustered is None else f" by {label_text(record.clustered.column)}"
    name = f"clusters{by}, of the rows used"
    return (FlowStep(name, count_text(record.clusters), _of_clusters(record)),)


def _predictions(record: RowLedger) -> tuple[str, ...]:
    """How many predictions there are of the used rows, where rows were predicted several times."""
    if record.predictions is None:
        return ()
    what, count = predictions_of(record)
    return (f"{what}: {count}",)


def _steps(contents: Contents, record: RowLedger) -> tuple[FlowStep, ...]:
    excluded = tuple(
        f"{count_text(lost.count)}: {prose(lost.reason)}" for lost in record.excluded or ()
    )
    classes = record.classes or ()
    of = [v for v in contents.views if _is_of(record, v)]
    total = class_shares_of(record, bool(of) and contents.has_sets(of[0]))
    shares = tuple(
        f"{label_text(c.label)}: {count_of_class(c)}"
        + ("" if total is None else f" ({share_text(c.count, total)})")
        for c in classes[:MOST_CLASSES]
    )
    if len(classes) > MOST_CLASSES:
        shares = (*shares, f"{len(classes) - MOST_CLASSES} other classes")
    clusters = () if contents.words.flow_by_result else _clusters(record)
    told = (*_predictions(record), *clusters, *shares)
    return (
        FlowStep("read", count_text(record.read), ()),
        FlowStep("excluded", count_text(record.read - record.used), excluded),
        FlowStep("used", count_text(record.used), told),
    )


# -- by the result of the test -------------------------------------------------------------


def _by_result(contents: Contents, view: View) -> FlowBranches | None:
    """What became of the rows by result of the test; None where its table counts no rows used.

    Weighted rows, and rows predicted several times, are no rows that add up to those used.
    """
    table, record = _whole_table(contents, view), contents.row_record(view)
    if table is None or record is None or not 2 <= len(table.labels) <= MOST_RESULTS:
        return None
    counts = table.counts
    if counts is None or table.sampled_rows is not None:
        return None
    cells = [count for row in counts for count in row]
    if any(count is None for count in cells) or math.fsum(c or 0 for c in cells) != record.used:
        return None
    size, others = len(table.labels), len(table.extra_columns)
    order = [*_positive_first(table), *range(size, size + others)]
    results = [_result(contents, table, j) for j in order]
    if not table.extra_columns:
        results.append(FlowStep("indeterminate", "0", ()))
    results.append(_without(contents, table))
    at = ""
    if table.threshold is not None:
        at = f", positive at {condition_text(table.threshold, contents.operator(view))}"
    return FlowBranches(f"By test result, {contents.mark(view).name}{at}", tuple(results))


def _whole_table(contents: Contents, view: View) -> Table | None:
    """The table of all rows and all classes at the first threshold."""
    first = contents.at_first(view)
    for t in contents.tables.values():
        if (
            view_of(t) == view
            and not t.subgroup
            and t.fold is None
            and t.label is None
            and first(t)
        ):
            return None if contents.has_sets(view) else t
    return None


def _result(contents: Contents, table: Table, j: int) -> FlowStep:
    """The rows of one result of the test, and what the reference standard says of them."""
    assert table.counts is not None
    own = [row[j] or 0 for row in table.counts]
    untold = table.missing.without_target[j] if table.missing is not None else 0
    if j >= len(table.labels):
        name = f"indeterminate ({label_text(table.extra_columns[j - len(table.labels)])})"
    else:
        label, sign = label_text(table.labels[j]), _sign(table, j)
        name = f"test {sign} ({label})" if sign else f"test {label}"
    return FlowStep(name, count_text(math.fsum(own) + untold), _told(contents, table, own, untold))


def _without(contents: Contents, table: Table) -> FlowStep:
    """Rows without a result of the test."""
    missing = table.missing or MissingRows((0,) * len(table.labels), (), 0)
    own, both = missing.without_prediction, missing.without_both
    return FlowStep(
        "no test result", count_text(math.fsum(own) + both), _told(contents, table, own, both)
    )


def _told(
    contents: Contents, table: Table, counts: list[float] | tuple[float, ...], untold: float
) -> tuple[str, ...]:
    """What the reference standard says of these rows; nothing where there are none."""
    if not math.fsum(counts) + untold:
        return ()
    standard = _standard(contents, table.dataset)
    said = [
        f"{count_text(counts[i])} {_condition(table, i, standard)}" for i in _positive_first(table)
    ]
    return (*said, *([f"{count_text(untold)} without {standard}"] if untold else []))


def _condition(table: Table, i: int, standard: str) -> str:
    """What a class of the reference standard says: of two, that the condition is there or not."""
    label, sign = label_text(table.labels[i]), _sign(table, i)
    if not sign or standard != STANDARD:
        return f"{standard} {label}"
    return f"target condition {'present' if sign == 'positive' else 'absent'} ({label})"


def _positive_first(table: Table) -> list[int]:
    """The classes in order, of two the positive one first."""
    return sorted(range(len(table.labels)), key=lambda k: _sign(table, k) == "negative")


def _sign(table: Table, j: int) -> str:
    """Positive or negative, of two classes of which one is the positive one."""
    if len(table.labels) != 2 or table.positive not in table.labels:
        return ""
    return "positive" if table.labels[j] == table.positive else "negative"


def _standard(contents: Contents, dataset: str) -> str:
    """What the results of the test are held against, in the words of the template."""
    actual = contents.orientation(dataset).actual
    return STANDARD if actual == "reference" else actual
