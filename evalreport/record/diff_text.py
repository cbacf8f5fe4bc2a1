"""What changed between two runs, in words."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from evalreport.lines import one_line
from evalreport.record.naming import OUTCOME_WORDS, name_text, place_text, threshold_text
from evalreport.report.markdown import cell
from evalreport.report.numbers import difference_text, level_text, p_text, value_text
from evalreport.report.words import counted, label_text, method_text, visible
from evalreport.results.changes import (
    CriterionChange,
    Diff,
    FileChange,
    KeyChange,
    LabelShift,
    MeasureChange,
    MeasureSide,
    PairedRows,
    ScoreShift,
    UnpairedRows,
)
from evalreport.results.records import Caution

MOST_LINES = 40
NOT_KEPT = (
    "rows that came or went are not known: neither run kept digests of its rows "
    "(datasets: keep_rows: true, in both)"
)


def describe(found: Diff) -> str:
    """The differences as plain text, the most telling first."""
    lines = [
        f"old: {visible(found.old.run)}  {found.old.at}",
        f"new: {visible(found.new.run)}  {found.new.at}",
    ]
    for title, body in _sections(found):
        lines += ["", title, *(f"  {line}" for line in body)]
    return "\n".join(map(one_line, lines))


def describe_markdown(found: Diff) -> str:
    """The differences as Markdown, for the description of a change."""
    old, new = (f"{cell(visible(side.run))} ({cell(side.at)})" for side in (found.old, found.new))
    lines = [f"## {cell(visible(found.new.title))}: {old} to {new}"]
    for title, body in _sections(found):
        lines += ["", f"### {title.capitalize()}", ""]
        lines += [f"- {cell(line.strip())}" for line in body]
    return "\n".join(lines)


def _sections(found: Diff) -> Iterator[tuple[str, Iterator[str]]]:
    """Each part of the differences with its lines, the most telling first."""
    yield "criteria", _criteria(found)
    yield "data", _data(found)
    yield "spec", _keys(found.spec)
    yield "versions", _keys(found.versions)
    yield "measures", _measures(found)
    yield "cautions", _cautions(found)


def _criteria(found: Diff) -> Iterator[str]:
    changed = [entry for entry in found.criteria if entry.change != "same"]
    if not found.criteria:
        yield "none declared"
    elif not changed:
        yield f"no change in {counted(len(found.criteria), 'criterion', 'criteria')}"
    for entry in changed:
        text = f"{entry.change}: {criterion_change(entry)}, {criterion_place(entry)}"
        yield f"{text}: {outcome_change(entry)}"


def criterion_change(entry: CriterionChange) -> str:
    """The text of a criterion, and before it what it was where it changed."""
    text = visible(entry.text)
    if entry.change != "changed":
        return text
    before = visible(entry.old_text or "")
    if entry.old_threshold != entry.threshold:
        before += f" at {threshold_text(None, entry.old_threshold) or 'every threshold'}"
    return f"{before} -> {text}"


def outcome_change(entry: CriterionChange) -> str:
    """The outcome of a criterion then and now: ``passed -> failed``."""
    text = f"{OUTCOME_WORDS[entry.old]} -> {OUTCOME_WORDS[entry.new]}"
    return f"{text} ({visible(entry.reason)})" if entry.reason else text


def criterion_place(entry: CriterionChange) -> str:
    """Dataset, model, subgroup and threshold of a criterion, in words."""
    at = threshold_text(None, entry.threshold)
    return place_text(entry.dataset, entry.model, entry.subgroup, at=at)


def measure_place(entry: MeasureChange) -> str:
    """Dataset, model, subgroup, fold and threshold of a measure, in words."""
    at = threshold_text(entry.threshold_rule, entry.threshold)
    return place_text(entry.dataset, entry.model, entry.subgroup, entry.fold, at)


def _data(found: Diff) -> Iterator[str]:
    for file in found.files:
        yield f"{label_text(file.dataset)}: {file_text(file)}"
    for entry in found.rows:
        used, place = entry.rows.used, place_text(entry.dataset, entry.model)
        shares = ", ".join(
            f"{label_text(c.label)} {c.old} -> {c.new}" for c in entry.labels.counts[:20]
        )
        yield f"{place}: rows used {used[0]} -> {used[1]}; {shares}"
        yield f"  labels: {label_shift_text(entry.labels)}"
    for scores in found.scores:
        place = place_text(scores.dataset, scores.model)
        yield f"{place}: scores of {label_text(scores.label)}: {score_text(scores)}"
    for by_id in found.rows_by_id:
        yield f"{label_text(by_id.dataset)}: {rows_text(by_id)}"
    if not found.rows_by_id:
        yield NOT_KEPT


def rows_text(entry: PairedRows | UnpairedRows) -> str:
    """Rows that came, went and changed, by id."""
    if isinstance(entry, UnpairedRows):
        return f"rows are not paired by id: {visible(entry.reason)}"
    text = f"by id {entry.added} rows added, {entry.removed} removed, {entry.both} in both"
    if entry.changed is not None:
        text += f", of which {entry.changed} changed"
    elif entry.changed_reason:
        text += f"; {entry.changed_reason}"
    for own in entry.models:
        if own.changed is not None:
            text += f"; {label_text(own.model)} says another thing of {own.changed}"
    if any(entry.not_unique):
        text += f"; rows with an id that is not unique: {list(entry.not_unique)}"
    return text


def paired_text(entry: MeasureChange) -> str:
    """The difference on the rows of both runs, where others are in one only."""
    paired = entry.paired
    if paired is None or entry.interval is not None or paired.difference is None:
        return ""
    text = f"on the {paired.rows} rows in both {difference_text(paired.difference)}"
    limits = paired.interval
    if limits is not None:
        ends = f"{difference_text(limits.low)} to {difference_text(limits.high)}"
        text += f" ({ends}, {method_text(limits.method)}"
        p = paired.p_value
        text += f", p {p_text(p)})" if p is not None else ")"
    return text


def file_text(entry: FileChange) -> str:
    """What became of a dataset's file."""
    one, two = entry.old, entry.new
    if one is None or two is None:
        return "added" if one is None else "removed"
    if entry.same:
        return f"the same file, {counted(two.rows, 'row')}"
    if entry.same is None or one.sha256 is None or two.sha256 is None:
        return f"given in memory, {one.rows} -> {two.rows} rows"
    hashes = f"sha256 {one.sha256[:12]} -> {two.sha256[:12]}"
    return f"another file: {one.rows} -> {two.rows} rows, {hashes}"


