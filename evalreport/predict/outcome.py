"""What models say: the output for some rows, and the predictions of many folds.

A row's code is its label's place among the declared labels. Rows are counted from 0
in the table that was handed over; folds are named.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from evalreport.plan.inputs import default_threshold
from evalreport.results.records import Summary
from evalreport.statistics.folds import standard_deviation

Codes = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]
Source = Literal["prediction", "score", "scores", "margin"]
Progress = Callable[[int, int], None]


def unheard(_done: int, _total: int) -> None:
    """Progress that nobody follows."""


#: The fold of a failure that concerns every fold.
EVERY_FOLD = "every fold"


@dataclass(frozen=True, eq=False)
class Output:
    """What a model says of n rows.

    ``source`` is ``score`` (probability of the positive class), ``margin`` (signed
    distance, positive class above 0), ``scores`` (one probability per class) or
    ``prediction`` (labels). ``predicted``: label codes, shape (n,): what the model decides,
    beside its scores too; None for scores and margins of two classes that wait for a threshold
    (:meth:`settled`). ``score``: shape (n,).
    ``class_scores``: shape (n, K), columns in the order of the labels. ``margin_unit``: what
    a margin is multiplied by to be ``b + w . x``, 1 where it is not known.
    """

    source: Source
    predicted: Codes | None = None
    score: Floats | None = None
    class_scores: Floats | None = None
    margin_unit: float = 1.0

    @property
    def rows(self) -> int:
        """Number of rows."""
        given = self.predicted if self.score is None else self.score
        assert given is not None
        return len(given)

    def labels_at(self, threshold: float | None = None, positive: int = 1) -> Codes:
        """Label codes; scores of two classes at ``score >= threshold``.

        Without one they are what the model decides, else those at the usual threshold.
        """
        if self.predicted is not None and (threshold is None or self.score is None):
            return self.predicted
        assert self.score is not None
        if threshold is None:
            threshold = default_threshold(self.source)
        return np.where(self.score >= threshold, positive, 1 - positive).astype(np.int64)

    def settled(self, positive: int | None) -> Output:
        """The same, without labels where those of the usual threshold are the same in every row.

        What is left in ``predicted`` beside a score of two classes is a decision of the model's
        own: of a threshold that was tuned, or of a rule.
        """
        if self.score is None or self.predicted is None:
            return self
        usual = replace(self, predicted=None)
        same = np.array_equal(
            usual.labels_at(None, 1 if positive is None else positive), self.predicted
        )
        return usual if same else self


#: A metric as a function of the actual label codes and the output; None where undefined.
MetricFunction = Callable[[Codes, Output], float | None]


def stack_outputs(outputs: Sequence[Output]) -> Output:
    """The rows of several outputs of one kind, one after the other."""
    first = outputs[0]
    return Output(
        first.source,
        _stacked([output.predicted for output in outputs]),
        _stacked([output.score for output in outputs]),
        _stacked([output.class_scores for output in outputs]),
    )


def _stacked(parts: Sequence[Any]) -> Any:
    return None if parts[0] is None else np.concatenate(parts)


@dataclass(frozen=True)
class FoldFailure:
    """A model that could not be trained or applied in one fold (or in every fold)."""

    model: str
    fold: str
    reason: str

    def __str__(self) -> str:
        return f"model '{self.model}', {_fold_words(self.fold)}: {self.reason}"


def _fold_words(fold: str) -> str:
    return fold if fold == EVERY_FOLD or fold.startswith("repeat ") else f"fold {fold}"


@dataclass(frozen=True, eq=False)
class FoldedPredictions:
    """Out-of-fold predictions of one model: each entry made by a fit that did not see its row.

    ``row``, ``repeat`` and ``fold`` have shape (m,): the row of the table, the repeat
    (from 0) and the code into ``folds``. A row has one entry per repeat where the test
    parts of a repeat do not overlap (``partition``), else any number. ``output`` holds
    the m predictions, None where every fold failed. ``fold_sizes``: training and test
    rows of each fold. ``chosen``: the parameters that tuning chose in each fold.
    ``steps``: the preprocessing fitted inside each fold. ``notes``: what a reader should beware
    of, such as warnings of the estimator.
    """

    model: str
    labels: tuple[str, ...]
    positive: int | None
    row: Codes
    repeat: Codes
    fold: Codes
    folds: tuple[str, ...]
    output: Output | None
    fold_sizes: Mapping[str, tuple[int, int]]
    partition: bool = True
    pooled_only: str | None = None
    failures: tuple[FoldFailure, ...] = ()
    chosen: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    steps: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether no fold failed."""
        return not self.failures

    @property
    def repeats(self) -> int:
        """Number of repeats."""
        return int(self.repeat.max()) + 1 if len(self.repeat) else 0

    def of_repeat(self, repeat: int) -> FoldedPredictions:
        """The predictions of one repeat (from 0), its folds only, rows in ascending order."""
        chosen = np.flatnonzero(self.repeat == repeat)
        chosen = chosen[np.argsort(self.row[chosen], kind="stable")]
        codes = np.unique(self.fold[chosen])
        names = tuple(self.folds[code] for code in codes.tolist())
        return FoldedPredictions(
            model=self.model,
            labels=self.labels,
            positive=self.positive,
            row=self.row[chosen],
            repeat=np.zeros(len(chosen), np.int64),
            fold=np.searchsorted(codes, self.fold[chosen]).astype(np.int64),
            folds=names,
            output=None if self.output is None else taken(self.output, chosen),
            fold_sizes={name: self.fold_sizes[name] for name in names},
            partition=self.partition,
            pooled_only=self.pooled_only,
            failures=self.failures,
            chosen={name: self.chosen[name] for name in names if name in self.chosen},
            steps=self.steps,
            notes=self.notes,
        )


def taken(output: Output, rows: npt.NDArray[Any]) -> Output:
    """The output of some of the rows."""
    return Output(
        output.source,
        None if output.predicted is None else output.predicted[rows],
        None if output.score is None else output.score[rows],
        None if output.class_scores is None else output.class_scores[rows],
        output.margin_unit,
    )


def repeat_summary(values: Sequence[float | None]) -> Summary:
    """Mean, standard deviation (ddof 1), smallest and largest of a value over repeats.

    Repeats where the value is undefined (None) are left out and counted in ``reason``.

    >>> summary = repeat_summary([0.8, 0.9, 0.85])
    >>> round(summary.mean, 4), round(summary.spread, 4), summary.low, summary.high
    (0.85, 0.05, 0.8, 0.9)
    >>> repeat_summary([None, None]).reason
    'undefined in 2 of 2 repeats'
    """
    known = [value for value in values if value is not None]
    lost = len(values) - len(known)
    reason = f"undefined in {lost} of {len(values)} repeats" if lost else None
    if not known:
        return Summary(tuple(values), None, None, None, None, reason)
    mean = math.fsum(known) / len(known)
    spread = standard_deviation(known)
    return Summary(tuple(values), mean, spread, min(known), max(known), reason)
