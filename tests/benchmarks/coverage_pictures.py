"""Pictures of the coverage study: what the defaults hold, and their width beside the best."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

#: Size of a panel, and where it stands.
WIDE, HIGH, LEFT, TOP, APART = 240, 150, 46, 34, 70
LOWEST, HIGHEST = 80.0, 100.0
WIDEST = 2.0
INK, FAINT, GOOD, BAD = "#222", "#bbb", "#20639b", "#b3401a"


class Point(NamedTuple):
    """One cell: positives, coverage in %, and the width over that of the best that holds."""

    positives: int
    coverage: float
    ratio: float | None


def drawn(family: str, points: Sequence[Point]) -> str:
    """The two panels of a family as SVG; points that fall together are drawn larger."""
    sizes = sorted({point.positives for point in points})
    total, high = LEFT + 2 * WIDE + APART + 12, TOP + HIGH + 42
    font = 'font-family="sans-serif" font-size="10" role="img"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total} {high}" {font}>',
        f"<title>{family}: coverage and width of the defaults</title>",
        f'<rect width="{total}" height="{high}" fill="#fff"/>',
    ]
    held = [(p.positives, p.coverage, p.coverage >= 93.0) for p in points]
    wide = [(p.positives, p.ratio, p.ratio <= 1.3) for p in points if p.ratio is not None]
    parts += _panel(
        LEFT,
        "coverage of 95 % limits, %",
        sizes,
        held,
        (LOWEST, HIGHEST),
        ((80, ""), (85, ""), (90, ""), (93, "4 3"), (95, ""), (100, "")),
    )
    parts += _panel(
        LEFT + WIDE + APART,
        "width over that of the narrowest method that holds",
        sizes,
        wide,
        (0.8, WIDEST),
        ((0.8, ""), (1.0, ""), (1.3, "4 3"), (1.6, ""), (2.0, "")),
    )
    return "\n".join([*parts, "</svg>"]) + "\n"


def _panel(
    left: int,
    title: str,
    sizes: Sequence[int],
    points: Iterable[tuple[int, float, bool]],
    ends: tuple[float, float],
    lines: Sequence[tuple[float, str]],
) -> Iterator[str]:
    def y(value: float) -> float:
        inside = min(max(value, ends[0]), ends[1])
        return TOP + HIGH * (ends[1] - inside) / (ends[1] - ends[0])

    yield f'<text x="{left}" y="{TOP - 14}" fill="{INK}">{title}</text>'
    for value, dashes in lines:
        dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
        ink = INK if dashes else FAINT
        yield (
            f'<path d="M{left} {y(value):.1f}H{left + WIDE}" stroke="{ink}" '
            f'stroke-width="0.7"{dashed}/>'
        )
        yield (
            f'<text x="{left - 5}" y="{y(value) + 3:.1f}" text-anchor="end" '
            f'fill="{INK}">{value:g}</text>'
        )
    yield from _points(left, sizes, points, y)
    for place, size in enumerate(sizes):
        x = _x(left, place, sizes)
        yield (
            f'<text x="{x:.1f}" y="{TOP + HIGH + 16}" text-anchor="middle" '
            f'fill="{INK}">{size}</text>'
        )
    yield (
        f'<text x="{left + WIDE / 2:.1f}" y="{TOP + HIGH + 32}" text-anchor="middle" '
        f'fill="{INK}">positives</text>'
    )


def _points(
    left: int,
    sizes: Sequence[int],
    points: Iterable[tuple[int, float, bool]],
    y: Callable[[float], float],
) -> Iterator[str]:
    """A dot for each half unit of height, its area by how many cells fall there."""
    counted = Counter(
        (sizes.index(size), round(y(value) / 2) * 2, good) for size, value, good in points
    )
    for (place, height, good), count in sorted(counted.items()):
        ink = GOOD if good else BAD
        yield (
            f'<circle cx="{_x(left, place, sizes):.1f}" cy="{height}" '
            f'r="{1.6 * count**0.5:.1f}" fill="{ink}" fill-opacity="0.65"/>'
        )


def _x(left: int, place: int, sizes: Sequence[int]) -> float:
    return left + WIDE * (place + 0.5) / len(sizes)
