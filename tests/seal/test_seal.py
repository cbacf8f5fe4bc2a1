"""A sealed run: what is in the seal, and that no change of the folder goes unseen."""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from programs import program
from seal.conftest import AT, KINDS, SPEC, Authority, openssl, published

from evalreport.cli import status_of
from evalreport.runs.hashing import canonical_json
from evalreport.seal.stamp import query, stamp_of

pytestmark = [pytest.mark.long_but_first, pytest.mark.requirement("R17")]

Said = pytest.CaptureFixture[str]


def seal(run: Path, *arguments: str | Path) -> int:
    return status_of(["seal", str(run), *map(str, arguments)])


def verify(run: Path, *arguments: str | Path) -> int:
    return status_of(["verify", str(run), *map(str, arguments)])


@pytest.mark.long
@pytest.mark.nightly_but_each(3)
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_sealed_run_verifies_by_each_kind_of_key(
    run: Path, keys: Path, kind: str, capsys: Said
) -> None:
    assert seal(run, "--key", keys / f"{kind}.pem") == 0
    assert verify(run, "--sealed-by", keys / f"{kind}.pub") == 0
    said = capsys.readouterr().out
    assert "sealed by key" in said
    assert "not compared with" not in said
    assert verify(run) == 0
    assert "not compared with a trusted one (--sealed-by)" in capsys.readouterr().out


def test_the_signature_is_one_that_openssl_holds_to_be_right(
    run: Path, keys: Path, tmp_path: Path
) -> None:
    """By another program: the pre-authentication encoding of DSSE, and SHA-256 with P-256."""
    assert seal(run, "--key", keys / "p256.pem") == 0
    envelope = json.loads((run / "SEAL.json").read_text())
    payload = base64.b64decode(envelope["payload"])
    kind = envelope["payloadType"].encode()
    message = b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)
    (tmp_path / "message").write_bytes(message)
    (tmp_path / "sig").write_bytes(base64.b64decode(envelope["signatures"][0]["sig"]))
    subprocess.run(
        [program("openssl"), "dgst", "-sha256", "-verify", keys / "p256.pub", "-signature", "sig",
         "message"],
        cwd=tmp_path, check=True, capture_output=True,
    )  # fmt: skip


def test_the_statement_names_every_file_and_every_criterion(run: Path, keys: Path) -> None:
    assert seal(run, "--key", keys / "ed25519.pem") == 0
    envelope = json.loads((run / "SEAL.json").read_text())
    assert envelope["payloadType"] == "application/vnd.in-toto+json"
    statement = json.loads(base64.b64decode(envelope["payload"]))
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    assert statement["predicateType"] == "https://in-toto.io/attestation/test-result/v0.1"
    named = {one["name"]: one["digest"]["sha256"] for one in statement["subject"]}
    there = {p.name for p in run.iterdir()} - {"SEAL.json", "SEAL.pub.pem"}
    assert set(named) == there
    for name, sha256 in named.items():
        assert hashlib.sha256((run / name).read_bytes()).hexdigest() == sha256
    predicate = statement["predicate"]
    assert predicate["result"] == "PASSED"
    assert predicate["failedTests"] == []
    assert len(predicate["passedTests"]) == 1
    spec = hashlib.sha256((run.parents[1] / "spec.yaml").read_bytes()).hexdigest()
    assert {"name": "spec", "digest": {"sha256": spec}} in predicate["configuration"]


@pytest.mark.long
def test_a_run_without_criteria_does_not_say_that_it_passed(tmp_path: Path, keys: Path) -> None:
    run = published(tmp_path, "".join(line for line in SPEC.splitlines(True) if line[:3] != "acc"))
    assert seal(run, "--key", keys / "ed25519.pem") == 0
    payload = base64.b64decode(json.loads((run / "SEAL.json").read_text())["payload"])
    assert json.loads(payload)["predicate"]["result"] == "WARNED"


def test_the_same_seal_twice_by_a_key_of_ed25519(run: Path, keys: Path, tmp_path: Path) -> None:
    again = tmp_path / "again"
    shutil.copytree(run.parents[1], again, symlinks=True)
    other = (again / "runs" / "latest").resolve()
    for one in (run, other):
        assert seal(one, "--key", keys / "ed25519.pem") == 0
    for name in ("SEAL.json", "SEAL.pub.pem", "ro-crate-metadata.json"):
        assert (run / name).read_bytes() == (other / name).read_bytes()


