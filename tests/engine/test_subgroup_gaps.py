"""Gaps, ratios and heterogeneity of measures between subgroups."""

from __future__ import annotations

import csv
import json
import math
import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from programs import LACKING

import evalreport
from evalreport.engine.counting.memory import MemoryTables
from evalreport.engine.evaluation import LabelEvaluator, Numbering
from evalreport.engine.groups.gaps import heterogeneity_tests, subgroup_gaps
from evalreport.engine.measures import Measurer
from evalreport.engine.settings import Settings
from evalreport.engine.thresholds import Resolved
from evalreport.metrics.catalogue import find
from evalreport.plan.build import build_plan
from evalreport.plan.inputs import Facts, MetricRequest, Requests
from evalreport.plan.task import ThresholdRequest
from evalreport.predict.view import LabelView
from evalreport.results.codec import encode
from evalreport.results.records import Measure
from evalreport.runs.hashing import canonical_json
from evalreport.statistics import delong
from evalreport.statistics.unpaired import newcombe_hybrid

FOLDER = os.environ.get("EVALREPORT_ORACLE")


def measures_of(
    actual: Any,
    scores: Any,
    group: list[str],
    metrics: list[str],
    at: float = 0.5,
    weight: Any = None,
    methods: dict[str, str] | None = None,
) -> list[Measure]:
    names = tuple(dict.fromkeys(group))
    view = LabelView(
        dataset="d", model="m", source="score", labels=("n", "p"), positive=1,
        actual=np.array(actual), row=np.arange(len(actual)),
        score=np.array(scores, float), weight=weight,
        groups={"sex": (np.array([names.index(g) for g in group]), names)},
    )  # fmt: skip
    threshold = ThresholdRequest(at)
    facts = Facts(
        "d", "m", "score", view.labels, "p", view.rows, low=0.0, high=1.0,
        weighted=weight is not None, groups={("sex",): tuple((n,) for n in names)},
    )  # fmt: skip
    requests = Requests(
        tuple(MetricRequest(find(m)) for m in metrics),
        thresholds=(threshold,),
        subgroups=(("sex",),),
        methods=methods or {},
    )
    plan = build_plan(requests, [facts])
    tables = MemoryTables(view)
    measurer = Measurer(view, tables, Settings(), {threshold: Resolved(at)})
    evaluator = LabelEvaluator(measurer, Numbering(), threshold)
    return evaluator.run(plan).measures


def from_counts(counts: dict[str, tuple[int, int]], metric: str = "recall") -> list[Measure]:
    """All rows positive; x of n found in each group."""
    group = [name for name, (_, n) in counts.items() for _ in range(n)]
    scores = [float(i < x) for x, n in counts.values() for i in range(n)]
    return measures_of([1] * len(group), scores, group, [metric])


def gaps(measures: list[Measure], **more: Any) -> dict[tuple[str, str], dict[str, Any]]:
    records = subgroup_gaps(measures, 0.95, **more)
    canonical_json([encode(record) for record in records])
    return {(r.subgroup["sex"], r.against): r for r in records}


def test_gap_and_ratio_to_the_largest_group_are_those_of_two_proportions() -> None:
    found = gaps(from_counts({"F": (48, 80), "M": (56, 70)}))
    assert set(found) == {("F", "all rows"), ("M", "all rows"), ("M", "largest group")}
    r = found["M", "largest group"]
    assert r.against_subgroup == {"sex": "F"}
    assert math.isclose(r.gap, 0.2)
    low, high = r.gap_interval.low, r.gap_interval.high
    # Newcombe 1998, the first example
    assert (round(low, 4), round(high, 4)) == (0.0524, 0.3339)
    assert math.isclose(r.ratio, (56 / 70) / (48 / 80))
    # statsmodels 0.14, confint_proportions_2indep(compare="ratio", method="score",
    # correction=False)
    assert r.ratio_interval.low == pytest.approx(1.0798215063618604)
    assert r.ratio_interval.high == pytest.approx(1.6708055780191224)
    assert r.ratio_interval.method == "koopman"


def test_gap_to_all_rows_goes_by_way_of_the_rest() -> None:
    r = gaps(from_counts({"F": (48, 80), "M": (56, 70)}))["M", "all rows"]
    assert math.isclose(r.gap, 56 / 70 - 104 / 150)
    # 80 of 150 rows are the rest
    limits = newcombe_hybrid(56, 70, 48, 80, 0.95)
    assert limits is not None
    assert math.isclose(r.gap_interval.low, 80 / 150 * limits.low)
    assert math.isclose(r.gap_interval.high, 80 / 150 * limits.high)
    assert r.ratio_interval.low < r.ratio < r.ratio_interval.high


def test_ratio_to_all_rows_covers_as_often_as_it_says() -> None:
    rng = np.random.default_rng(1)
    truth = 0.8 / (0.4 * 0.8 + 0.6 * 0.6)
    inside = 0
    for _ in range(300):
        counts = {"F": (int(rng.binomial(80, 0.8)), 80), "M": (int(rng.binomial(120, 0.6)), 120)}
        limits = gaps(from_counts(counts))["F", "all rows"].ratio_interval
        inside += limits.low <= truth <= limits.high
    # 95 % of 300 within four standard errors
    assert 0.90 <= inside / 300 <= 0.99


