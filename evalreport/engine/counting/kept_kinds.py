"""Kinds of rows kept as Parquet under RUNS/.cache/kinds, by the content of each file.

A dataset of many files grows by one each night. Each file is counted once; kinds add up, so those
of all files are counted from what is kept. An entry is one file, named by the hash of a file's
content and of all that its rows are counted by, and by that of what it holds: what is not as it
was written is as good as no entry.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from evalreport.data.duckdb_columns import quoted_text
from evalreport.data.files import Files, Part
from evalreport.data.read import not_twice, same_columns
from evalreport.engine.counting.duckdb_rows import DuckDBRows, duckdb_rows, locked
from evalreport.engine.counting.file_columns import types_of
from evalreport.engine.counting.parquet_rows import same_types
from evalreport.engine.databases.kinds import KindsQuery
from evalreport.engine.databases.wanted import NotPlainError, Wanted
from evalreport.scratch import scratch_folder
from evalreport.version import __version__

#: Changes when the meaning of an entry changes.
FORMAT = 5
#: Bytes that all entries together may take; what was not used for longest goes first.
MOST_KEPT = 2 << 30


class About(NamedTuple):
    """What an entry says of its file: which columns its kinds are by, of which types."""

    header: list[str]
    columns: list[str]
    types: list[str]
    rows: int


@dataclass(frozen=True)
class KeptKinds:
    """The entries of a folder; with ``fresh`` none is looked at, and all are made anew."""

    folder: Path
    fresh: bool = False
    most: int = MOST_KEPT
    told: Callable[[str], None] = lambda _text: None

    def entry(self, key: str) -> Path | None:
        """The kinds that are kept of a file; None unless they are there as they were written."""
        path = None if self.fresh else self._there.get(key)
        with suppress(OSError):
            if path is not None and path.name == _name(key, path):
                os.utime(path)
                return path
            if path is not None:
                path.unlink()
        return None

    @cached_property
    def _there(self) -> dict[str, Path]:
        """The entries by their keys, whatever they hold."""
        return {path.name.partition("-")[0]: path for path in self.folder.glob("*.parquet")}

    def keep(self, new: Mapping[str, Path]) -> None:
        """Keep what was counted, by its key. A full disk is none."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            for key, path in new.items():
                place = self.folder / _name(key, path)
                beside = place.with_name(f"{place.name}.{os.getpid()}")
                shutil.copyfile(path, beside)
                beside.replace(place)
        except OSError:
            return
        if new:
            self.bound()

    def bound(self) -> None:
        """Remove what is too much."""
        used: list[tuple[int, int, Path]] = []
        for path in self.folder.iterdir():
            with suppress(OSError):
                used.append((path.stat().st_mtime_ns, path.stat().st_size, path))
        total = 0
        for _, size, path in sorted(used, reverse=True):
            total += size
            if total > self.most:
                with suppress(OSError):
                    path.unlink()


def _name(key: str, path: Path) -> str:
    """What an entry is called: its key, and the hash of both."""
    return f"{key}-{hashlib.sha256(key.encode() + path.read_bytes()).hexdigest()}.parquet"


@contextmanager
def rows_of_files(
    source: Files, wanted: Wanted, kept: KeptKinds
) -> Iterator[tuple[DuckDBRows, Wanted]]:
    """The kinds of all files as rows that stand for several, and what is wanted of these.

    Files without an entry are counted. Raises as ``duckdb_rows``, and as ``counted_kinds``.
    """
    with scratch_folder() as scratch:
        new, by_key = dict[str, Path](), dict[str, Path]()
        keys = [_key(source, part, wanted) for part in source.parts]
        for key, part in zip(keys, source.parts, strict=True):
            if key in by_key:
                continue
            if (path := kept.entry(key)) is None:
                path = new[key] = Path(scratch).resolve() / f"{key}.parquet"
                _counted(source, part, wanted, path)
            by_key[key] = path
        if known := sum(key not in new for key in keys):
            kept.told(f"{known:,} of {len(keys):,} files were counted before")
        paths = [str(by_key[key]) for key in keys]
        text = source.suffix != ".parquet"
        with locked(source.name, [], wanted.memory, paths, text=text) as (connection, _):
            yield _all_kinds(connection, source, paths, wanted)
        # all files are proved to be as they were
        kept.keep(new)


def _counted(source: Files, part: Part, wanted: Wanted, path: Path) -> None:
    """Write the kinds of one file; ids that may not stand twice are told apart in them."""
    alone = replace(source, parts=(part,), name=part.name)
    with duckdb_rows(alone, wanted, allowed=[str(path)]) as rows:
        if wanted.id is not None and not wanted.repeats:
            wanted = replace(wanted, columns=(*wanted.columns, wanted.id), id=None)
        asked = KindsQuery(rows, source.name, wanted)
        columns, text = asked.select()
        types = [*types_of(rows.connection, f"({text})").values()][: len(columns)]
        about = About([*rows.header], columns, types, rows.size)
        rows.write(text, path, json.dumps(about))


def _all_kinds(
    connection: Any, source: Files, paths: list[str], wanted: Wanted
) -> tuple[DuckDBRows, Wanted]:
    listed = f"[{', '.join(map(quoted_text, paths))}]"
    text = f"SELECT file_name, value FROM parquet_kv_metadata({listed})"  # noqa: S608 - quoted
    about = {path: About(*json.loads(told)) for path, told in connection.execute(text).fetchall()}
    found = [about[path] for path in paths]
    _check_alike(source, found)
    header, columns = tuple(found[0].header), found[0].columns
    shown = [f"k{columns.index(c)} AS c{i}" for i, c in enumerate(header) if c in columns]
    text = f"SELECT {', '.join([*shown, 'n'])} FROM read_parquet({listed})"  # noqa: S608
    connection.execute(f"CREATE TEMP VIEW data AS {text}")
    size = sum(one.rows for one in found)
    rows = DuckDBRows(connection, source.name, header, size, wanted.watch, "CAST(n AS DOUBLE)")
    if wanted.id is not None and wanted.repeats:
        wanted = replace(wanted, columns=(*wanted.columns, wanted.id), id=None)
    return rows, replace(wanted, intervals={}, grains={}, numbers=frozenset())


def _key(source: Files, part: Part, wanted: Wanted) -> str:
    """The hash of all that the kinds of a file follow from."""
    import duckdb

    apart = ("memory", "room", "watch")
    asked = {name: value for name, value in vars(wanted).items() if name not in apart}
    asked["numbers"] = sorted(wanted.numbers)
    written = [source.suffix, source.dialect, source.keys, part.values]
    versions = [FORMAT, __version__, duckdb.__version__]
    text = repr([part.source.sha256, written, asked, versions])
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


def _check_alike(source: Files, found: list[About]) -> None:
    """Raise where files have other columns, or types in those that count, than the first."""
    names = [part.name for part in source.parts]
    width = len(source.keys)
    own = [tuple(one.header[: len(one.header) - width]) for one in found]
    if source.suffix != ".parquet" and any(one != own[0] for one in own):
        raise NotPlainError("its files have other columns than the first")
    same_columns(list(zip(names, own, strict=True)))
    not_twice(source, own[0])
    types = [(name, one.types) for name, one in zip(names, found, strict=True)]
    same_types(types, found[0].columns)
