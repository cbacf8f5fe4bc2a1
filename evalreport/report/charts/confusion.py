"""The classification table of several classes as a heat map (as ConfusionMatrixDisplay)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from evalreport.numbers import count_text
from evalreport.report.charts.labels import folded
from evalreport.report.charts.style import HAIR, INK, SMALL, SOFT

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Classes up to which counts stand in the cells.
COUNTED = 12
#: A number that parts shapes of one path.
GAP = float("nan")
#: Shades of what is right, by the share of its row, and of what is wrong, by the largest share.
RIGHT = ("#dbe9f6", "#b7d4ea", "#8fc0e1", "#64a9d3")
WRONG = ("#fdecdc", "#fdd2a7", "#fdac67", "#f4832f", "#d95f0e")


def confusion(
    axes: Axes,
    labels: Sequence[str],
    cells: Mapping[tuple[int, int], float],
    words: tuple[str, str] = ("actual", "predicted"),
) -> None:
    """Rows are actual classes, columns predicted ones; cells without a row are blank.

    ``cells`` are counts by place of the actual and of the predicted class.
    """
    size = len(labels)
    axes.set(xlim=(0, size), ylim=(size, 0), box_aspect=1)
    whole = [sum(n for (i, _), n in cells.items() if i == row) for row in range(size)]
    share = {(i, j): n / whole[i] for (i, j), n in cells.items() if n and i < size and j < size}
    worst = max((s for (i, j), s in share.items() if i != j), default=1.0)
    for tone, squares in _by_tone(share, worst).items():
        runs = _runs(squares)
        x = [v for _, j, end in runs for v in (j, end, end, j, GAP)]
        y = [v for i, _, _ in runs for v in (i, i, i + 1, i + 1, GAP)]
        axes.fill(x, y, color=tone, linewidth=0)
    for color, places in (("white", range(1, size)), (HAIR, (0, size))):
        along, across = (
            [v for _ in places for v in (0, size, GAP)],
            [v for k in places for v in (k, k, GAP)],
        )
        axes.plot(along + across, across + along, color=color, linewidth=0.8)
    if size <= COUNTED:
        for i, j in share:
            axes.text(
                j + 0.5, i + 0.5, count_text(cells[i, j]), ha="center", va="center",
                fontsize=SMALL if size <= 8 else 6.5, fontweight=600 if i == j else 400, color=INK,
            )  # fmt: skip
    axes.spines[:].set_visible(False)
    step = 1 if size <= 30 else 2
    middles = [k + 0.5 for k in range(0, size, step)]
    names = [folded(label, 14, 1) for label in labels[::step]]
    axes.set_yticks(middles, names)
    axes.set_xticks(middles, names, rotation=0 if max(map(len, names)) <= 3 else 90)
    axes.tick_params(length=0, pad=3, labelsize=SMALL if size <= COUNTED else 5.5)
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    told = f"{words[0]} ↓  {words[1]} →"
    axes.set_xlabel(told, loc="left", fontsize=SMALL, color=SOFT, labelpad=5)
    _totals(axes, whole)


def _by_tone(
    share: Mapping[tuple[int, int], float], worst: float
) -> dict[str, list[tuple[int, int]]]:
    """Cells by their shade."""
    found: dict[str, list[tuple[int, int]]] = {}
    for (i, j), own in share.items():
        tones, of = (RIGHT, 1.0) if i == j else (WRONG, worst)
        place = min(int(own / of * len(tones)), len(tones) - 1)
        found.setdefault(tones[place], []).append((i, j))
    return found


def _runs(squares: Sequence[tuple[int, int]]) -> list[tuple[int, int, int]]:
    """Cells as row, first column and the one after the last, neighbours of a row together.

    >>> _runs([(1, 2), (0, 0), (1, 1)])
    [(0, 0, 1), (1, 1, 3)]
    """
    found: list[tuple[int, int, int]] = []
    for i, j in sorted(squares):
        start = found.pop()[1] if found and found[-1][::2] == (i, j) else j
        found.append((i, start, j + 1))
    return found


def _totals(axes: Axes, whole: Sequence[float]) -> None:
    """The rows of each actual class, at the side."""
    if len(whole) <= COUNTED:
        for k, total in enumerate(whole):
            axes.annotate(
                count_text(total), (len(whole), k + 0.5), (4, 0), textcoords="offset points",
                va="center", fontsize=SMALL, color=SOFT, annotation_clip=False,
            )  # fmt: skip
