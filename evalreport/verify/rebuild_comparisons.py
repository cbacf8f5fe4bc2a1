"""Comparisons again, by the engine, from the measures and from what stands in the record itself.

The counts of both models, or the fractions and tables of both datasets, give test, limits, ratio
and the test of a hypothesis. Where these need the rows, the statistic is taken over: the p value
follows from it, and the limits from the standard error that it implies where both are one
calculation.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from evalreport.engine.comparisons import counts
from evalreport.engine.comparisons.comparer import Comparer, Values
from evalreport.engine.comparisons.contrast import (
    ByError,
    Contrast,
    Limits,
    Test,
    equality_tails,
)
from evalreport.engine.comparisons.counts import Counted
from evalreport.engine.comparisons.folds import OverFolds, of_folds
from evalreport.engine.comparisons.other_rows import OtherRows
from evalreport.engine.comparisons.pairs import Pair, Side, left_out_of
from evalreport.engine.comparisons.records import (
    Difference,
    as_records,
    difference_by,
    grouped,
    not_compared,
    numbered_by,
    numbers_of,
)
from evalreport.engine.comparisons.same_rows import SameRows
from evalreport.engine.metric_values import Evaluated
from evalreport.engine.reference.differences import SAME_ROWS, compared_with_run
from evalreport.engine.reference.run import ReferenceRun, References
from evalreport.metrics.catalogue import metric_named
from evalreport.metrics.coverage_study import Drawn
from evalreport.metrics.declare import Metric
from evalreport.metrics.formula import Undefined, Value
from evalreport.metrics.methods import ONE, STUDENT
from evalreport.plan.comparisons import ComparisonRequest, ComparisonTask, planned_by
from evalreport.plan.everything import comparison_request
from evalreport.plan.task import Task
from evalreport.results.identity import EVERYTHING, MEAN_OF_FOLDS, Slice
from evalreport.results.records import (
    Comparison,
    Hypothesis,
    Interval,
    JointCalls,
    JointTable,
    Measure,
)
from evalreport.spec.comparisons import RunReference
from evalreport.statistics.hypotheses import Tails, from_error, of_normal, of_t
from evalreport.statistics.tail import normal_two_sided, t_two_sided
from evalreport.verify.leaves import CLOSE, Made, Miscounted, same
from evalreport.verify.recorded_models import OTHER_DRAWS, as_evaluated, same_draws
from evalreport.verify.recorded_tables import (
    EARLIER,
    SINGLE_ROWS,
    Absent,
    NotRecorded,
    refusing,
)

if TYPE_CHECKING:
    from evalreport.verify.recorded_state import RecordedState

ON_ROWS = "the two models are compared row by row"
FEWER = "it is a value of the rows that both models have"


def comparisons(again: RecordedState) -> Iterator[Made]:
    """Every comparison from the measures, its own counts and its family."""
    told, asked = again.results.comparisons, again.spec.loaded.spec.comparisons
    if asked is None:
        return
    request, level = comparison_request(again.spec.loaded.spec), again.spec.settings.level
    if request is not None:
        own = [
            _Recorded(again, one, task, fold)
            for one, (task, fold) in zip(told, _planned(again, request, told), strict=True)
        ]
        made = as_records([one.found_again() for one in own], request, level)
        for one, record in zip(own, made, strict=True):
            yield Made(one.with_notes(record), one.left_out, tuple(one.problems()))
    if isinstance(asked.reference, RunReference):
        yield from _earlier(again, asked.reference, told)


Planned = tuple[ComparisonTask, str | None]


def _planned(
    again: RecordedState, request: ComparisonRequest, told: Sequence[Comparison]
) -> Sequence[Planned]:
    """Each comparison of models or datasets, with its fold, in the order of the run."""
    try:
        tasks = again.plan.comparisons if again.same_version else None
    except NotRecorded:
        tasks = None
    if tasks is None:
        return [_stated(again, request, one) for one in told]
    planned: list[Planned] = []
    for (own, other, paired), first, every in grouped(tasks):
        both = again.model_of(*own), again.model_of(*other)
        folded = paired and both[0].folds and both[0].folds == both[1].folds
        planned += [(one, None) for one in first]
        planned += [(of_folds(one), MEAN_OF_FOLDS) for one in first if folded]
        planned += [(one, None) for alike in every.values() for one in alike]
    if len(planned) != len(told):
        raise Miscounted(len(told), len(planned))
    return planned


def _stated(again: RecordedState, request: ComparisonRequest, one: Comparison) -> Planned:
    """A comparison by the methods that it states.

    Where the plan needs more than the results, or another version planned them.
    """
    other = replace(
        one.which, dataset=one.reference_dataset or one.dataset, model=one.reference,
        threshold=one.reference_threshold,
    )  # fmt: skip
    first, second = again.results.number(one.which), again.results.number(other)
    if first is None or second is None:
        raise NotRecorded("a measure that is compared is not in the results")
    model = again.model_of(first.dataset, first.model)
    reference = again.model_of(second.dataset, second.model)
    tasks = model.task(first), reference.task(second)
    found = planned_by(request, *tasks, model.facts, reference.facts)
    found = found if one.fold is None else of_folds(found)
    method = found.interval if one.interval is None else one.interval.method
    return replace(found, test=one.test or "", interval=method, why=one.why), one.fold


# -- two models without rows --------------------------------------------------------------------


class _Side(Side):
    """A model of a comparison without rows."""

    predicted = losses = hits = scores = refusing(SINGLE_ROWS)


def _side(again: RecordedState, task: Task) -> Side:
    """A model as its results tell of it; of a subgroup its numbers of rows alone."""
    model, key = again.model_of(task.dataset, task.model), (task.dataset, task.model)
    tables: Any = model.tables if task.where == EVERYTHING else Absent(SINGLE_ROWS)
    view = model.view if task.where == EVERYTHING else model.tables.view_of(task.where)
    return _Side(view, tables, again.spec.settings, again.state.thresholds[key])


@dataclass(frozen=True, eq=False)
class _Pair(Pair):
    """Two models on the same rows, of which only the counts are known that stand in the record."""

    own: Comparison | None = None

    def joint_table(self, *_tasks: Task) -> JointTable:
        if self.own is None or self.own.joint_table is None:
            raise NotRecorded(ON_ROWS)
        return self.own.joint_table

    def calls(self, *_tasks: Task) -> JointCalls:
        if self.own is None or self.own.joint_calls is None:
            raise NotRecorded(ON_ROWS)
        return self.own.joint_calls


class _OtherDraws(OtherRows):
    """A model on two datasets, whose rows were drawn by another numpy."""

    _replicates = refusing(OTHER_DRAWS)


@dataclass(frozen=True, eq=False)
class _Stated(Contrast):
    """A difference by a method that needs the rows, as the record of the comparison states it.

    Statistic and limits are taken over: the p value follows from the one, and the others from the
    standard error that it implies where both are one calculation.
    """

    of: _Recorded
    task: ComparisonTask
    difference: float
    method: str

    def test(self) -> Test:
        own, stated, left_out = self.of.own, self.of.own.hypothesis, self.of.left_out
        error = None if stated is None else stated.standard_error
        left_out["hypothesis.standard_error"] = ON_ROWS
        tested: Comparison | Hypothesis = own
        if self.method != self.task.test and stated is not None:
            tested = stated
        else:
            grounds = ("statistic", "df") if own.statistic is not None else ("p_value",)
            left_out |= dict.fromkeys(grounds, ON_ROWS)
        p_value, z, df = tested.p_value, tested.statistic, tested.df
        if p_value is None or z is None:
            return Test(z, p_value, df, tested.reason, error)
        return Test(z, normal_two_sided(z) if df is None else t_two_sided(z, df), df, error=error)

    def tails(self, null: float) -> Tails | None:
        stated, test, left_out = self.of.own.hypothesis, self.test(), self.of.left_out
        if test.error:
            return from_error(self.difference, test.error, test.df)(null)
        if stated is None or test.error is not None or stated.p_value is None:
            return None if null else equality_tails(test, self.difference)
        left_out |= dict.fromkeys(("hypothesis.statistic", "hypothesis.df"), ON_ROWS)
        if null != stated.null:
            return Tails(0.0, 0.0)
        if stated.statistic is None:
            left_out["hypothesis.p_value"] = ON_ROWS
            return Tails(stated.p_value, stated.p_value)
        z, df = stated.statistic, stated.df
        return of_normal(z) if df is None else of_t(z, df)

    def limits(self, level: float) -> Limits:
        told, own = self.of.own.interval, self.of.own
        if told is None:
            return None, own.interval_reason
        ends = self._implied(told)
        names = ("n_effective", "standard_error", "df", "groups", "bias", "resamples",
                 "usable", "note", *(() if ends else ("low", "high")))  # fmt: skip
        self.of.left_out |= {f"interval.{name}": ON_ROWS for name in names}
        low, high = ends or (told.low, told.high)
        return replace(told, low=low, high=high, method=self.method, level=level), None

    def _implied(self, told: Interval) -> tuple[float, float] | None:
        """Limits by the error that a statistic of one calculation implies, within the range."""
        own, difference = self.of.own, self.difference
        if (own.test, told.method) not in STUDENT or not own.statistic or not difference:
            return None
        size = max(abs(own.model_value or 0.0), abs(own.reference_value or 0.0))
        if size * CLOSE > abs(difference):
            return None  # it is what rounding left of both values
        least, most = metric_named(self.task.task.metric).bounds
        df = own.df if own.df is not None else told.df
        by = ByError(difference, difference / own.statistic, df, told.method, most - least)
        made, _ = by.limits(told.level)
        if made is None:
            return None
        # limits of an area or a share may be cut at 1 on the scale of the metric
        ends = (made.low, told.low, -1.0), (made.high, told.high, 1.0)
        low, high = (end if same(abs(end), 1.0) and a * s > 1.0 else a for a, end, s in ends)
        return low, high


# -- one comparison -----------------------------------------------------------------------------


class _Recorded(Comparer):
    """One comparison by the engine's methods, where they need the rows by what it states.

    ``lacking``: what should stand in the record and does not.
    """

    def __init__(
        self, again: RecordedState, own: Comparison, task: ComparisonTask, fold: str | None
    ) -> None:
        super().__init__(_side(again, task.task), _side(again, task.reference))
        self.again, self.own, self.task, self.fold = again, own, task, fold
        self.left_out: dict[str, str] = {}
        self.lacking: str | None = None

    def found_again(self) -> Difference:
        """The difference as the engine finds it."""
        own, sides = self.own, (self.model, self.reference)
        told = replace(not_compared(self.task, own.reason or ""), fold=self.fold)
        if not own.n:
            self.left_out |= dict.fromkeys(("n", "note"), ON_ROWS)
            return told
        rows, note, values = self.model.view.rows, None, self._values
        if self._partly:
            rows, self.left_out["n"] = own.n, ON_ROWS
            note = left_out_of(*sides, rows)
        if self.fold is None:
            made = difference_by(self, sides, self.task, values, rows, note)
            # which classes averages leave out of the rows that both have is not known
            unsettled = own.difference is None and FEWER in self.left_out.values()
            return replace(made, difference=None, found=told.found) if unsettled else made
        self.left_out["fold_differences"] = ON_ROWS
        at, notes = numbers_of(*sides, self.task), () if note is None else (note,)
        made = replace(told, values=values, rows=rows, thresholds=at, notes=notes)
        if not own.fold_differences:
            return made
        mean = math.fsum(own.fold_differences) / len(own.fold_differences)
        return replace(made, difference=mean, found=self.found(self.task, values, mean))

    @cached_property
    def _engine(self) -> Comparer:
        """The engine's methods, on two sides without rows."""
        draws: Any = Absent(ON_ROWS)
        sides, both = (self.model, self.reference), _Pair(self.model, self.reference, own=self.own)
        if self.fold is not None:
            return OverFolds([both], self.own.fold_differences or ())
        if self.task.paired:
            return SameRows(both, draws)
        return (OtherRows if same_draws(self.again.results) else _OtherDraws)(*sides)

    @cached_property
    def _partly(self) -> set[str]:
        """Of two models, row by row, those with rows that the other one lacks."""
        own = self.own
        names = [own.model, own.reference] if self.task.paired else []
        return self.again.partly_used(own.dataset, names)

    # -- values -----------------------------------------------------------------------------

    @cached_property
    def _values(self) -> Values:
        """The values of both sides by their tables or measures, or else by the counts of both."""
        own, found = self.own, list[Evaluated]()
        task = numbered_by(self.model, self.task)
        sides = (task.task, "model_value"), (task.reference, "reference_value")
        counts = self._counted(metric_named(task.task.metric))
        for (one, name), counted in zip(sides, counts, strict=True):
            stated = getattr(own, name)
            value = None if one.model in self._partly else self._measured(one)
            if value is None and counted is None:
                self.left_out[name] = FEWER
            if counted is not None and (value is None or not same(stated, counted)):
                value = _told(counted)
            found.append(_told(stated) if value is None else value)
        return found[0], found[1]

    def _measured(self, task: Task) -> Evaluated | None:
        """A value from the tables of its model, or else that of its measure."""
        model = self.again.model_of(task.dataset, task.model)
        if self.fold is None:
            with suppress(NotRecorded):
                return model.measurer.compute(replace(task, interval=None)).evaluated
        where = task.where if self.fold is None else Slice(fold=self.fold)
        measure = model.told(replace(task, where=where))
        return None if measure is None else as_evaluated(measure)

    def _counted(self, metric: Metric) -> tuple[float | None, float | None]:
        """The values of both sides by the counts beside them, where they are shares of these."""
        own, joint = self.own, self.own.joint_table
        if joint is not None and (n := joint.n11 + joint.n10 + joint.n01 + joint.n00):
            return (joint.n11 + joint.n10) / n, (joint.n11 + joint.n01) / n
        if own.joint_calls is None:
            return None, None
        above, below = counts.counted_calls(metric, own.joint_calls)
        first = above.both + above.first_only, below.both + below.first_only
        second = above.both + above.second_only, below.both + below.second_only
        one, two = (top / (top + rest) if top + rest else None for top, rest in (first, second))
        return one, two

    # -- the engine's methods, and what is taken over -----------------------------------------

    def counts(self, task: ComparisonTask, values: Values) -> Counted:
        own = self.own
        self.left_out |= dict.fromkeys(("joint_table", "joint_calls"), ON_ROWS)
        if self.fold is None and own.paired and FEWER in self.left_out.values():
            return Counted(own.joint_table, own.joint_calls)
        try:
            return self._engine.counts(task, values)
        except NotRecorded:
            self.lacking = "the counts that it rests on are not there"
            return Counted()

    def contrast(
        self, task: ComparisonTask, values: Values, difference: float, method: str
    ) -> Contrast:
        try:
            return self._engine.contrast(task, values, difference, method)
        except NotRecorded:
            return _Stated(self, self.task, difference, method)

    def noted(self, interval: Interval) -> Interval:
        return self._engine.noted(interval)

    def studied(self, task: ComparisonTask) -> tuple[str, Drawn] | None:
        try:
            return self._engine.studied(task)
        except NotRecorded:
            names = ("held", "held_most", "held_cell")
            self.left_out |= {
                f"{of}.{n}": ON_ROWS for of in ("interval", "ratio.interval") for n in names
            }
            return None

    def with_notes(self, made: Comparison) -> Comparison:
        """The record with what is noted of limits that are taken over."""
        told = self.own.interval
        if told is None or made.interval is None or "interval.note" not in self.left_out:
            return made
        return replace(made, interval=replace(made.interval, note=told.note))

    def problems(self) -> Iterator[str]:
        """What contradicts itself in a comparison whose limits are taken over."""
        own, limits = self.own, self.own.interval
        if self.lacking is not None:
            yield self.lacking
        if limits is None or own.difference is None:
            return
        if (own.test, limits.method) in ONE and own.methods_disagree:
            yield "p value and limits of one calculation lie on two sides of 0"
        around = limits.low <= own.difference <= limits.high
        ends = [same(end, own.difference) for end in (limits.low, limits.high)]
        # a difference outside its limits is told with the bias that the draws have
        if not around and not any(ends) and limits.bias is None:
            yield "the limits do not lie around the difference"


