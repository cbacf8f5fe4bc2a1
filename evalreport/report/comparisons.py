"""Models against each other: differences with intervals and tests, and who wins how often."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from evalreport.metrics.catalogue import find
from evalreport.report.cards import interval_text, number_of
from evalreport.report.charts.forest import Forest, ForestRow
from evalreport.report.contents import Contents, View
from evalreport.report.count_tables import abreast, count_table
from evalreport.report.forest_charts import forest_chart
from evalreport.report.model import (
    Block,
    Column,
    Line,
    Strip,
    Text,
)
from evalreport.report.now_and_then import then_blocks
from evalreport.report.numbers import (
    count_text,
    difference_text,
    level_text,
    number_text,
    p_text,
    value_text,
)
from evalreport.report.paired_charts import paired_charts
from evalreport.report.paired_tables import paired_tables
from evalreport.report.pieces import LineCell, Number
from evalreport.report.results_table import sign_of, stands_on_few
from evalreport.report.sample_size import family_words
from evalreport.report.words import (
    counted,
    label_text,
    listed,
    method_text,
    subgroup_text,
)
from evalreport.results.identity import MEAN_OF_FOLDS, WhichNumber
from evalreport.results.records import Comparison, Interval, Measure

MOST_LINES = 60
#: Differences on one axis.
MOST_DRAWN = 24
#: Differences named in a sentence.
MOST_NAMED = 3
#: Classes up to which each is compared on the page.
FEW_CLASSES = 4


def comparison_blocks(contents: Contents) -> list[Block]:
    """Tables compared, differences, and the count of wins."""
    entries = contents.of(Comparison)
    if not entries:
        return []
    overall = [e for e in entries if _is_overall(contents, e)]
    shown = (overall or entries)[:MOST_LINES]
    blocks: list[Block] = [
        _differences(contents, shown, len(entries)),
        *_forest(contents, shown),
        *then_blocks(contents, entries),
        *_wins(contents, entries),
        *paired_tables([(e, comparison_title(contents, e), _pair(contents, e)) for e in shown]),
    ]
    tables = _tables(contents, shown)
    return [*blocks, *abreast(tables), *paired_charts(contents)]


def comparison_intro(contents: Contents) -> str:
    """What the comparisons say, in a sentence."""
    entries = [c for c in contents.of(Comparison) if c.interval]
    apart = sum(_leaves_out_0(c) for c in entries)
    same = "Differences are model minus reference, on the same rows where both have them. "
    if all(c.reference_run for c in contents.of(Comparison)):
        same = "Differences are now minus then: of these rows and of those of the reference. "
    elif all(c.model == c.reference for c in contents.of(Comparison)):
        same = (
            "Differences are of one model on the rows of two datasets. They show how far its "
            "values carry over, and rank neither models nor datasets. "
        )
    elif all(c.reference_dataset for c in contents.of(Comparison)):
        same = "Differences are model minus reference. "
    same += f"{others} " if (others := other_rows_text(contents)) else ""
    alone = f"the interval leaves out 0 in {apart} of {counted(len(entries), 'comparison')}"
    corrected = [c for c in contents.of(Comparison) if _is_corrected(c)]
    if not corrected:
        shown = sum(c.told_apart for c in contents.of(Comparison))
        total = counted(len(contents.of(Comparison)), "comparison")
        return f"{same}A difference is shown in {shown} of {total} (marked *)."
    shown = sum(c.told_apart for c in corrected)
    return (
        f"{same}Beside each p value stands the one corrected for their number "
        f"({_correction(corrected)}, {family_words(corrected)}); it tells a difference from 0 in "
        f"{shown} of {counted(len(corrected), 'comparison')} (marked *). Intervals are not "
        f"corrected: {alone}."
    )


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
            f"{counted(more, 'further pair')} {'is' if more == 1 else 'are'} compared likewise."
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
    told = [f"{said} {listed(_first(metrics))}" for said, metrics in found.items()]
    rest = len(entries) - sum(map(len, found.values()))
    if rest:
        what = "other comparison" if told else "comparison"
        told.append(f"no difference was shown in {counted(rest, what)}")
    places = [
        f"{label_text(model)} on {label_text(dataset)}" for dataset, model in (view, reference)
    ]
    return f"{' is compared with '.join(places)}, on different rows: {'; '.join(told)}."


def _first(words: list[str]) -> list[str]:
    more = len(words) - MOST_NAMED
    return [*words[:MOST_NAMED], f"{more} more"] if more > 0 else words


def against_text(entry: Comparison) -> str:
    """What a model is compared with, told apart from the model itself."""
    if entry.reference_dataset is None:
        return label_text(entry.reference)
    dataset = label_text(entry.reference_dataset)
    if entry.model == entry.reference:
        return dataset
    return f"{label_text(entry.reference)} on {dataset}"


def _leaves_out_0(entry: Comparison) -> bool:
    interval = entry.interval
    return interval is not None and (interval.low > 0 or interval.high < 0)


def _is_corrected(entry: Comparison) -> bool:
    known = entry.p_adjusted is not None
    return known and entry.correction not in {None, "none"}


def _tables(contents: Contents, entries: Sequence[Comparison]) -> tuple[Any, ...]:
    """The tables that the compared values come from, each once."""
    ids: dict[str, None] = {}
    for entry in entries:
        for m in (_measure(contents, entry, "model"), _measure(contents, entry, "reference")):
            if m is not None and m.table in contents.tables:
                ids.setdefault(m.table)
    return tuple(count_table(contents, contents.tables[i]) for i in list(ids)[:24])


def _forest(contents: Contents, entries: Sequence[Comparison]) -> list[Block]:
    """The differences of each pair of models on one axis, worst first."""
    pairs: dict[str, list[Comparison]] = {}
    drawn = [e for e in entries if e.difference is not None]
    for e in drawn[:MOST_DRAWN]:
        pairs.setdefault(_pair(contents, e), []).append(e)
    rows: list[ForestRow] = []
    for pair, own in pairs.items():
        rows += [ForestRow(pair), *(_row(contents, e) for e in sorted(own, key=_gain))]
    if not rows:
        return []
    aside = "Worst first within a pair. ↓ less is better."
    if len(drawn) > MOST_DRAWN:
        aside += f" The first {MOST_DRAWN} of {len(drawn)}; the table has more."
    shown = Forest(rows, ("", "difference"), same=True)
    return [forest_chart(shown, "Differences", aside, "comparisons")]


def _pair(contents: Contents, entry: Comparison) -> str:
    """What is compared with what, in words."""
    than = "then" if entry.reference_run else _reference_name(contents, _reference(entry))
    return f"{contents.mark((entry.dataset, entry.model)).name} minus {than}"


def _row(contents: Contents, entry: Comparison) -> ForestRow:
    own, interval = _measure(contents, entry, "model"), entry.interval
    difference = entry.difference or 0.0
    limits = f" ({_limits(interval)})" if interval is not None else ""
    return ForestRow(
        comparison_title(contents, entry),
        contents.models.index(entry.model),
        difference,
        None if interval is None else interval.low,
        None if interval is None else interval.high,
        "",
        f"{difference_text(difference)}{limits}",
        float(entry.n),
        own is not None and stands_on_few(contents, own),
        inner=True,
    )


def _gain(entry: Comparison) -> float:
    return (entry.difference or 0.0) * sign_of(entry.metric)


def _limits(interval: Interval) -> str:
    return f"{difference_text(interval.low)} to {difference_text(interval.high)}"


def _differences(contents: Contents, entries: Sequence[Comparison], total: int) -> Strip:
    printed = {t.table for t in _tables(contents, entries)}
    lines = tuple(_line(contents, e, printed) for e in entries)
    only = _only_reference(contents, entries)
    if only:
        lines = tuple(replace(x, cells=(*x.cells[:3], *x.cells[4:])) for x in lines)
    columns: tuple[Column, ...] = (
        Column("metric"),
        Column("model"),
        Column("value", "right"),
        *([] if only else [Column("reference")]),
        Column("reference" if only else "value", "right"),
        Column("difference", "right"),
        Column(_level(entries), "right"),
        Column("test"),
        Column("p", "right"),
    )
    corrected = any(_is_corrected(e) for e in entries)
    if corrected:
        columns = (*columns, Column(f"p, {_correction(entries)}", "right"))
        lines = tuple(
            Line((*line.cells, LineCell(_p(e.p_adjusted), "right")), line.table, line.rule)
            for line, e in zip(lines, entries, strict=True)
        )
    notes: tuple[str, ...] = ()
    if len(entries) < total:
        notes = (f"{len(entries)} of {total} comparisons; the others are in results.json.",)
    if any(e.fold == MEAN_OF_FOLDS for e in entries):
        notes = (*notes, "The values of means over folds stand beside the tables of their folds.")
    notes = (*notes, *_disagreeing(contents, entries))
    of = f"Differences from {only}" if only else "Differences"
    return Strip(f"{of}. ↓ less is better", columns, lines, notes, "many cmp")


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


def _line(contents: Contents, entry: Comparison, printed: set[str]) -> Line:
    own, other = _measure(contents, entry, "model"), _measure(contents, entry, "reference")
    interval = entry.interval
    limits = "" if interval is None else _limits(interval)
    difference = entry.difference
    star = " *" if entry.told_apart else ""
    shown = "undefined" if difference is None else f"{difference_text(difference)}{star}"
    cells = (
        LineCell(comparison_title(contents, entry), head=True),
        LineCell(mark=contents.mark((entry.dataset, entry.model))),
        _value(contents, own, printed),
        LineCell("then")
        if entry.reference_run
        else LineCell(mark=contents.mark(_reference(entry))),
        _then(entry) if entry.reference_run else _value(contents, other, printed),
        LineCell(shown, "right", strong=True),
        LineCell(limits, "right"),
        LineCell(_test(entry)),
        LineCell(_p(entry.p_value), "right"),
    )
    return Line(cells)


def _then(entry: Comparison) -> LineCell:
    value = entry.reference_value
    return LineCell("–" if value is None else value_text(value), "right")


def _reference_name(contents: Contents, view: View) -> str:
    known = view[1] in contents.models
    return contents.mark(view).name if known else label_text(view[1])


def _value(contents: Contents, m: Measure | None, printed: set[str]) -> LineCell:
    if m is None or m.table not in printed:
        return LineCell("–", "right")
    return LineCell(number=_without_interval(number_of(contents, m, whisker=False)), align="right")


def _without_interval(number: Number) -> Number:
    return replace(number, interval="", method="", reason="")


def _test(entry: Comparison) -> str:
    """The test, with the counts that it is of where it pairs rows."""
    told = [method_text(entry.test)] if entry.test else []
    return ", ".join([*told, *([alone] if (alone := _alone(entry)) else [])]) or "–"


def _alone(entry: Comparison) -> str:
    """How many rows count for the model alone, and how many for the reference alone."""
    joint = entry.joint_table
    return "" if joint is None else f"{count_text(joint.n10)} : {count_text(joint.n01)}"


def _p(p: float | None) -> str:
    return "–" if p is None else p_text(p)


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
    declared = find(entry.metric)
    return f"{title} ↓" if declared is not None and declared.goal.value == "minimize" else title


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
    alike = [m for m in contents.of_view(view) if _without_threshold(m) == asked]
    at = entry.threshold
    same = [m for m in alike if m.threshold == at]
    # labels have no threshold: scores are held against them at the first one
    return next(iter(same or filter(contents.at_first(view), alike)), None)


def _without_threshold(m: Measure) -> WhichNumber:
    """Which number a measure is, whatever its threshold and however rows count in it."""
    return replace(m.which, threshold=None, rule=None, indeterminate=None)


def _wins(contents: Contents, entries: Sequence[Comparison]) -> list[Block]:
    """In how many metrics each model is better than the reference."""
    found: dict[tuple[View, View], list[int]] = {}
    for entry in entries:
        declared = find(entry.metric)
        goal = declared.goal.value if declared is not None else ""
        if entry.difference is None or goal not in {"maximize", "minimize"} or entry.subgroup:
            continue
        # a model on other rows does not win against itself
        if entry.model == entry.reference or not _at_first(contents, entry):
            continue
        gain = entry.difference * (1 if goal == "maximize" else -1)
        pair = ((entry.dataset, entry.model), _reference(entry))
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
    note = "Metrics share their tables and are not independent."
    return [Text(" ".join([*told, note]), "small")]
