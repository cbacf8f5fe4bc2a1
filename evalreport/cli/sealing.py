"""The command that seals a published run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from evalreport.cli.completing import run_folders
from evalreport.errors import FilesError, Location, Problem, UsageError

FILE = click.Path(path_type=Path)


@click.command()
@click.argument("run", type=FILE, shell_complete=run_folders)
@click.option("--key", type=FILE, help="The private key, PEM: Ed25519, ECDSA or RSA.")
@click.option("--passphrase-file", type=FILE, help="A file that holds the passphrase of the key.")
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
    from evalreport.cli.signing import secret_in
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
    try:
        answer = path.read_bytes()
    except OSError as error:
        what = f"the time stamp cannot be read: {error.strerror or error}"
        raise FilesError(Problem(what, "", Location(str(path)))) from None
    return lambda _signature: answer
