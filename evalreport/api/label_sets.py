"""Rows with sets of labels from Python: indicator matrices, frames of 0 and 1, lists of sets."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evalreport.api.arrays import Made
from evalreport.api.given import columns_of, label_text, listed, same_length
from evalreport.data.labels import order_labels
from evalreport.errors import DataError, Problem

#: One row: whether it has each label, None where that is not known.
Flags = list[int | None]


class MadeOfSets(Made):
    """A spec and a table of rows with sets of labels, put together from what a caller gives."""

    def __post_init__(self) -> None:
        """Read ``truth`` as flags of each label. Raises DataError for anything else."""
        if self.positive is not None:
            what = "positive is of rows with one label each, and y_true has sets of labels"
            raise DataError(Problem(what, "each label is evaluated against its absence"))
        self.given: Any = self.truth
        self.classes = (
            labels_of(self.given)
            if self.labels is None
            else tuple(label_text(one) for one in self.labels)
        )
        self.truth = flags_of(self.given, "y_true", self.classes)
        same_length({"y_true": len(self.truth)})
        _refuse_one_label_each(self.given, self.truth)
        self.negative: dict[str, bool] = {}

    def add_models(self, scores: Any, predictions: Any) -> None:
        """The models of ``y_score`` and ``y_pred``."""
        super().add_models(scores, predictions)
        if any(None in row for row in self.truth):
            self.dataset["missing"] = "exclude"  # each label is evaluated on the rows that know it
        self.target = {"labels": self._flag_columns("y_true", self.truth)}

    def add_labels(self, name: str, values: Any) -> None:
        """One model's sets of labels."""
        what, columns = f"y_pred of {name}", columns_of(values)
        if columns is None:
            rows = flags_of(values, what, self.classes)
        else:
            wide = [listed(own) for own in columns.values()]
            flags = self._by_class(what, wide, values)
            rows = _rows([flags[label] for label in self.classes], what)
        self._check(what, rows)
        own = f"{name} labels" if name in self.models else name
        self.models[own] = {"prediction": {"labels": self._flag_columns(own, rows)}}

    def _flag_columns(self, name: str, rows: Sequence[Flags]) -> dict[str, str]:
        columns = {label: self._free(f"{name} has {label}") for label in self.classes}
        for place, own in enumerate(columns.values()):
            self.columns[own] = [row[place] for row in rows]
        return columns

    def _know(self, predictions: Mapping[str, Any]) -> None:
        """The labels of the truth, where it is sets those too that are only predicted."""
        if _are_sets(self.given):
            every = [self.given, *filter(_are_sets, predictions.values())]
            self.classes = order_labels(label for one in every for label in labels_of(one))
            self.truth = flags_of(self.given, "y_true", self.classes)

    def _also(self, further: Iterable[str]) -> None:
        """Know further labels: no row has them where the truth is sets, else it must say."""
        super()._also(further)
        self.truth = flags_of(self.given, "y_true", self.classes)

    def _single(self, name: str, values: list[float]) -> None:  # noqa: ARG002 - as elsewhere
        told = ", ".join(self.classes)
        what = f"y_score of {name} is one score per row, and there are {len(self.classes)} labels"
        raise DataError(Problem(f"{what}: {told}", "a column of scores for each label"))

    def _scores_by_class(self, name: str, by_class: Mapping[str, list[float]]) -> None:
        columns = {label: self._free(f"{name} {label}") for label in self.classes}
        for label, own in columns.items():
            self._put(own, by_class[label])
        self.models[name] = {"scores": columns}
        self.scored = True
        known = (one for label in columns for one in by_class[label] if math.isfinite(one))
        self.negative[name] = min(known, default=0.0) < 0

    def _target(self) -> Any:
        return self.target

    def _labels_declared(self) -> list[str] | None:
        return None

    def _usual_metrics(self) -> list[str]:
        names = ["exact_match", "hamming_loss", "example_jaccard", "recall", "precision", "f1"]
        return [*names, "roc_auc", "label_ranking_average_precision"] if self.scored else names

    def _usual_threshold(self) -> float | None:
        """0 where scores are signed distances. Raises DataError where only some are."""
        if not any(self.negative.values()):
            return None
        if all(self.negative.values()):
            return 0.0
        signed = ", ".join(name for name, below in self.negative.items() if below)
        what = f"the scores of {signed} are signed distances, those of other models are not"
        raise DataError(Problem(what, "one threshold for all, threshold=..., or apart"))

    def _frame(self) -> dict[str, list[Any]]:
        return self.columns


