"""What a measure says, for comparison with the same one of another run or period."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from evalreport.metrics.catalogue import find
from evalreport.metrics.declare import Goal, Interval, Metric, Table
from evalreport.results.records import Measure
from evalreport.statistics.proportions import PROPORTION_METHODS
from evalreport.statistics.separate_samples import Estimate


def estimate_of(measure: Measure) -> Estimate | None:
    """The value of a measure with its limits and its share of rows; None without a value."""
    if measure.state != "value" or measure.value is None:
        return None
    limits = measure.interval
    low, high, level, method = (
        (None, None, None, None)
        if limits is None
        else (limits.low, limits.high, limits.level, limits.method)
    )
    return Estimate(float(measure.value), low, high, level, _share(measure, method))


def _share(measure: Measure, method: str | None) -> tuple[int, int] | None:
    """The counts of a share of independent rows; None for anything else."""
    top, bottom = measure.numerator, measure.denominator
    if type(top) is not int or type(bottom) is not int or measure.weight is not None:
        return None
    metric = find(measure.metric)
    if metric is None or metric.interval is not Interval.PROPORTION or metric.table is Table.MATRIX:
        return None
    # a micro average over one-versus-rest tables counts each row more than once
    of_rows = 0 <= top <= bottom <= measure.n
    # clusters, weights and folds have intervals of other names
    plain = method in PROPORTION_METHODS and measure.average in (None, "micro")
    return (top, bottom) if of_rows and plain and bottom > 0 else None


#: Classes that are named in a sentence.
_NAMED = 5


def different_classes(one: tuple[str, Sequence[str]], two: tuple[str, Sequence[str]]) -> str | None:
    """Why two averages are not compared, by name and classes left out of each; None if they are.

    >>> different_classes(("a", ()), ("b", ("x", "y")))
    'averages over different classes: a leaves out none; b leaves out x, y'
    """
    if set(one[1]) == set(two[1]):
        return None
    told = [f"{name} leaves out {_listed(left_out)}" for name, left_out in (one, two)]
    return f"averages over different classes: {'; '.join(told)}"


def _listed(labels: Sequence[str]) -> str:
    more = f" and {len(labels) - _NAMED} more" if len(labels) > _NAMED else ""
    return f"{', '.join(labels[:_NAMED])}{more}" if labels else "none"


def exact_difference(now: Measure, then: Measure) -> float:
    """The difference of two values, in fractions where both are fractions of counts.

    Raises ValueError where one of the two has no value.
    """
    if now.value is None or then.value is None:
        raise ValueError("one of the two measures has no value")
    one, two = _fraction(now), _fraction(then)
    if one is not None and two is not None:
        return float(one - two)
    return float(now.value) - float(then.value)


def _fraction(measure: Measure) -> Fraction | None:
    top, bottom = measure.numerator, measure.denominator
    if type(top) is not int or type(bottom) is not int or bottom == 0:
        return None
    found = Fraction(top, bottom)
    return found if float(found) == measure.value else None


def is_better(name: str, now: float | None, then: float | None) -> bool | None:
    """Whether now is better than then, by the goal of the metric of this name.

    None where neither is, or nobody can tell.
    """
    metric = find(name)
    if metric is None or now is None or then is None:
        return None
    loss = loss_of(metric, now, then)
    return loss < 0 if loss else None


def loss_of(metric: Metric, now: float, then: float) -> float | None:
    """How much worse now is than then; below 0 where better, None where neither is better."""
    if metric.goal is Goal.MAXIMIZE:
        return then - now
    if metric.goal is Goal.MINIMIZE:
        return now - then
    if metric.goal is Goal.TARGET and metric.best is not None:
        return abs(now - metric.best) - abs(then - metric.best)
    return None
