"""Every ready spec gives what was last accepted: its plan, and some thirty of its numbers.

Three of them, which together hold two models, several classes and folds, give their whole
results and page too. `EVALREPORT_ACCEPT=1 pytest tests/golden` accepts what comes out now;
review the difference like code. Numbers are compared to 9 digits, so that the last bits of
another numpy do not matter; texts exactly.
"""

from __future__ import annotations

import json
import math
import os
import re
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from golden.words_on_paper import Word, clashes, words_of
from plain_results import render_html
from ready_specs import AT, CONFIGS, prepared, results_of

from evalreport.plan.explain import explain
from evalreport.render.pdf import render_pdf

pytestmark = pytest.mark.long_but_first


ACCEPTED = Path(__file__).parent / "accepted"
WHOLE = [path for path in CONFIGS if path.stem in {"breast_cancer", "cross_validation", "penguins"}]
#: How many measures and how many comparisons of a spec are held by their numbers.
MEASURES, COMPARISONS = 24, 6
ACCEPT = bool(os.environ.get("EVALREPORT_ACCEPT"))
#: Generators of numpy may draw other numbers in another release, so limits that were drawn
#: are compared under the release that the accepted ones were made with.
NUMPY = "2.4"
same_draws = pytest.mark.skipif(
    not np.__version__.startswith(f"{NUMPY}."),
    reason=f"numpy {np.__version__} may draw other resamples than the accepted ones of {NUMPY}",
)


def _golden(path: Path, name: str, text: str) -> str:
    """The accepted text; in accepting mode, what was just made."""
    file = ACCEPTED / path.stem / name
    if ACCEPT:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    assert file.is_file(), f"no accepted {name} for {path.name}: set EVALREPORT_ACCEPT=1 once"
    return file.read_text(encoding="utf-8")


def _ids(path: Path) -> str:
    return path.stem


@pytest.mark.parametrize("path", CONFIGS, ids=_ids)
def test_plan(path: Path) -> None:
    ready = prepared(path)
    text = explain(ready.plan, ready.criteria_text(), ready.engine_reason) + "\n"
    assert text == _golden(path, "plan.txt", text)


@same_draws
@pytest.mark.parametrize("path", CONFIGS, ids=_ids)
def test_numbers(path: Path) -> None:
    text = json.dumps(_numbers(results_of(path)), indent=0, ensure_ascii=False) + "\n"
    accepted = json.loads(_golden(path, "numbers.json", text))
    _same(json.loads(text), accepted, "numbers")


@same_draws
@pytest.mark.parametrize("path", WHOLE, ids=_ids)
def test_results(path: Path) -> None:
    results = json.loads(json.dumps(results_of(path), allow_nan=False))
    text = json.dumps(_brief(results), indent=0, sort_keys=True, ensure_ascii=False) + "\n"
    accepted = json.loads(_golden(path, "results.json", text))
    _same(json.loads(text), accepted, "results")


@pytest.mark.long
@same_draws
@pytest.mark.parametrize("path", WHOLE, ids=_ids)
def test_page(path: Path) -> None:
    page = _unstyled(render_html(results_of(path)))
    accepted = _golden(path, "report.html", page)
    made, wanted = page.splitlines(), accepted.splitlines()
    for number, (new, old) in enumerate(zip(made, wanted, strict=False), start=1):
        assert new == old, f"line {number}"
    assert len(made) == len(wanted)


@pytest.mark.nightly
@pytest.mark.parametrize("path", CONFIGS, ids=_ids)
def test_no_word_on_paper_stands_over_another(path: Path) -> None:
    page = render_html(results_of(path), paper=True)
    pdf = render_pdf(page, at=datetime.fromisoformat(AT))
    pages = enumerate(words_of(pdf), start=1)
    assert [(page, *pair) for page, words in pages for pair in clashes(words)] == []


def test_words_over_each_other_are_found() -> None:
    one, over = Word(10, 10, 50, 20, "one"), Word(45, 11, 80, 21, "over")
    beside, below = Word(51, 10, 80, 20, "beside"), Word(10, 19, 50, 29, "below")
    assert list(clashes([one, over])) == [("one", "over")]
    assert list(clashes([one, beside, below])) == []
    assert list(clashes([Word(500, 10, 570, 20, "far")])) == [("far", "beyond the margin")]


def _numbers(results: dict[str, Any]) -> list[dict[str, Any]]:
    """Measures and comparisons at equal distances, from the first to the last, by name."""
    measures = _spread([m for m in results["measures"] if m["interval"]], MEASURES)
    kept = ("metric", "model", "label", "average", "threshold", "fold", "value", "interval")
    comparisons = _spread(results["comparisons"], COMPARISONS)
    told = ("metric", "model", "reference", "label", "difference", "interval", "p_value")
    return [{k: m[k] for k in kept} for m in measures] + [
        {k: c[k] for k in told} for c in comparisons
    ]


def _spread(records: list[dict[str, Any]], most: int) -> list[dict[str, Any]]:
    step = max((len(records) - 1) / (most - 1), 1.0)
    return [records[round(k * step)] for k in range(min(most, len(records)))]


def _brief(results: dict[str, Any]) -> dict[str, Any]:
    """Results without the points of curves: they are held to the catalogue's own tests."""
    curves = [
        {**c, "points": {name: len(column) for name, column in c["points"].items()}}
        for c in results["curves"]
    ]
    return {**results, "curves": curves}


def _unstyled(page: str) -> str:
    """The page without styles, fonts and pictures, one element a line."""
    page = re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL)
    page = re.sub(r'(<svg class="chart"[^>]*>).*?(?=</svg>)', r"\1", page, flags=re.DOTALL)
    page = re.sub(r' style="[^"]*"', "", page)
    page = re.sub(r'data-value="([^"]*)"', _shortened, page)
    page = re.sub(r"report [0-9a-f]{12}", "report", page)
    return re.sub(r">\s*<", ">\n<", page).strip() + "\n"


def _shortened(found: re.Match[str]) -> str:
    text = found.group(1)
    return f'data-value="{float(text):.9g}"' if text else 'data-value=""'


def _same(new: Any, old: Any, place: str) -> None:
    if isinstance(new, dict) and isinstance(old, dict):
        assert new.keys() == old.keys(), place
        for key in new:
            _same(new[key], old[key], f"{place}.{key}")
    elif isinstance(new, list) and isinstance(old, list):
        assert len(new) == len(old), place
        for number, (a, b) in enumerate(zip(new, old, strict=True)):
            _same(a, b, f"{place}[{number}]")
    elif isinstance(new, float) and isinstance(old, (int, float)):
        assert math.isclose(new, old, rel_tol=1e-8, abs_tol=1e-10), f"{place}: {new} {old}"
    elif isinstance(new, str) and isinstance(old, str):
        assert _without_digits(new) == _without_digits(old), place
    else:
        assert new == old, place


def _without_digits(text: str) -> str:
    """A text with long decimals cut: put-in numbers may differ in their last bits."""
    return re.sub(r"(\d\.\d{8})\d+", r"\1", text)


def test_every_config_has_accepted_files() -> None:
    assert {p.name for p in ACCEPTED.iterdir()} == {c.stem for c in CONFIGS}
    assert CONFIGS
