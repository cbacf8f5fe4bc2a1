"""What is kept of rows (``rows.json``), held against the results: the same rows, counted again.

The file holds the true class of each used row and what each model said of it. From that follow
the classes of the account of rows, the tables of all rows and the scores of the curves. What
nothing here tells are the digests of ids and rows: they need the data and the key.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from evalreport.engine.counting.memory import MemoryTables
from evalreport.errors import FilesError
from evalreport.predict.view import LabelView
from evalreport.results.codec import decode_as
from evalreport.results.identity import EVERYTHING
from evalreport.results.kept_rows import KeptDataset, KeptModel, KeptRows
from evalreport.results.lookup import Results
from evalreport.results.records import LabelLedger, RowLedger
from evalreport.verify.recorded_tables import STEPS, NotRecorded, table_of_steps

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
            yield f"its classes are {_names(self.rows.labels)}, the results have {_names(order)}"
        if len(places) != len(actual) or any(not 0 <= place < read for place in places):
            yield "its rows are not among those that are kept"
        if any(one > other for one, other in pairwise(places)):
            yield "its rows are not in the order of their digests"
        if self.ledger.predictions not in (None, self.ledger.used):
            return
        if len(places) != len(set(places)) or len(places) != self.ledger.used:
            yield f"it keeps {len(places)} used rows, the results have {self.ledger.used}"
        yield from self._classes(actual)
        yield from self._counted()

    def _classes(self, actual: Sequence[int]) -> Iterator[str]:
        counted = Counter(self.labels.order[code] for code in actual)
        for one in self.ledger.classes:
            if counted[one.label] != one.count:
                yield f"{counted[one.label]} rows are {one.label}, the results have {one.count}"

    def _counted(self) -> Iterator[str]:
        """The tables of all rows that count every row as one, and the scores, from the rows."""
        tables, own = MemoryTables(self.view), (self.labels.dataset, self.labels.model)
        for table in self.results.tables:
            counts = [count for row in table.counts or () for count in row]
            plain = bool(counts) and all(type(count) is int for count in counts)
            if (table.dataset, table.model) != own or not plain or table.extra_columns:
                continue
            if table.where != EVERYTHING or table.label or table.missing is not None:
                continue
            at = table.threshold if self.view.score is not None else None
            if at is None and self.view.predicted is None:
                continue
            counted = tables.classification(EVERYTHING, at).counts()
            if counted != [list(row) for row in table.counts or ()]:
                yield f"they give {counted} where table {table.id} has {table.counts}"
        for curve in self.results.curves:
            of_all = not (curve.subgroup or curve.thinned)
            if curve.kind != STEPS or (curve.dataset, curve.model) != own or not of_all:
                continue
            if self.view.score is None or curve.label != self.labels.positive:
                continue
            with suppress(NotRecorded):
                there, here = table_of_steps(curve), tables.scores(EVERYTHING)
                names = ("scores", "positives", "negatives")
                if not all(np.array_equal(getattr(there, n), getattr(here, n)) for n in names):
                    yield f"its scores are not those of curve {curve.id}"

    @cached_property
    def view(self) -> LabelView:
        """The model as the engine sees it, of the rows that were kept."""
        order, positive = self.labels.order, self.labels.positive
        score = self.rows.score if positive is not None or len(order) <= 2 else None
        return LabelView(
            dataset=self.labels.dataset,
            model=self.labels.model,
            source="prediction" if score is None else "score",
            labels=order,
            positive=None if positive is None else order.index(positive),
            row=np.array(self.rows.rows, np.int64),
            actual=np.array(self.rows.actual, np.int64),
            predicted=None if self.rows.predicted is None else np.array(self.rows.predicted),
            score=None if score is None else np.array(score, np.float64),
        )
