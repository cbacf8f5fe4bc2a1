"""A signed copy with a time stamp in its signature: PAdES-T."""

from __future__ import annotations

from pathlib import Path

import pytest
from seal.conftest import KINDS, Authority, openssl

from evalreport.cli import status_of

pytestmark = pytest.mark.requirement("R17")

CERTIFICATE = """\
[new]
distinguished_name = dn
x509_extensions = own
prompt = no
[dn]
CN = A. Person
[own]
keyUsage = critical, digitalSignature, nonRepudiation
"""


@pytest.fixture
def signer(needs_openssl: None, tmp_path: Path) -> Path:
    (tmp_path / "cert.cnf").write_text(CERTIFICATE)
    openssl(tmp_path, "genpkey", *KINDS["p256"], "-out", "key.pem")
    openssl(tmp_path, "req", "-x509", "-new", "-key", "key.pem", "-config", "cert.cnf", "-section",
            "new", "-days", "3650", "-out", "cert.pem")  # fmt: skip
    return tmp_path


def sign(run: Path, signer: Path, address: str) -> int:
    return status_of(
        ["sign", str(run), "--key", str(signer / "key.pem"), "--cert", str(signer / "cert.pem"),
         "--name", "A. Person", "--tsa", address, "-o", str(signer / "signed.pdf")]
    )  # fmt: skip


@pytest.mark.long
def test_the_signature_of_the_pdf_is_stamped(run: Path, signer: Path, authority: Authority) -> None:
    from pyhanko.keys import load_cert_from_pemder
    from pyhanko.pdf_utils.reader import PdfFileReader
    from pyhanko.sign.validation import validate_pdf_signature
    from pyhanko_certvalidator import ValidationContext

    with authority.served(signer) as address:
        assert sign(run, signer, address) == 0
    known = [load_cert_from_pemder(signer / "cert.pem"), load_cert_from_pemder(authority.root)]
    with (signer / "signed.pdf").open("rb") as file:
        (found,) = PdfFileReader(file).embedded_signatures
        status = validate_pdf_signature(found, ValidationContext(trust_roots=known))
    assert status.bottom_line, status.pretty_print_details()
    stamp = status.timestamp_validity
    assert stamp is not None
    assert stamp.valid
    assert stamp.intact


@pytest.mark.long
def test_no_signed_copy_without_the_stamp_that_was_asked_for(
    run: Path, signer: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sign(run, signer, "http://127.0.0.1:9/none") == 4
    assert "no time stamp from http://127.0.0.1:9/none" in capsys.readouterr().err
    assert sign(run, signer, "ftp://127.0.0.1/none") == 2
    assert not (signer / "signed.pdf").exists()
