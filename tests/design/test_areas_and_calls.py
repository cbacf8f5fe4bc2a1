"""Areas and predictive values against a reference, drawn; and limits of few rows as a run has."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from design.test_against_reference import planned
from scipy import stats

import evalreport
from evalreport.design import decisions
from evalreport.design.decisions import Decision
from evalreport.design.pairs import AreaPair
from evalreport.metrics.methods import default_method
from evalreport.spec.load import parse_spec
from evalreport.statistics import delong, predictive
from evalreport.statistics.predictive import PairedCalls

DRAWS = 1000


def area_spec(**more: Any) -> dict[str, Any]:
    return {
        "expect": {"roc_auc": 0.85, "prevalence": 0.4},
        "references": {"old": {"roc_auc": {"value": 0.75, "correlation": 0.6}}},
        "rows": 120,
        **more,
    }


ASK = {"metric": "roc_auc", "model": "new", "reference": "old", "bound": "lower"}


def scores(rng: np.random.Generator, areas: tuple[float, float], rows: tuple[int, int]) -> Any:
    """Two scores of each row, correlated 0.6 within a class; positives first."""
    drawn = rng.multivariate_normal([0.0, 0.0], [[1.0, 0.6], [0.6, 1.0]], sum(rows)).T
    drawn[:, : rows[0]] += math.sqrt(2) * stats.norm.ppf(areas)[:, None]
    return drawn


@pytest.mark.nightly
def test_two_areas_against_drawn_studies() -> None:
    """DeLong's own rule on 1000 studies of 48 and 72 rows: within four standard errors."""
    found = planned([ASK], **area_spec(power=0.3)).criteria[0]
    assert found.at_rows is not None
    assert found.at_rows.error is not None
    rng, passed = np.random.default_rng(5), 0
    actual = np.arange(120) < 48
    for _ in range(DRAWS):
        areas = delong.delong_paired(actual, *scores(rng, (0.85, 0.75), (48, 72)))
        assert areas is not None
        limits = delong.difference_interval(areas.difference, areas.difference_variance, 0.95)
        assert limits is not None
        passed += limits.low >= 0.0
    error = math.hypot(found.at_rows.error, math.sqrt(0.25 / DRAWS))
    assert found.at_rows.power == pytest.approx(passed / DRAWS, abs=4 * error)
    assert found.expected == 0.85
    assert found.needed is not None


def test_moments_of_drawn_scores_are_delongs() -> None:
    one, other = scores(np.random.default_rng(6), (0.9, 0.8), (12, 30))
    found = decisions._area_moments(one[None], other[None], 12)[0]
    areas = delong.delong_paired(np.arange(42) < 12, one, other)
    assert areas is not None
    expected = (areas.auc_1, areas.auc_2, areas.variance_1, areas.variance_2, areas.covariance)
    assert found.tolist() == pytest.approx(expected, rel=1e-12)


def criterion_of(ask: dict[str, Any]) -> Any:
    ((_, found),) = parse_spec(
        json.dumps(
            {
                "evalreport": 1,
                "datasets": {"d": {"path": "none.csv", "target": "y"}},
                "models": {"new": {"score": "p"}, "old": {"score": "q"}},
                "metrics": ["roc_auc"],
                "acceptance": [ask],
            }
        )
    ).spec.criteria
    return found


@pytest.mark.long
def test_the_margin_the_value_and_the_correlation_count() -> None:
    def power(ask: dict[str, Any], correlation: float = 0.6) -> float:
        method = None if ask["bound"] == "point" else "delong"
        areas = AreaPair(0.75, correlation)
        decision = Decision(criterion_of(ask), method, 0.95, areas=areas)
        return decisions.area_power(decision, 0.85, 20, 30, 1).chance

    limit, value = power(ASK), power(ASK | {"bound": "point"})
    assert limit < power(ASK | {"margin": 0.05}) < value < power(ASK | {"bound": "upper"})
    assert power(ASK, 0.2) < limit < power(ASK, 0.9)


def test_a_difference_is_judged_by_the_score_form_unless_another_is_asked_for() -> None:
    moments = np.array([0.98, 0.9, 0.0004, 0.004, 0.0003])
    criterion = criterion_of(ASK)
    own = Decision(criterion, "delong_score", 0.95)
    asked = Decision(criterion, "delong", 0.95)
    low = decisions._difference_limit(asked, moments, 10, 60)
    normal = 0.08 - 1.959963985 * math.sqrt(0.0004 + 0.004 - 0.0006)
    assert low == pytest.approx(normal, abs=1e-9)
    sides = [delong.AreaLimits(*moments[[k, k + 2]], (10.0, 60.0), 10.0) for k in (0, 1)]
    rho = 0.0003 / math.sqrt(0.0004 * 0.004)
    limits = delong.score_difference(*sides, rho, stats.t.ppf(0.975, sides[0].degrees))
    assert decisions._difference_limit(own, moments, 10, 60) == pytest.approx(limits.low, rel=1e-9)


