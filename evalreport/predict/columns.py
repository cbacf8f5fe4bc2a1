"""Views of models whose predictions stand in columns of the data.

Where a model gives a score and a label, the score is used and the label is held against it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from evalreport.data.checked import Checked, check
from evalreport.data.design import column_problems
from evalreport.data.findings import Finding, quoted
from evalreport.data.known_labels import Labels
from evalreport.data.label_column import label_column
from evalreport.data.labels import Positive
from evalreport.data.roles import Roles, Rules, SamplingRoles
from evalreport.data.scores import Floats
from evalreport.data.table import RawTable
from evalreport.errors import DataError, Location
from evalreport.plan.inputs import default_threshold
from evalreport.predict.label_sets import has_sets, set_columns_needed, set_view
from evalreport.predict.labels_beside_scores import (
    Scored,
    agreement,
    agreement_by_class,
    own_labels,
)
from evalreport.predict.outcome import Output
from evalreport.predict.overlap import Use
from evalreport.predict.proxy import with_proxy
from evalreport.predict.view import LabelView, View
from evalreport.spec.datasets import PREDICTED, Dataset, NamedPositive
from evalreport.spec.model import Spec
from evalreport.spec.models import (
    AnyModel,
    EstimatorModel,
    FitColumn,
    HistoryModel,
    LinearModel,
    MarginModel,
    OnnxModel,
    PredictionModel,
    ScoredModel,
    ScoreModel,
    ScoresModel,
    SkopsModel,
)
from evalreport.spec.sampling import Sampling

#: Roles of columns that hold what another model says.
PREDICTIONS = ("prediction", "score", "margin", "scores")

#: Models that name the columns they take.
TAKES_FEATURES = (EstimatorModel, SkopsModel, OnnxModel)

Where = Callable[[str], Location | None]
AnyView = TypeVar("AnyView", bound=View)


def roles_of(
    dataset: Dataset, model: AnyModel, subgroups: tuple[str, ...], cut: float | None = None
) -> Roles:
    """Which column plays which part for one dataset and model.

    ``cut``: the first threshold of the spec, at which scores are predictions.
    """
    own: dict[str, Any] = {}
    if isinstance(model, ScoreModel):
        own["score"] = model.score
    elif isinstance(model, PredictionModel):
        own["prediction"] = model.prediction if dataset.table is None else PREDICTED
    elif isinstance(model, MarginModel):
        own["margin"] = model.margin
    elif isinstance(model, ScoresModel):
        if isinstance(model.scores, str):
            own["vector"] = model.scores
        else:
            own["scores"] = dict(model.scores)
    elif isinstance(model, LinearModel):
        own["features"] = tuple(model.linear.weights)
    elif isinstance(model, TAKES_FEATURES) and isinstance(model.features, tuple):
        own["features"] = model.features
    if decides(model):
        own["prediction"] = said_in(model)
    assert isinstance(dataset.target, str)
    design, reading = dataset.design, dataset.reading
    return Roles(
        target=dataset.target,
        id=dataset.id,
        weight=dataset.weight if design is None else design.weight,
        cluster=cluster_column(dataset),
        reader=None if reading is None else reading.column,
        case=None if reading is None else reading.case,
        sampling=None if design is None else _sampling_roles(design, model, cut),
        fold=dataset.fold,
        subgroups=subgroups,
        **own,
    )


def cluster_column(dataset: Dataset) -> str | None:
    """The column whose values say which rows depend on each other; None where rows stand alone."""
    design, reading = dataset.design, dataset.reading
    # what several readers say of one case is no news of another
    case = None if reading is None else reading.case
    return dataset.cluster or case or (None if design is None else design.cluster)


def _sampling_roles(design: Sampling, model: AnyModel, cut: float | None) -> SamplingRoles:
    default = default_threshold(source_of(model))
    return SamplingRoles(
        kind=design.kind,
        strata=design.strata_columns,
        totals=None if design.totals is None else dict(design.totals),
        weight=design.weight,
        verified=design.verified,
        proxy=design.proxy,
        cut=default if cut is None else cut,
    )


def first_cut(spec: Spec) -> float | None:
    """The first threshold that the spec gives as a number."""
    return next((t.value for t in spec.thresholds or () if t.value is not None), None)


def rules_of(spec: Spec, name: str) -> Rules:
    """How labels and missing values of a dataset are treated."""
    dataset = spec.datasets[name]
    asked = spec.positive_of(name)
    positive: Positive
    if isinstance(asked, NamedPositive):
        positive = {"label": asked.label}
    else:
        positive = "smallest" if asked == "smallest" else "largest"
    return Rules(
        declared=dataset.labels or (),
        missing=dataset.missing,
        indeterminate=dataset.indeterminate,
        positive=positive,
        label_names=dataset.map or {},
        bins=spec.bins,
    )


def score_columns(spec: Spec, name: str, subgroups: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The columns of a dataset that hold scores of a class, or margins, and nothing else."""
    if has_sets(spec.datasets[name]):
        return ()
    scores: dict[str, None] = {}
    other: set[str] = set()
    for key, model in spec.models.items():
        if name not in spec.datasets_of(key):
            continue
        roles = roles_of(spec.datasets[name], model, subgroups)
        for role, column in roles.named():
            if role in ("score", "margin", "scores") and column != roles.vector:
                scores[column] = None
            else:
                other.add(column)
        other |= {said for said in [said_in(model)] if said is not None}
    return tuple(column for column in scores if column not in other)


