"""Marks of published guidance: on what they stand, in the command and in the clinical report."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import evalreport
from evalreport.cli.asking import describe
from evalreport.metrics.advice import ESSENTIAL, IMPROPER, NEITHER, VAN_CALSTER
from evalreport.metrics.catalogue import catalogue, find
from evalreport.report.build import build
from evalreport.report.model import Text
from evalreport.results.codec import decode

MARKED = {
    **dict.fromkeys(("roc_auc", "net_benefit"), ESSENTIAL),
    **dict.fromkeys(("accuracy", "balanced_accuracy", "youden_j"), IMPROPER),
    **dict.fromkeys(("diagnostic_odds_ratio", "kappa", "mcc"), IMPROPER),
    "f1": NEITHER,
}


def test_what_is_marked_and_nothing_else() -> None:
    assert {m.name: m.advice for m in catalogue() if m.advice is not None} == MARKED


@pytest.mark.parametrize("name", ["roc_auc", "f1", "recall"])
def test_the_command_tells_it_with_its_source(name: str) -> None:
    metric = find(name)
    assert metric is not None
    told = " ".join(describe(metric).split())
    assert (VAN_CALSTER in told) == (name in MARKED)
    assert ("in medicine" in told) == (name in MARKED)
    if metric.advice is not None:
        assert metric.advice in told


def _told(results: Any, template: str) -> list[str]:
    blocks = [b for s in build(results, template).sections if s.id == "methods" for b in s.blocks]
    return [b.text for b in blocks if isinstance(b, Text) and "Guidance on models" in b.text]


@pytest.mark.long
def test_the_clinical_report_tells_it_of_what_it_shows() -> None:
    rng = np.random.default_rng(2)
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "models": {"m": {"score": "s"}},
        "metrics": ["recall", "f1", "kappa", "roc_auc"],
    }
    frame = {"y": ["ill", "well"] * 20, "s": rng.random(40).tolist()}
    results = decode(evalreport.run(spec, frames={"d": frame}).json)
    assert _told(results, "standard") == []
    (told,) = _told(results, "clinical")
    words = ("ROC AUC: essential", "kappa: improper at", "F1: like other threshold measures")
    assert sorted(words, key=told.index) == list(words)
    assert "Sensitivity" not in told
