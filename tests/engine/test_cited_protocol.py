"""A run that cites the protocol of its study: what was fixed before, and what came after."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evalreport.cli import status_of
from evalreport.results.codec import decode
from evalreport.verify.recompute import recompute

pytestmark = pytest.mark.requirement("R18")

ROWS = "y,p\n" + "".join(f"{k % 2},{(k % 2) * 0.5 + k / 100}\n" for k in range(40))
PLANNED = """\
evalreport: 1
title: A study
datasets: {d: {path: data.csv, target: y}}
models: {m: {score: p}}
metrics: [recall, specificity]
acceptance:
  - {metric: recall, at_least: 0.5, bound: lower}
  - {metric: specificity, at_least: 0.2}
design: {expect: {recall: 0.9, specificity: 0.9, prevalence: 0.5}, rows: 40}
report: {formats: [html]}
"""
CITED = "protocol: {path: plan/protocol.json, fixed: 2026-03-01}\n"


@pytest.fixture
def study(tmp_path: Path) -> Path:
    (tmp_path / "planned.yaml").write_text(PLANNED)
    (tmp_path / "data.csv").write_text(ROWS)
    asked = [
        "design",
        str(tmp_path / "planned.yaml"),
        "-o",
        str(tmp_path / "plan"),
        "--formats",
        "",
    ]
    assert status_of(asked) == 0
    return tmp_path


def run(study: Path, spec: str) -> int:
    (study / "spec.yaml").write_text(spec)
    return status_of(["run", str(study / "spec.yaml"), "-o", str(study / "runs"), "--quiet"])


def results(study: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((study / "runs" / "latest" / "results.json").read_text())
    return found


@pytest.mark.long
def test_the_criteria_of_the_protocol_are_told_from_those_made_afterwards(study: Path) -> None:
    changed = PLANNED.replace("specificity, at_least: 0.2", "specificity, at_least: 0.1")
    assert run(study, changed + CITED) == 0
    protocol = json.loads((study / "plan" / "protocol.json").read_text())
    cited = results(study)["provenance"]["protocol"]
    assert cited["sha256"] == protocol["sha256"]
    assert cited["fixed"] == "2026-03-01"
    assert cited["criteria"] == ["lower limit of recall >= 0.5"]
    assert cited["post_hoc"] == ["specificity >= 0.1"]
    assert cited["not_judged"] == ["specificity >= 0.2"]
    page = (study / "runs" / "latest" / "report.html").read_text()
    assert f"fixed in protocol {protocol['sha256']} on 2026-03-01, as the spec declares" in page
    assert "post hoc, not in the protocol" in page
    assert "1 of 2 criteria" in page
    # on the first page, in the words of the page
    assert "Not in the protocol, so post hoc: Specificity ≥ 0.1." in page
    manifest = json.loads((study / "runs" / "latest" / "MANIFEST.json").read_text())
    assert "protocol" in {one["role"] for one in manifest["inputs"]}
    assert status_of(["verify", str(study / "runs" / "latest")]) == 0


def test_a_run_as_planned_has_nothing_post_hoc(study: Path) -> None:
    assert run(study, PLANNED + CITED) == 0
    cited = results(study)["provenance"]["protocol"]
    assert (len(cited["criteria"]), cited["post_hoc"], cited["not_judged"]) == (2, [], [])
    page = (study / "runs" / "latest" / "report.html").read_text()
    assert f"protocol {cited['sha256'][:12]}" in page
    assert "post hoc, not in" not in page


def test_a_protocol_that_was_altered_is_refused(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = study / "plan" / "protocol.json"
    path.write_text(path.read_text().replace('"wanted": 0.8', '"wanted": 0.7'))
    assert run(study, PLANNED + CITED) == 3
    assert "it does not have the hash that it states" in capsys.readouterr().err


@pytest.mark.parametrize(
    "text", ["", "{}", "[1]", '{"schema": "evalreport/design/1"}', "[" * 10**5]
)
def test_a_file_that_is_no_protocol_is_refused(
    study: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (study / "plan" / "protocol.json").write_text(text)
    assert run(study, PLANNED + CITED) == 3
    assert "it is not a protocol" in capsys.readouterr().err


def test_a_run_without_a_protocol_says_nothing_of_one(study: Path) -> None:
    assert run(study, PLANNED) == 0
    assert "protocol" not in results(study)["provenance"]


def test_a_criterion_that_is_called_planned_and_was_not_is_found_by_verify(study: Path) -> None:
    changed = PLANNED.replace("specificity, at_least: 0.2", "specificity, at_least: 0.1")
    assert run(study, changed + CITED) == 0
    found = decode(results(study))
    protocol = found.provenance.protocol
    assert protocol is not None
    assert recompute(found).problems == ()
    forged = replace(protocol, criteria=(*protocol.criteria, "specificity >= 0.05"), post_hoc=())
    again = replace(found, provenance=replace(found.provenance, protocol=forged))
    (problem,) = recompute(again).problems
    assert "are not the criteria of the spec" in problem.what
