"""The flow of rows as a diagram: read, excluded by reason, used, and what was predicted."""

from __future__ import annotations

from evalreport.report.contents import Contents
from evalreport.report.ledgers import (
    class_shares_of,
    clusters_text,
    ledgers,
    predictions_of,
)
from evalreport.report.model import Block, Flow, FlowStep, Text
from evalreport.report.numbers import count_text, share_text
from evalreport.report.sections import section
from evalreport.report.wording import AGREEMENT_NOTE
from evalreport.report.words import label_text, listed, prose
from evalreport.results.records import RowLedger

MOST_CLASSES = 12


@section("rows", "Flow of rows", short="Rows", of=(RowLedger,))
def rows_blocks(contents: Contents) -> list[Block]:
    """A flow for each account of rows that differs, then the ledgers of labels and rows."""
    flows: dict[tuple[FlowStep, ...], list[str]] = {}
    for record in contents.of(RowLedger):
        name = label_text(record.dataset)
        if record.model:
            name = contents.mark((record.dataset, record.model)).name
        flows.setdefault(_steps(contents, record), []).append(name)
    blocks: list[Block] = [
        Flow(f"Flow of rows, {listed(list(dict.fromkeys(names)))}", steps)
        for steps, names in flows.items()
    ]
    blocks += [Text(text) for text in agreement_words(contents)]
    return [*blocks, ledgers(contents)] if blocks else []


def agreement_words(contents: Contents) -> list[str]:
    """What is said where the target is another test."""
    names = [label_text(name) for name in contents.words.agreement]
    return [AGREEMENT_NOTE.format(listed(names))] if names else []


def _clusters(record: RowLedger) -> tuple[str, ...]:
    """How many clusters the used rows are of, where rows of one cluster depend on each other."""
    held, told = record.clustered, clusters_text(record)
    if held is None:
        return (told,) if told else ()
    sizes = f"rows in a cluster: median {count_text(held.median)}, most {count_text(held.most)}"
    holders = [
        f"{label_text(one.label)} in {count_text(one.count)}" for one in held.classes[:MOST_CLASSES]
    ]
    return (told, sizes, f"clusters with rows of each class: {listed(holders)}")


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
    model = record.model
    of = [v for v in contents.views if v[0] == record.dataset and model in {None, v[1]}]
    total = class_shares_of(record, bool(of) and contents.has_sets(of[0]))
    shares = tuple(
        f"{label_text(c.label)}: {count_text(c.count)} ({share_text(c.count, total)})"
        for c in classes[:MOST_CLASSES]
    )
    if len(classes) > MOST_CLASSES:
        shares = (*shares, f"{len(classes) - MOST_CLASSES} other classes")
    told = (*_predictions(record), *_clusters(record), *shares)
    return (
        FlowStep("read", count_text(record.read), ()),
        FlowStep("excluded", count_text(record.read - record.used), excluded),
        FlowStep("used", count_text(record.used), told),
    )
