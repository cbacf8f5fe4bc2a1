"""Differences of drawn rows, and without each group of rows, as a test and limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.engine.comparisons.contrast import (
    ByError,
    Contrast,
    Limits,
    Test,
    Unknown,
    no_variation,
)
from evalreport.engine.intervals import grouped_jackknife
from evalreport.engine.intervals.bootstrap import from_replicates
from evalreport.metrics.methods import method_title
from evalreport.predict.view import LabelView
from evalreport.statistics import resampling
from evalreport.statistics.hypotheses import Tails

Floats = npt.NDArray[np.float64]

#: An interval of no width would claim to know more than the replicates do.
ALIKE = "the difference is the same in all resamples: it has no width"
FEW_GROUPS = "the difference is undefined without nearly every group of rows"
UNDEFINED = "the difference is undefined in nearly all resamples"
#: Differences of replicates that lie no further apart are the same but for rounding.
SAME = 1e-12


@dataclass(frozen=True, eq=False)
class Replicates:
    """Bootstrap replicates of a difference, shape (B,), NaN where undefined."""

    differences: Floats

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
    return Replicates(np.where(np.isfinite(differences), np.where(same, 0.0, differences), np.nan))


@dataclass(frozen=True, eq=False)
class ByDraws(Contrast):
    """By the shares of the replicates on either side, as the percentile limits have it.

    >>> ByDraws(0.0, Replicates(np.zeros(10)), "bootstrap").test().p_value
    1.0
    """

    difference: float
    replicates: Replicates
    method: str

    def test(self) -> Test:
        usable = self.replicates.usable
        if usable.size < 2:
            return Test(reason=UNDEFINED)
        if not self.replicates.vary:
            return no_variation(self.difference)
        return Test(p_value=min(1.0, 2.0 * min(resampling.percentile_tails(usable, 0.0))))

    def tails(self, null: float) -> Tails | None:
        if not self.replicates.vary:
            return None
        return Tails(*resampling.percentile_tails(self.replicates.usable, null))

    def limits(self, level: float) -> Limits:
        usable = self.replicates.usable.size
        if usable < 2:
            return None, UNDEFINED
        if not self.replicates.vary:
            return None, ALIKE
        if resampling.least_tail(usable) >= (1.0 - level) / 2.0:
            return None, f"{usable} usable resamples are too few for limits at this level"
        found = from_replicates(self.replicates.differences, self.difference, level, self.method)
        none = f"{method_title(self.method)} gives no limits here"
        return found, None if found is not None else none


def by_draws(difference: float, drawn: Replicates | str, method: str) -> Contrast:
    """The difference by its replicates, or why there are none."""
    return Unknown(drawn) if isinstance(drawn, str) else ByDraws(difference, drawn, method)


def by_groups(
    difference: float, left_out: Replicates | str, most: float, view: LabelView
) -> Contrast:
    """By the grouped jackknife: Student's t, limits at most ``most`` from 0."""
    if isinstance(left_out, str):
        return Unknown(left_out)
    found = grouped_jackknife.spread(left_out.differences, view)
    if found is None:
        return Unknown(FEW_GROUPS)
    error = found.error if left_out.vary else 0.0
    note = grouped_jackknife.undefined_in(left_out.differences)
    told = {"standard_error": found.error, "df": found.df, "groups": found.groups, "note": note}
    method = grouped_jackknife.METHOD
    return ByError(difference, error, found.df, method, most=most, told=told)
