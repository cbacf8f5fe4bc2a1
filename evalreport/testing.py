"""Gate a model's own tests on a spec: the criteria of a report as an assertion.

from evalreport.testing import assert_accepts

def test_model_is_good_enough(predictions):
    assert_accepts("audit.yaml", frames={"holdout": predictions})
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from evalreport.api import Results, run
from evalreport.errors import Problem, UsageError
from evalreport.lines import one_line
from evalreport.results.lookup import Results as Records
from evalreport.results.records import CONTINUE, HELD, Criterion

#: Reports are not written, so their clock says nothing; a fixed one keeps results alike.
CLOCK = "1970-01-01T00:00:00Z"


def assert_accepts(
    spec: str | os.PathLike[str] | Mapping[str, Any],
    *,
    frames: Mapping[str, Any] | None = None,
    overrides: tuple[str, ...] = (),
    engine: str = "auto",
) -> Results:
    """Evaluate a spec and assert that every acceptance criterion passes; the results.

    A criterion that could not be evaluated, or a section that failed, is no pass.
    Arguments are those of :func:`evalreport.run`. Raises AssertionError with every
    criterion that did not pass, the counts it comes from and the cautions beside it;
    UsageError when the spec has no criterion, so that nothing passes by asking nothing.

    >>> rows = {"y": ["cat", "dog"] * 20, "p": ["cat", "dog"] * 19 + ["dog", "dog"]}
    >>> spec = {"evalreport": 1, "datasets": {"d": {"target": "y"}},
    ...         "models": {"m": {"prediction": "p"}}, "metrics": ["recall"],
    ...         "acceptance": [{"metric": "specificity", "at_least": 0.99}]}
    >>> assert_accepts(spec, frames={"d": rows})
    Traceback (most recent call last):
    AssertionError: 1 of 1 criteria did not pass:
    - specificity >= 0.99 (d, m): fail, observed 0.95 = 19 / (19 + 1), required 0.99
        caution ...
    """
    # pytest shows the assertion where it was made, not here
    __tracebackhide__ = True
    results = run(spec, frames=frames, overrides=overrides, engine=engine, at=CLOCK)
    found = results.records
    if not found.acceptance and not found.failures:
        hint = "acceptance: limits, such as - {metric: recall, at_least: 0.9}"
        what = "the spec has no acceptance criteria, so it accepts anything"
        raise UsageError(Problem(what, hint))
    told = [_told(e, found) for e in found.acceptance if e.outcome not in (*HELD, CONTINUE)]
    lines = [f"{len(told)} of {len(found.acceptance)} criteria did not pass:"] if told else []
    lines += told
    lines += [one_line(f"- FAILED {one.section}: {one.reason}") for one in found.failures]
    if lines:
        raise AssertionError("\n".join(lines))
    return results


def _told(entry: Criterion, results: Records) -> str:
    place = [str(entry.dataset), str(entry.model)]
    place += [f"{column} = {value}" for column, value in entry.subgroup.items()]
    if entry.threshold is not None:
        place.append(f"threshold {entry.threshold:g}")
    head = f"- {entry.text} ({', '.join(place)}): "
    if entry.outcome != "fail" or entry.observed is None or entry.required is None:
        return f"{head}{entry.outcome.replace('_', ' ')}, {entry.reason}"
    text = f"{head}fail, observed {entry.observed:.6g}"
    measure = results.measure(entry.measure) if entry.measure is not None else None
    if measure is not None and measure.substituted and entry.bound == "point":
        text += f" = {measure.substituted}"
    text += f", required {entry.required:.6g}"
    codes = [
        f"{caution.code}: {caution.message}"
        for caution in results.cautions
        if caution.measure == entry.measure and entry.measure is not None
    ]
    return "\n".join(map(one_line, [text, *(f"    caution {code}" for code in codes)]))
