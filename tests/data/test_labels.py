from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalreport.data.labels import (
    LabelSet,
    Written,
    as_number,
    clashes,
    label_kind,
    matcher,
    order_labels,
    positive_index,
    written,
)

ONE, ONE_POINT = Written("1"), Written("1.0")
INTEGER, TRUE = Written("1", "number"), Written("true", "boolean")


@pytest.mark.parametrize(
    ("value", "text", "family"),
    [
        ("007", "007", "text"),
        ("", "", "text"),
        (7, "7", "number"),
        (-3.0, "-3", "number"),
        (-0.0, "0", "number"),
        (0.1, "0.1", "number"),
        (1e16, "1e+16", "number"),
        (2**53 + 1, "9007199254740993", "number"),
        (True, "true", "boolean"),
        (False, "false", "boolean"),
    ],
)
def test_text_of_typed_labels(value: object, text: str, family: str) -> None:
    assert (written(value).text, written(value).family) == (text, family)


@pytest.mark.parametrize("text", ["1", "+1", "-1.5", ".5", "5.", "1e3", "1E-3", "007"])
def test_what_is_a_number(text: str) -> None:
    assert as_number(text) == Decimal(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " 1",
        "1 ",
        "1_0",
        "nan",
        "inf",
        "1,5",
        "0x1",
        "\u0661",
        "e5",
        ".",
        "+",
        "1e99999",
        "9" * 401,
    ],
)
def test_what_is_no_number(text: str) -> None:
    assert as_number(text) is None


def test_numbers_compare_as_numbers_only_when_all_are_numbers() -> None:
    assert order_labels(["10", "9", "-1", "2.5"]) == ("-1", "2.5", "9", "10")
    assert order_labels(["10", "9", "x"]) == ("10", "9", "x")
    assert order_labels(["7", "007"]) == ("007", "7")
    assert order_labels([]) == ()


def test_text_compares_by_code_point() -> None:
    assert order_labels(["a", "B", "é", "z"]) == ("B", "a", "z", "é")


def test_true_is_the_largest_boolean_however_it_is_spelled() -> None:
    assert label_kind(["false", "True"], ["boolean"]) == "boolean"
    assert order_labels(["True", "false"], "boolean") == ("false", "True")
    assert label_kind(["false", "true"], ["text"]) == "text"
    assert label_kind(["false", "x"], ["boolean"]) == "text"


def test_the_positive_class_goes_by_value_not_by_declared_order() -> None:
    labels = LabelSet(("10", "9"), "number")
    assert positive_index(labels, "largest") == 0
    assert positive_index(labels, "smallest") == 1
    assert positive_index(labels, {"label": "9"}) == 1
    with pytest.raises(KeyError):
        positive_index(labels, {"label": "8"})


def test_no_positive_class_among_three_and_the_only_one_of_one() -> None:
    assert positive_index(LabelSet(("a", "b", "c"), "text"), {"label": "a"}) is None
    assert positive_index(LabelSet(("a",), "text"), "smallest") == 0


def test_the_empty_text_and_zero_can_be_positive() -> None:
    assert positive_index(LabelSet(("", "x"), "text"), {"label": ""}) == 0
    assert positive_index(LabelSet(("0", "1"), "number"), {"label": "0"}) == 0


def test_stored_values_match_declared_labels_of_the_same_value() -> None:
    assert matcher(["1.0", "0.0"])(INTEGER) == "1.0"
    assert matcher(["1.0", "1"])(INTEGER) == "1"
    assert matcher(["1", "0.50"])(Written("0.5", "number")) == "0.50"
    assert matcher(["True", "False"])(TRUE) == "True"
    assert matcher(["1", "0"])(TRUE) == "true"
    assert matcher([])(INTEGER) == "1"


def test_text_matches_itself_only() -> None:
    assert matcher(["1"])(ONE_POINT) == "1.0"
    assert matcher(["True"])(Written("true")) == "true"


@pytest.mark.parametrize(
    ("labels", "named"),
    [
        ([ONE, ONE_POINT], (ONE, ONE_POINT)),
        ([ONE, INTEGER], (INTEGER, ONE)),
        ([INTEGER, TRUE], (INTEGER, TRUE)),
        ([ONE, Written("True")], (ONE, Written("True"))),
        ([ONE, Written("+1")], (Written("+1"), ONE)),
        ([ONE, Written("1e0")], (ONE, Written("1e0"))),
        ([TRUE, Written("true")], (TRUE, Written("true"))),
        ([Written("0"), Written("-0")], (Written("-0"), Written("0"))),
        ([ONE, Written("false")], (ONE, Written("false"))),
        ([Written("0"), TRUE], (Written("0"), TRUE)),
    ],
)
def test_one_class_written_in_several_ways_is_found(
    labels: list[Written], named: tuple[Written, ...]
) -> None:
    assert clashes(labels) == [named]


@pytest.mark.parametrize(
    "labels",
    [
        [Written("007"), Written("7")],
        [Written("true"), Written("True")],
        [Written("yes"), Written("1")],
        [Written("2"), Written("true")],
        [Written("a"), Written("A")],
        [ONE],
        [],
    ],
)
def test_other_labels_are_different_classes(labels: list[Written]) -> None:
    assert clashes(labels) == []


def test_declared_labels_settle_it() -> None:
    assert clashes([ONE, ONE_POINT], ["1", "1.0"]) == []
    assert clashes([ONE, INTEGER, Written("0")], ["0", "1"]) == []
    assert clashes([INTEGER], ["1.0", "0.0"]) == []
    assert clashes([ONE_POINT], ["1"]) == [(ONE, ONE_POINT)]
    assert clashes([TRUE], ["0", "1"]) == [(ONE, TRUE)]


@given(st.lists(st.one_of(st.integers(), st.text(max_size=4)).map(str), max_size=8))
def test_order_is_total_and_does_not_depend_on_the_order_given(labels: list[str]) -> None:
    ordered = order_labels(labels)
    assert sorted(ordered) == sorted(set(labels))
    assert order_labels(reversed(labels)) == ordered
    numbers = [as_number(text) for text in ordered]
    if None not in numbers:
        assert numbers == sorted(numbers)  # type: ignore[type-var]
