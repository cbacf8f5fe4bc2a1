"""Objects of a store (S3, Google Cloud Storage, Azure), read in place: no copy is made of them.

What is read of an object are the parts of it that are needed. Its bytes are never read only to be
hashed: an object is known by its size and the ETag that the store gives it, which is another one
once other bytes are put in its place. How a store's client is found, and who it says that asks,
stands in :mod:`evalreport.data.store_clients`.
"""

from __future__ import annotations

import datetime as dt
import fnmatch
import hashlib
import io
import re
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, cast

from evalreport.data.source import Source, suffix_of
from evalreport.data.store_clients import SCHEMES, client_of, failed, not_installed
from evalreport.errors import FilesError, Location, LostError, Problem, did_you_mean

#: How an engine knows objects.
PROTOCOL = "evalreport"
#: Bytes that are fetched at once where an object is read from its beginning.
_BLOCK = 4 << 20
#: Objects that are asked for their ETag side by side.
_SIDE_BY_SIDE = 8
#: What a store's client says where it refuses, or has nothing to show who asks.
_REFUSED = re.compile(
    r"ACCESS_DENIED|INVALID_ACCESS_KEY_ID|SIGNATURE_DOES_NOT|[Cc]redential|PERMISSION_DENIED|"
    r"UNAUTHENTICATED|Unauthorized|Forbidden|access token|Authentication|Authorization|"
    r"(?<![\w.:])40[13](?!\w)"
)
_ETAGS = ("etag", "generation", "last-modified")


@dataclass(frozen=True)
class StoredObject(Source):
    """An object: ``name`` is its address, ``sha256`` the hash of its size and ETag."""

    far: ClassVar[bool] = True
    etag: str = ""
    #: Why an engine could not read it, which tells that in words of its own.
    lost: list[str] = field(default_factory=list, compare=False)

    def is_there(self) -> bool:
        try:
            return opened_object(self.name) == self
        except FilesError:
            return False

    @contextmanager
    def stream(self) -> Iterator[BinaryIO]:
        with _answering(self.name):
            raw = client_of(self.name).open_input_file(_below(self.name))
        try:
            yield cast("BinaryIO", io.BufferedReader(_Raw(raw, self.name), _BLOCK))
        finally:
            raw.close()

    def check_still(self, stream: BinaryIO) -> None:
        del stream
        now = opened_object(self.name)
        if (now.size, now.etag) != (self.size, self.etag):
            raise FilesError(
                Problem(
                    "the object changed while it was read",
                    "run again when nothing writes to it",
                    Location(self.name),
                )
            )

    def check_given(self) -> None:
        if self.lost:
            raise LostError(f"the connection to the store was lost: {self.lost.pop()}", self.name)


class _Raw(io.RawIOBase):
    """A file of pyarrow as Python's own streams take it."""

    def __init__(self, file: Any, name: str) -> None:
        self._file, self._name, self._at = file, name, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, place: int, whence: int = 0) -> int:
        self._at = place + {0: 0, 1: self._at, 2: int(self._file.size())}[whence]
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, room: Any) -> int:
        found = read_part(self._file, self._name, len(room), self._at)
        room[: len(found)] = found
        self._at += len(found)
        return len(found)


def is_stored(text: str) -> bool:
    """Whether a path of a spec is the address of an object, or of several.

    >>> is_stored("s3://bucket/rows.parquet"), is_stored("rows.parquet")
    (True, False)
    """
    return text.lower().startswith(tuple(f"{scheme}://" for scheme in SCHEMES))


def opened_object(address: str) -> StoredObject:
    """An object by its address. Raises FilesError where there is none, LostError for no answer."""
    with _answering(address):
        store, below = client_of(address), _below(address)
        info = store.get_file_info(below)
        if not info.is_file:
            raise _absent(store, address)
        with store.open_input_file(below) as file:
            told = {_text(k).lower(): _text(v) for k, v in (file.metadata() or {}).items()}
    etag = next((told[name] for name in _ETAGS if told.get(name)), str(info.mtime))
    known = hashlib.sha256(f"{info.size} {etag}".encode()).hexdigest()
    return StoredObject(
        address, Path(address), suffix_of(below), int(info.size), known, (), etag=etag
    )


def listed_objects(address: str) -> tuple[str, list[tuple[str, StoredObject]]]:
    """The objects below an address that ends in / or has marks of a pattern.

    The address up to the first mark, and each object with its name below that, in order.
    """
    parts = address.split("/")
    fixed = next((i for i, part in enumerate(parts) if set(part) & set("*?[")), len(parts) - 1)
    root, pattern = "/".join(parts[:fixed]) + "/", "/".join(parts[fixed:])
    from pyarrow import fs

    with _answering(address):
        store, below = client_of(address), _below(root).rstrip("/")
        chosen = fs.FileSelector(below, recursive=True, allow_not_found=True)
        names = sorted(info.path[len(below) + 1 :] for info in store.get_file_info(chosen)
                       if info.is_file and info.size)  # fmt: skip
    kept = [name for name in names if _fits(name, pattern)]
    if not kept:
        told = "no object is named so" if names or pattern else "there are no objects below it"
        raise failed(address, told, "an address with objects below it")
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(_SIDE_BY_SIDE) as pool:
        found = list(pool.map(opened_object, (f"{root}{name}" for name in kept)))
    return root, list(zip(kept, found, strict=True))


