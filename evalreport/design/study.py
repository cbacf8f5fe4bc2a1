"""A study as it is planned: the power of each criterion and of all, and the rows it takes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from evalreport.design import decisions
from evalreport.design.assumptions import table_metric, truth_of, value_of
from evalreport.design.decisions import Decision, Power
from evalreport.design.pairs import TESTS, AreaPair, CallPair, Pair
from evalreport.design.reader_study import (
    METHOD,
    ReaderSizes,
    ReaderTest,
    Reading,
    joint_bound,
    reading_sizes,
    reading_test,
)
from evalreport.errors import Location, Problem, SpecError
from evalreport.metrics.declare import Interval, Metric
from evalreport.metrics.kinds import Design as Drawn
from evalreport.metrics.methods import (
    CLASSICAL,
    Family,
    classical,
    default_method,
    family_of,
    methods_of,
)
from evalreport.plan.criteria import criterion_words
from evalreport.spec.acceptance import Criterion
from evalreport.spec.design import Design
from evalreport.spec.load import LoadedSpec
from evalreport.spec.sampling import Readers
from evalreport.statistics.paired import PAIRED_METHODS
from evalreport.statistics.power import Needed, size_needed
from evalreport.statistics.predictive import CALL_METHODS

SCHEMA = "evalreport/design/1"
#: Sizes of the curve, as shares of the size that is planned or needed.
STEPS = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0)
MOST_ROWS = 1_000_000


@dataclass(frozen=True)
class Point:
    """The power at one size; ``error`` where it was drawn."""

    rows: int
    power: float
    error: float | None = None


@dataclass(frozen=True)
class PlannedTest:
    """The two-sided test of no difference from a reference: its exact power, and sizes."""

    name: str
    alpha: float
    at_rows: Point | None = None
    needed: int | None = None
    denominator_needed: int | None = None
    curve: tuple[Point, ...] = ()
    reason: str | None = None


@dataclass(frozen=True)
class Planned:
    """One criterion: its rule, the power, and the size that the wanted power takes.

    ``needed`` and ``denominator_needed`` are the sizes from which the power stays; ``first``
    where it is reached for the first time (the power of a rule on counts goes up and down).
    ``clusters_needed``: those that the needed rows are of, where rows come in clusters.
    ``test`` stands beside a criterion against a reference that has no margin. Where readers
    are planned for, ``readers`` and ``reader_test`` stand in their place.
    """

    text: str
    method: str | None
    exact: bool
    expected: float | None = None
    at_rows: Point | None = None
    needed: int | None = None
    first: int | None = None
    denominator_needed: int | None = None
    clusters_needed: int | None = None
    curve: tuple[Point, ...] = ()
    reason: str | None = None
    test: PlannedTest | None = None
    readers: ReaderSizes | None = None
    reader_test: ReaderTest | None = None


@dataclass(frozen=True)
class StudyDesign:
    """What is fixed before the data: question, assumptions, criteria, sizes."""

    title: str
    about: dict[str, Any]
    expect: dict[str, float]
    references: dict[str, dict[str, dict[str, float]]]
    wanted: float
    level: float
    rows: int | None
    enrichment: float | None
    clusters: dict[str, float] | None
    readers: dict[str, Any] | None
    criteria: tuple[Planned, ...]
    joint: Point | None
    joint_needed: int | None
    joint_reason: str | None
    notes: tuple[str, ...]
    spec_sha256: str
    schema: str = SCHEMA

    def as_json(self) -> dict[str, Any]:
        """Plain data, with the hash of everything else in it."""
        body = asdict(self)
        text = json.dumps(body, sort_keys=True, ensure_ascii=False)
        return body | {"sha256": hashlib.sha256(text.encode()).hexdigest()}

    @property
    def sha256(self) -> str:
        """What later reports cite: the hash of the protocol."""
        return str(self.as_json()["sha256"])


def plan_study(loaded: LoadedSpec, step: Callable[[str], None] = lambda _: None) -> StudyDesign:
    """The design of a spec, from its assumptions alone: no data file is looked at.

    ``step`` is told each criterion before it is worked out. Raises SpecError where the spec
    assumes nothing or has no criteria, has readers of whom nothing is assumed, or assumes what
    does not go together.
    """
    spec = loaded.spec
    where = Location(str(loaded.path)) if loaded.path is not None else None
    if spec.design is None:
        raise SpecError(Problem("nothing is assumed: there is no `design`",
                                "design: {expect: {recall: 0.9, specificity: 0.9, "
                                "prevalence: 0.1}}", where))  # fmt: skip
    if not spec.criteria:
        raise SpecError(Problem("there are no criteria to plan for",
                                "acceptance: [{metric: recall, at_least: 0.8, bound: lower}]",
                                where))  # fmt: skip
    _check_readers(loaded, spec.design)
    study = _Study(loaded, spec.design)
    planned = []
    for _, criterion in spec.criteria:
        step(criterion_words(criterion))
        planned.append(study.planned(criterion))
    step("all criteria together")
    joint, needed, reason = study.joint()
    clusters, readers = spec.design.clusters, spec.design.readers
    return StudyDesign(
        title=spec.title,
        about=dict(spec.about),
        expect=dict(spec.design.expect),
        references={
            model: {name: one.model_dump(exclude_none=True) for name, one in assumed.items()}
            for model, assumed in spec.design.references.items()
        },
        wanted=spec.design.power,
        level=spec.confidence.level,
        rows=spec.design.rows,
        enrichment=spec.design.enrichment,
        clusters=None if clusters is None else clusters.model_dump(),
        readers=None if readers is None else readers.model_dump(mode="json", exclude_none=True),
        criteria=tuple(planned),
        joint=joint,
        joint_needed=needed,
        joint_reason=reason,
        notes=study.notes,
        spec_sha256=loaded.sha256,
    )


def _check_readers(loaded: LoadedSpec, design: Design) -> None:
    """Readers are assumed where the data have them, and only there."""
    names = [name for name, one in loaded.spec.datasets.items() if one.readers is not None]
    if names and design.readers is None:
        what = f"'{names[0]}' has several readers, and nothing is assumed of them"
        hint = "design: {readers: {number: 6, cases: 200, measures: {roc_auc: {between: 0.03, "
        hint += "correlations: {same_modality: 0.4}}}}}"
        where = loaded.where(("datasets", names[0], "readers"))
        raise SpecError(Problem(what, hint, where))
    if design.readers is not None and not names:
        what = "no dataset has readers: what is assumed of them is used for nothing"
        hint = "name the column of the readers in the dataset (readers: who), or remove it"
        raise SpecError(Problem(what, hint, loaded.where(("design", "readers"))))


class _Study:
    """The assumptions of a spec, and what follows from them for one criterion after the other."""

    def __init__(self, loaded: LoadedSpec, design: Design) -> None:
        self.spec, self.design, self.loaded = loaded.spec, design, loaded
        self.seed = loaded.spec.confidence.seed
        truth = truth_of(design.expect)
        self.truth = truth if design.enrichment is None else truth.enriched(design.enrichment)

    @cached_property
    def shrink(self) -> float:
        """What a row is worth where rows of a cluster are alike (Kish's design effect)."""
        found = self.design.clusters
        return 1.0 if found is None else 1.0 / (1.0 + (found.size - 1.0) * found.correlation)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was taken for granted on the way."""
        found = []
        if self.design.clusters is not None:
            found.append(
                "Rows in clusters count as fewer independent rows, by the design effect "
                f"1 + (m - 1) rho: each counts as {self.shrink:.3g}."
            )
        if self.design.enrichment is not None:
            found.append(
                f"Positives are enriched: {self.design.enrichment:g} of the sample. Shares among "
                f"all rows and predictive values apply to this sample."
            )
        compared = {
            (c.reference, name)
            for c in self._against_models()
            for name in _told_for(c.metric.metric)
        }
        found += [
            f"No criterion compares {name} with {model}: what is assumed of it is not used."
            for model, assumed in self.design.references.items()
            for name in assumed
            if (model, name) not in compared
        ]
        return tuple(found)

    def _against_models(self) -> list[Criterion]:
        return [c for _, c in self.spec.criteria if isinstance(c.reference, str)]

    def planned(self, criterion: Criterion) -> Planned:
        """Power and size of one criterion, or why they cannot be told."""
        if self._over_readers(criterion):
            return self._planned_over_readers(criterion)
        decision = self.decision(criterion)
        blank = Planned(criterion_words(criterion), decision.method, decision.exact)
        reason = self._unplannable(criterion, decision)
        if reason is not None:
            return replace(blank, reason=reason)
        found = replace(blank, expected=self._expected(decision))
        if decision.pair is not None and not criterion.margin:
            found = replace(found, test=self._tested(decision, decision.pair))
        if decision.top is not None:
            found = self._with_denominator(found, decision)
        if not self._rows_settled(decision):
            told = "in rows it takes the expected prevalence, and what else decides how many count"
            return replace(found, reason=told)
        return self._with_sizes(found, decision)

    # -- several readers -------------------------------------------------------------------------

    def _over_readers(self, criterion: Criterion) -> bool:
        """Whether a run judges it on rows that several readers have read."""
        named = self.spec.datasets.items()
        own = [one for name, one in named if criterion.dataset in (None, name)]
        return any(one.readers is not None for one in own)

    def _planned_over_readers(self, criterion: Criterion) -> Planned:
        method = None if criterion.bound == "point" else METHOD
        decision = Decision(criterion, method, self.spec.confidence.level)
        blank = Planned(criterion_words(criterion), method, exact=False)
        asked = self.design.readers
        assert asked is not None
        found = self._reading(decision)
        if isinstance(found, str):
            return replace(blank, reason=found)
        sizes = reading_sizes(decision, found, asked, self.design.power)
        test = None
        if found.difference and not criterion.margin:
            alpha = round(1.0 - decision.level, 12)
            test = reading_test(found, asked, self.design.power, alpha)
        return replace(blank, expected=found.expected, readers=sizes, reader_test=test)

    def _reading(self, decision: Decision) -> Reading | str:
        """The measure over readers as it is assumed to be, or why it cannot be planned."""
        from evalreport.engine.readers.placing import AREA, CLEARED, FOUND

        criterion, metric = decision.criterion, decision.criterion.metric.metric
        assert self.design.readers is not None
        measure = self.design.readers.measures.get(metric.name)
        if metric.name not in (AREA, CLEARED, FOUND) or criterion.subgroup is not None:
            told = "over readers only recall, specificity and the area under the ROC curve of all "
            return told + "rows are judged; of pooled readings nothing is assumed"
        if measure is None:
            return f"design: {{readers: {{measures: ...}}}} has no {metric.name}"
        share = decisions.share_of(metric, dict(criterion.metric.params))
        if share is None and metric.name not in self.design.expect:
            return f"design.expect has no {metric.name}"
        if share is not None and not self.truth.settles(lambda c: self._value(decision, c)):
            return "design.expect leaves its true value open"
        below = np.array([1.0, 1.0, 0.0, 0.0]) if share is None else share[1]
        if measure.covariances is None and not self.truth.settles(lambda c: c @ below):
            return "design.expect has no prevalence: how many of the cases count is left open"
        value = expected = self._expected(decision)
        against = criterion.reference
        if against is not None:
            if not isinstance(against, str):
                return "it compares with other rows; a model on the same cases is planned for"
            if against not in measure.references:
                return f"design.readers has no true value of {against} for {metric.name}"
            expected = value - measure.references[against]
        reading = Reading(
            measure,
            value,
            expected,
            difference=against is not None,
            positives=float(self.truth.cells[:2].sum()),
            counted=None if share is None else float(self.truth.cells @ below),
            shrink=self.shrink,
            random=self._random(criterion),
        )
        return reading.lacking() or reading

    def _random(self, criterion: Criterion) -> frozenset[str]:
        """What is a sample of more of its kind: readers, cases or both."""
        for name, one in self.spec.datasets.items():
            if criterion.dataset in (None, name) and isinstance(one.readers, Readers):
                return frozenset(one.readers.random)
        return frozenset(("readers", "cases"))

    def decision(self, criterion: Criterion) -> Decision:
        """The rule of a criterion: its method is the one asked for, else the default."""
        metric = criterion.metric.metric
        if criterion.reference is not None:
            return self._against(criterion)
        asked = criterion.method or self.spec.confidence.method_of.get(metric.name)
        if asked == CLASSICAL:
            asked = classical(metric, None, Drawn.ROWS, two_classes=True)
        method = None
        if criterion.bound != "point":
            method = asked or default_method(metric)
        share = decisions.share_of(metric, dict(criterion.metric.params))
        if share is not None and method is not None and not _is_of_shares(method):
            share = None
        top, bottom = share if share is not None else (None, None)
        return Decision(criterion, method, self.spec.confidence.level, top, bottom)

    def _against(self, criterion: Criterion) -> Decision:
        """The rule of a criterion against a reference, with the pair where one is assumed."""
        metric, level = criterion.metric.metric, self.spec.confidence.level
        wanted = self.spec.comparisons
        _, intervals = methods_of(family_of(metric, None))
        method = None
        if criterion.bound != "point":
            asked = {} if wanted is None else wanted.methods
            method = asked.get(metric.name, intervals[0])
        blank = Decision(criterion, method, level)
        told = self.design.references.get(str(criterion.reference), {})
        assumed = told.get(metric.name)
        if family_of(metric, None) is Family.AREA:
            if assumed is None or assumed.correlation is None:
                return blank
            return replace(blank, areas=AreaPair(assumed.value, assumed.correlation))
        if family_of(metric, None) is Family.CALLS:
            return replace(blank, calls=self._calls(criterion))
        pair = self._pair(criterion, metric.name)
        share = decisions.share_of(metric, dict(criterion.metric.params))
        if pair is None or share is None:
            return blank
        return replace(blank, top=share[0], bottom=share[1], pair=pair)

    def _calls(self, criterion: Criterion) -> CallPair | None:
        """Both models on the rows of each class, where both pairs of shares are assumed."""
        one, two = (self._pair(criterion, name) for name in _told_for(criterion.metric.metric))
        return None if one is None or two is None else CallPair(one, two)

    def _pair(self, criterion: Criterion, name: str) -> Pair | None:
        """A share of rows of the model and of the reference, where both are assumed."""
        model, wanted = str(criterion.reference), self.spec.comparisons
        assumed = self.design.references.get(model, {}).get(name)
        metric = table_metric(name)
        if assumed is None or metric is None:
            return None
        params = dict(criterion.metric.params) if metric is criterion.metric.metric else {}
        if not self.truth.settles(lambda cells: value_of(metric, params, cells)):
            return None
        first = float(value_of(metric, params, self.truth.cells))
        tests, _ = methods_of(family_of(metric, None))
        try:
            chances = assumed.with_first(min(max(first, 0.0), 1.0))
        except ValueError as error:
            what = f"{metric.name} {first:g} of the model and {assumed.value:g} of {model} do not "
            where = self.loaded.where(("design", "references", model, metric.name))
            raise SpecError(Problem(f"{what}go with it", str(error), where)) from None
        test = ({} if wanted is None else wanted.tests).get(metric.name, tests[0])
        return Pair(metric.name, model, chances, test)

    def _no_pair(self, decision: Decision) -> str | None:
        """Why a criterion against a reference cannot be planned, or None."""
        criterion, metric = decision.criterion, decision.criterion.metric.metric
        if not isinstance(criterion.reference, str):
            return "it compares with other rows; a model on the same rows is planned for"
        family, told = family_of(metric, None), self.design.references.get(criterion.reference, {})
        if family not in DRAWN_AGAINST:
            return f"pairs are planned for shares of rows and areas, not for {metric.name}"
        lacking = [name for name in _told_for(metric) if name not in told]
        if lacking:
            how = "correlation" if family is Family.AREA else "discordance"
            return (
                f"nothing is assumed of the reference: design: {{references: {{"
                f"{criterion.reference}: {{{lacking[0]}: {{value: ..., {how}: ...}}}}}}}}"
            )
        if decision.method is not None and decision.method not in DRAWN_AGAINST[family]:
            return f"its interval is drawn ({decision.method}); it would be drawn for every draw"
        return None

    def _unplannable(self, criterion: Criterion, decision: Decision) -> str | None:
        metric = criterion.metric.metric
        if criterion.reference is not None and (reason := self._no_pair(decision)) is not None:
            return reason
        if criterion.subgroup is not None:
            return "it is of a subgroup, whose size is not assumed"
        if criterion.average not in (None, "none") or criterion.label is not None:
            return "it is of several classes; two are planned for"
        if _is_area(decision):
            if metric.name not in self.design.expect:
                return f"design.expect has no {metric.name}"
            return None
        if table_metric(metric.name) is None:
            return "no distribution of scores is assumed that gives this measure"
        if not self.truth.settles(lambda cells: self._value(decision, cells)):
            return "design.expect leaves its true value open"
        drawn = not decision.exact and criterion.bound != "point"
        if drawn and decision.method is not None and decision.method.startswith("bootstrap"):
            return f"its interval is drawn ({decision.method}); it would be drawn for every draw"
        return None

    def _value(self, decision: Decision, cells: Any) -> Any:
        request = decision.criterion.metric
        return value_of(request.metric, dict(request.params), cells)

    def _expected(self, decision: Decision) -> float:
        if _is_area(decision):
            return float(self.design.expect[decision.criterion.metric.name])
        return float(self._value(decision, self.truth.cells))

    def _rows_settled(self, decision: Decision) -> bool:
        """Whether it is known how many of the rows count for it."""
        if decision.bottom is not None:
            below = decision.bottom
            return self.truth.settles(lambda cells: cells @ below)
        if _is_area(decision):
            return self.truth.settles(lambda cells: cells[0] + cells[1])
        return len(self.truth.free) == 0

    def _with_denominator(self, found: Planned, decision: Decision) -> Planned:
        def power(n: int) -> float:
            if decision.pair is not None:
                return decisions.pair_power(decision, self.truth, n, self.seed).chance
            return decisions.given_denominator(decision, self.truth, n)

        needed = self._needed(power, decision)
        if needed is None:
            return found
        return replace(found, denominator_needed=int(np.ceil(needed.stays / self.shrink)))

    def _tested(self, decision: Decision, pair: Pair) -> PlannedTest:
        """Power and size of the test that the comparison with the reference makes."""
        alpha = round(1.0 - decision.level, 12)
        blank = PlannedTest(pair.test, alpha)
        if pair.test not in TESTS:
            return replace(blank, reason="its power is not computed; that of McNemar's tests is")
        assert decision.bottom is not None
        counted = float(self.truth.cells @ decision.bottom)

        def power(rows: int, chance: float) -> float:
            found = pair.test_power(max(int(rows * self.shrink), 1), chance, alpha)
            return found or 0.0

        below = size_needed(lambda n: power(n, 1.0), self.design.power, MOST_ROWS)
        found = replace(blank, denominator_needed=None if below is None else below.stays)
        if below is None:
            reason = f"not reached with {MOST_ROWS} rows: the two are assumed too similar"
            found = replace(found, reason=reason)
        if not self._rows_settled(decision):
            return found
        needed = size_needed(lambda n: power(n, counted), self.design.power, MOST_ROWS)
        rows = self.design.rows
        base = rows or (None if needed is None else needed.stays)
        return replace(
            found,
            at_rows=None if rows is None else Point(rows, power(rows, counted)),
            needed=None if needed is None else needed.stays,
            curve=tuple(Point(n, power(n, counted)) for n in _sizes(base)),
        )

    def _with_sizes(self, found: Planned, decision: Decision) -> Planned:
        def power(rows: int) -> Power:
            return self._power(decision, rows)

        needed = self._needed(lambda n: power(n).chance, decision)
        rows = self.design.rows
        at_rows = None if rows is None else _point(rows, power(rows))
        base = rows or (needed.stays if needed is not None else None)
        reason = None
        if needed is None:
            reason = f"not reached with {MOST_ROWS} rows: the assumed value is too close to, or "
            reason += "beyond, what is required"
        return replace(
            found,
            at_rows=at_rows,
            needed=None if needed is None else needed.stays,
            clusters_needed=None if needed is None else self._clusters(needed.stays),
            first=None if needed is None or not decision.exact else needed.first,
            curve=tuple(_point(n, power(n)) for n in _sizes(base)),
            reason=reason,
        )

    def _clusters(self, rows: int) -> int | None:
        """The clusters that so many rows are of, where rows come in clusters."""
        found = self.design.clusters
        return None if found is None else int(np.ceil(rows / found.size))

    def _needed(self, power: Callable[[int], float], decision: Decision) -> Needed | None:
        if decision.exact:
            return size_needed(power, self.design.power, MOST_ROWS)
        return _about(power, self.design.power)

    def _power(self, decision: Decision, rows: int) -> Power:
        if decision.exact:
            return decisions.share_power(decision, self.truth, rows, self.shrink)
        if _is_area(decision):
            counted = rows * self.shrink
            positives = max(round(counted * float(self.truth.cells[:2].sum())), 1)
            negatives = max(round(counted) - positives, 1)
            area = float(self.design.expect[decision.criterion.metric.name])
            return decisions.area_power(decision, area, positives, negatives, self.seed)
        tables = decisions.drawn_tables(self.truth, rows, self.shrink, self.seed)
        return decisions.drawn(decisions.passing_tables(decision, tables, self.seed))

    def joint(self) -> tuple[Point | None, int | None, str | None]:
        """All criteria together: power at the planned rows, rows needed, or why neither."""
        if self.design.readers is not None:
            return None, None, self._joint_over_readers()
        every = [self.decision(criterion) for _, criterion in self.spec.criteria]
        for decision in every:
            reason = self._unplannable(decision.criterion, decision)
            if reason is not None or not self._rows_settled(decision):
                told = reason or "the rows that count for it are left open"
                return None, None, f"{criterion_words(decision.criterion)}: {told}"
        if len(every) == 1 and every[0].exact:
            only = self.planned(every[0].criterion)
            return only.at_rows, only.needed, None

        def power(rows: int) -> Power:
            return self._together(every, rows)

        needed = _about(lambda n: power(n).chance, self.design.power)
        rows = self.design.rows
        at_rows = None if rows is None else _point(rows, power(rows))
        reason = None if needed is not None else f"not reached with {MOST_ROWS} rows"
        return at_rows, None if needed is None else needed.stays, reason

    def _joint_over_readers(self) -> str:
        sizes = [self.planned(criterion).readers for _, criterion in self.spec.criteria]
        told = [one for one in sizes if one is not None]
        bound = joint_bound(told) if len(told) == len(sizes) else None
        reason = "how measures of the same readings depend on each other is not assumed"
        if bound is None:
            return reason
        return (
            f"{reason}; with the planned readers and cases all pass with a chance of at least "
            f"{bound:.3f} (Bonferroni)"
        )

    def _together(self, every: list[Decision], rows: int) -> Power:
        """The chance that all pass: counts on the same draws, areas as if independent of them."""
        chance, passed = 1.0, None
        tables = decisions.drawn_tables(self.truth, rows, self.shrink, self.seed)
        for decision in every:
            if _is_area(decision):
                chance *= self._power(decision, rows).chance
                continue
            own = decisions.passing_tables(decision, tables, self.seed)
            passed = own if passed is None else passed[: len(own)] & own[: len(passed)]
        drawn = Power(1.0, 0.0) if passed is None else decisions.drawn(passed)
        count = len(passed) if passed is not None else decisions.SCORE_DRAWS
        both = chance * drawn.chance
        return Power(both, float(np.sqrt(both * (1 - both) / count)))


#: Interval methods of differences, by what is compared, that are worked out for every draw.
DRAWN_AGAINST: dict[Family, Collection[str]] = {
    Family.ROWS: PAIRED_METHODS,
    Family.AREA: ("delong_score", "delong"),
    Family.CALLS: CALL_METHODS,
}


def _told_for(metric: Metric) -> tuple[str, ...]:
    """What has to be assumed of a reference: a predictive value follows from two shares."""
    from evalreport.engine.readers.placing import CLEARED, FOUND

    return (FOUND, CLEARED) if family_of(metric, None) is Family.CALLS else (metric.name,)


def _is_area(decision: Decision) -> bool:
    """Whether it is the area under the ROC curve itself, which scores are drawn for."""
    metric = decision.criterion.metric.metric
    return metric.interval is Interval.AUC and metric.bounds == (0.0, 1.0)


def _is_of_shares(method: str) -> bool:
    from evalreport.statistics.proportions import PROPORTION_METHODS

    return method in PROPORTION_METHODS


def _sizes(base: int | None) -> list[int]:
    """Sizes of a curve around one size."""
    return [] if base is None else sorted({max(int(base * step), 1) for step in STEPS})


def _point(rows: int, power: Power) -> Point:
    return Point(rows, power.chance, power.error)


def _about(power: Callable[[int], float], wanted: float) -> Needed | None:
    """The size with the wanted power, of a power that is drawn: to about two in a hundred."""
    low, high = 1, 16
    while power(high) < wanted:
        low, high = high, 2 * high
        if high > MOST_ROWS:
            return None
    while high - low > max(1, high // 64):
        middle = (low + high) // 2
        low, high = (low, middle) if power(middle) >= wanted else (middle, high)
    return Needed(high, high)
