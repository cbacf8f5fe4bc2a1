"""Tests and intervals of two models on the same rows, by the planned method."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from evalreport.engine.comparisons import areas as of_areas
from evalreport.engine.comparisons import calls, designed, own_limits, two_tables
from evalreport.engine.comparisons.draws import PairedDraws
from evalreport.engine.comparisons.hypotheses import Contrast, Values
from evalreport.engine.comparisons.own_limits import OfLimits, of_limits
from evalreport.engine.comparisons.pairs import Pair, metric_of
from evalreport.engine.comparisons.result import (
    Counted,
    Limits,
    Test,
    bootstrap_interval,
    bootstrap_tails,
    bootstrap_test,
    jackknife_interval,
    jackknife_test,
    no_variation,
)
from evalreport.engine.intervals.methods import from_limits
from evalreport.engine.intervals.studied import drawn_together, was_studied
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

#: Tests, and intervals, of two means over the same rows.
OF_PAIRED_MEANS = (SATTERTHWAITE, PAIRED_T)
#: Intervals that know which rows belong together.
OF_CLUSTERED_ROWS = (
    *(CLUSTERS, "obuchowski", AREA_OF_CLUSTERS, ADDED, JACKKNIFE, designed.INTERVAL),
)
NOT_INDEPENDENT = "takes rows as independent, but rows of one cluster are not"


@dataclass(frozen=True, eq=False)
class Paired(Contrast):
    """Two models on the same rows."""

    pair: Pair
    draws: PairedDraws

    def counts(self, task: ComparisonTask, values: Values) -> Counted:  # noqa: ARG002 - of rows
        if self.pair.model.view.weight is not None:
            return Counted()
        if task.family is Family.ROWS:
            return Counted(rows=self.pair.joint_table(task.task, task.reference))
        if task.family is Family.CALLS:
            return Counted(calls=joint_calls(self.pair, task))
        return Counted()

    def test(self, task: ComparisonTask, values: Values, difference: float) -> Test:
        pair = self.pair
        if task.test_reason is not None:
            return Test(reason=task.test_reason)
        if task.family is Family.ROWS and task.test in OF_PROPORTIONS:
            return OF_PROPORTIONS[task.test](pair.joint_table(task.task, task.reference))
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
            left_out = self.draws.of(task, left_out=True)
            return jackknife_test(difference, left_out, pair.model.view)
        return bootstrap_test(difference, self.draws.of(task))

    def interval(self, task: ComparisonTask, values: Values, difference: float) -> Limits:
        interval, reason = self._interval(task, values, difference)
        clustered = interval is not None and self.pair.model.view.cluster is not None
        return (_warned(interval) if interval and clustered else interval), reason

    def _interval(self, task: ComparisonTask, values: Values, difference: float) -> Limits:
        pair, method = self.pair, task.interval
        level = pair.model.settings.level
        if task.interval_reason is not None:
            return None, task.interval_reason
        if _is_of_calls(pair, task, method):
            joined = joint_calls(pair, task)
            return _given(calls.call_interval(metric_of(task.task), joined, method, level), method)
        if method in paired.PAIRED_METHODS:
            joint = pair.joint_table(task.task, task.reference)
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
            left_out, view = self.draws.of(task, left_out=True), pair.model.view
            low, high = metric_of(task.task).range_of(len(view.labels))
            return jackknife_interval(difference, left_out, level, high - low, view)
        return bootstrap_interval(difference, self.draws.of(task), level, method)

    def studied(self, task: ComparisonTask) -> Drawn | None:
        view = self.pair.model.view
        if task.why == ASKED or not was_studied(view, task.task):
            return None
        return drawn_together(view, self.pair.model.class_index(task.task))

    def tails(self, task: ComparisonTask, values: Values, difference: float) -> AtNull | None:
        pair, asked = self.pair, None if task.hypothesis is None else task.hypothesis.test
        of_rows = hypotheses.PAIRED_TAILS.get(asked or "")
        if task.family is Family.ROWS and of_rows is not None:
            joint = pair.joint_table(task.task, task.reference)
            return lambda null: of_rows(joint.n11, joint.n10, joint.n01, joint.n00, null)
        tails = of_areas.tails(pair, task) or two_tables.tails(pair, task)
        if tails is None and asked == ADDED:
            own = _of_limits(pair, task, values, difference)
            return None if own is None else own.tails
        if tails is None and asked in (BOOTSTRAP, CLUSTERS):
            return bootstrap_tails(self.draws.of(task))
        return tails


def _warned(interval: records.Interval) -> records.Interval:
    if interval.method in OF_CLUSTERED_ROWS:
        return interval
    text = "clusters are drawn" if interval.method == PERCENTILE else NOT_INDEPENDENT
    return replace(interval, note=f"{interval.note}; {text}" if interval.note else text)


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


def _given(interval: records.Interval | None, method: str) -> Limits:
    return interval, None if interval is not None else f"{method_title(method)} gives none here"


# -- proportions ------------------------------------------------------------------------------


def joint_calls(pair: Pair, task: ComparisonTask) -> JointCalls:
    """Rows that both models, one or neither calls positive, of each true class."""
    positives, negatives = pair.calls(task.task, task.reference)
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
