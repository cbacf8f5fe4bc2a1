"""Object stores without one: what is asked of a client, and what is made of its answers.

The client is one of this test, so that copying, listing and mistakes are held wherever tests run;
:mod:`data.test_stores` asks servers that speak for each kind of store.
"""

from __future__ import annotations

import errno
import hashlib
import io
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from evalreport import api
from evalreport.data import store_clients, stores
from evalreport.data.files import Files, open_files
from evalreport.data.store_clients import client_of
from evalreport.data.stores import copied
from evalreport.errors import FilesError, LostError
from evalreport.verify.recompute import recompute

ROWS = b"y,s\n" + b"".join(b"%s,%.3f\n" % (b"ab"[i % 3 % 2 :][:1], i % 7 / 7) for i in range(60))


class File(io.BytesIO):
    """An open object, as pyarrow's are."""

    def metadata(self) -> dict[bytes, bytes]:
        tag = hashlib.md5(self.getvalue(), usedforsecurity=False).hexdigest()
        return {b"ETag": tag.encode(), b"Last-Modified": b"never"}

    def size(self) -> int:
        return len(self.getvalue())


@dataclass
class Client:
    """A store's client: objects by bucket and key, and the errors that it raises first."""

    objects: dict[str, bytes] = field(default_factory=dict)
    errors: list[Exception] = field(default_factory=list)
    copies: list[str] = field(default_factory=list)

    def _fail(self) -> None:
        if self.errors:
            raise self.errors.pop(0)

    def get_file_info(self, asked: Any) -> Any:
        self._fail()
        if not isinstance(asked, str):
            below = f"{asked.base_dir}/"
            return [self._info(name) for name in self.objects if name.startswith(below)]
        return self._info(asked)

    def _info(self, name: str) -> Any:
        there = name in self.objects
        folder = any(other.startswith(f"{name}/") for other in self.objects)
        return SimpleNamespace(
            path=name, base_name=name.rpartition("/")[2], is_file=there,
            type="file" if there else "folder" if folder else "none",
            size=len(self.objects.get(name, b"")),
        )  # fmt: skip

    def open_input_file(self, name: str) -> File:
        return File(self.objects[name])

    def copied_to(self, name: str, path: str) -> None:
        self._fail()
        self.copies.append(name)
        Path(path).write_bytes(self.objects[name])


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Client:
    client = Client({"audit/d/month=1/rows.csv": ROWS, "audit/d/month=2/rows.csv": ROWS,
                     "audit/d/_SUCCESS": b"x", "audit/d/month=1/.hidden": b"x",
                     "audit/one.csv": ROWS})  # fmt: skip

    def selector(base_dir: str, **_: Any) -> Any:
        return SimpleNamespace(base_dir=base_dir)

    fs = ModuleType("pyarrow.fs")
    vars(fs).update(
        FileSelector=selector,
        FileType=SimpleNamespace(NotFound="none"),
        LocalFileSystem=lambda: None,
        copy_files=lambda name, path, store, _here: store.copied_to(name, path),
    )
    monkeypatch.setitem(sys.modules, "pyarrow", SimpleNamespace(fs=fs))
    monkeypatch.setitem(sys.modules, "pyarrow.fs", fs)
    monkeypatch.setattr(store_clients, "_made", lambda *_: client)
    monkeypatch.setattr(stores, "_COPIES", {})
    return client


def run(path: str, retries: int = 0) -> Any:
    spec = {
        "evalreport": 1, "datasets": {"d": {"path": path, "target": "y"}},
        "models": {"m": {"score": "s"}}, "metrics": ["roc_auc"],
        "confidence": {"resamples": 20}, "engine": {"retries": retries},
    }  # fmt: skip
    return api.run(spec, allow_hosts=["s3://audit"], at="2026-01-01T00:00:00Z").json


def names_of(address: str) -> list[str]:
    found = open_files(Path(), address)
    assert isinstance(found, Files)
    return [part.name for part in found.parts]


@pytest.mark.usefixtures("client")
def test_objects_are_copied_and_known_by_the_hash_of_their_bytes() -> None:
    found = run("s3://audit/one.csv")
    assert recompute(found).problems == ()
    (one,) = found["provenance"]["inputs"]
    assert (one["name"], one["rows"], one["bytes"]) == ("s3://audit/one.csv", 60, len(ROWS))
    assert one["sha256"] == hashlib.sha256(ROWS).hexdigest()
    assert "sha256_of" not in one
    (several,) = run("s3://audit/d/")["provenance"]["inputs"]
    assert [part["name"] for part in several["files"]] == ["month=1/rows.csv", "month=2/rows.csv"]
    assert several["rows"] == 120


