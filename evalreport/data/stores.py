"""Objects of a store (S3, Google Cloud Storage, Azure): copied to a scratch folder, then files.

Copies stay until the process ends; an object that is asked for again is copied again only where
the store shows another one. How a store's client is found, and who it says that asks, is in
:mod:`evalreport.data.store_clients`.
"""

from __future__ import annotations

import atexit
import errno
import fnmatch
import os
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

from evalreport.data.source import Source, open_source, suffix_of
from evalreport.data.store_clients import SCHEMES, client_of, failed
from evalreport.errors import FilesError, LostError, did_you_mean
from evalreport.scratch import scratch_folder

#: Objects that are copied side by side.
_SIDE_BY_SIDE = 8
#: What a store's client says where it refuses, or has nothing to show who asks.
_REFUSED = re.compile(
    r"ACCESS_DENIED|INVALID_ACCESS_KEY_ID|SIGNATURE_DOES_NOT|[Cc]redential|PERMISSION_DENIED|"
    r"UNAUTHENTICATED|Unauthorized|Forbidden|access token|Authentication|Authorization|"
    r"(?<![\w.:])40[13](?!\w)"
)
#: What tells two contents of an object apart, by the names that stores have for it.
_VERSIONS = ("etag", "generation", "last-modified")

#: The copies of this process, by address and by what the store said of the object.
_COPIES: dict[tuple[str, str], Path] = {}


def is_stored(text: str) -> bool:
    """Whether a path of a spec is the address of an object, or of several.

    >>> is_stored("s3://bucket/rows.parquet"), is_stored("rows.parquet")
    (True, False)
    """
    return text.lower().startswith(tuple(f"{scheme}://" for scheme in SCHEMES))


def copied(address: str) -> Source:
    """An object by its address, as a file of that name.

    Raises FilesError where there is none, where it changes meanwhile or does not fit on the disk,
    LostError where the store does not answer.
    """
    with _answering(address):
        store = client_of(address)
        if not store.get_file_info(_below(address)).is_file:
            raise _absent(store, address)
        return _copy(store, address)


def copied_below(address: str, fixed: str) -> list[tuple[str, Source]]:
    """The objects of an address that ends in / or has marks of a pattern, in order.

    ``fixed`` is the address up to the first mark; each object has its name below that. Raises as
    ``copied``.
    """
    from pyarrow import fs

    with _answering(address):
        store, below = client_of(address), _below(fixed).rstrip("/")
        chosen = fs.FileSelector(below, recursive=True, allow_not_found=True)
        names = [info.path[len(below) + 1 :] for info in store.get_file_info(chosen)
                 if info.is_file and info.size]  # fmt: skip
        pattern = address[len(fixed) :]
        kept = sorted(name for name in names if _fits(name, pattern))
        if not kept:
            told = "no object is named so" if names or pattern else "there are no objects below it"
            raise failed(address, told, "an address with objects below it")
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(_SIDE_BY_SIDE) as pool:
            made = pool.map(lambda name: _copy(store, f"{fixed}{name}"), kept)
            return list(zip(kept, made, strict=True))


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


def _copy(store: Any, address: str) -> Source:
    """An object that is there, as a file."""
    from pyarrow import fs

    size, version = _version(store, address)
    path = _COPIES.get((address, version))
    if path is None or not path.is_file():
        room = shutil.disk_usage(_folder()).free
        if size > room:
            what = f"it has {size:,} bytes, and the scratch folder room for {room:,}"
            raise failed(address, what, "a folder with more room in TMPDIR")
        path = _folder() / f"{len(_COPIES)}-{os.urandom(4).hex()}{suffix_of(_below(address))}"
        fs.copy_files(_below(address), str(path), store, fs.LocalFileSystem())
        if _version(store, address) != (size, version):
            path.unlink()
            what = "the object changed while it was read"
            raise failed(address, what, "run again when nothing writes to it")
        _COPIES[address, version] = path
    return open_source(path, address)


def _version(store: Any, address: str) -> tuple[int, str]:
    """The size of an object, and what the store has to tell it from others of that name."""
    with store.open_input_file(_below(address)) as file:
        told = {_text(k).lower(): _text(v) for k, v in (file.metadata() or {}).items()}
        size = int(file.size())
    return size, " ".join([str(size), *(told[name] for name in _VERSIONS if told.get(name))])


@lru_cache(maxsize=1)
def _folder() -> Path:
    """Where copies are until the process ends."""
    stack = ExitStack()
    folder = Path(stack.enter_context(scratch_folder()))
    atexit.register(stack.close)
    return folder


@contextmanager
def _answering(address: str) -> Iterator[None]:
    """Raises FilesError, and LostError where trying again may help, for what a store refuses."""
    try:
        yield
    except FileNotFoundError:
        raise failed(address, "there is no such object", "the address of an object") from None
    except _errors_of_clients() as error:
        if getattr(error, "errno", None) == errno.ENOSPC:
            told = "the scratch folder is full"
            raise failed(address, told, "a folder with more room in TMPDIR") from None
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

    bucket, _, _ = _below(address).partition("/")
    if store.get_file_info(bucket).type == fs.FileType.NotFound:
        return failed(address, f"there is no bucket {bucket}", "a bucket that is there")
    folder, _, name = _below(address).rpartition("/")
    beside = store.get_file_info(fs.FileSelector(folder, allow_not_found=True))
    names = [info.base_name for info in beside if info.is_file]
    hint = did_you_mean(name, names, f"objects beside it in {bucket}")
    return failed(address, "there is no such object", hint)


def _text(value: bytes | str) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value
