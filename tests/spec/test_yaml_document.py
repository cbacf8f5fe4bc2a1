"""YAML as data: what is read, what is refused and where, at what cost."""

from __future__ import annotations

import sys

import pytest

from evalreport.errors import Location, SpecError
from evalreport.spec.scalars import Scalar, resolve
from evalreport.spec.yaml_document import MOST_BYTES, MOST_DEPTH, MOST_NODES, read_document


def refused(source: bytes | str) -> list[str]:
    with pytest.raises(SpecError) as caught:
        read_document(source, "s")
    return [str(problem).removeprefix("s:").lstrip() for problem in caught.value.problems]


def test_values_and_keys_have_their_places():
    document = read_document("a: 1\nb:\n  - {c: x}\n  - 'é: y'\nç: 2\n", "s")
    assert document.root == {
        "a": Scalar("1", "integer"),
        "b": [{"c": "x"}, "é: y"],
        "ç": Scalar("2", "integer"),
    }
    assert document.where(("b", 0, "c")) == Location("s", 3, 9)
    assert document.where_key(("b", 0, "c")) == Location("s", 3, 6)
    assert document.where(("b", 1)) == Location("s", 4, 5)
    assert document.where_key(("ç",)) == Location("s", 5, 1)
    assert document.where(()) == Location("s", 1, 1)


@pytest.mark.parametrize(
    "text",
    ["no", "yes", "on", "off", "y", "n", "2026-11-21", "0b1", "1.2.3", "12e", "1e", "+", "-", ".",
     "..", "0x", "0xg", "1,5", "90%", "=", "NULL_", "nul", "tRue", "1 2", "4GB", ".5.", "e5",
     "- ."],
)  # fmt: skip
def test_text_of_yaml_1_2(text):
    assert resolve(text) == text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("~", None), ("null", None), ("Null", None), ("", None), ("true", True), ("FALSE", False),
        ("0", 0), ("-12", -12), ("+3", 3), ("0o17", 15), ("0xfF", 255), ("1e-3", 0.001),
        (".5", 0.5), ("5.", 5.0), ("-1.25E+2", -125.0), (".inf", float("inf")),
        ("-.INF", float("-inf")), ("18446744073709551617", 18446744073709551617),
    ],
)  # fmt: skip
def test_core_types_of_yaml_1_2(text, value):
    found = resolve(text)
    assert isinstance(found, Scalar)
    assert found.text == text
    assert found.value == value
    assert type(found.value) is type(value)


def test_nan_is_a_number_that_is_none():
    found = resolve(".nan")
    assert isinstance(found, Scalar)
    assert found.value != found.value


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("", ["there is nothing in it; a spec starts with 'evalreport: 1'"]),
        ("# only a comment\n", ["there is nothing in it; a spec starts with 'evalreport: 1'"]),
        ("a: 1\na: 2\n", ["2:1: key 'a' is written twice, on lines 1 and 2; keep one of them"]),
        ("{a: 1, 'a': 2}", ["1:8: key 'a' is written twice, on lines 1 and 1; keep one of them"]),
        ("1: a\n'1': b\n", ["2:1: key '1' is written twice, on lines 1 and 2; keep one of them"]),
        ("a: &x 1\nb: *x\n", ["1:4: anchors are not allowed: &x; remove it",
                              "2:4: aliases are not allowed: *x; write the values out"]),
        ("a: !!str 1\nb: !x y\nc: ! z\n", ["1:4: tags are not allowed: !!str; remove it",
                                           "2:4: tags are not allowed: !x; remove it",
                                           "3:4: tags are not allowed: !; remove it"]),
        ("%TAG ! tag:x,2000:\n---\na: 1\n", ["1:1: %TAG is not allowed; remove it"]),
        ("a: 1\n---\nb: 2\n", ["2:1: a second document starts here; a spec is one document"]),
        ("a: 1\n...\n---\n", ["3:1: a second document starts here; a spec is one document"]),
        ("<<: {a: 1}\n", ["1:1: merge keys (<<) are not allowed; write the keys out"]),
        ("? [a]\n: 1\n", ["1:3: a key is a list or mapping; a key is one word or text"]),
        ("? {a: 1}\n: 1\n", ["1:3: a key is a list or mapping; a key is one word or text"]),
        ("~: 1\n", ["1:1: a key is ~; quote it if it is text"]),
        ("? \n: 1\n", ["1:2: a key is empty; quote it if it is text"]),
        ("007: 1\n", ["1:1: 007 is a number with leading zeros; quote it: '007'"]),
        ("a: [007, 1_0, 1:30, -00.5, 0o8]\n", [
            "1:5: 007 is a number with leading zeros; quote it: '007'",
            "1:10: 1_0 is a number with an underscore; quote it: '1_0'",
            "1:15: 1:30 is digits with a colon; quote it: '1:30'",
            "1:21: -00.5 is a number with leading zeros; quote it: '-00.5'"]),
        ("a: 1e400\nb: 1e-400\n", [
            "1:4: number out of range: 1e400; a smaller number, or quotes around text",
            "2:4: number out of range: 1e-400; a smaller number, or quotes around text"]),
        ("a: [\n", [("2:1: not YAML: did not find expected node content "
                    "while parsing a flow node")]),
        ("a: b: c\n", ['1:4: not YAML: the text of a has a colon in it; quote it: "b: c"']),
        ("\ta: 1\n", ["1:1: not YAML: a line is indented by a tab; spaces"]),
    ],
)  # fmt: skip
def test_more_than_data_is_refused_at_its_place(source, expected):
    assert refused(source) == expected


