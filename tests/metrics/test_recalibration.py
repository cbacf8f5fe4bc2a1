"""Recalibration against scikit-learn, and the parts of the Brier score by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import brier_score_loss

import evalreport
from evalreport.metrics.calibration import eci
from evalreport.metrics.formula import Undefined
from evalreport.metrics.probabilities import brier
from evalreport.metrics.recalibration import (
    brier_discrimination,
    brier_miscalibration,
    brier_recalibrated,
    brier_uncertainty,
    recalibrated,
)
from evalreport.metrics.tables import ScoreTable

PARTS = (brier_miscalibration, brier_discrimination, brier_uncertainty, brier_recalibrated)


def number(metric: Callable[..., Any], s: ScoreTable, **given: Any) -> float:
    found: float = metric(s, **given).outcome().number
    return found


def table(scores: np.ndarray, actual: np.ndarray, weight: np.ndarray | None = None) -> ScoreTable:
    distinct, place = np.unique(-scores, return_inverse=True)
    each = np.ones(len(scores), int) if weight is None else weight
    parts = [np.bincount(place, each * side, len(distinct)) for side in (actual, 1 - actual)]
    if weight is None:
        parts = [part.astype(np.int64) for part in parts]
    return ScoreTable(-distinct, *parts)


def sample(seed: int, rows: int = 200) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scores with ties, outcomes that follow them loosely, and weights."""
    rng = np.random.default_rng(seed)
    scores = rng.random(rows).round(2)
    actual = (rng.random(rows) < scores**2).astype(int)
    return scores, actual, rng.choice([0.5, 1.0, 2.5], rows)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_they_are_those_of_isotonic_regression(seed: int, weighted: bool) -> None:
    scores, actual, weight = sample(seed)
    weight = weight if weighted else np.ones(len(scores))
    s = table(scores, actual, weight if weighted else None)
    fit = IsotonicRegression(y_min=0, y_max=1).fit(scores, actual, sample_weight=weight)
    r = fit.predict(scores)
    own = dict(zip(s.scores.tolist(), recalibrated(s.positives, s.negatives), strict=True))
    assert [own[score] for score in scores.tolist()] == pytest.approx(r.tolist(), abs=1e-12)
    share = np.full(len(scores), np.average(actual, weights=weight))
    given, best, constant = (
        brier_score_loss(actual, p, sample_weight=weight) for p in (scores, r, share)
    )
    expected = (given - best, constant - best, constant, best)
    for metric, value in zip(PARTS, expected, strict=True):
        assert number(metric, s) == pytest.approx(value, abs=1e-12)
    mcb, dsc, unc, _ = (number(metric, s) for metric in PARTS)
    assert number(brier, s) == pytest.approx(mcb - dsc + unc, abs=1e-14)


@pytest.mark.parametrize(("p", "n"), [(1, 2), (37, 100), (357, 212), (7, 9993)])
def test_the_prevalence_for_every_row_is_calibrated_exactly_and_tells_exactly_nothing(
    p: int, n: int
) -> None:
    s = ScoreTable(np.array([p / (p + n)]), np.array([p]), np.array([n]))
    assert number(brier_miscalibration, s) == 0
    assert number(brier_discrimination, s) == 0
    # so does any constant: it can be recalibrated to the prevalence and no further
    other = ScoreTable(np.array([0.9]), np.array([p]), np.array([n]))
    assert number(brier_discrimination, other) == 0
    assert number(brier_recalibrated, other) == pytest.approx(number(brier_uncertainty, s))


def test_what_is_recalibrated_already_is_calibrated_exactly() -> None:
    scores, actual, _ = sample(9)
    s = table(scores, actual)
    again, place = np.unique(-recalibrated(s.positives, s.negatives), return_inverse=True)
    parts = [np.bincount(place, part).astype(int) for part in (s.positives, s.negatives)]
    assert number(brier_miscalibration, ScoreTable(-again, *parts)) == 0


def test_a_stack_of_tables_gives_the_values_of_each() -> None:
    scores, actual, _ = sample(2, 40)
    s = table(scores, actual)
    times = np.random.default_rng(1).integers(0, 3, size=(5, len(s.scores)))
    times[4] = 0
    stack = ScoreTable(s.scores, times * s.positives, times * s.negatives)
    for metric in (*PARTS, eci):
        with np.errstate(invalid="ignore", divide="ignore"):
            found = np.asarray(metric(stack).array())
        for k in range(4):
            one = ScoreTable(s.scores, stack.positives[k], stack.negatives[k])
            assert found[k] == pytest.approx(number(metric, one), abs=1e-14)
        assert np.isnan(found[4])


@pytest.mark.parametrize("metric", [*PARTS, eci])
def test_margins_and_no_rows_have_none(metric: Callable[..., Any]) -> None:
    margins = ScoreTable(np.array([2.0, -1.0]), np.array([1, 0]), np.array([0, 1]))
    nobody = ScoreTable(np.zeros(0), np.zeros(0, int), np.zeros(0, int))
    for s in (margins, nobody):
        assert isinstance(metric(s).outcome("there is no row"), Undefined)


def test_the_estimated_calibration_index_by_hand() -> None:
    # two points: the smoothed curve of a span of 1 goes through both, 0.1 and 0.2 off
    s = ScoreTable(np.array([0.75, 0.25]), np.array([65, 45]), np.array([35, 55]))
    from_curve = ((0.75 - 0.65) ** 2 + (0.25 - 0.45) ** 2) / 2
    from_prevalence = ((0.75 - 0.55) ** 2 + (0.25 - 0.55) ** 2) / 2
    assert number(eci, s) == pytest.approx(from_curve, abs=1e-9)
    assert number(eci, s, relative=True) == pytest.approx(from_curve / from_prevalence, abs=1e-9)


def test_a_run_gives_them_without_an_interval_and_says_why() -> None:
    scores, actual, _ = sample(5, 60)
    names = [metric.name for metric in (*PARTS, eci)]
    results = evalreport.run(
        {
            "evalreport": 1,
            "datasets": {"d": {"target": "y"}},
            "models": {"m": {"score": "s"}},
            "positive": {"label": "1"},
            "metrics": ["brier", "mcb", "dsc", "unc", "recalibrated_brier", "eci"],
        },
        frames={"d": {"y": actual.astype(str).tolist(), "s": scores.tolist()}},
    )
    own = {m["metric"]: m for m in results.json["measures"]}
    assert set(own) == {"brier", *names}
    for name in names:
        assert own[name]["interval"] is None
        assert own[name]["interval_reason"]
    parts = [own[metric.name]["value"] for metric in PARTS]
    assert own["brier"]["value"] == pytest.approx(parts[0] - parts[1] + parts[2], abs=1e-14)
    assert "Miscalibration (Brier score)" in results.to_html()


def test_knowing_nothing_is_no_mark_to_hold_miscalibration_against() -> None:
    # the prevalence is perfectly calibrated: every model would be "no better than chance"
    assert brier_miscalibration.by_chance([0.4, 0.6], 0) is None
    assert brier_discrimination.by_chance([0.4, 0.6], 0) == 0
