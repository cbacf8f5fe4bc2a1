"""No number without its table: wherever a number is printed, what it was counted from is too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import pytest
from plain_results import build
from report.example_results import many_classes, states, ten_models, two_models

from evalreport.report.model import Line
from evalreport.report.number_tables import making_order
from evalreport.report.pieces import Card, CountTable, LineCell, Number

RESULTS = {
    "two models": two_models,
    "ten models": ten_models,
    "six classes": lambda: many_classes(6),
    "thirty classes": lambda: many_classes(30),
    "states": states,
}


def _parts(value: Any) -> Iterator[Any]:
    """Every dataclass inside a value, itself included."""
    if isinstance(value, (list, tuple)):
        for one in value:
            yield from _parts(one)
    elif is_dataclass(value):
        yield value
        for field in fields(value):
            yield from _parts(getattr(value, field.name))


@pytest.mark.parametrize("template", ["standard", "audit", "clinical", "minimal"])
@pytest.mark.parametrize("name", RESULTS)
def test_each_number_has_its_table_in_the_report(name: str, template: str) -> None:
    results = RESULTS[name]()
    tables = {table["id"] for table in results["tables"]}
    stands: set[str] = set()
    counted: set[str] = set()
    for part in _parts(build(results, template).sections):
        if isinstance(part, Number):
            counted.add(part.table)
        elif isinstance(part, CountTable):
            stands.add(part.table)
        elif isinstance(part, Card):
            stands |= {part.number.table} if part.flat else set()
        elif isinstance(part, (Line, LineCell)):
            stands.add(part.table)
    assert counted & tables
    assert counted & tables <= stands


def test_sections_of_tables_are_made_first_and_the_first_page_last() -> None:
    order = making_order(("verdict", "comparisons", "measures", "annexes", "folds"))
    assert order == ["measures", "folds", "comparisons", "annexes", "verdict"]
