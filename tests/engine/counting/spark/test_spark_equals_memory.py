"""The audit on a Spark Connect server gives what rows in memory give."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from engine.counting.counted_runs import comparable, engine_of, run, spec_of
from engine.counting.spark.spark_server import MARKS, server

from evalreport.errors import DataError, FilesError

pytestmark = [pytest.mark.nightly, *MARKS]

AUDIT = [
    "accuracy", "balanced_accuracy", "precision", "recall", "specificity", "f1", "mcc", "kappa",
    "roc_auc", "average_precision", "log_loss", "brier",
]  # fmt: skip

ROWS = """
SELECT CASE WHEN i % 7 = 0 THEN NULL WHEN y THEN 'ja''\\n"' ELSE 'nein' END AS y,
       ['ja''\\n"', 'nein', 'nein'][h % 3 + 1] AS said,
       CASE WHEN h % 13 = 0 THEN NULL WHEN h % 17 = 0 THEN 'nan'::DOUBLE
            ELSE greatest(0, least(1, (h % 9973) / 9973 * 0.7 + y::INT * 0.3)) END AS s,
       CAST((h % 9973) / 9973 AS FLOAT) AS f,
       CASE h % 5 WHEN 0 THEN NULL WHEN 1 THEN '' ELSE 'g' || (h % 5) END AS g,
       h % 8 AS site, i % 3 AS fold, i AS id, DATE '2026-01-01' + (h % 2)::INT AS day
FROM (SELECT i, (hash(i) % 1000003)::BIGINT AS h, hash(i * 3) % 10 < 4 AS y FROM range(30000) t(i))
"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with server(tmp_path_factory.mktemp("spark")) as found:
        yield found


@pytest.fixture
def rows(tmp_path: Path) -> Callable[[str], Path]:
    def write(query: str, name: str = "rows[1].parquet") -> Path:
        plain = tmp_path / "plain.parquet"
        duckdb.connect().execute(f"COPY ({query}) TO '{plain}' (FORMAT parquet)")
        return plain.rename(tmp_path / name)

    return write


def same(spec: dict[str, Any], address: str) -> None:
    spec = {**spec, "engine": {**spec.get("engine", {}), "spark": {"url": address}}}
    counted = run(spec, "spark")
    assert engine_of(counted) == ("spark", "asked for")
    assert comparable(counted) == comparable(run(spec, "memory"))


def test_audit_of_scores(rows: Callable[[str], Path], address: str) -> None:
    dataset = {"missing": "exclude", "id": "id"}
    spec = spec_of(
        rows(ROWS), {"score": "s"}, metrics=AUDIT, subgroups=["g", "site", ["g", "day"]],
        dataset=dataset, thresholds=[0.5, 0.25],
    )  # fmt: skip
    same(spec, address)


def test_audit_of_labels_by_folds(rows: Callable[[str], Path], address: str) -> None:
    dataset = {"missing": "exclude", "fold": "fold"}
    same(spec_of(rows(ROWS), {"prediction": "said"}, dataset=dataset, subgroups=["g"]), address)


def test_float32_scores(rows: Callable[[str], Path], address: str) -> None:
    spec = spec_of(rows(ROWS), {"score": "f"}, metrics=AUDIT, dataset={"missing": "exclude"})
    same({**spec, "thresholds": [0.7]}, address)


@pytest.mark.parametrize("model", [{"score": "s"}, {"margin": "m"}])
def test_bins_are_those_of_duckdb(
    rows: Callable[[str], Path], address: str, model: dict[str, str]
) -> None:
    spec = spec_of(
        rows(f"SELECT *, s * 7 - 3 AS m FROM ({ROWS})"), model, metrics=AUDIT, subgroups=["site"],
        dataset={"missing": "exclude"},
        engine={"memory_limit": "1MB", "bins": 100, "spark": {"url": address}},
    )  # fmt: skip
    on_spark, in_duckdb = run(spec, "spark"), run(spec, "duckdb")
    assert any("bounds" in m for m in on_spark["measures"])
    assert comparable(on_spark) == comparable(in_duckdb)


