"""``evalreport run``: spec and data in, a published run folder out."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalreport.cli.options import (
    ALLOW_HOST,
    ALLOW_IMPORT,
    ENGINES,
    FILE,
    QUIET,
    SET,
    SPECS,
    TRUST,
    json_option,
)
from evalreport.cli.progress import LOG, tell, timeout_option
from evalreport.errors import ExitStatus
from evalreport.lines import json_text, one_line

if TYPE_CHECKING:
    from evalreport.cli.publishing import RunOptions


@click.command()
@SPECS
@click.option(
    "-o",
    "--output",
    "runs",
    type=FILE,
    default=Path("runs"),
    envvar=("EVALREPORT_RUN_OUTPUT", "EVALREPORT_RUN_RUNS"),
    help="Folder of runs; the newest is RUNS/latest.",
    show_default=True,
    metavar="RUNS",
)
@SET
@click.option(
    "--engine",
    type=click.Choice(ENGINES),
    default="auto",
    show_default=True,
    help="What counts the tables.",
)
@click.option(
    "--formats",
    default=None,
    metavar="html,pdf,...",
    help="Formats to write instead of those of the spec.",
)
@click.option(
    "--at",
    default=None,
    metavar="TIME",
    help="The time of the run as ISO 8601 text; else SOURCE_DATE_EPOCH, else now.",
)
@click.option(
    "--as-of",
    default=None,
    metavar="DATE",
    help="The date of the data, as ISO 8601 text, if not the time of the run; the same as --set "
    "as_of=DATE.",
)
@click.option("--fresh", is_flag=True, help="Ignore kept predictions and counts.")
@ALLOW_IMPORT
@TRUST
@ALLOW_HOST
@json_option("A summary of the run as JSON on standard output.")
@QUIET
@LOG
@timeout_option("Stop, with nothing published, when so much time has passed.")
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=None,
    metavar="N",
    help="How many of several specs are evaluated side by side; by default one after another "
    "where they are small, else as many as there are processors.",
)
def run(  # noqa: PLR0913, PLR0917 - one for each option of the command
    specs: tuple[Path, ...],
    runs: Path,
    overrides: tuple[str, ...],
    engine: str,
    formats: str | None,
    at: str | None,
    as_of: str | None,
    fresh: bool,
    allowed: tuple[str, ...],
    trusted: tuple[str, ...],
    hosts: tuple[str, ...],
    as_json: bool,
    quiet: bool,
    timeout: float | None,
    jobs: int | None,
) -> int:
    """Evaluate SPEC and publish the report as a new folder in RUNS."""
    from evalreport.cli.publishing import RunOptions, leave_line
    from evalreport.runs.clock import clock_kind, read_clock
    from evalreport.runs.signals import OutOfTimeError, stopping_cleanly, time_limit

    when = read_clock(at, os.environ)
    options = RunOptions(
        runs=runs,
        overrides=overrides if as_of is None else (*overrides, f"as_of={as_of}"),
        engine=engine,
        formats=tuple(f.strip() for f in formats.split(",") if f.strip()) if formats else None,
        when=when,
        clock=clock_kind(at, os.environ),
        fresh=fresh,
        allowed_imports=allowed,
        trusted=trusted,
        allowed_hosts=hosts,
    )
    worst = ExitStatus.DONE
    summaries: list[dict[str, Any]] = []
    try:
        with stopping_cleanly(), time_limit(timeout):
            for status, summary in _done(specs, options, jobs, quiet=quiet or as_json):
                worst = max(worst, status)
                summaries.append(summary)
                if not as_json:
                    _say_outcome(summary, quiet=quiet)
    except OutOfTimeError:
        for path in specs[len(summaries) :]:
            leave_line(path, options, ExitStatus.FILES, unless_made=True)
        raise
    if len(specs) > 1 and not quiet and not as_json:
        _say_worst(summaries)
    if as_json:
        for summary in summaries:
            for told in ("lines", "failed_lines", "warning_lines"):
                summary.pop(told, None)
        body = summaries[0] if len(summaries) == 1 else summaries
        click.echo(json_text(body))
    return int(worst)


def _done(
    specs: tuple[Path, ...], options: RunOptions, jobs: int | None, *, quiet: bool
) -> Iterator[tuple[ExitStatus, dict[str, Any]]]:
    """Each spec's status and summary; problems of one of several do not stop the others."""
    from evalreport.cli.progress import Progress
    from evalreport.cli.publishing import run_spec
    from evalreport.runs.runs import check_runs

    if len(specs) == 1:
        with Progress(quiet=quiet) as progress:
            yield run_spec(specs[0], options, progress, check_runs)
        return
    from evalreport.cli.many_specs import run_specs

    for status, summary in run_specs(specs, options, jobs, quiet=quiet):
        tell(summary.get("problems", ()))
        yield status, summary


def _say_outcome(summary: dict[str, Any], *, quiet: bool) -> None:
    """Headline measures and files on standard output; what failed, and warnings, beside it."""
    if not quiet:
        for line in summary["lines"]:
            click.echo(one_line(line))
        tell(summary.get("warning_lines", ()), "warning")
    tell(summary.get("failed_lines", ()), "failed")


def _say_worst(summaries: list[dict[str, Any]]) -> None:
    outcomes = [str(summary["outcome"]) for summary in summaries]
    counts = ", ".join(f"{outcomes.count(name)} {name}" for name in dict.fromkeys(outcomes))
    click.echo(f"{len(outcomes)} specs: {counts}")
