"""A failure says that a part of the run is not there: was it asked for, and is nothing of it there?

What is neither there nor recorded as failed is found where the parts are made again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields

from evalreport.engine.cautions.catalogue import known_codes
from evalreport.record.leaves import Made
from evalreport.record.planned import failure_of
from evalreport.record.recorded_tables import NotRecorded
from evalreport.record.remade import Remaker
from evalreport.results import records as r
from evalreport.results.lookup import Results, parts
from evalreport.spec.model import Spec
from evalreport.spec.models import EstimatorModel

BELOW = "a measure or threshold failed, on which it may rest"

#: The parts of which at least one is not there where a section failed.
PARTS: Mapping[str, tuple[type, ...]] = {
    "drift": (r.Drift,),
    "claims": (r.Claim, r.ClaimCounts),
    "comparisons": (r.Comparison, r.Reclassification),
    "baselines": (r.Baseline, r.BaselineTable, r.AgainstBaseline),
    "periods": (r.Period,),
    "declared": (r.Declared,),
    "subgroups": (r.Gap, r.Heterogeneity, r.Impact),
    "characteristics": (r.Characteristics,),
    "readers": (r.ReaderMean, r.ReaderDifference, r.ReaderAgreement),
    "sample size": (r.SampleSize,),
}
#: Sections that only a key of the spec asks for.
ASKED = ("drift", "claims", "comparisons", "periods", "declared", "subgroups")


def failures(again: Remaker) -> Iterator[Made]:
    """What failed was asked for, and nothing of it is there."""
    for one in again.results.failures:
        problems: tuple[str, ...] = ()
        if again.asked is not None and again.same_version:
            problems = tuple(_contradictions(one, _Run(again, again.asked.loaded.spec)))
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


@dataclass(frozen=True)
class _Run:
    """What a failure is held against."""

    again: Remaker
    spec: Spec

    @property
    def results(self) -> Results:
        return self.again.results


def _contradictions(one: r.Failure, run: _Run) -> Iterator[str]:
    if not one.reason:
        yield "it gives no reason"
    for name, there in ((one.dataset, run.spec.datasets), (one.model, run.spec.models)):
        if name is not None and name not in there:
            yield f"the spec has no {name}"
    if one.section in PARTS:
        yield from _of_parts(one.section, run)
        return
    for pattern, found in _SECTIONS.items():
        if re.fullmatch(pattern, one.section):
            yield from found(one, run)
            return
    if one.section not in [field.name for field in fields(Results)]:
        yield from _task(one, run)


def _of_parts(section: str, run: _Run) -> Iterator[str]:
    """Where the spec does not ask for a section, or all is there that there would be."""
    if section in ASKED and not _asked(section, run.spec):
        yield "the spec does not ask for it"
    elif not any(_lacks(kind, run) for kind in PARTS[section]):
        yield "nothing of it is missing"


def _asked(section: str, spec: Spec) -> bool:
    if section == "periods":
        return any(one.period is not None for one in spec.datasets.values())
    return bool(getattr(spec, section))


def _lacks(kind: type, run: _Run) -> bool:
    """Whether records of a kind are not there, and would be, as far as anybody can tell."""
    asked = run.spec.comparisons
    if kind is r.Comparison:
        # the section is told for those with models and for those with an earlier run alike
        return True
    if run.results.of(kind):
        return False
    if kind is r.Reclassification:
        return asked is not None and bool(asked.net_reclassification)
    if kind not in run.again.rebuild:
        return True
    try:
        return bool(run.again.part(kind))
    except Exception:  # noqa: BLE001 - what failed once may fail again
        return True


def _curves(one: r.Failure, run: _Run) -> Iterator[str]:
    if one.model is None:
        if run.results.roc_relations:
            yield "the relations of ROC curves are there"
    elif any((c.dataset, c.model) == (one.dataset, one.model) for c in run.results.curves):
        yield "its curves are there"


def _thresholds(one: r.Failure, run: _Run) -> Iterator[str]:
    own = [t for t in run.results.thresholds if (t.dataset, t.model) == (one.dataset, one.model)]
    if all(t.threshold is not None for t in own):
        yield "every threshold is there"


def _caution(one: r.Failure, run: _Run) -> Iterator[str]:
    code = one.section.removeprefix("caution ")
    if code not in known_codes():
        yield "there is no such caution"
    if any(own.code == code and own.severity == "warning" for own in run.results.cautions):
        yield "the caution is there"


def _criterion(one: r.Failure, run: _Run) -> Iterator[str]:
    if int(one.section.split()[1]) not in [number for number, _ in run.spec.criteria]:
        yield "the spec has no such criterion"


def _learning_curve(one: r.Failure, run: _Run) -> Iterator[str]:
    if not isinstance(run.spec.models.get(one.model or ""), EstimatorModel):
        yield "the model is not trained here"


def _task(one: r.Failure, run: _Run) -> Iterator[str]:
    """A failure of one number; that it is not there is held by the plan."""
    try:
        tasks = run.again.plan.tasks
    except NotRecorded:
        return
    own = (one.dataset, one.model, one.section)
    if own not in {(task.dataset, task.model, failure_of(task)) for task in tasks}:
        yield "nothing of that name was planned"


_SECTIONS: Mapping[str, Callable[[r.Failure, _Run], Iterator[str]]] = {
    "curves": _curves,
    "thresholds": _thresholds,
    "caution .*": _caution,
    r"criterion [0-9]{1,9}": _criterion,
    "learning_curve": _learning_curve,
}
