"""Results of a run as small as a reader takes: with nothing measured, or a few records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evalreport.results.codec import decode, encode
from evalreport.results.lookup import Results
from evalreport.results.records import Provenance


def whole(at: str = "", **parts: Any) -> dict[str, Any]:
    """The least results, with these parts in place of their own."""
    least = Results(
        title="t", provenance=Provenance(at=at), rows=(), tables=(), measures=(), curves=(),
        comparisons=(), acceptance=(), cautions=(),
    )  # fmt: skip
    return {**encode(least), **parts}


def holding(**parts: Any) -> dict[str, Any]:
    """Results with these tables, measures and curves, each place with its account of rows."""
    placed = [record for part in ("tables", "measures", "curves") for record in parts.get(part, ())]
    places = sorted({(record["dataset"], record["model"]) for record in placed})
    rows = [
        {"dataset": dataset, "model": model, "read": 100, "used": 100, "excluded": []}
        for dataset, model in places
    ]
    return whole(**{"rows": rows, **parts})


def numbers_of(results: Mapping[str, Any]) -> Results:
    """The tables and measures of results made by hand, whose other parts may lack fields."""
    return decode(holding(tables=results["tables"], measures=results["measures"]))
