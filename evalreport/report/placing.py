"""Where the axes of a figure stand: as wide as the words around them leave room for.

matplotlib's own layouts measure every mark of a figure twice. Here only the words at the
ticks and those written above the axes are measured; everything else lies inside.
"""

from __future__ import annotations

from typing import Any
from unicodedata import east_asian_width

from evalreport.values import dataclass

#: Points that stay free at the edges of a figure and between its panels.
EDGE = 3.0
#: From the axis to the words at a tick: the tick and its pad.
TICK = 6.5
#: Height of a line of words, in sizes of its letters; points between axes and their title.
LINE, TITLE_PAD = 1.25, 5.0


@dataclass(frozen=True)
class Margins:
    """Room around one panel, in points."""

    left: float
    right: float
    top: float
    bottom: float


def place_axes(figure: Any, across: int = 0) -> None:
    """Panels of equal size in lines of ``across``, each with the room that its words take."""
    # Which ticks there are depends on the size, and the size on the words at the ticks.
    panels = [axes for axes in figure.axes if not hasattr(axes, "beside")]
    for _ in range(2):
        _place(figure, panels, [_margins(axes) for axes in panels], across or len(panels))


def inner_size(axes: Any) -> tuple[float, float]:
    """About how wide and high the axes of a panel will be, in points, before they are placed."""
    lines, across = axes.get_subplotspec().get_gridspec().get_geometry()
    width, height = (72.0 * inches for inches in axes.figure.get_size_inches())
    return width / across - 32.0, height / lines - 36.0


def beside(axes: Any) -> Any:
    """A second axis at the right of a panel, which is placed with it and is no panel itself."""
    right = axes.twinx()
    right.beside = axes
    right.spines[:].set_visible(False)
    return right


def _place(figure: Any, panels: list[Any], margins: list[Margins], across: int) -> None:
    lines = -(-len(margins) // across)
    width, height = (72.0 * inches for inches in figure.get_size_inches())
    height /= lines
    # panels below each other share the widest room beside them
    sides = [
        (max(m.left for m in margins[k::across]), max(m.right for m in margins[k::across]))
        for k in range(across)
    ]
    inner = (width - sum(map(sum, sides))) / across
    top, bottom = max(m.top for m in margins), max(m.bottom for m in margins)
    for place, axes in enumerate(panels):
        line, column = divmod(place, across)
        x = sum(map(sum, sides[:column])) + column * inner + sides[column][0]
        y = (lines - 1 - line) * height + bottom
        whole = height * lines
        axes.set_position((x / width, y / whole, inner / width, (height - top - bottom) / whole))


def _margins(axes: Any) -> Margins:
    across, line = _at_ticks(axes.xaxis), LINE * axes.xaxis.label.get_fontsize()
    below = (TICK + line if across else 0.0) + (line if axes.get_xlabel() else 0.0)
    title = TITLE_PAD + line if axes.get_title(loc="left") else 0.0
    return Margins(
        left=EDGE + max([TICK + width_of(text) for _, text in _at_ticks(axes.yaxis)], default=0.0),
        right=max([EDGE, *(width_of(text) / 2 for at, text in across if at > 0.9), _right(axes)]),
        top=EDGE + max(title, _above(axes)),
        bottom=EDGE + below,
    )


def _right(axes: Any) -> float:
    """The room of the words at a second axis, 0 where there is none."""
    own = [one for one in axes.figure.axes if getattr(one, "beside", None) is axes]
    words = [width_of(text) for one in own for _, text in _at_ticks(one.yaxis)]
    return EDGE + TICK + max(words) if words else 0.0


def _at_ticks(axis: Any) -> list[tuple[float, str]]:
    """The words at the ticks in view, and where they are between the ends of the axis."""
    low, high = sorted(axis.get_view_interval())
    places = axis.get_majorticklocs()
    words = axis.get_major_formatter().format_ticks(places)
    return [
        ((at - low) / (high - low), text)
        for at, text in zip(places, words, strict=True)
        if low <= at <= high
    ]


def _above(axes: Any) -> float:
    """How far words written into the axes stand out above them."""
    height = 72.0 * axes.figure.get_size_inches()[1] * axes.get_position().height
    back = axes.transAxes.inverted()
    found = [0.0]
    for text in axes.texts:
        _, y = back.transform(text.get_transform().transform(text.get_position()))
        if y > 1.0:
            found.append((y - 1.0) * height + LINE * text.get_fontsize())
    return max(found)


def width_of(text: str) -> float:
    """Width of words in the size of those at a tick, in points.

    Signs that the font of the charts lacks are drawn by another, which is not known here:
    a wide sign counts as wide as high, any other as three quarters of that.
    """
    from matplotlib import rcParams
    from matplotlib.font_manager import FontProperties, findfont, get_font
    from matplotlib.textpath import text_to_path

    font = FontProperties(family=rcParams["font.family"], size=rcParams["font.size"])
    has = get_font(findfont(font)).get_char_index
    own = "".join(sign for sign in text if has(ord(sign)))
    width, _, _ = text_to_path.get_text_width_height_descent(own, font, ismath=False)
    lacking = [sign for sign in text if not has(ord(sign))]
    high = float(rcParams["font.size"])
    return float(width) + high * sum(
        1.0 if east_asian_width(sign) in "WF" else 0.75 for sign in lacking
    )
