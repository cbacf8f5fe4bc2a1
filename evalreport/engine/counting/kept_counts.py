"""Counted tables kept under RUNS/.cache/counted: of single files, and of many together.

A question is a counting query with all that its answer follows from but the rows: columns
and their types, roles, bins, and the versions of what counts. Each has a folder of its own,
with one entry for each file, by the hash of its content, and one for each list of files.
Entries are plain numbers and texts behind a digest of themselves: what is not as it was
written is as good as no entry. They are written whole, beside, and then renamed, so runs
side by side never see half of one.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from pathlib import Path
from typing import Any

import numpy as np

from evalreport.engine.counting.answering import Columns
from evalreport.predict.cache import read_entry, write_entry
from evalreport.values import dataclass

#: Changes when the meaning of an entry changes.
FORMAT = 2
#: Bytes that all entries together may take; what was not used for longest goes first.
MOST_KEPT = 2 << 30
#: Entries of many files together that are kept for one question.
MOST_SUMS = 3
#: What a file's own table may hold at most to be kept: rows of it for each row of the file.
WORTH_OF_FILE = 1 / 4
#: The same of many files together.
WORTH_OF_SUM = 1 / 2


@dataclass
class KeptCounts:
    """The entries of a folder of runs; with ``fresh`` none is looked at, and all are replaced.

    What is to be kept waits for ``store``, so that nothing is kept of files that changed
    while they were counted.
    """

    folder: Path
    fresh: bool = False
    most: int = MOST_KEPT
    told: Callable[[str], None] = lambda _text: None
    _waiting: dict[Path, tuple[str, bytes]] = field(default_factory=dict)

    def of_file(self, question: str, file: str) -> Columns | None:
        """The answer of one file, by its hash."""
        found = self._read(self._path(question, file, "file"), f"{question} {file}")
        return None if found is None else found[1]

    def of_files(
        self, question: str, files: Sequence[str], rows: Mapping[str, int]
    ) -> tuple[Columns, Counter[str]] | None:
        """The answer of as many of the files as one is kept for, and which they are."""
        asked = Counter(files)
        chosen, most = None, 0
        for path in self._sums(question):
            members = _members(path)
            covered = sum(rows.get(one, 0) for one in members)
            if covered > most and Counter(members) <= asked:
                chosen, most = path, covered
        if chosen is None:
            return None
        found = self._read(chosen, f"{question} {chosen.stem}")
        if found is None or list_hash(found[0]) != chosen.stem:
            return None
        return found[1], Counter(found[0])

    def keep_file(self, question: str, file: str, answer: Columns) -> None:
        """Keep the answer of a file."""
        path = self._path(question, file, "file")
        self._waiting[path] = (f"{question} {file}", packed([file], answer))

    def keep_files(self, question: str, files: Sequence[str], answer: Columns) -> None:
        """Keep the answer of many files together."""
        name = list_hash(files)
        body = packed(sorted(files), answer)
        self._waiting[self._path(question, name, "files")] = (f"{question} {name}", body)

    def known(self, question: str) -> dict[str, Any]:
        """Plain data by the hash of a file; nothing where none are kept."""
        body = None if self.fresh else read_entry(self._path(question, "known", "json"), question)
        return {} if body is None else dict(json.loads(body))

    def keep_known(self, question: str, known: Mapping[str, Any]) -> None:
        """Keep plain data by the hash of a file, in the place of what was kept before."""
        path = self._path(question, "known", "json")
        self._waiting[path] = (question, json.dumps(known).encode())

    def store(self) -> None:
        """Write what waits, and remove what is too much. What cannot be written is not kept."""
        for path, (key, body) in self._waiting.items():
            if not write_entry(path, key, body):
                break
        questions = {path.parent for path in self._waiting}
        self._waiting.clear()
        for question in questions:
            for old in sorted(question.glob("*.files"), key=_used, reverse=True)[MOST_SUMS:]:
                _remove(old)
        if questions:
            self._bound()

    def _bound(self) -> None:
        entries = sorted(((_used(p), _size(p), p) for p in self.folder.glob("*/*")), reverse=True)
        total = 0
        for _, size, path in entries:
            total += size
            if total > self.most:
                _remove(path)
        for question in self.folder.glob("*"):
            with suppress(OSError):
                question.rmdir()

    def _path(self, question: str, name: str, kind: str) -> Path:
        return self.folder / question / f"{name}.{kind}"

    def _sums(self, question: str) -> list[Path]:
        return [] if self.fresh else sorted((self.folder / question).glob("*.files"))

    def _read(self, path: Path, key: str) -> tuple[list[str], Columns] | None:
        if self.fresh:
            return None
        body = read_entry(path, key)
        if body is None:
            return None
        with suppress(OSError):
            os.utime(path)
        try:
            return unpacked(body)
        except (ValueError, KeyError, TypeError, IndexError):
            return None


def question_of(*about: Any) -> str:
    """The hash of a question: of plain data that its answer follows from."""
    text = json.dumps([FORMAT, *about], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


def list_hash(files: Sequence[str]) -> str:
    """The hash of a list of files, in whatever order."""
    return hashlib.sha256("\n".join(sorted(files)).encode()).hexdigest()


def packed(files: Sequence[str], answer: Columns) -> bytes:
    """An answer as bytes: a line of JSON, then each column; whole numbers as short as they fit."""
    told, bodies = [], []
    for name, column in answer.items():
        values, gaps = np.ma.getdata(column), np.ma.getmaskarray(column)
        if values.dtype.kind == "O":
            texts = [
                None if gap else text
                for text, gap in zip(values.tolist(), _flags(gaps), strict=True)
            ]
            body = json.dumps(texts).encode()
            told.append([name, "text", "", 0, len(body)])
            bodies.append(body)
            continue
        short = _short(values)
        body, flags = short.tobytes(), gaps.tobytes() if gaps.any() else b""
        told.append([name, values.dtype.str, short.dtype.str, len(flags), len(body)])
        bodies += [flags, body]
    head = json.dumps([list(files), told]).encode()
    return b"\n".join([head, b"".join(bodies)])


def unpacked(body: bytes) -> tuple[list[str], Columns]:
    """Files and answer of an entry. Raises ValueError and others for what is none."""
    line, _, rest = body.partition(b"\n")
    files, columns = json.loads(line)
    at, answer = 0, {}
    for name, kind, short, flags, size in columns:
        mask, data = rest[at : at + flags], rest[at + flags : at + flags + size]
        at += flags + size
        if kind == "text":
            texts = json.loads(data)
            gone = np.array([text is None for text in texts], np.bool_)
            values: Any = np.empty(len(texts), object)
            values[:] = texts
        else:
            values = np.frombuffer(data, short).astype(kind)
            gone = np.frombuffer(mask, np.bool_) if flags else np.zeros(0, np.bool_)
        answer[name] = np.ma.MaskedArray(values, gone.copy()) if gone.any() else values
    return list(files), answer


def _flags(gaps: Any) -> list[bool]:
    return list(gaps.tolist())


def _short(values: Any) -> Any:
    if values.dtype.kind not in "iu" or not len(values):
        return values
    low, high = int(values.min()), int(values.max())
    for kind in (np.uint8, np.uint16, np.uint32, np.int8, np.int16, np.int32):
        if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max:
            return values.astype(kind)
    return values


def _members(path: Path) -> list[str]:
    """The files that an entry says it is of, before its digest is looked at."""
    try:
        with path.open("rb") as stream:
            stream.readline()
            return [str(one) for one in json.loads(stream.readline())[0]]
    except (OSError, ValueError, IndexError, TypeError, KeyError):
        return []


def _used(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink()
