"""The ready specs of `configs/`, each evaluated once for all tests of a process."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from evalreport.engine.prepared import Prepared
from evalreport.engine.read_and_plan import prepare
from evalreport.engine.run import evaluate
from evalreport.results.codec import encode
from evalreport.spec.load import load_spec

ROOT = Path(__file__).resolve().parents[1]
CONFIGS = sorted((ROOT / "configs").glob("*.yaml"))
AT = "2026-11-21T12:00:00Z"


@cache
def prepared(path: Path) -> Prepared:
    """The rows and the plan of a ready spec."""
    return prepare(load_spec(path))


@cache
def results_of(path: Path) -> dict[str, Any]:
    """Its results as they stand in results.json, but for the versions of the libraries."""
    results = encode(evaluate(prepared(path), AT))
    results["provenance"]["versions"] = {"python": "3"}
    return results
