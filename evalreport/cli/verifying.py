"""``evalreport verify``: files, chain and numbers of a run, or of every run of a folder."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalreport.cli.completing import run_folders
from evalreport.cli.options import ALLOW_HOST, FILE, TRUST, json_option, path_option
from evalreport.errors import FilesError, Problem, UsageError, VerificationError
from evalreport.lines import json_text, one_line
from evalreport.verify.verify import BEYOND, INSTEAD

if TYPE_CHECKING:
    from evalreport.verify.recompute import Numbers


def _beyond() -> list[str]:
    """What verify cannot find, and what finds it."""
    lines = [f"  {one}" for one in BEYOND]
    first = "verify cannot detect, where everything that depends on it is changed too:"
    return [first, *lines, f"these are found by {INSTEAD}"]


def _given(context: click.Context, argument: click.Parameter, run: Path | None) -> Path | None:
    """The run; without one ``--explain`` says what no run tells."""
    if run is None:
        if not context.params["explain"]:
            raise click.MissingParameter(ctx=context, param=argument)
        click.echo("\n".join(_beyond()))
        context.exit(0)
    return run


@click.command()
@click.argument(
    "run",
    type=FILE,
    required=False,
    metavar="RUN",
    callback=_given,
    shell_complete=run_folders,
)
@click.option(
    "--explain",
    is_flag=True,
    is_eager=True,
    help="Also list why numbers of RUN were not recomputed, what verify cannot find and what would "
    "find it; the last two without RUN.",
)
@click.option(
    "--rerun",
    is_flag=True,
    help="Also compute everything again and compare bytes; models are trained again, "
    "no kept predictions are used.",
)
@path_option("--spec", metavar="PATH", told="Where the spec is, for --rerun.")
@click.option(
    "--set",
    "overrides",
    multiple=True,
    metavar="KEY.PATH=VALUE",
    help="An absolute path that the run was given with --set, for --rerun: a run records only the "
    "name of the file.",
)
@click.option(
    "--allow-import",
    "allowed",
    multiple=True,
    metavar="PACKAGE",
    help="Admit a package that the run admitted, for --rerun.",
)
@json_option("What was checked, what was not with the reasons, and problems, as JSON.")
@path_option(
    "--sealed-by", metavar="KEY", told="The public key (PEM) that must have sealed the run."
)
@click.option(
    "--authority",
    "authorities",
    multiple=True,
    type=FILE,
    metavar="CERT",
    help="The certificate of a trusted authority of time stamps; the seal must have a stamp of it.",
)
@click.option(
    "--anchor",
    default=None,
    metavar="SHA256",
    help="The sha256 of a line of the history that was kept elsewhere: it must still be there, at "
    "or after the line of the run.",
)
@TRUST
@ALLOW_HOST
def verify(
    run: Path,
    explain: bool,
    rerun: bool,
    spec: Path | None,
    overrides: tuple[str, ...],
    allowed: tuple[str, ...],
    as_json: bool,
    trusted: tuple[str, ...],
    hosts: tuple[str, ...],
    **elsewhere: Any,
) -> int:
    """Check RUN (a run folder, or a folder of runs) against manifest, chain and tables."""
    from evalreport.verify.verify import anchor_problems, is_folder_of_runs

    sealed_by, anchor = elsewhere["sealed_by"], elsewhere["anchor"]
    if is_folder_of_runs(run):
        if rerun:
            raise UsageError("--rerun needs one run; give the folder of a run")
        found = _of_folder(run)
    else:
        found = _of_run(run)
        if rerun and not found.problems:
            from evalreport.cli.progress import Progress
            from evalreport.cli.redrawing import rerun_problems

            with Progress() as progress:
                found.problems += rerun_problems(
                    run, spec, allowed, trusted, hosts, progress, overrides
                )
            found.what += ", and the same bytes again from the data"
    if anchor is not None:
        found.problems += anchor_problems(run, anchor)
        found.what += ", the line of the history that was kept elsewhere"
    found.outside = rerun or sealed_by is not None or anchor is not None
    for check in _seals(run, sealed_by, elsewhere["authorities"]):
        found.problems += [one for one in check.problems if one not in found.problems]
        found.seals += [one_line(check.said)] if check.said else []
    if as_json:
        click.echo(json_text(found.as_json(), indent=1))
    if found.problems:
        raise VerificationError(*found.problems)
    if not as_json:
        click.echo("\n".join(found.explained() if explain else found.lines()))
    return 0


@dataclass
class Verified:
    """What verify looked at, and what it found; ``left_out`` as in Numbers.

    ``partly``: files that were compared in part, or not at all, which the first line names.
    ``outside``: something that is not in the run was looked at too, the data, a key or a line
    of the history kept elsewhere.
    """

    what: str
    problems: list[Problem] = field(default_factory=list)
    recomputed: int = 0
    left_out: Counter[tuple[str, str]] = field(default_factory=Counter)
    seals: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    outside: bool = False
    partly: list[str] = field(default_factory=list)

    def add(self, numbers: Numbers) -> None:
        """Count the numbers of a run, with what is wrong with them."""
        self.problems += [one for one in numbers.problems if one not in self.problems]
        self.recomputed += numbers.recomputed
        self.left_out.update(numbers.left_out)

    @property
    def numbers(self) -> Numbers:
        """The numbers of all results that were looked at."""
        from evalreport.verify.recompute import Numbers

        return Numbers(tuple(self.problems), self.recomputed, self.left_out)

    def lines(self) -> list[str]:
        """What is said where nothing is wrong."""
        numbers = self.numbers
        lines = [
            "; ".join([f"verified: {self.what}", *self.partly]),
            *self.seals,
            *(f"note: {one_line(note)}" for note in self.notes),
            f"{numbers.recomputed:,} of {numbers.all:,} numbers of results.json recomputed",
        ]
        if not self.outside:
            why = f"why {sum(numbers.left_out.values()):,} were not, " if numbers.left_out else ""
            lines.append(f"verify --explain: {why}what cannot be found here, and what finds it")
        return lines

    def explained(self) -> list[str]:
        """The same with the reasons why numbers were left out, and what cannot be found."""
        lines = replace(self, outside=True).lines()
        if self.left_out:
            lines.append("not recomputed, because")
        for reason, fields in self.numbers.reasons.items():
            names = ", ".join(sorted(fields, key=lambda name: -fields[name]))
            lines.append(f"  {sum(fields.values()):,}: {reason} ({names})")
        return [*lines, *_beyond()]

    def as_json(self) -> dict[str, Any]:
        """The same as data."""
        numbers = self.numbers
        return {
            "what": self.what,
            "checked": numbers.recomputed,
            "numbers": numbers.all,
            "unchecked": [
                {"reason": reason, "count": sum(fields.values()), "fields": fields}
                for reason, fields in numbers.reasons.items()
            ],
            "seals": self.seals,
            "notes": self.notes,
            "partly": self.partly,
            "problems": [
                {"what": one.what, "instead": one.instead or None, "where": _place(one)}
                for one in self.problems
            ],
        }


def _seals(run: Path, key: Path | None, authorities: tuple[Path, ...]) -> list[Any]:
    """The seals of a run, or of each of a folder of runs, held against what is trusted."""
    from evalreport.runs.runs import run_folders as runs_in
    from evalreport.seal.check import Trusted, check_seal
    from evalreport.verify.verify import is_folder_of_runs

    folders = list(runs_in(run)) if is_folder_of_runs(run) else [run]
    return [check_seal(folder, Trusted(key, authorities)) for folder in folders]


def _place(problem: Problem) -> str | None:
    return None if problem.where is None else str(problem.where)


def _of_run(run: Path) -> Verified:
    """One run: its files, the chain beside it, and its numbers where the files are right."""
    from evalreport.verify.recorded_models import NO_SPEC
    from evalreport.verify.verify import is_recorded, verify_numbers, verify_run

    found = Verified(
        "every file against the manifest, every number that can be recomputed from its tables"
    )
    found.problems += verify_run(run)
    if not found.problems:
        numbers = verify_numbers(run)
        found.add(numbers)
        if NO_SPEC in numbers.reasons:
            found.partly.append("results.json: numbers NOT recomputed, as its spec cannot be read")
        _draw_again(run, found)
        if not is_recorded(run):
            found.what += (
                "; there is no history beside it, which would show whether all of it was redone"
            )
    return found


def _draw_again(run: Path, found: Verified) -> None:
    """Every file of the run from its results, and the manifest against them."""
    from evalreport.cli.redrawing import redraw
    from evalreport.cli.rendering import read_results

    try:
        data, results = read_results(run / "results.json")
    except FilesError:
        return  # it was told why its numbers cannot be read
    drawn = redraw(run, data, results)
    found.problems += drawn.problems
    found.notes += drawn.notes
    if drawn.same:
        found.what += f", {', '.join(drawn.same)} drawn again byte by byte"
    found.partly += drawn.partly


def _of_folder(runs: Path) -> Verified:
    """Every run of a folder: files, chain, and the numbers of those whose files are right."""
    from evalreport.runs.runs import run_folders as folders_in
    from evalreport.verify.verify import verify_numbers, verify_runs

    found = Verified(
        "every run and the chain of records, every number that can be recomputed from tables"
    )
    found.partly.append("pages, PDFs and tables: NOT compared (give one run)")
    found.problems += verify_runs(runs)
    if not found.problems:
        for run in folders_in(runs):
            found.add(verify_numbers(run))
    return found
