"""Now versus then: what a comparison with an earlier run or another dataset says of the latter."""

from __future__ import annotations

from collections.abc import Sequence

from evalreport.report.cards import interval_text
from evalreport.report.contents import Contents, Record
from evalreport.report.model import Block, Column, PlainTable, TableRow
from evalreport.report.numbers import count_text, value_text
from evalreport.report.words import label_text, measure_title, visible

MOST_LINES = 60


def is_now_and_then(contents: Contents) -> bool:
    """Whether every comparison is with an earlier run or another dataset."""
    entries = contents.many("comparisons")
    return bool(entries) and all(
        entry.get("reference_run") or entry.get("reference_dataset") for entry in entries
    )


def then_blocks(contents: Contents, entries: Sequence[Record]) -> list[Block]:
    """The values of earlier runs as they recorded them, with what they were counted from."""
    found: list[Block] = []
    for run in dict.fromkeys(e["reference_run"] for e in entries if e.get("reference_run")):
        own = [e for e in entries if e.get("reference_run") == run]
        rows = tuple(_row(contents, entry) for entry in own[:MOST_LINES])
        heads = ("metric", "model", "then", "interval", "fraction", "n")
        columns = tuple(
            Column(head, "left" if k < 2 else "right") for k, head in enumerate(heads)
        )
        note = _note(contents, run)
        found.append(PlainTable("Then, as the run recorded it", columns, rows, note))
    return found


def _row(contents: Contents, entry: Record) -> TableRow:
    top, bottom = entry.get("reference_numerator"), entry.get("reference_denominator")
    whole = all(isinstance(part, int) for part in (top, bottom))
    value, n = entry.get("reference_value"), entry.get("reference_n")
    m = next((m for m in contents.measures if m["metric"] == entry["metric"]), {})
    title = measure_title({**entry, "title": entry.get("title") or m.get("title")})
    if entry.get("label") is not None and not contents.is_binary(
        (str(entry["dataset"]), str(entry["model"]))
    ):
        title += f" of {label_text(entry['label'])}"
    return TableRow(
        (
            title,
            label_text(entry["model"]),
            "–" if value is None else value_text(value),
            interval_text(entry.get("reference_interval")) or "–",
            f"{count_text(top)} / {count_text(bottom)}" if whole else "–",
            "–" if n is None else count_text(n),
        )
    )


def _note(contents: Contents, run: str) -> str:
    """Which run it was: its name, its clock and the hash of its results."""
    known = next((r for r in contents.many("references") if r.get("run") == run), {})
    at, digest = known.get("at"), known.get("results_sha256")
    text = f"Run {visible(str(run))}"
    if at:
        text += f" of {visible(str(at))}"
    return f"{text}; sha256 of its results {visible(str(digest))}." if digest else f"{text}."
