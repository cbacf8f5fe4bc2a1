from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from engine.counting.postgres_server import server  # noqa: F401 - a fixture of this folder


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Writes the rows of a query to a Parquet file."""

    def to_file(query: str, name: str = "rows.parquet") -> Path:
        path = tmp_path / name
        plain = tmp_path / "written.parquet"
        duckdb.connect().execute(f"COPY ({query}) TO '{plain}' (FORMAT parquet)")
        plain.rename(path)
        return path

    return to_file
