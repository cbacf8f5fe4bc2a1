"""Comparisons over time and between datasets: their titles, and the values of earlier runs."""

from __future__ import annotations

from collections.abc import Sequence

from evalreport.numbers import count_text, or_dash
from evalreport.report.cards import interval_text
from evalreport.report.columns import Column, left, right, table_of
from evalreport.report.contents import Contents
from evalreport.report.model import Block
from evalreport.report.words import label_text, listed, visible
from evalreport.results.records import Comparison, Reference

MOST_LINES = 60


def compared_title(contents: Contents) -> str:
    """What all comparisons are of, where they are not of models on the same rows; else empty."""
    entries = contents.of(Comparison)
    if entries and all(entry.reference_run for entry in entries):
        return "Now versus then"
    pairs = {(entry.dataset, entry.reference_dataset) for entry in entries}
    if not entries or any(reference is None for _, reference in pairs):
        return ""
    if any(entry.model != entry.reference for entry in entries):
        return ""
    names = dict.fromkeys(label_text(e.dataset) for e in entries)
    others = dict.fromkeys(label_text(e.reference_dataset) for e in entries)
    return f"{listed(list(names))} compared with {listed(list(others))}"


def then_blocks(contents: Contents, entries: Sequence[Comparison]) -> list[Block]:
    """The values of earlier runs as they recorded them, with what they were counted from."""
    columns: list[Column[Comparison]] = [
        left("metric", lambda one: _title(contents, one)),
        left("model", lambda one: label_text(one.model)),
        right("then", lambda one: or_dash(one.reference_value)),
        right("interval", lambda one: interval_text(one.reference_interval) or "–"),
        right("fraction", _fraction),
        right("n", lambda one: or_dash(one.reference_n, count_text)),
    ]
    found: list[Block] = []
    for run in dict.fromkeys(e.reference_run for e in entries if e.reference_run):
        own = [e for e in entries if e.reference_run == run]
        title, note = "Then, as the run recorded it", _note(contents, run)
        found.append(table_of(title, own, columns, note, most=MOST_LINES))
    return found


def _title(contents: Contents, entry: Comparison) -> str:
    m = next((m for m in contents.measures if m.metric == entry.metric), None)
    own = contents.words.title(entry) or ("" if m is None else contents.words.title(m))
    return contents.title(entry, own)


def _fraction(entry: Comparison) -> str:
    top, bottom = entry.reference_numerator, entry.reference_denominator
    whole = all(isinstance(part, int) for part in (top, bottom))
    return f"{count_text(top)} / {count_text(bottom)}" if whole else "–"


def _note(contents: Contents, run: str) -> str:
    """Which run it was: its name, its clock and the hash of its results."""
    known = next((r for r in contents.of(Reference) if r.run == run), None)
    text = f"Run {visible(run)}"
    if known is None:
        return f"{text}."
    if known.at:
        text += f" of {visible(known.at)}"
    return f"{text}; sha256 of its results {visible(known.results_sha256)}."
