"""A hash of rows that come without a file: of what they hold, not of the order they come in.

Each row is written in one way, hashed by SHA-512, and the hashes are added up modulo 2^512;
the hash of the rows is the SHA-256 of the header, the number of rows and that sum. A database
may give the rows in any order; one row more, less, twice or changed gives another sum.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import Any

_SIZE = 64


class RowsDigest:
    """Takes in a header and then rows.

    >>> one, two = RowsDigest(), RowsDigest()
    >>> for digest, rows in ((one, [("a", 1.0), ("b", None)]), (two, [("b", None), ("a", 1.0)])):
    ...     digest.begin(["y", "s"])
    ...     for row in rows:
    ...         digest.add(row)
    >>> one.sha256 == two.sha256
    True
    """

    def __init__(self) -> None:
        self._header: list[str] = []
        self._settled: str | None = None
        self._rows = self._sum = 0

    def begin(self, header: Sequence[str]) -> None:
        """Start anew, with the names of the columns."""
        self._header, self._rows, self._sum, self._settled = list(header), 0, 0, None

    def settle(self, sha256: str) -> None:
        """The hash as a database gave it, of rows that it did not hand over."""
        self._settled = sha256

    def add(self, row: Iterable[Any]) -> None:
        """One more row."""
        written = json.dumps([_written(value) for value in row], ensure_ascii=True)
        digest = hashlib.sha512(written.encode("ascii")).digest()
        self._sum = (self._sum + int.from_bytes(digest, "big")) % (1 << 8 * _SIZE)
        self._rows += 1

    @property
    def sha256(self) -> str:
        """The hash, in hexadecimal."""
        if self._settled is not None:
            return self._settled
        head = json.dumps([self._header, self._rows], ensure_ascii=True).encode("ascii")
        return hashlib.sha256(head + b"\n" + self._sum.to_bytes(_SIZE, "big")).hexdigest()


def _written(value: Any) -> Any:
    """A value as JSON that tells its type, where JSON has none for it."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return ["float", repr(value)]
    if isinstance(value, bytes | bytearray | memoryview):
        return ["bytes", bytes(value).hex()]
    if isinstance(value, list | tuple):
        return ["list", *(_written(part) for part in value)]
    if isinstance(value, dict):
        return ["map", *sorted(([str(k), _written(v)] for k, v in value.items()), key=str)]
    return [type(value).__name__, str(value)]
