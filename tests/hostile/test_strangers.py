"""What a stranger's spec and file can ask for since files are read in ways of their own."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hostile.command import Workshop

from evalreport.data import open_source
from evalreport.data.limits import Limits, Room
from evalreport.data.read import read_sheet
from evalreport.errors import DataError, LimitError
from evalreport.predict.linear import linear_output


@pytest.mark.parametrize(
    ("encoding", "status"),
    [("utf-16", 3), ("utf-32", 3), ("undefined", 2), ("punycode", 2), ("idna", 2), ("base64", 2),
     ("rot13", 2), ("unicode_escape", 2), ("raw_unicode_escape", 2), ("utf-7", 0), ("cp1252", 0)],
)  # fmt: skip
def test_encodings(workshop: Workshop, encoding: str, status: int) -> None:
    workshop.spec(dataset=f"read: {{encoding: {encoding}}}")
    assert workshop.run().status == status


@pytest.mark.parametrize("cut", [1, 2, 3, 5])
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "shift_jis", "gb18030"])
def test_text_of_another_encoding_that_is_cut_off(
    workshop: Workshop, encoding: str, cut: int
) -> None:
    content = "y,p\nカ,カ\n犬,犬\n".encode("gb18030" if encoding == "gb18030" else encoding)
    workshop.file("a.csv", content[:-cut])
    workshop.spec(dataset=f"read: {{encoding: {encoding}}}")
    assert workshop.run().status in (0, 3)


def test_half_a_character_in_utf_7(workshop: Workshop) -> None:
    workshop.file("a.csv", b"y,p\n+2AA-,a\na,a\n")
    workshop.spec(dataset="read: {encoding: utf-7}")
    workshop.refused(3, "a.csv")


def test_a_long_table_that_would_be_all_gaps(workshop: Workshop) -> None:
    """700 kB that would be 30,000 rows of 9,000 columns."""
    rows = "".join(f"r{i},k{i % 9000},0.5,a\n" for i in range(30_000))
    workshop.file("a.csv", "c,k,v,y\n" + rows)
    workshop.spec(
        dataset="read: {pivot: {row: c, column: k, value: v}}", model="{scores: {a: k1, b: k2}}"
    )
    workshop.refused(4, "30,000 cases by 9,000 classes")


def test_very_many_classes_of_a_long_table(workshop: Workshop) -> None:
    rows = "".join(f"r,k{i},0.5,a\n" for i in range(20_000))
    workshop.file("a.csv", "c,k,v,y\n" + rows)
    workshop.spec(
        dataset="read: {pivot: {row: c, column: k, value: v}}", model="{scores: {a: k1, b: k2}}"
    )
    workshop.refused(4, "20,000 distinct values, more than the limit of 10,000")


@pytest.mark.parametrize(
    ("bias", "weight"), [("1.0e308", "1.0e308"), ("0", "1.7e308"), ("-1.7e308", "-1.7e308")]
)
def test_a_sum_that_is_no_number(workshop: Workshop, bias: str, weight: str) -> None:
    workshop.file("a.csv", "y,x\na,1e308\nb,-1e308\na,1\nb,2\n")
    workshop.spec(model=f"{{linear: {{bias: {bias}, weights: {{x: {weight}}}}}}}")
    workshop.refused(3, "too large for a number")


@pytest.mark.parametrize("power", ["-200", "+200", "-310"])
def test_weights_whose_squares_are_no_numbers(power: str) -> None:
    """3 and 4 of 1e200: the distance of (1, 1) from the boundary is 7 over 5."""
    ones = np.array([1.0])
    weights = {"x": float(f"3e{power}"), "z": float(f"4e{power}")}
    found = linear_output({"x": ones, "z": ones}, 0.0, weights)
    assert found.distance.tolist() == pytest.approx([1.4], rel=1e-9)


# -- Excel files -----------------------------------------------------------------------------

SHEET = "xl/worksheets/sheet1.xml"
HEAD = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
TAIL = "</sheetData></worksheet>"
SHEETS = {
    "a cell far to the right in every row": HEAD
    + "".join(f'<row r="{i}"><c r="XFD{i}"><v>1</v></c></row>' for i in range(1, 5001)) + TAIL,
    "cut off": HEAD + '<row r="1"><c r="A1"><v>',
    "a cell of no column": HEAD + '<row r="1"><c r="ZZZZZZ1"><v>1</v></c></row>' + TAIL,
    "text that is not there": HEAD + '<row r="1"><c r="A1" t="s"><v>99</v></c></row>' + TAIL,
    "entities": '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>' + HEAD
    + '<row r="1"><c r="A1" t="inlineStr"><is><t>&a;</t></is></c></row>' + TAIL,
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(SHEETS))
def test_a_sheet_that_is_none(tmp_path: Path, name: str) -> None:
    import openpyxl

    book, plain, made = openpyxl.Workbook(), io.BytesIO(), io.BytesIO()
    book.active.append(["y", "p"])
    book.save(plain)
    with zipfile.ZipFile(plain) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.namelist():
            new.writestr(entry, SHEETS[name] if entry == SHEET else old.read(entry))
    (tmp_path / "a.xlsx").write_bytes(made.getvalue())
    source = open_source(tmp_path / "a.xlsx")
    limits = Limits(held=1 << 28)
    expected = LimitError if name.startswith("a cell far") else DataError
    with pytest.raises(expected) as caught:
        read_sheet(made, "a.xlsx", None, limits, room=Room("a.xlsx", source.size, limits))
    assert "root:" not in str(caught.value)
