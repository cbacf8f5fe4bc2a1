"""One-sided tests of a difference against a margin: superiority, non-inferiority, equivalence.

A test is given as a function of the difference that the null hypothesis holds: its statistic
there and both tail areas. Which nulls and tails a hypothesis needs follows from its kind, the
margin and whether more or less of a metric is better. Equivalence is two one-sided tests (TOST,
Schuirmann D. Journal of Pharmacokinetics and Biopharmaceutics 15, 1987): the larger p decides.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

from evalreport.statistics import paired, unpaired
from evalreport.statistics.tail import (
    binomial_greater,
    binomial_less,
    never_zero,
    normal_sf,
    t_sf,
)

GREATER, LESS = "greater", "less"
SUPERIORITY, NON_INFERIORITY, EQUIVALENCE = "superiority", "non_inferiority", "equivalence"
#: Those that are about nothing without a margin.
WITH_MARGIN = (NON_INFERIORITY, EQUIVALENCE)
#: Those that need to know which of two values is the better one.
WITH_DIRECTION = (SUPERIORITY, NON_INFERIORITY)


class Tails(NamedTuple):
    """A test at one null: P(a difference as large), P(one as small) and its statistic."""

    greater: float
    less: float
    statistic: float | None = None
    df: float | None = None


#: The tails of a test where the null hypothesis holds this difference; None: no such test.
AtNull = Callable[[float], Tails | None]
#: The same from four counts and the null.
SharesAtNull = Callable[[float, float, float, float, float], Tails | None]


class Decided(NamedTuple):
    """The one-sided test that decides: the null with the larger p value."""

    null: float
    statistic: float | None
    df: float | None
    p_value: float


def one_sided(kind: str, margin: float, *, gain: int) -> tuple[tuple[float, str], ...]:
    """The null differences and tails of a hypothesis; ``gain``: 1 where more is better, else -1.

    >>> one_sided("non_inferiority", 0.05, gain=1)
    ((-0.05, 'greater'),)
    >>> one_sided("equivalence", 0.1, gain=-1)
    ((-0.1, 'greater'), (0.1, 'less'))
    """
    if kind == EQUIVALENCE:
        return (-margin, GREATER), (margin, LESS)
    up = kind == GREATER or (kind != LESS and gain > 0)
    away = -1.0 if kind == NON_INFERIORITY else 1.0
    null = margin * away * (1.0 if up else -1.0)
    return ((null or 0.0, GREATER if up else LESS),)


def decide(kind: str, margin: float, at: AtNull, *, gain: int = 1) -> Decided | None:
    """The one-sided test of a hypothesis, of two the one with the larger p; None without one.

    >>> found = decide("non_inferiority", 0.1, from_error(-0.02, 0.04))
    >>> round(found.statistic, 3), round(found.p_value, 4)
    (2.0, 0.0228)
    """
    sides = []
    for null, tail in one_sided(kind, margin, gain=gain):
        found = at(null)
        if found is None:
            return None
        p_value = found.greater if tail == GREATER else found.less
        sides.append(Decided(null, found.statistic, found.df, p_value))
    return max(sides, key=lambda side: side.p_value)


def of_normal(z: float) -> Tails:
    """Tails of a standard normal statistic, which may be infinite."""
    greater, less = never_zero(normal_sf(z)), never_zero(normal_sf(-z))
    return Tails(greater, less, z if math.isfinite(z) else None)


def of_t(t: float, df: float) -> Tails:
    """Tails of a t statistic."""
    return Tails(never_zero(t_sf(t, df)), never_zero(t_sf(-t, df)), t, df)


def from_error(difference: float, error: float, df: float | None = None) -> AtNull:
    """The test of a difference with a standard error above 0: z, or t with ``df``."""

    def at(null: float) -> Tails:
        statistic = (difference - null) / error
        return of_normal(statistic) if df is None else of_t(statistic, df)

    return at


# -- tests that have no other null than 0 -------------------------------------------------------


def discordant_exact(n10: float, n01: float) -> Tails:
    """McNemar's exact test, one-sided: binomial tails of the discordant rows.

    >>> discordant_exact(5, 0).greater
    0.03125
    """
    n = n10 + n01
    return Tails(binomial_greater(n10, n, 0.5), binomial_less(n10, n, 0.5))


def discordant_midp(n10: float, n01: float) -> Tails:
    """The same less half the probability of the observed split (Fagerland et al. 2013)."""
    n = n10 + n01
    if not n:
        return Tails(1.0, 1.0)
    above, below = binomial_greater(n10 + 1.0, n, 0.5), binomial_less(n10 - 1.0, n, 0.5)
    exact = discordant_exact(n10, n01)
    return Tails(never_zero((above + exact.greater) / 2.0), never_zero((below + exact.less) / 2.0))


def discordant_z(n10: float, n01: float, *, corrected: bool = False) -> Tails | None:
    """Signed root of McNemar's chi-square; None without discordant rows."""
    if n10 + n01 <= 0:
        return None
    distance = abs(n10 - n01) - (1.0 if corrected else 0.0)
    return of_normal(math.copysign(max(distance, 0.0), n10 - n01) / math.sqrt(n10 + n01))


