"""Calibration curves: observed share by probability, in bins and smoothed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.metrics.declare import outside_unit
from evalreport.metrics.probability_bins import quantile_groups, uniform_bins
from evalreport.metrics.tables import ScoreTable
from evalreport.statistics.delta import weight_of_unseen
from evalreport.statistics.exact_sums import exact_sum
from evalreport.statistics.means import share_variance
from evalreport.statistics.proportions import wilson, wilson_n_eff

Columns = dict[str, list[Any]]
Floats = npt.NDArray[np.float64]

#: Share of the rows that each point of the smoothed curve is fitted to.
SPAN = 0.75
#: Probabilities at which the smoothed curve is given where there are more distinct ones.
MOST_POINTS = 200
#: Distinct probabilities above which neighbours are joined at their mean, before smoothing.
MOST_DISTINCT = 20_000
JOINED = 5_000


def calibration(
    s: ScoreTable,
    *,
    bins: int = 10,
    strategy: str = "uniform",
    level: float = 0.95,
    rows: float = math.inf,
) -> Columns:
    """The observed share of positives by mean probability, in the bins that ``ece`` uses.

    Columns ``low`` and ``high`` (edges of equal-width bins, else the lowest and
    highest probability held), ``n``, ``positives``, ``mean_score``, ``observed`` and
    its Wilson limits ``observed_low`` and ``observed_high`` (of weighted rows on as many
    rows as the linearised variance is worth, ``rows`` being those of the sample). Empty
    bins and scores that are no probabilities give no point.

    >>> s = ScoreTable(np.array([0.75, 0.7, 0.1]), np.array([1, 2, 0]), np.array([0, 1, 4]))
    >>> points = calibration(s)
    >>> points["low"], points["n"], points["observed"]
    ([0.1, 0.7], [4, 4], [0.0, 0.75])
    """
    names = ("low", "high", "n", "positives", "mean_score", "observed")
    columns: Columns = {name: [] for name in (*names, "observed_low", "observed_high")}
    if outside_unit(s.scores) or not len(s.scores):
        return columns
    by_quantile = strategy == "quantile"
    bin_of = quantile_groups(s, bins) if by_quantile else uniform_bins(s.scores, bins)
    # scores fall, and so do the bins that they are in
    past = len(bin_of) - np.searchsorted(bin_of[::-1], np.arange(bins + 1))
    for k in range(bins):
        part = s.at(slice(past[k + 1], past[k]))
        n = part.rows.value
        if n == 0:
            continue
        edges = (k / bins, (k + 1) / bins)
        if by_quantile:
            held = part.scores[(part.positives + part.negatives) > 0]
            edges = (float(held[-1]), float(held[0]))
        positives = part.actual_positives.value
        expected = part.cell("", part.scores * (part.positives + part.negatives)).value
        limits = _limits(part, s, level, rows)
        row = (*edges, n, positives, expected / n, positives / n, *limits)
        for name, value in zip(columns, row, strict=True):
            columns[name].append(value)
    return columns


def _limits(
    part: ScoreTable, s: ScoreTable, level: float, rows: float
) -> tuple[float | None, float | None]:
    """Limits of the share of positives in one bin of the table ``s``."""
    positives, n = part.actual_positives.value, part.rows.value
    squares = part.squares
    if squares is None:
        limits = wilson(positives, n, level)
    else:
        share = positives / n
        hits, misses = (exact_sum(one[...]) for one in squares)
        variance = share_variance(share, n, (hits, misses), rows)
        alike = share in (0.0, 1.0)
        worth = n / _unseen(part, s) if alike else share * (1 - share) / variance
        limits = wilson_n_eff(share, worth, level)
    return (None, None) if limits is None else (limits.low, limits.high)


def _unseen(part: ScoreTable, s: ScoreTable) -> float:
    """How heavy a row of the class that a bin lacks may be, by the rows inside and outside."""

    def sums(t: ScoreTable) -> Floats:
        positives, negatives, *squares = (float(np.sum(own)) for own in t.parts)
        return np.array(list(zip((positives, negatives), squares or (0.0, 0.0), strict=True)))

    inside, everywhere = sums(part), sums(s)
    both = np.stack([inside, np.maximum(everywhere - inside, 0.0)], axis=1)
    missing = np.zeros((2, 2), bool)
    missing[:, 0] = both[:, 0, 0] == 0
    return weight_of_unseen(both[..., 0], both[..., 1], missing)


def smoothed_calibration(s: ScoreTable, *, span: float = SPAN, degree: int = 1) -> Columns:
    """The observed share as a smooth function of the probability, by local regression.

    Loess without robustness steps (Cleveland 1979): at each probability a straight line, or a
    parabola for ``degree`` 2, is fitted to the nearest ``span`` of the rows, with tricube
    weights; its value is kept within [0, 1]. Given at the distinct probabilities, or
    at 200 of them evenly spread over the rows where there are more. Above 20,000
    distinct probabilities neighbours are first joined into 5,000 groups.

    ``standard_error`` is that of each value for independent rows that count one each: the value
    is a weighted sum of the shares (Cleveland and Devlin 1988), of which each has the variance
    of a share where the fitted line says it is. It knows nothing of the bias of smoothing.

    >>> s = ScoreTable(np.array([0.75, 0.25]), np.array([3, 1]), np.array([1, 3]))
    >>> smoothed_calibration(s, span=1.0)["observed"]
    [0.25, 0.75]
    """
    held = (s.positives + s.negatives) > 0
    if outside_unit(s.scores) or not held.any():
        return {"score": [], "observed": [], "standard_error": []}
    x, rows, share = _groups(s, held)
    at = x if len(x) <= MOST_POINTS else x[_spread(rows, MOST_POINTS)]
    fitted = [_local_fit(float(point), x, share, rows, span, degree) for point in at]
    return {
        "score": at.tolist(),
        "observed": [value for value, _ in fitted],
        "standard_error": [error for _, error in fitted],
    }


def _groups(s: ScoreTable, held: npt.NDArray[np.bool_]) -> tuple[Floats, Floats, Floats]:
    """Probabilities, lowest first, with their rows and observed share."""
    x = s.scores[held][::-1]
    positives = s.positives[held][::-1].astype(np.float64)
    rows = positives + s.negatives[held][::-1]
    if len(x) > MOST_DISTINCT:
        reached = np.cumsum(rows)
        group = np.ceil(reached / reached[-1] * JOINED * (1 - 1e-12)).astype(np.int64)
        _, starts = np.unique(group, return_index=True)
        total, found, summed = (
            np.add.reduceat(part, starts) for part in (rows, positives, rows * x)
        )
        x, rows, positives = summed / total, total, found
    return x, rows, positives / rows


def calibration_distances(
    s: ScoreTable, *, span: float = SPAN, degree: int = 1
) -> dict[str, float] | None:
    """Distance of probability and smoothed observed share: mean, median, 90 % point, largest.

    ICI, E50, E90 and Emax of Austin and Steyerberg (2019), and ``eci``, the mean squared distance
    of Van Hoorde et al. (2015), with the smoother of :func:`smoothed_calibration`, joined by
    straight lines. None without probabilities.

    >>> s = ScoreTable(np.array([0.75, 0.25]), np.array([3, 1]), np.array([1, 3]))
    >>> calibration_distances(s, span=1.0)
    {'ici': 0.0, 'e50': 0.0, 'e90': 0.0, 'emax': 0.0, 'eci': 0.0}
    """
    curve = smoothed_calibration(s, span=span, degree=degree)
    if not curve["score"]:
        return None
    rows = (s.positives + s.negatives).astype(np.float64)
    distance = np.abs(np.interp(s.scores, curve["score"], curve["observed"]) - s.scores)
    held = rows > 0
    rows, distance = rows[held], distance[held]
    order = np.argsort(distance, kind="stable")
    distance, reached = distance[order], np.cumsum(rows[order])
    total = float(reached[-1])

    def quantile(share: float) -> float:
        place = int(np.searchsorted(reached, share * total * (1 - 1e-12)))
        return float(distance[min(place, len(distance) - 1)])

    mean = exact_sum(distance * rows[order]) / total
    found = {"ici": mean, "e50": quantile(0.5), "e90": quantile(0.9), "emax": float(distance[-1])}
    return found | {"eci": exact_sum(distance**2 * rows[order]) / total}


def _spread(rows: Floats, count: int) -> npt.NDArray[np.int64]:
    """Entries evenly spread over the rows, the first and the last among them."""
    reached = np.cumsum(rows)
    places = np.searchsorted(reached, np.linspace(0, 1, count) * reached[-1])
    return np.unique(np.clip([0, *places.tolist(), len(rows) - 1], 0, len(rows) - 1))


def _local_fit(
    at: float, x: Floats, share: Floats, rows: Floats, span: float, degree: int
) -> tuple[float, float]:
    """Value at a point of the weighted polynomial through the nearest rows, and its error.

    Terms are orthogonal to those before; one that the rows do not settle is left out.
    """
    distance = np.abs(x - at)
    order = np.argsort(distance, kind="stable")
    reached = np.cumsum(rows[order])
    near = span * reached[-1]
    if np.all(rows == np.floor(rows)):
        near = max(1.0, math.floor(near + 1e-9))  # of single rows the window holds whole ones
    place = int(np.searchsorted(reached, near * (1 - 1e-12)))
    reach = float(distance[order[min(place, len(x) - 1)]])
    # a little beyond the farthest row, so that it weighs something
    scaled = distance / (reach * (1 + 1e-6)) if reach > 0 else np.where(distance > 0, 1.0, 0.0)
    weight = rows * np.clip(1 - scaled**3, 0, None) ** 3
    total = float(np.sum(weight))
    centre = float(np.sum(weight * x)) / total
    mean = float(np.sum(weight * share)) / total
    apart, own = x - centre, at - centre
    spread = float(np.sum(weight * apart**2))
    part, value, line = weight / total, mean, np.full(len(x), mean)
    terms = [(apart, own, spread, 1e-18)]
    if degree > 1 and spread > 1e-18:
        skew, level = float(np.sum(weight * apart**3)) / spread, spread / total
        square = apart * apart - skew * apart - level
        there = own * own - skew * own - level
        rest = float(np.sum(weight * square**2))
        terms.append((square, there, rest, 1e-12 * float(np.sum(weight * apart**4))))
    for term, there, size, least in terms:
        if size > least:
            slope = float(np.sum(weight * term * share)) / size
            part = part + weight * there * term / size
            value, line = value + slope * there, line + slope * term
    line = np.clip(line, 0.0, 1.0)
    variance = float(np.sum(part**2 * line * (1 - line) / np.where(rows > 0, rows, 1.0)))
    return min(1.0, max(0.0, value)), math.sqrt(variance)
