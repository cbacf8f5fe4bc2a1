"""One fixed partition: trained on some rows once, tested on others, without folds.

The rows that are trained on are those of another dataset (``fit_on: train``), or those that
a column of the same dataset marks (``fit_on: {column: part, train: [train]}``). Everything
that learns from data sees these rows only, as inside a fold.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from evalreport.data.checked import Checked, check
from evalreport.data.findings import Finding, quoted, some
from evalreport.data.label_column import texts
from evalreport.data.labels import order_labels
from evalreport.data.table import RawTable
from evalreport.errors import DataError, Location, Problem
from evalreport.predict.cache import array_sha256, cache_key, cached, versions
from evalreport.predict.columns import roles_of, rules_of
from evalreport.predict.cross_validation import check_recipe, cross_validate
from evalreport.predict.features import FeatureTable, stacked
from evalreport.predict.foreseen import fits_of_one, foreseen
from evalreport.predict.leakage import repeated_rows, telling_features
from evalreport.predict.making import Made, Making, features_of, group_codes, recipe_of
from evalreport.predict.outcome import FoldedPredictions
from evalreport.predict.split import Groups, Scheme, Split, Splits
from evalreport.predict.used_rows import rows_of, view_of_rows
from evalreport.spec.model import Spec
from evalreport.spec.models import EstimatorModel, FitColumn

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
        *(repeated_rows(parts.features, splits.splits) if declared.fit_dataset is None else ()),
        *(Finding("training", f"{model}: {note}") for note in folded.notes),
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
    other = ((f"{fit_on.column} says neither", rest),) if rest else ()
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