# -- shares --------------------------------------------------------------------------------------


def tango(n11: float, n10: float, n01: float, n00: float, null: float) -> Tails | None:
    """Score test of two shares of the same rows (Tango 1998); None without rows.

    At a null of 0 it is the signed root of McNemar's chi-square.
    """
    n = math.fsum((n11, n10, n01, n00))
    if n <= 0 or (null == 0.0 and n10 + n01 == 0):
        return None
    return of_normal(paired.tango_score(n, n10, n01, null))


def paired_wald(n11: float, n10: float, n01: float, n00: float, null: float) -> Tails | None:
    """Normal test with the multinomial variance of the difference; None without a variance."""
    n = math.fsum((n11, n10, n01, n00))
    variance = n10 + n01 - (n10 - n01) ** 2 / n if n > 0 else 0.0
    if variance <= 0.0:
        return None
    return of_normal((n10 - n01 - n * null) / math.sqrt(variance))


def mee(x1: float, n1: float, x2: float, n2: float, null: float) -> Tails | None:
    """Score test of two independent shares (Mee 1984; Farrington, Manning 1990)."""
    return _score(x1, n1, x2, n2, null, 1.0)


def miettinen_nurminen(x1: float, n1: float, x2: float, n2: float, null: float) -> Tails | None:
    """The same with the variance multiplied by N / (N - 1) (1985)."""
    if n1 + n2 <= 1:
        return None
    return _score(x1, n1, x2, n2, null, (n1 + n2) / (n1 + n2 - 1.0))


def _score(
    x1: float, n1: float, x2: float, n2: float, null: float, inflation: float
) -> Tails | None:
    if n1 <= 0 or n2 <= 0 or (null == 0.0 and x1 + x2 in (0.0, n1 + n2)):
        return None
    return of_normal(unpaired.difference_score(x1, n1, x2, n2, null, inflation))


def unpaired_wald(x1: float, n1: float, x2: float, n2: float, null: float) -> Tails | None:
    """Normal test with the variances of both shares as they are; None without a variance."""
    if n1 <= 0 or n2 <= 0:
        return None
    p1, p2 = x1 / n1, x2 / n2
    variance = p1 * (1.0 - p1) / n1 + p2 * (1.0 - p2) / n2
    return None if variance <= 0.0 else of_normal((p1 - p2 - null) / math.sqrt(variance))


def two_proportion_z(x1: float, n1: float, x2: float, n2: float, null: float) -> Tails | None:
    """Pooled z test; of equality alone."""
    found = None if null else unpaired.two_proportion_z(x1, n1, x2, n2)
    return None if found is None else of_normal(found.statistic)


def fisher_exact(x1: float, n1: float, x2: float, n2: float, null: float) -> Tails | None:
    """One-sided tails of Fisher's exact test, hypergeometric; of equality alone."""
    if null or n1 <= 0 or n2 <= 0:
        return None
    return Tails(*unpaired.fisher_tails(int(x1), int(n1), int(x2), int(n2)))


def _of_equality(tails: Callable[[float, float], Tails | None]) -> SharesAtNull:
    def at(_n11: float, n10: float, n01: float, _n00: float, null: float) -> Tails | None:
        return None if null else tails(n10, n01)

    return at


#: Tests of two shares of the same rows by n11, n10, n01, n00 and the null.
PAIRED_TAILS: Mapping[str, SharesAtNull] = {
    "mcnemar_exact": _of_equality(discordant_exact),
    "mcnemar_midp": _of_equality(discordant_midp),
    "mcnemar": _of_equality(discordant_z),
    "mcnemar_corrected": _of_equality(partial(discordant_z, corrected=True)),
    "tango": tango,
    "wald": paired_wald,
}
#: Tests of two independent shares by x1, n1, x2, n2 and the null.
UNPAIRED_TAILS: Mapping[str, SharesAtNull] = {
    "two_proportion_z": two_proportion_z,
    "fisher_exact": fisher_exact,
    "mee": mee,
    "miettinen_nurminen": miettinen_nurminen,
    "wald": unpaired_wald,
}
