"""Thresholds by rule: solved on all rows of a dataset and model, then applied to its slices.

Candidates are the observed scores (``score >= threshold``), and one above all of
them where predicting nothing positive is strictly better than any. Ties go to
the largest threshold; a limit alone to the threshold that gives up least for it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.engine.metric_values import stacked_value
from evalreport.metrics.declare import Metric, Table
from evalreport.metrics.tables import Counts, ScoreTable


@dataclass(frozen=True)
class Resolved:
    """A threshold as it applies: its number, or the reason why there is none."""

    number: float | None
    reason: str | None = None
    exploratory: bool = False


Floats = npt.NDArray[np.float64]

#: Candidates evaluated at once where the metric needs the whole table.
_CHUNK = 100_000


@dataclass(frozen=True)
class Rule:
    """A threshold rule in the engine's terms.

    ``kind``: ``best`` (the metric itself, up or down by ``upwards``), ``corner``
    (least distance to the top-left corner), ``limit`` (``at_least`` or ``at_most``
    a value, best on ``then``; without it the one that gives up least, see
    :func:`direction`), ``top_share`` or ``top_count`` (predict a share or a
    number of the rows).
    """

    kind: str
    metric: Metric | None = None
    params: Mapping[str, Any] | None = None
    upwards: bool = True
    at_least: bool = True
    value: float = 0.0
    then: Rule | None = None


def solve(rule: Rule, table: ScoreTable, costs: Any, exploratory: bool) -> Resolved:
    """The threshold that a rule picks on a score table, or why there is none."""
    if not len(table.scores):
        return Resolved(None, "there is no row to choose a threshold on", exploratory)
    if rule.kind in ("top_share", "top_count"):
        return Resolved(_top(rule, table), None, exploratory)
    if rule.kind == "limit":
        return _limit(rule, table, costs, exploratory)
    values = _values(rule, table, costs)
    candidates = np.concatenate([[_above(table)], table.scores])
    return _best(values, candidates, np.ones(len(values), dtype=bool), exploratory)


def _limit(rule: Rule, table: ScoreTable, costs: Any, exploratory: bool) -> Resolved:
    reached = _values(rule, table, costs)
    with np.errstate(invalid="ignore"):
        allowed = reached >= rule.value if rule.at_least else reached <= rule.value
    allowed &= ~np.isnan(reached)
    candidates = np.concatenate([[_above(table)], table.scores])
    if not allowed.any():
        assert rule.metric is not None
        word = "at least" if rule.at_least else "at most"
        reason = f"no threshold gives {rule.metric.name} {word} {rule.value:g}"
        return Resolved(None, reason, exploratory)
    if rule.then is None:
        places = np.flatnonzero(allowed)
        observed = places[places > 0] if len(places) > 1 else places
        wanted = 1 if rule.at_least else -1
        nearest = observed[-1 if direction(rule, costs) == wanted else 0]
        return Resolved(float(candidates[nearest]), None, exploratory)
    values = _values(rule.then, table, costs)
    return _best(values, candidates, allowed, exploratory)


def direction(rule: Rule, costs: Any) -> int:
    """1 where the metric grows as fewer rows are predicted positive, -1 where it falls, else 0.

    A specificity or precision of 0.9 is reached by predicting next to nothing positive: the
    smallest threshold that reaches it finds most positives. A recall of 0.9 is reached by
    predicting everything positive: the largest one that does raises fewest false alarms. Tried
    on a score that tells the classes apart, so that it follows from the metric and not from the
    rows. One that neither grows nor falls throughout has the largest threshold.
    """
    scores = np.array([0.9, 0.7, 0.5, 0.3, 0.1])
    example = ScoreTable(scores, np.array([9, 5, 3, 2, 1]), np.array([1, 2, 4, 7, 9]))
    # of nothing and of everything predicted positive, shares of predictions are undefined
    steps = np.sign(np.diff(_values(rule, example, costs)[-2:0:-1]))
    return int(steps[0]) if (steps == steps[0]).all() else 0


def _best(
    values: Floats, candidates: Floats, allowed: npt.NDArray[np.bool_], exploratory: bool
) -> Resolved:
    usable = allowed & np.isfinite(values)
    if not usable.any():
        return Resolved(None, "the metric is undefined at every threshold", exploratory)
    scored = np.where(usable, values, -math.inf)
    # equal fractions can differ in the last bits once they are floats
    best = float(scored[1:].max()) if usable[1:].any() else -math.inf
    slack = 8 * np.finfo(float).eps * max(1.0, abs(best)) if math.isfinite(best) else 0.0
    if not scored[0] > best + slack:
        scored[0] = -math.inf
        tied = scored >= best - slack
    else:
        tied = scored == scored[0]
    return Resolved(float(candidates[int(np.argmax(tied))]), None, exploratory)


def _above(table: ScoreTable) -> float:
    return float(np.nextafter(table.scores[0], math.inf))


def _values(rule: Rule, table: ScoreTable, costs: Any) -> Floats:
    """What the rule looks at, for "nothing positive" first and then each score; up is better."""
    tp = np.concatenate([[0.0], table.true_positives.astype(np.float64)])
    fp = np.concatenate([[0.0], table.false_positives.astype(np.float64)])
    p, n = float(table.positive_total), float(table.negative_total)
    counts = Counts(tp=tp, fp=fp, fn=p - tp, tn=n - fp)
    if rule.kind == "corner":
        with np.errstate(invalid="ignore", divide="ignore"):
            return -np.hypot(fp / n, 1 - tp / p)
    metric = rule.metric
    assert metric is not None
    arguments = metric.arguments(dict(rule.params or {}))
    if "costs" in metric.context:
        arguments["costs"] = costs
    if "threshold" in metric.context:
        arguments["threshold"] = np.concatenate([[_above(table)], table.scores])
    with np.errstate(invalid="ignore", divide="ignore"):
        if metric.table is Table.MATRIX:
            values = _of_matrix(metric, arguments, counts)
        else:
            values = np.asarray(metric(counts, **arguments).array(), dtype=np.float64)
    values = np.broadcast_to(values, tp.shape)
    if rule.kind == "limit":
        return values
    return values if rule.upwards else -values


def _of_matrix(metric: Metric, arguments: Mapping[str, Any], counts: Counts) -> Floats:
    function = stacked_value(metric, arguments, average=None, index=None)
    tn, fp, fn, tp = (getattr(counts, name).value for name in ("tn", "fp", "fn", "tp"))
    stack = np.stack([np.stack([tn, fp], -1), np.stack([fn, tp], -1)], -2)
    parts = [function(stack[i : i + _CHUNK]) for i in range(0, len(stack), _CHUNK)]
    return np.concatenate(parts).astype(np.float64)


def _top(rule: Rule, table: ScoreTable) -> float:
    """The score of the last row when the highest-scored rows are predicted positive."""
    total = float(table.total)
    share = rule.kind == "top_share"
    wanted = math.ceil(rule.value * total - 1e-9) if share else rule.value
    flagged = table.true_positives + table.false_positives
    place = int(np.searchsorted(flagged, wanted, side="left"))
    return float(table.scores[min(place, len(table.scores) - 1)])
