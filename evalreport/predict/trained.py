"""Views of models that predict here: linear, cross-validated, saved."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from evalreport.data.checked import Checked, check
from evalreport.data.design import groups as group_values
from evalreport.data.findings import Finding, rows_problem
from evalreport.data.scores import numbers
from evalreport.data.source import open_source, reading
from evalreport.data.table import RawTable
from evalreport.errors import DataError, Location
from evalreport.predict.cache import array_sha256, cache_key, cached, versions
from evalreport.predict.columns import Where, roles_of, rules_of
from evalreport.predict.cross_validation import Recipe, check_recipe, cross_validate
from evalreport.predict.features import FeatureTable, Kind, feature_names, feature_table
from evalreport.predict.fitting import Tune
from evalreport.predict.leakage import repeated_rows, telling_features
from evalreport.predict.linear import linear_output
from evalreport.predict.outcome import (
    EVERY_FOLD,
    FoldedPredictions,
    FoldFailure,
    MetricFunction,
    Output,
)
from evalreport.predict.preprocessing import Step
from evalreport.predict.saved import saved_output
from evalreport.predict.schemes import make_splits
from evalreport.predict.split import Groups, Scheme, Splits
from evalreport.predict.used_rows import renumbered, rows_of, view_of_rows, without
from evalreport.predict.view import View
from evalreport.spec.cross_validation import CrossValidation
from evalreport.spec.metric_requests import MetricRequest
from evalreport.spec.model import Spec
from evalreport.spec.models import (
    AllExcept,
    AnyModel,
    EstimatorModel,
    LinearModel,
    OnnxModel,
    SkopsModel,
)

#: Models whose predictions are made here, not read from a column.
MADE_HERE = (LinearModel, EstimatorModel, SkopsModel, OnnxModel)

#: Roles of columns that hold what another model says.
PREDICTIONS = ("prediction", "score", "margin", "scores")

#: A metric as a function and whether larger is better; given by the layer that knows metrics.
MetricMaker = Callable[
    [MetricRequest, tuple[str, ...], int | None], tuple[MetricFunction, bool]
]


@dataclass(frozen=True, eq=False)
class Making:
    """What making predictions needs beside spec and data.

    ``folder``: that of the spec. ``cache``: where out-of-fold predictions are kept, None
    for nowhere; ``fresh`` ignores what is kept. ``allowed``: packages admitted by name.
    ``progress``: called with model, fits done and fits in all.
    """

    metric: MetricMaker
    folder: Path = field(default_factory=Path)
    cache: Path | None = None
    fresh: bool = False
    workers: int | None = None
    allowed: tuple[str, ...] = ()
    progress: Callable[[str, int, int], None] = lambda _model, _done, _total: None


@dataclass(frozen=True, eq=False)
class Made:
    """What came of a model on a dataset.

    ``view``: its rows (of the first repeat, each once), None where every fold failed.
    ``folded``: all out-of-fold predictions, None for models that are not trained here.
    ``rows``: the checked rows that ``folded.row`` counts; ``table`` their features.
    """

    view: View | None
    failures: tuple[FoldFailure, ...] = ()
    folded: FoldedPredictions | None = None
    rows: Checked | None = None
    table: FeatureTable | None = None
    further_repeats: tuple[View, ...] = ()
    key: str = ""


def made_here(
    spec: Spec,
    dataset: str,
    model: str,
    table: RawTable,
    subgroups: tuple[str, ...],
    where: Where,
    making: Making,
) -> Made:
    """The predictions of a model that predicts here.

    Raises DataError and SpecError for mistakes of the data and the spec; what an
    estimator cannot do is a failure of the result, so that other models go on.
    """
    declared = spec.models[model]
    roles = roles_of(spec.datasets[dataset], declared, subgroups)
    checked = check(table, roles, rules_of(spec, dataset), where)
    if isinstance(declared, LinearModel):
        return Made(_linear(spec, dataset, model, table, checked, declared))
    if isinstance(declared, EstimatorModel):
        return _trained(spec, dataset, model, table, checked, declared, making)
    assert isinstance(declared, (SkopsModel, OnnxModel))
    return Made(_saved(spec, dataset, model, table, checked, declared, making))


# -- linear ----------------------------------------------------------------------------------


def _linear(
    spec: Spec, dataset: str, model: str, table: RawTable, checked: Checked, declared: LinearModel
) -> View:
    linear = declared.linear
    columns = {name: numbers(table, name) for name in linear.weights}
    problems = [problem for found in columns.values() for problem in found.problems]
    if len(checked.labels) > 2:
        raise DataError(f"model '{model}': a linear model needs two classes, "
                        f"{table.name} has {len(checked.labels)}")
    if problems:
        raise DataError(*problems)
    for name, found in columns.items():
        lacking = found.missing[checked.used]
        if lacking.any() and spec.datasets[dataset].missing != "exclude":
            gaps = checked.used[lacking].tolist()
            instead = "fill it in, or set `missing: exclude` to leave such rows out"
            raise DataError(rows_problem(table, f"{name} is missing", gaps, instead))
        if lacking.any():
            checked = without(checked, lacking, f"{name} is missing")
    values = {name: found.values[checked.used] for name, found in columns.items()}
    made = linear_output(values, linear.bias, linear.weights, linear.seed)
    notes = () if made.note is None else (
        Finding("on_boundary", f"{model}: {made.note}", {"rows": made.on_boundary,
                                                       "positive": made.drawn_positive}),
    )
    return view_of_rows(dataset, model, checked, Output("margin", score=made.score), notes)


# -- trained ---------------------------------------------------------------------------------


def features_of(
    spec: Spec, dataset: str, table: RawTable, model: AnyModel, where: Location | None = None
) -> FeatureTable:
    """The features of every row of the file. Raises DataError for wrong columns."""
    asked = getattr(model, "features", None)
    included = tuple(asked) if isinstance(asked, tuple) else None
    excluded = asked.columns if isinstance(asked, AllExcept) else ()
    names = feature_names(table.header, column_roles(spec, dataset), included, excluded, where)
    kinds: dict[str, Kind] = {
        column: "category" if kind == "text" else "number"
        for column, kind in spec.datasets[dataset].types.items()
    }
    return feature_table(table, names, kinds=kinds)


def column_roles(spec: Spec, dataset: str) -> dict[str, str]:
    """The role of each column that has one; predictions of other models are no features."""
    declared = spec.datasets[dataset]
    roles: dict[str, str] = {}
    for name, model in spec.models.items():
        if dataset in spec.datasets_of(name):
            named = roles_of(declared, model, ()).named()
            roles |= {column: role for role, column in named if role in PREDICTIONS}
    for role in ("id", "weight", "cluster", "group", "fold", "target"):
        column = getattr(declared, role)
        if isinstance(column, str):
            roles[column] = role
    return roles


def recipe_of(
    spec: Spec, model: str, labels: tuple[str, ...], positive: int | None, making: Making
) -> Recipe:
    """What the spec says of an estimator, as it is trained."""
    declared = spec.models[model]
    assert isinstance(declared, EstimatorModel)
    tune = None
    if declared.tune is not None:
        metric, larger = making.metric(declared.tune.metric, labels, positive)
        grid = {name: tuple(values) for name, values in declared.tune.grid.items()}
        tune = Tune(grid, metric, larger, declared.tune.folds)
    return Recipe(
        model=model,
        path=declared.estimator,
        params=dict(declared.params),
        steps=None if declared.steps is None else tuple(_steps(declared)),
        tune=tune,
        seed=(spec.cross_validation or CrossValidation()).seed,
        allowed=making.allowed,
    )


def _steps(declared: EstimatorModel) -> Iterator[Step]:
    for step in declared.steps or ():
        if step.impute is not None:
            asked = step.impute
            yield Step("impute", asked.strategy, asked.value, asked.columns)
        elif step.scale is not None:
            yield Step("scale", step.scale.method, columns=step.scale.columns)
        elif step.one_hot is not None:
            yield Step("one_hot", columns=step.one_hot.columns)


def group_codes(spec: Spec, dataset: str, table: RawTable, checked: Checked) -> Groups | None:
    """The groups of the used rows: the `group` column, else the cluster."""
    declared = spec.datasets[dataset]
    column = declared.group or declared.cluster
    return None if column is None else group_values(table, column, checked.used)


def splits_of(spec: Spec, checked: Checked, groups: Groups | None) -> Splits:
    """The folds of the spec's cross-validation on the checked rows."""
    asked = spec.cross_validation or CrossValidation()
    scheme = Scheme(asked.scheme, asked.folds, asked.repeats, asked.seed, asked.test_size)
    return make_splits(scheme, checked.actual, checked.labels, groups, checked.fold)


