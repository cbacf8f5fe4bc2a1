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


def templates_folder() -> Path:
    """The folder of shipped templates: in the installed package, else in the repository."""
    package = Path(__file__).parents[1]
    shipped = package / "_data" / "templates"
    return shipped if shipped.is_dir() else package.parent / "templates"


def fonts_css() -> str:
    """The fonts of the report as style rules that hold the fonts themselves."""
    rules = []
    for family, weight, style, name in FACES:
        rules.append(
            f'@font-face{{font-family:"{family}";font-weight:{weight};font-style:{style};'
            f"src:{font_source(name)}}}\n"
        )
    return "".join(rules)


def font_source(name: str) -> str:
    """A shipped font as the source of a style rule."""
    data = base64.b64encode(shipped_font(name)).decode("ascii")
    return f'url(data:font/woff2;base64,{data}) format("woff2")'


def shipped_font(name: str) -> bytes:
    """The file of a font."""
    return (templates_folder() / "fonts" / name).read_bytes()
