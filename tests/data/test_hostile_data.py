"""Files made to mislead a reader of data, and what must come of each."""

from __future__ import annotations

from collections.abc import Callable

import duckdb
import numpy as np
import pytest

from evalreport.data import Checked, RawTable, Roles, Rules, check, open_source, read_table
from evalreport.errors import DataError

Read = Callable[..., RawTable]
P, S = Roles("y", prediction="p"), Roles("y", score="score")
EXCLUDE = Rules(missing="exclude")


def codes(checked: Checked) -> set[str]:
    return {finding.code for finding in checked.findings}


def test_words_for_no_value_are_labels(read_bytes: Read) -> None:
    words = ["None", "NA", "N/A", "null", "nan", "NaN", "", "<NA>", "none", "No", "n/a", "cat"]
    rows = "".join(f"{i},{word},{word}\n" for i, word in enumerate(words))
    table = read_bytes(f"id,y,p\n{rows}".encode())
    with pytest.raises(DataError, match=r"y is empty in row 7 \(line 8\)"):
        check(table, P, Rules())
    found = check(table, P, EXCLUDE)
    assert (len(found.used), len(found.labels)) == (11, 11)
    assert set(found.labels) == set(words) - {""}
    assert found.excluded == (("y is empty", 1),)


def test_leading_zeros_make_another_label(read_bytes: Read) -> None:
    found = check(read_bytes(b"id,y,p\n1,007,7\n2,010,010\n3,7,007\n"), P, Rules())
    assert set(found.labels) == {"007", "7", "010"}
    assert int(np.sum(found.actual == found.predicted)) == 1
    assert codes(found) == {"look_alike_labels"}
    assert "'007' and '7'" in found.findings[0].message


def test_yes_and_no_are_text(read_bytes: Read) -> None:
    found = check(read_bytes(b"id,y,p\n1,yes,yes\n2,no,no\n3,no,yes\n"), P, Rules())
    assert (found.labels, found.positive) == (("no", "yes"), 1)
    assert found.predicted is not None
    pairs = list(zip(found.actual.tolist(), found.predicted.tolist(), strict=True))
    assert [pairs.count(cell) for cell in [(1, 1), (0, 1), (1, 0), (0, 0)]] == [1, 1, 0, 1]


def test_large_ids_differ_and_the_empty_one_is_named(read_bytes: Read) -> None:
    table = read_bytes(b"id,y,p\n9007199254740992,1,1\n9007199254740993,0,1\n,1,1\n")
    roles = Roles("y", prediction="p", id="id")
    with pytest.raises(DataError) as caught:
        check(table, roles, Rules())
    assert len(caught.value.problems) == 1
    assert "id is empty in row 3 (line 4)" in str(caught.value)
    assert check(table, roles, EXCLUDE).excluded == (("id is empty", 1),)


def test_scores_that_are_no_finite_numbers(read_bytes: Read) -> None:
    table = read_bytes(b"y,score\n1,0.9\n0,nan\n1,inf\n0,-inf\n1,1e400\n0,\n1,1.2\n")
    with pytest.raises(DataError) as caught:
        check(table, S, Rules())
    told = [str(problem) for problem in caught.value.problems]
    assert "infinite in row 3 (line 4): 'inf', row 4 (line 5): '-inf'" in told[0]
    assert "too large in row 5 (line 6): '1e400'" in told[1]
    assert "score is missing in row 2 (line 3), row 6 (line 7)" in told[2]
    with pytest.raises(DataError, match="infinite"):
        check(table, S, EXCLUDE)


