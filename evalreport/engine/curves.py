"""The curves of a report: exact points, fewer of them where there are very many scores.

A point that is kept has the counts of the whole table, and so the limits of its band.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from evalreport.engine.counting.memory import MemoryTables
from evalreport.metrics import calibration_curve, curves
from evalreport.metrics.calibration import line_of, oe_ratio
from evalreport.metrics.declare import Metric
from evalreport.metrics.formula import Value
from evalreport.metrics.precision_recall import average_precision
from evalreport.metrics.ranking import roc_auc
from evalreport.metrics.readings import confidences
from evalreport.metrics.tables import Counts, ScoreTable
from evalreport.plan.everything import CURVED_CLASSES
from evalreport.results.identity import EVERYTHING
from evalreport.results.records import Band, Curve
from evalreport.statistics.logistic import NotEstimable

#: Above so many distinct scores neighbouring ones share a point of a curve.
MOST_POINTS = 2_000
#: The same where there is a curve for each of several classes.
MOST_CLASS_POINTS = 250
#: Points of a precision-recall curve, and how far it may be from the one with every point.
MOST_STEPS = 4_000
HALF_A_DIGIT = 0.0005
#: Thresholds of the sweep table where scores lie within 0 and 1.
SWEEP = tuple(k / 20 for k in range(20, -1, -1))
#: Above so many distinct scores the sweep steps over quantiles of them.
SWEEP_ROWS = 25


class Drawn(NamedTuple):
    """The points of a curve, and what sums it up in numbers."""

    kind: str
    points: dict[str, list[Any]]
    thinned: bool = False
    sums: Mapping[str, float] = {}


def curve_records(
    tables: MemoryTables,
    new_id: Callable[[], str],
    thresholds: Sequence[float],
    probabilities: bool,
    level: float,
) -> list[Curve]:
    """The curve records of one dataset and model, over all its rows."""
    view, rows = tables.view, tables.row_count(EVERYTHING)
    found: list[Curve] = []
    if view.sample is not None and view.sample.kind == "proxy":
        return found  # corrected counts may fall as a threshold does
    if view.has_score:
        label = view.labels[view.positive_index]
        table = tables.scores(EVERYTHING)
        kinds = _curves(table, probabilities, level, MOST_POINTS, rows)
        if view.source == "margin" and not view.decided:
            of = confidences(table)
            kinds += _calibration(of, merged(of, MOST_POINTS), level, rows)
        kinds.append(Drawn("sweep", sweep(table, thresholds)))
        if view.unknown:
            # precision and recall are all that a curve can show without the other cells
            kept = {"precision_recall"} if set(view.unknown) == {"tn"} else set()
            kinds = [one for one in kinds if one.kind in kept]
        found = [_record(new_id(), view, label, one) for one in kinds]
    elif view.class_scores is not None and len(view.labels) <= CURVED_CLASSES:
        for k, label in enumerate(view.labels):
            table = tables.scores(EVERYTHING, k)
            for one in _curves(table, probabilities, level, MOST_CLASS_POINTS, rows):
                found.append(_record(new_id(), view, label, one))
    elif _labels_decide(view):
        made = curves.decision_of_labels(_cells(tables))
        label = view.labels[view.positive_index]
        found = [_record(new_id(), view, label, Drawn("decision", made))]
    return [with_band(record, view, level) for record in found]


def with_band(record: Curve, view: Any, level: float) -> Curve:
    """A curve that bands are known of with its band, or with the reason why it has none."""
    of = curves.BANDS.get(record.kind)
    if of is None:
        return record
    reason = _no_band(view)
    if reason is not None:
        return replace(record, band=Band(of, level, None, reason))
    points = curves.with_band(record.kind, record.points, level)
    return replace(record, points=points, band=Band(of, level, curves.BAND_METHODS[of]))


def _no_band(view: Any) -> str | None:
    """Why there are no limits at each point: all take independent rows that count one each."""
    if view.sample is not None:
        return "rows were sampled by a design"
    if view.cluster is not None:
        return "rows come in clusters"
    return "rows have weights" if view.weight is not None else None


def _labels_decide(view: Any) -> bool:
    """Whether labels alone say who of two classes is treated: all of them are known and clear."""
    known = not (view.unknown or view.indeterminate)
    return view.source == "prediction" and len(view.labels) == 2 and known


def _cells(tables: MemoryTables) -> Counts:
    """The four cells of the positive class in the table of all rows."""
    table, up = tables.classification(EVERYTHING, None), tables.view.positive_index
    cells = table.counts()
    return Counts(
        tp=cells[up][up], fp=cells[1 - up][up], fn=cells[up][1 - up], tn=cells[1 - up][1 - up]
    )


def _record(name: str, view: Any, label: str, one: Drawn) -> Curve:
    return Curve(
        id=name,
        dataset=view.dataset,
        model=view.model,
        subgroup={},
        label=label,
        kind=one.kind,
        points=one.points,
        thinned=one.thinned,
        sums=one.sums,
    )


def _curves(
    table: ScoreTable, probabilities: bool, level: float, at_most: int, rows: int
) -> list[Drawn]:
    fewer, thinned = merged(table, at_most)
    steps, in_steps = merged_in_steps(table, at_most)
    area, precision = _known(roc_auc, table), _known(average_precision, table)
    found = [
        Drawn("roc", curves.roc(fewer, drop_collinear=True), thinned, area),
        Drawn("precision_recall", curves.precision_recall(steps), in_steps, precision),
        Drawn("gain", curves.gain(fewer), thinned),
        Drawn("lift", curves.lift(fewer), thinned),
        Drawn("score_distribution", curves.score_distribution(table)),
    ]
    if probabilities:
        found += [
            *_calibration(table, (fewer, thinned), level, rows),
            Drawn("decision", curves.decision(table)),
            Drawn("accuracy_coverage", curves.accuracy_coverage(fewer), thinned),
        ]
    return found


def _known(metric: Metric, table: ScoreTable) -> dict[str, float]:
    """The value of a metric by its name, where it has one."""
    outcome = metric(table).outcome()
    return {metric.name: float(outcome.number)} if isinstance(outcome, Value) else {}


def _calibration(
    table: ScoreTable, joined: tuple[ScoreTable, bool], level: float, rows: int
) -> list[Drawn]:
    """Both calibration curves, of a table and of its neighbours `merged`.

    Those of margins are of their confidences.
    """
    fewer, thinned = joined
    points = calibration_curve.calibration(table, level=level, rows=rows)
    return [
        Drawn("calibration", points, sums=_line(table)),
        Drawn("smoothed_calibration", calibration_curve.smoothed_calibration(fewer), thinned),
    ]


def _line(table: ScoreTable) -> dict[str, float]:
    """Observed to expected positives, and the calibration line: as the metrics of these names.

    What does not exist is left out.
    """
    ratio = oe_ratio(table).outcome()
    found = {"oe_ratio": ratio.number} if isinstance(ratio, Value) else {}
    try:
        intercept, slope = line_of(table)
    except NotEstimable:
        return found
    return found | {"calibration_slope": slope.value, "calibration_intercept": intercept.value}


def merged(table: ScoreTable, at_most: int) -> tuple[ScoreTable, bool]:
    """The table with neighbouring scores joined until few are left, and whether any were.

    A joined entry keeps the lowest of its scores, so that every point of a curve made from
    it is a point of the full curve. The points lie evenly along recall and false positive
    rate: evenly by rows they would leave out most of a curve where positives are rare.
    """
    if len(table.scores) <= at_most:
        return table, False
    tp, fp = np.cumsum(table.positives), np.cumsum(table.negatives)
    along = tp / max(float(tp[-1]), 1e-300)
    along += fp / max(float(fp[-1]), 1e-300)
    wanted = np.linspace(0, float(along[-1]), at_most + 1)[1:]
    places = np.searchsorted(along, wanted, side="left").clip(0, len(along) - 1)
    # the first and the last score are points of every curve
    places[0], places[-1] = 0, len(along) - 1
    return _joined(table, np.unique(places)), True


def merged_in_steps(table: ScoreTable, at_most: int) -> tuple[ScoreTable, bool]:
    """The same for the steps of a precision-recall curve, within half a printed digit.

    The first score stays. The point after a step stands for those before it whose precision is
    within ``HALF_A_DIGIT`` of its own; within more where ``MOST_STEPS`` points are not enough.
    Of ``at_most`` points or fewer all are kept.
    """
    if len(table.scores) <= at_most:
        return table, False
    tp, fp = np.cumsum(table.positives), np.cumsum(table.negatives)
    precision = tp / np.maximum(tp + fp, 1e-300)
    apart, places = HALF_A_DIGIT, _level_ends(precision, HALF_A_DIGIT)
    while len(places) > MOST_STEPS:
        apart *= 1.5
        places = _level_ends(precision, apart)
    return _joined(table, places), True


def _level_ends(heights: Any, apart: float) -> Any:
    """The first place, and the last of each level.

    Heights of a level are no further from its last than ``apart``.
    """
    kept = [len(heights) - 1]
    while kept[-1] > 0:
        # most levels are long, so that places are looked at in blocks, each twice the last
        level, last, block = heights[kept[-1]], kept[-1], 64
        while last > 0:
            first = max(last - block, 0)
            apart_there = np.flatnonzero(np.abs(heights[first:last] - level) > apart)
            if len(apart_there):
                kept.append(first + int(apart_there[-1]))
                break
            last, block = first, 2 * block
        else:
            break
    return np.unique([0, *kept])


def _joined(table: ScoreTable, last: Any) -> ScoreTable:
    """The table with an entry for each stretch of scores that ends at these places."""
    starts = np.concatenate([[0], last[:-1] + 1])
    return ScoreTable(
        table.scores[last],
        np.add.reduceat(table.positives, starts),
        np.add.reduceat(table.negatives, starts),
    )


def sweep(table: ScoreTable, thresholds: Sequence[float]) -> dict[str, list[Any]]:
    """The sweep table: declared thresholds among steps over the range of the scores."""
    if not len(table.scores):
        return curves.threshold_sweep(table, [])
    low, high = float(table.scores[-1]), float(table.scores[0])
    if len(table.scores) <= SWEEP_ROWS:
        steps = [float(score) for score in table.scores]
    elif low >= 0 and high <= 1:
        steps = list(SWEEP)
    else:
        places = np.linspace(0, len(table.scores) - 1, 21).astype(int)
        steps = [float(score) for score in table.scores[places]]
    return curves.threshold_sweep(table, sorted({*steps, *thresholds}, reverse=True))
