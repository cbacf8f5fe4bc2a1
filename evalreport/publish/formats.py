"""The files of a run: results.json and what is drawn from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
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
    from evalreport.report.model import Report
    from evalreport.report.signing import Signed
    from evalreport.results.lookup import Results

Step = Callable[[str, int | None], None]
#: Formats that are written from the report as a value.
OF_THE_REPORT = frozenset(("html", "pdf", "docx", "figures"))


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
    from evalreport.render.html import built
    from evalreport.report.csv import measures_csv
    from evalreport.results.codec import decode, parse_json

    results = decode(parse_json(data))
    made = Drawn({"results.json": data})
    with _apart(made, "csv"):
        made.files["measures.csv"] = measures_csv(results)
    if not OF_THE_REPORT.isdisjoint(options.formats):
        # Nobody started it for more than this: then it loads while the report is built.
        with (
            nullcontext(options.printer)
            if options.printer
            else started_printer(options.formats) as printer
        ):
            step("drawing the report", None)
            with _apart(made, "report"):
                report = built(results, options.template, options.signed, made.failed)
                _write_report(made, report, data, replace(options, printer=printer), step)
    for name, make in _OTHERS.items():
        if name in options.formats:
            with _apart(made, name):
                made.files[FILES[name]] = make(results, data)
    for name, words in _IN_WORDS.items():
        if name in options.formats:
            with _apart(made, name):
                made.files[FILES[name]] = words(results, str(options.template))
    return made


@contextmanager
def _apart(made: Drawn, name: str) -> Iterator[None]:
    """What fails in it concerns one format, which is left out; the rest is made."""
    try:
        yield
    except (RenderingError, LimitError) as error:
        made.problems.append(error)
    except (EvalreportError, OSError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001 - told, with status 1
        made.failed.append(f"{name}: it could not be made ({type(error).__name__}: {error})")


def _write_report(
    made: Drawn, report: Report, data: bytes, options: DrawingOptions, step: Step
) -> None:
    """The formats that are written from the report, which is built once."""
    from evalreport.render.html import page_of

    with _apart(made, "html"):
        if "html" in options.formats:
            made.files[FILES["html"]] = page_of(report, options.template).encode("utf-8")
        if "pdf" in options.formats:
            step("laying out the PDF", None)
            made.files[FILES["pdf"]] = _pdf(report, data, options)
    if "docx" in options.formats:
        from evalreport.render.docx import render_docx

        step("writing the Word document", None)
        with _apart(made, "docx"):
            made.files[FILES["docx"]] = render_docx(report, options.when)
    if "figures" in options.formats:
        step("drawing the figures", None)
        _figures(made, report)


def _pdf(report: Report, data: bytes, options: DrawingOptions) -> bytes:
    from evalreport.render.html import page_of
    from evalreport.render.pdf import render_pdf

    return render_pdf(
        page_of(report, options.template, paper=True),
        variant=options.variant,
        attachments={"results.json": data, "spec.yaml": options.spec_text.encode("utf-8")},
        at=options.when,
        page=options.page_size,
        child=options.printer,
    )


def _figures(made: Drawn, report: Report) -> None:
    """Each chart of the report as files by themselves, SVG and PNG, numbered in their order."""
    from evalreport.report.charts.canvas import whole_svg
    from evalreport.report.model import Charts

    blocks = (block for section in report.sections for block in section.blocks)
    charts = [chart for block in blocks if isinstance(block, Charts) for chart in block.charts]
    for number, chart in enumerate(charts, start=1):
        name = f"figure-{number:02d}-{chart.name.replace('_', '-')}"
        with _apart(made, "figures"):
            made.files[f"{name}.svg"] = whole_svg(chart.drawing)
            made.files[f"{name}.png"] = chart.drawing.picture()


def _markdown(results: Results, template: str) -> bytes:
    from evalreport.report.markdown import summary_markdown
    from evalreport.report.wording import TEMPLATES

    return summary_markdown(results, TEMPLATES.get(template)).encode("utf-8")


def _tables(results: Results, _data: bytes) -> bytes:
    from evalreport.report.csv import tables_csv

    return tables_csv(results)


def _junit(results: Results, _data: bytes) -> bytes:
    from evalreport.report.junit import criteria_junit

    return criteria_junit(results)


def _model_index(results: Results, _data: bytes) -> bytes:
    from evalreport.report.model_index import model_index

    return model_index(results)


def _latex(results: Results, template: str) -> bytes:
    from evalreport.report.latex import measures_latex
    from evalreport.report.wording import TEMPLATES

    return measures_latex(results, TEMPLATES.get(template)).encode("utf-8")


def _openlineage(results: Results, data: bytes) -> bytes:
    from evalreport.report.openlineage import run_event
    from evalreport.runs.hashing import sha256

    return run_event(results, sha256(data))


#: What follows from the results alone, and from the bytes of results.json.
_OTHERS: Mapping[str, Callable[[Results, bytes], bytes]] = {
    "csv": _tables,
    "junit": _junit,
    "model_index": _model_index,
    "openlineage": _openlineage,
}
#: Those that are in the words of a template.
_IN_WORDS: Mapping[str, Callable[[Results, str], bytes]] = {
    "markdown": _markdown,
    "latex": _latex,
}
