"""Criteria against a reference model on the same rows: their own rule, and McNemar's test.

The reference is drawn given the model: of the rows that the model has right, each is right by
the reference with one chance, of the others with another. So every criterion of a study is
judged on the same drawn tables; a predictive value on those of both classes. The power of
McNemar's test is no estimate. Of two areas the scores are drawn, normal with a correlation.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np

from evalreport.design.assumptions import Array
from evalreport.metrics.declare import Metric
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


@dataclass(frozen=True)
class AreaPair:
    """The area of a reference, and the correlation of the scores of the rows of one class."""

    value: float
    correlation: float


@dataclass(frozen=True)
class CallPair:
    """Model and reference on the positives and on the negatives: each right, or not."""

    recall: Pair
    specificity: Pair

    def counted_with(self, tables: Array, seed: int) -> Array:
        """Drawn cells beside tables (TP, FN, FP, TN): shape (draws, 8), positives first."""
        tp, fn, fp, tn = tables.T
        of_positives = self.recall.counted_with(tp, tp + fn, seed)
        of_negatives = self.specificity.counted_with(tn, tn + fp, seed)
        return np.concatenate([of_positives, of_negatives], axis=1)


def calls_against(
    cells: Array, metric: Metric, bound: str, method: str | None, level: float
) -> float | None:
    """What a criterion on a predictive value looks at in one pair of tables.

    ``cells``: positives, then negatives, by who is right: both, model, reference, neither.
    """
    from evalreport.engine.comparisons.counts import counted_calls
    from evalreport.results.records import Calls, JointCalls
    from evalreport.statistics import predictive

    both, first, second, neither, wrong_neither, wrong_second, wrong_first, wrong = (
        int(v) for v in cells
    )
    calls = JointCalls(
        actual_positive=Calls(both, first, second, neither),
        actual_negative=Calls(wrong, wrong_first, wrong_second, wrong_neither),
    )
    counted = counted_calls(metric, calls)
    if bound == "point":
        moments = predictive.call_moments(*counted)
        return None if moments is None else moments.difference
    assert method is not None
    found = predictive.CALL_METHODS[method](*counted, level)
    if found is None:
        return None
    return found.low if bound == "lower" else found.high


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
