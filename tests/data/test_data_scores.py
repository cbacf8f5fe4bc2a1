from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from evalreport.data import RawTable, read_frame
from evalreport.data.scores import numbers, outside_unit, sums_to_one, weights

TableOf = Callable[[str], RawTable]


def problems(table: RawTable, column: str = "s") -> list[str]:
    return [str(problem) for problem in numbers(table, column).problems]


def frame(**columns: Any) -> RawTable:
    return read_frame(columns, "frame")


def test_plain_numbers_are_read(table_of: TableOf) -> None:
    found = numbers(table_of("s\n0.5\n+1\n-2.\n.25\n1e-3\n1E2\n"), "s")
    assert found.values.tolist() == [0.5, 1.0, -2.0, 0.25, 0.001, 100.0]
    assert not found.missing.any()
    assert not found.problems


@pytest.mark.parametrize("text", ["", "nan", "NaN", "NAN"])
def test_nothing_and_nan_are_missing(table_of: TableOf, text: str) -> None:
    found = numbers(table_of(f'y,s\n1,0.5\n1,"{text}"\n'), "s")
    assert found.missing.tolist() == [False, True]
    assert np.isnan(found.values[1])
    assert not found.problems


def test_missing_beside_plain_numbers(table_of: TableOf) -> None:
    found = numbers(table_of("y,s\n1,\n1,0.25\n1,\n"), "s")
    assert found.missing.tolist() == [True, False, True]
    assert found.values[1] == 0.25


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("inf", "infinite"),
        ("-Infinity", "infinite"),
        ("1e400", "too large"),
        ("-1e999", "too large"),
        ("0,5", "written with a decimal comma"),
        ("1_0", "not a number"),
        (" 0.5", "not a number"),
        ("0x10", "not a number"),
        ("\u0661", "not a number"),
        ("null", "not a number"),
        ("-nan", "not a number"),
        ("1e", "not a number"),
        (".", "not a number"),
        ("0.5%", "not a number"),
        ("True", "not a number"),
    ],
)
def test_any_other_text_is_wrong(table_of: TableOf, text: str, kind: str) -> None:
    found = numbers(table_of(f'y,s\n1,0.5\n1,"{text}"\n'), "s")
    assert str(found.problems[0]).startswith(f"a.csv:3: s is {kind} in row 2 (line 3): '{text}';")
    assert not found.missing.any()


def test_the_first_five_rows_are_named_and_the_rest_counted(table_of: TableOf) -> None:
    told = problems(table_of("s\n" + "x\n" * 9))[0]
    assert "row 5 (line 6): 'x' and 4 more" in told
    assert "row 6" not in told


def test_every_kind_of_mistake_is_reported(table_of: TableOf) -> None:
    told = problems(table_of('s\n0.9\nnan\ninf\n-inf\n1e400\n""\n1.2\nx\n"0,5"\n'))
    assert len(told) == 4


def test_typed_columns() -> None:
    table = frame(
        i=np.array([1, 2]), f=np.array([0.1, np.nan]), g=np.array([0.7, 0.2], np.float32),
        b=[True, False], m=[1, "0.5"], o=["", None], h=[2**2000, 0.5], n=[float("inf"), "x"],
        e=np.array([np.inf, 0.5]),
    )  # fmt: skip
    assert numbers(table, "i").values.tolist() == [1.0, 2.0]
    assert numbers(table, "f").missing.tolist() == [False, True]
    assert numbers(table, "m").values.tolist() == [1.0, 0.5]
    assert numbers(table, "o").missing.tolist() == [True, True]
    assert "not a number in row 1: True, row 2: False" in problems(table, "b")[0]
    assert "too large" in problems(table, "h")[0]
    assert len(problems(table, "n")) == 2
    assert "e is infinite in row 1: inf" in problems(table, "e")[0]


def test_single_precision_is_widened_as_stored_and_told() -> None:
    found = numbers(frame(s=np.array([0.7], np.float32)), "s")
    assert found.values.dtype == np.float64
    assert found.values[0] == 0.699999988079071
    assert found.values[0] < 0.7
    assert [finding.code for finding in found.findings] == ["float32"]


def test_a_column_is_read_once(table_of: TableOf) -> None:
    table = table_of("s\n1\n")
    assert numbers(table, "s") is numbers(table, "s")


def test_weights_are_not_negative(table_of: TableOf) -> None:
    assert not weights(table_of("w\n0\n1.5\n"), "w").problems
    told = str(weights(table_of("w\n1\n-0.5\n"), "w").problems[0])
    assert told == "a.csv:3: w is negative in row 2 (line 3): -0.5; weights are 0 or more"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("1e51", "large for a weight in row 2 (line 3): 1e+51; weights are at most 1e+50"),
        ("1e-51", "small for a weight in row 2 (line 3): 1e-51; weights are 0, or at least 1e-50"),
    ],
)
def test_weights_can_be_added_up_and_multiplied(table_of: TableOf, given: str, told: str) -> None:
    assert not weights(table_of("w\n1e50\n1e-50\n0\n"), "w").problems
    assert (
        str(weights(table_of(f"w\n1\n{given}\n"), "w").problems[0]) == f"a.csv:3: w is too {told}"
    )


def test_integers_beyond_any_double_are_told() -> None:
    (problem,) = numbers(frame(s=[1, 10**5000]), "s").problems
    assert "s is too large in row 2: an integer of 16610 bits" in str(problem)


def test_scores_of_a_row_add_up_to_one(table_of: TableOf) -> None:
    rows = np.arange(2)

    def told(text: str) -> list[str]:
        return [str(p) for p in sums_to_one(table_of(text), ["a", "b"], rows)]

    assert told("a,b\n0.333333,0.666666\n0.5,0.5\n") == []
    wrong = (
        "a.csv:2: the scores of a, b do not add up to 1 in row 1 (line 2): 0.999998; "
        "give the probability of every class"
    )
    assert told("a,b\n0.333333,0.666665\n0.5,0.5\n") == [wrong]
    assert told("a,b\n3,-1\n0.5,0.9\n") == []
    assert told("a,b\nx,1\n0.5,0.5\n") == []
    assert sums_to_one(table_of("a,b\n1,1\n"), ["a", "b"], np.arange(0)) == []


def test_scores_outside_zero_to_one_are_told() -> None:
    assert outside_unit("s", np.array([0.0, 1.0])) == []
    found = outside_unit("s", np.array([-0.1, 1.0, 1.2]))[0]
    assert found.code == "scores_outside_unit"
    assert "2 of 3 scores" in found.message


@pytest.mark.parametrize(
    ("texts", "read"),
    [
        (["10%", "90 %"], '{percent: ["s"]}'),
        (["NA", "n/a"], '{missing: {"s": ["NA", "n/a"]}}'),
        ([" 0.5", "0.1 "], "{strip: true}"),
        (["10%", "NA"], None),
        (["high"], None),
    ],
)
def test_texts_that_the_dataset_can_have_read_are_told_how(
    table_of: TableOf, texts: list[str], read: str | None
) -> None:
    table = table_of("y,s\n" + "".join(f"1,{text}\n" for text in texts))
    (told,) = problems(table)
    assert told.endswith(f"or read: {read}, in the dataset" if read else "where there is none")
