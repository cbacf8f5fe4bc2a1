"""Models against each other: differences with intervals and tests, and who wins how often."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from evalreport.metrics.catalogue import find
from evalreport.numbers import (
    count_text,
    difference_text,
    level_text,
    number_text,
    or_dash,
    p_text,
)
from evalreport.report.cards import interval_text, number_of
from evalreport.report.classes import counts_of_each, first_table
from evalreport.report.columns import Column, across, laid, left, left_out, right
from evalreport.report.contents import Contents, View
from evalreport.report.leading import best_first, same_number
from evalreport.report.model import Block, Line, TableBlock, Text
from evalreport.report.now_and_then import then_blocks
from evalreport.report.paired import paired_charts, paired_tables
from evalreport.report.pieces import LineCell, Whisker
from evalreport.report.words import (
    counted,
    first_few,
    label_text,
    listed,
    method_text,
    subgroup_text,
)
from evalreport.report.worst import sign_of
from evalreport.results.identity import MEAN_OF_FOLDS, Quantity
from evalreport.results.records import Comparison, Interval, Measure

MOST_LINES = 60
#: Differences named in a sentence.
MOST_NAMED = 3
#: Classes up to which each is compared on the page.
FEW_CLASSES = 4


def comparison_blocks(contents: Contents) -> list[Block]:
    """Tables compared, differences, and the count of wins."""
    entries = contents.of(Comparison)
    if not entries:
        return []
    overall = [e for e in entries if _is_overall(contents, e)] or entries
    distinct = _each_number_once(contents, overall)
    shown = _shown(contents, overall, entries)
    blocks: list[Block] = [
        *_counts_of_classes(contents, shown),
        _differences(contents, shown, len(entries)),
        *then_blocks(contents, entries),
        *_wins(contents, distinct),
        *paired_tables(
            contents, [(e, comparison_title(contents, e), _pair(contents, e)) for e in shown]
        ),
    ]
    return [*blocks, *paired_charts(contents)]


def _shown(
    contents: Contents, overall: Sequence[Comparison], entries: Sequence[Comparison]
) -> Sequence[Comparison]:
    """The lines of the table, the best model first; of too many those shown to differ are kept."""
    ids = set(map(id, overall))
    apart = [e for e in entries if e.told_apart and id(e) not in ids]
    found = _each_number_once(contents, [*overall, *apart])
    if apart or len(found) > MOST_LINES:
        found = sorted(found, key=lambda e: not e.told_apart)[:MOST_LINES]
    order = best_first(contents)
    return sorted(found, key=lambda e: order.index((e.dataset, e.model)))


def _each_number_once(contents: Contents, entries: Sequence[Comparison]) -> list[Comparison]:
    """The comparisons without those that repeat another's number under a second name.

    Of several classes micro recall is accuracy, and macro recall is balanced accuracy. The mean
    accuracy of each class against the rest is left out beside accuracy: most of it is rows that
    are of neither class.
    """
    found: dict[tuple[Any, ...], list[Comparison]] = {}
    kept = []
    for e in entries:
        place: tuple[Any, ...] = (
            e.dataset,
            e.model,
            e.reference,
            e.reference_dataset,
            e.reference_run,
            e.fold,
        )
        place += (tuple(e.subgroup.items()), e.threshold, e.threshold_rule, e.reference_threshold)
        before = found.setdefault(place, [])
        if not any(_repeats(contents, e, other) for other in before):
            kept.append(e)
            before.append(e)
    return kept


def _repeats(contents: Contents, entry: Comparison, other: Comparison) -> bool:
    """Whether one comparison says no more than another before it, of the same models and rows."""
    one_class_each = entry.average in {"macro", "weighted"}
    if {entry.metric, other.metric} == {"accuracy"} and one_class_each:
        return other.label is None and not contents.has_sets((entry.dataset, entry.model))
    same = same_number(Quantity.of(entry), Quantity.of(other))
    return same and entry.difference is not None and entry.difference == other.difference


def comparison_intro(contents: Contents) -> str:
    """What the comparisons say, in a sentence."""
    entries = [c.interval for c in contents.of(Comparison) if c.interval]
    apart = sum(limits.low > 0 or limits.high < 0 for limits in entries)
    same = "Differences are model minus reference, on the same rows where both have them. "
    if all(c.reference_run for c in contents.of(Comparison)):
        same = "Differences are this run minus the earlier run, each on its own rows. "
    elif all(c.model == c.reference for c in contents.of(Comparison)):
        same = (
            "Differences are of one model on the rows of two datasets. They show how far its "
            "values carry over, and rank neither models nor datasets. "
        )
    elif all(c.reference_dataset for c in contents.of(Comparison)):
        same = "Differences are model minus reference. "
    same += f"{others} " if (others := other_rows_text(contents)) else ""
    alone = f"the interval excludes 0 in {apart} of {counted(len(entries), 'comparison')}"
    corrected = [c for c in contents.of(Comparison) if _is_corrected(c)]
    if not corrected:
        shown = sum(c.told_apart for c in contents.of(Comparison))
        total = counted(len(contents.of(Comparison)), "comparison")
        return f"{same}A difference is shown in {shown} of {total} (marked *)."
    shown = sum(c.told_apart for c in corrected)
    further = sum(c.told_apart for c in contents.of(Comparison)) - shown
    also = f", as are {further} that were not corrected" if further else ""
    return (
        f"{same}p values are also shown corrected for their number ({_correction(corrected)}, "
        f"{family_words(corrected)}); the corrected ones show a difference in {shown} of "
        f"{counted(len(corrected), 'comparison')} (marked *{also}). Intervals are not "
        f"corrected: {alone}."
    )


def family_words(tests: Sequence[Comparison]) -> str:
    """Which tests were corrected together, and how many they are."""
    known = [t for t in tests if t.family]
    if any(t.family == "dataset" for t in known):
        return "those of each dataset as one family"
    size = max((t.family_tests or 0 for t in known), default=0)
    return f"as one family of {counted(size, 'test')}"


def other_rows_text(contents: Contents) -> str:
    """Which of two models on different rows is better, a sentence for each of the first pairs."""
    pairs: dict[tuple[View, View], list[Comparison]] = {}
    for c in contents.of(Comparison):
        whole = not c.subgroup and c.fold is None and _at_first(contents, c)
        known = c.difference is not None and c.reference_dataset is not None
        if known and whole and c.model != c.reference:
            pairs.setdefault(((c.dataset, c.model), _reference(c)), []).append(c)
    told = [_of_other_rows(contents, *pair, own) for pair, own in pairs.items()]
    more = len(told) - MOST_NAMED
    if more > 0:
        likewise = (
            f"{counted(more, 'further pair')} {'is' if more == 1 else 'are'} compared in the same "
            f"way."
        )
        told = [*told[:MOST_NAMED], likewise]
    if told:
        told.append("A difference may come from the rows as well as from the models.")
    return " ".join(told)


def _of_other_rows(
    contents: Contents, view: View, reference: View, entries: Sequence[Comparison]
) -> str:
    names = [label_text(view[1]), label_text(reference[1])]
    # what all classes come to says it, where there is such a number
    entries = [c for c in entries if not contents.names_class(c)] or entries
    found: dict[str, list[str]] = {}
    for c in entries:
        if c.told_apart and c.difference is not None:
            better = names[c.better == "reference"]
            said = f"{better} is better on" if c.better else "they differ in"
            limits = f", {interval_text(c.interval)}" if c.interval else ""
            minus = f"{' minus '.join(names)} {difference_text(c.difference)}{limits}"
            title = comparison_title(contents, c).removesuffix(" ↓")
            found.setdefault(said, []).append(f"{title} ({minus})")
    told = [f"{said} {listed(first_few(metrics, MOST_NAMED))}" for said, metrics in found.items()]
    rest = len(entries) - sum(map(len, found.values()))
    if rest:
        what = "other comparison" if told else "comparison"
        told.append(f"no difference was shown in {counted(rest, what)}")
    places = [
        f"{label_text(model)} on {label_text(dataset)}" for dataset, model in (view, reference)
    ]
    return f"{' is compared with '.join(places)}, on different rows: {'; '.join(told)}."


def against_text(entry: Comparison) -> str:
    """What a model is compared with, told apart from the model itself."""
    if entry.reference_dataset is None:
        return label_text(entry.reference)
    dataset = label_text(entry.reference_dataset)
    if entry.model == entry.reference:
        return dataset
    return f"{label_text(entry.reference)} on {dataset}"


def _is_corrected(entry: Comparison) -> bool:
    known = entry.p_adjusted is not None
    return known and entry.correction not in {None, "none"}


def _pair(contents: Contents, entry: Comparison) -> str:
    """What is compared with what, in words."""
    than = "then" if entry.reference_run else _reference_name(contents, _reference(entry))
    return f"{contents.mark((entry.dataset, entry.model)).name} minus {than}"


def _unit(entry: Comparison) -> str:
    """What a difference is in: a metric by its name, nothing of those that lie from -1 to 1.

    The Brier score of several classes, up to 2, is with them.
    """
    declared = find(entry.metric)
    low, high = (-math.inf, math.inf) if declared is None else declared.range_of(3)
    return "" if low >= -1 and high <= 2 else entry.metric


def _axis(entries: Sequence[Comparison]) -> float:
    """How far an axis goes each way so that all of these differences and limits are on it."""
    told = [(e.difference, *((i.low, i.high) if (i := e.interval) else ())) for e in entries]
    found = [abs(x) for own in told for x in own if x is not None and 0 < abs(x) < math.inf]
    reach = max(found, default=1.0)
    step = 10.0 ** math.floor(math.log10(reach))
    return math.ceil(reach / step - 1e-9) * step


def _on_axis(contents: Contents, entry: Comparison, unit: str, reach: float) -> LineCell:
    """A difference with its limits on an axis with 0 in its middle, if it is in the axis' unit."""
    value, interval = entry.difference, entry.interval
    if value is not None and _unit(entry) != unit:
        return LineCell("in another unit")
    if value is None:
        return LineCell()

    def place(x: float) -> str:
        return f"{50 + 50 * max(-1.0, min(x / reach, 1.0)):.2f}"

    drawn = Whisker(
        point=place(value),
        low=None if interval is None else place(interval.low),
        high=None if interval is None else place(-interval.high),
        required=(),
        zero="50",
        style=contents.mark((entry.dataset, entry.model)).style,
        words="",
    )
    return LineCell(whisker=drawn)