def test_comparisons(rows: Callable[[str], Path], address: str) -> None:
    spec = spec_of(
        rows(f"SELECT * FROM ({ROWS}) WHERE id < 4000"),
        {"score": "s"},
        metrics=["accuracy", "precision", "f1", "roc_auc", "brier"],
        dataset={"missing": "exclude", "id": "id"},
        comparisons={"reference": "m"},
    )
    spec["models"]["n"] = {"score": "f"}
    spec["engine"] = {"spark": {"url": address}}
    counted, memory = run(spec, "spark"), run(spec, "memory")
    assert "by true class and score" in counted["plan"].pop("counted")[0]
    assert comparable(counted) == comparable(memory)


@pytest.fixture
def folders(tmp_path: Path) -> Callable[[str], str]:
    """The rows in several files of a kind, in folders that name two columns."""

    def write(kind: str) -> str:
        connection = duckdb.connect()
        connection.execute(f"CREATE TABLE rows AS {ROWS}")
        form = "FORMAT parquet" if kind == ".parquet" else "HEADER"
        form += {".tsv": ", DELIM '\t'", ".csv.gz": ", COMPRESSION gzip"}.get(kind, "")
        for place, values in enumerate(
            ("site=A%2FB/day=1", "site=é/day=2", "site=__HIVE_DEFAULT_PARTITION__/day=1")
        ):
            folder = tmp_path / "rows" / values
            folder.mkdir(parents=True)
            for part in range(2):
                chosen = f"SELECT * EXCLUDE (site, day) FROM rows WHERE id % 6 = {2 * place + part}"
                connection.execute(f"COPY ({chosen}) TO '{folder}/r [{part}]{kind}' ({form})")
        return f"{tmp_path}/rows/"

    return write


@pytest.mark.parametrize("kind", [".parquet", ".csv", ".tsv", ".csv.gz"])
def test_folders_of_files(folders: Callable[[str], str], address: str, kind: str) -> None:
    spec = spec_of(
        folders(kind), {"score": "s"}, metrics=AUDIT, subgroups=["g", "site", ["site", "day"]],
        dataset={"missing": "exclude", "id": "id"}, thresholds=[0.5, 0.25],
    )  # fmt: skip
    same(spec, address)


def test_patterns_of_files(folders: Callable[[str], str], address: str) -> None:
    spec = spec_of(
        folders(".parquet") + "*/day=1/*.parquet",
        {"prediction": "said"},
        subgroups=["site"],
        dataset={"missing": "exclude"},
    )
    same(spec, address)


COUNTED = """
SELECT CASE WHEN y THEN 'ill' ELSE 'well' END AS y, CASE WHEN p THEN 'ill' ELSE 'well' END AS p,
       CASE WHEN q THEN 'ill' ELSE 'well' END AS q, s / 10 AS s, ['F', 'M'][1 + g] AS g,
       (hash(y::INT + 2 * p::INT + 4 * q::INT + 8 * s + 128 * g) % 40)::BIGINT AS n
FROM range(2) a(g), range(11) b(s), (VALUES (TRUE), (FALSE)) c(y), (VALUES (TRUE), (FALSE)) d(p),
     (VALUES (TRUE), (FALSE)) e(q)
"""


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_kinds_of_rows_with_counts(
    rows: Callable[[str], Path], tmp_path: Path, address: str, kind: str
) -> None:
    path = rows(COUNTED, "kinds.parquet")
    if kind == "csv":
        text = tmp_path / "kinds.csv"
        duckdb.connect().execute(f"COPY (FROM '{path}') TO '{text}' (HEADER)")
        path = text
    spec = spec_of(
        path, {"prediction": "p"}, dataset={"count": "n"}, subgroups=["g"], metrics=AUDIT[:8],
        positive={"label": "ill"}, comparisons={"reference": "m"},
    )  # fmt: skip
    spec["models"] |= {"q": {"prediction": "q"}, "s": {"score": "s"}}
    spec["metrics"] += ["roc_auc", "brier"]
    spec["thresholds"] = [0.5]
    spec["engine"] = {"spark": {"url": address}}
    counted, read = run(spec, "spark"), run(spec, "memory")
    told = "asked for; each kind of rows stands for as many as it counts"
    assert engine_of(counted) == ("spark", told)
    in_place = run(spec, "duckdb")
    # where rows are counted the plan says how models are compared: the numbers are the same
    assert counted["plan"].pop("counted") == in_place["plan"].pop("counted")
    assert comparable(counted) == comparable(in_place) == comparable(read)