def _fits(name: str, pattern: str) -> bool:
    """Whether a name is of a pattern, part by part; below a folder all are but the hidden ones."""
    parts = name.split("/")
    if not pattern:
        return not any(part.startswith((".", "_")) for part in parts)
    return _alike(parts, pattern.split("/"))


def _alike(parts: Sequence[str], marks: Sequence[str]) -> bool:
    """Whether parts of a name are those of a pattern, in which ** is any number of them.

    >>> _alike(["2026", "a.csv"], ["**", "*.csv"]), _alike(["2026", "a.csv"], ["*.csv"])
    (True, False)
    """
    if not marks:
        return not parts
    if marks[0] == "**":
        return any(_alike(parts[i:], marks[1:]) for i in range(len(parts) + 1))
    return bool(parts) and fnmatch.fnmatchcase(parts[0], marks[0]) and _alike(parts[1:], marks[1:])


def given(connection: Any, objects: Sequence[StoredObject]) -> list[str]:
    """Have a connection of DuckDB open these objects and no other; the names it knows them by.

    Raises FilesError where what stands between is not installed.
    """
    try:
        import fsspec
    except ImportError:
        raise not_installed() from None
    known = {f"{PROTOCOL}://{place}{one.suffix}": one for place, one in enumerate(objects)}

    class Given(fsspec.AbstractFileSystem):  # type: ignore[misc]
        protocol, cachable = PROTOCOL, False

        @classmethod
        def _strip_protocol(cls, path: str) -> str:
            return path

        def open(self, path: str, *_: Any, **__: Any) -> Any:
            return _Watched(known[path])

        def info(self, path: str, **_: Any) -> dict[str, Any]:
            return {"name": path, "size": known[path].size, "type": "file"}

        def exists(self, path: str, **_: Any) -> bool:
            return path in known

        def glob(self, path: str, **_: Any) -> list[str]:
            return [path] if path in known else []

        def modified(self, path: str) -> dt.datetime:
            # Whether an object is another one is seen by its ETag.
            del path
            return dt.datetime.fromtimestamp(0, dt.UTC)

    connection.register_filesystem(Given())
    return list(known)


class _Watched:
    """An object as an engine reads it, from several threads; why that failed is kept."""

    def __init__(self, source: StoredObject) -> None:
        with _answering(source.name):
            self._file = client_of(source.name).open_input_file(_below(source.name))
        self._source, self.size, self.closed = source, source.size, False
        # Each thread has a place of its own: it goes to one and reads in two steps.
        self._place = threading.local()

    def seek(self, place: int, whence: int = 0) -> int:
        start = {0: 0, 1: self.tell(), 2: self.size}[whence]
        self._place.at = start + place
        return int(self._place.at)

    def tell(self) -> int:
        return int(getattr(self._place, "at", 0))

    def read(self, size: int = -1) -> bytes:
        at = self.tell()
        most = self.size - at if size < 0 else size
        try:
            found = read_part(self._file, self._source.name, most, at)
        except FilesError as error:
            self._source.lost.append(error.problems[0].what)
            raise OSError("the object cannot be read") from None
        self._place.at = at + len(found)
        return found

    def close(self) -> None:
        self.closed = True
        self._file.close()


def read_part(file: Any, address: str, size: int, at: int) -> bytes:
    """Some bytes of an open object from a place on. Raises FilesError, LostError."""
    with _answering(address):
        return bytes(file.read_at(size, at))


@contextmanager
def _answering(address: str) -> Iterator[None]:
    """Raises FilesError, and LostError where trying again may help, for what a store refuses."""
    try:
        yield
    except FileNotFoundError:
        raise failed(address, "there is no such object", "the address of an object") from None
    except _errors_of_clients() as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        # The name of an object says nothing of why it could not be read.
        if _REFUSED.search(reason.replace(_below(address).partition("/")[2], "")):
            what = f"the store refuses to show it: {reason}"
            instead = "credentials that may read it, where the client of the store looks for them"
            raise failed(address, what, instead) from None
        raise LostError(f"the store does not answer: {reason}", address) from None


def _errors_of_clients() -> tuple[type[Exception], ...]:
    """What clients raise: that of Azure also what it was not written to tell as OSError."""
    own = getattr(sys.modules.get("pyarrow"), "ArrowException", None)
    return (OSError,) if own is None else (OSError, own)


def _below(address: str) -> str:
    """Bucket and key, as pyarrow names them."""
    return address.partition("://")[2]


def _absent(store: Any, address: str) -> FilesError:
    """What is not there: the bucket or the object, with the nearest name beside it."""
    from pyarrow import fs

    below = _below(address)
    bucket, _, _ = below.partition("/")
    if store.get_file_info(bucket).type == fs.FileType.NotFound:
        return failed(address, f"there is no bucket {bucket}", "a bucket that is there")
    folder, _, name = below.rpartition("/")
    beside = store.get_file_info(fs.FileSelector(folder, allow_not_found=True))
    names = [info.base_name for info in beside if info.is_file]
    hint = did_you_mean(name, names, f"objects beside it in {bucket}")
    return failed(address, "there is no such object", hint)


def _text(value: bytes | str) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value
