"""The report in Word: every block, the numbers of the page, and the same bytes twice."""

from __future__ import annotations

import io
import runpy
import zipfile
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import docx
import pytest

from evalreport.cli import status_of
from evalreport.errors import MissingLibraryError
from evalreport.render.docx import docx_problem, render_docx
from evalreport.render.html import built
from evalreport.render.shipped import templates_folder
from evalreport.report import model as m
from evalreport.results.codec import decode
from evalreport.results.lookup import Results

AT = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
SPEC = """\
evalreport: 1
title: "Two models, <one> & 'other' \u05e9\u05dc\u05d5\u05dd"
datasets: {d: {path: d.csv, target: y}}
models: {one: {score: a}, two: {score: b}}
metrics: [recall, f1, roc_auc, brier]
thresholds: [0.3, 0.5, 0.7]
subgroups: [site]
positive: {label: ill}
acceptance: [{metric: recall, at_least: 0.1, model: one, threshold: 0.5}]
confidence: {resamples: 20}
report:
  formats: [docx, html]
  checklists: [stard_2015]
  signatures: [{role: statistician, meaning: reviewed}]
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("word")
    lines = ["y,a,b,site"]
    for k in range(60):
        truth = "ill" if k % 3 == 0 else "well"
        high = 0.5 + (k % 7) / 20 if truth == "ill" else 0.2 + (k % 9) / 20
        lines.append(f"{truth},{high:.2f},{(high + (k % 5) / 30):.3f},{'NS'[k % 2]}")
    (folder / "d.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "s.yaml").write_text(SPEC, encoding="utf-8")
    asked = ["run", str(folder / "s.yaml"), "-o", str(folder / "runs")]
    assert status_of([*asked, "--at", "2026-11-21T12:00:00Z", "--quiet"]) == 0
    return (folder / "runs" / "latest").resolve()


@pytest.fixture(scope="module")
def word(run: Path) -> Any:
    return docx.Document(str(run / "report.docx"))


def everything(document: Any) -> str:
    """All text of the document, in paragraphs and tables."""
    found = [p.text for p in document.paragraphs]
    found += [cell.text for table in document.tables for row in table.rows for cell in row.cells]
    return "\n".join(found).replace("\u2068", "").replace("\u2069", "")


def results(run: Path) -> Results:
    import json

    return decode(json.loads((run / "results.json").read_text(encoding="utf-8")))


@pytest.mark.long
def test_every_block_of_the_page_is_in_the_document(run: Path, word: Any) -> None:
    report = built(results(run), "standard")
    text = everything(word)
    titles = [p.text for p in word.paragraphs if p.style.name == "Heading 1"]
    assert titles == [f"{s.number} {s.title}".strip() for s in report.sections]
    kinds = {type(block) for section in report.sections for block in section.blocks}
    assert {m.MetricBlock, m.TableBlock, m.Charts, m.Signatures, m.Checklist, m.Code} <= kinds
    for section in report.sections:
        for block in section.blocks:
            if isinstance(block, m.MetricBlock):
                for card in block.cards:
                    assert card.number.text in text
                    assert card.number.interval in text
            if isinstance(block, m.TableBlock):
                cells = [cell for line in block.lines for cell in line.cells]
                assert all(cell in text for cell in cells if isinstance(cell, str))
    pictures = sum(
        len(block.charts)
        for s in report.sections
        for block in s.blocks
        if isinstance(block, m.Charts)
    )
    assert len(word.inline_shapes) == pictures > 2


def test_no_sentence_is_about_an_axis_that_only_the_page_has(run: Path, word: Any) -> None:
    page = (run / "report.html").read_text(encoding="utf-8")
    assert "upright line: what a criterion requires" in page
    assert "upright line" not in everything(word)


def test_it_is_words_own_structure(run: Path, word: Any) -> None:
    for table in word.tables:
        rows = table._tbl.xpath("./w:tr")
        assert all(row.xpath("./w:trPr/w:cantSplit") for row in rows)
    heads = [t for t in word.tables if t._tbl.xpath("./w:tr[1]/w:trPr/w:tblHeader")]
    assert len(heads) > 5
    described = word.element.xpath("//wp:docPr/@descr")
    assert len(described) == len(word.inline_shapes)
    assert all(len(words) > 20 for words in described)
    section = word.sections[0]
    assert "UNSIGNED" in section.footer.paragraphs[0].text
    assert results(run).title in section.header.paragraphs[0].text.replace("\u2068", "").replace(
        "\u2069", ""
    )
    assert word.core_properties.created.isoformat().startswith("2026-11-21T12:00:00")
    for mark in ("shd", "bdr"):
        assert word.element.xpath(f"//w:r/w:rPr/w:{mark}"), "a formula has no mark of its cells"


def test_its_looks_are_the_styles_of_the_reference(word: Any) -> None:
    reference = docx.Document(str(templates_folder() / "word" / "reference.docx"))
    assert not any(p.text for p in reference.paragraphs)
    own = {style.name for style in reference.styles}
    used = {p.style.name for p in word.paragraphs}
    used |= {p.style.name for t in word.tables for c in t._cells for p in c.paragraphs}
    used |= {t.style.name for t in word.tables}
    assert {"Title", "Lead", "Caption", "Report Table", "Table Text", "Outcome Pass"} <= used <= own
    # sizes and fonts are those of styles; only formulas, heads and names mark their letters
    assert not word.element.xpath("//w:r/w:rPr/w:sz | //w:r/w:rPr/w:rFonts")


def test_the_reference_is_what_its_script_makes(tmp_path: Path) -> None:
    folder = templates_folder() / "word"
    runpy.run_path(str(folder / "make_reference.py"))["main"](tmp_path / "again.docx")
    shown = zipfile.ZipFile(folder / "reference.docx"), zipfile.ZipFile(tmp_path / "again.docx")
    for part in ("word/styles.xml", "word/document.xml"):
        kept, made = (archive.read(part) for archive in shown)
        assert kept == made


def test_tables_are_as_wide_as_the_text(word: Any) -> None:
    page = word.sections[0]
    text = page.page_width - page.left_margin - page.right_margin
    for table in word.tables:
        assert sum(column.width for column in table.columns) == pytest.approx(text, rel=0.002)


def test_limits_in_a_column_of_their_own_stand_once(run: Path) -> None:
    other = render_docx(built(replace(results(run), acceptance=()), "standard"), AT)
    table = docx.Document(io.BytesIO(other)).tables[1]
    heads = [cell.text for cell in table.rows[0].cells]
    value, limits = (
        heads.index("value"),
        next(k for k, text in enumerate(heads) if "limits" in text),
    )
    for row in table.rows[1:]:
        assert " to " not in row.cells[value].text
        assert " to " in row.cells[limits].text


def test_outcomes_are_words_in_coloured_cells(word: Any, run: Path) -> None:
    """A criterion that is held on the one model, and the stamp of the whole report."""
    cells = [c for t in word.tables for c in t._cells]
    shades = {
        (c.paragraphs[0].style.name, c.text.split("\n")[0]): fill
        for c in cells
        for fill in c._tc.xpath("./w:tcPr/w:shd/@w:fill")
    }
    assert shades["Stamp Pass", "PASSED"] == shades["Outcome Pass", "\u2713 pass"] == "E1F2E8"
    failed = [replace(c, outcome="fail") for c in results(run).acceptance]
    other = render_docx(built(replace(results(run), acceptance=tuple(failed)), "standard"), AT)
    shown = docx.Document(io.BytesIO(other))
    told = {p.style.name: p.text for t in shown.tables for c in t._cells for p in c.paragraphs}
    assert (told["Stamp Fail"], told["Outcome Fail"]) == ("FAILED", "\u2717 fail")


@pytest.mark.long
def test_the_same_bytes_twice_and_verified(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = built(results(run), "standard")
    one = render_docx(report, AT)
    with zipfile.ZipFile(io.BytesIO(one)) as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    assert (run / "report.docx").read_bytes() == one
    assert status_of(["verify", str(run)]) == 0
    assert "report.docx" not in capsys.readouterr().err


def test_a_changed_document_is_found(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import shutil

    copied = tmp_path / run.name
    shutil.copytree(run, copied)
    document = docx.Document(str(copied / "report.docx"))
    document.add_paragraph("A recall of 0.99 was found.")
    document.save(str(copied / "report.docx"))
    assert status_of(["verify", str(copied)]) != 0
    assert "report.docx" in capsys.readouterr().err


def test_a_block_that_nothing_writes_is_an_error(run: Path) -> None:
    class Strange:
        kind = "strange"

    section: Any = m.Section("s", "1", "One", "One", "", (Strange(),))  # type: ignore[arg-type]
    report = replace(built(results(run), "minimal"), sections=(section,))
    with pytest.raises(LookupError, match="nothing writes a block 'Strange' in Word"):
        render_docx(report, AT)


def test_every_kind_of_block_has_its_writer() -> None:
    from typing import get_args

    from evalreport.render.docx import _Writer

    assert set(_Writer(docx.Document()).draw) == set(get_args(m.Block))


def test_control_characters_are_replaced(run: Path) -> None:
    report = built(results(run), "minimal")
    shown = docx.Document(io.BytesIO(render_docx(replace(report, title="a\x0bb\ufffe"), AT)))
    assert shown.core_properties.title == "a\ufffdb\ufffd"
    long = docx.Document(io.BytesIO(render_docx(replace(report, title="L" * 256), AT)))
    assert len(long.core_properties.title) == 255
    assert "L" * 256 in [paragraph.text for paragraph in long.paragraphs]


@pytest.mark.long
def test_without_the_library_a_run_stops_before_any_work(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import importlib.util

    found = importlib.util.find_spec
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda name, *a: None if name == "docx" else found(name, *a)
    )
    assert "pip install 'evalreport[docx]'" in str(docx_problem())
    with pytest.raises(MissingLibraryError):
        render_docx(built(results(run), "minimal"), AT)
    folder = run.parents[1]
    assert status_of(["check", str(folder / "s.yaml")]) == 4
    assert "evalreport[docx]" in capsys.readouterr().err
    told = ["run", str(folder / "s.yaml"), "-o", str(tmp_path / "runs"), "--quiet"]
    assert status_of(told) == 4
    assert not list((tmp_path / "runs").glob("*/results.json"))
    told = capsys.readouterr().err
    assert "s.yaml:" in told
    assert "the extra docx is not installed: the Word document needs python-docx" in told
    assert "evalreport[docx]" in told
