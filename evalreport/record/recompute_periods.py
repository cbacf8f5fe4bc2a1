"""The course of every measure over periods again, from the measures in results.json alone.

Values must be those of the measures, control limits and tests of shares of rows
follow from their counts, limits of other values from the values before them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from evalreport.errors import Problem

TOLERANCE = 1e-9
_MALFORMED = (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError)


def period_problems(results: Mapping[str, Any]) -> list[Problem]:
    """What of the records of periods is not as the measures say; never raises."""
    found: list[Problem] = []
    try:
        measures = {m["id"]: m for m in results["measures"]}
        records = list(results.get("periods") or ())
    except _MALFORMED as error:
        return [Problem(f"periods cannot be checked: {error!r}")]
    for number, record in enumerate(records, start=1):
        try:
            problems = [*_of(record, measures)]
        except _MALFORMED as error:
            problems = [f"cannot be checked, it is malformed: {error!r}"]
        found += [Problem(f"periods, record {number}: {what}") for what in problems]
    return found


def _of(record: Mapping[str, Any], measures: Mapping[str, Any]) -> Iterator[str]:
    own = [measures[name] for name in record["measures"]]
    if record["values"] != [m["value"] for m in own]:
        yield "its values are not those of its measures"
    column = record["column"]
    if record["periods"] != [m["subgroup"][column] for m in own]:
        yield "its periods are not those of its measures"
    if record["periods"] != sorted(set(record["periods"])):
        yield "its periods are not in order"
    yield from _limits(own, record.get("limits") or ())
    yield from _tests(record, [m for m in own if m["state"] == "value"])


def _limits(own: Sequence[Mapping[str, Any]], limits: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    before: list[Mapping[str, Any]] = []
    for measure, told in zip(own, limits, strict=bool(limits)):
        expected = None
        if told["chart"] == "p":
            expected = _share_limits(measure, before)
        elif told["chart"] is not None:
            expected = _value_limits([float(m["value"]) for m in before])
        if expected is not None:
            yield from _held(measure, told, expected)
        if measure["state"] == "value":
            before.append(measure)


def _held(
    measure: Mapping[str, Any], told: Mapping[str, Any], expected: tuple[float, float, float]
) -> Iterator[str]:
    centre, low, high = expected
    place = f"of {measure['id']}"
    if not _near(told["centre"], centre):
        yield f"the centre {place} is {told['centre']!r}, the periods before give {centre!r}"
    # limits may be cut where the values of a metric end, and then lie further in
    if not (_near(told["low"], low) or told["low"] > low) or not (
        _near(told["high"], high) or told["high"] < high
    ):
        yield f"the control limits {place} are wider than the periods before give"
    if told["signal"] is not (not told["low"] <= measure["value"] <= told["high"]):
        yield f"whether {measure['id']} is outside its control limits is not as they say"


def _share_limits(
    measure: Mapping[str, Any], before: Sequence[Mapping[str, Any]]
) -> tuple[float, float, float]:
    top, bottom = (sum(int(m[key]) for m in before) for key in ("numerator", "denominator"))
    pooled = Fraction(top, bottom)
    half = 3.0 * math.sqrt(pooled * (1 - pooled) / int(measure["denominator"]))
    return float(pooled), max(float(pooled) - half, 0.0), min(float(pooled) + half, 1.0)


def _value_limits(values: Sequence[float]) -> tuple[float, float, float]:
    centre = sum(map(Fraction, values)) / len(values)
    moving = sum(abs(Fraction(b) - Fraction(a)) for a, b in pairwise(values)) / (len(values) - 1)
    half = 3.0 * float(moving) * math.sqrt(math.pi) / 2.0
    return float(centre), float(centre) - half, float(centre) + half


def _tests(record: Mapping[str, Any], own: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if record["change_test"] != "chi_square":
        return
    pairs = [(int(m["numerator"]), int(m["denominator"])) for m in own]
    hits, rows = (sum(pair[k] for pair in pairs) for k in (0, 1))
    p = Fraction(hits, rows)
    spread = p * (1 - p)
    change = sum((x - n * p) ** 2 / (n * spread) for x, n in pairs)
    if not _near(record["change_statistic"], float(change)):
        yield f"its test of a change gives {float(change)!r}, not {record['change_statistic']!r}"
    score = sum(t * (x - n * p) for t, (x, n) in enumerate(pairs))
    first, second = (sum(n * t**power for t, (_, n) in enumerate(pairs)) for power in (1, 2))
    trend = float(score) / math.sqrt(spread * (second - Fraction(first * first, rows)))
    if not _near(record["trend_statistic"], trend):
        yield f"its test of a trend gives {trend!r}, not {record['trend_statistic']!r}"


def _near(told: Any, expected: float) -> bool:
    return abs(float(told) - expected) <= TOLERANCE * max(1.0, abs(expected))
