"""Cautions about classification tables and the proportions taken from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evalreport.engine.cautions.declare import Caution, caution
from evalreport.engine.cautions.facts import RunFacts
from evalreport.engine.cautions.wording import (
    counted,
    fraction,
    listed,
    name,
    number,
    of_class,
    part,
    percent,
)
from evalreport.engine.printed_table import PrintedTable
from evalreport.metrics.catalogue import find, of_caution
from evalreport.metrics.declare import Interval
from evalreport.metrics.tables import Matrix
from evalreport.numbers import limits_text, threshold_text
from evalreport.predict.view import View
from evalreport.results.records import Measure

#: A proportion over fewer rows than this is hardly a percentage.
SMALL = 30
FEW_ROWS = f"fewer than {SMALL} rows"
#: Rows of a sample behind an estimated cell below which limits hold less than they say.
FEW_SAMPLED = 10
WALD = ("wald", "wald_cc")
#: Sets of classes that averages leave out, each with its averages, in one sentence.
NAMED_SETS = 3


@caution(
    "majority_class",
    whole_table=True,
    unless=("one_prediction", "baseline_not_beaten"),
    severity="warning",
    title="Accuracy is not shown to beat always naming the largest class",
    why="always naming the largest class is right for its share of the rows",
    read_instead="balanced accuracy, and recall of each class with its table",
)
def majority_class(run: RunFacts) -> Iterator[Caution]:
    """The interval of accuracy does not lie above the share of the largest class."""
    for view in run.views:
        record = run.main_table(view)
        accuracy = None if record is None else _accuracy(run, view, record)
        if record is None or accuracy is None or accuracy.interval is None:
            continue
        matrix = run.matrix(record)
        n, correct, most = matrix.n.value, matrix.correct.value, max(matrix.row_totals)
        if _occurring(matrix) < 2 or accuracy.interval.low > most / n:
            continue
        largest = name(record.table.labels[matrix.row_totals.index(most)])
        inside = limits_text(accuracy.interval.low, accuracy.interval.high)
        way = accuracy.indeterminate
        counted_so = f", indeterminate counted {way}," if way else ""
        yield Caution(
            f"Accuracy{counted_so}{_at(record)} is {fraction(correct, n)} ({inside}); "
            f"always naming {largest} gives {fraction(most, n)}.",
            view.dataset,
            view.model,
            accuracy.id,
            record.id,
            {"correct": correct, "n": n, "largest": most},
            headline=f"Accuracy is not shown to beat always naming {largest}",
        )


def _accuracy(run: RunFacts, view: View, record: PrintedTable) -> Measure | None:
    """The accuracy of all classes together, where it was asked for."""
    found = (
        m for m in run.measures_of(view, of_caution("majority_class").name) if m.table == record.id
    )
    two = len(view.labels) <= 2
    return next((m for m in found if m.average == (None if two else "micro")), None)


@caution(
    "one_prediction",
    whole_table=True,
    unless=("constant_scores", "threshold_outside_scores"),
    severity="warning",
    title="Every row has the same prediction",
    why="a constant answer finds all rows of one class and none of any other",
    read_instead="the scores and another threshold, or balanced accuracy",
)
def one_prediction(run: RunFacts) -> Iterator[Caution]:
    """All predictions of a table are one class."""
    for view, record, matrix in _tables(run):
        given = [k for k, total in enumerate(matrix.column_totals) if total]
        if len(given) == 1 and not record.table.extra and matrix.n.value > 1:
            every = f"Every row{_at(record)} is predicted {name(record.table.labels[given[0]])}"
            yield Caution(
                f"{every}: {part(matrix.n.value, matrix.n.value)}.",
                view.dataset,
                view.model,
                table=record.id,
                numbers={"rows": matrix.n.value},
                headline=every,
            )


@caution(
    "foreign_predictions",
    whole_table=True,
    severity="warning",
    title="Most predictions name a class that no row has",
    why="such a prediction is never right: labels that are spelled in two ways, or scores "
    "that were given as labels, look like a model that fails",
    read_instead="the labels of the truth and of the predictions, before any metric",
)
def foreign_predictions(run: RunFacts) -> Iterator[Caution]:
    """At least half of the predictions are labels that no row truly has."""
    for view, record, matrix in _tables(run):
        pairs = zip(record.table.labels, matrix.row_totals, matrix.column_totals, strict=False)
        foreign = [(label, given) for label, actual, given in pairs if given and not actual]
        rows, total = sum(given for _, given in foreign), matrix.n.value
        if not foreign or record.table.extra or 2 * rows < total:
            continue
        labels = listed(name(label) for label, _ in foreign)
        scores = len(foreign) > 2 and all(_is_score(label) for label, _ in foreign)
        yield Caution(
            f"{part(rows, total)} predictions{_at(record)} name a class that no row has: {labels}"
            + ("; they look like scores: declare the column as score." if scores else "."),
            view.dataset,
            view.model,
            table=record.id,
            numbers={"foreign": rows, "rows": total},
        )


def _is_score(label: str) -> bool:
    """Whether a label reads as a number from 0 to 1."""
    try:
        return 0 <= float(label) <= 1
    except ValueError:
        return False


@caution(
    "class_never_predicted",
    severity="note",
    title="A class is never predicted",
    why="the precision of a class that is never predicted is undefined, its recall 0",
    read_instead="the table, and the averages with the number of their classes",
)
def class_never_predicted(run: RunFacts) -> Iterator[Caution]:
    """A class with actual rows has no predicted one (more than two classes).

    Said once: not where an average leaves the class out.
    """
    for view, record, matrix in _tables(run):
        said = {label for m in run.measures_of(view) for label in m.left_out}
        pairs = list(zip(matrix.row_totals, matrix.column_totals, strict=True))
        never = [
            k
            for k, (actual, predicted) in enumerate(pairs)
            if actual > 0 and not predicted and record.table.labels[k] not in said
        ]
        if never and record.table.size > 2 and sum(1 for _, p in pairs if p) > 1:
            labels = (f"{name(record.table.labels[k])} ({number(pairs[k][0])})" for k in never)
            verbs = "occurs but is" if len(never) == 1 else "occur but are"
            yield Caution(
                f"{counted(len(never), 'class')} of {record.table.size} {verbs} never "
                f"predicted: {listed(labels)} (actual rows in brackets).",
                view.dataset,
                view.model,
                table=record.id,
                numbers={"classes": len(never)},
            )


@caution(
    "average_leaves_out_classes",
    severity="warning",
    title="An average leaves out classes",
    why="a class with an undefined value is left out of the mean, which may look better for it",
    read_instead="the value of each class, and averages over all classes such as macro F1",
)
def average_leaves_out_classes(run: RunFacts) -> Iterator[Caution]:
    """A macro or weighted average of all rows is over some of the classes only."""
    for view in run.views:
        found = [m for m in run.measures_of(view) if m.left_out]
        averages: dict[tuple[str, ...], dict[str, None]] = {}
        for m in found:
            averages.setdefault(m.left_out, {})[f"{m.title} ({m.average})"] = None
        total = len(view.labels)
        parts = [
            f"{listed(titles)} {'is' if len(titles) == 1 else 'are'} over "
            f"{number(total - len(classes))} of {counted(total, 'class')}: "
            f"undefined for {listed(map(name, classes))}"
            for classes, titles in averages.items()
        ]
        if parts:
            yield Caution(
                f"{'; '.join(parts[:NAMED_SETS])}.",
                view.dataset,
                view.model,
                found[0].id,
                found[0].table,
                {"averages": sum(map(len, averages.values())), "classes": total},
            )


@caution(
    "indeterminate_predictions",
    severity="note",
    title="Some predictions are indeterminate",
    why="leaving such rows out would flatter the model, so results are given both ways",
    read_instead="the results counted for and against, and the column of the table",
)
def indeterminate_predictions(run: RunFacts) -> Iterator[Caution]:
    """Predictions that are neither class."""
    for view in run.views:
        record = run.main_table(view)
        if record is None or not record.table.extra:
            continue
        table = record.table
        total = sum(table.cells.values())
        neither = sum(count for (_, j), count in table.cells.items() if j >= table.size)
        if neither:
            labels = listed(name(label) for label in table.extra)
            numbers = {"indeterminate": neither, "total": total}
            said = f"{part(neither, total)} predictions ({percent(neither / total)}) are"
            if view.unknown:
                # how many rows there are in all, nobody counted
                del numbers["total"]
                said = f"{counted(neither, 'prediction')} {'is' if neither == 1 else 'are'}"
            yield Caution(
                f"{said} {labels}.",
                view.dataset,
                view.model,
                table=record.id,
                numbers=numbers,
            )


@caution(
    "extreme_proportion",
    unless=("few_rows",),
    severity="note",
    title="Proportions are 0 or 1 on few rows",
    why="0 or all of a few rows does not mean never or always",
    read_instead="the interval: it shows which shares are still plausible",
)
def extreme_proportion(run: RunFacts) -> Iterator[Caution]:
    """0 or n of n with n under 30."""
    for view in run.views:
        found = [m for m in _proportions(run, view) if _rows(m) < SMALL and m.value in (0.0, 1.0)]
        yield from _about(run, view, found, "is 0 or 1", "are 0 or 1")


@caution(
    "small_denominator",
    unless=("few_rows",),
    severity="note",
    title="Proportions rest on few rows",
    why="under 30 rows a percentage promises more than the rows can show",
    read_instead="the counts and the interval",
)
def small_denominator(run: RunFacts) -> Iterator[Caution]:
    """A proportion strictly between 0 and 1 over fewer than 30 rows."""
    for view in run.views:
        found = [
            m for m in _proportions(run, view) if _rows(m) < SMALL and m.value not in (0.0, 1.0)
        ]
        yield from _about(run, view, found, "rests", "rest")


def _about(
    run: RunFacts, view: View, found: Sequence[Measure], one: str, many: str
) -> Iterator[Caution]:
    """One caution for all such proportions of a model, naming the first few."""
    if found:
        several = len({(m.threshold, m.threshold_rule) for m in run.measures_of(view)}) > 1
        named = listed(_named(m) + (_at(m) if several else "") for m in found)
        count = counted(len(found), "proportion")
        worth = any(_worth(m) is not None for m in found)
        what = f"rows with an effective size under {SMALL}" if worth else FEW_ROWS
        headline = "" if worth or len(found) > 1 else _on_few(found[0])
        many = one if len(found) == 1 else many
        yield Caution(
            f"{headline or f'{count} {many} on {what}'}: {named}.",
            view.dataset,
            view.model,
            found[0].id,
            found[0].table,
            {"proportions": len(found), "fewest": min(_rows(m) for m in found)},
            headline=headline,
        )


def _on_few(m: Measure) -> str:
    """What rests on how few rows, of one proportion."""
    on = counted(m.denominator or 0, "row")
    sure = m.value in (0.0, 1.0)
    return f"{m.title} is {number(m.value or 0)}, on {on}" if sure else f"{m.title} rests on {on}"


@caution(
    "few_sampled_rows",
    severity="warning",
    title="An estimated cell rests on few rows of the sample",
    why="where a cell rests on fewer than ten rows their variance is hardly known: in the "
    "coverage study limits of areas covered 84 to 95 % instead of 95, limits of shares 90 to 97",
    read_instead="the numbers of rows beside the cells; more rows of the rare part",
)
def few_sampled_rows(run: RunFacts) -> Iterator[Caution]:
    """A cell of a table of two classes that was estimated from fewer than ten rows."""
    for view in run.views:
        if view.sample is None or len(view.labels) != 2:
            continue
        for record in run.tables_of(view)[:1]:
            sampled = record.table.sampled_counts()
            if sampled is None:
                continue
            labels = record.table.labels
            cells = [
                (int(sampled[i][j]), f"actual {name(labels[i])} predicted {name(labels[j])}")
                for i in range(2)
                for j in range(2)
            ]
            few = [(rows, what) for rows, what in cells if rows < FEW_SAMPLED]
            if few:
                told = listed(f"{what} from {counted(rows, 'row')}" for rows, what in few)
                yield Caution(
                    f"Cells{_at(record)} are estimated from few rows: {told}.",
                    view.dataset,
                    view.model,
                    table=record.id,
                    numbers={"cells": len(few), "fewest": min(rows for rows, _ in few)},
                )


@caution(
    "wald_interval",
    severity="note",
    title="Wald intervals are too narrow near 0 and 1",
    why="near 0 and 1 and on few rows these intervals are too narrow, down to no width",
    read_instead="Wilson or Clopper-Pearson intervals",
)
def wald_interval(run: RunFacts) -> Iterator[Caution]:
    """A proportion was given a Wald interval, as the spec asks."""
    for view in run.views:
        found = [m for m in _proportions(run, view) if m.interval and m.interval.method in WALD]
        if found:
            yield Caution(
                f"{counted(len(found), 'proportion')} with a Wald interval: "
                f"{listed(dict.fromkeys(m.title for m in found))}.",
                view.dataset,
                view.model,
                found[0].id,
                numbers={"proportions": len(found)},
            )


def _tables(run: RunFacts) -> Iterator[tuple[View, PrintedTable, Matrix]]:
    for view in run.views:
        for record in run.tables_of(view):
            yield view, record, run.matrix(record)


def _proportions(run: RunFacts, view: View) -> list[Measure]:
    """Proportions of all rows that have a value, with their counts."""
    found = []
    for m in run.measures_of(view):
        metric = find(m.metric)
        if metric is None or metric.interval is not Interval.PROPORTION or m.value is None:
            continue
        if m.average in (None, "micro") and m.denominator:
            found.append(m)
    return found


def _rows(m: Measure) -> float:
    """Rows under a proportion; with weights what they are worth."""
    worth = _worth(m)
    return worth if worth is not None else float(m.denominator or 0)


def _worth(m: Measure) -> float | None:
    """How many independent rows would tell as much, where rows are weighted or in clusters."""
    return m.interval.n_effective if m.interval is not None else None


def _named(m: Measure) -> str:
    worth = _worth(m)
    told = "" if worth is None else f" (effective size {number(worth)})"
    return f"{m.title}{of_class(m.label)} {part(m.numerator or 0, m.denominator or 0)}{told}"


def _occurring(matrix: Matrix) -> int:
    return sum(1 for total in matrix.row_totals if total)


def _at(record: PrintedTable | Measure) -> str:
    return (
        "" if record.threshold is None else f" at the threshold {threshold_text(record.threshold)}"
    )
