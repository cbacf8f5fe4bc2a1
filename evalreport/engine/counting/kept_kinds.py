"""Kinds of rows kept as Parquet under RUNS/.cache/kinds, by the content of each file.

A dataset of many files grows by one each night. Each file is counted once; kinds add up, so those
of all files are counted from what is kept. An entry is of a file's content and of all that its
rows are counted by; what is not as it was written is as good as no entry.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from evalreport.data.files import Files, Part
from evalreport.data.read import not_twice, same_columns
from evalreport.engine.counting.duckdb_rows import DuckDBRows, duckdb_rows, locked
from evalreport.engine.counting.file_columns import types_of
from evalreport.engine.counting.parquet_rows import same_types
from evalreport.engine.databases.kinds import KindsQuery, check_counts, not_unique
from evalreport.engine.databases.query_text import DUCKDB, ids_query
from evalreport.engine.databases.wanted import NotPlainError, Wanted, quoted_text
from evalreport.predict.cache import read_entry, write_entry
from evalreport.scratch import scratch_folder
from evalreport.version import __version__

#: Changes when the meaning of an entry changes.
FORMAT = 3
#: Bytes that all entries together may take; what was not used for longest goes first.
MOST_KEPT = 2 << 30


@dataclass(frozen=True)
class KeptKinds:
    """The entries of a folder; with ``fresh`` none is looked at, and all are made anew."""

    folder: Path
    fresh: bool = False
    most: int = MOST_KEPT
    told: Callable[[str], None] = lambda _text: None

    def bound(self) -> None:
        """Remove what is too much."""
        used: list[tuple[int, int, tuple[Path, ...]]] = []
        for path in self.folder.glob("*.json"):
            kinds = path.with_suffix(".parquet")
            entry = tuple(one for one in (path, kinds, _ids(kinds)) if one.exists())
            with suppress(OSError):
                used.append((path.stat().st_mtime_ns, sum(o.stat().st_size for o in entry), entry))
        total = 0
        for _, size, entry in sorted(used, reverse=True):
            total += size
            for one in entry if total > self.most else ():
                with suppress(OSError):
                    one.unlink()


@dataclass(frozen=True)
class Kept:
    """The kinds of one file: where they lie, what of its ``header`` they are by, and its rows.

    ``types``: those of the ``columns``.
    """

    path: Path
    header: tuple[str, ...]
    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: int


@contextmanager
def rows_of_files(
    source: Files, wanted: Wanted, kept: KeptKinds
) -> Iterator[tuple[DuckDBRows, Wanted]]:
    """The kinds of all files as rows that stand for several, and what is wanted of these.

    Files without an entry are counted. Raises as ``duckdb_rows``, and as ``counted_kinds``.
    """
    with scratch_folder() as scratch:
        folder, by_key = Path(scratch).resolve(), dict[str, Kept]()
        keys = [_key(source, part, wanted) for part in source.parts]
        for key, part in zip(keys, source.parts, strict=True):
            if key not in by_key:
                path = folder / f"{key}.parquet"
                by_key[key] = _entry(kept, key) or _counted(source, part, wanted, path)
        found = [by_key[key] for key in keys]
        known = sum(one.path.parent == kept.folder for one in found)
        if known:
            kept.told(f"{known:,} of {len(found):,} files were counted before")
        paths = [str(one.path) for one in found]
        ids = [str(_ids(one.path)) for one in found if wanted.id is not None and not wanted.repeats]
        text = source.suffix != ".parquet"
        with locked(source.name, [], wanted.memory, [*paths, *ids], text=text) as (connection, _):
            _check_alike(source, found)
            _check_ids(connection, [one for one in ids if Path(one).exists()], source, wanted)
            yield _all_kinds(connection, source, found, wanted)
        _keep([*by_key.values()], kept)


def _all_kinds(
    connection: Any, source: Files, found: Sequence[Kept], wanted: Wanted
) -> tuple[DuckDBRows, Wanted]:
    first, size = found[0], sum(one.rows for one in found)
    place = {column: f"k{i}" for i, column in enumerate(first.columns)}
    shown = [f"{place[c]} AS c{i}" for i, c in enumerate(first.header) if c in place]
    text = f"SELECT {', '.join([*shown, 'n'])} FROM {_read(*(one.path for one in found))}"  # noqa: S608
    connection.execute(f"CREATE TEMP VIEW data AS {text}")
    times = "CAST(n AS DOUBLE)"
    rows = DuckDBRows(connection, source.name, first.header, size, wanted.watch, times)
    columns = (*wanted.columns, *([] if wanted.id is None else [wanted.id]))
    put = {"intervals": {}, "grains": {}, "numbers": frozenset[str]()}
    return rows, replace(wanted, columns=columns, id=None, **put)  # type: ignore[arg-type]


def _read(*paths: Path) -> str:
    """Some files of kinds, as a query reads them."""
    return f"read_parquet([{', '.join(quoted_text(str(path)) for path in paths)}])"


def _entry(kept: KeptKinds, key: str) -> Kept | None:
    """The kinds that are kept of a file; None where there are none, or not as they were written."""
    entry, path = kept.folder / f"{key}.json", kept.folder / f"{key}.parquet"
    body = None if kept.fresh else read_entry(entry, key)
    told = {} if body is None else json.loads(body)
    try:
        if not told or told["sha256"] != _hashes(path):
            return None
    except OSError:
        return None
    with suppress(OSError):
        for one in (path, entry):
            os.utime(one)
    header, columns, types = (tuple(told[k]) for k in ("header", "columns", "types"))
    return Kept(path, header, columns, types, int(told["rows"]))


def _counted(source: Files, part: Part, wanted: Wanted, path: Path) -> Kept:
    alone = replace(source, parts=(part,), name=part.name)
    with duckdb_rows(alone, wanted, allowed=[str(path), str(_ids(path))]) as rows:
        asked = KindsQuery(rows, source.name, wanted)
        columns, text = asked.select()
        rows.write(text, path)
        wrong = "sum(wrong)::DOUBLE" if "wrong" in asked.counts else "0"
        sums = f"SELECT {wrong}, sum(n)::DOUBLE FROM {_read(path)}"  # noqa: S608
        check_counts(*(one.values[0] for one in rows.fetch(sums, ["wrong", "n"])))
        types = [*types_of(rows.connection, _read(path)).values()][: len(columns)]
        if wanted.id in rows.header and not wanted.repeats:
            column = rows.columns[rows.header.index(wanted.id)]
            rows.write(ids_query(DUCKDB, rows.rows, column), _ids(path))
        return Kept(path, rows.header, tuple(columns), tuple(types), rows.size)


def _keep(found: Sequence[Kept], kept: KeptKinds) -> None:
    """Keep what was counted, once all files are proved to be as they were. A full disk is none."""
    new = [one for one in found if one.path.parent != kept.folder]
    try:
        kept.folder.mkdir(parents=True, exist_ok=True)
        for one in new:
            key, own = one.path.stem, kept.folder / one.path.name
            told = {**asdict(one), "sha256": _hashes(one.path)}
            del told["path"]
            for old, place in ((one.path, own), (_ids(one.path), _ids(own))):
                if old.exists():
                    beside = place.with_name(f"{place.name}.{os.getpid()}")
                    shutil.copyfile(old, beside)
                    beside.replace(place)
            write_entry(own.with_suffix(".json"), key, json.dumps(told).encode())
    except OSError:
        return
    if new:
        kept.bound()


def _ids(path: Path) -> Path:
    return path.with_name(f"{path.stem}-ids.parquet")


def _hashes(path: Path) -> list[str | None]:
    """The hashes of the kinds, and of the ids beside them; None of a file that is not there."""
    both = (path, _ids(path))
    return [hashlib.sha256(one.read_bytes()).hexdigest() if one.exists() else None for one in both]


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


def _check_alike(source: Files, found: Sequence[Kept]) -> None:
    """Raise where files have other columns, or types in those that count, than the first."""
    names = [part.name for part in source.parts]
    width = len(source.keys)
    own = [one.header[: len(one.header) - width] for one in found]
    if source.suffix != ".parquet" and any(one != own[0] for one in own):
        raise NotPlainError("its files have other columns than the first")
    same_columns(list(zip(names, own, strict=True)))
    not_twice(source, own[0])
    types = [(name, one.types) for name, one in zip(names, found, strict=True)]
    same_types(types, found[0].columns)


def _check_ids(connection: Any, ids: Sequence[str], source: Files, wanted: Wanted) -> None:
    if not ids:
        return
    twice = connection.execute(
        f"SELECT k0, count(*) FROM {_read(*map(Path, ids))} "  # noqa: S608
        "GROUP BY k0 HAVING count(*) > 1 LIMIT 1"
    ).fetchone()
    if twice is not None:
        raise not_unique(source.name, str(wanted.id), *twice)
