from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from evalreport.data import RawTable, Roles, Rules, check, read_frame, with_types
from evalreport.errors import DataError


def values(column: Any) -> list[Any]:
    pairs = zip(column.values.tolist(), column.missing, strict=True)
    return [None if gap else value for value, gap in pairs]


def test_declared_types_settle_what_text_stands_for(
    table_of: Callable[[str], RawTable],
) -> None:
    table = with_types(
        table_of("n,i,b,t\n1,+1,True,1\n1.0,2,0,x\nnan,,FALSE,\n"),
        {"n": "number", "i": "integer", "b": "boolean", "t": "text"},
    )
    assert values(table.columns["n"]) == [1.0, 1.0, None]
    assert values(table.columns["i"]) == [1, 2, None]
    assert values(table.columns["b"]) == [True, False, False]
    assert values(table.columns["t"]) == ["1", "x", None]
    kinds = [column.kind for column in table.columns.values()]
    assert kinds == ["float64", "integer", "boolean", "text"]


def test_one_class_in_two_spellings_is_settled_by_the_type(
    table_of: Callable[[str], RawTable],
) -> None:
    table = table_of("y,p\n1,1.0\n0,0\n")
    typed = with_types(table, {"y": "number", "p": "number"})
    assert check(typed, Roles("y", prediction="p"), Rules()).labels == ("0", "1")


def test_typed_columns_can_become_text_or_integers() -> None:
    table = read_frame(
        {"a": np.array([1.0, np.nan]), "b": [True, 2], "c": [2**70, 1], "d": [["x"], ["y"]]}, "f"
    )
    found = with_types(table, {"a": "integer", "b": "text", "c": "integer"})
    assert values(found.columns["a"]) == [1, None]
    assert values(found.columns["b"]) == ["true", "2"]
    assert values(found.columns["c"]) == [2**70, 1]
    with pytest.raises(DataError) as caught:
        with_types(table, {"d": "text", "b": "integer", "a": "boolean"})
    assert len(caught.value.problems) == 2


@pytest.mark.parametrize(
    ("kind", "instead"),
    [("integer", "whole numbers"), ("number", "finite numbers"), ("boolean", "true or false")],
)
def test_values_of_another_type_are_named(
    table_of: Callable[[str], RawTable], kind: Any, instead: str
) -> None:
    with pytest.raises(DataError) as caught:
        with_types(table_of("y\n1\nx\n1\nx\n0.x\n"), {"y": kind})
    message = str(caught.value)
    assert f"y is not of the declared type {kind} in row 2 (line 3): 'x', row 4 (line 5)" in message
    assert instead in message


def test_floats_that_are_not_whole_are_no_integers() -> None:
    with pytest.raises(DataError, match=r"row 2: 0\.5"):
        with_types(read_frame({"y": [1.0, 0.5]}, "f"), {"y": "integer"})
    with pytest.raises(DataError, match=r"row 1: \['a'\]"):
        with_types(read_frame({"y": [["a"]]}, "f"), {"y": "boolean"})
    with pytest.raises(DataError, match=r"row 1: \['a'\]"):
        with_types(read_frame({"y": [["a"]]}, "f"), {"y": "integer"})


def test_a_column_that_is_not_there_has_no_type(table_of: Callable[[str], RawTable]) -> None:
    with pytest.raises(DataError, match=r"has no column 'yy', whose type is declared.*'y'"):
        with_types(table_of("y,p\n1,1\n"), {"yy": "integer", "p": "number"})


def test_numbers_that_no_double_tells_apart_are_not_one_class(
    table_of: Callable[[str], RawTable],
) -> None:
    text = "y\n9007199254740993\n9007199254740992\n"
    with pytest.raises(DataError, match=r"row 1 \(line 2\): '9007199254740993'"):
        with_types(table_of(text), {"y": "number"})
    assert values(with_types(table_of(text), {"y": "integer"}).columns["y"])[0] == 2**53 + 1
