"""What each reader said of each case, laid out as readers x cases."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from evalreport.data.labels import order_labels
from evalreport.engine.thresholds import Resolved
from evalreport.plan.task import ThresholdRequest
from evalreport.predict.view import LabelView
from evalreport.spec.sampling import Readers
from evalreport.statistics.delong import row_placements

if TYPE_CHECKING:
    from evalreport.data.design import Readings
    from evalreport.engine.run_state import RunState

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]

AREA, FOUND, CLEARED = "roc_auc", "recall", "specificity"


@dataclass(frozen=True)
class Cut:
    """A threshold of a model as it was asked for; of labels there is none."""

    request: ThresholdRequest | None
    number: float | None

    @property
    def rule(self) -> str | None:
        """The rule in words, where the threshold was found by one."""
        return None if self.request is None else self.request.text


@dataclass(frozen=True, eq=False)
class Placed:
    """A measure of the readers of a model: placements, shape (readers, cases of the class).

    The mean of a reader's placements is the reader's value. ``clusters``: that of each case,
    of the positives and of the negatives. Of recall there are no negatives, of specificity
    no positives.
    """

    of_positives: Floats
    of_negatives: Floats
    clusters: tuple[Rows, Rows]

    def joined(self, other: Placed) -> Placed:
        """The readings of two models of the same cases, the first model's first."""
        return replace(
            self,
            of_positives=np.concatenate([self.of_positives, other.of_positives]),
            of_negatives=np.concatenate([self.of_negatives, other.of_negatives]),
        )


@dataclass(frozen=True, eq=False)
class Reading:
    """A model whose rows readers read, with what is at random and the thresholds."""

    view: LabelView
    asked: Readers
    cuts: tuple[Cut, ...]


@dataclass(frozen=True, eq=False)
class Study(Reading):
    """The used rows of a model with their reader and case, numbered from 0.

    ``truth``: actual class of each case, -1 of one that no row is of. ``cluster``: of each
    case, None where every case is its own.
    """

    names: tuple[str, ...]
    reader: Rows
    case: Rows
    truth: Rows
    cluster: Rows | None
    predicted: dict[float | None, Rows]

    @property
    def cases(self) -> int:
        """Cases that anybody read."""
        return int(np.count_nonzero(self.truth >= 0))

    @property
    def crossed(self) -> bool:
        """Whether every reader read every case."""
        return len(self.case) == self.cases * len(self.names)

    @cached_property
    def clusters(self) -> int | None:
        """How many clusters the cases come in; None where every case is its own."""
        return None if self.cluster is None else len(np.unique(self.cluster[self.truth >= 0]))

    def placed(self, metric: str, cut: Cut | None) -> Placed:
        """The placements of a measure, NaN for cases that a reader did not read."""
        own = np.full((len(self.names), len(self.truth)), np.nan)
        own[self.reader, self.case] = self._of_rows(metric, cut)
        positive = self.truth == self.view.positive_index
        negative = (self.truth >= 0) & ~positive
        codes = np.arange(len(self.truth)) if self.cluster is None else self.cluster
        nothing = own[:, :0]
        return Placed(
            nothing if metric == CLEARED else own[:, positive],
            nothing if metric == FOUND else own[:, negative],
            (
                codes[:0] if metric == CLEARED else codes[positive],
                codes[:0] if metric == FOUND else codes[negative],
            ),
        )

    def _of_rows(self, metric: str, cut: Cut | None) -> Floats:
        """The placement of each row; NaN of an indeterminate prediction."""
        k, actual = self.view.positive_index, self.view.actual
        found = np.full(len(actual), np.nan)
        if metric == AREA:
            assert self.view.score is not None
            for reader in range(len(self.names)):
                rows = np.flatnonzero(self.reader == reader)
                positive = actual[rows] == k
                if positive.any() and not positive.all():
                    lower, higher = row_placements(positive, self.view.score[rows])
                    found[rows[positive]], found[rows[~positive]] = lower, higher
            return found
        assert cut is not None
        said = self.predicted[cut.number]
        right = (said == k) if metric == FOUND else (said != k)
        return np.where(said < len(self.view.labels), right.astype(np.float64), np.nan)

    def cells(self, reader: int, cut: Cut) -> tuple[int, int, int, int]:
        """TP, FN, FP and TN of one reader, indeterminate predictions left out."""
        rows = self.reader == reader
        said, actual = self.predicted[cut.number][rows], self.view.actual[rows]
        k = self.view.positive_index
        decided = said < len(self.view.labels)
        called, ill = (said == k)[decided], (actual == k)[decided]
        return (
            int(np.count_nonzero(called & ill)),
            int(np.count_nonzero(~called & ill)),
            int(np.count_nonzero(called & ~ill)),
            int(np.count_nonzero(~called & ~ill)),
        )


def studies(state: RunState) -> list[Study]:
    """Every dataset with readers as each model sees it."""
    found = []
    for view in state.prepared.views:
        asked = state.prepared.loaded.spec.datasets[view.dataset].reading
        readings: Readings | None = getattr(view.ledger, "readings", None)
        if asked is None or readings is None or not isinstance(view, LabelView):
            continue
        if view.entries is None and view.rows == len(view.row):
            found.append(_study(state, view, asked, readings))
    return found


def _study(state: RunState, view: LabelView, asked: Readers, readings: Readings) -> Study:
    codes = readings.reader[view.row].astype(np.int64)
    present = [readings.names[code] for code in np.unique(codes).tolist()]
    names = tuple(order_labels(present))
    place = np.full(len(readings.names), -1, np.int64)
    for number, name in enumerate(names):
        place[readings.names.index(name)] = number
    case = readings.case[view.row].astype(np.int64)
    size = int(readings.case.max()) + 1
    truth, cluster = np.full(size, -1, np.int64), np.full(size, -1, np.int64)
    truth[case] = view.actual
    assert view.cluster is not None
    cluster[case] = view.cluster[0]
    apart = len(np.unique(cluster[truth >= 0])) == int(np.count_nonzero(truth >= 0))
    key = (view.dataset, view.model)
    cuts = cuts_of(view, state.thresholds[key])
    tables = state.tables[key]
    predicted: dict[float | None, Any] = {
        cut.number: tables.predicted(cut.number).astype(np.int64) for cut in cuts
    }
    return Study(
        view,
        asked,
        cuts,
        names,
        place[codes],
        case,
        truth,
        None if apart else cluster,
        predicted,
    )


def cuts_of(view: LabelView, thresholds: dict[ThresholdRequest, Resolved]) -> tuple[Cut, ...]:
    """The thresholds that a model is judged at; one without a number for labels."""
    if not view.has_score:
        return (Cut(None, None),)
    found = ((request, one.number) for request, one in thresholds.items())
    return tuple(Cut(request, number) for request, number in found if number is not None)
