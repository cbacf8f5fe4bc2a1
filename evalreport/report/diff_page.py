"""What changed between two runs, as a page: sections and tables, the most telling first.

The text for a terminal and the Markdown are the same page.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Any

from evalreport.metrics.estimates import is_better
from evalreport.numbers import difference_text, level_text, or_dash, p_text, value_text
from evalreport.report.columns import Column, left, right
from evalreport.report.model import Block, Note, Notes, Section, Text
from evalreport.report.pages import Page, part, stamp, table
from evalreport.report.pieces import LineCell
from evalreport.report.run_words import (
    measure_place,
    name_text,
    outcome_stamp,
    place_text,
)
from evalreport.report.words import counted, label_text, listed, method_text, prose, visible
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
from evalreport.results.records import Caution, Interval, Reference

#: A page holds no more measures than this; the rest is in the JSON.
MOST_MEASURES = 2000
#: Classes whose counts are listed.
MOST_LABELS = 20
NOT_KEPT = (
    "rows that came or went are not known: neither run kept digests of its rows "
    "(datasets: keep_rows: true, in both)"
)
#: On which side a measure changed, and how that is drawn.
SIDES = {"worse": "fail", "better": "pass", "different": "none"}
NO_CHANGE = Text("No change.")


def diff_page(found: Diff, version: str = "") -> Page:
    """The page of a diff, as :func:`evalreport.runs.diff.differences` gives it."""
    runs: list[Column[tuple[str, Reference]]] = [
        left("", lambda side: side[0]),
        left("run", lambda side: visible(side[1].run)),
        left("when", lambda side: side[1].at or ""),
    ]
    data: list[Column[tuple[str, str, str]]] = [
        left(head, itemgetter(k)) for k, head in enumerate(("where", "what", "old and new"))
    ]
    both = (("old", found.old), ("new", found.new))
    sections = (
        part("runs", "Runs", table("The two runs", both, runs), intro=_in_short(found)),
        part("criteria", "Criteria", *_criteria(found.criteria)),
        part("data", "Data", table("Files, rows, labels and scores", _data(found), data)),
        part("spec", "Spec", *_keys("Keys of the spec that differ", found.spec)),
        part("versions", "Versions", *_keys("Versions that differ", found.versions)),
        _measures(found),
        part("cautions", "Cautions", *_cautions(found)),
    )
    title = f"{visible(found.new.title or '')}: what changed"
    return Page(title, "What changed between two runs", version, sections)


def _in_short(found: Diff) -> str:
    """What to know first: criteria that flipped, measures beyond chance, new cautions."""
    s, sides = found.summary, Counter(_side(m) for m in found.measures)
    counts = [(s.flipped, "criterion", "criteria", " flipped")]
    counts += [(sides[one], "measure", "", f" {one} beyond chance") for one in SIDES]
    counts += [(s.new_cautions, "new caution", "", "")]
    parts = [f"{counted(n, noun, nouns)}{rest}" for n, noun, nouns, rest in counts if n]
    return f"{listed(parts)}." if parts else "No difference beyond chance."


def _criteria(criteria: Sequence[CriterionChange]) -> Iterator[Block]:
    changed = [entry for entry in criteria if entry.change != "same"]
    if not criteria:
        yield Text("None declared.")
    elif same := len(criteria) - len(changed):
        yield Text(f"{counted(same, 'criterion', 'criteria')} with the same outcome.")
    if changed:
        columns: list[Column[CriterionChange]] = [
            left("criterion", _criterion),
            left("where", lambda entry: place_text(entry, entry.threshold)),
            left("change", lambda entry: entry.change),
            left("old", lambda entry: outcome_stamp(entry.old)),
            left("new", lambda entry: outcome_stamp(entry.new, visible(entry.reason or ""))),
        ]
        yield table("Criteria that differ", changed, columns)


def _criterion(entry: CriterionChange) -> str:
    text = visible(entry.text)
    if entry.change != "changed":
        return text
    before = visible(entry.old_text or "")
    if entry.old_threshold != entry.threshold:
        before += f" at {visible(entry.old_threshold or 'every threshold')}"
    return f"{before} → {text}"


def _data(found: Diff) -> Iterator[tuple[str, str, str]]:
    for file in found.files:
        yield (label_text(file.dataset), "file", file_text(file))
    for entry in found.rows:
        place, used = place_text(entry), entry.rows.used
        counts = ", ".join(
            f"{label_text(c.label)} {c.old} → {c.new}" for c in entry.labels.counts[:MOST_LABELS]
        )
        yield (place, "rows used", f"{used[0]} → {used[1]}")
        yield (place, "labels", f"{counts}; {label_shift_text(entry.labels)}")
    for scores in found.scores:
        what = f"scores of {label_text(scores.label)}"
        yield (place_text(scores), what, score_text(scores))
    for by_id in found.rows_by_id:
        yield (label_text(by_id.dataset), "rows by id", rows_text(by_id))
    if not found.rows_by_id:
        yield ("every dataset", "rows by id", NOT_KEPT)


def rows_text(entry: PairedRows | UnpairedRows) -> str:
    """Rows that came, went and changed, by id."""
    if isinstance(entry, UnpairedRows):
        return f"rows are not paired by id: {visible(entry.reason)}"
    text = f"{entry.added} rows added, {entry.removed} removed, {entry.both} in both"
    changed = "" if entry.changed is None else f", of which {entry.changed} changed"
    others = [entry.changed_reason] if entry.changed is None and entry.changed_reason else []
    others += [
        f"{label_text(own.model)} predicts differently for {counted(own.changed, 'row')}"
        for own in entry.models
        if own.changed is not None
    ]
    if any(entry.not_unique):
        old, new = entry.not_unique
        others.append(f"rows whose id others have too: {old} in the old run, {new} in the new")
    return "; ".join([f"{text}{changed}", *others])


def file_text(entry: FileChange) -> str:
    """What became of a dataset's file."""
    one, two = entry.old, entry.new
    if one is None or two is None:
        return "added" if one is None else "removed"
    if entry.same:
        return f"the same file, {counted(two.rows, 'row')}"
    if entry.same is None or one.sha256 is None or two.sha256 is None:
        return f"given in memory, {one.rows} → {two.rows} rows"
    hashes = f"sha256 {one.sha256[:12]} → {two.sha256[:12]}"
    return f"another file: {one.rows} → {two.rows} rows, {hashes}"


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


