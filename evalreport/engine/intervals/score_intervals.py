"""Intervals of score metrics, by the planned method."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from evalreport.engine.intervals import grouped_jackknife, linearised, losses
from evalreport.engine.intervals import methods as intervals
from evalreport.engine.intervals.at_cut import at_cut
from evalreport.engine.intervals.at_rate import at_rate
from evalreport.engine.intervals.bootstrap import Draws, drawn_interval, undefined_in
from evalreport.engine.intervals.case import Case, ScoreCase
from evalreport.engine.intervals.class_bootstrap import class_draws
from evalreport.engine.intervals.class_influence import of_pairs
from evalreport.metrics.declare import Interval, Metric
from evalreport.metrics.formula import Value
from evalreport.metrics.methods import (
    AREA_OF_CLUSTERS,
    AREA_OF_WEIGHTS,
    AT_CUT,
    AT_CUT_OF_CLUSTERS,
    AT_RATE,
    DRAWN,
    INFLUENCE_T,
    LOG_T,
    LOGIT_T,
    LOGIT_T_OF_CLUSTERS,
    LOSS_OF_CLUSTERS,
    SANDWICH,
    SHARE_OF_CLUSTERS,
    SHARE_OF_WEIGHTS,
)
from evalreport.metrics.ranking import line_of_area, roc_auc
from evalreport.predict.view import distinct
from evalreport.results import records
from evalreport.statistics import delong, design_based, means, obuchowski, proportions
from evalreport.statistics.numbering import unless_once


def score_interval(case: ScoreCase) -> records.Interval | str | None:
    """The interval of one value of a score metric; None, or the reason, where there is none."""
    metric, method = case.metric, case.method
    if method in OF_SCORES:
        return OF_SCORES[method](case)
    if method in ("obuchowski", SANDWICH) and not _of_simple_rows(case):
        return _linearised(case) if _own_influence(case) else _linearised_area(case)
    areas = ("obuchowski", AREA_OF_CLUSTERS, AREA_OF_WEIGHTS)
    if method in areas or (method == SANDWICH and metric.row_loss is None):
        both = method == AREA_OF_CLUSTERS and case.measurer.view.weight is not None
        return _scored_of_both(case) if both else _area_of_rows(case)
    if method in ("normal", LOG_T, SANDWICH):
        return losses.table_mean(case)
    return drawn_interval(case, _draws(case))


def _of_simple_rows(case: ScoreCase) -> bool:
    """Whether rows have weights or clusters, not both, and the metric a variance for them."""
    view, metric = case.measurer.view, case.metric
    if view.sample is not None:
        return False
    if view.cluster is not None:
        return case.method == "obuchowski" and view.weight is None
    known = metric.interval is Interval.AUC or metric.row_loss is not None
    return view.weight is not None and known


def _own_influence(case: ScoreCase) -> bool:
    """Whether the metric has derivatives of its own; else those of the area are scaled."""
    metric = case.metric
    return metric.interval is not Interval.AUC or metric.influence is not None


def _linearised_area(case: ScoreCase) -> records.Interval | None:
    """Limits of the area, scaled as the value is: of the pairs won, times all pairs."""
    own = _as_area(case)
    return None if own is None else _scaled(case, _linearised(own))


def _as_area(case: ScoreCase) -> ScoreCase | None:
    """The area in place of a metric that is linear in it; None without pairs."""
    area = delong.auc(case.table.positives, case.table.negatives)
    if area is None:
        return None
    value = replace(case.value, outcome=Value(area))
    return replace(case, metric=roc_auc, arguments={}, value=value)


def _linearised(case: ScoreCase) -> records.Interval | None:
    """Value plus and minus t or z standard errors from what rows or clusters contribute."""
    estimated = linearised.variance(case)
    if estimated is None:
        return None
    if case.asked:
        estimated = estimated.as_known
    variance, df = estimated.variance, estimated.df
    if variance <= intervals.VANISHED:
        return None
    level, method, bounds = case.level, case.method, _bounds(case.metric)
    if case.metric.interval is Interval.AUC and method == SANDWICH:
        return intervals.on_logits(case.number, variance, level, method, bounds, df)
    error = math.sqrt(variance)
    return intervals.symmetric(
        case.number, variance, level, method, bounds, df, standard_error=error
    )


def _by_influence(case: ScoreCase) -> records.Interval | str | None:
    """Limits from what rows or clusters contribute, see `widened_limits`; None if not known."""
    estimated = linearised.variance(case)
    if estimated is None:
        return None
    return intervals.widened(
        *(case.number, estimated.variance, _least_units(case), case.level, INFLUENCE_T),
        bounds=_bounds(case.metric),
        clusters=case.measurer.view.cluster is not None,
    )


def _of_influence(case: ScoreCase) -> records.Interval | None:
    """By the influence of single rows where it is known, else with groups of them left out."""
    metric, table = case.metric, case.table
    slopes = None if metric.influence is None else metric.influence(table, **case.arguments)
    if slopes is None:
        return drawn_interval(case, _draws(case), grouped_jackknife.NO_INFLUENCE)
    if not float(table.positive_total * table.negative_total):
        return None  # one class alone: nothing can be told
    variance = linearised.spread(table.positives, table.negatives, slopes)
    return intervals.symmetric(case.number, variance, case.level, "influence", metric.bounds)


def _draws(case: ScoreCase) -> Draws:
    """The metric of other rows; its influence is known where it has no parameters."""
    metric, arguments = case.metric, case.arguments
    return case.measurer.bootstrap.scores(
        case.task.where,
        case.index,
        lambda table: metric(table, **arguments).array(),
        None if metric.parameters else metric.influence,
    )


def _on_logits(case: ScoreCase) -> records.Interval | str | None:
    """Student's t on the logit scale with the standard deviation of the replicates.

    Degrees of freedom are those of the class with the fewer rows, or clusters; the reason where
    they are too few. None where replicates do not differ, as where all positives are ranked
    first: they tell no width.
    """
    units = _least_units(case)
    df = units - 1.0
    if df < means.LEAST_DEGREES:
        return intervals.too_few(units, clusters=case.measurer.view.cluster is not None)
    values = _draws(case).replicates()
    assert values is not None
    usable = values[np.isfinite(values)]
    if len(usable) < 2:
        return None
    variance = float(np.var(usable, ddof=1))
    bounds = _bounds(case.metric)
    found = intervals.on_logits(case.number, variance, case.level, case.method, bounds, df)
    if not intervals.has_width(found):
        return None
    note = "; ".join(undefined_in(values)) or found.note
    return replace(found, resamples=len(values), usable=len(usable), note=note)


def _least_units(case: ScoreCase) -> float:
    """Rows, or clusters, of the class that has fewer of them; of weighted rows what they leave."""
    view = case.measurer.view
    if view.weight is None and view.cluster is None:
        return min(float(case.table.positive_total), float(case.table.negative_total))
    if view.cluster is None:
        return min(case.worth)
    return min(_clusters(case)[:2])


# -- areas -------------------------------------------------------------------------------------


def _area(case: ScoreCase) -> records.Interval | None:
    table, level, method = case.table, case.level, case.method
    found = delong.area_of(table.positives, table.negatives)
    if found is None:
        return None
    if method == "delong_score":
        return _scaled(case, intervals.in_score_form(found, found.degrees, level, method))
    limits = delong.AUC_METHODS[method](found, level)
    flat = limits is not None and limits.low >= limits.high
    note = f"no width: the variance of {method} is 0 here" if flat else None
    return _scaled(case, intervals.from_limits(limits, level, method, note))


def _scaled(case: ScoreCase, interval: records.Interval | None) -> records.Interval | None:
    """Limits of an area carried over to a metric that is linear in it (Gini, U).

    The line is found from the metric itself at an area of 0 and of 1.
    """
    if interval is None:
        return None
    totals = case.table.positive_total, case.table.negative_total
    low, high = line_of_area(case.metric, case.arguments, *totals)
    error = interval.standard_error
    return replace(
        interval,
        low=low + (high - low) * interval.low,
        high=low + (high - low) * interval.high,
        standard_error=None if error is None else abs(high - low) * error,
    )


def _area_of_rows(case: ScoreCase) -> records.Interval | None:
    view, tables, where = case.measurer.view, case.measurer.tables, case.task.where
    level, method, index = case.level, case.method, case.index
    ranks, positive = tables.ranked(index).ranks, view.positives_of(index)
    if method in ("obuchowski", AREA_OF_CLUSTERS):
        assert view.cluster is not None
        chosen = tables.chosen(where)
        sides, often = positive[chosen], tables.times_of(chosen)
        variance = obuchowski.obuchowski_variance(
            sides, ranks[chosen], view.cluster[0][chosen], often
        )
        of_class = [sides, ~sides] if often is None else [often[sides], often[~sides]]
        counted = float(np.sum(of_class[0])), float(np.sum(of_class[1]))
    else:
        assert view.weight is not None
        rows, times = tables.distinct(where, index, positive)
        alike = positive[rows], ranks[rows], view.weight[rows], times
        del rows, ranks
        variance = obuchowski.sandwich_auc_variance(*alike)
    area = delong.auc(case.table.positives, case.table.negatives)
    if area is None or (variance is None and method not in (AREA_OF_CLUSTERS, AREA_OF_WEIGHTS)):
        return None
    # with one row, or cluster, of a class the score form rests on the area alone
    variance = 0.0 if variance is None else variance
    if method == AREA_OF_CLUSTERS:
        limits = intervals.area_of_clusters(area, variance, counted, _clusters(case), level)
        return _scaled(case, limits)
    if method == AREA_OF_WEIGHTS:
        del alike
        seen, worth = variance if variance > intervals.VANISHED else None, case.worth
        own, told = delong.AreaLimits(area, seen, worth, min(worth)), {"n_effective": sum(worth)}
        if own.units <= 0.0:
            return None
        return _scaled(case, intervals.in_score_form(own, own.degrees, level, method, **told))
    if variance <= intervals.VANISHED:
        return None
    if method != SANDWICH:
        around = intervals.symmetric(area, variance, level, method, (0.0, 1.0))
        return _scaled(case, around)
    influence = obuchowski.weighted_influence(*alike)
    df = math.inf
    if not case.asked:
        df = design_based.spread_of(influence, unless_once(times), own_df=True).df
    around = intervals.on_logits(area, variance, level, method, (0.0, 1.0), df)
    return _scaled(case, around)


def _scored_of_both(case: ScoreCase) -> records.Interval | None:
    """Score limits of an area of clusters of weighted rows, on the rows that they are worth."""
    own, worth = _as_area(case), case.worth
    found = None if own is None else linearised.variance(own)
    if own is None or found is None or min(worth) <= 0.0:
        return None
    of = (own.number, found.variance, worth, _clusters(case), case.level)
    return _scaled(case, intervals.area_of_clusters(*of))


def _clusters(case: ScoreCase) -> tuple[float, float, float]:
    """Clusters with positives, with negatives, and in all."""
    view, inside = case.measurer.view, case.measurer.tables.chosen(case.task.where)
    assert view.cluster is not None
    positive, code = view.positives_of(case.index)[inside], view.cluster[0][inside]
    one, two, every = (distinct(part) for part in (code[positive], code[~positive], code))
    return float(one), float(two), float(every)


# -- fits ---------------------------------------------------------------------------------------


def _bounds(metric: Metric) -> tuple[float, float]:
    """The metric's range with one score, that is with two classes or one against the rest."""
    return metric.range_of(2)


