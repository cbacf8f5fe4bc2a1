"""A parameter of a metric: what a spec may write for it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Parameter:
    """One parameter of a metric as a spec may write it.

    ``choices`` lists allowed texts; ``low`` and ``high`` bound a number (``open_low``
    and ``open_high``: the bound itself is not allowed); ``required``: no default.
    """

    name: str
    type: type
    default: Any = None
    required: bool = False
    optional: bool = False
    choices: tuple[str, ...] = ()
    low: float = -math.inf
    high: float = math.inf
    open_low: bool = False
    open_high: bool = False
    meaning: str = ""

    def problem(self, value: Any) -> str | None:
        """What is wrong with ``value``, or None."""
        if value is None and self.optional:
            return None
        if self.choices:
            return None if value in self.choices else f"one of {', '.join(self.choices)}"
        if self.type is bool:
            return None if isinstance(value, bool) else "true or false"
        whole = self.type is int
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return "a whole number" if whole else "a number"
        if whole and not float(value).is_integer():
            return "a whole number"
        below = value <= self.low if self.open_low else value < self.low
        above = value >= self.high if self.open_high else value > self.high
        if below or above or not math.isfinite(value):
            return self.range_text()
        return None

    def range_text(self) -> str:
        """The allowed range in words."""
        parts = []
        if math.isfinite(self.low):
            parts.append(f"{'above' if self.open_low else 'at least'} {self.low:g}")
        if math.isfinite(self.high):
            parts.append(f"{'below' if self.open_high else 'at most'} {self.high:g}")
        return "a number " + " and ".join(parts) if parts else "a finite number"
