"""Rows of many files, each of which is counted once: what is kept is not counted again.

Every question is put to the files that no kept answer is of, and the answers are added up.
Questions that do not add up, as whether an id stands in two files, are put to all files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from sqlglot import exp

from evalreport.data.files import Files, parts_of
from evalreport.data.parquet_file import ParquetFile
from evalreport.data.read import not_twice, same_columns
from evalreport.data.source import Source
from evalreport.engine.counting.adding_up import Parts, added, additive, counted_kinds, limited
from evalreport.engine.counting.answering import Columns
from evalreport.engine.counting.duckdb_rows import DuckDBRows
from evalreport.engine.counting.kept_counts import (
    WORTH_OF_FILE,
    WORTH_OF_SUM,
    KeptCounts,
    question_of,
)
from evalreport.engine.counting.parquet_rows import (
    check_alike,
    check_file,
    keys_of,
    relation,
    shown_types,
)
from evalreport.engine.counting.text_rows import kept_file
from evalreport.engine.counting.wanted import NotPlainError, Wanted
from evalreport.values import dataclass
from evalreport.version import __version__


@dataclass(frozen=True)
class Stored:
    """What a file holds, once it was looked through: names and types of its columns, and rows."""

    name: str
    header: tuple[str, ...]
    types: tuple[str, ...]
    rows: int


class ParquetParts:
    """Parquet files, which are counted where they lie."""

    def __init__(
        self, connection: Any, source: Source, paths: Sequence[str], wanted: Wanted
    ) -> None:
        self._connection, self._source, self._wanted = connection, source, wanted
        self._parts, self._paths = parts_of(source), list(paths)

    def look(self, place: int, first: Stored | None) -> Stored:
        """Look at a file that is new. Raises DataError for one that is damaged."""
        part = self._parts[place]
        one = ParquetFile(self._connection, self._paths[place], part.name)
        if first is not None:
            same_columns([(first.name, first.header), (one.name, tuple(one.header))])
        check_file(one, part, self._wanted.columns)
        return Stored(one.name, tuple(one.header), tuple(one.types), one.rows)

    def check(self, found: Sequence[Stored]) -> None:
        """Look whether the files are of one dataset. Raises as ``check_alike``."""
        check_alike(self._source, found, self._wanted.columns)

    def kinds(self, one: Stored) -> tuple[str, ...]:
        """The types of columns in ``data``."""
        return shown_types(one.types, keys_of(self._source))

    def relation(self, places: Sequence[int], one: Stored) -> str:
        """The SELECT of some files' rows."""
        parts = [self._parts[place] for place in places]
        paths = [self._paths[place] for place in places]
        return relation(one.types, parts, paths, len(keys_of(self._source)))


class DelimitedParts:
    """Files of delimited text, whose columns are kept on disk while they are counted."""

    def __init__(
        self, connection: Any, source: Source, paths: Sequence[str], wanted: Wanted
    ) -> None:
        self._connection, self._source, self._wanted = connection, source, wanted
        self._parts, self._paths = parts_of(source), list(paths)
        self._made: set[int] = set()

    def look(self, place: int, first: Stored | None) -> Stored:
        """Scan a file that is new, and keep its columns. Raises NotPlainError."""
        part, keys = self._parts[place], keys_of(self._source)
        asked = [name for name in self._wanted.columns if name not in keys]
        header, rows = kept_file(
            self._connection, part, self._paths[place], f"data{place}", asked, self._wanted
        )
        self._made.add(place)
        if first is not None and first.header != header:
            raise NotPlainError("its files have other columns than the first")
        return Stored(part.name, header, ("VARCHAR",) * len(header), rows)

    def check(self, found: Sequence[Stored]) -> None:
        """Look whether the files are of one dataset. Raises NotPlainError and DataError."""
        if any(one.header != found[0].header for one in found):
            raise NotPlainError("its files have other columns than the first")
        assert isinstance(self._source, Files)
        not_twice(self._source, found[0].header)

    def kinds(self, one: Stored) -> tuple[str, ...]:
        """The types of columns in ``data``."""
        own = ["NUMBER" if name in self._wanted.numbers else "VARCHAR" for name in one.header]
        return (*own, *("VARCHAR" for _ in keys_of(self._source)))

    def relation(self, places: Sequence[int], one: Stored) -> str:
        """The SELECT of some files' rows."""
        for place in places:
            if place not in self._made:
                self.look(place, one)
        return " UNION ALL ".join(f"SELECT * FROM kept.data{place}" for place in places)  # noqa: S608


