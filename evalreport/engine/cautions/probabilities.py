"""Cautions about scores as probabilities: range, calibration and single large losses."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evalreport.engine.cautions.declare import Caution, caution
from evalreport.engine.cautions.facts import Given, RunFacts, actual_probability, given_scores
from evalreport.engine.cautions.wording import (
    counted,
    listed,
    name,
    number,
    of_class,
    p_value,
    part,
    percent,
)
from evalreport.metrics.calibration import fit_of
from evalreport.metrics.catalogue import find, of_caution, of_line
from evalreport.metrics.declare import Kind
from evalreport.metrics.probabilities import CLIP
from evalreport.metrics.readings import confidences
from evalreport.numbers import limits_text, threshold_text, value_text
from evalreport.plan.everything import CURVED_CLASSES
from evalreport.predict.label_sets import SetView
from evalreport.predict.view import LabelView, View
from evalreport.statistics.interval import z_value
from evalreport.statistics.logistic import CalibrationFit, NotEstimable, robust_errors

#: From this share of the log loss on, one row is said to dominate it ...
DOMINANT = 0.25
#: ... if the model was this sure of the wrong class.
CONFIDENT = 0.1
#: The default threshold of a score; on another scale it says nothing.
HALF = 0.5

#: The numbers of the calibration lines, by their names in a sentence.
LINES = {"slope": "the calibration slope", "in_the_large": "calibration in the large"}
#: A slope that is shown to be more than so many times too large or too small is grossly off.
GROSS = 2.0
#: Scores up to here, most of them above 1, look like percent.
PERCENT = 100.0
#: So many scores outside 0 and 1, and under this share of the rows, look like slips.
FEW_SLIPS, SLIP_SHARE = 5, 0.05


class OffTheLine(NamedTuple):
    """A calibration line that is off: the message, in a few words, and whether grossly so."""

    message: str
    words: str
    gross: bool


@caution(
    "not_probabilities",
    severity="note",
    title="Scores lie outside 0 and 1",
    why="scores outside 0 and 1 have no log loss, Brier score or calibration, "
    "and nothing was rescaled to give them one",
    read_instead="measures of ranking, and thresholds on the scale of the scores",
)
def not_probabilities(run: RunFacts) -> Iterator[Caution]:
    """Scores that are not declared as margins lie outside 0 and 1; a warning if 0.5 parts them."""
    for view in run.views:
        given = given_scores(run, view)
        if given is None:
            continue
        scores = given.values
        beyond = (scores < 0) | (scores > 1)
        outside = given.rows(np.asarray(beyond.any(axis=1) if beyond.ndim == 2 else beyond))
        if outside:
            low, high = float(scores.min()), float(scores.max())
            halved = high > 1 and any(
                table.threshold == HALF and table.threshold_rule is None
                for table in run.tables_of(view)
            )
            told = (
                f"; the threshold {threshold_text(HALF)} is one for probabilities" if halved else ""
            )
            slips = _slips(given, beyond, outside, view.rows)
            told += (_percents(given, beyond) if halved else "") or slips
            yield Caution(
                f"{part(outside, view.rows)} rows have a score outside 0 and 1; scores run from "
                f"{threshold_text(low)} to {threshold_text(high)}{told}.",
                view.dataset,
                view.model,
                numbers={"outside": outside, "rows": view.rows, "low": low, "high": high},
                severity="warning" if halved or slips else None,
            )


def _percents(given: Given, beyond: npt.NDArray[np.bool_]) -> str:
    """What is said of scores most of which lie above 1 and none above 100."""
    low, high = float(given.values.min()), float(given.values.max())
    most = 2 * given.rows(beyond) > given.rows(np.ones_like(beyond))
    if low >= 0 and 1 < high <= PERCENT and most:
        return "; scores not between 0 and 1 but up to 100 look like percent: divide them by 100"
    return ""


def _slips(given: Given, beyond: npt.NDArray[np.bool_], outside: int, rows: int) -> str:
    """The few scores of many that are no probabilities."""
    if outside > FEW_SLIPS or outside >= SLIP_SHARE * rows:
        return ""
    wrong = listed(threshold_text(value) for value in np.unique(given.values[beyond]).tolist())
    return f"; {wrong} {'is not a probability' if outside == 1 else 'are not probabilities'}"


@caution(
    "margins_as_probabilities",
    severity="note",
    title="Margins are read as probabilities",
    why="the sigmoid of a signed distance is the confidence that a linear boundary gives; it is a "
    "probability only as far as it is calibrated",
    read_instead="the calibration curve before any probability, and ranks where it is off",
)
def margins_as_probabilities(run: RunFacts) -> Iterator[Caution]:
    """A metric of probabilities was measured on margins, through sigmoid(margin)."""
    for view in run.views:
        if view.source == "margin" and _probabilities_measured(run, view):
            yield Caution(
                "The model gives margins; measures of probabilities use the confidence "
                "1 / (1 + exp(-margin)).",
                view.dataset,
                view.model,
            )


@caution(
    "miscalibration",
    whole_table=True,
    severity="warning",
    title="Scores are not probabilities",
    why="a probability is used as a number only if events happen about as often as it predicts",
    read_instead="the calibration curve, with slope and calibration in the large, "
    "before any probability",
)
def miscalibration(run: RunFacts) -> Iterator[Caution]:
    """Slope interval without 1, in-the-large interval without 0, or a small Spiegelhalter p.

    Of probabilities that a metric judges, and of what is only drawn: the confidences of margins
    and scores of labels (a note), and scores of several classes if a slope is shown to be off by
    a factor of 2. Each class or label is judged against the rest, by an interval widened for
    their number.
    """
    for view in (*run.views, *run.set_views):
        judged = _probabilities_measured(run, view)
        several, margin = view.label_sets or len(view.labels) > 2, view.source == "margin"
        if not (judged or several or margin):
            continue
        lines = [*(_classes_off_the_line if several else _off_the_line)(run, view)]
        grossly = any(line.gross for line in lines)
        found = [line.message for line in lines]
        found += [] if several else _spiegelhalter(run, view)
        if found and not (judged or grossly):
            found.append("no requested metric reads these scores as probabilities")
        if found and (judged or margin or view.label_sets or grossly):
            measure = next((m for m in run.measures_of(view, of_line("slope").name)), None)
            yield Caution(
                f"{_capital('; '.join(found))}.",
                view.dataset,
                view.model,
                measure.id if measure is not None else None,
                measure.table if measure is not None else None,
                severity=None if judged or grossly else "note",
                headline=_headline(run, view, lines),
            )


def _headline(run: RunFacts, view: View, lines: list[OffTheLine]) -> str:
    """In which way scores are no probabilities, by the first line that is off."""
    if not lines:
        return ""
    several = len((*run.views, *run.set_views)) > 1
    whose = f"{name(view.model)} is " if several else ""
    return f"Scores are not probabilities: {whose}{lines[0].words}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _probabilities_measured(run: RunFacts, view: View) -> bool:
    """Whether a metric of probabilities was measured on this model's scores."""
    for m in run.measures_of(view):
        metric = find(m.metric)
        if metric is not None and metric.kind is Kind.PROBABILITY and m.state == "value":
            return True
    return False


