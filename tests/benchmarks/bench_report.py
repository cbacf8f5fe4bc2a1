"""How large a report is and how long its PDF takes: bytes, pages, seconds, and stated caps.

Run from the repository: ``PYTHONPATH=tests python -m benchmarks.bench_report``. Rows are made
up here from a seed; ``make bench`` times the page and the PDF of the two models by themselves.
The PDF is timed as a run makes it, its process included.
"""

from __future__ import annotations

import csv
import io
import json
import re
import resource
import tempfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pytest
from plain_results import render_html

import evalreport
from evalreport.render.pdf import render_pdf

ROOT = Path(__file__).parents[2]
ROUNDS = 3
AT = datetime(2026, 11, 21, 12, tzinfo=UTC)
CHECKLISTS = "[stard_2015, tripod_ai, model_card, eu_ai_act, ll144]"
#: What a page says where it does not hold everything.
CAP = re.compile(r"\d+ of \d+ [a-z]+|[Tt]he others are in results\.json|see results\.json and")

MANY_CLASSES = f"""\
evalreport: 1
title: A hundred classes, two models
datasets: {{plots: {{path: rows.csv, target: y}}}}
models: {{a: {{prediction: a}}, b: {{prediction: b}}}}
metrics: [accuracy, balanced_accuracy, recall, precision, f1, mcc, kappa]
averaging: [none, macro, micro, weighted]
confidence: {{resamples: 200}}
comparisons: {{reference: a}}
report: {{checklists: {CHECKLISTS}}}
"""
MANY_GROUPS = f"""\
evalreport: 1
title: Ten models at fifty sites
datasets: {{wards: {{path: rows.csv, target: y, labels: [none, event]}}}}
positive: {{label: event}}
models: {{{", ".join(f"model_{k}: {{score: model_{k}}}" for k in range(10))}}}
metrics: [recall, specificity, precision, accuracy, mcc, roc_auc, brier]
subgroups: [site]
confidence: {{resamples: 200}}
comparisons: {{reference: model_0, correction: holm}}
report: {{checklists: {CHECKLISTS}}}
"""


def write(folder: Path, columns: Mapping[str, Sequence[Any]]) -> None:
    """Columns as ``rows.csv``."""
    with (folder / "rows.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


def hundred_classes(folder: Path) -> Path:
    """8 000 rows of 100 classes, and two models that are right in 80 and 70 % of them."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 100, 8000)
    columns = {"y": y}
    for name, right in (("a", 0.8), ("b", 0.7)):
        wrong = (y + rng.integers(1, 9, len(y))) % 100
        columns[name] = np.where(rng.random(len(y)) < right, y, wrong)
    write(folder, {k: [f"species {v:03d}" for v in column] for k, column in columns.items()})
    return _spec(folder, MANY_CLASSES)


def fifty_groups(folder: Path) -> Path:
    """6 000 rows at 50 sites, and ten models of which each knows less than the one before."""
    rng = np.random.default_rng(3)
    event = rng.random(6000) < 0.3
    base = np.where(event, 1, -1) + rng.normal(0, 1.2, len(event))
    columns: dict[str, Any] = {
        "y": np.where(event, "event", "none").tolist(),
        "site": [f"site {k:02d}" for k in rng.integers(0, 50, len(event))],
    }
    for k in range(10):
        noise = rng.normal(0, 0.3 + 0.2 * k, len(event))
        columns[f"model_{k}"] = np.round(1 / (1 + np.exp(-base - noise)), 4).tolist()
    write(folder, columns)
    return _spec(folder, MANY_GROUPS)


def months(folder: Path) -> Path:
    """The ready spec of two models, its rows spread over nine months."""
    text = (ROOT / "sample_data" / "breast_cancer.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(text)))
    columns: dict[str, Any] = {name: [row[name] for row in rows] for name in rows[0]}
    columns["seen"] = [f"2026-{1 + k % 9:02d}-{1 + k % 27:02d}" for k in range(len(rows))]
    write(folder, columns)
    spec = (ROOT / "configs" / "breast_cancer.yaml").read_text(encoding="utf-8")
    spec = spec.replace("../sample_data/breast_cancer.csv", "rows.csv")
    return _spec(folder, spec.replace("id: case_id", "id: case_id\n    period: {column: seen}"))


def two_models(_: Path) -> Path:
    """The ready spec of two models, as it is."""
    return ROOT / "configs" / "breast_cancer.yaml"


def _spec(folder: Path, text: str) -> Path:
    path = folder / "spec.yaml"
    path.write_text(text, encoding="utf-8")
    return path


CASES = {
    "two models (`configs/breast_cancer.yaml`)": two_models,
    "the same with nine months": months,
    "100 classes, 2 models, all checklists": hundred_classes,
    "50 subgroups, 10 models, all checklists": fifty_groups,
}


def printed(results: dict[str, Any], page: str) -> bytes:
    """The PDF as a run writes it, with its attachment."""
    return render_pdf(page, at=AT, attachments={"results.json": json.dumps(results).encode()})


def pages_of(pdf: bytes) -> int:
    import pikepdf

    with pikepdf.open(io.BytesIO(pdf)) as opened:
        return len(opened.pages)


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    return dict(evalreport.run(two_models(ROOT)).json)


def test_page_of_two_models(benchmark: Any, results: dict[str, Any]) -> None:
    page = benchmark(render_html, results)
    benchmark.extra_info["bytes"] = len(page.encode("utf-8"))
    assert benchmark.extra_info["bytes"] < 600_000


def test_pdf_of_two_models(benchmark: Any, results: dict[str, Any]) -> None:
    page = render_html(results, paper=True)
    pdf = benchmark.pedantic(printed, (results, page), rounds=3)
    benchmark.extra_info["pages"] = pages_of(pdf)
    assert benchmark.extra_info["pages"] <= 12


def main() -> None:
    """A line of a table for each case; seconds are of the processor, the machine may be busy."""
    print("| report | HTML | drawing it | PDF | pages | printing it | wall | caps stated |")
    print("|---|---|---|---|---|---|---|---|")
    for name, made in CASES.items():
        with tempfile.TemporaryDirectory() as folder:
            results = dict(evalreport.run(made(Path(folder))).json)
        page, *drawing = _least(render_html, results)
        pdf, *printing = _least(printed, results, render_html(results, paper=True))
        print(
            f"| {name} | {len(page.encode()) // 1000} kB | {drawing[0]:.1f} s "
            f"| {len(pdf) // 1000} kB | {pages_of(pdf)} "
            f"| {printing[0]:.1f} s | {printing[1]:.1f} s "
            f"| {len(CAP.findall(re.sub('<[^>]*>', '', page)))} |",
            flush=True,
        )


def _least(work: Any, *arguments: Any) -> tuple[Any, float, float]:
    """What the work gives, the least of three in seconds of the processor, and its wall time."""
    found = []
    for _ in range(ROUNDS):
        start, used = perf_counter(), _processor()
        done = work(*arguments)
        found.append((_processor() - used, perf_counter() - start))
    return (done, *min(found))


def _processor() -> float:
    """Seconds of the processor of this process and of those that it has waited for."""
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


if __name__ == "__main__":
    main()
