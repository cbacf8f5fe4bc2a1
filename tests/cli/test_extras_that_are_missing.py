"""What is installed with an extra and missing is named before any work, with its line."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from evalreport import FilesError, run
from evalreport.cli import status_of

SPEC = """evalreport: 1
datasets: {{d: {{path: {path}, target: y}}}}
models: {{m: {{{model}}}}}
metrics: [recall]
{more}
"""
ROWS = "y,p\n" + "".join(f"{i % 2},{i / 20}\n" for i in range(20))
POSTGRES = '{sql: SELECT 1, database: "postgresql://me@localhost/db"}'


@pytest.fixture(autouse=True)
def without_extras(tmp_path, monkeypatch):
    """Nothing of any extra can be imported."""
    found = importlib.util.find_spec
    absent = {"docx", "resvg_py", "pyspark", "adbc_driver_manager", "onnxruntime"}
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda name, *a: None if name in absent else found(name, *a)
    )
    monkeypatch.chdir(tmp_path)
    Path("d.csv").write_text(ROWS)
    Path("m.onnx").write_bytes(b"")


@pytest.mark.parametrize(
    ("extra", "place", "path", "model", "more"),
    [
        ("docx", "5:", "d.csv", "score: p", "report: {formats: [docx]}"),
        ("spark", "2:", "{table: a.b}", "score: p", "engine: {spark: {url: sc://localhost}}"),
        ("postgres", "2:", POSTGRES, "score: p", ""),
        ("onnx", "3:", "d.csv", "onnx: m.onnx, features: [p]", ""),
    ],
)
def test_check_and_run_name_an_extra_and_its_line(capsys, extra, place, path, model, more) -> None:
    Path("s.yaml").write_text(SPEC.format(path=path, model=model, more=more))
    for command in (["check", "s.yaml"], ["run", "s.yaml"]):
        assert status_of(command) == 4
        told = capsys.readouterr().err
        assert f"pip install 'evalreport[{extra}]'" in told
        assert f"s.yaml:{place}" in told
        assert "reading" not in told
    assert not list(Path().glob("runs/*/results.json"))


def test_what_is_asked_for_with_the_run_is_looked_for_as_well(capsys) -> None:
    Path("s.yaml").write_text(SPEC.format(path="d.csv", model="score: p", more=""))
    assert status_of(["run", "s.yaml", "--formats", "json,docx"]) == 4
    assert "evalreport[docx]" in capsys.readouterr().err
    assert status_of(["run", "s.yaml", "--engine", "spark"]) == 4
    assert "evalreport[spark]" in capsys.readouterr().err
    with pytest.raises(FilesError, match=r"evalreport\[spark\]"):
        run("s.yaml", engine="spark")
    assert status_of(["run", "s.yaml", "--formats", "json", "--quiet"]) == 0
