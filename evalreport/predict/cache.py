"""Out-of-fold predictions kept under RUNS/.cache, so that a change of the report refits nothing.

An entry is a digest, a line end, and an archive of plain arrays. It is used only if the
digest of what follows agrees; anything else is as good as no entry. Nothing in it is code.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import platform
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, get_args

import numpy as np
from filelock import lock_descriptor

from evalreport.predict.outcome import FoldedPredictions, FoldFailure, Output, Source

#: Changes when the meaning of an entry changes.
FORMAT = 2
LARGEST_ENTRY = 1 << 30
_DIGEST = 64


def versions(packages: tuple[str, ...] = ()) -> dict[str, str]:
    """Versions of everything that fits or prepares, ``packages`` admitted by name included.

    A package need not be named as its distribution is, and one under development changes
    without a new version: admitted packages are told by the state of their files.
    """
    from importlib import metadata

    found = {"python": platform.python_version(), "machine": platform.machine()}
    for name in ("evalreport", "numpy", "scipy", "scikit-learn"):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "unknown"
    return found | {f"files of {name}": _state_of(name) for name in sorted(packages)}


def _state_of(package: str) -> str:
    """A hash of the names, sizes and times of a package's files; nothing is imported."""
    from importlib.util import find_spec

    spec = find_spec(package) if package.isidentifier() else None
    folders = spec.submodule_search_locations if spec is not None else None
    files = [Path(spec.origin)] if spec is not None and spec.origin else []
    for folder in folders or ():
        files += [file for file in Path(folder).rglob("*") if file.suffix not in ("", ".pyc")]
    digest = hashlib.sha256()
    for file in sorted(set(files)):
        if file.is_file():
            stat = file.stat()
            digest.update(repr((str(file), stat.st_size, stat.st_mtime_ns)).encode())
    return digest.hexdigest()


