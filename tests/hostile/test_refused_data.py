"""Data that is refused: the row and what is wrong with it, the same on every engine."""

from __future__ import annotations

import gzip
import json
import os
import threading
import time
import zipfile

import pytest
from hostile.command import Workshop
from hostile.rows import write_rows

pytestmark = [
    pytest.mark.long_but_first,
    pytest.mark.requirement("R10"),
    pytest.mark.requirement("R11"),
    pytest.mark.requirement("R14"),
]

S = "{score: score}"

REFUSED: dict[str, tuple[bytes, dict[str, str], tuple[str, ...]]] = {
    "an empty label": (b"y,p\ncat,cat\n,\n", {}, ("y is empty in row 2", "line 3")),
    "an empty prediction": (b"y,p\ncat,cat\ndog,\n", {}, ("p is empty in row 2", "line 3")),
    "a missing score": (
        b"y,score\n1,0.9\n0,\n1,nan\n0,0.1\n", {"model": S}, ("row 2", "row 3")),
    "wrong scores": (
        b"y,score\n1,0.9\n0,nan\n1,inf\n0,-inf\n1,1e400\n0,\n1,1.2\n", {"model": S},
        ("'inf'", "'-inf'", "'1e400'", "row 2", "row 6"),
    ),
    "wrong scores, missing ones excluded": (
        b"y,score\n1,0.9\n0,nan\n1,inf\n0,-inf\n1,1e400\n0,\n1,1.2\n",
        {"model": S, "dataset": "missing: exclude"}, ("'inf'", "'-inf'", "'1e400'"),
    ),
    "a score that is a word": (b"y,score\n1,0.9\n0,high\n", {"model": S}, ("'high'", "row 2")),
    "a score with a comma": (b'y,score\n1,"0,9"\n0,"0,1"\n', {"model": S}, ("'0,9'", "row 1")),
    "a score in hexadecimal": (b"y,score\n1,0x1p-1\n0,0.1\n", {"model": S}, ("'0x1p-1'",)),
    "a score with an underscore": (b"y,score\n1,1_0\n0,0.1\n", {"model": S}, ("'1_0'",)),
    "a score in other digits": (
        "y,score\n1,\u0661\n0,0.1\n".encode(), {"model": S}, ("row 1",)),
    "wider rows": (b"y,p\nROW1,cat,cat\nROW2,dog,cat\n", {}, ("row 1", "3 fields", "header of 2")),
    "a narrower row": (b"id,y,p\n1,cat,cat\n2,dog\n", {}, ("row 2", "2 fields")),
    "a semicolon": (b"y;score\n1;0,5\n0;0,25\n", {"model": S}, ("semicolon", "decimal comma")),
    "a tab": (b"y\tp\ncat\tcat\n", {}, ("tab",)),
    "a pipe": (b"y|p\ncat|cat\n", {}, ("a bar",)),
    "UTF-16": ("y,p\né,é\n".encode("utf-16"), {}, ("UTF-16",)),
    "UTF-16 without a mark": ("y,p\né,é\n".encode("utf-16-le"), {}, ("UTF-16",)),
    "UTF-32": ("y,p\né,é\n".encode("utf-32"), {}, ("UTF-32",)),
    "Latin-1": ("y,p\né,é\n".encode("latin-1"), {}, ("0xe9", "a.csv:2")),
    "a duplicate header": (b"y,p,y\n1,1,0\n0,1,1\n", {}, ("'y'",)),
    "an empty header": (b"y,p,\n1,1,0\n0,1,1\n", {}, ("column 3 has no name",)),
    "no such column": (b"Y,p\ncat,cat\n", {}, ("did you mean 'Y'?",)),
    "an unclosed quote": (b'y,p\n"abc,1\ndef,2\n', {}, ("a.csv:2",)),
    "a quote inside": (b'y,p\na"b"c,1\n"ab"c,2\n', {}, ("a.csv:3",)),
    "a NUL byte": (b"y,p\ncat,cat\nd\x00g,cat\n", {}, ("NUL", "a.csv:3")),
    "0 bytes": (b"", {}, ("a.csv",)),
    "a byte order mark only": (b"\xef\xbb\xbf", {}, ("a.csv",)),
    "a header only": (b"y,p\n", {}, ("no rows",)),
    "an empty line inside": (b"y,p\ncat,cat\n\ndog,dog\n", {}, ("a.csv:3",)),
    "a duplicate id": (
        b"id,y,p\n7,cat,cat\n8,dog,dog\n7,cat,dog\n", {"dataset": "id: id"}, ("'7'",)),
    "an empty id": (
        b"id,y,p\n9007199254740992,1,1\n9007199254740993,0,1\n,1,1\n", {"dataset": "id: id"},
        ("id is empty in row 3",),
    ),
    "gzip by another name": (gzip.compress(b"y,p\ncat,cat\n"), {}, ("gzip",)),
    "a spreadsheet": (b"PK\x03\x04" + b"\0" * 60, {}, ("zip",)),
    "probabilities that do not sum to 1": (
        b"y,pc,pd\ncat,0.9,0.1\ndog,0.5,0.4\n",
        {"model": "{scores: {cat: pc, dog: pd}}", "metrics": "[log_loss]"}, ("row 2",),
    ),
    "a negative weight": (
        b"y,p,w\ncat,cat,1\ndog,dog,-1\n", {"dataset": "weight: w"}, ("row 2",)),
    "an infinite weight": (
        b"y,p,w\ncat,cat,1\ndog,dog,inf\n", {"dataset": "weight: w"}, ("row 2",)),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_data_is_refused(workshop: Workshop, engine: str, name: str) -> None:
    data, parts, words = REFUSED[name]
    workshop.file("a.csv", data)
    workshop.spec(**parts)
    found = workshop.refused(3, *words, engine=engine)
    assert "a.csv" in found.err or "spec.yaml" in found.err


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_the_engines_say_the_same(workshop: Workshop, name: str) -> None:
    data, parts, _ = REFUSED[name]
    workshop.file("a.csv", data)
    workshop.spec(**parts)
    assert workshop.run(engine="memory").err == workshop.run(engine="duckdb").err


# -- Parquet: the same refusals where columns have types --------------------------------------

TYPED: dict[str, tuple[list[tuple[object, ...]], list[str], dict[str, str], str]] = {
    "a missing score": ([(1, 0.9), (0, None)], ["INT", "DOUBLE"], {"model": S}, "row 2"),
    "a NaN score": ([(1, 0.9), (0, float("nan"))], ["INT", "DOUBLE"], {"model": S}, "row 2"),
    "an infinite score": (
        [(1, 0.9), (0, float("inf"))], ["INT", "DOUBLE"], {"model": S}, "inf"),
    "an infinite float32 score": (
        [(1, 0.9), (0, float("-inf"))], ["INT", "FLOAT"], {"model": S}, "inf"),
    "a missing label": ([(1, 0.9), (None, 0.1)], ["INT", "DOUBLE"], {"model": S}, "row 2"),
    "a NaN label": (
        [(1.0, 0.9), (float("nan"), 0.1)], ["DOUBLE", "DOUBLE"], {"model": S}, "row 2"),
    "an infinite label": (
        [(1.0, 0.9), (float("inf"), 0.1)], ["DOUBLE", "DOUBLE"], {"model": S}, "infinite"),
    "an infinite float32 label": (
        [(1.0, 0.9), (float("-inf"), 0.1)], ["FLOAT", "DOUBLE"], {"model": S}, "infinite"),
    "no rows": ([], ["INT", "DOUBLE"], {"model": S}, "no rows"),
    "scores as words": ([("1", "high"), ("0", "low")], ["VARCHAR", "VARCHAR"], {"model": S}, "high"),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(TYPED))
def test_parquet_data_is_refused(workshop: Workshop, engine: str, name: str) -> None:
    rows, types, parts, word = TYPED[name]
    write_rows(workshop.folder / "a.parquet", ["y", "score"], rows, types)
    workshop.spec(path="a.parquet", **parts)
    found = workshop.refused(3, word, engine=engine)
    assert found.err == workshop.run(engine="memory").err


def test_labels_of_different_types_are_refused(workshop: Workshop, engine: str) -> None:
    """23: 1, 1.0, True and '1' for one class set."""
    for target, predicted in (("INT", "BOOLEAN"), ("BOOLEAN", "VARCHAR"), ("INT", "VARCHAR")):
        rows = [(1, 1), (0, 0)]
        write_rows(workshop.folder / "a.parquet", ["y", "p"], rows, [target, predicted])
        workshop.spec(path="a.parquet")
        workshop.refused(3, engine=engine)


def test_one_column_of_mixed_json_types_is_refused(workshop: Workshop, engine: str) -> None:
    workshop.file("a.jsonl", '{"y": 1, "p": 1}\n{"y": "1", "p": 1}\n{"y": true, "p": 1.0}\n')
    workshop.spec(path="a.jsonl")
    workshop.refused(3, "a.jsonl", engine=engine)


@pytest.mark.parametrize("role", ["y", "p", "id", "c", "f", "g"])
@pytest.mark.parametrize(
    "number", ["1e400", "-1e309", "1" + "0" * 400 + ".0", "Infinity", "-Infinity"]
)
def test_a_number_too_large_is_no_name(workshop: Workshop, role: str, number: str) -> None:
    """As a class, an id, a cluster, a fold or a group: 1e400 and 1e401 would become one."""
    row = {"y": 1, "p": 1, "id": 2, "c": 1, "f": 1, "g": 1}
    text = json.dumps({**row, role: "@"}).replace('"@"', number)
    workshop.file("a.jsonl", json.dumps(dict.fromkeys(row, 0)) + "\n" + text + "\n")
    workshop.spec(path="a.jsonl", dataset="id: id, cluster: c, fold: f", more="subgroups: [g]")
    workshop.refused(3, "a.jsonl:2", f"{role} (", "infinite or too large", "row 2")


@pytest.mark.parametrize("line", [
    b'{"y": 1, "p": 1', b"[1, 2]", b"not json", b'{"y": 1, "y": 2, "p": 1}', b'{"y": NaN, "p": 1}',
    b'{"y": 1}', b'{"y": ' + b"[" * 100_000 + b', "p": 1}', b'{"y": ' + b"9" * 5000 + b', "p": 1}',
    b'{"y": "\\ud800", "p": "x"}', b'{"y": 1, "p": {"a": 1}}', b"\xff\xfe",
])  # fmt: skip
def test_a_wrong_json_line_is_refused(workshop: Workshop, engine: str, line: bytes) -> None:
    workshop.file("a.jsonl", b'{"y": 0, "p": 0}\n' + line + b"\n")
    workshop.spec(path="a.jsonl")
    found = workshop.refused(3, "a.jsonl", engine=engine)
    assert found.err == workshop.run(engine="memory").err


# -- 44, 45: bombs and damage ----------------------------------------------------------------


@pytest.mark.long
def test_a_gzip_bomb_is_stopped(workshop: Workshop) -> None:
    """1 GiB in a megabyte, all of it one line: stopped by its ratio at a quarter of it."""
    block = gzip.compress(b"a" * (1 << 26), mtime=0)
    workshop.file("a.csv.gz", gzip.compress(b"y,p\n") + block * 16)
    workshop.spec(path="a.csv.gz")
    workshop.refused(4, "a.csv.gz", "reading stopped", "more than 100 to 1")


@pytest.mark.long
def test_a_gzip_bomb_of_rows_is_stopped(workshop: Workshop) -> None:
    lines = gzip.compress(b"cat,cat\n" * (1 << 23), mtime=0)
    workshop.file("a.csv.gz", gzip.compress(b"y,p\n") + lines * 16)
    workshop.spec(path="a.csv.gz")
    workshop.refused(4, "a.csv.gz", "reading stopped", "to 1")


@pytest.mark.parametrize("cut", [1, 9, 20, -4, -9])
def test_damaged_gzip_is_refused(workshop: Workshop, engine: str, cut: int) -> None:
    whole = gzip.compress(b"y,p\n" + b"cat,cat\n" * 100, mtime=0)
    workshop.file("a.csv.gz", whole[:cut])
    workshop.spec(path="a.csv.gz")
    workshop.refused(3, "a.csv.gz", engine=engine)
    flipped = bytearray(whole)
    flipped[-6] ^= 1
    workshop.file("a.csv.gz", bytes(flipped))
    workshop.refused(3, "a.csv.gz", engine=engine)


def test_trailing_rubbish_after_gzip_is_refused(workshop: Workshop) -> None:
    workshop.file("a.csv.gz", gzip.compress(b"y,p\ncat,cat\n") + b"rubbish")
    workshop.spec(path="a.csv.gz")
    workshop.refused(3, "a.csv.gz")


@pytest.mark.long
def test_damaged_parquet_is_refused_or_recorded(workshop: Workshop, engine: str) -> None:
    """Cut anywhere: refused. A flipped bit: another sha256 at least, told by diff."""
    rows = [(n % 2, n / 1000) for n in range(1000)]
    path = workshop.folder / "a.parquet"
    write_rows(path, ["y", "score"], rows, ["INT", "DOUBLE"])
    whole = path.read_bytes()
    workshop.spec(path="a.parquet", model=S)
    good = workshop.done(engine=engine)
    for cut in (0, 3, 4, 8, len(whole) // 2, len(whole) - 8, len(whole) - 1):
        path.write_bytes(whole[:cut])
        workshop.refused(3, "a.parquet", engine=engine)
    good_run = good.latest.resolve()
    for place in range(5, len(whole), len(whole) // 12):
        flipped = bytearray(whole)
        flipped[place] ^= 0x10
        path.write_bytes(bytes(flipped))
        found = workshop.run(engine=engine)
        assert found.status in (0, 3, 4), found.err
        if not found.status:
            inputs = [
                json.loads((run / "MANIFEST.json").read_text())["inputs"]
                for run in (good_run, found.latest)
            ]
            assert inputs[0] != inputs[1]


def test_a_declared_hash_is_held_to(workshop: Workshop, engine: str) -> None:
    workshop.spec(dataset=f"sha256: {'ab' * 32}")
    workshop.refused(3, "ab" * 32, engine=engine)


@pytest.mark.parametrize("content", [
    b"PAR1", b"PAR1" + b"\0" * 100 + b"PAR1", b"PAR1\xff\xff\xff\x7fPAR1",
    b"PAR1" + b"\x15" * 1000 + b"\xe8\x03\x00\x00PAR1", b"\0" * 1000, b"y,p\ncat,cat\n",
])  # fmt: skip
def test_what_is_no_parquet_is_refused(workshop: Workshop, engine: str, content: bytes) -> None:
    workshop.file("a.parquet", content)
    workshop.spec(path="a.parquet")
    workshop.refused(3, "a.parquet", engine=engine)


def test_a_zip_of_data_is_refused(workshop: Workshop) -> None:
    with zipfile.ZipFile(workshop.folder / "a.zip", "w") as archive:
        archive.writestr("a.csv", "y,p\ncat,cat\n")
    workshop.spec(path="a.zip")
    workshop.refused(2, "unknown suffix")
    os.rename(workshop.folder / "a.zip", workshop.folder / "a.csv")
    workshop.spec()
    workshop.refused(3, "zip")


# -- 46: a file that is written while it is read ---------------------------------------------


def test_a_file_that_changes_is_refused(workshop: Workshop, engine: str) -> None:
    """Somebody appends all the time; the answer is 4, or the bytes of one moment."""
    path = workshop.file("a.csv", "y,p\n" + "cat,cat\n" * 200_000)
    workshop.spec()
    stop = threading.Event()

    def keep_writing() -> None:
        with path.open("a") as file:
            while not stop.is_set():
                file.write("cat,cat\n")
                file.flush()
                time.sleep(0.001)

    writer = threading.Thread(target=keep_writing)
    writer.start()
    try:
        found = workshop.run(engine=engine)
    finally:
        stop.set()
        writer.join()
    assert found.status == 4
    assert "changed while it was read" in found.err


# -- 43, 44: much in little ------------------------------------------------------------------


def test_a_long_line_and_a_wide_header_are_bounded(workshop: Workshop) -> None:
    workshop.file("a.csv", b"y,p\n" + b"x" * (20 << 20) + b",cat\n")
    workshop.spec()
    workshop.refused(3, "16,777,216")
    workshop.file(
        "a.csv", ",".join(f"c{n}" for n in range(200_000)) + ",y,p\n" + "1," * 200_000 + "cat,cat\n"
    )
    assert workshop.run().status in (0, 3, 4)


def test_a_million_empty_fields_in_little_memory(workshop: Workshop) -> None:
    """A row of a million delimiters is told in one line."""
    workshop.file("a.csv", b"y,p\n" + b"," * 1_000_000 + b"\n")
    workshop.spec()
    found = workshop.refused(3, "1000001 fields")
    assert len(found.err) < 1000
