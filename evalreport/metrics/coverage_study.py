"""What the default intervals held in the coverage study, for the record of an interval.

``coverage_study.json`` beside this module is written by ``tests/benchmarks/coverage_grid.py``:
for 5 to 200 positives, four prevalences and four areas, the coverage in % of nominal 95 % limits
at each of three thresholds; and by ``coverage_samples.py`` there: for clusters and weighted rows,
and for differences and ratios: of two models on the same rows, of two datasets, of subgroups.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from evalreport.results.records import Held

_FILE = Path(__file__).with_name("coverage_study.json")


class _Place(NamedTuple):
    """Cells of one number of positives and prevalence, and what they held of a metric."""

    positives: int
    prevalence: float
    low: float
    high: float


#: Metrics that are a straight line of another, and held as often.
_LINES = {
    "gini": "roc_auc",
    "mann_whitney_u": "roc_auc",
    "balanced_error_rate": "balanced_accuracy",
    "youden_j": "balanced_accuracy",
    "error_rate": "accuracy",
    "fnr": "recall",
    "fpr": "specificity",
    "fdr": "precision",
    "false_omission_rate": "npv",
}

#: Of what was studied with few rows alone: nothing is told of so many times as many, or as few.
FARTHEST = 4.0

#: What the study drew beside independent rows of one model, and what it counts them by.
CLUSTERS, WEIGHTS = "clusters", "weights"
#: Differences: of two models on the same rows, of one model on two datasets, of two subgroups.
PAIRS, CLUSTERED_PAIRS, WEIGHTED_PAIRS = "pairs", "pairs in clusters", "pairs with weights"
TWO_SAMPLES, GROUPS = "two samples", "groups"
COUNTED = {
    "": "positives",
    CLUSTERS: "clusters",
    WEIGHTS: "positives with weights",
    PAIRS: "positives",
    CLUSTERED_PAIRS: "clusters",
    WEIGHTED_PAIRS: "positives with weights",
    TWO_SAMPLES: "positives in the smaller dataset",
    GROUPS: "positives in the smaller group",
}

#: What limits of two values are of, where it is not their difference; ends of names in the study.
RATIO, TO_ALL, RATIO_TO_ALL, WIDEST = " ratio", " to all", " ratio to all", " widest"


class Drawn(NamedTuple):
    """Rows as the study counts them: of which design, how many of each class, in how many clusters.

    ``design``: of independent rows of one value where empty.
    """

    positives: float
    negatives: float
    design: str = ""
    clusters: int = 0


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
        _Place(*place, round(min(own) / 100, 3), round(max(own) / 100, 3))
        for place, own in found.items()
        if own
    )


@cache
def _in_grid(metric: str) -> bool:
    return any(metric in cell["found"] for cell in _made()["cells"])


def _studied(metric: str, design: str, of: str) -> tuple[str, tuple[_Place, ...]]:
    """The name under which the study has limits of a metric, and its cells."""
    own = f"{metric}{of}"
    places = _places(own, design)
    if not places and metric in _LINES and not of.startswith(RATIO):
        own = f"{_LINES[metric]}{of}"
        places = _places(own, design)
    return own, places


def held(metric: str, drawn: Drawn, level: float, of: str = "") -> Held | None:
    """What the default of a metric held in the cells nearest in size and prevalence.

    Size is the number of positives, or of clusters. ``of``: :data:`RATIO`, :data:`TO_ALL`,
    :data:`RATIO_TO_ALL` or :data:`WIDEST`, else a value or a difference.

    None where the study has no such metric or nothing near, for other levels than 95 %, and
    without rows of either class.

    >>> held("f1", Drawn(9, 80), 0.95).cell
    '10 positives, prevalence 0.1'
    >>> held("f1", Drawn(9, 80), 0.9) is None, held("hamming_loss", Drawn(9, 80), 0.95) is None
    (True, True)
    """
    clustered = drawn.design in (CLUSTERS, CLUSTERED_PAIRS)
    positives, negatives = drawn.positives, drawn.negatives
    if level != 0.95 or positives <= 0 or negatives <= 0 or (clustered and drawn.clusters < 2):
        return None
    own, places = _studied(metric, drawn.design, of)
    if not places:
        return None
    size = math.log(drawn.clusters if clustered else positives)
    share = _logit(positives / (positives + negatives))

    def apart(place: _Place) -> tuple[float, float]:
        return abs(math.log(place.positives) - size), abs(_logit(place.prevalence) - share)

    near = min(places, key=apart)
    small = drawn.design or not _in_grid(own)
    if small and abs(math.log(near.positives) - size) > math.log(FARTHEST):
        return None
    cell = f"{near.positives} {COUNTED[drawn.design]}, prevalence {near.prevalence:g}"
    return Held(near.low, near.high, cell)


def _logit(share: float) -> float:
    return math.log(share / (1.0 - share))
