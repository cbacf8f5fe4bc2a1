"""What a reader does with the page: follow links, send them, copy tables, print it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from plain_results import render_html
from programs import program
from report.example_results import many_classes, states, two_models
from report.html_page import parse

from evalreport.render.html import style_text

pytestmark = pytest.mark.long_but_first


MADE = {"two models": two_models, "ten classes": lambda: many_classes(10), "states": states}


@pytest.mark.long
@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("template", ["standard", "clinical", "audit", "minimal"])
def test_every_measure_on_the_page_has_one_anchor_and_every_link_a_place(name, template):
    page = parse(render_html(MADE[name](), template))
    ids = [e.attrs["id"] for e in page.all() if "id" in e.attrs]
    assert len(ids) == len(set(ids))
    measures = {e.attrs["data-measure"] for e in page.all(data_measure=True)}
    assert measures
    for measure in measures:
        (place,) = page.all(id=measure)
        assert place.attrs["data-measure"] == measure
        # the link to be copied stands at its own place
        assert [a for a in place.all("a") if a.attrs["href"] == f"#{measure}"]
    targets = {a.attrs["href"][1:] for a in page.all("a") if a.attrs["href"].startswith("#")}
    assert targets <= set(ids)


@pytest.mark.long
def test_a_measure_with_a_card_is_named_there():
    page = parse(render_html(two_models()))
    cards = [e for e in page.all("article") if "data-measure" in e.attrs]
    assert len(cards) > 8
    assert all(card.attrs["id"] == card.attrs["data-measure"] for card in cards)


@pytest.mark.long
def test_the_contents_name_every_metric_below_its_section():
    page = parse(render_html(two_models()))
    (contents,) = page.all("nav", id="contents")
    named = [a.text for a in contents.all("a")]
    titles = [e.text for e in page.all("h3") if "id" in e.attrs]
    assert {"Recall", "Specificity"} <= set(titles)
    assert [t for t in titles if not any(n.startswith(t) or t.startswith(n) for n in named)] == []


def test_links_to_copy_are_no_links_on_paper():
    page = render_html(two_models())
    to_copy = re.compile(r'href="#m\d+"')
    assert to_copy.search(page)
    paper = render_html(two_models(), paper=True)
    assert not to_copy.search(paper)
    assert paper.count('href="#measures"') == 1
    # the numbers are still there, and nothing leads to where nothing is
    values = re.compile(r'class="(?:val|und)"')
    assert len(values.findall(paper)) == len(values.findall(page)) > 50
    ids = [e.attrs["id"] for e in parse(paper).walk() if "id" in e.attrs]
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]*)"', paper)) <= set(ids)


@pytest.mark.long
def test_text_in_a_style_sheet_cannot_leave_its_quotes():
    assert style_text('"}</style>\n\\') == "\\22 \\7d \\3c \\2f style\\3e \\a \\5c "
    title = '"} body{display:none} </style><script>alert(1)</script>'
    page = render_html({**two_models(), "title": title})
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    assert "body{display:none}" not in style
    assert "display\\3a none" in style
    assert "<script" not in page


def _browser(folder: Path, page: str, *options: str) -> bytes:
    source = folder / "page.html"
    source.write_text(page, encoding="utf-8")
    return subprocess.run(
        [
            program("chromium"), "--headless", "--no-sandbox", "--disable-gpu",
            "--disable-dev-shm-usage",
            f"--user-data-dir={folder / 'profile'}", "--virtual-time-budget=20000", *options,
            source.as_uri(),
        ],
        capture_output=True, check=True, timeout=180,
    ).stdout  # fmt: skip


@pytest.mark.long
@pytest.mark.browser
def test_a_table_is_copied_as_counts_alone(tmp_path):
    page = re.sub(
        r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", render_html(two_models())
    )
    copy = """<script>addEventListener("load", () => {
      const table = document.querySelector("table.cm"); getSelection().selectAllChildren(table);
      const said = getSelection().toString(); document.body.textContent = "FOUND" + said + "END";
    });</script></body>"""
    shown = _browser(tmp_path, page.replace("</body>", copy), "--dump-dom").decode("utf-8")
    told = re.search(r"FOUND(.*?)END", shown, re.DOTALL)
    assert told
    rows = [line.split("\t") for line in told[1].splitlines() if "\t" in line]
    counts = [[cell.strip() for cell in row[1:]] for row in rows[1:]]
    table = parse(page).all("table", data_table=True)[0]
    assert len(counts) == 2  # page one has no totals
    assert counts == [[c.own_text for c in tr.all("td")] for tr in table.all("tbody")[0].all("tr")]


@pytest.mark.long
@pytest.mark.browser
def test_each_page_that_a_browser_prints_says_of_which_report(tmp_path):
    import pikepdf

    page = render_html(two_models())
    identifier = re.search(r"report ([0-9a-f]{12})", page)
    assert identifier
    target = tmp_path / "printed.pdf"
    _browser(tmp_path, page, "--no-pdf-header-footer", f"--print-to-pdf={target}")
    with pikepdf.open(target) as pdf:
        number = len(pdf.pages)
    assert number > 3
    text = subprocess.run(
        [program("pdftotext"), "-layout", str(target), "-"], capture_output=True, check=True
    )
    sheets = text.stdout.decode("utf-8").split("\f")[:number]
    assert all(f"report {identifier[1]}" in sheet and "UNSIGNED" in sheet for sheet in sheets)
