"""What a metric lists as its default is what the plan takes, and can be asked for by name."""

from __future__ import annotations

import pytest

from evalreport.metrics.catalogue import catalogue
from evalreport.metrics.declare import Metric
from evalreport.plan.inputs import Facts
from evalreport.plan.methods import ASKED, choose

ROWS = Facts("d", "m", "score", ("no", "yes"), "yes", 100)


@pytest.mark.parametrize("metric", catalogue(), ids=lambda metric: metric.name)
def test_the_default_that_is_listed_is_the_one_that_is_planned(metric: Metric) -> None:
    planned, _ = choose(metric, None, ROWS, None)
    if planned is None:
        return
    assert metric.default_method == planned == metric.interval_methods[0]
    assert choose(metric, None, ROWS, planned) == (planned, ASKED)