def _keys(caption: str, changes: Sequence[KeyChange]) -> Iterator[Block]:
    columns: list[Column[KeyChange]] = [
        left("key", lambda one: visible(one.key)),
        left("old", lambda one: "–" if one.change == "added" else _shown(one.old)),
        left("new", lambda one: "–" if one.change == "removed" else _shown(one.new)),
    ]
    yield table(caption, changes, columns) if changes else NO_CHANGE


def _shown(value: Any) -> str:
    return visible(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), 120)


def _measures(found: Diff) -> Section:
    """Every measure: first those beyond chance, then those that differ."""
    shown = sorted(found.measures, key=_telling)
    columns: list[Column[MeasureChange]] = [
        left("measure", name_text),
        left("where", measure_place),
        right("old", lambda m: _value(m.old)),
        right("new", lambda m: _value(m.new)),
        right("difference", lambda m: or_dash(m.difference, difference_text)),
        left("interval", lambda m: or_dash(m.interval, _ends)),
        left("method, or why none", _method),
        right("p", lambda m: or_dash(m.p_value, p_text)),
        left("beyond chance", _beyond),
    ]
    cut = len(shown) - MOST_MEASURES
    notes = [f"{cut} more are in the JSON."] if cut > 0 else []
    caption = (
        "New minus old; rows that both runs kept are paired, those of different files are treated "
        "as independent"
    )
    made = table(caption, shown[:MOST_MEASURES], columns, *notes)
    return part("measures", "Measures", made, intro=f"{summary_text(found)}.")


def _telling(m: MeasureChange) -> tuple[bool, ...]:
    states = m.old and m.new and m.old.state != m.new.state
    alone = m.change != "both"
    return not m.beyond_chance, not states, alone, not m.difference, bool(m.subgroup), bool(m.fold)


def summary_text(found: Diff) -> str:
    """How many measures differ, and how many would by chance alone."""
    s = found.summary
    text = (
        f"{s.differ} of {counted(s.measures, 'measure')} {'differs' if s.differ == 1 else 'differ'}"
    )
    if s.added or s.removed:
        text += f", {s.added} added, {s.removed} removed"
    if not s.tested:
        return f"{text}; none can be compared with chance"
    limits = (m.interval or (m.paired and m.paired.interval) for m in found.measures)
    level = next(one.level for one in limits if one)
    by_chance = round(s.tested * (1 - level))
    expected = f"about {by_chance}" if by_chance else "less than 1"
    return (
        f"{text}; {s.beyond_chance} of {s.tested} tested beyond chance (the "
        f"{level_text(level)} interval of the difference excludes 0); expected by chance: "
        f"{expected}"
    )


def _method(m: MeasureChange) -> str:
    """The method of the interval, or why there is none."""
    if m.interval is not None:
        return method_text(m.interval.method)
    return paired_text(m) or visible(str(m.interval_reason or ""))


def _ends(limits: Interval) -> str:
    return f"{difference_text(limits.low)} to {difference_text(limits.high)}"


def _side(m: MeasureChange) -> str:
    """On which side a measure changed beyond chance, by its metric; empty where it did not."""
    if m.beyond_chance is not True:
        return ""
    then, now = (None if side is None else side.value for side in (m.old, m.new))
    return {True: "better", False: "worse", None: "different"}[is_better(m.metric, now, then)]


def _beyond(m: MeasureChange) -> LineCell:
    """Whether a difference is beyond chance; only a loss is drawn as one."""
    side = _side(m)
    if not side:
        return LineCell("not tested" if m.beyond_chance is None else "no")
    return stamp(SIDES[side], side)


def paired_text(entry: MeasureChange) -> str:
    """The difference on the rows of both runs, where others are in one only."""
    paired = entry.paired
    if paired is None or entry.interval is not None or paired.difference is None:
        return ""
    text = f"on the {paired.rows} rows in both {difference_text(paired.difference)}"
    limits, p = paired.interval, paired.p_value
    if limits is None:
        return text
    tested = "" if p is None else f", p {p_text(p)}"
    return f"{text} ({_ends(limits)}, {method_text(limits.method)}{tested})"


def _value(side: MeasureSide | None) -> str:
    if side is None:
        return "–"
    return side.state.replace("_", " ") if side.value is None else value_text(side.value)


def _cautions(found: Diff) -> Iterator[Block]:
    both = {"new": found.cautions.new, "cleared": found.cautions.cleared}
    if not any(both.values()):
        yield NO_CHANGE
    for word, cautions in both.items():
        if cautions:
            yield Notes(word.capitalize(), tuple(_caution(word, one) for one in cautions))


def _caution(word: str, caution: Caution) -> Note:
    """A caution; one that is cleared is no warning."""
    named = [label_text(name) for name in (caution.dataset, caution.model) if name is not None]
    place = f" ({', '.join(named)})" if named else ""
    severity = caution.severity if word == "new" else word
    title = f"{prose(caution.title)}{place}"
    return Note(severity, visible(caution.code), title, (visible(caution.message).rstrip("."),))
