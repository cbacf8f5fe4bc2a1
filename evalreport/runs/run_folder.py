"""A run is built aside and published whole; one that came to nothing leaves a line.

    with RunFolder(runs, spec_sha256, when) as folder:
        folder.write("results.json", data)
        folder.write("report.html", page)
        published = folder.publish(details)

1. Build in RUNS/.tmp-*; every file is written and on the disk when write returns.
2. MANIFEST.json last; then the folder is on the disk too.
3. Under the lock of RUNS: rename the folder to its name, add its line to the
   history, replace the link `latest`.

The line in the history is what makes a run a run. A failure before it leaves
RUNS as it was. After it the run stays, and only the link can be behind. A crash
at any point is put right by the next run (see recovery).

A run that came to nothing leaves a line in the history: when, which series, which status.
A line of an attempt holds the chain together as any other, and names no run. What was wrong
was reported when it happened; messages may quote rows, so that no line holds them.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from evalreport.data.source import readable_name
from evalreport.errors import (
    ConflictError,
    EvalreportError,
    FilesError,
    explained,
)
from evalreport.results.history import Attempt, HistoryLine
from evalreport.runs.durable import remove_file, remove_folder, sync_folder, write_new_file
from evalreport.runs.hashing import FileRecord, record_bytes
from evalreport.runs.history import NAME as HISTORY
from evalreport.runs.history import append, line_of_run, read_history
from evalreport.runs.lock import WAIT, lock_now, runs_lock
from evalreport.runs.manifest import NAME as MANIFEST
from evalreport.runs.manifest import Manifest, RunDetails
from evalreport.runs.recovery import OWNER, recover
from evalreport.runs.runs import BUILDING, LINKING, free_run_name, make_runs
from evalreport.runs.signals import signals_held
from evalreport.spec.overrides import apply_overrides
from evalreport.spec.scalars import Scalar
from evalreport.spec.series import LATEST, MOST_LETTERS, one_zone, series_link
from evalreport.spec.yaml_document import read_document

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class RunFolder:
    """The folder of one run while it is built; a context manager.

    ``spec_sha256`` and ``when`` (the run's clock) give the run its name, ``wait``
    is how many seconds to wait for another run that is publishing. Entering
    makes RUNS and repairs what an earlier run left; leaving without having
    published removes every trace. Raises FilesError, and ConflictError when
    RUNS stays in use.
    """

    def __init__(self, runs: Path, spec_sha256: str, when: datetime, wait: float = WAIT) -> None:
        self._runs = runs
        self._spec_sha256 = spec_sha256
        self._when = when
        self._wait = wait
        self._outputs: dict[str, FileRecord] = {}
        self._owner: int | None = None
        self._unique = f"{os.getpid()}-{secrets.token_hex(8)}"
        self._folder = runs / f"{BUILDING}{self._unique}"
        self._link = runs / f"{LINKING}{self._unique}"

    def __enter__(self) -> Self:
        try:
            make_runs(self._runs)
            with runs_lock(self._runs, self._wait), signals_held():
                recover(self._runs)
                with explained("cannot make the folder of the run", self._runs):
                    self._folder.mkdir()
                    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
                    self._owner = os.open(self._folder / OWNER, flags, 0o666)
                    lock_now(self._owner)
        except BaseException:
            self._clean_up()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with signals_held():
            self._clean_up()

    def write(self, name: str, data: bytes) -> None:
        """Write one file of the run; it is on the disk when this returns.

        ``name`` is a plain file name (ValueError otherwise, or when it was
        written already). Raises FilesError.
        """
        if not _NAME.fullmatch(name) or name == MANIFEST:
            raise ValueError(f"{name!r} cannot be a file of a run")
        if name in self._outputs:
            raise ValueError(f"{name} was written already")
        with explained(f"cannot write {name}", self._runs):
            write_new_file(self._folder / name, data)
        self._outputs[name] = record_bytes(data)

    def publish(self, details: RunDetails) -> Path:
        """Make the run visible, whole, and return its folder.

        Raises FilesError and ConflictError; then nothing was published, unless
        the message says that the run is recorded and only `latest` is behind.
        """
        manifest = Manifest(details, dict(self._outputs))
        with explained(f"cannot write {MANIFEST}", self._runs):
            write_new_file(self._folder / MANIFEST, manifest.to_bytes())
            sync_folder(self._folder)
        with runs_lock(self._runs, self._wait), signals_held():
            recorded = recover(self._runs).names
            name = free_run_name(self._runs, self._when, self._spec_sha256, recorded)
            with explained("cannot publish the run", self._runs):
                self._record(name, manifest)
            self._point_latest(name, manifest.details.settings.get("series"))
        return self._runs / name

    def _record(self, name: str, manifest: Manifest) -> None:
        """Give the run its name and its line; on failure neither. Raises OSError, FilesError."""
        final = self._runs / name
        # Made first, because making it needs space; until it is `latest` nobody follows it.
        self._link.symlink_to(name)
        (self._folder / OWNER).unlink()
        self._folder.rename(final)
        try:
            sync_folder(self._runs)
            append(self._runs, line_of_run(name, manifest))
        except BaseException:
            # A line that could be neither finished nor taken back is left to recovery,
            # and so is its run.
            with suppress(FilesError):
                history = read_history(self._runs)
                if not history.torn and name not in history.names:
                    self._take_back(final)
            raise

    def _take_back(self, final: Path) -> None:
        try:
            final.rename(self._folder)
        except OSError:
            # Without its manifest it is no run, whatever else of it stays.
            remove_file(final / MANIFEST)
            remove_folder(final)

    def _point_latest(self, name: str, series: object) -> None:
        """Lead `latest`, and the link of the series, to the newest run by its clock.

        A run with an earlier clock than the newest, a backfill, is recorded and led to by none.
        """
        what = f"run {name} is whole and recorded, but `{LATEST}` may still lead to an earlier run"
        hint = f"open {self._runs / name}; the next run replaces `{LATEST}`"
        with explained(what, self._runs, hint):
            history = read_history(self._runs)
            targets = {LATEST: self._newest(history.in_time, name)}
            if isinstance(series, str) and series in history.by_series:
                own = history.by_series[series].runs
                targets[series_link(series)] = self._newest(own, name)
            for link, target in targets.items():
                remove_file(self._link)
                self._link.symlink_to(target)
                self._link.replace(self._runs / link)
            sync_folder(self._runs)

    def _newest(self, lines: Sequence[HistoryLine], name: str) -> str:
        """The last of the runs that are there; ``name``, the one just made, if none is."""
        names = (str(line.run) for line in reversed(lines))
        return next((one for one in names if (self._runs / one).is_dir()), name)

    def _clean_up(self) -> None:
        """Remove what was not published, and let go of the owner's lock."""
        remove_file(self._link)
        remove_folder(self._folder)
        if self._owner is not None:
            with suppress(OSError):
                os.close(self._owner)
            self._owner = None


def _is_ours(runs: Path) -> bool:
    """Whether a folder has a history, or nothing that is seen: one of somebody else stays as is."""
    if os.path.lexists(runs / HISTORY):
        return True
    try:
        return all(name.startswith(".") for name in os.listdir(runs))  # noqa: PTH208 - names
    except OSError:
        return False


@dataclass(frozen=True)
class Attempted:
    """What is known of a run that came to nothing: its series, what its data were to be of.

    ``there``: whether there is a spec at all.
    """

    series: str
    as_of: str | None = None
    there: bool = True


def attempted_run(path: Path, overrides: Sequence[str] = ()) -> Attempted:
    """What a spec says of its series, also where it does not load; else its file's name."""
    nothing = b"{}"
    try:
        document = read_document(path.read_bytes(), str(path))
        there = True
    except (OSError, EvalreportError):
        document = read_document(nothing, str(path))
        there = path.is_file()
    with suppress(EvalreportError):
        apply_overrides(document, overrides)
    root = document.root if isinstance(document.root, dict) else {}
    as_of = _text(root.get("as_of"))
    try:
        as_of = None if as_of is None else one_zone(as_of)
    except (ValueError, OverflowError):
        as_of = None
    stated = (_text(root.get("series")) or "")[:MOST_LETTERS]
    return Attempted(stated or Path(readable_name(path.name)).stem, as_of, there)


def _text(stated: object) -> str | None:
    text = stated.text if isinstance(stated, Scalar) else stated
    return text if isinstance(text, str) and text else None


def record_attempt(
    runs: Path, of: Attempted, status: int, *, when: str, version: str, unless_made: bool = False
) -> None:
    """Add the line of an attempt that ended with ``status``, where RUNS has a history or is empty.

    None where ``unless_made`` and a run of this series and clock is recorded. A folder of runs is
    never made for one, and no series begins with a spec that is not there. Where the line cannot
    be written the run's own error is what is reported.
    """
    if not _is_ours(runs):
        return
    with (
        suppress(OSError, FilesError, ConflictError),
        runs_lock(runs, WAIT),
        signals_held(),
    ):
        history = recover(runs)
        lines = history.by_series.get(of.series)
        made = unless_made and lines is not None and any(run.when == when for run in lines.runs)
        if not made and (of.there or lines is not None):
            ended = Attempt(status)
            line = HistoryLine(
                when=when, version=version, series=of.series, as_of=of.as_of, attempt=ended
            )
            append(runs, line)
