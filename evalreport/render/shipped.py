"""What is shipped beside the code: the folder of templates, and in it the fonts of the report.

Kept apart from the templates of users, so that a process that only lays out pages loads nothing
of the report.
"""

from __future__ import annotations

import base64
from pathlib import Path

FACES = (
    ("Report Sans", 400, "normal", "report-sans-400.woff2"),
    ("Report Sans", 600, "normal", "report-sans-600.woff2"),
    ("Report Sans", 400, "italic", "report-sans-400-italic.woff2"),
    ("Report Serif", 600, "normal", "report-serif-600.woff2"),
    ("Report Mono", 400, "normal", "report-mono-400.woff2"),
)

#: Letters that the basic fonts have beside those of ASCII: the report's formulas use them.
GREEK = "ΔΣ"

#: Addresses that stand for the shipped fonts on paper, as files that need no unpacking.
UNPACKED = {f"data:font/ttf,{face[-1]}": face[-1].replace(".woff2", ".ttf") for face in FACES}


def templates_folder() -> Path:
    """The folder of shipped templates: in the installed package, else in the repository."""
    package = Path(__file__).parents[1]
    shipped = package / "_data" / "templates"
    return shipped if shipped.is_dir() else package.parent / "templates"


def basic(text: str) -> bool:
    """Whether all letters of a text are in the basic fonts, which have every other sign too.

    >>> basic("F1 ≥ ½ Σ"), basic("café")
    (True, False)
    """
    return text.isascii() or all(c.isascii() or c in GREEK or not c.isalpha() for c in text)


def fonts_css(*, paper: bool = False, basic: bool = False) -> str:
    """The fonts of the report as style rules; these hold the fonts but on ``paper``.

    There fonts are read where they are shipped. The ``basic`` ones are half as large.
    """
    rules = []
    for (family, weight, style, name), address in zip(FACES, UNPACKED, strict=True):
        held = name.replace(".woff2", "-basic.woff2") if basic else name
        source = f'url({address}) format("truetype")' if paper else _inside(held)
        rules.append(
            f'@font-face{{font-family:"{family}";font-weight:{weight};font-style:{style};'
            f"src:{source}}}\n"
        )
    return "".join(rules)


def _inside(name: str) -> str:
    """A shipped font as the source of a style rule that holds it."""
    data = base64.b64encode(shipped_font(name)).decode("ascii")
    return f'url(data:font/woff2;base64,{data}) format("woff2")'


def shipped_font(name: str) -> bytes:
    """The file of a font."""
    return (templates_folder() / "fonts" / name).read_bytes()
