"""What a comparison finds: a difference with its test and interval."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.engine.intervals import grouped_jackknife
from evalreport.engine.intervals.bootstrap import from_replicates
from evalreport.engine.intervals.methods import has_width
from evalreport.engine.intervals.studied import with_study
from evalreport.engine.metric_values import Evaluated
from evalreport.metrics.coverage_study import RATIO, Drawn
from evalreport.metrics.formula import Value
from evalreport.metrics.methods import method_title
from evalreport.predict.view import LabelView
from evalreport.results import records
from evalreport.results.records import JointCalls, JointTable
from evalreport.statistics import hypotheses, resampling
from evalreport.statistics.hypotheses import AtNull
from evalreport.statistics.tail import t_two_sided

Floats = npt.NDArray[np.float64]
Pair = tuple[float, float] | None
#: Limits, or why there are none.
Limits = tuple[records.Interval | None, str | None]

#: An interval of no width would claim to know more than the replicates do.
ALIKE = "the difference is the same in all resamples: it has no width"
FEW_GROUPS = "the difference is undefined without nearly every group of rows"
UNDEFINED = "the difference is undefined in nearly all resamples"
NO_VARIANCE = "the difference is the same throughout: it shows no variance"
#: Differences of replicates that lie no further apart are the same but for rounding.
SAME = 1e-12


@dataclass(frozen=True)
class Test:
    """Statistic, degrees of freedom and p-value; ``reason`` where there is no p-value.

    ``error``: the standard error of the difference, as recorded, that the statistic divides by.
    ``name``: of the test that took over from the planned one, where one did.
    """

    __test__ = False  # not a test case of pytest

    statistic: float | None = None
    p_value: float | None = None
    df: float | None = None
    reason: str | None = None
    error: float | None = None
    name: str | None = None


@dataclass(frozen=True)
class Counted:
    """The counts that a reader can check a difference with, as far as there are any.

    ``rows``, ``calls``: of the same rows; ``fractions``: of other rows, of the model and of
    the reference; ``folds``: the difference in each fold.
    """

    rows: JointTable | None = None
    calls: JointCalls | None = None
    fractions: tuple[Pair, Pair] = (None, None)
    folds: tuple[float, ...] | None = None


@dataclass(frozen=True)
class Found:
    """The test and interval of one difference, and the counts that they came from.

    ``hypothesis``: the one-sided test of what was to be shown, against the difference ``null``.
    """

    test: Test
    interval: records.Interval | None
    interval_reason: str | None = None
    counts: Counted = field(default_factory=Counted)
    hypothesis: Test | None = None
    null: float | None = None
    ratio: records.Ratio | None = None


def difference_of(model: Evaluated, reference: Evaluated) -> float | None:
    """Model minus reference, in exact fractions where both are; None unless both are numbers.

    None too of averages over different classes, whose difference is one of classes.
    """
    if set(model.left_out) != set(reference.left_out):
        return None
    if not (isinstance(model.outcome, Value) and isinstance(reference.outcome, Value)):
        return None
    if model.exact is not None and reference.exact is not None:
        return float(model.exact - reference.exact)
    return model.outcome.number - reference.outcome.number


def with_width(found: Found) -> Found:
    """What is found, without limits that are the difference itself.

    Two models that are the same on every row, or differ by the same, show no variance.
    """
    if found.interval is None or has_width(found.interval):
        return found
    return replace(found, interval=None, interval_reason=NO_VARIANCE)


def ratio_with_study(
    ratio: records.Ratio | None, metric: str, drawn: Drawn | None
) -> records.Ratio | None:
    """The ratio, its limits with what such limits held in the coverage study."""
    if ratio is None or ratio.interval is None:
        return ratio
    told = with_study(ratio.interval, metric, drawn, RATIO)
    return replace(ratio, interval=told)


@dataclass(frozen=True, eq=False)
class Replicates:
    """Bootstrap replicates of a difference, shape (B,), NaN where undefined.

    ``correlation``: of the two values; 0 where one of them does not vary.
    """

    differences: Floats
    correlation: float = 0.0

    @property
    def usable(self) -> Floats:
        """The differences that are defined."""
        return self.differences[np.isfinite(self.differences)]

    @property
    def vary(self) -> bool:
        """Whether there are differences, and not all the same but for rounding."""
        usable = self.usable
        return usable.size > 1 and float(np.ptp(usable)) > SAME * float(np.abs(usable).max())


def replicates_of(first: Any, second: Any) -> Replicates:
    """Replicates of model minus reference from those of both, each of shape (B,)."""
    one, two = (np.real(values).astype(np.float64) for values in (first, second))
    with np.errstate(invalid="ignore"):
        differences = one - two
        # what rounding leaves of two equal values would part the replicates that are 0
        same = np.abs(differences) <= SAME * np.maximum(np.abs(one), np.abs(two))
    finite = np.where(np.isfinite(differences), np.where(same, 0.0, differences), np.nan)
    return Replicates(finite, _correlation(one, two))


def _correlation(one: Floats, two: Floats) -> float:
    usable = np.isfinite(one) & np.isfinite(two)
    if usable.sum() < 2 or not np.ptp(one[usable]) or not np.ptp(two[usable]):
        return 0.0
    return float(np.corrcoef(one[usable], two[usable])[0, 1])


def bootstrap_test(difference: float, replicates: Replicates | str) -> Test:
    """Twice the smaller share of the replicates beyond 0, as the percentile limits have it.

    >>> bootstrap_test(0.0, Replicates(np.zeros(10))).p_value
    1.0
    """
    if isinstance(replicates, str):
        return Test(reason=replicates)
    usable = replicates.usable
    if usable.size < 2:
        return Test(reason=UNDEFINED)
    if not replicates.vary:
        return no_variation(difference)
    return Test(p_value=min(1.0, 2.0 * min(resampling.percentile_tails(usable, 0.0))))


def bootstrap_tails(replicates: Replicates | str) -> AtNull | None:
    """One-sided tails of the same at every null; None where nothing varies."""
    if isinstance(replicates, str) or not replicates.vary:
        return None
    usable = replicates.usable
    return lambda null: hypotheses.Tails(*resampling.percentile_tails(usable, null))


def jackknife_test(difference: float, left_out: Replicates | str, view: LabelView) -> Test:
    """Student's t test of no difference by the grouped jackknife; agrees with its limits."""
    if isinstance(left_out, str):
        return Test(reason=left_out)
    found = grouped_jackknife.spread(left_out.differences, view)
    if found is None:
        return Test(reason=FEW_GROUPS)
    if not left_out.vary:
        return no_variation(difference)
    statistic = difference / found.error
    return Test(statistic, t_two_sided(statistic, found.df), found.df, error=found.error)


