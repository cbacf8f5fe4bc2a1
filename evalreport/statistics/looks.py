"""One look of several at a growing set of rows: its limits, and what follows from them.

The limits hold at all looks together: repeated confidence intervals (Jennison, Turnbull 1989)
whose deviates are the boundaries of an error spending function, or confidence sequences where
the number of looks is open. So a decision may be taken at any look, and none has to be.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

from evalreport.statistics.interval import Interval, clipped
from evalreport.statistics.proportions import PROPORTION_METHODS
from evalreport.statistics.sequences import mean_sequence, share_sequence
from evalreport.statistics.spending import SPENDING, Look, boundaries
from evalreport.values import dataclass

PASS, FAIL, CONTINUE = "pass", "fail", "continue"
#: What the limits of looks without end are called: of shares, and of other values.
SEQUENCES = ("beta_binomial_sequence", "asymptotic_sequence")


@dataclass(frozen=True)
class Block:
    """Rows that came in together: counts of a share, or a value with its standard error."""

    rows: float
    numerator: int | None = None
    denominator: int | None = None
    value: float | None = None
    standard_error: float | None = None


@dataclass(frozen=True)
class Sofar:
    """All rows so far: the value, and what its limits are worked out from."""

    rows: float
    value: float
    counts: tuple[int, int] | None
    standard_error: float | None


def together(blocks: Sequence[Block]) -> Sofar | None:
    """All blocks as one: counts are added, other values averaged by their rows.

    The mean of values v_i of n_i rows, sum(n_i v_i) / n, has the standard error
    sqrt(sum(n_i^2 se_i^2)) / n: for means of rows that of all rows, for an area under the
    curve that of an area within blocks. None where nothing can be told.
    """
    rows = math.fsum(one.rows for one in blocks)
    if blocks and all(one.denominator is not None for one in blocks):
        top = sum(one.numerator or 0 for one in blocks)
        bottom = sum(one.denominator or 0 for one in blocks)
        return None if bottom == 0 else Sofar(rows, top / bottom, (top, bottom), None)
    known = [one for one in blocks if one.value is not None and one.rows > 0]
    if not known or any(one.standard_error is None for one in known):
        return None
    n = math.fsum(one.rows for one in known)
    value = math.fsum(one.rows * (one.value or 0.0) for one in known) / n
    spread = math.fsum((one.rows * (one.standard_error or 0.0)) ** 2 for one in known)
    return Sofar(n, value, None, math.sqrt(spread) / n)


@lru_cache(maxsize=4096)
def planned_look(rows: tuple[float, ...], planned: int, alpha: float, spending: str) -> Look:
    """The boundary of the newest of ``planned`` looks, one-sided ``alpha``.

    ``rows`` at each look so far, rising. The error is spent by the number of looks; how the
    looks depend on each other follows from their rows, whatever those are.
    """
    looks = len(rows)
    shares = [looks / planned * one / rows[-1] for one in rows]
    times = [k / planned for k in range(1, looks + 1)]
    return boundaries(shares, alpha, SPENDING[spending], times)[-1]


def planned_limits(
    sofar: Sofar, look: Look, method: str, within: tuple[float, float]
) -> Interval | None:
    """The repeated confidence interval: the usual one at the level of the boundary.

    None where the look may spend too little to have limits. ``method`` is that of a share.
    """
    if math.isinf(look.boundary):
        return None
    if sofar.counts is not None:
        return PROPORTION_METHODS[method](*sofar.counts, 1.0 - 2.0 * look.nominal)
    half = look.boundary * (sofar.standard_error or 0.0)
    return clipped(sofar.value - half, sofar.value + half, *within)


def endless_limits(
    sofar: Sofar, level: float, required: float, within: tuple[float, float]
) -> Interval | None:
    """The confidence sequence at these rows, narrowest around what is required."""
    if sofar.counts is not None:
        return share_sequence(*sofar.counts, level, expected=required)
    return mean_sequence(sofar.value, sofar.standard_error or 0.0, sofar.rows, level, within=within)


def outcome_of(limits: Interval | None, required: float, *, at_least: bool) -> str:
    """Passed where all of the interval does, failed where none of it does, else to be continued.

    >>> outcome_of(Interval(0.81, 0.9), 0.8, at_least=True)
    'pass'
    >>> outcome_of(Interval(0.75, 0.85), 0.8, at_least=True)
    'continue'
    """
    if limits is None:
        return CONTINUE
    low, high = limits
    if at_least:
        return PASS if low >= required else FAIL if high < required else CONTINUE
    return PASS if high <= required else FAIL if low > required else CONTINUE


def standing(told: Sequence[str]) -> tuple[str, int | None]:
    """What stands after these looks, and the look that decided it: the last decision of any.

    >>> standing(["continue", "pass", "continue"])
    ('pass', 2)
    """
    decided = [(one, k) for k, one in enumerate(told, start=1) if one != CONTINUE]
    return decided[-1] if decided else (CONTINUE, None)


def closing(
    sofar: Sofar, limits: Interval | None, required: float, bound: str, *, at_least: bool
) -> str:
    """The outcome of the last planned look: the criterion's own bound decides, as of one look."""
    seen = sofar.value
    if bound != "point" and limits is not None:
        seen = limits.low if bound == "lower" else limits.high
    return PASS if (seen >= required if at_least else seen <= required) else FAIL
