"""What making predictions takes: settings, folds, features and recipe, as the spec has them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from evalreport.data.checked import Checked
from evalreport.data.design import groups as group_values
from evalreport.data.table import RawTable
from evalreport.predict.columns import column_roles
from evalreport.predict.cross_validation import Recipe
from evalreport.predict.estimators import with_codes
from evalreport.predict.features import FeatureTable, Kind, Step, feature_names, feature_table
from evalreport.predict.fitting import Tune
from evalreport.predict.outcome import MetricFunction
from evalreport.predict.schemes import Groups, Scheme, Splits, make_splits
from evalreport.spec.cross_validation import CrossValidation
from evalreport.spec.metric_requests import MetricRequest
from evalreport.spec.model import Spec
from evalreport.spec.models import (
    AllExcept,
    AnyModel,
    EstimatorModel,
)

#: A metric as a function and whether larger is better; given by the layer that knows metrics.
MetricMaker = Callable[[MetricRequest, tuple[str, ...], int | None], tuple[MetricFunction, bool]]


@dataclass(frozen=True, eq=False)
class Making:
    """What making predictions needs beside spec and data.

    ``folder``: that of the spec. ``cache``: where out-of-fold predictions are kept, None
    for nowhere; ``fresh`` ignores what is kept. ``allowed``: packages admitted by name.
    ``trusted``: what the operator trusts in saved models.
    ``progress``: called with what is done, parts done and parts in all, at first with 0.
    ``foresee``: nothing is fitted, predictions have their shape only. ``tables``: the
    datasets that were read, of which one may be trained on.
    """

    metric: MetricMaker
    folder: Path = field(default_factory=Path)
    cache: Path | None = None
    fresh: bool = False
    workers: int | None = None
    allowed: tuple[str, ...] = ()
    trusted: tuple[str, ...] = ()
    progress: Callable[[str, int, int], None] = lambda _what, _done, _total: None
    foresee: bool = False
    tables: Mapping[str, RawTable] = field(default_factory=dict)


def features_of(
    spec: Spec,
    dataset: str,
    table: RawTable,
    model: AnyModel,
    like: FeatureTable | None = None,
) -> FeatureTable:
    """The features of every row of the file. Raises DataError for wrong columns.

    ``like``: the features that a model learned from, whose names and kinds are kept.
    """
    asked = getattr(model, "features", None)
    included = tuple(asked) if isinstance(asked, tuple) else None
    excluded = asked.columns if isinstance(asked, AllExcept) else ()
    names = feature_names(table.header, column_roles(spec, dataset), included, excluded)
    kinds: dict[str, Kind] = {
        column: "category" if kind == "text" else "number"
        for column, kind in spec.datasets[dataset].types.items()
    }
    if like is not None:
        names = feature_names(table.header, {}, like.names)
        kinds = {column.name: column.kind for column in like.columns}
    return feature_table(table, names, kinds=kinds)


def recipe_of(
    spec: Spec, model: str, labels: tuple[str, ...], positive: int | None, making: Making
) -> Recipe:
    """What the spec says of an estimator, as it is trained."""
    declared = spec.models[model]
    assert isinstance(declared, EstimatorModel)
    tune = None
    if declared.tune is not None:
        metric, larger = making.metric(declared.tune.metric, labels, positive)
        grid = {
            name: tuple(with_codes({name: value}, labels)[name] for value in values)
            for name, values in declared.tune.grid.items()
        }
        tune = Tune(grid, metric, larger, declared.tune.folds)
    return Recipe(
        model=model,
        path=declared.estimator,
        params=with_codes(declared.params, labels),
        steps=None if declared.steps is None else tuple(_steps(declared)),
        tune=tune,
        seed=(spec.cross_validation or CrossValidation()).seed,
        allowed=making.allowed,
    )


def outline_of(spec: Spec, model: str, allowed: tuple[str, ...]) -> Recipe:
    """A recipe good for looking at its class and parameters only, before any data are read."""
    declared = spec.models[model]
    assert isinstance(declared, EstimatorModel)
    tune = None
    if declared.tune is not None:
        grid = {name: tuple(values) for name, values in declared.tune.grid.items()}
        tune = Tune(grid, lambda _actual, _output: None)
    params = dict(declared.params)
    return Recipe(model, declared.estimator, params, tune=tune, allowed=allowed)


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
