"""What a measure of ``results.json`` says, for comparison with the same one of another run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from evalreport.metrics.catalogue import find
from evalreport.metrics.declare import Interval, Table
from evalreport.statistics.separate_samples import Estimate


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
    metric = find(str(record.get("metric")))
    if metric is None or metric.interval is not Interval.PROPORTION or metric.table is Table.MATRIX:
        return None
    # a micro average over one-versus-rest tables counts each row more than once
    of_rows = 0 <= top <= bottom <= (record.get("n") or 0)
    # clusters, weights and folds have intervals of other names
    binomial = method in Interval.PROPORTION.value
    plain = binomial and record.get("average") in (None, "micro")
    return (top, bottom) if of_rows and plain and bottom > 0 else None


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
