"""``confidence: {methods: classical}`` gives what R and SAS print by default, by their numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import evalreport
from evalreport.metrics.catalogue import catalogue, find
from evalreport.metrics.declare import Average
from evalreport.metrics.kinds import Design
from evalreport.metrics.methods import classical, offered
from evalreport.plan.methods import AS_CLASSICAL
from evalreport.spec.confidence import requestable

#: Scott I., Greenberg P., Poole P. Internal Medicine Journal 38, 2008, table 1.
SCOTT = {"labels": ["ill", "well"], "counts": [[670, 74], [202, 640]]}
#: PROC FREQ, getting started, agreement study: ratings of two dermatologists.
SKIN = {
    "labels": ["terrible", "poor", "marginal", "clear"],
    "counts": [[10, 4, 1, 0], [5, 10, 12, 2], [2, 4, 12, 5], [0, 2, 6, 13]],
}


def limits(table: dict[str, Any], metric: str, methods: Any = "classical") -> dict[str, Any]:
    spec = {
        "evalreport": 1, "title": "classical", "datasets": {"d": {"table": table}},
        "positive": {"label": table["labels"][0]}, "models": {"m": {"prediction": "predicted"}},
        "metrics": [metric], "confidence": {"methods": methods},
    }  # fmt: skip
    (measure,) = evalreport.run(spec).json["measures"]
    return dict(measure["interval"])


@pytest.mark.parametrize(
    ("table", "metric", "method", "low", "high"),
    [
        # R, binom.test(682, 925), as its help prints it
        ({"labels": ["yes", "no"], "counts": [[682, 243], [1, 1]]}, "recall",
         "clopper_pearson", 0.7076683, 0.7654066),
        # epiR, epi.tests(c(670, 202, 74, 640)), as its help prints it
        (SCOTT, "recall", "clopper_pearson", 0.88, 0.92),
        (SCOTT, "specificity", "clopper_pearson", 0.73, 0.79),
        (SCOTT, "lr_plus", "log", 3.32, 4.24),
        # SAS, PROC FREQ with AGREE
        (SKIN, "kappa", "wald", 0.2030, 0.4868),
    ],
)  # fmt: skip
def test_limits_are_those_that_are_printed(
    table: dict[str, Any], metric: str, method: str, low: float, high: float
) -> None:
    found = limits(table, metric)
    assert (found["method"], found["why"]) == (method, AS_CLASSICAL)
    digits = max(len(str(end).split(".")[1]) for end in (low, high))
    assert (round(found["low"], digits), round(found["high"], digits)) == (low, high)


def test_an_area_has_delongs_limits_as_proc_prints_them() -> None:
    """Hanley and McNeil 1982, 109 scans: R pROC 1.18.0, ci.auc()."""
    abnormal, normal = [3, 2, 2, 11, 33], [33, 6, 6, 11, 2]
    scores = np.repeat([1, 2, 3, 4, 5] * 2, [*abnormal, *normal])
    truth = np.repeat(["ill", "well"], [51, 58])
    spec = {
        "evalreport": 1, "title": "area", "datasets": {"d": {"target": "y"}},
        "positive": {"label": "ill"}, "models": {"m": {"score": "s"}}, "metrics": ["roc_auc"],
        "thresholds": [3], "confidence": {"methods": "classical"},
    }  # fmt: skip
    frames = {"d": {"y": truth.tolist(), "s": scores.tolist()}}
    (measure,) = evalreport.run(spec, frames=frames).json["measures"]
    found = measure["interval"]
    assert found["method"] == "delong"
    assert (found["low"], found["high"]) == pytest.approx((0.832952327658172, 0.953389795397947))


def test_one_metric_alone_may_be_classical() -> None:
    found = limits(SCOTT, "lr_plus", {"lr_plus": "classical"})
    assert (found["method"], found["why"]) == ("log", AS_CLASSICAL)
    assert limits(SCOTT, "recall", {"lr_plus": "classical"})["method"] == "wilson"


@pytest.mark.parametrize("design", Design)
@pytest.mark.parametrize("two", [True, False])
def test_what_is_classical_can_be_asked_for_of_every_value(design: Design, two: bool) -> None:
    for metric in catalogue():
        for average in (None, *metric.averages):
            known = offered(metric, average, design, two_classes=two)
            if known:
                assert classical(metric, average, design, two_classes=two) in ("", *known)
        assert ("classical" in requestable(metric)) == bool(known)


@pytest.mark.parametrize(
    ("metric", "average", "two", "method"),
    [
        ("mcc", None, True, "fisher_z"),
        ("diagnostic_odds_ratio", None, True, "log"),
        ("impact_ratio", None, True, "log"),
        ("ppv_at_prevalence", None, True, "mercaldo"),
        ("f1", None, True, "delta"),
        ("f1", Average.MACRO, False, "delta"),
        ("recall", Average.MACRO, False, "delta"),
        ("kappa", None, False, "wald"),
        ("calibration_slope", None, True, "wald"),
        ("brier", None, True, "normal"),
        ("average_precision", None, True, "influence_t"),
    ],
)
def test_the_classical_method_of_a_metric(
    metric: str, average: Average | None, two: bool, method: str
) -> None:
    declared = find(metric)
    assert declared is not None
    assert classical(declared, average, Design.ROWS, two_classes=two) == method


SCORED = {
    "y": [0, 1, 1, 0, 1, 0, 1, 0, 0, 1, 1, 0, 1, 0, 1, 1, 0, 0, 1, 0],
    "a": [.2, .8, .6, .3, .9, .6, .7, .1, .4, .8, .3, .2, .9, .5, .7, .6, .2, .3, .4, .7],
    "b": [.3, .6, .4, .6, .7, .5, .8, .2, .6, .5, .6, .4, .7, .3, .3, .9, .1, .6, .2, .4],
}  # fmt: skip


def comparisons(**further: Any) -> dict[str, Any]:
    spec = {
        "evalreport": 1, "title": "two", "datasets": {"d": {"target": "y"}},
        "models": {"a": {"score": "a"}, "b": {"score": "b"}},
        "metrics": ["recall", "roc_auc", "brier", "precision", "f1", "average_precision"],
        "comparisons": {"reference": "a"}, **further,
    }  # fmt: skip
    found = evalreport.run(spec, frames={"d": SCORED}).json["comparisons"]
    return {one["metric"]: one for one in found}


def test_comparisons_are_classical_too_as_if_each_was_asked_for() -> None:
    found = comparisons(confidence={"methods": "classical"})
    tests = {"recall": "mcnemar_corrected", "roc_auc": "delong", "brier": "paired_t"}
    methods = tests | {"recall": "wald"}
    named = comparisons(comparisons={"reference": "a", "tests": tests, "methods": methods})
    usual = comparisons()
    for metric, one in found.items():
        other = named if metric in tests else usual
        assert {k: v for k, v in one.items() if k != "why"} == {
            k: v for k, v in other[metric].items() if k != "why"
        }
        assert (one["why"] == AS_CLASSICAL) == (metric in tests)


def test_what_a_spec_names_goes_before_what_is_classical() -> None:
    asked = {"reference": "a", "tests": {"recall": "mcnemar_midp"}}
    found = comparisons(confidence={"methods": "classical"}, comparisons=asked)
    assert found["recall"]["test"] == "mcnemar_midp"
    alone = comparisons(confidence={"methods": {"roc_auc": "classical"}})
    assert [alone[name]["test"] for name in ("roc_auc", "brier")] == ["delong", "satterthwaite_t"]


@pytest.mark.parametrize(
    ("methods", "clusters", "method"),
    [
        ("classical", None, "delta"),
        ("classical", "c", "cluster_robust"),
        ({"recall": "cluster_bootstrap"}, "c", "cluster_bootstrap"),
    ],
)
def test_averages_over_labels_have_the_method_that_is_asked_for(
    methods: Any, clusters: str | None, method: str
) -> None:
    sets = ["a;b", "b", "a", "", "a;b", "b", "a", "a", "b", "a;b", "", "a"]
    said = ["a", "b", "a;b", "", "b", "b", "a", "b", "b", "a;b", "a", "a"]
    dataset = {"target": {"list": "y"}} | ({"cluster": clusters} if clusters else {})
    spec = {
        "evalreport": 1, "title": "sets", "datasets": {"d": dataset},
        "models": {"m": {"prediction": {"list": "p"}}}, "metrics": ["recall"],
        "averaging": ["macro"], "confidence": {"methods": methods, "resamples": 200},
    }  # fmt: skip
    frame = {"y": sets, "p": said, "c": [i // 2 for i in range(12)]}
    (measure,) = evalreport.run(spec, frames={"d": frame}).json["measures"]
    assert measure["interval"]["method"] == method
