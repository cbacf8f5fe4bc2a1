"""Agreement of several raters, by the values of R's irrCAC and by hand."""

from __future__ import annotations

import numpy as np
import pytest

from evalreport.statistics import raters

# Twelve units, four raters, five categories, some not rated: the table that Krippendorff uses
# to explain alpha, and irrCAC (cac.raw4raters) to show each coefficient.
FOUR = [
    "1 2 3 3 2 1 4 1 2 - - -",
    "1 2 3 3 2 2 4 1 2 5 - 3",
    "- 3 3 3 2 3 4 2 2 5 1 -",
    "1 2 3 3 2 4 4 1 2 5 1 -",
]


def _table() -> np.ndarray:
    found = np.zeros((12, 5))
    for line in FOUR:
        for unit, said in enumerate(line.split()):
            if said != "-":
                found[unit, int(said) - 1] += 1
    return found


@pytest.mark.parametrize(
    ("function", "value", "error"),
    [
        (raters.gwet_ac1, 0.77544, 0.14295),
        (raters.fleiss_kappa, 0.76117, 0.15302),
        (raters.krippendorff_alpha, 0.74342, None),
    ],
)
def test_as_irrcac_prints(function: object, value: float, error: float | None) -> None:
    found = function(_table())  # type: ignore[operator]
    assert found.value == pytest.approx(value, abs=5e-6)
    if error is not None:
        assert found.standard_error == pytest.approx(error, abs=5e-6)
        assert found.interval(0.95).high == 1.0


def test_percent_agreement_by_hand() -> None:
    found = raters.percent_agreement([[2, 0], [1, 1], [0, 2], [1, 0]])
    assert found is not None
    # one of three pairs disagrees; the unit of a single rater says nothing
    assert found.value == pytest.approx(2 / 3)
    assert found.subjects == 3


def test_two_raters_without_gaps_give_known_coefficients() -> None:
    # both ill 40, both healthy 45, split 15: pa 0.85
    table = [[2, 0]] * 40 + [[0, 2]] * 45 + [[1, 1]] * 15
    pi = (80 + 15) / 200
    fleiss, ac1 = raters.fleiss_kappa(table), raters.gwet_ac1(table)
    assert fleiss is not None
    assert ac1 is not None
    chance = pi**2 + (1 - pi) ** 2
    assert fleiss.value == pytest.approx((0.85 - chance) / (1 - chance))
    chance = 2 * pi * (1 - pi)
    assert ac1.value == pytest.approx((0.85 - chance) / (1 - chance))


def test_alpha_counts_pairs_without_replacement() -> None:
    found = raters.krippendorff_alpha([[2, 0], [1, 1], [0, 2]])
    assert found is not None
    # observed disagreement 1/3; expected 2 x 3 x 3 / (6 x 5)
    assert found.value == pytest.approx(1 - (1 / 3) / (18 / 30))


@pytest.mark.parametrize("table", [[[2, 0]], [[2, 0], [2, 0]], [[1, 0], [0, 1]]])
def test_nothing_to_say(table: list[list[int]]) -> None:
    assert raters.gwet_ac1(table) is None
    assert raters.krippendorff_alpha(table) is None


def test_errors_are_those_of_new_subjects() -> None:
    draw = np.random.default_rng(21)
    values, errors = [], []
    for _ in range(300):
        ill = draw.random(60) < 0.3
        said = draw.random((60, 4)) < np.where(ill, 0.85, 0.1)[:, None]
        table = np.stack([said.sum(axis=1), 4 - said.sum(axis=1)], axis=1)
        found = raters.gwet_ac1(table)
        assert found is not None
        values.append(found.value)
        errors.append(found.standard_error)
    assert np.mean(errors) == pytest.approx(np.std(values), rel=0.15)
