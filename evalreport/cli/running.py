"""``evalreport run``: spec and data in, a published run folder out."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import click

from evalreport.errors import ExitStatus

ENGINES = ("auto", "memory", "duckdb", "spark")


@click.command()
@click.argument(
    "specs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="SPEC..."
)
@click.option(
    "-o", "--output", "runs", type=click.Path(path_type=Path), default=Path("runs"),
    help="Folder of runs; the newest is RUNS/latest.", show_default=True, metavar="RUNS",
)
@click.option("--set", "overrides", multiple=True, metavar="KEY.PATH=VALUE",
              help="Override a value of the spec; may be given more than once.")
@click.option("--engine", type=click.Choice(ENGINES), default="auto", show_default=True,
              help="What counts the tables.")
@click.option("--formats", default=None, metavar="html,pdf,...",
              help="Formats to write instead of those of the spec.")
@click.option("--at", default=None, metavar="TIME",
              help="The run's clock as ISO 8601 text; else SOURCE_DATE_EPOCH, else now.")
@click.option("--fresh", is_flag=True, help="Ignore cached out-of-fold predictions.")
@click.option("--allow-import", "allowed", multiple=True, metavar="PACKAGE",
              help="Admit the classifiers of an installed package as estimators.")
@click.option("--json", "as_json", is_flag=True,
              help="A summary of the run as JSON on standard output.")
@click.option("--quiet", is_flag=True, help="Print nothing but problems.")
def run(
    specs: tuple[Path, ...],
    runs: Path,
    overrides: tuple[str, ...],
    engine: str,
    formats: str | None,
    at: str | None,
    fresh: bool,
    allowed: tuple[str, ...],
    as_json: bool,
    quiet: bool,
) -> int:
    """Evaluate SPEC and publish the report as a new folder in RUNS."""
    from evalreport.cli.progress import Progress
    from evalreport.cli.publishing import RunOptions, run_spec
    from evalreport.record.clock import read_clock
    from evalreport.record.runs import check_runs
    from evalreport.record.signals import stopping_cleanly

    when = read_clock(at, os.environ)
    options = RunOptions(
        runs=runs,
        overrides=overrides,
        engine=engine,
        formats=tuple(f.strip() for f in formats.split(",") if f.strip()) if formats else None,
        when=when,
        fresh=fresh,
        allowed_imports=allowed,
    )
    worst = ExitStatus.DONE
    summaries: list[dict[str, Any]] = []
    with stopping_cleanly():
        for path in specs:
            with Progress(quiet=quiet or as_json) as progress:
                status, summary = run_spec(path, options, progress, check_runs)
            worst = max(worst, status)
            summaries.append(summary)
            if not quiet and not as_json:
                for line in summary["lines"]:
                    click.echo(line)
    if as_json:
        for summary in summaries:
            summary.pop("lines")
        body = summaries[0] if len(summaries) == 1 else summaries
        click.echo(json.dumps(body, sort_keys=True, ensure_ascii=False))
    return int(worst)
