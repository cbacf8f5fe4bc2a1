"""Variance and replicates of totals of a sample that was drawn by a design.

A value is a function of estimated totals; to first order it is the sum over rows of what
each contributes, and its variance is that of this sum under the way in which the rows were
drawn: in strata, in clusters, with or without replacement, from a population whose size is
known or was itself counted in a sample (Taylor series, Binder 1983; Wolter K. Introduction
to Variance Estimation, 2007, chapter 6). R's package ``survey`` computes the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evalreport.statistics.exact_sums import exact_sum

Codes = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

#: Below this share of what it is taken from, a difference is nothing but rounding.
ROUNDING = 1e-12
#: Replicate weights held at once.
_BATCH = 2_000_000


@dataclass(frozen=True)
class DesignVariance:
    """The variance of a sum of contributions, and how well it is known itself.

    ``units_df``: units drawn less strata, the degrees of freedom of the design. ``df``: of this
    variance, which rests on few rows where few contribute much; never more than ``units_df``.
    Infinite where nothing is known of them.
    """

    variance: float
    units_df: float = math.inf
    df: float = math.inf

    @property
    def as_known(self) -> DesignVariance:
        """The variance alone, as limits by the normal deviate take it."""
        return DesignVariance(self.variance)


@dataclass(frozen=True, eq=False)
class Sample:
    """How n rows were drawn.

    ``stratum``: code of each row, shape (n,), into ``names``. ``unit``: code of the
    cluster that was drawn, or of the row itself, shape (n,). ``population``: how many units
    each stratum holds, infinite where they were drawn with replacement, shape (H,).
    ``counted``: whether these are rows of a first sample, whose strata vary by chance too.
    ``kind``: ``stratified``, ``complex``, ``verified`` or ``proxy``. ``clustered``: whether
    units hold several rows. ``collapsed``: groups of strata that were put together because
    one of them has a single unit, in words. ``own``: which entries are labelled rows that stand
    in a table as themselves, shape (n,); None for all of them.
    """

    stratum: Codes
    names: tuple[str, ...]
    unit: Codes
    population: Floats
    kind: str
    counted: bool = False
    clustered: bool = False
    collapsed: tuple[str, ...] = ()
    own: npt.NDArray[np.bool_] | None = None

    def taken(self, index: Any) -> Sample:
        """The rows at ``index`` as a sample drawn alike."""
        own = None if self.own is None else self.own[index]
        return replace(self, stratum=self.stratum[index], unit=self.unit[index], own=own)

    @cached_property
    def units(self) -> tuple[Codes, Codes]:
        """The number of the unit of each row, and the stratum of each unit."""
        held, number = np.unique(np.stack([self.stratum, self.unit]), axis=1, return_inverse=True)
        return number.reshape(-1).astype(np.int64), held[0].astype(np.int64)

    @cached_property
    def drawn(self) -> Codes:
        """Units drawn of each stratum, shape (H,)."""
        return np.bincount(self.units[1], minlength=len(self.names)).astype(np.int64)

    @cached_property
    def fraction(self) -> Floats:
        """The share of its units that was drawn of each stratum, shape (H,)."""
        return np.minimum(self.drawn / self.population, 1.0)

    @property
    def units_df(self) -> float:
        """Units drawn less strata, and at least 1."""
        return max(float(np.sum(self.drawn)) - float(np.count_nonzero(self.drawn)), 1.0)

    def estimated(self, contributions: Floats) -> DesignVariance:
        """Variance of the sum of what rows contribute, shape (n,); NaN with one unit in all.

        Per stratum (1 - f) m / (m - 1) times the squared distances of the unit totals from
        their mean, m units of which a share f was drawn (Cochran W. Sampling Techniques,
        1977, 5.3 and 9A). Where the strata were counted in a first sample of N rows, plus
        what chance does to their sizes: N / (N - 1) times the squared mean contributions.

        A variance with v degrees of freedom has itself the variance 2 / v times its square.
        That of a sum of m squared distances d is estimated as the sum of d^4 less the squared
        sum of d^2 over m, stratum by stratum, from which v follows (Satterthwaite F. Biometrics
        Bulletin 2, 1946; Kauermann G., Carroll R. JASA 96, 2001, on why few rows that
        contribute much make Wald limits too narrow). With normal contributions v is about m.
        """
        totals = self._unit_totals(contributions)
        strata = self.units[1]
        order = np.lexsort((totals, strata))
        totals, strata = totals[order], strata[order]
        sums = np.bincount(strata, totals, len(self.names)).astype(np.float64)
        m = self.drawn
        mean = np.divide(sums, m, out=np.zeros(len(m)), where=m > 0)
        distance = totals - mean[strata]
        squared = np.bincount(strata, distance**2, len(self.names))
        alone = (m == 1) & (self.fraction < 1.0)
        if alone.any():
            return DesignVariance(math.nan)
        factor = np.divide(m, m - 1.0, out=np.zeros(len(m)), where=m > 1)
        within = float(np.sum((1.0 - self._finite) * factor * squared))
        found = within + (self._between(sums) if self.counted else 0.0)
        of_units = self.units_df
        fourth = np.bincount(strata, distance**4, len(self.names))
        spread = float(np.sum(fourth - np.divide(squared**2, m, out=np.zeros(len(m)), where=m > 0)))
        whole = float(np.sum(squared)) ** 2
        own = 2.0 * whole / spread if spread > ROUNDING * whole else math.inf
        return DesignVariance(found, of_units, min(of_units, own))

    @property
    def _finite(self) -> Floats:
        """Finite population correction; none where the population was itself a sample."""
        return np.zeros(len(self.names)) if self.counted else self.fraction

    def _between(self, sums: Floats) -> float:
        """Variance of the sizes of strata in a first sample of independent rows."""
        n = float(np.sum(self.population))
        if n < 2:
            return math.nan
        mean = np.divide(sums, self.population, out=np.zeros(len(sums)), where=self.population > 0)
        centre = float(np.sum(sums)) / n
        return n / (n - 1.0) * float(np.sum(self.population * (mean - centre) ** 2))

    def _unit_totals(self, contributions: Floats) -> Floats:
        number, strata = self.units
        order = np.lexsort((contributions, number))
        return np.bincount(number[order], contributions[order], len(strata)).astype(np.float64)

    def replicates(self, count: int, rng: np.random.Generator, order: Codes) -> Iterator[Floats]:
        """Factors by which rows weigh more or less in each replicate, shape (b, n), in batches.

        m - 1 of the m units of a stratum are drawn with replacement; a unit drawn t times
        weighs 1 - c + c t m / (m - 1), c the root of 1 less the share that was drawn (Rao J.,
        Wu C. JASA 83, 1988; Rao, Wu, Yue. Survey Methodology 18, 1992). ``order``: places
        of the rows in an order of their own, by which units are numbered for the draws.
        """
        number, strata = self.units
        of_strata = self._of_strata(order)
        step = max(1, _BATCH // max(1, len(number)))
        for start in range(0, count, step):
            size = min(step, count - start)
            factors = np.ones((size, len(strata)))
            for units, scale in of_strata:
                m = len(units)
                if m > 1:
                    times = rng.multinomial(m - 1, np.full(m, 1.0 / m), size=size)
                    factors[:, units] = 1.0 - scale + scale * times * (m / (m - 1.0))
            yield factors[:, number]

    def without_groups(self, groups: int, rng: np.random.Generator, order: Codes) -> Floats:
        """Factors by which rows weigh more or less without each group of units, shape (G, n).

        Units are dealt to the groups stratum by stratum. In a stratum of more units than groups
        those that are left weigh in for the others; in any other one a unit left out weighs
        1 - (m - 1) z, the others 1 + z, z^2 = G / ((G - 1) m (m - 1)) (Kott P. Journal of
        Official Statistics 17, 2001), so that of a total (G - 1) / G times the squared
        distances of the G values is the variance above. ``order``: as for :meth:`replicates`.
        """
        number, strata = self.units
        groups = min(groups, len(strata))
        factors, dealt = np.ones((groups, len(strata))), 0
        for units, scale in self._of_strata(order):
            m = len(units)
            if m < 2:
                continue
            of = (dealt + rng.permutation(m)) % groups
            dealt += m
            left = of != np.arange(groups)[:, None]
            if m > groups:
                own = left * (m / left.sum(axis=1, keepdims=True))
            else:
                z = math.sqrt(groups / ((groups - 1.0) * m * (m - 1.0)))
                own = np.where(left, 1.0 + z, 1.0 - (m - 1.0) * z)
                own[left.all(axis=1)] = 1.0
            factors[:, units] = 1.0 + scale * (own - 1.0)
        return np.asarray(factors[:, number], np.float64)

    def _of_strata(self, order: Codes) -> list[tuple[Codes, float]]:
        """The units of each stratum in their order, and the root of 1 less its fraction."""
        number, strata = self.units
        _, first = np.unique(number[order], return_index=True)
        ranked = number[order][np.sort(first)]
        return [
            (ranked[strata[ranked] == h], math.sqrt(1.0 - float(self._finite[h])))
            for h in range(len(self.names))
        ]


class Spread(NamedTuple):
    """How many rows there are, their mean, and the sum of squared distances from it.

    ``df``: degrees of freedom of that sum.
    """

    n: int
    mean: float
    squared: float
    df: float

    @property
    def of_sum(self) -> float:
        """The variance of the sum of rows that are drawn with replacement; NaN with one of them."""
        return self.n / (self.n - 1.0) * self.squared if self.n > 1 else math.nan


def spread_of(values: Floats, times: npt.NDArray[Any] | None, *, own_df: bool) -> Spread:
    """The same of kinds of rows, both of shape (k,); one row of each where ``times`` is None.

    ``own_df``: fewer degrees of freedom than n - 1 where few rows lie far off.
    Sums are rounded once, so they depend neither on the order of rows nor on how they were counted.
    """
    n = len(values) if times is None else int(np.sum(times))
    mean = exact_sum(values, times) / n
    # of values that are all the same the mean may be rounded, and they do not vary for that
    powers = np.zeros(len(values)) if bool(np.all(values == values[0])) else values - mean
    powers *= powers
    squared = exact_sum(powers, times)
    if not own_df:
        return Spread(n, mean, squared, n - 1.0)
    powers *= powers
    return Spread(n, mean, squared, variance_df(n, squared, exact_sum(powers, times)))


def variance_df(m: float, squared: float, fourth: float) -> float:
    """The same from m and the sums of the second and fourth powers of the distances.

    >>> variance_df(10, 10.0, 50.0), variance_df(10, 10.0, 10.0)
    (5.0, 9.0)
    """
    spread = fourth - squared**2 / m
    own = 2.0 * squared**2 / spread if spread > ROUNDING * squared**2 else math.inf
    return min(max(m - 1.0, 1.0), own)


def collapsed(sample: Sample) -> Sample:
    """The sample with strata of a single unit put together, so that each has a variance.

    Strata of which all was drawn need none. Several single ones are joined with each other;
    one alone joins the stratum whose sampling fraction is nearest (Rust K., Kalton G.
    Journal of Official Statistics 3, 1987). What tells joined strata apart counts as chance,
    so the variance is too large rather than too small.

    >>> one = Sample(np.array([0, 0, 1]), ("a", "b"), np.arange(3), np.array([9.0, 4.0]), "x")
    >>> collapsed(one).names, collapsed(one).collapsed
    (('a + b',), ('b with a',))
    """
    alone = [h for h in range(len(sample.names)) if sample.drawn[h] == 1 and sample.fraction[h] < 1]
    others = [h for h in range(len(sample.names)) if sample.drawn[h] > 1]
    if not alone or (len(alone) == 1 and not others):
        return sample
    joined = list(alone)
    if len(alone) == 1:
        fraction = sample.fraction
        joined.append(min(others, key=lambda h: (abs(fraction[h] - fraction[alone[0]]), h)))
    joined.sort()
    keeper = joined[0]
    place = np.arange(len(sample.names))
    place[joined] = keeper
    kept = sorted(set(place.tolist()))
    renumber = np.zeros(len(sample.names), np.int64)
    renumber[kept] = np.arange(len(kept))
    code = renumber[place]
    names = [sample.names[h] for h in kept]
    names[kept.index(keeper)] = " + ".join(sample.names[h] for h in joined)
    rest = [sample.names[h] for h in joined if h not in alone[:1]]
    words = f"{sample.names[alone[0]]} with {', '.join(rest)}"
    number, _ = sample.units
    return replace(
        sample,
        stratum=code[sample.stratum],
        names=tuple(names),
        unit=number,
        population=np.bincount(code, sample.population, len(kept)).astype(np.float64),
        collapsed=(*sample.collapsed, words),
    )
