"""The drawing board: a figure in the report's look, and its bytes as SVG.

The same curve gives the same bytes: no clock, no random ids, no mathematics in
text, no font but the report's own.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from functools import cache, partial
from importlib import resources
from pathlib import Path
from typing import Any

from evalreport.errors import EvalreportError
from evalreport.report.model import Drawing
from evalreport.report.placing import place_axes
from evalreport.report.words import visible

_FAILED: ContextVar[list[str]] = ContextVar("failed drawings", default=[])  # noqa: B039
INK, SOFT, LINE, HAIR = "#14181d", "#474f58", "#767f89", "#c6ccd2"
COLOURS = ("#0a569f", "#a04008", "#5b2a86", "#00666b", "#7a4a00", "#474f58")
#: Strokes of the models: no two of eight are alike, so that none needs its colour.
DASHES: tuple[Any, ...] = (
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
FAMILY = "Report Sans"
#: The colour of words on a chart, unless they say another.
_COLOUR = f"fill:{SOFT}"
#: Settings of screens and windows, which matplotlib warns of or does not reset.
_NOT_DRAWN = frozenset({"backend", "backend_fallback", "interactive", "toolbar", "timezone"})
SETTINGS: dict[Any, Any] = {
    "svg.hashsalt": "evalreport",
    "svg.fonttype": "none",
    "text.parse_math": False,
    "text.usetex": False,
    "font.enable_last_resort": False,
    "font.family": FAMILY,
    "font.size": 9.0,
    "axes.edgecolor": LINE,
    "axes.labelcolor": SOFT,
    "axes.linewidth": 0.7,
    "axes.unicode_minus": True,
    "xtick.color": LINE,
    "ytick.color": LINE,
    "xtick.labelcolor": SOFT,
    "ytick.labelcolor": SOFT,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 3,
    "ytick.major.size": 3,
    "text.color": INK,
    "path.simplify": True,
    "path.simplify_threshold": 0.2,
}


def draw(paint: Callable[[Any], None], width: float = 3.45, height: float = 1.88) -> bytes:
    """The SVG that ``paint`` draws on the axes it is given; inches."""
    return draw_abreast([paint], width, height)


def draw_abreast(
    paints: Sequence[Callable[[Any], None]], width: float = 7.1, height: float = 1.6
) -> bytes:
    """Small multiples: one SVG, and so one copy of the font, with axes side by side; inches."""
    return draw_grid(paints, len(paints), height, width)


def draw_grid(
    paints: Sequence[Callable[[Any], None]], across: int, height: float, width: float = 7.1
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


def _say(words: str, axes: Any) -> None:
    """A frame with words in place of a drawing."""
    axes.set_xticks([])
    axes.set_yticks([])
    axes.text(0.5, 0.5, words, ha="center", va="center", fontsize=8.5, color=INK)


def _drawn(
    paints: Sequence[Callable[[Any], None]], across: int, height: float, width: float
) -> bytes:
    import warnings

    _register_font()  # it is first to load matplotlib
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with warnings.catch_warnings(), mpl.rc_context(_settings()):
        # Numbers at the edge of what there are: what comes of them is drawn, or found to fail.
        warnings.simplefilter("ignore", RuntimeWarning)
        warnings.filterwarnings("ignore", message="Attempting to set identical")
        # A glyph that the chart font lacks is drawn by the reader's own fonts.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        across = min(across, len(paints))
        lines = -(-len(paints) // across)
        figure = Figure(figsize=(width, height * lines))
        FigureCanvasSVG(figure)
        for place, paint in enumerate(paints, start=1):
            axes = figure.add_subplot(lines, across, place)
            axes.spines[["top", "right"]].set_visible(False)
            paint(axes)
        place_axes(figure, across)
        return _svg(figure)


def _settings() -> dict[Any, Any]:
    """The defaults of matplotlib and the report's: not as a matplotlibrc has them."""
    import matplotlib as mpl

    # rcdefaults() would read every style sheet that comes with matplotlib.
    kept = {key: value for key, value in mpl.rcParamsDefault.items() if key not in _NOT_DRAWN}
    return kept | SETTINGS


