from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from evalreport.data import RawTable, open_source, read_table
from evalreport.data.delimited import read_delimited


@pytest.fixture
def table_of() -> Callable[[str], RawTable]:
    """A table of CSV text."""

    def read(text: str) -> RawTable:
        return read_delimited(io.BytesIO(text.encode()), "a.csv", ",")

    return read


@pytest.fixture
def read_bytes(tmp_path: Path) -> Callable[..., RawTable]:
    """A table of bytes written to a file."""

    def read(content: bytes, name: str = "a.csv", **options: object) -> RawTable:
        path = tmp_path / name
        path.write_bytes(content)
        return read_table(open_source(path, name), **options)  # type: ignore[arg-type]

    return read
