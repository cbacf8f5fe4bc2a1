"""The results of a run as its engine works on them, without rows: spec, plan, models, state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from evalreport.engine.evaluation import Evaluation
from evalreport.engine.prepared import Prepared
from evalreport.engine.read_and_plan import criteria_of
from evalreport.engine.reference.run import ReferenceRun, References, is_previous, wanted
from evalreport.engine.run_state import RunState
from evalreport.plan.build import thresholds as thresholds_of
from evalreport.plan.task import Plan
from evalreport.results import records as r
from evalreport.results.lookup import Results
from evalreport.verify.leaves import Made, Miscounted
from evalreport.verify.rebuild_measures import Again, evaluated
from evalreport.verify.rebuild_plan import is_settled, plan_of
from evalreport.verify.recorded_models import (
    LABEL_SETS,
    NO_SPEC,
    Model,
    RecordedLabels,
    RecordedModel,
)
from evalreport.verify.recorded_spec import RecordedSpec, recorded_spec
from evalreport.verify.recorded_tables import NotRecorded
from evalreport.version import __version__

R = TypeVar("R")


Placed = TypeVar("Placed", r.Measure, r.Table)


def in_asked_order(results: Results, crossings: Sequence[tuple[str, ...]]) -> Results:
    """The results with the columns of each subgroup in the order in which the spec crosses them.

    Results are written with the keys in the order of their names.
    """
    order = {frozenset(one): one for one in crossings if list(one) != sorted(one)}
    if not order:
        return results

    def placed(record: Placed) -> Placed:
        columns = order.get(frozenset(record.subgroup))
        if columns is None:
            return record
        return replace(record, subgroup={column: record.subgroup[column] for column in columns})

    return replace(
        results,
        measures=tuple(map(placed, results.measures)),
        tables=tuple(map(placed, results.tables)),
    )


Rebuild = Mapping[type, Callable[["RecordedState"], Iterable[Any]]]


@dataclass(frozen=True, eq=False)
class RecordedState:
    """The results of a run as its engine works on them, without rows."""

    stated: Results
    #: How each kind of record is made again.
    rebuild: Rebuild = field(default_factory=dict)
    _models: dict[tuple[str, str], Model] = field(default_factory=dict)

    def part(self, kind: type[R]) -> Sequence[R | Made | None]:
        """Every record of a kind again; None in place of one that needs the rows.

        Raises NotRecorded where the part as a whole does.
        """
        return tuple(self.rebuild[kind](self))

    def counted(self, kind: type[R], planned: Iterable[R], paths: Iterable[str]) -> list[R]:
        """The records of a kind as they are planned, and what was counted as it stands there.

        ``paths``: of what is counted. Raises Miscounted where there are not as many as planned.
        """
        own, bare = self.results.of(kind), list(planned)
        if len(own) != len(bare):
            raise Miscounted(len(own), len(bare))
        names = {path.partition(".")[0] for path in paths}
        pairs: Iterable[tuple[Any, R]] = zip(bare, own, strict=True)
        return [replace(one, **{n: getattr(told, n) for n in names}) for one, told in pairs]

    @cached_property
    def asked(self) -> RecordedSpec | None:
        """The spec that the results carry; None where it cannot be read by itself."""
        return recorded_spec(self.stated)

    @cached_property
    def results(self) -> Results:
        """The results, columns of subgroups in the order of the spec."""
        if self.asked is None:
            return self.stated
        return in_asked_order(self.stated, self.asked.requests.subgroups)

    @property
    def same_version(self) -> bool:
        """Whether this version of the program made the results: another may do otherwise."""
        return self.stated.provenance.version == __version__

    @cached_property
    def rows(self) -> dict[tuple[str, str], r.RowLedger]:
        """The account of rows of each dataset and model."""
        return {(one.dataset, one.model): one for one in self.stated.rows}

    def partly_used(self, dataset: str, models: Sequence[str]) -> set[str]:
        """Of models on one dataset those with rows that another one leaves out."""
        ledgers = {name: self.rows.get((dataset, name)) for name in models}
        sets = {name: set(one.excluded) if one else set() for name, one in ledgers.items()}
        return {name for name, own in sets.items() if set().union(*sets.values()) - own}

    def any_model(self, dataset: str, model: str) -> Model:
        """A dataset and model, ready to be measured again. Raises NotRecorded."""
        key = (dataset, model)
        if key not in self._models:
            own = [one for one in self.results.labels if (one.dataset, one.model) == key]
            if not own or key not in self.rows:
                raise NotRecorded("there is no account of its labels")
            kind = RecordedLabels if own[0].label_sets else RecordedModel
            self._models[key] = kind(self.results, self.spec, own[0], self.rows[key])
        return self._models[key]

    def model_of(self, dataset: str, model: str) -> RecordedModel:
        """The same of rows of one class each. Raises NotRecorded."""
        found = self.any_model(dataset, model)
        if isinstance(found, RecordedLabels):
            raise NotRecorded(LABEL_SETS)
        return found

    @cached_property
    def spec(self) -> RecordedSpec:
        """The spec of the results. Raises NotRecorded."""
        if self.asked is None:
            raise NotRecorded(NO_SPEC)
        return self.asked

    @cached_property
    def references(self) -> References:
        """Each earlier run by its path in the spec, as far as the results tell of it."""
        paths = dict.fromkeys(path for path, _ in wanted(self.spec.loaded))
        told, series = self.results.of(r.Reference), self.spec.loaded.series
        if len(told) != len(paths):
            raise Miscounted(len(told), len(paths))
        # how often criteria were not passed in a row is told by the history
        known = replace(self.results, acceptance=())
        return References(
            {
                path: ReferenceRun(
                    one.run, one.results_sha256, known, is_previous(Path(path), series)
                )
                for path, one in zip(paths, told, strict=True)
            }
        )

    @cached_property
    def plan(self) -> Plan:
        """The plan of the run, made from the spec again. Raises NotRecorded."""
        if not self.spec.in_order:
            raise NotRecorded(NO_SPEC)
        return plan_of(self.spec, self.models)

    @cached_property
    def settled(self) -> Plan | None:
        """The plan, where it is the one that the run was made by; else None."""
        try:
            return self.plan if self.same_version and is_settled(self.plan, self.results) else None
        except NotRecorded:
            return None

    @cached_property
    def evaluated(self) -> Again:
        """All measures and tables again. Raises NotRecorded."""
        return evaluated(self)

    @cached_property
    def models(self) -> tuple[Model, ...]:
        """Every dataset and model in the order of the run. Raises NotRecorded."""
        return tuple(self.any_model(one.dataset, one.model) for one in self.results.labels)

    @cached_property
    def state(self) -> RunState:
        """What the parts of a run share, as far as the results hold it. Raises NotRecorded."""
        asked, models = self.spec, self.models
        try:
            plan = self.plan
        except NotRecorded:
            plan = Plan((), ())
        prepared = Prepared(
            loaded=asked.loaded,
            inputs=self.results.provenance.inputs,
            views=tuple(one.view for one in models),
            facts=tuple(one.facts for one in models),
            requests=asked.requests,
            settings=asked.settings,
            plan=plan,
            criteria=criteria_of(asked.loaded),
        )
        state = RunState(prepared)
        for one in models:
            if isinstance(one, RecordedModel):
                state.tables[one.key] = one.tables
            state.thresholds[one.key] = one.resolved
            state.first_threshold[one.key] = thresholds_of(asked.requests, one.facts)[0]
            tables = [own for own in self.evaluated.tables if (own.dataset, own.model) == one.key]
            state.evaluations.append(Evaluation(one.view, list(one.results.measures), tables))
        return state
