"""Rows of two runs paired by the digests of their ids, and what models said of those in both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from evalreport.results.changes import ModelRows, PairedRows, UnpairedRows
from evalreport.results.kept_rows import KeptDataset, KeptModel, KeptRows

V = TypeVar("V")

OTHER_KEY = "their digests were made with different keys, as folders of runs have them"


@dataclass(frozen=True)
class SharedRows:
    """The rows of one model that two runs share: their places then and now.

    There are none where ``reason`` says why they are not compared.
    """

    old: KeptModel
    new: KeptModel
    places: Sequence[tuple[int, int]]
    reason: str | None

    @property
    def share(self) -> float:
        """How many of the smaller run's rows are in both."""
        smaller = min(len(self.old.rows), len(self.new.rows))
        return len(self.places) / smaller if smaller else 0.0

    @property
    def actual(self) -> list[str]:
        """The true class of each row."""
        return [self.new.labels[self.new.actual[now]] for _, now in self.places]

    def said(self, what: str) -> tuple[list[Any], list[Any]] | None:
        """The ``score`` or ``predicted`` of each row then and now; None where a run kept none."""
        old, new = getattr(self.old, what), getattr(self.new, what)
        if old is None or new is None:
            return None
        return [old[then] for then, _ in self.places], [new[now] for _, now in self.places]


def pair_rows(
    old: KeptRows | None, new: KeptRows | None
) -> tuple[tuple[PairedRows | UnpairedRows, ...], dict[tuple[str, str], SharedRows]]:
    """Per dataset the rows added, removed and changed; and what models said of those in both."""
    if old is None or new is None:
        return (), {}
    found: list[PairedRows | UnpairedRows] = []
    shared: dict[tuple[str, str], SharedRows] = {}
    for name in [n for n in new.datasets if n in old.datasets]:
        one, two = old.datasets[name], new.datasets[name]
        if old.key_sha256 != new.key_sha256:
            found.append(UnpairedRows(dataset=name, reason=OTHER_KEY))
            continue
        models = {model: _shared(one, two, model) for model in two.models if model in one.models}
        shared |= {(name, model): rows for model, rows in models.items()}
        found.append(_paired(name, one, two, models))
    return tuple(found), shared


def _paired(
    name: str, one: KeptDataset, two: KeptDataset, models: dict[str, SharedRows]
) -> PairedRows:
    before, after = (_by_id(side.ids, side.rows) for side in (one, two))
    both = before.keys() & after.keys()
    comparable = one.columns == two.columns
    return PairedRows(
        dataset=name,
        rows=(len(one.ids), len(two.ids)),
        added=len(after) - len(both),
        removed=len(before) - len(both),
        both=len(both),
        changed=sum(before[i] != after[i] for i in both) if comparable else None,
        changed_reason=None if comparable else "the two runs read different columns",
        not_unique=(len(one.ids) - len(before), len(two.ids) - len(after)),
        models=tuple(_of_both(model, rows) for model, rows in models.items()),
    )


def _by_id(ids: Sequence[str], values: Sequence[V]) -> dict[str, V]:
    """Values by id; an id that several rows bear pairs none of them."""
    times = Counter(ids)
    return {i: value for i, value in zip(ids, values, strict=True) if times[i] == 1}


def _shared(one: KeptDataset, two: KeptDataset, model: str) -> SharedRows:
    """The rows that both runs have of a model, with the same true class."""
    old, new = one.models[model], two.models[model]
    reason = None
    if old.labels != new.labels or old.positive != new.positive:
        reason = "the classes differ"
    elif not (old.independent and new.independent):
        reason = "rows have weights or clusters"
    then, now = (
        _by_id([side.ids[place] for place in rows], range(len(rows)))
        for side, rows in ((one, old.rows), (two, new.rows))
    )
    ids = sorted(then.keys() & now.keys()) if reason is None else ()
    places = [(then[i], now[i]) for i in ids if old.actual[then[i]] == new.actual[now[i]]]
    return SharedRows(old, new, places, reason)


def _of_both(model: str, shared: SharedRows) -> ModelRows:
    pairs = shared.said("score") or shared.said("predicted")
    known = pairs is not None and shared.reason is None
    return ModelRows(
        model=model,
        both=len(shared.places),
        rows=(len(shared.old.rows), len(shared.new.rows)),
        changed=sum(a != b for a, b in zip(*pairs, strict=True)) if pairs and known else None,
        reason=shared.reason,
    )
