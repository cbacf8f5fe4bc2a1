"""KS tells where it is reached: the threshold and the table there, held to scipy."""

from __future__ import annotations

import numpy as np
import pytest
from plain_results import render_html
from scipy.stats import ks_2samp

from tests.trap_runs import one, results_of

RANDOM = np.random.default_rng(21)
TRUTH = RANDOM.random(300) < 0.4
SCORES = (RANDOM.normal(size=300) + TRUTH).round(2)


@pytest.mark.long_but_first
@pytest.mark.parametrize("sign", [1, -1])
def test_threshold_and_table_where_ks_is_reached(sign: int):
    scores = sign * SCORES
    columns = {"y": np.where(TRUTH, "p", "n").tolist(), "s": scores.tolist()}
    made = results_of(columns, {"score": "s"}, ["ks"])
    found = one(made, "ks")
    theirs = ks_2samp(scores[TRUTH], scores[~TRUTH])
    assert found["value"] == pytest.approx(theirs.statistic, abs=1e-12)
    at = found["reached"]
    predicted = scores >= at["threshold"]
    cells = {
        "tp": int((predicted & TRUTH).sum()),
        "fp": int((predicted & ~TRUTH).sum()),
        "fn": int((~predicted & TRUTH).sum()),
        "tn": int((~predicted & ~TRUTH).sum()),
    }
    assert {name: at[name] for name in cells} == cells
    rates = cells["tp"] / TRUTH.sum() - cells["fp"] / (~TRUTH).sum()
    assert abs(rates) == pytest.approx(theirs.statistic, abs=1e-12)
    # scipy names the last score below the threshold.
    assert theirs.statistic_location == pytest.approx(max(scores[~predicted]))
    assert "reached at the threshold" in render_html(made)
