"""Specs and results of the same rows on several engines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evalreport import api

#: Cautions found from single rows: they are not given where rows are only counted.
ROW_CAUTIONS = {"confident_mistake", "clipped_probabilities", "not_probabilities"}


def spec_of(path: Path | str, model: dict[str, Any], **parts: Any) -> dict[str, Any]:
    """A spec of one dataset and one model; ``dataset`` and ``engine`` are merged in."""
    dataset = {"path": str(path), "target": "y", **parts.pop("dataset", {})}
    metrics = parts.pop("metrics", ["accuracy", "recall", "f1", "mcc", "kappa"])
    return {
        "evalreport": 1,
        "datasets": {"d": dataset},
        "models": {"m": model},
        "metrics": metrics,
        "confidence": {"resamples": 20},
        **parts,
    }


def run(spec: dict[str, Any], engine: str) -> dict[str, Any]:
    """Results of a spec, as plain data."""
    return dict(api.run(spec, engine=engine, at="2026-01-01T00:00:00Z").json)


def comparable(results: dict[str, Any]) -> dict[str, Any]:
    """What must not depend on the engine."""
    apart = ("provenance", "spec", "cautions")
    plain = {k: v for k, v in results.items() if k not in apart}
    plain["plan"] = {k: v for k, v in results["plan"].items() if k != "counted"}
    plain["cautions"] = [c for c in results["cautions"] if c["code"] not in ROW_CAUTIONS]
    return plain


def engine_of(results: dict[str, Any]) -> tuple[str, str]:
    """The engine of a run and the reason for it."""
    engine = results["provenance"]["engine"]
    return engine["name"], engine["reason"]
