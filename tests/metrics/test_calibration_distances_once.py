"""The smoothed curve of a table is fitted once, however many metrics ask for its distances."""

from __future__ import annotations

import numpy as np
import pytest

from evalreport.metrics import calibration
from evalreport.metrics.calibration_curve import calibration_distances
from evalreport.metrics.tables import ScoreTable


def test_five_metrics_of_a_stack_fit_each_curve_once(monkeypatch: pytest.MonkeyPatch) -> None:
    fitted: list[ScoreTable] = []

    def counted(table: ScoreTable, degree: int) -> dict[str, float] | None:
        fitted.append(table)
        return calibration_distances(table, degree=degree)

    monkeypatch.setattr(calibration, "calibration_distances", counted)
    scores = np.array([0.9, 0.4, 0.1])
    stack = ScoreTable(scores, np.array([[3, 1, 0], [1, 2, 1]]), np.array([[1, 1, 4], [0, 2, 3]]))
    for name in ("ici", "e50", "e90", "emax", "eci"):
        found = getattr(calibration, name)(stack).array()
        alone = [
            calibration_distances(ScoreTable(scores, p, n), degree=1 if name == "eci" else 2)
            for p, n in zip(stack.positives, stack.negatives, strict=True)
        ]
        assert found.tolist() == [one[name] for one in alone if one]
    # two tables, of which four metrics take parabolas and one straight lines
    assert len(fitted) == 4
