"""The power of a decision that is fixed beforehand, before there are any data.

Exact wherever the decision rests on counts: the rule itself (the limit of the interval against
the required value) is applied to every count that could come out, and the chances of those that
pass are added up. The power of such a rule goes up and down with every row, since counts are
whole; that is why the size needed is given as the size from which the power stays.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from evalreport.statistics.paired import mcnemar_exact
from evalreport.statistics.tail import (
    binomial_greater,
    binomial_less,
    normal_quantile,
)

#: Passes or not: whether ``x`` of ``n`` meets the criterion.
Rule = Callable[[int, int], bool]

#: Denominators further than this many standard deviations from their mean are left out: the
#: chance of all of them is below 1e-15.
FAR = 8.5
#: Sizes past the first that reaches the power, over which the power has to stay.
TEETH = 200


#: The edges that were found, for each rule: a search over sizes asks for the same ones again.
_EDGES: WeakKeyDictionary[Rule, dict[tuple[int, bool], int | None]] = WeakKeyDictionary()


def critical(rule: Rule, n: int, *, at_least: bool) -> int | None:
    """The least ``x`` of ``n`` that passes (``at_least``), or the greatest; None where none does.

    The rule must be monotone in x, as it is for every interval of a share. The edge of n lies
    near that of n - 1, so the search starts there where that is known.

    >>> critical(lambda x, n: x / n >= 0.9, 30, at_least=True)
    27
    """
    known = _EDGES.setdefault(rule, {})
    if (n, at_least) not in known:
        known[n, at_least] = _edge(rule, n, known.get((n - 1, at_least)), at_least=at_least)
    return known[n, at_least]


def _edge(rule: Rule, n: int, near: int | None, *, at_least: bool) -> int | None:
    passing, failing = (n, -1) if at_least else (0, n + 1)
    if not rule(passing, n):
        return None
    for x in () if near is None else (near, near + 1, near - 1):
        if min(passing, failing) < x < max(passing, failing):
            passing, failing = (x, failing) if rule(x, n) else (passing, x)
    while abs(passing - failing) > 1:
        middle = (passing + failing) // 2
        if rule(middle, n):
            passing = middle
        else:
            failing = middle
    return passing


def share_power(rule: Rule, n: int, p: float, *, at_least: bool) -> float:
    """The chance that ``x`` of ``n`` independent rows, each right with chance ``p``, passes.

    >>> round(share_power(lambda x, n: x / n >= 0.5, 2, 0.5, at_least=True), 3)
    0.75
    """
    if n == 0:
        return 0.0
    edge = critical(rule, n, at_least=at_least)
    if edge is None:
        return 0.0
    return binomial_greater(edge, n, p) if at_least else binomial_less(edge, n, p)


def size_power(rule: Rule, rows: int, chance: float, p: float, *, at_least: bool) -> float:
    """The power of a share whose denominator is left to chance.

    Each of ``rows`` belongs to the denominator with ``chance``, and is right with chance ``p``
    if it does. Every denominator is tried; one of 0 does not pass.

    >>> round(size_power(lambda x, n: x == n, 2, 0.5, 0.5, at_least=True), 4)
    0.3125
    """
    if chance >= 1.0:
        return share_power(rule, rows, p, at_least=at_least)
    counts, chances = _denominators(rows, chance)
    each = (
        weight * share_power(rule, n, p, at_least=at_least)
        for n, weight in zip(counts.tolist(), chances.tolist(), strict=True)
    )
    return math.fsum(each)


def _denominators(
    rows: int, prevalence: float
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """How many positives there may be among ``rows``, and how likely each number is."""
    from scipy.special import gammaln, xlog1py, xlogy

    centre, sd = rows * prevalence, math.sqrt(rows * prevalence * (1.0 - prevalence))
    low = max(0, math.floor(centre - FAR * sd) - 1)
    high = min(rows, math.ceil(centre + FAR * sd) + 1)
    m = np.arange(low, high + 1)
    logs = gammaln(rows + 1) - gammaln(m + 1) - gammaln(rows - m + 1)
    logs = logs + xlogy(m, prevalence) + xlog1py(rows - m, -prevalence)
    chances = np.exp(logs)
    return m, chances / chances.sum()


class Needed(NamedTuple):
    """The size that a power takes: where it is first reached, and from where on it stays."""

    first: int
    stays: int


def size_needed(
    power: Callable[[int], float], wanted: float, most: int = 1_000_000
) -> Needed | None:
    """The least size with the wanted power, of a power that rises in teeth.

    The rising trend is followed by doubling and halving; then every size around it is looked at.
    None where ``most`` is not enough.

    >>> size_needed(lambda n: 1 - 0.9**n, 0.8)
    Needed(first=16, stays=16)
    """
    if power(most) < wanted:
        return None
    low, high = 0, 1
    while power(high) < wanted:
        low, high = high, min(2 * high, most)
    while high - low > 1:
        middle = (low + high) // 2
        if power(middle) >= wanted:
            high = middle
        else:
            low = middle
    around = range(max(1, high - TEETH), min(high + TEETH, most) + 1)
    reached = [(n, power(n) >= wanted) for n in around]
    first = next(n for n, holds in reached if holds)
    short = [n for n, holds in reached if not holds and n > first]
    stays = (short[-1] + 1) if short else first
    return Needed(first, min(stays, most))


#: Two-sided p-value of the discordant pairs, of the first alone and of the second alone.
PairedTest = Callable[[float, float], float]


def mcnemar_power(
    n: int,
    only_first: float,
    only_second: float,
    alpha: float = 0.05,
    test: PairedTest = mcnemar_exact,
) -> float:
    """Power of a McNemar test for ``n`` pairs, the exact one if none is given.

    ``only_first`` and ``only_second`` are the chances that a pair is right by the first model
    alone, or by the second alone. Every number of discordant pairs and every split of it is
    added up; the test rejects where its two-sided p-value is at most ``alpha``. Pairs that do
    not count at all (rows of the other class) may be among the ``n``: they are not discordant.

    >>> round(mcnemar_power(100, 0.2, 0.05), 3)
    0.837
    """
    discordant = only_first + only_second
    if discordant <= 0.0:
        return 0.0
    counts, chances = (
        _denominators(n, min(discordant, 1.0))
        if discordant < 1.0
        else (np.array([n]), np.array([1.0]))
    )
    share = only_first / discordant
    total = 0.0
    for d, chance in zip(counts.tolist(), chances.tolist(), strict=True):
        total += chance * _rejected(d, share, alpha, test)
    return total


@lru_cache(maxsize=100_000)
def _rejected(discordant: int, share: float, alpha: float, test: PairedTest) -> float:
    """The chance that a split of so many discordant pairs is rejected."""
    if discordant == 0:
        return 0.0
    low, high = -1, discordant // 2 + 1
    while high - low > 1:
        middle = (low + high) // 2
        if test(middle, discordant - middle) <= alpha:
            low = middle
        else:
            high = middle
    if low < 0:
        return 0.0
    upper = binomial_greater(discordant - low, discordant, share)
    return binomial_less(low, discordant, share) + upper


def binormal_variance(auc: float, positives: float, negatives: float) -> float:
    """Variance of the area under the ROC curve of two normal score distributions of equal spread.

    What DeLong's estimator is an estimate of: S / m + S / n with
    S = P(two negatives lie below one positive) - A^2, for which the bivariate normal integral
    with correlation 1/2 is exact.

    >>> round(binormal_variance(0.5, 50, 50), 6)
    0.003333
    """
    from scipy.special import owens_t

    h = normal_quantile(auc)
    both = auc - 2.0 * float(owens_t(h, math.sqrt(1.0 / 3.0)))
    spread = both - auc * auc
    return spread / positives + spread / negatives