def columns_needed(spec: Spec, dataset_name: str, subgroups: tuple[str, ...]) -> tuple[str, ...]:
    """Every column of a dataset that a run reads."""
    dataset = spec.datasets[dataset_name]
    found: dict[str, None] = dict.fromkeys(dataset.where or ())
    for model_name, model in spec.models.items():
        if dataset_name in spec.datasets_of(model_name):
            if has_sets(dataset):
                found |= dict.fromkeys(set_columns_needed(dataset, model, subgroups))
                continue
            for _, column in roles_of(dataset, model, subgroups).named():
                found[column] = None
            if (said := said_in(model)) is not None:
                found[said] = None
    return tuple(found)


def features_named(model: AnyModel) -> tuple[str, ...] | None:
    """The columns that a model computes its predictions from, where it names them."""
    if isinstance(model, LinearModel):
        return tuple(model.linear.weights)
    if isinstance(model, HistoryModel):
        return tuple(model.history.weights) or None
    if isinstance(model, TAKES_FEATURES) and isinstance(model.features, tuple):
        return model.features
    return None


def in_overlap(spec: Spec, dataset_name: str) -> bool:
    """Whether a dataset is compared with another for rows that both hold."""
    return any(
        dataset_name in (*learned_from(model).values(), *spec.datasets_of(name))
        for name, model in spec.models.items()
        if learned_from(model)
    )


def learned_from(model: AnyModel) -> dict[Use, str]:
    """The datasets that a model learned from, or learns from here, by what it took of them."""
    fitted = model.fit_dataset if isinstance(model, EstimatorModel) else None
    trained, tuned = model.trained_on or fitted, model.tuned_on
    found: dict[Use, str | None] = {"training": trained, "tuning": tuned}
    return {use: dataset for use, dataset in found.items() if dataset is not None}


def fitted_on(spec: Spec, dataset_name: str) -> bool:
    """Whether a model is trained on the rows of a dataset, to be tested on others."""
    return any(
        isinstance(model, EstimatorModel) and model.fit_dataset == dataset_name
        for model in spec.models.values()
    )


def columns_read(
    spec: Spec, dataset_name: str, subgroups: tuple[str, ...]
) -> tuple[str, ...] | None:
    """The columns read of a dataset; None for all, where a model takes all without a role.

    All are read, too, where its rows are compared with those of a training dataset.
    """
    dataset = spec.datasets[dataset_name]
    if in_overlap(spec, dataset_name):
        return None
    needed = dict.fromkeys(columns_needed(spec, dataset_name, subgroups))
    # What a type is declared for is held to it, whether or not anything else reads it.
    needed |= dict.fromkeys(dataset.types)
    needed |= dict.fromkeys([dataset.count] if dataset.count else [])
    needed |= dict.fromkeys(spec.report.characteristics)
    needed |= dict.fromkeys(spec.drift.columns if spec.drift is not None else ())
    for name in spec.models:
        model = spec.models[name]
        if dataset_name not in spec.datasets_of(name):
            continue
        if isinstance(model, TAKES_FEATURES):
            if not isinstance(model.features, tuple):
                return None
            needed |= dict.fromkeys([dataset.group] if dataset.group else [])
            if isinstance(model, EstimatorModel) and isinstance(model.fit_on, FitColumn):
                needed[model.fit_on.column] = None
        elif isinstance(model, HistoryModel):
            needed |= dict.fromkeys(model.history.weights)
    return tuple(needed)


def view_of(
    spec: Spec,
    dataset_name: str,
    model_name: str,
    table: RawTable,
    subgroups: tuple[str, ...],
    where: Where,
) -> View:
    """The checked rows of one dataset as one model sees them.

    Raises DataError with every mistake of the data that concerns this model.
    """
    dataset, model = spec.datasets[dataset_name], spec.models[model_name]
    if has_sets(dataset):
        rules = rules_of(spec, dataset_name)
        return set_view(spec, dataset_name, model_name, table, subgroups, rules, where)
    roles = roles_of(dataset, model, subgroups, first_cut(spec))
    rules = rules_of(spec, dataset_name)
    if roles.sampling is not None and roles.sampling.proxy is not None:
        checked = with_proxy(table, roles, rules, where)
    else:
        checked = check(table, roles, rules, where)
    view = from_checked(dataset_name, model_name, checked, source_of(model))
    said = said_in(model)
    if said is None:
        return view
    if decides(model):
        return _settled(noted(view, own_labels(view)))
    _there(table, said, where)
    known = checked.known + Labels(beside=label_column(table, said).labels)
    view = replace(view, ledger=replace(view.ledger, known=known))
    if view.score is None:
        return noted(view, agreement_by_class(view, table, said))
    at = plain_thresholds(spec, view.source) or (default_threshold(view.source),)
    given = Scored(table, checked.used, view.score, view.score, checked.times)
    return noted(view, agreement(given, said, model_name, checked, at))


