from __future__ import annotations

import gzip
from collections.abc import Callable
from typing import Any

import pytest

from evalreport.data import RawTable
from evalreport.errors import DataError

Read = Callable[..., RawTable]


def values(table: RawTable, column: str) -> list[Any]:
    raw = table.columns[column]
    return [None if gap else v for v, gap in zip(raw.values.tolist(), raw.missing, strict=True)]


def test_values_keep_their_types(read_bytes: Read) -> None:
    table = read_bytes(
        b'{"t": "007", "i": 1, "f": 0.5, "b": true, "m": 1, "l": ["a"], "h": 1e3}\n'
        b'{"t": "x", "i": 9007199254740993, "f": 2, "b": false, "m": "1", "l": [], "h": null}\n',
        "a.jsonl",
    )
    kinds = {name: column.kind for name, column in table.columns.items()}
    assert kinds == {
        "t": "text", "i": "integer", "f": "float64", "b": "boolean", "m": "mixed",
        "l": "list", "h": "float64",
    }  # fmt: skip
    assert values(table, "i") == [1, 2**53 + 1]
    assert values(table, "m") == [1, "1"]
    assert values(table, "l") == [["a"], []]
    assert values(table, "h") == [1000.0, None]


def test_null_nan_and_absent_keys_are_missing_and_empty_text_is_not(read_bytes: Read) -> None:
    table = read_bytes(b'{"a": null, "b": NaN, "c": ""}\n{"d": "x"}\n', "a.jsonl")
    assert table.header == ("a", "b", "c", "d")
    assert values(table, "a") == [None, None]
    assert values(table, "b") == [None, None]
    assert values(table, "c") == ["", None]
    assert values(table, "d") == [None, "x"]


def test_types_that_change_late_are_kept(read_bytes: Read) -> None:
    table = read_bytes(b'{"y": 1}\n' * 5000 + b'{"y": "x"}\n{"y": true}\n', "a.jsonl")
    codes, distinct = table.columns["y"].factorize()
    assert distinct == [1, "x", True]
    assert codes[-3:].tolist() == [0, 1, 2]


def test_one_true_and_one_point_zero_are_three_values(read_bytes: Read) -> None:
    table = read_bytes(b'{"y":1}\n{"y":true}\n{"y":1.0}\n{"y":null}\n{"y":"1"}\n', "a.jsonl")
    codes, distinct = table.columns["y"].factorize()
    assert [(type(v), v) for v in distinct] == [(int, 1), (bool, True), (float, 1.0), (str, "1")]
    assert codes.tolist() == [0, 1, 2, -1, 3]


def test_whole_numbers_beyond_64_bits_are_exact(read_bytes: Read) -> None:
    table = read_bytes(b'{"i": 18446744073709551616}\n{"i": 1}\n{"i": null}\n', "a.jsonl")
    assert values(table, "i") == [2**64, 1, None]
    assert table.columns["i"].factorize()[1] == [2**64, 1]
    mixed = read_bytes(b'{"i": 9007199254740993}\n{"i": 0.5}\n', "a.jsonl")
    assert values(mixed, "i") == [2**53 + 1, 0.5]


def test_asked_columns_gzip_and_first_rows(read_bytes: Read) -> None:
    packed = gzip.compress(b'{"a": 1, "b": {"x": 1}}\n' * 3)
    table = read_bytes(packed, "a.jsonl.gz", columns={"a"}, rows=2)
    assert (table.header, list(table.columns), table.rows) == (("a", "b"), ["a"], 2)
    assert table.row_name(1) == "row 2 (line 2)"


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"", "the file has no rows"),
        (b'{"a": 1}\n\n', "a.jsonl:2: the line is empty"),
        (b'{"a": 1}\n{"a": 1, "a": 2}\n', "a.jsonl:2: key 'a' is there twice"),
        (b"[1]\n", "a.jsonl:1: the line is not a JSON object"),
        (b'{"a": }\n', "a.jsonl:1: the line is not JSON"),
        (b'{"a": ' + b"[" * 100_000 + b"\n", "a.jsonl:1: the line is nested too deeply"),
        (b'{"a": ' + b"9" * 5000 + b"}\n", "a whole number of 5000 digits"),
        (b'{"": 1}\n', "column 1 has no name"),
        (b'{"a": {"b": 1}}\n', "row 1 of column 'a' has a value of type dict"),
        (b'{"a": [1, "x"]}\n', "row 1 of column 'a' has a value of type list"),
        (
            b'{"a": "x"}\n{"a": "\\ud800"}\n',
            "row 2 of column 'a' contains half of a surrogate pair",
        ),
        ('{"a": "é"}\n'.encode("latin-1"), "looks like Latin-1"),
    ],
)
def test_what_is_wrong_is_named(read_bytes: Read, content: bytes, found: str) -> None:
    with pytest.raises(DataError) as caught:
        read_bytes(content, "a.jsonl")
    assert found in str(caught.value)


def test_names_of_half_characters_are_refused(read_bytes: Read) -> None:
    with pytest.raises(DataError, match="surrogate"):
        read_bytes(b'{"\\udc00": 1}\n', "a.jsonl")


def test_many_wrong_lines_are_counted(read_bytes: Read) -> None:
    with pytest.raises(DataError) as caught:
        read_bytes(b"x\n" * 8, "a.jsonl")
    assert len(caught.value.problems) == 6
    assert "3 more wrong lines" in str(caught.value)
