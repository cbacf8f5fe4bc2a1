"""Laws of reading, on generated tables."""

from __future__ import annotations

import csv
import io
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalreport.data import RawTable, Roles, Rules, check, open_source, read_frame, read_table
from evalreport.data.delimited import read_delimited
from evalreport.data.json_lines import read_json_lines
from evalreport.errors import DataError, EvalreportError

TEXT = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=12)
LABELS = st.sampled_from(["", "a", "b", "c"])
SCORES = st.sampled_from(["", "nan", "0.25", "0.5", "1"])
WEIGHTS = st.sampled_from(["", "0", "1", "2.5"])


def csv_table(header: list[str], rows: list[tuple[str, ...]], end: str = "\n") -> RawTable:
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator=end, quoting=csv.QUOTE_ALL)
    writer.writerow(header)
    writer.writerows(rows)
    return read_delimited(io.BytesIO(out.getvalue().encode()), "a.csv", ",")


@pytest.mark.long
@given(st.lists(st.tuples(TEXT, TEXT), min_size=1), st.sampled_from(["\n", "\r\n"]))
def test_any_text_survives_delimited_text(rows: list[tuple[str, str]], end: str) -> None:
    table = csv_table(["y", "p"], rows, end)
    for index, name in enumerate(("y", "p")):
        column = table.columns[name]
        assert column.values.tolist() == [row[index] for row in rows]
        assert column.missing.tolist() == [row[index] == "" for row in rows]
    codes, distinct = table.columns["y"].factorize()
    assert [distinct[c] if c >= 0 else "" for c in codes] == [row[0] for row in rows]


@given(st.lists(TEXT, min_size=1))
def test_any_text_survives_json_lines(texts: list[str]) -> None:
    content = "".join(json.dumps({"y": text}) + "\n" for text in texts).encode()
    table = read_json_lines(io.BytesIO(content), "a.jsonl")
    assert table.columns["y"].values.tolist() == texts
    assert not table.columns["y"].missing.any()


@given(st.lists(st.tuples(LABELS, SCORES, WEIGHTS, LABELS), min_size=1))
def test_every_row_is_used_or_excluded_for_one_reason(
    rows: list[tuple[str, str, str, str]],
) -> None:
    table = csv_table(["y", "s", "w", "c"], rows)
    roles = Roles("y", margin="s", weight="w", cluster="c")
    whole = [
        i for i, (y, s, w, c) in enumerate(rows)
        if y and s not in ("", "nan") and w not in ("", "0") and c
    ]  # fmt: skip
    try:
        found = check(table, roles, Rules(missing="exclude"))
    except DataError:
        assert not whole or len({rows[i][0] for i in whole}) > 2
        return
    assert found.used.tolist() == whole
    assert len(found.used) + sum(count for _, count in found.excluded) == found.rows_read
    if len({rows[i][0] for i in whole}) > 1:
        assert [found.labels[code] for code in found.actual] == [rows[i][0] for i in whole]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abcd")), min_size=1),
       st.randoms(use_true_random=False))  # fmt: skip
def test_the_order_of_rows_does_not_matter(rows: list[tuple[str, str]], random: Any) -> None:
    mixed = list(rows)
    random.shuffle(mixed)
    one, other = (
        check(csv_table(["y", "p"], r), Roles("y", prediction="p"), Rules()) for r in (rows, mixed)
    )
    assert one.labels == other.labels
    assert one.positive == other.positive
    assert one.findings == other.findings


VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**70), 2**70), st.floats(), st.text(max_size=3)
)


@given(st.lists(st.tuples(VALUES, VALUES), min_size=1))
def test_any_values_are_used_excluded_or_refused(rows: list[tuple[Any, Any]]) -> None:
    for roles in (Roles("y", prediction="p"), Roles("y", score="p"), Roles("y", weight="p")):
        try:
            table = read_frame({"y": [r[0] for r in rows], "p": [r[1] for r in rows]}, "f")
            found = check(table, roles, Rules(missing="exclude"))
        except DataError as error:
            told = str(error)
            assert told.replace("\n", "").isprintable()
            continue
        assert len(found.used) + sum(count for _, count in found.excluded) == len(rows)
        for numbers in (found.score, found.weight):
            assert numbers is None or np.isfinite(numbers).all()


@settings(max_examples=300)
@given(st.binary(max_size=200), st.sampled_from(["a.csv", "a.tsv", "a.jsonl", "a.csv.gz"]))
def test_any_bytes_are_a_table_or_a_told_mistake(content: bytes, name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        try:
            table = read_table(open_source(path, name))
        except EvalreportError as error:
            told = error.problems
            assert told
            return
    assert table.rows > 0
    assert all(len(column.values) == table.rows for column in table.columns.values())


@settings(max_examples=300)
@given(st.text("ab01.,;\"'\n\r\t \ufeffé", max_size=40))
def test_any_delimited_text_is_a_table_or_a_told_mistake(text: str) -> None:
    try:
        table = read_delimited(io.BytesIO(text.encode()), "a.csv", ",")
    except DataError as error:
        told = error.problems
        assert all(problem.where is not None for problem in told)
        return
    assert [table.line(row) for row in range(table.rows)] == sorted(
        {table.line(row) for row in range(table.rows)}  # type: ignore[type-var]
    )
