"""From what a chart draws to SVG for a page and PNG for a document, the same bytes every time.

No clock, no random ids, no fonts but the report's: text stays text, but for letters that join and
run from right to left, which the writer of the PDF would set one by one. Lengths are points.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from itertools import groupby, pairwise
from typing import TYPE_CHECKING
from unicodedata import bidirectional
from xml.etree import ElementTree as ET

from evalreport.errors import EvalreportError
from evalreport.report.charts.style import INK, SMALL, SOFT, STYLE, say_ticks, styled
from evalreport.report.model import Drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

Paint = Callable[["Figure"], None]
_FAILED: ContextVar[list[str]] = ContextVar("failed drawings", default=[])  # noqa: B039
POINTS = 72.0
#: Widths of charts: half a line of the page, with room between two, and the whole of it; what
#: stands beside the square chart of the first page.
HALF, WHOLE, BESIDE = 236.0, 482.0, 306.0
#: Pixels of a picture per point: 300 per inch.
ZOOM = 300 / POINTS
_FAMILY = ", ".join(f"'{name}'" for name in STYLE["font.family"])
#: What stands once around a drawing, is so where nothing is said, or is of corners that axes lack.
_SAID_ONCE = re.compile(
    f"font-family: {_FAMILY}; |font-size: {SMALL}px; |text-anchor: start; |stroke-dashoffset: 0; "
    f"|(?:; )?fill: {SOFT}(?=$|;)|stroke-linejoin: miter; (?=stroke-linecap: square)"
)
#: Attributes that refer to a name, and how they do.
_REFERRING = ("href", "clip-path", "style")
_REFERENCE = re.compile(r"(?:^|(?<=url\())#([\w-]+)")
#: One line from the origin.
_TICK = re.compile(r"M 0 0\s+L (\S+) (\S+)\s*")
#: A circle around the origin, as marks are written: from its lowest point, in eight curves.
_DISC = re.compile(r"M 0 ([\d.]+) (?:C [-\d. ]+){8}z")
_SVG, _LINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}href"


def drawing(paint: Paint, width: float, height: float) -> Drawing:
    """What ``paint`` draws on a figure of this size.

    What cannot be drawn leaves a frame that says so, and is told to `failed_drawings`: one
    drawing is no reason for a report to lack all others.
    """
    try:
        markup = _svg(paint, width, height)
    except (EvalreportError, OSError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001 - shown in its place, with status 1
        _FAILED.get().append(f"a chart could not be drawn ({type(error).__name__}: {error})")
        paint = _failed
        markup = _svg(paint, width, height)
    size = (round(width * 4 / 3), round(height * 4 / 3))
    box = f"0 0 {width:g} {height:g}"
    return Drawing(markup, box, *size, lambda: _png(paint, width, height))


def panel(figure: Figure, left: float, bottom: float, width: float, height: float) -> Axes:
    """Axes whose frame is in this place of the figure, in points from its lower left corner."""
    wide, high = (POINTS * inches for inches in figure.get_size_inches())
    return figure.add_axes((left / wide, bottom / high, width / wide, height / high))


@contextmanager
def failed_drawings() -> Iterator[list[str]]:
    """What could not be drawn meanwhile, each with its reason."""
    found: list[str] = []
    token = _FAILED.set(found)
    try:
        yield found
    finally:
        _FAILED.reset(token)


def _failed(figure: Figure) -> None:
    """A frame with words in place of a drawing."""
    axes = figure.add_subplot(xticks=[], yticks=[])
    words = "FAILED: this chart could not be drawn"
    axes.text(0.5, 0.5, words, ha="center", va="center", color=INK)


def _painted(paint: Paint, width: float, height: float) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width / POINTS, height / POINTS), dpi=POINTS)
    paint(figure)
    say_ticks(figure)
    return figure


def _svg(paint: Paint, width: float, height: float) -> str:
    """What stands inside the ``svg`` element of a figure."""
    with styled():
        from matplotlib.backends.backend_svg import FigureCanvasSVG

        figure = _painted(paint, width, height)
        for frame in (figure, *figure.axes, *(c for axes in figure.axes for c in axes.child_axes)):
            frame.patch.set_visible(False)  # type: ignore[attr-defined]
        canvas = FigureCanvasSVG(figure)
        root = _written(canvas)
        if _turned("".join(root.itertext())) and _outline(figure):
            root = _written(canvas)
    for part in (f"{_SVG}metadata", f"{_SVG}defs/{_SVG}style/.."):
        for found in root.findall(part):
            root.remove(found)
    _draw_in_place(root)
    _tidy(root)
    # of what was rounded: digits beyond differ from process to process
    _rename(root)
    _ungroup(root)
    _join_alike(root)
    inside = "".join(ET.tostring(child, "unicode") for child in root).replace(" />", "/>")
    font = f'font-family="{_FAMILY}" font-size="{SMALL}px" fill="{SOFT}"'
    return f'<g {font} stroke-linejoin="round">{inside}</g>'


def _written(canvas: FigureCanvasSVG) -> ET.Element:
    """A figure as matplotlib writes it."""
    buffer = io.StringIO()
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    canvas.print_svg(buffer, metadata=nothing)  # type: ignore[no-untyped-call]
    return ET.fromstring(buffer.getvalue())  # noqa: S314 - written just now


def _turned(text: str) -> set[str]:
    """The letters that run from right to left."""
    return {sign for sign in set(text) if bidirectional(sign) in ("R", "AL")}


def _outline(figure: Figure) -> bool:
    """Have words from right to left drawn as shapes, joined and in order, by matplotlib's raqm.

    Whether there are any whose letters its font has.
    """
    from matplotlib.patheffects import Normal
    from matplotlib.text import Text

    found = [
        words
        for words in figure.findobj(Text)
        if (turned := _turned(words.get_text()))
        and all(ord(sign) in _fallback_letters() for sign in turned)
    ]
    for words in found:
        words.set_path_effects([Normal()])
    return bool(found)


@cache
def _fallback_letters() -> frozenset[int]:
    """The letters of the font that comes with matplotlib; others are left to the reader's fonts."""
    from matplotlib.font_manager import findfont, get_font

    return frozenset(get_font(findfont("DejaVu Sans")).get_charmap())