def _trained(
    spec: Spec,
    dataset: str,
    model: str,
    table: RawTable,
    checked: Checked,
    declared: EstimatorModel,
    making: Making,
) -> Made:
    recipe = recipe_of(spec, model, checked.labels, checked.positive, making)
    check_recipe(recipe)
    features = features_of(spec, dataset, table, declared).take(checked.used)
    groups = group_codes(spec, dataset, table, checked)
    try:
        splits = splits_of(spec, checked, groups)
    except DataError as error:
        reason = "; ".join(str(problem) for problem in error.problems)
        return Made(None, (FoldFailure(model, EVERY_FOLD, reason),))

    def work() -> FoldedPredictions:
        return cross_validate(
            recipe, features, checked.actual, checked.labels, checked.positive, splits, groups,
            making.workers, lambda done, total: making.progress(model, done, total),
        )

    key = _key(spec, model, features, checked, splits, groups, making)
    folded, _ = cached(making.cache, key, work, making.fresh)
    findings = (
        *splits.findings,
        *telling_features(features, checked.actual, checked.labels, checked.positive),
        *repeated_rows(features, splits.splits),
        *(Finding("training", f"{model}: {note}") for note in _notes(folded)),
    )
    return Made(
        _pooled(dataset, model, checked, folded, findings), folded.failures, folded, checked,
        features, tuple(_further(dataset, model, checked, folded)), key,
    )


