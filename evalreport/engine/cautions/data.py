"""Cautions about the rows themselves: classes, exclusions, weights and what the data hold."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from evalreport.engine.cautions.declare import Caution, caution
from evalreport.engine.cautions.facts import RunFacts
from evalreport.engine.cautions.merging import by_dataset
from evalreport.engine.cautions.wording import counted, listed, name, number, part, percent, rows
from evalreport.plan.asked import RECORDS_PER_CLASS
from evalreport.plan.methods import SMOOTH_CLASSES
from evalreport.plan.refusals import PAIRED_CLASSES
from evalreport.predict.view import View
from evalreport.statistics.means import effective_size_from_sums

#: A class below this share of the rows is called rare.
RARE = 0.1
#: Fewer rows of a class than this leave its rates nearly unknown.
FEW_ROWS = 10
#: Above this share of rows left out, the note becomes a warning.
MANY_EXCLUDED = 0.05
#: Fewer clusters than this make cluster-robust intervals too narrow.
FEW_CLUSTERS = 30


@caution(
    "imbalance",
    severity="note",
    title="One class is rare",
    why="where one class is rare, accuracy and specificity are high whatever happens to it",
    read_instead="recall and precision of the rare class, and average precision beside ROC AUC",
)
def imbalance(run: RunFacts) -> Iterator[Caution]:
    """The smallest class has under 10 % of the rows, or of the largest class's rows."""
    yield from by_dataset(run, partial(_imbalance, run))


def _imbalance(run: RunFacts, view: View) -> Iterator[Caution]:
    held = [(n, label) for n, label in _classes(run, view) if n]
    if len(held) < 2:
        return
    fewest, label = min(held)
    most, largest = max(held, key=lambda pair: pair[0])
    if len(view.labels) == 2 and fewest < RARE * view.rows:
        message = (
            f"{part(fewest, view.rows)} rows ({percent(fewest / view.rows)}) are actually "
            f"{name(label)}."
        )
    elif len(view.labels) > 2 and fewest < RARE * most:
        message = (
            f"The smallest class, {name(label)}, has {rows(fewest)}; "
            f"the largest, {name(largest)}, has {number(most)}."
        )
    else:
        return
    yield Caution(message, numbers={"rows": fewest, "total": view.rows})


@caution(
    "few_rows_of_class",
    severity="warning",
    title="Few rows of a class",
    why="rates of a class with under 10 rows move by a tenth or more with each row",
    read_instead="the interval of the rate rather than the rate, and the counts of the table",
)
def few_rows_of_class(run: RunFacts) -> Iterator[Caution]:
    """A class that occurs has fewer than 10 rows."""
    yield from by_dataset(run, partial(_few_rows, run))


def _few_rows(run: RunFacts, view: View) -> Iterator[Caution]:
    few = sorted((n, label) for n, label in _classes(run, view) if 0 < n < FEW_ROWS)
    if few:
        named = listed(f"{name(label)} ({number(n)})" for n, label in few)
        verb = "has" if len(few) == 1 else "have"
        yield Caution(
            f"{counted(len(few), 'class')} of {len(view.labels)} {verb} fewer than "
            f"{FEW_ROWS} actual rows: {named}.",
            numbers={"classes": len(few), "fewest": few[0][0]},
        )


@caution(
    "one_class",
    severity="warning",
    title="Only one class occurs",
    why="with one actual class nothing can be told apart: whatever needs both is undefined",
    read_instead="the share of rows that are right, and data that hold every class",
)
def one_class(run: RunFacts) -> Iterator[Caution]:
    """All rows are actually of the same class."""
    yield from by_dataset(run, partial(_one_class, run))


def _one_class(run: RunFacts, view: View) -> Iterator[Caution]:
    held = [(n, label) for n, label in _classes(run, view) if n]
    # With sets of labels there may be rows without the only label.
    if len(held) == 1 and held[0][0] == view.rows:
        yield Caution(
            f"All {rows(view.rows)} are actually {name(held[0][1])}.", numbers={"rows": view.rows}
        )


@caution(
    "class_never_true",
    severity="note",
    title="A class never occurs",
    why="the recall of a class without actual rows is undefined and averages leave it out",
    read_instead="the averages with the number of classes they hold, and the rows per class",
)
def class_never_true(run: RunFacts) -> Iterator[Caution]:
    """A declared or predicted class has no actual row."""
    yield from by_dataset(run, partial(_never_true, run))


