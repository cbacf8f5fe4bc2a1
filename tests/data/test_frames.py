from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

from evalreport.data import read_frame
from evalreport.errors import DataError


def values(column: Any) -> list[Any]:
    pairs = zip(column.values.tolist(), column.missing, strict=True)
    return [None if gap else value for value, gap in pairs]


@pytest.mark.parametrize("frame", ["pandas", "mapping"])
def test_columns_keep_their_types(frame: str) -> None:
    data = {
        "t": ["a", None, "nan"],
        "i": np.array([2**53 + 1, 2, 3]),
        "f": np.array([0.5, np.nan, 1.0]),
        "g": np.array([0.5, np.nan, 1.0], np.float32),
        "b": np.array([True, False, True]),
        "m": [1, "1", True],
    }
    table = read_frame(pd.DataFrame(data) if frame == "pandas" else data, "f")
    kinds = {name: column.kind for name, column in table.columns.items()}
    assert kinds == {
        "t": "text", "i": "integer", "f": "float64", "g": "float32", "b": "boolean", "m": "mixed",
    }  # fmt: skip
    assert values(table.columns["t"]) == ["a", None, "nan"]
    assert values(table.columns["i"])[0] == 2**53 + 1
    assert values(table.columns["f"]) == [0.5, None, 1.0]
    assert values(table.columns["m"]) == [1, "1", True]
    assert table.row_name(0) == "row 1"
    assert str(table.where(0)) == "f"


def test_pandas_types_of_its_own() -> None:
    frame = pd.DataFrame({
        "c": pd.Categorical(["b", None, "a"]),
        "s": pd.array(["x", pd.NA, ""], dtype="string"),
        "i": pd.array([1, pd.NA, 3], dtype="Int64"),
        "b": pd.array([True, pd.NA, False], dtype="boolean"),
        "d": pd.to_datetime(["2020-01-31", None, "2020-02-01"]),
        "z": pd.to_datetime(["2020-01-31", None, "2020-02-01"], utc=True),
    })  # fmt: skip
    table = read_frame(frame, "f")
    assert values(table.columns["c"]) == ["b", None, "a"]
    assert values(table.columns["s"]) == ["x", None, ""]
    assert values(table.columns["i"]) == [1, None, 3]
    assert table.columns["b"].kind == "boolean"
    assert table.columns["d"].kind == "text"
    assert values(table.columns["d"])[0].startswith("2020-01-31")
    assert values(table.columns["d"])[1] is None
    assert values(table.columns["z"])[:2] == ["2020-01-31 00:00:00+00:00", None]


def test_the_index_is_not_looked_at() -> None:
    frame = pd.DataFrame({"y": ["a", "b"]}, index=[5, 3])
    assert values(read_frame(frame, "f").columns["y"]) == ["a", "b"]


def test_python_values() -> None:
    table = read_frame(
        {
            "d": [Decimal("1.50"), Decimal("nan")],
            "t": [dt.date(2020, 1, 31), None],
            "n": [np.int64(1), np.float64("nan")],
            "l": [("a", "b"), None],
            "e": [None, None],
            "k": np.ma.masked_array([1, 2], [False, True]),
            "q": np.ma.masked_array([1.0, np.nan], [True, False]),
        },
        "f",
    )
    assert values(table.columns["d"]) == ["1.50", None]
    assert values(table.columns["t"]) == ["2020-01-31", None]
    assert values(table.columns["n"]) == [1, None]
    assert values(table.columns["l"]) == [["a", "b"], None]
    assert values(table.columns["e"]) == [None, None]
    assert values(table.columns["k"]) == [1, None]
    assert values(table.columns["q"]) == [None, None]


def test_only_the_asked_columns_are_kept() -> None:
    table = read_frame({"a": [1], "b": [object()]}, "f", {"a"})
    assert (list(table.columns), table.header) == (["a"], ("a", "b"))


def test_the_caller_may_change_the_frame_afterwards() -> None:
    array = np.array([1.0, 2.0])
    table = read_frame({"a": array}, "f")
    array[0] = 9.0
    assert values(table.columns["a"]) == [1.0, 2.0]


@pytest.mark.parametrize(
    ("frame", "found"),
    [
        ({}, "the table has no rows"),
        ({"a": []}, "the table has no rows"),
        ({"a": [1], "b": [1, 2]}, r"not equally long \(a: 1, b: 2\)"),
        ({1.5: [1]}, "the column name 1.5 is not text"),
        ({"": [1]}, "column 1 has no name"),
        ({"a": [b"x"]}, "has a value of type bytes"),
        ({"a": [{1: 2}]}, "has a value of type dict"),
        ({"a": "abc"}, "does not have one value per row"),
        ({"a": 3}, "does not have one value per row"),
        ({"a": np.zeros((2, 2))}, "does not have one value per row"),
        ({"a": np.array([1j])}, "has a value of type complex"),
        ({"a": ["x", "\ud800"]}, "half of a surrogate pair"),
        ([1, 2], "a list is not a table"),
        (None, "a NoneType is not a table"),
    ],
)
def test_what_is_wrong_is_named(frame: Any, found: str) -> None:
    with pytest.raises(DataError, match=found):
        read_frame(frame, "f")


def test_repeated_columns_of_a_frame_are_refused() -> None:
    with pytest.raises(DataError, match="column 'a' is there 2 times"):
        read_frame(pd.DataFrame([[1, 2]], columns=["a", "a"]), "f")
