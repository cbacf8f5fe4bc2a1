"""A failure says that a part of the run is not there: was it asked for, and is nothing of it there?

What is neither there nor recorded as failed is found where the parts are made again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import fields
from typing import Any

from evalreport.engine.cautions.catalogue import known_codes
from evalreport.results import records as r
from evalreport.results.lookup import Results, parts
from evalreport.spec.models import EstimatorModel
from evalreport.verify.leaves import Made
from evalreport.verify.recorded_state import RecordedState
from evalreport.verify.recorded_tables import NotRecorded

BELOW = "a measure or threshold failed, on which it may rest"

#: The parts of which at least one is not there where a section failed.
PARTS: Mapping[str, tuple[type, ...]] = {
    "drift": (r.Drift,),
    "claims": (r.Claim, r.ClaimCounts),
    "comparisons": (r.Comparison, r.OmnibusTest, r.Reclassification, r.ScorePairs),
    "baselines": (r.Baseline, r.BaselineTable, r.AgainstBaseline),
    "periods": (r.Period,),
    "declared": (r.Declared,),
    "subgroups": (r.Gap, r.Heterogeneity, r.Impact),
    "characteristics": (r.Characteristics,),
    "readers": (r.ReaderMean, r.ReaderDifference, r.ReaderAgreement),
    "sample size": (r.SampleSize,),
}


def failures(again: RecordedState) -> Iterator[Made]:
    """What failed was asked for, and nothing of it is there."""
    for one in again.results.failures:
        problems: tuple[str, ...] = ()
        if again.asked is not None and again.same_version:
            problems = tuple(_contradictions(one, again))
        yield Made(one, {}, problems)


def silenced(kind: type, results: Results) -> bool:
    """Whether a recorded failure tells why a part, or some of it, is not there."""
    failed = {one.section for one in results.failures}
    named = {section for section, kinds in PARTS.items() if kind in kinds}
    return bool(failed & (named | {parts()[kind]})) or (
        kind is r.RocRelation and "curves" in failed
    )


def rests_on_failure(kind: type, results: Results) -> bool:
    """Whether a record of a kind may be otherwise because a measure or a threshold failed."""
    named = {*PARTS, "curves", "learning_curve", *(field.name for field in fields(Results))}
    below = [
        one.section
        for one in results.failures
        if one.section == "thresholds"
        or (one.section not in named and not one.section.startswith(("caution ", "criterion ")))
    ]
    return bool(below) and kind in (r.Threshold, r.Baseline, r.AgainstBaseline)


def _contradictions(one: r.Failure, again: RecordedState) -> Iterator[str]:
    spec = again.spec.loaded.spec
    if not one.reason:
        yield "it gives no reason"
    for name, there in ((one.dataset, spec.datasets), (one.model, spec.models)):
        if name is not None and name not in there:
            yield f"the spec has no {name}"
    found = _is_there(one, again)
    if one.section in PARTS:
        if not any(_lacks(kind, again) for kind in PARTS[one.section]):
            yield "nothing of it is missing"
    elif found is not None:
        if found:
            yield "it is there, or the spec does not ask for it"
    elif one.section not in [field.name for field in fields(Results)]:
        # a failure of one number; that it is not there is held by the plan
        with suppress(NotRecorded):
            planned = {(task.dataset, task.model, task.section()) for task in again.plan.tasks}
            if (one.dataset, one.model, one.section) not in planned:
                yield "nothing of that name was planned"


def _lacks(kind: type, again: RecordedState) -> bool:
    """Whether records of a kind are not there, and would be, as far as anybody can tell."""
    # the section of comparisons is told for those with models and with an earlier run alike
    if kind is r.Comparison:
        return again.spec.loaded.spec.comparisons is not None
    if again.results.of(kind):
        return False
    try:
        return kind not in again.rebuild or bool(again.part(kind))
    except Exception:  # noqa: BLE001 - what failed once may fail again
        return True


def _is_there(one: r.Failure, again: RecordedState) -> bool | None:
    """Whether what failed is there all the same, or cannot have failed; None of other sections."""
    results, spec = again.results, again.spec.loaded.spec
    name, _, which = one.section.partition(" ")

    def own(records: Iterable[Any]) -> list[Any]:
        return [x for x in records if (x.dataset, x.model) == (one.dataset, one.model)]

    if name == "curves":  # those of a model, or else the relations of all
        return bool(results.roc_relations if one.model is None else own(results.curves))
    if name == "thresholds":
        return all(found.threshold is not None for found in own(results.thresholds))
    if name == "caution":
        warnings = {x.code for x in results.cautions if x.severity == "warning"}
        return which not in known_codes() or which in warnings
    if name == "criterion":
        return which not in {str(number) for number, _ in spec.criteria}
    if name == "learning_curve":
        return not isinstance(spec.models.get(one.model or ""), EstimatorModel)
    return None
