"""How likely a study of several readers is to reach a limit, before there are readers or cases.

The values of J readers on the same cases are normal with the covariances of Obuchowski and
Rockette (1995). Their mean and the mean square of what is between readers are then independent,
and the mean square is a chi-square of J - 1 degrees of freedom: the chance that a limit of
`statistics.readers` lies beyond a requirement is an integral over it. Covariances of cases fall
as one over their number (Hillis, Obuchowski and Berbaum 2011).
"""

from __future__ import annotations

import math

import numpy as np

from evalreport.statistics.interval import z_value
from evalreport.statistics.tail import normal_cdf
from evalreport.values import dataclass

#: Points of the integral over the mean square, at the middles of slices of equal chance.
POINTS = 1000
#: Above this many degrees of freedom t is normal to seven figures.
MOST_DF = 1e7


@dataclass(frozen=True)
class Spread:
    """What the mean over readers of one modality, or of a difference of two, varies by.

    ``between``: variance of the readers' own true values (of a difference: of the interaction of
    reader and modality). ``error``: variance of one reading over samples of cases (of a
    difference: less Cov1). ``shared``: covariance of two readers (Cov2; of a difference: Cov2
    less Cov3). ``sides``: 1, or 2 for a difference.
    """

    between: float
    error: float
    shared: float
    sides: int = 1
    random_readers: bool = True
    random_cases: bool = True

    @property
    def mean_square(self) -> float:
        """The expected mean square of readers, or of readers and modalities."""
        return max(self.between + self.error - self.shared, 0.0)

    def total(self, readers: int) -> float:
        """The mean square that the variance of the mean over readers rests on."""
        if not self.random_readers:
            return max(self.error + (readers - 1) * self.shared, 0.0)
        return max(self.mean_square + readers * self.shared * self.random_cases, 0.0)

    def standard_deviation(self, readers: int) -> float:
        """That of the mean over readers, or of the difference of two such means."""
        return math.sqrt(self.sides * self.total(readers) / readers)


def limit_power(distance: float, spread: Spread, readers: int, level: float) -> float:
    """The chance that the limit of the mean over readers is on the right side.

    ``distance`` is how far the true value lies beyond what is required. Where readers are a
    sample, two at least are needed: with fewer there is no limit, and the chance is 0.

    >>> spread = Spread(between=0.0004, error=0.0008, shared=0.0003)
    >>> round(limit_power(0.05, spread, readers=6, level=0.95), 3)
    0.633
    """
    deviation = spread.standard_deviation(readers)
    if deviation == 0.0:
        return float(distance >= 0.0)
    if not spread.random_readers:
        return normal_cdf(distance / deviation - z_value(level))
    if readers < 2:
        return 0.0
    from scipy import special

    df = readers - 1
    chance = (np.arange(POINTS) + 0.5) / POINTS
    square = spread.mean_square * 2.0 * special.gammaincinv(df / 2.0, chance) / df
    total = square + max(readers * spread.shared, 0.0) * spread.random_cases
    factor = special.stdtrit(np.minimum(df * (total / square) ** 2, MOST_DF), (1.0 + level) / 2.0)
    error = np.sqrt(spread.sides * total / readers)
    return float(np.mean(special.ndtr((distance - factor * error) / deviation)))


def point_power(distance: float, spread: Spread, readers: int) -> float:
    """The chance that the mean over readers itself meets what is required."""
    deviation = spread.standard_deviation(readers)
    return normal_cdf(distance / deviation) if deviation else float(distance >= 0.0)


def power_of_test(difference: float, spread: Spread, readers: int, alpha: float) -> float:
    """Power of the two-sided test of no difference (Hillis, Obuchowski and Berbaum 2011).

    F of 1 and Hillis' degrees of freedom, non-central by J d^2 / 2 over the expected mean square.

    >>> round(power_of_test(0.05, Spread(0.0002, 0.0005, 0.0001, sides=2), 6, 0.05), 3)
    0.662
    """
    deviation = spread.standard_deviation(readers)
    if deviation == 0.0:
        return float(difference != 0.0)
    shift = abs(difference) / deviation
    if not spread.random_readers:
        z = z_value(1.0 - alpha)
        return normal_cdf(shift - z) + normal_cdf(-shift - z)
    if readers < 2:
        return 0.0
    from scipy import special

    df = min(degrees_of_freedom(spread, readers), MOST_DF)
    edge = float(special.stdtrit(df, 1.0 - alpha / 2.0))
    within = special.nctdtr(df, shift, edge) - special.nctdtr(df, shift, -edge)
    return float(1.0 - within)


def degrees_of_freedom(spread: Spread, readers: int) -> float:
    """Hillis' degrees of freedom at the expected mean squares."""
    own = spread.mean_square
    return (readers - 1) * (spread.total(readers) / own) ** 2 if own else math.inf