def _told(value: float | None) -> Evaluated:
    """A value as a comparison states it."""
    return Evaluated(Undefined("") if value is None else Value(value), "", "")


# -- an earlier run -----------------------------------------------------------------------------


def _earlier(
    again: RecordedState, reference: RunReference, told: Sequence[Comparison]
) -> Iterator[Made]:
    """Every measure beside that of an earlier run, of which is known what is recorded here."""
    results, same = again.results, {o.dataset for o in told if o.interval_reason == SAME_ROWS}
    inputs = tuple(one for one in results.provenance.inputs if one.dataset in same)
    then = replace(
        results,
        measures=tuple(filter(None, (_then(again, one) for one in told))),
        provenance=replace(results.provenance, inputs=inputs),
    )
    run = ReferenceRun(again.references.runs[reference.run].name, "", then)
    made = compared_with_run(again.state, References({reference.run: run}))
    if len(made) != len(told):
        raise Miscounted(len(told), len(made))
    left_out = {
        f"reference_{name}": EARLIER
        for name in ("value", "interval", "numerator", "denominator", "n", "threshold")
    }
    for found, one in zip(made, told, strict=True):
        # how the earlier threshold was found, and why a value was undefined, it tells itself
        texts = ["exploratory", "note"]
        texts += ["reason", "interval_reason"] if found.difference is None else []
        yield Made(replace(found, **{name: getattr(one, name) for name in texts}), left_out)


def _then(again: RecordedState, one: Comparison) -> Measure | None:
    """The measure of the earlier run that a comparison tells of; None where it had none."""
    now = again.results.number(one.which)
    if now is None or one.reference_n is None:
        return None
    # averages over other classes than those of now have no difference
    alike = one.difference is not None or one.average is None
    return replace(
        now, value=one.reference_value, interval=one.reference_interval,
        numerator=one.reference_numerator, denominator=one.reference_denominator,
        n=one.reference_n, threshold=one.reference_threshold, reason=None,
        state="value" if one.reference_value is not None else "undefined",
        left_out=now.left_out if alike else ("",),
    )  # fmt: skip
