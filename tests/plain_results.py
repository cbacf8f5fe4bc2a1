"""What is drawn, from results as plain data: tests change these more readily than records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evalreport.render import html
from evalreport.report import build as building
from evalreport.report import csv, junit, latex, markdown
from evalreport.report import model_index as index
from evalreport.report.model import Report
from evalreport.results.codec import decode_as
from evalreport.results.lookup import Results


def records_of(results: Mapping[str, Any] | Results) -> Results:
    """The records; of plain data as it was made, whole or not."""
    return results if isinstance(results, Results) else decode_as(Results, results)


def render_html(results: Any, *given: Any, **named: Any) -> str:
    return html.render_html(records_of(results), *given, **named)


def build(results: Any, *given: Any, **named: Any) -> Report:
    return building.build(records_of(results), *given, **named)


def summary_markdown(results: Any) -> str:
    return markdown.summary_markdown(records_of(results))


def measures_latex(results: Any) -> str:
    return latex.measures_latex(records_of(results))


def criteria_junit(results: Any) -> bytes:
    return junit.criteria_junit(records_of(results))


def model_index(results: Any) -> bytes:
    return index.model_index(records_of(results))


def measures_csv(results: Any) -> bytes:
    return csv.measures_csv(records_of(results))


def tables_csv(results: Any) -> bytes:
    return csv.tables_csv(records_of(results))
