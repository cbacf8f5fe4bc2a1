"""Where the ticks of an axis stand, and the numbers at them.

Ticks are multiples of 1, 2, 2.5 or 5 times a power of ten, as many as there is room for. Their
numbers have as many decimals as tell them apart; what all of them share, a power of ten or a
large part of each, is told once, with the name of the axis.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

#: Steps between ticks that are read easily, from a tenth of a power of ten to ten times it.
STEPS = (0.1, 0.2, 0.25, 0.5, 1.0, 2.0, 2.5, 5.0, 10.0, 20.0)
#: Spans of values per distance from 0 below which ticks are counted from a round number.
FAR_FROM_ZERO = 0.01
#: Powers of ten within which numbers are written out.
WRITTEN_OUT = (-5, 6)
#: Digits that a part in common must save, to be told once.
SAVED = 4


def spread(low: float, high: float, share: float, least: float) -> tuple[float, float]:
    """The ends of an axis in order, moved apart where they are as good as one.

    ``share``: by how much of themselves; ``least``: which part of the larger is no distance.
    """
    if not (math.isfinite(low) and math.isfinite(high)):
        return -share, share
    low, high = min(low, high), max(low, high)
    most = max(abs(low), abs(high))
    if most < 1e6 / 1e-15 * 5e-324:
        return -share, share
    if high - low > most * least:
        return low, high
    if not (low or high):
        return -share, share
    return low - share * abs(low), high + share * abs(high)


def places(low: float, high: float, most: int) -> list[float]:
    """Ticks from ``low`` to ``high``, about ``most``, the first and last at or beyond the ends.

    >>> places(0.0, 1.0, 5), places(-3.0, 47.0, 9)[:3]
    ([0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0], [-10.0, 0.0, 10.0])
    """
    low, high = spread(low, high, 1e-13, 1e-14)
    span, middle = high - low, (high + low) / 2
    start = 0.0
    if span < FAR_FROM_ZERO * abs(middle):
        start = math.copysign(10 ** (math.log10(abs(middle)) // 1), middle)
    unit = 10 ** (math.log10(span / most) // 1)
    low, high = low - start, high - start
    steps = [step * unit for step in STEPS]
    wide = next((k for k, step in enumerate(steps) if step >= span / most), len(steps) - 1)
    for step in reversed(steps[: wide + 1]):
        first = (low // step) * step
        begin = _whole(low - first, step, start, up=False)
        end = _whole(high - first, step, start, up=True)
        found = [k * step + first for k in range(begin, end + 1)]
        if sum(low <= at <= high for at in found) > 1:
            break
    return [at + start for at in found]


def _whole(distance: float, step: float, start: float, *, up: bool) -> int:
    """How many steps fit into a distance, or cover it; a hair's breadth off counts as whole."""
    number, rest = divmod(distance, step)
    hair = 1e-10
    if start:
        hair = min(0.4999, max(hair, 10 ** (math.log10(abs(start) / step) - 12)))
    if up:
        return int(number) + (0 if abs(rest / step) < hair else 1)
    return int(number) + (1 if abs(rest / step - 1) < hair else 0)


@dataclass(frozen=True)
class Numbers:
    """The words at the ticks, and what is told once of all of them; empty where nothing is."""

    words: list[str]
    shared: str = ""


def numbers(at: Sequence[float], low: float, high: float) -> Numbers:
    """The numbers at ticks of an axis from ``low`` to ``high``.

    >>> numbers([0.0, 0.5, 1.0], 0.0, 1.0).words
    ['0.0', '0.5', '1.0']
    >>> numbers([0.0, 1e7, 2e7], 0.0, 2e7)
    Numbers(words=['0', '1', '2'], shared='in 1e7')
    >>> numbers([1000000.0, 1000000.5], 1e6, 1000000.6)
    Numbers(words=['0.0', '0.5'], shared='added to 1e6')
    """
    seen = [place for place in at if low <= place <= high]
    start = _common_part(seen)
    power = _power(seen, start, high - low)
    scaled = [(place - start) / 10.0**power for place in at]
    # one number alone is as fine as its axis
    ends = [] if len(at) > 1 else [(end - start) / 10.0**power for end in (low, high)]
    decimals = _decimals(scaled, max([*scaled, *ends]) - min([*scaled, *ends]))
    words = [f"{0.0 if abs(number) < 1e-8 else number:.{decimals}f}" for number in scaled]
    shared = [f"in 1e{power}"] if power else []
    shared += [f"added to {_short(start)}"] if start else []
    return Numbers([minus(word) for word in words], minus(", ".join(shared)))


def _short(number: float) -> str:
    mantissa, _, power = f"{number:.10e}".partition("e")
    mantissa = mantissa.rstrip("0").rstrip(".")
    return f"{mantissa}e{int(power)}" if int(power) else mantissa


def minus(text: str) -> str:
    """Text with true minus signs."""
    return text.replace("-", "−")


def _common_part(seen: Sequence[float]) -> float:
    """What is left of the numbers where all agree in many digits; else 0."""
    if not seen or min(seen) == max(seen) or min(seen) <= 0 <= max(seen):
        return 0.0
    least, most = sorted(abs(end) for end in (min(seen), max(seen)))
    power = math.ceil(math.log10(most))
    while least // 10.0**power == most // 10.0**power:
        power -= 1
    if (most - least) / 10.0 ** (power + 1) <= 0.01:
        # both sides of a round number: the power at which they are more than one apart
        power = math.ceil(math.log10(most))
        while most // 10.0**power - least // 10.0**power <= 1:
            power -= 1
    unit = 10.0 ** (power + 1)
    whole = most // unit
    return math.copysign(whole * unit, seen[0]) if whole >= 10 ** (SAVED - 1) else 0.0


def _power(seen: Sequence[float], start: float, span: float) -> int:
    """The power of ten that numbers are told in: 0 where they are written out."""
    most = span if start else max((abs(place) for place in seen), default=0.0)
    power = math.floor(math.log10(most)) if most > 0 else 0
    return power if power <= WRITTEN_OUT[0] or power >= WRITTEN_OUT[1] else 0


def _decimals(numbers: Sequence[float], span: float) -> int:
    """How many decimals show every number as it is, to a thousandth of their span."""
    span = span or max(map(abs, numbers), default=0.0) or 1.0
    power = math.floor(math.log10(span))
    decimals = max(0, 3 - power)
    while decimals >= 0 and all(abs(n - round(n, decimals)) < 1e-3 * 10.0**power for n in numbers):
        decimals -= 1
    return decimals + 1