def _limits(interval: Interval) -> str:
    return f"{difference_text(interval.low)} to {difference_text(interval.high)}"


def _differences(contents: Contents, entries: Sequence[Comparison], total: int) -> TableBlock:
    """A line for each difference; models that are the same on all lines stand in the caption."""
    only = _only_reference(contents, entries)
    marks = {contents.mark((e.dataset, e.model)) for e in entries}
    alone = next(iter(marks)) if only and len(marks) == 1 else None
    # the axis is that of shares, where there are any
    unit = min(map(_unit, entries), default="")
    reach = _axis([e for e in entries if _unit(e) == unit])
    axis: Column[Comparison] = left("axis", lambda e: _on_axis(contents, e, unit, reach))
    shown = _columns(contents, entries, axis, only=bool(only), alone=alone is not None)
    heads, lines = laid(entries, shown)
    notes = [left_out(len(entries), total, "comparisons")]
    if any(e.fold == MEAN_OF_FOLDS for e in entries):
        notes.append("The values of means over folds are beside the tables of their folds.")
    if _values_elsewhere(contents, entries):
        notes.append("The values are beside their tables, in the section of metrics.")
    notes += _disagreeing(contents, entries)
    of = "Differences" if alone is None else f"Differences of {alone.symbol} {alone.name}"
    of += f" from {only}" if only else ""
    ticks = tuple(number_text(round(x, 12)) for x in (-reach, 0.0, reach))
    told = tuple(filter(None, notes))
    return TableBlock(f"{of}. ↓ less is better", heads, lines, told, "many cmp", ticks)