def _draw_in_place(root: ET.Element) -> None:
    """Draw a shape that is used once where it is used, and ticks of one look as one path.

    A shape that is used more often in one look has that look, in place of each use of it.
    """
    uses: dict[str, list[ET.Element]] = {}
    for use in root.iter(f"{_SVG}use"):
        uses.setdefault(use.attrib[_LINK].removeprefix("#"), []).append(use)
    for parent in list(root.iter(f"{_SVG}defs")):
        for shape in parent.findall(f"{_SVG}path"):
            same = uses.get(shape.get("id", ""), [])
            if len({use.get("style") for use in same}) != 1:
                continue
            line = _TICK.fullmatch(shape.get("d", ""))
            if len(same) == 1 or line:
                parent.remove(shape)
                _as_path(same, shape, line)
            else:
                shape.set("style", same[0].get("style", ""))
                for use in same:
                    use.attrib.pop("style", None)


def _as_path(uses: list[ET.Element], shape: ET.Element, line: re.Match[str] | None) -> None:
    """Turn the first use of a shape into what all of them draw, and the others into nothing."""
    first, *others = uses
    places = [(float(use.get("x", 0)), float(use.get("y", 0))) for use in uses]
    style = first.get("style", "")
    for use in others:
        use.tag, use.attrib = f"{_SVG}g", {}
    first.tag = f"{_SVG}path"
    if line is None:
        x, y = places[0]
        place = {"transform": f"translate({x:g} {y:g})"} if x or y else {}
        first.attrib = {"d": shape.get("d", ""), "style": style} | place
        return
    dx, dy = map(float, line.groups())
    drawn = " ".join(f"M {x} {y} L {x + dx} {y + dy}" for x, y in places)
    first.attrib = {"d": drawn, "style": style}