def test_an_object_is_copied_again_only_where_it_is_another_one(client: Client) -> None:
    one = copied("s3://audit/one.csv")
    assert copied("s3://audit/one.csv") == one
    assert client.copies == ["audit/one.csv"]
    client.objects["audit/one.csv"] = ROWS + b"a,1\n"
    other = copied("s3://audit/one.csv")
    assert other.sha256 == hashlib.sha256(ROWS + b"a,1\n").hexdigest()
    assert one.path.read_bytes() == ROWS


@pytest.mark.usefixtures("client")
def test_patterns_take_parts_of_names() -> None:
    assert names_of("s3://audit/**/month=*/r*.csv") == ["d/month=1/rows.csv", "d/month=2/rows.csv"]
    assert names_of("s3://audit/d/month=2/*.csv") == ["rows.csv"]


@pytest.mark.usefixtures("client")
@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("s3://audit/on.csv", "there is no such object; did you mean 'one.csv'"),
        ("s3://audit/none/on.csv", "there is no such object"),
        ("s3://audit/d", "there is no such object"),
        ("s3://other/one.csv", "there is no bucket other"),
        ("s3://audit/none/", "there are no objects below it"),
        ("s3://audit/*.tsv", "no object is named so"),
    ],
)
def test_what_is_not_there_is_told(address: str, told: str) -> None:
    with pytest.raises(FilesError, match=told):
        open_files(Path(), address)


def test_kinds_are_not_mixed(client: Client) -> None:
    client.objects["audit/d/month=2/rows.tsv"] = ROWS
    with pytest.raises(FilesError, match="several kinds"):
        run("s3://audit/d/")


