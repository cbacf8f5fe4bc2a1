"""Cautions: coded checks of what a reader could be misled by, with what to read instead."""

from __future__ import annotations

from evalreport.engine.cautions.facts import RunFacts
from evalreport.engine.cautions.find import find_cautions

__all__ = ["RunFacts", "find_cautions"]