def test_gap_of_areas_adds_the_squared_half_widths() -> None:
    rng = np.random.default_rng(2)
    actual = np.tile([0, 1], 60)
    scores = np.clip(0.5 + 0.2 * (actual - 0.5) + rng.normal(0, 0.2, 120), 0, 1)
    group = ["F"] * 70 + ["M"] * 50
    measures = measures_of(actual, scores, group, ["roc_auc"], methods={"roc_auc": "delong"})
    found = gaps(measures)
    r = found["M", "largest group"]
    assert r.gap_interval.method == "square_and_add"
    sides = []
    for part in (slice(70, 120), slice(0, 70)):
        found_area = delong.delong_paired(actual[part] == 1, scores[part], scores[part])
        assert found_area is not None
        assert found_area.variance_1 is not None
        sides.append((found_area.auc_1, found_area.variance_1))
    half = 1.959963984540054 * math.sqrt(sides[0][1] + sides[1][1])
    assert math.isclose(r.gap, sides[0][0] - sides[1][0])
    assert math.isclose(r.gap_interval.high, r.gap + half)
    assert found["M", "all rows"].gap_interval is None
    assert "part of all rows" in found["M", "all rows"].reason
    # Cochran's Q of two groups is the squared z of their difference
    test = heterogeneity_tests(measures, 0.95)[0]
    assert test.test == "cochran_q"
    assert math.isclose(test.statistic, (r.gap / half * 1.959963984540054) ** 2)
    # limits on the logit scale come from the same standard errors; a line of the area keeps Q
    for metric in ("roc_auc", "gini"):
        (other,) = heterogeneity_tests(measures_of(actual, scores, group, [metric]), 0.95)
        assert math.isclose(other.statistic, test.statistic, rel_tol=1e-9)


def test_heterogeneity_of_two_rates_recovers_the_variance_from_the_limits() -> None:
    rng = np.random.default_rng(3)
    actual = np.tile([0, 1], 200)
    scores = (rng.random(400) < np.where(actual == 1, 0.8, 0.3)).astype(float)
    group = ["F"] * 200 + ["M"] * 200
    measures = measures_of(actual, scores, group, ["youden_j"])
    (r,) = heterogeneity_tests(measures, 0.95)
    parts = {m.where.subgroup[0][1]: m for m in measures if m.where.subgroup}
    errors = [
        (m.interval.high - m.interval.low) / 2 / 1.959963984540054
        for m in parts.values()
        if m.interval is not None
    ]
    gap = (parts["F"].value or 0.0) - (parts["M"].value or 0.0)
    assert math.isclose(r.statistic, gap**2 / (errors[0] ** 2 + errors[1] ** 2))
    # and nearly so by the plain standard errors of two binomial rates
    (by_delta,) = heterogeneity_tests(
        measures_of(actual, scores, group, ["youden_j"], methods={"youden_j": "delta"}), 0.95
    )
    assert math.isclose(r.statistic, by_delta.statistic, rel_tol=0.1)


def test_heterogeneity_of_proportions_is_the_chi_square_of_the_table() -> None:
    measures = from_counts({"A": (10, 20), "B": (15, 20), "C": (5, 20)})
    (r,) = heterogeneity_tests(measures, 0.95)
    # expected 10 of 20 in each group: 2 x 25 / 10 above and below the line
    assert (r.test, r.statistic, r.df) == ("chi_square", 10.0, 2)
    assert math.isclose(r.p_value, math.exp(-5.0))
    assert r.groups == 3


def test_all_found_in_every_group_leaves_no_test_and_a_reason() -> None:
    (r,) = heterogeneity_tests(from_counts({"A": (5, 5), "B": (7, 7)}), 0.95)
    assert r.p_value is None
    assert r.reason


def test_the_largest_group_is_never_that_of_unknown_membership() -> None:
    found = gaps(from_counts({"(missing)": (3, 30), "F": (8, 10), "M": (6, 12)}))
    assert found["F", "largest group"].against_subgroup == {"sex": "M"}
    assert found["(missing)", "largest group"].gap == 0.1 - 0.5


def test_few_rows_are_marked() -> None:
    found = gaps(from_counts({"F": (8, 9), "M": (60, 90)}), minimum=10)
    assert found["F", "largest group"].few
    assert not found["M", "all rows"].few


def test_an_undefined_group_has_no_gap_and_says_why() -> None:
    measures = measures_of([1, 1, 0, 0], [0.9, 0.2, 0.8, 0.1], ["F", "F", "M", "M"], ["recall"])
    r = gaps(measures)["M", "all rows"]
    assert r.gap is None
    assert r.gap_interval is None
    assert "sex = M: undefined" in r.reason


def test_a_ratio_over_nothing_is_no_number() -> None:
    r = gaps(from_counts({"F": (0, 20), "M": (5, 10)}))["M", "largest group"]
    assert r.ratio is None
    assert r.ratio_reason == "0 below the line"
    assert r.gap == 0.5


