"""Object stores without one: what is asked of a client, and what is made of its answers.

The client is one of this test, so that reading, listing and mistakes are held wherever tests run;
:mod:`data.test_stores` asks servers that speak for each kind of store.
"""

from __future__ import annotations

import io
import os
import sys
from dataclasses import dataclass, field
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from evalreport import api
from evalreport.data import store_clients, stores
from evalreport.data.store_clients import client_of
from evalreport.data.stores import given, listed_objects, opened_object
from evalreport.errors import FilesError, LostError

ROWS = b"y,s\n" + b"".join(b"%s,%.3f\n" % (b"ab"[i % 3 % 2 :][:1], i % 7 / 7) for i in range(60))


class File(io.BytesIO):
    """An open object, read by place as pyarrow's are."""

    def __init__(self, content: bytes, tag: str) -> None:
        super().__init__(content)
        self.tag = tag

    def metadata(self) -> dict[bytes, bytes]:
        return {b"ETag": self.tag.encode(), b"Last-Modified": b"never"}

    def read_at(self, size: int, at: int) -> bytes:
        return self.getvalue()[at : at + size]

    def size(self) -> int:
        return len(self.getvalue())


@dataclass
class Client:
    """A store's client: objects by bucket and key, and the errors that it raises first."""

    objects: dict[str, bytes] = field(default_factory=dict)
    errors: list[Exception] = field(default_factory=list)

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
        kind = "file" if there else "none"
        if any(other.startswith(f"{name}/") for other in self.objects):
            kind = "folder"
        return SimpleNamespace(
            path=name, base_name=name.rpartition("/")[2], is_file=there, type=kind,
            size=len(self.objects.get(name, b"")), mtime=None,
        )  # fmt: skip

    def open_input_file(self, name: str) -> File:
        self._fail()
        return File(self.objects[name], str(hash(self.objects[name])))


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Client:
    made = Client({"audit/d/month=1/rows.csv": ROWS, "audit/d/month=2/rows.csv": ROWS,
                   "audit/d/_SUCCESS": b"x", "audit/one.csv": ROWS})  # fmt: skip

    def selector(base_dir: str, **_: Any) -> Any:
        return SimpleNamespace(base_dir=base_dir)

    fs = ModuleType("pyarrow.fs")
    vars(fs).update(
        FileSelector=selector,
        FileType=SimpleNamespace(NotFound="none"),
        S3FileSystem=lambda **how: ("s3", how),
        GcsFileSystem=lambda **how: ("gs", how),
        AzureFileSystem=lambda account: ("az", account),
    )
    monkeypatch.setitem(sys.modules, "pyarrow", SimpleNamespace(fs=fs))
    monkeypatch.setitem(sys.modules, "pyarrow.fs", fs)
    monkeypatch.setattr(store_clients, "_made", lambda *_: made)
    return made


def run(path: str, retries: int = 0) -> Any:
    spec = {
        "evalreport": 1, "datasets": {"d": {"path": path, "target": "y"}},
        "models": {"m": {"score": "s"}}, "metrics": ["roc_auc"],
        "confidence": {"resamples": 20}, "engine": {"retries": retries},
    }  # fmt: skip
    return api.run(spec, allow_hosts=["s3://audit"], at="2026-01-01T00:00:00Z").json


@pytest.mark.usefixtures("client")
def test_objects_are_read_and_known_by_size_and_etag() -> None:
    (one,) = run("s3://audit/one.csv")["provenance"]["inputs"]
    assert (one["rows"], one["bytes"], one["sha256_of"]) == (60, len(ROWS), "size and etag")
    (several,) = run("s3://audit/d/")["provenance"]["inputs"]
    assert [part["name"] for part in several["files"]] == ["month=1/rows.csv", "month=2/rows.csv"]
    assert several["rows"] == 120


@pytest.mark.usefixtures("client")
def test_patterns_take_parts_of_names() -> None:
    root, found = listed_objects("s3://audit/**/month=*/r*.csv")
    assert root == "s3://audit/"
    assert [name for name, _ in found] == ["d/month=1/rows.csv", "d/month=2/rows.csv"]
    assert len(listed_objects("s3://audit/*.csv")[1]) == 1