def _svg(figure: Any) -> bytes:
    import io

    # What savefig does, but one drawing: it draws a second time for the layout alone.
    for patch in (figure.patch, *(axes.patch for axes in figure.axes)):
        patch.set(facecolor="none", edgecolor="none")
    buffer = io.BytesIO()
    figure.canvas.print_svg(buffer, metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))
    return _slim(buffer.getvalue().decode("utf-8")).encode("utf-8")


def _slim(svg: str) -> str:
    """A tenth of a point is finer than print; fonts are those of the page."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<!--.*?-->\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg, flags=re.DOTALL)
    # Inside tags only: between them stand names, and numbers that are read.
    svg = re.sub(r"<[^>]*>", lambda tag: _terse(_rounded(tag[0])), svg)
    svg = re.sub(r'<path d="[^"]*" style="fill:none"/>', "", svg)
    svg = _fewer_groups(svg)
    # What most words share is said once.
    svg = svg.replace('style="font-size:9px;', 'style="').replace(f';{_COLOUR}"', '"')
    svg = svg.replace(f' style="{_COLOUR}"', "")
    svg = svg.replace("font-family:'Report Sans';", "")
    # A tick is drawn once, in its colour, and used at each place.
    svg = re.sub(r'(<use [^>]*?) style="fill:(#\w+);stroke:\2;stroke-width:0.6"', r"\1", svg)
    svg = re.sub(r"\s*\n\s*", "\n", svg)
    return re.sub(r'(?<= d=")M[^"]+(?=")', lambda m: _fewer_points(m[0]), svg)


def _fewer_groups(svg: str) -> str:
    """Without groups that say nothing of what they hold.

    >>> _fewer_groups('<g><g clip="a"><text>x</text></g></g>')
    '<g clip="a"><text>x</text></g>'
    """
    opened: list[bool] = []

    def kept(tag: re.Match[str]) -> str:
        if tag[0] == "</g>":
            return tag[0] if opened.pop() else ""
        opened.append(tag[0] != "<g>")
        return tag[0] if opened[-1] else ""

    return re.sub(r"<g(?: [^>]*)?>|</g>", kept, svg)


def _rounded(tag: str) -> str:
    """A tag whose lengths have one decimal.

    >>> _rounded('<path d="M 1.25 -10.75 L 3.0 4.55"/>')
    '<path d="M 1.2 -10.8 L 3.0 4.5"/>'
    """
    return re.sub(r"(?<=[\s\"(,\-])\d+\.\d{2,}(?=[\s\",)])", lambda m: f"{float(m[0]):.1f}", tag)


def _terse(tag: str) -> str:
    """A tag without what changes nothing: turns by nothing, names nobody uses, spaces in styles.

    >>> _terse('<g id="text_1">')
    '<g>'
    >>> _terse('<text style="fill: none; x: 1" transform="rotate(-0 1 2)">')
    '<text style="fill:none;x:1">'
    """
    tag = re.sub(r'^<g id="[^"]*"', "<g", tag)
    tag = re.sub(r' transform="rotate\(-0 [^"]*\)"', "", tag)
    return re.sub(r'style="[^"]*"', lambda m: re.sub(r"([:;]) +", r"\1", m[0]), tag)


def _fewer_points(path: str) -> str:
    """A path of straight lines without points on the level or upright line of their neighbours.

    >>> _fewer_points("M 0.0 1.0 L 0.5 1.0 L 0.9 1.0 L 0.9 2.0 L 0.9 2.0 L 0.9 3.0")
    'M0 1h.9v2'
    """
    points = re.findall(r"([ML]) (\S+) (\S+)\s*", path)
    if len("".join(re.findall(r"[A-Za-z]", path))) != len(points):
        return path
    kept: list[tuple[str, str, str]] = []
    for command, x, y in points:
        point = (command, x.removesuffix(".0"), y.removesuffix(".0"))
        if kept and command == "L" and point[1:] == kept[-1][1:]:
            continue
        while (
            len(kept) > 1
            and command == "L"
            and kept[-1][0] == "L"
            and any(kept[-2][axis] == kept[-1][axis] == point[axis] for axis in (1, 2))
        ):
            kept.pop()
        kept.append(point)
    return _in_steps(kept)


def _in_steps(points: list[tuple[str, str, str]]) -> str:
    """A path as steps from point to point, which take about half as many characters.

    Coordinates of one decimal are whole tenths, so the steps add up exactly; a path with
    others is left as it is.

    >>> _in_steps([("M", "1", "2.5"), ("L", "1.5", "2.5"), ("L", "1", "0")])
    'M1 2.5h.5l-.5-2.5'
    """
    if any(len(number.partition(".")[2]) > 1 for _, *place in points for number in place):
        return "".join(f"{c}{x} {y}" for c, x, y in points)
    found, at = [], (0, 0)
    for command, *place in points:
        x, y = (round(10 * float(number)) for number in place)
        across, down = x - at[0], y - at[1]
        if command == "M":
            found.append(f"M{place[0]} {place[1]}")
        elif not down:
            found.append(f"h{_tenths(across)}")
        elif not across:
            found.append(f"v{_tenths(down)}")
        else:
            second = _tenths(down)
            found.append(f"l{_tenths(across)}{'' if second[0] == '-' else ' '}{second}")
        at = (x, y)
    return "".join(found)


def _tenths(number: int) -> str:
    """A number of tenths, without a zero that says nothing.

    >>> _tenths(5), _tenths(-5), _tenths(20), _tenths(-13)
    ('.5', '-.5', '2', '-1.3')
    """
    whole, rest = divmod(abs(number), 10)
    sign = "-" if number < 0 else ""
    return f"{sign}{whole or ''}.{rest}" if rest else f"{sign}{whole}"


def font_path(name: str) -> Path:
    """Where a font of the report is, installed or in a checkout."""
    shipped = Path(str(resources.files("evalreport"))) / "_data" / "templates" / "fonts" / name
    return (
        shipped if shipped.is_file() else Path(__file__).parents[2] / "templates" / "fonts" / name
    )


@cache
def _register_font() -> None:
    with _without_its_folder():
        from matplotlib import font_manager

    font_manager.fontManager.addfont(str(font_path("report-sans-400.ttf")))


@contextmanager
def _without_its_folder() -> Iterator[None]:
    """While matplotlib loads: it would read a ``matplotlibrc`` of the current folder.

    Only where there is such a file is the folder left, as other threads may use it.
    """
    if not os.path.lexists("matplotlibrc"):
        yield
        return
    here = os.open(".", os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.chdir(Path(__file__).parent)
        yield
    finally:
        os.fchdir(here)
        os.close(here)


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


def unit_axes(axes: Any, x: str, y: str) -> None:
    """Axes from 0 to 1 with few ticks and quiet names."""
    ticks = [0, 0.2, 0.4, 0.6, 0.8, 1]
    axes.set_xlim(-0.01, 1.01)
    axes.set_ylim(-0.01, 1.02)
    axes.set_xticks(ticks, ["0", "0.2", "0.4", "0.6", "0.8", "1"])
    axes.set_yticks(ticks, ["0", "0.2", "0.4", "0.6", "0.8", "1"])
    names(axes, x, y)


def names(axes: Any, x: str, y: str) -> None:
    """What the axes are, level to read: below on the right, above on the left."""
    axes.set_xlabel(x, loc="right", labelpad=1)
    # A place of its own: to find one, matplotlib would measure the ticks once more.
    axes.set_title(y, loc="left", y=1.0, fontsize=9, color=SOFT, pad=5)
