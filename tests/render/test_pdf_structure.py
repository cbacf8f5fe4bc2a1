"""The structure of the PDF, as a screen reader walks it: scopes of heads, tables whole."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime

import pikepdf
import pytest
from plain_results import render_html
from report.example_results import two_models
from report.html_page import parse

from evalreport.render.pdf import render_pdf

AT = datetime(2026, 11, 21, 7, 59, tzinfo=UTC)
ROWS = 150
LONG = f"""<!DOCTYPE html><html lang="en"><title>long</title><body><h1>long</h1>
<table><caption>Long</caption><thead><tr><th scope="col">k</th><th scope="col">v</th></tr></thead>
<tbody>{"".join(f'<tr><th scope="row">r{k}</th><td>{k}</td></tr>' for k in range(ROWS))}</tbody>
</table><table><tr><td>other</td></tr></table></body></html>"""


def _walk(element: pikepdf.Object) -> Iterator[pikepdf.Object]:
    """A structure element and all below it; each must name the one above it as its parent."""
    yield element
    kids = element.get("/K", pikepdf.Array())
    for kid in kids if isinstance(kids, pikepdf.Array) else [kids]:
        if isinstance(kid, pikepdf.Dictionary) and "/S" in kid:
            assert kid.P.objgen == element.objgen
            yield from _walk(kid)


def _elements(content: bytes) -> list[tuple[str, list[str], str]]:
    """Kind, kinds of the children and scope of every element, in reading order."""
    found = []
    with pikepdf.open(io.BytesIO(content)) as pdf:
        top = pdf.Root.StructTreeRoot.K
        for root in top if isinstance(top, pikepdf.Array) else [top]:
            for one in _walk(root):
                kids = one.get("/K", pikepdf.Array())
                own = [str(k.S) for k in kids if isinstance(k, pikepdf.Dictionary) and "/S" in k]
                attributes = one.get("/A", pikepdf.Dictionary())
                found.append((str(one.S), own, str(attributes.get("/Scope", ""))))
    return found


@pytest.fixture(scope="module")
def long_table() -> list[tuple[str, list[str], str]]:
    return _elements(render_pdf(LONG, at=AT))


def test_a_table_over_several_pages_is_one(long_table):
    tables = [kids for kind, kids, _ in long_table if kind == "/Table"]
    assert len(tables) == 2
    assert tables[0][:2] == ["/Caption", "/THead"]
    assert set(tables[0][2:]) == {"/TBody"}
    # a body and, where heads are repeated, a row of heads for each further page
    assert len(tables[0]) > 4
    assert tables[1] == ["/TBody"]


def test_no_row_of_a_continued_table_is_lost_or_twice(long_table):
    counted = Counter(kind for kind, _, _ in long_table)
    assert counted["/TD"] == ROWS + 1
    assert Counter(scope for kind, _, scope in long_table if kind == "/TH")["/Row"] == ROWS


@pytest.mark.long
def test_every_head_of_a_report_says_what_it_is_the_head_of():
    page = render_html(two_models(), paper=True)
    elements = _elements(render_pdf(page, at=AT))
    scopes = Counter(scope for kind, _, scope in elements if kind == "/TH")
    assert set(scopes) == {"/Row", "/Column"}
    # the choice of a threshold is for the screen
    printed = parse(re.sub(r"<fieldset.*?</fieldset>", "", page, flags=re.DOTALL))
    heads = printed.all("th")
    assert scopes["/Row"] == sum(th.attrs["scope"] == "row" for th in heads)
    # heads of columns are repeated where a table goes on
    assert scopes["/Column"] >= sum(th.attrs["scope"] == "col" for th in heads)
    tables = [kids for kind, kids, _ in elements if kind == "/Table"]
    assert len(tables) == len(printed.all("table"))
