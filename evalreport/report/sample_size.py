"""Sample size: the widths of intervals, the rows that a wanted width takes, and multiplicity."""

from __future__ import annotations

from collections.abc import Sequence

from evalreport.report.cards import interval_text
from evalreport.report.columns import Column, left, right, table_of
from evalreport.report.contents import Contents, view_of
from evalreport.report.model import Block
from evalreport.report.numbers import count_text, level_text, or_dash, value_text
from evalreport.report.pieces import LineCell
from evalreport.report.words import counted, method_text, rows_text, subgroup_text
from evalreport.results.records import Comparison, Heterogeneity, Measure, SampleSize

MOST_LINES = 60


def width_words(contents: Contents) -> str:
    """The narrowest and the widest interval of a share on all rows: was the sample enough?

    Averages of classes are no share of rows.
    """
    found = [
        (record, m)
        for record in contents.of(SampleSize)
        if (m := contents.measure.get(record.measure)) and not m.subgroup and m.average is None
        and record.denominator is not None and contents.at_first(view_of(m))(m)
    ]  # fmt: skip
    if not found:
        return ""
    ordered = sorted(found, key=lambda pair: pair[0].half_width)
    (least, one), (most, other) = ordered[0], ordered[-1]
    return (
        "Half-width of the intervals of shares, all rows: from "
        f"{value_text(least.half_width)} ({_of(contents, one)}) to "
        f"{value_text(most.half_width)} ({_of(contents, other)})."
    )


def _of(contents: Contents, m: Measure) -> str:
    name = contents.mark((m.dataset, m.model)).name
    return f"{contents.title(m)}, {name}, {rows_text(m.denominator or 0)}"


def multiplicity_words(contents: Contents) -> str:
    """How many intervals and p values there are, and what was corrected for it."""
    intervals = [m.interval for m in contents.measures if m.interval]
    tests = [c for c in contents.of(Comparison) if c.p_value is not None]
    others = [h for h in contents.of(Heterogeneity) if h.p_value is not None]
    if not intervals:
        return ""
    level = level_text(intervals[0].level)
    said = (
        f"Multiplicity: there are {counted(len(intervals), 'interval')}. Each has its level, "
        f"{level}, on its own; none is widened for their number, so some can be expected to miss."
    )
    corrections = sorted({str(c.correction or "none") for c in tests})
    if tests:
        how = (
            "not corrected for their number"
            if corrections == ["none"]
            else f"corrected by {' and '.join(map(method_text, corrections))}, "
            f"{family_words(tests)}"
        )
        said += f" The {counted(len(tests), 'p value')} of comparisons: {how}."
    if others:
        said += (
            f" The {counted(len(others), 'p value')} of tests whether subgroups differ: not "
            "corrected."
        )
    return said


def family_words(tests: Sequence[Comparison]) -> str:
    """Which tests were corrected together, and how many they are."""
    known = [t for t in tests if t.family]
    if any(t.family == "dataset" for t in known):
        return "those of each dataset as one family"
    size = max((t.family_tests or 0 for t in known), default=0)
    return f"as one family of {counted(size, 'test')}"


def size_blocks(contents: Contents) -> list[Block]:
    """Rows needed for the wanted width, at the first threshold; nothing where none is wanted."""
    found = [
        (record, m)
        for record in contents.of(SampleSize)
        if record.wanted_width is not None
        and (m := contents.measure.get(record.measure)) is not None
        and contents.at_first(view_of(m))(m)
    ]
    if not found:
        return []
    columns: list[Column[tuple[SampleSize, Measure]]] = [
        left("metric", lambda p: contents.heading(p[1])),
        left("model", lambda p: LineCell(mark=contents.mark(view_of(p[1])))),
        left("rows", lambda p: f"{subgroup_text(p[1].subgroup)}, n {count_text(p[1].n)}"),
        right("of", lambda p: or_dash(p[0].denominator, count_text)),
        right("interval", lambda p: interval_text(p[1].interval)),
        right("half-width", lambda p: value_text(p[0].half_width)),
        right("of needed", lambda p: or_dash(p[0].denominator_needed, count_text)),
        right("rows needed", lambda p: or_dash(p[0].rows_needed, count_text)),
    ]
    note = (
        "Of: rows below the line of a share. Rows needed: for a share, its own method on more "
        "rows of the same composition and the same share; for anything else, the width falls "
        "with the square root of the rows. The share of the next sample is not known: read "
        "these as orders of magnitude."
    )
    wanted = value_text(found[0][0].wanted_width or 0.0)
    title = f"Sample size: rows needed for intervals no wider than {wanted}"
    return [table_of(title, found, columns, note, most=MOST_LINES)]
