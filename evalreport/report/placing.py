"""Where the axes of a figure stand: as wide as the words around them leave room for.

Only the words at the ticks and those written above the axes are measured; everything else
lies inside.
"""

from __future__ import annotations

from dataclasses import dataclass

from evalreport.report.board import PAD, TICK, TITLE_PAD, Axes, Board
from evalreport.report.letters import SIZE, width_of

#: Points that stay free at the edges of a figure and between its panels.
EDGE = 3.0
#: From the axis to the words at a tick: the tick and its pad.
TO_WORDS = TICK + PAD
#: Height of a line of words, in sizes of its letters.
LINE = 1.25


@dataclass(frozen=True)
class Margins:
    """Room around one panel, in points."""

    left: float
    right: float
    top: float
    bottom: float


def place_axes(board: Board) -> None:
    """Panels of equal size in their lines, each with the room that its words take."""
    # Which ticks there are depends on the size, and the size on the words at the ticks.
    for axes in board.panels:
        width, height = board.width / board.across, board.height / board.lines
        axes.place = (0.0, 0.0, 0.775 * width, 0.77 * height)
    for axes in board.second:
        assert axes.beside is not None
        axes.place = axes.beside.place
    for _ in range(2):
        _place(board, [_margins(axes) for axes in board.panels])


def inner_size(axes: Axes) -> tuple[float, float]:
    """About how wide and high the axes of a panel will be, in points, before they are placed."""
    board = axes.board
    return board.width / board.across - 32.0, board.height / board.lines - 36.0


def _place(board: Board, margins: list[Margins]) -> None:
    across, height = board.across, board.height / board.lines
    # panels below each other share the widest room beside them
    sides = [
        (max(m.left for m in margins[k::across]), max(m.right for m in margins[k::across]))
        for k in range(across)
    ]
    inner = (board.width - sum(map(sum, sides))) / across
    top, bottom = max(m.top for m in margins), max(m.bottom for m in margins)
    for place, axes in enumerate(board.panels):
        line, column = divmod(place, across)
        x = sum(map(sum, sides[:column])) + column * inner + sides[column][0]
        axes.place = (x, line * height + top, inner, height - top - bottom)
    for axes in board.second:
        assert axes.beside is not None
        axes.place = axes.beside.place


def _margins(axes: Axes) -> Margins:
    (across, below_all), (up, above_all) = axes.x_ticks(), axes.y_ticks()
    low, high = axes.x.ends()
    at_the_end = [text for at, text in across if (at - low) / (high - low) > 0.9]
    line = LINE * SIZE
    below = (TO_WORDS + line if across else 0.0) + (line if axes.x_name or below_all else 0.0)
    title = TITLE_PAD + line if axes.title or above_all else 0.0
    return Margins(
        left=EDGE + max([TO_WORDS + width_of(text) for _, text in up], default=0.0),
        right=max([EDGE, *(width_of(text) / 2 for text in at_the_end), _right(axes)]),
        top=EDGE + max(title, _above(axes)),
        bottom=EDGE + below,
    )


def _right(axes: Axes) -> float:
    """The room of the words at a second axis, 0 where there is none."""
    own = [one for one in axes.board.second if one.beside is axes]
    words = [width_of(text) for one in own for _, text in one.y_ticks()[0]]
    return EDGE + TO_WORDS + max(words) if words else 0.0


def _above(axes: Axes) -> float:
    """How far words written into the axes stand out above them."""
    height = axes.place[3]
    found = [0.0]
    for text in axes.texts:
        _, y = text.share()
        if y > 1.0:
            found.append((y - 1.0) * height + LINE * text.fontsize)
    return max(found)
