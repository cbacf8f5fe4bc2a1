"""When a seal was there: a time stamp of its signature, by RFC 3161.

What is stamped is the sha256 of the signature's bytes. A stamp comes as a file (made elsewhere
from the query that ``seal`` writes) or from the address of an authority. It is checked offline
with the certificates in it; whether its authority is one to trust, only the operator can say.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from evalreport.errors import FilesError, Location, Problem, UsageError
from evalreport.seal.envelope import EXTRA

#: Seconds that an authority may take, and the most bytes that are read of its answer.
PATIENCE = 30
LARGEST = 1 << 20


@dataclass(frozen=True)
class Stamp:
    """A stamp that holds: when, and the name of the authority's certificate."""

    when: datetime
    authority: str
    trusted: bool


def require_stamps() -> None:
    """Raise UsageError where what reads time stamps is not installed."""
    try:
        import pyhanko.sign  # noqa: F401
    except ImportError:
        what = "time stamps need pyHanko, which is not installed"
        raise UsageError(Problem(what, EXTRA)) from None


def query(signature: bytes) -> bytes:
    """The query for a stamp of a signature, in DER, as ``openssl ts -query`` makes it."""
    require_stamps()
    from asn1crypto import algos, tsp

    return bytes(
        tsp.TimeStampReq(
            {
                "version": "v1",
                "message_imprint": tsp.MessageImprint(
                    {
                        "hash_algorithm": algos.DigestAlgorithm({"algorithm": "sha256"}),
                        "hashed_message": hashlib.sha256(signature).digest(),
                    }
                ),
                "cert_req": True,
            }
        ).dump()
    )


def stamp_from(address: str, signature: bytes) -> bytes:
    """The answer of the authority at an address of http or https. Raises FilesError."""
    from urllib.request import Request, build_opener

    if urlsplit(address).scheme not in ("http", "https"):
        raise UsageError(Problem(f"--tsa {address}: no address", "one of http or https"))
    headers = {"Content-Type": "application/timestamp-query"}
    request = Request(address, query(signature), headers)  # noqa: S310  # http or https, see above
    try:
        with build_opener().open(request, timeout=PATIENCE) as answer:
            return bytes(answer.read(LARGEST + 1))
    except (OSError, ValueError) as error:
        what = f"no stamp from {address}: {getattr(error, 'reason', None) or error}"
        raise FilesError(Problem(what, "another authority, or --timestamp FILE")) from None


def stamp_of(data: bytes, signature: bytes, trusted: tuple[Path, ...] = ()) -> Stamp:
    """The stamp in an answer (or token) in DER, held against the signature that it is of.

    ``trusted`` are certificates of authorities that the operator trusts; without any, the stamp
    is held against the certificates it carries. Raises ValueError with what is wrong.
    """
    require_stamps()
    token = _token(data)
    signed = token["content"]
    roots = [_certificate(path) for path in trusted]
    try:
        return asyncio.run(_held(signed, signature, roots))
    except ValueError:
        raise
    except Exception as error:  # noqa: BLE001  # whatever a library makes of a stranger's bytes
        raise ValueError(f"the time stamp is not valid: {error}") from None


async def _held(signed: Any, signature: bytes, roots: list[Any]) -> Stamp:
    from pyhanko.sign.validation.generic_cms import validate_tst_signed_data
    from pyhanko_certvalidator import ValidationContext

    info = signed["encap_content_info"]["content"].parsed
    when = info["gen_time"].native
    carried = [one.chosen for one in signed["certificates"]]
    _refuse_altered(carried, roots)
    # Judged as of the time it states: certificates of authorities end before what they stamp.
    context = ValidationContext(
        trust_roots=roots or carried, other_certs=carried, allow_fetching=False, moment=when
    )
    found: dict[str, Any] = {}

    def imprint(algorithm: str) -> bytes:
        found["algorithm"] = algorithm
        return hashlib.new(algorithm, signature).digest()

    for name in ("pyhanko", "pyhanko_certvalidator"):
        # What is wrong is raised, and not told twice.
        logging.getLogger(name).setLevel(logging.CRITICAL)
    status = await validate_tst_signed_data(signed, context, imprint)
    stated = info["message_imprint"]["hashed_message"].native
    if stated != hashlib.new(found["algorithm"], signature).digest():
        raise ValueError("the time stamp is of another signature: it is old, or of another seal")
    if not (status["intact"] and status["valid"]):
        raise ValueError("the time stamp is not valid: its own signature is wrong")
    if status.get("trust_problem_indic") is not None:
        raise ValueError(
            "the time stamp is of an authority that is not among those given as trusted"
            if roots
            else "the time stamp is not valid: its certificate is not one for time stamps"
        )
    authority = status["signing_cert"].subject.human_friendly
    return Stamp(when, authority, bool(roots))


def _refuse_altered(carried: list[Any], roots: list[Any]) -> None:
    """Raise ValueError where a carried certificate is not what its issuer signed.

    The signature of a stamp covers its own certificate alone; others beside it, such as the
    root's, could be changed unseen. One whose issuer is not there is left to the path.
    """
    from cryptography.exceptions import InvalidSignature
    from cryptography.x509 import load_der_x509_certificate

    known = [load_der_x509_certificate(one.dump()) for one in (*carried, *roots)]
    for one in known[: len(carried)]:
        issuers = [other for other in known if other.subject == one.issuer]
        for issuer in issuers:
            try:
                one.verify_directly_issued_by(issuer)
                break
            except (InvalidSignature, ValueError, TypeError):
                continue
        else:
            if issuers:
                raise ValueError("a certificate in the time stamp was altered")


def _token(data: bytes) -> Any:
    """The token of an answer, or the bytes themselves as one. Raises ValueError."""
    from asn1crypto import cms, tsp

    if len(data) > LARGEST:
        raise ValueError(f"a time stamp of more than {LARGEST} bytes")
    try:
        answer = tsp.TimeStampResp.load(data, strict=True)
        status = answer["status"]["status"].native
        if status not in ("granted", "granted_with_mods"):
            raise ValueError(f"the authority refused: {status}")
        token = answer["time_stamp_token"]
    except (ValueError, TypeError) as error:
        if "refused" in str(error):
            raise
        token = cms.ContentInfo.load(data, strict=True)
    if token["content_type"].native != "signed_data":
        raise ValueError("not a time stamp by RFC 3161")
    if token["content"]["encap_content_info"]["content_type"].native != "tst_info":
        raise ValueError("not a time stamp by RFC 3161")
    return token


def _certificate(path: Path) -> Any:
    from pyhanko.keys import load_cert_from_pemder

    try:
        return load_cert_from_pemder(str(path))
    except (OSError, ValueError, TypeError) as error:
        what = f"the certificate cannot be used: {getattr(error, 'strerror', None) or error}"
        raise FilesError(Problem(what, "a PEM or DER file", Location(str(path)))) from None
