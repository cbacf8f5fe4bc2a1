"""The commands that take a key: ``seal`` for a published run, ``sign`` for a copy of its report."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import click

from evalreport.cli.completing import run_folders
from evalreport.cli.options import FILE
from evalreport.errors import (
    Problem,
    UsageError,
    VerificationError,
    explained,
)


@click.command()
@click.argument("run", type=FILE, shell_complete=run_folders)
@click.option("--key", type=FILE, help="The private key, PEM: Ed25519, ECDSA or RSA.")
@click.option("--passphrase-file", type=FILE, help="A file with the passphrase of the key.")
@click.option("--tsa", metavar="URL", help="The address of an authority of time stamps (RFC 3161).")
@click.option("--timestamp", type=FILE, help="A time stamp of the seal, made elsewhere.")
@click.option(
    "--query", type=FILE, help="Write the query for a time stamp there, for an authority."
)
def seal(
    run: Path,
    key: Path | None,
    passphrase_file: Path | None,
    tsa: str | None,
    timestamp: Path | None,
    query: Path | None,
) -> int:
    """Seal RUN: after that nothing in its folder can change unseen without the key.

    Adds metadata of the research object (RO-Crate), a signed statement of every file (in-toto,
    DSSE) and the public key. A time stamp comes from an address, or in a second call without
    --key from a file. `verify --sealed-by PUBLIC` checks it. Needs `pip install evalreport[sign]`.
    """
    from evalreport.cli.rendering import refuse_run, write_file
    from evalreport.seal.envelope import read_key, require_cryptography
    from evalreport.seal.sealing import add_stamp, envelope_of, seal_run
    from evalreport.seal.stamp import query as query_of
    from evalreport.seal.stamp import require_stamps, stamp_from

    _refuse_odd(key, tsa, timestamp, query)
    require_cryptography()
    stamper = None
    if tsa or timestamp:
        require_stamps()
        stamper = _from_file(timestamp) if timestamp else lambda of: stamp_from(str(tsa), of)
    if key is not None:
        sealed = seal_run(run, read_key(key, secret_in(passphrase_file)), stamper)
        click.echo(f"sealed by key {sealed.keyid}")
    elif stamper is not None:
        add_stamp(run, stamper)
        click.echo("the time stamp was added")
    if query is not None:
        refuse_run(query.parent)
        made = query_of(envelope_of(run.resolve()).signature)
        click.echo(str(write_file(query.parent, query.name, made)))
    return 0


def _refuse_odd(
    key: Path | None, tsa: str | None, timestamp: Path | None, query: Path | None
) -> None:
    if tsa and timestamp:
        raise UsageError("--tsa and --timestamp are two ways to the same; give one")
    if key is not None and timestamp:
        raise UsageError(
            Problem(
                "a time stamp in a file cannot be of a seal that is not there yet",
                "seal with --key and --query FILE, have FILE answered, then --timestamp ANSWER",
            )
        )
    if not any((key, tsa, timestamp, query)):
        raise UsageError(Problem("nothing to do", "--key KEY seals; --timestamp adds a stamp"))


def _from_file(path: Path) -> Callable[[bytes], bytes]:
    with explained("the time stamp cannot be read", path, ""):
        answer = path.read_bytes()
    return lambda _signature: answer


@click.command()
@click.argument("run", type=FILE)
@click.option("--key", required=True, type=FILE, help="The private key, PEM or DER.")
@click.option("--cert", required=True, type=FILE, help="Its certificate, PEM or DER.")
@click.option(
    "--chain", multiple=True, type=FILE, help="A further certificate to include; repeatable."
)
@click.option("--passphrase-file", type=FILE, help="A file with the passphrase of the key.")
@click.option("--name", required=True, help="The printed name of the signer.")
@click.option("--role", default="", help="The signer's role.")
@click.option("--meaning", default="reviewed by", show_default=True, help="What it states.")
@click.option("--tsa", metavar="URL", help="An authority of time stamps, for PAdES-T.")
@click.option("--template", default=None, metavar="T", help="The template, where not the run's.")
@click.option("--at", default=None, metavar="TIME", help="The time printed; now by default.")
@click.option(
    "-o",
    "--output",
    type=FILE,
    default=Path("report-signed.pdf"),
    show_default=True,
    help="The file to write.",
)
def sign(
    run: Path,
    key: Path,
    cert: Path,
    chain: tuple[Path, ...],
    passphrase_file: Path | None,
    tsa: str | None,
    template: str | None,
    at: str | None,
    output: Path,
    **signer: str,
) -> int:
    """Write a signed copy of the report of RUN, which stays as it is.

    The run is verified first. The copy is drawn from its results.json with the signature
    on its pages, and carries a PAdES signature. Needs `pip install evalreport[sign]`.
    """
    from evalreport.cli.progress import Progress
    from evalreport.cli.rendering import drawing_options, read_results, refuse_run, write_file
    from evalreport.publish.formats import DrawingOptions, drawn
    from evalreport.render.signing import require_signing, signed_pdf
    from evalreport.report.signing import Signed
    from evalreport.runs.clock import clock_text, read_clock
    from evalreport.verify.verify import verify_run

    require_signing()
    refuse_run(output.parent)
    problems = verify_run(run)
    if problems:
        raise VerificationError(*problems)
    data, content = read_results(run / "results.json")
    when = clock_text(read_clock(at, os.environ)).replace("T", " ").replace("Z", " UTC")
    signed = Signed(signer["name"], signer["role"], signer["meaning"], when)
    options: DrawingOptions = drawing_options(content, template, ("pdf",), signed)
    with Progress() as progress:
        made = drawn(data, options, progress.step)
        if made.problems:
            raise made.problems[0]
        progress.step("signing", None)
        pdf = signed_pdf(
            made.files["report.pdf"],
            key,
            cert,
            chain=chain,
            passphrase=secret_in(passphrase_file),
            name=signed.name,
            reason=signed.meaning,
            stamps=tsa,
        )
    click.echo(str(write_file(output.parent, output.name, pdf)))
    return 0


def secret_in(path: Path | None) -> bytes | None:
    """The passphrase that a file holds. Raises FilesError."""
    if path is None:
        return None
    with explained("the passphrase cannot be read", path, ""):
        return path.read_bytes().rstrip(b"\r\n")
