"""Defaults that the coverage study chose: which method, why, its numbers, and what gives way."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import beta
from scipy.stats import t as student

import evalreport
from evalreport.metrics.catalogue import find
from evalreport.plan.inputs import Facts
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
        ("ks", "newcombe_at_cut"),
        ("average_precision", "bootstrap_logit_t"),
    ],
)
def test_the_plan_names_the_supported_method_and_the_study(metric: str, method: str) -> None:
    assert choose(find(metric), None, facts(), None) == (method, STUDIED)
    assert "coverage study" in STUDIED


@pytest.mark.parametrize(
    ("metric", "more", "method"),
    [
        ("ks", {"rows": 20_001}, "newcombe_at_cut"),
        ("ks", {"weighted": True}, "newcombe_at_cut"),
        ("ks", {"clustered": True}, "clusters_at_cut"),
        ("average_precision", {"rows": 20_001}, "influence"),
        ("average_precision", {"weighted": True}, "bootstrap_logit_t"),
        ("average_precision", {"clustered": True}, "cluster_bootstrap_logit_t"),
        ("roc_auc", {"rows": 10**9}, "delong_logit"),
        ("roc_auc", {"weighted": True}, "sandwich"),
        ("roc_auc", {"clustered": True}, "obuchowski"),
        ("balanced_accuracy", {"weighted": True}, "sandwich"),
        ("youden_j", {"clustered": True}, "cluster_robust"),
        ("balanced_accuracy", {"labels": ("a", "b", "c"), "positive": None}, "delta"),
        ("youden_j", {"labels": ("a", "b", "c"), "positive": None}, "newcombe_hybrid"),
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
    studied = method in ("delong_logit", "newcombe_hybrid", "newcombe_at_cut")
    assert (why == STUDIED) == (studied and "weighted" not in more)


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
    columns = columns_of(800, 0.3)
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
    asked = {"youden_j": "newcombe_hybrid", "balanced_accuracy": "newcombe_hybrid"}
    got = intervals(results(columns, ["youden_j", "balanced_accuracy"], methods=asked))
    # recall 2/2, Wilson .3424 to 1; FPR 1/4, Wilson .0456 to .6994: J = .75 down by
    # sqrt(.6576^2 + .4494^2) = .7965, up by .25 - .0456
    assert got["youden_j"]["low"] == pytest.approx(0.75 - 0.7965, abs=1e-3)
    assert got["youden_j"]["high"] == pytest.approx(0.75 + 0.2044, abs=1e-3)
    assert 0 < got["balanced_accuracy"]["low"] < got["balanced_accuracy"]["high"] <= 1


def test_an_area_of_few_pairs_is_in_score_form_and_a_method_asked_for_is_not_switched() -> None:
    perfect = {"y": [1, 1, 0, 0], "s": [0.9, 0.8, 0.2, 0.1]}
    got = intervals(results(perfect, ["roc_auc", "gini"]))
    assert {got[m]["method"] for m in got} == {"wilson_pairs"}
    assert "DeLong on the logit gives no width" in got["roc_auc"]["note"]
    near = columns_of(40, 0.25, seed=3)
    near["s"] = [min(s + 0.4 * y, 1.0) for s, y in zip(near["s"], near["y"], strict=True)]
    asked = intervals(results(near, ["roc_auc"], methods={"roc_auc": "delong"}))
    assert asked["roc_auc"]["method"] == "delong"
    assert asked["roc_auc"]["high"] == 1.0  # cut off, not taken on another scale
    own = intervals(results(near, ["roc_auc"]))
    assert own["roc_auc"]["method"] == "delong_score"
    assert "fewer than 10 independent pairs" in own["roc_auc"]["why"]
    assert own["roc_auc"]["high"] < 1.0


def test_limits_of_an_area_are_symmetric_on_the_logit_scale() -> None:
    columns = columns_of(160, 0.4)
    got = intervals(results(columns, ["roc_auc", "gini", "mann_whitney_u"]))
    order = np.argsort(-np.array(columns["s"]), kind="stable")
    actual = np.array(columns["y"])[order]
    found = delong.area_of(actual, 1 - actual)
    assert found is not None
    area, variance = found.area, found.variance
    assert variance is not None
    wide = Z * math.sqrt(variance) / (area * (1 - area))
    centre = math.log(area / (1 - area))
    expected = [1 / (1 + math.exp(-centre + side)) for side in (wide, -wide)]
    pairs = actual.sum() * (1 - actual).sum()
    for metric, scale in (("roc_auc", lambda a: a), ("gini", lambda a: 2 * a - 1),
                          ("mann_whitney_u", lambda a: a * pairs)):  # fmt: skip
        limits = [got[metric]["low"], got[metric]["high"]]
        assert limits == pytest.approx([scale(a) for a in expected], rel=1e-9)


def test_ks_without_limits_of_bca_has_none_and_says_so() -> None:
    # one positive among few rows: KS of no resample is below the value
    columns = {"y": [0, 0, 1, 0], "s": [0.9, 0.5, 0.4, 0.1]}
    (measure,) = results(columns, ["ks"], methods={"ks": "bootstrap_bca"})["measures"]
    assert measure["interval"] is None
    assert "bootstrap, BCa gives none" in measure["interval_reason"]


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


def test_correlation_of_a_table_with_an_empty_cell_adds_the_squares_of_its_shares() -> None:
    columns = {"y": [1] * 3 + [0] * 20, "s": [0.9] * 3 + [0.9] * 4 + [0.1] * 16}
    got = intervals(results(columns, ["mcc"]))["mcc"]
    assert got["method"] == "mover_jeffreys"
    assert "fewer than 20 rows" in got["why"]

    def mcc(prevalence: float, recall: float, fall_out: float) -> float:
        tp, fp = prevalence * recall, (1 - prevalence) * fall_out
        fn, tn = prevalence - tp, 1 - prevalence - fp
        margins = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
        return float((tp * tn - fp * fn) / math.sqrt(margins))

    # by hand: 3 of 23 are positive, 3 of 3 are found, 4 of 20 are wrongly called
    own = [3 / 23, 1.0, 4 / 20]
    limits = [beta.ppf([0.025, 0.975], 3.5, 20.5), (0.025 ** (1 / 3), 1.0),
              beta.ppf([0.025, 0.975], 4.5, 16.5)]  # fmt: skip
    down = up = 0.0
    for place, ends in enumerate(limits):
        moves = [
            mcc(*(e if k == place else x for k, x in enumerate(own))) - mcc(*own) for e in ends
        ]
        down, up = down + min(*moves, 0.0) ** 2, up + max(*moves, 0.0) ** 2
    assert got["low"] == pytest.approx(mcc(*own) - math.sqrt(down), abs=1e-9)
    assert got["high"] == pytest.approx(mcc(*own) + math.sqrt(up), abs=1e-9)


@pytest.mark.parametrize(
    ("metric", "few", "many"),
    [
        ("f1", "mover_jeffreys", "delta"),
        ("markedness", "mover_jeffreys", "delta"),
        ("kappa", "mover_jeffreys", "wald"),
        ("youden_j", "mover_jeffreys", "newcombe_hybrid"),
        ("lr_plus", "mover_jeffreys", "log"),
        ("net_benefit", "mover_jeffreys", "normal"),
        ("roc_auc", "delong_score", "delong_logit"),
        ("brier", "log_t", "normal"),
    ],
)
def test_few_rows_in_a_slice_change_the_method_and_many_do_not(
    metric: str, few: str, many: str
) -> None:
    rows = columns_of(3000, 0.4)
    rows["g"] = ["small" if k in range(1180, 1230) else "large" for k in range(3000)]
    found: dict[str, Any] = evalreport.run(
        {
            "evalreport": 1,
            "title": "slices",
            "datasets": {"d": {"target": "y"}},
            "models": {"m": {"score": "s"}},
            "metrics": [metric],
            "subgroups": ["g"],
        },
        frames={"d": rows},
    ).json
    assert recompute(found).problems == ()
    by_group = {m["subgroup"].get("g"): m["interval"] for m in found["measures"]}
    assert by_group["small"]["method"] == few
    assert by_group["large"]["method"] == by_group[None]["method"] == many
    assert by_group["small"]["low"] < by_group["small"]["high"]


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


@pytest.mark.parametrize(
    ("metric", "few", "many"),
    [
        ("average_precision", "bootstrap_logit_t", "influence"),
        ("ks", "newcombe_at_cut", "newcombe_at_cut"),
        ("pr_auc_interpolated", "bootstrap_percentile", "grouped_jackknife"),
    ],
)
def test_a_small_slice_of_many_rows_is_drawn(metric: str, few: str, many: str) -> None:
    rows = columns_of(20_500, 0.4)
    rows["s"] = [round(s, 2) for s in rows["s"]]
    rows["g"] = ["small" if k in range(8150, 8250) else "large" for k in range(20_500)]
    found: dict[str, Any] = evalreport.run(
        {
            "evalreport": 1,
            "title": "slices",
            "datasets": {"d": {"target": "y"}},
            "models": {"m": {"score": "s"}},
            "metrics": [metric],
            "subgroups": ["g"],
            "confidence": {"resamples": 200},
        },
        frames={"d": rows},
    ).json
    by_group = {m["subgroup"].get("g"): m["interval"] for m in found["measures"]}
    assert by_group["small"]["method"] == few
    assert by_group["large"]["method"] == by_group[None]["method"] == many
    assert by_group["small"]["low"] < by_group["small"]["high"]
    assert recompute(found).problems == ()


def test_few_clusters_widen_with_students_t_and_many_do_not() -> None:
    def made(clusters: int) -> dict[str, Any]:
        rng = np.random.default_rng(clusters)
        shared = np.repeat(rng.normal(size=clusters), 6)
        actual = (rng.random(6 * clusters) < 0.4).astype(int)
        actual[::6] = 1  # each cluster has a positive row
        logit = 1.5 * actual - 0.7 + 0.6 * shared + rng.normal(size=6 * clusters)
        found: dict[str, Any] = evalreport.run(
            {
                "evalreport": 1,
                "title": "clusters",
                "datasets": {"d": {"target": "y", "cluster": "c"}},
                "models": {"m": {"score": "s"}},
                "metrics": ["recall", "f1", "roc_auc", "mcc"],
            },
            frames={
                "d": {
                    "y": actual.tolist(),
                    "s": (1 / (1 + np.exp(-logit))).tolist(),
                    "c": np.repeat(np.arange(clusters), 6).tolist(),
                }
            },
        ).json
        assert recompute(found).problems == ()
        return intervals(found)

    few, many = made(12), made(150)
    assert {m: i["method"] for m, i in few.items()} == {
        "recall": "cluster_robust_t",
        "f1": "mover_clusters",
        "roc_auc": "obuchowski_score",
        "mcc": "mover_clusters",
    }
    assert {m: i["method"] for m, i in many.items()} == {
        "recall": "cluster_robust",
        "f1": "cluster_robust",
        "roc_auc": "obuchowski",
        "mcc": "cluster_robust",
    }
    assert "fewer than 100 clusters" in few["recall"]["why"]
    # Wilson's limits with t of 11 degrees of freedom in place of z, by its definition
    own, p = few["recall"], recall_of(few["recall"])
    n, t = own["n_effective"], student.ppf(0.975, 11)
    for limit in (own["low"], own["high"]):
        assert abs(p - limit) == pytest.approx(t * math.sqrt(limit * (1 - limit) / n), rel=1e-6)


def recall_of(interval: dict[str, Any]) -> float:
    """The share whose limits these are: both are t of their own errors away from it."""
    low, high, n = interval["low"], interval["high"], interval["n_effective"]
    t = student.ppf(0.975, 11)
    below = low + t * math.sqrt(low * (1 - low) / n)
    above = high - t * math.sqrt(high * (1 - high) / n)
    assert below == pytest.approx(above, abs=1e-9)
    return float(below)
