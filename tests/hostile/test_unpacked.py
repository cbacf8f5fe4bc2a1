"""Small files that unpack to much: judged by what comes out of them, while they are read."""

from __future__ import annotations

import gzip
import io
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hostile.command import Workshop

from evalreport.data import Limits, open_source
from evalreport.data.limits import check_archive
from evalreport.data.pictures import data_address
from evalreport.data.read import read_table
from evalreport.engine.counting import choosing
from evalreport.errors import DataError, LimitError
from evalreport.predict.model_file import object_stream

pytestmark = pytest.mark.long_but_first


PARQUET = {
    # 2.6 kB that stand for more than a gigabyte of text
    "a text that repeats": "SELECT repeat('x', 90000) AS y, 'b' AS p FROM range(12000)",
    "lists of texts": "SELECT 'a' AS y, list_value(repeat('x', 90000), 'b') AS p FROM range(12000)",
    "very many rows": "SELECT 'a' AS y, 'a' AS p, 1 AS w FROM range(30000000)",
}


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("packed")
    made = {}
    for place, (name, query) in enumerate(PARQUET.items()):
        made[name] = folder / f"{place}.parquet"
        options = "(FORMAT parquet, COMPRESSION zstd)"
        duckdb.connect().execute(f"COPY ({query}) TO '{made[name]}' {options}")
        assert made[name].stat().st_size < 400_000
    return made


@pytest.mark.long
@pytest.mark.parametrize("name", ["a text that repeats", "very many rows"])
def test_a_packed_parquet_file_is_not_loaded(
    workshop: Workshop, packed: dict[str, Path], name: str
) -> None:
    workshop.spec(path=str(packed[name]))
    workshop.refused(4, packed[name].name)


@pytest.mark.long
def test_lists_of_texts_are_counted(packed: dict[str, Path]) -> None:
    source = open_source(packed["lists of texts"])
    with pytest.raises(LimitError, match="unpack to more than 1,024 MiB"):
        read_table(source)


@pytest.mark.long
def test_a_small_file_of_many_rows_is_counted_where_it_lies(
    workshop: Workshop, packed: dict[str, Path]
) -> None:
    workshop.spec(path=str(packed["very many rows"]), more="positive: {label: a}")
    found = workshop.done(engine="auto")
    assert found.measure("accuracy")["denominator"] == 30_000_000


def bomb(rows: int) -> bytes:
    return gzip.compress(b"y,p\n" + b"1,1\n" * rows, mtime=0)


