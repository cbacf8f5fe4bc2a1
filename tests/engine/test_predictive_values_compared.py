"""Predictive values of two models on the same rows: limits without draws, ratios, verification."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from statsmodels.genmod.cov_struct import Independence
from statsmodels.genmod.families import Gaussian
from statsmodels.genmod.generalized_estimating_equations import GEE

import evalreport
from evalreport.spec.load import parse_spec
from evalreport.statistics.predictive import PairedCalls, call_moments, square_and_add, wald
from evalreport.verify.recompute import recompute

# Two models on the 683 complete Wisconsin breast masses, threshold .5; both, first, second, neither
POSITIVES, NEGATIVES = (179, 49, 4, 7), (5, 5, 20, 414)


def rows() -> dict[str, list[Any]]:
    """The second model is the first of DTComPair's values: its ratios are second over first."""
    truth, first, second = [], [], []
    for name, cells in (("malignant", POSITIVES), ("benign", NEGATIVES)):
        for count, one, two in zip(cells, (1, 1, 0, 0), (1, 0, 1, 0), strict=True):
            truth += [name] * count
            first += [one] * count
            second += [two] * count
    label = ("benign", "malignant")
    return {"y": truth, "a": [label[k] for k in first], "b": [label[k] for k in second]}


def run(**asked: Any) -> dict[str, Any]:
    spec = {
        "evalreport": 1,
        "title": "t",
        "positive": {"label": "malignant"},
        "datasets": {"d": {"target": "y"}},
        "models": {"b": {"prediction": "b"}, "a": {"prediction": "a"}},
        "metrics": ["precision", "npv", "fdr", "recall", "specificity"],
        "confidence": {"resamples": 200},
        "comparisons": {"reference": "a", **asked},
    }
    results = evalreport.run(spec, frames={"d": rows()})
    assert recompute(results.json).problems == ()
    return {c["metric"]: c for c in results.json["comparisons"]} | {"page": results.to_html()}


# ratio second over first and its limits: R DTComPair 1.2.2, pv.rpv and sesp.rel's formula by hand
@pytest.mark.parametrize(
    ("metric", "value", "low", "high"),
    [
        ("precision", 0.918395748987854, 0.875495569861388, 0.963398080806394),
        ("npv", 0.904462769827795, 0.876388183854946, 0.933436708840846),
    ],
)
def test_relative_predictive_values(metric: str, value: float, low: float, high: float) -> None:
    found = run(ratios=["precision", "npv"])
    ratio = found[metric]["ratio"]
    assert ratio["value"] == pytest.approx(value, rel=1e-9)
    limits = ratio["interval"]
    assert limits["method"] == "moskowitz_pepe"
    assert (limits["low"], limits["high"]) == pytest.approx((low, high), rel=1e-9)
    assert "ratio" not in found["recall"]
    assert "Ratios" in found["page"]


def test_relative_recall() -> None:
    """Alonzo, Pepe, Moskowitz 2002: the variance of the log is (49 + 4) / (228 x 183)."""
    ratio = run(ratios=["recall"])["recall"]["ratio"]
    error = np.sqrt(53 / (228 * 183))
    assert ratio["value"] == pytest.approx(183 / 228)
    assert ratio["interval"]["high"] == pytest.approx(183 / 228 * np.exp(1.959963984540054 * error))
    assert ratio["interval"]["method"] == "alonzo"


def test_the_variance_is_that_of_estimating_equations() -> None:
    """GEE of statsmodels: right of each call on which model called, rows as clusters."""
    right, model, group = [], [], []
    row = 0
    for outcome, cells in ((1.0, POSITIVES), (0.0, NEGATIVES)):
        for count, pattern in zip(cells, ((1.0, 0.0), (1.0,), (0.0,), ()), strict=True):
            for _ in range(count):
                for one in pattern:
                    right.append(outcome)
                    model.append(one)
                    group.append(row)
                row += 1
    design = np.column_stack([np.ones(len(model)), model])
    fitted = GEE(right, design, group, family=Gaussian(), cov_struct=Independence()).fit()
    found = call_moments(PairedCalls(*POSITIVES), PairedCalls(*NEGATIVES))
    assert found is not None
    assert found.difference == pytest.approx(float(fitted.params[1]), rel=1e-9)
    assert found.error == pytest.approx(float(fitted.bse[1]), rel=1e-9)


