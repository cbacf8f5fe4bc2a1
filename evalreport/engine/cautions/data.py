"""Cautions about the rows themselves: classes, exclusions, weights and what the data hold."""

from __future__ import annotations

from collections.abc import Iterator

from evalreport.data.completeness import NOT_SELECTED
from evalreport.engine.cautions.declare import Caution, caution, caution_of_views
from evalreport.engine.cautions.facts import RunFacts
from evalreport.engine.cautions.wording import (
    counted,
    listed,
    name,
    number,
    p_value,
    part,
    percent,
    rows,
)
from evalreport.engine.verification import shares, spoilt
from evalreport.metrics.catalogue import find
from evalreport.metrics.declare import Interval, Table
from evalreport.metrics.tables import Counts
from evalreport.plan.inputs import RECORDS_PER_CLASS
from evalreport.plan.methods import SMOOTH_CLASSES
from evalreport.plan.refusals import PAIRED_CLASSES
from evalreport.plan.unknown import unknown_words
from evalreport.predict.view import LabelView, View, distinct
from evalreport.statistics.means import effective_size_from_sums

#: A class below this share of the rows is called rare.
RARE = 0.1
#: Fewer rows of a class than this leave its rates nearly unknown.
FEW_ROWS = 10
#: Above this share of rows left out, the note becomes a warning.
MANY_EXCLUDED = 0.05
#: Weights that differ by more than this factor are said to.
TENFOLD = 10.0
#: Fewer clusters than this make cluster-robust intervals too narrow.
FEW_CLUSTERS = 30


@caution_of_views(
    "imbalance",
    whole_table=True,
    unless=("auc_flatters_rare_positives", "few_rows_of_class", "majority_class"),
    severity="note",
    title="One class is rare",
    why="where one class is rare, accuracy and specificity are high whatever happens to it",
    read_instead="recall and precision of the rare class, and average precision beside ROC AUC",
)
def imbalance(run: RunFacts, view: View) -> Iterator[Caution]:
    """The smallest class has under 10 % of the rows, or of the largest class's rows."""
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


@caution_of_views(
    "few_rows_of_class",
    whole_table=True,
    unless=("few_rows",),
    severity="warning",
    title="A class has fewer than 10 rows",
    why="rates of a class with under 10 rows move by a tenth or more with each row",
    read_instead="the interval of the rate rather than the rate, and the counts of the table",
)
def few_rows_of_class(run: RunFacts, view: View) -> Iterator[Caution]:
    """A class that occurs has fewer than 10 rows."""
    few = sorted((n, label) for n, label in _classes(run, view) if 0 < n < FEW_ROWS)
    if few:
        named = listed(f"{name(label)} ({number(n)})" for n, label in few)
        told = f"{len(few)} of {len(view.labels)} classes have fewer than {FEW_ROWS} actual rows"
        if len(few) == 1:
            told, named = f"Class {name(few[0][1])} has {counted(few[0][0], 'actual row')}", ""
        yield Caution(
            f"{told}. Rows: {named}." if named else f"{told}.",
            numbers={"classes": len(few), "fewest": few[0][0]},
            headline=told,
        )


@caution_of_views(
    "few_rows",
    severity="warning",
    title="The dataset has fewer than 10 rows",
    why="on so few rows nearly every value could have come about by chance",
    read_instead="the intervals, which show how little is known, or a report on more rows",
)
def few_rows(_run: RunFacts, view: View) -> Iterator[Caution]:
    """A dataset has fewer than 10 rows."""
    if 0 < view.rows < FEW_ROWS:
        told = f"The dataset has {rows(view.rows)} in all"
        yield Caution(f"{told}.", numbers={"rows": view.rows}, headline=told)


@caution_of_views(
    "one_class",
    whole_table=True,
    severity="warning",
    title="All rows are of one class",
    why="with one actual class whatever needs both is undefined",
    read_instead="the share of rows that are right, and data with every class",
)
def one_class(run: RunFacts, view: View) -> Iterator[Caution]:
    """All rows are actually of the same class."""
    held = [(n, label) for n, label in _classes(run, view) if n]
    # With sets of labels there may be rows without the only label.
    if len(held) == 1 and held[0][0] == view.rows:
        only, positive = held[0][1], view.labels[view.positive_index]
        none = "" if view.positive is None or only == positive else f", none {name(positive)}"
        told = f"{_all_rows(view.rows)} actually {name(only)}"
        yield Caution(f"{told}{none}.", numbers={"rows": view.rows}, headline=told)


def _all_rows(count: int) -> str:
    return "The only row is" if count == 1 else f"All {rows(count)} are"


@caution_of_views(
    "class_never_true",
    severity="note",
    title="A class has no rows",
    why="the recall of a class without actual rows is undefined and averages leave it out",
    read_instead="the averages with the number of their classes, and the rows per class",
)
def class_never_true(run: RunFacts, view: View) -> Iterator[Caution]:
    """A declared or predicted class has no actual row."""
    absent = [label for n, label in _classes(run, view) if not n]
    if absent and len(view.labels) - len(absent) > 1:
        yield Caution(
            f"No row is actually {listed(name(label) for label in absent)} "
            f"({len(absent)} of {len(view.labels)} classes).",
            numbers={"classes": len(absent)},
        )