def test_what_gzip_unpacks_to_decides_on_the_engine(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """2 kB that hold 800 kB: counted where text of that size would be counted."""
    monkeypatch.setattr(choosing, "MUCH_TEXT", 500_000)
    workshop.file("b.csv.gz", bomb(200_000))
    workshop.spec(path="b.csv.gz", more="positive: {label: '1'}")
    used = workshop.done(engine="auto").results["provenance"]["engine"]
    assert "duckdb" in str(used)
    assert "unpacked bytes" in str(used)


@pytest.mark.parametrize("name", ["b.csv.gz", "b.tsv.gz", "b.jsonl.gz"])
def test_values_are_counted_while_they_are_read(tmp_path: Path, name: str) -> None:
    row = {"b.csv.gz": b"1,1\n", "b.tsv.gz": b"1\t1\n", "b.jsonl.gz": b'{"y":1,"p":1}\n'}[name]
    head = b"" if "json" in name else row.replace(b"1", b"y", 1).replace(b"1", b"p", 1)
    (tmp_path / name).write_bytes(gzip.compress(head + row * 100_000, mtime=0))
    with pytest.raises(LimitError, match="unpack to more than"):
        read_table(open_source(tmp_path / name), None, Limits(held=1 << 20, held_ratio=0))
    # A column that is not asked for takes no room.
    assert read_table(open_source(tmp_path / name), ["y"], Limits(held=6 << 20)).rows == 100_000


def test_files_of_a_folder_share_their_room(tmp_path: Path) -> None:
    from evalreport.data.files import open_files

    for place in range(4):
        (tmp_path / f"{place}.csv").write_bytes(b"y,p\n" + b"1,1\n" * 10_000)
    limits = Limits(held=3_000_000, held_ratio=0)
    assert read_table(open_source(tmp_path / "0.csv"), None, limits).rows == 10_000
    with pytest.raises(LimitError, match="unpack to more than 2 MiB"):
        read_table(open_files(tmp_path, "*.csv"), None, limits)


@pytest.mark.long
def test_a_key_of_its_own_in_every_line(workshop: Workshop) -> None:
    """1.4 MB of plain text that would be 29 gigabytes of gaps."""
    lines = "".join(f'{{"y":1,"p":1,"k{i}":1}}\n' for i in range(60_000))
    workshop.file("keys.jsonl", lines)
    workshop.spec(path="keys.jsonl", more="positive: {label: '1'}")
    assert workshop.done().measure("accuracy")["denominator"] == 60_000
    with pytest.raises(LimitError, match="unpack to more than"):
        read_table(open_source(workshop.folder / "keys.jsonl"))


# -- models ----------------------------------------------------------------------------------


def archive(entries: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in entries.items():
            made.writestr(name, content)
    return out.getvalue()


def test_a_model_that_unpacks_to_much_is_refused_before_it_is_read(workshop: Workshop) -> None:
    workshop.file("f.csv", "x,y\n" + "1,a\n2,b\n" * 5)
    workshop.file("m.skops", archive({"schema.json": b"{}", "a.npy": bytes(300 << 20)}))
    workshop.spec(path="f.csv", model="{skops: m.skops, features: [x]}")
    workshop.refused(4, "m.skops", "compressed more than 100 to 1")


def test_entries_that_lie_over_one_another_are_refused() -> None:
    """The bomb of David Fifield: many names for the same bytes."""
    entries = [zipfile.ZipInfo(f"{i}") for i in range(10)]
    for entry in entries:
        entry.compress_size, entry.file_size = 900, 1_000
    with pytest.raises(DataError, match="contains more than its bytes"):
        check_archive("m.skops", entries, 1_000, Limits())


def test_a_dictionary_of_gigabytes_is_not_made() -> None:
    """The head of an LZMA file says how much memory undoing it takes."""
    head = b"\x5d" + struct.pack("<I", 0xFFFFFFFF) + b"\xff" * 8 + bytes(64)
    assert object_stream(head) is None


# -- pictures --------------------------------------------------------------------------------

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">{}</svg>'


def nested(step: str, last: str, count: int) -> str:
    """Each step draws the next one ten times."""
    return "".join(step.format(i, i + 1) for i in range(count)) + last.format(count)


def uses(count: int) -> str:
    step = '<g id="a{0}">' + '<use href="#a{1}"/>' * 10 + "</g>"
    return nested(step, '<rect id="a{0}" width="9" height="9"/>', count) + '<use href="#a0"/>'


def clips(count: int) -> str:
    inside = '<rect width="9" height="9" clip-path="url(#c{1})"/>' * 10
    step = '<clipPath id="c{0}">' + inside + "</clipPath>"
    last = '<clipPath id="c{0}"><rect width="9" height="9"/></clipPath>'
    return nested(step, last, count) + '<rect width="9" height="9" clip-path="url(#c0)"/>'


BOMBS = {
    "uses of uses": uses(12),
    "uses by the old name": uses(12).replace("href", "xlink:href").replace(
        "<use ", '<use xmlns:xlink="http://www.w3.org/1999/xlink" '
    ),
    "uses in a circle": '<g id="a"><use href="#a"/></g>',
    "uses of one another": '<g id="a"><use href="#b"/></g><g id="b"><use href="#a"/></g>',
    "a use of what holds it": '<use id="a" href="#a"/>',
    "clips of clips": clips(12),
    "clips by style": clips(12).replace('clip-path="url(#c0)"', 'style="clip-path:url( #c0 )"'),
    "a chain of uses": nested('<use id="a{0}" href="#a{1}"/>', '<rect id="a{0}"/>', 3000),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(BOMBS))
def test_a_drawing_that_multiplies_is_refused(workshop: Workshop, name: str) -> None:
    workshop.file("logo.svg", SVG.format(BOMBS[name]))
    workshop.spec(more="report: {logo: logo.svg}")
    workshop.refused(3, "logo.svg", "counted each time")
    # A template's folder too, where it is a matter of files.
    workshop.file("mine/logo.svg", SVG.format(BOMBS[name]))
    with pytest.raises(DataError):
        data_address((workshop.folder / "mine/logo.svg").read_bytes(), "logo.svg")


def test_parts_that_are_used_again_are_drawn() -> None:
    # 1 + 3 * (1 + 11) and what is defined: far below the limit
    assert data_address(SVG.format(uses(1) * 1).encode(), "logo.svg").startswith("data:image/svg")


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(head: bytes | None = None, pixels: bytes = b"\0abc", **fields: Any) -> bytes:
    known = {"width": 1, "height": 1, "depth": 8, "colour": 2, "pack": 0, "filter": 0, "lace": 0}
    made = struct.pack(">IIBBBBB", *(known | fields).values()) if head is None else head
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", made) + chunk(b"IDAT", zlib.compress(pixels))
        + chunk(b"IEND", b"")
    )  # fmt: skip


PNGS = {
    "no header": png(b""),
    "four bytes": png(b"\0\0\0\1"),
    "seven bytes": png(b"\0\0\0\1\0\0\0"),
    "eight bytes": png(struct.pack(">II", 1, 1)),
    "a long header": png(struct.pack(">IIBBBBBB", 1, 1, 8, 2, 0, 0, 0, 0)),
    "no such colour": png(colour=5),
    "no such depth": png(depth=3),
    "depth of another colour": png(depth=16, colour=3),
    "no such packing": png(pack=1),
    "no such lacing": png(lace=2),
    "no pixels": png(pixels=b""),
    "a bomb": png(pixels=bytes(100 << 20)),
    "header twice": png().replace(chunk(b"IEND", b""), chunk(b"IHDR", b"") + chunk(b"IEND", b"")),
}


@pytest.mark.parametrize("name", sorted(PNGS))
def test_a_picture_that_lies_is_refused(workshop: Workshop, name: str) -> None:
    workshop.file("logo.png", PNGS[name])
    workshop.spec(more="report: {logo: logo.png}")
    workshop.refused(3, "logo.png", "damaged")


def test_a_picture_in_seven_passes_is_drawn() -> None:
    assert data_address(png(lace=1), "a.png").startswith("data:image/png")


def test_a_logo_that_is_no_file(workshop: Workshop) -> None:
    import os

    os.mkfifo(workshop.folder / "logo.png")
    workshop.spec(more="report: {logo: logo.png}")
    workshop.refused(4, "logo.png", "named pipe")
