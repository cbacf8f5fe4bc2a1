"""What the default intervals held in the coverage study, for the record of an interval.

``coverage_study.json`` beside this module is written by ``tests/benchmarks/coverage_grid.py``:
for 5 to 200 positives, four prevalences and four areas, the coverage in % of nominal 95 % limits
at each of three thresholds.
"""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

_FILE = Path(__file__).with_name("coverage_study.json")


class _Place(NamedTuple):
    """Cells of one number of positives and prevalence, and what they held of a metric."""

    positives: int
    prevalence: float
    told: str


@cache
def _made() -> Any:
    return json.loads(_FILE.read_text(encoding="utf-8"))["cells"]


@cache
def _places(metric: str) -> tuple[_Place, ...]:
    """What the study held of a metric, over areas and thresholds; empty where it has none."""
    found: dict[tuple[int, float], list[float]] = {}
    for cell in _made():
        own = [pair[0] for pair in cell["found"].get(metric, ()) if pair]
        found.setdefault((cell["positives"], cell["prevalence"]), []).extend(own)
    return tuple(
        _Place(*place, f"held {min(own):.1f} to {max(own):.1f} % in the coverage study")
        for place, own in found.items()
        if own
    )


def held(metric: str, positives: float, negatives: float, level: float) -> str | None:
    """What the default of a metric held in the cells nearest in positives and prevalence.

    None where the study has no such metric, for other levels than 95 %, and without rows of
    either class.

    >>> held("f1", 9, 80, 0.95).startswith("held ")
    True
    >>> held("f1", 9, 80, 0.9) is None, held("hamming_loss", 9, 80, 0.95) is None
    (True, True)
    """
    if level != 0.95 or positives <= 0 or negatives <= 0:
        return None
    places, size = _places(metric), math.log(positives)
    share = _logit(positives / (positives + negatives))

    def apart(place: _Place) -> tuple[float, float]:
        return abs(math.log(place.positives) - size), abs(_logit(place.prevalence) - share)

    if not places:
        return None
    near = min(places, key=apart)
    return f"{near.told} at {near.positives} positives, prevalence {near.prevalence:g}"


def _logit(share: float) -> float:
    return math.log(share / (1.0 - share))