def _off_the_line(run: RunFacts, view: View) -> Iterator[OffTheLine]:
    """Each calibration line of two classes that is off."""
    fitted: dict[str, tuple[float, float, float]] | None = None
    for line, words in LINES.items():
        metric = of_line(line)
        expected = metric.best
        m = run.measure(view, metric.name)
        interval = (m.interval.low, m.interval.high) if m is not None and m.interval else None
        value = m.value if m is not None else None
        if interval is None:
            fitted = _fitted(run, view) if fitted is None else fitted
            if line in fitted:
                value, *ends = fitted[line]
                interval = (ends[0], ends[1])
        if expected is None or value is None or not interval:
            continue
        if not interval[0] <= expected <= interval[1]:
            told = (
                f"{words} is {value_text(value)} ({limits_text(*interval)}), not {number(expected)}"
            )
            way = f"{_way(line, value)} ({line.replace('_', ' ')} {value_text(value)})"
            yield OffTheLine(told, way, _gross(line, *interval))


def _way(line: str, value: float) -> str:
    """In which way probabilities are off, in a word or two.

    A slope above 1 is of scores too near the middle; in the large a value above 0 is of more
    events than were predicted.
    """
    if line == "in_the_large":
        return "too low" if value > 0 else "too high"
    if value > 1:
        return "too timid"
    return "too extreme" if value > 0 else "the wrong way round"


def _gross(line: str, low: float, high: float) -> bool:
    """Whether limits show a slope to be off by a factor."""
    return line == "slope" and (low > GROSS or high < 1 / GROSS)


def _classes_off_the_line(run: RunFacts, view: View) -> Iterator[OffTheLine]:
    """The same of classes, or labels, with the least and the greatest value of those it is of."""
    if len(view.labels) > CURVED_CLASSES:
        return
    level = 1 - (1 - run.settings.level) / len(view.labels)
    fits = {label: _fitted(run, view, k, level) for k, label in enumerate(view.labels)}
    noun = "label" if view.label_sets else "class"
    for line, words in LINES.items():
        expected = of_line(line).best
        assert expected is not None
        known = {label: fit[line] for label, fit in fits.items() if line in fit}
        off = {k: fit for k, fit in known.items() if not fit[1] <= expected <= fit[2]}
        if off:
            ends = dict.fromkeys((min(off, key=lambda k: off[k]), max(off, key=lambda k: off[k])))
            values = [value_text(off[label][0]) for label in ends]
            span = " to ".join(
                f"{v}{of_class(label)}" for v, label in zip(values, ends, strict=True)
            )
            where = f"{number(len(off))} of {counted(len(view.labels), noun)}"
            inside = f"{percent(level)} intervals"
            told = f"{words} is {span}, not {number(expected)}, in {where} ({inside})"
            gross = any(_gross(line, low, high) for _, low, high in off.values())
            off_in = f"off in {where} ({line.replace('_', ' ')} {' to '.join(values)})"
            yield OffTheLine(told, off_in, gross)


