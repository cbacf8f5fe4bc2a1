"""Two proportions of the same rows: intervals of their difference, and tests.

The rows are counted in four cells: ``n11`` both right, ``n10`` only the first right,
``n01`` only the second, ``n00`` neither. The difference is first minus second,
(n10 - n01) / n. An interval is None when there are no rows; limits lie within [-1, 1].
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from evalreport.statistics.interval import Interval, clipped, square_and_add, symmetric, z_value
from evalreport.statistics.proportions import wilson
from evalreport.statistics.root import bisect
from evalreport.statistics.tail import ChiSquare, binomial_less, never_zero, normal_two_sided

PairedMethod = Callable[[float, float, float, float, float], Interval | None]


def newcombe(n11: float, n10: float, n01: float, n00: float, level: float) -> Interval | None:
    """Square-and-add of Wilson limits, phi corrected (Newcombe 1998, method 10).

    >>> low, high = newcombe(14, 5, 0, 22, 0.95)   # Altman 2000, table 6.2
    >>> round(low, 3), round(high, 3)
    (0.011, 0.226)
    """
    return _square_and_add(n11, n10, n01, n00, level, corrected=True)


def newcombe_uncorrected(
    n11: float, n10: float, n01: float, n00: float, level: float
) -> Interval | None:
    """Square-and-add of Wilson limits with the plain phi (Newcombe 1998, method 8)."""
    return _square_and_add(n11, n10, n01, n00, level, corrected=False)


def _square_and_add(
    n11: float, n10: float, n01: float, n00: float, level: float, *, corrected: bool
) -> Interval | None:
    n = math.fsum((n11, n10, n01, n00))
    first, second = wilson(n11 + n10, n, level), wilson(n11 + n01, n, level)
    if first is None or second is None:
        return None
    p1, p2 = (n11 + n10) / n, (n11 + n01) / n
    phi = correlation(n11, n10, n01, n00, corrected=corrected)
    return clipped(*square_and_add(p1, first, p2, second, phi), -1.0, 1.0)


def correlation(n11: float, n10: float, n01: float, n00: float, *, corrected: bool = True) -> float:
    """Correlation phi of two proportions of the same rows; 0 when a margin is empty.

    ``corrected``: for continuity, as Newcombe's method 10 has it (1998).
    """
    margins = (n11 + n10, n01 + n00, n11 + n01, n10 + n00)
    if min(margins) <= 0:
        return 0.0
    numerator = n11 * n00 - n10 * n01
    if corrected and numerator > 0:
        numerator = max(numerator - (n11 + n10 + n01 + n00) / 2.0, 0.0)
    scale = math.sqrt(margins[0] * margins[1]) * math.sqrt(margins[2] * margins[3])
    return numerator / scale


def wald(n11: float, n10: float, n01: float, n00: float, level: float) -> Interval | None:
    """Normal interval with the multinomial variance of the difference."""
    n = math.fsum((n11, n10, n01, n00))
    if n <= 0:
        return None
    variance = max(n10 + n01 - (n10 - n01) ** 2 / n, 0.0)
    half = z_value(level) * math.sqrt(variance) / n
    return symmetric((n10 - n01) / n, half, -1.0, 1.0)


def agresti_min(n11: float, n10: float, n01: float, n00: float, level: float) -> Interval | None:
    """Normal interval after adding 1/2 to each cell (Agresti, Min 2005).

    It is centred on the adjusted, not on the observed difference.
    """
    if n11 + n10 + n01 + n00 <= 0:
        return None
    return wald(n11 + 0.5, n10 + 0.5, n01 + 0.5, n00 + 0.5, level)


def tango(n11: float, n10: float, n01: float, n00: float, level: float) -> Interval | None:
    """Score interval of the difference (Tango 1998)."""
    n = math.fsum((n11, n10, n01, n00))
    if n <= 0:
        return None
    z = z_value(level)
    difference = (n10 - n01) / n

    def score(delta: float) -> float:
        return tango_score(n, n10, n01, delta)

    low = -1.0 if difference <= -1.0 else bisect(lambda d: score(d) - z, -1.0, difference)
    high = 1.0 if difference >= 1.0 else bisect(lambda d: score(d) + z, difference, 1.0)
    return Interval(low, high)


def tango_score(n: float, n10: float, n01: float, delta: float) -> float:
    """Score statistic of the null hypothesis that the difference is ``delta`` (Tango 1998)."""
    b = -n10 - n01 + (2.0 * n - n10 + n01) * delta
    c = -n01 * delta * (1.0 - delta)
    root = math.sqrt(max(b * b - 8.0 * n * c, 0.0))
    # the larger root of 2 n q^2 + b q + c, in the form without cancellation
    q01 = (root - b) / (4.0 * n) if b <= 0 else -2.0 * c / (root + b)
    variance = n * (2.0 * q01 + delta * (1.0 - delta))
    distance = n10 - n01 - n * delta
    if variance <= 0.0:
        return math.copysign(math.inf, distance) if distance else 0.0
    return distance / math.sqrt(variance)


class RelativeShare(NamedTuple):
    """Ratio first over second of two shares of the same rows, its log interval and test."""

    ratio: float
    interval: Interval
    log_standard_error: float

    @classmethod
    def of(cls, ratio: float, error: float, level: float) -> RelativeShare:
        """The ratio with limits by the standard error of its logarithm."""
        factor = math.exp(z_value(level) * error)
        return cls(ratio, Interval(ratio / factor, ratio * factor), error)

    @property
    def p_value(self) -> float | None:
        """Of a ratio of 1; None without a standard error."""
        error = self.log_standard_error
        return normal_two_sided(math.log(self.ratio) / error) if error > 0.0 else None


def relative_share(
    n11: float, n10: float, n01: float, n00: float, level: float
) -> RelativeShare | None:
    """Share of the first over that of the second (Alonzo, Pepe, Moskowitz 2002).

    The variance of the logarithm is (n10 + n01) / ((n11 + n10) (n11 + n01)); the rows that
    neither counts, ``n00``, do not matter. None where a share is 0.
    """
    first, second = n11 + n10, n11 + n01
    if min(first, second) <= 0 or n00 < 0:
        return None
    return RelativeShare.of(first / second, math.sqrt((n10 + n01) / (first * second)), level)


class PairChances(NamedTuple):
    """How likely a row is right by both, by the first or the second alone, or by neither."""

    both: float
    only_first: float
    only_second: float
    neither: float


def pair_chances(
    first: float,
    second: float,
    *,
    discordance: float | None = None,
    correlation: float | None = None,
) -> PairChances:
    """The four chances, from two shares and how often they differ, or their correlation phi.

    Discordance D = p10 + p01, so that p10 = (D + first - second) / 2; with phi instead,
    p11 = first second + phi sqrt(first (1 - first) second (1 - second)), as in Connor 1987.
    Raises ValueError, with the range that the two shares leave, where no table has them.

    >>> pair_chances(0.5, 0.25, discordance=0.5)
    PairChances(both=0.125, only_first=0.375, only_second=0.125, neither=0.375)
    """
    spread = math.sqrt(first * (1.0 - first) * second * (1.0 - second))
    if discordance is None:
        discordance = first + second - 2.0 * (first * second + (correlation or 0.0) * spread)
    least, most = abs(first - second), min(first + second, 2.0 - first - second)
    if not least - 1e-12 <= discordance <= most + 1e-12:
        if correlation is None:
            raise ValueError(f"a discordance from {least:g} to {most:g}")
        # phi falls as the discordance rises
        low, high = (
            ((first + second - d) / 2.0 - first * second) / spread if spread else 0.0
            for d in (most, least)
        )
        raise ValueError(f"a correlation from {low:.4g} to {high:.4g}")
    discordance = min(max(discordance, least), most)
    only_first = (discordance + first - second) / 2.0
    only_second = (discordance - first + second) / 2.0
    cells = (first - only_first, only_first, only_second, 1.0 - first - only_second)
    return PairChances(*(max(cell, 0.0) for cell in cells))


def mcnemar_exact(n10: float, n01: float) -> float:
    """Two-sided exact p-value: binomial(n10 + n01, 1/2), doubled; 1 without discordant pairs.

    >>> mcnemar_exact(5, 0), mcnemar_exact(9_000, 1_000)
    (0.0625, 5e-324)
    """
    if n10 + n01 == 0:
        return 1.0
    return min(1.0, never_zero(2.0 * binomial_less(min(n10, n01), n10 + n01, 0.5)))


def mcnemar_midp(n10: float, n01: float) -> float:
    """Exact p-value less the probability of the observed split (Fagerland 2013).

    1 without discordant pairs and when they split evenly.
    """
    n, least = n10 + n01, min(n10, n01)
    if n10 == n01:
        return 1.0
    # P(X <= k) + P(X <= k - 1) is 2 P(X <= k) - P(X = k) without a cancelling difference
    found = binomial_less(least, n, 0.5) + binomial_less(least - 1.0, n, 0.5)
    return min(1.0, never_zero(found))


def mcnemar(n10: float, n01: float) -> ChiSquare | None:
    """McNemar's chi-square (n10 - n01)^2 / (n10 + n01); None without discordant pairs."""
    return _mcnemar(abs(n10 - n01), n10 + n01)


def mcnemar_corrected(n10: float, n01: float) -> ChiSquare | None:
    """McNemar's chi-square with Edwards' continuity correction, which is never below 0."""
    return _mcnemar(max(abs(n10 - n01) - 1.0, 0.0), n10 + n01)


def _mcnemar(distance: float, discordant: float) -> ChiSquare | None:
    if discordant <= 0:
        return None
    return ChiSquare.of(distance * distance / discordant, 1)


PAIRED_METHODS: dict[str, PairedMethod] = {
    "newcombe": newcombe,
    "newcombe_uncorrected": newcombe_uncorrected,
    "wald": wald,
    "agresti_min": agresti_min,
    "tango": tango,
}
