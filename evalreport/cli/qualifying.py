"""The command that looks at the installation itself."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalreport.cli.options import AT, FILE, json_option, listed
from evalreport.errors import EvalreportError, ExitStatus, Problem, UsageError
from evalreport.lines import json_text, one_line

if TYPE_CHECKING:
    from evalreport.cli.progress import Progress
    from evalreport.qualify.whole import Qualification


@click.command()
@click.option("--spec", type=FILE, default=None, help="Your own spec, for the third part.")
@click.option("--against", type=FILE, default=None, metavar="RUN",
              help="A stored run of that spec, whose bytes are to come out again.")  # fmt: skip
@click.option("-o", "--output", type=FILE, default=Path(), metavar="FOLDER",
              help="Where to write; the current folder by default.")  # fmt: skip
@json_option("The whole as JSON on standard output.")
@click.option("--parts", default="IQ,OQ,PQ", show_default=True, help="The parts to check.")
@click.option(
    "--formats", default="pdf", metavar="pdf,html", help="What to draw in addition to the JSON."
)
@click.option("--key", type=FILE, help="A private key, to sign the PDF; needs --cert and --name.")
@click.option("--cert", type=FILE, help="Its certificate.")
@click.option("--passphrase-file", type=FILE, help="A file with the passphrase of the key.")
@click.option("--name", default="", help="The printed name of the signer.")
@AT
def qualify(
    spec: Path | None,
    against: Path | None,
    output: Path,
    as_json: bool,
    parts: str,
    formats: str,
    at: str | None,
    **signer: Any,
) -> int:
    """Look whether this installation works as it was tested: IQ, OQ and PQ.

    Files and versions against what was released, cases with known answers, the command itself,
    and your own spec. Writes qualification.pdf and qualification.json. Status 1 where a check
    failed. Takes about a minute, and no network.
    """
    from evalreport.cli.progress import Progress
    from evalreport.cli.rendering import refuse_run, write_file
    from evalreport.qualify.whole import qualify as look
    from evalreport.runs.clock import clock_kind, clock_text, read_clock

    if against is not None and spec is None:
        raise UsageError(Problem("--against needs the spec of that run", "give --spec too"))
    signing = _signer(**signer)
    wanted = _formats(formats, signing is not None)
    asked = listed("a qualification", "part", parts, ("IQ", "OQ", "PQ"))
    if signing is not None:
        from evalreport.render.signing import require_signing

        require_signing()
    refuse_run(output)
    when = clock_text(read_clock(at, os.environ))
    with Progress() as progress:
        found = look(when, clock_kind(at, os.environ), progress.step, spec, against, asked)
        files = _drawn(found, wanted, "" if signing is None else signing.name, progress)
        if signing is not None and "qualification.pdf" in files:
            files["qualification.pdf"] = _signed(files["qualification.pdf"], signing)
    for file, body in files.items():
        click.echo(str(write_file(output, file, body)), err=as_json)
    _say(found, as_json)
    return int(ExitStatus.DONE if found.outcome == "passed" else ExitStatus.FAILED)


@dataclass(frozen=True)
class _Signer:
    """Who signs the PDF, with what."""

    name: str
    key: Path
    cert: Path
    passphrase_file: Path | None


def _signer(
    key: Path | None, cert: Path | None, name: str, passphrase_file: Path | None
) -> _Signer | None:
    if key is None and cert is None:
        return None
    if key is None or cert is None or not name:
        raise UsageError(Problem("signing needs --key, --cert and --name", "give all three"))
    return _Signer(name, key, cert, passphrase_file)


def _formats(asked: str, signed: bool) -> tuple[str, ...]:
    found = listed("a qualification", "format", asked, ("pdf", "html"))
    if signed and "pdf" not in found:
        raise UsageError(Problem("only the PDF is signed", "--formats pdf"))
    return found


def _drawn(
    found: Qualification, formats: tuple[str, ...], name: str, progress: Progress
) -> dict[str, bytes]:
    """The files, all made before any is written."""
    from evalreport.runs.hashing import canonical_json

    body = canonical_json(found.as_json())
    files = {"qualification.json": body}
    if not formats:
        return files
    progress.step("drawing what was found", None)
    try:
        return files | _pages(found, body, formats, name)
    except EvalreportError:
        raise
    except Exception as error:
        if found.outcome == "passed":
            raise
        # A damaged install that cannot draw still says what is wrong.
        click.echo(one_line(f"no page: {type(error).__name__}: {error}"), err=True)
        return files


def _pages(
    found: Qualification, body: bytes, formats: tuple[str, ...], name: str
) -> dict[str, bytes]:
    from datetime import datetime

    from evalreport.render.html import page_of
    from evalreport.render.pdf import render_pdf
    from evalreport.report.qualification import qualification
    from evalreport.runs.hashing import sha256

    signed = f"SIGNED: {name}, {found.at}" if name else "UNSIGNED"
    report = qualification(found.as_json(), sha256(body), signed)
    made = {"qualification.html": page_of(report).encode()} if "html" in formats else {}
    if "pdf" in formats:
        when = datetime.fromisoformat(found.at)
        attached = {"qualification.json": body}
        made["qualification.pdf"] = render_pdf(
            page_of(report, paper=True), attachments=attached, at=when
        )
    return made


def _signed(pdf: bytes, signer: _Signer) -> bytes:
    from evalreport.cli.sealing import secret_in
    from evalreport.render.signing import signed_pdf

    return signed_pdf(
        pdf,
        signer.key,
        signer.cert,
        passphrase=secret_in(signer.passphrase_file),
        name=signer.name,
        reason="carried out by",
    )


def _say(found: Qualification, as_json: bool) -> None:
    if as_json:
        click.echo(json_text(found.as_json(), indent=1))
        return
    for one in found.checks:
        if one.outcome != "passed":
            word = "FAILED" if one.outcome == "failed" else "not done"
            reason = " ".join(one.reason.split())
            click.echo(one_line(f"{word}: {one.id} ({one.requirement}) {one.what}: {reason}"))
    passed = sum(one.outcome == "passed" for one in found.checks)
    click.echo(f"{passed} of {len(found.checks)} checks passed")
