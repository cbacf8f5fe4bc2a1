"""One test of three or more models of a dataset on the rows that all of them use."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import cochrans_q

import evalreport
from evalreport.verify.recompute import recompute

RNG = np.random.default_rng(8)
TRUTH = np.arange(120) % 3 == 0
SCORES = {
    name: 1 / (1 + np.exp(-(strength * (TRUTH - 0.4) + RNG.normal(0, 1, 120))))
    for name, strength in (("a", 2.0), ("b", 1.0), ("c", 1.5))
}
METRICS = ["recall", "accuracy", "roc_auc", "gini", "brier", "precision", "f1", "prevalence"]


def run(models: str = "abc", **dataset: Any) -> evalreport.Results:
    frame = {
        "y": np.where(TRUTH, "ill", "healthy").tolist(),
        "g": [str(k // 2) for k in range(120)],
        "w": (1.0 + np.arange(120) % 3).tolist(),
        **{name: values.tolist() for name, values in SCORES.items()},
    }
    spec = {
        "evalreport": 1,
        "title": "t",
        "positive": {"label": "ill"},
        "datasets": {"d": {"target": "y", **dataset}},
        "models": {name: {"score": name} for name in models},
        "metrics": METRICS,
        "confidence": {"resamples": 50},
        "comparisons": {"reference": "a", "omnibus": True},
    }
    return evalreport.run(spec, frames={"d": frame})


@pytest.fixture(scope="module")
def results() -> evalreport.Results:
    return run()


def of(results: evalreport.Results, metric: str) -> dict[str, Any]:
    return next(r for r in results.json["omnibus"] if r["metric"] == metric)


def test_shares_are_tested_by_cochrans_q(results: evalreport.Results) -> None:
    called = np.column_stack([SCORES[name] >= 0.5 for name in "abc"])
    for metric, hits in (
        ("recall", called[TRUTH]),
        ("accuracy", called == TRUTH[:, None]),
    ):
        expected = cochrans_q(hits.astype(int))
        found = of(results, metric)
        assert (found["test"], found["models"], found["df"]) == ("cochran_q", ["a", "b", "c"], 2)
        assert found["statistic"] == pytest.approx(expected.statistic, rel=1e-9)
        assert found["p_value"] == pytest.approx(expected.pvalue, rel=1e-9)
        assert found["totals"] == hits.sum(axis=0).tolist()
        assert found["n"] == 120


def test_losses_are_tested_by_friedmans_test(results: evalreport.Results) -> None:
    losses = [(SCORES[name] - TRUTH) ** 2 for name in "abc"]
    expected = stats.friedmanchisquare(*losses)
    found = of(results, "brier")
    assert found["statistic"] == pytest.approx(expected.statistic, rel=1e-9)
    assert found["p_value"] == pytest.approx(expected.pvalue, rel=1e-9)


def test_areas_are_tested_by_delongs_covariances(results: evalreport.Results) -> None:
    """What is linear in the area has the same statistic; covariances are those of placements."""
    area, gini = of(results, "roc_auc"), of(results, "gini")
    assert area["statistic"] == pytest.approx(gini["statistic"], rel=1e-9)
    assert np.array(gini["covariance"]) == pytest.approx(4 * np.array(area["covariance"]))
    own = {m["model"]: m for m in results.json["measures"] if m["metric"] == "roc_auc"}
    assert area["values"] == pytest.approx([own[name]["value"] for name in "abc"])
    contrast = np.array([[-1.0, 1.0, 0.0], [-1.0, 0.0, 1.0]])
    apart = contrast @ np.array(area["values"])
    spread = contrast @ np.array(area["covariance"]) @ contrast.T
    assert area["statistic"] == pytest.approx(float(apart @ np.linalg.solve(spread, apart)))


def test_what_is_not_tested_is_in_the_plan_with_its_reason(results: evalreport.Results) -> None:
    assert [r["metric"] for r in results.json["omnibus"]] == METRICS[:5]
    skipped = {one["task"]: one["reason"] for one in results.json["plan"]["skipped"]}
    told = {k: v for k, v in skipped.items() if "all models at once" in k}
    assert [reason for name, reason in told.items() if "precision" in name] == [
        "no test of more than two models is known for it"
    ]
    assert [reason for name, reason in told.items() if "prevalence" in name] == [
        "it does not depend on the model"
    ]


@pytest.mark.parametrize(
    ("models", "dataset", "reason"),
    [
        ("ab", {}, "fewer than 3 models have it"),
        ("abc", {"cluster": "g"}, "rows of one cluster are not independent"),
        ("abc", {"weight": "w"}, "it is not defined for weighted rows"),
    ],
)
def test_where_no_test_holds_there_is_none(
    models: str, dataset: dict[str, Any], reason: str
) -> None:
    found = run(models, **dataset).json
    assert "omnibus" not in found
    told = [o["reason"] for o in found["plan"]["skipped"] if "all models at once" in o["task"]]
    assert reason in told


@pytest.mark.long
def test_page_and_verification(results: evalreport.Results) -> None:
    assert "All models at once" in results.to_html()
    content = results.json
    assert recompute(content).problems == ()
    for metric, key, value in (
        ("recall", "statistic", 99.0),
        ("roc_auc", "p_value", 0.5),
        ("brier", "df", 7.0),
    ):
        record = next(r for r in content["omnibus"] if r["metric"] == metric)
        kept, record[key] = record[key], value
        problems = recompute(content).problems
        assert any(metric in p.what and f"{key} is {value!r}" in p.what for p in problems)
        record[key] = kept
