from __future__ import annotations

import base64
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from evalreport.data import (
    Limits,
    RawColumn,
    RawTable,
    duckdb_columns,
    open_source,
    parquet,
    parquet_file,
    read_table,
)
from evalreport.data.parquet_file import Chunk, check_pages
from evalreport.errors import DataError, LimitError

Read = Callable[..., RawTable]

#: Written by pyarrow 26 with write_page_checksum: y text, score double, n integer.
WITH_CHECKSUMS = base64.b64decode(
    """
UEFSMRUEFRwVHBXfs5fHCDwVBBUAEgAAAwAAAGNhdAMAAABkb2cVABUSFRIVzeW2mQUcFQgVEBUGFQYcNgIoA2RvZx
gDY2F0EREAAAACAAAAAwcBAwIVBBVAFUAVsdLwEjwVCBUAEgAAzczMzMzM7D+amZmZmZnJP5qZmZmZmek/AAAAAAAA
+H8VABUUFRQVp7H1vgscFQgVEBUGFQYcGAjNzMzMzMzsPxgImpmZmZmZyT8WACgIzczMzMzM7D8YCJqZmZmZmck/ER
EAAAACAAAACAECA+QAFQQVIBUgFaGs0Y8KPBUIFQASAAABAAAAAgAAAAMAAAAEAAAAFQAVFBUUFaex9b4LHBUIFRAV
BhUGHBgEBAAAABgEAQAAABYAKAQEAAAAGAQBAAAAEREAAAACAAAACAECA+QAFQQZTDUAGAZzY2hlbWEVBgAVDCUCGA
F5JQBMHAAAABUKJQIYBXNjb3JlABUCJQIYAW4AFggZHBk8JgAcFQwZNQAGEBkYAXkVABYIFqQBFqQBJkwmCBw2AigD
ZG9nGANjYXQREQAZLBUEFQAVAgAVABUQFQIAPBYSGQYZJgIGAAAAJgAcFQoZNQAGEBkYBXNjb3JlFQAWCBaEAhaEAi
aSAiasARwYCM3MzMzMzOw/GAiamZmZmZnJPxYAKAjNzMzMzMzsPxgImpmZmZmZyT8REQAZLBUEFQAVAgAVABUQFQIA
PCkGGSYACAAAACYAHBUCGTUABhAZGAFuFQAWCBbGARbGASb4AyawAxwYBAQAAAAYBAEAAAAWACgEBAAAABgEAQAAAB
ERABksFQQVABUCABUAFRAVAgA8KQYZJgAIAAAAFu4EFggmCBbuBAAoIHBhcnF1ZXQtY3BwLWFycm93IHZlcnNpb24g
MjYuMC4xGTwcAAAcAAAcAAAAegEAAFBBUjE=
    """
)
FIRST_SCORE = WITH_CHECKSUMS.index(struct.pack("<d", 0.9))


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    def to_file(query: str, name: str = "a.parquet") -> Path:
        path = tmp_path / "out.parquet"
        with duckdb.connect() as connection:
            connection.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")
        return path.rename(tmp_path / name)

    return to_file


def read(path: Path, **options: Any) -> RawTable:
    return read_table(open_source(path, path.name), **options)


def test_types_stay_as_stored(write: Callable[..., Path]) -> None:
    table = read(
        write(
            "SELECT 'x' AS t, 9007199254740993 AS i, 0.1::DOUBLE AS d, 0.7::FLOAT AS f, "
            "true AS b, 1.50::DECIMAL(5,2) AS dec, DATE '2020-01-31' AS day, "
            "TIMESTAMPTZ '2020-01-01 00:00:00+02' AS at, ['a', NULL] AS l, 5::UTINYINT AS u, "
            "UUID '00000000-0000-0000-0000-000000000001' AS id, TIME '12:30' AS clock "
            "UNION ALL SELECT NULL, NULL, NULL, 'nan'::FLOAT, NULL, NULL, NULL, NULL, NULL, "
            "NULL, NULL, NULL"
        )
    )
    kinds = {name: column.kind for name, column in table.columns.items()}
    assert kinds == {
        "t": "text", "i": "integer", "d": "float64", "f": "float32", "b": "boolean",
        "dec": "text", "day": "text", "at": "text", "l": "list", "u": "integer",
        "id": "text", "clock": "text",
    }  # fmt: skip
    row = {name: column.values[0] for name, column in table.columns.items()}
    assert row["i"] == 2**53 + 1
    assert float(row["f"]) == 0.699999988079071
    assert (row["dec"], row["day"], row["clock"]) == ("1.50", "2020-01-31", "12:30:00")
    assert row["at"] == "2019-12-31 22:00:00+00"
    assert row["l"] == ["a", ""]
    assert row["id"] == "00000000-0000-0000-0000-000000000001"
    assert all(column.missing.tolist() == [False, True] for column in table.columns.values())


