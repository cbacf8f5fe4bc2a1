"""What the default intervals held in the coverage study, for the record of an interval.

``coverage_study.json`` beside this module is written by ``tests/benchmarks/coverage_grid.py``:
for 5 to 200 positives, four prevalences and four areas, the coverage in % of nominal 95 % limits
at each of three thresholds; and by ``coverage_samples.py`` there: for clusters, weighted rows and
differences of two models.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

_FILE = Path(__file__).with_name("coverage_study.json")


class _Place(NamedTuple):
    """Cells of one number of positives and prevalence, and what they held of a metric."""

    positives: int
    prevalence: float
    told: str


#: Metrics that are a straight line of another, and held as often.
_LINES = {
    "gini": "roc_auc",
    "mann_whitney_u": "roc_auc",
    "balanced_error_rate": "balanced_accuracy",
    "error_rate": "accuracy",
    "fnr": "recall",
    "fpr": "specificity",
    "fdr": "precision",
}

#: Of what was studied with few rows alone: nothing is told of so many times as many, or as few.
FARTHEST = 4.0

#: What the study drew beside independent rows of one model, and what it counts them by.
CLUSTERS, WEIGHTS, PAIRS = "clusters", "weights", "pairs"
_COUNTED = {
    "": "positives",
    CLUSTERS: "clusters",
    WEIGHTS: "positives with weights",
    PAIRS: "positives",
}


@cache
def _made() -> Any:
    return json.loads(_FILE.read_text(encoding="utf-8"))


def _cells(metric: str, design: str) -> Iterator[tuple[int, float, list[float]]]:
    """Units, prevalence and coverages of every cell that has the metric."""
    if not design:
        for cell in _made()["cells"]:
            own = [pair[0] for pair in cell["found"].get(metric, ()) if pair]
            yield cell["positives"], cell["prevalence"], own
    for one in _made().get("samples", ()):
        drawn, units, prevalence, *_ = one["cell"]
        # of pairs of models the first has been held alone as well, for what is drawn slowly
        name = f"{metric} alone" if not design and drawn == PAIRS else metric
        if (drawn == design or (not design and drawn == PAIRS)) and name in one["found"]:
            yield units, prevalence, [one["found"][name][0]]


@cache
def _places(metric: str, design: str) -> tuple[_Place, ...]:
    """What the study held of a metric, over areas and thresholds; empty where it has none."""
    found: dict[tuple[int, float], list[float]] = {}
    for units, prevalence, own in _cells(metric, design):
        found.setdefault((units, prevalence), []).extend(own)
    return tuple(
        _Place(*place, f"held {min(own):.1f} to {max(own):.1f} % in the coverage study")
        for place, own in found.items()
        if own
    )


def held(
    metric: str,
    positives: float,
    negatives: float,
    level: float,
    design: str = "",
    clusters: int = 0,
) -> str | None:
    """What the default of a metric held in the cells nearest in positives and prevalence.

    ``design``: of independent rows where empty, else :data:`CLUSTERS`, counted by how many
    there are, :data:`WEIGHTS`, or :data:`PAIRS`: the difference of two models.

    None where the study has no such metric, for other levels than 95 %, and without rows of
    either class.

    >>> held("f1", 9, 80, 0.95).startswith("held ")
    True
    >>> held("f1", 9, 80, 0.9) is None, held("hamming_loss", 9, 80, 0.95) is None
    (True, True)
    """
    if level != 0.95 or positives <= 0 or negatives <= 0 or (design == CLUSTERS and clusters < 2):
        return None
    places = _places(_LINES.get(metric, metric), design)
    size = math.log(clusters if design == CLUSTERS else positives)
    share = _logit(positives / (positives + negatives))

    def apart(place: _Place) -> tuple[float, float]:
        return abs(math.log(place.positives) - size), abs(_logit(place.prevalence) - share)

    if not places:
        return None
    near = min(places, key=apart)
    small = design or not any(
        _LINES.get(metric, metric) in cell["found"] for cell in _made()["cells"]
    )
    if small and abs(math.log(near.positives) - size) > math.log(FARTHEST):
        return None
    counted = _COUNTED[design]
    return f"{near.told} at {near.positives} {counted}, prevalence {near.prevalence:g}"


def _logit(share: float) -> float:
    return math.log(share / (1.0 - share))
