"""Which model was evaluated: from the spec to the results and the page."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import skops.io
from sklearn.linear_model import LogisticRegression

from evalreport.cli import status_of
from evalreport.results.codec import decode
from evalreport.verify.recompute import recompute

pytestmark = pytest.mark.requirement("R18")

ROWS = "y,p,x\n1,0.9,2\n0,0.1,-1\n1,0.4,1\n0,0.6,-2\n"


def written(folder: Path, model: str) -> Path:
    (folder / "a.csv").write_text(ROWS)
    spec = folder / "spec.yaml"
    spec.write_text(
        "evalreport: 1\ntitle: t\ndatasets: {d: {path: a.csv, target: y}}\n"
        f"models: {{m: {model}}}\nmetrics: [accuracy]\nreport: {{formats: [html]}}\n"
    )
    return spec


def models_of(folder: Path) -> Any:
    results = json.loads((folder / "runs" / "latest" / "results.json").read_text())
    return results["provenance"].get("models")


def run(folder: Path, spec: Path) -> int:
    return status_of(["run", str(spec), "-o", str(folder / "runs"), "--quiet"])


@pytest.mark.long
def test_what_the_spec_says_of_a_model_stands_in_results_and_on_the_page(tmp_path: Path) -> None:
    sha256 = "AB" * 32
    known = (
        f'version: "2.1", sha256: {sha256}, repository: https://example.org/triage, revision: 0f3e'
    )
    spec = written(tmp_path, f"{{score: p, {known}}}")
    assert run(tmp_path, spec) == 0
    assert models_of(tmp_path) == [
        {
            "model": "m",
            "version": "2.1",
            "sha256": sha256.lower(),
            "sha256_of": "declared",
            "repository": "https://example.org/triage",
            "revision": "0f3e",
        }
    ]
    found = decode(json.loads((tmp_path / "runs" / "latest" / "results.json").read_text()))
    assert recompute(found).problems == ()
    (known,) = found.provenance.models
    forged = replace(found.provenance, models=(replace(known, version="2.2"),))
    (problem,) = recompute(replace(found, provenance=forged)).problems
    assert "models.version is '2.2', the other records give '2.1'" in problem.what
    page = (tmp_path / "runs" / "latest" / "report.html").read_text()
    for words in (
        "version 2.1",
        f"sha256 {sha256.lower()} (declared in the spec)",
        "code in https://example.org/triage",
        "revision 0f3e",
    ):
        assert words in page
    assert 'href="https://example.org' not in page


def test_nothing_is_said_of_a_model_that_nothing_is_known_of(tmp_path: Path) -> None:
    assert run(tmp_path, written(tmp_path, "{score: p}")) == 0
    assert models_of(tmp_path) is None


def saved(folder: Path) -> str:
    model = LogisticRegression().fit(np.array([[2.0], [-1.0], [1.0], [-2.0]]), [1, 0, 1, 0])
    path = folder / "m.skops"
    path.write_bytes(skops.io.dumps(model))
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.long
def test_a_saved_model_has_the_hash_of_its_file(tmp_path: Path) -> None:
    sha256 = saved(tmp_path)
    assert run(tmp_path, written(tmp_path, "{skops: m.skops, features: [x]}")) == 0
    assert models_of(tmp_path) == [
        {"model": "m", "sha256": sha256, "sha256_of": "file", "file": "m.skops"}
    ]


@pytest.mark.parametrize("command", ["run", "check"])
def test_a_saved_model_with_another_hash_is_refused(
    tmp_path: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    sha256 = saved(tmp_path)
    spec = written(tmp_path, f"{{skops: m.skops, features: [x], sha256: {'f0' * 32}}}")
    more = ["-o", str(tmp_path / "runs")] if command == "run" else []
    assert status_of([command, str(spec), *more]) == 3
    said = capsys.readouterr().err
    assert f"its sha256 is {sha256}, the spec declares {'f0' * 32}" in said
    assert not (tmp_path / "runs" / "latest").exists()


def test_a_hash_that_is_none_is_refused_where_it_stands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status_of(["check", str(written(tmp_path, "{score: p, sha256: abc}"))]) == 2
    assert "spec.yaml:4:" in capsys.readouterr().err


def test_two_names_of_the_clock_are_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1795262400")
    assert run(tmp_path, written(tmp_path, "{score: p}")) == 0
    results = json.loads((tmp_path / "runs" / "latest" / "results.json").read_text())
    assert results["provenance"]["clock"] == "source_date_epoch"