def test_a_share_of_wrong_calls_mirrors_that_of_right_ones() -> None:
    for method in ("wald", "square_and_add"):
        found = run(methods={"precision": method, "fdr": method})
        one, two = found["precision"]["interval"], found["fdr"]["interval"]
        assert (one["low"], one["high"]) == pytest.approx((-two["high"], -two["low"]))
        assert one["low"] < found["precision"]["difference"] < one["high"] < 0


@pytest.mark.long_but_first
@pytest.mark.parametrize("test", ["wald", "moskowitz_pepe"])
def test_tests_agree_with_their_limits(test: str) -> None:
    found = run(tests={"precision": test, "npv": test}, ratios=["npv", "precision"])
    for metric in ("precision", "npv"):
        record = found[metric]
        limits = record["interval"] if test == "wald" else record["ratio"]["interval"]
        null = 0.0 if test == "wald" else 1.0
        assert (record["p_value"] < 0.05) is not (limits["low"] <= null <= limits["high"])
        assert record["statistic"] < 0
    asked = {"precision": "non_inferiority"}
    stated = run(tests={"precision": test}, hypotheses=asked, margins={"precision": 0.2})
    hypothesis = stated["precision"]["hypothesis"]
    assert hypothesis["test"] == "wald"
    away = (stated["precision"]["difference"] + 0.2) / hypothesis["standard_error"]
    assert hypothesis["statistic"] == pytest.approx(away)


def test_limits_where_nothing_varies() -> None:
    """All calls right: the normal interval has no width, squared and added limits have."""
    all_right = PairedCalls(8, 2, 1, 3), PairedCalls(0, 0, 0, 20)
    assert wald(*all_right, 0.95) is None
    limits = square_and_add(*all_right, 0.95)
    assert limits is not None
    assert limits.low < 0 < limits.high
    assert square_and_add(PairedCalls(0, 0, 3, 1), PairedCalls(0, 0, 1, 9), 0.95) is None


def test_forged_ratios_are_found() -> None:
    spec = {
        "evalreport": 1,
        "title": "t",
        "positive": {"label": "malignant"},
        "datasets": {"d": {"target": "y"}, "e": {"target": "y"}},
        "models": {"b": {"prediction": "b"}},
        "metrics": ["precision"],
        "comparisons": {"reference": {"dataset": "e"}, "ratios": ["precision"]},
    }
    frames = {"d": rows(), "e": {**rows(), "b": rows()["a"]}}
    content = evalreport.run(spec, frames=frames).json
    assert recompute(content).problems == ()
    ratio = content["comparisons"][0]["ratio"]
    assert ratio["interval"]["method"] == "koopman"
    assert ratio["value"] == pytest.approx((183 / 208) / (228 / 238))
    ratio["value"] = 1.5
    assert any("ratio.value is 1.5" in p.what for p in recompute(content).problems)


def test_a_ratio_of_what_is_no_share_is_a_mistake() -> None:
    text = (
        "evalreport: 1\ndatasets: {d: {path: a.csv, target: y}}\n"
        "models: {m: {score: p}, n: {score: q}}\n"
        "metrics: [recall, roc_auc]\ncomparisons: {reference: n, ratios: [roc_auc, recal]}\n"
    )
    with pytest.raises(evalreport.errors.EvalreportError) as refused:
        parse_spec(text)
    assert "limits of a ratio of roc_auc are not known" in str(refused.value)
    assert "unknown metric 'recal'" in str(refused.value)


@pytest.mark.parametrize("metric", ["precision", "npv"])
def test_forged_score_tests_are_found(metric: str) -> None:
    """The counts of the calls settle the default test, of either predictive value."""
    spec = {
        "evalreport": 1,
        "positive": {"label": "malignant"},
        "datasets": {"d": {"target": "y"}},
        "models": {"b": {"prediction": "b"}, "a": {"prediction": "a"}},
        "metrics": [metric],
        "comparisons": {"reference": "a"},
    }
    content = evalreport.run(spec, frames={"d": rows()}).json
    record = content["comparisons"][0]
    assert record["test"] == "leisenring"
    assert recompute(content).problems == ()
    record["p_value"] = 0.5
    assert any("p_value is 0.5" in p.what for p in recompute(content).problems)
