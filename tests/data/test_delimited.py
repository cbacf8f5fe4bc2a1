from __future__ import annotations

import gzip
import io
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from evalreport.data import Limits, RawTable, column_names, open_source
from evalreport.data.delimited import read_delimited
from evalreport.data.utf8 import text_lines
from evalreport.errors import DataError, LimitError

Read = Callable[..., RawTable]


def values(table: RawTable, column: str) -> list[Any]:
    raw = table.columns[column]
    return [None if gap else v for v, gap in zip(raw.values, raw.missing, strict=True)]


def problems(read: Read, content: bytes, name: str = "a.csv", **options: Any) -> list[str]:
    with pytest.raises(DataError) as caught:
        read(content, name, **options)
    assert caught.value.status == 3
    return [str(problem) for problem in caught.value.problems]


def test_values_are_text_and_only_an_empty_field_is_missing(read_bytes: Read) -> None:
    table = read_bytes(b'y,p\nNone,NA\nnan,\n007,""\nyes, 1 \n')
    assert values(table, "y") == ["None", "nan", "007", "yes"]
    assert values(table, "p") == ["NA", None, None, " 1 "]
    assert table.columns["y"].kind == "text"
    assert table.header == ("y", "p")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_byte_order_mark_and_line_ends_do_not_matter(
    read_bytes: Read, end: str, mark: bytes
) -> None:
    content = mark + end.join(["y,p", "1,é", "2,b", ""]).encode()
    table = read_bytes(content)
    assert values(table, "y") == ["1", "2"]
    assert values(table, "p") == ["é", "b"]
    assert table.row_name(1) == "row 2 (line 3)"


def test_a_last_line_without_an_end_is_a_row(read_bytes: Read) -> None:
    assert values(read_bytes(b"y\n1\n2"), "y") == ["1", "2"]


def test_tabs_and_gzip(read_bytes: Read) -> None:
    assert values(read_bytes(b"y\tp\n1,0\t2\n", "a.tsv"), "y") == ["1,0"]
    packed = gzip.compress(b"y,p\n1,2\n", mtime=0) + gzip.compress(b"3,4\n")
    assert values(read_bytes(packed, "a.csv.gz"), "p") == ["2", "4"]


def test_only_the_asked_columns_are_kept(read_bytes: Read) -> None:
    table = read_bytes(b"a,b,c\n1,2,3\n", columns={"c", "a", "absent"})
    assert list(table.columns) == ["a", "c"]
    assert table.header == ("a", "b", "c")


def test_the_header_is_exact_text(read_bytes: Read) -> None:
    header = ('"; DROP TABLE t; --', " y", "select", "*", "é")
    line = ",".join('"' + name.replace('"', '""') + '"' for name in header)
    assert read_bytes(f"{line}\n1,2,3,4,5\n".encode()).header == header


def test_every_row_that_does_not_fit_is_named(read_bytes: Read) -> None:
    found = problems(read_bytes, b"y,p\nROW1,cat,cat\nROW2,dog,cat\n")
    assert [text.split(";")[0] for text in found] == [
        "a.csv:2: row 1 has 3 fields under a header of 2",
        "a.csv:3: row 2 has 3 fields under a header of 2",
    ]


def test_many_rows_that_do_not_fit_are_counted(read_bytes: Read) -> None:
    found = problems(read_bytes, b"y,p\n" + b"1\n" * 700)
    assert len(found) == 6
    assert found[-1] == "a.csv: 695 more rows that do not fit the header"


def test_a_decimal_comma_between_commas_is_guessed(read_bytes: Read) -> None:
    assert "a decimal comma?" in problems(read_bytes, b"y,p\n1,0,5\n")[0]


def test_line_numbers_follow_fields_of_several_lines(read_bytes: Read) -> None:
    rows = b"".join(b'1,"a\r\nb\n"\n2,c\n' for _ in range(300))
    table = read_bytes(b"y,p\n" + rows)
    assert table.row_name(0) == "row 1 (line 2)"
    assert table.row_name(1) == "row 2 (line 5)"
    assert table.row_name(599) == "row 600 (line 1201)"
    assert values(table, "p")[0] == "a\r\nb\n"
    found = problems(read_bytes, b"y,p\n" + rows + b"1\n")
    assert found[0].startswith("a.csv:1202: row 601 has 1 field under")