@pytest.mark.parametrize("count", ["", "-1", "2.5", "many"])
def test_counts_that_are_none_are_told(tmp_path: Path, address: str, count: str) -> None:
    path = tmp_path / "kinds.csv"
    path.write_text(f"y,p,n\na,a,4\nb,b,{count}\n")
    spec = spec_of(path, {"prediction": "p"}, dataset={"count": "n"})
    spec["engine"] = {"spark": {"url": address}}
    with pytest.raises(DataError, match=r"stand for|the count in n"):
        run(spec, "spark")


def test_text_with_quotes_and_signs(tmp_path: Path, address: str) -> None:
    rows = ['" a,b ""c""",+1e-3,x', "no,.5, x", '" a,b ""c""",1.,', 'no,0.25,""'] * 9
    path = tmp_path / "rows.csv"
    path.write_bytes("\r\n".join(["\ufeffy,s,g", *rows, ""]).encode())
    spec = spec_of(path, {"score": "s"}, metrics=AUDIT, subgroups=["g"])
    same(spec, address)


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ("y,s\na,0.5\nb\n", "not every row has a field per column"),
        ("y,s\na,0.5\n\nb,1\n", "it has empty lines"),
        ('y,s\na,0.5\nb"c,1\n', "a quote stands within a field"),
        ("y,s\na,0.5\nb,1d\n", "no finite number in 1 rows"),
        ("y,s\na,0.5\nb,1e999\n", "no finite number in 1 rows"),
        ('y,s\na,0.5\n"b\nc",1\n', "line ends in quoted fields"),
        ("y\na\n  \n", "have 2 rows here, and 1 for the cluster"),
    ],
)
def test_bad_rows_are_refused(tmp_path: Path, address: str, rows: str, told: str) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(rows)
    spec = spec_of(path, {"score": "s"} if ",s" in rows else {"prediction": "y"})
    spec["engine"] = {"spark": {"url": address}}
    with pytest.raises(DataError, match=told):
        run(spec, "spark")


def told_rows(count: int) -> list[tuple[str, str, str, str]]:
    """Names, truths, scores with a decimal comma, and ages; some are not given."""
    told = []
    for i in range(count):
        score = f"{(i * 37 % 997) / 997 * 0.7 + (i % 3 == 0) * 0.3:.4f}".replace(".", ",")
        age = "n.b." if i % 29 == 0 else str(20 + i * 7 % 60)
        told.append((f"p{i}", "ill" if i % 3 == 0 else "well", score, age))
    return told


