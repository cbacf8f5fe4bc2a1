"""Results without numbers that are none: what left the range of doubles is told, not written.

Scores near 1.8e308 or 5e-324 are numbers, and so is most of what is computed from them. Where
a square or a quotient of them is not, no JSON can hold it: it becomes a null, and its part of
the results is recorded as failed.
"""

from __future__ import annotations

import json
import math
from dataclasses import fields, replace
from typing import Any

from evalreport.metrics.formula import BEYOND
from evalreport.results.codec import decode_readable, encode
from evalreport.results.lookup import Results
from evalreport.results.records import Failure, Measure


def finite(results: Results) -> Results:
    """The results with null in place of what is no number, and a failure for each part with such.

    A measure whose value is no number becomes undefined, with the reason; an interval without
    both limits becomes none; a record that cannot do without the number is left out. What is
    sound is given as it is.
    """
    plain = encode(results)
    try:
        json.dumps(plain, allow_nan=False)
    except ValueError:
        pass
    else:
        return results
    lost: list[str] = []
    clean = decode_readable(Results, _without_odd(plain, "", lost))
    assert clean is not None
    failures = []
    for part in fields(Results):
        own = [place for place in lost if place.split("[")[0].split(".")[0] == part.name]
        if own:
            many = f"{len(own)} number{'s' if len(own) > 1 else ''}"
            verb = "leave" if len(own) > 1 else "leaves"
            reason = f"{many} {verb} the range of numbers, first at {own[0]}"
            failures.append(Failure(part.name, reason))
    return replace(
        clean,
        measures=tuple(_undefined(one) for one in clean.measures),
        failures=(*clean.failures, *failures),
    )


def _without_odd(value: Any, place: str, lost: list[str]) -> Any:
    """Plain data with null for numbers that JSON cannot hold; their places go to a list."""
    if isinstance(value, dict):
        return {
            key: _without_odd(one, f"{place}.{key}" if place else key, lost)
            for key, one in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [_without_odd(one, f"{place}[{k}]", lost) for k, one in enumerate(value)]
    if not isinstance(value, float):
        return value
    if math.isfinite(value):
        return float(value)
    lost.append(place)
    return None


def _undefined(measure: Measure) -> Measure:
    """A measure whose value was no number as an undefined one."""
    if measure.state != "value" or measure.value is not None:
        return measure
    changes: dict[str, Any] = {"state": "undefined", "reason": BEYOND, "interval": None}
    return replace(measure, **changes)
