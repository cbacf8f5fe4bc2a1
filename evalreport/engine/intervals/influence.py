"""The variance of a metric of ranked scores on large samples, without resampling."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from evalreport.metrics.declare import Metric
from evalreport.metrics.tables import ScoreTable


def variance(
    metric: Metric, table: ScoreTable, arguments: Mapping[str, Any] | None = None
) -> float | None:
    """Variance for independent unweighted rows; None where the influence is not known.

    The sum over rows of the squared influence of each (Hampel et al. 1986, section 2.1).
    """
    some_of_both = float(table.positive_total) and float(table.negative_total)
    if metric.influence is None or not some_of_both:
        return None
    slopes = metric.influence(table, **(arguments or {}))
    if slopes is None:
        return None
    of_positive, of_negative = slopes
    return float(
        np.sum(table.positives * of_positive**2) + np.sum(table.negatives * of_negative**2)
    )
