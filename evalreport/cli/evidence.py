"""Commands about published runs, and the pages they draw: diff, history, watch, prune."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import click

from evalreport.cli.completing import run_folders
from evalreport.cli.options import AT, FILE, json_option, path_option
from evalreport.cli.progress import LOG, timeout_option
from evalreport.errors import ExitStatus, Location, Problem, UsageError, explained
from evalreport.lines import json_text
from evalreport.results.course import Course, Past
from evalreport.version import __version__

if TYPE_CHECKING:
    from evalreport.report.pages import Page

#: Rows of a table on a terminal.
MOST_ROWS = 40


@click.command()
@click.argument("old", type=FILE, shell_complete=run_folders)
@click.argument("new", type=FILE, shell_complete=run_folders)
@json_option("The differences as JSON.")
@path_option("--html", "page", metavar="FILE", told="The differences as a page.")
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
    help="End with 1 where anything that is compared has changed, with 0 where nothing has.",
)
def diff(old: Path, new: Path, as_json: bool, page: Path | None, form: str, by_status: bool) -> int:
    """Show what changed between two runs: spec, data, versions and every measure."""
    from evalreport.report.diff_page import diff_page
    from evalreport.report.pages import page_markdown, page_text
    from evalreport.results.codec import encode
    from evalreport.runs.diff import differences, is_same

    found = differences(old, new)
    made = diff_page(found, __version__)
    if page is not None:
        write_page(made, page)
    if as_json or form == "json":
        _print_json(encode(found))
    elif form == "markdown":
        click.echo(page_markdown(made))
    elif page is None:
        click.echo(page_text(made, MOST_ROWS))
    else:
        click.echo(str(page))
    return int(ExitStatus.FAILED) if by_status and not is_same(found) else 0


def _print_json(body: dict[str, Any]) -> None:
    click.echo(json_text(body, indent=1))


@click.command()
@click.argument("runs", type=FILE)
@click.option(
    "--last",
    type=click.IntRange(min=1),
    default=None,
    metavar="N",
    help="List only the newest N runs.",
)
@json_option("Runs, criteria and measures as JSON.")
@path_option(
    "--html",
    "folder",
    metavar="FOLDER",
    told="A small site: runs, trends with control limits, criteria over time.",
)
@click.option("--now", is_flag=True, help="The status of each series now, as `watch RUNS`.")
def history(runs: Path, last: int | None, as_json: bool, folder: Path | None, now: bool) -> int:
    """List the runs recorded in the folder RUNS with their outcomes and headline measures."""
    if now:
        return _now(runs, last, folder, as_json)
    from evalreport.report.history_pages import history_text
    from evalreport.runs.trend import read_course
    from evalreport.runs.trend_data import history_data

    course = read_course(runs)
    written = None if folder is None else write_site(course, runs, folder)
    if as_json:
        _print_json(history_data(course, last))
    elif written is None:
        click.echo(history_text(course, last))
    else:
        click.echo(str(written))
    return 0


def _now(runs: Path, last: int | None, folder: Path | None, as_json: bool) -> int:
    """The same as watch, with the same exit statuses."""
    for name, given in (("--last", last), ("--html", folder)):
        if given is not None:
            hint = "one of the two; evalreport watch RUNS has a page of its own"
            raise UsageError(Problem(f"--now shows the newest runs and takes no {name}", hint))
    return int(click.get_current_context().invoke(watch, folders=(runs,), as_json=as_json))


@click.command()
@click.argument("runs", type=FILE)
@click.option("--keep", type=click.IntRange(min=1), required=True, help="How many runs to keep.")
@AT
@click.option("--dry-run", is_flag=True, help="Show what would be removed, and remove nothing.")
def prune(runs: Path, keep: int, at: str | None, dry_run: bool) -> int:
    """Remove all but the newest runs of RUNS; the chain of records stays whole."""
    if dry_run:
        from evalreport.runs.prune import would_go

        gone = would_go(runs, keep)
        click.echo("\n".join([*(f"would remove {name}" for name in gone), f"{len(gone)} would go"]))
        return 0
    from evalreport.runs.clock import read_clock
    from evalreport.runs.prune import prune as remove_old

    when = read_clock(at, os.environ)
    removed = remove_old(runs, keep, when=when, version=__version__)
    for name in removed:
        click.echo(f"removed {name}")
    click.echo(f"{len(removed)} removed")
    return 0


@click.command()
@click.argument("folders", nargs=-1, required=True, type=FILE, metavar="RUNS...")
@click.option(
    "--cadence",
    type=click.Choice(("day", "week", "month", "quarter", "year")),
    default=None,
    help="How often runs are due, of series whose spec declares no cadence.",
)
@click.option(
    "--without",
    multiple=True,
    metavar="SERIES",
    help="Leave out a series that has ended, as one whose spec was renamed; may be given more "
    "than once.",
)
@AT
@json_option("The same as JSON.")
@path_option(
    "--html",
    "page",
    metavar="FILE",
    told="The same as one page, which needs no other file.",
)
@path_option(
    "--openmetrics",
    "metrics",
    metavar="FILE",
    told="The same as a textfile for a collector of metrics; replaced as a whole.",
)
@click.option("--quiet", is_flag=True, help="Print nothing but by the exit status.")
@LOG
@timeout_option("Stop when so much time has passed.")
def watch(
    folders: tuple[Path, ...],
    cadence: str | None,
    without: tuple[str, ...],
    at: str | None,
    as_json: bool,
    page: Path | None,
    metrics: Path | None,
    quiet: bool,
    timeout: float | None,
) -> int:
    """Show the status of every series of RUNS, the most harmful first; no run is opened.

    Exit status 0: nothing needs attention; 1: a series fails, its last attempt produced
    no report, its next run is late, or a history cannot be read.
    """
    from evalreport.report.pages import page_text
    from evalreport.report.watch_page import watch_page
    from evalreport.results.codec import encode
    from evalreport.runs.clock import read_clock
    from evalreport.runs.signals import stopping_cleanly, time_limit
    from evalreport.runs.watch import watch as watched
    from evalreport.runs.watch import watch_metrics

    with stopping_cleanly(), time_limit(timeout, left=""):
        found = watched(folders, read_clock(at, os.environ), cadence, without)
        if page is not None:
            write_page(watch_page(found, __version__), page)
        if metrics is not None:
            replace_file(metrics, watch_metrics(found))
    if as_json:
        _print_json(encode(found))
    elif not quiet:
        click.echo(page_text(watch_page(found)))
    return int(ExitStatus.FAILED if found.calls else ExitStatus.DONE)


_PAGES = re.compile(r"(index|criteria|changes|trends-[0-9]+)\.html")
#: By this the pages of an earlier site are known, so that nothing else is ever replaced.
MARK = '<meta name="generator" content="evalreport '


def draw(page: Page) -> str:
    """A page as HTML: its blocks as a report has them, in a frame of its own."""
    from evalreport.render.html import as_plain, fill
    from evalreport.render.locate import shipped_page

    return fill(shipped_page(), as_plain(page))


def write_page(page: Page, path: Path) -> None:
    """Write a page, in the place of an earlier one. Raises UsageError, FilesError."""
    refuse_foreign(path)
    replace_file(path, draw(page))


def write_site(course: Course, runs: Path, folder: Path) -> Path:
    """Write the pages of a history into a folder; the first page.

    Pages of an earlier site there are replaced, anything else is refused: UsageError.
    Raises FilesError.
    """
    from evalreport.report.diff_page import diff_page
    from evalreport.report.history_pages import site_pages
    from evalreport.runs.diff import differences

    stale = _pages_there(folder)
    there = [run for run in course.runs if run.title is not None]
    last = [runs / run.name for run in there if run.line == there[-1].line][-2:]
    changed = diff_page(differences(*last), __version__) if len(last) > 1 else None
    pages = site_pages(course, _links(runs, folder), __version__, changed)
    texts = {name: draw(page) for name, page in pages.items()}
    with explained("cannot write the pages", folder):
        folder.mkdir(parents=True, exist_ok=True)
        for name in sorted(texts, key=lambda name: name == "index.html"):
            replace_file(folder / name, texts[name])
        for path in stale:
            if path.name not in texts:
                path.unlink()
    return folder / "index.html"


def replace_file(path: Path, text: str) -> None:
    """Write a page so that a reader sees the old one or the new one, never a part."""
    with explained("cannot write the page", path):
        aside = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            aside.write_text(text, encoding="utf-8", newline="\n")
            aside.replace(path)
        finally:
            aside.unlink(missing_ok=True)


def refuse_foreign(path: Path) -> None:
    """Refuse to replace a file that is no page of ours. Raises UsageError, FilesError."""
    if not path.exists():
        return
    with explained("cannot be read", path, ""):
        ours = MARK in path.read_text(encoding="utf-8", errors="replace")[:2000]
    if not ours or (path.parent / "MANIFEST.json").exists():
        what = "has something that is not a page of a history"
        raise UsageError(Problem(what, "another name", Location(str(path))))


def _pages_there(folder: Path) -> list[Path]:
    from evalreport.cli.rendering import refuse_run

    refuse_run(folder, "--html")
    with explained("cannot look at the folder", folder):
        there = sorted(folder.iterdir()) if folder.exists() else []
    ours = [path for path in there if _PAGES.fullmatch(path.name)]
    for path in ours:
        refuse_foreign(path)
    return ours


def _links(runs: Path, folder: Path) -> Callable[[Past, str], str | None]:
    """Addresses relative to the pages, so that both folders can be moved together."""
    base = Path(os.path.relpath(runs.resolve(), folder.resolve())).as_posix()

    def link(run: Past, name: str) -> str | None:
        there = run.missing is None and (runs / run.name / name).is_file()
        return quote(f"{base}/{run.name}/{name}") if there else None

    return link
