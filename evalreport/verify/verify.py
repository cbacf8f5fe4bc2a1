"""Whether runs are still what they were: files, manifests, chain, numbers.

What this finds: any altered byte, any missing or added file, any line of the
history altered, moved or removed, any printed number that does not follow from
its table. What it cannot find: somebody who rewrites files, manifest and the
whole history after it alike. Keep the sha256 of the last line elsewhere to find
that too.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from evalreport.engine.reference.run import records_of
from evalreport.errors import FilesError, Location, Problem, VerificationError, explained
from evalreport.results.codec import encode, parse_json
from evalreport.results.history import HistoryLine
from evalreport.results.lookup import Results
from evalreport.runs.hashing import FileRecord, sha256
from evalreport.runs.history import NAME as HISTORY
from evalreport.runs.history import History, chain_problems, line_of_run, read_history
from evalreport.runs.lock import NAME as LOCK
from evalreport.runs.lock import runs_lock_for_reading
from evalreport.runs.manifest import NAME as MANIFEST
from evalreport.runs.manifest import Manifest, file_problems, read_manifest
from evalreport.runs.prune import removed_problems
from evalreport.runs.runs import run_folders
from evalreport.spec.series import LATEST
from evalreport.verify.kept import kept_problems
from evalreport.verify.printed import printed_problems
from evalreport.verify.recompute import Numbers, recompute

RESULTS = "results.json"
#: The name under which a run is published, see :func:`evalreport.runs.runs.free_run_name`.
_NAME = re.compile(r"(?P<clock>\d{8}T\d{6}Z)-(?P<spec>[0-9a-f]{8})(-\d+)?")


def verify_run(run: Path) -> list[Problem]:
    """Everything in a run folder that is not as its manifest and the history say.

    ``run`` may be a link to it, such as RUNS/latest. The history is that of the folder it
    stands in, every line of it, as each holds those before it. A run that was copied away
    from its history is checked against its manifest alone, see :func:`is_recorded`. Raises
    FilesError when there is no such folder, or its history cannot be read, ConflictError
    when a run keeps publishing.
    """
    folder = _resolved(run)
    path = folder.parent / HISTORY
    if os.path.lexists(path):
        with runs_lock_for_reading(folder.parent):
            history = read_history(folder.parent)
        return _run_problems(folder, history) + chain_problems(history, path)
    found = _run_problems(folder, None)
    if _runs_were_published(folder.parent):
        what = "there is no history, and runs were published here: it was removed"
        found.append(Problem(what, "the history from a backup", Location(str(path))))
    return found


def is_recorded(run: Path) -> bool:
    """Whether a run stands beside a history; a copy of a run elsewhere does not."""
    return os.path.lexists(_resolved(run).parent / HISTORY)


def _runs_were_published(folder: Path) -> bool:
    """Whether a folder has what publishing leaves beside the history."""
    return any(os.path.lexists(folder / name) for name in (LOCK, LATEST))


def anchor_problems(path: Path, anchor: str) -> list[Problem]:
    """Whether a line of the history that was kept elsewhere still stands, and covers a run.

    ``path``: a run, or a folder of runs; ``anchor``: the sha256 of a whole line, newline
    included. Each line holds the sha256 of the one before it, so that all lines up to the
    anchor, and by them the manifests of their runs, are what they were when it was kept.
    Raises as verify_run.
    """
    folder = _resolved(path)
    of_runs = is_folder_of_runs(folder)
    runs = folder if of_runs else folder.parent
    with runs_lock_for_reading(runs):
        history = read_history(runs)
    where = Location(str(runs / HISTORY))
    digests = [sha256(line) for line in history.lines]
    if anchor.lower() not in digests:
        what = f"no line has the sha256 {anchor}: it was altered, or all of it made again"
        return [Problem(what, "the sha256 of a whole line, as sha256sum gives it", where)]
    last = digests.index(anchor.lower()) + 1
    own = next((n for n, e in history.entries.items() if e.run == folder.name), None)
    if of_runs or (own is not None and own <= last):
        return []
    what = (
        f"run {folder.name} was recorded after line {last}, which was kept: the line does not "
        f"cover it"
    )
    return [Problem(what, "a line that was kept after the run", where)]


def verify_runs(runs: Path) -> list[Problem]:
    """The chain of RUNS, and every file of every run in it.

    Raises FilesError when RUNS is no folder, ConflictError when a run keeps publishing.
    """
    folder = _resolved(runs)
    with runs_lock_for_reading(folder):
        history = read_history(folder)
        found = _chain_problems(folder, history)
        for run in run_folders(folder):
            found += _run_problems(run, history)
    return found


def verify_numbers(run: Path) -> Numbers:
    """Every number of a run again, and those that are printed on its page.

    Only results.json, report.html and rows.json (where there are any) are read. Raises
    FilesError when there is no such folder.
    """
    folder = _resolved(run)
    path = folder / RESULTS
    try:
        results = records_of(_content(path), Location(str(path)))
    except FilesError as error:
        return Numbers(error.problems)
    done = recompute(results)
    found = [(path, one.what, one.instead) for one in done.problems]
    for name, problems in _BESIDE.items():
        path = folder / name
        if os.path.lexists(path):
            try:
                found += [(path, what, "") for what in problems(_content(path), results)]
            except (FilesError, ValueError) as error:
                found.append((path, f"cannot be read: {error}", ""))
    told = (Problem(what, instead, Location(str(path))) for path, what, instead in found)
    return replace(done, problems=tuple(told))


#: What is held against the results, where it is there: the page and what is kept of rows.
_BESIDE: Mapping[str, Callable[[bytes, Results], Iterable[str]]] = {
    "report.html": lambda data, results: printed_problems(data.decode("utf-8"), results),
    "rows.json": lambda data, results: kept_problems(parse_json(data), results),
}


def is_folder_of_runs(path: Path) -> bool:
    """Whether a path is RUNS (it has a history and no manifest) and not one run."""
    return os.path.lexists(path / HISTORY) and not os.path.lexists(path / MANIFEST)


def _resolved(path: Path) -> Path:
    """The folder itself where the path is a link to it."""
    if not path.is_dir():
        what = "not a folder" if os.path.lexists(path) else "there is no such folder"
        raise FilesError(Problem(what, "give the folder of a run, or of runs", Location(str(path))))
    return path.resolve() if path.is_symlink() or not path.name else path


def _content(path: Path) -> bytes:
    with explained("cannot be read", path, ""):
        if not stat.S_ISREG(path.lstat().st_mode):
            raise FilesError(Problem("not a regular file", "", Location(str(path))))
        return path.read_bytes()


def _run_problems(run: Path, history: History | None) -> list[Problem]:
    try:
        manifest, record = read_manifest(run)
    except (FilesError, VerificationError) as error:
        return list(error.problems)
    found = [*file_problems(run, manifest), *_name_problems(run, manifest)]
    return found if history is None else found + _history_problems(run, manifest, record, history)


def _name_problems(run: Path, manifest: Manifest) -> Iterator[Problem]:
    """A run keeps the name it was published under: its clock, and the start of its spec's sha256.

    A folder that was called something else says nothing.
    """
    name = _NAME.fullmatch(run.name)
    if name is None:
        return
    details, where = manifest.details, Location(str(run))
    stamp = re.sub("[-:]", "", details.when)
    if name["clock"] != stamp:
        hint = "the clock was altered, or the folder renamed"
        yield Problem(
            f"the folder is named for {name['clock']}, {MANIFEST} says {stamp}", hint, where
        )
    if name["spec"] != details.spec.sha256[:8]:
        what = f"the folder is named for a spec of sha256 {name['spec']}..., {MANIFEST} has another"
        yield Problem(what, "the spec was altered, or the folder renamed", where)


def _chain_problems(runs: Path, history: History) -> list[Problem]:
    path = runs / HISTORY
    folders = {folder.name for folder in run_folders(runs)}
    if not history.lines and not history.torn:
        what = "no history: no run was recorded, or the file was removed or emptied"
        found = [Problem(what, "give the folder of runs", Location(str(path)))]
    else:
        found = chain_problems(history, path)
    for name in history.runs:
        if name not in folders and name not in history.pruned:
            what = f"run {name} is recorded, but its folder is missing"
            found.append(Problem(what, "prune removes runs on record", Location(str(path))))
    found += removed_problems(runs, history)
    for name in sorted(history.pruned - set(history.runs)):
        what = f"run {name} is recorded as removed, but not as made"
        found.append(Problem(what, "", Location(str(path))))
    return found


def _history_problems(
    run: Path, manifest: Manifest, record: FileRecord, history: History
) -> list[Problem]:
    entry = history.runs.get(run.name)
    where = Location(str(run))
    if entry is None:
        hint = "the run was interrupted, renamed or copied here, or its line was removed"
        return [Problem(f"not recorded in {HISTORY}", hint, where)]
    if entry.manifest_sha256 != record.sha256:
        what = f"{MANIFEST} has sha256 {record.sha256}, {HISTORY} records another"
        return [Problem(what, "the run or its line was altered", where)]
    expected = line_of_run(run.name, manifest)
    return [
        Problem(f"{HISTORY} and {MANIFEST} differ in {key}", "one of the two was altered", where)
        for key in _differing(expected, entry)
    ]


def _differing(expected: HistoryLine, entry: HistoryLine) -> list[str]:
    """The fields that a line has otherwise than its run says."""
    told = encode(entry)
    return [key for key, value in sorted(encode(expected).items()) if told.get(key) != value]


#: Changes that nothing in a run tells, when all that follows from them is changed alike.
BEYOND = (
    "the clock, sha256 of what was read with its names and sizes, and digests in rows.json",
    "tables and scores that were made up together with everything that follows from them",
    "two subgroups, models or datasets changed for each other, with all that goes by their order",
    "a part taken out and recorded as failed",
    "what needs the rows: tests on them, both scores of a row, clusters, training, drift",
    "limits of weighted or clustered rows, and descriptions of columns",
    "what is recorded of earlier runs",
    "versions of evalreport, of libraries and the engine, the file name of the spec",
    "words and methods of a run of another version, and drawn limits within what draws differ by",
)
#: What finds them.
INSTEAD = (
    "--rerun with the data, a seal (--sealed-by) or a line of the history kept elsewhere (--anchor)"
)
