"""What is printed of p values, of limits and of thresholds that were chosen on the rows."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import evalreport
from evalreport.report.cards import interval_text
from evalreport.results.records import Interval
from evalreport.statistics import tail


@pytest.fixture(scope="module")
def results() -> Any:
    rng = np.random.default_rng(8)
    y = np.arange(3000) % 2
    return evalreport.run(
        {
            "evalreport": 1,
            "title": "t",
            "datasets": {"d": {"target": "y"}},
            "models": {"a": {"score": "a"}, "b": {"score": "b"}},
            "metrics": ["accuracy", "accuracy_p_value", "recall"],
            "thresholds": [{"maximize": "youden_j"}],
            "comparisons": {"reference": "b"},
            "acceptance": [{"metric": "recall", "at_least": 0.5}],
        },
        frames={
            "d": {
                "y": y.tolist(),
                "a": (y + rng.normal(0, 0.2, 3000)).tolist(),
                "b": (y + rng.normal(0, 0.6, 3000)).tolist(),
            }
        },
    )


def test_a_p_value_below_every_double_is_not_zero(results: Any) -> None:
    m = next(m for m in results.json["measures"] if m["metric"] == "accuracy_p_value")
    # 2900 or more of 3000 right where half are by chance: about 10^-640
    assert 0 < m["value"] < 1e-300
    page = results.to_html()
    pattern = r'data-metric="accuracy_p_value".*?data-value="[^"]*"[^>]*>([^<]*)<'
    shown = re.findall(pattern, page, re.DOTALL)
    assert shown
    assert all(text.strip() in ("&lt; 0.0001", "< 0.0001") for text in shown)
    assert tail.normal_two_sided(60.0) > 0
    assert tail.chi2_sf(5000.0, 1) > 0
    assert tail.t_two_sided(1e6, 400) > 0
    assert tail.binomial_greater(3000, 3000, 0.5) > 0


def test_the_mark_of_a_chosen_threshold_follows_it(results: Any) -> None:
    found = results.json
    assert all(c["exploratory"] for c in found["comparisons"] if c["threshold"] is not None)
    assert {a.get("exploratory") for a in found["acceptance"]} == {True}
    page = results.to_html()
    assert page.count(", exploratory") >= len(found["comparisons"])


@pytest.mark.parametrize(
    ("low", "high", "value", "text"),
    [
        (0.84171, 0.84199, 0.84182, "0.8417 to 0.8420"),
        (0.99991, 0.99999, 0.99995, "0.9999 to 0.99999"),
        (0.5, 0.7, 0.6, "0.500 to 0.700"),
        (0.0, 1e-9, 5e-10, "0 to 1.00e-9"),
    ],
)
def test_limits_are_told_from_their_value(low: float, high: float, value: float, text: str) -> None:
    assert interval_text(Interval(0.95, low, high, "wilson"), value) == text
