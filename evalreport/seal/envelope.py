"""The signature: a DSSE envelope, by the user's own key.

Source: https://github.com/secure-systems-lab/dsse (protocol and envelope, version 1). Keys are
Ed25519, ECDSA on P-256 or P-384, or RSA from 2048 bits on (PSS with SHA-256), as PEM. A key is
named by the sha256 of its public part in DER.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalreport.errors import FilesError, Location, Problem, UsageError, explained
from evalreport.results.codec import parse_json
from evalreport.runs.hashing import canonical_json

PAYLOAD_TYPE = "application/vnd.in-toto+json"
EXTRA = "pip install evalreport[sign]"


@dataclass(frozen=True)
class Envelope:
    """What was signed, by the key of which name, and the signature."""

    payload: bytes
    keyid: str
    signature: bytes

    def to_bytes(self) -> bytes:
        """The JSON of the envelope; the same bytes for the same envelope."""
        return canonical_json(
            {
                "payloadType": PAYLOAD_TYPE,
                "payload": _base64(self.payload),
                "signatures": [{"keyid": self.keyid, "sig": _base64(self.signature)}],
            }
        )


def require_cryptography() -> None:
    """Raise UsageError where what signs and checks signatures is not installed."""
    try:
        import cryptography  # noqa: F401
    except ImportError:
        what = "a seal needs cryptography, which is not installed"
        raise UsageError(Problem(what, EXTRA)) from None


def parse_envelope(data: bytes) -> Envelope:
    """The envelope of these bytes; ValueError unless they are exactly what it would write."""
    value = parse_json(data)
    try:
        (entry,) = value["signatures"]
        found = Envelope(
            base64.b64decode(value["payload"], validate=True),
            str(entry["keyid"]),
            base64.b64decode(entry["sig"], validate=True),
        )
    except (KeyError, TypeError, ValueError):
        raise ValueError("no DSSE envelope with one signature") from None
    if found.to_bytes() != data:
        raise ValueError("not written as a seal is")
    return found


def read_key(path: Path, passphrase: bytes | None = None) -> Any:
    """The private key of a PEM file. Raises FilesError where it cannot be used."""
    require_cryptography()
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        key = load_pem_private_key(_read(path), passphrase)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise _unusable("key", path, error) from None
    _refuse_weak(key.public_key(), path)
    return key


def read_public_key(path: Path) -> Any:
    """The public key of a PEM file, or of the certificate in it. Raises FilesError."""
    require_cryptography()
    data = _read(path)
    try:
        key = load_public(data)
    except ValueError as error:
        raise _unusable("public key", path, error) from None
    _refuse_weak(key, path)
    return key


def load_public(data: bytes) -> Any:
    """The public key of PEM bytes: a key, or a certificate. Raises ValueError."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.serialization import load_pem_public_key
    from cryptography.x509 import load_pem_x509_certificate

    try:
        if b"BEGIN CERTIFICATE" in data:
            return load_pem_x509_certificate(data).public_key()
        return load_pem_public_key(data)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise ValueError(f"not a public key in PEM: {error}") from None


def public_pem(public: Any) -> bytes:
    """A public key as PEM."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    return bytes(public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))


def key_name(public: Any) -> str:
    """The name of a key: sha256 of its public part in DER, in hexadecimal."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    spelt = public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return hashlib.sha256(spelt).hexdigest()


def sign(payload: bytes, key: Any) -> Envelope:
    """An envelope of the payload, signed; the same bytes each time but for ECDSA and RSA."""
    from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, EllipticCurvePrivateKey
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

    message = pre_authentication(payload)
    if isinstance(key, RSAPrivateKey):
        signature = key.sign(message, _pss(), _sha(256))
    elif isinstance(key, EllipticCurvePrivateKey):
        signature = key.sign(message, ECDSA(_sha(key.key_size)))
    else:
        signature = key.sign(message)
    return Envelope(payload, key_name(key.public_key()), signature)


def signature_holds(envelope: Envelope, public: Any) -> bool:
    """Whether the signature is of this payload, by this key."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, EllipticCurvePublicKey
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

    message = pre_authentication(envelope.payload)
    try:
        if isinstance(public, RSAPublicKey):
            public.verify(envelope.signature, message, _pss(), _sha(256))
        elif isinstance(public, EllipticCurvePublicKey):
            public.verify(envelope.signature, message, ECDSA(_sha(public.key_size)))
        else:
            public.verify(envelope.signature, message)
    except InvalidSignature:
        return False
    return True


def pre_authentication(payload: bytes) -> bytes:
    """What is signed of a payload: its type and itself, each with its length.

    >>> pre_authentication(b"{}")
    b'DSSEv1 28 application/vnd.in-toto+json 2 {}'
    """
    kind = PAYLOAD_TYPE.encode()
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)


def supported(public: Any) -> str:
    """Empty for a key that seals, else what is wrong with it."""
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

    if isinstance(public, Ed25519PublicKey):
        return ""
    if isinstance(public, EllipticCurvePublicKey):
        return "" if public.curve.name in ("secp256r1", "secp384r1") else public.curve.name
    if isinstance(public, RSAPublicKey):
        return "" if public.key_size >= 2048 else f"RSA of {public.key_size} bits"
    return type(public).__name__


def _refuse_weak(public: Any, path: Path) -> None:
    if wrong := supported(public):
        hint = "Ed25519, ECDSA on P-256 or P-384, or RSA of 2048 bits or more"
        raise FilesError(Problem(f"a key of this kind does not seal: {wrong}", hint, _at(path)))


def _pss() -> Any:
    from cryptography.hazmat.primitives.asymmetric.padding import MGF1, PSS

    return PSS(mgf=MGF1(_sha(256)), salt_length=32)


def _sha(bits: int) -> Any:
    from cryptography.hazmat.primitives.hashes import SHA256, SHA384

    return SHA384() if bits == 384 else SHA256()


def _read(path: Path) -> bytes:
    with explained("cannot be read", path, ""):
        return path.read_bytes()


def _unusable(what: str, path: Path, error: Exception) -> FilesError:
    return FilesError(Problem(f"the {what} cannot be used: {error}", "a PEM file", _at(path)))


def _at(path: Path) -> Location:
    return Location(str(path))


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
