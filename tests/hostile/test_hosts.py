"""Addresses in a spec: nobody is asked who was not allowed, and no password goes out in clear."""

from __future__ import annotations

import re
import socket
import ssl
import struct
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from hostile.command import Workshop
from programs import program

from evalreport.engine.databases.sessions import libpq_address
from evalreport.spec.hosts import is_local, postgres_address

SECRET = "s3cret-of-the-operator"  # noqa: S105 - of the test
TLS_ASKED = struct.pack("!ii", 8, 80877103)
CLEAR_TEXT = b"R" + struct.pack("!ii", 8, 3)


def own_address() -> str | None:
    """An address of this machine that is not its loopback."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # nothing is sent for it
            found = str(probe.getsockname()[0])
        except OSError:
            return None
    return None if found.startswith("127.") else found


class Thief:
    """What answers like a Postgres server, asks for the password as it is, and keeps it."""

    def __init__(self, host: str, context: ssl.SSLContext | None) -> None:
        self.heard, self.calls, self._context = b"", 0, context
        self._listening = socket.create_server((host, 0))
        self.port = int(self._listening.getsockname()[1])
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                call, _ = self._listening.accept()
            except OSError:
                return
            self.calls += 1
            with suppress(OSError), closing(call):
                self._talk(call)

    def _talk(self, call: socket.socket) -> None:
        call.settimeout(5)
        first = call.recv(4096)
        if first != TLS_ASKED:
            self._ask(call, first)
            return
        call.sendall(b"N" if self._context is None else b"S")
        if self._context is None:
            self._ask(call, call.recv(4096))
        else:
            with self._context.wrap_socket(call, server_side=True) as safe:
                self._ask(safe, safe.recv(4096))

    def _ask(self, call: socket.socket, first: bytes) -> None:
        self.heard += first
        if first:
            call.sendall(CLEAR_TEXT)
            self.heard += call.recv(4096)

    def close(self) -> None:
        self._listening.close()


@pytest.fixture
def thieves() -> Iterator[Any]:
    made: list[Thief] = []

    def make(host: str, context: ssl.SSLContext | None = None) -> Thief:
        made.append(Thief(host, context))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture(scope="module")
def own_certificate(tmp_path_factory: pytest.TempPathFactory) -> ssl.SSLContext:
    """A certificate that nobody vouches for."""
    folder = tmp_path_factory.mktemp("certificate")
    subprocess.run(
        [program("openssl"), "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=thief",
         "-keyout", folder / "key.pem", "-out", folder / "cert.pem", "-days", "2"],
        check=True, capture_output=True,
    )  # fmt: skip
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    return context


@pytest.fixture(autouse=True)
def operator(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PGPASSWORD", SECRET)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("PGHOST", "PGSSLMODE", "PGREQUIREAUTH", "PGSSLROOTCERT"):
        monkeypatch.delenv(name, raising=False)


def asked(workshop: Workshop, address: str, *options: str) -> tuple[int, str]:
    """Status and words of a run of a spec whose rows lie at the address."""
    dataset = f"{{sql: SELECT 1 AS y, database: '{address}'}}"
    text = (
        "evalreport: 1\ntitle: t\nmodels: {m: {prediction: p}}\nmetrics: [accuracy]\n"
        f"datasets: {{d: {{path: {dataset}, target: y}}}}\n"
    )
    workshop.spec(text)
    found = workshop.run(*options)
    return found.status, found.err


def test_a_host_that_nobody_allowed_is_not_asked(workshop: Workshop, thieves: Any) -> None:
    """Neither for a right spec, nor for one with a mistake, whose columns are looked at too."""
    host = own_address()
    if host is None:
        pytest.skip("this machine has no address but its loopback")
    thief = thieves(host)
    status, err = asked(workshop, f"postgresql://reader@{host}:{thief.port}/db")
    assert status == 2
    assert f"spec.yaml:5:53: the host {host} is not this computer" in err
    assert f"--allow-host {host}" in err
    spec = workshop.folder / "spec.yaml"
    spec.write_text(spec.read_text() + "wrong: 1\n")
    assert workshop.call("check", spec).status == 2
    assert thief.calls == 0


def test_on_this_computer_it_is_the_operators_own(workshop: Workshop, thieves: Any) -> None:
    """What shows that the tests below would see a password."""
    thief = thieves("127.0.0.1")
    assert asked(workshop, f"postgresql://reader@127.0.0.1:{thief.port}/db")[0] == 4
    assert SECRET.encode() in thief.heard


def test_an_allowed_host_without_tls_gets_nothing(workshop: Workshop, thieves: Any) -> None:
    host = own_address()
    if host is None:
        pytest.skip("this machine has no address but its loopback")
    thief = thieves(host)
    for more in ("", "?sslmode=disable", "?sslmode=prefer"):
        address = f"postgresql://reader@{host}:{thief.port}/db{more}"
        status, err = asked(workshop, address, "--allow-host", host)
        assert status == 4, err
        assert "PGSSLROOTCERT" in err
    assert thief.heard == b""


@pytest.mark.parametrize("mode", [None, "require"])
def test_an_allowed_host_that_cannot_prove_itself_gets_no_password(
    workshop: Workshop, thieves: Any, own_certificate: ssl.SSLContext, mode: str | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """By default it has to prove itself; where the operator lowers that, no password in clear."""
    host = own_address()
    if host is None:
        pytest.skip("this machine has no address but its loopback")
    if mode is not None:
        monkeypatch.setenv("PGSSLMODE", mode)
    thief = thieves(host, own_certificate)
    address = f"postgresql://reader@{host}:{thief.port}/db?sslmode=prefer"
    status, _ = asked(workshop, address, "--allow-host", f"{host}:{thief.port}")
    assert status == 4
    assert thief.calls == 1
    assert (b"reader" in thief.heard) == (mode is not None)
    assert SECRET.encode() not in thief.heard


REFUSED = [
    "postgresql://reader@db.example.org/db", "postgres://203.0.113.9:5432/db",
    "postgresql://127.0.0.1,203.0.113.9/db", "postgresql://localhost.example.org/db",
    "postgresql://reader@[2001:db8::1]:5432/db", "postgresql://127.1/db", "postgresql://0/db",
    "postgresql://2130706433/db", "postgresql://localhost@evil.example/db",
    "postgresql://[::ffff:203.0.113.9]/db",
    # What the driver would read in another way, or take more from than a host.
    "postgresql:///db?host=203.0.113.9", "postgresql:///db?host=/run%2C203.0.113.9",
    "postgresql://localhost/db?host=203.0.113.9",
    "postgresql://localhost/db?hostaddr=203.0.113.9", "postgresql://localhost/db?service=evil",
    "postgresql://localhost/db?passfile=/etc/passwd", "postgresql://localhost/db?sslkey=/etc/x",
    "postgresql://localhost/db?options=-c%20x", "postgresql://a@b@evil.example/db",
    "postgresql://localhost%2Eevil.example/db", "postgresql://localhost\\@evil.example/db",
    "postgresql://localhost#@evil.example/db", "postgresql://localhost /db",
    "postgresql://localhost/db?sslmode=disable&host=203.0.113.9",
    "mysql://reader@localhost/db", "mariadb://203.0.113.9:3306/db", "oracle://localhost/db",
]  # fmt: skip


@pytest.mark.parametrize("address", REFUSED)
def test_addresses_that_lead_elsewhere(workshop: Workshop, address: str) -> None:
    status, err = asked(workshop, address)
    assert status == 2, err
    assert "spec.yaml:5:" in err
    assert "--allow-host" in err or "not read" in err or "not written as" in err


@pytest.mark.parametrize(
    "url",
    ["sc://cluster.example.org:15002", "sc://203.0.113.9/;use_ssl=true", "sc://127.0.0.1@evil.example",
     "sc://localhost:1@evil.example:2", "sc://localhost\\evil.example"],
)  # fmt: skip
def test_a_cluster_is_asked_for_in_the_same_way(workshop: Workshop, url: str) -> None:
    workshop.spec(more=f"engine: {{spark: {{url: '{url}'}}}}")
    found = workshop.call("check", workshop.folder / "spec.yaml")
    assert found.status == 2
    assert "--allow-host" in found.err or "is not read" in found.err
    host = url.removeprefix("sc://").split("/")[0].rpartition(":")[0] or "203.0.113.9"
    allowed = workshop.call("check", workshop.folder / "spec.yaml", "--allow-host", host)
    assert allowed.status == (2 if "@" in url or "\\" in url else 0), allowed.err


def test_a_token_for_a_cluster_does_not_stand_in_a_spec(workshop: Workshop) -> None:
    url = "sc://localhost:1/;use_ssl=true;Token=very-secret"
    workshop.spec(more=f"engine: {{name: spark, spark: {{url: '{url}'}}}}")
    found = workshop.call("check", workshop.folder / "spec.yaml")
    assert found.status == 2
    assert "contains a token; an address without one" in found.err
    assert "very-secret" not in found.err


def test_what_is_asked_of_the_driver() -> None:
    def settings(address: str, **environment: str) -> list[str]:
        found = libpq_address(address, environment)
        assert found.startswith(address)
        return [one for one in re.split("[?&]", found)[1:] if not one.startswith("connect_")]

    assert settings("postgresql:///db") == []
    assert settings("postgresql:///db?host=/run/pg") == ["host=/run/pg"]
    assert settings("postgresql://u@[::1]:99/d?sslmode=require") == ["sslmode=require"]
    # The operator's own PGHOST, for an address that names none.
    assert settings("postgresql:///db", PGHOST="db.example.org") == ["sslmode=verify-full"]
    assert settings("postgresql://db.example.org/d", PGSSLMODE="disable") == [
        "sslmode=disable", "require_auth=%21password"
    ]  # fmt: skip
    assert "require_auth=scram-sha-256" in settings(
        "postgresql://db.example.org/d", PGSSLMODE="require", PGREQUIREAUTH="scram-sha-256"
    )
    assert settings("postgresql://db.example.org/d", PGSSLMODE="none") == ["sslmode=verify-full"]
    # A spec asks for more, never for less; of two the driver takes the last.
    for own, asked, then in (("require", "verify-full", "verify-full"),
                             ("verify-ca", "disable", "verify-ca")):  # fmt: skip
        found = settings(f"postgresql://db.example.org/d?sslmode={asked}", PGSSLMODE=own)
        assert found == [f"sslmode={asked}", f"sslmode={then}"]


def test_this_computer_and_others() -> None:
    assert not any(map(is_local, ("127.0.0.1.nip.io", "localhost.", "0.0.0.0", "", "10.0.0.1")))  # noqa: S104
    assert postgres_address("postgresql://h1:1,h2/d").places == (("h1", "1"), ("h2", None))
