"""A report stays small: bytes of the page and pages of the PDF, with periods and groups as well."""

from __future__ import annotations

import csv
import io
import re
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from plain_results import records_of, render_html
from programs import program
from stress.paper import Paper

import evalreport
from evalreport.render.pdf import render_pdf
from evalreport.report.contents import Contents
from evalreport.report.leading import best_first
from evalreport.report.metric_sections import _metrics

ROOT = Path(__file__).parents[2]
#: What the page may weigh, fonts and charts included.
BYTES = 600_000
#: The metrics that a first spec of two classes has.
ELEVEN = [
    "accuracy", "balanced_accuracy", "recall", "specificity", "precision", "f1", "mcc", "roc_auc",
    "average_precision", "brier", "log_loss",
]  # fmt: skip
AT = datetime(2026, 11, 21, 12, tzinfo=UTC)


def ready(name: str, folder: Path, *changes: tuple[str, str]) -> dict[str, Any]:
    """The results of a ready spec with fewer resamples and ``changes`` in its text."""
    text = (ROOT / "configs" / f"{name}.yaml").read_text(encoding="utf-8")
    for old, new in (*changes, ("../sample_data", str(ROOT / "sample_data")), ("2000", "100")):
        text = text.replace(old, new)
    spec = folder / f"{name}.yaml"
    spec.write_text(text, encoding="utf-8")
    return dict(evalreport.run(spec).json)


def dated(folder: Path) -> Path:
    """The rows of the ready spec, spread over nine months."""
    text = (ROOT / "sample_data" / "breast_cancer.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(text)))
    target = folder / "dated.csv"
    with target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [*rows[0], "seen"])
        writer.writeheader()
        writer.writerows(
            {**row, "seen": f"2026-{1 + k % 9:02d}-{1 + k % 27:02d}"} for k, row in enumerate(rows)
        )
    return target


def pages(results: dict[str, Any]) -> int:
    import pikepdf

    with pikepdf.open(io.BytesIO(render_pdf(render_html(results, paper=True), at=AT))) as pdf:
        return len(pdf.pages)


@pytest.mark.long
def test_two_models_take_eleven_pages_at_most(tmp_path: Path) -> None:
    results = ready("breast_cancer", tmp_path)
    assert len(render_html(results).encode("utf-8")) < BYTES
    assert pages(results) <= 11


def eight_models() -> dict[str, Any]:
    """Every model has the scores of the ready spec, blurred in a way of its own, the best last."""
    text = (ROOT / "sample_data" / "breast_cancer.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(text)))
    models = [f"model {k}" for k in range(7)] + ["a gradient boosting of five hundred trees"]
    frame: dict[str, list[Any]] = {
        name: [row[name] for row in rows] for name in ("diagnosis", "size_band")
    }
    for k, model in enumerate(models):
        noise = [(37 * i * (k + 1)) % 101 / 101 for i in range(len(rows))]
        share = 0.5 - 0.06 * k
        frame[model] = [
            (1 - share) * float(r["p_logistic"]) + share * x
            for r, x in zip(rows, noise, strict=True)
        ]
    spec = {
        "evalreport": 1,
        "title": "Eight models",
        "datasets": {"masses": {"target": "diagnosis"}},
        "positive": {"label": "malignant"},
        "models": {model: {"score": model} for model in models},
        "metrics": ELEVEN,
        "subgroups": ["size_band"],
        "comparisons": {"reference": models[0], "correction": "holm"},
        "confidence": {"resamples": 200},
    }
    return dict(evalreport.run(spec, frames={"masses": frame}).json)


@pytest.mark.long
def test_eight_models_with_groups_and_comparisons() -> None:
    results = eight_models()
    assert len(render_html(results).encode("utf-8")) < 550_000
    paper = Paper(render_html(results, paper=True))
    assert paper.without_counts(results["measures"]) == []
    # the best model leads the lines of each metric as it leads the first page
    contents = Contents(records_of(results))
    lines = _metrics(contents, scores=False)[0].lines
    shown = [next(c.mark for c in line.cells if c.mark) for line in lines]
    assert [mark.name for mark in shown] == [model for _, model in best_first(contents)]
    assert shown[0].name == "a gradient boosting of five hundred trees"
    # the one long name alone is shortened
    assert [bool(mark.key) for mark in shown] == [True, *[False] * 7]


@pytest.mark.nightly
def test_two_models_with_groups_and_months(tmp_path: Path) -> None:
    results = ready(
        "breast_cancer",
        tmp_path,
        ("../sample_data/breast_cancer.csv", str(dated(tmp_path))),
        ("    id: case_id", "    id: case_id\n    period: {column: seen}"),
    )
    assert {"size_band", "seen"} == {c for m in results["measures"] for c in m["subgroup"]}
    assert len(render_html(results).encode("utf-8")) < BYTES
    assert pages(results) <= 14


@pytest.mark.long
def test_nothing_is_lost_or_printed_twice_where_a_page_ends(tmp_path: Path) -> None:
    """The account of labels falls on the end of the first page with three models."""
    results = ready("imbalanced", tmp_path)
    page = render_html(results)
    target = tmp_path / "report.pdf"
    target.write_bytes(render_pdf(render_html(results, paper=True), at=AT))
    done = subprocess.run(
        [program("pdftotext"), "-layout", str(target), "-"],
        capture_output=True,
        check=True,
        timeout=60,
    )
    paper = done.stdout.decode("utf-8")
    for words in (
        "Positive class:",
        "Rows of images",
        "positive class set by",
        "A signature covers",
    ):
        assert paper.count(words) == page.count(words), words
    # every section once
    headings = re.findall(r'<h2 id="[^"]*"><span class="no">(\w+)</span> ([^<]*)</h2>', page)
    assert len(headings) > 8
    for number, title in headings:
        found = re.findall(rf"^ *{number} +{re.escape(title)}$", paper, re.MULTILINE)
        assert len(found) == 1, title
