"""The fonts that are shipped: small, renamed, licensed, with the characters reports print."""

from __future__ import annotations

from pathlib import Path

import pytest
from fontTools.ttLib import TTFont
from plain_results import render_html
from report.example_results import two_models

from evalreport.render.shipped import basic, fonts_css

FONTS = Path(__file__).resolve().parents[2] / "templates" / "fonts"
IN_PAGE = (
    "report-sans-400.woff2",
    "report-sans-600.woff2",
    "report-sans-400-italic.woff2",
    "report-serif-600.woff2",
    "report-mono-400.woff2",
)
BASIC = tuple(name.replace(".woff2", "-basic.woff2") for name in IN_PAGE)
FOR_LAYOUT = (
    "report-sans-400.ttf",
    "report-sans-600.ttf",
    "report-sans-400-italic.ttf",
    "report-serif-600.ttf",
    "report-mono-400.ttf",
)
ASCII = "".join(map(chr, range(0x20, 0x7F)))
MARKS = "−×≥≤½√ΣΔ●◆▲✓✗○→↓′·…“”‘’–—"


def opened(name: str) -> TTFont:
    return TTFont(FONTS / name, lazy=False)


def test_no_font_is_shipped_that_is_not_listed_here() -> None:
    shipped = {path.name for path in FONTS.iterdir() if path.suffix in {".woff2", ".ttf", ".otf"}}
    assert shipped == {*IN_PAGE, *BASIC, *FOR_LAYOUT}


@pytest.mark.parametrize(("names", "most"), [(IN_PAGE, 160_000), (BASIC, 80_000)])
def test_fonts_of_a_page_stay_within_their_budget(names: tuple[str, ...], most: int) -> None:
    base64 = sum(-(-(FONTS / name).stat().st_size // 3) * 4 for name in names)
    assert base64 <= most


@pytest.mark.parametrize(("small", "whole"), list(zip(BASIC, IN_PAGE, strict=True)))
def test_basic_fonts_have_all_but_the_letters_outside_ascii(small: str, whole: str) -> None:
    few, all_of_them = opened(small).getBestCmap(), opened(whole).getBestCmap()
    assert set(few) == {c for c in all_of_them if basic(chr(c))}


def test_a_page_holds_the_smallest_fonts_that_have_all_its_letters() -> None:
    results = two_models()
    assert fonts_css(basic=True) in render_html({**results, "title": "F1 ≥ ½, Σ"})
    assert fonts_css() in render_html({**results, "title": "La forêt"})


@pytest.mark.parametrize("name", [*IN_PAGE, *BASIC, *FOR_LAYOUT])
def test_reserved_name_is_not_used(name: str) -> None:
    table = opened(name)["name"]
    for identifier in (1, 3, 4, 6, 16):
        assert "source" not in table.getDebugName(identifier).lower()
    family = name.split("-")[1].capitalize()
    assert table.getDebugName(16) == f"Report {family}"


@pytest.mark.parametrize("name", [*IN_PAGE, *BASIC, *FOR_LAYOUT])
def test_weight_is_the_one_in_the_file_name(name: str) -> None:
    assert opened(name)["OS/2"].usWeightClass == int(name.replace(".", "-").split("-")[2])


@pytest.mark.parametrize("family", ["sans", "serif", "mono"])
def test_licence_stands_beside_each_family(family: str) -> None:
    text = (FONTS / f"report-{family}-OFL.txt").read_text(encoding="utf-8")
    assert "SIL OPEN FONT LICENSE Version 1.1" in text
    assert "Reserved Font Name" in text


@pytest.mark.parametrize(
    ("name", "characters"),
    [
        ("report-sans-400.woff2", ASCII + MARKS + "éßŁžελληνικάПриветґ"),
        ("report-sans-600.woff2", ASCII + MARKS + "éßŁžελληνικάПриветґ"),
        ("report-sans-400-italic.woff2", ASCII + MARKS.replace("ΣΔ", "") + "éß"),
        ("report-sans-400.ttf", ASCII + MARKS + "éßŁžελληνικάПриветґ"),
        ("report-serif-600.woff2", ASCII + "−×≥≤½√–—…“”‘’éßŁž"),
        ("report-mono-400.woff2", ASCII + "−×≥≤–—…“”‘’éß"),
    ],
)
def test_characters_are_there(name: str, characters: str) -> None:
    known = opened(name).getBestCmap()
    assert [c for c in characters if ord(c) not in known] == []


@pytest.mark.parametrize("name", [*IN_PAGE, *BASIC, *FOR_LAYOUT])
def test_figures_are_tabular_by_default(name: str) -> None:
    font = opened(name)
    widths = {font["hmtx"][font.getBestCmap()[ord(figure)]][0] for figure in "0123456789"}
    assert len(widths) == 1


@pytest.mark.parametrize("name", [*IN_PAGE, *BASIC])
def test_paper_has_the_letters_of_the_page_in_the_same_widths(name: str) -> None:
    page, paper = opened(name), opened(name.replace("-basic", "").replace(".woff2", ".ttf"))
    wide = {c: paper["hmtx"][glyph][0] for c, glyph in paper.getBestCmap().items()}
    assert all(wide[c] == page["hmtx"][glyph][0] for c, glyph in page.getBestCmap().items())
