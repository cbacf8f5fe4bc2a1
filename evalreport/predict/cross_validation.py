"""Out-of-fold predictions: every fold fitted apart, in parallel processes where that pays."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from evalreport.errors import LimitError, Problem
from evalreport.predict.estimators import check_param_names, classifier_class, make_estimator
from evalreport.predict.features import (
    FeatureTable,
    Step,
    default_steps,
    describe,
    pipeline,
    step_problems,
)
from evalreport.predict.fitting import FoldResult, TrainingRows, Tune, fit_fold
from evalreport.predict.outcome import (
    EVERY_FOLD,
    Codes,
    FoldedPredictions,
    FoldFailure,
    Progress,
    stack_outputs,
    unheard,
)
from evalreport.predict.schemes import Groups, Split, Splits

#: Folds expected to take less than this together, in seconds, are fitted one after another:
#: starting processes would take longer.
WORTH_PROCESSES = 4.0


@dataclass(frozen=True, eq=False)
class Recipe:
    """A classifier to be trained: its path and parameters, steps, tuning and seed.

    ``steps`` None takes what the data need. ``seed`` is that of the cross-validation;
    it is the ``random_state`` of an estimator that names none. ``allowed``: packages
    admitted beside scikit-learn.
    """

    model: str
    path: str
    params: Mapping[str, Any] = field(default_factory=dict)
    steps: tuple[Step, ...] | None = None
    tune: Tune | None = None
    seed: int = 0
    allowed: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Prepared:
    """An estimator behind its steps, not fitted, with its steps in words."""

    estimator: Any
    steps: tuple[str, ...]
    problems: tuple[Problem, ...] = ()


def check_recipe(recipe: Recipe) -> None:
    """Raise SpecError for an unknown class or parameter, those of the grid included."""
    make_estimator(recipe.path, recipe.params, recipe.seed, recipe.allowed)
    if recipe.tune is None:
        return
    kind = classifier_class(recipe.path, recipe.allowed)
    check_param_names(recipe.path, kind, recipe.tune.grid)
    for params in recipe.tune.candidates():
        make_estimator(recipe.path, {**recipe.params, **params}, recipe.seed, recipe.allowed)


def prepare_estimator(recipe: Recipe, table: FeatureTable) -> Prepared:
    """The estimator behind the steps that were asked for or that the data need.

    Raises SpecError for an unknown class or parameter; ``problems`` tells what of the
    data the steps leave that the estimator cannot take.
    """
    check_recipe(recipe)
    estimator = make_estimator(recipe.path, recipe.params, recipe.seed, recipe.allowed)
    takes_missing = _takes_missing(estimator)
    steps = default_steps(table, takes_missing) if recipe.steps is None else recipe.steps
    problems = step_problems(steps, table, takes_missing)
    if problems:
        return Prepared(estimator, (), tuple(problems))
    return Prepared(pipeline(steps, table, estimator), describe(steps, table))


def _takes_missing(estimator: Any) -> bool:
    from sklearn.utils import get_tags

    try:
        return bool(get_tags(estimator).input_tags.allow_nan)
    except (AttributeError, TypeError):
        return False


def cross_validate(
    recipe: Recipe,
    table: FeatureTable,
    actual: Codes,
    labels: Sequence[str],
    positive: int | None,
    splits: Splits,
    groups: Groups | None = None,
    workers: int | None = None,
    progress: Progress = unheard,
) -> FoldedPredictions:
    """Train on each fold's training rows and predict its test rows.

    Args:
        recipe: what is trained.
        table: features of the n rows.
        actual: label codes, shape (n,).
        labels: the classes in their order.
        positive: code of the positive class of two.
        splits: the folds, see :func:`evalreport.predict.schemes.make_splits`.
        groups: kept together in inner splits too, where the scheme is one of groups.
        workers: processes at most; None takes the machine's. Results are the same.
        progress: called with folds done and folds in all.

    A fold that fails is a :class:`FoldFailure`; the others go on. Raises SpecError for
    an unknown class or parameter.
    """
    prepared = prepare_estimator(recipe, table)
    data = TrainingRows(table.matrix, np.asarray(actual, np.int64), tuple(labels), positive, groups)
    if prepared.problems:
        reason = "; ".join(str(problem) for problem in prepared.problems)
        failure = FoldFailure(recipe.model, EVERY_FOLD, reason)
        results = [FoldResult(None, reason) for _ in splits.splits]
        return replace(_gathered(recipe, data, splits, results), failures=(failure,))
    results = _fitted(prepared.estimator, data, splits, recipe.tune, workers, progress)
    folded = _gathered(recipe, data, splits, results)
    return replace(folded, steps=tuple(map(str, prepared.steps)))


def _fitted(
    estimator: Any,
    data: TrainingRows,
    splits: Splits,
    tune: Tune | None,
    workers: int | None,
    progress: Progress,
) -> list[FoldResult]:
    total = len(splits.splits)
    results: list[FoldResult] = []
    started = time.monotonic()
    for place, split in enumerate(splits.splits):
        left = total - place
        taken = time.monotonic() - started
        # The clock decides only where folds are fitted, never what comes of them.
        if place and workers != 1 and left > 1 and taken / place * left > WORTH_PROCESSES:
            rest = splits.splits[place:]
            for result in _parallel(estimator, data, rest, tune, splits, workers):
                results.append(result)
                progress(len(results), total)
            return results
        results.append(fit_fold(estimator, data, split, tune, splits.scheme))
        progress(len(results), total)
    return results


def _parallel(
    estimator: Any,
    data: TrainingRows,
    rest: Sequence[Split],
    tune: Tune | None,
    splits: Splits,
    workers: int | None,
) -> Iterator[FoldResult]:
    from concurrent.futures.process import BrokenProcessPool

    from joblib import Parallel, delayed  # type: ignore[import-untyped]

    most = min(workers or os.cpu_count() or 1, len(rest))
    # Without memory maps no file is written outside the run's folder.
    pool = Parallel(n_jobs=most, return_as="generator", max_nbytes=None)
    job = delayed(fit_fold)
    try:
        yield from pool(job(estimator, data, split, tune, splits.scheme) for split in rest)
    except BrokenProcessPool:
        raise LimitError(
            Problem(
                "a process that fitted folds was ended from outside, or crashed",
                "more memory, a smaller model, or fewer rows: that is what mostly ends processes",
            )
        ) from None


def _gathered(
    recipe: Recipe, data: TrainingRows, splits: Splits, results: Sequence[FoldResult]
) -> FoldedPredictions:
    good = [(place, r.output) for place, r in enumerate(results) if r.output is not None]
    kinds = {output.source for _, output in good}
    failures = [
        FoldFailure(recipe.model, split.name, result.reason)
        for split, result in zip(splits.splits, results, strict=True)
        if result.reason is not None
    ]
    if len(kinds) > 1:
        # A fold trained on one class gives labels only where others give margins.
        main = Counter(output.source for _, output in good).most_common(1)[0][0]
        failures += [
            FoldFailure(
                recipe.model,
                splits.splits[place].name,
                f"the model gives {output.source} here and {main} in other folds",
            )
            for place, output in good
            if output.source != main
        ]
        good = [(place, output) for place, output in good if output.source == main]
    output = stack_outputs([one for _, one in good]).settled(data.positive) if good else None
    made = [splits.splits[place] for place, _ in good]
    sizes = [len(split.test) for split in made]
    return FoldedPredictions(
        model=recipe.model,
        labels=data.labels,
        positive=data.positive,
        row=np.concatenate([s.test for s in made]) if made else np.empty(0, np.int64),
        repeat=np.repeat([s.repeat for s in made], sizes).astype(np.int64),
        fold=np.repeat(np.arange(len(made)), sizes).astype(np.int64),
        folds=tuple(split.name for split in made),
        output=output,
        fold_sizes={split.name: split.sizes for split in made},
        partition=splits.partition,
        pooled_only=splits.pooled_only,
        failures=tuple(failures),
        chosen={
            split.name: dict(result.chosen)
            for split, result in zip(splits.splits, results, strict=True)
            if result.chosen
        },
        notes=_warned([result.warnings for result in results]),
    )


def _warned(each: Sequence[Collection[str]]) -> tuple[str, ...]:
    counts = Counter(text for warned in each for text in warned)
    return tuple(
        f"in {count} of {len(each)} folds: {text}" for text, count in sorted(counts.items())
    )