def _further(
    dataset: str, model: str, checked: Checked, folded: FoldedPredictions
) -> Iterator[View]:
    """The rows of each repeat after the first, as one fold named after it."""
    for repeat in range(1, folded.repeats):
        own = folded.of_repeat(repeat)
        if own.output is not None and len(own.row):
            view = view_of_rows(dataset, model, rows_of(checked, own.row), own.output)
            codes = np.zeros(len(own.row), np.int64)
            yield replace(view, fold=(codes, (f"repeat {repeat + 1}",)), groups={})


def _notes(folded: FoldedPredictions) -> tuple[str, ...]:
    only = () if folded.pooled_only is None else (folded.pooled_only,)
    if folded.repeats > 1:
        only = (
            *only,
            (
                f"{folded.repeats} repeats share their rows: pooled records and folds are those of "
                "the first, the others stand beside it and add no rows"
            ),
        )
    return (*folded.notes, *only)


def _key(
    spec: Spec,
    model: str,
    features: FeatureTable,
    checked: Checked,
    splits: Splits,
    groups: Groups | None,
    making: Making,
) -> str:
    data = {
        "features": features.sha256,
        "actual": array_sha256(checked.actual),
        "splits": splits.sha256,
        "groups": "" if groups is None else array_sha256(groups[0]),
    }
    declared = spec.models[model].model_dump(mode="json", exclude={"datasets"})
    costs = spec.model_dump(mode="json", include={"costs"})
    part = {
        "model": declared,
        "name": model,
        "labels": list(checked.labels),
        "positive": checked.positive,
        "scheme": vars(splits.scheme),
        "costs": costs,
    }
    return cache_key(data, part, versions(making.allowed))


def _pooled(
    dataset: str,
    model: str,
    checked: Checked,
    folded: FoldedPredictions,
    findings: tuple[Finding, ...],
) -> View | None:
    """The rows of the first repeat; rows of a fold that failed are left out, counted."""
    if folded.output is None:
        return None
    first = folded.of_repeat(0)
    if first.output is None or not len(first.row):
        return None
    rows = rows_of(checked, first.row)
    lost = len(checked.used) - len(np.unique(first.row))
    if lost:
        reason = "never tested" if not folded.failures else "its fold failed or never tested it"
        rows = replace(rows, excluded=(*rows.excluded, (reason, lost)))
    view = view_of_rows(dataset, model, rows, first.output, findings)
    if not folded.partition and len(np.unique(first.row)) < len(first.row):
        # A row tested several times is one row: its entries are not independent.
        view = replace(view, cluster=view.cluster or renumbered(first.row))
    if folded.pooled_only is not None:
        return replace(view, fold=None)
    return replace(view, fold=(first.fold, first.folds), fold_sizes=first.fold_sizes)


# -- saved -----------------------------------------------------------------------------------


def _saved(
    spec: Spec,
    dataset: str,
    model: str,
    table: RawTable,
    checked: Checked,
    declared: SkopsModel | OnnxModel,
    making: Making,
) -> View:
    path = declared.skops if isinstance(declared, SkopsModel) else declared.onnx
    source = open_source(making.folder / path, str(path))
    with reading(source) as stream:
        content = stream.read()
    features = features_of(spec, dataset, table, declared).take(checked.used)
    skops = isinstance(declared, SkopsModel)
    trusted = declared.trusted if isinstance(declared, SkopsModel) else ()
    made = saved_output(content, "skops" if skops else "onnx", features, trusted, str(path))
    output = made.output(checked.labels, checked.positive, str(path))
    notes = tuple(Finding("saved_model", f"{model}: {note}") for note in made.notes)
    return view_of_rows(dataset, model, checked, output, notes)


def failure_records(dataset: str, failures: tuple[FoldFailure, ...]) -> list[Mapping[str, Any]]:
    """Failures as they stand in the results, in the section of the measures."""
    return [
        {"section": "measures", "dataset": dataset, "model": failure.model, "reason":
         failure.reason if failure.fold == EVERY_FOLD else f"fold {failure.fold}: {failure.reason}"}
        for failure in failures
    ]