class AddedRows(DuckDBRows):
    """The relation ``data`` of several files, asked of as few of them as can be."""

    def __init__(
        self,
        connection: Any,
        source: Source,
        paths: Sequence[str],
        wanted: Wanted,
        kept: KeptCounts,
    ) -> None:
        """Look at the files that are new. Raises as ``parquet_rows``."""
        import duckdb

        self._parts, self._kept = parts_of(source), kept
        self._files = [_key(part.source.sha256, part.values) for part in self._parts]
        written = (source.suffix, repr(source.dialect), sorted(wanted.numbers))
        self._by = (__version__, duckdb.__version__, *written)
        made = ParquetParts if source.suffix == ".parquet" else DelimitedParts
        self._relations = made(connection, source, paths, wanted)
        stored = self._stored(wanted)
        self._first = stored[0]
        self._rows_of = {key: one.rows for key, one in zip(self._files, stored, strict=True)}
        self._viewed: list[int] = []
        kinds = self._relations.kinds(stored[0])
        self._lists = {f"c{place}" for place, kind in enumerate(kinds) if kind.endswith("]")}
        super().__init__(
            connection,
            source.name,
            (*stored[0].header, *keys_of(source)),
            kinds,
            sum(one.rows for one in stored),
            wanted.watch,
            wanted.count,
        )

    def ask(self, query: exp.Select) -> Columns:
        if any(column.name in self._lists for column in query.find_all(exp.Column)):
            # Lists are not kept: they are no plain values.
            return self._asked(query, range(len(self._files)))
        parts = additive(query)
        if parts is not None:
            return self._added(query, parts)
        inner = counted_kinds(query)
        if inner is not None:
            shown, kinds = additive(inner), query.selects[0].alias_or_name
            assert shown is not None
            answer = self._added(inner, shown)
            return {kinds: np.array([len(next(iter(answer.values())))], np.int64)}
        first = limited(query)
        return (
            self._of_any(query, first)
            if first is not None
            else self._asked(query, range(len(self._files)))
        )

    def _added(self, query: exp.Select, parts: Parts) -> Columns:
        """The answer of all files, by adding up; that of new files is kept."""
        question = self._question(query)
        answers: list[Columns] = []
        left = list(range(len(self._files)))
        found = self._kept.of_files(question, self._files, self._rows_of)
        if found is not None:
            answers.append(found[0])
            left = self._without(found[1])
        covers_all = not left
        new: list[int] = []
        for place in left:
            kept = self._kept.of_file(question, self._files[place])
            if kept is None:
                new.append(place)
            else:
                answers.append(kept)
        while new:
            one = new[0]
            answer = self._asked(query, [one])
            answers.append(answer)
            new = new[1:]
            if _rows(answer) > WORTH_OF_FILE * self._rows_of[self._files[one]]:
                break
            self._kept.keep_file(question, self._files[one], answer)
        if new:
            answers.append(self._asked(query, new))
        total = added(answers, parts)
        if not covers_all and _rows(total) <= WORTH_OF_SUM * self.rows:
            self._kept.keep_files(question, self._files, total)
        return total

    def _of_any(self, query: exp.Select, first: int) -> Columns:
        """The answer of any ``first`` rows: of the first files that have as many."""
        chosen: list[int] = []
        rows = 0
        for place, file in enumerate(self._files):
            chosen.append(place)
            rows += self._rows_of[file]
            if rows >= first:
                break
        question, files = self._question(query), [self._files[place] for place in chosen]
        found = self._kept.of_files(question, self._files, self._rows_of)
        if found is not None and sum(self._rows_of[one] for one in found[1].elements()) >= min(
            first, self.rows
        ):
            return found[0]
        answer = self._asked(query, chosen)
        self._kept.keep_files(question, files, answer)
        return answer

    def _asked(self, query: exp.Select, places: Sequence[int]) -> Columns:
        """The answer of some files, which are looked into."""
        if list(places) != self._viewed:
            text = self._relations.relation(places, self._first)
            self._connection.execute(f"CREATE OR REPLACE TEMP VIEW data AS {text}")
            self._viewed = list(places)
        return super().ask(query)

    def _without(self, members: Counter[str]) -> list[int]:
        """The files that are not among the members, each of them as often as it is there."""
        left, free = [], members.copy()
        for place, file in enumerate(self._files):
            if free[file]:
                free[file] -= 1
            else:
                left.append(place)
        return left

    def _question(self, query: exp.Select) -> str:
        return question_of(self._by, self.header, self.kinds, query.sql("duckdb", identify=True))

    def _stored(self, wanted: Wanted) -> list[Stored]:
        """What each file holds; those that are new are looked through."""
        question = question_of(self._by, "stored", wanted.columns)
        known = self._kept.known(question)
        found, new = [], {}
        for place, file in enumerate(self._files):
            if file in known:
                header, types, rows = known[file]
                name = self._parts[place].name
                found.append(Stored(name, tuple(header), tuple(types), int(rows)))
                continue
            one = self._relations.look(place, found[0] if found else None)
            found.append(one)
            new[file] = [one.header, one.types, one.rows]
        self._relations.check(found)
        if new:
            # what is told of files that are no longer there is not kept for ever
            there = {file: known[file] for file in self._files if file in known}
            many = len(known) > 2 * len(self._files)
            self._kept.keep_known(question, {**(there if many else known), **new})
            if known:
                before, files = len(found) - len(new), len(found)
                self._kept.told(f"{before:,} of {files:,} files were counted before")
        return found


def _key(sha256: str, values: Sequence[str | None]) -> str:
    """What an answer of a file follows from: its content, and the values of its folders."""
    return question_of(sha256, values)


def _rows(answer: Columns) -> int:
    return len(next(iter(answer.values())))