@caution_of_views(
    "rows_excluded",
    severity="note",
    title="Rows were left out",
    why="rows that are missing something are seldom missing it by chance",
    read_instead="the counts by reason, and what the results would be with the rows "
    "counted as right and as wrong",
)
def rows_excluded(_run: RunFacts, view: View) -> Iterator[Caution]:
    """Rows of the file were not used; a warning above 5 %."""
    reasons = tuple(getattr(view.ledger, "excluded", ()))
    if view.sample is not None and view.sample.kind == "verified":
        # rows that nobody verified are what the estimate is made for
        reasons = tuple((why, n) for why, n in reasons if not why.endswith(": not verified"))
    others = sum(count for why, count in reasons if why == NOT_SELECTED)
    reasons = tuple((why, count) for why, count in reasons if why != NOT_SELECTED)
    left_out = sum(count for _, count in reasons)
    if left_out:
        read = getattr(view.ledger, "rows_read", view.rows + left_out + others) - others
        named = listed(f"{reason} ({number(count)})" for reason, count in reasons)
        share, verb = left_out / read, "was" if left_out == 1 else "were"
        told = f"{part(left_out, read)} rows ({percent(share)}) {verb} left out"
        yield Caution(
            f"{told}. {'Reason' if len(reasons) == 1 else 'Reasons'}: {named}.",
            numbers={"excluded": left_out, "read": read},
            headline=told,
            severity="warning" if share > MANY_EXCLUDED else None,
        )


@caution(
    "labels_missing_by_prediction",
    severity="warning",
    title="Whether a label is known depends on the prediction",
    why="where a label was looked for more often in some predictions than in others, recall, "
    "specificity and all that mixes rows of several predictions is off, often far",
    read_instead="predictive values, or the estimates of sampling: {verified: column, strata: "
    "[predicted]}; until then no criterion passes on the others",
)
def labels_missing_by_prediction(run: RunFacts) -> Iterator[Caution]:
    """Having a label depends on the predicted class, p below 0.001, by Fisher or chi-square."""
    for (dataset, model), told in spoilt(run.tables).items():
        table = next(t for t in run.tables if (t.dataset, t.model) == (dataset, model))
        yield Caution(
            f"Of the rows predicted {listed(shares(told))} ({p_value(told.p_value)}).",
            dataset,
            model,
            table=table.id,
            numbers={"p_value": told.p_value, "known": sum(told.known), "rows": sum(told.rows)},
        )


@caution(
    "enriched_sample",
    severity="warning",
    title="Sampling fixed the share of positives",
    why="predictive values and accuracy depend on prevalence, which in an enriched sample differs "
    "from that of the intended use",
    read_instead="recall, specificity and areas; or predictive values at the prevalences that "
    "the spec names",
)
def enriched_sample(run: RunFacts) -> Iterator[Caution]:
    """Values depend on the share of positives of a case-control sample; a note beside others.

    The others are predictive values at a prevalence that the spec names.
    """
    predictive = (find(m.metric) for m in run.measures)
    known = any(one is not None and one.interval is Interval.PREDICTIVE for one in predictive)
    for dataset in run.datasets:
        if dataset not in run.enriched:
            continue
        found = [
            m.title
            for view in run.views_of(dataset)
            for m in run.measures_of(view)
            if _moves_with_prevalence(m.metric) and m.state == "value"
        ]
        titles = list(dict.fromkeys(found))
        if titles:
            yield Caution(
                f"Values at the share of positives of the sample alone: {listed(titles)}.",
                dataset,
                numbers={"values": len(found)},
                severity="note" if known else "warning",
            )


def _moves_with_prevalence(metric_name: str) -> bool:
    """Tried on a table of two classes: does twice as many negatives change the value?"""
    metric = find(metric_name)
    if (
        metric is None
        or metric.table is not Table.COUNTS
        or set(metric.context) - {"threshold"}
        or metric.interval in (Interval.NONE, Interval.PREDICTIVE)
    ):
        return False
    arguments = metric.arguments({}) | dict.fromkeys(metric.context, 0.5)
    once, twice = (
        metric(Counts(tp=30, fn=10, fp=12 * k, tn=48 * k), **arguments).exact() for k in (1, 2)
    )
    return bool(abs(float(once) - float(twice)) > 1e-9)


@caution_of_views(
    "uneven_weights",
    severity="note",
    title="Weights vary more than tenfold",
    why="a few heavy rows decide the estimates, and one that is wrong moves them far",
    read_instead="the rows behind each cell, and the intervals",
)
def uneven_weights(_run: RunFacts, view: View) -> Iterator[Caution]:
    """The heaviest row weighs more than ten times the lightest."""
    if view.weight is None or not len(view.weight) or _corrected(view):
        return
    held = view.weight[view.weight > 0]
    if len(held) and held.max() > TENFOLD * held.min():
        ratio = float(held.max() / held.min())
        yield Caution(
            f"The heaviest row weighs {number(ratio)} times the lightest.",
            numbers={"ratio": ratio},
        )


