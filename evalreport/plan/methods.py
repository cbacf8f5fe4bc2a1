"""Which interval method a task gets, and why."""

from __future__ import annotations

from evalreport.metrics.comparing import pooled_over_rows, same_number
from evalreport.metrics.declare import (
    AT_CUT,
    AT_CUT_OF_CLUSTERS,
    LOG_T,
    LOGIT_T,
    LOGIT_T_OF_CLUSTERS,
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
    LOSS_OF_CLUSTERS,
    SHARE_OF_CLUSTERS,
    SHARE_OF_WEIGHTS,
    TABLE_OF_CLUSTERS,
    TABLE_OF_WEIGHTS,
)
from evalreport.plan.inputs import Facts

#: Above so many rows the bootstrap of ranked metrics gives way to influence functions.
BOOTSTRAP_ROWS = 20_000
#: Rows times classes above which rows with a score of each class are not drawn either.
BOOTSTRAP_SCORES = 2_000_000
#: Above so many classes no interval of a smooth function of the whole table is taken.
SMOOTH_CLASSES = 200

#: Units drawn within strata, as many less one as there are.
SURVEY_BOOTSTRAP = "survey_bootstrap"
ASKED = "asked for in the spec"
#: Of a family whose default the coverage study chose; a plan's columns hold so many characters.
STUDIED = "closest to 95 % in most of the coverage study"
SHARES = "a function of shares of the rows"
LOSSES = "a mean of losses, mostly of few rows"
WEIGHTED = "weighted rows: no more than they are worth"
TOGETHER = "rows of one cluster are not independent"
DRAWN = (*RESAMPLING, LOGIT_T)
ALL_TABLES = (Table.COUNTS, Table.MATRIX)


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
    if facts.designed is not None:
        return _designed(metric, average)
    if facts.clustered:
        return _clustered(metric, average, facts)
    if facts.weighted:
        return _weighted(metric, average, facts)
    several_tables = average is not None and metric.table is Table.SCORES
    if average in (Average.MACRO, Average.WEIGHTED) or several_tables:
        return _of_average(metric, facts)
    if average is Average.MICRO and not pooled_over_rows(metric):
        return "delta", "a pooled value is a smooth function of the table"
    return _plain(metric, facts)


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
    if metric.interval is Interval.TWO_RATES and _all_classes(metric, facts):
        return False
    if asked == SQUARE_AND_ADD:
        return average is None and not _all_classes(metric, facts)
    if asked in metric.score_limits:
        return average is None
    if asked == LOG_T:
        return average is None and (facts.two_classes or metric.table is Table.SCORES)
    if asked == MERCALDO and metric.interval is Interval.PROPORTION:
        return average is None and metric.limits is not None
    return single and asked in metric.interval.methods


def _plain(metric: Metric, facts: Facts) -> tuple[str | None, str]:
    family = metric.interval
    many = too_many_to_draw(facts) if _left_out(metric, None, facts) else None
    if many is not None and family.methods[0] in DRAWN:
        several = _several_columns(metric, None, facts)
        return ("grouped_jackknife" if several or not metric.influence else "influence"), many
    if family is Interval.RANKED and facts.rows > BOOTSTRAP_ROWS:
        return "influence", f"more than {BOOTSTRAP_ROWS:,} rows"
    if _smooth_table(metric) and not facts.two_classes and len(facts.labels) > SMOOTH_CLASSES:
        return None, f"more than {SMOOTH_CLASSES} classes"
    if _of_shares(metric, None, facts) and not metric.score_limits:
        return SQUARE_AND_ADD, SHARES
    if _has_losses(metric, facts):
        return LOG_T, LOSSES
    if family is Interval.TWO_RATES:
        return "delta", _REASONS[Interval.SMOOTH]
    return family.methods[0], STUDIED if family.studied else _REASONS[family]


def _of_shares(metric: Metric, average: Average | None, facts: Facts) -> bool:
    """Whether a value is a function of three independent shares of a table of two classes."""
    if metric.shares is None or average is not None:
        return False
    of_class = metric.table is Table.COUNTS and metric.scope == "class"
    return facts.two_classes or of_class


def _has_losses(metric: Metric, facts: Facts) -> bool:
    """Whether a value is a mean over rows of losses that are never below 0."""
    known = metric.row_loss if facts.two_classes else metric.class_loss or metric.row_loss
    return known is not None and metric.range_of(len(facts.labels))[0] >= 0


def _all_classes(metric: Metric, facts: Facts) -> bool:
    """Whether the value is of more than two classes together, and so not of two rates."""
    return not facts.two_classes and metric.scope == "all"


def _smooth_table(metric: Metric) -> bool:
    return metric.table in ALL_TABLES and metric.interval in (
        Interval.SMOOTH,
        Interval.TWO_RATES,
        Interval.CORRELATION,
        Interval.KAPPA,
    )


def _of_average(metric: Metric, facts: Facts) -> tuple[str | None, str]:
    if metric.table in ALL_TABLES:
        if len(facts.labels) > SMOOTH_CLASSES:
            return None, f"more than {SMOOTH_CLASSES} classes"
        return "delta", "an average is a smooth function of the table"
    many = too_many_to_draw(facts)
    if many is not None:
        return ("grouped_jackknife" if metric.influence is None else "influence"), many
    return "bootstrap_percentile", "rows are drawn, all classes together"


