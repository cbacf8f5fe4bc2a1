"""Drawings in the report's look, and their bytes as SVG.

The same curve gives the same bytes: no clock, no random ids, no mathematics in
text, no font but the report's own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from functools import partial
from typing import Any

from evalreport.errors import EvalreportError
from evalreport.report.board import Axes, Board, Dash
from evalreport.report.model import Drawing
from evalreport.report.placing import place_axes
from evalreport.report.words import visible

_FAILED: ContextVar[list[str]] = ContextVar("failed drawings", default=[])  # noqa: B039
#: A line that is hardly there.
HAIR = "#c6ccd2"
COLOURS = ("#0a569f", "#a04008", "#5b2a86", "#00666b", "#7a4a00", "#474f58")
#: Strokes of the models: no two of eight are alike, so that none needs its colour.
DASHES: tuple[Dash, ...] = (
    "-",
    (0, (4, 1.6)),
    (0, (1.2, 1.2)),
    (0, (6, 1.5, 1.2, 1.5)),
    (0, (9, 2.2)),
    (0, (1.2, 3)),
    (0, (4, 1.2, 1.2, 1.2, 1.2, 1.2)),
    (0, (2.4, 1)),
)
#: Shapes of the models, as in words: those from FIRST_HOLLOW on are outlines.
MARKERS = ("o", "D", "^", "s", "v", "o", "s", "^")
FIRST_HOLLOW = 5
#: Points in an inch.
POINTS = 72.0


def draw(paint: Callable[[Axes], None], width: float = 3.45, height: float = 1.88) -> bytes:
    """The SVG that ``paint`` draws on the axes it is given; inches."""
    return draw_abreast([paint], width, height)


def draw_abreast(
    paints: Sequence[Callable[[Axes], None]], width: float = 7.1, height: float = 1.6
) -> bytes:
    """Small multiples: one SVG, and so one copy of the font, with axes side by side; inches."""
    return draw_grid(paints, len(paints), height, width)


def draw_grid(
    paints: Sequence[Callable[[Axes], None]], across: int, height: float, width: float = 7.1
) -> bytes:
    """Small multiples in lines of ``across``, each line of this height; inches.

    What cannot be drawn leaves a frame that says so, and is told to `failed_drawings`: one
    drawing is no reason for a report to lack all others.
    """
    try:
        return _drawn(paints, across, height, width)
    except (EvalreportError, OSError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001 - shown in its place, with status 1
        reason = f"a chart could not be drawn ({type(error).__name__}: {error})"
        _FAILED.get().append(reason)
        return _drawn([partial(_say, "FAILED: this chart could not be drawn")], 1, height, width)


@contextmanager
def failed_drawings() -> Iterator[list[str]]:
    """What could not be drawn meanwhile, each with its reason."""
    found: list[str] = []
    token = _FAILED.set(found)
    try:
        yield found
    finally:
        _FAILED.reset(token)


def _say(words: str, axes: Axes) -> None:
    """A frame with words in place of a drawing."""
    axes.set_xticks([])
    axes.set_yticks([])
    axes.text(0.5, 0.5, words, ha="center", va="center", fontsize=8.5)


def _drawn(
    paints: Sequence[Callable[[Axes], None]], across: int, height: float, width: float
) -> bytes:
    board = Board(POINTS * width, POINTS * height, len(paints), across)
    for axes, paint in zip(board.panels, paints, strict=True):
        paint(axes)
    place_axes(board)
    return board.svg().encode("utf-8")


def dot_look(place: int, size: float) -> dict[str, Any]:
    """The mark of a model by its place, as arguments of a line without strokes.

    >>> dot_look(2, 4.0)["marker"], dot_look(5, 4.0)["markerfacecolor"]
    ('^', 'white')
    """
    number = place % len(MARKERS)
    colour = COLOURS[place % len(COLOURS)]
    return {
        "color": colour,
        "marker": MARKERS[number],
        "markersize": size,
        "markerfacecolor": "white" if number >= FIRST_HOLLOW else colour,
        "linestyle": "",
    }


def as_drawing(svg: bytes) -> Drawing:
    """A drawing to stand in a page, whose fonts it has; its size keeps its place there."""
    text = svg.decode("utf-8")
    found = re.search(r'viewBox="(0 0 ([\d.]+) ([\d.]+))"', text)
    box, width, height = found.groups() if found else ("0 0 248.0 180.0", "248", "180")
    inside = text[text.index(">") + 1 : text.rindex("</svg>")].strip()
    return Drawing(inside, box, *(round(float(length) * 4 / 3) for length in (width, height)))


def with_own_names(drawing: Drawing, start: str) -> Drawing:
    """A drawing whose ids begin with ``start``, so that no other on the page has them.

    >>> with_own_names(Drawing('<path id="m1"/><use xlink:href="#m1"/>', "", 1, 1), "c2").markup
    '<path id="c2-0"/><use href="#c2-0"/>'
    """
    found = re.findall(r' id="([^"]+)"', drawing.markup)
    names = {name: f"{start}-{k}" for k, name in enumerate(dict.fromkeys(found))}
    markup = re.sub(
        r'(?<= id=")[^"]+(?=")|(?<=="#)[^"]+(?=")|(?<=url\(#)[^)]+(?=\))',
        lambda name: names.get(name[0], name[0]),
        drawing.markup.replace("xlink:href=", "href="),
    )
    return replace(drawing, markup=markup)


def plain(text: str) -> str:
    """Text that a drawing can hold: control characters spelt out, long text cut."""
    return visible(text, 40)


def unit_axes(axes: Axes, x: str, y: str) -> None:
    """Axes from 0 to 1 with few ticks and quiet names."""
    ticks = [0, 0.2, 0.4, 0.6, 0.8, 1]
    axes.set_xlim(-0.01, 1.01)
    axes.set_ylim(-0.01, 1.02)
    axes.set_xticks(ticks, ["0", "0.2", "0.4", "0.6", "0.8", "1"])
    axes.set_yticks(ticks, ["0", "0.2", "0.4", "0.6", "0.8", "1"])
    names(axes, x, y)


def names(axes: Axes, x: str, y: str) -> None:
    """What the axes are, level to read: below on the right, above on the left."""
    axes.x_name, axes.title = x, y
