"""Corners of labels that a small change in their rules would turn round."""

from __future__ import annotations

from decimal import Decimal

import pytest

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


def test_zero_is_a_number_like_any_other() -> None:
    assert order_labels(["0.5", "0", "-1"]) == ("-1", "0", "0.5")
    assert order_labels(["0.00", "0"]) == ("0", "0.00")
    assert as_number("0") == Decimal(0)
    assert as_number("x") is None


def test_whole_floats_up_to_ten_to_the_sixteenth_lose_their_point() -> None:
    assert written(9007199254740992.0).text == "9007199254740992"
    assert written(9999999999999998.0).text == "9999999999999998"
    assert written(-9999999999999998.0).text == "-9999999999999998"
    assert written(1e16).text == "1e+16"
    assert written(-1e16).text == "-1e+16"
    assert written(2.5) == Written("2.5", "number")
    assert written(float("inf")) == Written("inf", "number")
    assert written(float("nan")).text == "nan"
    assert written("1.0") == Written("1.0", "text")
    assert written(True) == Written("true", "boolean")
    assert written(False) == Written("false", "boolean")
    assert Written("a").family == "text"


@pytest.mark.parametrize(
    ("text", "is_number"),
    [
        ("9" * 400, True),
        ("9" * 401, False),
        ("0." + "1" * 400, True),
        ("0." + "1" * 401, False),
        ("." + "1" * 400, True),
        ("." + "1" * 401, False),
        ("1e1234", True),
        ("1e12345", False),
        ("1e", False),
        ("-.5e-3", True),
        ("--1", False),
        ("1.2.3", False),
    ],
)
def test_how_long_a_number_may_be(text: str, is_number: bool) -> None:
    assert (as_number(text) is not None) == is_number


def test_kinds_of_labels() -> None:
    assert label_kind([]) == "text"
    assert label_kind(["1", "2"]) == "number"
    assert label_kind(["1", "2"], ["text"]) == "number"
    assert label_kind(["1", "x"]) == "text"
    assert label_kind(["TRUE", "false"], ["boolean", "boolean"]) == "boolean"
    assert label_kind(["true", "false"], ["boolean", "text"]) == "text"
    assert label_kind(["true", "maybe"], ["boolean"]) == "text"
    assert label_kind(["true"]) == "text"


def test_the_kind_decides_the_order() -> None:
    assert order_labels(["10", "9"], "text") == ("10", "9")
    assert order_labels(["10", "9"], "number") == ("9", "10")
    assert order_labels(["true", "FALSE", "TRUE"], "boolean") == ("FALSE", "TRUE", "true")
    assert order_labels(["TRUE", "false"], "boolean") == ("false", "TRUE")
    assert order_labels(["TRUE", "false"], "text") == ("TRUE", "false")
    assert order_labels(["b", "b", "a"]) == ("a", "b")
    assert order_labels(iter(["b", "a"]), "text") == ("a", "b")


def test_which_class_is_positive() -> None:
    text = LabelSet(("b", "a"), "text")
    assert positive_index(text, "largest") == 0
    assert positive_index(text, "smallest") == 1
    assert positive_index(text, {"label": "a"}) == 1
    numbers = LabelSet(("1", "3"), "number")
    assert positive_index(numbers, "largest") == 1
    assert positive_index(numbers, "smallest") == 0
    with pytest.raises(KeyError, match=r"^'z'$"):
        positive_index(text, {"label": "z"})
    assert positive_index(LabelSet(("a",), "text"), "largest") == 0
    assert positive_index(LabelSet(("a", "b", "c"), "text"), "largest") is None
    assert positive_index(LabelSet(("a", "b", "c"), "text"), {"label": "z"}) is None


def test_the_first_of_two_known_labels_of_one_value_is_matched() -> None:
    assert matcher(["1.0", "1.00"])(Written("1", "number")) == "1.0"
    assert matcher(["TRUE", "True"])(Written("true", "boolean")) == "TRUE"
    assert matcher(["1.0"])(Written("2", "number")) == "2"
    assert matcher(["TRUE"])(Written("false", "boolean")) == "false"


def test_a_stored_value_that_is_no_number_matches_no_text() -> None:
    assert matcher(["a", "1"])(Written("inf", "number")) == "inf"
    assert matcher(["a", "1"])(Written("nan", "number")) == "nan"
    assert matcher(["a", "b"])(Written("1", "number")) == "1"
    assert matcher(["a"])(Written("a", "number")) == "a"


ONE, ONE_POINT = Written("1"), Written("1.0")
TWO, TWO_POINT = Written("2"), Written("2.0")


def test_every_group_is_found_whatever_stands_before_it() -> None:
    # a class of one text first, then two groups
    assert clashes([Written("a"), ONE, ONE_POINT, TWO, TWO_POINT]) == [
        (ONE, ONE_POINT),
        (TWO, TWO_POINT),
    ]
    assert clashes([ONE, ONE_POINT], ["0", "1"]) == [(ONE, ONE_POINT)]
    assert clashes([Written("2.0"), Written("3")], ["1", "1.0", "2"]) == [(TWO, TWO_POINT)]


def test_a_label_that_only_differs_in_case_is_another_class() -> None:
    assert clashes([Written("True"), Written("TRUE"), Written("false")]) == []
    assert clashes([Written("a"), Written("A")]) == []


def test_truth_values_written_as_words_and_as_numbers() -> None:
    zero, false, true = Written("0"), Written("false"), Written("true")
    assert clashes([zero, true]) == [(zero, true)]
    assert clashes([ONE, false]) == [(ONE, false)]
    assert clashes([false, true]) == []
    assert clashes([zero, ONE]) == []
    assert clashes([zero, ONE, true]) == [(ONE, true)]
    assert clashes([TWO, true]) == []
    # sorted by text, not by where they came from
    assert clashes([true, zero]) == [(zero, true)]
    stored = Written("1", "number")
    assert clashes([stored, false]) == [(stored, false)]
    assert clashes([Written("TRUE"), ONE]) == [(ONE, Written("TRUE"))]


def test_numbers_with_a_leading_zero_are_codes() -> None:
    assert clashes([Written("01"), ONE]) == []
    assert clashes([Written("-07"), Written("-7")]) == []
    assert clashes([Written("0.5"), Written(".5")]) == [(Written(".5"), Written("0.5"))]
    assert clashes([Written("0"), Written("0.0")]) == [(Written("0"), Written("0.0"))]


def test_groups_are_sorted_by_text_then_by_how_they_are_stored() -> None:
    number, boolean = Written("1", "number"), Written("true", "boolean")
    assert clashes([boolean, ONE_POINT, number, ONE]) == [(number, ONE, ONE_POINT, boolean)]
