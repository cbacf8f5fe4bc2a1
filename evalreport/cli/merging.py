"""``evalreport merge``: several files of rows or of counts as one file of counts."""

from __future__ import annotations

from pathlib import Path

import click

from evalreport.errors import Problem, UsageError
from evalreport.lines import one_line

#: Names under which a column of counts goes that was not named as one.
LIKE_COUNTS = frozenset(("n", "count", "counts", "freq", "frequency"))


@click.command()
@click.argument("files", type=click.Path(path_type=Path), nargs=-1, required=True)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
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
    "--bins",
    default=None,
    metavar="SCORE=N,...",
    help="Columns of scores from 0 to 1 that are put into N bins, 2 to 10000.",
)
def merge(
    files: tuple[Path, ...], output: Path, count: str, columns: str | None, bins: str | None
) -> int:
    """Add up FILES (csv or tsv) to one file of kinds of rows, with how many rows are of each.

    A site makes one of its rows and hands it over in their place; files of several sites add
    up to one. A dataset reads it with `count`. The hash of each file is printed.
    """
    from evalreport.cli.starting import write_new
    from evalreport.data.merging import merged
    from evalreport.data.source import open_source

    asked = None if columns is None else [name.strip() for name in columns.split(",")]
    if asked is not None and (count in asked or len(set(asked)) < len(asked) or "" in asked):
        what = "--columns names a column twice, none, or that of the counts"
        raise UsageError(Problem(what, "each column that is kept, once"))
    sources = [open_source(path, str(path)) for path in files]
    twice = [s.name for k, s in enumerate(sources) if s.sha256 in {o.sha256 for o in sources[:k]}]
    if twice:
        what = f"{' and '.join(twice)}: the same content is given before"
        raise UsageError(Problem(what, "each file once, or its rows count twice"))
    found = merged(sources, count, asked, _bins(bins))
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


def _bins(text: str | None) -> dict[str, int]:
    """How many bins each column of scores gets. Raises UsageError."""
    found: dict[str, int] = {}
    for part in [] if text is None else text.split(","):
        name, _, number = part.rpartition("=")
        if not name.strip() or not number.strip().isdecimal() or not 2 <= int(number) <= 10_000:
            what = f"--bins has {part.strip()!r}"
            raise UsageError(Problem(what, "a column and 2 to 10000 bins: --bins score=100"))
        found[name.strip()] = int(number)
    return found
