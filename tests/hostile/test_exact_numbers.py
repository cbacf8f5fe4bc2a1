"""Numbers as names, and names at the edges of their types: read exactly, on every engine."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hostile.command import Workshop
from hostile.rows import write_rows

pytestmark = pytest.mark.long_but_first


#: Two numbers each that a reader through doubles takes for one.
TWINS = [
    ("9007199254740992", "9007199254740993"),
    ("9007199254740992.0", "9007199254740993.0"),
    ("18446744073709551615", "18446744073709551616"),
    ("-9223372036854775808", "-9223372036854775809"),
    ("0.1", "0.1000000000000000000001"),
    ("1e-400", "1e-401"),
    ("5e-324", "1e-323"),
    ("0.30000000000000004", "0.3"),
    ("1" + "0" * 300, "1" + "0" * 299 + "1"),
]


def lines(*pairs: tuple[str, ...], names: str = "id y p") -> str:
    return "".join(
        "{" + ", ".join(f'"{n}": {v}' for n, v in zip(names.split(), row, strict=True)) + "}\n"
        for row in pairs
    )


@pytest.mark.parametrize("pair", TWINS)
def test_numbers_beyond_a_double_stay_two_names(
    workshop: Workshop, engine: str, pair: tuple[str, str]
) -> None:
    a, b = pair
    workshop.file("a.jsonl", lines((a, a, a), (b, b, b)))
    for dataset in ("", "id: id"):
        workshop.spec(path="a.jsonl", dataset=dataset, more="subgroups: [p]")
        found = workshop.done(engine=engine)
        assert found.measure("accuracy", subgroup={})["denominator"] == 2
        (labels,) = {tuple(t["labels"]) for t in found.results["tables"]}
        assert len(labels) == 2
        assert {Fraction(text) for text in labels} == {Fraction(text) for text in pair}
    workshop.file("a.jsonl", lines((a, "1", "1"), (a, "0", "0")))
    workshop.refused(3, "id is not unique", engine=engine)


@pytest.mark.parametrize(
    ("written", "label"),
    [("-0.0", "0"), ("-0", "0"), ("0e5", "0"), ("1.0", "1"), ("1E2", "100"), ("true", "true")],
)
def test_one_number_has_one_name(workshop: Workshop, engine: str, written: str, label: str) -> None:
    """-0.0 is 0, 1E2 is 100; a zero with a sign is no class of its own."""
    other = "false" if written == "true" else "7"
    workshop.file("a.jsonl", lines((written, written), (other, other), names="y p"))
    workshop.spec(path="a.jsonl")
    assert label in workshop.done(engine=engine).results["tables"][0]["labels"]


def test_scores_too_fine_for_a_double_are_rounded_once(workshop: Workshop, engine: str) -> None:
    """1e-400 is 0 and 0.1000000000000000055 is 0.1, as in any text file."""
    rows = [("1", "0.1000000000000000055"), ("0", "1e-400"), ("1", "0.7"), ("0", "0.1")]
    workshop.file("a.jsonl", lines(*rows, names="y score"))
    workshop.file("a.csv", "y,score\n" + "".join(f"{y},{s}\n" for y, s in rows))
    found = []
    for path in ("a.jsonl", "a.csv"):
        workshop.spec(path=path, model="{score: score}", metrics="[roc_auc, brier]")
        found.append([m["value"] for m in workshop.done(engine=engine).results["measures"]])
    assert found[0] == found[1]
    assert found[0][0] == 7 / 8


@pytest.mark.parametrize("score", ["1e400", "-1e309", "Infinity", "true", '"0.5x"', "[0.5]"])
def test_scores_that_are_none_are_refused(workshop: Workshop, engine: str, score: str) -> None:
    workshop.file("a.jsonl", lines(("1", score), ("0", "0.1"), names="y score"))
    workshop.spec(path="a.jsonl", model="{score: score}")
    workshop.refused(3, "score", engine=engine)


@pytest.mark.parametrize("value", ["{}", '{"a": 1}', "[1]", "[[]]", '[{"a": 1}]', '["a"]', "[]"])
@pytest.mark.parametrize("column", ["id", "y", "p"])
def test_nested_values_are_no_names(
    workshop: Workshop, engine: str, column: str, value: str
) -> None:
    row = {"id": '"x"', "y": "1", "p": "1", column: value}
    workshop.file("a.jsonl", lines(("1", "0", "0"), tuple(row[c] for c in ("id", "y", "p"))))
    workshop.spec(path="a.jsonl", dataset="id: id")
    workshop.refused(3, column, engine=engine)


@pytest.mark.parametrize("text", ["\\ud800", "\\udfff\\ud800", "a\\udc00b"])
def test_half_of_a_pair_is_no_text(workshop: Workshop, engine: str, text: str) -> None:
    for row in (f'{{"y": "{text}", "p": "x"}}', f'{{"y": "x", "p": "x", "{text}": 1}}'):
        workshop.file("a.jsonl", '{"y": "x", "p": "x"}\n' + row + "\n")
        workshop.spec(path="a.jsonl")
        workshop.refused(3, "surrogate", engine=engine)


def test_a_whole_pair_is_one_character(workshop: Workshop, engine: str) -> None:
    workshop.file("a.jsonl", '{"y": "\\ud83d\\ude00", "p": "x"}\n{"y": "x", "p": "x"}\n')
    workshop.spec(path="a.jsonl")
    assert set(workshop.done(engine=engine).results["tables"][0]["labels"]) == {"x", "\U0001f600"}


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
@pytest.mark.parametrize("column", ["y", "p", "g"])
def test_nul_names_nothing(workshop: Workshop, engine: str, suffix: str, column: str) -> None:
    """numpy takes 'a' and 'a\\0' for one text, and no page can hold the second."""
    names = ["y", "p", "g"]
    rows = [["a"] * 3, ["a\0" if name == column else "a" for name in names]]
    write_rows(workshop.folder / f"a.{suffix}", names, rows, ["VARCHAR"] * 3)
    workshop.spec(path=f"a.{suffix}", more="subgroups: [g]")
    workshop.refused(3, f"{column} (", "NUL", "row 2", engine=engine)


@pytest.mark.parametrize("kind", ["UBIGINT", "BIGINT", "DECIMAL(38,0)", "VARCHAR"])
def test_whole_numbers_of_every_width(workshop: Workshop, engine: str, kind: str) -> None:
    """2^53 and its neighbour as ids and as classes, in every stored type; or refused."""
    rows = [(2**53, 2**53, 2**53), (2**53 + 1, 2**53 + 1, 2**53)]
    write_rows(workshop.folder / "a.parquet", ["id", "y", "p"], rows, [kind] * 3)
    workshop.spec(path="a.parquet", dataset="id: id")
    found = workshop.done(engine=engine)
    assert [float(x) for x in np.ravel(found.results["tables"][0]["counts"])] == [1, 0, 1, 0]
    assert found.results["tables"][0]["labels"] == [str(2**53), str(2**53 + 1)]
