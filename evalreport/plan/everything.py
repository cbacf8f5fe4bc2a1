"""All else that a spec asks for beside its measures: each request is planned, or left out, because.

Thresholds, comparisons, curves, periods, drift, baselines, tables of one class against the
rest, learning curves, histories, subgroups, declared values and criteria. A request that cannot
be met is named here, before anything is computed, in ``results.json`` and on the page.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace

from evalreport.metrics.methods import (
    ADDED,
    KOOPMAN,
    OF_FOLDS,
    OF_MOVES,
    OF_RATES,
    WIDEST_ADDED,
    WIDEST_OF_SHARES,
    limits_of_moves,
)
from evalreport.plan.build import thresholds
from evalreport.plan.comparisons import (
    ComparisonPlan,
    ComparisonRequest,
    plan_comparisons,
    plan_omnibus,
)
from evalreport.plan.from_spec import request_of
from evalreport.plan.inputs import RECORDS_PER_CLASS, Facts, Requests
from evalreport.plan.methods import method_of_ratios
from evalreport.plan.refusals import NO_RANKS
from evalreport.plan.task import Plan, Request
from evalreport.plan.unknown import rule_needs_unknown, unknown_words
from evalreport.spec.acceptance import WhichNumber
from evalreport.spec.comparisons import Comparisons, DatasetReference, Reference, RunReference
from evalreport.spec.model import Spec
from evalreport.spec.models import EstimatorModel, HistoryModel

#: Above so many classes there are no curves per class.
CURVED_CLASSES = 10


def with_everything(plan: Plan, spec: Spec, requests: Requests, facts: Sequence[Facts]) -> Plan:
    """The plan of the measures, with all other requests of the spec."""
    request = comparison_request(spec)
    compared = None if request is None else plan_comparisons(request, plan.tasks, facts)
    others = (
        *_histories(spec),
        *_thresholds(spec, requests, facts),
        *_comparisons(spec, plan, compared, facts),
        *_curves(facts),
        *_against_the_rest(spec, facts),
        *_subgroups(spec, requests, facts),
        *_readers(spec, facts),
        *_periods(spec),
        *_drift(spec),
        *_baselines(spec, facts),
        *_training(spec),
        *_numbers(spec, facts),
    )
    tasks = () if compared is None else compared.tasks
    grain = spec.engine.grain
    notes = plan.notes
    if grain is not None:
        notes = (*notes, f"scores are rounded to multiples of {grain:g} before they are counted")
    return replace(plan, comparisons=tasks, requests=others, notes=notes)


def comparison_request(spec: Spec) -> ComparisonRequest | None:
    """What a spec wants compared; None without, or where the reference is an earlier run."""
    asked = spec.comparisons
    if asked is None or isinstance(other := asked.reference, RunReference):
        return None
    same = {field.name for field in fields(ComparisonRequest)} & type(asked).model_fields.keys()
    same -= {"reference"}
    return ComparisonRequest(
        reference=None if isinstance(other, DatasetReference) else other,
        reference_dataset=other.dataset if isinstance(other, DatasetReference) else None,
        classical=spec.confidence.classical,
        **{name: getattr(asked, name) for name in same},
    )


# -- models without predictions -------------------------------------------------------------------


def _histories(spec: Spec) -> Iterator[Request]:
    """Training histories, with the metrics at their best steps; subgroups they have none."""
    for name, model in spec.models.items():
        if not isinstance(model, HistoryModel):
            continue
        for dataset in spec.datasets_of(name):
            yield Request("history", "misclassifications and cost at each step", dataset, name)
            for metric in spec.metrics:
                yield Request("history", f"{metric.text} at the best steps", dataset, name)
            for columns in spec.crossings:
                told = f"measures by {' x '.join(columns)}"
                reason = "the steps of a history are judged on all rows"
                yield Request("subgroups", told, dataset, name, reason=reason)


# -- thresholds -----------------------------------------------------------------------------------


def _thresholds(spec: Spec, requests: Requests, facts: Sequence[Facts]) -> Iterator[Request]:
    """Each threshold on each model that can have one."""
    views = {(one.dataset, one.model): one for one in facts}
    for one in facts:
        own = [request for request in thresholds(requests, one) if request is not None]
        for request in own:
            where = request.on or one.dataset
            how = "a number" if request.number is not None else f"solved on {where}"
            reason = None
            if request.number is None:
                reason = _no_rule(request.rule, views.get((where, one.model)), one, where)
            yield Request("threshold", str(request), one.dataset, one.model, how, reason)
        if not own and not one.label_sets:
            reason = (
                f"{one.model} gives labels"
                if not one.has_scores
                else "with more than two classes the class with the largest score is predicted"
            )
            for threshold in spec.thresholds or ():
                yield Request(
                    "threshold", str(request_of(threshold)), one.dataset, one.model, reason=reason
                )


def _no_rule(rule: object, solved: Facts | None, own: Facts, where: str) -> str | None:
    """Why a threshold rule cannot be solved, as far as that is known beforehand."""
    from evalreport.spec.thresholds import Threshold

    if solved is None or not solved.has_scores:
        return f"{own.model} has no scores in {where} to choose a threshold on"
    if isinstance(rule, Threshold):
        return rule_needs_unknown(rule, (*solved.unknown, *own.unknown))
    return None


# -- comparisons ----------------------------------------------------------------------------------


def _comparisons(
    spec: Spec, plan: Plan, compared: ComparisonPlan | None, facts: Sequence[Facts]
) -> Iterator[Request]:
    asked = spec.comparisons
    if asked is None:
        return
    if isinstance(asked.reference, RunReference):
        for one in facts:
            what = f"every measure with {_reference(asked.reference)}"
            yield Request("comparison", what, one.dataset, one.model)
    elif compared is not None:
        if asked.correction != "none":
            family = "all tests of the report" if asked.family == "report" else "each dataset"
            yield Request("comparison", f"p values corrected by {asked.correction} over {family}")
        if compared.tasks and all(one.folds for one in facts):
            what = "means over folds, where both models have the same"
            yield Request("comparison", what, how=OF_FOLDS)
        yield from compared.apart
        for skipped in compared.skipped:
            task = skipped.record
            yield Request(
                "comparison", task.name(), task.dataset, task.model, reason=skipped.reason
            )
        if not compared.tasks and not compared.skipped and not compared.apart:
            yield Request(
                "comparison",
                f"with {_reference(asked.reference)}",
                reason="there is nothing else to compare with it",
            )
    yield from _asked_beside(asked, plan, facts)


def _asked_beside(asked: Comparisons, plan: Plan, facts: Sequence[Facts]) -> Iterator[Request]:
    """Tests of all models at once, and net reclassification."""
    for together in plan_omnibus(plan.tasks, facts) if asked.omnibus else ():
        yield Request("comparison", together.words, together.dataset, reason=together.reason)
    if asked.net_reclassification:
        yield from _reclassified(asked, facts)


def _reclassified(asked: Comparisons, facts: Sequence[Facts]) -> Iterator[Request]:
    """Net reclassification against a model, of each of the others."""
    of_model = isinstance(asked.reference, str)
    for one in facts:
        if of_model and one.model == asked.reference:
            continue
        reason = None
        if not of_model:
            reason = "it compares two models on the same rows"
        elif not any((f.dataset, f.model) == (one.dataset, asked.reference) for f in facts):
            reason = f"{asked.reference} is not evaluated on {one.dataset}"
        elif not one.two_classes:
            reason = "there are not two classes"
        limits = limits_of_moves(weighted=one.weighted, clustered=one.clustered)
        how = "" if reason else f"{OF_MOVES} and {limits}"
        what = "net reclassification"
        yield Request("comparison", what, one.dataset, one.model, how, reason)


def _reference(reference: Reference) -> str:
    if isinstance(reference, RunReference):
        return f"the run {reference.run}"
    if isinstance(reference, DatasetReference):
        return f"the dataset {reference.dataset}"
    return reference


# -- curves and tables ----------------------------------------------------------------------------


def _curves(facts: Sequence[Facts]) -> Iterator[Request]:
    for one in facts:
        if not one.has_scores:
            yield from _curves_of_labels(one)
            continue
        if one.label_sets:
            many = len(one.labels) > CURVED_CLASSES
            yield Request(
                "curves",
                "ROC, precision-recall and more",
                one.dataset,
                one.model,
                "of each label against its absence",
                f"curves of each label are drawn up to {CURVED_CLASSES} labels" if many else None,
            )
            continue
        what, how, reason = "ROC, precision-recall, gain, lift and scores", "", None
        if one.probabilities:
            what = f"{what}; calibration, decision and accuracy by coverage"
        if one.unknown:
            reason = f"the {unknown_words(one.unknown)} are not known"
            if set(one.unknown) == {"tn"}:
                yield Request("curves", "precision-recall", one.dataset, one.model)
                what = what.replace("precision-recall, ", "")
        elif not one.two_classes:
            how = "one of each class against the rest"
            if len(one.labels) > CURVED_CLASSES:
                reason = f"curves of each class are drawn up to {CURVED_CLASSES} classes"
        if one.designed == "proxy":
            reason = NO_RANKS
        yield Request("curves", what, one.dataset, one.model, how, reason)


def _curves_of_labels(one: Facts) -> Iterator[Request]:
    """Net benefit, where predicted labels alone say who of two classes is treated."""
    known = not (one.unknown or one.indeterminate or one.designed == "proxy")
    if one.source == "prediction" and len(one.labels) == 2 and not one.label_sets and known:
        yield Request("curves", "decision", one.dataset, one.model, "of the labels alone")


def _against_the_rest(spec: Spec, facts: Sequence[Facts]) -> Iterator[Request]:
    """Tables of one class against the rest, where the spec asks for them."""
    for one in facts if spec.one_versus_rest else ():
        reason = None
        if one.two_classes:
            reason = "with two classes the table itself compares each class with the other"
        elif len(one.labels) > RECORDS_PER_CLASS:
            reason = f"tables of each class are given up to {RECORDS_PER_CLASS} classes"
        what = "a table of each class"
        yield Request("one_versus_rest", what, one.dataset, one.model, reason=reason)


# -- groups, periods and drift --------------------------------------------------------------------


#: Limits and tests of gaps by the limits of both groups, and from the counts of shares.
BY_LIMITS = f"{ADDED} and cochran_q, the widest gap {WIDEST_ADDED}"
OF_SHARES = (
    f"newcombe_hybrid, {KOOPMAN} and chi_square of shares of rows, the widest gap "
    f"{WIDEST_OF_SHARES}; else {BY_LIMITS}"
)


def _subgroups(spec: Spec, requests: Requests, facts: Sequence[Facts]) -> Iterator[Request]:
    for columns in spec.crossings:
        told = " x ".join(columns)
        for one in facts:
            counted = not (one.weighted or one.clustered or one.label_sets)
            how = OF_SHARES if counted else BY_LIMITS
            yield Request("subgroups", f"gaps and ratios by {told}", one.dataset, one.model, how)
            reason = None
            if not one.two_classes:
                reason = "selection is a matter of two classes"
            elif one.unknown:
                reason = f"the {unknown_words(one.unknown)} are not known"
            if reason is None or one.unknown:
                how = ""
                if counted and reason is None:
                    how = f"{method_of_ratios(requests, one)} and {OF_RATES}"
                what = f"impact ratios by {told}"
                yield Request("subgroups", what, one.dataset, one.model, how, reason)


def _readers(spec: Spec, facts: Sequence[Facts]) -> Iterator[Request]:
    """Each reader, the mean over readers and their agreement; differences of two models."""
    for name, dataset in spec.datasets.items():
        if dataset.reading is None:
            continue
        own = [one for one in facts if one.dataset == name]
        random = " and ".join(dataset.reading.random)
        for one in own:
            reason = None if one.two_classes else "it is for two classes"
            if one.folds:
                reason = "rows are predicted fold by fold, not read by readers"
            what = "recall and specificity" + (", ROC AUC" if one.has_scores else "")
            told = f"{what} of each of {dataset.reading.column}, and their mean"
            how = f"Obuchowski-Rockette-Hillis, {random} at random"
            yield Request("readers", told, name, one.model, how if reason is None else "", reason)
            told = f"agreement of {dataset.reading.column}"
            reason = reason if one.folds else None
            yield Request("readers", told, name, one.model, reason=reason)


def _periods(spec: Spec) -> Iterator[Request]:
    for name, dataset in spec.datasets.items():
        if dataset.period is not None:
            what = f"every {dataset.period.every} of {dataset.period.column}"
            reason = None if spec.models_on(name) else "no model is evaluated there"
            yield Request("periods", what, name, reason=reason)


def _drift(spec: Spec) -> Iterator[Request]:
    drift = spec.drift
    if drift is None:
        return
    against = f"against {_reference(drift.reference)}"
    own = getattr(drift.reference, "dataset", None)
    for name in spec.datasets:
        if name == own:
            continue
        yield Request("drift", f"labels and scores {against}", name)
        for column in drift.columns:
            yield Request("drift", f"the column {column} {against}", name)
    if set(spec.datasets) == {own}:
        yield Request("drift", against, reason=f"there is no dataset but {own}")


# -- baselines, training, declared values, criteria -----------------------------------------------


def _baselines(spec: Spec, facts: Sequence[Facts]) -> Iterator[Request]:
    for dataset in dict.fromkeys(one.dataset for one in facts):
        own = [one for one in facts if one.dataset == dataset]
        first = own[0]
        reason = None
        if first.unknown:
            reason = f"the {unknown_words(first.unknown)} are not known"
        elif len(first.labels) > RECORDS_PER_CLASS:
            reason = f"baselines are given up to {RECORDS_PER_CLASS} classes"
        elif not first.rows:
            reason = "there is no row"
        # of sets of labels there is no trivial baseline, and no spec asks for one
        if not first.label_sets:
            yield Request("baselines", "what trivial predictions reach", dataset, reason=reason)
        previous = spec.baselines.previous
        if previous is not None:
            there = any(one.model == previous for one in own)
            told = None if there else f"{previous} is not evaluated on {dataset}"
            yield Request("baselines", f"the previous model, {previous}", dataset, reason=told)


def _training(spec: Spec) -> Iterator[Request]:
    """What only models that are trained here can have."""
    if spec.learning_curve is None:
        return
    for name, model in spec.models.items():
        trained = isinstance(model, EstimatorModel)
        for dataset in spec.datasets_of(name):
            reason = None if trained else f"{name} is not trained here"
            yield Request("learning_curve", "scores by training rows", dataset, name, reason=reason)


def _numbers(spec: Spec, facts: Sequence[Facts]) -> Iterator[Request]:
    """Criteria and declared values of which no model and dataset can give the number."""
    every: tuple[tuple[str, tuple[tuple[int, WhichNumber], ...]], ...] = (
        ("criterion", spec.criteria),
        ("declared value", tuple(enumerate(spec.declared, start=1))),
        ("claim", tuple(enumerate(spec.claims, start=1))),
    )
    for part, asked in every:
        for number, one in asked:
            if not any(_is_meant(one, fact) for fact in facts):
                yield Request(
                    part,
                    f"{number}. {one.metric.text}",
                    one.dataset,
                    one.model,
                    reason=nobody(one, spec),
                )


def _is_meant(asked: WhichNumber, one: Facts) -> bool:
    return asked.dataset in (None, one.dataset) and asked.model in (None, one.model)


def nobody(asked: WhichNumber, spec: Spec) -> str:
    """Why no dataset and model has the number that a criterion or declared value names."""
    model, dataset = asked.model, asked.dataset
    if model is not None and isinstance(spec.models.get(model), HistoryModel):
        return f"{model} is a training history, whose steps are not measures to judge"
    if model is not None and dataset is not None and dataset not in spec.datasets_of(model):
        return f"{model} is not evaluated on {dataset}"
    if model is None:
        return "no model made predictions to judge"
    return f"{model} has no predictions to judge"
