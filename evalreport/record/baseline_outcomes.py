"""Whether what is said of models and baselines follows from the numbers beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from evalreport.errors import Problem
from evalreport.record.hashing import canonical_json

_MALFORMED = (KeyError, TypeError, ValueError, AttributeError)
_METRIC = ("dataset", "baseline", "metric", "params", "average", "label")


def baseline_problems(results: Mapping[str, Any]) -> list[Problem]:
    """What in ``against_baselines`` does not follow from measures and baselines; never raises."""
    try:
        measures = {m["id"]: m for m in results["measures"]}
        values = {_key(b): b["value"] for b in results.get("baselines") or () if "label" in b}
        return [
            Problem(f"{record['model']} against {record['baseline']}, {record['metric']}: {what}")
            for record in results.get("against_baselines") or ()
            for what in _wrong(record, measures, values)
        ]
    except _MALFORMED as error:
        return [Problem(f"against_baselines cannot be checked, it is malformed: {error!r}")]


def _key(record: Mapping[str, Any]) -> bytes:
    return canonical_json([record[name] for name in _METRIC])


def _wrong(
    record: Mapping[str, Any], measures: Mapping[str, Any], values: Mapping[bytes, Any]
) -> Iterator[str]:
    measure = measures[record["measure"]]
    if record["value"] != measure["value"]:
        yield f"value is {record['value']!r}, its measure says {measure['value']!r}"
    if record["baseline_value"] != values.get(_key(record)):
        yield f"the value of the baseline is {record['baseline_value']!r}, its own record differs"
    interval, against = record["interval"], record["baseline_value"]
    if record["baseline"] == "previous":
        against = 0
    elif interval is not None and _limits(interval) != _limits(measure["interval"]):
        yield "the interval is not that of its measure"
    if record["outcome"] == "not_judged":
        return
    above, below = interval["low"] > against, interval["high"] < against
    if record["goal"] == "minimize":
        above, below = below, above
    expected = "better" if above else "worse" if below else "not_shown"
    if record["outcome"] != expected:
        yield f"outcome is {record['outcome']}, the interval says {expected}"


def _limits(interval: Mapping[str, Any]) -> tuple[Any, Any]:
    return interval["low"], interval["high"]
