"""Objects of stores: copied and then read as files, mistakes told with their address.

Each kind of store is asked of a server that speaks for it, where one is installed; what needs
none is the rest.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from data.store_servers import SCHEMES, Store, az_environment, served

from evalreport import api
from evalreport.data.stores import copied, is_stored
from evalreport.engine.counting import choosing
from evalreport.errors import DataError, FilesError, LostError, SpecError

ROWS = """SELECT CASE WHEN i % 3 = 0 THEN 'a' ELSE 'b' END AS y,
    round((i * 7919 % 97) / 97, 3) AS s, 'g' || (i % 4) AS g,
    sha256(i::VARCHAR) AS fat FROM range({low}, {high}) t(i)"""
METRICS = ["accuracy", "roc_auc", "brier"]
BUCKETS = [f"{scheme}://audit" for scheme in SCHEMES]


@pytest.fixture(scope="module", params=SCHEMES)
def store(request: pytest.FixtureRequest) -> Iterator[Store]:
    with served(str(request.param)) as found:
        yield found


def content(low: int, high: int, suffix: str, folder: Path) -> bytes:
    """Rows as a file of some kind."""
    path = folder / f"rows{suffix.removesuffix('.gz')}"
    form = "(FORMAT parquet, ROW_GROUP_SIZE 2048)" if suffix == ".parquet" else "(HEADER)"
    if suffix.startswith(".jsonl"):
        form = "(FORMAT json)"
    duckdb.connect().execute(f"COPY ({ROWS.format(low=low, high=high)}) TO '{path}' {form}")
    found = path.read_bytes()
    return gzip.compress(found, mtime=0) if suffix.endswith(".gz") else found


def spec_of(path: str, **engine: Any) -> dict[str, Any]:
    return {
        "evalreport": 1, "datasets": {"d": {"path": path, "target": "y"}},
        "models": {"m": {"score": "s"}}, "metrics": METRICS, "subgroups": ["g"],
        "confidence": {"resamples": 20}, "engine": engine,
    }  # fmt: skip


def run(path: str, engine: str = "auto", **parts: Any) -> dict[str, Any]:
    spec = spec_of(path, **parts)
    done = api.run(spec, engine=engine, at="2026-01-01T00:00:00Z", allow_hosts=BUCKETS)
    return dict(done.json)


def numbers(results: dict[str, Any]) -> Any:
    return results["measures"], results["tables"], results["rows"]


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".csv.gz", ".jsonl"])
def test_an_object_is_read_as_the_file_is(store: Store, tmp_path: Path, suffix: str) -> None:
    whole = content(0, 6000, suffix, tmp_path)
    local = tmp_path / f"local{suffix}"
    local.write_bytes(whole)
    address = store.put(f"one/rows{suffix}", whole)
    expected = numbers(run(str(local), "memory"))
    for engine in ("memory", "duckdb"):
        found = run(address, engine)
        assert numbers(found) == expected
        (one,) = found["provenance"]["inputs"]
        assert (one["name"], one["bytes"], one["rows"]) == (address, len(whole), 6000)
        assert one["sha256"] == hashlib.sha256(whole).hexdigest()


def test_several_objects_with_keys_in_their_names(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for part in range(3):
        rows = content(2000 * part, 2000 * (part + 1), ".parquet", tmp_path)
        path = tmp_path / f"all/month={part}/rows.parquet"
        path.parent.mkdir(parents=True)
        path.write_bytes(rows)
        store.put(f"all/month={part}/rows.parquet", rows)
    store.put("all/_SUCCESS", b"")
    store.put("all/month=0/.hidden", b"x")
    monkeypatch.setattr(choosing, "MANY_ROWS", 1)
    expected = numbers(run(f"{tmp_path}/all/", "memory"))
    for name in ("all/", "all/*/*.parquet", "**/month=*/r*.parquet"):
        found = run(store.at(name))
        assert found["provenance"]["engine"]["name"] == "duckdb"
        assert numbers(found) == expected
        (one,) = found["provenance"]["inputs"]
        assert [part["name"][-20:] for part in one["files"]] == [
            f"month={part}/rows.parquet" for part in range(3)
        ]


@pytest.mark.parametrize(
    ("name", "told", "instead"),
    [
        ("one/row.csv", "there is no such object", "did you mean 'rows.csv'"),
        ("none/", "there are no objects below it", "with objects below it"),
        ("one/*.tsv", "no object is named so", "with objects below it"),
        ("one/", "several kinds", "one kind"),
    ],
)
def test_what_is_not_there(
    store: Store, tmp_path: Path, name: str, told: str, instead: str
) -> None:
    for suffix in (".csv", ".parquet"):
        store.put(f"one/rows{suffix}", content(0, 50, suffix, tmp_path))
    with pytest.raises(FilesError) as caught:
        run(store.at(name))
    said = str(caught.value)
    assert told in said
    assert instead in said
    assert f"{store.bucket}/" in said


def test_no_bucket(store: Store) -> None:
    other = f"{store.scheme}://other"
    with pytest.raises(FilesError, match="there is no bucket other"):
        api.run(spec_of(f"{other}/rows.csv"), allow_hosts=[other])


def test_a_key_that_is_not_the_accounts(monkeypatch: pytest.MonkeyPatch) -> None:
    with served("az") as store:
        wrong = az_environment(store.port, key="d3Jvbmctb25l")
        monkeypatch.setenv(*next(iter(wrong.items())))
        with pytest.raises(FilesError, match=r"refuses to show it.*; credentials") as caught:
            run(store.at("one/rows.csv"))
    assert not isinstance(caught.value, LostError)
    assert "d3Jvbmctb25l" not in str(caught.value)


def test_a_store_that_does_not_answer(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in store.environment(1).items():
        monkeypatch.setenv(name, value)
    with pytest.raises(LostError, match="the store does not answer"):
        run(store.at("one/rows.csv"))


def test_a_damaged_object_is_no_lost_connection(store: Store, tmp_path: Path) -> None:
    whole = content(0, 5000, ".parquet", tmp_path)
    address = store.put("damaged.parquet", whole[:-100])
    for engine in ("memory", "duckdb"):
        with pytest.raises(DataError, match="not a sound Parquet file"):
            run(address, engine)


def test_the_command_ends_in_order_and_quietly(store: Store, tmp_path: Path) -> None:
    address = store.put("quiet.parquet", content(0, 500, ".parquet", tmp_path))
    file = tmp_path / "spec.yaml"
    file.write_text(
        f"evalreport: 1\ndatasets: {{d: {{path: '{address}', target: y}}}}\n"
        "models: {m: {score: s}}\nmetrics: [roc_auc]\nconfidence: {resamples: 20}\n"
    )
    words = [sys.executable, "-m", "evalreport", "run", str(file), "-o", str(tmp_path / "runs"),
             "--formats", "json", "--quiet", "--engine", "duckdb"]  # fmt: skip
    refused = subprocess.run(words, capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert f"--allow-host {store.bucket}" in refused.stderr
    done = subprocess.run(
        [*words, "--allow-host", store.bucket], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    # the copy is listed as a file of those bytes
    (manifest,) = (tmp_path / "runs").glob("2*/MANIFEST.json")
    (one,) = json.loads(manifest.read_text())["inputs"]
    assert one["sha256"] == copied(address).sha256


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("s3://audit/rows.csv", "--allow-host s3://audit"),
        ("gs://audit/rows.csv", "--allow-host gs://audit"),
        ("s3:///rows.csv", "is not read"),
        ("s3://a@b/rows.csv", "is not read"),
        ("s3://audit", "is not read"),
        ("s3a://audit/rows.csv", "s3://bucket/name"),
        ("abfss://c@account/rows.csv", "az://container/name"),
        ("https://host/rows.csv", "a file on this machine"),
    ],
)
def test_addresses_that_a_spec_may_not_name_by_itself(address: str, told: str) -> None:
    with pytest.raises(SpecError) as caught:
        api.run(spec_of(address))
    assert told in str(caught.value)


def test_what_is_an_address() -> None:
    assert is_stored("az://container/rows/")
    assert not is_stored("data/s3/rows.csv")
