"""The files of a run: results.json and what is drawn from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalreport.errors import (
    EvalreportError,
    LimitError,
    MissingLibraryError,
    RenderingError,
    UsageError,
    did_you_mean,
)
from evalreport.spec.formats import FILES

if TYPE_CHECKING:
    from evalreport.render.limited import Child
    from evalreport.report.signing import Signed
    from evalreport.results.lookup import Results

Step = Callable[[str, int | None], None]


@dataclass
class Drawn:
    """The files that were made, by name, and what could not be.

    ``failed``: parts that failed unexpectedly; the files they belong to say so, or are left out.
    """

    files: dict[str, bytes] = field(default_factory=dict)
    problems: list[EvalreportError] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class DrawingOptions:
    """What to draw and how: formats, template, clock, PDF variant and paper, the spec's text.

    ``printer`` is a process for the PDF that was started before, with its own context.
    """

    formats: tuple[str, ...]
    template: str | Path
    when: datetime
    variant: str = "pdf/a-3a"
    page_size: str = "a4"
    spec_text: str = ""
    signed: Signed | None = None
    printer: Child | None = None


def started_printer(formats: tuple[str, ...]) -> AbstractContextManager[Child | None]:
    """A process that loads the writer of the PDF beside the work before it, where one is needed."""
    if "pdf" not in formats:
        return nullcontext()
    from evalreport.render.limited import Child

    # What cannot begin now is tried again, and told, where the page is laid out.
    with suppress(RenderingError):
        return Child("pdf")
    return nullcontext()


def named_formats(root: Any) -> bool:
    """Whether a spec, as it was written, names its formats: then each of them is needed."""
    report = root.get("report") if isinstance(root, dict) else None
    return isinstance(report, dict) and "formats" in report


def without_default_pdf(made: Drawn) -> list[EvalreportError]:
    """Take back what is missing for a PDF that nobody asked for by name; what was taken back."""
    missing = [one for one in made.problems if isinstance(one, MissingLibraryError)]
    if "report.html" in made.files:
        made.problems[:] = [one for one in made.problems if one not in missing]
        return list(missing)
    return []


def check_formats(asked: tuple[str, ...]) -> tuple[str, ...]:
    """The formats, or a UsageError naming those that are not known."""
    wrong = [name for name in asked if name not in FILES]
    if wrong:
        raise UsageError(
            *(f"unknown format '{n}'; {did_you_mean(n, FILES, 'formats')}" for n in wrong)
        )
    return asked


def drawn(data: bytes, options: DrawingOptions, step: Step) -> Drawn:
    """results.json (``data``), measures.csv and every format that was asked for.

    Everything is drawn from the records in ``data``, so that `render` makes the same bytes. A
    template or page that fails is a problem of its format alone; the rest is made. Raises
    FilesError where ``data`` holds no results.
    """
    from evalreport.report.csv import measures_csv
    from evalreport.results.codec import decode
    from evalreport.runs.hashing import parse_json

    results = decode(parse_json(data))
    made = Drawn({"results.json": data})
    _other(made, "csv", "measures.csv", lambda: measures_csv(results))
    if "html" in options.formats or "pdf" in options.formats:
        # Nobody started it for more than this: then it loads while the page is drawn.
        with (
            nullcontext(options.printer)
            if options.printer
            else started_printer(options.formats) as printer
        ):
            _pages(made, results, data, replace(options, printer=printer), step)
    if "docx" in options.formats:
        step("writing the Word document", None)
        _document(made, results, options)
    if "figures" in options.formats:
        step("drawing the figures", None)
        _figures(made, results, options)
    for name, make in _OTHERS.items():
        if name in options.formats:
            _other(made, name, FILES[name], partial(make, results, data))
    return made


def _other(made: Drawn, name: str, file: str, make: Callable[[], bytes]) -> None:
    """Add the file of a format; one that fails unexpectedly is left out, and told."""
    try:
        made.files[file] = make()
    except (EvalreportError, OSError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001 - told, with status 1
        made.failed.append(f"{name}: it could not be made ({type(error).__name__}: {error})")


def _pages(made: Drawn, results: Results, data: bytes, options: DrawingOptions, step: Step) -> None:
    from evalreport.render.html import render_html

    step("drawing the report", None)
    try:
        page = render_html(results, options.template, options.signed, made.failed)
    except (RenderingError, LimitError) as error:
        made.problems.append(error)
        return
    except (EvalreportError, OSError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001 - told, with status 1
        made.failed.append(f"html: the page could not be made ({type(error).__name__}: {error})")
        return
    if "html" in options.formats:
        made.files[FILES["html"]] = page.encode("utf-8")
    if "pdf" in options.formats:
        from evalreport.render.pdf import render_pdf

        step("laying out the PDF", None)
        attached = {"results.json": data, "spec.yaml": options.spec_text.encode("utf-8")}
        try:
            made.files[FILES["pdf"]] = render_pdf(
                page,
                variant=options.variant,
                attachments=attached,
                at=options.when,
                page=options.page_size,
                child=options.printer,
            )
        except (RenderingError, LimitError) as error:
            made.problems.append(error)


def _document(made: Drawn, results: Results, options: DrawingOptions) -> None:
    """The report in Word, from the value that the page is drawn from."""
    from evalreport.render.docx import render_docx
    from evalreport.render.html import built

    def make() -> bytes:
        report = built(results, options.template, options.signed, made.failed)
        return render_docx(report, options.when)

    try:
        _other(made, "docx", FILES["docx"], make)
    except (RenderingError, LimitError) as error:
        made.problems.append(error)


def _figures(made: Drawn, results: Results, options: DrawingOptions) -> None:
    """Each chart of the report as files by themselves, SVG and PNG, numbered in their order."""
    from evalreport.render.html import built
    from evalreport.report.charts.canvas import whole_svg
    from evalreport.report.model import Charts

    try:
        report = built(results, options.template, options.signed, made.failed)
    except (RenderingError, LimitError) as error:
        made.problems.append(error)
        return
    blocks = (block for section in report.sections for block in section.blocks)
    charts = [chart for block in blocks if isinstance(block, Charts) for chart in block.charts]
    for number, chart in enumerate(charts, start=1):
        name = f"figure-{number:02d}-{chart.name.replace('_', '-')}"
        _other(made, "figures", f"{name}.svg", partial(whole_svg, chart.drawing))
        _other(made, "figures", f"{name}.png", chart.drawing.picture)


def _markdown(results: Results, _data: bytes) -> bytes:
    from evalreport.report.markdown import summary_markdown

    return summary_markdown(results).encode("utf-8")


def _tables(results: Results, _data: bytes) -> bytes:
    from evalreport.report.csv import tables_csv

    return tables_csv(results)


def _junit(results: Results, _data: bytes) -> bytes:
    from evalreport.report.junit import criteria_junit

    return criteria_junit(results)


def _model_index(results: Results, _data: bytes) -> bytes:
    from evalreport.report.model_index import model_index

    return model_index(results)


def _latex(results: Results, _data: bytes) -> bytes:
    from evalreport.report.latex import measures_latex

    return measures_latex(results).encode("utf-8")


def _openlineage(results: Results, data: bytes) -> bytes:
    from evalreport.report.openlineage import run_event
    from evalreport.runs.hashing import sha256

    return run_event(results, sha256(data))


#: What follows from the results alone, and from the bytes of results.json.
_OTHERS: Mapping[str, Callable[[Results, bytes], bytes]] = {
    "markdown": _markdown,
    "csv": _tables,
    "junit": _junit,
    "model_index": _model_index,
    "latex": _latex,
    "openlineage": _openlineage,
}
