"""Cautions about scores as ranks: ties, constants and areas under the ROC curve."""

from __future__ import annotations

from collections.abc import Iterator

from evalreport.engine.cautions.declare import Caution, caution
from evalreport.engine.cautions.facts import RunFacts
from evalreport.engine.cautions.wording import (
    name,
    number,
    of_class,
    part,
    percent,
    rows,
)
from evalreport.engine.intervals.pooled_ranks import ONE_SCALE
from evalreport.metrics.catalogue import metric_named, of_caution
from evalreport.metrics.declare import Interval
from evalreport.metrics.formula import Value
from evalreport.metrics.methods import AREA_OF_CLUSTERS, AREA_OF_WEIGHTS, method_title
from evalreport.metrics.precision_recall import average_precision
from evalreport.metrics.ranking import roc_auc, tied_pairs
from evalreport.metrics.tables import ScoreTable
from evalreport.numbers import limits_text, threshold_text, value_text
from evalreport.predict.view import View
from evalreport.results.records import Measure

#: Positives below this share of the rows are rare.
RARE = 0.1
#: From this lead of ROC AUC over average precision on, the area flatters.
FLATTERING = 0.2
#: Above this share of the rows, ties at a threshold decide what is said of it.
MANY_AT_CUT = 0.01
#: From this share of tied pairs on, half points make up much of the area.
MANY_TIED = 0.25
#: Methods whose limits rest on the area alone where its variance is 0 or unknown.
SCORE_FORMS = ("delong_score", AREA_OF_CLUSTERS, AREA_OF_WEIGHTS)


@caution(
    "ties_at_threshold",
    severity="note",
    title="Rows lie exactly at the threshold",
    why="whether such rows count as positive rests on the rule score >= threshold alone",
    read_instead="the table at a threshold just above, to see how many decisions turn",
)
def ties_at_threshold(run: RunFacts) -> Iterator[Caution]:
    """More than 1 % of the rows score exactly the threshold."""
    for view in run.views:
        if not view.has_score:
            continue
        for record in run.tables_of(view):
            if record.threshold is None:
                continue
            tied = view.tied(record.threshold)
            # a rule picks an observed score, so one row there says nothing
            least = max(MANY_AT_CUT * view.rows, 0 if record.threshold_rule is None else 1)
            if tied is not None and tied > least:
                verb, so = ("scores", "is") if tied == 1 else ("score", "are")
                at = threshold_text(record.threshold)
                yield Caution(
                    f"{part(tied, view.rows)} rows {verb} exactly {at} and {so} therefore "
                    "predicted positive.",
                    view.dataset,
                    view.model,
                    table=record.id,
                    numbers={"tied": tied, "rows": view.rows, "threshold": record.threshold},
                )


@caution(
    "constant_scores",
    severity="warning",
    title="All scores are the same",
    why="one score for every row ranks nothing: any threshold takes all rows or none",
    read_instead="nothing that depends on scores",
)
def constant_scores(run: RunFacts) -> Iterator[Caution]:
    """There is one distinct score."""
    for view, table in _scored(run):
        if len(table.scores) == 1 and view.rows > 1:
            yield Caution(
                f"All {rows(view.rows)} have the score {threshold_text(table.scores[0])}.",
                view.dataset,
                view.model,
                numbers={"rows": view.rows},
            )


@caution(
    "tied_scores",
    severity="note",
    title="Many scores are tied",
    why="a tied pair of a positive and a negative row counts half, right or wrong",
    read_instead="the table at each of the few thresholds there are",
)
def tied_scores(run: RunFacts) -> Iterator[Caution]:
    """A quarter or more of the pairs of a positive and a negative row are tied."""
    for view, table in _scored(run):
        tied = tied_pairs(table).value
        every = table.actual_positives.value * table.actual_negatives.value
        if len(table.scores) > 1 and every and tied >= MANY_TIED * every:
            yield Caution(
                f"{part(tied, every)} pairs of a positive and a negative row "
                f"({percent(tied / every)}) have the same score; there are "
                f"{number(len(table.scores))} distinct scores.",
                view.dataset,
                view.model,
                numbers={"tied": tied, "pairs": every, "distinct": len(table.scores)},
            )