def test_weighted_proportions_take_their_own_intervals() -> None:
    rng = np.random.default_rng(3)
    weight = rng.uniform(0.5, 2, 60)
    measures = measures_of(
        [1] * 60, rng.integers(0, 2, 60), ["F"] * 40 + ["M"] * 20, ["recall"], weight=weight
    )
    r = gaps(measures)["M", "largest group"]
    assert r.gap_interval.method == "square_and_add"
    assert r.ratio_interval is None


@pytest.mark.skipif(
    FOLDER is None, reason=f"{LACKING}the folder of reference cases (EVALREPORT_ORACLE)"
)
def test_reference_values_by_sex() -> None:
    assert FOLDER is not None
    content = json.loads((Path(FOLDER) / "cases" / "grp_asah_gender.json").read_text())
    with (Path(FOLDER) / content["data"]).open(newline="") as stream:
        rows = [r for r in csv.DictReader(stream) if r["s100b"] not in ("", "NA")]
    named = {"sensitivity": "recall", "ppv": "precision"}
    metrics = ["roc_auc", "recall", "specificity", "precision", "npv", "accuracy"]
    measures = measures_of(
        [int(r["outcome"] == "Poor") for r in rows],
        [float(r["s100b"]) for r in rows],
        [r["gender"] for r in rows],
        metrics,
        at=0.22,
        methods={"roc_auc": "delong"},
    )
    wanted: dict[tuple[str, str], float] = {}
    for e in content["expected"]:
        metric, group = named.get(e["metric"], e["metric"]), e["params"]["group"]
        if metric == "n":
            assert all(m.n == e["value"] for m in measures if m.where.subgroup == (("sex", group),))
            continue
        wanted[metric, group] = e["value"]
    found = {
        (m.metric, dict(m.where.subgroup)["sex"]): m.value for m in measures if m.where.subgroup
    }
    assert found == pytest.approx(wanted, abs=1e-9)
    records = subgroup_gaps(measures, 0.95)
    by = {(r.metric, r.subgroup["sex"], r.against): r for r in records}
    for metric in metrics:
        r = by[metric, "Male", "largest group"]
        assert math.isclose(r.gap, wanted[metric, "Male"] - wanted[metric, "Female"], abs_tol=1e-9)
    # pROC: difference .0527, interval -.1532 to .2586
    limits = by["roc_auc", "Male", "largest group"].gap_interval
    assert limits.low == pytest.approx(-0.153185288253199)
    assert limits.high == pytest.approx(0.258639833707744)


def clustered(cluster: list[str], methods: str | None = None) -> dict[str, Any]:
    """Accuracy of 40 rows of each of two groups, 38 and 24 right, in the clusters named."""
    right = [1] * 38 + [0] * 2 + [1] * 24 + [0] * 16
    actual = [k % 2 for k in range(80)]
    rows = {
        "y": actual,
        "p": [y if hit else 1 - y for y, hit in zip(actual, right, strict=True)],
        "g": ["A"] * 40 + ["B"] * 40,
        "c": cluster,
    }
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y", "cluster": "c"}},
        "models": {"a": {"prediction": "p"}},
        "metrics": ["accuracy"],
        "subgroups": ["g"],
        "largest_gap": True,
        **({"confidence": {"methods": methods}} if methods else {}),
    }
    return evalreport.run(spec, frames={"d": pd.DataFrame(rows)}).json


def test_groups_that_are_one_cluster_each_have_no_interval_of_their_gap() -> None:
    found = clustered(["A"] * 40 + ["B"] * 40)
    assert [m["interval"] for m in found["measures"] if m["subgroup"]] == [None, None]
    for gap in found["subgroup_gaps"]:
        assert (gap["gap_interval"], gap["ratio_interval"]) == (None, None)
    (test,) = found["heterogeneity"]
    assert (test["test"], test["p_value"], test["widest"]["interval"]) == ("cochran_q", None, None)


@pytest.mark.parametrize("methods", [None, "classical"])
def test_a_gap_of_clustered_groups_is_by_their_own_limits_whatever_the_methods(
    methods: str | None,
) -> None:
    found = clustered([f"{'AB'[k // 40]}{k // 8}" for k in range(80)], methods)
    limits = {m["subgroup"].get("g"): (m["value"], m["interval"]) for m in found["measures"]}
    (a, of_a), (b, of_b) = limits["A"], limits["B"]
    (gap,) = [g for g in found["subgroup_gaps"] if g["against"] == "largest group"]
    (low, high), wide = (gap["gap_interval"][end] for end in ("low", "high")), gap["gap_interval"]
    assert (wide["method"], gap["ratio_interval"]) == ("square_and_add", None)
    # B minus A, the largest group
    assert math.isclose(low, b - a - math.hypot(b - of_b["low"], of_a["high"] - a))
    assert math.isclose(high, b - a + math.hypot(of_b["high"] - b, a - of_a["low"]))
    assert found["heterogeneity"][0]["test"] == "cochran_q"
