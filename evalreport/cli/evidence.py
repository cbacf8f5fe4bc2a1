"""Commands about published runs: verify, diff, history, prune."""

from __future__ import annotations

import os
from pathlib import Path

import click

from evalreport.errors import Problem, UsageError, VerificationError
from evalreport.version import __version__


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--rerun", is_flag=True, help="Also compute everything again and compare bytes.")
@click.option("--spec", "spec", type=click.Path(path_type=Path), default=None,
              help="Where the spec is, for --rerun.")
def verify(run: Path, rerun: bool, spec: Path | None) -> int:
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
            from evalreport.cli.rerun import rerun_problems

            problems += rerun_problems(run, spec)
            what += ", and the same bytes again from the data"
    if problems:
        raise VerificationError(*problems)
    click.echo(f"verified: {what}")
    return 0


@click.command()
@click.argument("old", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="The differences as JSON.")
def diff(old: Path, new: Path, as_json: bool) -> int:
    """Say what changed between two runs: spec, data, versions and every measure."""
    import json

    from evalreport.record.diff import describe, differences

    found = differences(old, new)
    if as_json:
        click.echo(json.dumps(found, indent=1, sort_keys=True, ensure_ascii=False))
    else:
        click.echo(describe(found))
    return 0


@click.command()
@click.argument("runs", type=click.Path(path_type=Path))
def history(runs: Path) -> int:
    """List the runs recorded in the folder RUNS with their outcomes."""
    from evalreport.record.history import read_history

    for name, entry in read_history(runs).runs.items():
        click.echo(f"{entry['when']}  {name}  {entry['outcome']}")
    return 0


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