@caution(
    "auc_below_half",
    severity="warning",
    title="Scores rank the wrong way: ROC AUC is below 0.5",
    why="the scores rank negatives above positives more often than not; "
    "nothing was reversed to hide it",
    read_instead="whether the score is of the positive class that is named, before the value",
)
def auc_below_half(run: RunFacts) -> Iterator[Caution]:
    """A ROC AUC of all rows is below 0.5, with all of its interval where there is one."""
    for view in run.views:
        for m in run.measures_of(view, of_caution("auc_below_half").name):
            high = m.value if m.interval is None else m.interval.high
            if high is not None and high < 0.5:
                interval = "" if m.interval is None else f" ({_limits(m)})"
                yield Caution(
                    f"ROC AUC{_of(m)} is {number(m.value or 0.0)}{interval}.",
                    view.dataset,
                    view.model,
                    m.id,
                    m.table,
                    {"value": m.value},
                )


@caution(
    "auc_without_error",
    unless=("constant_scores",),
    severity="warning",
    title="The standard error of the area is 0 or unknown",
    why="perfect or constant ranking on these rows leaves DeLong's variance at 0, "
    "and one row of a class leaves it unknown; neither makes the area certain",
    read_instead="the interval named in the record, or more rows of the smaller class",
)
def auc_without_error(run: RunFacts) -> Iterator[Caution]:
    """An area has an interval that rests on the area alone, or none."""
    for view in run.views:
        for m in run.measures_of(view):
            if not _is_area(m) or m.average is not None or m.value is None:
                continue
            if (m.interval_reason or "").startswith(ONE_SCALE):
                continue
            method = None if m.interval is None else m.interval.method
            if m.interval is None or (method in SCORE_FORMS and m.interval.standard_error is None):
                given = (
                    f"the interval is {_limits(m)}, by {method_title(method)}"
                    if method
                    else "no interval"
                )
                yield Caution(
                    f"{m.title}{_of(m)} is {number(m.value)} and its standard error is 0 or "
                    f"unknown: {given}.",
                    view.dataset,
                    view.model,
                    m.id,
                    m.table,
                    {"value": m.value},
                )


@caution(
    "auc_flatters_rare_positives",
    severity="warning",
    title="ROC AUC flatters where positives are rare",
    why="with few positives a small false positive rate is still many false alarms, "
    "which ROC AUC does not show",
    read_instead="average precision, the precision-recall curve, and precision at the threshold",
)
def auc_flatters_rare_positives(run: RunFacts) -> Iterator[Caution]:
    """Under 10 % positives, and ROC AUC at least 0.2 above average precision."""
    for view, table in _scored(run):
        area, precise = roc_auc(table).outcome(), average_precision(table).outcome()
        measured = next(filter(_is_area, run.measures_of(view)), None)
        if measured is None or not (isinstance(area, Value) and isinstance(precise, Value)):
            continue
        positive, total = table.positive_total.item(), table.total.item()
        if positive < RARE * total and area.number >= precise.number + FLATTERING:
            yield Caution(
                f"ROC AUC is {value_text(area.number)} while average precision is "
                f"{value_text(precise.number)}; {part(positive, total)} rows are positive.",
                view.dataset,
                view.model,
                measured.id,
                measured.table,
                {roc_auc.name: area.number, average_precision.name: precise.number},
            )


def _scored(run: RunFacts) -> Iterator[tuple[View, ScoreTable]]:
    """Every view with its score table, where there is one."""
    for view in run.views:
        table = run.score_table(view)
        if table is not None and len(table.scores):
            yield view, table


def _limits(m: Measure) -> str:
    return "" if m.interval is None else limits_text(m.interval.low, m.interval.high)


def _of(m: Measure) -> str:
    return of_class(m.label)


def _is_area(measure: Measure) -> bool:
    """Whether a measure is the area under the ROC curve, or linear in it."""
    return metric_named(measure.metric).interval is Interval.AUC


@caution(
    "threshold_outside_scores",
    severity="warning",
    title="A threshold does not divide the scores",
    why="where no score reaches the threshold, or every one does, all rows get the same prediction",
    read_instead="a threshold on the scale of the scores, or the sweep of thresholds",
)
def threshold_outside_scores(run: RunFacts) -> Iterator[Caution]:
    """A threshold is above the highest score, or not above the lowest one."""
    for view in run.views:
        table = run.score_table(view)
        if table is None or not len(table.scores):
            continue
        high, low = float(table.scores[0]), float(table.scores[-1])
        positive = name(view.labels[view.positive_index])
        for record in run.tables_of(view):
            at = record.threshold
            if at is None or low < at <= high:
                continue
            what = "no row is" if at > high else "every row is"
            where = (
                "is the lowest score"
                if at == low
                else f"lies outside the scores, {threshold_text(low)} to {threshold_text(high)}"
            )
            yield Caution(
                f"The threshold {threshold_text(at)} {where}: {what} predicted {positive}.",
                view.dataset,
                view.model,
                table=record.id,
                numbers={"threshold": at, "low": low, "high": high},
            )