def test_line_numbers_after_many_plain_rows(read_bytes: Read) -> None:
    table = read_bytes(b"y,p\n" + b"1,2\n" * 300 + b'1,"a\nb"\n1,2\n')
    assert [table.line(row) for row in (0, 299, 300, 301)] == [2, 301, 302, 304]


def test_a_header_of_several_lines(read_bytes: Read) -> None:
    table = read_bytes(b'y,"p\nq"\n1,2\n')
    assert table.header == ("y", "p\nq")
    assert table.row_name(0) == "row 1 (line 3)"


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"y;score\n1;0,5\n", "by a semicolon, not by a comma, and numbers have a decimal comma"),
        (b"y;score\n1;0.5\n", "separated by a semicolon, not by a comma;"),
        (b"y;score\n", "separated by a semicolon, not by a comma;"),
        (b"y\tscore\n1\t0,5\n", "separated by a tab, not by a comma, and numbers"),
        (b"y|score\n1|0.5\n", "separated by a bar, not by a comma;"),
    ],
)
def test_another_delimiter_is_named(read_bytes: Read, content: bytes, found: str) -> None:
    assert found in problems(read_bytes, content)[0]


def test_commas_in_a_tab_file_are_named(read_bytes: Read) -> None:
    assert "separated by a comma, not by a tab" in problems(read_bytes, b"y,p\n1,2\n", "a.tsv")[0]


def test_a_single_column_may_have_any_name_that_is_asked_for(read_bytes: Read) -> None:
    assert values(read_bytes(b"y;z\n1\n", columns={"y;z"}), "y;z") == ["1"]


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"", "the file is empty"),
        (b"\xef\xbb\xbf", "the file is empty"),
        (b"\ny\n1\n", "starts with an empty line"),
        (b"y,p\n", "a header and no rows"),
        (b"y,p\n\n\n", "a header and no rows"),
        (b"y,,p,\n1,2,3,4\n", "column 2 has no name"),
        (b"y, \n1,2\n", "column 2 has no name"),
        (b"y,p,y\n1,2,3\n", "a.csv:1: column 'y' is there 2 times (columns 1, 3)"),
        (b"y,p\n1,2\n\n3,4\n", "a.csv:3: the line is empty"),
        (b'y,p\n"abc,1\ndef,2\n', "a.csv:2: a quote is opened here and never closed"),
        (b'y,p\n1,2\n3,4\n5,"6\n', "a.csv:4: a quote is opened here"),
        (b'y,p\n"a\nb",2\n5,"6\n7', "a.csv:4: a quote is opened here"),
        (b'"y,p\n1,2\n', "a.csv:1: a quote is opened here"),
        (b'y,p\n"a"b,1\n', "a.csv:2: the quoting is wrong"),
        (b'y,p\n"' + b"a\n" * 70_000, "a.csv:2: a field of more than 131,072 characters"),
        (b"y,p\n1,a\0b\n", "a.csv:2: a NUL byte"),
        ("y,p\né,é\n".encode("utf-16"), "the file is UTF-16, not UTF-8"),
        ("y,p\na,b\n".encode("utf-16-le"), "UTF-16 without a byte order mark"),
        ("y,p\na,b\n".encode("utf-16-be"), "UTF-16 without a byte order mark"),
        ("y,p\na,b\n".encode("utf-32"), "the file is UTF-32"),
        (b"y,p\n1,2\n3,caf\xe9\n", "a.csv:3: byte 0xe9 is not UTF-8; the file looks like Latin-1"),
        (b"y,p\n1,caf\xc3", "ends in the middle of a character (byte 0xc3)"),
        (b"PK\x03\x04", "a zip archive or a spreadsheet"),
        (gzip.compress(b"y\n1\n", mtime=0), "gzip data"),
        (b"PAR1....", "Parquet"),
    ],
)
def test_what_is_wrong_is_named(read_bytes: Read, content: bytes, found: str) -> None:
    assert found in "\n".join(problems(read_bytes, content))


def test_rows_before_a_faulty_quote_are_still_reported(read_bytes: Read) -> None:
    found = problems(read_bytes, b"y,p\n" + b"1\n" + b"1,2\n" * 300 + b'"a')
    assert found[0].startswith("a.csv:2: row 1 has 1 field under")
    assert found[1].startswith("a.csv:303: a quote is opened here")


