"""What docs/adding_one.md shows, done on a copy: a method, a caution and a format."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from docs.copied_program import ROOT, called, copied

PAGE = ROOT / "docs" / "adding_one.md"
SHOWN = re.compile(
    r"^(?:In `(?P<file>[^`]+)`, (?P<side>above|below) `(?P<line>[^`\n]+)`"
    r"|At the end of `(?P<end>[^`]+)`):"
    r"\n\n```(?:python)?\n(?P<code>.*?)```$",
    re.MULTILINE | re.DOTALL,
)
SPEC = """\
evalreport: 1
title: Hundred rows
datasets:
  d: {path: rows.csv, target: y, labels: ["no", "yes"]}
models:
  m: {prediction: p}
metrics: [recall, accuracy, precision]
confidence: {methods: {recall: arcsine}}
report: {formats: [html, reasons]}
"""
FORGED = """
import json
from evalreport.verify.recompute import recompute
results = json.load(open("runs/latest/results.json"))
(recall,) = [m for m in results["measures"] if m["metric"] == "recall"]
recall["interval"]["low"] = 0.5
print(recompute(results).problems)
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program with everything that the page shows put where it says."""
    folder = copied(tmp_path_factory.mktemp("copy"))
    shown = list(SHOWN.finditer(PAGE.read_text(encoding="utf-8")))
    assert 2 * len(shown) == PAGE.read_text(encoding="utf-8").count("```")
    for one in shown:
        path = folder / (one["file"] or one["end"])
        text = path.read_text(encoding="utf-8")
        if one["end"]:
            path.write_text(f"{text}\n\n{one['code']}", encoding="utf-8")
            continue
        line = f"{one['line']}\n"
        assert text.count(line) == 1, line
        put = f"{one['code']}\n\n{line}" if one["side"] == "above" else line + one["code"]
        path.write_text(text.replace(line, put), encoding="utf-8")
    rows = ["yes,yes"] * 40 + ["no,no"] * 50 + ["yes,no"] * 10
    (folder / "rows.csv").write_text("y,p\n" + "\n".join(rows) + "\n")
    (folder / "spec.yaml").write_text(SPEC)
    done = called(folder, "-m", "evalreport", "run", "spec.yaml", "-o", "runs")
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.long
def test_a_method_is_asked_for_carried_out_named_and_cited(copy: Path) -> None:
    run = copy / "runs" / "latest"
    results = json.loads((run / "results.json").read_text(encoding="utf-8"))
    (recall,) = [m for m in results["measures"] if m["metric"] == "recall"]
    assert recall["interval"]["method"] == "arcsine"
    assert (round(recall["interval"]["low"], 4), round(recall["interval"]["high"], 4)) == (
        0.6791,
        0.898,
    )
    page = (run / "report.html").read_text(encoding="utf-8")
    assert "Anscombe F. Biometrika 35, 1948" in page


def test_a_misspelt_method_is_answered_with_it(copy: Path) -> None:
    (copy / "wrong.yaml").write_text(SPEC.replace("arcsine", "arcsin"))
    done = called(copy, "-m", "evalreport", "check", "wrong.yaml")
    assert done.returncode == 2
    assert "arcsine" in done.stderr


@pytest.mark.long
def test_its_limits_are_verified(copy: Path) -> None:
    done = called(copy, "-m", "evalreport", "verify", "runs/latest", "--json")
    found = json.loads(done.stdout)
    assert found["problems"] == []
    # ... and a limit that does not follow is found
    done = called(copy, "-c", FORGED)
    assert "0.5" in done.stdout
    assert "recall" in done.stdout


def test_a_caution_is_found_and_can_be_switched_off(copy: Path) -> None:
    results = json.loads((copy / "runs" / "latest" / "results.json").read_text(encoding="utf-8"))
    (said,) = [c for c in results["cautions"] if c["code"] == "round_number_of_rows"]
    assert said["message"] == "Exactly 100 rows are used."
    (copy / "off.yaml").write_text(f"{SPEC}cautions: {{off: {{round_number_of_rows: wanted}}}}\n")
    assert called(copy, "-m", "evalreport", "check", "off.yaml").returncode == 0


def test_a_format_is_written_and_listed(copy: Path) -> None:
    run = copy / "runs" / "latest"
    assert (run / "reasons.txt").is_file()
    manifest = json.loads((run / "MANIFEST.json").read_text(encoding="utf-8"))
    assert "reasons.txt" in json.dumps(manifest)
