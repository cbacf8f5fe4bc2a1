"""Small multiples: gain, lift and coverage; learning curves; training runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evalreport.report.charts import Curve, Panel, columns, marks, stroke
from evalreport.report.drawing import COLOURS, LINE, MARKERS, SOFT, names, plain, thinned
from evalreport.report.keys import key

#: Points of one panel of several.
PANEL_POINTS = 60


def gain_panels(
    gain: Sequence[Curve],
    lift: Sequence[Curve],
    coverage: Sequence[Curve],
    accuracy: str = "accuracy",
) -> list[Panel]:
    """Gain, lift and accuracy by coverage over the share of rows; absent ones left out."""
    found: list[Panel] = []
    for curves, x, y, words, level in (
        (gain, "share", "gain", ("rows taken, highest first", "share of positives found"), None),
        (lift, "share", "lift", ("rows taken, highest first", "lift"), 1.0),
        (coverage, "coverage", "accuracy", ("rows answered, surest first", accuracy), None),
    ):
        if any(columns(c.points, x, y) for c in curves):
            found.append(_share_panel(curves, (x, y), words, level, not found))
    return found


def _share_panel(
    curves: Sequence[Curve],
    of: tuple[str, str],
    words: tuple[str, str],
    level: float | None,
    with_key: bool,
) -> Panel:
    """One panel over the share of rows; the thin line is what chance gives."""

    def paint(axes: Any) -> None:
        names(axes, *words)
        axes.set_xlim(-0.02, 1.02)
        axes.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
        if level is not None:
            axes.axhline(level, color=LINE, linewidth=0.7, linestyle=(0, (2, 2)))
        elif of[1] == "gain":
            axes.plot([0, 1], [0, 1], color=LINE, linewidth=0.7, linestyle=(0, (2, 2)))
        for curve in curves:
            rows = columns(curve.points, *of)
            stroke(axes, [rows[k] for k in thinned(len(rows), PANEL_POINTS)], curve.place)
        if with_key:
            key(axes, marks(curves), "lower right")

    return paint


def learning_panel(
    name: str,
    place: int,
    parts: Mapping[str, Sequence[tuple[float, float, float]]],
    metric: str,
) -> Panel:
    """A metric over the rows trained on, with one standard deviation each way."""

    def paint(axes: Any) -> None:
        names(axes, "rows trained on", f"{metric.lower() if metric[1:2].islower() else metric}")
        axes.margins(0.06, 0.12)
        styles = {"test": (COLOURS[place % 6], "-"), "train": (SOFT, (0, (3, 2)))}
        for k, (part, (colour, dash)) in enumerate(styles.items()):
            rows = parts.get(part) or []
            axes.errorbar(
                [r[0] for r in rows],
                [r[1] for r in rows],
                yerr=[r[2] for r in rows],
                color=colour,
                linestyle=dash,
                linewidth=1.3,
                marker="o",
                markersize=3,
                elinewidth=0.8,
            )
            words = f"{plain(name)}, {'test rows' if part == 'test' else 'training rows'}"
            axes.text(
                0.97,
                0.14 - 0.1 * k,
                f"{'solid' if part == 'test' else 'dashed'}: {words}",
                transform=axes.transAxes,
                ha="right",
                color=colour,
                fontsize=8,
            )

    return paint


def history_panel(name: str, run: Mapping[str, Any], most: float) -> Panel:
    """Rows misclassified over the steps, and the cost on a scale of its own."""

    def paint(axes: Any) -> None:
        steps = run["steps"]
        names(axes, "step", f"misclassified, run {plain(name)}")
        axes.set_ylim(-0.03 * (most or 1), 1.1 * (most or 1))
        known = [abs(c) for c in run["cost"] if c is not None]
        scale = (most or 1) / (max(known, default=1) or 1)
        wrong = list(zip(steps, run["misclassified"], strict=True))
        cost = [(s, c * scale) for s, c in zip(steps, run["cost"], strict=True) if c is not None]
        stroke(axes, [wrong[k] for k in thinned(len(wrong), 4 * PANEL_POINTS)], 0)
        stroke(axes, [cost[k] for k in thinned(len(cost), 4 * PANEL_POINTS)], 1)
        for rows, best, place in (
            (wrong, run["best_by_misclassified"], 0),
            (cost, run["best_by_cost"], 1),
        ):
            at = [r for r in rows if r[0] == best]
            axes.plot(
                [r[0] for r in at],
                [r[1] for r in at],
                color=COLOURS[place],
                marker=MARKERS[place],
                markersize=5,
                linestyle="",
            )

    return paint
