"""The drawing board: a figure in the report's look, and its bytes as SVG.

The same curve gives the same bytes: no clock, no random ids, no mathematics in
text, no font but the report's own.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import quote

from evalreport.report.placing import place_axes
from evalreport.report.words import visible

INK, SOFT, LINE, HAIR = "#14181d", "#474f58", "#767f89", "#c6ccd2"
COLOURS = ("#0a569f", "#a04008", "#5b2a86", "#00666b", "#7a4a00", "#474f58")
DASHES: tuple[Any, ...] = (
    "-",
    (0, (4, 1.6)),
    (0, (1.2, 1.2)),
    (0, (6, 1.5, 1.2, 1.5)),
    (0, (8, 2)),
    "-",
)
MARKERS = ("o", "D", "^", "s", "v", "o")
#: No curve is drawn with more points.
MOST_VERTICES = 300
FAMILY = "Report Sans"
#: The colour of words on a chart, unless they say another.
_COLOUR = f"fill:{SOFT}"
#: Characters that may stand as they are in an address and in an attribute.
_UNQUOTED = " !$&'()*+,-./:;=?@[]^_`{|}~"
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


def draw(paint: Callable[[Any], None], width: float = 3.45, height: float = 2.15) -> bytes:
    """The SVG that ``paint`` draws on the axes it is given; inches."""
    return draw_abreast([paint], width, height)


def draw_abreast(
    paints: Sequence[Callable[[Any], None]], width: float = 7.1, height: float = 1.95
) -> bytes:
    """Small multiples: one SVG, and so one copy of the font, with axes side by side; inches."""
    import warnings

    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    _register_font()
    with warnings.catch_warnings(), mpl.rc_context(_settings()):
        # A glyph that the chart font lacks is drawn by the reader's own fonts.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure = Figure(figsize=(width, height))
        FigureCanvasSVG(figure)
        for place, paint in enumerate(paints, start=1):
            axes = figure.add_subplot(1, len(paints), place)
            axes.spines[["top", "right"]].set_visible(False)
            paint(axes)
        place_axes(figure)
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
    """A tenth of a point is finer than print; the font goes in as data."""
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
    svg = re.sub(r'(?<= d=")M[^"]+(?=")', lambda m: _fewer_points(m[0]), svg)
    face = (
        "<style>@media all{@font-face{font-family:'Report Sans';src:url("
        f"data:font/woff2;base64,{_chart_font()}) format('woff2')}}}}"
        f"text{{font-family:'Report Sans';font-size:9px;{_COLOUR}}}</style>"
    )
    at = svg.index(">", svg.index("<svg")) + 1
    return svg[:at] + face + svg[at:]


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
    'M0 1L0.9 1L0.9 3'
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
    return "".join(f"{c}{x} {y}" for c, x, y in kept)


@cache
def _chart_font() -> str:
    return base64.b64encode(font_file("report-sans-400-chart.woff2")).decode("ascii")


def font_file(name: str) -> bytes:
    """A font shipped with the report."""
    return _font_path(name).read_bytes()


def _font_path(name: str) -> Path:
    shipped = Path(str(resources.files("evalreport"))) / "_data" / "templates" / "fonts" / name
    return (
        shipped if shipped.is_file() else Path(__file__).parents[2] / "templates" / "fonts" / name
    )


@cache
def _register_font() -> None:
    from matplotlib import font_manager

    font_manager.fontManager.addfont(str(_font_path("report-sans-400.ttf")))


def data_url(svg: bytes) -> str:
    """An image source that needs no request."""
    # Percent signs cost less than base64, which would also wrap the font a second time.
    text = svg.decode("utf-8").replace("\n", " ")
    return "data:image/svg+xml," + quote(text, safe=_UNQUOTED)


def plain(text: str) -> str:
    """Text that a drawing can hold: control characters spelt out, long text cut."""
    return visible(text, 40)


def thinned(count: int, most: int = MOST_VERTICES) -> list[int]:
    """Places of at most ``most`` points, first and last kept.

    >>> thinned(3), len(thinned(50000)) <= 1000
    ([0, 1, 2], True)
    """
    if count <= most:
        return list(range(count))
    return sorted({round(k * (count - 1) / (most - 1)) for k in range(most)})


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
