"""Widths of intervals, and the rows that a wanted width would take, again."""

from __future__ import annotations

import math
from collections.abc import Mapping
from statistics import NormalDist
from typing import Any

from evalreport.errors import Problem
from evalreport.record.table_counts import number

_ROUNDING = 1e-9
_MALFORMED = (KeyError, TypeError, ValueError, AttributeError, ArithmeticError)


def width_problems(results: Mapping[str, Any]) -> list[Problem]:
    """Every record of ``sample_size`` that does not follow from its measure.

    Rows needed are checked for Wilson's method and for the square-root rule; those of the
    other methods of a share are taken as stated.
    """
    measures = {m["id"]: m for m in results["measures"]}
    found: list[Problem] = []
    for record in results.get("sample_size") or ():
        try:
            problems = _problems(record, measures[record["measure"]])
        except _MALFORMED as error:
            problems = [f"cannot be checked, it is malformed: {error!r}"]
        found += [Problem(f"sample_size of {record.get('measure')}: {what}") for what in problems]
    return found


def _problems(record: Mapping[str, Any], measure: Mapping[str, Any]) -> list[str]:
    interval = measure["interval"]
    width = float(number(interval["high"]) - number(interval["low"]))
    found = []
    for name, expected in (("width", width), ("half_width", width / 2), ("rows", measure["n"])):
        if not math.isclose(record[name], expected, rel_tol=_ROUNDING, abs_tol=1e-15):
            found.append(f"{name} is {record[name]!r}, its interval gives {expected!r}")
    needed = record.get("rows_needed")
    if needed is None:
        return found
    wanted = record["wanted_width"]
    if "denominator_needed" not in record:
        expected = measure["n"] * (width / wanted) ** 2
        if abs(needed - math.ceil(expected)) > 1:
            found.append(f"rows_needed is {needed!r}, its width gives {math.ceil(expected)!r}")
        return found
    below = record["denominator_needed"]
    rows = below * measure["n"] / measure["denominator"]
    if abs(needed - math.ceil(rows)) > 1:
        found.append(f"rows_needed is {needed!r}, {below!r} below the line give {rows!r}")
    if interval["method"] == "wilson":
        share, level = measure["numerator"] / measure["denominator"], interval["level"]
        widths = [_wilson(share, n, level) for n in (below, below - 1)]
        if widths[0] > wanted + _ROUNDING or (below > 1 and widths[1] < wanted - _ROUNDING):
            found.append(f"{below!r} rows below the line are not the fewest for {wanted!r}")
    return found


def _wilson(share: float, n: float, level: float) -> float:
    """The width of Wilson's interval; 1 without rows."""
    if n <= 0:
        return 1.0
    z = NormalDist().inv_cdf((1 + level) / 2)
    return 2 * z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
