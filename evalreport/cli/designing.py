"""The command that plans a study: is it large enough for its own criteria?"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evalreport.cli.options import SET, SPEC, json_option, listed, path_option
from evalreport.lines import json_text, one_line

if TYPE_CHECKING:
    from datetime import datetime

    from evalreport.design.reader_study import ReaderSizes
    from evalreport.design.study import Planned, PlannedTest, Point, StudyDesign


@click.command()
@SPEC
@SET
@json_option("The design as JSON with its hash.")
@path_option(
    "-o",
    "--output",
    metavar="FOLDER",
    told="Also write the protocol there: protocol.json, protocol.html, protocol.pdf.",
)
@click.option(
    "--formats",
    default="html,pdf",
    metavar="html,pdf",
    help="Formats of the protocol, in addition to its JSON.",
)
@click.option("--at", default=None, help="The time of the run, as ISO 8601 text.")
def design(
    spec: Path,
    overrides: tuple[str, ...],
    as_json: bool,
    output: Path | None,
    formats: str,
    at: str | None,
) -> int:
    """Say whether the study of SPEC is large enough, before there are any data.

    For each acceptance criterion and for all together: the chance that it passes if the true
    values are those of `design: {expect: ...}`, and the rows that the wanted chance takes.
    """
    from evalreport.cli.progress import Progress
    from evalreport.design.study import plan_study
    from evalreport.runs.clock import read_clock
    from evalreport.spec.load import load_spec

    wanted = listed("a protocol", "format", formats, ("html", "pdf"))
    when = read_clock(at, os.environ)
    loaded = load_spec(spec, overrides)
    with Progress() as progress:
        study = plan_study(loaded, progress.step)
        if output is not None:
            progress.step("drawing the protocol")
            for name, body in _files(study, wanted, when).items():
                _write(output, name, body)
    if as_json:
        click.echo(json_text(study.as_json(), indent=1))
    else:
        for line in _lines(study):
            click.echo(one_line(line))
    return 0


def _files(study: StudyDesign, formats: tuple[str, ...], when: datetime) -> dict[str, bytes]:
    """The files of the protocol, all made before any is written."""
    from evalreport.render.html import page_of
    from evalreport.render.pdf import render_pdf
    from evalreport.report.protocol import protocol
    from evalreport.runs.clock import clock_text
    from evalreport.version import __version__

    body = study.as_json()
    text = json.dumps(body, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    found = {"protocol.json": text.encode()}
    if not formats:
        return found
    report = protocol(body, clock_text(when), __version__)
    if "html" in formats:
        found["protocol.html"] = page_of(report).encode()
    if "pdf" in formats:
        found["protocol.pdf"] = render_pdf(
            page_of(report, paper=True),
            attachments={"protocol.json": found["protocol.json"]},
            at=when,
        )
    return found


def _write(folder: Path, name: str, body: bytes) -> None:
    from evalreport.cli.rendering import refuse_run, write_file

    refuse_run(folder)
    click.echo(str(write_file(folder, name, body)), err=True)


def _lines(study: StudyDesign) -> list[str]:
    """The design for a terminal."""
    expected = ", ".join(f"{name} {value:g}" for name, value in study.expect.items())
    lines = [f"{study.title}: power if {expected}"]
    for model, assumed in study.references.items():
        for name, told in assumed.items():
            values = ", ".join(f"{key} {value:g}" for key, value in told.items())
            lines.append(f"reference {model}: {name} {values}")
    lines.append("")
    for one in study.criteria:
        lines += [one.text, *(f"  {line}" for line in _told(one, study))]
    lines += ["", "all criteria together"]
    if study.joint is not None:
        lines.append(f"  power with {study.joint.rows} rows: {_chance(study.joint)}")
    if study.joint_needed is not None:
        lines.append(f"  rows for a power of {study.wanted:g}: {study.joint_needed}")
    if study.joint_reason:
        lines.append(f"  {study.joint_reason}")
    return [*lines, *(f"note: {note}" for note in study.notes), "", f"protocol {study.sha256}"]


def _told(one: Planned, study: StudyDesign) -> list[str]:
    found = []
    if one.expected is not None:
        rule = one.method.replace("_", " ") if one.method else "the value itself"
        found.append(f"expected {one.expected:.4g}, judged by {rule}")
    if one.at_rows is not None:
        found.append(f"power with {one.at_rows.rows} rows: {_chance(one.at_rows)}")
    if one.needed is not None:
        early = f" (first reached at {one.first})" if one.first not in (None, one.needed) else ""
        found.append(f"rows for a power of {study.wanted:g}: {one.needed}{early}")
    if one.clusters_needed is not None:
        found.append(f"they are of {one.clusters_needed} clusters")
    if one.denominator_needed is not None:
        found.append(f"of them below the line of the share: {one.denominator_needed}")
    if one.reason:
        found.append(f"not given: {one.reason}")
    if one.test is not None:
        found += _of_test(one.test, study.wanted)
    if one.readers is not None:
        found += _of_readers(one.readers, study.wanted)
    if one.reader_test is not None:
        name = one.reader_test.name.replace("_", " ")
        found.append(f"tested for any difference by {name}, alpha {one.reader_test.alpha:g}")
        found += [f"  {line}" for line in _of_readers(one.reader_test.sizes, study.wanted)]
    return found


def _of_readers(sizes: ReaderSizes, wanted: float) -> list[str]:
    found = []
    if (one := sizes.planned) is not None:
        found.append(f"power with {one.readers} readers of {one.cases} cases: {one.power:.3f}")
    if sizes.cases_needed is not None:
        found.append(f"cases for a power of {wanted:g} with these readers: {sizes.cases_needed}")
    if sizes.readers_needed is not None:
        found.append(f"readers for it with these cases: {sizes.readers_needed}")
    pairs = ", ".join(
        f"{readers} x {'no number' if cases is None else cases}" for readers, cases in sizes.pairs
    )
    return [*found, f"readers x cases for it: {pairs}"]


def _of_test(test: PlannedTest, wanted: float) -> list[str]:
    found = [f"tested for any difference by {test.name.replace('_', ' ')}, alpha {test.alpha:g}"]
    if test.at_rows is not None:
        found.append(f"  power with {test.at_rows.rows} rows: {_chance(test.at_rows)}")
    if test.needed is not None:
        found.append(f"  rows for a power of {wanted:g}: {test.needed}")
    if test.denominator_needed is not None:
        found.append(f"  of them below the line of the share: {test.denominator_needed}")
    if test.reason:
        found.append(f"  not given: {test.reason}")
    return found


def _chance(point: Point) -> str:
    drawn = "exact" if point.error is None else f"drawn, standard error {point.error:.3f}"
    return f"{point.power:.3f} ({drawn})"