def _logistic(case: ScoreCase) -> records.Interval | None:
    """Limits of a number of the calibration line, by z or by t of the smaller class."""
    metric, table = case.metric, case.table
    error = metric.standard_error(table) if metric.standard_error is not None else None
    if error is None:
        return None
    df = math.inf
    if case.method == "wald_t":
        df = max(min(float(table.positive_total), float(table.negative_total)) - 1.0, 1.0)
    return intervals.symmetric(
        case.number, error**2, case.level, case.method, (-math.inf, math.inf), df
    )


#: Methods that are carried out in one way, whatever the design.
OF_SCORES: Mapping[str, Callable[[ScoreCase], records.Interval | str | None]] = {
    LOSS_OF_CLUSTERS: losses.clustered,
    **dict.fromkeys((AT_CUT, AT_CUT_OF_CLUSTERS), at_cut),
    AT_RATE: at_rate,
    INFLUENCE_T: _by_influence,
    "influence": _of_influence,
    **dict.fromkeys((LOGIT_T, LOGIT_T_OF_CLUSTERS), _on_logits),
    **dict.fromkeys(delong.AUC_METHODS, _area),
    **dict.fromkeys(("wald", "wald_t"), _logistic),
}

# -- one column per class -----------------------------------------------------------------------


def class_score_interval(case: Case) -> records.Interval | str | None:
    """The interval of a metric over the columns of all classes, or of a class average.

    None, or the reason, where there is none.
    """
    value, method, view = case.value, case.method, case.measurer.view
    if method in ("normal", LOG_T):
        weighted = method == LOG_T and view.weight is not None
        return losses.row_mean(case) if weighted else losses.class_mean(case)
    if method == LOSS_OF_CLUSTERS:
        return losses.clustered(case)
    if method == INFLUENCE_T:
        return of_pairs(case)
    shares = (SHARE_OF_WEIGHTS, "wilson_n_eff", SHARE_OF_CLUSTERS, "cluster_robust")
    if method == SANDWICH or method in shares:
        return losses.row_mean(case)
    if method in proportions.PROPORTION_METHODS:
        if value.numerator is None or value.denominator is None:
            return None
        return intervals.proportion(value.numerator, value.denominator, case.level, method)
    draws = class_draws(case) if method in (grouped_jackknife.METHOD, *DRAWN) else None
    return None if draws is None else drawn_interval(case, draws)
