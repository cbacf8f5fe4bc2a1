"""Every number of the accepted pages: rounded alike, intervals in one style, n beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from report.html_page import Element, parse

ACCEPTED = Path(__file__).parent / "accepted"
NAMES = sorted(path.parent.name for path in ACCEPTED.glob("*/report.html"))
NUMBER = r"−?\d+(?:\.\d+)?(?:e−?\d+)?"
INTERVAL = re.compile(rf"{NUMBER} to {NUMBER}")
PERCENT = re.compile(rf"{NUMBER}\s?%")
#: Intervals as others write them.
OTHER_STYLES = re.compile(
    rf"\[{NUMBER}[,;] ?{NUMBER}\]|\({NUMBER}, {NUMBER}\)|{NUMBER} ?[–—] ?{NUMBER}|{NUMBER} ?± ?\d"
)
every_page = pytest.mark.parametrize("name", NAMES)


@cache
def page(name: str) -> Element:
    return parse((ACCEPTED / name / "report.html").read_text(encoding="utf-8"))


def text_of(element: Element) -> str:
    return " ".join(element.text.split())


def values(name: str) -> Iterator[tuple[float, str]]:
    """Full precision and text of every printed value."""
    for element in page(name).all():
        exact = element.attrs.get("data-value")
        if exact:
            yield float(exact), text_of(element)


@every_page
def test_a_value_reads_0_or_1_only_when_it_is(name: str) -> None:
    printed = list(values(name))
    assert len(printed) > 10
    for exact, text in printed:
        read = float(text.replace("−", "-"))
        assert (read in {0.0, 1.0, -1.0}) == (exact in {0.0, 1.0, -1.0}), (exact, text)
        # no more than half a unit of the last digit away, and no digit without a meaning
        places = len(text.partition(".")[2]) if "e" not in text else 20
        assert abs(read - exact) <= 0.5 * 10**-places + 1e-12, (exact, text)
        assert not re.fullmatch(r"−?[01]\.0+", text), text


@every_page
def test_values_are_proportions_and_not_percent(name: str) -> None:
    for _, text in values(name):
        assert "%" not in text


@every_page
def test_a_column_holds_percent_or_proportions_but_not_both(name: str) -> None:
    columns = 0
    for table in page(name).all("table"):
        rows = [row for body in table.all("tbody") for row in body.all("tr")]
        cells = [
            [text_of(c) for c in row.children if isinstance(c, Element) and c.tag in {"td", "th"}]
            for row in rows
        ]
        alike = [row for row in cells if len(row) == len(cells[0])]
        for column in zip(*alike, strict=True):
            percent = [c for c in column if PERCENT.fullmatch(c)]
            proportions = [c for c in column if re.fullmatch(r"−?0\.\d+", c)]
            columns += bool(percent or proportions)
            assert not (percent and proportions), column
    assert columns > 5


@every_page
def test_intervals_are_written_in_one_way(name: str) -> None:
    found = 0
    for element in page(name).all():
        if element.tag == "p" and element.attrs.get("class") == "ci":
            assert re.fullmatch(rf"{NUMBER}\s%? CI {NUMBER} to {NUMBER}", text_of(element)) or (
                re.fullmatch(rf"[\d.]+\s?% CI {INTERVAL.pattern}", text_of(element))
            ), text_of(element)
            found += 1
        if element.tag == "small" and INTERVAL.search(text_of(element)):
            assert INTERVAL.fullmatch(text_of(element)), text_of(element)
            found += 1
    assert found > 3
    spec = {id(pre) for pre in page(name).all("pre")}
    prose = [
        text_of(e)
        for e in page(name).all()
        if e.tag in {"td", "p", "figcaption", "span", "li"} and id(e) not in spec
    ]
    for text in prose:
        wrong = OTHER_STYLES.search(text)
        assert not wrong or "2026-" in text, text


@every_page
def test_n_stands_beside_every_value(name: str) -> None:
    cards = page(name).all("article")
    assert cards
    for card in cards:
        assert re.search(r"\bn \d+", text_of(card)), text_of(card)[:80]
    tables = [t for t in page(name).all("table") if any("data-measure" in e.attrs for e in t.all())]
    for table in tables:
        heads = {text_of(th) for th in table.all("thead")[0].all("th")}
        caption = text_of(table.all("caption")[0])
        # compared values stand above the tables that they are of
        if not caption.startswith("Differences"):
            counts = {"n", "TN", "right of tested", "found / of"} & heads
            assert counts or re.search(r"\bn \d+", caption), caption
