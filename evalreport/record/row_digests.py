"""Rows known by the digests that runs keep of their ids: of two runs paired, and counted by looks.

``rows.json`` of a run that looks holds, beside its own rows, the digests of those that looks before
have counted and that are no longer in its file, so that one run is enough to know them all.

Digests are made with the secret of a folder of runs: by it the rows of two runs are paired, and by
nobody else. It lies beside the runs and in none of them, so that a run can be handed on without
it.
"""

from __future__ import annotations

import os
import secrets
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from evalreport.engine.reference.run import CountedRows, ReferenceRun
from evalreport.errors import FilesError, Location, Problem, VerificationError
from evalreport.record.durable import explained, remove_file, write_all
from evalreport.record.hashing import parse_json, sha256
from evalreport.record.manifest import NAME as MANIFEST
from evalreport.record.manifest import read_manifest
from evalreport.results.changes import (
    KeptDataset,
    KeptModel,
    KeptRows,
    ModelRows,
    PairedRows,
    UnpairedRows,
)
from evalreport.results.codec import decode_as
from evalreport.results.lookup import Results
from evalreport.results.records import Look
from evalreport.values import dataclass

V = TypeVar("V")

NAME = "rows.json"
OTHER_KEY = "their digests were made with different keys, as folders of runs have them"


@dataclass(frozen=True)
class Said:
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


def read_rows(path: Path) -> KeptRows | None:
    """What a run kept of its rows; None where it kept nothing.

    Raises FilesError for a file that cannot be read, VerificationError for one that
    is not what the manifest recorded.
    """
    folder = (path if path.is_dir() else path.parent).resolve()
    file = folder / NAME
    where = Location(str(file))
    if not file.is_file() or not (folder / MANIFEST).is_file():
        return None
    with explained("read the kept rows", file):
        data = file.read_bytes()
    recorded = read_manifest(folder)[0].outputs.get(NAME)
    if recorded is None or recorded.sha256 != sha256(data):
        raise VerificationError(Problem(f"altered: {MANIFEST} records another sha256", "", where))
    try:
        content = parse_json(data)
    except ValueError as error:
        raise FilesError(Problem(f"is no {NAME}: {error}", "", where)) from None
    return decode_as(KeptRows, content, str(file))


def pair_rows(
    old: KeptRows | None, new: KeptRows | None
) -> tuple[tuple[PairedRows | UnpairedRows, ...], dict[tuple[str, str], Said]]:
    """Per dataset the rows added, removed and changed; and what models said of those in both."""
    if old is None or new is None:
        return (), {}
    found: list[PairedRows | UnpairedRows] = []
    said: dict[tuple[str, str], Said] = {}
    for name in [n for n in new.datasets if n in old.datasets]:
        one, two = old.datasets[name], new.datasets[name]
        if old.key_sha256 != new.key_sha256:
            found.append(UnpairedRows(dataset=name, reason=OTHER_KEY))
            continue
        shared = {
            model: _said(one, one.models[model], two, two.models[model])
            for model in two.models
            if model in one.models
        }
        said |= {(name, model): own for model, own in shared.items()}
        models = tuple(_of_both(model, own) for model, own in shared.items())
        found.append(_paired(name, one, two, models))
    return tuple(found), said


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


def _said(one: KeptDataset, own: KeptModel, two: KeptDataset, other: KeptModel) -> Said:
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
    return Said(
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


def _of_both(model: str, said: Said) -> ModelRows:
    changed: int | None = None
    pairs = said.score or said.predicted
    if pairs is not None and said.reason is None:
        changed = sum(a != b for a, b in zip(*pairs, strict=True))
    return ModelRows(
        model=model,
        both=len(said.actual),
        rows=(said.old_rows, said.new_rows),
        changed=changed,
        reason=said.reason,
    )


KEY_FILE = ".rows-key"
SIZE = 32


def rows_key(runs: Path) -> bytes:
    """The key of a folder of runs, made when it is first needed. Raises FilesError."""
    path = runs / KEY_FILE
    if not path.exists():
        _make(path)
    with explained("read the key of the rows", path):
        key = path.read_bytes()
    if len(key) != SIZE:
        hint = "the file as it was; without it rows cannot be paired with those of earlier runs"
        raise FilesError(Problem("is no key of rows", hint, Location(str(path))))
    return key


def _make(path: Path) -> None:
    aside = path.with_name(f"{KEY_FILE}-{os.getpid()}-{secrets.token_hex(4)}")
    with explained("make the key of the rows", path):
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        descriptor = os.open(aside, flags, 0o600)
        try:
            write_all(descriptor, secrets.token_bytes(SIZE))
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        try:
            # whole or not at all, and never in the place of another's
            os.link(aside, path)
        except FileExistsError:
            pass
        finally:
            remove_file(aside)


def with_rows_counted(before: ReferenceRun | None, runs: Path) -> ReferenceRun | None:
    """The run of the looks before, with the rows that they counted; as it is where none are kept.

    Raises FilesError and VerificationError for kept rows that cannot be used.
    """
    if before is None or not (runs / KEY_FILE).is_file():
        return before
    kept = read_rows(runs / before.name)
    if kept is None:
        return before
    return replace(before, counted=CountedRows(rows_key(runs), _digests(kept)))


def _digests(kept: KeptRows) -> Mapping[str, frozenset[str]]:
    return {
        name: frozenset((*one.ids, *(one.counted or ()))) for name, one in kept.datasets.items()
    }


def with_counted(kept: KeptRows, runs: Path, results: Results) -> KeptRows:
    """The rows that a run keeps, with those that the looks before it have counted."""
    looks = [one for one in results.of(Look) if one.recognised_by == "row"]
    datasets = dict(kept.datasets)
    for name in sorted({one.previous for one in looks if one.previous is not None}):
        earlier = read_rows(runs / name)
        known = {} if earlier is None else _digests(earlier)
        for dataset in {one.dataset for one in looks} & datasets.keys() & known.keys():
            gone = known[dataset].difference(datasets[dataset].ids)
            if gone:
                datasets[dataset] = replace(datasets[dataset], counted=tuple(sorted(gone)))
    return replace(kept, datasets=datasets)
