"""OQ: cases whose answers others have given, worked by the installed code.

``cases.json`` holds for each case the rows or counts, the spec, and the answers: a value or
limits, each with its source (an R package with its version, a published table, work by hand) and
the tolerance within which it is to be met. ``tests/reference/make_cases.py`` writes it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from typing import Any

from evalreport.errors import EvalreportError
from evalreport.qualify.checks import FAILED, PASSED, Finding, Step
from evalreport.results.records import Interval, Measure

Json = Mapping[str, Any]


def reference(step: Step, at: str) -> Iterator[Finding]:
    """Every answer of every case, by the code that is installed."""
    cases = read_cases()
    step("working the reference cases", None)
    for case in cases:
        for run in case["runs"]:
            yield from _worked(case, run, at)


def read_cases() -> list[Json]:
    """The shipped cases."""
    data = (resources.files("evalreport") / "qualify" / "cases.json").read_bytes()
    return list(json.loads(data)["cases"])


def _worked(case: Json, run: Json, at: str) -> Iterator[Finding]:
    from evalreport.api.running import run as evaluate

    spec = dict(case["spec"])
    if run["methods"]:
        spec["confidence"] = {**spec.get("confidence", {}), "methods": run["methods"]}
    frames = {"d": case["columns"]} if case["columns"] else None
    try:
        measures = evaluate(spec, frames=frames, at=at).records.measures
    except EvalreportError as error:
        for answer in run["answers"]:
            yield _finding(case, answer, "nothing", FAILED, f"{case['id']}: {error}")
        return
    for answer in run["answers"]:
        yield _judged(case, answer, measures)


def _judged(case: Json, answer: Json, measures: Sequence[Measure]) -> Finding:
    found = next((m for m in measures if _is_meant(m, answer)), None)
    if found is None:
        return _finding(case, answer, "no such measure", FAILED, f"{_name(case, answer)}: missing")
    if "state" in answer:
        right = found.state == answer["state"] and bool(found.reason)
        told = f"{found.state}: {found.reason}"
    elif "value" in answer:
        right = found.state == "value" and _near(found.value, answer["value"], answer)
        told = _number(found.value)
    else:
        told, right = _limits(found.interval, answer)
    reason = "" if right else f"{_name(case, answer)}: found {told}"
    return _finding(case, answer, told, PASSED if right else FAILED, reason)


def _limits(interval: Interval | None, answer: Json) -> tuple[str, bool]:
    if interval is None or interval.method != answer["method"]:
        return "no interval by this method", False
    right = all(_near(getattr(interval, end), answer[end], answer) for end in ("low", "high"))
    return f"{_number(interval.low)} to {_number(interval.high)}", right


def _near(found: float | None, expected: float, answer: Json) -> bool:
    """Within the stated tolerance: absolute, or relative to the expected value."""
    if found is None:
        return False
    allowed = max(answer["tolerance"]["abs"], answer["tolerance"]["rel"] * abs(expected))
    return math.isclose(found, expected, rel_tol=0.0, abs_tol=allowed)


def _is_meant(measure: Measure, answer: Json) -> bool:
    return measure.fold is None and all(
        getattr(measure, name) == value for name, value in answer["of"].items()
    )


def _finding(case: Json, answer: Json, found: str, outcome: str, reason: str) -> Finding:
    return Finding(
        answer["requirement"],
        _name(case, answer),
        _expected(answer),
        found,
        outcome,
        answer["source"],
        reason,
    )


def _name(case: Json, answer: Json) -> str:
    of = answer["of"]
    params = [f"{key} {value}" for key, value in sorted(of.get("params", {}).items())]
    place = [str(of[key]) for key in ("average", "label", "model") if of.get(key) is not None]
    at = [] if of.get("threshold") is None else [f"at {of['threshold']:g}"]
    limits = [answer["method"]] if "method" in answer else []
    return ", ".join([case["id"], of["metric"], *params, *place, *at, *limits])


def _expected(answer: Json) -> str:
    if "state" in answer:
        return f"{answer['state']}, with a reason"
    tolerance = answer["tolerance"]
    relative = f"{tolerance['rel']:g} of it" if tolerance["rel"] else ""
    allowed = " or ".join(
        p for p in (f"{tolerance['abs']:g}" * bool(tolerance["abs"]), relative) if p
    )
    if "value" in answer:
        return f"{_number(answer['value'])} within {allowed}"
    return f"{_number(answer['low'])} to {_number(answer['high'])} within {allowed}"


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:.10g}"
