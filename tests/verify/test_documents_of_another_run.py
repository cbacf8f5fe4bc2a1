"""Documents that other libraries drew: what they tell is compared, and the first line says so."""

from __future__ import annotations

import io
import json
import re
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evalreport.cli import document_text, status_of
from evalreport.cli.document_text import Compared, Told, compared_text, read_pdf
from evalreport.cli.rendering import drawing_options, read_results
from evalreport.engine.prepared import silent
from evalreport.publish.formats import drawn
from evalreport.render import pdf
from evalreport.runs.hashing import canonical_json, record_bytes
from evalreport.runs.manifest import Manifest, read_manifest
from evalreport.version import __version__

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


@pytest.mark.long
def test_a_version_that_the_documents_do_not_name_is_found(
    run: Path, tmp_path: Path, capsys: Capture
) -> None:
    copied = tmp_path / "copy"
    shutil.copytree(run, copied)
    results = json.loads((copied / "results.json").read_bytes())
    results["provenance"]["version"] = "0.0.9"
    (copied / "results.json").write_bytes(canonical_json(results))
    manifest, _ = read_manifest(copied)
    outputs = {name: record_bytes((copied / name).read_bytes()) for name in manifest.outputs}
    details = replace(manifest.details, version="0.0.9")
    (copied / "MANIFEST.json").write_bytes(Manifest(details, outputs).to_bytes())
    capsys.readouterr()
    assert status_of(["verify", str(copied)]) == 5
    told = capsys.readouterr().err
    for name in ("report.html", "report.pdf", "report.docx"):
        assert f"{name}: it names evalreport {__version__}, results.json is of 0.0.9" in told


def test_what_is_no_word_document_is_told() -> None:
    (problem,) = compared_text("report.docx", b"PK", b"PK").problems
    assert problem == "is not a Word document that can be read"


@pytest.mark.long
def test_pages_and_attached_files_count(run: Path) -> None:
    from pypdf import PdfReader, PdfWriter

    content = (run / "report.pdf").read_bytes()
    own = read_pdf(content)
    assert own is not None
    assert all(own.pages)
    assert compared_text("report.pdf", content, content) == Compared()
    writer, out = PdfWriter(clone_from=PdfReader(io.BytesIO(content))), io.BytesIO()
    writer.add_blank_page(100, 100)
    writer.add_attachment("more.txt", b"more")
    writer.write(out)
    told = " ".join(compared_text("report.pdf", out.getvalue(), content).problems)
    pages = len(own.pages)
    assert f"has {pages + 1} pages, results.json gives {pages}" in told
    assert "has other files attached" in told
    told = " ".join(compared_text("report.pdf", b"no PDF", content).problems)
    assert told == "is not a PDF that can be read"


def swapped(run: Path, monkeypatch: pytest.MonkeyPatch) -> bytes:
    """The PDF of a run with the two numbers of one line of a table changed for each other."""
    drawn_as, made = pdf.render_pdf, list[int]()

    def render(html: str, **options: Any) -> bytes:
        line = r"<td>(24|6)</td><td>(24|6)</td>"
        html, count = re.subn(line, r"<td>\2</td><td>\1</td>", html, count=1)
        made.append(count)
        return drawn_as(html, **options)

    monkeypatch.setattr(pdf, "render_pdf", render)
    data, results = read_results(run / "results.json")
    content = drawn(data, drawing_options(results, None, ("pdf",)), silent).files["report.pdf"]
    monkeypatch.undo()
    assert made == [1]
    return content


@pytest.mark.long
def test_two_numbers_changed_for_each_other_are_found(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    content = swapped(run, monkeypatch)
    copied = of_another_release(run, tmp_path, "report.pdf", content)
    capsys.readouterr()
    assert status_of(["verify", str(copied)]) == 5
    assert re.search("has '(24|6)' where results.json has '(24|6)', page", capsys.readouterr().err)


def of_pages(monkeypatch: pytest.MonkeyPatch, own: str, drawn: str) -> Compared:
    """Two documents of these words, a page each line."""

    def read(data: bytes) -> Told:
        return Told(tuple(tuple(page.split()) for page in data.decode().splitlines()))

    monkeypatch.setitem(document_text.READERS, "report.pdf", (read, "PDF"))
    return compared_text("report.pdf", own.encode(), drawn.encode())


DRAWN = "recall 0.8 Wilson page 1\nn 30 accuracy 0.9 page 2\nloss 0.1 page 3"


@pytest.mark.parametrize(
    ("own", "problem"),
    [
        (
            DRAWN.replace("recall 0.8", "0.8 recall"),
            "has '0.8' where results.json has 'recall', page 1",
        ),
        (
            DRAWN.replace("0.8", "x").replace("0.1", "0.8").replace("x", "0.1"),
            "has '0.1' where results.json has '0.8', page 1",
        ),
        (
            DRAWN.replace("0.9", "x").replace("0.1", "0.9").replace("x", "0.1"),
            "has '0.1' where results.json has '0.9', page 2",
        ),
        (DRAWN.replace("0.1", "0.2"), "has '0.2' where results.json has '0.1', page 3"),
        (DRAWN.replace(" 0.1", ""), "has nothing where results.json has '0.1', page 3"),
    ],
)
def test_words_stand_where_they_were(
    own: str, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = of_pages(monkeypatch, own, DRAWN)
    assert problem in " ".join(found.problems)


@pytest.mark.parametrize(
    ("own", "unordered"),
    [
        (DRAWN.replace("0.8", "0 .8"), []),
        ("recall 0.8 page 1\nWilson n 30 accuracy 0.9 page 2\nloss 0.1 page 3", []),
        ("recall 0.8 page 1\nWilson n 30 page 2\naccuracy 0.9 loss 0.1 page 3", [2]),
    ],
)
def test_a_line_over_the_end_of_a_page_is_no_problem(
    own: str, unordered: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a page begins and ends elsewhere, the order of its words is not compared."""
    assert of_pages(monkeypatch, own, DRAWN) == Compared([], unordered)