def label_shift_text(labels: LabelShift) -> str:
    """How far labels have moved: stability index and p value."""
    first, p = _psi_text(labels), labels.p_value
    return first if p is None else f"{first}, chi-square p {p_text(p)}"


def _psi_text(shift: LabelShift | ScoreShift) -> str:
    if shift.psi is None:
        return f"no PSI: {shift.psi_reason}"
    return f"PSI {value_text(shift.psi)}"


def score_text(entry: ScoreShift) -> str:
    """How far scores have moved."""
    text = _psi_text(entry)
    if entry.ks is None or entry.p_value is None:
        return text
    limits = ""
    if (bounds := entry.ks_bounds) is not None:
        ends = f"between {value_text(bounds.low)} and {value_text(bounds.high)}"
        limits = f"{ends}: scores were kept in bins; "
    return f"{text}, KS {value_text(entry.ks)} ({limits}p {p_text(entry.p_value)})"


def _keys(changes: Sequence[KeyChange]) -> Iterator[str]:
    if not changes:
        yield "no change"
    for entry in changes:
        yield key_text(entry)


def key_text(entry: KeyChange) -> str:
    """One key that changed.

    >>> key_text(KeyChange(key="a.b", change="changed", old=1, new=2))
    'a.b: 1 -> 2'
    """
    key = visible(entry.key)
    if entry.change == "added":
        return f"{key}: added, {_shown(entry.new)}"
    if entry.change == "removed":
        return f"{key}: removed, was {_shown(entry.old)}"
    return f"{key}: {_shown(entry.old)} -> {_shown(entry.new)}"


def _shown(value: Any) -> str:
    return visible(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), 120)


def _measures(found: Diff) -> Iterator[str]:
    yield summary_text(found)
    shown = sorted(
        (m for m in found.measures if m.difference),
        key=lambda m: (not m.beyond_chance, bool(m.subgroup), m.fold is not None),
    )
    for entry in shown[:MOST_LINES]:
        mark = "*" if entry.beyond_chance else " "
        yield f"{mark} {name_text(entry)}, {measure_place(entry)}: {change_text(entry)}"
    if len(shown) > MOST_LINES:
        yield f"  and {len(shown) - MOST_LINES} more; all of them with --json or --html"
    for entry in found.measures:
        if entry.old and entry.new and entry.old.state != entry.new.state:
            yield f"! {name_text(entry)}, {measure_place(entry)}: {entry.interval_reason}"


def summary_text(found: Diff) -> str:
    """How many measures differ, and how many would by chance alone."""
    s = found.summary
    text = (
        f"{s.differ} of {counted(s.measures, 'measure')} {'differs' if s.differ == 1 else 'differ'}"
    )
    if s.added or s.removed:
        text += f", {s.added} added, {s.removed} removed"
    if not s.tested:
        return f"{text}; none can be held against chance"
    limits = (m.interval or (m.paired and m.paired.interval) for m in found.measures)
    level = next(one.level for one in limits if one)
    by_chance = round(s.tested * (1 - level))
    expected = f"about {by_chance}" if by_chance else "less than 1"
    return (
        f"{text}; {s.beyond_chance} of {s.tested} tested beyond chance (*: the "
        f"{level_text(level)} interval of the difference leaves out 0), where {expected} "
        "would be expected if nothing had changed"
    )


def change_text(entry: MeasureChange) -> str:
    """Values then and now and their difference."""
    values = " -> ".join(_value_text(side) for side in (entry.old, entry.new))
    difference = "" if entry.difference is None else difference_text(entry.difference)
    text = f"{values}, {difference}"
    interval = entry.interval
    if interval is None:
        told = paired_text(entry)
        return f"{text}; {told}" if told else f"{text} (no interval: {entry.interval_reason})"
    limits = f"{difference_text(interval.low)} to {difference_text(interval.high)}"
    text += f" ({limits}, {method_text(interval.method)}"
    return f"{text}, p {p_text(entry.p_value)})" if entry.p_value is not None else f"{text})"


def _value_text(side: MeasureSide | None) -> str:
    return "" if side is None or side.value is None else value_text(side.value)


def _cautions(found: Diff) -> Iterator[str]:
    both = found.cautions
    if not both.new and not both.cleared:
        yield "no change"
    for word, cautions in (("new", both.new), ("cleared", both.cleared)):
        for caution in cautions:
            place = caution_place(caution)
            where = f" ({place})" if place else ""
            yield f"{word}: {caution.code}{where}: {visible(caution.message)}"


def caution_place(caution: Caution) -> str:
    """Dataset and model of a caution, as far as it is of them."""
    named = (caution.dataset, caution.model)
    return ", ".join(label_text(name) for name in named if name is not None)
