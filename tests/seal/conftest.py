"""A run to seal, keys to seal it with, and an authority of time stamps on this machine."""

from __future__ import annotations

import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from programs import program

from evalreport.cli import status_of

AT = "2026-11-21T12:00:00Z"
SPEC = """\
evalreport: 1
title: Ten rows
datasets: {ten: {path: data.csv, target: y}}
models: {m: {score: p}}
metrics: [recall, precision]
acceptance: [{metric: recall, at_least: 0.5}]
report: {formats: [html]}
"""
ROWS = "y,p\n1,0.9\n1,0.8\n1,0.7\n1,0.6\n1,0.4\n0,0.9\n0,0.5\n0,0.3\n0,0.2\n0,0.1\n"

AUTHORITY = """\
[ca]
[new]
distinguished_name = dn
prompt = no
[dn]
CN = A stamp authority
[root]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign
subjectKeyIdentifier = hash
[stamping]
extendedKeyUsage = critical, timeStamping
keyUsage = critical, digitalSignature
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
[tsa]
default_tsa = own
[own]
serial = serial
crypto_device = builtin
signer_cert = tsa.pem
certs = root.pem
signer_key = tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
accuracy = secs:1
ess_cert_id_alg = sha256
"""


def published(folder: Path, spec: str = SPEC, rows: str = ROWS) -> Path:
    """A run of ten rows, published in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "spec.yaml").write_text(spec)
    (folder / "data.csv").write_text(rows)
    runs = folder / "runs"
    assert (
        status_of(["run", str(folder / "spec.yaml"), "-o", str(runs), "--at", AT, "--quiet"]) == 0
    )
    return (runs / "latest").resolve()


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return published(tmp_path_factory.mktemp("published")).parents[1]


@pytest.fixture
def run(made_once: Path, tmp_path: Path) -> Path:
    """A run of its own for each test."""
    shutil.copytree(made_once, tmp_path / "work", symlinks=True)
    return (tmp_path / "work" / "runs" / "latest").resolve()


def openssl(folder: Path, *arguments: str) -> None:
    subprocess.run(
        [program("openssl"), *arguments], cwd=folder, check=True, capture_output=True, timeout=60
    )


@pytest.fixture(scope="session")
def needs_openssl() -> None:
    program("openssl")


KINDS = {
    "ed25519": ["-algorithm", "ed25519"],
    "p256": ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"],
    "p384": ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"],
    "rsa": ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"],
}


@pytest.fixture(scope="session")
def keys(needs_openssl: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a key of each kind, KIND.pem, and its public part, KIND.pub."""
    folder = tmp_path_factory.mktemp("keys")
    for kind, how in {**KINDS, "other": KINDS["ed25519"]}.items():
        openssl(folder, "genpkey", *how, "-out", f"{kind}.pem")
        openssl(folder, "pkey", "-in", f"{kind}.pem", "-pubout", "-out", f"{kind}.pub")
    return folder


@dataclass(frozen=True)
class Authority:
    """An authority of time stamps: a root, and a certificate that stamps."""

    folder: Path

    @property
    def root(self) -> Path:
        return self.folder / "root.pem"

    def answer(self, query: Path) -> Path:
        """The answer to a query."""
        answer = query.with_suffix(".tsr")
        openssl(self.folder, "ts", "-reply", "-config", "ts.cnf", "-section", "own",
                "-queryfile", str(query), "-out", str(answer))  # fmt: skip
        return answer

    @contextmanager
    def served(self, folder: Path) -> Iterator[str]:
        """The address at which it answers queries, on this machine."""

        answer = self.answer

        class Answering(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                query = folder / "asked.tsq"
                query.write_bytes(self.rfile.read(int(self.headers["Content-Length"])))
                assert self.headers["Content-Type"] == "application/timestamp-query"
                self.send_response(200)
                self.send_header("Content-Type", "application/timestamp-reply")
                self.end_headers()
                self.wfile.write(answer(query).read_bytes())

            def log_message(self, *_: object) -> None:
                pass

        with HTTPServer(("127.0.0.1", 0), Answering) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            yield f"http://127.0.0.1:{server.server_port}/tsa"
            server.shutdown()


def authority_in(folder: Path, use: str = "stamping") -> Authority:
    (folder / "ts.cnf").write_text(AUTHORITY)
    (folder / "serial").write_text("01\n")
    for name in ("root", "tsa"):
        openssl(folder, "genpkey", *KINDS["rsa"], "-out", f"{name}.key")
    openssl(folder, "req", "-x509", "-new", "-key", "root.key", "-config", "ts.cnf", "-section",
            "new", "-extensions", "root", "-subj", "/CN=A root", "-days", "3650",
            "-out", "root.pem")  # fmt: skip
    openssl(folder, "req", "-new", "-key", "tsa.key", "-config", "ts.cnf", "-section", "new",
            "-out", "tsa.csr")  # fmt: skip
    openssl(folder, "x509", "-req", "-in", "tsa.csr", "-CA", "root.pem", "-CAkey", "root.key",
            "-CAcreateserial", "-days", "3650", "-extfile", "ts.cnf", "-extensions", use,
            "-out", "tsa.pem")  # fmt: skip
    return Authority(folder)


@pytest.fixture(scope="session")
def authority(needs_openssl: None, tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return authority_in(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="session")
def stranger(needs_openssl: None, tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """Another authority, that nobody here trusts."""
    return authority_in(tmp_path_factory.mktemp("stranger"))
