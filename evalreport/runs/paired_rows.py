"""Rows of two runs paired by the digests of their ids, and what models said of those in both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from evalreport.results.changes import ModelRows, PairedRows, UnpairedRows
from evalreport.results.kept_rows import KeptDataset, KeptModel, KeptRows

V = TypeVar("V")

OTHER_KEY = "their digests were made with different keys, as folders of runs have them"


@dataclass(frozen=True)
class SharedRows:
    """Of the rows that two runs share: the true class, and what one model said then and now.

    ``score`` and ``predicted`` are (old, new), each over the rows, or None.
    """

    labels: tuple[str, ...]
    positive: int | None
    actual: tuple[int, ...]
    score: tuple[tuple[float, ...], tuple[float, ...]] | None
    predicted: tuple[tuple[int, ...], tuple[int, ...]] | None
    old_rows: int
    new_rows: int
    reason: str | None = None

    @property
    def share(self) -> float:
        """How many of the smaller run's rows are in both."""
        smaller = min(self.old_rows, self.new_rows)
        return len(self.actual) / smaller if smaller else 0.0


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
        of_models = {
            model: _shared(one, one.models[model], two, two.models[model])
            for model in two.models
            if model in one.models
        }
        shared |= {(name, model): own for model, own in of_models.items()}
        models = tuple(_of_both(model, own) for model, own in of_models.items())
        found.append(_paired(name, one, two, models))
    return tuple(found), shared


def _paired(
    name: str, one: KeptDataset, two: KeptDataset, models: tuple[ModelRows, ...]
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
        models=models,
    )


def _by_id(ids: Sequence[str], values: Sequence[V]) -> dict[str, V]:
    """Values by id; an id that several rows bear pairs none of them."""
    times = Counter(ids)
    return {i: value for i, value in zip(ids, values, strict=True) if times[i] == 1}


def _shared(one: KeptDataset, own: KeptModel, two: KeptDataset, other: KeptModel) -> SharedRows:
    """What a model said of the shared rows: ``own`` then, ``other`` now."""
    then = _by_id([one.ids[place] for place in own.rows], range(len(own.rows)))
    now = _by_id([two.ids[place] for place in other.rows], range(len(other.rows)))
    reason = None
    if own.labels != other.labels or own.positive != other.positive:
        reason = "the classes differ"
    elif not (own.independent and other.independent):
        reason = "rows have weights or clusters"
    same = [
        (then[i], now[i])
        for i in sorted(then.keys() & now.keys())
        if reason is None and own.actual[then[i]] == other.actual[now[i]]
    ]
    return SharedRows(
        labels=other.labels,
        positive=other.positive,
        actual=tuple(other.actual[place] for _, place in same),
        score=_both(own.score, other.score, same),
        predicted=_both(own.predicted, other.predicted, same),
        old_rows=len(own.rows),
        new_rows=len(other.rows),
        reason=reason,
    )


def _both(
    old: Sequence[V] | None, new: Sequence[V] | None, same: Sequence[tuple[int, int]]
) -> tuple[tuple[V, ...], tuple[V, ...]] | None:
    """What both runs said of the same rows; None where one of them said nothing."""
    if old is None or new is None:
        return None
    return tuple(old[then] for then, _ in same), tuple(new[now] for _, now in same)


def _of_both(model: str, shared: SharedRows) -> ModelRows:
    changed: int | None = None
    pairs = shared.score or shared.predicted
    if pairs is not None and shared.reason is None:
        changed = sum(a != b for a, b in zip(*pairs, strict=True))
    return ModelRows(
        model=model,
        both=len(shared.actual),
        rows=(shared.old_rows, shared.new_rows),
        changed=changed,
        reason=shared.reason,
    )
