"""Defaults that the coverage study chose: which method, why, its numbers, and what gives way."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import evalreport
from evalreport.metrics.catalogue import find
from evalreport.plan.facts import Facts
from evalreport.plan.methods import STUDIED, choose
from evalreport.record.recompute import recompute
from evalreport.statistics import delong
from evalreport.statistics.unpaired import newcombe_hybrid

Z = 1.959963984540054


def facts(**more: Any) -> Facts:
    given: dict[str, Any] = {"labels": ("a", "b"), "positive": "b", "rows": 500, **more}
    return Facts("d", "m", "score", **given)


@pytest.mark.parametrize(
    ("metric", "method"),
    [
        ("roc_auc", "delong_logit"),
        ("gini", "delong_logit"),
        ("mann_whitney_u", "delong_logit"),
        ("youden_j", "newcombe_hybrid"),
        ("balanced_accuracy", "newcombe_hybrid"),
        ("balanced_error_rate", "newcombe_hybrid"),
        ("ks", "bootstrap_bca"),
    ],
)
def test_the_plan_names_the_supported_method_and_the_study(metric: str, method: str) -> None:
    assert choose(find(metric), None, facts(), None) == (method, STUDIED)
    assert "coverage study" in STUDIED


@pytest.mark.parametrize(
    ("metric", "more", "method"),
    [
        ("ks", {"rows": 20_001}, "influence"),
        ("ks", {"weighted": True}, "bootstrap_percentile"),
        ("ks", {"clustered": True}, "cluster_bootstrap"),
        ("roc_auc", {"rows": 10**9}, "delong_logit"),
        ("roc_auc", {"weighted": True}, "sandwich"),
        ("roc_auc", {"clustered": True}, "obuchowski"),
        ("balanced_accuracy", {"weighted": True}, "sandwich"),
        ("youden_j", {"clustered": True}, "cluster_robust"),
        ("balanced_accuracy", {"labels": ("a", "b", "c"), "positive": None}, "delta"),
        ("youden_j", {"labels": ("a", "b", "c"), "positive": None}, "newcombe_hybrid"),
        ("average_precision", {}, "bootstrap_percentile"),
        ("f1", {}, "delta"),
        ("mcc", {}, "fisher_z"),
        ("kappa", {}, "wald"),
    ],
)
def test_what_the_study_did_not_settle_is_as_before(
    metric: str, more: dict[str, Any], method: str
) -> None:
    found, why = choose(find(metric), None, facts(**more), None)
    assert found == method
    assert (why == STUDIED) == (method in ("delong_logit", "newcombe_hybrid"))


@pytest.mark.parametrize("metric", ["roc_auc", "gini"])
@pytest.mark.parametrize("method", ["delong", "hanley_mcneil", "bootstrap_bca"])
def test_the_classical_method_is_there_on_request(metric: str, method: str) -> None:
    assert choose(find(metric), None, facts(), method)[0] == method


def results(columns: dict[str, list[Any]], metrics: list[str], **confidence: Any) -> dict[str, Any]:
    found: dict[str, Any] = evalreport.run(
        {
            "evalreport": 1,
            "title": "defaults",
            "datasets": {"d": {"target": "y"}},
            "models": {"m": {"score": "s"}},
            "metrics": metrics,
            "confidence": {"resamples": 400, **confidence},
        },
        frames={"d": columns},
    ).json
    assert recompute(found).problems == ()
    return found


def intervals(found: dict[str, Any]) -> dict[str, Any]:
    return {m["metric"]: m["interval"] for m in found["measures"]}


def columns_of(rows: int, share: float, seed: int = 1) -> dict[str, list[Any]]:
    rng = np.random.default_rng(seed)
    actual = (np.arange(rows) < share * rows).astype(int)
    score = np.clip(0.4 + 0.2 * actual + rng.normal(0, 0.2, rows), 0, 1)
    return {"y": actual.tolist(), "s": score.tolist()}


def test_limits_of_two_rates_are_newcombes_and_those_of_balanced_accuracy_their_half() -> None:
    columns = columns_of(200, 0.3)
    found = results(columns, ["youden_j", "balanced_accuracy", "balanced_error_rate"])
    actual, called = np.array(columns["y"]), np.array(columns["s"]) >= 0.5
    p, n = int(actual.sum()), int((1 - actual).sum())
    tp, fp = int((called & (actual == 1)).sum()), int((called & (actual == 0)).sum())
    limits = newcombe_hybrid(tp, p, fp, n, 0.95)
    assert limits is not None
    got = intervals(found)
    for metric, ends in {
        "youden_j": limits,
        "balanced_accuracy": [(1 + x) / 2 for x in limits],
        "balanced_error_rate": [(1 - x) / 2 for x in reversed(limits)],
    }.items():
        assert got[metric]["method"] == "newcombe_hybrid"
        assert got[metric]["low"] == pytest.approx(ends[0], abs=1e-12)
        assert got[metric]["high"] == pytest.approx(ends[1], abs=1e-12)


def test_limits_of_two_rates_have_width_where_all_positives_are_found() -> None:
    columns = {"y": [1, 1, 0, 0, 0, 0], "s": [0.9, 0.8, 0.7, 0.2, 0.1, 0.1]}
    got = intervals(results(columns, ["youden_j", "balanced_accuracy"]))
    # recall 2/2, Wilson .3424 to 1; FPR 1/4, Wilson .0456 to .6994: J = .75 down by
    # sqrt(.6576^2 + .4494^2) = .7965, up by .25 - .0456
    assert got["youden_j"]["low"] == pytest.approx(0.75 - 0.7965, abs=1e-3)
    assert got["youden_j"]["high"] == pytest.approx(0.75 + 0.2044, abs=1e-3)
    assert 0 < got["balanced_accuracy"]["low"] < got["balanced_accuracy"]["high"] <= 1


def test_an_area_keeps_its_fallback_and_a_method_that_was_asked_for_is_not_switched() -> None:
    perfect = {"y": [1, 1, 0, 0], "s": [0.9, 0.8, 0.2, 0.1]}
    got = intervals(results(perfect, ["roc_auc", "gini"]))
    assert {got[m]["method"] for m in got} == {"wilson_pairs"}
    assert "delong_logit gives no width" in got["roc_auc"]["note"]
    near = columns_of(40, 0.25, seed=3)
    near["s"] = [min(s + 0.4 * y, 1.0) for s, y in zip(near["s"], near["y"], strict=True)]
    asked = intervals(results(near, ["roc_auc"], methods={"roc_auc": "delong"}))
    assert asked["roc_auc"]["method"] == "delong"
    assert asked["roc_auc"]["high"] == 1.0  # cut off, not taken on another scale
    own = intervals(results(near, ["roc_auc"]))
    assert own["roc_auc"]["method"] == "delong_logit"
    assert own["roc_auc"]["high"] < 1.0


def test_limits_of_an_area_are_symmetric_on_the_logit_scale() -> None:
    columns = columns_of(120, 0.4)
    got = intervals(results(columns, ["roc_auc", "gini", "mann_whitney_u"]))
    order = np.argsort(-np.array(columns["s"]), kind="stable")
    actual = np.array(columns["y"])[order]
    area, variance = delong.auc(actual, 1 - actual), delong.delong_variance(actual, 1 - actual)
    assert area is not None
    assert variance is not None
    wide = Z * math.sqrt(variance) / (area * (1 - area))
    centre = math.log(area / (1 - area))
    expected = [1 / (1 + math.exp(-centre + side)) for side in (wide, -wide)]
    pairs = actual.sum() * (1 - actual).sum()
    for metric, scale in (("roc_auc", lambda a: a), ("gini", lambda a: 2 * a - 1),
                          ("mann_whitney_u", lambda a: a * pairs)):  # fmt: skip
        limits = [got[metric]["low"], got[metric]["high"]]
        assert limits == pytest.approx([scale(a) for a in expected], rel=1e-9)


@pytest.mark.parametrize("asked", [{}, {"methods": {"ks": "bootstrap_bca"}}])
def test_ks_without_limits_of_bca_has_none_and_says_so(asked: dict[str, Any]) -> None:
    # one positive among few rows: KS of no resample is below the value
    columns = {"y": [0, 0, 1, 0], "s": [0.9, 0.5, 0.4, 0.1]}
    (measure,) = results(columns, ["ks"], **asked)["measures"]
    assert measure["interval"] is None
    assert "bootstrap_bca gives none" in measure["interval_reason"]


def test_ks_of_many_distinct_scores_uses_the_influence_for_the_acceleration() -> None:
    from evalreport.engine.intervals import jackknife
    from evalreport.metrics.ranking import ks
    from evalreport.metrics.tables import ScoreTable
    from evalreport.statistics.resampling import _acceleration

    rng = np.random.default_rng(4)
    actual = (rng.random(1500) < 0.3).astype(int)
    scores = np.sort(rng.random(1500) + 0.3 * actual)[::-1]
    table = ScoreTable(scores, actual, 1 - actual)
    exact = jackknife.of_entries(lambda t: ks(t).array(), table)
    assert exact is not None
    assert ks.influence is not None
    first_order = jackknife.by_influence(lambda t: ks(t).array(), table, ks.influence)
    assert _acceleration(*first_order) == pytest.approx(_acceleration(*exact), abs=2e-4)


def test_correlation_of_a_table_with_an_empty_cell_keeps_to_fishers_scale() -> None:
    columns = {"y": [1] * 3 + [0] * 20, "s": [0.9] * 3 + [0.9] * 4 + [0.1] * 16}
    got = intervals(results(columns, ["mcc"]))["mcc"]
    assert got["method"] == "fisher_z_plus_half"
    # by hand: the table 3.5, .5, 4.5, 16.5, its MCC r, and artanh of the limits around artanh r
    tp, fn, fp, tn = 3.5, 0.5, 4.5, 16.5
    r = (tp * tn - fp * fn) / math.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    middle = (math.atanh(got["low"]) + math.atanh(got["high"])) / 2
    assert middle == pytest.approx(math.atanh(r), abs=1e-9)


@pytest.mark.parametrize("method", ["wilson", "bootstrap_percentile"])
@pytest.mark.parametrize("design", ["weight", "cluster"])
def test_a_method_for_independent_rows_says_what_it_passes_over(design: str, method: str) -> None:
    columns = columns_of(60, 0.5)
    columns[design] = [1.5, 2.0, 0.5] * 20 if design == "weight" else list(range(30)) * 2
    found = evalreport.run(
        {
            "evalreport": 1,
            "title": "asked",
            "datasets": {"d": {"target": "y", design: design}},
            "models": {"m": {"score": "s"}},
            "metrics": ["recall", "f1"],
            "confidence": {"resamples": 100, "methods": {"recall": method}},
        },
        frames={"d": columns},
    ).json
    got = intervals(found)
    told = {"weight": "weights are taken as numbers of rows", "cluster": "clusters are ignored"}
    assert got["recall"]["method"] == method
    assert (told[design] in got["recall"].get("note", "")) == (method == "wilson")
    assert "as asked for" not in got["f1"].get("note", "")
