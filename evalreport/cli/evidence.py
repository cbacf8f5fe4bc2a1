"""Commands about published runs: verify, diff, history, prune."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import click

from evalreport.errors import Problem, UsageError, VerificationError
from evalreport.version import __version__


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--rerun", is_flag=True,
              help="Also compute everything again and compare bytes; models are trained again, "
              "no kept predictions are used.")
@click.option("--spec", "spec", type=click.Path(path_type=Path), default=None,
              help="Where the spec is, for --rerun.")
@click.option("--allow-import", "allowed", multiple=True, metavar="PACKAGE",
              help="Admit a package that the run admitted, for --rerun.")
def verify(run: Path, rerun: bool, spec: Path | None, allowed: tuple[str, ...]) -> int:
    """Check RUN (a run folder, or a folder of runs) against manifest, chain and tables."""
    from evalreport.record.verify import (
        is_folder_of_runs,
        verify_numbers,
        verify_run,
        verify_runs,
    )

    problems: list[Problem] = []
    if is_folder_of_runs(run):
        if rerun:
            raise UsageError("--rerun needs one run; give the folder of a run")
        problems += verify_runs(run)
        what = "every run and the chain of records"
    else:
        problems += verify_run(run)
        if not problems:
            problems += verify_numbers(run)
        what = "every file against the manifest, every number against its table"
        if rerun and not problems:
            from evalreport.cli.progress import Progress
            from evalreport.cli.rerun import rerun_problems

            with Progress() as progress:
                problems += rerun_problems(run, spec, allowed, progress)
            what += ", and the same bytes again from the data"
    if problems:
        raise VerificationError(*problems)
    click.echo(f"verified: {what}")
    return 0


@click.command()
@click.argument("old", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="The differences as JSON.")
@click.option("--html", "page", type=click.Path(path_type=Path), default=None, metavar="FILE",
              help="The differences as a page.")
def diff(old: Path, new: Path, as_json: bool, page: Path | None) -> int:
    """Say what changed between two runs: spec, data, versions and every measure."""
    from evalreport.record.diff import describe, differences

    found = differences(old, new)
    if page is not None:
        _diff_page(found, page)
    if as_json:
        _print_json(found)
    elif page is None:
        click.echo(describe(found))
    else:
        click.echo(str(page))
    return 0


def _diff_page(found: dict[str, Any], page: Path) -> None:
    from evalreport.cli.evidence_pages import draw, refuse_foreign, replace_file
    from evalreport.record.diff_page import diff_page

    refuse_foreign(page)
    replace_file(page, draw("diff", diff_page(found, __version__)))


def _print_json(body: dict[str, Any]) -> None:
    click.echo(json.dumps(body, indent=1, sort_keys=True, ensure_ascii=False))


@click.command()
@click.argument("runs", type=click.Path(path_type=Path))
@click.option("--last", type=click.IntRange(min=1), default=None, metavar="N",
              help="List only the newest N runs.")
@click.option("--json", "as_json", is_flag=True, help="Runs, criteria and measures as JSON.")
@click.option("--html", "folder", type=click.Path(path_type=Path), default=None, metavar="FOLDER",
              help="A small site: runs, trends with control limits, criteria over time.")
def history(runs: Path, last: int | None, as_json: bool, folder: Path | None) -> int:
    """List the runs recorded in the folder RUNS with their outcomes and headline measures."""
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


def _site(course: Any, runs: Path, folder: Path) -> Path:
    from evalreport.cli.evidence_pages import write_site
    from evalreport.record.diff import differences

    there = [run.name for run in course.runs if run.results is not None]
    changes = differences(runs / there[-2], runs / there[-1]) if len(there) > 1 else None
    return write_site(course, runs, folder, changes)


@click.command()
@click.argument("runs", type=click.Path(path_type=Path))
@click.option("--keep", type=click.IntRange(min=1), required=True, help="How many runs to keep.")
@click.option("--at", default=None, metavar="TIME", help="The clock, as for run.")
def prune(runs: Path, keep: int, at: str | None) -> int:
    """Remove all but the newest runs of RUNS; the chain of records stays whole."""
    from evalreport.record.clock import read_clock
    from evalreport.record.prune import prune as remove_old

    when = read_clock(at, os.environ)
    removed = remove_old(runs, keep, when=when, version=__version__)
    for name in removed:
        click.echo(f"removed {name}")
    click.echo(f"{len(removed)} removed")
    return 0
