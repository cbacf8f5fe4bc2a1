"""Text files, several files and partitioned folders, counted and read: the same results."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
from engine.counting.counted_runs import comparable, engine_of, run, spec_of
from engine.counting.test_duckdb_equals_memory import ROWS, SCORES

from evalreport.engine.counting import choosing
from evalreport.errors import DataError, FilesError

pytestmark = pytest.mark.long_but_first


KINDS = ["csv", "tsv", "jsonl", "csv.gz", "tsv.gz", "jsonl.gz", "parquet"]


def write_rows(path: Path, query: str = ROWS) -> Path:
    """The rows of a query as a file of the kind that its name says."""
    kind = path.name.split(".", 1)[1].removesuffix(".gz")
    if kind == "parquet":
        duckdb.connect().execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")
        return path
    answer = duckdb.connect().execute(query)
    names = [column[0] for column in answer.description]
    rows = answer.fetchall()
    if kind == "jsonl":
        lines = [json.dumps(dict(zip(names, row, strict=True))) for row in rows]
    else:
        mark = {"csv": ",", "tsv": "\t"}[kind]
        told = [["" if value is None else str(value) for value in row] for row in rows]
        lines = [mark.join(row) for row in [names, *told]]
    text = "".join(f"{line}\n" for line in lines).encode()
    path.write_bytes(gzip.compress(text, mtime=0) if path.name.endswith(".gz") else text)
    return path


def outcome(spec: dict[str, Any], engine: str) -> Any:
    """Results, or what is told of wrong data."""
    try:
        return run(spec, engine)
    except DataError as error:
        return [str(problem) for problem in error.problems]


def full_spec(path: Path, **parts: Any) -> dict[str, Any]:
    return spec_of(
        path,
        {"score": "score"},
        metrics=SCORES,
        subgroups=["sex", "site", ["sex", "site"]],
        thresholds=[0.5, 0.37, {"maximize": "youden_j"}],
        positive={"label": "sick"},
        dataset={"id": "id", "fold": "fold", **parts},
    )


def same(spec: dict[str, Any]) -> dict[str, Any]:
    memory, counted = run(spec, "memory"), run(spec, "duckdb")
    assert engine_of(counted) == ("duckdb", "requested")
    assert comparable(counted) == comparable(memory)
    assert counted["provenance"]["inputs"] == memory["provenance"]["inputs"]
    return counted


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_every_format_is_counted(tmp_path: Path, kind: str) -> None:
    found = same(full_spec(write_rows(tmp_path / f"rows.{kind}")))
    assert found["rows"][0]["used"] == 400


@pytest.mark.nightly_but_each(3)
@pytest.mark.parametrize("kind", KINDS)
def test_predicted_labels_of_every_format(tmp_path: Path, kind: str) -> None:
    path = write_rows(tmp_path / f"rows.{kind}")
    same(spec_of(path, {"prediction": "said"}, subgroups=["sex"]))


@pytest.mark.nightly_but_each(3)
@pytest.mark.parametrize("kind", KINDS)
def test_missing_values_of_every_format(tmp_path: Path, kind: str) -> None:
    query = (
        "SELECT CASE WHEN i % 7 = 0 THEN NULL WHEN i % 2 = 0 THEN 'a' ELSE 'b' END AS y, "
        "CASE i % 13 WHEN 0 THEN NULL ELSE (i * 37 % 100) / 100 END AS s,"
        "CASE WHEN i % 17 = 0 THEN NULL ELSE i % 3 END AS f FROM range(500) t(i)"
    )
    path = write_rows(tmp_path / f"rows.{kind}", query)
    dataset = {"missing": "exclude", "fold": "f"}
    found = same(spec_of(path, {"score": "s"}, metrics=SCORES, dataset=dataset))
    reasons = {e["reason"]: e["count"] for e in found["rows"][0]["excluded"]}
    assert reasons["y is empty"] == 72


@pytest.mark.parametrize(
    "text",
    [
        b'y,p\n"a,1","a,1"\n"b ""q""","a,1"\n"b ""q""","b ""q"""\n',
        b'y,p\n"two\nlines","two\nlines"\nb,b\n"two\nlines",b\n',
        b'"y","p"\r\n"a","b"\r\na,a\r\nb,b\r\n',
        b"\xef\xbb\xbfy,p\na,a\nb,\xc3\xa9\n\xc3\xa9,b\nb,b",
        b"y,p\n a,a\na ,a\n\\a,a\n#b,#b\n'b','b'\n",
        b"y,p\nNone,NA\nNA,None\nnull,NULL\n007,NULL\n1_0,NA\n",
    ],
    ids=["quotes", "lines", "returns", "mark", "spaces", "words"],
)
def test_delimited_text_is_taken_as_it_is(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(text)
    same(spec_of(path, {"prediction": "p"}))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b'y,p\na,a"b\nb,b\n', "there is a quote within a field"),
        (b"y,p\na,a\n\n", "it has empty lines"),
        (b"y,p\ra,a\rb,b\r", "its line ends are not all of one kind"),
        (b"y,p\r\na,a\nb,b\n", "its line ends are not all of one kind"),
        (b"y,p\na," + b"x" * 131_100 + b"\nb,b\n", "it has very long records"),
    ],
    ids=["quote", "empty", "returns", "ends", "long"],
)
def test_unusual_text_is_read_and_says_why(
    tmp_path: Path, text: bytes, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(text)
    spec = spec_of(path, {"prediction": "p"})
    memory, named = outcome(spec, "memory"), outcome(spec, "duckdb")
    if isinstance(memory, list):
        assert named == memory
        return
    assert engine_of(named) == ("memory", f"read row by row, not counted: {why}")
    monkeypatch.setattr(choosing, "MUCH_TEXT", 1)
    assert outcome(spec, "duckdb") == [f"d cannot be counted: {why}; the engine auto or memory"]
    counted = run(spec, "auto")
    name, reason = engine_of(counted)
    assert name == "memory"
    assert reason.startswith(f"read row by row, not counted: {why} (about ")
    assert comparable(counted) == comparable(memory)


JSON = [
    b'{"y": 1, "p": 1.0}\n{"y": 2, "p": "1"}\n{"y": 1, "p": "2"}\n',
    b'{"y": true, "p": false}\n{"y": false, "p": true}\n{"y": true, "p": true}\n',
    b'{"y": "\\u00e9\\n", "p": "a\\"b"}\n{"p": "\xc3\xa9\\n", "y": "a\\"b", "other": [1, {}]}\n',
    b'{"y": 1e2, "p": 100}\n{"y": 0.1, "p": 0.10}\n{"y": -0, "p": -0.0}\n{"y":-1E-7, "p": 0}\n',
    b'{"y/~": 0, "y": "a", "p": "a"}\n{"y": "b", "p": null}\n{"y": "b", "p": ""}\n',
]


@pytest.mark.parametrize("text", JSON)
def test_labels_of_json_keep_their_type(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(text)
    spec = spec_of(path, {"prediction": "p"}, dataset={"missing": "exclude"})
    memory, counted = outcome(spec, "memory"), outcome(spec, "duckdb")
    if isinstance(memory, list):
        assert counted == memory
        return
    # Numbers of more digits than a double holds are read by the reader that keeps them.
    expected = "memory" if b"5678901234567890123" in text else "duckdb"
    assert engine_of(counted)[0] == expected
    assert comparable(counted) == comparable(memory)


def test_numbers_of_more_digits_than_duckdb_keeps_are_read_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    long = 12345678901234567890123
    path.write_text(f'{{"y": {long}, "p": 7}}\n{{"y": 7, "p": {long}}}\n')
    spec = spec_of(path, {"prediction": "p"})
    memory, counted = outcome(spec, "memory"), outcome(spec, "duckdb")
    name, reason = engine_of(counted)
    assert (name, "plain" in reason) == ("memory", True)
    assert comparable(counted) == comparable(memory)
    assert str(long) in counted["tables"][0]["labels"]


def test_scores_of_json_may_be_text(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    values = ["0.25", '"0.75"', '"+.5"', "1", "0", "1E-3", '"1e-1"', "null", '""', '"NaN"']
    lines = [f'{{"y": {i % 2}, "s": {v}}}' for i, v in enumerate(values * 3)]
    path.write_text("\n".join(lines))
    found = same(spec_of(path, {"score": "s"}, metrics=SCORES, dataset={"missing": "exclude"}))
    assert found["rows"][0]["excluded"] == [{"reason": "s is missing", "count": 9}]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "y,s\na,0.5\nb,0.1,\na\n"),
        ("a.csv", 'y,s\na,0.5\n"b,0.1\n'),
        ("a.csv", "y,s\na,0.5\nb,\na,inf\nb,0,5\n"),
        ("a.csv", "y,s\na,0.5\nb,1_0\na,0x1\n"),
        ("a.csv", "y;s\na;0.5\n"),
        ("a.csv", "y,y\na,0.5\n"),
        ("a.csv", "y,s\n"),
        ("a.csv", "y,s\na,\xff\n"),
        ("a.tsv", "y\ts\na\t0.5\nb\tx\n"),
        ("a.jsonl", '{"y": "a", "s": 1}\n{"y": "b", "s": 1,}\n'),
        ("a.jsonl", '{"y": "a", "s": 1}\n{"y": "b", "y": "c", "s": 1}\n'),
        ("a.jsonl", '{"y": "a", "s": 1}\n[1]\n{"y": "b", "s": true}\n'),
        ("a.jsonl", '{"y": "a", "s": 1}\n\n{"y": "b", "s": 1e400}\n'),
        ("a.jsonl", '{"y": "a", "s": 1}\n{"y": {"b": 1}, "s": 0}\n'),
        ("a.jsonl", '{"y": "a"}\n{"y": "b"}\n'),
        ("a.jsonl", '{"y": "a", "s": "1,5"}\n{"y": "b", "s": "x"}\n'),
        ("a.jsonl", '{"y": "a", "s": NaN}\n{"y": "b", "s": Infinity}\n'),
    ],
)  # fmt: skip
def test_mistakes_of_text_are_told_alike(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_bytes(text.encode("latin-1"))
    told = []
    for engine in ("memory", "duckdb"):
        with pytest.raises(DataError) as caught:
            run(spec_of(path, {"score": "s"}), engine)
        told.append([str(problem) for problem in caught.value.problems])
    assert told[0] == told[1]


def parted(folder: Path, kind: str, reverse: bool = False) -> Path:
    """The rows in four files, by sex (with gaps) and site."""
    sites = [0, 1, 2, 3]
    for site in reversed(sites) if reverse else sites:
        for name, where in (("F", "sex = 'F'"), ("M", "sex = 'M'"), (None, "sex IS NULL")):
            at = folder / f"sex={name or '__HIVE_DEFAULT_PARTITION__'}" / f"site={site}%2F"
            at.mkdir(parents=True, exist_ok=True)
            keep = f"SELECT y, said, score, fold, id FROM ({ROWS}) WHERE {where} AND site = {site}"
            write_rows(at / f"part-0.{kind}", keep)
    (folder / "_SUCCESS").touch()
    return folder


@pytest.mark.long
@pytest.mark.parametrize("kind", ["parquet", "csv", "jsonl.gz"])
def test_folders_named_by_column_and_value(tmp_path: Path, kind: str) -> None:
    folder = parted(tmp_path / "rows", kind)
    found = same(
        {
            **full_spec(folder),
            "datasets": {"d": {"path": f"{folder}/", "target": "y", "id": "id", "fold": "fold"}},
        }
    )
    assert {m["subgroup"].get("sex") for m in found["measures"]} == {None, "F", "M", "(missing)"}
    assert {m["subgroup"].get("site") for m in found["measures"]} >= {"0/", "3/"}
    (input_,) = found["provenance"]["inputs"]
    assert len(input_["files"]) == 12
    assert input_["files"][0]["name"] == f"sex=F/site=0%2F/part-0.{kind}"
    assert input_["bytes"] == sum(one["bytes"] for one in input_["files"])


@pytest.mark.long
def test_the_hash_of_several_files_does_not_depend_on_their_order(tmp_path: Path) -> None:
    hashes = []
    for number, reverse in enumerate((False, True)):
        folder = parted(tmp_path / str(number), "csv", reverse)
        spec = spec_of(f"{folder}/", {"score": "score"})  # type: ignore[arg-type]
        hashes.append(run(spec, "memory")["provenance"]["inputs"][0]["sha256"])
    assert hashes[0] == hashes[1]


@pytest.mark.long
@pytest.mark.parametrize("pattern", ["part-*.csv", "**/part-*.csv", "part-[0-9].csv"])
def test_patterns(tmp_path: Path, pattern: str) -> None:
    for part in range(3):
        write_rows(tmp_path / f"part-{part}.csv", f"SELECT * FROM ({ROWS}) WHERE id % 3 = {part}")
    whole = write_rows(tmp_path / "whole.csv")
    found = same(full_spec(tmp_path / pattern))
    assert found["measures"] == run(full_spec(whole), "memory")["measures"]


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_mistakes_in_one_of_several_files_are_named(tmp_path: Path, engine: str) -> None:
    (tmp_path / "a.csv").write_text("y,s\na,0.1\nb,0.2\n")
    (tmp_path / "b.csv").write_text("y,s\na,0.1\nb,x\n")
    with pytest.raises(DataError) as caught:
        run(spec_of(tmp_path / "*.csv", {"score": "s"}), engine)
    assert str(caught.value.problems[0]) == (
        "b.csv:3: s is not a number in row 2 (line 3) of b.csv: 'x'; "
        "give a number, or nothing (or nan) where there is none"
    )
    (tmp_path / "b.csv").write_text("s,y\n0.1,a\n")
    with pytest.raises(DataError, match=r"b.csv:1: its columns differ from those of a.csv"):
        run(spec_of(tmp_path / "*.csv", {"score": "s"}), engine)


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_folders_that_are_no_dataset(tmp_path: Path, engine: str) -> None:
    def told(path: str) -> str:
        with pytest.raises((FilesError, DataError)) as caught:
            run(spec_of(Path(path), {"score": "s"}, dataset={"path": path}), engine)
        return str(caught.value)

    folder = tmp_path / "rows"
    folder.mkdir()
    assert "is a folder without files" in told(f"{folder}/")
    assert "no file is named so" in told(f"{folder}/*.csv")
    (folder / "a.csv").write_text("y,s\na,0.1\nb,0.2\n")
    (folder / "b.txt").write_text("y,s\n")
    assert "files of other kinds: b.txt" in told(f"{folder}/")
    (folder / "b.txt").rename(folder / "b.tsv")
    assert "files of several kinds: .csv, .tsv" in told(f"{folder}/")
    (folder / "b.tsv").unlink()
    (folder / "y=1").mkdir()
    (folder / "y=1" / "b.csv").write_text("y,s\na,0.1\n")
    assert "name other columns" in told(f"{folder}/")
    (folder / "a.csv").unlink()
    assert "the names of folders and the files both give y" in told(f"{folder}/")


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_types_that_differ_between_files(tmp_path: Path, engine: str) -> None:
    connection = duckdb.connect()
    for name, kind in (("a", "INTEGER"), ("b", "DOUBLE"), ("c", "VARCHAR")):
        connection.execute(
            f"COPY (SELECT (i % 2)::{kind} AS y, (i % 2) AS p FROM range(10) t(i)) "
            f"TO '{tmp_path / name}.parquet' (FORMAT parquet)"
        )
    found = run(spec_of(tmp_path / "[ab].parquet", {"prediction": "p"}), engine)
    if engine == "duckdb":
        why = "read row by row, not counted: y is DOUBLE in b.parquet and INTEGER in a.parquet"
        assert engine_of(found) == ("memory", why)
    assert found["measures"][0]["n"] == 20
    assert found["tables"][0]["labels"] == ["0", "1"]


def test_text_spills_to_a_private_folder_that_is_gone_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import tempfile

    from evalreport.data.source import open_source
    from evalreport.engine.counting.duckdb_rows import duckdb_rows
    from evalreport.engine.databases.wanted import Wanted

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    path = write_rows(tmp_path / "rows.csv")
    with duckdb_rows(open_source(path), Wanted(("y", "score"))) as rows:
        (folder,) = (tmp_path / "tmp").iterdir()
        assert folder.stat().st_mode & 0o777 == 0o700
        assert "rows.db" in [one.name for one in folder.rglob("*")]
        assert rows.size == 400
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.long
def test_auto_counts_large_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[..., Path]
) -> None:
    from evalreport.engine.counting import choosing as counting

    path = write_rows(tmp_path / "rows.csv")
    assert engine_of(run(full_spec(path), "auto"))[0] == "memory"
    monkeypatch.setattr(counting, "MUCH_TEXT", 1_000)
    size = path.stat().st_size
    reason = f"{size:,} bytes are counted, not loaded"
    assert engine_of(run(full_spec(path), "auto")) == ("duckdb", reason)