def test_empty_lines_at_the_end_are_no_rows(read_bytes: Read) -> None:
    assert read_bytes(b"y,p\n1,2\n\n\n").rows == 1
    assert read_bytes(b"y\n1\n\n").rows == 1
    assert values(read_bytes(b'y\n1\n""\n'), "y") == ["1", None]
    late = b"y,p\n" + b"1,2\n" * 255 + b"\n" + b"3,4\n"
    assert "a.csv:257: the line is empty" in problems(read_bytes, late)[0]


def test_gzip_that_is_damaged_or_cut(read_bytes: Read) -> None:
    packed = gzip.compress(b"y,p\n" + b"1,2\n" * 1000, mtime=0)
    for broken in (packed[:-20], packed[:-8] + b"\0" * 8, b"no gzip", packed[:20] + b"\xff" * 40):
        assert "damaged or cut off" in problems(read_bytes, broken, "a.csv.gz")[0]


def test_a_gzip_bomb_stops_at_the_ratio(read_bytes: Read) -> None:
    packed = gzip.compress(b"y,p\n" + b"1,2\n" * 2_000_000, mtime=0)
    limits = Limits(free_bytes=1 << 20)
    with pytest.raises(LimitError, match="more than 100 to 1") as caught:
        read_bytes(packed, "a.csv.gz", limits=limits)
    assert caught.value.status == 4


def test_decompressed_and_plain_size_have_a_limit(read_bytes: Read) -> None:
    content = b"y,p\n" + b"1,2\n" * 1000
    for packed, name in ((gzip.compress(content, mtime=0), "a.csv.gz"), (content, "a.csv")):
        with pytest.raises(LimitError, match=r"3,000|decompressed"):
            read_bytes(packed, name, limits=Limits(bytes=3000))
        assert read_bytes(packed, name, limits=Limits(bytes=4004)).rows == 1000


def test_a_line_without_end_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evalreport.data.utf8._LONGEST_LINE", 1000)
    with pytest.raises(DataError, match="a line of more than 1,000 characters"):
        list(text_lines(io.BytesIO(b"x" * 2000), "a.csv"))


class _Pieces(io.RawIOBase):
    """Bytes that come in pieces of one size."""

    def __init__(self, data: bytes, size: int) -> None:
        self.data, self.size = data, size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece, self.data = self.data[: self.size], self.data[self.size :]
        buffer[: len(piece)] = piece
        return len(piece)


@pytest.mark.parametrize("size", [1, 2, 3, 7])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-8-sig"])
def test_lines_do_not_depend_on_how_the_file_is_cut(size: int, encoding: str) -> None:
    lines = ["é\r\n", "b\r", "c\n", "\r\n", "\x0cd\u2028e\r"]
    data = "".join(lines).encode(encoding)
    stream = io.BufferedReader(_Pieces(data, size))
    assert list(text_lines(stream, "a", encoding.removesuffix("-sig"))) == lines


def test_the_first_rows_alone_can_be_read(tmp_path: Any) -> None:
    path = tmp_path / "a.csv"
    path.write_text("y,p\n" + "1,2\n" * 5000)
    found = column_names(open_source(path))
    assert found.header == ("y", "p")
    assert found.sample.rows == 1000
    table = read_delimited(io.BytesIO(b"y\n1\n2\n3\n"), "a.csv", ",", rows=2)
    assert table.columns["y"].values.tolist() == ["1", "2"]


def test_factors_are_in_order_of_first_sight_and_kept(table_of: Callable[[str], RawTable]) -> None:
    column = table_of("y,p\nb,1\n,1\na,1\nb,1\n").columns["y"]
    codes, distinct = column.factorize()
    assert codes.tolist() == [0, -1, 1, 0]
    assert codes.dtype == np.int32
    assert distinct == ["b", "a"]
    assert column.factorize()[0] is codes


def test_messages_show_no_path(tmp_path: Any) -> None:
    path = tmp_path / "a.csv"
    path.write_text("y,y\n1,1\n")
    with pytest.raises(DataError) as caught:
        column_names(open_source(path, "a.csv"))
    assert not re.search(re.escape(str(tmp_path)), str(caught.value))
