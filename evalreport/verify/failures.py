"""A failure says that a part of the run is not there: was it asked for, and is nothing of it there?

What is neither there nor recorded as failed is found where the parts are made again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import fields
from typing import Any

from evalreport.engine.cautions.catalogue import known_codes
from evalreport.results import records as r
from evalreport.results.lookup import Results, parts
from evalreport.spec.model import Spec
from evalreport.spec.models import EstimatorModel
from evalreport.verify.leaves import Made
from evalreport.verify.rebuild_plan import failure_of
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
#: Sections that only a key of the spec asks for.
ASKED: Mapping[str, Callable[[Spec], bool]] = {
    "drift": lambda spec: spec.drift is not None,
    "claims": lambda spec: bool(spec.claims),
    "comparisons": lambda spec: spec.comparisons is not None,
    "periods": lambda spec: any(one.period is not None for one in spec.datasets.values()),
    "declared": lambda spec: bool(spec.declared),
    "subgroups": lambda spec: bool(spec.subgroups),
    "readers": lambda spec: any(one.reading is not None for one in spec.datasets.values()),
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
    spec, asked = again.spec.loaded.spec, ASKED.get(one.section)
    if not one.reason:
        yield "it gives no reason"
    for name, there in ((one.dataset, spec.datasets), (one.model, spec.models)):
        if name is not None and name not in there:
            yield f"the spec has no {name}"
    if asked is not None and not asked(spec):
        yield "the spec does not ask for it"
    elif one.section not in PARTS:
        yield from _of_section(one, again)
    elif not any(_lacks(kind, again) for kind in PARTS[one.section]):
        yield "nothing of it is missing"


def _of_section(one: r.Failure, again: RecordedState) -> Iterator[str]:
    own = [(told, wrong) for name, told, wrong in SECTIONS if re.fullmatch(name, one.section)]
    yield from (told for told, wrong in own if wrong(one, again))
    if own or one.section in [field.name for field in fields(Results)]:
        return
    # a failure of one number; that it is not there is held by the plan
    with suppress(NotRecorded):
        planned = {(task.dataset, task.model, failure_of(task)) for task in again.plan.tasks}
        if (one.dataset, one.model, one.section) not in planned:
            yield "nothing of that name was planned"


def _lacks(kind: type, again: RecordedState) -> bool:
    """Whether records of a kind are not there, and would be, as far as anybody can tell."""
    # the section of comparisons is told for those with models and with an earlier run alike
    if kind is r.Comparison:
        return True
    if again.results.of(kind):
        return False
    if kind not in again.rebuild:
        return True
    try:
        return bool(again.part(kind))
    except Exception:  # noqa: BLE001 - what failed once may fail again
        return True


def _own(one: r.Failure, records: Iterable[Any]) -> list[Any]:
    return [own for own in records if (own.dataset, own.model) == (one.dataset, one.model)]


#: What cannot be where a section failed: its pattern, what is told, and whether it is so.
SECTIONS: tuple[tuple[str, str, Callable[[r.Failure, RecordedState], bool]], ...] = (
    (
        "curves",
        "the relations of ROC curves are there",
        lambda one, again: one.model is None and bool(again.results.roc_relations),
    ),
    (
        "curves",
        "its curves are there",
        lambda one, again: one.model is not None and bool(_own(one, again.results.curves)),
    ),
    (
        "thresholds",
        "every threshold is there",
        lambda one, again: all(
            own.threshold is not None for own in _own(one, again.results.thresholds)
        ),
    ),
    (
        "caution .*",
        "there is no such caution",
        lambda one, _again: one.section.removeprefix("caution ") not in known_codes(),
    ),
    (
        "caution .*",
        "the caution is there",
        lambda one, again: any(
            f"caution {own.code}" == one.section and own.severity == "warning"
            for own in again.results.cautions
        ),
    ),
    (
        r"criterion [0-9]{1,9}",
        "the spec has no such criterion",
        lambda one, again: (
            int(one.section.split()[1])
            not in [number for number, _ in again.spec.loaded.spec.criteria]
        ),
    ),
    (
        "learning_curve",
        "the model is not trained here",
        lambda one, again: (
            not isinstance(again.spec.loaded.spec.models.get(one.model or ""), EstimatorModel)
        ),
    ),
)
