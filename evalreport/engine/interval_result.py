"""An interval as a method gives it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class IntervalResult:
    """Limits with the method that made them; ``note`` names a fallback or a condition."""

    level: float
    low: float
    high: float
    method: str
    note: str | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """As it stands in ``results.json``."""
        return {
            "level": self.level,
            "low": self.low,
            "high": self.high,
            "method": self.method,
            **({"note": self.note} if self.note else {}),
            **self.facts,
        }
