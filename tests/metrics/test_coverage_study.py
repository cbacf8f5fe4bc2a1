"""What the study held, told beside a method: of the nearest cell, and only what was studied."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import evalreport
from evalreport.metrics import coverage_study
from evalreport.metrics.catalogue import find

CELLS = json.loads(Path(coverage_study.__file__).with_suffix(".json").read_text("utf-8"))["cells"]


def test_the_study_holds_every_cell_of_its_grid_once() -> None:
    places = [(c["positives"], c["prevalence"], c["area"]) for c in CELLS]
    assert len(places) == len(set(places)) == 5 * 4 * 4
    assert all(find(name) is not None for cell in CELLS for name in cell["found"])


@pytest.mark.parametrize("metric", ["f1", "roc_auc", "recall"])
def test_the_nearest_cell_is_told(metric: str) -> None:
    own = [c for c in CELLS if (c["positives"], c["prevalence"]) == (10, 0.1)]
    found = [pair[0] for c in own for pair in c["found"][metric] if pair]
    told = coverage_study.held(metric, 11, 95, 0.95)
    assert told == (
        f"held {min(found):.1f} to {max(found):.1f} % in the coverage study "
        "at 10 positives, prevalence 0.1"
    )


#: Measures whose defaults of small samples are held to their level: (metric, cells that may miss).
HELD = {
    "roc_auc": 0,
    "brier": 0,
    "balanced_accuracy": 4,
    "youden_j": 4,
    "mcc": 4,
    "kappa": 8,
    "f1": 4,
    "markedness": 4,
}


@pytest.mark.parametrize("metric", HELD)
def test_the_defaults_hold_nearly_everywhere_in_the_grid(metric: str) -> None:
    found = [pair[0] for c in CELLS for pair in c["found"].get(metric, ()) if pair]
    # 1 000 data sets: 95 % has a standard error of 0.7 points, so a few of 240 fall below 93
    assert sum(one < 92.0 for one in found) <= HELD[metric]
    assert min(found) > 88.0


def test_a_default_says_what_it_held_and_a_method_asked_for_does_not() -> None:
    columns: dict[str, list[Any]] = {
        "y": [1] * 8 + [0] * 40,
        "s": [0.9, 0.8, 0.7, 0.6, 0.4, 0.95, 0.3, 0.7] + [k / 60 for k in range(40)],
    }

    def why(metric: str, **methods: str) -> str:
        spec = {
            "evalreport": 1,
            "datasets": {"d": {"target": "y"}},
            "models": {"m": {"score": "s"}},
            "metrics": [metric],
            "confidence": {"methods": methods},
        }
        (measure,) = evalreport.run(spec, frames={"d": columns}).json["measures"]
        return str(measure["interval"]["why"])

    assert "; held " in why("roc_auc")
    assert "at 10 positives, prevalence 0.1" in why("roc_auc")
    assert "held" not in why("roc_auc", roc_auc="delong")
