"""Criteria against a reference model on the same rows: their own rule, and McNemar's test.

The reference is drawn given the model: of the rows that the model has right, each is right by
the reference with one chance, of the others with another. So every criterion of a study is
judged on the same drawn tables. The power of McNemar's test is no estimate.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np

from evalreport.design.assumptions import Array
from evalreport.statistics.paired import (
    PAIRED_METHODS,
    PairChances,
    mcnemar,
    mcnemar_corrected,
    mcnemar_exact,
    mcnemar_midp,
)
from evalreport.statistics.power import PairedTest, mcnemar_power


def _by_chi_square(n10: float, n01: float) -> float:
    found = mcnemar(n10, n01)
    return 1.0 if found is None else found.p_value


def _by_corrected_chi_square(n10: float, n01: float) -> float:
    found = mcnemar_corrected(n10, n01)
    return 1.0 if found is None else found.p_value


#: Tests whose power follows from the discordant rows alone.
TESTS: dict[str, PairedTest] = {
    "mcnemar_exact": mcnemar_exact,
    "mcnemar_midp": mcnemar_midp,
    "mcnemar": _by_chi_square,
    "mcnemar_corrected": _by_corrected_chi_square,
}


@dataclass(frozen=True)
class Pair:
    """Model and reference on the same rows, as they are assumed to be.

    ``chances``: of a row that counts. ``test``: the test of no difference that the run makes.
    """

    metric: str
    reference: str
    chances: PairChances
    test: str

    def counted_with(self, x: Array, n: Array, seed: int) -> Array:
        """Drawn cells beside a model that is right on ``x`` of ``n`` rows: shape (draws, 4).

        Criteria on the same measure and reference draw the same.
        """
        draw = np.random.default_rng([seed, zlib.crc32(f"{self.metric} {self.reference}".encode())])
        both, first, second, neither = self.chances
        shared = draw.binomial(x.astype(np.int64), _share(both, first))
        gained = draw.binomial((n - x).astype(np.int64), _share(second, neither))
        return np.stack([shared, x - shared, gained, n - x - gained], axis=1).astype(np.float64)

    def test_power(self, rows: int, counted: float, alpha: float) -> float | None:
        """Exact power of the test, where a row counts with chance ``counted``; None if unknown."""
        test = TESTS.get(self.test)
        if test is None:
            return None
        first, second = self.chances.only_first, self.chances.only_second
        return mcnemar_power(rows, first * counted, second * counted, alpha, test)


def held_against(cells: Array, bound: str, method: str | None, level: float) -> float | None:
    """What a criterion looks at in one table of pairs: the difference, or a limit of it."""
    n11, n10, n01, n00 = (float(v) for v in cells)
    if bound == "point":
        n = n11 + n10 + n01 + n00
        return (n10 - n01) / n if n else None
    assert method is not None
    found = PAIRED_METHODS[method](n11, n10, n01, n00, level)
    if found is None:
        return None
    return found.low if bound == "lower" else found.high


def _share(one: float, other: float) -> float:
    return one / (one + other) if one + other > 0 else 0.0
