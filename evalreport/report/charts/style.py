"""The look of every chart: one dictionary of matplotlib settings, and the looks of models.

matplotlib loads when the first chart is drawn, not before: commands that draw nothing do without.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

#: Colours of text, of quieter text, of axes and of hairlines.
INK, SOFT, LINE, HAIR = "#14181d", "#474f58", "#767f89", "#c6ccd2"
#: What stands behind: other curves, negative rows, and bands of control limits.
OTHERS, NEGATIVES, CONTROL = "#c6ccd2", "#8b949e", "#e3e8ed"
#: What stands behind highlighted counts, as in tables.
MARKED = "#ffe38a"
#: A value that is required.
REQUIRED = "#b3261e"
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
#: Sizes of text in points.
TEXT, SMALL = 8.0, 7.5
#: Width below which a panel has no room for six ticks, in points.
SMALL_PANEL = 100.0

STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "evalreport",
    "path.simplify": True,
    "path.simplify_threshold": 0.45,
    "text.parse_math": False,
    "text.usetex": False,
    "font.enable_last_resort": False,
    "font.family": ["Report Sans", "DejaVu Sans"],
    "font.size": TEXT,
    "figure.facecolor": "none",
    "figure.edgecolor": "none",
    "axes.facecolor": "none",
    "axes.edgecolor": LINE,
    "axes.labelcolor": INK,
    "axes.labelsize": TEXT,
    "axes.labelpad": 2,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": TEXT,
    "axes.titlecolor": SOFT,
    "axes.titlelocation": "left",
    "axes.titlepad": 5,
    "axes.titley": 1.0,
    "axes.unicode_minus": True,
    "xtick.color": LINE,
    "ytick.color": LINE,
    "xtick.labelcolor": SOFT,
    "ytick.labelcolor": SOFT,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "xtick.major.size": 3,
    "ytick.major.size": 3,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "text.color": INK,
    "lines.linewidth": 1.4,
    "lines.solid_capstyle": "butt",
    "lines.markersize": 5,
    "legend.fontsize": SMALL,
    "legend.frameon": False,
    "legend.borderpad": 0,
    "legend.borderaxespad": 0,
    "legend.handlelength": 1.7,
    "legend.handletextpad": 0.5,
    "legend.labelspacing": 0.8,
}
#: Settings of screens and windows, which matplotlib warns of or does not reset.
_NOT_DRAWN = frozenset({"backend", "backend_fallback", "interactive", "toolbar", "timezone"})


@contextmanager
def styled() -> Iterator[None]:
    """While charts are drawn: the defaults of matplotlib and the report's style.

    Neither what a ``matplotlibrc`` has nor what a program set counts here.
    """
    _load()
    import matplotlib as mpl

    # rcdefaults() would read every style sheet that comes with matplotlib.
    kept = {key: value for key, value in mpl.rcParamsDefault.items() if key not in _NOT_DRAWN}
    with warnings.catch_warnings(), mpl.rc_context(kept | STYLE):
        # Numbers at the edge of what there are: what comes of them is drawn, or found to fail.
        warnings.simplefilter("ignore", RuntimeWarning)
        warnings.filterwarnings("ignore", message="Attempting to set identical")
        # Glyphs that no font here has are drawn by the reader's own fonts.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        yield


def colour(place: int) -> str:
    """The colour of the model in this place."""
    return COLOURS[place % len(COLOURS)]


def stroke(place: int) -> dict[str, Any]:
    """The line of the model in this place, as arguments of ``Axes.plot``."""
    return {"color": colour(place), "linestyle": DASHES[place % len(DASHES)]}


def mark(place: int, size: float = 5.0, *, hollow: bool = False) -> dict[str, Any]:
    """The mark of the model in this place, as arguments of ``Axes.plot``.

    >>> mark(2)["marker"], mark(5)["markerfacecolor"], mark(0, hollow=True)["markerfacecolor"]
    ('^', 'white', 'white')
    """
    number = place % len(MARKERS)
    inside = "white" if hollow or number >= FIRST_HOLLOW else colour(place)
    return {
        "color": colour(place),
        "marker": MARKERS[number],
        "markersize": size,
        "markerfacecolor": inside,
        "linestyle": "none",
    }


def name_axes(axes: Axes, x: str, y: str) -> None:
    """The names of both axes, level to read: below at the right, above at the left."""
    axes.set_xlabel(x, loc="right")
    axes.set_title(y, loc="left")


def shares(axes: Axes, *, low: float = -0.01) -> None:
    """Square axes of two shares from 0 to 1, with a tick at every fifth, in small ones three."""
    small = axes.get_window_extent().width < SMALL_PANEL
    at = (0, 0.5, 1) if small else (0, 0.2, 0.4, 0.6, 0.8, 1)
    axes.set(xlim=(-0.01, 1.01), ylim=(low, 1.01), box_aspect=1, xticks=at, yticks=at)


def say_ticks(artist: Artist) -> None:
    """Have the numbers of all axes of a figure, or of one pair of axes, in one style.

    Those of an axis have equally many decimals, whole ones none: 0, 0.05, 0.10; 0, 0.5, 1.
    """
    from matplotlib.axis import Axis
    from matplotlib.ticker import ScalarFormatter

    class Numbers(ScalarFormatter):
        def __call__(self, x: float, pos: int | None = None) -> str:
            return re.sub(r"\.0+$", "", super().__call__(x, pos))

    for axis in artist.findobj(Axis):
        if type(axis.get_major_formatter()) is ScalarFormatter:
            axis.set_major_formatter(Numbers())


def font_path(name: str) -> Path:
    """Where a font of the report is, installed or in a checkout."""
    shipped = Path(str(resources.files("evalreport"))) / "_data" / "templates" / "fonts" / name
    return (
        shipped if shipped.is_file() else Path(__file__).parents[3] / "templates" / "fonts" / name
    )


@cache
def letters_of_fonts() -> frozenset[int]:
    """The letters that the fonts of charts have."""
    from matplotlib.font_manager import findfont, get_font

    fonts = (get_font(findfont(name)) for name in STYLE["font.family"])
    return frozenset(letter for font in fonts for letter in font.get_charmap())


@cache
def _load() -> None:
    """Load matplotlib and give it the fonts of the report."""
    import logging

    # "generated new fontManager" and the like are of no use to who asked for a report.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    with _without_its_folder():
        from matplotlib import font_manager

    for name in ("report-sans-400.ttf", "report-sans-600.ttf"):
        font_manager.fontManager.addfont(str(font_path(name)))


@contextmanager
def _without_its_folder() -> Iterator[None]:
    """While matplotlib loads: it would read a ``matplotlibrc`` of the current folder.

    Only where there is such a file is the folder left, as other threads may use it.
    """
    if not os.path.lexists("matplotlibrc"):
        yield
        return
    here = os.open(".", os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
    try:
        os.chdir(Path(__file__).parent)
        yield
    finally:
        os.fchdir(here)
        os.close(here)
