"""The annex of methods: one line per metric, how limits were made, sources, and sample sizes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from evalreport.metrics.advice import ADVICES, VAN_CALSTER
from evalreport.metrics.catalogue import find
from evalreport.metrics.methods import METHODS
from evalreport.numbers import count_text, level_text, or_dash, value_text
from evalreport.report.cards import interval_text
from evalreport.report.columns import Column, left, right, table_of
from evalreport.report.comparisons import family_words
from evalreport.report.contents import Contents, view_of
from evalreport.report.formulas import typeset
from evalreport.report.metric_sections import CARDS_ABREAST
from evalreport.report.model import (
    Block,
    Text,
)
from evalreport.report.pieces import LineCell
from evalreport.report.sections import section
from evalreport.report.slices import wanted
from evalreport.report.words import (
    counted,
    listed,
    method_text,
    rows_text,
    subgroup_text,
)
from evalreport.results.identity import MEAN_OF_FOLDS
from evalreport.results.records import (
    Comparison,
    Curve,
    Gap,
    Heterogeneity,
    Interval,
    Measure,
    OmnibusTest,
    SampleSize,
)


@section("methods", "Methods and formulas", short="Methods", of=(SampleSize,), annex=True)
def methods_blocks(contents: Contents) -> list[Block]:
    """One line per metric used: meaning, formula, interval, reference; then the references.

    Meanings and formulas that stand beside the values of every metric are not told again.
    """
    found: dict[str, list[Measure]] = {}
    for m in contents.measures:
        found.setdefault(contents.heading(m, averaged=False), []).append(m)
    references = References()
    cell = _usual_cell([one for same in found.values() for one in _methods_of(same)])
    brief = set(found) <= _titles_of_cards(contents)
    formula: Column[Method] = left("formula", lambda one: one.formula)
    columns: list[Column[Method]] = [
        left("metric", lambda one: one.title),
        left("use" if brief else "what it is", lambda one: one.meaning),
        *(() if brief else (formula,)),
        left("interval", lambda one: one.interval),
        right("reference", lambda one: one.cited),
    ]
    rows = [
        _method(contents, title, same, references, cell, brief=brief)
        for title, same in found.items()
    ]
    differences = difference_blocks(contents, references)
    tests = _tests_words(contents, references)
    advice = _advice_words(contents, references)
    cited = references.text()
    blocks: list[Block] = [
        table_of("", rows, columns, style="methods"),
        *differences,
        *([Text(STUDIED.format(cell), "small")] if cell else []),
        Text(" ".join(filter(None, (_interval_words(contents), tests))), "small"),
        *([Text(advice, "small")] if advice else []),
        *([Text(f"References: {cited}", "small")] if cited else []),
        *size_blocks(contents),
    ]
    return blocks if rows else []


def _methods_of(same: Iterable[Measure]) -> list[Interval]:
    """The interval by each method of a metric that held least often in the coverage study.

    Models, groups and averages may differ. Single folds, of few rows, do not speak where values of
    all rows do.
    """
    found: dict[str, Interval] = {}
    every = list(same)
    for m in [m for m in every if m.fold in (None, MEAN_OF_FOLDS)] or every:
        own = m.interval
        if own is not None and _share_held(own) < _share_held(found.get(own.method)):
            found[own.method] = own
    return list(found.values())


def _share_held(interval: Interval | None) -> float:
    """How often such limits held; of none, or none that was studied, more than often."""
    if interval is None:
        return 3.0
    return 2.0 if interval.held is None else interval.held


def _titles_of_cards(contents: Contents) -> set[str]:
    """The metrics that have a card, with their meaning and formula, in the sections before."""
    if not {"measures", "scores"} <= set(contents.sections) or len(contents.views) > CARDS_ABREAST:
        return set()
    own = [m for view in contents.views for m in contents.pooled(view) if wanted(contents, m)]
    return {contents.heading(m, averaged=False) for m in own}


class Method(NamedTuple):
    """A metric of the table of methods: what it is, its formula, its interval, its source."""

    title: str
    meaning: str
    formula: str
    interval: str
    cited: str


def _method(
    contents: Contents,
    title: str,
    same: Sequence[Measure],
    references: References,
    cell: str,
    *,
    brief: bool,
) -> Method:
    m = same[0]
    declared = find(m.metric)
    own = "" if m.average or len(m.formula) > 120 else m.formula
    formula = typeset((declared.formula if declared else "") or own) or "see the card"
    agreed = contents.words.meaning(m)
    meaning = agreed or (declared.meaning if declared is not None else "")
    use = declared.use if declared is not None and not agreed else ""
    if brief:
        meaning = f"{use[:1].upper()}{use[1:]}." if use else "–"
    elif use:
        meaning += f" Use it {use}."
    meaning = contents.said(m.dataset, meaning)
    cited = references.cite(declared.reference) if declared is not None else ""
    told = [_method_and_share(interval, references, cell) for interval in _methods_of(same)]
    said = " / ".join(told) or "none"
    return Method(title, meaning, formula, said, cited or "–")


def _usual_cell(intervals: Iterable[Interval]) -> str:
    """The cell of the coverage study in which most of these held too rarely; empty without one."""
    cells = Counter(one.held_cell for one in intervals if one.held_cell and one.is_rarely_held)
    return cells.most_common(1)[0][0] if cells else ""


def _method_and_share(interval: Interval, references: References, usual: str) -> str:
    """The method of an interval, its source, and how often it held where that is too rarely.

    The usual cell of the study is told once for all.
    """
    said, held = references.methods([interval.method]), interval.study
    if held is None or not interval.is_rarely_held:
        return said
    elsewhere = "" if held.cell == usual else f" at {held.cell}"
    return f"{said}{_covers(held.low, held.high)}{elsewhere}"


def _covers(least: float, most: float) -> str:
    """How many of 100 such limits held, of the samples with the fewest and with the most."""
    low, high = f"{100 * least:.1f}", f"{100 * most:.1f}"
    return f"; covers {low} %" if low == high else f"; covers {low} to {high} %"


def _tests_words(contents: Contents, references: References) -> str:
    """What differences are tested by, what intervals and bands are, how p values are adjusted."""
    own, curves = contents.of(Comparison), contents.of(Curve)
    told = {
        "Differences are tested by": [
            *(c.test for c in own if c.test and c.p_value is not None),
            *(one.test for one in contents.of(OmnibusTest)),
        ],
        "p values are adjusted by": [
            c.correction for c in own if c.correction != "none" and c.p_adjusted is not None
        ],
        "bands of curves are": [c.band.method for c in curves if c.band and c.band.method],
    }
    said = [
        f"{what} {references.methods(dict.fromkeys(names))}"
        for what, names in told.items()
        if names
    ]
    words = "; ".join(said)
    return f"{words[0].upper()}{words[1:]}." if said else ""


def _advice_words(contents: Contents, references: References) -> str:
    """What guidance on models for medical decisions says of the measures shown, if it is asked."""
    told: dict[str, dict[str, None]] = {}
    for m in contents.measures if contents.words.guidance else ():
        declared = find(m.metric)
        if declared is not None and declared.advice is not None:
            told.setdefault(declared.advice, {})[contents.heading(m, averaged=False)] = None
    if not told:
        return ""
    own = [one for one in ADVICES if one in told]
    said = "; ".join(f"{listed(list(told[one]))}: {one}" for one in own)
    start = "Guidance on models that support medical decisions"
    return contents.said(None, f"{start} {references.cite(VAN_CALSTER)}. {said}.")


AVERAGED = "An average over classes excludes those with an undefined value."
CHOSEN = "Intervals at a threshold chosen on the same rows are conditional on it."


def _interval_words(contents: Contents) -> str:
    confidence = contents.spec.get("confidence") or {}
    levels = {m.interval.level for m in contents.measures if m.interval}
    parts = (
        [f"Intervals are two-sided, {' and '.join(level_text(x) for x in sorted(levels))}."]
        if levels
        else []
    )
    compared = (c.interval for c in contents.of(Comparison))
    intervals = (*(m.interval for m in contents.measures), *compared)
    resampled = any("bootstrap" in one.method for one in intervals if one is not None)
    if resampled and isinstance(confidence, dict) and confidence.get("resamples"):
        parts.append(
            f"Bootstraps draw {confidence['resamples']} times, seed {confidence.get('seed', 0)}."
        )
    views = {view_of(m) for m in contents.measures if m.threshold is not None}
    decide = dict.fromkeys(contents.operator(view) for view in contents.views if view in views)
    parts += [f"{operator} threshold predicts the positive class." for operator in decide]
    if any(m.average for m in contents.measures):
        parts.append(AVERAGED)
    if any(m.exploratory for m in contents.measures):
        parts.append(CHOSEN)
    parts += [words for words in (width_words(contents), multiplicity_words(contents)) if words]
    return " ".join(parts)


#: What a share of intervals that held is, said once below the methods.
STUDIED = (
    "Covers: the % of samples of the coverage study with 95 % limits around the true value, "
    "if below 93, at {} unless stated."
)


#: Lines of the table.
MOST_DIFFERENCES = 40


def difference_blocks(contents: Contents, references: References) -> list[Block]:
    """A table with a line for each method and kind of difference; none where none is told."""
    found: dict[tuple[str, str], list[Interval]] = {}
    for of, title, interval in _intervals(contents):
        found.setdefault((of, title), []).append(interval)
    if not found:
        return []
    lines: dict[tuple[str, str], dict[str, list[Interval]]] = {}
    for (of, title), own in found.items():
        methods = references.methods(dict.fromkeys(one.method for one in own))
        lines.setdefault((of, methods), {})[title] = own
    kinds = list(dict.fromkeys(of for of, _ in lines))
    one = len(kinds) == 1
    columns: list[Column[tuple[tuple[str, str], dict[str, list[Interval]]]]] = [
        left("metric", lambda line: ", ".join(line[1])),
        *(() if one else (left("limits of", lambda line: line[0][0]),)),
        left("method", lambda line: line[0][1] + _held(line[1])),
    ]
    rows = list(lines.items())[:MOST_DIFFERENCES]
    more = len(lines) - len(rows)
    note = (
        f"{counted(more, 'further line')} left out: results.json has the methods." if more else ""
    )
    caption = f"Limits of {kinds[0]}" if one else "Limits of differences"
    return [table_of(caption, rows, columns, note, "methods differences")]


def _intervals(contents: Contents) -> Iterator[tuple[str, str, Interval]]:
    """Every interval that is told: what it is of, the metric, and the interval."""
    for c in contents.of(Comparison):
        title = contents.heading(c, averaged=False)
        if c.interval is not None and c.reference_run is None and c.fold is None:
            side = "two models" if c.paired else "two datasets"
            yield f"differences of {side}", title, c.interval
        if c.ratio is not None and c.ratio.interval is not None:
            side = "two models" if c.paired else "two datasets"
            yield f"ratios of {side}", title, c.ratio.interval
    for gap in contents.of(Gap):
        title = contents.heading(contents.measure_of(gap.measure) or gap, averaged=False)
        for what, interval in (("gaps", gap.gap_interval), ("ratios", gap.ratio_interval)):
            if interval is not None and interval.study:
                yield f"{what} of groups", title, interval
    for entry in contents.of(Heterogeneity):
        widest = entry.widest
        interval = None if widest is None else widest.interval
        if widest is not None and interval is not None and interval.study:
            own = contents.measure_of(widest.highest) or entry
            title = contents.heading(own, averaged=False)
            yield "the largest gap of groups", title, interval


def _held(groups: Mapping[str, Sequence[Interval]]) -> str:
    """The metrics some of whose limits held too rarely: the least and most of 100, and where."""
    rarely = [
        (title, one.study)
        for title, own in groups.items()
        for one in own
        if one.study is not None and one.is_rarely_held
    ]
    if not rarely:
        return ""
    shares = [x for _, held in rarely for x in (held.low, held.high)]
    cells = dict.fromkeys(held.cell for _, held in rarely)
    named = dict.fromkeys(title for title, _ in rarely)
    of = f" for some of {listed(list(named))}" if len(named) < len(groups) else ""
    at = f" ({'; '.join(cells)})"
    return f"{_covers(min(shares), max(shares))}{of}{at}"


def _source(method: str) -> str:
    declared = METHODS.get(method)
    return "" if declared is None else declared.source


class References:
    """Numbered sources, in the order in which they are cited."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def cite(self, source: str) -> str:
        """The number of a source in brackets; nothing where there is none.

        >>> found = References()
        >>> found.cite("Wilson E., 1927."), found.cite(""), found.cite("Wilson E., 1927")
        ('[1]', '', '[1]')
        """
        source = source.rstrip(".")
        return f"[{self._numbers.setdefault(source, len(self._numbers) + 1)}]" if source else ""

    def methods(self, names: Iterable[str]) -> str:
        """Methods by their names, each with the number of its source.

        >>> References().methods(["wilson", "wald"])
        'Wilson [1], Wald'
        """
        said = (f"{method_text(name)} {self.cite(_source(name))}".strip() for name in names)
        return ", ".join(dict.fromkeys(said))

    def text(self) -> str:
        """All sources with their numbers; nothing where none is cited."""
        return " ".join(f"[{number}] {source}." for source, number in self._numbers.items())


MOST_SIZES = 60


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
    """A share, its model and its rows; of weighted ones the sum of their weights."""
    name, rows = contents.mark((m.dataset, m.model)).name, m.denominator or 0
    size = rows_text(rows) if float(rows).is_integer() else f"weights {count_text(rows)}"
    return f"{contents.title(m)}, {name}, {size}"


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
    return [table_of(title, found, columns, note, most=MOST_SIZES)]