def test_quoted_text_may_look_like_anything():
    source = "a: ['007', \"~\", '1_0', '*x', '!!bool', '<<', \"1e400\"]\n'<<': '&x'\n"
    root = read_document(source, "s").root
    assert root == {"a": ["007", "~", "1_0", "*x", "!!bool", "<<", "1e400"], "<<": "&x"}


@pytest.mark.parametrize(
    ("character", "name"),
    [
        ("\u202e", "U+202E (right-to-left override)"),
        ("\u2066", "U+2066 (left-to-right isolate)"),
        ("\u200b", "U+200B (zero width space)"),
        ("\u200d", "U+200D (zero width joiner)"),
        ("\u00ad", "U+00AD (soft hyphen)"),
        ("\ufeff", "U+FEFF (zero width no-break space)"),
        ("\u2028", "U+2028 (line separator)"),
        ("\x85", "U+0085 (control character)"),
        ("\x00", "U+0000 (control character)"),
        ("\x1b", "U+001B (control character)"),
        ("\x7f", "U+007F (control character)"),
        ("\u3164", "U+3164 (hangul filler)"),
        ("\U000e0041", "U+E0041 (tag latin capital letter a)"),
    ],
)
def test_invisible_characters_are_refused_written_or_escaped(character, name):
    for source in (f"a: 1\nb: x{character}y\n", f"a: 1\n#  x{character}\n"):
        assert refused(source) == [
            f"2:5: {name} is not allowed; remove it: it is invisible or changes how the text looks"
        ]
    escape = f"\\U{ord(character):08x}"
    assert refused(f'a: "x{escape}y"\n') == [f"1:4: {name} is not allowed; remove it"]


def test_other_scripts_accents_and_emoji_are_text():
    text = "naïve Ünïcode Москва 東京 العربية עברית 😀 👍🏽 ✔️ e\u0301 \u00a0 № ﬁ"
    assert read_document(f"a: '{text}'\n", "s").root == {"a": text}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (b"a: 1\nb: caf\xe9\n", ("2:7: byte 0xe9 (number 12 of the file) is not UTF-8; "
                                "save the file as UTF-8")),
        (b"a: \xc3\xa9\xff", ("1:5: byte 0xff (number 6 of the file) is not UTF-8; "
                             "save the file as UTF-8")),
        (b"a: \xed\xa0\x80", ("1:4: byte 0xed (number 4 of the file) is not UTF-8; "
                             "save the file as UTF-8")),
        ("a: 1".encode("utf-16"), "1:1: the file is UTF-16; save it as UTF-8"),
    ],
)  # fmt: skip
def test_not_utf_8_names_the_byte(source, expected):
    assert refused(source) == [expected]


def test_limits_are_exact():
    deepest = "[" * MOST_DEPTH + "]" * MOST_DEPTH
    assert read_document(deepest, "s").root is not None
    assert refused(f"[{deepest}]") == ["1:41: nested deeper than 40; a flatter spec"]

    most = ("x," * (MOST_NODES - 1))[:-1]
    assert len(read_document(f"[{most}]", "s").root) == MOST_NODES - 1
    assert refused(f"[{most},x]")[0].endswith("more than 50,000 values; a smaller spec")

    comment = "a: 1 #"
    largest = comment + "x" * (MOST_BYTES - len(comment))
    assert read_document(largest, "s").root == {"a": Scalar("1", "integer")}
    assert refused(largest + "x") == ["more than 1,048,576 bytes; a smaller spec"]


@pytest.mark.parametrize(
    "source",
    ["[" * 200_000, "{" * 500_000, "- " * 500_000, "? " * 500_000, "[{" * 100_000,
     "&a " * 300_000, "!" * 1_000_000, "a: 1\n" * 200_000, "[],\n" * 200_000, "'" * 1_000_000,
     "a: &x [*x]\n" * 50_000, '"' + "\\u0041" * 150_000, "7" * 1_000_000, "7:" * 500_000,
     "7_" * 500_000, "#\n" * 500_000, "a: |\n" + "  x\n" * 200_000, "--- " * 200_000,
     "%YAML 1.2\n" * 100_000, "*" * 1_000_000, "a" * 1_000_000, "[a" + ",a" * 500_000],
)  # fmt: skip
def test_no_input_costs_more_than_its_length(source):
    """Counted in calls, which no load of the machine changes; and no answer is long either."""
    calls, told = 0, ""

    def count(*_: object) -> None:
        nonlocal calls
        calls += 1

    sys.setprofile(count)
    try:
        read_document(source, "s")
    except SpecError as refusal:
        told = str(refusal)
    finally:
        sys.setprofile(None)
    assert calls < 50 * len(source)
    assert len(told) < 10_000
