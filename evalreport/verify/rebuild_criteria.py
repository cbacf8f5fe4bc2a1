"""Criteria again from the measures, the looks, the readers and the references of the results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from evalreport.engine.acceptance import PASS, Criterion
from evalreport.engine.readers.means import over_readers
from evalreport.engine.reference.claims import claim_criteria
from evalreport.engine.reference.criteria import (
    Against,
    against_reference,
    text_of,
    with_references,
)
from evalreport.engine.reference.drift import drift_criteria
from evalreport.engine.reference.looks import decided
from evalreport.engine.reference.run import References
from evalreport.engine.run import judged
from evalreport.engine.verification import not_passed, spoilt
from evalreport.results import records as r
from evalreport.spec.acceptance import Criterion as AskedCriterion
from evalreport.verify.leaves import Made, Miscounted
from evalreport.verify.recorded_tables import EARLIER, NotRecorded

if TYPE_CHECKING:
    from evalreport.engine.run_state import RunState
    from evalreport.verify.recorded_state import RecordedState

#: A criterion in words, and the measure whose limits are not in the results.
Lacking = tuple[str, str | None]
OF_ROWS = "the difference from the reference is compared on rows"


def criteria(again: RecordedState) -> Iterator[Made]:
    """Every criterion; what the limits of a difference are is taken over."""
    state, results, told = again.state, again.results, again.results.acceptance
    lacking, references = dict[Lacking, str](), again.references
    tables = [table for evaluation in state.evaluations for table in evaluation.tables]
    valued = judged(state, partial(_limits, again, lacking))
    valued = with_references(state, valued, references, against=partial(_against, again))
    valued = not_passed(valued, spoilt(tables))
    if again.spec.loaded.spec.looks is None:  # looks go on with pooled readings
        differences = results.of(r.ReaderDifference)
        valued = over_readers(valued, state.measures, results.of(r.ReaderMean), differences)
    found = [
        *valued,
        *claim_criteria(state, results.of(r.Claim)),
        *drift_criteria(state, results.of(r.Drift)),
    ]
    failed = {one.section for one in results.failures}
    found = [one for one in found if f"criterion {one.criterion}" not in failed]
    found.sort(key=lambda one: one.criterion)
    if len(found) != len(told):
        raise Miscounted(len(told), len(found))
    for own, one in zip(found, told, strict=True):
        # what it says at a look follows from that
        look = next((look for look in results.of(r.Look) if _is_of(look, one)), None)
        made = own if look is None else decided(own, look)
        made = replace(made, breaches_in_a_row=_in_a_row(made.outcome, one), earlier=one.earlier)
        yield Made(made, _left_out(one, lacking.get((one.text, one.measure))))


def _is_of(look: r.Look, one: r.Criterion) -> bool:
    """Whether a look is the one that a criterion was judged at."""
    key = (one.text, one.dataset, one.model, dict(one.subgroup), one.threshold_asked)
    own = (look.text, look.dataset, look.model, dict(look.subgroup), look.threshold_asked)
    return key == own and one.look == look.look


def _in_a_row(outcome: str, one: r.Criterion) -> int | None:
    """Runs in a row that did not pass, by those before; as told at a look, and of a longer row."""
    if one.breaches_in_a_row is None or one.look is not None:
        return one.breaches_in_a_row
    if outcome == PASS:
        return 0
    passed = [k for k, run in enumerate(reversed(one.earlier), start=1) if run.outcome == PASS]
    return passed[0] if passed else max(one.breaches_in_a_row, len(one.earlier) + 1)


def _left_out(one: r.Criterion, lacking: str | None) -> dict[str, str]:
    found = {} if lacking is None else {"limits": lacking}
    found |= {"earlier": EARLIER} if one.earlier else {}
    if one.reference is None or one.readers:
        return found
    if one.reference.startswith("run "):
        return found | dict.fromkeys(("reference_value", "difference", "interval"), EARLIER)
    return found | {"interval": OF_ROWS}


def _stated(again: RecordedState, text: str, measure: r.Measure) -> r.Criterion:
    """A criterion on a measure as it stands there. Raises ValueError where there is none."""
    for one in again.results.acceptance:
        if (one.text, one.measure) == (text, measure.id):
            return one
    raise ValueError(f"there is no criterion {text} on {measure.id}")


def _against(
    again: RecordedState, state: RunState, asked: AskedCriterion, measure: r.Measure,
    runs: References,
) -> Against:  # fmt: skip
    """The difference from a reference as the engine finds it, but for what is recorded alone."""
    own = _stated(again, text_of(asked, runs), measure)
    reason = (own.reason or "").removeprefix(NO_INTERVAL) or None
    if runs.of(asked.reference) is not None:
        return Against(own.difference, own.reference_value, own.interval, reason)
    limits: Any = SimpleNamespace(interval=own.interval, interval_reason=reason)
    return against_reference(state, asked, measure, runs, lambda *_asked: limits)


#: How the reason begins where the limits of a difference are lacking, or those of a measure.
NO_INTERVAL = "the difference has no interval: "
NO_LIMITS = "the measure has no interval: "


def _limits(
    again: RecordedState, lacking: dict[Lacking, str], criterion: Criterion, measure: r.Measure
) -> r.Interval | str:
    """The limits of a measure by the method of a criterion, or why there are none.

    Those that need the rows are as they are told; ``lacking`` has the reason.
    """
    try:
        model = again.model_of(measure.dataset, measure.model)
        limits, reason = model.limits(measure, str(criterion.method))
    except NotRecorded as absent:
        own = _stated(again, criterion.text(), measure)
        lacking[own.text, measure.id] = str(absent)
        return own.limits or (own.reason or "").removeprefix(NO_LIMITS)
    return limits if limits is not None else reason or "it gives no limits"