def _never_true(run: RunFacts, view: View) -> Iterator[Caution]:
    absent = [label for n, label in _classes(run, view) if not n]
    if absent and len(view.labels) - len(absent) > 1:
        yield Caution(
            f"No row is actually {listed(name(label) for label in absent)} "
            f"({len(absent)} of {len(view.labels)} classes).",
            numbers={"classes": len(absent)},
        )


@caution(
    "rows_excluded",
    severity="note",
    title="Rows were left out",
    why="rows that are missing something are seldom missing it by chance",
    read_instead="the counts by reason, and what the results would be with the rows "
    "counted as right and as wrong",
)
def rows_excluded(run: RunFacts) -> Iterator[Caution]:
    """Rows of the file were not used; a warning above 5 %."""
    yield from by_dataset(run, _excluded)


def _excluded(view: View) -> Iterator[Caution]:
    reasons = tuple(getattr(view.ledger, "excluded", ()))
    left_out = sum(count for _, count in reasons)
    if left_out:
        read = getattr(view.ledger, "rows_read", view.rows + left_out)
        named = listed(f"{reason} ({number(count)})" for reason, count in reasons)
        share = left_out / read
        yield Caution(
            f"{part(left_out, read)} rows ({percent(share)}) were left out: {named}.",
            numbers={"excluded": left_out, "read": read},
            severity="warning" if share > MANY_EXCLUDED else None,
        )


@caution(
    "effective_sample_size",
    severity="note",
    title="Weights lower the effective number of rows",
    why="with uneven weights the rows tell less than their number",
    read_instead="the intervals, which are taken from the effective number of rows",
)
def effective_sample_size(run: RunFacts) -> Iterator[Caution]:
    """Kish's effective sample size; a warning below half of the rows."""
    yield from by_dataset(run, _effective)


def _effective(view: View) -> Iterator[Caution]:
    if view.weight is None or not view.rows:
        return
    total, squares = view.total_weight(), view.total_weight(power=2)
    if not squares > 0:
        return
    effective = effective_size_from_sums(total, squares)
    if effective < view.rows * (1 - 1e-9):
        yield Caution(
            f"The weights of {rows(view.rows)} are worth about {number(float(round(effective)))} "
            f"rows of equal weight ({percent(effective / view.rows)}).",
            numbers={"n_effective": effective, "rows": view.rows},
            severity="warning" if effective < view.rows / 2 else None,
        )


@caution(
    "few_clusters",
    severity="warning",
    title="Few clusters",
    why="intervals for clustered rows rest on the number of clusters, not of rows",
    read_instead="the intervals as too narrow rather than too wide",
)
def few_clusters(run: RunFacts) -> Iterator[Caution]:
    """Rows come from fewer than 30 clusters."""
    yield from by_dataset(run, _few_clusters)


def _few_clusters(view: View) -> Iterator[Caution]:
    if view.cluster is None or not view.rows:
        return
    clusters = len(set(view.cluster[0].tolist()))
    if clusters < FEW_CLUSTERS:
        yield Caution(
            f"The {rows(view.rows)} come from {counted(clusters, 'cluster')}.",
            numbers={"clusters": clusters, "rows": view.rows},
        )


@caution(
    "class_count_cap",
    severity="note",
    title="Too many classes to give everything",
    why="with very many classes some numbers would not fit a page or an hour",
    read_instead="the averages, and the cells of the table in results.json",
)
def class_count_cap(run: RunFacts) -> Iterator[Caution]:
    """The number of classes is above a stated limit."""
    for dataset in run.datasets:
        classes = max(len(view.labels) for view in run.views_of(dataset))
        caps = (
            (RECORDS_PER_CLASS, "records per class"),
            (SMOOTH_CLASSES, "intervals of functions of the whole table"),
            (PAIRED_CLASSES, "areas of pairs of classes"),
        )
        left_out = [f"{what} (limit {number(cap)})" for cap, what in caps if classes > cap]
        if left_out:
            yield Caution(
                f"There are {number(classes)} classes; not given: {listed(left_out)}.",
                dataset,
                numbers={"classes": classes},
            )


def _classes(run: RunFacts, view: View) -> list[tuple[int, str]]:
    return list(zip(run.class_rows(view), view.labels, strict=True))
