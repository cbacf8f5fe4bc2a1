"""The tables and pictures of the coverage page are those of the recorded cells."""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

import pytest
from benchmarks import (
    coverage_classes,
    coverage_grid,
    coverage_pictures,
    coverage_samples,
    coverage_widths,
)
from benchmarks.coverage_grid import FILE, PAGE, Cell
from benchmarks.coverage_pictures import Point

TEXT = PAGE.read_text(encoding="utf-8")
KEPT = json.loads(coverage_widths.FILE.read_text(encoding="utf-8"))


def between(begin: str, end: str) -> str:
    return TEXT.split(begin)[1].split(end)[0].strip()


STUDY = json.loads(FILE.read_text(encoding="utf-8"))


def test_the_tables_are_of_the_file_that_records_are_told_from() -> None:
    samples, places = STUDY["samples"], STUDY["places"]
    assert between(coverage_samples.BEGIN, coverage_samples.END) == coverage_samples.table(samples)
    assert between(coverage_grid.BEGIN, coverage_grid.END) == coverage_grid.tables(places)
    others = json.loads(coverage_classes.FILE.read_text(encoding="utf-8"))
    assert [one["cell"] for one in others] == json.loads(json.dumps(coverage_classes.CELLS))
    told = between(coverage_classes.BEGIN, coverage_classes.END)
    assert told == coverage_classes.table(others, places)


def agrees(found: list[list[float]], place: tuple[str, int, float], name: str, sets: int) -> None:
    """What few data sets hold is what is recorded, beyond four standard errors of both."""
    (own,) = (
        one["found"][name]
        for one in STUDY["places"]
        if (one["drawn"], one["size"], one["share"]) == place
    )
    for held, truth in found:
        # cells of one true value, as areas of scores that are spread evenly and unevenly, are many
        recorded = [coverage for coverage, true in own if true == truth]
        chance = min(max(min(recorded) / 100, 0.5), 0.97)
        room = 400 * (chance * (1 - chance) * (1 / sets + 1 / 200)) ** 0.5
        assert min(recorded) - room <= held <= max(recorded) + room, (place, name, truth)


#: Cells with few rows, shares near 1, positives that are widely spread, weights and clusters.
FEW = (
    Cell("", 10, 0.1, 0.99),
    Cell("", 50, 0.1, 0.99, 2.0),
    Cell("weights", 10, 0.5, 0.95),
    Cell("uneven clusters with weights", 30, 0.3, 0.8),
)


@pytest.mark.long
@pytest.mark.nightly_but_first
@pytest.mark.parametrize("cell", FEW, ids=lambda cell: str(cell.drawn))
def test_few_data_sets_of_two_classes_hold_what_is_recorded(cell: Cell) -> None:
    counted = coverage_grid.counted(cell, 0.1, seed=7)
    assert "roc_auc" in counted
    for name, found in counted.items():
        agrees(found, (cell.drawn, cell.size, cell.prevalence), name, 30)


ALL_CLASSES = list(coverage_classes.studied())


@pytest.mark.nightly_but_first
@pytest.mark.parametrize("cell", [ALL_CLASSES[k] for k in (5, 11, 20, 40, 60, 75)])
def test_few_data_sets_of_all_classes_hold_what_is_recorded(cell: coverage_classes.Cell) -> None:
    found = coverage_classes.counted(cell, 30)
    compared = {name: one for name, one in found.items() if one[2] >= 25}
    assert compared
    for name, (held, truth, sets) in compared.items():
        agrees([[held, truth]], cell.place, name, sets)


@pytest.mark.parametrize("family", coverage_widths.FAMILIES)
def test_each_family_has_its_table_and_its_picture(family: str) -> None:
    own = [one for one in KEPT if one["family"] == family]
    assert {tuple(one["cell"]) for one in own} == set(coverage_widths.cells(family))
    told = "\n".join(coverage_widths.section_of(family, KEPT))
    assert told in between(coverage_widths.BEGIN, coverage_widths.END)
    picture = coverage_widths.picture_of(family)
    assert picture.read_text(encoding="utf-8") == coverage_pictures.drawn(
        family, list(coverage_widths.points(own))
    )
    assert picture.stat().st_size < 20_000
    ET.parse(picture)


def test_the_best_is_the_narrowest_that_holds() -> None:
    methods = {"default": [95.0, 0.4, 9], "a": [92.9, 0.1, 9], "b": [93.0, 0.3, 9]}
    assert coverage_widths.best_of(methods) == "b"
    assert coverage_widths.best_of({"a": [92.9, 0.1, 9]}) is None
    assert coverage_widths.best_of({"a": [95.0, 0.4, 9], "default": [95.0, 0.4, 9]}) == "default"


def test_a_picture_draws_a_dot_for_what_falls_together() -> None:
    points = [Point(5, 95.0, 1.0), Point(5, 95.0, 1.0), Point(10, 85.0, None)]
    drawn = coverage_pictures.drawn("areas", points)
    assert drawn.count("<circle") == 3  # two of coverage, one of width
    assert drawn == coverage_pictures.drawn("areas", points[::-1])
