"""Commands that draw: render, templates."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalreport.cli.completing import template_names
from evalreport.cli.options import FILE, path_option
from evalreport.errors import (
    ExitStatus,
    Location,
    Problem,
    UsageError,
    did_you_mean,
    explained,
)

if TYPE_CHECKING:
    from evalreport.publish.formats import DrawingOptions
    from evalreport.report.signing import Signed
    from evalreport.results.lookup import Results


@click.command()
@click.argument("results", type=FILE)
@click.option(
    "--template",
    default=None,
    metavar="T",
    shell_complete=template_names,
    help="A shipped template by name, or a folder or file of your own.",
)
@path_option(
    "-o",
    "--output",
    metavar="FOLDER",
    told="Where to write; the current folder by default.",
    default=Path(),
)
@click.option(
    "--formats",
    default=None,
    metavar="html,pdf,...",
    help="Formats to write; by default those of the spec in the results.",
)
def render(results: Path, template: str | None, output: Path, formats: str | None) -> int:
    """Draw the report again from RESULTS.json alone: no data, no recomputation."""
    from evalreport.cli.progress import Progress, tell
    from evalreport.publish.formats import check_formats, drawn

    data, content = read_results(results)
    report = content.spec.get("report") or {}
    asked = formats.split(",") if formats else report.get("formats") or ["html", "pdf"]
    wanted = check_formats(tuple(f.strip() for f in asked if f.strip()))
    options = drawing_options(content, template, wanted)
    refuse_run(output)
    with Progress() as progress:
        made = drawn(data, options, progress.step)
    for name, body in made.files.items():
        if name not in ("results.json", "measures.csv"):
            click.echo(str(write_file(output, name, body)))
    if made.problems:
        raise made.problems[0]
    tell([f"FAILED {text}" for text in made.failed])
    return int(ExitStatus.FAILED if made.failed else ExitStatus.DONE)


def drawing_options(
    content: Results,
    template: str | None,
    formats: tuple[str, ...],
    signed: Signed | None = None,
) -> DrawingOptions:
    """How results say that their report is drawn; ``template`` replaces theirs."""
    from evalreport.publish.formats import DrawingOptions

    report, spec = content.spec.get("report") or {}, content.provenance.spec
    return DrawingOptions(
        formats=formats,
        template=_template(template or str(report.get("template") or "standard")),
        when=when_of(content),
        variant=(report.get("pdf") or {}).get("variant", "pdf/a-3a"),
        page_size=report.get("page_size", "a4"),
        spec_text="" if spec is None else spec.text,
        signed=signed,
    )


def _template(name: str) -> Any:
    path = Path(name)
    return path if path.exists() or "/" in name else name


def read_results(path: Path) -> tuple[bytes, Results]:
    """A results.json: its bytes and its records. Raises FilesError."""
    from evalreport.engine.reference.run import read_file, records_of

    data = read_file(path)
    return data, records_of(data, Location(str(path)))


def when_of(content: Results) -> datetime:
    """The run's clock as results record it."""
    try:
        return datetime.fromisoformat(content.provenance.at)
    except ValueError:
        return datetime.fromtimestamp(0, UTC)


def refuse_run(folder: Path, option: str = "-o") -> None:
    """Raise UsageError where the folder is a published run; another is named with ``option``."""
    if (folder / "MANIFEST.json").exists():
        raise UsageError(
            Problem(
                "this is a published run, which is never changed",
                f"another folder with {option}",
                Location(str(folder)),
            )
        )


def write_file(folder: Path, name: str, body: bytes) -> Path:
    """Write a file and give its path. Raises FilesError."""
    path = folder / name
    with explained("cannot be written", path, ""):
        folder.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
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
@click.argument("name", shell_complete=template_names)
@click.argument("folder", type=FILE)
def copy(name: str, folder: Path) -> int:
    """Copy the template NAME to FOLDER, to be changed there."""
    from evalreport.render.locate import BASE
    from evalreport.render.shipped import templates_folder

    known = _shipped()
    if name not in known:
        raise UsageError(f"unknown template '{name}'; {did_you_mean(name, known, 'templates')}")
    if folder.exists():
        raise UsageError(Problem("exists already", "a new folder", Location(str(folder))))
    shutil.copytree(templates_folder() / "standard", folder)
    (folder / BASE).write_text(f"{name}\n", encoding="utf-8")
    click.echo(f"copied {name} to {folder}; use it with --template {folder}")
    return 0
