"""Commands that draw: render, templates."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalreport.errors import FilesError, Location, Problem, UsageError, did_you_mean

if TYPE_CHECKING:
    from evalreport.cli.formats import DrawingOptions
    from evalreport.report.signing import Signed


@click.command()
@click.argument("results", type=click.Path(path_type=Path))
@click.option("--template", default=None, metavar="T",
              help="A shipped template by name, or a folder or file of your own.")
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path(), metavar="FOLDER",
              help="Where to write; the current folder by default.")
@click.option("--formats", default=None, metavar="html,pdf,...",
              help="Formats to write; those of the results' spec by default.")
def render(results: Path, template: str | None, output: Path, formats: str | None) -> int:
    """Draw the report again from RESULTS.json alone: no data, no recomputation."""
    from evalreport.cli.formats import check_formats, drawn
    from evalreport.cli.progress import Progress

    data, content = read_results(results)
    report = (content.get("spec") or {}).get("report") or {}
    asked = formats.split(",") if formats else report.get("formats") or ["html", "pdf"]
    wanted = check_formats(tuple(f.strip() for f in asked if f.strip()))
    options = drawing_options(content, template, wanted)
    refuse_run(output)
    with Progress() as progress:
        made = drawn(content, data, options, progress.step)
    for name, body in made.files.items():
        if name not in ("results.json", "measures.csv"):
            click.echo(str(write_file(output, name, body)))
    if made.problems:
        raise made.problems[0]
    return 0


def drawing_options(
    content: dict[str, Any],
    template: str | None,
    formats: tuple[str, ...],
    signed: Signed | None = None,
) -> DrawingOptions:
    """How results say that their report is drawn; ``template`` replaces theirs."""
    from evalreport.cli.formats import DrawingOptions

    report = (content.get("spec") or {}).get("report") or {}
    return DrawingOptions(
        formats=formats,
        template=_template(template or str(report.get("template") or "standard")),
        when=when_of(content),
        variant=(report.get("pdf") or {}).get("variant", "pdf/a-3a"),
        page_size=report.get("page_size", "a4"),
        spec_text=str(((content.get("provenance") or {}).get("spec") or {}).get("text", "")),
        signed=signed,
    )


def _template(name: str) -> Any:
    path = Path(name)
    return path if path.exists() or "/" in name else name


def read_results(path: Path) -> tuple[bytes, dict[str, Any]]:
    """A results.json: its bytes and its content. Raises FilesError or UsageError."""
    from evalreport.record.hashing import parse_json

    where = Location(str(path))
    try:
        data = path.read_bytes()
    except OSError as error:
        reason = error.strerror or str(error)
        raise FilesError(Problem(f"cannot be read: {reason}", "", where)) from error
    try:
        content = parse_json(data)
    except ValueError as error:
        raise UsageError(Problem(f"is no results.json: {error}", "", where)) from error
    if not isinstance(content, dict) or content.get("schema") != "evalreport/results/1":
        raise UsageError(
            Problem("is no results.json", "a file with schema evalreport/results/1", where)
        )
    return data, content


def when_of(content: dict[str, Any]) -> datetime:
    """The run's clock as results record it."""
    text = str((content.get("provenance") or {}).get("at") or "1970-01-01T00:00:00Z")
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return datetime.fromtimestamp(0, UTC)


def refuse_run(folder: Path) -> None:
    """Raise UsageError where the folder is a published run."""
    if (folder / "MANIFEST.json").exists():
        raise UsageError(
            Problem("this is a published run, which is never changed",
                    "another folder with -o", Location(str(folder)))
        )


def write_file(folder: Path, name: str, body: bytes) -> Path:
    """Write a file and give its path. Raises FilesError."""
    path = folder / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
    except OSError as error:
        reason = error.strerror or str(error)
        raise FilesError(
            Problem(f"cannot be written: {reason}", "", Location(str(path)))
        ) from error
    return path


@click.group(invoke_without_command=True)
@click.pass_context
def templates(ctx: click.Context) -> int:
    """List the shipped templates."""
    if ctx.invoked_subcommand is None:
        for name in _shipped():
            click.echo(name)
    return 0


def _shipped() -> list[str]:
    from evalreport.report.wording import TEMPLATES

    return list(TEMPLATES)


@templates.command()
@click.argument("name")
@click.argument("folder", type=click.Path(path_type=Path))
def copy(name: str, folder: Path) -> int:
    """Copy the template NAME to FOLDER, to be changed there."""
    from evalreport.render.locate import BASE, templates_folder

    known = _shipped()
    if name not in known:
        raise UsageError(f"unknown template '{name}'; {did_you_mean(name, known, 'templates')}")
    if folder.exists():
        raise UsageError(Problem("exists already", "a new folder", Location(str(folder))))
    shutil.copytree(templates_folder() / "standard", folder)
    (folder / BASE).write_text(f"{name}\n", encoding="utf-8")
    click.echo(f"copied {name} to {folder}; use it with --template {folder}")
    return 0