def cache_key(data: Mapping[str, str], spec_part: Any, software: Mapping[str, str]) -> str:
    """The sha256 of data (hashes by name), of a part of the spec, and of versions.

    ``spec_part`` is plain data; keys that do not change a fit (titles, metrics of the
    report) do not belong in it.

    >>> one = cache_key({"features": "a"}, {"folds": 5}, {})
    >>> one == cache_key({"features": "a"}, {"folds": 5}, {}), len(one)
    (True, 64)
    """
    body = {"format": FORMAT, "data": dict(data), "spec": spec_part, "versions": dict(software)}
    text = json.dumps(body, sort_keys=True, allow_nan=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


def array_sha256(codes: Any) -> str:
    """Hash of an array of whole numbers with its shape."""
    array = np.asarray(codes, np.int64)
    return hashlib.sha256(repr(array.shape).encode() + array.astype("<i8").tobytes()).hexdigest()


def cached(
    folder: Path | None, key: str, work: Callable[[], FoldedPredictions], fresh: bool = False
) -> tuple[FoldedPredictions, bool]:
    """The predictions of a key and whether they were kept ones; else made by ``work`` and kept.

    ``fresh`` ignores what is kept. Predictions with failures are never kept. A folder
    that cannot be written to costs only time.
    """
    if folder is not None and not fresh:
        kept = load(folder, key)
        if kept is not None:
            return kept, True
    made = work()
    if folder is not None and made.complete:
        store(folder, key, made)
    return made, False


def cached_record(
    folder: Path | None,
    key: str,
    work: Callable[[], Any],
    fresh: bool = False,
    complete: Callable[[Any], bool] = bool,
) -> Any:
    """Plain data of a key, such as a learning curve; else made by ``work`` and kept.

    What is not ``complete`` is not kept. Raises ValueError for what JSON cannot hold.
    """
    if folder is not None and not fresh:
        body = read_entry(folder / f"{key}.json", key)
        if body is not None:
            return json.loads(body)
    made = work()
    if folder is not None and complete(made):
        write_entry(folder / f"{key}.json", key, json.dumps(made, allow_nan=False).encode())
    return made


def load(folder: Path, key: str) -> FoldedPredictions | None:
    """The kept predictions of a key; None if there are none or they are not as written."""
    body = read_entry(folder / f"{key}.oof", key)
    if body is None:
        return None
    try:
        return _unpacked(body)
    except (ValueError, KeyError, TypeError, OSError):
        return None


def store(folder: Path, key: str, folded: FoldedPredictions) -> bool:
    """Keep predictions under a key; whether that worked."""
    return write_entry(folder / f"{key}.oof", key, _packed(folded))


def read_entry(path: Path, key: str) -> bytes | None:
    """What an entry holds behind its digest; None unless it is as it was written."""
    try:
        if path.stat().st_size > LARGEST_ENTRY:
            return None
        entry = path.read_bytes()
    except OSError:
        return None
    digest, body = entry[:_DIGEST], entry[_DIGEST + 1 :]
    return body if digest.decode("ascii", "replace") == _digest(key, body) else None


def write_entry(path: Path, key: str, body: bytes) -> bool:
    """Put an entry into its place, whole or not at all; whether that worked."""
    folder = path.parent
    part: Path | None = None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _remove_left(folder)
        handle, name = tempfile.mkstemp(prefix=_PART, dir=folder)
        part = Path(name)
        with os.fdopen(handle, "wb") as stream:
            lock_descriptor(stream.fileno(), blocking=False)
            stream.write(_digest(key, body).encode() + b"\n" + body)
            stream.flush()
            part.replace(path)
    except OSError:
        return False
    finally:
        if part is not None:
            with suppress(OSError):
                part.unlink(missing_ok=True)
    return True


def _remove_left(folder: Path) -> None:
    """Remove what killed processes left half written: parts that no process holds.

    A part that is taken away before its writer holds it only is not kept.
    """
    for left in folder.glob(f"{_PART}*"):
        with suppress(OSError), left.open("rb") as stream:
            if lock_descriptor(stream.fileno(), blocking=False):
                left.unlink()


#: How files are called while they are written.
_PART = ".part-"


def _digest(key: str, body: bytes) -> str:
    return hashlib.sha256(key.encode() + b"\n" + body).hexdigest()


_ARRAYS = ("row", "repeat", "fold")
_OUTPUTS = ("predicted", "score", "class_scores")


def _packed(folded: FoldedPredictions) -> bytes:
    output = folded.output
    told = {
        "model": folded.model,
        "labels": list(folded.labels),
        "positive": folded.positive,
        "folds": list(folded.folds),
        "fold_sizes": {name: list(size) for name, size in folded.fold_sizes.items()},
        "partition": folded.partition,
        "pooled_only": folded.pooled_only,
        "failures": [[f.model, f.fold, f.reason] for f in folded.failures],
        "chosen": {fold: dict(params) for fold, params in folded.chosen.items()},
        "steps": list(folded.steps),
        "notes": list(folded.notes),
        "source": None if output is None else output.source,
    }
    text = json.dumps(told, allow_nan=False).encode()
    arrays = {name: getattr(folded, name) for name in _ARRAYS}
    if output is not None:
        given = {name: getattr(output, name) for name in _OUTPUTS}
        arrays |= {name: array for name, array in given.items() if array is not None}
    stream = io.BytesIO()
    np.savez(stream, told=np.frombuffer(text, np.uint8), **arrays)
    return stream.getvalue()


def _unpacked(body: bytes) -> FoldedPredictions:
    with np.load(io.BytesIO(body), allow_pickle=False) as archive:
        told = json.loads(archive["told"].tobytes())
        arrays = {name: archive[name] for name in _ARRAYS}
        given = {name: archive[name] for name in _OUTPUTS if name in archive}
    source: Source | None = told["source"]
    if source is not None and source not in get_args(Source):
        raise ValueError(source)
    return FoldedPredictions(
        model=told["model"],
        labels=tuple(told["labels"]),
        positive=told["positive"],
        folds=tuple(told["folds"]),
        output=None if source is None else Output(source, **given),
        fold_sizes={name: (size[0], size[1]) for name, size in told["fold_sizes"].items()},
        partition=told["partition"],
        pooled_only=told["pooled_only"],
        failures=tuple(FoldFailure(*failure) for failure in told["failures"]),
        chosen=told["chosen"],
        steps=tuple(told["steps"]),
        notes=tuple(told["notes"]),
        **arrays,
    )
