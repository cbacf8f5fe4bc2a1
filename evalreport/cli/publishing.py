"""One spec to one published run folder: every step of a run, in order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PureWindowsPath
from typing import TYPE_CHECKING, Any

from evalreport.cli.formats import (
    DrawingOptions,
    Drawn,
    check_formats,
    drawn,
    started_printer,
)
from evalreport.cli.progress import Progress
from evalreport.errors import EvalreportError, ExitStatus
from evalreport.record.clock import clock_text
from evalreport.record.hashing import FileRecord, canonical_json
from evalreport.record.manifest import InputFile, RunDetails
from evalreport.record.rows_key import rows_key
from evalreport.record.run_folder import RunFolder
from evalreport.version import __version__

if TYPE_CHECKING:
    from evalreport.engine.counting.reads import Reads
    from evalreport.engine.prepared import Prepared
    from evalreport.spec.load import LoadedSpec


@dataclass(frozen=True)
class RunOptions:
    """How the command was called."""

    runs: Path
    overrides: tuple[str, ...]
    engine: str
    formats: tuple[str, ...] | None
    when: datetime
    fresh: bool = False
    allowed_imports: tuple[str, ...] = ()


@dataclass(frozen=True)
class OneOfSeveral:
    """What a spec shares with others of one call.

    ``reads`` is how its files come in; ``turn`` waits until those before it have ended,
    so that runs are published in the order of the specs.
    """

    reads: Reads | None = None
    turn: Callable[[], None] = lambda: None


def run_spec(
    path: Path,
    options: RunOptions,
    progress: Progress,
    check_runs: Callable[[Path], None],
    shared: OneOfSeveral | None = None,
) -> tuple[ExitStatus, dict[str, Any]]:
    """Evaluate one spec and publish it; the status and a summary.

    Nothing is written before spec, data and RUNS have been found in order; a
    report that cannot be drawn does not keep back the results.
    """
    shared = shared or OneOfSeveral()
    from evalreport.spec.load import load_spec

    loaded = load_spec(path, options.overrides, allow_import=options.allowed_imports)
    formats = check_formats(options.formats or tuple(loaded.spec.report.formats))
    check_runs(options.runs)
    prepared, results, made = _evaluated(loaded, formats, options, progress, shared)
    progress.step("publishing", None)
    outcome = outcome_of(results)
    shared.turn()
    from evalreport.engine.ledgers.kept_rows import keeps_rows, kept_rows

    with RunFolder(options.runs, loaded.sha256, options.when) as folder:
        for name, content in made.files.items():
            folder.write(name, content)
        if keeps_rows(prepared):
            rows = kept_rows(prepared, rows_key(options.runs))
            folder.write("rows.json", canonical_json(rows))
        at = clock_text(options.when)
        published = folder.publish(_details(results, loaded, prepared, outcome, at))
    status = _status(results, made)
    return status, _summary(results, published, made, outcome, status)


def _evaluated(
    loaded: LoadedSpec,
    formats: tuple[str, ...],
    options: RunOptions,
    progress: Progress,
    shared: OneOfSeveral,
) -> tuple[Prepared, dict[str, Any], Drawn]:
    """What was read, the results, and the files drawn from them; nothing is written."""
    with started_printer(formats) as printer:
        # What takes long to import comes after the start, so that the printer loads beside it.
        from evalreport.engine.predicting import Fitting
        from evalreport.engine.prepare import prepare
        from evalreport.engine.run import evaluate

        fitting = Fitting(
            cache=options.runs / ".cache",
            fresh=options.fresh,
            allowed=options.allowed_imports,
            step=progress.step,
            advance=progress.advance,
        )
        prepared = prepare(
            loaded, engine=options.engine, step=progress.step, fitting=fitting, reads=shared.reads,
            watch=progress,
        )
        results = evaluate(prepared, clock_text(options.when), progress.step, progress.advance)
        report = loaded.spec.report
        drawing = DrawingOptions(
            formats=formats,
            template=template_of(loaded),
            when=options.when,
            variant=report.pdf.variant,
            page_size=report.page_size,
            spec_text=loaded.text,
            printer=printer,
        )
        return prepared, results, drawn(results, canonical_json(results), drawing, progress.step)


def template_of(loaded: Any) -> str | Path:
    """The template of a spec: a shipped one by name, or a folder relative to the spec."""
    name = str(loaded.spec.report.template)
    if loaded.folder is not None and ("/" in name or (loaded.folder / name).is_dir()):
        return Path(loaded.folder) / name
    return name


def outcome_of(results: dict[str, Any]) -> str:
    """``passed``, ``failed`` or ``done`` (no criterion to judge by)."""
    if results["failures"]:
        return "failed"
    outcomes = {entry["outcome"] for entry in results["acceptance"]}
    if not outcomes:
        return "done"
    return "passed" if outcomes == {"pass"} else "failed"


def _status(results: dict[str, Any], made: Drawn) -> ExitStatus:
    if made.problems:
        return ExitStatus.FILES
    return ExitStatus.FAILED if outcome_of(results) == "failed" else ExitStatus.DONE


def _details(
    results: dict[str, Any], loaded: Any, prepared: Any, outcome: str, at: str
) -> RunDetails:
    return RunDetails(
        when=at,
        version=__version__,
        outcome=outcome,
        spec=FileRecord(loaded.sha256, len(loaded.text.encode("utf-8"))),
        plan_sha256=prepared.plan.sha256,
        inputs=tuple(
            InputFile("dataset", f"{one.dataset}: {name}", sha256, size)
            for one in prepared.inputs
            for name, sha256, size in (
                one.files or [(_file_name(one.name), one.sha256, one.bytes)]
            )
            if sha256 is not None and size is not None
        ),
        versions=dict(results["provenance"]["versions"]),
        settings={"overrides": list(loaded.overrides), "engine": prepared.engine},
    )


def _file_name(path: str) -> str:
    r"""The last part of a path, by the rules of every system.

    >>> _file_name("/data/a.csv"), _file_name("C:\\data\\a.csv")
    ('a.csv', 'a.csv')
    """
    return PureWindowsPath(Path(path).name).name


def _summary(
    results: dict[str, Any],
    published: Path,
    made: Drawn,
    outcome: str,
    status: ExitStatus,
) -> dict[str, Any]:
    counts = dict.fromkeys(("pass", "fail", "not_evaluated"), 0)
    for entry in results["acceptance"]:
        counts[entry["outcome"]] += 1
    lines = []
    if results["acceptance"]:
        lines.append(
            f"criteria: {counts['pass']} passed, {counts['fail']} failed, "
            f"{counts['not_evaluated']} not evaluated"
        )
    lines += [str(published / name) for name in made.files]
    for failure in results["failures"]:
        lines.append(f"FAILED {failure['section']}: {failure['reason']}")
    _report_problems(made.problems)
    return {
        "title": results["title"],
        "outcome": outcome,
        "status": int(status),
        "run": published.name,
        "files": list(made.files),
        "criteria": counts,
        "cautions": len(results["cautions"]),
        "lines": lines,
    }


def _report_problems(problems: list[EvalreportError]) -> None:
    import sys

    for error in problems:
        for problem in error.problems:
            print(str(problem), file=sys.stderr)
