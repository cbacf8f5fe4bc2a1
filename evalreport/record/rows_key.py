"""The secret of a folder of runs: by it the rows of two runs are paired, and by nobody else.

It lies beside the runs and in none of them, so that a run can be handed on without it.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from evalreport.errors import FilesError, Location, Problem
from evalreport.record.durable import explained, remove_file, write_all

NAME = ".rows-key"
SIZE = 32


def rows_key(runs: Path) -> bytes:
    """The key of a folder of runs, made when it is first needed. Raises FilesError."""
    path = runs / NAME
    if not path.exists():
        _make(path)
    with explained("read the key of the rows", path):
        key = path.read_bytes()
    if len(key) != SIZE:
        hint = "the file as it was; without it rows cannot be paired with those of earlier runs"
        raise FilesError(Problem("is no key of rows", hint, Location(str(path))))
    return key


def _make(path: Path) -> None:
    aside = path.with_name(f"{NAME}-{os.getpid()}-{secrets.token_hex(4)}")
    with explained("make the key of the rows", path):
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        descriptor = os.open(aside, flags, 0o600)
        try:
            write_all(descriptor, secrets.token_bytes(SIZE))
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        try:
            # whole or not at all, and never in the place of another's
            os.link(aside, path)
        except FileExistsError:
            pass
        finally:
            remove_file(aside)
