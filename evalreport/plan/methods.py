"""Which interval method a value gets: one for each kind of value and design, before the data.

A plan knows how rows were drawn and what a metric is, and nothing of what a slice holds: two
models, two subgroups and two nights get the same method.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from evalreport.metrics.comparing import pooled_over_rows, same_number
from evalreport.metrics.declare import (
    AT_CUT,
    AT_CUT_OF_CLUSTERS,
    LOG_T,
    LOGIT_T,
    MERCALDO,
    RESAMPLING,
    SANDWICH,
    SQUARE_AND_ADD,
    Average,
    Interval,
    Metric,
    Table,
)
from evalreport.metrics.kinds import (
    AREA_OF_CLUSTERS,
    AREA_OF_WEIGHTS,
    DELTA_T,
    INFLUENCE_T,
    LOSS_OF_CLUSTERS,
    SANDWICH_T,
    SHARE_OF_CLUSTERS,
    SHARE_OF_WEIGHTS,
    TABLE_OF_CLUSTERS,
    TABLE_OF_WEIGHTS,
)
from evalreport.plan.inputs import Facts

#: Above so many classes no interval of a smooth function of the whole table is taken.
SMOOTH_CLASSES = 200

#: Units drawn within strata, as many less one as there are.
SURVEY_BOOTSTRAP = "survey_bootstrap"
JACKKNIFE = "grouped_jackknife"
ASKED = "asked for in the spec"
DRAWN = (*RESAMPLING, LOGIT_T)
ALL_TABLES = (Table.COUNTS, Table.MATRIX)


class Design(Enum):
    """How rows were drawn, as the spec says it."""

    ROWS = "independent rows"
    WEIGHTS = "weighted rows"
    CLUSTERS = "clusters"
    BOTH = "clusters of weighted rows"
    SAMPLE = "a sample by design"


class Kind(Enum):
    """Values that have their limits in the same way, with the reason that the plan prints."""

    SHARE = "a share of rows"
    SHARES = "a function of shares of the rows"
    RATIO = "a ratio of rates"
    IMPACT = "a ratio of two rates"
    WHOLE = "a function of the whole table"
    UNBOUNDED = "a function of the whole table, without bounds"
    TABLE_MEAN = "a mean over the cells of the table"
    ROW_SHARE = "a share of rows by their ranks"
    AREA = "an area under the ROC curve"
    LOSS = "a mean of losses"
    MEAN = "a mean over rows"
    DISTANCE = "the largest distance of two rates"
    RANKED = "ranks of scores"
    FIT = "a logistic fit"
    LEVEL = "the level of a logistic fit"
    OTHER = "no formula is known: groups of rows are left out"


#: The one method of each kind of value and design.
DEFAULTS: Mapping[Kind, Mapping[Design, str]] = {
    kind: dict(zip(Design, methods, strict=True))
    for kind, methods in {
        # independent rows, weights, clusters, clusters of weighted rows, a sample by design
        Kind.SHARE: ("wilson", SHARE_OF_WEIGHTS, *2 * (SHARE_OF_CLUSTERS,), "wilson_n_eff"),
        Kind.SHARES: (
            SQUARE_AND_ADD, TABLE_OF_WEIGHTS, TABLE_OF_CLUSTERS, "cluster_robust", SANDWICH
        ),
        Kind.RATIO: (
            "miettinen_nurminen", TABLE_OF_WEIGHTS, TABLE_OF_CLUSTERS, "cluster_robust", SANDWICH
        ),
        Kind.IMPACT: ("koopman", SANDWICH, *2 * ("cluster_robust",), SANDWICH),
        Kind.WHOLE: (DELTA_T, SANDWICH_T, *2 * (SHARE_OF_CLUSTERS,), SANDWICH),
        Kind.UNBOUNDED: ("delta", SANDWICH, *2 * ("cluster_robust",), SANDWICH),
        Kind.TABLE_MEAN: ("normal", SANDWICH, *2 * ("cluster_robust",), SANDWICH),
        Kind.ROW_SHARE: ("wilson", "wilson_n_eff", *2 * (SANDWICH,), "wilson_n_eff"),
        Kind.AREA: (
            "delong_score", AREA_OF_WEIGHTS, AREA_OF_CLUSTERS, "obuchowski", SANDWICH
        ),
        Kind.LOSS: (LOG_T, LOG_T, LOSS_OF_CLUSTERS, SANDWICH, SANDWICH),
        Kind.MEAN: ("normal", *4 * (SANDWICH,)),
        Kind.DISTANCE: (AT_CUT, AT_CUT, *2 * (AT_CUT_OF_CLUSTERS,), SANDWICH),
        Kind.RANKED: (*4 * (INFLUENCE_T,), SANDWICH),
        Kind.FIT: ("wald_t", *3 * (JACKKNIFE,), SURVEY_BOOTSTRAP),
        Kind.LEVEL: ("wald", *3 * (JACKKNIFE,), SURVEY_BOOTSTRAP),
        Kind.OTHER: (*4 * (JACKKNIFE,), SURVEY_BOOTSTRAP),
    }.items()
}  # fmt: skip


def choose(
    metric: Metric, average: Average | None, facts: Facts, asked: str | None
) -> tuple[str | None, str]:
    """The method for one task and the reason for it; None where there is no interval."""
    metric, average = stands_for(metric, average, facts)
    if asked is not None and _fits(metric, average, facts, asked):
        return asked, ASKED
    if metric.interval is Interval.NONE:
        return None, "a p value or test statistic has no interval"
    if metric.no_interval:
        return None, metric.no_interval
    kind = kind_of(metric, average, facts)
    if kind in (Kind.WHOLE, Kind.UNBOUNDED) and len(facts.labels) > SMOOTH_CLASSES:
        return None, f"more than {SMOOTH_CLASSES} classes"
    return DEFAULTS[kind][design_of(facts)], kind.value


def design_of(facts: Facts) -> Design:
    """How the rows of a dataset were drawn."""
    if facts.designed is not None:
        return Design.SAMPLE
    if facts.clustered:
        return Design.BOTH if facts.weighted else Design.CLUSTERS
    return Design.WEIGHTS if facts.weighted else Design.ROWS


def kind_of(metric: Metric, average: Average | None, facts: Facts) -> Kind:
    """What a value is an interval of."""
    pooled = average is Average.MICRO and pooled_over_rows(metric)
    alone = average is None or pooled
    if metric.table in ALL_TABLES:
        return _of_table(metric, average, facts, alone=alone)
    if metric.interval is Interval.PROPORTION and alone:
        return Kind.ROW_SHARE
    if metric.table is Table.SCORES and average is not None:
        plain = design_of(facts) is Design.ROWS and metric.influence is not None
        return Kind.RANKED if plain else Kind.OTHER
    if _has_losses(metric, facts):
        return Kind.LOSS
    families = {
        Interval.AUC: Kind.AREA,
        Interval.MEAN: Kind.MEAN,
        Interval.DISTANCE: Kind.DISTANCE,
        Interval.LOGISTIC: Kind.LEVEL if metric.line == "in_the_large" else Kind.FIT,
    }
    ranked = metric.influence is not None and not _of_all_columns(metric, facts)
    return families.get(metric.interval, Kind.RANKED if ranked else Kind.OTHER)


def _of_table(metric: Metric, average: Average | None, facts: Facts, *, alone: bool) -> Kind:
    whole = not facts.two_classes and metric.scope == "all"
    if metric.interval is Interval.PROPORTION and alone:
        return Kind.SHARE
    if metric.interval is Interval.RATIO and average is None:
        return Kind.IMPACT
    if metric.shares is not None and average is None and not whole:
        return Kind.RATIO if metric.score_limits else Kind.SHARES
    if metric.interval is Interval.MEAN and average is None:
        return Kind.TABLE_MEAN
    return Kind.WHOLE if metric.is_bounded else Kind.UNBOUNDED


def _has_losses(metric: Metric, facts: Facts) -> bool:
    """Whether a value is a mean over rows of losses that are never below 0."""
    known = metric.row_loss if facts.two_classes else metric.class_loss or metric.row_loss
    return known is not None and metric.range_of(len(facts.labels))[0] >= 0


def _of_all_columns(metric: Metric, facts: Facts) -> bool:
    """Whether a value takes the columns of scores of all classes at once."""
    tables = (metric.table, metric.classes_table)
    return not facts.two_classes and Table.CLASS_SCORES in tables


def stands_for(
    metric: Metric, average: Average | None, facts: Facts
) -> tuple[Metric, Average | None]:
    """The metric, and average, whose interval a value has: those of the same number."""
    if average is None or facts.indeterminate:
        return metric, average
    same, other = same_number(metric, average.value, two_classes=facts.two_classes)
    return same, None if other is None else Average(other)


def _fits(metric: Metric, average: Average | None, facts: Facts, asked: str) -> bool:
    """Whether a method that was asked for is defined for this kind of value."""
    if asked in (LOGIT_T, AT_CUT):
        return average is None and asked in metric.interval.methods
    if asked.startswith("bootstrap") or asked == "delta":
        return True
    if asked == SANDWICH:
        return metric.linearised and (average is None or metric.table in ALL_TABLES)
    single = average is None or (average is Average.MICRO and pooled_over_rows(metric))
    if metric.interval is Interval.TWO_RATES and (not facts.two_classes and metric.scope == "all"):
        return False
    if asked == SQUARE_AND_ADD:
        return average is None and not (not facts.two_classes and metric.scope == "all")
    if asked in metric.score_limits:
        return average is None
    if asked == LOG_T:
        return average is None and (facts.two_classes or metric.table is Table.SCORES)
    if asked == MERCALDO and metric.interval is Interval.PROPORTION:
        return average is None and metric.limits is not None
    return single and asked in metric.interval_methods