def _rename(root: ET.Element) -> None:
    """Give what is referred to names that no other drawing of a page has; others lose theirs.

    They begin with a hash of what is drawn, taken when its names are but numbers: those that it
    comes with depend on what the process drew before.
    """
    _name(root, "c")
    drawn = b"".join(ET.tostring(child) for child in root)
    _name(root, f"c{hashlib.sha256(drawn).hexdigest()[:6]}")


def _name(root: ET.Element, start: str) -> None:
    """Number the names that are referred to, from ``start``."""
    names: dict[str, str] = {}

    def renamed(found: re.Match[str]) -> str:
        return f"#{names.setdefault(found[1], f'{start}-{len(names)}')}"

    for element in root.iter():
        if _LINK in element.attrib:
            element.set("href", element.attrib.pop(_LINK))
        for name in _REFERRING:
            if name in element.attrib:
                element.set(name, _REFERENCE.sub(renamed, element.attrib[name]))
    for element in root.iter():
        own = names.get(element.attrib.pop("id", ""))
        if own is not None:
            element.set("id", own)


def _tidy(root: ET.Element) -> None:
    """Leave out what turns nothing, and decimals.

    A tenth of a point is finer than print: this is the one place that rounds lengths.
    """
    for element in root.iter():
        if element.get("transform", "").startswith("rotate(-0 "):
            element.attrib.pop("transform")
        for name in ("d", "x", "y", "transform", "width", "height"):
            if name in element.attrib:
                told = " ".join(element.attrib[name].split())
                told = re.sub(r"-?\d+\.\d{2,}", _tenth, told)
                told = _DISC.sub(_disc, told)
                told = re.sub(r"M[^CQMaz]+", _line, told)
                told = re.sub(r" ?\b([MCQz])\b ?", r"\1", told).strip()
                element.set(name, _tight(told) if name == "d" else told)
        if "style" in element.attrib:
            told = re.sub(_SAID_ONCE, "", element.attrib["style"])
            element.set("style", told.replace(": ", ":").replace("; ", ";").strip(";"))
            if not element.get("style"):
                del element.attrib["style"]
        # the namespace stands at the element of the page
        element.tag = element.tag.removeprefix(_SVG)
        if element.tag != "text":
            element.text = None
        element.tail = None


def _ungroup(element: ET.Element) -> None:
    """Leave out what groups nothing."""
    children = list(element)
    element[:] = []
    for child in children:
        _ungroup(child)
        bare = not child.attrib and (child.tag == "g" or (child.tag == "defs" and not len(child)))
        element.extend(child if bare else [child])


def _join_alike(element: ET.Element) -> None:
    """Say the look of words that follow each other once, and draw lines of one look as one."""
    children = list(element)
    element[:] = []
    for look, run in groupby(children, key=lambda child: (child.tag, child.get("style", ""))):
        same = list(run)
        if look[0] == "text" and look[1] and len(same) > 1:
            group = ET.SubElement(element, "g", {"style": look[1]})
            for words in same:
                del words.attrib["style"]
            group.extend(same)
        elif look[0] == "path" and all(set(one.attrib) == {"d", "style"} for one in same):
            lines = [one for one in same if one is same[0] or "fill:none" not in look[1]]
            if len(lines) == 1:
                same[0].set("d", "".join(one.get("d", "") for one in same))
            element.extend(lines)
        else:
            element.extend(same)
        for child in same:
            _join_alike(child)