def flipped(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


CHANGES: dict[str, Callable[[Path], object]] = {
    "page": lambda run: flipped(run / "report.html"),
    "results": lambda run: flipped(run / "results.json"),
    "manifest": lambda run: flipped(run / "MANIFEST.json"),
    "metadata": lambda run: flipped(run / "ro-crate-metadata.json"),
    "envelope": lambda run: flipped(run / "SEAL.json"),
    "public key": lambda run: flipped(run / "SEAL.pub.pem"),
    "missing metadata": lambda run: (run / "ro-crate-metadata.json").unlink(),
    "missing public key": lambda run: (run / "SEAL.pub.pem").unlink(),
    "missing envelope": lambda run: (run / "SEAL.json").unlink(),
    "missing seal": lambda run: [
        (run / n).unlink() for n in ("SEAL.json", "SEAL.pub.pem", "ro-crate-metadata.json")
    ],
    "added": lambda run: (run / "more.txt").write_text("more"),
    "linked": lambda run: [
        (run / "measures.csv").unlink(), (run / "measures.csv").symlink_to("/etc/hosts")
    ],
}  # fmt: skip


@pytest.mark.parametrize("change", sorted(CHANGES))
def test_no_change_of_the_folder_goes_unseen(
    run: Path, keys: Path, change: str, capsys: Said
) -> None:
    assert seal(run, "--key", keys / "ed25519.pem") == 0
    CHANGES[change](run)
    assert verify(run, "--sealed-by", keys / "ed25519.pub") == 5
    assert "Traceback" not in capsys.readouterr().err


def rewritten(run: Path) -> None:
    """A page with another number, with manifest and history made to fit: unseen without a seal."""
    page = run / "report.html"
    page.write_text(page.read_text().replace("Ten rows", "Ten lines"))
    manifest = json.loads((run / "MANIFEST.json").read_text())
    data = page.read_bytes()
    manifest["outputs"]["report.html"] = {
        "sha256": hashlib.sha256(data).hexdigest(),
        "size": len(data),
    }
    del manifest["sha256"]
    own = hashlib.sha256(canonical_json(manifest)).hexdigest()
    (run / "MANIFEST.json").write_bytes(canonical_json({**manifest, "sha256": own}))


def test_a_rewritten_manifest_is_seen_and_named(run: Path, keys: Path, capsys: Said) -> None:
    assert seal(run, "--key", keys / "ed25519.pem") == 0
    rewritten(run)
    copy = run.parents[1] / "copy"
    shutil.copytree(run, copy)
    assert verify(copy) == 5
    said = capsys.readouterr().err
    assert "report.html: altered after the run was sealed" in said
    assert "MANIFEST.json: altered after the run was sealed" in said


def test_a_seal_made_again_by_another_key_is_not_the_trusted_one(
    run: Path, keys: Path, capsys: Said
) -> None:
    assert seal(run, "--key", keys / "other.pem") == 0
    assert verify(run, "--sealed-by", keys / "ed25519.pub") == 5
    assert "sealed by another key than the trusted one" in capsys.readouterr().err


def test_another_public_key_beside_the_seal_is_seen(run: Path, keys: Path) -> None:
    assert seal(run, "--key", keys / "ed25519.pem") == 0
    (run / "SEAL.pub.pem").write_bytes((keys / "other.pub").read_bytes())
    assert verify(run) == 5


def test_an_altered_run_is_not_sealed(run: Path, keys: Path) -> None:
    flipped(run / "report.html")
    assert seal(run, "--key", keys / "ed25519.pem") == 5
    assert not (run / "SEAL.json").exists()
    assert not (run / "ro-crate-metadata.json").exists()


def test_a_seal_is_never_replaced(run: Path, keys: Path, capsys: Said) -> None:
    assert seal(run, "--key", keys / "ed25519.pem") == 0
    before = (run / "SEAL.json").read_bytes()
    assert seal(run, "--key", keys / "other.pem") == 5
    assert "sealed already" in capsys.readouterr().err
    assert (run / "SEAL.json").read_bytes() == before


def test_a_key_with_a_passphrase(run: Path, keys: Path, tmp_path: Path, capsys: Said) -> None:
    (tmp_path / "pass").write_text("open\n")
    subprocess.run(
        [program("openssl"), "pkey", "-in", keys / "p256.pem", "-aes256", "-passout", "file:pass",
         "-out", "locked.pem"], cwd=tmp_path, check=True, capture_output=True,
    )  # fmt: skip
    assert seal(run, "--key", tmp_path / "locked.pem") == 4
    assert "the key cannot be used" in capsys.readouterr().err
    (tmp_path / "wrong").write_text("shut\n")
    given = ("--key", tmp_path / "locked.pem", "--passphrase-file")
    assert seal(run, *given, tmp_path / "wrong") == 4
    assert seal(run, *given, tmp_path / "pass") == 0


def test_keys_that_do_not_seal(
    run: Path, needs_openssl: None, tmp_path: Path, capsys: Said
) -> None:
    openssl(tmp_path, "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024",
            "-out", "weak.pem")  # fmt: skip
    (tmp_path / "none.pem").write_text("no key")
    assert seal(run, "--key", tmp_path / "weak.pem") == 4
    assert "RSA of 1024 bits" in capsys.readouterr().err
    for name in ("none.pem", "absent.pem"):
        assert seal(run, "--key", tmp_path / name) == 4
    assert not (run / "SEAL.json").exists()


# -- time stamps ---------------------------------------------------------------------------


def stamped(run: Path, keys: Path, authority: Authority, folder: Path) -> None:
    """Seal, have the query answered, add the stamp."""
    assert seal(run, "--key", keys / "ed25519.pem", "--query", folder / "seal.tsq") == 0
    answer = authority.answer(folder / "seal.tsq")
    assert seal(run, "--timestamp", answer) == 0


@pytest.mark.long
def test_a_stamp_from_a_file(
    run: Path, keys: Path, authority: Authority, tmp_path: Path, capsys: Said
) -> None:
    stamped(run, keys, authority, tmp_path)
    trusted = ("--sealed-by", keys / "ed25519.pub", "--authority", authority.root)
    capsys.readouterr()
    assert verify(run, *trusted) == 0
    said = capsys.readouterr().out
    assert "no later than 20" in said
    assert "A stamp authority" in said
    assert "not checked against" not in said
    assert verify(run) == 0
    assert "not checked against a trusted authority" in capsys.readouterr().out


def test_openssl_holds_the_stamp_to_be_of_the_signature(
    run: Path, keys: Path, authority: Authority, tmp_path: Path
) -> None:
    stamped(run, keys, authority, tmp_path)
    signature = json.loads((run / "SEAL.json").read_text())["signatures"][0]["sig"]
    (tmp_path / "signature").write_bytes(base64.b64decode(signature))
    subprocess.run(
        [program("openssl"), "ts", "-verify", "-data", "signature", "-in", run / "SEAL.tsr",
         "-CAfile", authority.root], cwd=tmp_path, check=True, capture_output=True,
    )  # fmt: skip


@pytest.mark.long
def test_a_stamp_of_an_authority_that_is_not_trusted(
    run: Path, keys: Path, authority: Authority, stranger: Authority, tmp_path: Path, capsys: Said
) -> None:
    stamped(run, keys, stranger, tmp_path)
    assert verify(run, "--authority", authority.root) == 5
    assert "not among those given as trusted" in capsys.readouterr().err


@pytest.mark.long
def test_a_stamp_of_another_seal_is_refused_and_seen(
    run: Path, keys: Path, authority: Authority, tmp_path: Path, capsys: Said
) -> None:
    other = published(tmp_path / "other")
    stamped(other, keys, authority, tmp_path)
    results = json.loads((other / "results.json").read_text())
    assert results["provenance"]["at"] == AT
    assert seal(run, "--key", keys / "other.pem") == 0
    assert seal(run, "--timestamp", other / "SEAL.tsr") == 5
    assert "of another signature" in capsys.readouterr().err
    assert not (run / "SEAL.tsr").exists()
    shutil.copy(other / "SEAL.tsr", run / "SEAL.tsr")
    assert verify(run) == 5
    assert "SEAL.tsr: the time stamp is of another signature" in capsys.readouterr().err


@pytest.mark.long
def test_every_byte_of_a_stamp_counts_that_says_anything(
    run: Path, keys: Path, authority: Authority, tmp_path: Path, capsys: Said
) -> None:
    stamped(run, keys, authority, tmp_path)
    good = (run / "SEAL.tsr").read_bytes()
    when = good.index(b"Z", good.index(b"\x18\x0f"))
    for place in (5, when - 1, len(good) - 10):
        bad = bytearray(good)
        bad[place] ^= 1
        (run / "SEAL.tsr").write_bytes(bad)
        assert verify(run, "--authority", authority.root) == 5, place
        assert "Traceback" not in capsys.readouterr().err


@pytest.mark.nightly
def test_no_bit_of_a_stamp_changes_what_it_says(authority: Authority, tmp_path: Path) -> None:
    """A few bytes of the form are signed by nobody: they may change, but say the same."""
    asked = tmp_path / "asked.tsq"
    asked.write_bytes(query(b"a signature"))
    good = authority.answer(asked).read_bytes()
    said = stamp_of(good, b"a signature", (authority.root,))
    unseen = 0
    for place in range(0, len(good), 3):
        bad = bytearray(good)
        bad[place] ^= 1
        try:
            assert stamp_of(bytes(bad), b"a signature", (authority.root,)) == said
            unseen += 1
        except ValueError:
            continue
    assert unseen < len(good) / 3 / 20


@pytest.mark.long
def test_a_stamp_that_was_taken_away_is_seen_where_one_is_asked_for(
    run: Path, keys: Path, authority: Authority, tmp_path: Path
) -> None:
    stamped(run, keys, authority, tmp_path)
    (run / "SEAL.tsr").unlink()
    assert verify(run, "--authority", authority.root) == 5
    assert verify(run) == 0


@pytest.mark.long
def test_a_stamp_from_an_address(
    run: Path, keys: Path, authority: Authority, tmp_path: Path
) -> None:
    with authority.served(tmp_path) as address:
        assert seal(run, "--key", keys / "p384.pem", "--tsa", address) == 0
    assert verify(run, "--sealed-by", keys / "p384.pub", "--authority", authority.root) == 0


def test_no_seal_without_the_stamp_that_was_asked_for(run: Path, keys: Path, capsys: Said) -> None:
    assert seal(run, "--key", keys / "ed25519.pem", "--tsa", "http://127.0.0.1:9/none") == 4
    assert "no stamp from http://127.0.0.1:9/none" in capsys.readouterr().err
    assert not (run / "SEAL.json").exists()
    assert seal(run, "--key", keys / "ed25519.pem", "--tsa", "file:///etc/passwd") == 2


# -- the command ---------------------------------------------------------------------------


@pytest.mark.long
def test_without_cryptography_the_commands_say_what_to_install(
    run: Path, monkeypatch: pytest.MonkeyPatch, capsys: Said
) -> None:
    monkeypatch.setitem(sys.modules, "cryptography", None)
    assert seal(run, "--key", "key.pem") == 2
    assert "evalreport[sign]" in capsys.readouterr().err
    (run / "SEAL.json").write_text("{}")
    assert verify(run) == 5
    assert "evalreport[sign]" in capsys.readouterr().err


@pytest.mark.long
def test_files_that_are_named_as_a_seal_is_are_no_seal(run: Path, capsys: Said) -> None:
    (run / "ro-crate-metadata.json").write_text("{}")
    assert verify(run) == 5
    assert "SEAL.json is missing" in capsys.readouterr().err


def test_a_run_that_must_be_sealed_and_is_not(run: Path, keys: Path, capsys: Said) -> None:
    assert verify(run, "--sealed-by", keys / "ed25519.pub") == 5
    assert "not sealed: it never was, or the seal was removed" in capsys.readouterr().err
    assert verify(run.parent, "--sealed-by", keys / "ed25519.pub") == 5


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ((), "nothing to do"),
        (("--tsa", "http://x", "--timestamp", "f"), "give one"),
        (("--key", "k", "--timestamp", "f"), "cannot be of a seal that is not there yet"),
    ],
)
def test_what_cannot_be_asked_for(
    run: Path, given: tuple[str, ...], words: str, capsys: Said
) -> None:
    assert seal(run, *given) == 2
    assert words in capsys.readouterr().err
