"""Comparisons again: values from the measures, all else from what stands in the record itself.

The counts of both models, or the fractions of both datasets, give test, limits, ratio and the
test of a hypothesis by the engine's functions. Where a test needs the rows, its statistic is taken
over: the p value follows from it, and the limits from the standard error that it implies where
both are one calculation. Corrected p values follow from the family.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from evalreport.engine.comparisons import calls, designed, folds
from evalreport.engine.comparisons.pairs import Side
from evalreport.engine.comparisons.records import (
    DISAGREE,
    asked_for,
    grouped,
    judged,
    notes_of,
    numbers_of,
)
from evalreport.engine.comparisons.result import Test
from evalreport.engine.comparisons.tests import OF_PROPORTIONS
from evalreport.engine.comparisons.unpaired import of_proportions
from evalreport.engine.groups.studied_groups import class_rows
from evalreport.engine.reference.differences import SAME_ROWS, compared_with_run
from evalreport.engine.reference.run import ReferenceRun, References
from evalreport.metrics.catalogue import find
from evalreport.metrics.comparing import (
    ADDED,
    BOOTSTRAP,
    CLUSTERS,
    PAIRED_T,
    PERCENTILE,
    SATTERTHWAITE,
    TWO_TABLES,
    WELCH,
    same_number,
)
from evalreport.metrics.coverage_study import (
    CLUSTERED_PAIRS,
    PAIRS,
    RATIO,
    TWO_SAMPLES,
    WEIGHTED_PAIRS,
    Drawn,
    all_held,
)
from evalreport.metrics.coverage_study import held as held_in_study
from evalreport.metrics.declare import Goal, Metric
from evalreport.metrics.estimates import different_classes
from evalreport.metrics.kinds import JACKKNIFE
from evalreport.plan.comparisons import ComparisonTask
from evalreport.results.identity import MEAN_OF_FOLDS, WhichNumber
from evalreport.results.records import (
    Comparison,
    Held,
    Hypothesis,
    Interval,
    Measure,
)
from evalreport.spec.comparisons import Comparisons, RunReference
from evalreport.statistics import hypotheses
from evalreport.statistics.hypotheses import AtNull
from evalreport.statistics.interval import z_value
from evalreport.statistics.multiplicity import Adjusted, adjust_families, corrected_family
from evalreport.statistics.paired import PAIRED_METHODS
from evalreport.statistics.predictive import CALL_METHODS, call_moments
from evalreport.statistics.tail import normal_two_sided, t_quantile, t_two_sided
from evalreport.statistics.unpaired import UNPAIRED_METHODS
from evalreport.verify.leaves import CLOSE, Made, Miscounted, same
from evalreport.verify.recorded_tables import NotRecorded

if TYPE_CHECKING:
    from evalreport.verify.recorded_state import RecordedState

ON_ROWS = "the two models are compared row by row"
FEWER = "it is a value of the rows that both models have"
EARLIER = "the earlier run is verified by itself"
#: Samples of the coverage study, by whether rows are shared.
DESIGNS = {True: (PAIRS, CLUSTERED_PAIRS, WEIGHTED_PAIRS), False: (TWO_SAMPLES,)}
#: Tests with limits, by their names, that are one calculation: a statistic over its error.
STUDENT = {
    (SATTERTHWAITE, SATTERTHWAITE), (PAIRED_T, PAIRED_T), (WELCH, WELCH),
    (designed.TEST, designed.INTERVAL), (folds.METHOD, folds.METHOD), ("delong", "delong"),
    ("delong_unpaired", "delong_unpaired"), (JACKKNIFE, JACKKNIFE),
}  # fmt: skip
#: Others that are one calculation, so that they never disagree.
ONE = {
    *STUDENT, ("delong_score", "delong_score"), ("delong_score_unpaired", "delong_score_unpaired"),
    (TWO_TABLES, TWO_TABLES), (ADDED, ADDED), (BOOTSTRAP, PERCENTILE), (CLUSTERS, CLUSTERS),
}  # fmt: skip


def comparisons(again: RecordedState) -> Iterator[Made]:
    """Every comparison from the measures, its own counts and its family."""
    told, asked = again.results.comparisons, again.spec.loaded.spec.comparisons
    if asked is None:
        return
    own = [one for one in told if one.reference_run is None]
    names = [one.dataset if asked.family == "dataset" else "" for one in own]
    adjusted = adjust_families([one.family_p for one in own], names, asked.correction)
    for one, planned, p_value in zip(own, _planned(again, own), adjusted, strict=True):
        yield _Rebuilt(again, asked, replace(one, **planned), p_value).made()
    if isinstance(asked.reference, RunReference):
        yield from _earlier(again, asked.reference, told)


def _planned(again: RecordedState, told: Sequence[Comparison]) -> Sequence[Mapping[str, Any]]:
    """What the plan says of each comparison of models or datasets, in the order of the run."""
    try:
        tasks = again.plan.comparisons
    except NotRecorded:
        return [{}] * len(told)
    planned: list[tuple[ComparisonTask, str | None]] = []
    for (own, other, paired), first, every in grouped(tasks):
        both = again.model_of(*own), again.model_of(*other)
        folded = paired and both[0].folds and both[0].folds == both[1].folds
        planned += [(one, None) for one in first]
        planned += [(folds.of_folds(one), MEAN_OF_FOLDS) for one in first if folded]
        planned += [(one, None) for alike in every.values() for one in alike]
    if len(planned) != len(told):
        raise Miscounted(len(told), len(planned))
    return [_said(again, task, fold, one) for (task, fold), one in zip(planned, told, strict=True)]


#: Names of tests and limits that may take over from the planned ones.
TAKEN_OVER = {name for pair in ONE for name in pair}


def _said(
    again: RecordedState, task: ComparisonTask, fold: str | None, one: Comparison
) -> dict[str, Any]:
    """The fields of a comparison that follow from its plan."""
    found = asked_for(task, fold)
    known = {task.test or None, task.interval, *TAKEN_OVER}
    if one.test not in known:
        found["test"] = task.test or None
    if one.interval is not None and one.interval.method not in known:
        found["interval"] = replace(one.interval, method=task.interval)
    if one.p_value is not None and one.statistic is not None:
        found["reason"] = None
    if one.hypothesis is not None and task.hypothesis is not None:
        asked, told = task.hypothesis, one.hypothesis
        found["hypothesis"] = replace(
            told,
            kind=asked.kind,
            why=asked.why,
            test=told.test if told.test in {*known, asked.test} else asked.test,
            reason=told.reason if told.p_value is None else None,
        )
    if one.interval is not None:
        found["interval_reason"] = None
    if one.n:  # else there were no rows to compare
        sides = [
            Side(tables.view, tables, again.spec.settings, again.state.thresholds[key])
            for own in (task.task, task.reference)
            for key in [(own.dataset, own.model)]
            for tables in [again.state.tables[key]]
        ]
        numbers = numbers_of(sides[0], sides[1], task)
        found |= zip(("threshold", "reference_threshold"), numbers, strict=True)
        if not _with_own_rows(again, one):
            notes = [] if fold else notes_of(sides[0], sides[1], task)
            found["note"] = "; ".join(notes) or None
            if not one.subgroup:
                found["n"] = sides[0].view.rows
    return found


def _with_own_rows(again: RecordedState, one: Comparison) -> set[str]:
    """Of two models, row by row, those with rows that the other one lacks."""
    names = [one.model, one.reference] if one.paired else []
    ledgers = [again.rows.get((one.dataset, name)) for name in names]
    sets = [set() if ledger is None else set(ledger.excluded) for ledger in ledgers]
    return {n for n, a, b in zip(names, sets, sets[::-1], strict=True) if b - a}


def _earlier(
    again: RecordedState, reference: RunReference, told: Sequence[Comparison]
) -> Iterator[Made]:
    """Every measure beside that of an earlier run, of which is known what is recorded here."""
    then = dict(filter(None, (_then(again, one) for one in told)))
    files = {one.dataset: one.sha256 for one in again.results.provenance.inputs}
    same = {one.dataset: files.get(one.dataset) for one in told if one.interval_reason == SAME_ROWS}
    nothing: Any = None
    name = again.earlier_runs[reference.run].run
    run = _EarlierRun(name, "", nothing, measures=then, data=same)
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


@dataclass(frozen=True, eq=False, kw_only=True)
class _EarlierRun(ReferenceRun):
    """An earlier run as the comparisons with it tell of it."""

    measures: dict[WhichNumber, Measure]
    data: dict[str, str | None]


def _then(again: RecordedState, one: Comparison) -> tuple[WhichNumber, Measure] | None:
    """The measure of the earlier run that a comparison tells of; None where it had none."""
    now = again.results.number(one.which)
    if now is None or one.reference_n is None:
        return None
    # averages over other classes than those of now have no difference
    alike = one.difference is not None or one.average is None
    return now.which.series, replace(
        now, value=one.reference_value, interval=one.reference_interval,
        numerator=one.reference_numerator, denominator=one.reference_denominator,
        n=one.reference_n, threshold=one.reference_threshold, reason=None,
        state="value" if one.reference_value is not None else "undefined",
        left_out=now.left_out if alike else ("",),
    )  # fmt: skip


@dataclass
class _Rebuilt:
    """One comparison of two models, or of one model on two datasets."""

    again: RecordedState
    asked: Comparisons
    own: Comparison
    adjusted: Adjusted

    def __post_init__(self) -> None:
        unsettled = ("joint_table", "joint_calls", "model_fraction", "reference_fraction", "n",
                     "fold_differences", "statistic", "df")  # fmt: skip
        self.left_out = dict.fromkeys(unsettled, ON_ROWS)
        self.told: dict[str, Any] = {}

    @cached_property
    def metric(self) -> Metric:
        found = find(self.own.metric)
        if found is None:
            raise ValueError(f"there is no metric {self.own.metric!r}")
        return found

    def made(self) -> Made:
        """The comparison from the measures and its own record."""
        own = self.own
        self._values()
        self._difference()
        self._test()
        self._limits()
        self._ratio()
        self._margins()
        correction = self.asked.correction
        family, tests = corrected_family(self.adjusted, correction, self.asked.family)
        p_adjusted = self.adjusted.p_value if own.hypothesis is None else None
        self.told |= {"correction": correction, "family": family, "family_tests": tests}
        self.told["p_adjusted"] = p_adjusted
        made = replace(own, **self.told)
        plain = "; ".join(part for part in (own.note or "").split("; ") if part != DISAGREE)
        made = judged(replace(made, note=plain or None), self.metric, self._level)
        if (own.test, own.interval and own.interval.method) in ONE and made.methods_disagree:
            # p and limits of one calculation lie on one side of 0
            made = replace(made, p_value=None)
        return Made(made, self.left_out)

    @property
    def _level(self) -> float:
        return self.again.spec.settings.level

    # -- values -----------------------------------------------------------------------------

    @cached_property
    def _measures(self) -> tuple[Measure | None, Measure | None]:
        own, number = self.own, self.again.results.number
        other = replace(
            own.which, dataset=own.reference_dataset or own.dataset, model=own.reference,
            threshold=own.reference_threshold,
        )  # fmt: skip
        return number(own.which), number(other)

    @cached_property
    def _partly(self) -> set[str]:
        """Of two models, row by row, those with rows that the other one lacks."""
        return _with_own_rows(self.again, self.own)

    def _values(self) -> None:
        """The values of both sides by their measures, or else by the counts of both."""
        own, counted = self.own, self._counted()
        names = ("model_value", own.model), ("reference_value", own.reference)
        for (name, model), measure, count in zip(names, self._measures, counted, strict=True):
            stated = getattr(own, name)
            if count is not None and not same(stated, count):
                self.told[name] = count
            elif measure is None or measure.indeterminate is not None or model in self._partly:
                if count is None:
                    self.left_out[name] = FEWER
            elif stated is not None or measure.value is None:
                self.told[name] = measure.value

    def _counted(self) -> tuple[float | None, float | None]:
        """The values of both sides by the counts beside them, where they are shares of these."""
        own, joint = self.own, self.own.joint_table
        if joint is not None and (n := joint.n11 + joint.n10 + joint.n01 + joint.n00):
            return (joint.n11 + joint.n10) / n, (joint.n11 + joint.n01) / n
        pairs = own.model_fraction, own.reference_fraction
        one, two = (None if not pair or not pair[1] else pair[0] / pair[1] for pair in pairs)
        return one, two

    def _difference(self) -> None:
        own, told = self.own, self.told
        values = [told.get(n, getattr(own, n)) for n in ("model_value", "reference_value")]
        if own.difference is not None:
            gone = None in values
            told["difference"] = None if gone else values[0] - values[1]
        elif None not in values and own.fold is None and not self._apart():
            told["difference"] = values[0] - values[1]
        if own.joint_calls is not None and own.difference is not None:
            found = call_moments(*calls.counted_calls(self.metric, own.joint_calls))
            if found is not None and not same(found.difference, own.difference):
                told["difference"] = found.difference

    def _apart(self) -> bool:
        """Whether averages are over different classes, or a value is not that of its measure."""
        one, two = self._measures
        if one is None or two is None or self._partly:
            return True
        return different_classes(("", one.left_out), ("", two.left_out)) is not None

    # -- test and limits --------------------------------------------------------------------

    def _test(self) -> None:
        """The test by the counts, or its p value by the statistic and degrees of freedom."""
        own, found = self.own, self._tested(self.own.test or "")
        if found is not None and own.p_value is not None:
            self.told |= {"statistic": found.statistic, "df": found.df, "p_value": found.p_value}
            self.told["reason"] = found.reason
            self.left_out = {k: v for k, v in self.left_out.items() if k not in ("statistic", "df")}
        elif own.p_value is not None and own.statistic is not None:
            z, df = own.statistic, own.df
            self.told["p_value"] = normal_two_sided(z) if df is None else t_two_sided(z, df)
        else:
            self.left_out["p_value"] = ON_ROWS

    def _tested(self, test: str) -> Test | None:
        own = self.own
        if own.joint_table is not None and test in OF_PROPORTIONS:
            return OF_PROPORTIONS[test](own.joint_table)
        if own.joint_calls is not None and test in calls.OF_CALLS:
            return calls.OF_CALLS[test](self.metric, own.joint_calls)
        if not own.paired and self._fractions and test in hypotheses.UNPAIRED_TAILS:
            return of_proportions(test, self._fractions)
        return None

    @cached_property
    def _fractions(self) -> tuple[float, float, float, float] | None:
        one, two = self.own.model_fraction, self.own.reference_fraction
        return (*one, *two) if one and two else None

    def _limits(self) -> None:
        own, interval = self.own, self.own.interval
        if interval is None:
            return
        limits = self._counted_limits(interval) or self._implied_limits(interval)
        low, high, difference = interval.low, interval.high, own.difference
        if limits is None:
            ends = {"low", "high"}
            # a difference outside its limits is told with the bias that the draws have
            if difference is not None and interval.bias is None:
                low = min(low, difference) if not same(low, difference) else low
                high = max(high, difference) if not same(high, difference) else high
                if (low, high) != (interval.low, interval.high):
                    ends = set()
        else:
            (low, high), ends = limits, set()
        rest = ("n_effective", "standard_error", "df", "groups", "bias", "resamples", "usable")
        self.left_out |= {f"interval.{name}": ON_ROWS for name in (*ends, *rest)}
        level = self._level
        made = replace(interval, low=low, high=high, level=level)
        self.told["interval"] = self._explained(made)

    def _counted_limits(self, interval: Interval) -> tuple[float, float] | None:
        own, level, limits = self.own, interval.level, None
        rows = self.again.rows.get((own.dataset, own.model))
        if rows is not None and rows.clusters is not None:
            return None  # they follow from the clusters, whatever their method is called
        if own.joint_table is not None and interval.method in PAIRED_METHODS:
            joint = own.joint_table
            cells = (joint.n11, joint.n10, joint.n01, joint.n00)
            limits = PAIRED_METHODS[interval.method](*cells, level)
        if own.joint_calls is not None and interval.method in CALL_METHODS:
            counted = calls.counted_calls(self.metric, own.joint_calls)
            limits = CALL_METHODS[interval.method](*counted, level)
        if not own.paired and self._fractions and interval.method in UNPAIRED_METHODS:
            limits = UNPAIRED_METHODS[interval.method](*self._fractions, level)
        return None if limits is None else (limits.low, limits.high)

    def _implied_limits(self, interval: Interval) -> tuple[float, float] | None:
        """Limits by the error that a statistic of one calculation implies, within the range."""
        own, pair = self.own, (self.own.test, interval.method)
        statistic, difference = own.statistic, own.difference
        if pair not in STUDENT or not statistic or not difference:
            return None
        size = max(abs(own.model_value or 0.0), abs(own.reference_value or 0.0))
        if size * CLOSE > abs(difference):
            return None  # it is what rounding left of both values
        df = own.df if own.df is not None else interval.df
        level = (1.0 + interval.level) / 2.0
        factor = z_value(interval.level) if df is None else t_quantile(level, df)
        half, most = factor * difference / statistic, self.metric.bounds[1] - self.metric.bounds[0]
        found = max(difference - half, -most), min(difference + half, most)
        if half <= 0.0 or not math.isfinite(half):
            return interval.low + 1.0, interval.high  # an error is above 0
        # limits of an area or a share may be cut at 1 on the scale of the metric
        ends = zip(found, (interval.low, interval.high), (-1.0, 1.0), strict=True)
        low, high = (own if same(abs(own), 1.0) and a * s > 1.0 else a for a, own, s in ends)
        return low, high

    def _explained(self, interval: Interval, of: str = "") -> Interval:
        """The interval, without what it tells of the coverage study where that did not find it."""
        if interval.study is None:
            return interval.with_study(None)
        drawn, right = self._drawn(), set[Held | None]()
        for name in self._names():
            if drawn is not None:
                right.add(held_in_study(name, drawn, interval.level, of))
            else:
                for design in DESIGNS[self.own.paired]:
                    right |= all_held(name, design, of)
        return interval if interval.study in right else interval.with_study(None)

    def _names(self) -> set[str]:
        """The metrics that an average may be the number of, of two classes or of more."""
        own = self.own
        return {same_number(self.metric, own.average, two_classes=t)[0].name for t in (True, False)}

    def _drawn(self) -> Drawn | None:
        """The rows of both sides as the study counts them; None where the results do not tell."""
        counted, results = [], self.again.results
        for measure in self._measures:
            if measure is None or self._partly or not results.has_table(measure.table):
                return None
            rows = self.again.rows.get((measure.dataset, measure.model))
            own = class_rows(measure, results.table(str(measure.table)))
            if own is None or rows is None or (rows.clusters, rows.predictions) != (None, None):
                return None
            counted.append(Drawn(*own, PAIRS if self.own.paired else TWO_SAMPLES))
        return min(counted)

    def _ratio(self) -> None:
        own, ratio = self.own, self.own.ratio
        if ratio is None or ratio.interval is None:
            return
        level = ratio.interval.level
        found = (
            calls.paired_ratio(self.metric, own.joint_table, own.joint_calls, level)
            if own.paired
            else calls.unpaired_ratio(own.model_fraction, own.reference_fraction, level)
        )
        limits = found.interval
        if limits is not None:
            explained = self._explained(
                replace(limits, why=ratio.interval.why).with_study(ratio.interval.study), RATIO
            )
            found = replace(found, interval=explained)
        self.told["ratio"] = found

    # -- what was to be shown ---------------------------------------------------------------

    def _margins(self) -> None:
        """The margin of the spec, and the one-sided test of a hypothesis."""
        stated, asked = self.own.hypothesis, self.asked
        margin = dict(asked.margins).get(self.own.metric)
        if stated is None:
            self.told["margin"] = margin
            return
        alpha = asked.alpha or (1.0 - self._level) / 2.0
        adjusted = self.adjusted.p_value
        made = replace(
            stated, margin=margin or 0.0, alpha=alpha, p_adjusted=adjusted,
            shown=None if adjusted is None else adjusted < alpha,
        )  # fmt: skip
        at = None if stated.p_value is None else self._tails(stated)
        gain = -1 if self.metric.goal is Goal.MINIMIZE else 1
        found = None if at is None else hypotheses.decide(stated.kind, margin or 0.0, at, gain=gain)
        if found is None:
            for name in ("statistic", "df", "p_value", "null"):
                self.left_out[f"hypothesis.{name}"] = ON_ROWS
        else:
            made = replace(
                made, null=found.null, statistic=found.statistic, df=found.df,
                p_value=found.p_value,
            )  # fmt: skip
        self.left_out["hypothesis.standard_error"] = ON_ROWS
        self.told["hypothesis"] = made

    def _tails(self, stated: Hypothesis) -> AtNull | None:
        own, joint, counts = self.own, self.own.joint_table, self._fractions
        if joint is not None and stated.test in hypotheses.PAIRED_TAILS:
            of_rows = hypotheses.PAIRED_TAILS[stated.test]
            return lambda null: of_rows(joint.n11, joint.n10, joint.n01, joint.n00, null)
        if counts is not None and not own.paired and stated.test in hypotheses.UNPAIRED_TAILS:
            of_two = hypotheses.UNPAIRED_TAILS[stated.test]
            return lambda null: of_two(*counts, null)
        if stated.standard_error and own.difference is not None:
            return hypotheses.from_error(own.difference, stated.standard_error, stated.df)
        return None
