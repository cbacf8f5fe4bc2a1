"""Views of models that are trained here, by cross-validation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from evalreport.data.checked import Checked
from evalreport.data.findings import Finding
from evalreport.data.table import RawTable
from evalreport.errors import DataError
from evalreport.predict.cache import array_sha256, cache_key, cached, versions
from evalreport.predict.cross_validation import check_recipe, cross_validate
from evalreport.predict.features import FeatureTable
from evalreport.predict.foreseen import fits_of_one, foreseen
from evalreport.predict.leakage import repeated_rows, telling_features
from evalreport.predict.making import (
    Made,
    Making,
    features_of,
    group_codes,
    recipe_of,
    splits_of,
)
from evalreport.predict.outcome import EVERY_FOLD, FoldedPredictions, FoldFailure
from evalreport.predict.split import Groups, Splits
from evalreport.predict.used_rows import renumbered, rows_of, view_of_rows
from evalreport.predict.view import View
from evalreport.spec.model import Spec
from evalreport.spec.models import EstimatorModel


def trained(
    spec: Spec,
    dataset: str,
    model: str,
    table: RawTable,
    checked: Checked,
    declared: EstimatorModel,
    making: Making,
) -> Made:
    """The out-of-fold predictions of an estimator; kept ones where there are any.

    Folds that cannot be made are a failure of the result. Raises SpecError for an unknown
    class or parameter, DataError for wrong columns.
    """
    recipe = recipe_of(spec, model, checked.labels, checked.positive, making)
    check_recipe(recipe)
    features = features_of(spec, dataset, table, declared).take(checked.used)
    groups = group_codes(spec, dataset, table, checked)
    try:
        splits = splits_of(spec, checked, groups)
    except DataError as error:
        reason = "; ".join(str(problem) for problem in error.problems)
        return Made(None, (FoldFailure(model, EVERY_FOLD, reason),))

    fits = len(splits.splits) * fits_of_one(recipe)
    if making.foresee:
        folded = foreseen(recipe, features, checked.labels, checked.positive, splits)
        view = _pooled(dataset, model, checked, folded, ())
        return Made(view, folded.failures, folded, checked, features, fits=fits)
    what = f"{model} on {dataset}"

    def work() -> FoldedPredictions:
        making.progress(f"training {what}, folds", 0, len(splits.splits))
        return cross_validate(
            recipe,
            features,
            checked.actual,
            checked.labels,
            checked.positive,
            splits,
            groups,
            making.workers,
            lambda done, total: making.progress(what, done, total),
        )

    key = _key(spec, model, features, checked, splits, groups, making)
    folded, kept = cached(making.cache, key, work, making.fresh)
    if kept:
        making.progress(f"out-of-fold predictions of {what} are kept ones", 0, 0)
    findings = (
        *splits.findings,
        *telling_features(features, checked.actual, checked.labels, checked.positive),
        *repeated_rows(features, splits.splits),
        *(Finding("training", f"{model}: {note}") for note in _notes(folded)),
    )
    return Made(
        _pooled(dataset, model, checked, folded, findings),
        folded.failures,
        folded,
        checked,
        features,
        tuple(_further(dataset, model, checked, folded)),
        key,
        fits,
        splits,
        np.asarray(checked.actual, np.int64),
        groups,
    )


def _further(
    dataset: str, model: str, checked: Checked, folded: FoldedPredictions
) -> Iterator[View]:
    """The rows of each repeat after the first, with its folds."""
    for repeat in range(1, folded.repeats):
        own = folded.of_repeat(repeat)
        if own.output is not None and len(own.row):
            view = view_of_rows(dataset, model, rows_of(checked, own.row), own.output)
            yield replace(view, fold=(own.fold, own.folds), fold_sizes=own.fold_sizes, groups={})


def _notes(folded: FoldedPredictions) -> tuple[str, ...]:
    only = () if folded.pooled_only is None else (folded.pooled_only,)
    if folded.repeats > 1:
        only = (
            *only,
            (
                f"{folded.repeats} repeats share their rows: pooled records are those of the "
                "first, the others stand beside it and add no rows; the mean over folds is over "
                "the folds of all of them"
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
        return replace(view, fold=None, fold_sizes=first.fold_sizes)
    return replace(view, fold=(first.fold, first.folds), fold_sizes=first.fold_sizes)
