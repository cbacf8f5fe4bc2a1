"""``evalreport watch``: one page over many specs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evalreport.cli.said import LOG
from evalreport.errors import ExitStatus
from evalreport.lines import json_text
from evalreport.version import __version__

if TYPE_CHECKING:
    from evalreport.record.watch import Watch


@click.command()
@click.argument(
    "folders", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUNS..."
)
@click.option(
    "--cadence",
    type=click.Choice(("day", "week", "month", "quarter", "year")),
    default=None,
    help="How often runs are due, of series whose spec declares no cadence.",
)
@click.option("--at", default=None, metavar="TIME", help="The clock, as for run.")
@click.option("--json", "as_json", is_flag=True, help="The same as JSON.")
@click.option(
    "--html",
    "page",
    type=click.Path(path_type=Path),
    default=None,
    metavar="FILE",
    help="The same as one page, which needs no other file.",
)
@click.option(
    "--openmetrics",
    "metrics",
    type=click.Path(path_type=Path),
    default=None,
    metavar="FILE",
    help="The same as a textfile for a collector of metrics; replaced as a whole.",
)
@click.option("--quiet", is_flag=True, help="Print nothing; the exit status tells.")
@LOG
def watch(
    folders: tuple[Path, ...],
    cadence: str | None,
    at: str | None,
    as_json: bool,
    page: Path | None,
    metrics: Path | None,
    quiet: bool,
) -> int:
    """Show every series of RUNS, the most harmful first; no run is opened.

    Exit status 0: nothing calls for somebody; 1: a series fails, its last attempt came to
    nothing, its next run is late, or a history cannot be read.
    """
    from evalreport.record.clock import read_clock
    from evalreport.record.watch import watch as watched
    from evalreport.record.watch_text import watch_data, watch_metrics, watch_text

    found = watched(folders, read_clock(at, os.environ), cadence)
    if page is not None:
        _write_page(found, page)
    if metrics is not None:
        from evalreport.cli.evidence_pages import replace_file

        replace_file(metrics, watch_metrics(found))
    if as_json:
        click.echo(json_text(watch_data(found), indent=1))
    elif not quiet:
        click.echo(watch_text(found))
    return int(ExitStatus.FAILED if found.calls else ExitStatus.DONE)


def _write_page(found: Watch, page: Path) -> None:
    from evalreport.cli.evidence_pages import draw, refuse_foreign, replace_file
    from evalreport.record.watch_text import watch_page

    refuse_foreign(page)
    replace_file(page, draw("watch", watch_page(found, __version__)))