def too_many_to_draw(facts: Facts) -> str | None:
    """Why rows of columns of class scores are too many to be drawn, or None."""
    if facts.rows > BOOTSTRAP_ROWS:
        return f"more than {BOOTSTRAP_ROWS:,} rows"
    if not facts.two_classes and facts.rows * len(facts.labels) > BOOTSTRAP_SCORES:
        return f"more than {BOOTSTRAP_SCORES:,} scores"
    return None


def _left_out(metric: Metric, average: Average | None, facts: Facts) -> bool:
    """Whether groups of rows are left out where there are too many to be drawn."""
    return metric.interval is Interval.RESAMPLED or _several_columns(metric, average, facts)


def _several_columns(metric: Metric, average: Average | None, facts: Facts) -> bool:
    """Whether a value takes several score tables at once: of all classes, or an average."""
    if average is not None and metric.table is Table.SCORES:
        return True
    tables = (metric.table, metric.classes_table)
    return not facts.two_classes and Table.CLASS_SCORES in tables


def _designed(metric: Metric, average: Average | None) -> tuple[str | None, str]:
    """Rows of a declared sample: by Taylor series where contributions are known, else drawn."""
    pooled = average is Average.MICRO and pooled_over_rows(metric)
    if metric.interval is Interval.PROPORTION and (average is None or pooled):
        return "wilson_n_eff", "a share of a sample drawn by design"
    if metric.linearised and (average is None or metric.table in ALL_TABLES):
        return SANDWICH, "variance by the design of the sample"
    return SURVEY_BOOTSTRAP, "no formula is known: units are drawn within strata"


def _weighted(metric: Metric, average: Average | None, facts: Facts) -> tuple[str | None, str]:
    pooled = average is Average.MICRO and pooled_over_rows(metric)
    if metric.interval is Interval.PROPORTION and (average is None or pooled):
        return SHARE_OF_WEIGHTS, WEIGHTED
    if _of_shares(metric, average, facts):
        return TABLE_OF_WEIGHTS, WEIGHTED
    single = average is None and metric.table is Table.SCORES
    if single and metric.interval is Interval.AUC:
        return AREA_OF_WEIGHTS, WEIGHTED
    if single and facts.two_classes and _has_losses(metric, facts):
        return LOG_T, LOSSES
    analytic = metric.interval in (Interval.AUC, Interval.MEAN)
    if metric.table in ALL_TABLES or (analytic and single):
        return SANDWICH, "weighted rows: design-based variance"
    if metric.interval is Interval.DISTANCE and average is None:
        return AT_CUT, "weighted rows: rows worth as many"
    many = too_many_to_draw(facts) if _left_out(metric, average, facts) else None
    if many is not None:
        return "grouped_jackknife", f"weighted rows, {many}"
    ranked = metric.interval is Interval.RANKED and average is None
    return LOGIT_T if ranked else "bootstrap_percentile", "weighted rows are drawn"


def _clustered(metric: Metric, average: Average | None, facts: Facts) -> tuple[str | None, str]:
    single = average is None
    if single and metric.interval is Interval.PROPORTION and metric.table is Table.COUNTS:
        return SHARE_OF_CLUSTERS, TOGETHER
    if _of_shares(metric, average, facts) and not facts.weighted:
        return TABLE_OF_CLUSTERS, TOGETHER
    if metric.table in ALL_TABLES:
        return "cluster_robust", TOGETHER
    if metric.interval is Interval.AUC and single:
        return "obuchowski" if facts.weighted else AREA_OF_CLUSTERS, TOGETHER
    if single and _has_losses(metric, facts) and not facts.weighted:
        return LOSS_OF_CLUSTERS, TOGETHER
    if metric.interval is Interval.DISTANCE and average is None:
        return AT_CUT_OF_CLUSTERS, TOGETHER
    many = too_many_to_draw(facts) if _left_out(metric, average, facts) else None
    if many is not None:
        return "grouped_jackknife", f"whole clusters left out, {many}"
    ranked = metric.interval is Interval.RANKED and average is None
    return LOGIT_T_OF_CLUSTERS if ranked else "cluster_bootstrap", TOGETHER


_REASONS = {
    Interval.PROPORTION: "a share of rows",
    Interval.LOG: "a ratio of rates",
    Interval.RATIO: "a ratio of two rates",
    Interval.KAPPA: "Fleiss-Cohen-Everitt standard error",
    Interval.LOGISTIC: "standard error of the logistic fit",
    Interval.CORRELATION: "a correlation",
    Interval.MEAN: "a mean over rows",
    Interval.PREDICTIVE: "a ratio of rates, carried over to the prevalence",
    Interval.SMOOTH: "a smooth function of the table",
    Interval.RANKED: "ranks of scores",
    **dict.fromkeys((Interval.RESAMPLED, Interval.FITTED), "no formula is known: rows are drawn"),
}
