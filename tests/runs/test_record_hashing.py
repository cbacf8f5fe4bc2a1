"""Fingerprints and canonical JSON."""

from __future__ import annotations

import hashlib
import math
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalreport.errors import FilesError
from evalreport.results.codec import parse_json
from evalreport.runs.hashing import canonical_json, record_bytes, record_file

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)  # fmt: skip


@given(VALUES)
def test_canonical_json_reads_back_and_is_a_fixed_point(value: Any) -> None:
    data = canonical_json(value)
    assert parse_json(data) == value
    assert canonical_json(parse_json(data)) == data
    assert data.endswith(b"\n")
    assert data.count(b"\n") == 1


def test_the_order_of_keys_does_not_matter() -> None:
    assert canonical_json({"b": 1, "é": 2, "a": 3}) == '{"a":3,"b":1,"é":2}\n'.encode()
    assert canonical_json({"é": 2, "a": 3, "b": 1}) == canonical_json({"b": 1, "é": 2, "a": 3})


@pytest.mark.parametrize("value", [math.nan, [math.inf], {"a": -math.inf}, "\ud800"])
def test_values_json_cannot_say(value: Any) -> None:
    with pytest.raises(ValueError):
        canonical_json(value)


@pytest.mark.parametrize("value", [{1: 2}, [{None: 1}], {"a": ({True: 1},)}, {"a": {1, 2}}, b"x"])
def test_types_json_cannot_say(value: Any) -> None:
    with pytest.raises(TypeError):
        canonical_json(value)


@pytest.mark.parametrize(
    "data",
    [b"NaN", b"[Infinity]", b"", b"{", b"\xff", b'{"a":1,"a":1}', b"[" * 100_000, b"9" * 5000],
)
def test_bytes_that_are_not_json(data: bytes) -> None:
    with pytest.raises(ValueError):
        parse_json(data)


@pytest.mark.parametrize("size", [0, 1, 1 << 20, (2 << 20) + 1])
def test_files_of_every_size(tmp_path: Path, size: int) -> None:
    path = tmp_path / "data"
    path.write_bytes(b"x" * size)
    assert record_file(path) == record_bytes(b"x" * size)
    assert record_file(path).sha256 == hashlib.sha256(b"x" * size).hexdigest()
    (tmp_path / "link").symlink_to(path)
    assert record_file(tmp_path / "link") == record_file(path)


def test_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    for path in (tmp_path, tmp_path / "fifo", Path("/dev/zero")):
        with pytest.raises(FilesError, match="give a readable, regular file"):
            record_file(path)
    with pytest.raises(FilesError, match="absent: file not found"):
        record_file(tmp_path / "absent")
