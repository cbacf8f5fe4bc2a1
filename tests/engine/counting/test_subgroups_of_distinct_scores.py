"""A subgroup with as many rows as all rows have scores is counted as any other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import evalreport


def area(columns: dict[str, Any], subgroups: list[str]) -> list[dict[str, Any]]:
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y", "weight": "w"}},
        "positive": {"label": "ill"},
        "models": {"a": {"score": "a"}},
        "metrics": ["roc_auc"],
        "subgroups": subgroups,
    }
    found = evalreport.run(spec, frames={"d": columns}).json
    assert found["failures"] == []
    measures: list[dict[str, Any]] = found["measures"]
    return measures


@pytest.mark.parametrize("seed", range(6))
def test_the_weighted_area_of_a_subgroup_has_the_limits_of_its_rows_alone(seed: int) -> None:
    rng = np.random.default_rng(seed)
    ill = rng.random(60) < 0.4
    score = np.round(20 / (1 + np.exp(0.8 - 1.6 * ill + rng.normal(size=60)))) / 20
    first = np.arange(60) < len(set(score.tolist()))
    columns = {
        "y": np.where(ill, "ill", "well"),
        "a": score,
        "w": np.round(rng.lognormal(size=60, sigma=0.5), 2),
        "site": np.where(first, "A", "B"),
    }
    (inside,) = [m for m in area(columns, ["site"]) if m["subgroup"] == {"site": "A"}]
    (alone,) = area({name: own[first] for name, own in columns.items()}, [])
    assert inside["value"] == pytest.approx(alone["value"], abs=1e-12)
    for end in ("low", "high"):
        assert inside["interval"][end] == pytest.approx(alone["interval"][end], abs=1e-9)