def _line(found: re.Match[str]) -> str:
    """A line as steps from its start, which take half the letters; no step where there is none.

    Steps are of whole tenths, so that they add up; level ones that go on are one.

    >>> re.sub("M[^CQMz]+", _line, "M 1 2 L 1 2 L 2.5 1 L 3 1 L 4.5 1 z")
    'M 1 2l1.5-1h2 z'
    """
    points = [(float(x), float(y)) for x, y in re.findall(r"([-\d.]+) ([-\d.]+)", found[0])]
    steps: list[tuple[float, float]] = []
    for (a, b), (c, d) in pairwise(points):
        x, y = round(c - a, 1), round(d - b, 1)
        if steps and x > 0 and steps[-1][0] > 0 and y == steps[-1][1] == 0:
            x += steps.pop()[0]
        if x or y:
            steps.append((x, y))
    told = "".join(
        f"h{_short(x)}" if not y else f"v{_short(y)}" if not x else f"l{_short(x)}{_short(y, ' ')}"
        for x, y in steps
    )
    return f"M {points[0][0]:g} {points[0][1]:g}{told} "


def _disc(found: re.Match[str]) -> str:
    """The curves of a round mark as two halves of a circle."""
    radius = round(float(found[1]), 1)
    half = f"a{radius:g} {radius:g} 0 1 0 0"
    return f"M 0 {radius:g} {half} {-2 * radius:g}{half} {2 * radius:g}z"


def _short(number: float, before: str = "") -> str:
    """A number as paths have it: no zero before the point, no space before a minus."""
    told = f"{number:.5g}".replace("0.", ".", 1) if abs(number) < 1 else f"{number:.5g}"
    return told if told.startswith("-") else before + told


def _tight(path: str) -> str:
    """A path without zeros before points and spaces before minus signs.

    >>> _tight("M27.4 0.5C0.8 3 -0.6 -2.7 10.5 0")
    'M27.4 .5C.8 3-.6-2.7 10.5 0'
    """
    return re.sub(r" (?=-)", "", re.sub(r"(?<!\d)0(?=\.\d)", "", path))


def _tenth(number: re.Match[str]) -> str:
    return f"{round(float(number[0]), 1) + 0.0:g}"


def _png(paint: Paint, width: float, height: float) -> bytes:
    """The same chart as pixels on white."""
    with styled():
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        figure = _painted(paint, width, height)
        figure.set(dpi=POINTS * ZOOM, facecolor="white")
        buffer = io.BytesIO()
        canvas = FigureCanvasAgg(figure)
        canvas.print_png(buffer, metadata={"Software": None})  # type: ignore[no-untyped-call]
    return buffer.getvalue()


def whole_svg(drawing: Drawing) -> bytes:
    """A drawing as a file by itself."""
    _, _, width, height = drawing.box.split()
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{drawing.box}" width="{width}pt" '
        f'height="{height}pt">{drawing.markup}</svg>\n'
    ).encode()


def grid(
    figure: Figure,
    count: int,
    across: int,
    *,
    left: float,
    right: float,
    top: float,
    bottom: float,
    gap: tuple[float, float],
) -> list[Axes]:
    """Panels of one size in lines of ``across``, within these margins; points.

    ``gap`` is the room between two panels beside and two below each other.
    """
    wide, high = (POINTS * inches for inches in figure.get_size_inches())
    lines = -(-count // across)
    width = (wide - left - right - (across - 1) * gap[0]) / across
    height = (high - top - bottom - (lines - 1) * gap[1]) / lines
    return [
        panel(
            figure,
            left + k % across * (width + gap[0]),
            high - top - height - k // across * (height + gap[1]),
            width,
            height,
        )
        for k in range(count)
    ]


def beside(
    paints: Sequence[Callable[[Axes], None]], right: float, bottom: float, gap: float,
    left: float = 32,
) -> Paint:  # fmt: skip
    """Panels beside each other, which have the whole figure within these margins."""

    def draw(figure: Figure) -> None:
        made = grid(
            figure, len(paints), len(paints), left=left, right=right, top=18, bottom=bottom,
            gap=(gap, 0),
        )  # fmt: skip
        for axes, paint in zip(made, paints, strict=True):
            paint(axes)

    return draw
