"""history.jsonl: one line for each run, each holding the sha256 of the line before.

A line is canonical JSON. ``previous`` is the sha256 of the whole line before it,
its newline included (64 zeros in the first), so that

    sed -n 3p history.jsonl | sha256sum

is the ``previous`` of line 4. ``sha256`` is the line's own, without that field.
Lines are only ever added, under the lock of RUNS. A line of a run follows from its
manifest alone, so one that a crash kept from being written can be written later
(see recovery): it is then marked ``"recovered": true``.

A history is wrong where lines were altered, added, moved, removed or cut off. A chain cannot show
that its last lines were removed; the folders of those runs can, and verify looks for them.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from evalreport.engine.due import last_before
from evalreport.engine.reference.run import ReferenceRun, read_reference, results_of
from evalreport.errors import FilesError, Location, Problem, explained
from evalreport.results.codec import decode_readable, encode, parse_json
from evalreport.results.history import HistoryLine
from evalreport.runs.durable import write_all
from evalreport.runs.hashing import canonical_json, sha256
from evalreport.runs.manifest import Manifest

NAME = "history.jsonl"
BEGINNING = "0" * 64

#: What a line says of a run's series; it stands in the settings of the run's manifest.
_OF_SERIES = ("series", "cadence", "criteria", "looks", "as_of", "delivered", "positive")
_NAMED = re.compile(rb'"run":"([0-9A-Za-z-]+)"')


class SeriesLines(NamedTuple):
    """The runs of one series, the newest last, and its attempts that ended without a run."""

    runs: list[HistoryLine]
    attempts: list[HistoryLine]

    @property
    def since(self) -> list[HistoryLine]:
        """The attempts since the newest run; all of them where there is no run."""
        return [one for one in self.attempts if not self.runs or one.follows(self.runs[-1])]


@dataclass(frozen=True)
class History:
    """The lines of a history as they stand, right or wrong, and what follows the last newline.

    Asking it never fails: a damaged line is simply no entry.
    """

    lines: tuple[bytes, ...] = ()
    torn: bytes = b""

    @cached_property
    def entries(self) -> dict[int, HistoryLine]:
        """The lines that can be read, by number."""
        parsed = ((number, parse_line(line)) for number, line in enumerate(self.lines, start=1))
        return {number: entry for number, entry in parsed if entry is not None}

    @cached_property
    def runs(self) -> dict[str, HistoryLine]:
        """The recorded runs in their order: name -> entry."""
        return {entry.run: entry for entry in self.entries.values() if entry.run is not None}

    @cached_property
    def names(self) -> frozenset[str]:
        """The names that runs ever had, fast: what any line says, right or wrong."""
        found = (name for line in self.lines for name in _NAMED.findall(line))
        return frozenset(name.decode("ascii") for name in found)

    @cached_property
    def pruned(self) -> frozenset[str]:
        """The names of the runs that were removed on purpose."""
        return frozenset(name for entry in self.entries.values() for name in entry.pruned)

    @cached_property
    def kept(self) -> dict[str, str]:
        """The sha256 of what is kept of each removed run."""
        return {name: one for entry in self.entries.values() for name, one in entry.kept.items()}

    def series_of(self, entry: HistoryLine) -> str | None:
        """The series of a run; of a line that says none, that of its spec or the only one."""
        if entry.series is not None:
            return entry.series
        names = set(self._by_spec.values())
        only = next(iter(names)) if len(names) == 1 else None
        return self._by_spec.get(entry.spec_sha256, only)

    @cached_property
    def _by_spec(self) -> Mapping[str | None, str]:
        """The series of lines without one, by spec; lines of older versions name none."""
        return {
            entry.spec_sha256: entry.series
            for entry in self.runs.values()
            if entry.series is not None
        }

    @cached_property
    def in_time(self) -> list[HistoryLine]:
        """The recorded runs by what their data are of, else by their clocks.

        Those of one time are in the order in which they were recorded.
        """
        return sorted(self.runs.values(), key=lambda run: run.time)

    @cached_property
    def by_series(self) -> Mapping[str | None, SeriesLines]:
        """The lines of each series: its runs ``in_time``, its attempts as recorded."""
        found: dict[str | None, SeriesLines] = {}
        for one in (*self.in_time, *self.attempts):
            lines = found.setdefault(self.series_of(one), SeriesLines([], []))
            (lines.attempts if one.run is None else lines.runs).append(one)
        return found

    @cached_property
    def attempts(self) -> tuple[HistoryLine, ...]:
        """The attempts that ended without a run, in their order."""
        return tuple(entry for entry in self.entries.values() if entry.attempt is not None)

    def next_line(self, entry: HistoryLine) -> bytes:
        """The line that adds this to the chain, newline included."""
        previous = sha256(self.lines[-1]) if self.lines else BEGINNING
        chained = replace(entry, n=len(self.lines) + 1, previous=previous, sha256=None)
        return canonical_json(
            encode(replace(chained, sha256=sha256(canonical_json(encode(chained)))))
        )


def line_of_run(run: str, manifest: Manifest, *, recovered: bool = False) -> HistoryLine:
    """What a history line says of a run; all of it follows from the name and the manifest."""
    details = manifest.details
    stated = {name: details.settings[name] for name in _OF_SERIES if name in details.settings}
    # somebody may have altered the settings of a manifest
    return replace(
        decode_readable(HistoryLine, stated) or HistoryLine(),
        when=details.when,
        version=details.version,
        run=run,
        spec_sha256=details.spec.sha256,
        data_sha256=manifest.data_sha256,
        plan_sha256=details.plan_sha256,
        outcome=details.outcome,
        manifest_sha256=sha256(manifest.to_bytes()),
        recovered=recovered,
    )


# a run reads its history several times, and lines that stand in it never change
@lru_cache(maxsize=20_000)
def parse_line(line: bytes) -> HistoryLine | None:
    """The entry of a line, or None when it is no JSON object."""
    try:
        return decode_readable(HistoryLine, parse_json(line))
    except ValueError:
        return None


def split_history(data: bytes) -> History:
    """The history of these bytes."""
    *lines, torn = data.split(b"\n")
    return History(tuple(line + b"\n" for line in lines), torn)


def read_history(runs: Path) -> History:
    """The history of a folder of runs; empty when there is none. Raises FilesError."""
    path = runs / NAME
    with explained("cannot read the history", path):
        try:
            status = path.lstat()
        except FileNotFoundError:
            return History()
        if not stat.S_ISREG(status.st_mode):
            raise FilesError(
                Problem("the history is not a regular file", "move it away", Location(str(path)))
            )
        return split_history(path.read_bytes())


def recorded_history(runs: Path) -> History:
    """The history of a folder that has one. Raises FilesError for any other."""
    history = read_history(runs)
    if not history.lines and not history.torn:
        hint = "give the folder of runs, such as runs/"
        raise FilesError(Problem(f"no {NAME}, so no runs", hint, Location(str(runs))))
    return history


def append(runs: Path, entry: HistoryLine) -> None:
    """Add one line and wait until it is on the disk. Call it under the lock of RUNS.

    When it fails, what was written of the line is taken back; if not even that
    is possible, recovery does it later. Raises OSError or FilesError.
    """
    line = read_history(runs).next_line(entry)
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
    descriptor = os.open(runs / NAME, flags, 0o666)
    try:
        size = os.fstat(descriptor).st_size
        try:
            write_all(descriptor, line)
            os.fsync(descriptor)
        except BaseException:
            with suppress(OSError):
                os.ftruncate(descriptor, size)
            raise
    finally:
        os.close(descriptor)


def chain_problems(history: History, path: Path) -> list[Problem]:
    """Everything wrong with the lines of a history and their order, by line."""
    found = [
        Problem(what, "", Location(str(path), number))
        for number, line in enumerate(history.lines, start=1)
        for what in [*line_problems(line), *_link_problems(history, number)]
    ]
    if history.torn:
        what = "the last line was cut off while it was written"
        where = Location(str(path), len(history.lines) + 1)
        found.append(Problem(what, "the next run puts this right", where))
    return [*found, *_repeated_runs(history, path)]


def line_problems(line: bytes) -> list[str]:
    """What is wrong with one line by itself."""
    try:
        entry = parse_json(line)
        if not isinstance(entry, dict):
            return ["not a JSON object"]
        stated = entry.pop("sha256", None)
        if canonical_json({**entry, "sha256": stated}) != line:
            return ["not written as this program writes it"]
    except ValueError as error:
        return [f"not JSON: {error}"]
    return [] if stated == sha256(canonical_json(entry)) else ["its content was altered"]


def _link_problems(history: History, number: int) -> list[str]:
    entry = history.entries.get(number)
    if entry is None:
        return []
    before = sha256(history.lines[number - 2]) if number > 1 else BEGINNING
    found = []
    if entry.n != number:
        found.append(f"says that it is line {entry.n!r}; lines were removed, added or moved")
    if entry.previous != before:
        found.append("does not follow from the line before it; one of the two was altered")
    return found


def _repeated_runs(history: History, path: Path) -> list[Problem]:
    seen: dict[str, int] = {}
    found = []
    for number, entry in history.entries.items():
        run = entry.run
        if run is not None and seen.setdefault(run, number) != number:
            what = f"run {run} is recorded in line {seen[run]} already"
            found.append(Problem(what, "", Location(str(path), number)))
    return found


def earlier_runs(runs: Path, series: str, until: str | None = None) -> tuple[HistoryLine, ...]:
    """The runs of a series in the order of their lines, those before ``until`` alone where it is.

    Raises FilesError where the history cannot be read.
    """
    history = read_history(runs)
    before = takewhile(lambda run: run.run != until, history.runs.values())
    return tuple(run for run in before if history.series_of(run) == series)


def run_before(runs: Path, earlier: Sequence[HistoryLine], of: str) -> ReferenceRun | None:
    """The last of the ``earlier`` runs before a time, with its results or what is kept of them.

    None where there is no such run, or nothing is left of it. Raises FilesError for results that
    cannot be read.
    """
    last = last_before(earlier, of)
    run = None if last is None else runs / str(last.run)
    if run is None or not results_of(run).is_file():
        return None
    return read_reference(run, Location(str(run)))


def last_positive(runs: Path, series: str) -> tuple[str, Mapping[str, str | None]]:
    """The run of a series that was recorded last, and the positive class of each dataset in it.

    Empty without one. Raises FilesError where the history cannot be read.
    """
    mine = earlier_runs(runs, series)
    return (str(mine[-1].run), mine[-1].positive) if mine else ("", {})