def holds_sets(value: Any) -> bool:
    """Whether rows have sets of labels: several columns, or a set or list in each row.

    >>> holds_sets([{"a"}, {"a", "b"}]), holds_sets([[1], [0]]), holds_sets(["a", "b"])
    (True, False, False)
    """
    columns = columns_of(value)
    if columns is not None:
        return len(columns) > 1
    shape = getattr(value, "shape", None)
    if shape is not None and len(shape) == 2:
        return bool(shape[1] > 1)
    return _are_sets(value)


def _are_sets(value: Any) -> bool:
    if columns_of(value) is not None or len(getattr(value, "shape", ())) > 1:
        return False
    if isinstance(value, (str, bytes, Mapping)) or not hasattr(value, "__len__"):
        return False
    rows = listed(value)
    if any(isinstance(row, (set, frozenset)) for row in rows):
        return True
    several = [row for row in rows if isinstance(row, (list, tuple))]
    return len(several) == len(rows) > 0 and any(len(row) != 1 for row in several)


def labels_of(value: Any) -> tuple[str, ...]:
    """The labels: names of columns, numbers of the columns of a matrix, or all that sets hold.

    >>> labels_of([{"b"}, {"a", "b"}, set()])
    ('a', 'b')
    """
    columns = columns_of(value)
    if columns is not None:
        return tuple(columns)
    shape = getattr(value, "shape", None)
    if shape is not None and len(shape) == 2:
        return tuple(str(place) for place in range(shape[1]))
    return order_labels({label_text(one) for row in listed(value) for one in row or ()})


def flags_of(value: Any, name: str, labels: Sequence[str]) -> list[Flags]:
    """Whether each row has each of the ``labels``. Raises DataError for anything else."""
    columns = columns_of(value)
    if columns is not None and set(labels) <= set(columns):
        return _rows([listed(columns[label]) for label in labels], name)
    if columns is not None:
        return _matrix([listed(own) for own in columns.values()], name, labels)
    if hasattr(value, "toarray"):  # a sparse matrix of scipy
        value = value.toarray()
    if len(getattr(value, "shape", ())) == 2:
        return _matrix(list(zip(*value.tolist(), strict=True)), name, labels)
    if not _are_sets(value):
        hint = "an indicator matrix, a frame with a column of 0 and 1 for each label, or a set of"
        raise DataError(Problem(f"{name} has no sets of labels", f"{hint} labels for each row"))
    place = {label: k for k, label in enumerate(labels)}
    rows = []
    for number, own in enumerate(listed(value), 1):
        texts = [label_text(one) for one in own or ()]
        strange = [text for text in texts if text not in place]
        if strange:
            what = f"row {number} of {name} has the label {strange[0]!r}"
            raise DataError(Problem(what, f"one of {', '.join(labels)}"))
        rows.append([int(label in texts) if own is not None else None for label in labels])
    return rows


def _matrix(columns: Sequence[Sequence[Any]], name: str, labels: Sequence[str]) -> list[Flags]:
    if len(columns) != len(labels):
        what = f"{name} has {len(columns)} columns, and there are {len(labels)} labels"
        raise DataError(Problem(f"{what}: {', '.join(labels)}", "a column for each label"))
    return _rows(columns, name)


def _rows(columns: Sequence[Sequence[Any]], name: str) -> list[Flags]:
    """Rows of 0 and 1 of columns that hold these; None where a value is missing."""
    found: list[Flags] = []
    for number, row in enumerate(zip(*columns, strict=True), 1):
        flags = [_flag(value) for value in row]
        if -1 in flags:
            what = f"row {number} of {name} has {row[flags.index(-1)]!r}"
            raise DataError(
                Problem(
                    what, "1 where the row has the label, 0 where not, NaN where it is not known"
                )
            )
        found.append(flags)
    return found


def _flag(value: Any) -> int | None:
    """0 or 1, None where missing, -1 for anything else."""
    if value is None or type(value).__name__ == "NAType" or value != value:  # noqa: PLR0124 - NaN
        return None
    return int(value) if value in (0, 1) else -1


def _refuse_one_label_each(given: Any, rows: Sequence[Flags]) -> None:
    """Raises DataError for a matrix with a single 1 in every row, which names one class per row.

    And for lists of 0 and 1 of one length, which may be such rows or sets of these two labels.
    """
    if not _are_sets(given):
        if rows and all(row.count(1) == 1 and None not in row for row in rows):
            what = "y_true has exactly one label in every row"
            hint = "one class per row, y_true.argmax(axis=1); or sets, [{label}, ...]"
            raise DataError(Problem(what, hint))
        return
    own = listed(given)
    plain = all(isinstance(row, (list, tuple)) for row in own)
    if plain and len({len(row) for row in own}) == 1 and {v for row in own for v in row} <= {0, 1}:
        what = "y_true has lists of 0 and 1, which may be indicators or labels"
        raise DataError(Problem(what, "an array of indicators, or sets of labels"))
