"""Acceptance criteria against the measures: pass, fail, or not evaluated with a reason."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from evalreport.metrics.declare import Interval, Metric, Table
from evalreport.metrics.formula import Ratio, Value
from evalreport.metrics.tables import Counts
from evalreport.results import records
from evalreport.results.records import OUT_OF_REACH, Measure
from evalreport.statistics.proportions import PROPORTION_METHODS

PASS, FAIL, NOT_EVALUATED = "pass", "fail", "not_evaluated"
EACH = "each"


@dataclass(frozen=True)
class Criterion:
    """A criterion as the spec fixes it.

    ``bound`` is what is held against the requirement: ``point``, ``lower`` or
    ``upper`` limit, ``method`` that of the limit, None for that of the measure.
    ``dataset``, ``model`` and ``threshold`` are None for every
    one of them (every dataset and model; the first threshold). ``subgroup`` is
    ``{}`` for all rows, a mapping, or ``"each"``.
    """

    metric: Metric
    params: Mapping[str, Any] = field(default_factory=dict)
    at_least: float | None = None
    at_most: float | None = None
    bound: str = "point"
    dataset: str | None = None
    model: str | None = None
    threshold: str | None = None
    subgroup: Any = field(default_factory=dict)
    average: str | None = None
    label: str | None = None
    method: str | None = None

    @property
    def required(self) -> float:
        """The number that has to be reached or kept to."""
        return self.at_least if self.at_least is not None else float(self.at_most or 0.0)

    def text(self) -> str:
        """The criterion in words."""
        word = ">=" if self.at_least is not None else "<="
        what = {"point": "", "lower": "lower limit of ", "upper": "upper limit of "}[self.bound]
        inside = ", ".join(
            f"{k}={v:g}" if isinstance(v, float) else f"{k}={v}" for k, v in self.params.items()
        )
        name = f"{self.metric.name}({inside})" if inside else self.metric.name
        if self.average:
            name = f"{self.average} {name}"
        if self.label is not None:
            name = f"{name} of {self.label}"
        by = "" if self.method is None else f" by {self.method}"
        return f"{what}{name} {word} {self.required:g}{by}"


#: The limits of a measure by the method that a criterion names, or why there are none.
Limits: TypeAlias = Callable[[Criterion, Measure], records.Interval | str]


def judge(
    criteria: Sequence[Criterion],
    measures: Sequence[Measure],
    views: Sequence[tuple[str, str]],
    first_threshold: Mapping[tuple[str, str], str | None],
    minimum: int = 0,
    positive: Mapping[tuple[str, str], str | None] | None = None,
    nobody: Sequence[str] = (),
    limits: Limits | None = None,
) -> list[records.Criterion]:
    """One record per criterion, dataset, model and subgroup it applies to.

    A value of a subgroup that rests on fewer than ``minimum`` rows is not evaluated.
    ``positive``: the class that a criterion means which names none. ``nobody``: why a
    criterion applies to no dataset and model, for each criterion, where that is so. ``limits``:
    by the methods that criteria name.
    """
    found: list[records.Criterion] = []
    for number, criterion in enumerate(criteria, start=1):
        meant = [
            (dataset, model)
            for dataset, model in views
            if criterion.dataset in (None, dataset) and criterion.model in (None, model)
        ]
        if not meant:
            told = nobody[number - 1] if nobody else "no model made predictions to judge"
            found.append(of_nobody(number, criterion, told))
        for dataset, model in meant:
            threshold = criterion.threshold or first_threshold[dataset, model]
            own = [
                m
                for m in measures
                if (m.dataset, m.model) == (dataset, model) and _is_meant(criterion, m, threshold)
            ]
            place = _Place(number, criterion, dataset, model, threshold)
            of_class = (positive or {}).get((dataset, model))
            found.extend(_of_place(place, own, minimum, of_class, limits))
    return found


def of_nobody(number: int, criterion: Criterion, reason: str) -> records.Criterion:
    """The record of a criterion that applies to no dataset and model: not evaluated."""
    subgroup = {} if criterion.subgroup == EACH else dict(criterion.subgroup)
    place = _Place(number, criterion, criterion.dataset, criterion.model, criterion.threshold)
    return place.record(subgroup, None, None, NOT_EVALUATED, reason)


#: States of measures that may have limits.
_NUMBERS = ("value", "infinite")


def _of_place(
    place: _Place,
    own: Sequence[Measure],
    minimum: int,
    positive: str | None,
    limits: Limits | None,
) -> Iterator[records.Criterion]:
    criterion = place.criterion
    if criterion.subgroup == EACH:
        chosen = [m for m in own if m.where.subgroup]
        missing = "no subgroup is declared"
    else:
        wanted = dict(criterion.subgroup)
        chosen = [m for m in own if dict(m.where.subgroup) == wanted]
        missing = "no measure of this subgroup: it does not occur" if wanted else "not measured"
    chosen = _preferred(criterion, chosen, positive)
    if not chosen:
        subgroup = {} if criterion.subgroup == EACH else dict(criterion.subgroup)
        yield place.record(subgroup, None, None, NOT_EVALUATED, missing)
    for measure in chosen:
        if (reason := _few(measure, minimum, criterion.metric)) is not None:
            group = dict(measure.where.subgroup)
            yield place.record(group, measure, None, NOT_EVALUATED, reason)
            continue
        by: records.Interval | str | None = measure.interval
        if criterion.method is not None and limits is not None and measure.state in _NUMBERS:
            by = limits(criterion, measure)
        observed, reason = _observed(criterion, measure, by)
        outcome = NOT_EVALUATED if observed is None else _outcome(criterion, observed)
        if observed == math.inf:
            # plus infinity reaches any number and keeps to none
            observed = None
        entry = place.record(dict(measure.where.subgroup), measure, observed, outcome, reason)
        if criterion.method is not None and isinstance(by, records.Interval):
            entry = replace(entry, limits=by)
        if outcome == FAIL and reason is None and isinstance(by, records.Interval):
            entry = replace(entry, reason=_out_of_reach(criterion, measure, by))
        yield entry


def _out_of_reach(criterion: Criterion, measure: Measure, limits: records.Interval) -> str | None:
    """Why no predictions of these rows could have passed: too few rows for such a limit.

    Known of shares of rows that are the same whatever is predicted, by methods of whole counts.
    """
    method, rows = PROPORTION_METHODS.get(limits.method), measure.denominator
    if method is None or not isinstance(rows, int) or rows < 1 or measure.average is not None:
        return None
    best = _without_mistakes(criterion.metric)
    if criterion.bound == "lower" and criterion.at_least is not None and best == 1.0:
        made = method(rows, rows, limits.level)
        if made is None or made.low >= criterion.at_least:
            return None
        return f"{OUT_OF_REACH}: {rows} of {rows} would give a lower limit of {made.low:.3g}"
    if criterion.bound == "upper" and criterion.at_least is None and best == 0.0:
        made = method(0, rows, limits.level)
        if made is None or made.high <= criterion.required:
            return None
        return f"{OUT_OF_REACH}: 0 of {rows} would give an upper limit of {made.high:.3g}"
    return None


def _without_mistakes(metric: Metric) -> float | None:
    """A share where all is right, of rows that no prediction changes; None of other values."""
    if metric.interval is not Interval.PROPORTION or metric.table is not Table.COUNTS:
        return None
    one, other, right = (
        metric(Counts(*cells)) for cells in ((3, 2, 5, 7), (6, 1, 2, 8), (8, 0, 0, 9))
    )
    if not isinstance(one, Ratio) or not isinstance(other, Ratio):
        return None
    if one.bottom.exact() != other.bottom.exact():
        return None
    outcome = right.outcome()
    return float(outcome.number) if isinstance(outcome, Value) else None


def _few(measure: Measure, minimum: int, metric: Metric) -> str | None:
    """Why a subgroup's value rests on too few rows to be judged, or None.

    A share rests on the rows below its line: recall on those that are actually positive.
    """
    if not measure.where.subgroup or measure.state not in ("value", "infinite"):
        return None
    rests, shown, below = measure.n, "", measure.denominator
    if metric.interval is Interval.PROPORTION and isinstance(below, int):
        rests = min(rests, below)
        shown = f" ({measure.numerator} of {below})"
    if rests >= minimum:
        return None
    rows = "1 row" if rests == 1 else f"{rests} rows"
    return f"it rests on {rows}{shown}, fewer than subgroup_minimum: {minimum}"


def _is_meant(criterion: Criterion, m: Measure, threshold: str | None) -> bool:
    if m.metric != criterion.metric.name or m.where.fold is not None:
        return False
    if any(m.params.get(name) != value for name, value in criterion.params.items()):
        return False
    if m.threshold_rule is not None:
        return m.threshold_rule == threshold
    return m.threshold is None or threshold is None or f"{m.threshold:g}" == threshold


def _preferred(
    criterion: Criterion, measures: Sequence[Measure], positive: str | None
) -> list[Measure]:
    """The record meant where a metric has one per class.

    As named; else of the positive class, or an average where none is declared. What a metric
    is of several classes together, as the share of rows that are right, is of all of them.
    """
    if criterion.average is not None or criterion.label is not None:
        return [
            m
            for m in measures
            if m.average == criterion.average
            and (criterion.label is None or m.label == criterion.label)
        ]
    plain = [m for m in measures if m.average is None]
    labels = {m.label for m in plain}
    if plain and len(labels) == 1:
        return plain
    together = len(labels) > 2 and criterion.metric.of_all_together
    if positive in labels and not together:
        return [m for m in plain if m.label == positive]
    for average in criterion.metric.speaking_averages:
        found = [m for m in measures if m.average == average]
        if found:
            return found
    return []


def _observed(
    criterion: Criterion, measure: Measure, limits: records.Interval | str | None
) -> tuple[float | None, str | None]:
    # an average over some of the classes: how many, and which
    partly = measure.reason if measure.left_out else None
    if measure.state != "value":
        partly = f"{measure.state.replace('_', ' ')}: {measure.reason}"
        if measure.state != "infinite":
            return None, partly
        if criterion.bound == "point":
            return math.inf, partly
    if criterion.bound == "point":
        return measure.value, partly
    if not isinstance(limits, records.Interval):
        why = limits or measure.interval_reason
        return None, f"the measure has no interval{f': {why}' if why else ''}"
    return (limits.low if criterion.bound == "lower" else limits.high), partly


def _outcome(criterion: Criterion, observed: float) -> str:
    """Inclusive both ways: exactly met is passed."""
    if criterion.at_least is not None:
        return PASS if observed >= criterion.at_least else FAIL
    return PASS if observed <= criterion.required else FAIL


@dataclass(frozen=True)
class _Place:
    """What a criterion is applied to: number, dataset, model, threshold in words."""

    number: int
    criterion: Criterion
    dataset: str | None
    model: str | None
    threshold: str | None

    def record(
        self,
        subgroup: dict[str, str],
        measure: Measure | None,
        observed: float | None,
        outcome: str,
        reason: str | None,
    ) -> records.Criterion:
        """The outcome as it stands in the results."""
        criterion = self.criterion
        return records.Criterion(
            criterion=self.number,
            text=criterion.text(),
            metric=criterion.metric.name,
            dataset=self.dataset,
            model=self.model,
            subgroup=subgroup,
            threshold=measure.threshold if measure is not None else None,
            threshold_asked=self.threshold,
            measure=measure.id if measure is not None else None,
            bound=criterion.bound,
            direction="at_least" if criterion.at_least is not None else "at_most",
            required=criterion.required,
            observed=observed,
            outcome=outcome,
            reason=reason,
            exploratory=True if measure is not None and measure.exploratory else None,
        )
