"""A file as evidence: a regular file, its hash, and proof that it held still while read."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from evalreport.data.dialect import Dialect
from evalreport.errors import DataError, FilesError, LimitError, Location, Problem

_BLOCK = 1 << 20
_NOT_REGULAR = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISSOCK, "a socket"),
)


@dataclass(frozen=True)
class Source:
    """A regular file: ``path`` with links resolved, ``name`` as the user wrote it.

    ``suffix`` is the kind of file by the path as given (".csv", ".csv.gz", ...);
    ``identity`` is device, inode, size and times of the file when it was hashed;
    ``dialect`` is how it is written.
    """

    name: str
    path: Path
    suffix: str
    size: int
    sha256: str
    identity: tuple[int, ...]
    dialect: Dialect = field(default_factory=Dialect, kw_only=True)

    @contextmanager
    def stream(self) -> Iterator[BinaryIO]:
        """The file open for reading; FilesError if it is another file by now."""
        with _opened(self.path, self.name, None) as stream:
            if _identity(os.fstat(stream.fileno())) != self.identity:
                raise _changed(self.name)
            yield stream

    def check_still(self, stream: BinaryIO) -> None:
        """Raise FilesError unless the file is the one that was hashed."""
        stream.seek(0)
        same = _digest(stream)[0] == self.sha256
        held = _identity(os.fstat(stream.fileno())) == self.identity
        if not (self.is_there() and same and held):
            raise _changed(self.name) from None

    def is_there(self) -> bool:
        """Whether the file is there with the size and times it had when it was hashed."""
        try:
            return _identity(self.path.stat()) == self.identity
        except OSError:
            return False


def readable_name(name: str) -> str:
    r"""A file's name as text that can be written: bytes that are no UTF-8 as escapes.

    >>> readable_name("d\udcff.csv"), readable_name("d.csv")
    ('d\\xff.csv', 'd.csv')
    """
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def open_source(path: str | os.PathLike[str], name: str | None = None) -> Source:
    """Check that ``path`` is a readable regular file and hash it.

    ``name`` is how messages call the file (default: the path). Links are followed.
    Raises FilesError for anything else, before it is opened.
    """
    shown = name if name is not None else os.fspath(path)
    resolved, info = _resolve(path, shown)
    with _opened(resolved, shown, info) as stream:
        digest, size = _digest(stream)
        after = os.fstat(stream.fileno())
    if _identity(after) != _identity(info) or size != info.st_size:
        raise _changed(shown)
    return Source(shown, resolved, suffix_of(path), size, digest, _identity(info))


def listed_sha256(files: Iterable[tuple[str, str]]) -> str:
    """The hash of several files: that of the list of their hashes and names."""
    listed = "".join(f"{sha256}  {name}\n" for sha256, name in files)
    return hashlib.sha256(listed.encode("utf-8", "surrogateescape")).hexdigest()


def is_unchanged(source: Source) -> bool:
    """Whether the file is still there with the size and times it had when it was hashed."""
    return source.is_there()


@contextmanager
def reading(source: Source) -> Iterator[BinaryIO]:
    """The file open for reading; FilesError if it is not the file that was hashed.

    The stat is compared before and after, and the hash after.
    """
    with source.stream() as stream:
        try:
            yield stream
        except (DataError, LimitError):
            # A file that is being written looks damaged: say what is the matter with it.
            source.check_still(stream)
            raise
        source.check_still(stream)


@contextmanager
def opened(source: Source) -> Iterator[BinaryIO]:
    """The file open for reading, within ``reading``; FilesError if it is another file by now."""
    with source.stream() as stream:
        yield stream


def suffix_of(path: str | os.PathLike[str]) -> str:
    """The kind of file by its name, in lower case.

    >>> suffix_of("a.b.CSV.gz")
    '.csv.gz'
    """
    name = Path(path).name.lower()
    end = ".gz" if name.endswith(".gz") else ""
    return Path(name.removesuffix(".gz")).suffix + end


CIRCLE = "cannot be read: its links go in a circle"


def _resolve(path: str | os.PathLike[str], shown: str) -> tuple[Path, os.stat_result]:
    try:
        resolved = Path(path).resolve(strict=True)
        info = resolved.stat()
    except FileNotFoundError:
        raise _failed(shown, "file not found") from None
    except RuntimeError:  # Python 3.11 and 3.12; later ones give the system's own error
        raise _failed(shown, CIRCLE) from None
    except (OSError, ValueError) as error:
        loop = isinstance(error, OSError) and error.errno == errno.ELOOP
        raise _failed(shown, CIRCLE if loop else f"cannot be read: {_reason(error)}") from None
    if not stat.S_ISREG(info.st_mode):
        kind = next((text for test, text in _NOT_REGULAR if test(info.st_mode)), "no file")
        raise _failed(shown, f"is {kind}")
    return resolved, info


@contextmanager
def _opened(path: Path, shown: str, info: os.stat_result | None) -> Iterator[BinaryIO]:
    # Without O_NONBLOCK a named pipe put in place after the check would hang the open.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        descriptor = os.open(path, flags)
    except OSError as error:
        raise _failed(shown, f"cannot be read: {_reason(error)}") from None
    with os.fdopen(descriptor, "rb") as stream:
        opened = os.fstat(descriptor)
        if not stat.S_ISREG(opened.st_mode):
            raise _changed(shown)
        if info is not None and _identity(opened) != _identity(info):
            raise _changed(shown)
        try:
            yield stream
        except OSError as error:
            raise _failed(shown, f"cannot be read: {_reason(error)}") from error


def _digest(stream: BinaryIO) -> tuple[str, int]:
    digest, size = hashlib.sha256(), 0
    while block := stream.read(_BLOCK):
        digest.update(block)
        size += len(block)
    return digest.hexdigest(), size


def _identity(info: os.stat_result) -> tuple[int, ...]:
    return (info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns)


def _reason(error: Exception) -> str:
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)


def _failed(shown: str, what: str) -> FilesError:
    return FilesError(Problem(what, "give a readable, regular file", Location(shown)))


def _changed(shown: str) -> FilesError:
    return FilesError(
        Problem(
            "the file changed while it was read",
            "run again when nothing writes to it",
            Location(shown),
        )
    )
