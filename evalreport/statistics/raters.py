"""Agreement of several raters on categories, corrected for chance, with limits.

Input is one table, subjects x categories: how many raters put each subject into each category.
Subjects may have different numbers of raters; those with fewer than two say nothing of
agreement but count where categories are counted. Standard errors are the linearised ones of
Gwet (2008; Handbook of Inter-Rater Reliability, 4th edition 2014): the subjects are the sample,
the raters are the ones there are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evalreport.statistics.interval import Interval, deviate, symmetric

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Agreement:
    """A coefficient of agreement: value, standard error, and the number of subjects behind it."""

    value: float
    standard_error: float
    subjects: int

    def interval(self, level: float) -> Interval:
        """Limits by Student's t with one degree of freedom fewer than subjects; 1 at the most."""
        half = deviate(level, self.subjects - 1.0) * self.standard_error
        return symmetric(self.value, half, -1.0, 1.0)


@dataclass(frozen=True)
class _Counts:
    """The table with what every coefficient is made of."""

    table: Array  # subjects x categories
    raters: Array  # of each subject
    pairs: Array  # share of agreeing pairs of raters of each subject; 0 below two raters
    rated: npt.NDArray[np.bool_]  # subjects with at least two raters


def _counted(table: npt.ArrayLike) -> _Counts | None:
    """The parts of a table; None unless two subjects have two raters and two categories occur."""
    counts = np.asarray(table, np.float64)
    counts = counts[counts.sum(axis=1) > 0]
    raters = counts.sum(axis=1)
    rated = raters >= 2
    if int(rated.sum()) < 2 or int((counts.sum(axis=0) > 0).sum()) < 2:
        return None
    possible = np.where(rated, raters * (raters - 1.0), 1.0)
    pairs = np.where(rated, (counts * (counts - 1.0)).sum(axis=1) / possible, 0.0)
    return _Counts(counts, raters, pairs, rated)


def percent_agreement(table: npt.ArrayLike) -> Agreement | None:
    """Share of agreeing pairs of raters, averaged over subjects."""
    found = _counted(table)
    if found is None:
        return None
    own = found.pairs[found.rated]
    n = len(own)
    error = math.sqrt(float(own.var(ddof=1)) / n)
    return Agreement(float(own.mean()), error, n)


def gwet_ac1(table: npt.ArrayLike) -> Agreement | None:
    """First-order agreement coefficient (Gwet 2008): chance agreement only of hard subjects.

    Chance agreement is sum(pi (1 - pi)) / (q - 1) over the q categories, pi the mean share of
    each. It does not fall when one category is rare, as kappa does.

    >>> round(gwet_ac1([[3, 0], [0, 3], [3, 0], [2, 1]]).value, 4)
    0.7
    """
    found = _counted(table)
    if found is None:
        return None
    shares = found.table / found.raters[:, None]
    pi = shares.mean(axis=0)
    q = len(pi)
    chance = float((pi * (1.0 - pi)).sum()) / (q - 1.0)
    return _corrected(found, chance, (shares * (1.0 - pi)).sum(axis=1) / (q - 1.0))


def fleiss_kappa(table: npt.ArrayLike) -> Agreement | None:
    """Kappa of several raters (Fleiss 1971): chance agreement from the shares of all raters."""
    found = _counted(table)
    if found is None:
        return None
    shares = found.table / found.raters[:, None]
    pi = shares.mean(axis=0)
    return _corrected(found, float((pi**2).sum()), (shares * pi).sum(axis=1))


def _corrected(found: _Counts, chance: float, own_chance: Array) -> Agreement:
    """(observed - chance) / (1 - chance), and its error from each subject's share in it."""
    n, rated = len(found.table), int(found.rated.sum())
    observed = float(found.pairs[found.rated].mean())
    value = (observed - chance) / (1.0 - chance)
    # a subject of a single rater takes part in the categories alone
    own = np.where(found.rated, n / rated * (found.pairs - chance) / (1.0 - chance), 0.0)
    influence = own - 2.0 * (1.0 - value) * (own_chance - chance) / (1.0 - chance)
    variance = float(((influence - value) ** 2).sum()) / (n * (n - 1.0))
    return Agreement(value, math.sqrt(variance), n)


def krippendorff_alpha(table: npt.ArrayLike) -> Agreement | None:
    """Alpha for nominal categories (Krippendorff 1970), subjects with two raters or more.

    1 - observed / expected disagreement, each value weighted alike and counted without
    replacement.
    """
    found = _counted(table)
    if found is None:
        return None
    counts, raters = found.table[found.rated], found.raters[found.rated]
    n, mean = len(counts), float(raters.mean())
    alike = (counts * (counts - 1.0)).sum(axis=1) / (mean * (raters - 1.0))
    once = float(alike.mean())
    pi = counts.sum(axis=0) / (n * mean)
    chance = float((pi**2).sum())
    if chance == 1.0:
        return None
    small = 1.0 / (n * mean)
    value = ((1.0 - small) * once + small - chance) / (1.0 - chance)
    large = (once - chance) / (1.0 - chance)
    uneven = (raters - mean) / mean
    own = (alike - once * uneven - chance) / (1.0 - chance)
    own_chance = (counts @ pi) / mean - chance * uneven
    influence = own - 2.0 * (1.0 - large) * (own_chance - chance) / (1.0 - chance)
    variance = float(((influence - large) ** 2).sum()) / (n * (n - 1.0))
    return Agreement(value, math.sqrt(variance), n)
