"""A sample of the faults that plant_faults.py plants: all found and named, nothing healthy is.

The whole of it, 200 faults and 50 healthy ones, is `make faults`.
"""

from __future__ import annotations

import pytest
from qualify import plant_faults
from qualify.plant_faults import FAULTS, Case, Workshop, judged

pytestmark = pytest.mark.long_but_first


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    return Workshop(tmp_path_factory.mktemp("workshop"))


@pytest.mark.nightly
@pytest.mark.requirement("R12")
@pytest.mark.parametrize("kind", [plant_faults.forgeries, plant_faults.folders])
def test_faults_of_runs_are_found_and_named(shop: Workshop, kind: object) -> None:
    assert callable(kind)
    cases = [case for make in list(kind(shop))[::7] for case in make()]
    assert len(cases) >= 3
    assert [missed for missed in map(judged, cases) if missed] == []


@pytest.mark.long
@pytest.mark.nightly_but_first
@pytest.mark.parametrize("kind", [plant_faults.dependencies, plant_faults.constants])
def test_faults_of_installs_are_found_and_named(shop: Workshop, kind: object) -> None:
    assert callable(kind)
    cases = [case for make in list(kind(shop))[::10] for case in make()]
    assert cases
    assert [missed for missed in map(judged, cases) if missed] == []


@pytest.mark.long
@pytest.mark.requirement("R17")
def test_faults_of_seals_are_found_and_named(shop: Workshop) -> None:
    cases = [case for make in list(plant_faults.seals(shop))[::6] for case in make()]
    assert len(cases) >= 3
    assert [missed for missed in map(judged, cases) if missed] == []


@pytest.mark.long
def test_healthy_runs_raise_no_alarm(shop: Workshop) -> None:
    cases = [case for make in list(plant_faults.healthy(shop))[5:30:8] for case in make()]
    assert [alarm for alarm in map(judged, cases) if alarm] == []


@pytest.mark.parametrize(("name", "old", "new"), plant_faults.CONSTANTS)
def test_each_statement_that_is_changed_stands_in_the_code(name: str, old: str, new: str) -> None:
    assert (plant_faults.ROOT / "evalreport" / name).read_text().count(old) == 1
    assert old != new


@pytest.mark.parametrize(
    ("case", "told"),
    [
        (Case("k", "w", lambda: (0, "verified"), "x"), "not found"),
        (Case("k", "w", lambda: (5, "something else"), "x"), "not named"),
        (Case("k", "w", lambda: (5, "x")), "false alarm"),
        (Case("k", "w", lambda: (5, "x Traceback"), "x"), "a traceback"),
    ],
)
def test_the_judge_sees_what_is_not_as_it_should_be(case: Case, told: str) -> None:
    assert told in judged(case)


@pytest.mark.long
def test_there_are_two_hundred_and_fifty(shop: Workshop) -> None:
    """By the places that are planted: a batch in one install counts each fault in it."""
    batches = {"files_of_the_product": (4, 55), "dependencies": (3, 3 * len(plant_faults.SMALL))}
    number = 0
    for kind in FAULTS:
        makers = list(kind(shop))
        groups, faults = batches.get(kind.__name__, (0, 0))
        number += len(makers) - groups + faults
    assert number >= 200
    assert len(list(plant_faults.healthy(shop))) == 50
