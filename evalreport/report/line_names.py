"""Words on a chart: names beside their lines, or in a key where there is no room for that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evalreport.report.board import INK, SOFT, Axes, Line
from evalreport.report.drawing import COLOURS, DASHES, dot_look
from evalreport.report.letters import width_of
from evalreport.report.placing import inner_size
from evalreport.report.words import visible

#: Distance of the lines of a key, as a share of the axes.
LINE_HEIGHT = 0.085
#: Points of a stroke that words should not cover.
ALONG = 120
#: The same for each length of the axes, and how many there are at most.
CLOSE, MOST = 60, 4000
#: Places along a line that its name is tried at, and distances from there in points: from
#: the second on a thin line leads from the name to its line.
TRIED = 36
APART = (4.0, 13.0, 24.0)
#: Size of names beside lines; room of the mark before them; height of their boxes, in points.
SIZE, MARK, HIGH = 8.5, 9.0, 9.5
#: Letters of a name on a chart; longer ones keep both ends.
LONGEST = 40
#: Height of a line of a key in points, and room of the stroke before its words.
ROW, STROKE = 10.0, 0.1
#: Points within which a place on a line could be taken for one on another line.
DOUBTFUL = 5.0


@dataclass(frozen=True)
class Named:
    """A line on a chart, its name and the place of its model; others have their ``dash``."""

    name: str
    place: int | None
    line: Line
    dash: int = 0


def name_lines(axes: Axes, named: Sequence[Named], corner: str) -> None:
    """Names beside their lines, each behind the mark of its model.

    Where some name has no place that is free of strokes and of other names, all stand in a
    key instead, in this ``corner`` of the axes or in a freer one.
    """
    shown = [one for one in named if one.line.x]
    boxes = _places(axes, shown)
    if boxes is None:
        key(axes, shown, corner)
        return
    wide, high = inner_size(axes)
    for one, (x, y, to) in zip(shown, boxes, strict=True):
        middle = y + HIGH / 2
        if to is not None:
            axes.plot(
                [to[0] / wide, to[2] / wide],
                [to[1] / high, to[3] / high],
                in_shares=True,
                color=SOFT,
                linewidth=0.5,
            )
        if one.place is not None and _has_mark(one):
            axes.plot(
                [(x + 3) / wide],
                [middle / high],
                in_shares=True,
                **dot_look(one.place, 4.0),
            )
        axes.text(
            (x + (MARK if _has_mark(one) else 0)) / wide,
            middle / high,
            short(one.name),
            in_shares=True,
            va="center",
            color=SOFT if one.place is None else COLOURS[one.place % len(COLOURS)],
            fontsize=SIZE if one.place is not None else 7.5,
        )


def short(name: str, room: float | None = None) -> str:
    """A name as a chart has it: the two ends of a long one, or of one wider than this room.

    ``room`` is in points, at the size of names.

    >>> short("a short name"), short("a name that says far more than a chart can hold")
    ('a short name', 'a name that says far mor…chart can hold')
    """
    text = visible(name)
    kept = min(len(text), LONGEST)
    while kept > 1:
        tail = 0 if kept == len(text) else (kept - 1) * 2 // 5
        told = text if not tail else f"{text[: kept - 1 - tail].rstrip()}…{text[-tail:].lstrip()}"
        if room is None or width_of(told) * SIZE / 9 <= room:
            return told
        kept -= 1
    return text[:kept]


def _has_mark(one: Named) -> bool:
    """Whether its mark stands before a name: among dots, it would be taken for one of them."""
    return one.place is not None and one.line.has_strokes


_Place = tuple[float, float, tuple[float, float, float, float] | None]


def _places(axes: Axes, named: Sequence[Named]) -> list[_Place] | None:
    """The lower left corner of each name in points, and the line that leads from it to its own.

    None where some name would cover a stroke or another name wherever it stood.
    """
    import numpy as np

    wide, high = inner_size(axes)
    room = np.array([wide, high])
    everything = [_covered(_along(line) * room, line) for line in lines_of(axes)]
    strokes = np.concatenate(everything) if everything else np.zeros((0, 2))
    found: list[_Place] = []
    taken: list[Any] = []
    for one in named:
        own = _along(one.line, TRIED) * room
        rest = [_along(n.line) * room for n in named if n is not one]
        others = np.concatenate(rest) if rest else np.zeros((0, 2))
        size = (MARK if _has_mark(one) else 0) + width_of(short(one.name)) * SIZE / 9
        tried = _free(_candidates(own, size), strokes, taken, (wide, high))
        if not len(tried):
            return None
        best = int(np.argmin(_costs(tried, others)))
        left, low, right, top, at, up = tried[best, :6].tolist()
        taken.append((left - 2, low - 1, right + 2, top + 1))
        near = min(max(at, left), right), min(max(up, low), top)
        far = (near[0] - at) ** 2 + (near[1] - up) ** 2 > (APART[0] + 2) ** 2
        found.append((left, low, (*near, at, up) if far else None))
    return found


def _covered(places: Any, line: Line) -> Any:
    """Places on a line, with the edges of its marks."""
    import numpy as np

    if not line.marker:
        return places
    edge = line.markersize / 2 + 1
    return np.concatenate([places + edge * np.array([a, b]) for a in (-1, 1) for b in (-1, 1)])


def _candidates(own: Any, size: float) -> Any:
    """Boxes around places of a line: left, low, right, top, the place, its distance."""
    import numpy as np

    found = []
    for apart in APART:
        for side, rise in ((1, 0), (1, -1), (1, 1), (0, 1), (0, -1), (-1, 0), (-1, 1), (-1, -1)):
            slant = apart if not (side and rise) else 0.75 * apart
            left = own[:, 0] + (slant if side > 0 else -slant - size if side < 0 else -size / 2)
            low = own[:, 1] + (slant if rise > 0 else -slant - HIGH if rise < 0 else -HIGH / 2)
            columns = (left, low, left + size, low + HIGH, own[:, 0], own[:, 1])
            found.append(np.stack([*columns, np.full(len(own), apart)], axis=1))
    return np.concatenate(found) if found else np.zeros((0, 7))


def _free(tried: Any, strokes: Any, taken: Sequence[Any], room: tuple[float, float]) -> Any:
    """The boxes within the room that cover no stroke and no box that is taken."""
    left, low, right, top = tried.T[:4]
    free = (left >= 1) & (right <= room[0] - 1) & (low >= 1) & (top <= room[1] - 1)
    for box in taken:
        free &= ~((left < box[2]) & (right > box[0]) & (low < box[3]) & (top > box[1]))
    tried = tried[free]
    for part in _in_blocks(strokes):
        left, low, right, top = (side[:, None] for side in tried.T[:4])
        a, b = part.T
        covered = (left - 1.5 < a) & (a < right + 1.5) & (low - 1 < b) & (b < top + 1)
        tried = tried[~covered.any(1)]
    return tried


def _costs(tried: Any, others: Any) -> Any:
    """What speaks against each box: its distance, and other lines within reach of it."""
    import numpy as np

    left, low, right, top, _, _, apart = tried.T
    cost = apart - APART[0]
    # a name within reach of another line could be read as that line's
    for part in _in_blocks(others):
        nearest = np.sqrt(((tried[:, None, 4:6] - part[None]) ** 2).sum(-1)).min(1)
        cost = cost + 40 * (nearest < DOUBTFUL) + 8 * (nearest < 3 * DOUBTFUL)
        across = np.maximum(left[:, None] - part[:, 0], part[:, 0] - right[:, None]).clip(0)
        down = np.maximum(low[:, None] - part[:, 1], part[:, 1] - top[:, None]).clip(0)
        cost = cost + 6 * np.clip(apart + 4 - np.hypot(across, down).min(1), 0, 20)
    return cost


def _in_blocks(points: Any) -> Sequence[Any]:
    """Points in blocks, so that tables of them and boxes stay small."""
    import numpy as np

    return np.array_split(points, max(1, len(points) // 400)) if len(points) else ()


def key(axes: Axes, named: Sequence[Named], corner: str) -> None:
    """Names beside short strokes as the lines have, in this corner or in a freer one."""
    wide, high = inner_size(axes)
    told = [short(one.name, (0.94 - STROKE) * wide) for one in named]
    apart = max(LINE_HEIGHT, ROW / high)
    x, top = freest(axes, told, corner, apart)
    for k, (one, name) in enumerate(zip(named, told, strict=True)):
        place, line = one.place, one.line
        y = top - apart * k
        if line.has_strokes:
            axes.plot(
                [x, x + 0.08],
                [y, y],
                in_shares=True,
                color=line.color,
                linestyle=DASHES[(one.dash if place is None else place) % len(DASHES)],
                linewidth=line.linewidth,
                clip_on=False,
            )
        if place is not None:
            axes.plot(
                [x + 0.04],
                [y],
                in_shares=True,
                **dot_look(place, 3.5),
                clip_on=False,
            )
        axes.text(
            x + 0.1,
            y,
            name,
            in_shares=True,
            va="center",
            color=INK,
            fontsize=8.5,
        )


def freest(
    axes: Axes, words: Sequence[str], corner: str, line: float = LINE_HEIGHT
) -> tuple[float, float]:
    """Where a key of these words crosses fewest strokes: its left end and its first line.

    In shares of the axes, as is the height of a ``line``; of equally free places the first
    one is taken, ``corner`` before all.
    """
    room = inner_size(axes)[0]
    wide = STROKE + max((width_of(word) for word in words), default=0.0) * SIZE / 9 / room
    high = line * (len(words) - 1)
    left = max(0.0, min(0.06, 0.97 - wide))
    right = max(left, min(0.42, 0.97 - wide))
    upper, lower = 0.94, 0.06 + high
    places = {
        "upper right": (right, upper),
        "lower right": (right, lower),
        "upper left": (left, upper),
        "lower left": (left, lower),
        "far upper right": (max(left, 0.97 - wide), upper),
        "far lower right": (max(left, 0.97 - wide), lower),
        "middle right": (max(left, 0.97 - wide), 0.5 + high / 2),
        "middle left": (left, 0.5 + high / 2),
    }
    strokes = [point for line_of in lines_of(axes) for point in _along(line_of).tolist()]

    def crossed(place: tuple[float, float]) -> int:
        x, top = place
        return sum(
            x - 0.02 <= a <= x + wide and top - high - 0.06 <= b <= top + 0.06 for a, b in strokes
        )

    order = [places.pop(corner), *places.values()]
    return min(order, key=crossed)


def lines_of(axes: Axes) -> list[Line]:
    """Every line of a panel, those of a second axis at its right too."""
    beside = [one for one in axes.board.second if one.beside is axes]
    return [line for one in (axes, *beside) for line in one.lines]


def _along(line: Line, number: int = ALONG) -> Any:
    """Places along a line as it is drawn, evenly, in shares of the axes; none outside them.

    Of a line without strokes its own points, and of one with gaps those and the strokes.
    """
    import numpy as np

    path = np.asarray(line.shares(), dtype=float).reshape(-1, 2)
    if line.has_strokes:
        path = _evenly(path, number)
    path = path[np.isfinite(path).all(axis=1)]
    return path[((path >= -0.03) & (path <= 1.03)).all(axis=1)]


def _evenly(path: Any, number: int) -> Any:
    """So many places, evenly along each unbroken part of a path."""
    import numpy as np

    gaps = np.flatnonzero(~np.isfinite(path).all(axis=1))
    parts = [part[np.isfinite(part).all(axis=1)] for part in np.split(path, gaps)]
    found = [np.zeros((0, 2))]
    for part in parts:
        if len(part) < 2:
            found.append(part)
            continue
        steps = np.hypot(*np.diff(part, axis=0).T)
        far = np.concatenate([[0.0], np.cumsum(steps)])
        # so close that no word fits between two of them, however long the path winds
        least = min(number if number == TRIED else int(far[-1] * CLOSE), MOST)
        at = np.linspace(0, far[-1], max(4, number // len(parts), least))
        found.append(np.stack([np.interp(at, far, part[:, k]) for k in (0, 1)], axis=1))
    return np.concatenate(found)
