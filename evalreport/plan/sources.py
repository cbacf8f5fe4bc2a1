"""The file, or files, that a dataset of a spec names, as it says they are written."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from evalreport.data.dialect import Dialect
from evalreport.data.files import open_files, written_in
from evalreport.data.source import Source
from evalreport.errors import FilesError, nearest
from evalreport.spec.datasets import Dataset, Read

Opened = Callable[[Path, str], Source]


def source_of(folder: Path, dataset: Dataset, opened: Opened = open_files) -> Source:
    """What a dataset's path stands for, joined where it says so. Raises FilesError.

    ``opened`` hashes a file by its path in a spec of ``folder``.
    """
    source = _written(_found(folder, str(dataset.path), opened), dataset.read or Read())
    if dataset.join is None:
        return source
    from evalreport.data.joined import joined_source

    join = dataset.join
    right = _written(_found(folder, join.path, opened), join.read or Read())
    return joined_source(source, right, (join.left, join.right))


def _found(folder: Path, path: str, opened: Opened) -> Source:
    """A file by its path; one that is not there is told with near names and the folder."""
    try:
        return opened(folder, path)
    except FilesError as error:
        place = (folder / path).parent
        if os.path.lexists(folder / path) or not place.is_dir():
            if place.is_dir() or os.path.lexists(folder / path):
                raise
            above = next(one for one in place.parents if one.is_dir())
            told = f"there is no folder {place.name}; the folder that was looked in is "
            if path.startswith("~"):
                told = "~ is not read as your home folder, write the path out; looked in: "
            told += _shown(above)
            raise FilesError(*(replace(p, instead=told) for p in error.problems)) from None
        names = sorted(one.name for one in place.iterdir() if one.is_file())
        close = nearest(Path(path).name, names)
        hint = "" if close is None else f"did you mean '{Path(path).with_name(close)}'? "
        told = f"{hint}the folder that was looked in is {_shown(place)}"
        raise FilesError(*(replace(p, instead=told) for p in error.problems)) from None


def _shown(folder: Path) -> str:
    return str(folder) if folder.is_absolute() else str(folder.resolve())


def _written(source: Source, read: Read) -> Source:
    pivot = read.pivot
    dialect = Dialect(
        read.delimiter,
        read.decimal,
        read.encoding,
        read.sheet,
        read.percent,
        read.missing,
        None if pivot is None else (pivot.row, pivot.column, pivot.value),
    )
    return source if dialect.is_usual else written_in(source, dialect)