def test_text_as_it_is_declared(tmp_path: Path, address: str) -> None:
    path = tmp_path / "rows.csv"
    lines = ["id;y;s;age", *(";".join(row) for row in told_rows(500))]
    path.write_text("\n".join(lines) + "\n")
    read = {"delimiter": ";", "decimal": ",", "missing": ["n.b."]}
    spec = spec_of(
        path, {"score": "s"}, metrics=AUDIT, subgroups=[{"column": "age", "bins": [40, 60]}],
        dataset={"read": read, "map": {"ill": "sick", "well": "healthy"}},
    )  # fmt: skip
    same(spec, address)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_two_files_are_joined(tmp_path: Path, address: str, kind: str) -> None:
    """Rows without a partner on either side, names that are missing, a column of both."""
    left = [(i, y, a) for i, y, _, a in told_rows(400) if int(i[1:]) % 10]
    right = [(i, s.replace(",", ".")) for i, _, s, _ in reversed(told_rows(400)) if int(i[1:]) % 7]
    left += [("", "ill", "33")]
    (tmp_path / "truth.csv").write_text("id,y,age\n" + "\n".join(map(",".join, left)) + "\n")
    (tmp_path / "said.csv").write_text("case,s\n" + "\n".join(map(",".join, right)) + "\n")
    if kind == "parquet":
        for name, columns in (("truth", "id, y, age"), ("said", '"case", s::DOUBLE AS s')):
            query = f"SELECT {columns} FROM read_csv('{tmp_path / name}.csv', all_varchar=true)"
            duckdb.connect().execute(f"COPY ({query}) TO '{tmp_path / name}.parquet'")
    on = {"left": "id", "right": "case"}
    spec = spec_of(
        tmp_path / f"truth.{kind}", {"score": "s"}, metrics=AUDIT,
        subgroups=[{"column": "age", "bins": [40, 60]}],
        dataset={
            "join": {"path": str(tmp_path / f"said.{kind}"), "on": on},
            "read": {"missing": ["n.b."]} if kind == "csv" else {},
            "missing": "exclude",
        },
    )  # fmt: skip
    if kind == "parquet":
        spec["datasets"]["d"].pop("read")
        spec["subgroups"] = ["age"]
    same(spec, address)


def test_what_a_cluster_does_not_read_is_said(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"y": "a", "s": 0.5}\n{"y": "b", "s": 1}\n')
    spec = spec_of(path, {"score": "s"})
    spec["engine"] = {"spark": {"url": "sc://127.0.0.1:9"}}
    with pytest.raises(DataError, match=r"1\.0 for 1.*the engine auto or memory"):
        run(spec, "spark")


def test_files_of_other_columns_are_refused(tmp_path: Path, address: str) -> None:
    connection = duckdb.connect()
    for name, column in (("a", "0.5::DOUBLE AS s"), ("b", "0.5::DOUBLE AS t")):
        query = f"SELECT 'a' AS y, {column} UNION ALL SELECT 'b', 0.25"
        connection.execute(f"COPY ({query}) TO '{tmp_path}/{name}.parquet' (FORMAT parquet)")
    spec = spec_of(f"{tmp_path}/", {"score": "s"})
    spec["engine"] = {"spark": {"url": address}}
    with pytest.raises(DataError, match=r"its columns are not those of a\.parquet"):
        run(spec, "spark")


def test_no_server_is_said_at_once(rows: Callable[[str], Path]) -> None:
    spec = spec_of(rows(ROWS), {"score": "s"})
    spec["engine"] = {"spark": {"url": "sc://127.0.0.1:9/;user_id=me"}}
    with pytest.raises(FilesError, match=r"no Spark Connect server answers at 127\.0\.0\.1:9 "):
        run(spec, "spark")


def test_kinds_by_bins_of_scores_are_those_of_duckdb(
    rows: Callable[[str], Path], address: str
) -> None:
    query = f"SELECT * REPLACE (s + id / 1e7 AS s, 'c' || site AS site) FROM ({ROWS})"
    complete = f"SELECT * FROM ({query}) WHERE y IS NOT NULL AND s IS NOT NULL AND NOT isnan(s)"
    spec = spec_of(
        rows(complete), {"score": "s"}, metrics=AUDIT, dataset={"cluster": "site"},
        engine={"memory_limit": "4MB", "bins": 1000, "spark": {"url": address}},
    )  # fmt: skip
    counted = run(spec, "spark")
    assert "variances alone are made of these bins" in counted["plan"]["counted"][0]
    assert comparable(counted) == comparable(run(spec, "duckdb"))
