"""Fingerprints: sha256 of bytes and files, and the one way a value becomes JSON bytes."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalreport.data.source import open_source


@dataclass(frozen=True)
class FileRecord:
    """What is recorded of a file: sha256 in hexadecimal, and size in bytes."""

    sha256: str
    size: int


def sha256(data: bytes) -> str:
    """The sha256 of bytes, in hexadecimal.

    >>> sha256(b"")[:16]
    'e3b0c44298fc1c14'
    """
    return hashlib.sha256(data).hexdigest()


def record_bytes(data: bytes) -> FileRecord:
    """The record of a file with this content."""
    return FileRecord(sha256(data), len(data))


def record_file(path: Path) -> FileRecord:
    """The record of a regular file; links are followed.

    Raises FilesError as :func:`evalreport.data.source.open_source` does.
    """
    source = open_source(path)
    return FileRecord(source.sha256, source.size)


def canonical_json(value: Any) -> bytes:
    r"""JSON bytes that depend on nothing but the value.

    UTF-8, keys sorted by code point, no spaces, a newline at the end. Raises
    ValueError for NaN, infinity or text that is no Unicode, TypeError for keys
    that are not text (1 and "1" would become one key twice) and other types.

    >>> canonical_json({"b": 1, "a": [0.1, None, "é"]}).decode()
    '{"a":[0.1,null,"é"],"b":1}\n'
    """
    _refuse_other_keys([value])
    text = json.dumps(
        value, sort_keys=True, allow_nan=False, ensure_ascii=False, separators=(",", ":")
    )
    return text.encode("utf-8") + b"\n"


def _refuse_other_keys(value: Any) -> None:
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                raise TypeError(f"key {key!r} is not text")
        value = value.values()
    for inner in value:
        # Most of what there is are texts and numbers: no call is made for them.
        if isinstance(inner, (dict, list, tuple)):
            _refuse_other_keys(inner)