def _settled(view: LabelView) -> LabelView:
    """The view, read by its score where the usual threshold gives the labels of every row."""
    if view.score is None or view.predicted is None:
        return view
    own = Output("margin" if view.source == "margin" else "score", view.predicted, view.score)
    if own.settled(view.positive_index).predicted is not None:
        return view
    return replace(view, predicted=None, indeterminate=())


def noted(view: AnyView, findings: Sequence[Finding]) -> AnyView:
    """The view with further findings."""
    ledger = replace(view.ledger, findings=(*view.ledger.findings, *findings))
    return replace(view, ledger=ledger)


def plain_thresholds(spec: Spec, source: str) -> tuple[float, ...]:
    """The thresholds that are numbers: those of the spec, or the one that there is by default."""
    if spec.thresholds is None:
        return (default_threshold(source),)
    return tuple(one.value for one in spec.thresholds if one.value is not None)


def said_in(model: AnyModel) -> str | None:
    """The column of labels that a model gave beside its scores, None where there is none."""
    return model.prediction if isinstance(model, ScoredModel) else None


def decides(model: AnyModel) -> bool:
    """Whether the labels beside the scores of a model are what it decides."""
    return isinstance(model, ScoredModel) and model.decides == "prediction"


def _there(table: RawTable, column: str, where: Where) -> None:
    problems = column_problems(table, Roles(target=column), lambda _: where("prediction"))
    if problems:
        raise DataError(*problems)


def source_of(model: AnyModel) -> str:
    """What a model gives: ``prediction``, ``score``, ``margin`` or ``scores``."""
    if isinstance(model, PredictionModel):
        return "prediction"
    if isinstance(model, ScoresModel):
        return "scores"
    if isinstance(model, LinearModel):
        return "score" if model.linear.link == "logit" else "margin"
    return "margin" if isinstance(model, MarginModel) else "score"


def _beyond_unit(scores: Floats) -> bool:
    return bool(scores.size and (scores.min() < 0 or scores.max() > 1))


def _difference(checked: Checked, positive: int) -> Finding:
    of, other = checked.labels[positive], checked.labels[1 - positive]
    message = (
        f"The scores of two classes are not probabilities: the score of {quoted(of)} minus the "
        f"score of {quoted(other)} is used as a margin, positive from 0 on."
    )
    return Finding("scores_as_margin", message, {"positive": of, "other": other})


def from_checked(dataset: str, model: str, checked: Checked, source: str) -> LabelView:
    """A view of checked rows; with two classes the positive class's column is the score.

    Two columns that are no probabilities, as logits are not, say of each other nothing: their
    difference is a margin, so that the class of a row is that of its larger score.
    """
    score, class_scores = checked.score, checked.class_scores
    if class_scores is not None and len(checked.labels) <= 2:
        positive = checked.positive if checked.positive is not None else len(checked.labels) - 1
        score = class_scores[:, positive]
        if len(checked.labels) == 2 and _beyond_unit(class_scores):
            source, score = "margin", score - class_scores[:, 1 - positive]
            class_scores = None
            checked = replace(checked, findings=(*checked.findings, _difference(checked, positive)))
    predicted = checked.predicted
    if predicted is None and class_scores is not None and len(checked.labels) > 2:
        predicted = class_scores.argmax(axis=1).astype(checked.actual.dtype)
    return LabelView(
        dataset=dataset,
        model=model,
        source=source,
        labels=checked.labels,
        positive=checked.positive,
        actual=checked.actual,
        row=checked.used,
        predicted=predicted,
        score=score,
        class_scores=class_scores,
        weight=checked.weight,
        sample=checked.sample,
        cluster=checked.cluster,
        fold=checked.fold,
        groups=checked.groups,
        # where scores decide every row nothing is left between the classes
        indeterminate=checked.indeterminate
        if source == "prediction" or checked.predicted is not None
        else (),
        ledger=checked,
        times=checked.times,
    )


def column_roles(spec: Spec, dataset: str) -> dict[str, str]:
    """The role of each column that has one; predictions of other models are no features."""
    declared = spec.datasets[dataset]
    roles: dict[str, str] = {}
    for name, model in spec.models.items():
        if dataset in spec.datasets_of(name):
            named = roles_of(declared, model, ()).named()
            roles |= {column: role for role, column in named if role in PREDICTIONS}
            if (said := said_in(model)) is not None:
                roles[said] = "prediction"
        if isinstance(model, EstimatorModel) and isinstance(model.fit_on, FitColumn):
            roles[model.fit_on.column] = "fold"
    for role in ("id", "weight", "count", "cluster", "group", "fold", "target"):
        column = getattr(declared, role)
        if isinstance(column, str):
            roles[column] = role
    return roles
