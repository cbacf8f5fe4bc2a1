"""What the default intervals held in the coverage study, for the record of an interval.

``coverage_study.json`` beside this module holds, for places of a size, a share and a design, the
coverage in % of nominal 95 % limits of each metric. ``places`` are of values, of two classes, of
several and of sets of labels, with the true value beside each coverage; ``samples`` are of
differences and ratios: of two models on the same rows, of two datasets, of subgroups. A sample
whose value has no limits is one in which they did not hold. The file is written by
``coverage_grid.py``, ``coverage_classes.py`` and ``coverage_samples.py`` of ``tests/benchmarks``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from evalreport.metrics.catalogue import find
from evalreport.metrics.properties import same_number
from evalreport.results.records import Held, Interval

_FILE = Path(__file__).with_name("coverage_study.json")


class _Entry(NamedTuple):
    """The coverage in % of one cell, and its true value, or of a difference those of both sides."""

    coverage: float
    truth: float | None
    sides: tuple[float, float] | None = None


class _Place(NamedTuple):
    """Cells of one size and share: of several areas and thresholds."""

    size: int
    share: float
    entries: tuple[_Entry, ...]


class _Line(NamedTuple):
    """A metric that is a straight line of another, and held as often: ``start`` + slope times it.

    ``slope``: None for the number of pairs.
    """

    of: str
    slope: float | None = 1.0
    start: float = 0.0


_LINES = {
    "gini": _Line("roc_auc", 2.0, -1.0),
    "mann_whitney_u": _Line("roc_auc", None),
    "youden_j": _Line("balanced_accuracy", 2.0, -1.0),
    "balanced_error_rate": _Line("balanced_accuracy", -1.0, 1.0),
    "error_rate": _Line("accuracy", -1.0, 1.0),
    "fnr": _Line("recall", -1.0, 1.0),
    "fpr": _Line("specificity", -1.0, 1.0),
    "fdr": _Line("precision", -1.0, 1.0),
    "false_omission_rate": _Line("npv", -1.0, 1.0),
    # without a parameter of its own it is F1, and any share of all rows is as good as another
    "fbeta": _Line("f1"),
    # of the same rows: the share of positives in the top tenth, ten times that of all rows
    "lift": _Line("gain", 10.0),
    "top_k_accuracy": _Line("accuracy"),
    **dict.fromkeys(
        ("prevalence", "predicted_prevalence", "selection_rate", "detection_rate"),
        _Line("accuracy"),
    ),
    "one_error": _Line("exact_match", -1.0, 1.0),
}

#: Of what was studied with few rows alone: nothing is told of so many times as many, or as few.
FARTHEST = 4.0

#: What values are of, beside one of two classes.
CLASSES, SETS = "classes", "sets"
#: How rows hang together; beside independent ones.
WEIGHTS, CLUSTERS, UNEVEN, WEIGHTED = "weights", "clusters", "uneven ", " with weights"
#: Clusters are uneven from so many effective ones, (sum of sizes)² / sum of squares, a cluster.
EVEN = 2 / 3
#: Differences: of two models on the same rows, of one model on two datasets, of two subgroups.
PAIRS, CLUSTERED_PAIRS, WEIGHTED_PAIRS = "pairs", "pairs in clusters", "pairs with weights"
TWO_SAMPLES, GROUPS = "two samples", "groups"
#: What differences, and values, are counted by.
COUNTED = {
    PAIRS: "positives",
    CLUSTERED_PAIRS: "clusters",
    WEIGHTED_PAIRS: "positives with weights",
    TWO_SAMPLES: "positives in the smaller dataset",
    GROUPS: "positives in the smaller group",
    "": "positives",
    CLASSES: "rows of the rarest class",
    SETS: "rows with the rarest label",
}
_SHARES = {CLASSES: "share of the rarest class", SETS: "share of the rarest label"}

#: What limits of two values are of, where it is not their difference; ends of names in the study.
RATIO, TO_ALL, RATIO_TO_ALL, WIDEST = " ratio", " to all", " ratio to all", " widest"


class Drawn(NamedTuple):
    """Rows as the study counts them: how many of the class counted, of others, of clusters.

    ``design``: a difference, or how rows of one value hang together; of independent rows where
    empty. ``of``: several classes, or sets of labels, of which the rarest class is counted; else
    the positives of two.

    >>> Drawn(9, 21, PAIRS, of=CLASSES).name
    'classes, pairs'
    """

    positives: float
    negatives: float
    design: str = ""
    clusters: int = 0
    of: str = ""

    @property
    def name(self) -> str:
        """The name of such places in the file."""
        return ", ".join(filter(None, (self.of, self.design)))

    @property
    def is_clustered(self) -> bool:
        """Whether clusters are counted, not rows."""
        return CLUSTERS in self.design

    @property
    def size(self) -> float:
        """What places are told apart by: clusters, or rows of the class that is counted."""
        return self.clusters if self.is_clustered else self.positives

    def told(self, place: _Place) -> str:
        """The size and share of a place in words."""
        word = _SHARES.get(self.of, "prevalence")
        if self.is_clustered:
            return f"{place.size} {COUNTED.get(self.design, self.design)}, {word} {place.share:g}"
        if self.design in COUNTED and not self.of:
            return f"{place.size} {COUNTED[self.design]}, prevalence {place.share:g}"
        counted = COUNTED[self.of] + (WEIGHTED if self.design in (WEIGHTS, WEIGHTED_PAIRS) else "")
        return f"{place.size} {counted}, {'share' if self.of else word} {place.share:g}"


def design(*, weighted: bool, clustered: bool, uneven: bool = False) -> str:
    """The name of how rows of one value hang together.

    >>> design(weighted=True, clustered=True, uneven=True)
    'uneven clusters with weights'
    """
    if not clustered:
        return WEIGHTS if weighted else ""
    return (UNEVEN if uneven else "") + CLUSTERS + (WEIGHTED if weighted else "")


def name_of(metric: str, average: str | None, *, two_classes: bool) -> str:
    """The name of a value of one class a row: that of the same number where there is one.

    >>> [name_of("recall", average, two_classes=False) for average in (None, "macro", "micro")]
    ['recall', 'balanced_accuracy', 'accuracy']
    """
    declared = find(metric)
    if declared is None or average is None:
        return metric
    same, kind = same_number(declared, average, two_classes=two_classes)
    pooled = kind == "micro" and same.name in ("accuracy", "error_rate")
    return same.name if kind is None or pooled else f"{same.name} {kind}"


@cache
def _made() -> Any:
    return json.loads(_FILE.read_text(encoding="utf-8"))


def _found(name: str, drawn: str) -> Iterator[_Place]:
    """What the file has of a metric and a design."""
    for one in _made()["places"]:
        if one["drawn"] == drawn and name in one["found"]:
            yield _Place(one["size"], one["share"], tuple(_Entry(*e) for e in one["found"][name]))
    for one in _made()["samples"]:
        pairs, size, share, *_ = one["cell"]
        # of pairs of models the first was held alone as well, for what is drawn slowly
        own = f"{name} alone" if not drawn and pairs == PAIRS else name
        if (pairs == drawn or (not drawn and pairs == PAIRS)) and own in one["found"]:
            coverage, *_, first, second = one["found"][own]
            yield _Place(size, share, (_Entry(coverage, None, (first, second)),))


@cache
def _places(name: str, drawn: str) -> tuple[_Place, ...]:
    """What the study held of a metric, over areas and thresholds; empty where it has none."""
    found: dict[tuple[int, float], tuple[_Entry, ...]] = {}
    for size, share, entries in _found(name, drawn):
        found[size, share] = (*found.get((size, share), ()), *entries)
    return tuple(_Place(*place, entries) for place, entries in found.items() if entries)


def _studied(metric: str, drawn: Drawn, of: str) -> tuple[tuple[_Place, ...], _Line]:
    """The cells of the study for a metric, and the line that it is of what they are of."""
    places = _places(f"{metric}{of}", drawn.name)
    name, space, average = metric.partition(" ")
    line = _LINES.get(name)
    # the ratio of two lines is none of the ratio
    if places or line is None or of.startswith(RATIO):
        return places, _Line(metric)
    if line.slope is None:
        line = line._replace(slope=drawn.positives * drawn.negatives)
    return _places(f"{line.of}{space}{average}{of}", drawn.name), line


def held(
    metric: str,
    drawn: Drawn,
    interval: Interval,
    of: str = "",
    sides: tuple[float, float] | None = None,
) -> Held | None:
    """What the default of a metric held in the cells that these limits may be of.

    The place is the one nearest in size, then in share. Of its cells those count whose true value
    lies within the limits, or where none does, nearest to them; of differences the one whose two
    true values are nearest to those of both sides.

    Args:
        metric: its name, with an average after a space.
        drawn: the rows.
        interval: the limits.
        of: :data:`RATIO`, :data:`TO_ALL`, :data:`RATIO_TO_ALL` or :data:`WIDEST`, else a value or
            a difference.
        sides: the two values that are compared; without them all cells of the place count.

    Returns:
        None where the study has no such metric or nothing near, for other levels than 95 %, and
        without rows of either class.

    >>> limits = Interval(0.95, 0.4, 0.7, "mover_jeffreys")
    >>> held("f1", Drawn(9, 80), limits).cell
    '10 positives, prevalence 0.1'
    >>> held("f1", Drawn(9, 80), Interval(0.9, 0.4, 0.7, "mover_jeffreys")) is None
    True
    """
    few = drawn.is_clustered and drawn.clusters < 2
    if interval.level != 0.95 or drawn.positives <= 0 or drawn.negatives <= 0 or few:
        return None
    places, line = _studied(metric, drawn, of)
    if not places:
        return None
    size = math.log(drawn.size)
    share = _logit(drawn.positives / (drawn.positives + drawn.negatives))

    def apart(place: _Place) -> tuple[float, float]:
        return abs(math.log(place.size) - size), abs(_logit(place.share) - share)

    near = min(places, key=apart)
    few_rows = drawn.name or near.entries[0].truth is None
    if few_rows and abs(math.log(near.size) - size) > math.log(FARTHEST):
        return None
    own = _within(near.entries, line, interval, sides)
    return Held(round(min(own) / 100, 3), round(max(own) / 100, 3), drawn.told(near))


def _within(
    entries: tuple[_Entry, ...],
    line: _Line,
    interval: Interval,
    sides: tuple[float, float] | None,
) -> list[float]:
    """The coverages of the cells whose true values lie nearest to the limits, or both values."""

    def true(studied: float) -> float:
        assert line.slope is not None
        return line.start + line.slope * studied

    def outside(entry: _Entry) -> float:
        if entry.truth is not None:
            own = true(entry.truth)
            return max(interval.low - own, own - interval.high, 0.0)
        if entry.sides is None or sides is None:
            return 0.0
        return sum(abs(true(own) - value) for own, value in zip(entry.sides, sides, strict=True))

    least = min(map(outside, entries))
    return [entry.coverage for entry in entries if outside(entry) <= least]


def _logit(share: float) -> float:
    return math.log(share / (1.0 - share))
