"""Several files that are one dataset: a folder, a pattern, folders named ``key=value``.

The files are sorted by name, so nothing depends on the order in which a folder lists
them; their one hash is that of the list of their hashes and names.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from urllib.parse import unquote

from evalreport.data.dialect import Dialect
from evalreport.data.findings import some
from evalreport.data.source import (
    Source,
    listed_sha256,
    open_source,
    readable_name,
    reading,
    suffix_of,
)
from evalreport.data.store_clients import failed
from evalreport.data.stores import copied, copied_below, is_stored
from evalreport.errors import DataError, FilesError, LimitError, Location, Problem

#: Files that one dataset may consist of.
MOST_FILES = 100_000
#: How a folder tells that it holds the rows without a value.
NO_VALUE = "__HIVE_DEFAULT_PARTITION__"

_KEY = re.compile(r"([^=]+)=(.*)", re.DOTALL)
_MARKS = re.compile(r"[*?\[]")
_KINDS = (".csv", ".tsv", ".jsonl", ".csv.gz", ".tsv.gz", ".jsonl.gz", ".parquet", ".xlsx")


@dataclass(frozen=True)
class Part:
    """One file of several: its name below their folder, and the values of its folders."""

    name: str
    source: Source
    values: tuple[str | None, ...]


@dataclass(frozen=True)
class Files(Source):
    """Several files: ``path`` is the folder above them, ``size`` and ``sha256`` of all of them.

    ``keys`` names the columns that stand in the folders' names.
    """

    parts: tuple[Part, ...] = ()
    keys: tuple[str, ...] = ()


def open_files(folder: Path, text: str) -> Source:
    """The file, or the files, that a path of a spec stands for; ``folder`` is the spec's.

    A folder stands for all files below it whose names begin with neither a dot nor an
    underscore. What is a file by the very name is that file, whatever marks are in it.
    Raises FilesError where there is none, or one cannot be read.
    """
    if is_stored(text):
        return _stored(text)
    path = folder / text
    if path.is_dir():
        return _files(text, path, _below(path, text), whole=True)
    if _MARKS.search(text) and not path.exists():
        found = glob.glob(text, root_dir=folder, recursive=True)  # noqa: PTH207
        names = [folder / name for name in found if (folder / name).is_file()]
        return _files(text, _fixed(folder, text), names, whole=False)
    return open_source(path, text)


def written_in(source: Source, dialect: Dialect) -> Source:
    """The file, or each of the files, as written in a dialect."""
    if isinstance(source, Files):
        parts = tuple(
            replace(part, source=replace(part.source, dialect=dialect)) for part in source.parts
        )
        return replace(source, dialect=dialect, parts=parts)
    return replace(source, dialect=dialect)


def parts_of(source: Source) -> tuple[Part, ...]:
    """The files of a dataset, one or several."""
    if isinstance(source, Files):
        return source.parts
    both = [part for side in ("left", "right") for part in _side(source, side)]
    if both:
        return tuple(both)
    return (Part(source.name, source, ()),)


def _side(source: Source, side: str) -> tuple[Part, ...]:
    """The files of one side of two that are joined."""
    found = getattr(source, side, None)
    return () if found is None else parts_of(found)


@contextmanager
def holding(source: Source) -> Iterator[None]:
    """Proves that every file of a dataset is unchanged at the end. Raises FilesError."""
    parts = parts_of(source)
    if len(parts) == 1:
        with reading(parts[0].source):
            yield
        return
    try:
        yield
    except (DataError, LimitError):
        _unchanged(parts)
        raise
    _unchanged(parts)


def _unchanged(parts: Sequence[Part]) -> None:
    for part in parts:
        with reading(part.source):
            pass


def _below(path: Path, text: str) -> list[Path]:
    found = []
    for folder, folders, names in os.walk(path):
        folders[:] = [name for name in folders if not name.startswith((".", "_"))]
        shown = [name for name in names if not name.startswith((".", "_"))]
        found += [Path(folder) / name for name in shown]
        if len(found) > MOST_FILES:
            break
    other = [one.relative_to(path).as_posix() for one in found if suffix_of(one) not in _KINDS]
    if other:
        raise FilesError(
            Problem(
                f"the folder has files of other kinds: {some(sorted(other))}",
                f"name the files by a pattern, such as {text.rstrip('/')}/*.parquet",
                Location(text),
            )
        )
    return found


def _fixed(folder: Path, pattern: str) -> Path:
    """The folder of a pattern below which its marks begin."""
    parts = Path(pattern).parts
    marked = next(i for i, part in enumerate(parts) if _MARKS.search(part))
    return folder.joinpath(*parts[:marked])


def _files(name: str, root: Path, paths: Sequence[Path], whole: bool) -> Files:
    if not paths:
        told = "is a folder without files" if whole else "no file is named so"
        raise failed(name, told, "a folder, or a pattern, with files in it")
    # Names go into results, and those of folders become values of columns.
    named = sorted((readable_name(path.relative_to(root).as_posix()), path) for path in paths)
    found = [(below, suffix_of(path), partial(open_source, path, below)) for below, path in named]
    return _together(name, root.resolve(), found)


def _stored(text: str) -> Source:
    """The object, or the objects, of an address of a store."""
    if not (text.endswith("/") or _MARKS.search(text)):
        return copied(text)
    parts = text.split("/")
    marked = next((i for i, part in enumerate(parts) if _MARKS.search(part)), len(parts) - 1)
    root = "/".join(parts[:marked]) + "/"
    found = [(below, one.suffix, partial(_same, one)) for below, one in copied_below(text, root)]
    return _together(text, Path(root), found)


def _same(source: Source) -> Source:
    return source


def _together(
    name: str, root: Path, found: Sequence[tuple[str, str, Callable[[], Source]]]
) -> Files:
    """Files of one kind as one dataset: of each its name, its kind, and what opens it."""
    if len(found) > MOST_FILES:
        told = f"more than {MOST_FILES:,} files"
        raise LimitError(Problem(told, "fewer, larger files", Location(name)))
    kinds = sorted({suffix for _, suffix, _ in found})
    if len(kinds) > 1:
        raise failed(name, f"files of several kinds: {', '.join(kinds)}", "one kind")
    keys = _keys(name, [below for below, _, _ in found])
    parts = tuple(Part(below, open_(), tuple(_pairs(below).values())) for below, _, open_ in found)
    return Files(
        name=name,
        path=root,
        suffix=kinds[0],
        size=sum(part.source.size for part in parts),
        sha256=listed_sha256([(part.source.sha256, part.name) for part in parts]),
        identity=(),
        parts=parts,
        keys=keys,
    )


def _keys(name: str, below: Sequence[str]) -> tuple[str, ...]:
    """The columns in the names of folders: the same ones, in one order, for every file."""
    first = tuple(_pairs(below[0]))
    for other in below:
        if tuple(_pairs(other)) != first:
            raise failed(
                name,
                f"the folders of {other} and {below[0]} name other columns",
                "folders key=value with the same keys for every file",
            )
    return first


def _pairs(below: str) -> dict[str, str | None]:
    """Keys and values of a file's folders.

    >>> _pairs("site=A%2FB/year=2026/rows.csv")
    {'site': 'A/B', 'year': '2026'}
    """
    found = [_KEY.fullmatch(part) for part in below.split("/")[:-1]]
    pairs = [(one[1], one[2]) for one in found if one is not None]
    return {unquote(key): None if value == NO_VALUE else unquote(value) for key, value in pairs}
