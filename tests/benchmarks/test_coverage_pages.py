"""The tables and pictures of the coverage page are those of the recorded cells."""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

import pytest
from benchmarks import coverage_classes, coverage_pictures, coverage_samples, coverage_widths
from benchmarks.coverage_grid import FILE, PAGE
from benchmarks.coverage_pictures import Point

TEXT = PAGE.read_text(encoding="utf-8")
KEPT = json.loads(coverage_widths.FILE.read_text(encoding="utf-8"))


def between(begin: str, end: str) -> str:
    return TEXT.split(begin)[1].split(end)[0].strip()


def test_the_tables_of_samples_are_of_the_file_that_records_are_told_from() -> None:
    samples = json.loads(FILE.read_text(encoding="utf-8"))["samples"]
    assert between(coverage_samples.BEGIN, coverage_samples.END) == coverage_samples.table(samples)


def test_the_tables_of_all_classes_are_of_the_recorded_cells() -> None:
    recorded = json.loads(coverage_classes.FILE.read_text(encoding="utf-8"))
    assert [one["cell"] for one in recorded] == json.loads(json.dumps(coverage_classes.CELLS))
    told = between(coverage_classes.BEGIN, coverage_classes.END)
    assert told == coverage_classes.table(recorded)


@pytest.mark.nightly_but_first
@pytest.mark.parametrize("cell", [coverage_classes.CELLS[k] for k in (3, 5, 13, 20, 23)])
def test_few_data_sets_of_all_classes_hold_what_is_recorded(cell: coverage_classes.Cell) -> None:
    recorded = json.loads(coverage_classes.FILE.read_text(encoding="utf-8"))
    own = next(one["found"] for one in recorded if one["cell"] == json.loads(json.dumps(cell)))
    found = coverage_classes.counted(cell, 30)
    assert found.keys() == own.keys()
    for name, (held, _, _) in found.items():
        chance = max(own[name][0] / 100, 0.5)
        assert held / 100 >= chance - 4 * (max(chance * (1 - chance), 0.02) / 30) ** 0.5, name


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
