"""Learning curves: how a model does when it is trained on fewer rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evalreport.errors import DataError, Problem
from evalreport.predict.cross_validation import Recipe, prepare_estimator
from evalreport.predict.features import FeatureTable
from evalreport.predict.fitting import FoldResult, TrainingRows, fit_fold
from evalreport.predict.outcome import (
    EVERY_FOLD,
    Codes,
    FoldFailure,
    MetricFunction,
    Progress,
    repeat_summary,
    taken,
    unheard,
)
from evalreport.predict.schemes import Groups, Scheme, Split, Splits, make_splits
from evalreport.results.records import Summary

#: Share of the rows held out of each repeat where the caller gives no splits.
HELD_OUT = 0.2


@dataclass(frozen=True)
class CurveDesign:
    """Shares of the training rows (float, 1.0 for all) or counts (int), and the draws.

    Each of the ``repeats`` is one split with one subset per size; smaller subsets lie in
    larger ones.
    """

    sizes: tuple[float | int, ...] = (0.1, 0.25, 0.5, 1.0)
    repeats: int = 10
    seed: int = 0


@dataclass(frozen=True)
class CurvePoint:
    """One size of a learning curve.

    ``size`` as asked for; ``train_rows`` the rows trained on, their mean over repeats.
    ``test`` and ``train``: each metric over the repeats, with its spread (standard
    deviation). ``counts``: the classification table of the test rows of all repeats together,
    shape (K, K), actual by predicted. ``failures``: repeats in which the fit failed.
    """

    size: float | int
    train_rows: float
    test: Mapping[str, Summary]
    train: Mapping[str, Summary]
    counts: tuple[tuple[int, ...], ...] = ()
    failures: tuple[FoldFailure, ...] = ()


@dataclass(frozen=True)
class LearningCurve:
    """The points of a model, smallest size first, and how the rows were held out."""

    model: str
    points: tuple[CurvePoint, ...]
    repeats: int
    notes: tuple[str, ...] = ()

    @property
    def failures(self) -> tuple[FoldFailure, ...]:
        """The failures of all sizes."""
        return tuple(failure for point in self.points for failure in point.failures)


def held_out_splits(
    actual: Codes, labels: Sequence[str], repeats: int, seed: int, groups: Groups | None = None
) -> tuple[Split, ...]:
    """A fifth of the rows held out for each repeat, by class; whole groups where there are any."""
    if groups is None:
        scheme = Scheme("stratified_shuffle_split", repeats, seed=seed, test_size=HELD_OUT)
        return make_splits(scheme, actual, labels).splits
    scheme = Scheme("stratified_group_k_fold", 5, repeats=-(-repeats // 5), seed=seed)
    return make_splits(scheme, actual, labels, groups).splits[:repeats]


def learning_curve(
    recipe: Recipe,
    table: FeatureTable,
    actual: Codes,
    labels: Sequence[str],
    positive: int | None,
    metrics: Mapping[str, MetricFunction],
    design: CurveDesign,
    groups: Groups | None = None,
    progress: Progress = unheard,
    folds: Splits | None = None,
) -> LearningCurve:
    """Train on random subsets of several sizes and judge each fit on rows held out of all.

    Args:
        recipe: what is trained; tuned inside each subset where it says so.
        table: features of the n rows.
        actual: label codes, shape (n,).
        labels: the classes in their order.
        positive: code of the positive class of two.
        metrics: by name; each of (actual codes, output).
        design: sizes, repeats and seed.
        groups: subsets are made of whole groups, which are held out together.
        progress: called with fits done and fits in all.
        folds: the folds of the spec's scheme, of which each repeat holds out the next one;
            None holds out a fifth of the rows in each.

    Raises DataError for sizes that are not there, SpecError for an unknown class.
    """
    prepared = prepare_estimator(recipe, table)
    data = TrainingRows(table.matrix, np.asarray(actual, np.int64), tuple(labels), positive, groups)
    sizes = design.sizes
    splits, held_out = _held_out(data, design, folds)
    outer = Scheme(seed=recipe.seed) if folds is None else folds.scheme
    _check_sizes(sizes, min(len(split.train) for split in splits))
    ordered = sorted(sizes, key=lambda size: _count(size, len(splits[0].train)))
    points = []
    for step, size in enumerate(ordered):
        fits = []
        for number, split in enumerate(splits):
            subset = _subset(split, size, data, (design.seed, number))
            if prepared.problems:
                fits.append((subset, FoldResult(None, "; ".join(map(str, prepared.problems)))))
            else:
                fits.append((subset, _fit(prepared.estimator, data, subset, recipe, outer)))
            progress(step * len(splits) + number + 1, len(ordered) * len(splits))
        points.append(_point(recipe.model, size, fits, data, metrics, bool(prepared.problems)))
    notes = (
        held_out,
        "SD: over repeats, whose rows overlap, so it gives no interval",
    )
    return LearningCurve(recipe.model, tuple(points), len(splits), notes)


def _held_out(
    data: TrainingRows, design: CurveDesign, folds: Splits | None
) -> tuple[tuple[Split, ...], str]:
    """What each repeat trains on and holds out, and how that is told."""
    if folds is None or folds.pooled_only is not None:
        drawn = held_out_splits(data.actual, data.labels, design.repeats, design.seed, data.groups)
        how = "by class" if data.groups is None else "in whole groups"
        told = f"each repeat holds out a fifth of the rows, drawn {how}"
        if folds is not None:
            told += f": a fold of {_words(folds.scheme.name)} tests too few rows for a metric"
        return drawn, told
    made = folds.splits
    if len(made) == 1:
        return made * design.repeats, "each repeat is tested on the same rows as the model"
    name = _words(folds.scheme.name)
    told = f"each repeat holds out the next fold of the cross-validation ({name})"
    if design.repeats < len(made):
        told += f"; {design.repeats} of the {len(made)} folds"
    elif design.repeats > len(made):
        told += f"; {design.repeats} repeats over {len(made)} folds"
    return tuple(made[k % len(made)] for k in range(design.repeats)), told


def _words(scheme: str) -> str:
    return scheme.replace("_", " ").replace("k fold", "k-fold")


def _fit(
    estimator: Any, data: TrainingRows, subset: Split, recipe: Recipe, outer: Scheme
) -> FoldResult:
    """One fit that is applied to the test rows and then to its own training rows."""
    both = Split(subset.name, 0, subset.train, np.concatenate([subset.test, subset.train]))
    return fit_fold(estimator, data, both, recipe.tune, outer)


def _point(
    model: str,
    size: float | int,
    fits: Sequence[tuple[Split, FoldResult]],
    data: TrainingRows,
    metrics: Mapping[str, MetricFunction],
    unusable: bool,
) -> CurvePoint:
    test: dict[str, list[float | None]] = {name: [] for name in metrics}
    train: dict[str, list[float | None]] = {name: [] for name in metrics}
    failures = []
    counts = np.zeros((len(data.labels), len(data.labels)), np.int64)
    for number, (subset, result) in enumerate(fits, start=1):
        if result.output is None:
            fold = EVERY_FOLD if unusable else f"repeat {number} of size {size}"
            failures.append(FoldFailure(model, fold, result.reason or "no output"))
            continue
        cut = len(subset.test)
        places = np.arange(cut + len(subset.train))
        tested = taken(result.output, places[:cut])
        positive = len(data.labels) - 1 if data.positive is None else data.positive
        np.add.at(counts, (data.actual[subset.test], tested.labels_at(positive=positive)), 1)
        for name, metric in metrics.items():
            test[name].append(metric(data.actual[subset.test], tested))
            train[name].append(
                metric(data.actual[subset.train], taken(result.output, places[cut:]))
            )
    rows = [len(subset.train) for subset, _ in fits]
    return CurvePoint(
        size,
        sum(rows) / len(rows),
        {name: repeat_summary(values) for name, values in test.items()},
        {name: repeat_summary(values) for name, values in train.items()},
        tuple(tuple(row) for row in counts.tolist()),
        tuple(dict.fromkeys(failures)),
    )


# -- subsets -------------------------------------------------------------------------------


def _check_sizes(sizes: Sequence[float | int], available: int) -> None:
    problems = [
        Problem(
            f"learning curve of {size} training rows, there are {available}",
            f"at most {available}, or shares such as 0.5",
        )
        for size in sizes
        if not 1 <= _count(size, available) <= available
    ]
    if problems:
        raise DataError(*problems)


def _count(size: float | int, available: int) -> int:
    """Rows of a size: shares are rounded to the nearest row, at least one."""
    return max(1, round(size * available)) if isinstance(size, float) else int(size)


def _subset(split: Split, size: float | int, data: TrainingRows, seed: tuple[int, int]) -> Split:
    """A random part of the training rows, the same shares of classes as far as they go.

    One order of the rows per repeat serves all sizes, so smaller subsets lie in larger.
    """
    random = np.random.default_rng(list(seed))
    count = _count(size, len(split.train))
    if data.groups is not None:
        chosen = _whole_groups(split.train, np.asarray(data.groups[0]), count, random)
    else:
        chosen = _by_class(split.train, data.actual, random)[:count]
    return Split(split.name, 0, np.sort(chosen), split.test)


def _by_class(rows: Codes, actual: Codes, random: np.random.Generator) -> Codes:
    """The rows in random order, such that every beginning holds the classes in their shares."""
    shuffled = random.permutation(rows)
    classes = actual[shuffled]
    at = np.empty(len(rows))
    for code in np.unique(classes):
        own = np.flatnonzero(classes == code)
        at[own] = (np.arange(len(own)) + 0.5) / len(own)
    return shuffled[np.argsort(at, kind="stable")]


def _whole_groups(rows: Codes, codes: Codes, count: int, random: np.random.Generator) -> Codes:
    """Groups in random order until ``count`` rows are reached."""
    order = random.permutation(np.unique(codes[rows]))
    sizes = np.array([int((codes[rows] == code).sum()) for code in order])
    enough = int(np.searchsorted(np.cumsum(sizes), count)) + 1
    return rows[np.isin(codes[rows], order[:enough])]
