"""The plan again from the spec and the facts in the results; the measures held against it.

A plan is a pure function of what was asked for and of facts about the data, and most of these
facts stand in the results: labels, groups, folds, the range of the scores. Where they do, the
plan is made again, with its hash; and every task of it has to be a measure or a failure, in the
order of the plan.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING

from evalreport.engine.cautions.catalogue import catalogue
from evalreport.engine.run import plan_record
from evalreport.plan.build import build_plan
from evalreport.plan.criteria import criteria_words
from evalreport.plan.everything import CURVED_CLASSES, with_everything
from evalreport.plan.inputs import Facts
from evalreport.plan.task import Plan
from evalreport.results.lookup import Results
from evalreport.results.records import Caution
from evalreport.spec.model import Spec
from evalreport.spec.models import HistoryModel
from evalreport.verify.leaves import Made
from evalreport.verify.recorded_models import Model
from evalreport.verify.recorded_spec import RecordedSpec
from evalreport.verify.recorded_tables import NotRecorded

if TYPE_CHECKING:
    from evalreport.verify.recorded_state import RecordedState

#: The engine whose plans have no facts of their own; those of others are held where they agree.
MEMORY = "memory"


def plan_of(asked: RecordedSpec, models: Sequence[Model]) -> Plan:
    """The plan of a spec for what the results tell of its data.

    Raises NotRecorded where a plan needs what is not in the results.
    """
    facts, requests, spec = [_facts(one) for one in models], asked.requests, asked.loaded.spec
    everything = with_everything(build_plan(requests, facts), spec, requests, facts)
    return replace(everything, criteria=criteria_words(spec))


def _facts(model: Model) -> Facts:
    """What the planner knew of a dataset and model. Raises NotRecorded."""
    facts = model.facts
    if facts.source != "prediction" and facts.low is None:
        raise NotRecorded("the range of the scores is not in the results")
    if facts.source == "prediction" and len(facts.labels) > CURVED_CLASSES:
        raise NotRecorded("there are no curves that show whether there were scores")
    return facts


def is_settled(plan: Plan, results: Results) -> bool:
    """Whether a plan that was made again is the one to hold results against.

    Where rows are counted where they lie, a plan may have facts that are not in the results.
    """
    engine = results.provenance.engine
    return plan.sha256 == results.provenance.plan_sha256 or (
        engine is not None and engine.name == MEMORY
    )


# -- what is told of the plan -------------------------------------------------------------------


def plan(again: RecordedState) -> Iterator[Made]:
    """What is told of the plan, its hash among it."""
    made, left_out = again.results.plan, {"": OF_DATA}
    try:
        if is_settled(again.plan, again.results):
            made, left_out = plan_record(again.plan), {}
    except NotRecorded as absent:
        left_out = {"": str(absent)}
    if made is not None:
        yield Made(made, left_out, tuple(_problems(again)))


OF_DATA = "the plan follows from the spec and the data: verify --rerun makes it again"


def _problems(again: RecordedState) -> Iterator[str]:
    """Datasets and models are those of the spec in its order, measures those of the plan."""
    if again.asked is None or not again.asked.in_order or not again.same_version:
        return
    results = again.results
    yield from _place_problems(results, again.asked.loaded.spec)
    yield from _caution_problems(results)
    wanted = (one.record.which.series for one in again.evaluated.measures)
    there = (one.which.series for one in results.measures)
    for place, both in enumerate(zip_longest(wanted, there)):
        if both[0] != both[1]:
            planned, own = ("nothing" if one is None else one.text() for one in both)
            yield f"measures[{place}]: the plan has {planned}, there is {own}"
            return


def _caution_problems(results: Results) -> Iterator[str]:
    """A caution that stands twice, and cautions that are not in the order of the catalogue."""
    told: list[Caution] = []
    for one in results.cautions:
        if one in told:
            yield f"the caution {one.code} is there twice, word for word"
        told.append(one)
    codes = [one.code for one in catalogue()]
    yield from (f"there is no caution {one.code}" for one in told if one.code not in codes)
    known = [one for one in told if one.code in codes]
    places = [(one.severity != "warning", codes.index(one.code)) for one in known]
    if places != sorted(places):
        yield "the cautions are not in their order"


def _place_problems(results: Results, spec: Spec) -> Iterator[str]:
    """Datasets and models in another order than the spec names them, too few or too many."""
    places = [
        (dataset, name)
        for dataset in spec.datasets
        for name in spec.models_on(dataset)
        if not isinstance(spec.models[name], HistoryModel)
    ]
    failed = {(one.dataset, one.model) for one in results.failures if one.section == "measures"}
    for part, records in (("labels", results.labels), ("rows", results.rows)):
        there = [(one.dataset, one.model) for one in records]
        # of a model that gave no predictions nothing is there
        wanted = [one for one in places if one in there or one not in failed]
        if there != wanted:
            own, named = ("; ".join(map(", ".join, pairs)) for pairs in (there, wanted))
            yield f"{part}: they are of {own}, the spec names {named}"