def _columns(
    contents: Contents,
    entries: Sequence[Comparison],
    axis: Column[Comparison],
    *,
    only: bool,
    alone: bool,
) -> list[Column[Comparison]]:
    """The columns of differences."""

    def marked(view: View) -> LineCell:
        return LineCell(mark=contents.mark(view))

    def other(e: Comparison) -> str | LineCell:
        if e.reference_run:
            return or_dash(e.reference_value)
        return _value(contents, _measure(contents, e, "reference"))

    model: Column[Comparison] = left("model", lambda e: marked((e.dataset, e.model)))
    reference: Column[Comparison] = left(
        "reference", lambda e: "then" if e.reference_run else marked(_reference(e))
    )
    corrected: Column[Comparison] = right(
        f"p, {_correction(entries)}", lambda e: or_dash(e.p_adjusted, p_text)
    )
    valued = not _values_elsewhere(contents, entries)
    value: Column[Comparison] = right(
        "value", lambda e: _value(contents, _measure(contents, e, "model"))
    )
    return [
        left("metric", lambda e: LineCell(comparison_title(contents, e), head=True)),
        *(() if alone else (model,)),
        *((value,) if valued else ()),
        *(() if only else (reference,)),
        *((right("reference" if only else "value", other),) if valued else ()),
        right("difference", lambda e: LineCell(_said(e), strong=True)),
        right(_level(entries), lambda e: "" if e.interval is None else _limits(e.interval)),
        axis,
        left("test", _test),
        right("p", lambda e: or_dash(e.p_value, p_text)),
        *((corrected,) if any(map(_is_corrected, entries)) else ()),
    ]


