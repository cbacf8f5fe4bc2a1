"""A dataset as one model sees it: checked rows with what the model says of each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.statistics.design_based import Sample
from evalreport.statistics.exact_sums import exact_sum
from evalreport.statistics.numbering import unless_once

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[Any]


def distinct(codes: Codes) -> int:
    """How many different codes there are; counted, which takes a fraction of sorting them.

    >>> distinct(np.array([3, 0, 3]))
    2
    """
    return int(np.count_nonzero(np.bincount(codes)))


def range_of(scores: Floats | None) -> tuple[float | None, float | None]:
    """The lowest and the highest of scores of any shape; None where there are none."""
    if scores is None or not scores.size:
        return None, None
    return float(np.min(scores)), float(np.max(scores))


@dataclass(frozen=True, eq=False, kw_only=True)
class View(ABC):
    """The used rows of a dataset as one model sees them: n of them, or n kinds of rows.

    ``times``: how many rows are of each kind, shape (n,); None where rows were read one by
    one. ``row``: index of the row in its file, by which models are paired. ``positive``: place
    of the positive class among the labels. ``sample``: how the rows were drawn, where that is
    declared. ``unknown``: cells of the table of two classes that nobody counted. ``source`` as
    in :class:`evalreport.plan.inputs.Facts`. What a row is said to be is up to each kind of view.
    """

    dataset: str
    model: str
    source: str
    labels: tuple[str, ...]
    positive: int | None
    row: Codes
    weight: Floats | None = None
    cluster: tuple[Codes, int] | None = None
    fold: tuple[Codes, tuple[str, ...]] | None = None
    groups: Mapping[str, tuple[Codes, tuple[str, ...]]] = field(default_factory=dict)
    indeterminate: tuple[str, ...] = ()
    ledger: Any = None
    fold_sizes: Mapping[str, tuple[int, int]] | None = None
    sample: Sample | None = None
    unknown: tuple[str, ...] = ()
    times: npt.NDArray[np.int64] | None = None

    @property
    def positive_index(self) -> int:
        """Code of the positive class; the last class where there is none."""
        return self.positive if self.positive is not None else len(self.labels) - 1

    @property
    def unknown_places(self) -> frozenset[tuple[int, int]]:
        """The unknown cells by actual and predicted code."""
        positive, negative = self.positive_index, 1 - self.positive_index
        places = {
            "tp": (positive, positive),
            "fp": (negative, positive),
            "fn": (positive, negative),
            "tn": (negative, negative),
        }
        return frozenset(places[cell] for cell in self.unknown)

    @property
    def rows(self) -> int:
        """Number of rows."""
        if self.sample is not None and self.sample.own is not None:
            return len(np.unique(self.row))  # a labelled row stands by its proxy, too
        return len(self.row) if self.times is None else int(self.times.sum())

    @cached_property
    @abstractmethod
    def places(self) -> npt.NDArray[np.intp]:
        """Where each row, or kind of rows, stands among those held, shape (n,).

        Where rows have weights or clusters they come in an order that follows from what they
        hold, so that sums over them do not depend on their order in a file, nor on how they
        were counted.
        """

    @property
    def each_row(self) -> npt.NDArray[np.intp]:
        """The place of each row, as often as there are rows of its kind."""
        return (
            self.places if self.times is None else np.repeat(self.places, self.times[self.places])
        )

    @property
    def clusters(self) -> int:
        """Number of clusters that the rows are of; 0 where they are of none."""
        return 0 if self.cluster is None else distinct(self.cluster[0])

    def tally(self, codes: Codes, size: int) -> Codes:
        """Number of rows of each of ``size`` codes; ``codes`` of shape (n,)."""
        # Whole numbers below 2^53, so the sums are exact.
        return np.bincount(codes, unless_once(self.times), size).astype(np.int64, copy=False)

    @property
    def entries(self) -> Codes | None:
        """One entry of each row where rows were predicted several times, None elsewhere.

        A drawn split may test a row twice, or not at all: rows and predictions are two things.
        """
        if self.fold is None or len(self.row) != self.rows:
            return None
        _, first = np.unique(self.row, return_index=True)
        return None if len(first) == len(self.row) else np.sort(first)

    def group_rows(self, column: str) -> dict[str, int]:
        """Number of rows of each value of a subgroup column."""
        codes, names = self.groups[column]
        counts = self.tally(codes, len(names)).tolist()
        return dict(zip(names, counts, strict=True))

    @cached_property
    def whole_weight(self) -> float:
        """Sum of the weights of all rows."""
        return self.total_weight(slice(None))

    def total_weight(self, chosen: Any, power: int = 1) -> float:
        """Sum of the weights of the chosen rows, or of a power of them, rounded once."""
        assert self.weight is not None
        return exact_sum(
            self.weight[chosen] ** power, None if self.times is None else self.times[chosen]
        )

    def groups_of(self, column: str) -> tuple[str, ...]:
        """The values of a subgroup column."""
        return self.groups[column][1]

    @property
    def group_columns(self) -> tuple[str, ...]:
        """The columns whose values are subgroups."""
        return tuple(self.groups)

    @property
    @abstractmethod
    def has_score(self) -> bool:
        """Whether there is one score of the positive class."""

    @property
    def decided(self) -> bool:
        """Whether labels of the model's own decide, beside its score of the positive class."""
        return False

    @property
    def label_sets(self) -> bool:
        """Whether rows have sets of labels."""
        return False

    @property
    @abstractmethod
    def score_range(self) -> tuple[float | None, float | None]:
        """The lowest and the highest score; None without scores or rows."""

    @property
    @abstractmethod
    def class_rows(self) -> tuple[int, ...]:
        """Number of rows actually of each class, in the order of the labels."""

    @property
    @abstractmethod
    def truth(self) -> Codes:
        """What rows are: label codes, shape (n,), or flags of the labels they have, (n, K)."""

    @abstractmethod
    def is_of(self, code: int) -> npt.NDArray[np.bool_]:
        """Which rows are actually of a class, or have a label, shape (n,)."""

    @property
    def classes_of_rows(self) -> tuple[int, ...]:
        """The same of single rows, however often they were predicted."""
        return self.class_rows

    def row_number(self, place: int) -> int | None:  # noqa: ARG002 - as for rows of one class
        """The number in its file, from 1, of the row at a place here; None without single rows."""
        return None

    @abstractmethod
    def tied(self, threshold: float) -> int | None:
        """Number of rows whose score is exactly the threshold, and so positive by the rule.

        None where it is not known, and where the class of such rows is drawn.
        """


