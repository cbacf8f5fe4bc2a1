"""The prevalence stated for every row is exactly calibrated: no dust of rounding is left."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import evalreport
from evalreport.metrics.catalogue import find
from evalreport.metrics.formula import Cell
from evalreport.metrics.probability_bins import as_observed
from evalreport.metrics.tables import ScoreTable

#: What each metric is of the prevalence itself.
EXACTLY = {
    "calibration_in_the_large": 0,
    "oe_ratio": 1,
    **dict.fromkeys(("ece", "mce", "ici", "e50", "e90", "emax", "eci"), 0),
    **dict.fromkeys(("brier_scaled", "mcfadden_r2", "cox_snell_r2", "nagelkerke_r2"), 0),
    **dict.fromkeys(("discrimination_slope", "gini", "brier_miscalibration"), 0),
    **dict.fromkeys(("brier_discrimination", "hosmer_lemeshow", "spiegelhalter_z"), 0),
    **dict.fromkeys(("hosmer_lemeshow_p", "spiegelhalter_p"), 1),
}
#: Pairs of a class whose share times the rows misses the count, and others.
SIZES = [(764, 1919), (308, 205), (649, 4563), (632, 2718), (376, 1551), (769, 3957), (212, 357)]


@pytest.mark.parametrize("name", EXACTLY)
def test_of_the_prevalence_they_are_exactly_that(name: str) -> None:
    metric = find(name)
    assert metric is not None
    rng = np.random.default_rng(7)
    for p, n in [*SIZES, *rng.integers(1, 3000, size=(60, 2)).tolist()]:
        s = ScoreTable(np.array([p / (p + n)]), np.array([p]), np.array([n]))
        assert metric(s).outcome().number == EXACTLY[name], (p, n)


def test_a_real_distance_stays_however_small() -> None:
    s = ScoreTable(np.array([764 / 2683 * (1 + 1e-13)]), np.array([764]), np.array([1919]))
    for name in ("calibration_in_the_large", "ece", "spiegelhalter_z"):
        metric = find(name)
        assert metric is not None
        assert metric(s).outcome().number != 0
    assert as_observed(np.array([764.000001]), np.array([764])).tolist() == [764.000001]
    assert (Cell("a", 1.0) - Cell("b", 1.0 - 1e-14)).outcome().number > 0


def test_the_worst_bin_holds_rows_where_all_bins_are_calibrated() -> None:
    metric = find("mce")
    assert metric is not None
    s = ScoreTable(np.array([0.75, 0.25]), np.array([3, 1]), np.array([1, 3]))
    assert metric(s).outcome().number == 0
    stack = ScoreTable(s.scores, np.stack([s.positives] * 2), np.stack([s.negatives] * 2))
    assert metric(stack).array().tolist() == [0, 0]


def test_baselines_of_a_run_print_no_dust() -> None:
    rng = np.random.default_rng(3)
    names = [name for name in EXACTLY if name != "gini"]
    results: Any = evalreport.run(
        {
            "evalreport": 1,
            "datasets": {"d": {"target": "y"}},
            "positive": {"label": "ill"},
            "models": {"m": {"score": "s"}},
            "metrics": names,
        },
        frames={"d": {"y": ["ill"] * 308 + ["well"] * 205, "s": rng.random(513).tolist()}},
    ).json
    own = {b["metric"]: b["value"] for b in results["baselines"] if b["baseline"] == "prevalence"}
    assert own == {name: EXACTLY[name] for name in names}