def _counts_of_classes(contents: Contents, entries: Sequence[Comparison]) -> list[TableBlock]:
    """A line for each model that is compared on several classes: the counts of every class."""
    views = dict.fromkeys(v for e in entries for v in ((e.dataset, e.model), _reference(e)))
    tables = {v: first_table(contents, v) for v in best_first(contents) if v in views}
    counts = {v: found for v, t in tables.items() if (found := counts_of_each(t))}

    names = dict.fromkeys(name for own in counts.values() for name in own)
    columns: list[Column[View]] = [left("model", lambda view: LineCell(mark=contents.mark(view)))]
    columns += across(zip(names, names, strict=True), lambda name, view: counts[view].get(name, ""))

    def row(view: View, cells: tuple[str | LineCell, ...]) -> Line:
        name = "" if (table := tables[view]) is None else table.id
        return Line(cells, table=name, hook=("classes", name))

    heads, lines = laid(counts, columns, row)
    return (
        [TableBlock("The counts of each class", heads, lines, (), "many heads whole")]
        if lines
        else []
    )


def _values_elsewhere(contents: Contents, entries: Sequence[Comparison]) -> bool:
    """Whether the values stand in the section of metrics alone: the tables of many classes do.

    Those of an earlier run stand nowhere else.
    """
    views = {(e.dataset, e.model) for e in entries}
    one_line = any(
        contents.is_binary(v) or contents.has_sets(v) or counts_of_each(first_table(contents, v))
        for v in views
    )
    return "measures" in contents.sections and not (
        one_line or any(e.reference_run for e in entries)
    )


def _said(entry: Comparison) -> str:
    """A difference, marked where it is told from 0."""
    if entry.difference is None:
        return "undefined"
    return f"{difference_text(entry.difference)}{' *' if entry.told_apart else ''}"


def _disagreeing(contents: Contents, entries: Sequence[Comparison]) -> Iterator[str]:
    """Comparisons whose test and limits, of two methods, do not agree."""
    found = [
        f"{comparison_title(contents, e)} ({contents.mark((e.dataset, e.model)).name})"
        for e in entries
        if e.methods_disagree
    ]
    if found:
        yield (
            "Test and limits are two methods and disagree on whether there is a difference; "
            f"the test decides: {'; '.join(found)}."
        )


def _only_reference(contents: Contents, entries: Sequence[Comparison]) -> str:
    """The reference of all comparisons, with its mark; nothing where there are several."""
    marks = {contents.mark(_reference(e)) for e in entries}
    if len(marks) != 1 or any(e.reference_run for e in entries):
        return ""
    mark = marks.pop()
    return f"{mark.symbol} {mark.name}"


def _correction(entries: Sequence[Comparison]) -> str:
    """The one correction of all p values by its name."""
    names = {e.correction for e in entries if e.correction}
    return method_text(names.pop()) if len(names) == 1 else "corrected"


def _is_overall(contents: Contents, entry: Comparison) -> bool:
    """Whether a comparison is of all classes, or of few enough to show each."""
    few = len(contents.classes((entry.dataset, entry.model))) <= FEW_CLASSES
    return few or entry.label is None


def _level(entries: Sequence[Comparison]) -> str:
    levels = {e.interval.level for e in entries if e.interval}
    return f"{level_text(levels.pop())} CI" if len(levels) == 1 else "interval"


