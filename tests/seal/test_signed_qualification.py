"""The PDF of a qualification, signed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from seal.conftest import KINDS, openssl
from seal.test_pades_t import CERTIFICATE

from evalreport.cli import status_of


@pytest.mark.long
def test_the_signature_holds_and_is_printed(needs_openssl: None, tmp_path: Path) -> None:
    from pyhanko.keys import load_cert_from_pemder
    from pyhanko.pdf_utils.reader import PdfFileReader
    from pyhanko.sign.validation import validate_pdf_signature
    from pyhanko_certvalidator import ValidationContext

    (tmp_path / "cert.cnf").write_text(CERTIFICATE)
    openssl(tmp_path, "genpkey", *KINDS["p256"], "-out", "key.pem")
    openssl(tmp_path, "req", "-x509", "-new", "-key", "key.pem", "-config", "cert.cnf", "-section",
            "new", "-days", "3650", "-out", "cert.pem")  # fmt: skip
    signer = ["--key", str(tmp_path / "key.pem"), "--cert", str(tmp_path / "cert.pem")]
    asked = ["qualify", "--parts", "PQ", "-o", str(tmp_path), "--formats", "pdf,html", *signer]
    assert status_of([*asked, "--name", "A. Person"]) == 0
    known = load_cert_from_pemder(tmp_path / "cert.pem")
    with (tmp_path / "qualification.pdf").open("rb") as file:
        (found,) = PdfFileReader(file).embedded_signatures
        status = validate_pdf_signature(found, ValidationContext(trust_roots=[known]))
        assert status.bottom_line, status.pretty_print_details()
        assert str(found.sig_object["/Name"]) == "A. Person"
    assert "SIGNED: A. Person" in (tmp_path / "qualification.html").read_text()
    body = json.loads((tmp_path / "qualification.json").read_text())
    assert {one["outcome"] for one in body["checks"]} == {"not_done"}
