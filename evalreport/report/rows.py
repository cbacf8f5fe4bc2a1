"""The flow of rows as a diagram: read, excluded by reason, used, and what was predicted."""

from __future__ import annotations

from evalreport.report.contents import Contents, Record
from evalreport.report.ledgers import ledgers
from evalreport.report.model import Block, Flow, FlowStep, Text
from evalreport.report.numbers import count_text, share_text
from evalreport.report.wording import AGREEMENT_NOTE, non_reference
from evalreport.report.words import label_text, listed, prose

MOST_CLASSES = 12


def rows_blocks(contents: Contents) -> list[Block]:
    """A flow for each account of rows that differs, then the ledgers of labels and rows."""
    flows: dict[tuple[FlowStep, ...], list[str]] = {}
    for record in contents.many("rows"):
        name = label_text(record["dataset"])
        if record.get("model"):
            name = contents.mark((record["dataset"], record["model"])).name
        flows.setdefault(_steps(record), []).append(name)
    blocks: list[Block] = [
        Flow(f"Flow of rows, {listed(list(dict.fromkeys(names)))}", steps)
        for steps, names in flows.items()
    ]
    blocks += [Text(text) for text in agreement_words(contents)]
    return [*blocks, ledgers(contents)] if blocks else []


def agreement_words(contents: Contents) -> list[str]:
    """What is said where the target is another test."""
    names = [label_text(name) for name in non_reference(contents.results)]
    return [AGREEMENT_NOTE.format(listed(names))] if names else []


def _clusters(record: Record) -> tuple[str, ...]:
    """How many clusters the used rows are of, where rows of one cluster depend on each other."""
    if record.get("clusters") is None:
        return ()
    return (f"in {count_text(record['clusters'])} clusters",)


def _steps(record: Record) -> tuple[FlowStep, ...]:
    excluded = tuple(
        f"{count_text(lost['count'])}: {prose(lost['reason'])}"
        for lost in record.get("excluded") or []
    )
    classes = record.get("classes") or []
    total = sum(c["count"] for c in classes)
    shares = tuple(
        f"{label_text(c['label'])}: {count_text(c['count'])} ({share_text(c['count'], total)})"
        for c in classes[:MOST_CLASSES]
    )
    if len(classes) > MOST_CLASSES:
        shares = (*shares, f"{len(classes) - MOST_CLASSES} other classes")
    return (
        FlowStep("read", count_text(record["read"]), ()),
        FlowStep("excluded", count_text(record["read"] - record["used"]), excluded),
        FlowStep("used", count_text(record["used"]), (*_clusters(record), *shares)),
    )