def test_nan_and_null_are_missing_and_empty_text_is_not(write: Callable[..., Path]) -> None:
    table = read(write("SELECT 'nan'::DOUBLE AS d, '' AS t"))
    assert table.columns["d"].missing.tolist() == [True]
    assert table.columns["t"].missing.tolist() == [False]


@pytest.mark.parametrize("name", ["data[1].parquet", "*.parquet", "a?.parquet", "it's.parquet"])
def test_a_file_name_is_no_pattern(write: Callable[..., Path], name: str) -> None:
    for other in ("data1.parquet", "ab.parquet", "z.parquet"):
        write("SELECT 'WRONG' AS y", other)
    assert read(write("SELECT 'RIGHT' AS y", name)).columns["y"].values.tolist() == ["RIGHT"]


def test_folders_named_like_partitions_add_no_columns(
    write: Callable[..., Path], tmp_path: Path
) -> None:
    folder = tmp_path / "y=1"
    folder.mkdir()
    assert read(write("SELECT 2 AS z").rename(folder / "a.parquet")).header == ("z",)


def test_column_names_are_exact_and_never_part_of_a_query(write: Callable[..., Path]) -> None:
    path = write('SELECT 1 AS "a"";DROP TABLE t;--", 2 AS "c0", 3 AS "select", 4 AS "*"')
    table = read(path, columns={"c0", 'a";DROP TABLE t;--'})
    assert table.header == ('a";DROP TABLE t;--', "c0", "select", "*")
    assert [int(c.values[0]) for c in table.columns.values()] == [1, 2]


