"""From results.json alone every format again, byte for byte; and a template of one's own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SPEC = """
evalreport: 1
title: Drawn twice
datasets: {d: {path: d.csv, target: y}}
models: {m: {score: s}}
metrics: [accuracy, recall, roc_auc]
acceptance: [{metric: recall, at_least: 0.1}]
cautions: {off: {imbalance: it is by design}}
report:
  formats: [html, pdf, markdown, csv, junit, model_index, latex, openlineage, json]
  checklists: [stard_2015]
  characteristics: [age]
"""
FILES = {
    "report.html", "report.pdf", "summary.md", "tables.csv", "criteria.xml", "model-index.yaml",
    "measures.tex", "openlineage.json",
}  # fmt: skip
DRAWING = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect width="9" height="9"/></svg>'
)


def _evalreport(*words: str | Path, cwd: Path) -> None:
    command = [sys.executable, "-m", "evalreport", *map(str, words)]
    done = subprocess.run(command, capture_output=True, cwd=cwd, check=False)
    assert done.returncode == 0, done.stderr.decode()


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    made = tmp_path_factory.mktemp("drawn")
    rows = "".join(f"{'yes' if k % 20 == 0 else 'no'},{k % 7 / 7},{20 + k}\n" for k in range(80))
    (made / "d.csv").write_text(f"y,s,age\n{rows}", encoding="utf-8")
    (made / "spec.yaml").write_text(SPEC, encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def folder(written):
    _evalreport("run", "spec.yaml", "-o", "runs", "--at", "2026-11-21T12:00:00Z", cwd=written)
    return written


@pytest.mark.long
def test_every_format_again_is_the_same_bytes(folder, tmp_path):
    run = folder / "runs" / "latest"
    _evalreport("render", run / "results.json", "-o", tmp_path, cwd=folder)
    again = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert set(again) == FILES
    for name, content in again.items():
        assert content == (run / name).read_bytes(), name


@pytest.mark.long
def test_the_reason_for_a_caution_not_given_is_printed(folder):
    for name in ("report.html", "summary.md"):
        text = (folder / "runs" / "latest" / name).read_text(encoding="utf-8")
        assert "it is by design" in text


@pytest.mark.long
def test_a_copied_template_overrides_styles_blocks_logo_and_sections(written, tmp_path):
    _evalreport("templates", "copy", "clinical", tmp_path / "mine", cwd=written)
    mine = tmp_path / "mine"
    style = mine / "style.css"
    style.write_text(style.read_text(encoding="utf-8") + "h1{color:#123456}", encoding="utf-8")
    blocks = mine / "blocks.html.j2"
    text = blocks.read_text(encoding="utf-8")
    blocks.write_text(text.replace("<pre tabindex", "<pre data-mine tabindex"), encoding="utf-8")
    (mine / "logo.svg").write_text(DRAWING, encoding="utf-8")
    _evalreport(
        "run", "spec.yaml", "-o", tmp_path / "runs", "--formats", "html",
        "--set", f"report.template={mine}", "--set", "report.sections=[provenance, verdict]",
        cwd=written,
    )  # fmt: skip
    page = (tmp_path / "runs" / "latest" / "report.html").read_text(encoding="utf-8")
    assert "h1{color:#123456}" in page
    assert "<pre data-mine tabindex" in page
    assert '<img class="logo" src="data:image/svg+xml;base64,' in page
    # the words of the template it was copied from, and the order of the spec
    assert "Diagnostic accuracy report" in page
    places = [page.index(f'id="{name}"') for name in ("provenance", "verdict", "checklists")]
    assert places == sorted(places)
    assert 'id="measures"' not in page
