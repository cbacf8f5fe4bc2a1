"""Tests and intervals of two models on the same rows, by the planned method."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from evalreport.engine.comparisons import areas as of_areas
from evalreport.engine.comparisons import calls, designed, own_limits, two_tables
from evalreport.engine.comparisons.draws import PairedDraws
from evalreport.engine.comparisons.hypotheses import with_hypothesis
from evalreport.engine.comparisons.own_limits import OfLimits, of_limits
from evalreport.engine.comparisons.pairs import Pair, metric_of, paired_calls
from evalreport.engine.comparisons.result import (
    Counted,
    Found,
    Test,
    bootstrap_interval,
    bootstrap_tails,
    bootstrap_test,
    jackknife_interval,
    jackknife_test,
    no_variation,
    ratio_with_study,
)
from evalreport.engine.intervals.methods import from_limits
from evalreport.engine.intervals.studied import drawn_as, was_studied, with_study
from evalreport.engine.metric_values import Evaluated
from evalreport.metrics.comparing import (
    ADDED,
    BOOTSTRAP,
    CLUSTERS,
    PAIRED_T,
    PERCENTILE,
    SATTERTHWAITE,
    TWO_TABLES,
    Family,
)
from evalreport.metrics.coverage_study import Drawn
from evalreport.metrics.kinds import AREA_OF_CLUSTERS, JACKKNIFE
from evalreport.metrics.methods import method_title
from evalreport.plan.comparisons import ComparisonTask
from evalreport.plan.methods import ASKED
from evalreport.results import records
from evalreport.results.records import Calls, JointCalls, JointTable
from evalreport.statistics import hypotheses, means, paired, predictive
from evalreport.statistics.hypotheses import AtNull
from evalreport.statistics.tail import normal_two_sided

Interval = tuple[records.Interval | None, str | None]

#: Tests, and intervals, of two means over the same rows.
OF_PAIRED_MEANS = (SATTERTHWAITE, PAIRED_T)
#: Intervals that know which rows belong together.
OF_CLUSTERED_ROWS = (
    *(CLUSTERS, "obuchowski", AREA_OF_CLUSTERS, ADDED, JACKKNIFE, designed.INTERVAL),
)
NOT_INDEPENDENT = "takes rows as independent, but rows of one cluster are not"


def paired_comparison(
    pair: Pair,
    draws: PairedDraws,
    task: ComparisonTask,
    values: tuple[Evaluated, Evaluated],
    difference: float,
) -> Found:
    """Test, interval and joint counts of one difference."""
    counts = _counts(pair, task)
    test = _test(pair, draws, task, values, difference)
    interval, reason = _interval(pair, draws, task, values, difference)
    if interval is not None and pair.model.view.cluster is not None:
        interval = _warned(interval)
    drawn = _studied(pair, task)
    interval = with_study(interval, task.task.metric, drawn)
    ratio = ratio_with_study(_ratio(pair, task, counts), task.task.metric, drawn)
    found = Found(test, interval, reason, counts, ratio=ratio)

    def by_name(other: ComparisonTask) -> Test:
        return _test(pair, draws, other, values, difference)

    tails = _tails(pair, task) or of_areas.tails(pair, task) or two_tables.tails(pair, task)
    asked = None if task.hypothesis is None else task.hypothesis.test
    if tails is None and asked == ADDED:
        own = _of_limits(pair, task, values, difference)
        tails = None if own is None else own.tails
    if tails is None and asked in (BOOTSTRAP, CLUSTERS):
        tails = bootstrap_tails(draws.of(task))
    return with_hypothesis(found, task, difference, by_name, tails)


def _studied(pair: Pair, task: ComparisonTask) -> Drawn | None:
    """The rows as the study counts them; None where it has no such difference, or default."""
    view = pair.model.view
    if task.why == ASKED or not was_studied(view, task.task):
        return None
    return drawn_as(
        view, np.arange(len(view.actual)), pair.model.class_index(task.task), compared=True
    )


def _ratio(pair: Pair, task: ComparisonTask, counts: Counted) -> records.Ratio | None:
    if not task.ratio:
        return None
    if task.ratio_reason is not None:
        return records.Ratio(reason=task.ratio_reason)
    level = pair.model.settings.level
    return calls.paired_ratio(metric_of(task.task), counts.rows, counts.calls, level)


def _tails(pair: Pair, task: ComparisonTask) -> AtNull | None:
    """The planned test of a hypothesis, where it is one of counts of the same rows."""
    name = None if task.hypothesis is None else task.hypothesis.test
    tails = hypotheses.PAIRED_TAILS.get(name or "")
    if task.family is not Family.ROWS or tails is None:
        return None
    joint = joint_table(pair, task)
    return lambda null: tails(joint.n11, joint.n10, joint.n01, joint.n00, null)


def _warned(interval: records.Interval) -> records.Interval:
    if interval.method in OF_CLUSTERED_ROWS:
        return interval
    text = "clusters are drawn" if interval.method == PERCENTILE else NOT_INDEPENDENT
    return replace(interval, note=f"{interval.note}; {text}" if interval.note else text)


def _test(
    pair: Pair,
    draws: PairedDraws,
    task: ComparisonTask,
    values: tuple[Evaluated, Evaluated],
    difference: float,
) -> Test:
    if task.test_reason is not None:
        return Test(reason=task.test_reason)
    if task.family is Family.ROWS and task.test in OF_PROPORTIONS:
        return OF_PROPORTIONS[task.test](joint_table(pair, task))
    if task.family is Family.CALLS and task.test in calls.OF_CALLS:
        return calls.OF_CALLS[task.test](metric_of(task.task), joint_calls(pair, task))
    if task.test in of_areas.TESTS:
        return of_areas.tested(pair, task)
    if task.test in OF_PAIRED_MEANS:
        return _t_test(pair, task)
    if task.test == designed.TEST:
        return designed.tested(designed.estimated(pair, task, values), difference)
    if task.test == TWO_TABLES:
        return two_tables.of_tables(pair, task).test()
    if task.test == ADDED:
        own = _of_limits(pair, task, values, difference)
        return Test(reason=own_limits.NO_LIMITS) if own is None else own.test()
    if task.test == JACKKNIFE:
        left_out = draws.of(task, left_out=True)
        return jackknife_test(difference, left_out, pair.model.view)
    return bootstrap_test(difference, draws.of(task))


def _interval(
    pair: Pair,
    draws: PairedDraws,
    task: ComparisonTask,
    values: tuple[Evaluated, Evaluated],
    difference: float,
) -> Interval:
    level, method = pair.model.settings.level, task.interval
    if task.interval_reason is not None:
        return None, task.interval_reason
    if _is_of_calls(pair, task, method):
        joined = joint_calls(pair, task)
        return _given(calls.call_interval(metric_of(task.task), joined, method, level), method)
    if method in paired.PAIRED_METHODS:
        joint = joint_table(pair, task)
        cells = (joint.n11, joint.n10, joint.n01, joint.n00)
        limits = paired.PAIRED_METHODS[method](*cells, level)
        return _given(from_limits(limits, level, method), method)
    if method in of_areas.TESTS:
        return of_areas.limits(pair, task, level)
    if method in OF_PAIRED_MEANS:
        found = _paired_t(pair, task, method)
        limits = None if found is None else found.interval
        return _given(from_limits(limits, level, method), method)
    if method == designed.INTERVAL:
        return designed.limits(designed.estimated(pair, task, values), difference, level)
    if method == TWO_TABLES:
        return _given(two_tables.of_tables(pair, task).interval(level), method)
    if method == ADDED:
        own = _of_limits(pair, task, values, difference)
        return (None, own_limits.NO_LIMITS) if own is None else (own.interval(), None)
    if method == JACKKNIFE:
        left_out, view = draws.of(task, left_out=True), pair.model.view
        low, high = metric_of(task.task).range_of(len(view.labels))
        return jackknife_interval(difference, left_out, level, high - low, view)
    return bootstrap_interval(difference, draws.of(task), level, method)


def _is_of_calls(pair: Pair, task: ComparisonTask, method: str) -> bool:
    """Whether an interval is of the calls of both models, which takes rows as independent.

    Square-and-add has a form of its own with weights and in clusters, by the limits of both values.
    """
    view = pair.model.view
    single = view.weight is None and view.cluster is None
    known = task.family is Family.CALLS and method in predictive.CALL_METHODS
    return known and (single or method != ADDED)


def _of_limits(
    pair: Pair, task: ComparisonTask, values: tuple[Evaluated, Evaluated], difference: float
) -> OfLimits | None:
    def found() -> OfLimits | None:
        together = designed.correlation(pair, task, values)
        return of_limits((pair.model, pair.reference), task, difference, together)

    return pair.once((ADDED, task.task, task.reference), found)


def _given(interval: records.Interval | None, method: str) -> Interval:
    return interval, None if interval is not None else f"{method_title(method)} gives none here"


# -- proportions ------------------------------------------------------------------------------


def joint_table(pair: Pair, task: ComparisonTask) -> JointTable:
    """Rows that count for both models, one only, or neither: n11, n10 (model only), n01, n00."""

    def counted() -> JointTable:
        first, included = pair.model.hits(task.task)
        second, _ = pair.reference.hits(task.reference)
        return JointTable(
            n11=pair.count(included & first & second),
            n10=pair.count(included & first & ~second),
            n01=pair.count(included & ~first & second),
            n00=pair.count(included & ~first & ~second),
        )

    return pair.once((JointTable, task.task, task.reference), counted)


def _counts(pair: Pair, task: ComparisonTask) -> Counted:
    """The joint counts a reader can check the difference with; none where rows are weighted."""
    if pair.model.view.weight is not None:
        return Counted()
    if task.family.name == "ROWS":
        return Counted(rows=joint_table(pair, task))
    if task.family.name == "CALLS":
        return Counted(calls=joint_calls(pair, task))
    return Counted()


def joint_calls(pair: Pair, task: ComparisonTask) -> JointCalls:
    """Rows that both models, one or neither calls positive, of each true class."""
    positives, negatives = paired_calls(pair, task.task, task.reference)
    return JointCalls(_whole(positives), _whole(negatives))


def _whole(counted: predictive.PairedCalls) -> Calls:
    return Calls(**{name: int(count) for name, count in counted._asdict().items()})


def _exact(joint: JointTable) -> Test:
    return _proportion(paired.mcnemar_exact(joint.n10, joint.n01), joint)


def _midp(joint: JointTable) -> Test:
    return _proportion(paired.mcnemar_midp(joint.n10, joint.n01), joint)


def _proportion(p_value: float, joint: JointTable) -> Test:
    return Test(p_value=p_value, reason=None if joint.n10 + joint.n01 else calls.NO_DISCORDANT)


def _chi_square(joint: JointTable) -> Test:
    return _statistic(paired.mcnemar(joint.n10, joint.n01))


def _chi_square_corrected(joint: JointTable) -> Test:
    return _statistic(paired.mcnemar_corrected(joint.n10, joint.n01))


def _statistic(found: paired.ChiSquare | None) -> Test:
    if found is None:
        return Test(reason=f"{calls.NO_DISCORDANT}: the statistic is 0 / 0")
    return Test(found.statistic, found.p_value, float(found.df))


def _normal(name: str, joint: JointTable) -> Test:
    """The test of no difference by a statistic that has other nulls too."""
    tails = hypotheses.PAIRED_TAILS[name](joint.n11, joint.n10, joint.n01, joint.n00, 0.0)
    if tails is None or tails.statistic is None:
        return no_variation(float(joint.n10 - joint.n01))
    return Test(tails.statistic, normal_two_sided(tails.statistic))


OF_PROPORTIONS: Mapping[str, Callable[[JointTable], Test]] = {
    "mcnemar_exact": _exact,
    "mcnemar_midp": _midp,
    "mcnemar": _chi_square,
    "mcnemar_corrected": _chi_square_corrected,
    "tango": partial(_normal, "tango"),
    "wald": partial(_normal, "wald"),
}


# -- means --------------------------------------------------------------------------------------


def _paired_t(
    pair: Pair,
    task: ComparisonTask,
    method: str,
) -> means.PairedT | None:
    """Student's t of the differences of losses; None where no loss of a single row is known."""

    def found() -> means.PairedT | None:
        first, second = pair.model.losses(task.task), pair.reference.losses(task.reference)
        if first is None or second is None:
            return None
        level = pair.model.settings.level
        return means.paired_t(first - second, level, pair.times, own_df=method == SATTERTHWAITE)

    return pair.once((method, task.task, task.reference), found)


def _t_test(pair: Pair, task: ComparisonTask) -> Test:
    found = _paired_t(pair, task, task.test)
    if found is None:
        return Test(reason="fewer than two rows, or no loss of a single row is known")
    if found.p_value is None:
        return no_variation(found.difference)
    return Test(found.statistic, found.p_value, found.df, error=found.error)
