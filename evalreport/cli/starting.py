"""``evalreport init`` and ``merge``: what a run takes, made of the files that there are.

``init`` writes a first spec for a data file, ``merge`` one file of counts from several files of
rows or of counts.
"""

from __future__ import annotations

import json
import math
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evalreport.cli.options import FILE
from evalreport.errors import FilesError, Location, Problem, UsageError, explained
from evalreport.lines import one_line

if TYPE_CHECKING:
    from evalreport.spec.first_spec import FirstSpec


@click.command()
@click.argument("data", type=FILE)
@click.option(
    "-o",
    "--output",
    type=FILE,
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
    """Write a first spec for DATA, guessed from its columns, that runs without editing.

    What the data do not show is asked for on a terminal, else assumed and noted in the spec.
    """
    from evalreport.data.source import readable_name
    from evalreport.spec.first_spec import SCHEMA_FILE, first_look

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
    click.echo(one_line(f"wrote {path}; review it, then run: evalreport run {path}"))
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


def _decided(first: FirstSpec, positive: str | None, ask: bool) -> FirstSpec:
    """The spec with the positive class that was named, or is asked for where it is unsure."""
    from evalreport.errors import did_you_mean

    classes = first.guess.classes
    if positive is not None:
        if positive not in classes:
            hint = did_you_mean(positive, classes, "classes")
            raise UsageError(Problem(f"--positive {positive} is not a class", hint))
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
    with explained("cannot be written", path, "a folder to write in"):
        try:
            file = path.open("x", encoding="utf-8", newline="\n")
        except FileExistsError:
            raise FilesError(
                Problem("there is such a file already", "another name with -o", Location(str(path)))
            ) from None
        with file:
            file.write(text)


def _write_schema(path: Path) -> None:
    """The schema that editors complete a spec by, beside it."""
    from evalreport.spec.schema import spec_schema

    text = json.dumps(spec_schema(), ensure_ascii=False, separators=(",", ":"))
    path.write_text(f"{text}\n", encoding="utf-8")


#: Names under which a column of counts goes that was not named as one.
LIKE_COUNTS = frozenset(("n", "count", "counts", "freq", "frequency"))


@click.command()
@click.argument("files", type=FILE, nargs=-1, required=True)
@click.option(
    "-o",
    "--output",
    type=FILE,
    required=True,
    metavar="CSV",
    help="The file of counts to write; it must not be there.",
)
@click.option(
    "--count",
    default="count",
    show_default=True,
    metavar="COLUMN",
    help="The column of counts: read where the files have it, and written.",
)
@click.option(
    "--columns",
    default=None,
    metavar="A,B,...",
    help="The columns to keep; all by default. Leave out what names a person.",
)
@click.option(
    "--grain",
    default=None,
    metavar="SCORE=G,...",
    help="Columns of scores, each rounded to a multiple of G, such as 0.01.",
)
def merge(
    files: tuple[Path, ...], output: Path, count: str, columns: str | None, grain: str | None
) -> int:
    """Add up FILES (csv or tsv) to one file of kinds of rows, with how many rows are of each.

    A site makes one of its rows and hands it over in their place; files of several sites add
    up to one. A dataset reads it with `count`. The hash of each file is printed.
    """
    from evalreport.data.multiplicity import merged
    from evalreport.data.source import open_source

    asked = None if columns is None else [name.strip() for name in columns.split(",")]
    if asked is not None and (count in asked or len(set(asked)) < len(asked) or "" in asked):
        what = "--columns names a column twice, none, or the column of counts"
        raise UsageError(Problem(what, "each column that is kept, once"))
    sources = [open_source(path, str(path)) for path in files]
    twice = [s.name for k, s in enumerate(sources) if s.sha256 in {o.sha256 for o in sources[:k]}]
    if twice:
        what = f"{' and '.join(twice)}: the same content is given before"
        raise UsageError(Problem(what, "each file once, or its rows count twice"))
    found = merged(sources, count, asked, _grains(grain))
    write_new(output, found.text())
    for source, rows in zip(sources, found.rows, strict=True):
        click.echo(one_line(f"{source.sha256}  {source.name}: {rows:,} rows"))
    told = f"{sum(found.rows):,} rows of {len(found.kinds):,} kinds in {output}"
    click.echo(one_line(told))
    taken = next((name for name in found.columns if name.strip().lower() in LIKE_COUNTS), None)
    if taken is not None:
        text = f"each line was taken as one row: where {taken} is how many, give --count {taken}"
        click.echo(one_line(text), err=True)
    if found.single:
        click.echo(f"{found.single:,} kinds are of one row each", err=True)
    return 0


def _grains(text: str | None) -> dict[str, float]:
    """What each column of scores is rounded to. Raises UsageError."""
    found: dict[str, float] = {}
    for part in [] if text is None else text.split(","):
        name, _, number = part.rpartition("=")
        try:
            grain = float(number)
        except ValueError:
            grain = 0.0
        if not name.strip() or not 0.0 < grain < math.inf:
            what = f"--grain has {part.strip()!r}"
            raise UsageError(Problem(what, "a column and a step above 0: --grain score=0.01"))
        found[name.strip()] = grain
    return found
