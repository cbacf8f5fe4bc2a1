"""The audit on a Spark Connect server gives what rows in memory give."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from engine_duckdb.counted_runs import comparable, engine_of, run, spec_of
from spark.spark_server import server, why_not

from evalreport.errors import FilesError

pytestmark = [
    pytest.mark.skipif(why_not() is not None, reason=str(why_not())),
    # Warnings of the client, about frames that are not used and sockets it leaves open.
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

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


def test_no_server_is_said_at_once(rows: Callable[[str], Path]) -> None:
    spec = spec_of(rows(ROWS), {"score": "s"})
    spec["engine"] = {"spark": {"url": "sc://127.0.0.1:9/;token=secret"}}
    with pytest.raises(FilesError, match=r"no Spark Connect server answers at 127\.0\.0\.1:9 "):
        run(spec, "spark")
