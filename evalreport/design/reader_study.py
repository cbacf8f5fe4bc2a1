"""Studies of several readers: the chance that a mean over readers passes, readers and cases.

What a run judges over readers is planned by the same rule: the limit of the mean over readers,
or of the difference of two models, by Obuchowski and Rockette with the degrees of freedom of
Hillis. The cases shrink variances and covariances of readings as one over their number; what
readers themselves differ by is left, however many cases there are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from evalreport.design.decisions import Decision
from evalreport.spec.design import ReaderAssumption, ReaderMeasure
from evalreport.statistics import reader_power
from evalreport.statistics.power import binormal_variance
from evalreport.statistics.reader_power import Spread
from evalreport.values import dataclass

#: What is judged by this method, as results name it.
METHOD = "obuchowski_rockette_hillis"
#: Numbers of readers for which the cases are told.
READERS = (3, 4, 5, 6, 8, 10, 12, 15, 20)
MOST_READERS = 1000
MOST_CASES = 1_000_000
#: Sizes of the curve, as shares of the cases that are planned or needed.
STEPS = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0)

Chance = Callable[[int, int], float]


@dataclass(frozen=True)
class ReaderPower:
    """The power with so many readers of so many cases."""

    readers: int
    cases: int
    power: float


@dataclass(frozen=True)
class ReaderSizes:
    """Power of the planned readers and cases, and what the wanted power takes.

    ``cases_needed`` with the planned readers, ``readers_needed`` with the planned cases; ``pairs``
    of readers and cases that reach it (cases None: with no number of cases). ``error``,
    ``shared`` and ``between`` are the components at ``cases`` that the power rests on.
    """

    cases: int
    between: float
    error: float
    shared: float
    planned: ReaderPower | None
    cases_needed: int | None
    readers_needed: int | None
    pairs: tuple[tuple[int, int | None], ...]
    curve: tuple[ReaderPower, ...]


@dataclass(frozen=True)
class ReaderTest:
    """The two-sided test of no difference of two models over readers, and its sizes."""

    name: str
    alpha: float
    sizes: ReaderSizes


@dataclass(frozen=True)
class Reading:
    """One measure over readers as it is assumed to be.

    ``expected`` and ``required``: the true value and the requirement, or the true difference and
    the margin. ``positives``: the share of cases that are positive; ``counted``: of a share, the
    part of the cases below its line; None of the area under the ROC curve.
    """

    measure: ReaderMeasure
    value: float
    expected: float
    difference: bool
    positives: float
    counted: float | None
    shrink: float
    random: frozenset[str]

    def lacking(self) -> str | None:
        """What is not assumed and would have to be, or None."""
        own = self.measure
        needs = "between", "differences"
        name = needs[self.difference]
        if "readers" in self.random and getattr(own, name) is None:
            return f"design.readers has no {name} of it: how much readers differ"
        alike = own.correlations or own.covariances
        assert alike is not None
        if own.correlations is not None and self.value in (0.0, 1.0):
            return "at an expected value of 0 or 1 readings do not vary, and no size follows"
        if self.difference and (alike.same_reader is None or alike.neither is None):
            return "design.readers has no same_reader and neither of it: a difference needs them"
        return None

    def spread(self, cases: int) -> Spread:
        """What its mean over readers varies by with so many cases."""
        variance, shared, reader, neither = self._components(cases)
        own = self.measure.differences if self.difference else self.measure.between
        between = (own or 0.0) ** 2
        fixed = {
            "random_readers": "readers" in self.random,
            "random_cases": "cases" in self.random,
        }
        if self.difference:
            # the variance of a difference is twice that of the interaction
            return Spread(between / 2.0, variance - reader, shared - neither, sides=2, **fixed)
        return Spread(between, variance, shared, **fixed)

    def _components(self, cases: int) -> tuple[float, float, float, float]:
        """Variance of a reading, Cov2, Cov1 and Cov3 with so many cases."""
        told = self.measure.covariances
        if told is not None:
            scale = told.cases / (cases * self.shrink)
            found = (told.variance, told.same_modality, told.same_reader, told.neither)
            one, two, reader, neither = (scale * (part or 0.0) for part in found)
            return one, two, reader, neither
        alike = self.measure.correlations
        assert alike is not None
        variance = self._variance(cases * self.shrink)
        correlations = (1.0, alike.same_modality, alike.same_reader, alike.neither)
        one, two, reader, neither = (variance * (part or 0.0) for part in correlations)
        return one, two, reader, neither

    def _variance(self, cases: float) -> float:
        if self.counted is not None:
            return self.value * (1.0 - self.value) / max(cases * self.counted, 1.0)
        positives = cases * self.positives
        return binormal_variance(self.value, max(positives, 1.0), max(cases - positives, 1.0))


def reading_sizes(
    decision: Decision, reading: Reading, asked: ReaderAssumption, wanted: float
) -> ReaderSizes:
    """Power and sizes of a criterion that is judged over readers."""
    way = 1.0 if decision.at_least else -1.0
    distance = way * (reading.expected - decision.required)
    point = decision.criterion.bound == "point"

    def chance(readers: int, cases: int) -> float:
        spread = reading.spread(cases)
        if point:
            return reader_power.point_power(distance, spread, readers)
        # the far limit is on the right side more often than not: it is the near one, mirrored
        favours = (decision.criterion.bound == "lower") == decision.at_least
        if not favours:
            return 1.0 - reader_power.limit_power(-distance, spread, readers, decision.level)
        return reader_power.limit_power(distance, spread, readers, decision.level)

    return _sizes(chance, reading, asked, wanted)


def reading_test(
    reading: Reading, asked: ReaderAssumption, wanted: float, alpha: float
) -> ReaderTest:
    """Power and sizes of the test that a difference of two models over readers has."""

    def chance(readers: int, cases: int) -> float:
        return reader_power.power_of_test(reading.expected, reading.spread(cases), readers, alpha)

    return ReaderTest(METHOD, alpha, _sizes(chance, reading, asked, wanted))


def _sizes(chance: Chance, reading: Reading, asked: ReaderAssumption, wanted: float) -> ReaderSizes:
    number, cases = asked.number, asked.cases
    planned = None
    if number is not None and cases is not None:
        planned = ReaderPower(number, cases, chance(number, cases))
    needed = None if number is None else _least(partial(chance, number), wanted, MOST_CASES)
    enough = None
    if cases is not None:
        enough = _least(lambda j: chance(j, cases), wanted, MOST_READERS)
    several = sorted({*READERS, *([] if number is None else [number])})
    pairs = tuple((j, _least(partial(chance, j), wanted, MOST_CASES)) for j in several)
    told = [c for _, c in pairs if c is not None]
    base = cases or needed or (told[len(told) // 2] if told else 100)
    readers = number or next((j for j, c in pairs if c is not None), READERS[-1])
    sizes = sorted({max(int(base * step), 2) for step in STEPS})
    spread = reading.spread(base)
    return ReaderSizes(
        cases=base,
        between=spread.between,
        error=spread.error,
        shared=spread.shared,
        planned=planned,
        cases_needed=needed,
        readers_needed=enough,
        pairs=pairs,
        curve=tuple(ReaderPower(readers, c, chance(readers, c)) for c in sizes),
    )


def _least(power: Callable[[int], float], wanted: float, most: int) -> int | None:
    """The least number with the wanted power, which rises with it; None beyond ``most``."""
    low, high = 1, 2
    while power(high) < wanted:
        low, high = high, 2 * high
        if low >= most:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power(middle) >= wanted else (middle, high)
    return high


def joint_bound(sizes: list[ReaderSizes]) -> float | None:
    """The chance that all pass is at least this (Bonferroni), as planned; None if nothing is."""
    powers = [one.planned.power for one in sizes if one.planned is not None]
    if not powers or len(powers) < len(sizes):
        return None
    return max(1.0 - math.fsum(1.0 - power for power in powers), 0.0)
