"""How often a criterion passes at a size, by its own rule: exactly for shares, else drawn.

A share is x of n, n itself left to chance: x and n are sums of cells, so given n, x is
binomial. Every count that passes is added up. A measure that is no share is drawn: tables from
the assumed chances, score tables from two normal distributions with the assumed area.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from evalreport.design.assumptions import Array, Truth, value_of
from evalreport.design.pairs import AreaPair, CallPair, Pair, calls_against, held_against
from evalreport.metrics.declare import Goal, Interval, Metric, Table
from evalreport.metrics.formula import Ratio
from evalreport.metrics.methods import SQUARE_AND_ADD
from evalreport.metrics.tables import Counts
from evalreport.spec.acceptance import Criterion
from evalreport.statistics.delong import (
    AUC_METHODS,
    AreaLimits,
    AucMethod,
    delong,
    delong_score,
    difference_interval,
    hanley_mcneil_score,
    hanley_mcneil_variance,
    score_difference,
)
from evalreport.statistics.interval import deviate
from evalreport.statistics.power import Rule, size_power
from evalreport.statistics.proportions import PROPORTION_METHODS
from evalreport.statistics.tail import normal_quantile

Flags: TypeAlias = npt.NDArray[np.bool_]

#: Draws of tables; the error of a chance from them is at most half a point.
DRAWS = 10_000
#: Draws where each has a limit of its own to be computed; at most 1.2 points.
FUNCTION_DRAWS = 1800
#: Draws of score tables, each of which is ranked; their error is at most 0.8 points.
SCORE_DRAWS = 4000
#: Draws of pairs of score tables; their error is at most 1.1 points.
PAIR_DRAWS = 2000
#: Scores that are drawn and ranked at a time.
BLOCK = 2_000_000


@dataclass(frozen=True)
class Power:
    """The chance of passing, and its standard error where it was drawn."""

    chance: float
    error: float | None = None


@dataclass(frozen=True)
class Decision:
    """A criterion with its rule. ``exact``: it is a share, and its power is no estimate.

    ``top`` and ``bottom`` mark the cells (TP, FN, FP, TN) of a share. ``pair``, ``areas``,
    ``calls``: what is assumed of the reference, where it compares with one.
    """

    criterion: Criterion
    method: str | None
    level: float
    top: Array | None = None
    bottom: Array | None = None
    pair: Pair | None = None
    areas: AreaPair | None = None
    calls: CallPair | None = None

    @property
    def exact(self) -> bool:
        """Whether the power follows from counts alone."""
        return self.top is not None and self.pair is None

    @property
    def required(self) -> float:
        """What is required: of the measure, or of its difference from the reference."""
        if self.criterion.reference is not None:
            margin = self.criterion.margin or 0.0
            return -margin if self.at_least else margin
        found = self.criterion.required
        assert found is not None
        return found

    @property
    def at_least(self) -> bool:
        """Whether more is better for it."""
        if self.criterion.reference is not None:
            return self.criterion.metric.metric.goal is Goal.MAXIMIZE
        return self.criterion.at_least is not None

    def meets(self, observed: float | None) -> bool:
        """Whether a value, or a limit, passes; what does not exist does not."""
        if observed is None or math.isnan(observed):
            return False
        return observed >= self.required if self.at_least else observed <= self.required

    @cached_property
    def rule(self) -> Rule:
        """Whether x of n passes, by the value or the limit that the criterion names."""
        if self.criterion.bound == "point":
            return lambda x, n: self.meets(x / n)
        assert self.method is not None
        limits, low = PROPORTION_METHODS[self.method], self.criterion.bound == "lower"

        def passes(x: int, n: int) -> bool:
            found = limits(x, n, self.level)
            return self.meets(None if found is None else found.low if low else found.high)

        return passes


def share_of(metric: Metric, params: Mapping[str, Any]) -> tuple[Array, Array] | None:
    """The cells above and below the line, where the metric is a plain share of rows."""
    if metric.interval is not Interval.PROPORTION or metric.table is not Table.COUNTS:
        return None
    found = []
    for k in range(4):
        unit = np.eye(4, dtype=int)[k]
        counts = Counts(*(int(unit[i]) for i in (0, 2, 1, 3)))
        expression = metric(counts, **metric.arguments(dict(params)))
        if not isinstance(expression, Ratio):
            return None
        found.append((expression.top.exact(), expression.bottom.exact()))
    top, bottom = (np.array(side, np.float64) for side in zip(*found, strict=True))
    plain = np.isin(top, (0, 1)).all() and np.isin(bottom, (0, 1)).all() and (top <= bottom).all()
    return (top, bottom) if plain else None


def share_power(decision: Decision, truth: Truth, rows: int, shrink: float) -> Power:
    """Exact power at so many rows; ``shrink`` is what a row of a cluster is worth."""
    assert decision.top is not None
    assert decision.bottom is not None
    chance = float(truth.cells @ decision.bottom)
    share = float(truth.cells @ decision.top) / chance if chance else math.nan
    counted = max(int(rows * shrink), 1)
    return Power(size_power(decision.rule, counted, chance, share, at_least=decision.at_least))


def given_denominator(decision: Decision, truth: Truth, n: int) -> float:
    """Exact power with ``n`` rows below the line, however many rows that takes."""
    from evalreport.statistics.power import share_power as exactly

    assert decision.top is not None
    assert decision.bottom is not None
    share = float(truth.cells @ decision.top) / float(truth.cells @ decision.bottom)
    return exactly(decision.rule, n, share, at_least=decision.at_least)


def drawn_tables(truth: Truth, rows: int, shrink: float, seed: int) -> Array:
    """Tables of a study of this size, drawn from the assumed chances: shape (DRAWS, 4)."""
    draw = np.random.default_rng(seed)
    counted = max(int(rows * shrink), 1)
    return draw.multinomial(counted, truth.cells / truth.cells.sum(), DRAWS).astype(np.float64)


def passing_tables(decision: Decision, tables: Array, seed: int = 0) -> Flags:
    """Which of the drawn tables pass: by the value, by the limit of a share, or of a function.

    Of a function only the first FUNCTION_DRAWS are looked at. ``seed``: of what is drawn beside
    the tables, the reference that a criterion compares with.
    """
    if decision.pair is not None:
        assert decision.top is not None
        assert decision.bottom is not None
        x, n = (tables @ side for side in (decision.top, decision.bottom))
        return _by_pairs(decision, decision.pair.counted_with(x, n, seed))
    if decision.calls is not None:
        return _by_calls(decision, decision.calls.counted_with(tables[:FUNCTION_DRAWS], seed))
    metric, params = decision.criterion.metric.metric, decision.criterion.metric.params
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.broadcast_to(value_of(metric, dict(params), tables), tables.shape[:1])
    if decision.criterion.bound == "point":
        return np.array([decision.meets(float(v)) for v in values])
    if decision.top is not None:
        assert decision.bottom is not None
        return _by_share(decision, tables)
    kinds, which = np.unique(tables[:FUNCTION_DRAWS], axis=0, return_inverse=True)
    limit = _limit_of(decision, metric, dict(params))
    passed = np.array([decision.meets(limit(kind)) for kind in kinds])
    return passed[which.reshape(-1)]


def pair_power(decision: Decision, truth: Truth, n: int, seed: int) -> Power:
    """Power against a reference with ``n`` rows below the line, drawn."""
    assert decision.pair is not None
    assert decision.top is not None
    assert decision.bottom is not None
    share = float(truth.cells @ decision.top) / float(truth.cells @ decision.bottom)
    x = np.random.default_rng(seed).binomial(n, share, DRAWS).astype(np.float64)
    return drawn(_by_pairs(decision, decision.pair.counted_with(x, np.full(DRAWS, float(n)), seed)))


def drawn(passed: Flags) -> Power:
    """The share of draws that pass, with its standard error."""
    chance = float(np.mean(passed))
    return Power(chance, float(np.sqrt(chance * (1 - chance) / len(passed))))


def _by_pairs(decision: Decision, cells: Array) -> Flags:
    kinds, which = np.unique(cells, axis=0, return_inverse=True)
    bound, method, level = decision.criterion.bound, decision.method, decision.level
    passed = np.array([decision.meets(held_against(k, bound, method, level)) for k in kinds])
    return passed[which.reshape(-1)]


def _by_calls(decision: Decision, cells: Array) -> Flags:
    kinds, which = np.unique(cells, axis=0, return_inverse=True)
    metric, bound = decision.criterion.metric.metric, decision.criterion.bound
    passed = np.array(
        [
            decision.meets(calls_against(kind, metric, bound, decision.method, decision.level))
            for kind in kinds
        ]
    )
    return passed[which.reshape(-1)]


def _by_share(decision: Decision, tables: Array) -> Flags:
    assert decision.top is not None
    assert decision.bottom is not None
    x, n = (tables @ side for side in (decision.top, decision.bottom))
    pairs, which = np.unique(np.stack([x, n], axis=1), axis=0, return_inverse=True)
    rule = decision.rule
    passed = np.array([n > 0 and rule(int(x), int(n)) for x, n in pairs])
    return passed[which.reshape(-1)]


def _limit_of(
    decision: Decision, metric: Metric, params: dict[str, Any]
) -> Callable[[Array], float | None]:
    """The limit that the criterion holds against its requirement, from one table."""
    from evalreport.engine.intervals.methods import TableValue, smooth
    from evalreport.engine.intervals.table_intervals import added

    low, arguments = decision.criterion.bound == "lower", metric.arguments(params)
    method = str(decision.method)

    def stacked(tables: Any) -> Any:
        # dense tables are [actual][predicted], the other class first
        flat = np.stack(
            [tables[..., 1, 1], tables[..., 1, 0], tables[..., 0, 1], tables[..., 0, 0]], axis=-1
        )
        return value_of(metric, params, flat)

    def limit(kind: Array) -> float | None:
        tp, fn, fp, tn = (float(v) for v in kind)
        if method == SQUARE_AND_ADD:
            number = float(stacked(np.array([[tn, fp], [fn, tp]])))
            own = added(metric, arguments, (tp, fn, fp, tn), number, decision.level)
            return None if own is None else own.low if low else own.high
        limits = metric.score_limits.get(method, metric.limits)
        if limits is not None and method not in ("delta", "fisher_z"):
            found = limits(tp, fn, fp, tn, level=decision.level, **arguments)
            return None if found is None else found.low if low else found.high
        table = np.array([[tn, fp], [fn, tp]])
        value = float(stacked(table))
        if not math.isfinite(value):
            return None
        scale = "fisher_z" if decision.method == "fisher_z" else "plain"
        made = smooth(
            TableValue(value, stacked, table, metric.bounds, decision.level), "delta", scale
        )
        return None if made is None else made.low if low else made.high

    return limit


def area_power(decision: Decision, area: float, positives: int, negatives: int, seed: int) -> Power:
    """Power of a criterion on the area under the ROC curve, binormal scores drawn and ranked.

    Score tables are drawn in blocks; each gives its area and DeLong's variance, from which the
    limits of the method follow. Against a reference there are two scores of each row.
    """
    draw = np.random.default_rng(seed)
    passed = 0
    draws = SCORE_DRAWS if decision.areas is None else PAIR_DRAWS
    block = max(1, min(draws, BLOCK // (positives + negatives)))
    left = draws
    while left:
        size = min(block, left)
        left -= size
        if decision.areas is not None:
            both = _drawn_pairs(draw, (size, positives + negatives), decision.areas.correlation)
            for scores, value in zip(both, (area, decision.areas.value), strict=True):
                scores[:, :positives] += math.sqrt(2.0) * normal_quantile(value)
            for moments in _area_moments(*both, positives):
                passed += decision.meets(_difference_limit(decision, moments, positives, negatives))
            continue
        scores = draw.normal(0.0, 1.0, (size, positives + negatives))
        scores[:, :positives] += math.sqrt(2.0) * normal_quantile(area)
        for estimate, variance in zip(*_areas(scores, positives), strict=True):
            limit = _area_limit(decision, float(estimate), float(variance), positives, negatives)
            passed += decision.meets(limit)
    chance = passed / draws
    return Power(chance, math.sqrt(chance * (1 - chance) / draws))


def _drawn_pairs(
    draw: np.random.Generator, shape: tuple[int, int], correlation: float
) -> tuple[Array, Array]:
    """Two scores of each row of one class, normal, with this correlation."""
    first = draw.normal(0.0, 1.0, shape)
    own = draw.normal(0.0, 1.0, shape)
    return first, correlation * first + math.sqrt(1.0 - correlation**2) * own


def _area_moments(one: Array, other: Array, positives: int) -> Array:
    """Both areas, their DeLong variances and covariance, for each row of scores: (draws, 5)."""
    placed = _placed(one, positives), _placed(other, positives)
    negatives = one.shape[1] - positives
    found = [own[:, :positives].mean(axis=1) for own in placed]
    for a, b in ((0, 0), (1, 1), (0, 1)):
        together = np.zeros(len(one))
        for side, rows in (
            (slice(None, positives), positives),
            (slice(positives, None), negatives),
        ):
            first, second = (placed[k][:, side] for k in (a, b))
            apart = [part - part.mean(axis=1, keepdims=True) for part in (first, second)]
            with np.errstate(divide="ignore", invalid="ignore"):
                together += np.divide((apart[0] * apart[1]).sum(axis=1), rows * (rows - 1.0))
        found.append(together)
    return np.stack(found, axis=1)


def _placed(scores: Array, positives: int) -> Array:
    """The placement of every row among the rows of the other class, in the order of the rows."""
    negatives = scores.shape[1] - positives
    order = np.argsort(scores, axis=1)
    positive = order < positives
    below = np.cumsum(~positive, axis=1) / negatives
    above = 1.0 - np.cumsum(positive, axis=1) / positives
    placed = np.empty_like(scores)
    np.put_along_axis(placed, order, np.where(positive, below, above), axis=1)
    return placed


def _difference_limit(
    decision: Decision, moments: Array, positives: int, negatives: int
) -> float | None:
    """What a criterion against the area of a reference looks at in one drawn pair."""
    area, other, variance, other_variance, covariance = (float(v) for v in moments)
    if decision.criterion.bound == "point":
        return area - other
    together = max(math.fsum((variance, other_variance, -2.0 * covariance)), 0.0)
    if not math.isfinite(together):
        return None
    rows, units = (float(positives), float(negatives)), float(min(positives, negatives))
    if decision.method == "delong_score":
        sides = (
            AreaLimits(area, variance, rows, units),
            AreaLimits(other, other_variance, rows, units),
        )
        scale = math.sqrt(variance * other_variance)
        correlation = min(max(covariance / scale, -1.0), 1.0) if scale else 0.0
        errors = deviate(decision.level, sides[0].degrees)
        limits = score_difference(*sides, correlation, errors)
        return limits.low if decision.criterion.bound == "lower" else limits.high
    found = difference_interval(area - other, together, decision.level)
    assert found is not None
    return found.low if decision.criterion.bound == "lower" else found.high


def _areas(scores: Array, positives: int) -> tuple[Array, Array]:
    """Area and DeLong variance of each row of scores, the positives first; no ties."""
    negatives = scores.shape[1] - positives
    order = np.argsort(scores, axis=1)
    positive = order < positives
    below = np.cumsum(~positive, axis=1) / negatives
    above = 1.0 - np.cumsum(positive, axis=1) / positives
    area = np.where(positive, below, 0.0).sum(axis=1) / positives
    centre = area[:, None]
    of_positives = np.where(positive, (below - centre) ** 2, 0.0).sum(axis=1)
    of_negatives = np.where(positive, 0.0, (above - centre) ** 2).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = np.divide(of_positives, positives * (positives - 1.0)) + np.divide(
            of_negatives, negatives * (negatives - 1.0)
        )
    return area, variance


def _area_limit(
    decision: Decision, area: float, variance: float, positives: int, negatives: int
) -> float | None:
    if decision.criterion.bound == "point":
        return area
    if decision.method == "hanley_mcneil":
        variance = hanley_mcneil_variance(area, positives, negatives)
    if not math.isfinite(variance):
        return None
    rows = float(positives), float(negatives)
    known = AreaLimits(area, variance, rows, min(rows))
    method: AucMethod = AUC_METHODS.get(decision.method or "", delong)
    if area in (0.0, 1.0) and method is not delong_score:
        # the limits have no width: those of the score form, which needs no variance
        method = hanley_mcneil_score
    found = method(known, decision.level)
    if found is None:
        return None
    return found.low if decision.criterion.bound == "lower" else found.high
