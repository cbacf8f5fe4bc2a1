"""A PDF with a signature in it, by pyHanko: an extra that is installed where it is wanted."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from evalreport.errors import FilesError, Location, Problem, UsageError

FIELD = "Signature1"


def signed_pdf(
    pdf: bytes,
    key: Path,
    certificate: Path,
    *,
    chain: Sequence[Path] = (),
    passphrase: bytes | None = None,
    name: str,
    reason: str,
    stamps: str | None = None,
) -> bytes:
    """The PDF followed by a PAdES signature over all of it; the given bytes stay as they are.

    ``key`` and ``certificate`` are PEM or DER files, ``chain`` certificates that are put
    beside. ``stamps`` is the address of an authority of time stamps (RFC 3161): with its stamp
    in it the signature is PAdES-T. Raises UsageError where pyHanko is not installed, FilesError
    where the key or a certificate cannot be used, or no stamp is had.
    """
    require_signing()
    from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
    from pyhanko.sign import fields, signers

    signer = _signer(key, certificate, chain, passphrase)
    asked = signers.PdfSignatureMetadata(
        field_name=FIELD,
        name=name,
        reason=reason,
        md_algorithm="sha256",
        subfilter=fields.SigSeedSubFilter.PADES,
    )
    stamper = None if stamps is None else _stamper(stamps)
    writer = IncrementalPdfFileWriter(BytesIO(pdf))
    try:
        made = signers.sign_pdf(writer, asked, signer=signer, timestamper=stamper)
    except OSError as error:
        what = f"no time stamp from {stamps}: {error}"
        raise FilesError(Problem(what, "another authority, or no --tsa")) from None
    return bytes(made.getvalue())


def _stamper(address: str) -> Any:
    from pyhanko.sign.timestamps import HTTPTimeStamper

    if urlsplit(address).scheme not in ("http", "https"):
        raise UsageError(Problem(f"--tsa {address}: no address", "one of http or https"))
    return HTTPTimeStamper(address, https=address.startswith("https:"), timeout=30)


def require_signing() -> None:
    """Raise UsageError where pyHanko is not installed."""
    try:
        import pyhanko.sign  # noqa: F401
    except ImportError:
        raise UsageError(
            Problem("signing needs pyHanko, which is not installed", "pip install evalreport[sign]")
        ) from None


def _signer(key: Path, certificate: Path, chain: Sequence[Path], passphrase: bytes | None) -> Any:
    from cryptography.hazmat.primitives.serialization import (
        Encoding,
        PublicFormat,
        load_der_private_key,
    )
    from pyhanko.keys import load_cert_from_pemder, load_private_key_from_pemder
    from pyhanko.sign.signers import SimpleSigner
    from pyhanko_certvalidator.registry import SimpleCertificateStore

    def read(path: Path, what: str, load: Any) -> Any:
        try:
            return load(path)
        except (OSError, ValueError, TypeError) as error:
            reason = getattr(error, "strerror", None) or error
            problem = f"the {what} cannot be used: {reason}"
            raise FilesError(Problem(problem, "a PEM or DER file", Location(str(path)))) from None

    own = read(certificate, "certificate", load_cert_from_pemder)
    store = SimpleCertificateStore()
    store.register_multiple([own, *(read(p, "certificate", load_cert_from_pemder) for p in chain)])
    secret = read(key, "key", lambda path: load_private_key_from_pemder(path, passphrase))
    public = load_der_private_key(secret.dump(), None).public_key()
    spelt = public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    if spelt != own.public_key.dump():
        raise FilesError(
            Problem(
                "the certificate is of another key",
                f"the certificate of {key}",
                Location(str(certificate)),
            )
        )
    return SimpleSigner(signing_cert=own, signing_key=secret, cert_registry=store)
