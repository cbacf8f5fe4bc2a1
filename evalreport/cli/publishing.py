"""One spec to one published run folder: every step of a run, in order."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalreport.cli.progress import Progress, say
from evalreport.errors import EvalreportError, ExitStatus, Problem
from evalreport.publish.folder import check_positive, published, template_of
from evalreport.publish.formats import (
    DrawingOptions,
    Drawn,
    check_formats,
    drawn,
    named_formats,
    started_printer,
    without_default_pdf,
)
from evalreport.results.lookup import outcome_of
from evalreport.results.records import CONTINUE, verdict_of
from evalreport.runs.clock import clock_text
from evalreport.runs.hashing import canonical_json
from evalreport.runs.signals import status_of_signal
from evalreport.version import __version__

if TYPE_CHECKING:
    from evalreport.engine.counting.reads import Reads
    from evalreport.engine.prepared import Prepared
    from evalreport.engine.reference.run import ReferenceRun
    from evalreport.results.lookup import Results
    from evalreport.spec.load import LoadedSpec


@dataclass(frozen=True)
class RunOptions:
    """How the command was called."""

    runs: Path
    overrides: tuple[str, ...]
    engine: str
    formats: tuple[str, ...] | None
    when: datetime
    clock: str
    fresh: bool = False
    allowed_imports: tuple[str, ...] = ()
    trusted: tuple[str, ...] = ()
    allowed_hosts: tuple[str, ...] = ()

    def load(self, path: Path) -> LoadedSpec:
        """A spec with what the call overrides and allows. Raises as ``load_spec``."""
        from evalreport.spec.load import load_spec

        return load_spec(
            path,
            self.overrides,
            allow_import=self.allowed_imports,
            allow_hosts=self.allowed_hosts,
        )


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

    Nothing is written before spec, data and RUNS have been found in order, but the line of
    the attempt; a report that cannot be drawn does not keep back the results.
    """
    try:
        return _run_spec(path, options, progress, check_runs, shared or OneOfSeveral())
    except (EvalreportError, OSError, MemoryError) as error:
        # where a library made an error of what stopped the run, who stopped it leaves the line
        if status_of_signal() is None:
            own = error.status if isinstance(error, EvalreportError) else ExitStatus.FILES
            leave_line(path, options, own)
        raise


def leave_line(path: Path, options: RunOptions, status: int, *, unless_made: bool = False) -> None:
    """What a night leaves that came to nothing: its line in the history.

    None where ``unless_made`` and its run is recorded, published as its time was over.
    """
    from evalreport.runs.run_folder import attempted_run, record_attempt

    if status not in (ExitStatus.USAGE, ExitStatus.DATA, ExitStatus.FILES):
        return
    record_attempt(
        options.runs,
        attempted_run(path, options.overrides),
        int(status),
        when=clock_text(options.when),
        version=__version__,
        unless_made=unless_made,
    )


def _run_spec(
    path: Path,
    options: RunOptions,
    progress: Progress,
    check_runs: Callable[[Path], None],
    shared: OneOfSeveral,
) -> tuple[ExitStatus, dict[str, Any]]:
    from evalreport.publish.installed import check_installed
    from evalreport.publish.refusals import check_names

    loaded = options.load(path)
    formats = check_formats(options.formats or tuple(loaded.spec.report.formats))
    check_names(loaded)
    check_installed(loaded, formats, options.engine)
    check_runs(options.runs)
    prepared, results, made = _evaluated(loaded, formats, options, progress, shared)
    if options.formats is None and not named_formats(loaded.document.root):
        for missing in without_default_pdf(made):
            progress.note(f"there is no PDF, the HTML report is whole: {missing.problems[0]}")
    progress.step("publishing", None)
    shared.turn()
    run = published(options.runs, prepared, results, made.files, options.when)
    status = _status(results, made)
    return status, _summary(results, run, made, outcome_of(results), status, loaded.notes)


