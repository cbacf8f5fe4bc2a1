"""Small multiples: gain, lift and coverage; learning curves; training runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evalreport.report.board import LINE, SOFT, Axes
from evalreport.report.charts import Curve, Panel, columns, stroke
from evalreport.report.drawing import COLOURS, MARKERS, dot_look, names, plain
from evalreport.report.line_names import Named, name_lines
from evalreport.results.records import History


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


def coverage_panel(curves: Sequence[Curve], accuracy: str) -> Panel:
    """Accuracy over the share of rows that are answered, of a few classes."""
    words = ("rows answered, surest first", accuracy)
    return _share_panel(curves, ("coverage", "accuracy"), words, None, with_key=True)


def _share_panel(
    curves: Sequence[Curve],
    of: tuple[str, str],
    words: tuple[str, str],
    level: float | None,
    with_key: bool,
) -> Panel:
    """One panel over the share of rows; the thin line is what chance gives."""

    def paint(axes: Axes) -> None:
        names(axes, *words)
        axes.set_xlim(-0.02, 1.02)
        axes.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
        if level is not None:
            axes.axhline(level, color=LINE, linewidth=0.7, linestyle=(0, (2, 2)))
        elif of[1] == "gain":
            axes.plot([0, 1], [0, 1], color=LINE, linewidth=0.7, linestyle=(0, (2, 2)))
        named = [
            Named(c.name, c.place, stroke(axes, columns(c.points, *of), c.place)) for c in curves
        ]
        if with_key:
            name_lines(axes, named, "lower right")

    return paint


def learning_panel(
    name: str,
    place: int,
    parts: Mapping[str, Sequence[tuple[float, float, float]]],
    metric: str,
) -> Panel:
    """A metric over the rows trained on, with one standard deviation each way."""

    def paint(axes: Axes) -> None:
        names(axes, "rows trained on", f"{metric.lower() if metric[1:2].islower() else metric}")
        axes.margins(0.06, 0.12)
        styles = {"test": (COLOURS[place % len(COLOURS)], "-"), "train": (SOFT, (0, (3, 2)))}
        named: list[Named] = []
        for part, (colour, dash) in styles.items():
            rows = parts.get(part) or []
            line = axes.errorbar(
                [r[0] for r in rows],
                [r[1] for r in rows],
                [r[2] for r in rows],
                width=0.8,
                color=colour,
                linestyle=dash,
                linewidth=1.3,
                marker=MARKERS[place % len(MARKERS)],
                markersize=3,
            )
            words = "test rows" if part == "test" else "training rows"
            named.append(Named(f"{plain(name)}, {words}", None, line, len(named)))
        name_lines(axes, named, "lower right")

    return paint


def history_panel(name: str, run: History, most: float) -> Panel:
    """Rows misclassified over the steps, and the cost on an axis of its own at the right."""

    def paint(axes: Axes) -> None:
        steps = run.steps
        names(axes, "step", f"misclassified, run {plain(name)}")
        axes.set_ylim(-0.03 * (most or 1), 1.1 * (most or 1))
        drawn: list[tuple[Axes, Sequence[tuple[float, float]], float | None, int]] = []
        wrong = list(zip(steps, run.misclassified, strict=True))
        cost = list(zip(steps, run.cost or (), strict=False))
        lines = [Named("misclassified", None, stroke(axes, wrong, 0))]
        drawn.append((axes, wrong, run.best_by_misclassified, 0))
        if cost:
            right = axes.board.beside(axes)
            highest = max(c for _, c in cost) or 1
            right.set_ylim(-0.03 * highest, 1.1 * highest)
            right.right_title = "cost"
            lines.append(Named("cost", None, stroke(right, cost, 1), 1))
            drawn.append((right, cost, run.best_by_cost, 1))
        for own, rows, best, place in drawn:
            at = [r for r in rows if r[0] == best]
            own.plot(
                [r[0] for r in at],
                [r[1] for r in at],
                **dot_look(place, 5.0),
            )
        name_lines(axes, lines, "upper right")

    return paint
