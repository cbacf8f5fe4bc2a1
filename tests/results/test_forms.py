"""How values of each kind are read from JSON, whole or in part, and told as wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Annotated, Any, Literal

import pytest

from evalreport.results.forms import (
    MOST_PROBLEMS,
    Form,
    FormError,
    definitions,
    form_of,
)
from evalreport.results.marks import OR_INFINITE


@dataclass(frozen=True)
class Point:
    """A point of a line."""

    x: float
    y: float | None = None


@dataclass(frozen=True)
class Named:
    """A value that has a name."""

    name: str


def refused(form: Any, value: Any) -> list[tuple[str, str]]:
    """What is wrong with a value."""
    with pytest.raises(FormError) as caught:
        form_of(form).read(value)
    return list(caught.value.problems)


@pytest.mark.parametrize(
    ("form", "value", "path", "words"),
    [
        (int, 1.0, "", "not a whole number"),
        (float, "1", "", "not a number"),
        (int | str, None, "", "a whole number or text"),
        (Literal["a", "b"], "c", "", "not 'a' or 'b'"),
        (tuple[int, ...], (1, 2), "", "not a list"),
        (tuple[int, ...], [1, "x"], "[1]", "'x', not a whole number"),
        (tuple[int, str], [1], "", "not a list of 2"),
        (tuple[int, str], 5, "", "not a list of 2"),
        (Mapping[str, int], [1], "", "not an object"),
        (Mapping[str, int], {"a": 1, "b": "x"}, ".b", "not a whole number"),
        (Point, [1], "", "not an object"),
        (Point, {"x": 1, "z": 2}, ".z", "is not a field"),
        (Point, {"y": 2.0}, ".x", "is missing"),
        (Point | Named, {"x": 1, "name": "n"}, "", "neither Point or Named"),
        (Point | Named, 3, "", "neither Point or Named"),
    ],
)
def test_a_value_of_another_kind_is_told_with_its_place(
    form: Any, value: Any, path: str, words: str
) -> None:
    problems = refused(form, value)
    assert problems[0][0] == path
    assert words in problems[0][1]


def test_a_long_value_is_shown_in_part() -> None:
    assert refused(int, "x" * 200)[0][1] == f"is '{'x' * 56}..., not a whole number"


def test_no_more_problems_of_one_list_than_help() -> None:
    assert len(refused(tuple[int, ...], ["x"] * 100)) == MOST_PROBLEMS


@pytest.mark.parametrize(
    ("form", "value", "read"),
    [
        (tuple[int, str], [1, "a"], (1, "a")),
        (Sequence[int], [1, 2], [1, 2]),
        (Mapping[str, Point], {"a": {"x": 1}}, {"a": Point(1)}),
        (Mapping[str, Any], {"a": [1, {}]}, {"a": [1, {}]}),
        (Point | Named, {"name": "n"}, Named("n")),
        (tuple[Point | None, ...], [None, {"x": 2, "y": 3}], (None, Point(2, 3))),
        (Literal["a", None], None, None),
        (Annotated[float, OR_INFINITE], "infinity", inf),
        (Annotated[float, OR_INFINITE], 2.5, 2.5),
    ],
)
def test_what_is_read_is_written_as_it_was(form: Any, value: Any, read: Any) -> None:
    own = form_of(form)
    assert own.read(value) == read
    written = own.write(read)
    assert own.read(written) == read


@pytest.mark.parametrize(
    ("form", "value", "kept"),
    [
        (Point, {"x": 1.0, "y": "wide"}, Point(1.0)),
        (Point | None, {"x": None}, None),
        (tuple[Point, ...], [{"x": None}, {"x": 1}], (Point(1),)),
        (tuple[Point | Named, ...], [{"name": "n"}, {"x": None}], (Named("n"),)),
        (tuple[float | None, ...], [1.0, None], (1.0, None)),
        (Mapping[str, float | None], {"a": None, "b": 2.0}, {"a": None, "b": 2.0}),
    ],
)
def test_what_is_readable_is_kept_without_the_rest(form: Any, value: Any, kept: Any) -> None:
    assert form_of(form).readable(value) == kept


@pytest.mark.parametrize(
    ("form", "value"),
    [
        (float, None),
        (Point, {"x": None}),
        (Point, {"x": "wide", "y": 2.0}),
        (tuple[Point, ...], "x"),
        (tuple[float, ...], [1.0, None]),
        (tuple[str, float], ["a", None]),
    ],
)
def test_what_nothing_can_stand_for_is_not_readable_in_part(form: Any, value: Any) -> None:
    with pytest.raises(FormError):
        form_of(form).readable(value)


def test_each_kind_describes_itself() -> None:
    assert form_of(tuple[int, str]).schema() == {
        "type": "array",
        "items": [{"type": "integer"}, {"type": "string"}],
        "minItems": 2,
        "maxItems": 2,
    }
    assert form_of(Mapping[str, float]).schema() == {
        "type": "object",
        "additionalProperties": {"type": "number"},
    }
    assert form_of(Point | Named).schema() == {
        "anyOf": [{"$ref": "#/definitions/Point"}, {"$ref": "#/definitions/Named"}]
    }
    assert form_of(Literal["a", "b"]).schema() == {"enum": ["a", "b"]}
    assert form_of(Literal["a"]).schema() == {"const": "a"}
    assert set(definitions(form_of(tuple[Point | Named, ...]))) == {"Point", "Named"}
    assert definitions(form_of(Point))["Point"]["additionalProperties"] is False


def test_a_type_that_json_has_no_form_for() -> None:
    with pytest.raises(TypeError, match="no form in JSON"):
        form_of(set[int])


def test_a_kind_says_how_it_is_read_and_described() -> None:
    """What a new kind of values must say; all else has an answer that loses nothing."""
    own = Form()
    with pytest.raises(NotImplementedError):
        own.read(1)
    with pytest.raises(NotImplementedError):
        own.schema()
    assert own.write("as it is") == "as it is"