def test_errors_of_a_client(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    client.errors = [OSError("AWS Error ACCESS_DENIED during HeadObject")]
    with pytest.raises(FilesError, match="refuses to show it") as refused:
        copied("s3://audit/one.csv")
    assert not isinstance(refused.value, LostError)
    monkeypatch.setattr("evalreport.engine.databases.sessions.PAUSE", 0.0)
    client.errors = [OSError("curlCode: 7, could not connect")]
    with pytest.raises(LostError, match="does not answer"):
        run("s3://audit/one.csv")
    told = "When reading key 'lost/403/Authorization.csv' in bucket 'audit': NETWORK_CONNECTION"
    client.errors = [OSError(told)]
    with pytest.raises(LostError, match="does not answer"):
        copied("s3://audit/lost/403/Authorization.csv")
    client.errors = [OSError("curlCode: 7, could not connect")] * 2
    assert run("s3://audit/one.csv", retries=2)["rows"][0]["read"] == 60


@pytest.mark.usefixtures("client")
def test_an_object_that_goes_or_changes_while_it_is_copied(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plain = Client.copied_to

    def moved(self: Client, name: str, path: str) -> None:
        plain(self, name, path)
        self.objects[name] = ROWS + b"a,1\n"

    monkeypatch.setattr(Client, "copied_to", moved)
    with pytest.raises(FilesError, match="changed while it was read"):
        copied("s3://audit/one.csv")
    monkeypatch.setattr(Client, "copied_to", _gone)
    with pytest.raises(FilesError, match="there is no such object"):
        copied("s3://audit/one.csv")


def _gone(_self: Client, name: str, _path: str) -> None:
    raise FileNotFoundError(name)


@pytest.mark.usefixtures("client")
def test_an_object_that_does_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stores.shutil, "disk_usage", lambda _: SimpleNamespace(free=100))
    with pytest.raises(FilesError, match="room for 100; a folder with more room in TMPDIR"):
        copied("s3://audit/one.csv")


@pytest.mark.usefixtures("client")
def test_a_disk_that_fills_up(monkeypatch: pytest.MonkeyPatch) -> None:
    full = OSError(errno.ENOSPC, "No space left on device")

    def fills(*_: Any) -> None:
        raise full

    monkeypatch.setattr(Client, "copied_to", fills)
    with pytest.raises(FilesError, match="the scratch folder is full") as caught:
        copied("s3://audit/one.csv")
    assert not isinstance(caught.value, LostError)


def test_clients_are_made_from_the_environment(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    del client
    monkeypatch.undo()
    fs = ModuleType("pyarrow.fs")
    vars(fs).update(
        S3FileSystem=lambda **how: ("s3", how),
        GcsFileSystem=lambda **how: ("gs", how),
        AzureFileSystem=lambda **how: ("az", how),
    )
    monkeypatch.setitem(sys.modules, "pyarrow", SimpleNamespace(fs=fs))
    monkeypatch.setitem(sys.modules, "pyarrow.fs", fs)
    for name in [one for one in os.environ if one.startswith(("AWS_", "AZURE_", "STORAGE_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-north-1")
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", "127.0.0.1:8")
    store_clients._made.cache_clear()
    kind, how = client_of("s3://audit/x")
    assert kind == "s3"
    assert (how["endpoint_override"], how["region"]) == ("http://127.0.0.1:9", "eu-north-1")
    assert client_of("gs://audit/x")[1]["endpoint_override"] == "127.0.0.1:8"
    with pytest.raises(FilesError, match="AZURE_STORAGE_ACCOUNT"):
        client_of("az://box/x")
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT", "ours")
    assert client_of("az://box/x") == ("az", {"account_name": "ours"})
    assert client_of("az://box/x") is client_of("az://other/y")
    store_clients._made.cache_clear()


def test_who_asks_google_is_found_by_its_own_client() -> None:
    assert set(store_clients.gs_settings({})) == {"retry_time_limit"}
    told = store_clients.gs_settings({"STORAGE_EMULATOR_HOST": "https://gcs.test:4443"})
    assert (told["scheme"], told["endpoint_override"]) == ("https", "gcs.test:4443")


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"AZURE_STORAGE_ACCOUNT_NAME": "ours"}, {"account_name": "ours"}),
        (
            {"AZURE_STORAGE_ACCOUNT": "ours", "AZURE_STORAGE_SAS_TOKEN": "sv=1&sig=a%3D"},
            {"account_name": "ours", "sas_token": "sv=1&sig=a%3D"},
        ),
        (
            {"AZURE_STORAGE_CONNECTION_STRING": "AccountName=ours;AccountKey=a2V5cw==;"
                "EndpointSuffix=core.windows.net", "AZURE_STORAGE_SAS_TOKEN": "sig=1"},
            {"account_name": "ours", "account_key": "a2V5cw=="},
        ),
        (
            {"AZURE_STORAGE_CONNECTION_STRING": "AccountName=ours;SharedAccessSignature=sig=1",
             "AZURE_STORAGE_KEY": "b3RoZXJz"},
            {"account_name": "ours", "sas_token": "sig=1"},
        ),
        (
            {"AZURE_STORAGE_CONNECTION_STRING": "AccountName=ours;EndpointSuffix=core.example"},
            {"account_name": "ours", "blob_storage_authority": ".blob.core.example",
             "dfs_storage_authority": ".dfs.core.example"},
        ),
    ],
)  # fmt: skip
def test_the_account_of_azure(environment: dict[str, str], expected: dict[str, str]) -> None:
    assert store_clients.az_settings(environment) == expected


@pytest.mark.parametrize(
    ("said", "refused"),
    [
        ("Received HTTP status code: 403", True),
        ("Could not create a OAuth2 access token to authenticate the request", True),
        ("Failed to get token: AuthenticationException", True),
        ("http://127.0.0.1:40312: could not connect", False),
        ("http://127.0.0.1:403 could not connect", False),
    ],
)
def test_what_is_a_refusal_and_what_is_silence(client: Client, said: str, refused: bool) -> None:
    client.errors = [OSError(said)]
    with pytest.raises(FilesError) as caught:
        copied("gs://audit/one.csv")
    assert isinstance(caught.value, LostError) is not refused


def test_an_error_of_a_client_that_is_not_of_the_system(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    class ArrowError(Exception):
        pass

    pyarrow = SimpleNamespace(fs=sys.modules["pyarrow.fs"], ArrowException=ArrowError)
    monkeypatch.setitem(sys.modules, "pyarrow", pyarrow)
    client.errors = [ArrowError("Unknown error: Failed to get token: AuthenticationException")]
    with pytest.raises(FilesError, match="refuses to show it"):
        copied("s3://audit/one.csv")


def test_what_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.fs", None)
    with pytest.raises(FilesError, match=r"pip install 'evalreport\[stores\]'"):
        copied("s3://audit/one.csv")