def _reference_name(contents: Contents, view: View) -> str:
    known = view[1] in contents.models
    return contents.mark(view).name if known else label_text(view[1])


def _value(contents: Contents, m: Measure | None) -> str | LineCell:
    if m is None or m.table not in contents.tables:
        return "–"
    return LineCell(number=number_of(contents, m, whisker=False, limits=False))


def _test(entry: Comparison) -> str:
    """The test, with how many rows count for the model alone, and for the reference alone."""
    told, joint = [method_text(entry.test)] if entry.test else [], entry.joint_table
    told += [] if joint is None else [f"{count_text(joint.n10)} : {count_text(joint.n01)}"]
    return ", ".join(told) or "–"


def comparison_title(contents: Contents, entry: Comparison) -> str:
    """Which number is compared: the metric, and whatever is not all rows at the first threshold."""
    m = _measure(contents, entry, "model")
    title = contents.title(entry, "" if m is None else contents.words.title(m))
    if entry.subgroup:
        title += f", {subgroup_text(entry.subgroup)}"
    if m is not None and not _at_first(contents, entry):
        title += f", at {number_text(m.threshold)}"
    if entry.fold is not None:
        fold = entry.fold
        title += ", mean of folds" if fold == MEAN_OF_FOLDS else f", fold {label_text(fold)}"
    if entry.exploratory:
        title += ", exploratory"
    return f"{title} ↓" if sign_of(entry.metric) < 0 else title


def _at_first(contents: Contents, entry: Comparison) -> bool:
    """Whether a comparison is at the first threshold of its model, or needs none."""
    m = _measure(contents, entry, "model")
    if m is None or m.threshold is None:
        return True
    return contents.at_first((entry.dataset, entry.model))(m)


def _reference(entry: Comparison) -> View:
    """The view compared against: another model, or the same or another one on other rows."""
    return (entry.reference_dataset or entry.dataset, entry.reference)


def _measure(contents: Contents, entry: Comparison, side: str) -> Measure | None:
    """The measure on one side of a comparison."""
    view = (entry.dataset, entry.model)
    if side == "reference":
        view = _reference(entry)
    asked = replace(entry.which, dataset=view[0], model=view[1], threshold=None, rule=None)
    # whatever its threshold and however rows count in it
    free = partial(replace, threshold=None, rule=None, indeterminate=None)
    alike = [m for m in contents.of_view(view) if free(m.which) == asked]
    same = [m for m in alike if m.threshold == entry.threshold]
    # labels have no threshold: scores are held against them at the first one
    return next(iter(same or filter(contents.at_first(view), alike)), None)


def _wins(contents: Contents, entries: Sequence[Comparison]) -> list[Block]:
    """In how many metrics each model is better than the reference; single classes are apart."""
    found: dict[tuple[View, View], list[int]] = {}
    counted: set[tuple[View, View, Quantity]] = set()
    for entry in entries:
        sign = sign_of(entry.metric)
        if entry.difference is None or not sign or entry.subgroup:
            continue
        # a model on other rows does not win against itself
        if entry.model == entry.reference or not _at_first(contents, entry):
            continue
        gain = entry.difference * sign
        pair = ((entry.dataset, entry.model), _reference(entry))
        # over folds a metric may be compared twice, pooled and by its mean
        if (*pair, entry.which.quantity) in counted:
            continue
        counted.add((*pair, entry.which.quantity))
        counts = found.setdefault(pair, [0, 0, 0, 0, 0])
        counts[0 if gain > 0 else 1 if gain == 0 else 2] += 1
        if entry.told_apart:
            counts[3 if gain > 0 else 4] += 1
    if not found:
        return []
    told = [
        f"{contents.mark(a).name} is better than {_reference_name(contents, b)} in {better} "
        f"{'metric' if better == 1 else 'metrics'}, equal in {equal} and worse in {worse}; a "
        f"difference is shown in {shown_better} of the first and {shown_worse} of the last."
        for (a, b), (better, equal, worse, shown_better, shown_worse) in found.items()
    ]
    if not all(_is_overall(contents, e) for e in contents.of(Comparison)):
        told[0] = f"Of the metrics over all classes: {told[0]}"
    note = "Metrics share their tables and are not independent."
    return [Text(" ".join([*told, note]), "small")]
