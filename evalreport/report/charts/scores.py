"""Scores by class: rows of the positive class above, those of the others below, on one scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evalreport.numbers import count_text
from evalreport.report.charts.labels import folded
from evalreport.report.charts.lines import bars, sticks
from evalreport.report.charts.points import Curve, Points, columns, in_reach, reach, with_span
from evalreport.report.charts.style import INK, NEGATIVES, SMALL, SOFT, colour
from evalreport.report.words import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Rows of a class up to which each bin of them is a tick, and the share of the highest bar below
#: which bars are too low to be seen: then counts stand on a scale of powers of ten.
FEW, LOW = 30, 0.1


@dataclass(frozen=True)
class Scale:
    """The scale of counts that all panels of a chart share: its highest bar, and its kind."""

    most: float
    by_powers: bool

    @classmethod
    def of(cls, curves: Sequence[Curve]) -> Scale:
        """The scale on which the bars of all of these can be seen."""
        tops = [max(side, default=0) for c in curves for side in counts(c.points)]
        most = max([1, *tops])
        return cls(most, any(0 < top < LOW * most for top in tops))

    @property
    def base(self) -> float:
        """Where bars begin."""
        return 0.7 if self.by_powers else 0.0


def scores(
    axes: Axes,
    curve: Curve,
    labels: tuple[str, str],
    threshold: float | None = None,
    scale: Scale | None = None,
    said_at: str = "",
    name: str = "",
    weighted: bool = False,
) -> None:
    """Two rows of bars in the place of the axes, each under the name of its class.

    ``said_at`` stands above the line of the threshold, ``name`` above all. ``weighted``: bars are
    sums of weights.
    """
    axes.axis("off")
    scale = scale or Scale.of([curve])
    rows = columns(curve.points, "low", "high")
    unit, power = in_reach([end for row in rows for end in row])
    ends = [end / unit for row in rows for end in row]
    low, high = with_span(min(ends, default=0.0), max(ends, default=1.0))
    least, most = reach(ends)
    near = threshold is not None and least <= threshold / unit <= most
    for k, (heights, label) in enumerate(zip(counts(curve.points), labels, strict=True)):
        own = axes.inset_axes((0, 0.6 * (1 - k), 1, 0.4))
        color = NEGATIVES if k else colour(curve.place)
        own.set_xlim(low - 0.02 * (high - low), high + 0.02 * (high - low))
        own.set_yscale("log" if scale.by_powers else "linear")
        own.set_ylim(scale.base, (1.6 if scale.by_powers else 1.08) * scale.most)
        shown = [(a / unit, b / unit, n) for (a, b), n in zip(rows, heights, strict=True) if n]
        if sum(heights) < FEW:
            middles = [((a + b) / 2, scale.base, n) for a, b, n in shown]
            sticks(own, middles, color=color, linewidth=1.2)
        else:
            bars(own, shown, base=scale.base, color=color)
        if threshold is not None and near:
            own.axvline(threshold / unit, color=INK, linewidth=0.8, linestyle=(0, (3, 2)))
        own.locator_params(axis="x", nbins=4)
        if scale.by_powers:
            powers = [10**k for k in range(9) if 10**k <= 1.6 * scale.most]
            own.set_yticks(powers, [count_text(n) for n in powers])
            own.set_yticks([], minor=True)
        else:
            own.locator_params(axis="y", nbins=3, integer=True)
        above = f"{folded(name, 30, 1)}\n" if name and not k else ""
        whole = sum(heights)
        many = f"weight {count_text(whole)}" if weighted else counted(whole, "row")
        told = f"{above}{folded(label, 22, 1)}, {many}"
        own.set_title(told, loc="left", color=SOFT if k else color, fontsize=SMALL, pad=3)
        own.tick_params(labelbottom=bool(k))
        if not k and near:
            own.set_title(said_at, loc="right", color=INK, fontsize=SMALL, pad=3)
    own.set_xlabel(f"score{power}", loc="right")


def counts(points: Points) -> tuple[list[float], list[float]]:
    """The counts of positive and of other rows in each bin."""
    up, down = (points.get(f"{k}s") or points.get(k) or () for k in ("positive", "negative"))
    return [n or 0 for n in up], [n or 0 for n in down]
