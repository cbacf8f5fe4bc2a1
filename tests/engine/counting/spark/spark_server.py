"""A Spark Connect server for tests: one process on this machine, on a port of its own."""

from __future__ import annotations

import importlib.util
import os
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from programs import LACKING, PACKAGES, found_program

#: Address of a server that is already there, instead of one of our own.
ADDRESS = "EVALREPORT_SPARK_REMOTE"
SECONDS = 400


def _home() -> Path:
    found = importlib.util.find_spec("pyspark")
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).parent


def why_not() -> str | None:
    """Why no server can be had here, or None."""
    if importlib.util.find_spec("pyspark") is None:
        return f"{LACKING}a Spark server (make test-spark)"
    if os.environ.get(ADDRESS):
        return None
    if found_program("java") is None:
        return f"{LACKING}java (Debian: {PACKAGES['java']})"
    if not (_home() / "bin" / "spark-submit").exists():
        return f"{LACKING}a Spark server (make test-spark)"
    return None


#: What the modules of tests that ask a server are marked with.
MARKS = [
    pytest.mark.skipif(why_not() is not None, reason=str(why_not())),
    # Warnings of the client, about frames that are not used and sockets it leaves open.
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@contextmanager
def server(folder: Path, more: Mapping[str, object] | None = None) -> Iterator[str]:
    """The address of a server that runs until the end of the block; ``more`` settings of it."""
    if os.environ.get(ADDRESS):
        yield os.environ[ADDRESS]
        return
    with started(folder, more) as (address, _):
        yield address


@contextmanager
def started(
    folder: Path, more: Mapping[str, object] | None = None
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """A server of our own, and its process."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = {
        "spark.connect.grpc.binding.port": port,
        "spark.ui.enabled": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": 4,
        "spark.sql.warehouse.dir": folder / "warehouse",
        **(more or {}),
    }
    command = [str(_home() / "bin" / "spark-submit"), "--master", "local[2]",
               "--class", "org.apache.spark.sql.connect.service.SparkConnectServer"]  # fmt: skip
    for name, value in settings.items():
        command += ["--conf", f"{name}={value}"]
    log = folder / "server.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*command, "spark-internal"],
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=folder,
            env={**os.environ, "SPARK_HOME": str(_home())},
        )
        try:
            _wait(process, port, log)
            yield f"sc://127.0.0.1:{port}", process
        finally:
            process.terminate()
            process.wait(30)


def _wait(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.5)
    raise RuntimeError(f"the server did not start:\n{log.read_text()[-3000:]}")
