"""Objects of stores that a cluster reads, under the names that Hadoop has for them.

No store and none of Hadoop's connectors are here. In their place both sides read one folder: the
client through a file system of pyarrow, the cluster through Hadoop's ViewFileSystem, which answers
for the schemes ``s3a``, ``gs`` and ``abfss``. What is held is what goes over from one to the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from data.store_servers import fetched
from engine.counting.counted_runs import comparable, engine_of, spec_of
from engine.counting.spark.spark_server import MARKS, server

from evalreport import api
from evalreport.data import store_clients, stores
from evalreport.errors import DataError, FilesError, LostError

pytestmark = [pytest.mark.nightly, *MARKS]

ROWS = """SELECT CASE WHEN h % 3 = 0 THEN 'sick' ELSE 'well' END AS y, (h % 97) / 97 AS s,
    'g' || h % 3 AS g, sha256(i::VARCHAR) AS fat
    FROM (SELECT i, (i * 7919 + i * i * 31) % 1009 AS h FROM range({low}, {high}) t(i))"""
METRICS = ["accuracy", "recall", "roc_auc", "brier"]
BUCKETS = ("s3://audit", "gs://audit", "az://audit")
#: The host that the cluster asks for the addresses of each store.
HOSTS = {"s3a": "audit", "gs": "audit", "abfss": "audit@ours.dfs.core.windows.net"}
VIEW = "org.apache.hadoop.fs.viewfs.ViewFileSystemOverloadScheme"


class Place:
    """The address of a server, and the folder whose files are the objects of all buckets."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url, self.folder = url, folder

    def put(self, name: str, low: int, high: int) -> Path:
        path = self.folder / "audit" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        rows = ROWS.format(low=low, high=high)
        plain = self.folder / "plain.parquet"
        duckdb.execute(f"COPY ({rows}) TO '{plain}' (FORMAT parquet, ROW_GROUP_SIZE 2048)")
        return plain.rename(path)

    def run(self, path: str, engine: str, **parts: Any) -> dict[str, Any]:
        spec = spec_of(path, {"score": "s"}, metrics=METRICS, subgroups=["g"], **parts)
        spec["engine"] = {"spark": {"url": self.url}}
        found = api.run(spec, engine=engine, at="2026-01-01T00:00:00Z", allow_hosts=BUCKETS)
        return dict(found.json)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    pytest.importorskip("fsspec", reason="fsspec is not installed")
    folder = tmp_path_factory.mktemp("objects")
    settings = {}
    for scheme, host in HOSTS.items():
        settings[f"spark.hadoop.fs.{scheme}.impl"] = VIEW
        target = f"spark.hadoop.fs.viewfs.overload.scheme.target.{scheme}.impl"
        settings[target] = "org.apache.hadoop.fs.LocalFileSystem"
        fallback = f"spark.hadoop.fs.viewfs.mounttable.{host}.linkFallback"
        settings[fallback] = f"file://{folder}/audit"
    (folder / "audit").mkdir()
    with server(tmp_path_factory.mktemp("spark"), settings) as url:
        yield Place(url, folder)


@pytest.fixture(autouse=True)
def client(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    from pyarrow import fs

    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT", "ours")
    made = fs.SubTreeFileSystem(str(place.folder), fs.LocalFileSystem())
    monkeypatch.setattr(store_clients, "_made", lambda *_: made)


@pytest.mark.parametrize("bucket", BUCKETS)
def test_the_cluster_reads_what_the_client_lists(
    place: Place, bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = place.put("one/rows 1%.parquet", 0, 20_000)
    expected = place.run(str(path), "memory")
    sizes = fetched(monkeypatch)
    found = place.run(f"{bucket}/one/rows 1%.parquet", "spark")
    assert engine_of(found) == ("spark", "asked for")
    assert comparable(found) == comparable(expected)
    (one,) = found["provenance"]["inputs"]
    assert (one["bytes"], one["rows"]) == (path.stat().st_size, 20_000)
    assert one["sha256_of"] == "size and etag"
    # The client has looked at the account that the file gives of itself, and at no column.
    assert 0 < sum(sizes) < path.stat().st_size / 20


@pytest.mark.parametrize("bucket", BUCKETS)
def test_objects_with_keys_in_their_names(place: Place, bucket: str) -> None:
    for part, site in enumerate(("A", "B/C", "d=e")):
        folder = f"site={site.replace('/', '%2F')}"
        place.put(f"all/{folder}/rows.parquet", 900 * part, 900 * (part + 1))
    expected = place.run(f"{place.folder}/audit/all/", "memory")
    for name in ("all/", "all/site=*/rows.parquet"):
        found = place.run(f"{bucket}/{name}", "spark")
        assert engine_of(found) == ("spark", "asked for")
        assert comparable(found) == comparable(expected)
        assert len(found["provenance"]["inputs"][0]["files"]) == 3


@pytest.mark.parametrize("bucket", BUCKETS)
def test_marks_of_patterns_in_a_name(place: Place, bucket: str) -> None:
    expected = place.run(str(place.put("b[1]{2}.parquet", 0, 500)), "memory")
    found = place.run(f"{bucket}/b?1?{{2}}.parquet", "spark")
    assert comparable(found) == comparable(expected)


def test_an_object_that_changes_or_is_damaged(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = place.put("moves.parquet", 0, 500)
    plain = stores.StoredObject.check_still

    def moved(self: Any, stream: Any) -> None:
        place.put("moves.parquet", 1, 501)
        plain(self, stream)

    with monkeypatch.context() as patch:
        patch.setattr(stores.StoredObject, "check_still", moved)
        with pytest.raises(FilesError, match="changed while it was read"):
            place.run("s3://audit/moves.parquet", "spark")
    path.write_bytes(path.read_bytes()[:-100])
    for address in ("s3://audit/moves.parquet", str(path)):
        with pytest.raises(DataError, match="no sound Parquet file"):
            place.run(address, "spark")


def test_an_object_that_the_cluster_does_not_see(place: Place) -> None:
    place.put("here.parquet", 0, 500)
    (place.folder / "other").mkdir(exist_ok=True)
    (place.folder / "audit/here.parquet").rename(place.folder / "other/here.parquet")
    spec = spec_of("s3://other/here.parquet", {"score": "s"}, metrics=METRICS)
    spec["engine"] = {"spark": {"url": place.url}}
    with pytest.raises(FilesError, match=r"Spark at 127\.0\.0\.1:") as caught:
        api.run(spec, engine="spark", allow_hosts=["s3://other"])
    assert not isinstance(caught.value, LostError)
