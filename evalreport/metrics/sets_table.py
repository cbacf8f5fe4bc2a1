"""The table of multi-label data: which labels each row has, is given, and with what scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from evalreport.metrics.declare import Metric, Table
from evalreport.metrics.formula import Cell, Ratio, ratio
from evalreport.metrics.tables import Counts, summed
from evalreport.statistics.exact_sums import exact_sum

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class LabelSets:
    """Rows with sets of labels; columns in the declared order of ``labels``.

    ``actual`` and ``predicted`` have shape (n, K); ``scores`` too, or is None. ``known``: which
    labels of which rows are known, (n, K), None where all are: the cells of a label are those of
    the rows that know it, and metrics of whole rows are for ``complete`` ones.
    ``times``: how often each row counts, its weight or its number of draws, shape
    (..., n); leading axes are resamples. None: each row once. ``often``: how many rows are of
    each kind, where rows were counted.

    >>> flags = np.array([[True, False], [True, True]])
    >>> sets = LabelSets(("a", "b"), flags, ~flags | flags)
    >>> sets.counts(1), sets.rows.value
    (Counts(tp=1, fp=1, fn=0, tn=0), 2)
    """

    table_kind: ClassVar[Table] = Table.LABEL_SETS

    labels: tuple[str, ...]
    actual: Flags
    predicted: Flags
    scores: npt.NDArray[np.float64] | None = None
    times: npt.NDArray[Any] | None = None
    often: npt.NDArray[np.int64] | None = None
    known: Flags | None = None

    @property
    def complete(self) -> LabelSets:
        """The rows that know every label."""
        if self.known is None:
            return self
        kept = self.known.all(axis=1)
        return LabelSets(
            self.labels,
            self.actual[kept],
            self.predicted[kept],
            None if self.scores is None else self.scores[kept],
            None if self.times is None else self.times[..., kept],
            None if self.often is None else self.often[kept],
        )

    def of_complete(self, values: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        """Values of the complete rows as values of all rows, NaN for the others."""
        if self.known is None:
            return np.asarray(values, np.float64)
        found = np.full(len(self.actual), np.nan)
        found[self.known.all(axis=1)] = values
        return found

    @property
    def stacked(self) -> bool:
        """Whether this is a stack of resamples."""
        return self.times is not None and self.times.ndim > 1

    @cached_property
    def rows(self) -> Cell:
        """All rows: n."""
        return self.cell("n", np.ones(len(self.actual), dtype=np.int64))

    def cell(self, name: str, values: npt.NDArray[Any]) -> Cell:
        """The sum over rows of ``values``, shape (n,), as a named cell."""
        parts = values if self.times is None else values * self.times
        if self.often is None or self.stacked:
            return summed(name, parts, self.stacked)
        if np.issubdtype(parts.dtype, np.integer):
            return Cell(name, int((parts * self.often).sum()))
        return Cell(name, exact_sum(parts, self.often))

    def count(self, chosen: Flags) -> int:
        """How many rows are chosen, shape (n,)."""
        return int(np.count_nonzero(chosen) if self.often is None else self.often[chosen].sum())

    def counts(self, index: int) -> Counts:
        """The four cells of one label."""
        known = None if self.known is None else self.known[:, index]
        return self._counts(self.actual[:, index], self.predicted[:, index], known)

    def pooled(self) -> Counts:
        """The cells of all labels added up (micro average)."""
        return self._counts(self.actual, self.predicted, self.known)

    def _counts(self, actual: Flags, predicted: Flags, known: Flags | None) -> Counts:
        kinds = {
            "tp": actual & predicted,
            "fp": ~actual & predicted,
            "fn": actual & ~predicted,
            "tn": ~actual & ~predicted,
        }
        if known is not None:
            kinds = {name: flags & known for name, flags in kinds.items()}
        per_row = {name: flags.reshape(len(flags), -1).sum(axis=1) for name, flags in kinds.items()}
        return Counts(**{name: self.cell(name, part).value for name, part in per_row.items()})

    @cached_property
    def of_rows(self) -> Counts:
        """The four cells of every row over its labels, arrays of shape (n,)."""
        tp = (self.actual & self.predicted).sum(axis=1)
        fp = self.predicted.sum(axis=1) - tp
        fn = self.actual.sum(axis=1) - tp
        return Counts(tp=tp, fp=fp, fn=fn, tn=len(self.labels) - tp - fp - fn)


def mean_of_rows(s: LabelSets, values: npt.NDArray[Any]) -> Ratio:
    """The mean of row values, shape (n,), over the rows that have one (not NaN)."""
    defined = np.isfinite(values)
    return ratio(
        s.cell("sum(value of a row)", np.where(defined, values, 0)),
        s.cell("rows with a value", defined.astype(np.int64)),
    )


def undefined_rows(s: LabelSets, values: npt.NDArray[Any]) -> Any:
    """The weight of the rows left out of :func:`mean_of_rows`."""
    return s.cell("rows without a value", (~np.isfinite(values)).astype(np.int64)).value


def samples_values(metric: Metric, s: LabelSets, arguments: Mapping[str, Any]) -> Any:
    """A metric of counts for every row over its labels, shape (n,); NaN where undefined.

    >>> from evalreport.metrics.counts import recall
    >>> flags = np.array([[True, True], [False, False]])
    >>> samples_values(recall, LabelSets(("a", "b"), flags, flags), {}).tolist()
    [1.0, nan]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.asarray(metric(s.of_rows, **arguments).array(), dtype=np.float64)
    return np.where(np.isfinite(values), values, np.nan)


def samples_average(metric: Metric, s: LabelSets, arguments: Mapping[str, Any]) -> Ratio:
    """The mean over rows of a metric of counts (average ``samples``); undefined rows are skipped.

    >>> from evalreport.metrics.counts import recall
    >>> flags = np.array([[True, True], [False, False]])
    >>> samples_average(recall, LabelSets(("a", "b"), flags, flags), {}).substituted()
    '1 / 1'
    """
    return mean_of_rows(s, samples_values(metric, s, arguments))
