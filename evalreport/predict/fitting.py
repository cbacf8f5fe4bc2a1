"""One fold: fit on the training rows, say what the fit says of the test rows.

Everything that learns from data happens here, on training rows only: steps, tuning,
the estimator. Nothing of the test rows but their features reaches the fitted model.
"""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.errors import EvalreportError
from evalreport.predict.estimators import first_line
from evalreport.predict.outcome import Codes, Floats, MetricFunction, Output
from evalreport.predict.schemes import GROUPED, Groups, Scheme, Split, make_splits


@dataclass(frozen=True, eq=False)
class Tune:
    """A search for parameters on inner splits of the training rows.

    ``grid``: values to try for each parameter, the last varying fastest. ``metric``
    decides; ``larger_is_better`` says how. Ties go to the first candidate.
    """

    grid: Mapping[str, tuple[Any, ...]]
    metric: MetricFunction
    larger_is_better: bool = True
    folds: int = 3

    def candidates(self) -> Iterator[dict[str, Any]]:
        """Every combination of the grid in order."""
        names = list(self.grid)
        for values in itertools.product(*(self.grid[name] for name in names)):
            yield dict(zip(names, values, strict=True))


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """What folds are cut from: features (n, d), actual codes (n,), classes, groups."""

    matrix: Floats
    actual: Codes
    labels: tuple[str, ...]
    positive: int | None = None
    groups: Groups | None = None

    def take(self, rows: npt.NDArray[Any]) -> TrainingRows:
        """Some of the rows."""
        groups = None if self.groups is None else (np.asarray(self.groups[0])[rows], self.groups[1])
        return TrainingRows(
            self.matrix[rows], self.actual[rows], self.labels, self.positive, groups
        )


@dataclass(frozen=True, eq=False)
class FoldResult:
    """What came of one fold: an output for its test rows, or the reason why there is none."""

    output: Output | None
    reason: str | None = None
    chosen: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


def fit_fold(
    estimator: Any, data: TrainingRows, split: Split, tune: Tune | None, scheme: Scheme
) -> FoldResult:
    """Fit a copy of the estimator on the training rows and apply it to the test rows.

    Any error of the estimator becomes the reason of the result, so that other folds
    go on. Numbers do not depend on the process: numerical libraries use one thread.
    """
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    with warnings.catch_warnings(record=True) as caught, threadpool_limits(1):
        warnings.simplefilter("always")
        try:
            train = data.take(split.train)
            chosen = {} if tune is None else _tuned(estimator, train, tune, scheme)
            fitted = fitted_on(estimator, train, chosen)
            output = output_of(fitted, data.matrix[split.test], len(data.labels), data.positive)
        except EvalreportError as error:
            return FoldResult(None, "; ".join(str(p) for p in error.problems))
        except Exception as error:  # noqa: BLE001 - whatever an estimator raises is its result
            return FoldResult(None, f"{type(error).__name__}: {first_line(error)}")
    return FoldResult(output, None, chosen, tuple(dict.fromkeys(_words(w) for w in caught)))


def _words(warning: warnings.WarningMessage) -> str:
    return f"{warning.category.__name__}: {first_line(ValueError(str(warning.message)), 160)}"


def fitted_on(estimator: Any, train: TrainingRows, params: Mapping[str, Any]) -> Any:
    """A fitted copy of the estimator with these parameters of its last step."""
    from sklearn.base import clone

    fresh = clone(estimator)
    if params:
        last = fresh.named_steps["estimator"] if hasattr(fresh, "named_steps") else fresh
        last.set_params(**params)
    return fresh.fit(train.matrix, train.actual)


# -- what a fitted model says ----------------------------------------------------------------


def output_of(fitted: Any, matrix: Any, classes: int, positive: int | None) -> Output:
    """The labels of ``predict``, with ``predict_proba``, else with decision values of two classes.

    Columns are placed by the classes that the fit knows, never by their order; a
    class that it does not know has probability 0. The margin is that of the
    ``positive`` class (default: the last). Raises ValueError for values that are not
    finite, and for classes that are no codes of labels.
    """
    known = np.asarray(getattr(fitted, "classes_", np.arange(classes)))
    if known.ndim != 1 or not np.isin(known, np.arange(classes)).all():
        raise ValueError("the model's classes differ from those of the data")
    known = known.astype(np.int64)
    side = classes - 1 if positive is None else positive
    predicted = np.asarray(fitted.predict(matrix))
    if predicted.ndim != 1:
        raise ValueError("the model gives no single label per row")
    predicted = predicted.astype(np.int64)
    if hasattr(fitted, "predict_proba"):
        scores = _probabilities(np.asarray(fitted.predict_proba(matrix)), known, classes)
        if classes <= 2:
            return Output("score", predicted, scores[:, side].copy(), scores)
        return Output("scores", predicted, None, scores)
    if classes == 2 and len(known) == 2 and hasattr(fitted, "decision_function"):
        margin = _finite(np.asarray(fitted.decision_function(matrix), np.float64).reshape(-1))
        return Output("margin", predicted, margin if known[1] == side else -margin)
    return Output("prediction", predicted)


def _probabilities(given: Any, known: Codes, classes: int) -> Floats:
    if given.ndim != 2 or given.shape[1] != len(known):
        raise ValueError("the model's probabilities are not one column per class")
    scores = np.zeros((len(given), classes))
    scores[:, known] = _finite(given.astype(np.float64))
    return scores


def _finite(values: Floats) -> Floats:
    if not np.isfinite(values).all():
        raise ValueError("the model gives scores that are not finite")
    return values


# -- tuning inside the training rows ---------------------------------------------------------


def inner_scheme(train: TrainingRows, folds: int, outer: Scheme) -> Scheme:
    """The scheme of inner splits: in time or by groups where the outer one is, else stratified."""
    if outer.name == "time_series_split":
        return Scheme("time_series_split", folds)
    if train.groups is not None and outer.name in (*GROUPED, "fixed"):
        return Scheme("stratified_group_k_fold", folds, seed=outer.seed)
    smallest = np.bincount(train.actual, minlength=len(train.labels))
    stratified = bool((smallest[smallest > 0] >= folds).all())
    return Scheme("stratified_k_fold" if stratified else "k_fold", folds, seed=outer.seed)


def _tuned(estimator: Any, train: TrainingRows, tune: Tune, outer: Scheme) -> dict[str, Any]:
    scheme = inner_scheme(train, tune.folds, outer)
    inner = make_splits(scheme, train.actual, train.labels, train.groups).splits
    best: dict[str, Any] | None = None
    best_value = -math.inf
    for params in tune.candidates():
        values = []
        for split in inner:
            fitted = fitted_on(estimator, train.take(split.train), params)
            output = output_of(fitted, train.matrix[split.test], len(train.labels), train.positive)
            value = tune.metric(train.actual[split.test], output)
            if value is not None:
                values.append(value)
        if not values:
            continue
        mean = math.fsum(values) / len(values) * (1 if tune.larger_is_better else -1)
        if best is None or mean > best_value:
            best, best_value = params, mean
    if best is None:
        raise ValueError("the metric of `tune` is undefined for every candidate")
    return best
