"""Short runs for the tests of traps."""

from __future__ import annotations

from typing import Any

import evalreport


def results_of(
    columns: Any, model: dict[str, Any], metrics: list[Any], **more: Any
) -> dict[str, Any]:
    """The results of one dataset ``d`` and model ``m``; ``more`` goes into the spec."""
    spec = {
        "evalreport": 1,
        "title": "trap",
        "datasets": {"d": {"target": "y", **more.pop("dataset", {})}},
        "models": {"m": model, **more.pop("models", {})},
        "metrics": metrics,
        **more,
    }
    frames = None if columns is None else {"d": columns}
    return dict(evalreport.run(spec, frames=frames, at="2026-01-01T00:00:00Z").json)


def measures_of(columns: Any, model: dict[str, Any], metrics: list[Any], **more: Any) -> Any:
    """The measures of such a run."""
    return results_of(columns, model, metrics, **more)["measures"]


def one(found: Any, metric: str, **where: Any) -> dict[str, Any]:
    """The only measure of a metric that fits; all rows unless a subgroup is named."""
    measures = found["measures"] if isinstance(found, dict) else found
    fits = [
        m
        for m in measures
        if m["metric"] == metric
        and m["subgroup"] == where.get("subgroup", {})
        and all(m[key] == value for key, value in where.items())
        and ("model" in where or m["model"] == "m")
    ]
    assert len(fits) == 1, [(m["metric"], m["average"], m["label"], m["fold"]) for m in fits]
    return dict(fits[0])