def _evaluated(
    loaded: LoadedSpec,
    formats: tuple[str, ...],
    options: RunOptions,
    progress: Progress,
    shared: OneOfSeveral,
) -> tuple[Prepared, Results, Drawn]:
    """What was read, the results, and the files drawn from them; nothing is written."""
    with started_printer(formats) as printer:
        # What takes long to import comes after the start, so that the printer loads beside it.
        from evalreport.engine.predicting import Fitting
        from evalreport.engine.read_and_plan import prepare
        from evalreport.engine.run import evaluate
        from evalreport.results.codec import encode
        from evalreport.runs.history import earlier_runs, run_before

        _keep_modules()
        fitting = Fitting(
            cache=options.runs / ".cache",
            fresh=options.fresh,
            allowed=options.allowed_imports,
            trusted=options.trusted,
            step=progress.step,
            advance=progress.advance,
        )
        prepared = prepare(
            loaded,
            engine=options.engine,
            step=progress.step,
            fitting=fitting,
            reads=shared.reads,
            watch=progress,
        )
        check_positive(options.runs, prepared)
        for note in prepared.plan.notes:
            progress.note(note)
        at = clock_text(options.when)
        earlier = earlier_runs(options.runs, loaded.series) if loaded.spec.cadence else ()
        results = evaluate(
            prepared,
            at,
            progress.step,
            progress.advance,
            clock=options.clock,
            before=_look_before(options.runs, loaded) if loaded.spec.looks else None,
            earlier=earlier,
            preceding=run_before(options.runs, earlier, loaded.spec.as_of or at),
        )
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
        data = canonical_json(encode(results))
        return prepared, results, drawn(data, drawing, progress.step)


def _keep_modules() -> None:
    """Take the modules loaded so far out of the search for cycles: they stay until the end.

    To take them apart as the process ends is a tenth of a short run. DuckDB, which tells of
    leaks unless its own are, is loaded later, when rows are read.
    """
    if "duckdb" not in sys.modules:
        gc.freeze()


def _look_before(runs: Path, loaded: LoadedSpec) -> ReferenceRun | None:
    """The newest run of the series, whose looks this one goes on with."""
    from evalreport.engine.reference.looks import look_before
    from evalreport.runs.row_digests import with_rows_counted

    return with_rows_counted(look_before(runs, loaded.series), runs)


def _status(results: Results, made: Drawn) -> ExitStatus:
    if made.problems:
        return ExitStatus.FILES
    failed = made.failed or outcome_of(results) == "failed"
    return ExitStatus.FAILED if failed else ExitStatus.DONE


def _summary(
    results: Results,
    run: Path,
    made: Drawn,
    outcome: str,
    status: ExitStatus,
    notes: Sequence[Problem],
) -> dict[str, Any]:
    counts = dict.fromkeys(("pass", "fail", "not_evaluated"), 0)
    going_on = sum(entry.outcome == CONTINUE for entry in results.acceptance)
    for entry in results.acceptance:
        if entry.outcome != CONTINUE:
            counts[verdict_of(entry.outcome)] += 1
    if going_on:
        counts[CONTINUE] = going_on
    from evalreport.report import terminal
    from evalreport.report.contents import Contents
    from evalreport.report.criteria import counted_outcomes
    from evalreport.results.codec import encode

    lines = terminal.headline_lines(results)
    if results.acceptance:
        lines.append(
            f"{counted_outcomes(Contents(results))}: {counts['pass']} passed, "
            f"{counts['fail']} failed, "
            f"{counts['not_evaluated']} not evaluated"
            + (f", {going_on} to be continued" if going_on else "")
            + ("; this run is not a look" if terminal.is_backfill(results) else "")
        )
    lines += terminal.look_lines(results)
    lines += [str(run / name) for name in made.files]
    broken = [f"FAILED {f.section}: {f.reason}" for f in results.failures]
    broken += [f"FAILED {text}" for text in made.failed]
    _report_problems(made.problems)
    return {
        "title": results.title,
        "outcome": outcome,
        "status": int(status),
        "run": run.name,
        "files": list(made.files),
        "criteria": counts,
        "cautions": len(results.cautions),
        "headline": terminal.headline(results),
        "failed": terminal.failed(results),
        "warnings": terminal.warnings(results),
        **({"looks": [encode(look) for look in results.looks]} if results.looks else {}),
        "failures": [encode(failure) for failure in results.failures],
        "lines": lines,
        "failed_lines": [*terminal.failed_lines(results), *broken],
        "warning_lines": [*(str(note) for note in notes), *terminal.warning_lines(results)],
    }


def _report_problems(problems: list[EvalreportError]) -> None:
    for error in problems:
        for problem in error.problems:
            say(str(problem), "problem")
