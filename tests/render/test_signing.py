"""A signed copy: what it prints, what it holds, and that the published run stays as it was."""

from __future__ import annotations

import datetime as dt
import hashlib
import subprocess
import sys
from pathlib import Path

import pytest
from plain_results import render_html
from programs import found_program
from report.example_results import two_models

from evalreport.errors import UsageError
from evalreport.render import signing
from evalreport.report.signing import Signed

pytestmark = pytest.mark.long_but_first


WHO = Signed("A. Person", "statistician", "reviewed by", "2026-11-21 12:00:00 UTC")


def test_unsigned_until_signed():
    page = render_html(two_models())
    assert '<b class="signed">UNSIGNED</b>' in page
    assert '<p class="intro">UNSIGNED.' in page
    for meaning in ("written by", "reviewed by", "accepted by"):
        assert f'<th scope="row">{meaning}</th>' in page
    for head in ("meaning", "printed name", "role", "date and time zone", "signature"):
        assert f'<th scope="col">{head}</th>' in page


def test_a_signature_fills_its_line_and_the_foot_of_the_pages():
    page = render_html(two_models(), signed=WHO)
    assert "UNSIGNED" not in page.partition("</style>")[2]
    said = "SIGNED: reviewed by, A. Person, 2026-11-21 12:00:00 UTC"
    assert f'<b class="signed">{said}</b>' in page
    row = page[page.index('<th scope="row">reviewed by</th>') :].partition("</tr>")[0]
    for part in ("A. Person", "statistician", "2026-11-21 12:00:00 UTC"):
        assert part in row


def test_a_name_is_text_whatever_it_holds():
    page = render_html(two_models(), signed=Signed('"}<b>x', "", "reviewed by", "now"))
    assert "<b>x" not in page


def test_without_pyhanko_the_command_says_what_to_install(monkeypatch):
    for name in ("pyhanko", "pyhanko.sign"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(UsageError, match=r"evalreport\[sign\]"):
        signing.require_signing()


@pytest.fixture
def keys(tmp_path):
    """A key and a certificate of its own making."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "A. Person")])
    now = dt.datetime.now(dt.UTC)
    usage = x509.KeyUsage(True, True, False, False, False, False, False, False, False)
    certificate = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(1).not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1)).add_extension(usage, critical=True)
        .sign(key, hashes.SHA256())
    )  # fmt: skip
    pem = serialization.Encoding.PEM
    secret = serialization.BestAvailableEncryption(b"open")
    (tmp_path / "key.pem").write_bytes(
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, secret)
    )
    (tmp_path / "cert.pem").write_bytes(certificate.public_bytes(pem))
    (tmp_path / "pass.txt").write_text("open\n", encoding="utf-8")
    return tmp_path


def _run(folder: Path) -> Path:
    rows = "".join(f"{'ab'[k % 2]},{k / 40}\n" for k in range(40))
    (folder / "d.csv").write_text(f"y,s\n{rows}", encoding="utf-8")
    spec = folder / "spec.yaml"
    spec.write_text(
        "evalreport: 1\ndatasets: {d: {path: d.csv, target: y}}\nmodels: {m: {score: s}}\n"
        "metrics: [recall]\nreport: {formats: [html], template: minimal}\n",
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "evalreport", "run", spec, "-o", folder / "runs"]
    subprocess.run(command, check=True, capture_output=True)
    return (folder / "runs" / "latest").resolve()


def _hashes(folder: Path) -> dict[str, str]:
    return {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(folder.iterdir())}


def _sign(keys: Path, run: Path, *more: str) -> subprocess.CompletedProcess[bytes]:
    command = [
        sys.executable, "-m", "evalreport", "sign", run, "--key", keys / "key.pem",
        "--cert", keys / "cert.pem", "--passphrase-file", keys / "pass.txt",
        "--name", "A. Person", "--role", "statistician", "-o", keys / "signed.pdf", *more,
    ]  # fmt: skip
    return subprocess.run(command, capture_output=True, check=False, cwd=keys)


@pytest.mark.long
def test_a_signed_copy_holds_a_whole_signature_and_the_run_is_untouched(keys):
    from pyhanko.keys import load_cert_from_pemder
    from pyhanko.pdf_utils.reader import PdfFileReader
    from pyhanko.sign.validation import validate_pdf_signature
    from pyhanko_certvalidator import ValidationContext

    run = _run(keys)
    before = _hashes(run)
    done = _sign(keys, run)
    assert done.returncode == 0, done.stderr.decode()
    assert _hashes(run) == before
    signed = keys / "signed.pdf"
    with signed.open("rb") as file:
        (found,) = PdfFileReader(file).embedded_signatures
        own = load_cert_from_pemder(keys / "cert.pem")
        status = validate_pdf_signature(found, ValidationContext(trust_roots=[own]))
        assert status.bottom_line, status.pretty_print_details()
        assert status.coverage.name == "ENTIRE_FILE"
        assert str(found.sig_object["/Name"]) == "A. Person"
    if qpdf := found_program("qpdf"):
        subprocess.run([qpdf, "--check", signed], check=True, capture_output=True)
    if pdftotext := found_program("pdftotext"):
        text = subprocess.run([pdftotext, signed, "-"], check=True, capture_output=True).stdout
        assert b"SIGNED: reviewed by, A. Person" in text
    changed = bytearray(signed.read_bytes())
    changed[len(changed) // 3] ^= 1
    (keys / "changed.pdf").write_bytes(changed)
    with (keys / "changed.pdf").open("rb") as file:
        (found,) = PdfFileReader(file).embedded_signatures
        assert not validate_pdf_signature(found, ValidationContext(trust_roots=[own])).intact


@pytest.mark.long
def test_a_run_that_was_altered_is_not_signed(keys):
    run = _run(keys)
    page = run / "report.html"
    page.chmod(0o644)
    page.write_bytes(page.read_bytes() + b" ")
    done = _sign(keys, run)
    assert done.returncode == 5
    assert not (keys / "signed.pdf").exists()


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("file", "told"),
    [("pass.txt", "key cannot be used"), ("cert.pem", "certificate cannot be used")],
)
def test_a_key_that_cannot_be_used_is_told(keys, file, told):
    run = _run(keys)
    (keys / file).write_text("wrong\n", encoding="utf-8")
    done = _sign(keys, run)
    assert done.returncode == 4
    assert told in done.stderr.decode()
    assert b"Traceback" not in done.stderr
