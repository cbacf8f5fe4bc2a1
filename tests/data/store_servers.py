"""Servers that speak for object stores, started for the tests where they are installed.

Each is on this machine and keeps what it is given in memory: moto for S3, gcp-storage-emulator
for Google Cloud Storage, Azurite for the blobs of Azure.
"""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from programs import LACKING, found_program, lacks

#: The account and key that Azurite has from the start, as it documents them.
ACCOUNT = "devstoreaccount1"
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


@dataclass
class Store:
    """A server with a bucket ``audit``; ``environment`` is what lets a client find a port of it."""

    scheme: str
    port: int
    files: Any
    environment: Callable[[int], Mapping[str, str]] = field(repr=False)

    @property
    def bucket(self) -> str:
        return f"{self.scheme}://audit"

    def at(self, name: str) -> str:
        """The address of an object."""
        return f"{self.bucket}/{name}"

    def put(self, name: str, content: bytes) -> str:
        """Write an object; its address."""
        with self.files.open_output_stream(f"audit/{name}", compression=None) as stream:
            stream.write(content)
        return self.at(name)


def s3_environment(port: int) -> dict[str, str]:
    return {
        "AWS_ACCESS_KEY_ID": "of-the-test", "AWS_SECRET_ACCESS_KEY": "of-the-test",
        "AWS_REGION": "us-east-1", "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
    }  # fmt: skip


def gs_environment(port: int) -> dict[str, str]:
    return {"STORAGE_EMULATOR_HOST": f"http://127.0.0.1:{port}"}


def az_environment(port: int, key: str = KEY) -> dict[str, str]:
    told = (
        f"DefaultEndpointsProtocol=http;AccountName={ACCOUNT};AccountKey={key};"
        f"BlobEndpoint=http://127.0.0.1:{port}/{ACCOUNT};"
    )
    return {"AZURE_STORAGE_CONNECTION_STRING": told}


def _s3_files(port: int) -> Any:
    from pyarrow import fs

    return fs.S3FileSystem(
        endpoint_override=f"http://127.0.0.1:{port}", allow_bucket_creation=True,
        access_key="of-the-test", secret_key="of-the-test", region="us-east-1",
    )  # fmt: skip


def _gs_files(port: int) -> Any:
    from pyarrow import fs

    return fs.GcsFileSystem(
        anonymous=True, endpoint_override=f"127.0.0.1:{port}", scheme="http", project_id="audit"
    )


def _az_files(port: int) -> Any:
    from pyarrow import fs

    place = {f"{kind}_storage_authority": f"127.0.0.1:{port}" for kind in ("blob", "dfs")}
    how = {f"{kind}_storage_scheme": "http" for kind in ("blob", "dfs")}
    return fs.AzureFileSystem(ACCOUNT, account_key=KEY, **place, **how)


def _s3_command(port: int) -> list[str] | None:
    program = os.environ.get("EVALREPORT_MOTO")
    return None if program is None else [program, "-H", "127.0.0.1", "-p", str(port)]


def _gs_command(port: int) -> list[str] | None:
    program = os.environ.get("EVALREPORT_GCS")
    if program is None:
        return None
    # By itself it answers one connection after another, and clients hold several open.
    threads = (
        "import http.server as s, sys; s.HTTPServer = s.ThreadingHTTPServer; "
        "from gcp_storage_emulator.__main__ import main; sys.exit(main())"
    )
    python = str(Path(program).with_name("python"))
    where = ["--host", "127.0.0.1", "--port", str(port)]
    return [python, "-c", threads, "start", "--in-memory", *where]


def _az_command(port: int) -> list[str] | None:
    node, script = found_program("node"), os.environ.get("EVALREPORT_AZURITE")
    if node is None or script is None or not Path(script).exists():
        return None
    return [node, script, "--inMemoryPersistence", "--disableTelemetry", "--skipApiVersionCheck",
            "--blobHost", "127.0.0.1", "--blobPort", str(port), "--silent"]  # fmt: skip


_KINDS: dict[str, tuple[Callable[[int], list[str] | None], Any, Any]] = {
    "s3": (_s3_command, _s3_files, s3_environment),
    "gs": (_gs_command, _gs_files, gs_environment),
    "az": (_az_command, _az_files, az_environment),
}
SCHEMES = tuple(_KINDS)


@contextmanager
def served(scheme: str) -> Iterator[Store]:
    """A store of a kind, whose clients find it, until the end of the block."""
    pytest.importorskip("pyarrow", reason=f"{LACKING}pyarrow (make test-stores)")
    command, files, environment = _KINDS[scheme]
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = int(found.getsockname()[1])
    words = command(port)
    if words is None:
        lacks(f"a server that speaks for {scheme}:// (make test-stores)")
    running = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment(port).items():
            patch.setenv(name, value)
        try:
            _wait(running, port)
            made = Store(scheme, port, files(port), environment)
            made.files.create_dir("audit")
            yield made
        finally:
            running.kill()
            running.wait()


def _wait(running: subprocess.Popen[bytes], port: int) -> None:
    until = time.monotonic() + 60
    while True:
        with closing(socket.socket()) as found:
            if found.connect_ex(("127.0.0.1", port)) == 0:
                return
        assert running.poll() is None, "the server ended"
        assert time.monotonic() < until, "the server does not answer"
        time.sleep(0.1)
