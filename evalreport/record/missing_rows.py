"""Worst and best case of a measure again: every way of placing the rows that lack something.

Of shares of rows, of other metrics of a table, and of areas.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from evalreport.record.metric_definitions import CLASS_METRICS, PROPORTIONS, UNDEFINED, Outcome
from evalreport.record.table_counts import Counts, Table, number
from evalreport.results import records
from evalreport.results.records import Curve, Measure, MissingRows, OfCells

LOOSE = Fraction(1, 10**8)
CELLS = ("tp", "fn", "fp", "tn")
Groups = Sequence[tuple[Fraction, tuple[str, ...]]]


def table_extremes(measure: Measure, own: Counts, groups: Groups) -> list[str]:
    """What is wrong with the extremes over how the rows that lack something could fall.

    The rows of a group are all of one cell, or half of each of two. Measures that need more
    than the four cells (costs) are taken as stated.
    """
    metric = {"weighted_kappa": "kappa"}.get(measure.metric, measure.metric)
    stated = measure.missing_bounds
    if metric not in CLASS_METRICS and metric != "net_benefit":
        return []
    outcomes = [_outcome(metric, table, measure) for table in _tables(own, groups)]
    numbers = [found for found in outcomes if isinstance(found, Fraction)]
    if not numbers:
        return ["missing_bounds are given, yet no placement of the rows has a value"]
    assert stated is not None
    return [
        f"missing_bounds, {name}, is {side.value!r}, its table gives {float(expected)!r}"
        for name, side, expected in (
            ("low", stated.low, min(numbers)),
            ("high", stated.high, max(numbers)),
        )
        if not _agrees(side, expected) or not _agrees(side, _outcome(metric, _cells(side), measure))
    ]


def _outcome(metric: str, counts: Counts, measure: Measure) -> Outcome:
    if metric != "net_benefit":
        return CLASS_METRICS[metric](counts, measure.params)
    at = number(measure.threshold)
    if not 0 < at < 1:
        return UNDEFINED
    return (counts.tp - counts.fp * at / (1 - at)) / counts.total if counts.total else UNDEFINED


def _cells(side: records.Fraction | OfCells) -> Counts:
    if not isinstance(side, OfCells):
        raise ValueError("one side has its cells, the other a fraction")
    return Counts(**{cell: number(getattr(side.cells, cell)) for cell in CELLS})


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


def area_extremes(measure: Measure, curve: Curve, missing: MissingRows, place: int) -> list[str]:
    """What is wrong with the extremes of an area; ``missing``: beside its table.

    Scores of rows without a target are not in results.json: with such rows of two classes
    only the fractions are checked.
    """
    stated, found = measure.missing_bounds, []
    assert stated is not None
    sides = {"low": stated.low, "high": stated.high}
    for name, side in sides.items():
        if isinstance(side, OfCells):
            raise ValueError("an area has no four cells")
        quotient = number(side.numerator) / number(side.denominator)
        if abs(number(side.value) - quotient) > LOOSE:
            found.append(f"missing_bounds, {name}: the value is not its fraction")
    if any(missing.without_target) and len(missing.without_prediction) == 2:
        return found
    lacking = [number(count) for count in missing.without_prediction]
    p, n = (number(curve.points[name][0]) for name in ("p", "n"))
    area = number(measure.value)
    area = (area + 1) / 2 if measure.metric == "gini" else area
    positives, negatives = p + lacking[place], n + sum(lacking) - lacking[place]
    free = number(missing.without_both) + sum(map(number, missing.without_target))
    pairs = max(
        (positives + a) * (negatives + free - a)
        for a in (_balance(positives, negatives, free), Fraction(0), free)
    )
    for name, value in (("low", area * p * n / pairs), ("high", 1 - (1 - area) * p * n / pairs)):
        expected = 2 * value - 1 if measure.metric == "gini" else value
        if abs(number(sides[name].value) - expected) > LOOSE:
            told = f"its curve gives {float(expected)!r}"
            found.append(f"missing_bounds, {name}, is {sides[name].value!r}, {told}")
    return found


def _balance(positives: Fraction, negatives: Fraction, free: Fraction) -> Fraction:
    """How many of the free rows make both classes most nearly of one size."""
    return min(max(Fraction(round((negatives + free - positives) / 2)), Fraction(0)), free)


def _agrees(side: records.Fraction | OfCells, expected: Outcome) -> bool:
    if not isinstance(expected, Fraction):
        return False
    return abs(number(side.value) - expected) <= LOOSE * max(abs(expected), Fraction(1))


TOLERANCE = Fraction(1, 10**9)
_CELLS = ("tp", "fn", "fp", "tn")


def bounds_problems(measure: Measure, table: Table, record: records.Table) -> list[str]:
    """What is wrong with ``missing_bounds``; ``record`` is the ``tables`` record of ``table``.

    All rows of a kind are of one cell at the extremes, so a few dozen placements are tried.
    """
    stated = measure.missing_bounds
    if stated is None:
        return []
    if record.missing is None:
        return ["missing_bounds are given, yet its table lacks no row"]
    merged: dict[tuple[str, ...], Fraction] = {}
    for count, cells in _groups(measure, table, record.missing):
        merged[cells] = merged.get(cells, Fraction(0)) + count
    groups = [(count, cells) for cells, count in merged.items()]
    if isinstance(stated.low, OfCells) or isinstance(stated.high, OfCells):
        return table_extremes(measure, table.one_versus_rest(_place(measure, table)), groups)
    found = []
    shares = []
    for chosen in itertools.product(*(cells for _, cells in groups)):
        added = dict.fromkeys(("tp", "fn", "fp", "tn", "right", "wrong"), Fraction(0))
        for (count, _), cell in zip(groups, chosen, strict=True):
            added[cell] += count
        x, n = _fraction(measure, table, added)
        shares += [x / n] if n else []
    sides = (("low", stated.low, min(shares)), ("high", stated.high, max(shares)))
    for name, side, expected in sides:
        value, quotient = number(side.value), number(side.numerator) / number(side.denominator)
        room = TOLERANCE * max(abs(expected), TOLERANCE)
        if abs(value - expected) > room or abs(quotient - expected) > room:
            told = f"{side.numerator!r} / {side.denominator!r}"
            found.append(
                f"missing_bounds, {name}, is {side.value!r} ({told}), "
                f"its table gives {float(expected)!r}"
            )
    return found


def area_bounds_problems(
    measure: Measure, table: Table, record: records.Table, curve: Curve | None
) -> list[str]:
    """What is wrong with ``missing_bounds`` of an area under the ROC curve."""
    if measure.missing_bounds is None or curve is None:
        return []
    if record.missing is None:
        return ["missing_bounds are given, yet its table lacks no row"]
    return area_extremes(measure, curve, record.missing, _place(measure, table))


def _whole(measure: Measure, table: Table) -> bool:
    """Whether all classes are judged together: a row is right or wrong."""
    return measure.label is None and len(table.labels) > 2


def _fraction(
    measure: Measure, table: Table, added: Mapping[str, Fraction]
) -> tuple[Fraction, Fraction]:
    if _whole(measure, table):
        right = sum((table.right(k) for k in range(len(table.labels))), added["right"])
        all_rows = table.total + added["right"] + added["wrong"]
        return (all_rows - right if measure.metric == "error_rate" else right), all_rows
    own = table.one_versus_rest(_place(measure, table))
    cells = {cell: getattr(own, cell) + added[cell] for cell in _CELLS}
    return PROPORTIONS[measure.metric](Counts(**cells))


def _place(measure: Measure, table: Table) -> int:
    label = measure.label if measure.label is not None else table.positive
    place = table.index(label)
    if place is None:
        raise ValueError(f"{label!r} is no class of its table")
    return place


def _groups(
    measure: Measure, table: Table, missing: MissingRows
) -> Iterator[tuple[Fraction, tuple[str, ...]]]:
    """Numbers of rows, with the cells that they may be of."""
    whole = _whole(measure, table)
    place = None if whole else _place(measure, table)
    either = ("right", "wrong")
    for k, count in enumerate(missing.without_prediction):
        cells = either if whole else ("tp", "fn") if k == place else ("fp", "tn")
        if count:
            yield number(count), cells
    for k, count in enumerate(missing.without_target):
        if not count:
            continue
        if k >= len(table.labels):
            mode = measure.indeterminate
            right = ("right",) if whole else ("tp", "tn")
            wrong = ("wrong",) if whole else ("fn", "fp")
            if mode is not None:
                yield number(count), right if mode == "for" else wrong
            continue
        yield number(count), either if whole else ("tp", "fp") if k == place else ("fn", "tn")
    if missing.without_both:
        yield number(missing.without_both), either if whole else _CELLS
