"""What docs/adding_a_metric.md says, done: one file of a copy changes, and everything follows."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from docs.copied_program import ROOT, called, copied

PAGE = ROOT / "docs" / "adding_a_metric.md"

SPEC = """\
evalreport: 1
title: Storms
datasets:
  storms: {path: storms.csv, target: storm, labels: ["no", "yes"]}
positive: {label: "yes"}
models:
  forecast: {prediction: said}
  scored: {score: p}
metrics: [forecast_bias, recall]
thresholds: [0.5]
acceptance:
  - {metric: frequency_bias, at_most: 1.0, model: forecast}
report: {formats: [html]}
"""
#: 8 storms that were forecast, 2 false alarms, 4 misses, 6 quiet days; the score says the same
ROWS = ["yes,yes,0.9"] * 8 + ["no,yes,0.8"] * 2 + ["yes,no,0.2"] * 4 + ["no,no,0.1"] * 6


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program with the declaration of the page at the end of the module it names."""
    folder = copied(tmp_path_factory.mktemp("copy"))
    page = PAGE.read_text(encoding="utf-8")
    (declaration,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    (module,) = re.findall(r"end of\n`(evalreport/metrics/\w+\.py)`", page)
    with (folder / module).open("a", encoding="utf-8") as file:
        file.write("\n\n" + declaration)
    (folder / "storms.csv").write_text("storm,said,p\n" + "\n".join(ROWS) + "\n")
    (folder / "storms.yaml").write_text(SPEC)
    return folder


@pytest.fixture(scope="module")
def run(copy: Path) -> Path:
    done = called(copy, "-m", "evalreport", "run", "storms.yaml", "-o", "runs")
    assert done.returncode == 0, done.stderr
    return copy / "runs" / "latest"


EXAMPLE = """
import doctest
from evalreport.metrics.catalogue import find
function = find("frequency_bias").function
(test,) = doctest.DocTestFinder().find(function, globs=dict(function.__globals__))
print(len(test.examples), doctest.DocTestRunner().run(test).failed)
"""


def test_the_example_of_the_declaration_holds(copy: Path) -> None:
    assert called(copy, "-c", EXAMPLE).stdout == "1 0\n"


def test_the_catalogue_explains_it_by_name_and_alias(copy: Path) -> None:
    by_name, by_alias = (
        called(copy, "-m", "evalreport", "metrics", word).stdout
        for word in ("frequency_bias", "forecast_bias")
    )
    assert by_name == by_alias
    assert "frequency_bias: Frequency bias (also forecast_bias)" in by_name
    assert "(TP + FP) / (TP + FN)" in by_name
    assert "frequency_bias (forecast_bias): How many rows" in (
        called(copy, "-m", "evalreport", "metrics").stdout
    )


@pytest.mark.long
def test_a_misspelt_name_is_answered_with_it(copy: Path) -> None:
    (copy / "wrong.yaml").write_text(SPEC.replace("[forecast_bias, ", "[frequency_bas, "))
    done = called(copy, "-m", "evalreport", "check", "wrong.yaml")
    assert done.returncode == 2
    assert "did you mean 'frequency_bias'?" in done.stderr


@pytest.mark.long
def test_a_run_has_its_value_formula_and_interval(run: Path) -> None:
    results = json.loads((run / "results.json").read_text(encoding="utf-8"))
    found = [m for m in results["measures"] if m["metric"] == "frequency_bias"]
    assert {m["model"] for m in found} == {"forecast", "scored"}
    for measure in found:
        assert measure["value"] == 10 / 12
        assert measure["formula"] == "(TP + FP) / (TP + FN)"
        assert measure["substituted"] == "(8 + 2) / (8 + 4)"
        assert (measure["numerator"], measure["denominator"]) == (10, 12)
        assert measure["interval"]["method"] == "delta"
        assert measure["interval"]["low"] < 10 / 12 < measure["interval"]["high"]
    (judged,) = results["acceptance"]
    assert (judged["outcome"], judged["observed"]) == ("pass", 10 / 12)


def test_the_report_shows_it_beside_its_table(run: Path) -> None:
    page = (run / "report.html").read_text(encoding="utf-8")
    assert 'data-metric="frequency_bias"' in page
    assert "Frequency bias" in page
    assert ">0.833<" in page


@pytest.mark.long
def test_the_run_can_be_verified(copy: Path, run: Path) -> None:
    done = called(copy, "-m", "evalreport", "verify", "runs/latest", "--rerun")
    assert done.returncode == 0, done.stderr + done.stdout


@pytest.mark.long
def test_the_documentation_gets_its_section(copy: Path) -> None:
    assert called(copy, "docs/make_docs.py").returncode == 0
    page = (copy / "docs" / "metrics.md").read_text(encoding="utf-8")
    section = page[page.index("### `frequency_bias`") :].split("\n### ")[0]
    for words in ("`forecast_bias`", "(TP + FP) / (TP + FN)", "closer to 1", "Wilks", "`delta`"):
        assert words in section


def test_one_file_has_changed(copy: Path) -> None:
    changed = [
        path.relative_to(ROOT)
        for path in sorted((ROOT / "evalreport").rglob("*"))
        if path.suffix in (".py", ".json")
        and (path.read_bytes() != (copy / path.relative_to(ROOT)).read_bytes())
    ]
    assert changed == [Path("evalreport/metrics/diagnostic.py")]
