"""What the planner is given: what is asked, free of how it was written, and facts of the data.

Facts are what is known of a dataset and model before anything is counted; they hold no rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from evalreport.metrics.declare import Metric, Table
from evalreport.plan.task import ThresholdRequest
from evalreport.results.identity import EVERYTHING, MEAN_OF_FOLDS, Slice


@dataclass(frozen=True)
class Facts:
    """Facts of one dataset and model.

    ``source``: ``prediction`` (labels), ``score`` (of the positive class),
    ``margin`` (signed distance) or ``scores`` (one column per class). ``decided``: labels of its
    own decide beside its one score, and thresholds are further ones.
    ``low`` and ``high``: range of the scores, None without scores.
    ``groups``: values of each subgroup column or crossing that occur, in order.
    ``designed``: the kind of sample that is declared, None where there is none.
    ``label_sets``: rows have sets of labels, not one label each. ``unknown``: cells of
    the table of two classes that nobody counted. ``ordered``: the order of the classes is
    known, as they are numbers or declared.
    """

    dataset: str
    model: str
    source: str
    labels: tuple[str, ...]
    positive: str | None
    rows: int
    weighted: bool = False
    clustered: bool = False
    indeterminate: tuple[str, ...] = ()
    folds: tuple[str, ...] = ()
    groups: Mapping[tuple[str, ...], tuple[tuple[str, ...], ...]] | None = None
    low: float | None = None
    high: float | None = None
    fold_sizes: Mapping[str, tuple[int, int]] | None = None
    label_sets: bool = False
    designed: str | None = None
    unknown: tuple[str, ...] = ()
    ordered: bool = True
    decided: bool = False

    @property
    def two_classes(self) -> bool:
        """Whether there is one positive class (two classes, or a single one)."""
        return len(self.labels) <= 2 and not self.label_sets

    @property
    def has_scores(self) -> bool:
        """Whether rows can be ranked."""
        return self.source != "prediction"

    @property
    def probabilities(self) -> bool:
        """Whether the scores can be probabilities: all within 0 and 1, and no margins."""
        return (
            self.source in ("score", "scores")
            and self.low is not None
            and self.high is not None
            and self.low >= 0
            and self.high <= 1
        )


#: Above so many classes there is no record per class; averages and totals stay.
RECORDS_PER_CLASS = 500

#: From so many groups of one column or crossing on, the plan says how many tasks they make.
MANY_GROUPS = 24

HALF = ThresholdRequest(0.5)


def default_threshold(source: str) -> float:
    """Where scores of a source are cut that no threshold is given for: 0 for signed distances."""
    return 0.0 if source == "margin" else 0.5


@dataclass(frozen=True)
class MetricRequest:
    """A metric with the parameters the spec gives it."""

    metric: Metric
    params: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True)
class Requests:
    """What a spec asks to be measured, free of how it was written.

    ``averages`` is None where the spec leaves the default; ``none`` in it stands
    for one record per class. ``thresholds`` is empty for the default. ``periods`` are the
    columns among ``subgroups`` that are periods of time. ``costs``: whether there are some;
    ``outcome_costs``: whether they are of false negatives and false positives, not of classes.
    """

    metrics: tuple[MetricRequest, ...]
    averages: tuple[str, ...] | None = None
    thresholds: tuple[ThresholdRequest, ...] = ()
    methods: Mapping[str, str] = field(default_factory=dict)
    costs: bool = False
    outcome_costs: bool = False
    one_versus_rest: bool = False
    subgroups: tuple[tuple[str, ...], ...] = ()
    periods: frozenset[str] = frozenset()

    @property
    def subgroup_columns(self) -> tuple[str, ...]:
        """The columns that make subgroups, alone or crossed, each once."""
        return tuple(dict.fromkeys(c for crossing in self.subgroups for c in crossing))


def slices(requests: Requests, facts: Facts) -> tuple[Slice, ...]:
    """All rows, then each subgroup once, then each fold and the mean over folds."""
    found: dict[Slice, None] = {EVERYTHING: None}
    groups = facts.groups or {}
    for columns in requests.subgroups:
        for values in groups.get(columns, ()):
            found[Slice(tuple(zip(columns, values, strict=True)))] = None
    for fold in facts.folds:
        found[Slice(fold=fold)] = None
    if facts.folds:
        found[Slice(fold=MEAN_OF_FOLDS)] = None
    return tuple(found)


def needed_table(metric: Metric, facts: Facts) -> Table:
    """The table a metric needs here: some need another one for more than two classes."""
    if facts.two_classes:
        return metric.table
    return metric.classes_table or metric.table