@pytest.mark.long_but_first
@pytest.mark.long
@pytest.mark.parametrize("metric", ["precision", "npv"])
def test_predictive_values_against_drawn_studies(metric: str) -> None:
    """Both tables drawn, the limits of square-and-add of the difference."""
    ask = {"metric": metric, "model": "new", "reference": "old", "bound": "lower", "margin": 0.05}
    expect = {"recall": 0.9, "specificity": 0.85, "prevalence": 0.4}
    references = {"old": {"recall": {"value": 0.8, "discordance": 0.2},
                          "specificity": {"value": 0.8, "discordance": 0.15}}}  # fmt: skip
    design = planned([ask], expect=expect, references=references, rows=200)
    found = design.criteria[0].at_rows
    assert found is not None
    assert found.error is not None
    assert design.notes == ()
    rng = np.random.default_rng(7)
    # right by both, by the new one, by the old one, by neither
    right = (0.75, 0.15, 0.05, 0.05), (0.75, 0.10, 0.05, 0.10)
    passed = 0
    for _ in range(DRAWS):
        positives = rng.binomial(200, 0.4)
        p = rng.multinomial(positives, right[0]).tolist()
        both, new, old, neither = rng.multinomial(200 - positives, right[1]).tolist()
        of_positives, of_negatives = PairedCalls(*p), PairedCalls(neither, old, new, both)
        if metric == "npv":
            of_positives, of_negatives = of_negatives.of_negative(), of_positives.of_negative()
        limits = predictive.square_and_add(of_positives, of_negatives, 0.95)
        passed += limits is not None and limits.low >= -0.05
    error = math.hypot(found.error, math.sqrt(0.25 / DRAWS))
    assert found.power == pytest.approx(passed / DRAWS, abs=4 * error)
    by_value = planned([ask | {"bound": "point"}], expect=expect, references=references, rows=200)
    assert by_value.criteria[0].at_rows is not None
    assert by_value.criteria[0].at_rows.power > found.power


@pytest.mark.parametrize("metric", ["f1", "g_mean", "roc_auc"])
def test_limits_of_few_rows_are_those_of_the_run(metric: str, tmp_path: Path) -> None:
    """18 of 20 positives and 36 of 40 negatives right; areas of as many rows, nearly perfect."""
    cells = {"tp": (18, 0.9), "fn": (2, 0.2), "fp": (4, 0.7), "tn": (36, 0.1)}
    lines = [
        f"{'ill' if cell in ('tp', 'fn') else 'well'},{score + k / 1000}"
        for cell, (count, score) in cells.items()
        for k in range(count)
    ]
    (tmp_path / "d.csv").write_text("y,p\n" + "\n".join(lines) + "\n")
    (tmp_path / "s.yaml").write_text(
        "evalreport: 1\ndatasets: {d: {path: d.csv, target: y}}\nmodels: {m: {score: p}}\n"
        f"metrics: [{metric}]\npositive: {{label: ill}}\n"
        f"acceptance: [{{metric: {metric}, at_least: 0.1, bound: lower}}]\n"
    )
    run = evalreport.run(tmp_path / "s.yaml", at="2026-11-21").json
    (measure,) = [m for m in run["measures"] if m["metric"] == metric]
    assert measure["interval"]["method"] in ("mover_jeffreys", "delong_score")
    ((_, criterion),) = parse_spec((tmp_path / "s.yaml").read_text()).spec.criteria
    own = criterion.metric.metric
    decision = Decision(criterion, default_method(own), 0.95)
    if metric == "roc_auc":
        y = np.array([line.startswith("ill") for line in lines])
        p = np.array([float(line.partition(",")[2]) for line in lines])
        order = np.argsort(~y, kind="stable")
        area, variance = decisions._areas(p[order][None], int(y.sum()))
        low = decisions._area_limit(decision, float(area[0]), float(variance[0]), 20, 40)
    else:
        low = decisions._limit_of(decision, own, {})(np.array([18.0, 2.0, 4.0, 36.0]))
    assert low == pytest.approx(measure["interval"]["low"], rel=1e-9)