def test_names_that_differ_in_case_are_two_columns(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    path.write_bytes(WITH_CHECKSUMS.replace(b"\x01n", b"\x01Y"))
    table = read(path)
    assert table.header == ("y", "score", "Y")
    assert table.columns["Y"].values.tolist() == [1, 2, 3, 4]


def test_order_of_rows_is_kept_in_large_files(write: Callable[..., Path]) -> None:
    table = read(write("SELECT i, 'k' || (i % 7) AS t FROM range(300000) r(i)"))
    assert np.array_equal(table.columns["i"].values, np.arange(300_000))
    assert table.columns["t"].factorize()[0][:8].tolist() == [0, 1, 2, 3, 4, 5, 6, 0]


def test_columns_of_other_types_may_be_there_but_not_be_read(write: Callable[..., Path]) -> None:
    path = write("SELECT 1 AS y, {'a': [1]} AS s, 2 AS z, [[1]] AS n, 3 AS q")
    table = read(path)
    assert table.header == ("y", "s", "z", "n", "q")
    assert [int(c.values[0]) for c in table.columns.values()] == [1, 2, 3]
    with pytest.raises(DataError, match="column 's' has the type STRUCT"):
        read(path, columns={"s", "y"})


def test_the_first_rows_alone(write: Callable[..., Path]) -> None:
    path = write("SELECT i, 'x' AS t FROM range(10) r(i)")
    assert read(path, rows=3).columns["i"].values.tolist() == [0, 1, 2]
    assert read(path, columns=set()).rows == 10


def test_no_rows(write: Callable[..., Path]) -> None:
    with pytest.raises(DataError, match="the file has no rows"):
        read(write("SELECT 1 AS y WHERE false"))


@pytest.mark.parametrize("content", [b"", b"PAR1", b"no parquet at all" * 9])
def test_what_is_no_parquet_file(read_bytes: Read, content: bytes, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="not a sound Parquet file") as caught:
        read_bytes(content, "a.parquet")
    assert str(tmp_path) not in str(caught.value)


def test_values_and_text_have_a_limit(write: Callable[..., Path]) -> None:
    path = write("SELECT 'xxxxxxxxxx' AS t, i FROM range(1000) r(i)")
    assert read(path, limits=Limits(cells=2000, bytes=10_000)).rows == 1000
    with pytest.raises(LimitError, match="1,000 rows by 2 columns"):
        read(path, limits=Limits(cells=1999))
    # What is stored is less than what is held: texts are added up as each row has them.
    with pytest.raises(LimitError, match="the text columns hold 10,000 bytes"):
        read(path, limits=Limits(bytes=9_999))
    with pytest.raises(LimitError, match="bytes when unpacked, more than the limit of 5,000"):
        read(path, limits=Limits(bytes=5_000))
    assert read(path, rows=5, limits=Limits(bytes=50)).rows == 5
    with pytest.raises(LimitError):
        read(path, rows=5, limits=Limits(bytes=49))


def test_checksums_of_sound_pages_are_verified(read_bytes: Read) -> None:
    table = read_bytes(WITH_CHECKSUMS, "a.parquet")
    assert table.columns["score"].values[0] == 0.9
    assert table.columns["y"].missing.tolist() == [False, False, False, True]


def test_a_flipped_bit_under_a_checksum_is_found(read_bytes: Read) -> None:
    broken = bytearray(WITH_CHECKSUMS)
    broken[FIRST_SCORE] ^= 1
    with pytest.raises(DataError, match=r"column 'score' \(at byte \d+\) does not agree"):
        read_bytes(bytes(broken), "a.parquet")
    # A column that is not asked for is not read, and does not matter.
    assert read_bytes(bytes(broken), "a.parquet", columns={"y"}).rows == 4


def test_a_flipped_bit_in_a_name_is_found(read_bytes: Read) -> None:
    broken = WITH_CHECKSUMS.replace(b"score", b"scare", 1)
    with pytest.raises(DataError, match="two names"):
        read_bytes(broken, "a.parquet")


@pytest.mark.long_but_first
@pytest.mark.parametrize("byte", range(0, len(WITH_CHECKSUMS), 7))
def test_no_flipped_bit_changes_a_value_unseen(read_bytes: Read, byte: int) -> None:
    broken = bytearray(WITH_CHECKSUMS)
    broken[byte] ^= 0x10
    sound = read_bytes(WITH_CHECKSUMS, "a.parquet")
    try:
        table = read_bytes(bytes(broken), "a.parquet")
    except DataError:
        return
    for name, column in sound.columns.items():
        found = table.columns[name]
        assert found.missing.tolist() == column.missing.tolist()
        assert found.values[~found.missing].tolist() == column.values[~column.missing].tolist()


def test_page_headers_that_cannot_be_followed(tmp_path: Path) -> None:
    path = tmp_path / "pages"
    #: type, then sizes 1 and 1, then no checksum, then one byte of data.
    plain = bytes([0x15, 0, 0x15, 2, 0x15, 2, 0, 0xFF])
    every = bytes([0x15, 0, 0x15, 2, 0x15, 2])  # as above, followed by a field of each type
    every += bytes([0x21, 0x12, 0x13, 9, 0x17]) + bytes(8) + bytes([0x18, 2, 65, 66])
    every += bytes([0x29, 0x21, 1, 1, 0x1A, 0x15, 4, 0x1C, 0x15, 6, 5, 0x20, 8, 0])
    every += bytes([0x19, 0xF5, 16]) + bytes([2] * 16) + bytes([0x09, 40, 0x03, 0, 0xFF])
    for content, unpacked, unread in [
        (plain, 1, ()),
        (plain + plain, 2, ()),
        (every, 1, ()),
        (b"\x15", 0, ("c",)),
        (bytes([0x15, 0, 0x15, 2, 0x15, 60, 0, 1]), 0, ("c",)),
        (bytes([0x15, 0, 0]), 0, ("c",)),
        (bytes([0x1D, 0]), 0, ("c",)),
        (bytes([0x1C] * 40), 0, ("c",)),
        (bytes([0x15] + [0xFF] * 20), 0, ("c",)),
        (bytes([0x18, 100]), 0, ("c",)),
    ]:
        path.write_bytes(content)
        with path.open("rb") as stream:
            found = check_pages(stream, [Chunk("c", 0, len(content))])
        assert (found.unpacked, found.unread, found.verified) == (unpacked, unread, 0)
    with path.open("rb") as stream:
        found = check_pages(stream, [Chunk("c", 0, 9999)])
    assert found.unread == ("c",)
    # The page tells of more bytes than the file has, and carries a checksum.
    path.write_bytes(bytes([0x15, 0, 0x15, 2, 0x15, 60, 0x15, 2, 0, 1]))
    with path.open("rb") as stream:
        found = check_pages(stream, [Chunk("c", 0, 9999)])
    assert (found.unread, found.wrong) == (("c",), ())


def test_reading_stops_at_the_memory_limit(
    write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write("SELECT md5(i::VARCHAR) AS t FROM range(400000) r(i)")
    locks = tuple(
        "memory_limit='2MB'" if lock.startswith("memory_limit") else lock
        for lock in parquet_file._LIMITS
    )
    monkeypatch.setattr(parquet_file, "_LIMITS", locks)
    with pytest.raises(LimitError, match="of memory"):
        read(path)


def test_a_list_of_columns_that_does_not_fit(
    read_bytes: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet_file.ParquetFile, "_schema", lambda _: (["y"], [0]))
    with pytest.raises(DataError, match="does not fit the columns"):
        read_bytes(WITH_CHECKSUMS, "a.parquet")


def test_the_connection_can_open_nothing_else(write: Callable[..., Path]) -> None:
    other = write("SELECT 1 AS secret", "other.parquet")
    source = open_source(write("SELECT 1 AS y", "a.parquet"))
    with parquet_file.opened_parquet(source) as file:
        for query in (
            f"SELECT * FROM read_parquet('{other}')",
            f"SELECT * FROM read_text('{other}')",
            f"COPY (SELECT 1) TO '{other.parent}/new.csv'",
            f"ATTACH '{other.parent}/new.duckdb'",
            "INSTALL httpfs",
            "SET enable_external_access=true",
            "SELECT * FROM source",
        ):
            with pytest.raises(duckdb.Error):
                file.connection.execute(query)
    assert sorted(p.name for p in other.parent.iterdir()) == ["a.parquet", "other.parquet"]


def test_the_zone_of_the_machine_does_not_matter(
    write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write("SELECT TIMESTAMPTZ '2020-06-01 12:00:00+00' AS at")
    for zone in ("America/New_York", "Asia/Kolkata"):
        monkeypatch.setenv("TZ", zone)
        assert read(path).columns["at"].values.tolist() == ["2020-06-01 12:00:00+00"]


def test_rows_that_are_not_there(read_bytes: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    short = RawColumn("y", "text", np.array(["a"], object), np.array([False]))
    monkeypatch.setattr(parquet, "_columns", lambda *_: [short])
    with pytest.raises(DataError, match="does not contain the 4 rows"):
        read_bytes(WITH_CHECKSUMS, "a.parquet", columns={"y"})


def test_texts_that_are_listed_first_are_the_same(write, monkeypatch) -> None:
    texts = ("'b'", "NULL", "''", "'it''s'", "'Ä\U0001f600'", "'a'", "'b'", "'NULL'") * 2
    rows = " UNION ALL ".join(
        f"SELECT {k} AS n, {text} AS few, 'row {k}' AS own, CAST(NULL AS VARCHAR) AS none"
        for k, text in enumerate(texts)
    )
    path = write(f"SELECT few, own, none FROM ({rows}) ORDER BY n")
    plain = read(path).columns
    monkeypatch.setattr(duckdb_columns, "SHARED_FROM", 1)
    listed = read(path).columns
    assert [name for name, column in listed.items() if column.is_factorized] == ["few"]
    for name, column in plain.items():
        assert listed[name].missing.tolist() == column.missing.tolist()
        present = ~column.missing
        assert listed[name].values[present].tolist() == column.values[present].tolist()
        assert listed[name].factorize()[0].tolist() == column.factorize()[0].tolist()
        assert listed[name].factorize()[1] == column.factorize()[1]
