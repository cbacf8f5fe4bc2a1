"""The PDF: pages, tags, bookmarks, attachments, and the same bytes twice."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from urllib.parse import unquote

import pikepdf
import pytest
from plain_results import render_html
from programs import program
from report.example_results import many_classes, states, two_models
from report.html_page import parse

from evalreport.errors import LimitError, RenderingError, UsageError
from evalreport.publish.formats import started_printer
from evalreport.render import paper
from evalreport.render.limited import Child
from evalreport.render.pdf import render_pdf
from evalreport.render.shipped import fonts_css

pytestmark = [pytest.mark.long_but_first, pytest.mark.requirement("R15")]

AT = datetime(2026, 11, 21, 7, 59, tzinfo=UTC)


@pytest.fixture(scope="module")
def results():
    return two_models()


@pytest.fixture(scope="module")
def pdf(results):
    attached = {"results.json": json.dumps(results).encode(), "spec.yaml": b"evalreport: 1\n"}
    return render_pdf(render_html(results, paper=True), at=AT, attachments=attached)


def _text(pdf: bytes) -> str:
    done = subprocess.run(
        [program("pdftotext"), "-layout", "-", "-"], input=pdf, capture_output=True, check=True
    )
    return done.stdout.decode("utf-8")


@pytest.mark.long
def test_the_standard_report_of_two_models_has_at_most_twelve_pages(pdf):
    with pikepdf.open(io.BytesIO(pdf)) as document:
        assert 5 <= len(document.pages) <= 12


@pytest.mark.long
def test_the_document_is_tagged_titled_and_in_a_language(pdf):
    with pikepdf.open(io.BytesIO(pdf)) as document:
        root = document.Root
        assert root.MarkInfo.Marked
        assert str(root.Lang) == "en"
        assert "/OutputIntents" in root
        with document.open_metadata() as metadata:
            assert metadata["dc:title"] == "Breast masses"
            assert (metadata["pdfaid:part"], metadata["pdfaid:conformance"]) == ("3", "A")
            assert metadata["xmp:CreateDate"].startswith("2026-11-21T07:59:00")


def test_every_section_has_a_bookmark(pdf):
    with pikepdf.open(io.BytesIO(pdf)) as document, document.open_outline() as outline:
        titles = [item.title for item in outline.root]
    assert any("of 3 limits" in t for t in titles)
    assert any("Signatures" in t for t in titles)


def test_results_and_spec_are_attached(pdf, results):
    with pikepdf.open(io.BytesIO(pdf)) as document:
        assert sorted(document.attachments) == ["results.json", "spec.yaml"]
        assert json.loads(document.attachments["results.json"].get_file().read_bytes()) == results


def test_charts_have_alternative_text(pdf):
    with pikepdf.open(io.BytesIO(pdf)) as document:
        figures = [
            o
            for o in document.objects
            if isinstance(o, pikepdf.Dictionary) and o.get("/S") == "/Figure"
        ]
        told = [str(f.get("/Alt", "")) for f in figures]
    assert any(t.startswith("ROC curve. logistic: recall") for t in told)
    assert all(told)


def test_qpdf_finds_nothing_wrong(pdf, tmp_path):
    path = tmp_path / "report.pdf"
    path.write_bytes(pdf)
    assert (
        subprocess.run(
            [program("qpdf"), "--check", path], capture_output=True, check=False
        ).returncode
        == 0
    )


def test_pages_say_their_number_the_contents_theirs(pdf):
    text = _text(pdf)
    with pikepdf.open(io.BytesIO(pdf)) as document:
        pages = len(document.pages)
    for k in range(1, pages + 1):
        assert f"page {k} of {pages}" in text
    assert "UNSIGNED" in text
    assert re.search(r"3 How to read\s+\d", text)


@pytest.mark.long
def test_the_same_page_gives_the_same_bytes():
    page = render_html(states())
    assert render_pdf(page, at=AT, attachments={"a.json": b"{}"}) == render_pdf(
        page, at=AT, attachments={"a.json": b"{}"}
    )


@pytest.mark.long
def test_letter_and_ua(results):
    page = render_html(states())
    with pikepdf.open(
        io.BytesIO(render_pdf(page, at=AT, page="letter", variant="pdf/ua-1"))
    ) as document:
        assert [float(x) for x in document.pages[0].MediaBox] == pytest.approx(
            [0, 0, 612, 792], abs=1
        )


def test_a_reference_out_of_the_page_ends_the_printing(tmp_path):
    with pytest.raises(RenderingError, match="file:///etc/passwd"):
        render_pdf('<p style="background:url(file:///etc/passwd)">x</p>', at=AT)


@pytest.mark.long
def test_a_page_that_takes_too_long_meets_a_limit():
    with pytest.raises(LimitError, match=r"longer|more than"):
        render_pdf("<table><tr><td colspan=100000>x</table>" * 50, at=AT, seconds=1)


def test_unknown_variants_are_wrong_calls():
    with pytest.raises(UsageError, match="pdf/a-3a"):
        render_pdf("<p>x", at=AT, variant="pdf/a-3b")


def test_without_pango_the_error_says_what_to_install(monkeypatch):
    import builtins

    def refuse(name, *args, **kwargs):
        if name == "weasyprint":
            raise OSError("cannot load library 'libpango-1.0-0'")
        return original(name, *args, **kwargs)

    original = builtins.__import__
    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(RenderingError, match="libpango") as caught:
        paper.print_page("<p>x", "pdf/a-3a", {}, AT.isoformat(), "a4")
    assert "apt-get install" in str(caught.value)


@pytest.mark.long
def test_large_tables_stay_bounded():
    page = render_html(many_classes(300), paper=True)
    with pikepdf.open(io.BytesIO(render_pdf(page, at=AT))) as document:
        assert len(document.pages) <= 12


@pytest.mark.long
@pytest.mark.parametrize("labels", [("$\\frac{$", "<b>"), ("=1+1", "\u202egnp"), ("", "x" * 20000)])
def test_hostile_labels_reach_the_page_as_text(labels):
    text = _text(render_pdf(render_html(states(labels), paper=True), at=AT))
    for label in labels:
        if 0 < len(label) < 100 and "\u202e" not in label:
            assert label in text


def _for_the_screen_alone(element) -> bool:
    """Data of charts, the choice of a threshold, entries below the sections of the contents."""
    if element.tag == "details":
        return element.attrs.get("class") in ("data", "again")
    if element.tag == "ul":
        return element.up("nav") is not None
    return element.tag in ("fieldset", "style", "summary", "title")


def _screen_text(element) -> str:
    return "".join(
        child if isinstance(child, str) else _screen_text(child)
        for child in element.children
        if isinstance(child, str) or not _for_the_screen_alone(child)
    )


def test_everything_with_a_heading_stands_on_paper_as_often_as_on_the_page(pdf, results):
    """Layout engines have been seen to print a table twice, or not at all."""
    page = parse(render_html(results))
    command = [program("pdftotext"), "-raw", "-", "-"]
    raw = subprocess.run(command, input=pdf, capture_output=True, check=True)
    printed = re.sub(r"\s+", "", raw.stdout.decode("utf-8"))
    shown = re.sub(r"\s+", "", _screen_text(page))
    heads = {re.sub(r"\s+", "", _screen_text(e)) for e in [*page.all("h3"), *page.all("caption")]}
    folded = [d for d in page.all("details") if _for_the_screen_alone(d)] + page.all("fieldset")
    hidden = {re.sub(r"\s+", "", e.text) for d in folded for e in d.all("caption")}
    # the spec is attached to the paper
    hidden |= {"Thespecaswritten"}
    for head in sorted(h for h in heads - hidden if len(h) > 12):
        assert printed.count(head) == shown.count(head), head


def test_pdfinfo_reads_it(pdf):
    told = subprocess.run(
        [program("pdfinfo"), "-"], input=pdf, capture_output=True, check=True
    ).stdout
    facts = dict(line.split(":", 1) for line in told.decode("utf-8").splitlines() if ":" in line)
    facts = {key: value.strip() for key, value in facts.items()}
    assert facts["Tagged"] == "yes"
    assert facts["Encrypted"] == "no"
    assert facts["JavaScript"] == "no"
    assert facts["Title"]
    assert facts["Page size"].startswith("595.2")


def test_paper_has_the_words_of_the_page_but_not_the_data_of_its_charts(results):
    page = render_html(results)
    paper_page = render_html(results, paper=True)
    assert '<details class="data">' in page
    assert "<details" not in paper_page
    assert "font/woff2" not in re.sub(r'"data:image[^"]*"', "", paper_page)

    def words(text):
        text = re.sub(r"<style>.*?</style>", "", text, flags=re.DOTALL)
        text = re.sub(r'<svg class="chart".*?</svg>', "", text, flags=re.DOTALL)
        return parse(
            re.sub(r'<details class="(data|again)">.*?</details>', "", text, flags=re.DOTALL)
        ).text

    assert words(paper_page) == words(page)
    # charts are pictures there, of the same words, and with the same words for them
    charts = [svg for svg in parse(page).all("svg") if svg.attrs.get("class") == "chart"]
    pictures = parse(paper_page).all("img")
    assert len(charts) > 3
    assert [c.attrs["aria-label"] for c in charts] == [p.attrs["alt"] for p in pictures]
    for chart, picture in zip(charts, pictures, strict=True):
        drawn = parse(unquote(picture.attrs["src"].partition(",")[2]))
        assert "".join(t.text for t in drawn.all("text")) == "".join(
            t.text for t in chart.all("text")
        )


def test_every_place_of_the_page_has_an_address_in_the_pdf(pdf, results):
    page = re.sub(r"<fieldset.*?</fieldset>", "", render_html(results), flags=re.DOTALL)
    names = set(re.findall(r' id="([\w-]+)"', re.sub(r"<svg.*?</svg>", "", page, flags=re.DOTALL)))
    assert {"verdict", "h-verdict", "m1"} <= names
    assert len(names) > 100
    with pikepdf.open(io.BytesIO(pdf)) as document:
        pages = [one.objgen for one in document.pages]
        listed = list(document.Root.Names.Dests.Names)
        places = {
            str(name): (pages.index(to[0].objgen), float(to[3]))
            for name, to in zip(listed[::2], listed[1::2], strict=True)
        }
    assert set(places) == names
    assert places["verdict"] == places["h-verdict"]
    # in the order of the page: sections begin one after the other, cards stand in theirs
    assert places["measures"] < places["comparisons"]
    assert places["verdict"][0] == 0
    assert len({place for name, place in places.items() if name.startswith("m")}) > 20


@pytest.mark.nightly
def test_what_was_loaded_before_changes_no_byte(results):
    page = render_html(results)
    code = (
        "import sys; from evalreport.render.paper import print_page\n"
        f"made = print_page(sys.stdin.read(), 'pdf/a-3a', {{}}, {AT.isoformat()!r}, 'a4')\n"
        "sys.stdout.buffer.write(made)"
    )
    alone = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", code],
        input=page.encode(),
        capture_output=True,
        check=True,
    )
    with Child("pdf") as child:
        assert render_pdf(page, at=AT, child=child) == alone.stdout


@pytest.mark.long
def test_nothing_is_left_in_the_temporary_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    render_pdf(f"<style>{fonts_css()}</style><p>x", at=AT)
    with pytest.raises(LimitError):
        render_pdf("<table><tr><td colspan=100000>x</table>" * 50, at=AT, seconds=1)
    with Child("pdf"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_child_without_a_parent_ends_by_itself():
    child = Child("pdf")
    child._process.stdin.close()
    child._process.stdin = None
    assert child._process.wait(timeout=60) == 0
    child.__exit__()


def test_without_a_temporary_folder_the_page_alone_is_made(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "absent"))
    with started_printer(("html", "pdf")) as printer:
        assert printer is None
    with pytest.raises(RenderingError, match="cannot begin: No such file"):
        render_pdf("<p>x", at=AT)


def test_laying_out_a_page_loads_nothing_of_the_report():
    """The process starts once for each PDF, and what makes the numbers takes long to load."""
    code = (
        "import sys, evalreport.render.child, evalreport.render.paper\n"
        "ours = [name for name in sys.modules if name.startswith('evalreport.')]\n"
        "print(*sorted({name.split('.')[1] for name in ours}), 'numpy' in sys.modules)"
    )
    told = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, encoding="utf-8"
    ).stdout
    assert told.split() == ["errors", "lines", "processes", "render", "scratch", "version", "False"]
