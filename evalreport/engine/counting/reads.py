"""How files come in: each by itself, or read once for several specs that name the same file."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from evalreport.data.files import open_files, parts_of
from evalreport.data.read import read_table
from evalreport.data.source import Source, is_unchanged, suffix_of
from evalreport.data.table import RawTable
from evalreport.engine.counting.choosing import asked_engine, choose
from evalreport.errors import EvalreportError
from evalreport.plan.from_spec import requests_of
from evalreport.predict.columns import columns_read
from evalreport.spec.load import LoadedSpec

#: A file, folder or pattern by its place with links resolved, and its kind by the name given.
Key: TypeAlias = tuple[Path, str]
#: Columns of a file; None for all.
Columns: TypeAlias = frozenset[str] | None
#: Is told how many rows of a text file have been read.
Seen: TypeAlias = Callable[[int], None]


class Reads:
    """Reads and hashes every file by itself."""

    def source(self, folder: Path, text: str) -> Source:
        """What a path of a spec in ``folder`` stands for, hashed. Raises FilesError."""
        return open_files(folder, text)

    def table(
        self, source: Source, columns: Collection[str] | None, seen: Seen | None = None
    ) -> RawTable:
        """Columns of a file (all where None). Raises as ``data.read.read_table``."""
        return read_table(source, columns, seen=seen)


@dataclass(frozen=True, eq=False)
class Held:
    """A file that has been hashed and, where its rows are needed, read: ``asked`` columns of it."""

    source: Source
    table: RawTable | None
    asked: Columns

    def is_of(self, source: Source) -> bool:
        """Whether a source is this file, by whatever name."""
        return replace(source, name=self.source.name) == self.source

    def has(self, columns: Columns) -> bool:
        """Whether these columns were asked for when the file was read."""
        if self.table is None:
            return False
        return self.asked is None or (columns is not None and columns <= self.asked)

    def only(self, columns: Columns) -> Held:
        """The same with these columns alone."""
        if self.table is None or columns is None:
            return self
        kept = {name: self.table.columns[name] for name in self.table.columns if name in columns}
        # several files are known by their rows and lines; their columns are in the whole
        parts = tuple(replace(part, columns={}, _kept={}) for part in self.table.parts)
        table = replace(self.table, columns=kept, parts=parts, _kept={})
        return Held(self.source, table, columns)


class SharedReads(Reads):
    """Takes what has been read before; a file that is not held, or has changed, is read."""

    def __init__(self, held: Mapping[Key, Held]) -> None:
        self._held = dict(held)

    def source(self, folder: Path, text: str) -> Source:
        held = self._held.get(key_of(folder, text))
        if held is None or not _is_unchanged(held.source):
            return super().source(folder, text)
        return replace(held.source, name=text)

    def table(
        self, source: Source, columns: Collection[str] | None, seen: Seen | None = None
    ) -> RawTable:
        wanted = None if columns is None else frozenset(columns)
        held = next((one for one in self._held.values() if one.is_of(source)), None)
        if held is None or not held.has(wanted) or not _is_unchanged(source):
            return super().table(source, columns, seen)
        table = held.only(wanted).table
        assert table is not None
        return replace(table, name=source.name, _kept={})


def key_of(folder: Path, text: str) -> Key:
    """What makes two paths the same file, folder or pattern."""
    path = Path(os.path.normpath(folder.absolute() / text))
    # a link is what it leads to; a pattern leads nowhere
    with suppress(OSError, RuntimeError, ValueError):
        path = path.resolve()
    return path, suffix_of(text)


def _is_unchanged(source: Source) -> bool:
    return all(is_unchanged(part.source) for part in parts_of(source))


def files_of(loaded: LoadedSpec) -> Iterator[tuple[Key, str]]:
    """The files of a spec's datasets, each with the dataset that it is of."""
    for name, dataset in loaded.spec.datasets.items():
        # what a dataset makes of its file is its own
        if isinstance(dataset.path, str) and dataset.join is None and dataset.read is None:
            yield key_of(loaded.folder or Path(), dataset.path), name


def hold(users: Sequence[tuple[LoadedSpec, str]], engine: str) -> Held | None:
    """A file hashed once and read once, with every column that its users need.

    ``users`` are specs and the dataset of each that the file is; ``engine`` is what
    the command asks for. None where the file cannot be read: whoever needs it will
    find out, and say so in the words of the own spec.
    """
    wanted: set[str] = set()
    everything = rows_needed = False
    try:
        first, name = users[0]
        source = open_files(first.folder or Path(), str(first.spec.datasets[name].path))
        for loaded, name in users:
            requests = requests_of(loaded.spec)
            asked = asked_engine(loaded.spec, engine)
            if choose(loaded.spec, name, source, asked, requests).name != "memory":
                continue
            rows_needed = True
            columns = columns_of(loaded, name)
            everything = everything or columns is None
            wanted.update(columns or ())
        asked_columns = None if everything else frozenset(wanted)
        table = read_table(source, asked_columns) if rows_needed else None
    except EvalreportError:
        return None
    return Held(source, table, asked_columns)


def columns_of(loaded: LoadedSpec, name: str) -> Columns:
    """The columns that a spec reads of a dataset."""
    requests = requests_of(loaded.spec)
    groups = requests.subgroup_columns
    columns = columns_read(loaded.spec, name, groups)
    return None if columns is None else frozenset(columns)
