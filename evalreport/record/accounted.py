"""Whether the measures are those of the plan, and the classes of each model what was declared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evalreport.data.labels import label_kind, order_labels
from evalreport.engine.curves import MOST_CLASS_POINTS, MOST_POINTS
from evalreport.plan.inputs import HALF, ZERO
from evalreport.record.checks import Finding, account, held
from evalreport.record.planned import (
    is_settled,
    measure_problems,
    place_of_measures,
    place_problems,
)
from evalreport.record.recorded_tables import NotRecorded
from evalreport.record.remade import Remaker
from evalreport.results.identity import EVERYTHING, frozen_params
from evalreport.results.lookup import Results
from evalreport.results.records import (
    Calls,
    Caution,
    Comparison,
    JointTable,
    LabelLedger,
    Plan,
    ScorePairs,
)
from evalreport.spec.model import Spec


@account(Plan)
def plan(_record: Plan, again: Remaker) -> Iterator[Finding]:
    """Datasets and models are those of the spec in its order, measures those of the plan."""
    written = again.written
    if written is None or not again.same_version:
        return
    yield from place_problems(again.results, written.spec)
    yield from place_of_measures(again.results)
    yield from thinned_problems(again.results)
    yield from doubled_problems(again.results)
    yield from rule_problems(again)
    yield from params_problems(again)
    try:
        planned = again.plan
    except NotRecorded:
        return
    if is_settled(planned, again.results):
        yield from measure_problems(again.results, planned)


def params_problems(again: Remaker) -> Iterator[str]:
    """Measures at a threshold that their model does not have, or with parameters not asked for."""
    for one in again.results.measures:
        own = again.thresholds.get((one.dataset, one.model), ())
        if own and one.threshold is not None and (one.threshold, one.threshold_rule) not in own:
            yield f"{one.id}: threshold is {one.threshold!r}, which is none of those of its model"
        asked = None if again.asked is None else again.asked.params_of(one.metric)
        if one.params and asked is not None and frozen_params(one.params) not in asked:
            yield f"{one.id}: params are {dict(one.params)!r}, which the spec does not ask for"


def thinned_problems(results: Results) -> Iterator[str]:
    """Curves that are said to be thinned of fewer rows than they may have points."""
    rows = {(one.dataset, one.model): one.predictions or one.used for one in results.rows}
    two = {(one.dataset, one.model): len(one.order) <= 2 for one in results.labels}
    for one in results.curves:
        own = (one.dataset, one.model)
        most = MOST_POINTS if two.get(own) else MOST_CLASS_POINTS
        if one.thinned and rows.get(own, most + 1) <= most:
            yield f"curve {one.id} is said to be thinned, and there are {rows[own]} rows"


def doubled_problems(results: Results) -> Iterator[str]:
    """A caution that stands twice, and curves that are not numbered as they stand."""
    told: list[Caution] = []
    for one in results.cautions:
        if one in told:
            yield f"the caution {one.code} is there twice, word for word"
        told.append(one)
    ids = [one.id for one in results.curves]
    # the numbers of curves that failed are missing
    if any(one.section == "curves" for one in results.failures):
        return
    for place, name in enumerate(ids, 1):
        if name != f"c{place}":
            yield f"curve {place} has the id {name!r}"


#: The thresholds of scores and of margins where a spec declares none, which no rule gives.
USUAL = ((HALF.number, None), (ZERO.number, None))


def rule_problems(again: Remaker) -> Iterator[str]:
    """Tables at a threshold, or under a rule, that their model does not have."""
    for one in again.results.tables:
        own = again.thresholds.get((one.dataset, one.model))
        at = (one.threshold, one.threshold_rule)
        # where no rule has a solution, scores stand beside a table at the usual threshold
        usual = at in USUAL and all(number is None for number, _ in own or ())
        lacking = own and one.threshold is not None and at not in own
        if lacking and one.fold is None and not usual:
            rule = "no rule" if one.threshold_rule is None else one.threshold_rule
            yield f"table {one.id} is at {one.threshold!r} by {rule}, which its model is not"


@account(LabelLedger, {"ties": "ties are counted from rows, which are not in the results"})
def labels(record: LabelLedger, again: Remaker) -> Iterator[Finding]:
    """Classes are those that were declared or seen; ties are the rows at the score itself."""
    if not record.label_sets:
        yield from _classes(record)
    if again.asked is not None:
        yield from _as_asked(record, again.asked.loaded.spec)
    try:
        scores = again.model_of(record.dataset, record.model).tables.scores(EVERYTHING)
    except (NotRecorded, KeyError):
        return
    rows = (scores.positives + scores.negatives).tolist()
    at = dict(zip(scores.scores.tolist(), rows, strict=True))
    for one in record.ties:
        if one.rows is not None and one.rows != at.get(one.threshold, 0):
            yield f"{one.rows} rows at {one.threshold!r}, the curve has {at.get(one.threshold, 0)}"
    yield held("ties")


def _against_none(record: LabelLedger) -> bool:
    """Whether scores of the only class that was seen are set against all that is not of it."""
    return len(record.order) == 2 and record.order[0] == f"not {record.order[1]}"


def _classes(record: LabelLedger) -> Iterator[str]:
    strange = sorted({*record.seen_true, *record.seen_predicted} - set(record.order))
    if strange:
        yield f"{', '.join(strange)} was seen and is no class"
    if record.declared is not None and record.declared != record.order:
        yield "its classes are not those that are declared"
    kind: Any = record.kind
    if (
        record.declared is None
        and not _against_none(record)
        and (record.order != order_labels(record.order, kind))
    ):
        yield "its classes are not in the order of their names"
    if record.kind == "number" and label_kind(record.order) != "number":
        yield "its classes are said to be numbers, and are not"
    if record.operator not in OPERATORS:
        yield f"no score becomes a label by {record.operator!r}"
    if record.positive is not None and record.positive not in record.order:
        yield f"the positive class {record.positive} is no class"


#: How a score becomes a label.
OPERATORS = (None, "score >= threshold", "margin >= threshold")


def _as_asked(record: LabelLedger, spec: Spec) -> Iterator[str]:
    dataset = spec.datasets.get(record.dataset)
    if dataset is None or record.model not in spec.models:
        yield "the spec has no such dataset or model"
        return
    if not record.label_sets:
        rule = spec.positive_of(record.dataset)
        expected = rule if isinstance(rule, str) else f"label {rule.label}"
        if record.rule != expected:
            yield f"the rule of the positive class is {record.rule!r}, the spec says {expected!r}"
    declared = None if dataset.labels is None else tuple(dataset.labels)
    if record.declared != declared:
        yield "the declared classes are not those of the spec"


@account(ScorePairs, {"": "both scores of a row are not in the results"})
def score_pairs(record: ScorePairs, again: Remaker) -> Iterator[Finding]:
    """Thresholds are those of the models; rows are those of the paired tables of shares."""
    sides = (
        ("threshold", record.threshold, record.model),
        ("reference_threshold", record.reference_threshold, record.reference),
    )
    for name, number, model in sides:
        own = again.thresholds.get((record.dataset, model), set())
        if number not in {at for at, _ in own}:
            yield f"{name} is {number!r}, which is none of those of {model}"
        yield held(name)
    for metric, name, cells in (
        ("recall", "positives", record.positives),
        ("specificity", "negatives", record.negatives),
    ):
        calls, joint = record.calls(cells), _joint_of(record, metric, again.results)
        if joint is not None:
            counted = _as_joint(calls, found=metric == "recall")
            if counted != joint:
                yield f"{name} are {counted}, the paired table of {metric} is {joint}"
            yield held(f"{name}.rows")


def _joint_of(record: ScorePairs, metric: str, results: Results) -> JointTable | None:
    """The paired table of a share of the class, of all rows at the same thresholds."""
    key = (record.dataset, record.model, record.reference)
    at = (record.threshold, record.reference_threshold)
    for one in results.of(Comparison):
        same = (one.dataset, one.model, one.reference) == key and one.metric == metric
        same &= (one.threshold, one.reference_threshold) == at and one.label in (None, record.label)
        whole = one.fold is None and not one.subgroup and one.average is None
        if same and whole and one.joint_table is not None:
            return one.joint_table
    return None


def _as_joint(calls: Calls, *, found: bool) -> JointTable:
    """Calls as rows that each model gets right: positives that are found, or negatives passed."""
    if found:
        return JointTable(calls.both, calls.first_only, calls.second_only, calls.neither)
    return JointTable(calls.neither, calls.second_only, calls.first_only, calls.both)
