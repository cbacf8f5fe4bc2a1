"""Documents that other libraries drew: what they tell is compared, and the first line says so."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evalreport.cli import status_of
from evalreport.cli.document_text import read_pdf, text_problems
from evalreport.runs.hashing import record_bytes
from evalreport.runs.manifest import Manifest, read_manifest

pytest.importorskip("pypdf", reason="the lock names pypdf, and this environment is older")

SPEC = """evalreport: 1
title: A ward
datasets:
  ward: {path: ward.csv, target: y}
positive: {label: ill}
models:
  one: {score: a}
metrics: [recall, specificity]
report: {formats: [html, pdf, docx]}
"""
Capture = pytest.CaptureFixture[str]


def made(folder: Path, hits: int) -> Path:
    """A run of so many cases that were found, of thirty."""
    folder.mkdir()
    rows = [f"ill,{0.9 if k < hits else 0.1}" for k in range(30)] + ["well,0.2"] * 30
    (folder / "ward.csv").write_text("\n".join(["y,a", *rows]) + "\n")
    (folder / "ward.yaml").write_text(SPEC)
    args = [str(folder / "ward.yaml"), "-o", str(folder / "runs"), "--quiet"]
    assert status_of(["run", *args, "--at", "2026-11-21T12:00:00Z"]) == 0
    return (folder / "runs" / "latest").resolve()


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("pdf") / "own", 24)


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("pdf") / "other", 29)


def of_another_release(run: Path, folder: Path, name: str, content: bytes) -> Path:
    """A copy with this document, results and manifest naming another WeasyPrint; all hashes fit."""
    copied = folder / "copy"
    copied.mkdir()
    for path in run.iterdir():
        (copied / path.name).write_bytes(path.read_bytes())
    (copied / name).write_bytes(content)
    results: dict[str, Any] = json.loads((copied / "results.json").read_bytes())
    manifest, _ = read_manifest(run)
    versions = {**manifest.details.versions, "weasyprint": "69.0"}
    if "weasyprint" in results["provenance"]["versions"]:
        results["provenance"]["versions"]["weasyprint"] = "69.0"
        data = json.dumps(results, sort_keys=True, separators=(",", ":")).encode()
        (copied / "results.json").write_bytes(data)
    outputs = {name: record_bytes((copied / name).read_bytes()) for name in manifest.outputs}
    details = replace(manifest.details, versions=versions)
    (copied / "MANIFEST.json").write_bytes(Manifest(details, outputs).to_bytes())
    return copied


def written_again(pdf: bytes) -> bytes:
    """The same pages in other bytes, as another release of a library writes them."""
    from pypdf import PdfReader, PdfWriter

    writer, out = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf))), io.BytesIO()
    writer.write(out)
    assert out.getvalue() != pdf
    return out.getvalue()


def packed_again(docx: bytes) -> bytes:
    """The same document in other bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(docx)) as parts, zipfile.ZipFile(out, "w") as again:
        for name in parts.namelist():
            again.writestr(name, parts.read(name))
    assert out.getvalue() != docx
    return out.getvalue()


@pytest.mark.long
@pytest.mark.parametrize("name", ["report.pdf", "report.docx"])
def test_a_document_of_another_run_is_found(
    name: str, run: Path, other: Path, tmp_path: Path, capsys: Capture
) -> None:
    copied = of_another_release(run, tmp_path, name, (other / name).read_bytes())
    capsys.readouterr()
    assert status_of(["verify", str(copied)]) == 5
    assert f"{name}: has " in capsys.readouterr().err


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "again"), [("report.pdf", written_again), ("report.docx", packed_again)]
)
def test_a_document_of_another_release_that_tells_the_same_is_said_in_the_first_line(
    name: str, again: Callable[[bytes], bytes], run: Path, tmp_path: Path, capsys: Capture
) -> None:
    copied = of_another_release(run, tmp_path, name, again((run / name).read_bytes()))
    capsys.readouterr()
    assert status_of(["verify", str(copied)]) == 0
    assert f"{name}: text compared" in capsys.readouterr().out.splitlines()[0]


def test_what_is_no_word_document_is_told() -> None:
    (problem,) = text_problems("report.docx", b"PK", b"PK")
    assert problem == "is not a Word document that can be read"


@pytest.mark.long
def test_pages_and_attached_files_count(run: Path) -> None:
    from pypdf import PdfReader, PdfWriter

    pdf = (run / "report.pdf").read_bytes()
    own = read_pdf(pdf)
    assert own is not None
    assert own.words
    assert list(text_problems("report.pdf", pdf, pdf)) == []
    writer, out = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf))), io.BytesIO()
    writer.add_blank_page(100, 100)
    writer.add_attachment("more.txt", b"more")
    writer.write(out)
    told = " ".join(text_problems("report.pdf", out.getvalue(), pdf))
    assert f"has {own.pages + 1} pages, results.json gives {own.pages}" in told
    assert "has other files attached" in told
    assert list(text_problems("report.pdf", b"no PDF", pdf)) == ["is not a PDF that can be read"]
