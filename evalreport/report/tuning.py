"""What nested tuning chose in each fold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from evalreport.report.contents import Contents
from evalreport.report.model import Block, Column, PlainTable, TableRow
from evalreport.report.words import counted, label_text, prose
from evalreport.results.records import Tuning

MOST_NAMED = 10


def tuning_blocks(contents: Contents) -> list[Block]:
    """Each choice of parameters with the folds that made it, the most frequent first."""
    blocks: list[Block] = []
    for record in contents.of(Tuning):
        mark = contents.mark((record.dataset, record.model))
        by_choice: dict[str, list[str]] = {}
        for fold in record.folds:
            by_choice.setdefault(_choice(fold.params), []).append(label_text(fold.fold))
        times = Counter({choice: len(folds) for choice, folds in by_choice.items()})
        rows = [
            TableRow((choice, f"{count} of {len(record.folds)}", _named(by_choice[choice])))
            for choice, count in times.most_common()
        ]
        columns = (
            Column("parameters chosen", "left", "40%"),
            Column("folds", "right", "14%"),
            Column("which", "left", "46%"),
        )
        note = (
            "Chosen on inner folds of the training rows; no label of a tested row took part. "
            "Choices that differ from fold to fold are part of the variation of training."
        )
        caption = f"Tuning in {counted(len(record.folds), 'fold')}, {mark.name}"
        blocks.append(PlainTable(caption, columns, tuple(rows), note))
    return blocks


def _choice(params: Mapping[str, Any]) -> str:
    return ", ".join(f"{prose(str(name))} = {prose(str(value))}" for name, value in params.items())


def _named(folds: list[str]) -> str:
    more = len(folds) - MOST_NAMED
    return ", ".join(folds[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
