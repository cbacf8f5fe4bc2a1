"""``evalreport verify --rerun``: everything computed again and compared byte by byte."""

from __future__ import annotations

from pathlib import Path

from evalreport.cli.formats import DrawingOptions, drawn
from evalreport.cli.progress import Progress
from evalreport.cli.publishing import template_of
from evalreport.cli.rendering import read_results, when_of
from evalreport.errors import FilesError, Location, Problem, UsageError
from evalreport.record.hashing import canonical_json


def rerun_problems(
    run: Path, spec: Path | None, allowed: tuple[str, ...], progress: Progress
) -> list[Problem]:
    """Files of a run that do not come out the same again from its spec and data.

    The spec is looked for where ``spec`` says, else by its name in the current
    folder; it must have the hash that the run recorded. Models are trained again: kept
    predictions are those of the run, and would agree with it whatever they hold.
    ``allowed`` are packages that the caller admits; those that the run names are not
    trusted for being named there.
    """
    from evalreport.engine.predicting import Fitting
    from evalreport.engine.prepare import prepare
    from evalreport.engine.run import evaluate
    from evalreport.spec.load import load_spec

    _, results = read_results(run / "results.json")
    recorded = results["provenance"]["spec"]
    path = spec or Path(recorded["name"])
    if spec is None and not path.is_file():
        raise FilesError(
            Problem("the spec of this run is not in the current folder",
                    "where it is, with --spec PATH", Location(str(path)))
        )
    loaded = load_spec(path, tuple(recorded.get("overrides", ())), allow_import=allowed)
    if loaded.sha256 != recorded["sha256"]:
        raise UsageError(
            Problem("is not the spec of this run: its sha256 differs",
                    "the spec as it was, with --spec", Location(str(path)))
        )
    when = when_of(results)
    fitting = Fitting(allowed=allowed, step=progress.step, advance=progress.advance)
    engine = results["provenance"]["engine"].get("asked", "auto")
    prepared = prepare(loaded, engine=engine, step=progress.step, fitting=fitting)
    at = str(results["provenance"]["at"])
    again = evaluate(prepared, at, progress.step, progress.advance)
    data = canonical_json(again)
    report = loaded.spec.report
    made = drawn(
        again,
        data,
        DrawingOptions(
            formats=_formats(run),
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


def _formats(run: Path) -> tuple[str, ...]:
    """The formats whose files are in the run."""
    names = {
        "report.html": "html",
        "report.pdf": "pdf",
        "summary.md": "markdown",
        "tables.csv": "csv",
        "criteria.xml": "junit",
        "model-index.yaml": "model_index",
        "measures.tex": "latex",
    }
    return tuple(kind for name, kind in names.items() if (run / name).is_file())
