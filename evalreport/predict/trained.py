"""Views of models that are trained here: by cross-validation, or on one fixed partition.

The rows of a fixed partition that are trained on, once, are those of another dataset
(``fit_on: train``), or those that a column of the same dataset marks (``fit_on: {column: part,
train: [train]}``). Everything that learns from data sees these rows only, as inside a fold.
How many fits of what kind there will be is known without fitting.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from evalreport.data.checked import Checked, check
from evalreport.data.findings import PROCEDURE, Finding, quoted, some
from evalreport.data.label_column import texts
from evalreport.data.labels import order_labels
from evalreport.data.table import RawTable
from evalreport.errors import DataError, Location, Problem
from evalreport.predict.cache import array_sha256, cache_key, cached, versions
from evalreport.predict.columns import roles_of, rules_of
from evalreport.predict.cross_validation import (
    Recipe,
    check_recipe,
    cross_validate,
    prepare_estimator,
)
from evalreport.predict.features import FeatureTable, stacked
from evalreport.predict.leakage import repeated_rows, telling_features
from evalreport.predict.made import Made
from evalreport.predict.making import Making, features_of, group_codes, recipe_of, splits_of
from evalreport.predict.outcome import EVERY_FOLD, FoldedPredictions, FoldFailure, Output, Source
from evalreport.predict.schemes import Groups, Scheme, Split, Splits
from evalreport.predict.used_rows import renumbered, rows_of, view_of_rows
from evalreport.predict.view import LabelView
from evalreport.spec.model import Spec
from evalreport.spec.models import EstimatorModel, FitColumn


def fits_of_one(recipe: Recipe) -> int:
    """Fits that one training set costs: one, and with tuning one per candidate and inner fold.

    >>> fits_of_one(Recipe("m", "sklearn.dummy.DummyClassifier"))
    1
    """
    if recipe.tune is None:
        return 1
    return 1 + recipe.tune.folds * sum(1 for _ in recipe.tune.candidates())


def foreseen_source(estimator: Any, classes: int) -> Source:
    """What an estimator that is not fitted will give, by the methods that it has."""
    if hasattr(estimator, "predict_proba"):
        return "score" if classes <= 2 else "scores"
    return "margin" if classes == 2 and hasattr(estimator, "decision_function") else "prediction"


def foreseen(
    recipe: Recipe,
    table: FeatureTable,
    labels: Sequence[str],
    positive: int | None,
    splits: Splits,
) -> FoldedPredictions:
    """The shape of out-of-fold predictions; what stands in them is of no meaning.

    Good for planning only: rows, folds and the kind of output are those of a run, unless
    an estimator fails there. Raises SpecError for an unknown class or parameter.
    """
    prepared = prepare_estimator(recipe, table)
    made = splits.splits
    sizes = [len(split.test) for split in made]
    reason = "; ".join(str(problem) for problem in prepared.problems)
    source = foreseen_source(prepared.estimator, len(labels))
    return FoldedPredictions(
        model=recipe.model,
        labels=tuple(labels),
        positive=positive,
        row=np.concatenate([split.test for split in made]),
        repeat=np.repeat([split.repeat for split in made], sizes).astype(np.int64),
        fold=np.repeat(np.arange(len(made)), sizes).astype(np.int64),
        folds=tuple(split.name for split in made),
        output=None if reason else _placeholder(source, sum(sizes), len(labels)),
        fold_sizes=splits.sizes,
        partition=splits.partition,
        pooled_only=splits.pooled_only,
        failures=(FoldFailure(recipe.model, EVERY_FOLD, reason),) if reason else (),
    )


def _placeholder(source: Source, rows: int, classes: int) -> Output:
    codes = np.zeros(rows, np.int64)
    if source == "prediction":
        return Output("prediction", codes)
    if source == "margin":
        return Output("margin", score=np.zeros(rows))
    shares = np.full((rows, classes), 1 / classes)
    if source == "score":
        return Output("score", score=np.full(rows, 0.5), class_scores=shares)
    return Output("scores", codes, None, shares)


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
        *repeated_rows(features, splits.splits, np.asarray(checked.actual, np.int64)),
        *_told(model, folded),
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
) -> Iterator[LabelView]:
    """The rows of each repeat after the first, with its folds."""
    for repeat in range(1, folded.repeats):
        own = folded.of_repeat(repeat)
        if own.output is not None and len(own.row):
            view = view_of_rows(dataset, model, rows_of(checked, own.row), own.output)
            yield replace(view, fold=(own.fold, own.folds), fold_sizes=own.fold_sizes, groups={})


def _told(model: str, folded: FoldedPredictions) -> Iterator[Finding]:
    """How the predictions were made, and what the estimator warned of."""
    made = [f"fitted inside each fold: {step}" for step in folded.steps]
    if folded.pooled_only is not None:
        made.append(folded.pooled_only)
    if folded.repeats > 1:
        made.append(
            f"{folded.repeats} repeats share their rows: pooled records are from the first, the "
            f"others are shown beside it and add no rows; the mean over folds covers the folds of "
            f"all repeats"
        )
    yield from (Finding(PROCEDURE, text) for text in made)
    yield from (Finding("training", f"{model}: {note}") for note in folded.notes)


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
) -> LabelView | None:
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


#: The name of the only fold, in messages.
NAME = "the fixed partition"


@dataclass(frozen=True, eq=False)
class Partition:
    """Features and actual codes of all rows, those trained on and those tested.

    ``tested``: the checked rows that are tested, in the order of ``split.test``. ``groups``
    keep inner folds of tuning apart, None where there are none.
    """

    features: FeatureTable
    actual: np.ndarray[tuple[int], np.dtype[np.int64]]
    split: Split
    tested: Checked
    groups: Groups | None
    told: str


def fixed(
    spec: Spec,
    dataset: str,
    model: str,
    table: RawTable,
    checked: Checked,
    declared: EstimatorModel,
    making: Making,
) -> Made:
    """The predictions of an estimator that is trained once, on rows named by ``fit_on``.

    Raises SpecError for an unknown class or parameter, DataError for wrong columns and for
    a partition with nothing to train on or to test.
    """
    fit_on = declared.fit_on
    assert fit_on is not None
    if isinstance(fit_on, FitColumn):
        parts = _by_column(spec, dataset, table, checked, declared, fit_on)
    else:
        parts = _by_dataset(spec, dataset, table, checked, declared, making)
    labels, positive = parts.tested.labels, parts.tested.positive
    recipe = recipe_of(spec, model, labels, positive, making)
    check_recipe(recipe)
    scheme = replace(Scheme("fixed"), folds=1, seed=recipe.seed)
    splits = Splits(scheme, (parts.split,))
    fits = fits_of_one(recipe)
    what = f"{model} on {dataset}"
    if making.foresee:
        folded = foreseen(recipe, parts.features, labels, positive, splits)
        return _made(dataset, model, parts, folded, (), "", fits)

    def work() -> FoldedPredictions:
        making.progress(f"training {what}", 0, 1)
        return cross_validate(
            recipe,
            parts.features,
            parts.actual,
            labels,
            positive,
            splits,
            parts.groups,
            making.workers,
            lambda done, total: making.progress(what, done, total),
        )

    key = cache_key(
        {
            "features": parts.features.sha256,
            "actual": array_sha256(parts.actual),
            "splits": splits.sha256,
            "groups": "" if parts.groups is None else array_sha256(np.asarray(parts.groups[0])),
        },
        {
            "model": declared.model_dump(mode="json", exclude={"datasets"}),
            "labels": list(labels),
            "positive": positive,
            "seed": recipe.seed,
            "costs": spec.model_dump(mode="json", include={"costs"}),
        },
        versions(making.allowed),
    )
    folded, kept = cached(making.cache, key, work, making.fresh)
    if kept:
        making.progress(f"predictions of {what} are kept ones", 0, 0)
    findings = (
        Finding("training", f"{model}: {parts.told}"),
        *telling_features(parts.features, parts.actual, labels, positive),
        # Two datasets are compared with each other, by id and group too.
        *(
            repeated_rows(parts.features, splits.splits, parts.actual)
            if declared.fit_dataset is None
            else ()
        ),
        *_told(model, folded),
    )
    return _made(dataset, model, parts, folded, findings, key, fits)


def _made(
    dataset: str,
    model: str,
    parts: Partition,
    folded: FoldedPredictions,
    findings: tuple[Finding, ...],
    key: str,
    fits: int,
) -> Made:
    failures = tuple(replace(one, fold=NAME) for one in folded.failures)
    if folded.output is None:
        return Made(None, failures, folded, None, None, (), key, fits)
    view = view_of_rows(dataset, model, parts.tested, folded.output, findings)
    return Made(
        view,
        failures,
        folded,
        parts.tested,
        parts.features,
        (),
        key,
        fits,
        Splits(Scheme("fixed"), (parts.split,)),
        parts.actual,
        parts.groups,
    )


def _by_column(
    spec: Spec,
    dataset: str,
    table: RawTable,
    checked: Checked,
    declared: EstimatorModel,
    fit_on: FitColumn,
) -> Partition:
    codes, names = texts(table, fit_on.column)
    own = np.asarray(codes)[checked.used]
    wanted = [names.index(value) for value in fit_on.train if value in names]
    train = np.isin(own, wanted)
    test = ~train & (own >= 0)
    if fit_on.test is not None:
        test &= np.isin(own, [names.index(value) for value in fit_on.test if value in names])
    if not train.any() or not test.any():
        seen = some([quoted(name) for name in names])
        what = f"{fit_on.column} marks {train.sum()} rows to train on and {test.sum()} to test"
        raise DataError(Problem(what, f"its values are {seen}", Location(table.name)))
    rest = int((~train & ~test).sum())
    tested = rows_of(checked, np.flatnonzero(test))
    trained = (f"trained on, by {fit_on.column}", int(train.sum()))
    other = ((f"{fit_on.column} gives neither", rest),) if rest else ()
    return Partition(
        features_of(spec, dataset, table, declared).take(checked.used),
        np.asarray(checked.actual, np.int64),
        Split(NAME, 0, np.flatnonzero(train), np.flatnonzero(test)),
        replace(tested, excluded=(*checked.excluded, trained, *other)),
        group_codes(spec, dataset, table, checked),
        f"trained once, on the {int(train.sum()):,} rows that {fit_on.column} marks, and tested "
        f"on {int(test.sum()):,} others; its intervals leave out the variation of training",
    )


def _by_dataset(
    spec: Spec,
    dataset: str,
    table: RawTable,
    checked: Checked,
    declared: EstimatorModel,
    making: Making,
) -> Partition:
    other = str(declared.fit_on)
    training = making.tables[other]
    roles = roles_of(spec.datasets[other], declared, ())
    rules = rules_of(spec, other)
    learned = check(training, roles, rules)
    labels = _together(spec, dataset, checked, learned)
    if learned.labels != labels:
        learned = check(training, roles, replace(rules, declared=labels))
    if checked.labels != labels:
        own = roles_of(spec.datasets[dataset], declared, tuple(checked.groups))
        checked = check(table, own, replace(rules_of(spec, dataset), declared=labels))
    first = features_of(spec, other, training, declared).take(learned.used)
    second = features_of(spec, dataset, table, declared, like=first).take(checked.used)
    n, m = len(learned.used), len(checked.used)
    return Partition(
        stacked(first, second),
        np.concatenate([learned.actual, checked.actual]).astype(np.int64),
        Split(NAME, 0, np.arange(n), n + np.arange(m)),
        checked,
        None,
        f"trained once, on the {n:,} rows of {other}; its intervals leave out the variation of "
        "training",
    )


def _together(spec: Spec, dataset: str, checked: Checked, learned: Checked) -> tuple[str, ...]:
    """The classes of both datasets: as declared, else in their order."""
    declared = spec.datasets[dataset].labels or ()
    both = {*checked.labels, *learned.labels}
    return (*declared, *order_labels(both - set(declared)))
