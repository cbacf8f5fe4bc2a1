"""Counts of scores in 32 bits give every metric what those in 64 bits give, up to the most kept."""

from __future__ import annotations

import numpy as np
import pytest

from evalreport.engine.counting.memory import _SMALL
from evalreport.metrics.catalogue import catalogue
from evalreport.metrics.declare import Metric, Table
from evalreport.metrics.tables import ScoreTable

SCORES = np.linspace(0.99, 0.01, 40)
DRAW = np.random.default_rng(11)
POSITIVES, NEGATIVES = (DRAW.integers(_SMALL // 2, _SMALL, 40) for _ in range(2))
OF_SCORES = [m for m in catalogue() if m.table is Table.SCORES]


@pytest.mark.parametrize("metric", OF_SCORES, ids=lambda m: m.name)
def test_a_metric_is_the_same_in_32_bits(metric: Metric) -> None:
    given = {p.name: 0.3 for p in metric.parameters if p.required}
    if metric.one_of:
        given[metric.one_of[0]] = 0.3
    values = []
    for kind in (np.int32, np.int64):
        table = ScoreTable(SCORES, POSITIVES.astype(kind), NEGATIVES.astype(kind))
        values.append(metric(table, **metric.arguments(given)).outcome())
    assert values[0] == values[1]
