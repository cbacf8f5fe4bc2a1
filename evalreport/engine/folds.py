"""The mean over folds: one record beside the pooled one, never mixed with it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

from evalreport.data.findings import some
from evalreport.engine.metric_values import Evaluated
from evalreport.metrics.formula import Undefined, Value, number_text
from evalreport.metrics.methods import OF_FOLDS
from evalreport.results.records import Interval
from evalreport.statistics.folds import nadeau_bengio, standard_deviation

#: Up to so many folds the mean is taken in exact fractions.
EXACT_FOLDS = 100
#: Up to so many folds the mean is written out in full.
WRITTEN_FOLDS = 12


def mean_over_folds(folds: Sequence[str], values: Sequence[Evaluated]) -> Evaluated:
    """The mean of the fold values; folds where it is undefined are skipped and counted."""
    numbers = [v.outcome.number for v in values if isinstance(v.outcome, Value)]
    missing = [
        name for name, v in zip(folds, values, strict=True) if not isinstance(v.outcome, Value)
    ]
    formula = "sum(fold value) / folds"
    note = None
    if missing:
        note = f"undefined in {len(missing)} of {len(folds)} folds, left out of the mean: "
        note += some(missing)
    if not numbers:
        return Evaluated(Undefined(note or "there is no fold"), formula, "0 / 0", note=note)
    value = _mean(values, numbers)
    if len(numbers) <= WRITTEN_FOLDS:
        written = f"({' + '.join(number_text(n) for n in numbers)}) / {len(numbers)}"
    else:
        written = f"sum of {len(numbers)} fold values / {len(numbers)}"
    return Evaluated(Value(value), formula, written, note=note)


def _mean(values: Sequence[Evaluated], numbers: Sequence[float]) -> float:
    """The mean, in exact fractions where every fold's value is one."""
    exact = [v.exact for v in values if isinstance(v.outcome, Value)]
    if len(exact) <= EXACT_FOLDS and all(isinstance(e, (int, Fraction)) for e in exact):
        return float(sum((Fraction(e) for e in exact), Fraction(0)) / len(exact))
    return math.fsum(numbers) / len(numbers)


def spread(values: Sequence[Evaluated]) -> float | None:
    """Standard deviation over folds (ddof 1); None with fewer than two values."""
    numbers = [v.outcome.number for v in values if isinstance(v.outcome, Value)]
    return standard_deviation(numbers)


def fold_interval(
    values: Sequence[Evaluated],
    sizes: Mapping[str, tuple[int, int]],
    level: float,
    bounds: tuple[float, float],
) -> Interval | str:
    """Nadeau-Bengio corrected interval of the mean, or why there is none.

    ``sizes``: rows trained on and tested on, by fold; their means are taken.

    Nadeau C., Bengio Y. Inference for the generalization error. Machine Learning 52, 2003.
    """
    numbers = [v.outcome.number for v in values if isinstance(v.outcome, Value)]
    if not sizes:
        return "sizes of the training sets are not known"
    if len(numbers) < 2:
        return "there are fewer than two folds with a value"
    if len(numbers) < len(values):
        return f"the value is undefined in {len(values) - len(numbers)} of {len(values)} folds"
    train = math.fsum(s[0] for s in sizes.values()) / len(sizes)
    test = math.fsum(s[1] for s in sizes.values()) / len(sizes)
    limits = nadeau_bengio(numbers, train, test, level)
    if limits is None:
        return "all folds have the same value: they show no variance"
    low, high = max(limits.low, bounds[0]), min(limits.high, bounds[1])
    return Interval(level, low, high, OF_FOLDS)
