"""What ``run`` says at its end: headline measures, what failed, warnings; ``--json`` holds them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from evalreport.cli import status_of

SPEC = """
evalreport: 1
datasets:
  d: {path: d.csv, target: truth}
positive: {label: ill}
models:
  m: {prediction: said}
metrics: [recall, specificity, roc_auc]
subgroups: [site]
acceptance:
  - {metric: recall, at_least: 0.85}
  - {metric: specificity, at_least: 0.5, bound: lower}
  - {metric: roc_auc, at_least: 0.9}
  - {metric: recall, at_most: 0.9}
"""


@pytest.fixture
def spec(tmp_path: Path) -> str:
    """8 of 10 ill rows are found and 9 of 10 healthy ones; a row of each kind is at site B."""
    rows = ["ill,ill,A"] * 7 + ["ill,ill,B"] + ["ill,healthy,A"] * 2
    rows += ["healthy,healthy,A"] * 8 + ["healthy,healthy,B"] + ["healthy,ill,A"]
    (tmp_path / "d.csv").write_text("\n".join(["truth,said,site", *rows]) + "\n")
    (tmp_path / "spec.yaml").write_text(SPEC)
    return str(tmp_path / "spec.yaml")


def call(spec: str, *more: str) -> int:
    runs = str(Path(spec).parent / "runs")
    return status_of(["run", spec, "-o", runs, "--formats", "json", *more])


def test_the_end_of_a_run_says_what_matters(spec: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(spec) == 1
    said = capsys.readouterr()
    # Wilson limits of 8 of 10 and 9 of 10 as R's binom.wilson gives them
    said_out = re.sub(" +", " ", said.out)
    assert "Recall 0.800 0.490 to 0.943 8 / 10 Wilson" in said_out
    assert "Specificity 0.900 0.596 to 0.982 9 / 10 Wilson" in said_out
    assert "criteria: 2 passed, 1 failed, 1 not evaluated" in said.out
    assert "failed: recall >= 0.85 (d, m): observed 0.800, required ≥ 0.85" in said.err
    not_evaluated = "not evaluated: roc_auc >= 0.9 (d, m): not applicable: it needs scores"
    assert not_evaluated in said.err
    assert "specificity" not in said.err  # what passed is only counted
    assert "warning: " in said.err
    assert "fewer than 30 rows" in said.err


def test_a_failed_limit_names_the_average_that_it_was_held_against(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = ["a,a", "a,b", "b,b", "b,b", "c,c", "c,a"] * 5
    (tmp_path / "d.csv").write_text("\n".join(["truth,said", *rows]) + "\n")
    (tmp_path / "spec.yaml").write_text(
        "evalreport: 1\n"
        "datasets: {d: {path: d.csv, target: truth}}\n"
        "models: {m: {prediction: said}}\n"
        "metrics: [recall]\n"
        "acceptance: [{metric: recall, at_least: 0.9}]\n"
    )
    assert call(str(tmp_path / "spec.yaml"), "--quiet") == 1
    assert "failed: macro recall >= 0.9 (d, m): observed 0.667" in capsys.readouterr().err


def test_quiet_says_only_what_failed(spec: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(spec, "--quiet") == 1
    said = capsys.readouterr()
    assert said.out == ""
    lines = said.err.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["failed", "not evaluated"]


def test_json_holds_headline_failed_and_warnings(
    spec: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(spec, "--json") == 1
    said = capsys.readouterr()
    assert said.err == ""
    body = json.loads(said.out)
    recall = next(m for m in body["headline"] if m["metric"] == "recall")
    assert (recall["dataset"], recall["model"], recall["value"]) == ("d", "m", 0.8)
    assert recall["low"] == pytest.approx(0.4901625, abs=1e-7)
    assert recall["high"] == pytest.approx(0.9433178, abs=1e-7)
    area = next(m for m in body["headline"] if m["metric"] == "roc_auc")
    assert (area["value"], area["low"], area["state"]) == (None, None, "not_applicable")
    assert [
        (f["criterion"], f["observed"], f["required"], f["outcome"]) for f in body["failed"]
    ] == [(1, 0.8, 0.85, "fail"), (3, None, 0.9, "not_evaluated")]
    codes = {warning["code"] for warning in body["warnings"]}
    assert "tiny_subgroup" in codes
    assert all(warning["message"] for warning in body["warnings"])
    assert "lines" not in json.dumps(sorted(body))


def test_a_name_in_a_message_does_not_drive_the_terminal(
    spec: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = Path(spec)
    text = path.read_text().replace("  m: {", '  "m\\e[31m": {')
    path.write_text(text)
    call(spec)
    said = capsys.readouterr()
    assert "\x1b" not in said.out + said.err


def test_of_many_models_the_rest_is_counted(spec: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = Path(spec)
    models = "\n".join(f"  m{k}: {{prediction: said}}" for k in range(15))
    text = path.read_text().replace("  m: {prediction: said}", models)
    path.write_text(text.partition("subgroups")[0])
    assert call(spec) == 0
    out = capsys.readouterr().out
    assert sum(line.startswith("m") for line in out.splitlines()) == 12
    assert "and 3 more, in the report" in out