@dataclass(frozen=True, eq=False, kw_only=True)
class LabelView(View):
    """The used rows of one dataset, each of one class, as one model sees them.

    ``actual``: label code of each row, shape (n,). ``predicted``: label code, from K on an
    indeterminate prediction; None where a threshold of the score decides. ``score``: of the
    positive class. ``class_scores``: shape (n, K). ``margin_unit``: what a margin is multiplied
    by to be the sum ``b + w . x`` of the model, 1 where it is not known. ``drawn_negative``: which
    rows on the boundary of a linear model are of the negative class by draw, shape (n,); None
    where no row is on it. Ranks know nothing of the draw.
    """

    actual: Codes
    predicted: Codes | None = None
    score: Floats | None = None
    class_scores: Floats | None = None
    margin_unit: float = 1.0
    drawn_negative: npt.NDArray[np.bool_] | None = None

    def at(self, places: npt.NDArray[Any]) -> LabelView:
        """The rows, or kinds of rows, at some places; clusters and folds keep their codes."""

        def part(values: Any) -> Any:
            return None if values is None else values[places]

        return replace(
            self,
            actual=part(self.actual),
            row=part(self.row),
            predicted=part(self.predicted),
            score=part(self.score),
            class_scores=part(self.class_scores),
            weight=part(self.weight),
            sample=None if self.sample is None else self.sample.taken(places),
            cluster=None if self.cluster is None else (part(self.cluster[0]), self.cluster[1]),
            fold=None if self.fold is None else (part(self.fold[0]), self.fold[1]),
            groups={name: (part(codes), values) for name, (codes, values) in self.groups.items()},
            times=part(self.times),
            drawn_negative=part(self.drawn_negative),
        )

    def drawn_at(self, threshold: float | None) -> npt.NDArray[np.bool_] | None:
        """Which rows are drawn to be negative, where the threshold is the boundary."""
        return self.drawn_negative if threshold == 0.0 else None

    def of_other_class(self, probabilities: bool) -> LabelView:
        """The same rows with the other of two classes as the positive one.

        Its score is 1 - p of a probability, else -s.
        """
        assert self.score is not None
        assert len(self.labels) == 2
        score = (1.0 - self.score if probabilities else -self.score) + 0.0
        return replace(self, positive=1 - self.positive_index, score=score, drawn_negative=None)

    @cached_property
    def places(self) -> npt.NDArray[np.intp]:
        plain = self.weight is None and self.cluster is None
        said = self.score is not None or self.predicted is not None
        if plain or not said or self.sample is not None:
            return np.arange(len(self.actual))
        held = [self.weight, self.predicted, self.score, self.actual]
        keys: list[Any] = [part for part in held if part is not None]
        keys = keys if self.class_scores is None else [*self.class_scores.T, *keys]
        return np.lexsort(keys if self.cluster is None else [self.cluster[0], *keys])

    def row_number(self, place: int) -> int | None:
        if self.times is not None or (self.score is None and self.class_scores is None):
            return None
        return int(self.row[place]) + 1

    def scores_of(self, index: int | None) -> Floats:
        """The one score of each row or, of a column of class scores, that of a class, (n,)."""
        if index is None:
            assert self.score is not None
            return self.score
        assert self.class_scores is not None
        return self.class_scores[:, index]

    def positives_of(self, index: int | None) -> npt.NDArray[np.bool_]:
        """Which rows are of the class that these scores are of, shape (n,)."""
        return self.is_of(self.positive_index if index is None else index)

    @property
    def has_score(self) -> bool:
        return self.score is not None

    @property
    def decided(self) -> bool:
        return self.score is not None and self.predicted is not None

    @property
    def score_range(self) -> tuple[float | None, float | None]:
        return range_of(self.score if self.score is not None else self.class_scores)

    @cached_property
    def class_rows(self) -> tuple[int, ...]:
        """Number of rows actually of each class, in the order of the labels.

        A row that was predicted several times is there with each prediction.
        A labelled row of a sample with a proxy is there by its proxy and, later on, by its
        target: it is of the class of its target.
        """
        if self.sample is not None and self.sample.own is not None:
            last = len(self.row) - 1 - np.unique(self.row[::-1], return_index=True)[1]
            own = np.bincount(self.actual[last], minlength=len(self.labels))
            return tuple(own.tolist())
        return tuple(self.tally(self.actual, len(self.labels)).tolist())

    @property
    def truth(self) -> Codes:
        return self.actual

    def is_of(self, code: int) -> npt.NDArray[np.bool_]:
        return np.asarray(self.actual == code)

    @cached_property
    def class_weights(self) -> tuple[float, ...]:
        """Weight of the rows actually of each class, in the order of the labels."""
        return tuple(self.total_weight(self.actual == code) for code in range(len(self.labels)))

    @property
    def classes_of_rows(self) -> tuple[int, ...]:
        entries = self.entries
        if entries is None:
            return self.class_rows
        return tuple(np.bincount(self.actual[entries], minlength=len(self.labels)).tolist())

    def tied(self, threshold: float) -> int | None:
        if self.drawn_at(threshold) is not None:
            return None
        at = self.score == threshold
        return int(np.count_nonzero(at) if self.times is None else self.times[at].sum())
