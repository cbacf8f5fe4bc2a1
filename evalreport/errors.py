"""What can go wrong, and the exit status each kind ends with.

    EvalreportError
    ├── UsageError            2   the command was called wrongly
    │   └── SpecError         2   the spec is wrong; every mistake at once
    ├── DataError             3   the data is wrong
    ├── FilesError            4   a file could not be read or written
    │   ├── LimitError        4   a resource limit was reached
    │   └── RenderingError    4   a report could not be drawn
    │       └── MissingLibraryError   for want of a library of the system
    └── ConflictError         5   the target is in use
        └── VerificationError 5   a file, number or chain is not as recorded

An error carries :class:`Problem` values: where, what was found, what would be
right. All problems that can be found together are reported together.
"""

from __future__ import annotations

import difflib
import errno
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

from evalreport.lines import one_line


class ExitStatus(IntEnum):
    """Exit statuses of the ``evalreport`` command; stable, programs may rely on them."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    DATA = 3
    FILES = 4
    CONFLICT = 5
    BUG = 70
    INTERRUPTED = 130
    TERMINATED = 143


@dataclass(frozen=True, order=True)
class Location:
    """A place in a file: line and column count from 1; None where not known.

    >>> str(Location("audit.yaml", 3, 7))
    'audit.yaml:3:7'
    """

    file: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        parts = [self.file]
        if self.line is not None:
            parts.append(str(self.line))
            if self.column is not None:
                parts.append(str(self.column))
        return ":".join(parts)


@dataclass(frozen=True)
class Problem:
    """One mistake: what was found, what would be right, and where.

    >>> str(Problem("unknown key 'tittle'", "did you mean 'title'?", Location("a.yaml", 8, 1)))
    "a.yaml:8:1: unknown key 'tittle'; did you mean 'title'?"
    """

    what: str
    instead: str = ""
    where: Location | None = None

    def __str__(self) -> str:
        """One line, whatever names of strangers stand in it."""
        text = f"{self.what}; {self.instead}" if self.instead else self.what
        return one_line(f"{self.where}: {text}" if self.where else text)


class EvalreportError(Exception):
    """Base of every error a user can meet; carries its problems and exit status."""

    status = ExitStatus.BUG

    def __init__(self, *problems: Problem | str) -> None:
        self.problems: tuple[Problem, ...] = tuple(
            p if isinstance(p, Problem) else Problem(p) for p in problems
        )
        super().__init__("\n".join(str(p) for p in self.problems))


class UsageError(EvalreportError):
    """The command was called in a way that cannot work."""

    status = ExitStatus.USAGE


class SpecError(UsageError):
    """The spec has mistakes; all of them are listed."""


class DataError(EvalreportError):
    """The data is not what the spec says it is."""

    status = ExitStatus.DATA


class FilesError(EvalreportError):
    """A file could not be read or written."""

    status = ExitStatus.FILES


#: What helps where a folder cannot be written.
_HINTS = {
    errno.ENOSPC: "free some space, or choose another folder with -o",
    errno.EDQUOT: "free some of your quota, or choose another folder with -o",
    errno.EFBIG: "raise the limit on file sizes, or choose another folder with -o",
    errno.EROFS: "choose a folder that can be written with -o",
    errno.EACCES: "choose a folder that you may write with -o",
    errno.EPERM: "choose a folder that you may write with -o",
    errno.ENOTDIR: "choose a folder with -o",
}


@contextmanager
def explained(what: str, path: Path | str, instead: str | None = None) -> Iterator[None]:
    """Turn an OSError of the block into a FilesError saying what could not be done, and why.

    ``instead`` is what would be right; where None it follows from the error, as of a full disk.
    """
    try:
        yield
    except OSError as error:
        hint = _HINTS.get(error.errno or 0, "") if instead is None else instead
        reason = error.strerror or str(error)
        raise FilesError(Problem(f"{what}: {reason}", hint, Location(str(path)))) from error


class LostError(FilesError):
    """A connection that broke, or could not be made: it may be tried again."""

    def __init__(self, what: str, name: str, instead: str = "try again later") -> None:
        super().__init__(Problem(what, instead, Location(name)))


class LimitError(FilesError):
    """A stated limit of time, memory or size was reached."""


class RenderingError(FilesError):
    """A report could not be drawn."""


class MissingLibraryError(RenderingError):
    """A report could not be drawn for want of a library of the system."""


class ConflictError(EvalreportError):
    """The target is in use by another run."""

    status = ExitStatus.CONFLICT


class VerificationError(ConflictError):
    """Something is not as it was recorded."""


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word closest to ``word``, or None when nothing is close.

    >>> nearest("treshold", ["thresholds", "title"])
    'thresholds'
    """
    candidates = sorted(set(known))
    by_folded = {name.casefold(): name for name in reversed(candidates)}
    folded = word.casefold()
    if folded in by_folded:
        return by_folded[folded]
    close = difflib.get_close_matches(folded, list(by_folded), n=1, cutoff=0.6)
    return by_folded[close[0]] if close else None


#: One letter in so many may be another before a word is taken for a different one.
LETTERS_PER_SLIP = 4


def slips(word: str, name: str, size: int) -> int | None:
    """Letters put in, left out, changed or swapped; None where they are too many for a slip.

    ``size``: the letters of which one in :data:`LETTERS_PER_SLIP` may be another.

    >>> slips("max_dept", "max_depth", 9), slips("verbosity", "verbose", 9)
    (1, None)
    """
    # Letters in another order are a slip in the shortest word: acu for auc.
    most = max(size // LETTERS_PER_SLIP, sorted(word) == sorted(name))
    if abs(len(word) - len(name)) > most:
        return None
    before: list[int] = []
    row = list(range(len(name) + 1))
    for i, letter in enumerate(word, 1):
        older, before, row = before, row, [i]
        for j, other in enumerate(name, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != other))
            swapped = i > 1 and j > 1 and letter == name[j - 2] and word[i - 2] == other
            row.append(min(cost, older[j - 2] + 1) if swapped else cost)
    return row[-1] if row[-1] <= most else None


def did_you_mean(word: str, known: Iterable[str], what: str = "") -> str:
    """A hint that names the nearest known word, or lists what is known.

    >>> did_you_mean("accurcy", ["accuracy", "recall"])
    "did you mean 'accuracy'?"
    >>> did_you_mean("zzz", ["b", "a"], "columns")
    'columns are: a, b'
    """
    names = sorted(set(known))
    close = nearest(word, names)
    if close is not None:
        return f"did you mean '{close}'?"
    shown = ", ".join(names[:20]) + (f", ... ({len(names)} in all)" if len(names) > 20 else "")
    called = what or "known names"
    return f"{called} are: {shown}" if names else f"there are no {called}"