@pytest.mark.usefixtures("client")
@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("s3://audit/on.csv", "there is no such object; did you mean 'one.csv'"),
        ("s3://other/one.csv", "there is no bucket other"),
        ("s3://audit/none/", "there are no objects below it"),
        ("s3://audit/d/*.tsv", "no object is named so"),
    ],
)
def test_what_is_not_there_is_told(address: str, told: str) -> None:
    with pytest.raises(FilesError, match=told):
        (listed_objects if "*" in address or address.endswith("/") else opened_object)(address)


def test_kinds_are_not_mixed(client: Client) -> None:
    client.objects["audit/d/month=2/rows.tsv"] = ROWS
    with pytest.raises(FilesError, match="several kinds"):
        run("s3://audit/d/")


def test_errors_of_a_client(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    client.errors = [OSError("AWS Error ACCESS_DENIED during HeadObject")]
    with pytest.raises(FilesError, match="refuses to show it") as refused:
        opened_object("s3://audit/one.csv")
    assert not isinstance(refused.value, LostError)
    client.errors = [FileNotFoundError("gone")]
    with pytest.raises(FilesError, match="there is no such object"):
        opened_object("s3://audit/one.csv")
    monkeypatch.setattr("evalreport.engine.databases.addresses.PAUSE", 0.0)
    client.errors = [OSError("curlCode: 7, could not connect")]
    with pytest.raises(LostError, match="does not answer"):
        run("s3://audit/one.csv")
    told = "When reading key 'lost/403/Authorization.csv' in bucket 'audit': NETWORK_CONNECTION"
    client.errors = [OSError(told)]
    with pytest.raises(LostError, match="does not answer"):
        opened_object("s3://audit/lost/403/Authorization.csv")
    client.errors = [OSError("curlCode: 7, could not connect")] * 2
    assert run("s3://audit/one.csv", retries=2)["rows"][0]["read"] == 60


def test_an_object_that_changes(client: Client) -> None:
    one = opened_object("s3://audit/one.csv")
    assert one.is_there()
    client.objects["audit/one.csv"] = ROWS + b"a,1\n"
    assert not one.is_there()
    with one.stream() as stream, pytest.raises(FilesError, match="changed while it was read"):
        one.check_still(stream)
    del client.objects["audit/one.csv"]
    assert not one.is_there()


def test_what_an_engine_is_given(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    one, kept = opened_object("s3://audit/one.csv"), []
    monkeypatch.setitem(sys.modules, "fsspec", SimpleNamespace(AbstractFileSystem=object))
    (name,) = given(SimpleNamespace(register_filesystem=kept.append), [one])
    (system,) = kept
    assert system.exists(name)
    assert (system.glob(name), system.glob("s3://audit/other.csv")) == ([name], [])
    assert system.info(name)["size"] == len(ROWS)
    assert system._strip_protocol(name) == name
    assert system.modified(name).year == 1970
    file = system.open(name, "rb")
    assert (file.seek(4), file.tell(), file.read(3)) == (4, 4, ROWS[4:7])
    assert file.seek(-2, 2) == len(ROWS) - 2
    assert file.read() == ROWS[-2:]
    monkeypatch.setattr(stores, "read_part", _lost)
    with pytest.raises(OSError, match="cannot be read"):
        file.read(1)
    with pytest.raises(LostError, match="the connection to the store was lost"):
        one.check_given()
    one.check_given()
    file.close()
    assert file.closed
    assert client.objects


def _lost(*_: Any) -> bytes:
    raise LostError("the network is down", "s3://audit/one.csv")


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
        opened_object("gs://audit/one.csv")
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
        opened_object("s3://audit/one.csv")


def test_what_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.fs", None)
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(FilesError, match=r"pip install 'evalreport\[stores\]'"):
        opened_object("s3://audit/one.csv")
    with pytest.raises(FilesError, match=r"pip install 'evalreport\[stores\]'"):
        given(None, [])
