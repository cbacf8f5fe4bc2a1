"""Rows of many Parquet files, each of which is counted once: what is kept is not counted again.

Every question is put to the files that no kept answer is of, and the answers are added up.
Questions that do not add up, as whether an id stands in two files, are put to all files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlglot import exp

from evalreport.data.files import parts_of
from evalreport.data.parquet_file import ParquetFile
from evalreport.data.read import same_columns
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
from evalreport.engine.counting.wanted import Wanted
from evalreport.version import __version__


@dataclass(frozen=True)
class Stored:
    """What the end of a Parquet file says, once its pages were looked at."""

    name: str
    header: tuple[str, ...]
    types: tuple[str, ...]
    rows: int


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

        self._parts, self._paths, self._kept = parts_of(source), list(paths), kept
        self._files = [_key(part.source.sha256, part.values) for part in self._parts]
        self._by = (__version__, duckdb.__version__)
        self._connection = connection
        stored = self._stored(source, wanted)
        self._types, keys = stored[0].types, keys_of(source)
        self._rows_of = {key: one.rows for key, one in zip(self._files, stored, strict=True)}
        self._viewed: list[int] = []
        super().__init__(
            connection,
            source.name,
            (*stored[0].header, *keys),
            shown_types(self._types, keys),
            sum(one.rows for one in stored),
            wanted.watch,
            wanted.count,
        )

    def ask(self, query: exp.Select) -> Columns:
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
            parts = [self._parts[place] for place in places]
            paths = [self._paths[place] for place in places]
            text = relation(self._types, parts, paths, len(self._parts[0].values))
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
        return question_of(self._by, self._types, query.sql("duckdb", identify=True))

    def _stored(self, source: Source, wanted: Wanted) -> list[Stored]:
        """What each file says of itself; pages are looked at where a file is new."""
        question = question_of(self._by, "stored", wanted.columns)
        known = self._kept.known(question)
        found, new = [], {}
        for part, path, file in zip(self._parts, self._paths, self._files, strict=True):
            if file in known:
                header, types, rows = known[file]
                found.append(Stored(part.name, tuple(header), tuple(types), int(rows)))
                continue
            one = ParquetFile(self._connection, path, part.name)
            if found:
                same_columns([(found[0].name, found[0].header), (one.name, tuple(one.header))])
            check_file(one, part, wanted.columns)
            found.append(Stored(one.name, tuple(one.header), tuple(one.types), one.rows))
            new[file] = [one.header, one.types, one.rows]
        check_alike(source, found, wanted.columns)
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
