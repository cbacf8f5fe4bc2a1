"""``evalreport init``: a first spec from a data file."""

from __future__ import annotations

from pathlib import Path

import click

from evalreport.errors import FilesError, Location, Problem


@click.command()
@click.argument("data", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), default=None, metavar="SPEC",
              help="Where to write the spec; beside the data by default.")
@click.option("--target", default=None, metavar="COLUMN", help="The column with the true label.")
def init(data: Path, output: Path | None, target: str | None) -> int:
    """Write a first spec for DATA, guessed from its columns, that runs as it is."""
    from evalreport.spec.first import first_spec

    path = output or data.with_name(data.name.split(".")[0] + ".yaml")
    text = first_spec(data, path.parent, target)
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        raise FilesError(
            Problem("there is such a file already", "another name with -o", Location(str(path)))
        ) from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise FilesError(
            Problem(f"cannot be written: {reason}", "a folder to write in", Location(str(path)))
        ) from error
    click.echo(f"wrote {path}; look it over, then: evalreport run {path}")
    return 0
