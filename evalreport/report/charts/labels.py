"""Names of lines on a chart: beside its frame, where no line can run through them."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple
from unicodedata import east_asian_width

from evalreport.lines import cut
from evalreport.report.charts.points import Curve
from evalreport.report.charts.style import COLOURS, SMALL, SOFT, colour, letters_of_fonts
from evalreport.report.words import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Letters of a line of a name, and lines of it; the caption has the whole name.
LETTERS, LINES = 18, 2
#: Curves whose names have room for all lines.
FEW = 2
#: Letters of a line at the foot of a figure, and its height in points.
KEY_LETTERS, KEY_LINE = 38, 11.0


class End(NamedTuple):
    """What stands at the end of a line: the height of the end, words, and their colour."""

    y: float
    text: str
    color: str


def folded(name: str, letters: int = LETTERS, lines: int = LINES) -> str:
    r"""A name in short lines, cut where it is longer than they are.

    >>> folded("gradient boosting, calibrated", 18)
    'gradient boosting,\ncalibrated'
    >>> folded("candidate-2026-11-01-run-0007", 18, 1)
    'candidate-2…n-0007'
    """
    text = cut(visible(name), letters * lines)
    found = textwrap.wrap(text, letters) or [""]
    if len(found) > lines:
        found = [text[k : k + letters].strip() for k in range(0, len(text), letters)]
    return "\n".join(found)


def width(text: str, *, bold: bool = False) -> float:
    """The width of a line of words in the size of labels, in points, as matplotlib measures it.

    Letters that the fonts here lack, for which it has none, are counted as squares.
    """
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    looks = FontProperties(size=SMALL, weight=600 if bold else 400)
    measured = float(text_to_path.get_text_width_height_descent(text, looks, False)[0])
    return measured + SMALL * sum(ord(sign) not in letters_of_fonts() for sign in text)


def fitted(name: str, room: float, *, bold: bool = False) -> str:
    """A name on a line of so many points, cut where it is longer."""
    whole = visible(name)
    text, letters = whole, len(whole)
    while letters > 1 and (wide := width(text, bold=bold)) > room:
        letters = min(letters - 1, int(letters * room / wide))
        text = cut(whole, max(letters, 1))
    return text


def label(curve: Curve, of: int) -> str:
    """The name of one ``of`` several curves, with as many of its numbers as there is room for.

    Limits, which stand in brackets, go first.
    """
    name = folded(curve.name, lines=LINES if of <= FEW else 1)
    said = curve.said if of <= FEW + 1 else [line for line in curve.said if line[0] != "("]
    return "\n".join([name, *(said if of <= 2 * FEW else said[:1])])


def key(axes: Axes, beside: Axes | None = None) -> None:
    """Strokes and names of all lines with a label, at the right of the frame (or of another)."""
    told = axes.get_legend_handles_labels()
    (beside or axes).legend(
        *told, loc="upper left", bbox_to_anchor=(1.04, 1.0), labelcolor=_colours(told[0])
    )


def key_below(axes: Axes) -> None:
    """Strokes and names of all lines at the foot of the figure."""
    lines, names = axes.get_legend_handles_labels()
    told = ["\n".join(below(name)) for name in names]
    axes.figure.legend(lines, told, loc="lower left", labelspacing=0.2, labelcolor=_colours(lines))


def _colours(lines: Sequence[Any]) -> list[str]:
    """The colours of names: those of models as their lines are, others quiet."""
    return [own if (own := line.get_color()) in COLOURS else SOFT for line in lines]


def below(name: str) -> list[str]:
    r"""A name with what is said of it as lines at the foot of a figure: one if it has room.

    >>> below("forest\nAUC 0.949\n(0.928 to 0.964)")
    ['forest AUC 0.949 (0.928 to 0.964)']
    """
    wide = sum(1 + (east_asian_width(sign) in "WF") for sign in name)
    first, *others = name.split("\n")
    return [" ".join([first, *others])] if wide <= KEY_LETTERS else [first, " ".join(others)]


def heading(axes: Axes, curve: Curve, letters: int = 24) -> None:
    """The name of the one curve of a panel above it, with what is said of it."""
    told = "\n".join([folded(curve.name, letters, 1), *curve.said])
    axes.set_title(told, loc="left", color=colour(curve.place), fontsize=SMALL)


def label_ends(axes: Axes, ends: Sequence[End]) -> None:
    """Words right of the frame at the heights where lines end, moved apart where they are near."""
    high = axes.get_window_extent().height * 72 / axes.figure.dpi
    low, top = axes.get_ylim()
    order = sorted(ends, key=lambda end: end.y)
    at = [high * (end.y - low) / ((top - low) or 1) for end in order]
    needs = [1.2 * SMALL * (end.text.count("\n") + 1) for end in order]
    places: list[float] = []
    for k, place in enumerate(at):
        least = places[-1] + (needs[k - 1] + needs[k]) / 2 if places else -high
        places.append(max(place, least))
    # what was pushed over the top goes down again, and takes those below it along
    for k in range(len(places) - 1, -1, -1):
        above = places[k + 1] - (needs[k] + needs[k + 1]) / 2 if k + 1 < len(places) else high
        places[k] = min(places[k], above)
    for end, place in zip(order, places, strict=True):
        axes.annotate(
            end.text,
            xy=(1, place / high),
            xycoords="axes fraction",
            xytext=(5, 0),
            textcoords="offset points",
            va="center",
            color=end.color,
            fontsize=SMALL,
            annotation_clip=False,
        )
