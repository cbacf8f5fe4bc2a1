"""``evalreport init``: a first spec from a data file."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evalreport.errors import FilesError, Location, Problem, UsageError
from evalreport.lines import one_line

if TYPE_CHECKING:
    from evalreport.spec.first import First


@click.command()
@click.argument("data", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=None,
    metavar="SPEC",
    help="Where to write the spec; beside the data by default.",
)
@click.option("--target", default=None, metavar="COLUMN", help="The column with the true label.")
@click.option("--positive", default=None, metavar="LABEL", help="The positive class.")
@click.option("--yes", is_flag=True, help="Ask nothing: take what is assumed.")
def init(
    data: Path, output: Path | None, target: str | None, positive: str | None, yes: bool
) -> int:
    """Write a first spec for DATA, guessed from its columns, that runs as it is.

    What the data cannot say is asked for on a terminal, else assumed and said in the spec.
    """
    from evalreport.data.source import readable_name
    from evalreport.spec.first import SCHEMA_FILE, first_look

    if readable_name(data.name) != data.name:
        hint = "a file whose name is UTF-8, as a spec is"
        raise UsageError(Problem("no spec can name this file", hint, Location(str(data))))
    path = output or _beside(data)
    first = _decided(first_look(data, path.parent, target), positive, ask=not yes)
    write_new(path, first.text())
    with suppress(OSError):
        _write_schema(path.parent / SCHEMA_FILE)
    for told in (*first.guess.assumed, *first.guess.said):
        click.echo(one_line(told), err=True)
    click.echo(one_line(f"wrote {path}; look it over, then: evalreport run {path}"))
    return 0


def _beside(data: Path) -> Path:
    """Where the spec of a file, or of a folder of files, is written."""
    if data.is_dir():
        whole = data.resolve()
        return (
            whole.parent / f"{whole.name or 'data'}.yaml"
            if data.name in ("", "..")
            else (data.with_name(f"{data.name}.yaml"))
        )
    return data.with_name(data.name.split(".")[0] + ".yaml")


def _decided(first: First, positive: str | None, ask: bool) -> First:
    """The spec with the positive class that was named, or is asked for where it is unsure."""
    from evalreport.errors import did_you_mean

    classes = first.guess.classes
    if positive is not None:
        if positive not in classes:
            hint = did_you_mean(positive, classes, "classes")
            raise UsageError(Problem(f"--positive {positive} is no class", hint))
        return first.with_positive(positive)
    if not first.guess.choices or not ask or not sys.stdin.isatty():
        return first
    chosen = click.prompt(
        "Which class is the positive one?",
        default=first.guess.positive,
        type=click.Choice(list(first.guess.choices)),
        err=True,
    )
    return first.with_positive(str(chosen))


def write_new(path: Path, text: str) -> None:
    """Write a file that is not there yet. Raises FilesError."""
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


def _write_schema(path: Path) -> None:
    """The schema that editors complete a spec by, beside it."""
    from evalreport.spec.schema import spec_schema

    text = json.dumps(spec_schema(), ensure_ascii=False, separators=(",", ":"))
    path.write_text(f"{text}\n", encoding="utf-8")