def test_markup_mathematics_and_formulas_are_text(read_bytes: Read) -> None:
    labels = [
        "<script>alert(1)</script>", "'\"><svg onload=alert(1)>", "</script>\u2028",
        "$5-$10", "$\\frac{$", "_hidden", "50%", "=1+1", '=HYPERLINK("http://e.example","x")',
        "@SUM(1)", "-1", "{{7*7}}", "${HOME}", "12:30", "2020-01-31", "T", "F", "../..", "%(x)s",
        "\u202eabc", "a\tb", "line\nbreak", "\U0001f600", "e\u0301", "\ufeffx", "x" * 20_000,
    ]  # fmt: skip
    rows = "".join('"{0}","{0}"\n'.format(label.replace('"', '""')) for label in labels)
    found = check(read_bytes(f"y,p\n{rows}".encode()), P, Rules())
    assert [found.labels[code] for code in found.actual] == labels
    assert found.predicted is not None
    assert found.predicted.tolist() == found.actual.tolist()


def test_a_name_with_a_pattern_is_that_file(read_bytes: Read) -> None:
    read_bytes(b"y,p\nWRONG,x\n", "data1.csv")
    table = read_bytes(b"y,p\nRIGHT,RIGHT\n", "data[1].csv")
    assert check(table, P, Rules()).labels == ("RIGHT",)


def test_one_class(read_bytes: Read) -> None:
    table = read_bytes(b"y,p,score\n" + b"1,1,0.9\n" * 5)
    labels = check(table, P, Rules())
    assert (labels.labels, labels.positive, codes(labels)) == (("1",), 0, {"one_class"})
    scores = check(table, S, Rules())
    assert (scores.labels, scores.positive, codes(scores)) == (("not 1", "1"), 1, {"one_class"})


@pytest.mark.long
def test_sixty_thousand_classes(read_bytes: Read) -> None:
    rows = "".join(f"c{i},c{(i * 7) % 60_000}\n" for i in range(60_000))
    found = check(read_bytes(f"y,p\n{rows}".encode()), P, Rules())
    assert len(found.labels) == 60_000
    assert int(np.sum(found.actual == found.predicted)) == 6


def test_a_type_that_changes_late_changes_nothing(read_bytes: Read) -> None:
    table = read_bytes(b"y,p\n" + b"1,1\n" * 30_000 + b"x,1\n")
    assert check(table, P, Rules()).labels == ("1", "x")


def test_single_precision_is_widened_as_stored(tmp_path: object) -> None:
    path = f"{tmp_path}/a.parquet"
    with duckdb.connect() as connection:
        connection.execute(
            "COPY (SELECT * FROM (VALUES (1, 0.7::FLOAT), (0, 0.69::FLOAT)) v(y, score)) "
            f"TO '{path}' (FORMAT parquet)"
        )
    found = check(read_table(open_source(path, "a.parquet")), S, Rules())
    assert found.score is not None
    assert found.score.tolist() == [0.699999988079071, 0.6899999976158142]
    assert int(np.sum(found.score >= 0.7)) == 0
    assert codes(found) == {"float32"}


def test_the_same_rows_give_the_same_in_every_format(read_bytes: Read, tmp_path: object) -> None:
    tables = [
        read_bytes(b"y,score\na,0.5\nb,\na,0.25\n"),
        read_bytes(b"y\tscore\na\t0.5\nb\tnan\na\t0.25\n", "a.tsv"),
        read_bytes(
            b'{"y":"a","score":0.5}\n{"y":"b","score":NaN}\n{"y":"a","score":0.25}\n', "a.jsonl"
        ),
    ]
    path = f"{tmp_path}/a.parquet"
    with duckdb.connect() as connection:
        connection.execute(
            "COPY (SELECT * FROM (VALUES ('a', 0.5::DOUBLE), ('b', NULL), ('a', 0.25)) "
            f"v(y, score)) TO '{path}' (FORMAT parquet)"
        )
    tables.append(read_table(open_source(path, "a.parquet")))
    for table in tables:
        found = check(table, S, Rules(missing="exclude", declared=("b", "a")))
        assert found.excluded == (("score is missing", 1),)
        assert found.used.tolist() == [0, 2]
        assert found.actual.tolist() == [1, 1]
        assert found.score is not None
        assert found.score.tolist() == [0.5, 0.25]
        assert found.positive == 0
