"""``evalreport verify --rerun``: everything computed again and compared byte by byte."""

from __future__ import annotations

from pathlib import Path

from evalreport.cli.progress import Progress
from evalreport.cli.redrawing import formats_in
from evalreport.cli.rendering import read_results, when_of
from evalreport.engine.due import EarlierRun
from evalreport.engine.reference.run import ReferenceRun, read_reference
from evalreport.errors import FilesError, Location, Problem, UsageError
from evalreport.publish.folder import template_of
from evalreport.publish.formats import DrawingOptions, drawn
from evalreport.record.counted_rows import with_rows_counted
from evalreport.record.earlier import earlier_runs
from evalreport.record.hashing import canonical_json
from evalreport.results.lookup import Results
from evalreport.results.records import CountingEngine, Look
from evalreport.spec.load import LoadedSpec


def rerun_problems(
    run: Path,
    spec: Path | None,
    allowed: tuple[str, ...],
    trusted: tuple[str, ...],
    hosts: tuple[str, ...],
    progress: Progress,
    given: tuple[str, ...] = (),
) -> list[Problem]:
    """Files of a run that do not come out the same again from its spec and data.

    The spec is looked for where ``spec`` says, else by its name in the current
    folder; it must have the hash that the run recorded. Models are trained again: kept
    predictions are those of the run, and would agree with it whatever they hold.
    ``allowed`` are packages that the caller admits, ``trusted`` types of saved models, ``hosts``
    computers; what the run names is not trusted for being named there. ``given`` are overrides in
    place of recorded ones: of a path that was absolute, the run holds the name alone.
    """
    from evalreport.engine.predicting import Fitting
    from evalreport.engine.prepare import prepare
    from evalreport.engine.run import evaluate
    from evalreport.results.codec import encode
    from evalreport.spec.load import load_spec
    from evalreport.spec.overrides import replaced

    _, results = read_results(run / "results.json")
    made_by, recorded = results.provenance, results.provenance.spec
    if recorded is None:
        hint = "the results of a spec that is a file"
        raise UsageError(Problem("these results were made without one", hint, Location(str(run))))
    path = spec or Path(recorded.name)
    if spec is None and not path.is_file():
        raise FilesError(
            Problem(
                "the spec of this run is not in the current folder",
                "where it is, with --spec PATH",
                Location(str(path)),
            )
        )
    overrides = replaced(recorded.overrides, given)
    loaded = load_spec(path, overrides, allow_import=allowed, allow_hosts=hosts)
    if loaded.sha256 != recorded.sha256:
        raise UsageError(
            Problem(
                "is not the spec of this run: its sha256 differs",
                "the spec as it was, with --spec",
                Location(str(path)),
            )
        )
    when = when_of(results)
    fitting = Fitting(
        allowed=allowed, trusted=trusted, step=progress.step, advance=progress.advance
    )
    prepared = prepare(loaded, engine=_engine(made_by.engine), step=progress.step, fitting=fitting)
    again = evaluate(
        prepared,
        made_by.at,
        progress.step,
        progress.advance,
        clock=made_by.clock,
        before=_look_before(run, results),
        earlier=_earlier(run, loaded),
    )
    data = canonical_json(encode(again))
    report = loaded.spec.report
    made = drawn(
        data,
        DrawingOptions(
            formats=formats_in(run),
            template=template_of(loaded),
            when=when,
            variant=report.pdf.variant,
            page_size=report.page_size,
            spec_text=loaded.text,
        ),
        progress.step,
    )
    return [
        Problem(f"{name} comes out differently", "", Location(str(run / name)))
        for name, content in sorted(made.files.items())
        if (run / name).is_file() and (run / name).read_bytes() != content
    ]


def _earlier(run: Path, loaded: LoadedSpec) -> tuple[EarlierRun, ...]:
    """The runs that stood in the series when this one was made, as far as it lies among them."""
    own = run.resolve()
    if loaded.spec.cadence is None:
        return ()
    return earlier_runs(own.parent, loaded.series, own.name)


def _look_before(run: Path, results: Results) -> ReferenceRun | None:
    """The run whose looks this one went on with, which stands beside it. Raises FilesError."""
    names = {one.previous for one in results.of(Look) if one.previous is not None}
    for name in sorted(names):
        path = run.resolve().parent / name
        return with_rows_counted(read_reference(path, Location(str(path))), path.parent)
    return None


def _engine(made_by: CountingEngine | None) -> str:
    """The engine to ask for: what was asked for, where that is what counted.

    Earlier releases loaded the rows where an engine that was named could not count them.
    """
    if made_by is None:
        return "auto"
    return made_by.asked if made_by.asked in ("auto", made_by.name) else "memory"
