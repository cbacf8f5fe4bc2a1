"""Worst and best case of measures that are no shares of rows, again: of tables and of areas."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from evalreport.record.class_metrics import CLASS_METRICS, UNDEFINED, Outcome
from evalreport.record.table_counts import Counts, number

TOLERANCE = Fraction(1, 10**8)
CELLS = ("tp", "fn", "fp", "tn")
Groups = Sequence[tuple[Fraction, tuple[str, ...]]]


def table_extremes(measure: Mapping[str, Any], own: Counts, groups: Groups) -> list[str]:
    """What is wrong with the extremes over how the rows that lack something could fall.

    The rows of a group are all of one cell, or half of each of two. Measures that need more
    than the four cells (costs) are taken as stated.
    """
    metric = {"weighted_kappa": "kappa"}.get(measure["metric"], measure["metric"])
    stated = measure["missing_bounds"]
    if metric not in CLASS_METRICS and metric != "net_benefit":
        return []
    outcomes = [_outcome(metric, table, measure) for table in _tables(own, groups)]
    numbers = [found for found in outcomes if isinstance(found, Fraction)]
    if not numbers:
        return ["missing_bounds are given, yet no placement of the rows has a value"]
    return [
        f"missing_bounds, {side}, is {stated[side]['value']!r}, its table gives {float(expected)!r}"
        for side, expected in (("low", min(numbers)), ("high", max(numbers)))
        if not _agrees(stated[side], expected)
        or not _agrees(stated[side], _outcome(metric, _cells(stated[side]), measure))
    ]


def _outcome(metric: str, counts: Counts, measure: Mapping[str, Any]) -> Outcome:
    if metric != "net_benefit":
        return CLASS_METRICS[metric](counts, measure["params"])
    at = number(measure["threshold"])
    return (counts.tp - counts.fp * at / (1 - at)) / counts.total if counts.total else UNDEFINED


def _cells(side: Mapping[str, Any]) -> Counts:
    return Counts(**{cell: number(side["cells"][cell]) for cell in CELLS})


def _tables(own: Counts, groups: Groups) -> Iterator[Counts]:
    ways = [list(_ways(count, cells)) for count, cells in groups if count]
    for chosen in itertools.product(*ways):
        cells = {cell: getattr(own, cell) for cell in CELLS}
        for part in chosen:
            for cell, count in part.items():
                cells[cell] += count
        yield Counts(**cells)


def _ways(count: Fraction, cells: tuple[str, ...]) -> Iterator[dict[str, Fraction]]:
    yield from ({cell: count} for cell in cells)
    half = Fraction(count // 2) if count.denominator == 1 else count / 2
    if half:
        yield from ({a: half, b: count - half} for a, b in itertools.combinations(cells, 2))


def area_extremes(
    measure: Mapping[str, Any], curve: Mapping[str, Any], missing: Mapping[str, Any], place: int
) -> list[str]:
    """What is wrong with the extremes of an area; ``missing``: beside its table.

    Scores of rows without a target are not in results.json: with such rows of two classes
    only the fractions are checked.
    """
    stated, found = measure["missing_bounds"], []
    for side in ("low", "high"):
        parts = {key: number(value) for key, value in stated[side].items()}
        if abs(parts["value"] - parts["numerator"] / parts["denominator"]) > TOLERANCE:
            found.append(f"missing_bounds, {side}: the value is not its fraction")
    if any(missing["without_target"]) and len(missing["without_prediction"]) == 2:
        return found
    lacking = [number(count) for count in missing["without_prediction"]]
    p, n = (number(curve["points"][name][0]) for name in ("p", "n"))
    area = number(measure["value"])
    area = (area + 1) / 2 if measure["metric"] == "gini" else area
    positives, negatives = p + lacking[place], n + sum(lacking) - lacking[place]
    free = number(missing["without_both"]) + sum(map(number, missing["without_target"]))
    pairs = max(
        (positives + a) * (negatives + free - a)
        for a in (_balance(positives, negatives, free), Fraction(0), free)
    )
    for side, value in (("low", area * p * n / pairs), ("high", 1 - (1 - area) * p * n / pairs)):
        expected = 2 * value - 1 if measure["metric"] == "gini" else value
        if abs(number(stated[side]["value"]) - expected) > TOLERANCE:
            told = f"its curve gives {float(expected)!r}"
            found.append(f"missing_bounds, {side}, is {stated[side]['value']!r}, {told}")
    return found


def _balance(positives: Fraction, negatives: Fraction, free: Fraction) -> Fraction:
    """How many of the free rows make both classes most nearly of one size."""
    return min(max(Fraction(round((negatives + free - positives) / 2)), Fraction(0)), free)


def _agrees(side: Mapping[str, Any], expected: Outcome) -> bool:
    if not isinstance(expected, Fraction):
        return False
    return abs(number(side["value"]) - expected) <= TOLERANCE * max(abs(expected), Fraction(1))

