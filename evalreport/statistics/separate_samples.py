"""The same number of two separate samples, from what was recorded of each: now minus then.

Nothing but the two recorded values, counts and limits is needed, so that runs made
months apart can be compared without their data.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from evalreport.statistics.interval import Interval
from evalreport.statistics.unpaired import newcombe_hybrid, two_proportion_z

#: Metrics that are one count of rows over another; of others the fraction is no binomial share.
SHARES = (
    "accuracy", "error_rate", "recall", "specificity", "precision", "npv", "fpr", "fnr", "fdr",
    "false_omission_rate", "prevalence", "predicted_prevalence", "selection_rate",
    "detection_rate", "top_k_accuracy", "exact_match",
)  # fmt: skip
#: Intervals of a share of independent rows; clusters, weights and folds have others.
BINOMIAL = (
    "wilson", "clopper_pearson", "agresti_coull", "jeffreys", "wald", "wilson_cc", "wald_cc",
    "mid_p", "likelihood_ratio", "logit",
)  # fmt: skip


@dataclass(frozen=True)
class Estimate:
    """A recorded value: its limits at ``level``, and its counts where rows are independent."""

    value: float
    low: float | None = None
    high: float | None = None
    level: float | None = None
    fraction: tuple[int, int] | None = None


@dataclass(frozen=True)
class Shift:
    """Now minus then; ``reason`` says why there is no interval."""

    difference: float
    interval: Interval | None = None
    level: float | None = None
    method: str | None = None
    test: str | None = None
    statistic: float | None = None
    p_value: float | None = None
    reason: str | None = None

    @property
    def beyond_chance(self) -> bool | None:
        """Whether the interval leaves out 0; None without an interval."""
        if self.interval is None:
            return None
        return not self.interval.low <= 0.0 <= self.interval.high


def series_key(record: Mapping[str, Any]) -> str:
    """What makes two measures of different runs the same number, as text that sorts.

    A threshold found by a rule may move between runs: the rule is what stays.
    """
    rule = record.get("threshold_rule")
    parts = [
        record.get("dataset"),
        record.get("model"),
        sorted((record.get("subgroup") or {}).items()),
        record.get("fold"),
        record.get("metric"),
        sorted((record.get("params") or {}).items()),
        record.get("average"),
        record.get("label"),
        rule if rule is not None else record.get("threshold"),
        record.get("indeterminate"),
    ]
    return json.dumps(parts, ensure_ascii=False, sort_keys=True)


def estimate_of(record: Mapping[str, Any]) -> Estimate | None:
    """What a measure of ``results.json`` says; None unless its state is ``value``.

    >>> estimate_of({"metric": "recall", "state": "value", "value": 0.5, "n": 4,
    ...              "interval": {"method": "wilson", "low": 0.1, "high": 0.9, "level": 0.95},
    ...              "numerator": 1, "denominator": 2}).fraction
    (1, 2)
    """
    value = record.get("value")
    if record.get("state") != "value" or value is None:
        return None
    limits = record.get("interval") or {}
    return Estimate(
        float(value),
        limits.get("low"),
        limits.get("high"),
        limits.get("level"),
        _share(record, limits.get("method")),
    )


def _share(record: Mapping[str, Any], method: Any) -> tuple[int, int] | None:
    """The counts of a share of independent rows; None for anything else."""
    top, bottom = record.get("numerator"), record.get("denominator")
    if type(top) is not int or type(bottom) is not int or "weight" in record:
        return None
    # a micro average over one-versus-rest tables counts each row more than once
    of_rows = record.get("metric") in SHARES and 0 <= top <= bottom <= (record.get("n") or 0)
    plain = record.get("average") in (None, "micro") and method in BINOMIAL
    return (top, bottom) if of_rows and plain and bottom > 0 else None


def shift(now: Estimate, then: Estimate) -> Shift:
    """Now minus then of independent samples, with its interval where one can be had.

    Two proportions: Newcombe 1998, method 10, with the pooled z test. Other values:
    square-and-add of their own intervals (Zou and Donner 2008, MOVER), which need
    not be symmetric.

    >>> found = shift(Estimate(0.8, 0.7, 0.9, 0.95), Estimate(0.6, 0.5, 0.7, 0.95))
    >>> [round(limit, 4) for limit in found.interval], found.beyond_chance
    ([0.0586, 0.3414], True)
    """
    difference = _difference(now, then)
    if now.level is None or then.level is None:
        which = "both" if now.level is then.level else "one"
        return Shift(difference, reason=f"no interval of {which} to go by")
    if now.level != then.level:
        return Shift(difference, reason=f"levels differ: {now.level:g} and {then.level:g}")
    if now.fraction is not None and then.fraction is not None:
        return _of_proportions(difference, now.fraction, then.fraction, now.level)
    interval = square_and_add(now, then)
    if interval is None:
        return Shift(difference, reason="a limit is missing")
    return Shift(difference, interval, now.level, "square_and_add")


def exact_difference(now: Mapping[str, Any], then: Mapping[str, Any]) -> float:
    """The difference of two recorded values, in fractions where both are fractions of counts.

    >>> one = {"value": 0.85, "numerator": 17, "denominator": 20}
    >>> two = {"value": 0.9, "numerator": 18, "denominator": 20}
    >>> exact_difference(one, two), 0.85 - 0.9
    (-0.05, -0.050000000000000044)
    """
    fractions = [_fraction(record) for record in (now, then)]
    if fractions[0] is not None and fractions[1] is not None:
        return float(fractions[0] - fractions[1])
    return float(now["value"]) - float(then["value"])


def _fraction(record: Mapping[str, Any]) -> Fraction | None:
    top, bottom = record.get("numerator"), record.get("denominator")
    if type(top) is not int or type(bottom) is not int or bottom == 0:
        return None
    found = Fraction(top, bottom)
    return found if float(found) == record["value"] else None


def square_and_add(now: Estimate, then: Estimate) -> Interval | None:
    """Limits of a difference from the limits of both values; None where one is missing."""
    if now.low is None or now.high is None or then.low is None or then.high is None:
        return None
    difference = now.value - then.value
    down = math.hypot(now.value - now.low, then.high - then.value)
    up = math.hypot(now.high - now.value, then.value - then.low)
    return Interval(difference - down, difference + up)


def _difference(now: Estimate, then: Estimate) -> float:
    if now.fraction is not None and then.fraction is not None:
        return float(Fraction(*now.fraction) - Fraction(*then.fraction))
    return now.value - then.value


def _of_proportions(
    difference: float, now: tuple[int, int], then: tuple[int, int], level: float
) -> Shift:
    interval = newcombe_hybrid(*now, *then, level)
    test = two_proportion_z(*now, *then)
    if test is None:
        # all rows, or none, succeed on both sides: the values are equal
        return Shift(difference, interval, level, "newcombe_hybrid", "two_proportion_z", None, 1.0)
    return Shift(
        difference, interval, level, "newcombe_hybrid", "two_proportion_z", test.statistic,
        test.p_value,
    )
