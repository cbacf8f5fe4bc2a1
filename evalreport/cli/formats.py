"""The files of a run: results.json and what is drawn from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from evalreport.errors import (
    EvalreportError,
    LimitError,
    RenderingError,
    UsageError,
    did_you_mean,
)

FORMATS = ("html", "pdf", "markdown", "csv", "junit", "model_index", "latex", "json")

Step = Callable[[str, int | None], None]


@dataclass
class Rendered:
    """The files that were made, by name, and what could not be."""

    files: dict[str, bytes] = field(default_factory=dict)
    problems: list[EvalreportError] = field(default_factory=list)


def check_formats(asked: tuple[str, ...]) -> tuple[str, ...]:
    """The formats, or a UsageError naming those that are not known."""
    wrong = [name for name in asked if name not in FORMATS]
    if wrong:
        raise UsageError(
            *(f"unknown format '{n}'; {did_you_mean(n, FORMATS, 'formats')}" for n in wrong)
        )
    return asked


def rendered(
    results: dict[str, Any],
    data: bytes,
    loaded: Any,
    formats: tuple[str, ...],
    when: datetime,
    progress: Any,
) -> Rendered:
    """results.json, measures.csv and every format that was asked for.

    A template that fails is a problem of its format alone; the rest is made.
    """
    from evalreport.report.csv import measures_csv

    made = Rendered({"results.json": data, "measures.csv": measures_csv(results)})
    template = _template(loaded)
    if "html" in formats or "pdf" in formats:
        _pages(made, results, data, loaded, formats, when, template, progress)
    others: dict[str, Callable[[], dict[str, bytes]]] = {
        "markdown": lambda: {"summary.md": _other("markdown", results)},
        "csv": lambda: {"tables.csv": _other("csv", results)},
        "junit": lambda: {"criteria.xml": _other("junit", results)},
        "model_index": lambda: {"model-index.yaml": _other("model_index", results)},
        "latex": lambda: {"tables.tex": _other("latex", results)},
    }
    for name, make in others.items():
        if name in formats:
            made.files.update(make())
    return made


def _template(loaded: Any) -> Any:
    name = loaded.spec.report.template
    if loaded.folder is not None and ("/" in name or (loaded.folder / name).is_dir()):
        return loaded.folder / name
    return name


def _pages(
    made: Rendered,
    results: dict[str, Any],
    data: bytes,
    loaded: Any,
    formats: tuple[str, ...],
    when: datetime,
    template: Any,
    progress: Any,
) -> None:
    from evalreport.render.html import render_html

    progress.step("drawing the report", None)
    try:
        page = render_html(results, template)
    except (RenderingError, LimitError) as error:
        made.problems.append(error)
        return
    if "html" in formats:
        made.files["report.html"] = page.encode("utf-8")
    if "pdf" in formats:
        from evalreport.render.pdf import render_pdf

        progress.step("laying out the PDF", None)
        report = loaded.spec.report
        try:
            made.files["report.pdf"] = render_pdf(
                page,
                variant=report.pdf.variant,
                attachments={"results.json": data, "spec.yaml": loaded.text.encode("utf-8")},
                at=when,
                page=report.page_size,
            )
        except (RenderingError, LimitError) as error:
            made.problems.append(error)


def _other(name: str, results: dict[str, Any]) -> bytes:
    if name == "markdown":
        from evalreport.report.markdown import summary_markdown

        return summary_markdown(results).encode("utf-8")
    if name == "csv":
        from evalreport.report.csv import tables_csv

        return tables_csv(results)
    if name == "junit":
        from evalreport.report.junit import criteria_junit

        return criteria_junit(results)
    if name == "model_index":
        from evalreport.report.model_index import model_index

        return model_index(results)
    from evalreport.report.latex import measures_latex

    return measures_latex(results).encode("utf-8")