def _fitted(
    run: RunFacts, view: View, index: int | None = None, level: float | None = None
) -> dict[str, tuple[float, float, float]]:
    """Both lines fitted here where the spec did not ask for them, as the design has it.

    Of the class or label at an ``index``, where scores are of several.
    """
    try:
        fit = _fit(run, view, index)
    except NotEstimable:
        return {}
    if fit is None:
        return {}
    z = z_value(run.settings.level if level is None else level)
    lines = {"slope": fit.slope, "in_the_large": fit.in_the_large}
    return {
        line: (value, value - z * error, value + z * error)
        for line, (value, error) in lines.items()
        if error is not None and math.isfinite(value) and math.isfinite(error)
    }


def _fit(run: RunFacts, view: View, index: int | None) -> CalibrationFit | None:
    """The calibration lines of a view; None without scores, or without single rows they need."""
    table = run.score_table(view) if index is None else run.class_table(view, index)
    if table is None:
        return None
    margin = view.source == "margin"
    fit = fit_of(confidences(table) if margin else table)
    if view.weight is None and view.cluster is None:
        return fit
    if isinstance(view, SetView):
        assert index is not None
        view, index = view.of_label(index), None
    assert isinstance(view, LabelView)
    # results without rows refuse this, and the caution is then known not to follow from them
    codes = None if view.cluster is None else view.cluster[0]
    if index is None and view.score is None:
        return None
    # kinds of rows are in an order that follows from what they hold
    rows = view.places if view.times is None else slice(None)
    score = view.scores_of(index)[rows]
    # exp(-log(1 + exp(-s))) is the sigmoid of s without an overflow
    p = np.exp(-np.logaddexp(0.0, -score)) if margin else score
    weight, times = (None if one is None else one[rows] for one in (view.weight, view.times))
    codes = None if codes is None else codes[rows]
    return robust_errors(fit, p, view.positives_of(index)[rows], weight, codes, times)


def _spiegelhalter(run: RunFacts, view: View) -> Iterator[str]:
    m = run.measure(view, of_caution("miscalibration").name)
    if m is not None and m.value is not None and m.value < 1 - run.settings.level:
        yield f"Spiegelhalter's test has {p_value(m.value)}"


@caution(
    "confident_mistake",
    whole_table=True,
    unless=("clipped_probabilities",),
    severity="warning",
    title="One confident mistake dominates the log loss",
    why="log loss has no upper limit for a row: a single row can outweigh all others",
    read_instead="the Brier score, whose loss per row is at most 1, and the row itself",
)
def confident_mistake(run: RunFacts) -> Iterator[Caution]:
    """One row makes up a quarter or more of the log loss at a probability under 0.1."""
    for view in run.views:
        m = run.measure(view, of_caution("confident_mistake").name)
        given = actual_probability(run, view)
        if m is None or given is None:
            continue
        losses = -np.log(np.clip(given.values, CLIP, 1 - CLIP))
        if view.weight is not None:
            losses = losses * view.weight
        total = Given(losses, given.times).total
        worst = int(np.argmax(losses))
        share = float(losses[worst]) / total if total > 0 else 0.0
        if view.rows > 1 and share >= DOMINANT and given.values[worst] < CONFIDENT:
            told = f"One confident mistake makes up {percent(share)} of the log loss"
            yield Caution(
                f"{told}: the actual class of one of {number(view.rows)} rows"
                f"{_place(view, worst)} was given the probability "
                f"{number(float(given.values[worst]))}.",
                view.dataset,
                view.model,
                m.id,
                m.table,
                {"share": share, "probability": float(given.values[worst])},
                headline=told,
            )


def _place(view: LabelView, place: int) -> str:
    """Where a row stands in its file; nothing where the view holds no rows."""
    row = view.row_number(place)
    return "" if row is None else f" (row {number(row)} of the data)"


@caution(
    "clipped_probabilities",
    severity="warning",
    title="Mistakes at a probability of 0 were clipped",
    why="the log loss of a probability of 0 is infinite; the clip at 1e-15 decides its value",
    read_instead="the Brier score, and why the model is so sure",
)
def clipped_probabilities(run: RunFacts) -> Iterator[Caution]:
    """The actual class of a row was given less than the clip, and a log loss was measured."""
    for view in run.views:
        m = run.measure(view, of_caution("clipped_probabilities").name)
        given = actual_probability(run, view)
        if m is None or given is None:
            continue
        wrong = given.rows(given.values < CLIP)
        if wrong:
            verb = "was" if wrong == 1 else "were"
            told = f"{counted(wrong, 'mistake')} at a probability of 0 {verb} clipped"
            yield Caution(
                f"{told}: the actual class of {part(wrong, view.rows)} rows was given a "
                "probability within 1e-15 of 0.",
                view.dataset,
                view.model,
                m.id,
                m.table,
                {"wrong": wrong, "rows": view.rows},
                headline=told,
            )
