"""Exact power of shares within half a point of simulation in 60 settings, by limits of another."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from design.test_study import planned
from statsmodels.stats.proportion import proportion_confint

#: Our name of the method, and that of statsmodels, which judges the drawn studies.
METHODS = {
    "wilson": "wilson",
    "clopper_pearson": "beta",
    "jeffreys": "jeffreys",
    "agresti_coull": "agresti_coull",
    "wald": "normal",
}
SIZES = (60, 180, 500)
#: Assumed recall, required recall, prevalence.
TRUTHS = ((0.9, 0.8, 0.3), (0.95, 0.85, 0.5), (0.8, 0.7, 0.2), (0.97, 0.93, 0.6))
SETTINGS = list(product(METHODS, SIZES, TRUTHS))
DRAWS = 200_000


def test_there_are_sixty() -> None:
    assert len(SETTINGS) == 60


@pytest.mark.nightly
@pytest.mark.parametrize(("method", "rows", "truth"), SETTINGS)
def test_power_is_that_of_drawn_studies(
    method: str, rows: int, truth: tuple[float, float, float]
) -> None:
    recall, required, prevalence = truth
    design = planned(
        [{"metric": "recall", "at_least": required, "bound": "lower"}],
        expect={"recall": recall, "prevalence": prevalence},
        rows=rows,
        confidence={"methods": {"recall": method}},
        power=0.01,
    )
    told = design.criteria[0].at_rows
    assert told is not None
    assert told.error is None
    draw = np.random.default_rng([rows, round(1000 * recall)])
    positives = draw.binomial(rows, prevalence, DRAWS)
    found = draw.binomial(positives, recall)
    pairs, counts = np.unique(
        np.stack([found, positives])[:, positives > 0], axis=1, return_counts=True
    )
    low, _ = proportion_confint(*pairs, alpha=0.05, method=METHODS[method])
    passed = counts[low >= required].sum() / DRAWS
    assert told.power == pytest.approx(passed, abs=0.005)
