"""The formats of a run, each with the file that it is drawn into.

A format of several files has a pattern of their names.
"""

from __future__ import annotations

from collections.abc import Mapping

#: results.json is always written, and so are the measures as measures.csv.
FILES: Mapping[str, str] = {
    "html": "report.html",
    "pdf": "report.pdf",
    "docx": "report.docx",
    "markdown": "summary.md",
    "csv": "tables.csv",
    "junit": "criteria.xml",
    "model_index": "model-index.yaml",
    "latex": "measures.tex",
    "openlineage": "openlineage.json",
    "figures": "figure-*.*",
    "json": "results.json",
}
