"""Comparisons and cautions of a run, from what has been computed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evalreport.engine.run import Working


def comparisons_of(working: Working) -> list[dict[str, Any]]:
    """Comparisons of models, or of datasets, as the spec asks for them."""
    return []


def cautions_of(
    working: Working, comparisons: list[dict[str, Any]], acceptance: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Every caution that applies to this run."""
    return []