def _corrected(view: View) -> bool:
    """Whether weights are those of a correction, some of them below 0."""
    return view.sample is not None and view.sample.kind == "proxy"


@caution_of_views(
    "effective_sample_size",
    severity="note",
    title="Uneven weights lower the effective number of rows",
    why="with uneven weights the rows carry less information than their number suggests",
    read_instead="the intervals, which rest on the variance of each value under its weights",
)
def effective_sample_size(_run: RunFacts, view: View) -> Iterator[Caution]:
    """Kish's number (sum of w)^2 / sum of w^2; a warning below half of the rows."""
    if view.weight is None or not view.rows or _corrected(view):
        return
    total, squares = view.whole_weight, view.total_weight(slice(None), 2)
    if not squares > 0:
        return
    effective = effective_size_from_sums(total, squares)
    if effective < view.rows * (1 - 1e-9):
        yield Caution(
            f"For a value unrelated to the weights, the effective size of the {rows(view.rows)} "
            f"is {number(float(round(effective)))} ({percent(effective / view.rows)}). The "
            f"effective size of each share is beside its interval.",
            numbers={"n_effective": effective, "rows": view.rows},
            severity="warning" if effective < view.rows / 2 else None,
        )


@caution_of_views(
    "few_clusters",
    severity="warning",
    title="Fewer than 30 clusters: intervals may be too narrow",
    why="intervals for clustered rows rest on the number of clusters, not of rows",
    read_instead="the intervals as too narrow rather than too wide",
)
def few_clusters(_run: RunFacts, view: View) -> Iterator[Caution]:
    """Rows come from fewer than 30 clusters."""
    if view.cluster is None or not view.rows:
        return
    clusters = distinct(view.cluster[0])
    if clusters < FEW_CLUSTERS:
        yield Caution(
            f"The {rows(view.rows)} come from {counted(clusters, 'cluster')}."
            if view.entries is None
            else f"The {number(view.rows)} predictions are of {rows(len(view.entries))}, "
            "some of them tested more than once.",
            numbers={"clusters": clusters, "rows": view.rows},
        )


@caution_of_views(
    "readers_pooled",
    severity="note",
    title="Readings of several readers are pooled",
    why="limits of pooled readings allow for the cases, not for which readers there were",
    read_instead="the mean over readers with its limits, in the section on readers",
)
def readers_pooled(_run: RunFacts, view: View) -> Iterator[Caution]:
    """The rows of a dataset are what several readers said of the same cases."""
    readings = getattr(view.ledger, "readings", None)
    if readings is None:
        return
    many = len(set(readings.reader[view.row].tolist()))
    cases = len(set(readings.case[view.row].tolist()))
    if many > 1:
        yield Caution(
            f"The {rows(view.rows)} are readings of {counted(cases, 'case')} by "
            f"{counted(many, 'reader')}.",
            numbers={"readers": many, "cases": cases, "rows": view.rows},
        )


@caution(
    "class_count_cap",
    severity="note",
    title="Too many classes to report everything",
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


@caution_of_views(
    "unknown_cells",
    severity="warning",
    title="A cell of the table was not counted",
    why="whatever needs it is undefined, and so are comparisons with chance, baselines and the "
    "largest class",
    read_instead="what the known cells give: of true negatives, precision, recall and F",
)
def unknown_cells(run: RunFacts, view: View) -> Iterator[Caution]:
    """The spec declares cells of the table that nobody counted."""
    if not view.unknown:
        return
    own = [m for m in run.measures_of(view) if m.state != "not_applicable"]
    none = [m for m in own if m.value is None]
    yield Caution(
        f"The {unknown_words(view.unknown)} are not known: {number(len(none))} of "
        f"{counted(len(own), 'value')} of all rows cannot be had.",
        numbers={"undefined": len(none), "values": len(own)},
    )


@caution_of_views(
    "unpriced_mistakes",
    severity="warning",
    title="A mistake without a price counts as free",
    why="the expected cost is too low where a kind of mistake has no price",
    read_instead="costs with a price for every pair of classes, 0 where a mistake costs nothing",
)
def unpriced_mistakes(run: RunFacts, view: View) -> Iterator[Caution]:
    """The costs of the spec leave out a pair of classes."""
    costs, labels = run.settings.costs, view.labels
    free = run.settings.unpriced(labels) if isinstance(view, LabelView) else []
    if not free:
        return
    mistakes = len(labels) * (len(labels) - 1)
    named = {*costs, *(said for row in costs.values() for said in row)}
    unknown = sorted(named - set(labels))
    also = f" The costs also name {listed(unknown)}, no class of these rows." if unknown else ""
    pairs = [f"{actual} as {said}" for actual, said in free]
    have = "has no price and counts" if len(free) == 1 else "have no price and count"
    told = f"{part(len(free), mistakes)} kinds of mistake {have} as free"
    yield Caution(
        f"{told}. Actual as predicted: {listed(pairs)}.{also}",
        numbers={"unpriced": len(free), "mistakes": mistakes},
        headline=told,
    )
