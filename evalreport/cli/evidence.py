"""Commands about published runs: diff, history, prune."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalreport.cli.completing import run_folders
from evalreport.errors import ExitStatus
from evalreport.lines import json_text
from evalreport.version import __version__

if TYPE_CHECKING:
    from evalreport.record.trend import Course
    from evalreport.results.changes import Diff


@click.command()
@click.argument("old", type=click.Path(path_type=Path), shell_complete=run_folders)
@click.argument("new", type=click.Path(path_type=Path), shell_complete=run_folders)
@click.option("--json", "as_json", is_flag=True, help="The differences as JSON.")
@click.option(
    "--html",
    "page",
    type=click.Path(path_type=Path),
    default=None,
    metavar="FILE",
    help="The differences as a page.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "markdown", "json"]),
    default="text",
    help="How to print them; markdown for the description of a change.",
)
@click.option(
    "--exit-code",
    "by_status",
    is_flag=True,
    help="End with 1 where anything that is told has changed, with 0 where nothing has.",
)
def diff(old: Path, new: Path, as_json: bool, page: Path | None, form: str, by_status: bool) -> int:
    """Say what changed between two runs: spec, data, versions and every measure."""
    from evalreport.record.diff import describe, describe_markdown, differences, is_same
    from evalreport.results.codec import encode

    found = differences(old, new)
    if page is not None:
        _diff_page(found, page)
    if as_json or form == "json":
        _print_json(encode(found))
    elif form == "markdown":
        click.echo(describe_markdown(found))
    elif page is None:
        click.echo(describe(found))
    else:
        click.echo(str(page))
    return int(ExitStatus.FAILED) if by_status and not is_same(found) else 0


def _diff_page(found: Diff, page: Path) -> None:
    from evalreport.cli.evidence_pages import draw, refuse_foreign, replace_file
    from evalreport.record.diff_page import diff_page

    refuse_foreign(page)
    replace_file(page, draw("diff", diff_page(found, __version__)))


def _print_json(body: dict[str, Any]) -> None:
    click.echo(json_text(body, indent=1))


@click.command()
@click.argument("runs", type=click.Path(path_type=Path))
@click.option(
    "--last",
    type=click.IntRange(min=1),
    default=None,
    metavar="N",
    help="List only the newest N runs.",
)
@click.option("--json", "as_json", is_flag=True, help="Runs, criteria and measures as JSON.")
@click.option(
    "--html",
    "folder",
    type=click.Path(path_type=Path),
    default=None,
    metavar="FOLDER",
    help="A small site: runs, trends with control limits, criteria over time.",
)
@click.option("--now", is_flag=True, help="Where each series stands now, as `watch RUNS` tells.")
def history(runs: Path, last: int | None, as_json: bool, folder: Path | None, now: bool) -> int:
    """List the runs recorded in the folder RUNS with their outcomes and headline measures."""
    if now:
        return _now(runs, last, folder, as_json)
    from evalreport.record.trend import read_course
    from evalreport.record.trend_text import history_data, history_text

    course = read_course(runs)
    written = None if folder is None else _site(course, runs, folder)
    if as_json:
        _print_json(history_data(course, last))
    elif written is None:
        click.echo(history_text(course, last))
    else:
        click.echo(str(written))
    return 0


def _now(runs: Path, last: int | None, folder: Path | None, as_json: bool) -> int:
    """The same as watch, with the same exit statuses."""
    from evalreport.cli.watching import watch
    from evalreport.errors import Problem, UsageError

    for name, given in (("--last", last), ("--html", folder)):
        if given is not None:
            hint = "one of the two; evalreport watch RUNS has a page of its own"
            raise UsageError(Problem(f"--now tells of the newest runs and takes no {name}", hint))
    told = watch.callback
    assert told is not None
    return int(told((runs,), None, None, as_json, None, None, False))


def _site(course: Course, runs: Path, folder: Path) -> Path:
    from evalreport.cli.evidence_pages import write_site
    from evalreport.record.diff import differences

    there = [run.name for run in course.runs if run.results is not None]
    changes = differences(runs / there[-2], runs / there[-1]) if len(there) > 1 else None
    return write_site(course, runs, folder, changes)


@click.command()
@click.argument("runs", type=click.Path(path_type=Path))
@click.option("--keep", type=click.IntRange(min=1), required=True, help="How many runs to keep.")
@click.option("--at", default=None, metavar="TIME", help="The clock, as for run.")
@click.option("--dry-run", is_flag=True, help="Say what would be removed, and remove nothing.")
def prune(runs: Path, keep: int, at: str | None, dry_run: bool) -> int:
    """Remove all but the newest runs of RUNS; the chain of records stays whole."""
    if dry_run:
        from evalreport.record.prune import would_go

        gone = would_go(runs, keep)
        click.echo("\n".join([*(f"would remove {name}" for name in gone), f"{len(gone)} would go"]))
        return 0
    from evalreport.record.clock import read_clock
    from evalreport.record.prune import prune as remove_old

    when = read_clock(at, os.environ)
    removed = remove_old(runs, keep, when=when, version=__version__)
    for name in removed:
        click.echo(f"removed {name}")
    click.echo(f"{len(removed)} removed")
    return 0
