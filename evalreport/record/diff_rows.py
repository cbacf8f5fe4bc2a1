"""Rows of two runs paired by the digests of their ids, where both runs kept them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalreport.errors import FilesError, Location, Problem, VerificationError
from evalreport.record.durable import explained
from evalreport.record.hashing import parse_json, sha256
from evalreport.record.manifest import NAME as MANIFEST
from evalreport.record.manifest import read_manifest

NAME = "rows.json"
SCHEMA = "evalreport/rows/1"
OTHER_KEY = "their digests were made with different keys, as folders of runs have them"


@dataclass(frozen=True)
class Said:
    """Of the rows that two runs share: the true class, and what one model said then and now.

    ``score`` and ``predicted`` are (old, new), each a list over the rows, or None.
    """

    labels: tuple[str, ...]
    positive: int | None
    actual: list[int]
    score: tuple[list[float], list[float]] | None
    predicted: tuple[list[int], list[int]] | None
    old_rows: int
    new_rows: int
    reason: str | None = None


def read_rows(path: Path) -> Mapping[str, Any] | None:
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
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        raise FilesError(Problem(f"is no {NAME}", f"a file with schema {SCHEMA}", where))
    return content


def pair_rows(
    old: Mapping[str, Any] | None, new: Mapping[str, Any] | None
) -> tuple[list[dict[str, Any]], dict[tuple[str, str], Said]]:
    """Per dataset the rows added, removed and changed; and what models said of those in both."""
    if old is None or new is None:
        return [], {}
    found: list[dict[str, Any]] = []
    said: dict[tuple[str, str], Said] = {}
    for name in [n for n in new["datasets"] if n in old["datasets"]]:
        one, two = old["datasets"][name], new["datasets"][name]
        if old["key_sha256"] != new["key_sha256"]:
            found.append({"dataset": name, "reason": OTHER_KEY})
            continue
        found.append(_counts(name, one, two))
        for model in [m for m in two["models"] if m in one["models"]]:
            said[name, model] = _said(one, two, model)
    for record in found:
        record["models"] = [
            {"model": model, **_changes(own)}
            for (dataset, model), own in said.items()
            if dataset == record["dataset"]
        ]
    return found, said


def _counts(name: str, one: Mapping[str, Any], two: Mapping[str, Any]) -> dict[str, Any]:
    before, after = (_by_id(side["ids"], side["rows"]) for side in (one, two))
    both = before.keys() & after.keys()
    comparable = one["columns"] == two["columns"]
    twice = len(one["ids"]) - len(before), len(two["ids"]) - len(after)
    return {
        "dataset": name,
        "reason": None,
        "rows": [len(one["ids"]), len(two["ids"])],
        "added": len(after) - len(both),
        "removed": len(before) - len(both),
        "both": len(both),
        "changed": sum(before[i] != after[i] for i in both) if comparable else None,
        "changed_reason": None if comparable else "the two runs read different columns",
        "not_unique": list(twice),
    }


def _by_id(ids: Sequence[str], values: Sequence[Any]) -> dict[str, Any]:
    """Values by id; an id that several rows bear pairs none of them."""
    times = Counter(ids)
    return {i: value for i, value in zip(ids, values, strict=True) if times[i] == 1}


def _said(one: Mapping[str, Any], two: Mapping[str, Any], model: str) -> Said:
    then, now = (_of_model(side, model) for side in (one, two))
    own, other = one["models"][model], two["models"][model]
    ids = sorted(i for i in then.keys() & now.keys())
    reason = None
    if own["labels"] != other["labels"] or own["positive"] != other["positive"]:
        reason = "the classes differ"
    elif not (own["independent"] and other["independent"]):
        reason = "rows have weights or clusters"
    same = [i for i in ids if reason is None and then[i][0] == now[i][0]]

    def both(place: int) -> Any:
        if (
            own[("actual", "score", "predicted")[place]] is None
            or other[("actual", "score", "predicted")[place]] is None
        ):
            return None
        return [then[i][place] for i in same], [now[i][place] for i in same]

    return Said(
        labels=tuple(other["labels"]),
        positive=other["positive"],
        actual=[now[i][0] for i in same],
        score=both(1),
        predicted=both(2),
        old_rows=len(own["rows"]),
        new_rows=len(other["rows"]),
        reason=reason,
    )


def _of_model(side: Mapping[str, Any], model: str) -> dict[str, Any]:
    """True class, score and predicted class of each used row, by id."""
    own = side["models"][model]
    nothing = [None] * len(own["rows"])
    told = zip(own["actual"], own["score"] or nothing, own["predicted"] or nothing, strict=True)
    return _by_id([side["ids"][place] for place in own["rows"]], list(told))


def _changes(said: Said) -> dict[str, Any]:
    changed: int | None = None
    pairs = said.score or said.predicted
    if pairs is not None and said.reason is None:
        changed = sum(a != b for a, b in zip(*pairs, strict=True))
    return {
        "both": len(said.actual),
        "rows": [said.old_rows, said.new_rows],
        "changed": changed,
        "reason": said.reason,
    }
