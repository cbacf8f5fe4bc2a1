"""How often limits of differences hold: predictive values of two models, largest gaps of groups.

Run by hand: ``python tests/benchmarks/coverage_comparisons.py``. Seeded; what docs/methods.md says
of ``square_and_add``, ``wald`` and of simultaneous limits is the least and most of these lines.
"""

from __future__ import annotations

import sys
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from evalreport.engine.groups.widest import of_pairs
from evalreport.statistics.predictive import CALL_METHODS, PairedCalls
from evalreport.statistics.unpaired import newcombe_hybrid

SAMPLES, GAP_SAMPLES, LEVEL = 2000, 400, 0.95
Calls = NDArray[np.bool_]


def paired_calls(chosen: Calls, one: Calls, two: Calls) -> PairedCalls:
    """Rows of one true class by who calls them."""
    cells = (one & two, one & ~two, ~one & two, ~one & ~two)
    return PairedCalls(*(float((chosen & cell).sum()) for cell in cells))


def of_calls(rows: int, share: float, first: tuple[float, float], same: bool) -> str:
    """Share of samples whose limits hold the difference of two PPV; calls correlate by 0.49."""
    rng = np.random.default_rng([7, rows, int(100 * share), int(100 * first[0]), same])
    second = first if same else (first[0] - 0.1, first[1] - 0.05)
    true = [share * a / (share * a + (1 - share) * (1 - b)) for a, b in (first, second)]
    held, made = dict.fromkeys(CALL_METHODS, 0), dict.fromkeys(CALL_METHODS, 0)
    for _ in range(SAMPLES):
        ill, common = rng.random(rows) < share, rng.normal(size=rows)
        called = []
        for found, spared in (first, second):
            place = ndtr(0.7 * common + np.sqrt(0.51) * rng.normal(size=rows))
            called.append(np.where(ill, place < found, place < 1 - spared))
        cells = paired_calls(ill, *called), paired_calls(~ill, *called)
        for name, method in CALL_METHODS.items():
            limits = method(*cells, LEVEL)
            if limits is not None:
                made[name] += 1
                held[name] += limits.low <= true[0] - true[1] <= limits.high
    return "  ".join(f"{n} {100 * held[n] / made[n]:.1f} of {made[n]}" for n in CALL_METHODS)


def of_gaps(groups: int, rows: int, lower: float) -> str:
    """Share of samples whose simultaneous limits hold the largest gap of shares."""
    rng = np.random.default_rng([3, groups, rows, int(100 * lower)])
    shares, each = (
        [0.85] * (groups - 1) + [0.85 - lower],
        1 - (1 - LEVEL) * 2 / groups / (groups - 1),
    )
    held = 0
    for _ in range(GAP_SAMPLES):
        counts = [(float(rng.binomial(rows, p)), float(rows)) for p in shares]
        low, high = of_pairs(counts, lambda a, b: newcombe_hybrid(*a, *b, each))
        held += low <= lower <= high
    return f"held {100 * held / GAP_SAMPLES:.1f}"


def main() -> None:
    """One line for each setting."""
    settings = product((100, 200, 500), (0.1, 0.3, 0.5), ((0.8, 0.9), (0.9, 0.95), (0.6, 0.7)))
    for rows, share, first in settings:
        for same in (True, False):
            told = of_calls(rows, share, first, same)
            sys.stdout.write(f"ppv {rows} {share} {first} {same}: {told}\n")
    for groups, rows, lower in product((3, 5, 8), (20, 50, 200), (0.0, 0.1, 0.3)):
        sys.stdout.write(f"gap {groups} {rows} {lower}: {of_gaps(groups, rows, lower)}\n")


if __name__ == "__main__":
    main()
