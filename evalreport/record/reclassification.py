"""Net reclassification of results.json again, from the rows that moved."""

from __future__ import annotations

import math
from collections.abc import Mapping
from statistics import NormalDist
from typing import Any

from evalreport.errors import Problem
from evalreport.record.table_counts import number

_ROUNDING = 1e-9
_MALFORMED = (KeyError, TypeError, ValueError, AttributeError, ArithmeticError)


def reclassification_problems(results: Mapping[str, Any]) -> list[Problem]:
    """Every number of ``reclassification`` that does not follow from its counts.

    Intervals are checked where rows are independent and unweighted.
    """
    found: list[Problem] = []
    for place, record in enumerate(results.get("reclassification") or ()):
        try:
            problems = _problems(record)
        except _MALFORMED as error:
            problems = [f"cannot be checked, it is malformed: {error!r}"]
        found += [Problem(f"reclassification record {place}: {what}") for what in problems]
    return found


def _problems(record: Mapping[str, Any]) -> list[str]:
    if record["net"] is None:
        return [] if record["reason"] else ["no value, and no reason is given"]
    found, nets, variances = [], [], []
    for name, sign in (("events", 1), ("nonevents", -1)):
        part = record[name]
        n, up, down = (float(number(part[key])) for key in ("n", "up", "down"))
        net = sign * (up - down) / n
        variance = ((up + down) / n - net**2) / n
        found += _differs(f"{name}, net", part["net"], net)
        found += _limits(f"{name}, ", part["interval"], net, variance)
        nets.append(net)
        variances.append(variance)
    found += _differs("net", record["net"], sum(nets))
    return found + _limits("", record["interval"], sum(nets), sum(variances))


def _limits(
    name: str, interval: Mapping[str, Any] | None, net: float, variance: float
) -> list[str]:
    if interval is None or interval["method"] != "wald":
        return []
    most = 1.0 if name else 2.0
    half = NormalDist().inv_cdf((1 + interval["level"]) / 2) * math.sqrt(variance)
    return [
        *_differs(f"{name}lower limit", interval["low"], max(net - half, -most)),
        *_differs(f"{name}upper limit", interval["high"], min(net + half, most)),
    ]


def _differs(name: str, stated: float, expected: float) -> list[str]:
    if math.isclose(stated, expected, rel_tol=_ROUNDING, abs_tol=_ROUNDING):
        return []
    return [f"{name} is {stated!r}, its counts give {expected!r}"]
