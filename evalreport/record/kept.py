"""What is kept of rows (``rows.json``), held against the results: the same rows, counted again.

The file holds the true class of each used row and what each model said of it. From that follow
the classes of the account of rows, the tables of all rows and the scores of the curves. What
nothing here tells are the digests of ids and rows: they need the data and the key.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from evalreport.errors import FilesError
from evalreport.record.recorded_tables import STEPS
from evalreport.results.codec import decode_as
from evalreport.results.kept_rows import KeptDataset, KeptModel, KeptRows
from evalreport.results.lookup import Results
from evalreport.results.records import Curve, LabelLedger, RowLedger, Table

_MALFORMED = (KeyError, TypeError, ValueError, AttributeError, IndexError)


def kept_problems(content: Any, results: Results) -> Iterator[str]:
    """Where the kept rows are not those of the results; never raises for what is in them."""
    try:
        kept = decode_as(KeptRows, content, "rows.json")
    except FilesError as error:
        yield f"is not laid out as rows are kept: {error.problems[0].what}"
        return
    try:
        yield from _problems(kept, results)
    except _MALFORMED as error:
        yield f"is not laid out as rows are kept: {type(error).__name__}: {error}"


def _problems(kept: KeptRows, results: Results) -> Iterator[str]:
    datasets = results.spec.get("datasets") or {}
    asked = {name for name, one in datasets.items() if one.get("keep_rows")}
    for name, own in kept.datasets.items():
        if name not in asked:
            yield f"the spec does not ask to keep rows of {name}"
        ledgers = {one.model: one for one in results.rows if one.dataset == name}
        labels = {one.model: one for one in results.labels if one.dataset == name}
        yield from _digests(name, own, ledgers.values())
        expected = {model for model, one in labels.items() if not one.label_sets}
        if set(own.models) != expected:
            yield f"{name}: it is of {_names(own.models)}, the results of {_names(expected)}"
        for model, rows in own.models.items():
            if model in expected:
                held = _Kept(rows, labels[model], ledgers[model], results)
                yield from (f"{name}, {model}: {what}" for what in held.problems(len(own.ids)))


def _digests(name: str, own: KeptDataset, ledgers: Iterable[RowLedger]) -> Iterator[str]:
    """One digest for each row that was read, in the order of the digests."""
    pairs = list(zip(own.ids, own.rows, strict=True))
    if any(one > other for one, other in pairwise(pairs)):
        yield f"{name}: the rows are not in the order of their digests"
    for one in ledgers:
        if one.read != len(pairs):
            yield f"{name}: it keeps {len(pairs)} rows, {one.model} read {one.read}"


def _names(found: Iterable[str]) -> str:
    return ", ".join(sorted(found)) or "none"


@dataclass(frozen=True)
class _Kept:
    """The kept rows of one model, with what the results say of it."""

    rows: KeptModel
    labels: LabelLedger
    ledger: RowLedger
    results: Results

    def problems(self, read: int) -> Iterator[str]:
        places, actual = self.rows.rows, self.rows.actual
        order = self.labels.order
        if self.rows.labels != tuple(order):
            yield f"its classes are {_names(self.rows.labels)}, the results say {_names(order)}"
        if len(places) != len(actual) or any(not 0 <= place < read for place in places):
            yield "its rows are not among those that are kept"
        if any(one > other for one, other in pairwise(places)):
            yield "its rows are not in the order of their digests"
        if self.ledger.predictions not in (None, self.ledger.used):
            return
        if len(places) != len(set(places)) or len(places) != self.ledger.used:
            yield f"it keeps {len(places)} used rows, the results say {self.ledger.used}"
        yield from self._classes(actual)
        yield from self._tables(actual)
        yield from self._scores(actual)

    def _classes(self, actual: Sequence[int]) -> Iterator[str]:
        counted = Counter(self.labels.order[code] for code in actual)
        for one in self.ledger.classes:
            if counted[one.label] != one.count:
                yield f"{counted[one.label]} rows are {one.label}, the results say {one.count}"

    @property
    def _score(self) -> Sequence[float] | None:
        """The scores of the positive class."""
        found = self.rows.score
        return found if self.rows.positive is not None or len(self.labels.order) <= 2 else None

    def _tables(self, actual: Sequence[int]) -> Iterator[str]:
        """The tables of all rows, where they count every row as one and nothing else."""
        for table in self.results.tables:
            own = (table.dataset, table.model) == (self.labels.dataset, self.labels.model)
            counts = [count for row in table.counts or () for count in row]
            plain = bool(counts) and all(type(count) is int for count in counts)
            if not own or not plain or table.subgroup or table.fold or table.label:
                continue
            if table.extra_columns or table.missing is not None:
                continue
            said = self._said(table)
            if said is not None:
                yield from self._counted(table, Counter(zip(actual, said, strict=True)))

    def _said(self, table: Table) -> Sequence[int] | None:
        """The class that was said of each row at the threshold of a table."""
        score = self._score
        if table.threshold is None or score is None:
            return self.rows.predicted
        positive = self.labels.order.index(str(self.labels.positive))
        other = 1 - positive
        return [positive if value >= table.threshold else other for value in score]

    def _counted(self, table: Table, counted: Counter[tuple[int, int]]) -> Iterator[str]:
        for i, row in enumerate(table.counts or ()):
            for j, count in enumerate(row):
                if counted[i, j] != count:
                    pair = f"{table.labels[i]} called {table.labels[j]}"
                    yield f"{counted[i, j]} rows {pair}, table {table.id} has {count}"

    def _scores(self, actual: Sequence[int]) -> Iterator[str]:
        """Every distinct score with the rows at or above it, as the curve has them."""
        score = self._score
        own = (self.labels.dataset, self.labels.model, self.labels.positive)
        curve = next(
            (
                one
                for one in self.results.curves
                if one.kind == STEPS
                and (one.dataset, one.model, one.label) == own
                and not (one.subgroup or one.thinned or one.bins)
            ),
            None,
        )
        if score is None or curve is None or not _whole(curve):
            return
        positive = self.labels.order.index(str(self.labels.positive))
        hits = sorted(zip(score, (code == positive for code in actual), strict=True))
        there = list(zip(*(curve.points[name] for name in ("threshold", "tp", "fp")), strict=True))
        if there != list(_steps(hits)):
            yield f"its scores are not those of curve {curve.id}"


def _whole(curve: Curve) -> bool:
    return all(type(count) is int for name in ("tp", "fp") for count in curve.points[name])


def _steps(hits: Sequence[tuple[float, bool]]) -> Iterator[tuple[float, int, int]]:
    """Each distinct score from the highest on, with the positives and negatives down to it."""
    tp = fp = 0
    for place in range(len(hits) - 1, -1, -1):
        tp, fp = tp + hits[place][1], fp + (not hits[place][1])
        if place == 0 or hits[place - 1][0] != hits[place][0]:
            yield float(hits[place][0]), tp, fp