def jackknife_interval(
    difference: float, left_out: Replicates | str, level: float, most: float, view: LabelView
) -> tuple[records.Interval | None, str | None]:
    """Limits by the grouped jackknife, at most ``most`` from 0; or why there are none."""
    if isinstance(left_out, str):
        return None, left_out
    found = grouped_jackknife.spread(left_out.differences, view)
    if found is None or not left_out.vary:
        return None, FEW_GROUPS if found is None else NO_VARIANCE
    limits = grouped_jackknife.interval(
        left_out.differences, difference, level, (-most, most), view=view
    )
    if limits is None:
        return None, NO_VARIANCE
    return replace(limits, standard_error=found.error, df=found.df), None


def no_variation(difference: float) -> Test:
    """Without variation a difference of 0 has p = 1; any other cannot be tested."""
    if difference == 0.0:
        return Test(p_value=1.0)
    return Test(reason="the difference does not vary: no statistic can be formed")


def bootstrap_interval(
    difference: float, replicates: Replicates | str, level: float, method: str
) -> tuple[records.Interval | None, str | None]:
    """Percentile interval of the difference, or why there is none."""
    if isinstance(replicates, str):
        return None, replicates
    usable = replicates.usable.size
    if usable < 2:
        return None, UNDEFINED
    if not replicates.vary:
        return None, ALIKE
    if resampling.least_tail(usable) >= (1.0 - level) / 2.0:
        return None, f"{usable} usable resamples are too few for limits at this level"
    interval = from_replicates(replicates.differences, difference, level, method)
    return interval, None if interval is not None else f"{method_title(method)} gives none here"
