"""Comparisons against outside reference values and published counts.

Reference cases are read from the folder EVALREPORT_ORACLE names; published counts are
committed here as numbers.
"""

from __future__ import annotations

import csv
import json
import math
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs import LACKING
from scipy import stats

from evalreport.engine.comparisons.records import compare
from evalreport.engine.counting.memory import MemoryTables
from evalreport.engine.settings import Settings
from evalreport.engine.thresholds import Resolved
from evalreport.metrics.catalogue import find
from evalreport.plan.build import build_plan
from evalreport.plan.comparisons import ComparisonRequest, plan_comparisons
from evalreport.plan.inputs import HALF, Facts, MetricRequest, Requests
from evalreport.predict.view import LabelView
from evalreport.results.codec import encode
from evalreport.results.records import JointTable
from evalreport.runs.hashing import canonical_json

FOLDER = os.environ.get("EVALREPORT_ORACLE")
needs_oracle = pytest.mark.skipif(
    FOLDER is None, reason=f"{LACKING}the folder of reference cases (EVALREPORT_ORACLE)"
)

TESTS = ("mcnemar_exact", "mcnemar_midp", "mcnemar", "mcnemar_corrected")
METHODS = {
    "newcombe-10": "newcombe",
    "newcombe-8": "newcombe_uncorrected",
    "wald": "wald",
    "agresti-min": "agresti_min",
    "tango-score": "tango",
}
UNPAIRED = {
    "newcombe-hybrid-score (method 10)": "newcombe_hybrid",
    "newcombe-hybrid-score-cc (method 11)": "newcombe_hybrid_cc",
    "wald": "wald",
    "wald-cc": "wald_cc",
    "agresti-caffo": "agresti_caffo",
    "miettinen-nurminen": "miettinen_nurminen",
    "mee": "mee",
}
METRIC = {"accuracy": "accuracy", "sensitivity": "recall", "specificity": "specificity"}


def case(name: str) -> dict[str, Any]:
    assert FOLDER is not None
    found: dict[str, Any] = json.loads((Path(FOLDER) / "cases" / f"{name}.json").read_text())
    return found


def rows_of(content: dict[str, Any], *columns: str) -> list[dict[str, str]]:
    assert FOLDER is not None
    with (Path(FOLDER) / content["data"]).open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    return [r for r in rows if all(r[c] not in ("", "NA") for c in columns)]


def score_view(dataset: str, model: str, actual: list[bool], scores: list[float]) -> LabelView:
    return LabelView(
        dataset=dataset, model=model, source="score", labels=("n", "p"), positive=1,
        actual=np.array(actual).astype(int),
        row=np.arange(len(actual)), score=np.array(scores),
    )  # fmt: skip


def label_view(dataset: str, model: str, actual: list[int], predicted: list[int]) -> LabelView:
    return LabelView(
        dataset=dataset, model=model, source="prediction", labels=("n", "p"), positive=1,
        actual=np.array(actual), row=np.arange(len(actual)),
        predicted=np.array(predicted),
    )  # fmt: skip


def compared(
    views: list[LabelView],
    metrics: list[str],
    request: ComparisonRequest,
    thresholds: tuple[float, float] = (0.5, 0.5),
    settings: Settings | None = None,
) -> dict[str, dict[str, Any]]:
    """The last view against the first, by metric."""
    facts = [_facts(v) for v in views]
    plan = build_plan(Requests(tuple(MetricRequest(find(m)) for m in metrics)), facts)
    tables = {(v.dataset, v.model): MemoryTables(v) for v in views}
    solved = {key: {HALF: Resolved(t)} for key, t in zip(tables, thresholds, strict=True)}
    planned = plan_comparisons(request, plan.tasks, facts)
    records = compare(request, tables, solved, planned.tasks, settings or Settings(resamples=50))
    canonical_json([encode(record) for record in records])
    return {r.metric: r for r in records}


def _facts(v: LabelView) -> Facts:
    low, high = (None, None) if v.score is None else (float(v.score.min()), float(v.score.max()))
    return Facts(v.dataset, v.model, v.source, v.labels, "p", v.rows, low=low, high=high)


def near(found: float | None, wanted: float, entry: dict[str, Any], default: Any) -> bool:
    tol = entry.get("tol") or default
    if found is None:
        return False
    return math.isclose(found, wanted, rel_tol=tol.get("rel", 0.0), abs_tol=tol.get("abs", 0.0))


# -- two scores on the same rows ------------------------------------------------------------


class Comparer:
    """Both models of a reference case, the second as the reference."""

    def __init__(self, name: str) -> None:
        self.content = case(name)
        columns, s = self.content["columns"], self.content["settings"]
        names = columns["score1"], columns["score2"]
        rows = rows_of(self.content, columns["truth"], *names)
        actual = [r[columns["truth"]] == s["positive"] for r in rows]
        one, two = ([float(r[c]) for r in rows] for c in names)
        self.views = [score_view("d", "two", actual, two), score_view("d", "one", actual, one)]
        self.thresholds = (float(s["threshold2"]), float(s["threshold1"]))
        self.kept: dict[Any, dict[str, dict[str, Any]]] = {}

    def record(self, metric: str, test: str | None = None, method: str | None = None) -> Any:
        metrics = ["accuracy", "recall", "specificity", "precision", "npv", "roc_auc", "brier"]
        request = ComparisonRequest(
            tests={} if test is None else {metric: test},
            methods={} if method is None else {metric: method},
        )
        key = (metric, test, method)
        if key not in self.kept:
            settings = Settings(resamples=2000, stratify=True) if test == "bootstrap" else None
            self.kept[key] = compared(
                self.views,
                [metric] if test or method else metrics,
                request,
                self.thresholds,
                settings,
            )
        return self.kept[key].get(metric)

    def values(self, e: dict[str, Any]) -> list[tuple[float | None, float]]:
        """Pairs of a found and a reference number."""
        what = METRIC.get((e.get("params") or {}).get("what", ""), "")
        simple = {
            "auc_1": ("roc_auc", "model_value"),
            "auc_2": ("roc_auc", "reference_value"),
            "delong_z": ("roc_auc", "statistic"),
            "delong_p": ("roc_auc", "p_value"),
        }
        if e["metric"] in simple:
            metric, field = simple[e["metric"]]
            return [(getattr(self.record(metric), field), e["value"])]
        if e["metric"] == "auc_difference_bootstrap_p":
            return [(self.record("roc_auc", test="bootstrap").p_value, e["value"])]
        if e["metric"] in ("auc_difference", "brier_difference"):
            if e["ci_method"] not in ("delong-paired", "paired-t"):
                return []
            return self._with_limits(
                self.record(e["metric"].replace("auc", "roc_auc").removesuffix("_difference")), e
            )
        if e["metric"].endswith("_difference") and what:
            method = METHODS[e["ci_method"].split(",")[0].split(" ")[0]]
            joint = self.record(what).joint_table
            counts = [(getattr(joint, n), e["params"][n]) for n in ("n11", "n10", "n01", "n00")]
            return [*self._with_limits(self.record(what, method=method), e), *counts]
        return self._tests(e, what)

    def _tests(self, e: dict[str, Any], what: str) -> list[tuple[float | None, float]]:
        name = e["metric"]
        if name == "mcnemar_chi2":
            test = "mcnemar_corrected" if e["params"]["continuity"] else "mcnemar"
            found = self.record(what, test=test)
            return [(found.statistic, e["value"]), (found.p_value, e["p_value"])]
        if name in ("mcnemar_exact_p", "mcnemar_midp"):
            test = name.removesuffix("_p")
            return [(self.record(what, test=test).p_value, e["value"])]
        tests = {"gs": "leisenring", "wgs": "kosinski"}
        for word, metric in (("ppv", "precision"), ("npv", "npv")):
            for short, test in tests.items():
                if name == f"{word}_{short}_chi2":
                    found = self.record(metric, test=test)
                    return [(found.statistic, e["value"]), (found.p_value, e["p_value"])]
        return []

    def _with_limits(self, record: Any, e: dict[str, Any]) -> list[tuple[float | None, float]]:
        limits = record.interval
        return [
            (record.difference, e["value"]),
            (limits.low, e["ci"][0]),
            (limits.high, e["ci"][1]),
        ]


@needs_oracle
@pytest.mark.parametrize(
    "name", ["cmp_breast", "cmp_rotterdam", "cmp_pima_glm_glu", "cmp_asah_s100b_wfns"]
)
def test_two_models_on_the_same_rows(name: str) -> None:
    comparer = Comparer(name)
    wrong, checked = [], 0
    for e in comparer.content["expected"]:
        for found, wanted in comparer.values(e):
            checked += 1
            if not near(found, wanted, e, comparer.content["default_tol"]):
                wrong.append((e["metric"], e.get("params"), e.get("ci_method"), found, wanted))
    assert not wrong
    assert checked > 60


# -- published counts -------------------------------------------------------------------------


def from_counts(n11: int, n10: int, n01: int, n00: int, request: ComparisonRequest) -> Any:
    first = [1] * (n11 + n10) + [0] * (n01 + n00)
    second = [1] * n11 + [0] * n10 + [1] * n01 + [0] * n00
    actual = [1] * len(first)
    views = [label_view("d", "two", actual, second), label_view("d", "one", actual, first)]
    return compared(views, ["accuracy"], request)["accuracy"]


@needs_oracle
@pytest.mark.parametrize(
    "name", ["edge_paired_small", "pub_altman62", "pub_agresti_pm", "pub_cavo"]
)
def test_published_paired_tables(name: str) -> None:
    content = case(name)
    counts = tuple(content["inline"][n] for n in ("n11", "n10", "n01", "n00"))
    for e in content["expected"]:
        default = content["default_tol"]
        if e["metric"] == "paired_difference":
            method = METHODS[e["ci_method"].split(",")[0].split(" ")[0]]
            found = from_counts(*counts, ComparisonRequest(methods={"accuracy": method}))
            limits = found.interval
            assert near(found.difference, e["value"], e, default)
            assert near(limits.low, e["ci"][0], e, default), (method, limits, e)
            assert near(limits.high, e["ci"][1], e, default), (method, limits, e)
        elif e["metric"] in ("mcnemar_exact_p", "mcnemar_midp"):
            request = ComparisonRequest(tests={"accuracy": e["metric"].removesuffix("_p")})
            assert near(from_counts(*counts, request).p_value, e["value"], e, default)
        elif e["metric"] == "mcnemar_chi2":
            test = "mcnemar_corrected" if e["params"]["continuity"] else "mcnemar"
            found = from_counts(*counts, ComparisonRequest(tests={"accuracy": test}))
            assert near(found.statistic, e["value"], e, default)
            assert near(found.p_value, e["p_value"], e, default)


def test_altman_table_6_2() -> None:
    found = from_counts(14, 5, 0, 22, ComparisonRequest())
    assert found.joint_table == JointTable(14, 5, 0, 22)
    assert round(found.interval.low, 3) == 0.011
    assert round(found.interval.high, 3) == 0.226
    assert found.p_value == 0.0625
    assert found.difference == 5 / 41


def test_agresti_prime_minister() -> None:
    found = from_counts(794, 150, 86, 570, ComparisonRequest(tests={"accuracy": "mcnemar"}))
    assert round(found.statistic, 2) == 17.36
    assert found.difference == 0.04
    assert found.better == "model"
    assert found.told_apart


# -- different rows -----------------------------------------------------------------------------


def from_two_samples(x1: int, n1: int, x2: int, n2: int, method: str) -> Any:
    views = [
        label_view("b", "m", [1] * n2, [1] * x2 + [0] * (n2 - x2)),
        label_view("a", "m", [1] * n1, [1] * x1 + [0] * (n1 - x1)),
    ]
    request = ComparisonRequest(reference_dataset="b", methods={"accuracy": method})
    return compared(views, ["accuracy"], request)["accuracy"]


@needs_oracle
def test_newcombe_two_samples() -> None:
    content = case("pub_newcombe_unpaired")
    checked = 0
    for e in content["expected"]:
        method = UNPAIRED.get(e.get("ci_method", ""))
        if e["metric"] != "risk_difference" or method is None:
            continue
        p = e["params"]
        found = from_two_samples(p["x1"], p["n1"], p["x2"], p["n2"], method)
        limits = {"low": found.interval.low, "high": found.interval.high}
        assert near(found.difference, e["value"], e, content["default_tol"])
        for name, wanted in zip(("low", "high"), e["ci"], strict=True):
            bounded = min(max(wanted, -1.0), 1.0)
            assert near(limits[name], bounded, e, content["default_tol"]), (method, p, limits, e)
        checked += 1
    assert checked >= 50


def test_newcombe_first_example() -> None:
    found = from_two_samples(56, 70, 48, 80, "newcombe")
    assert (round(found.interval.low, 4), round(found.interval.high, 4)) == (
        0.0524,
        0.3339,
    )
    assert found.interval.method == "newcombe_hybrid"
    assert (found.model_fraction, found.reference_fraction) == ((56, 70), (48, 80))
    assert (found.reference, found.reference_dataset) == ("m", "b")
    assert not found.paired
    # z = .2 / sqrt(p q (1 / 70 + 1 / 80)) with p = 104 / 150
    spread = 104 / 150 * 46 / 150 * (1 / 70 + 1 / 80)
    assert math.isclose(found.statistic, 0.2 / math.sqrt(spread))
    assert found.test == "two_proportion_z"


@needs_oracle
def test_areas_of_two_groups_of_rows() -> None:
    content = case("cmp_asah_gender_unpaired")
    default = content["default_tol"]
    for e in content["expected"]:
        score = e["params"]["score"]
        rows = rows_of(content, "outcome", score)
        views = []
        for group in (e["params"]["group2"], e["params"]["group1"]):
            own = [r for r in rows if r["gender"] == group]
            poor = [r["outcome"] == "Poor" for r in own]
            views.append(score_view(group, "m", poor, [float(r[score]) for r in own]))
        # of few rows the default is the score form, which takes over unless one is asked for
        named = {"roc_auc": "delong_unpaired"}
        request = ComparisonRequest(reference_dataset="Female", tests=named, methods=named)
        found = compared(views, ["roc_auc"], request)["roc_auc"]
        assert found.test == found.interval.method == "delong_unpaired"
        assert near(found.difference, e["value"], e, default)
        # pROC's p is of t and its limits are normal: with its own error and df both are of t
        half = stats.t.ppf(0.975, e["df"]) * e["value"] / e["d_statistic"]
        assert near(found.interval.low, e["value"] - half, e, default)
        assert near(found.interval.high, e["value"] + half, e, default)
        assert near(found.statistic, e["d_statistic"], e, default)
        assert near(found.df, e["df"], e, default)
        assert near(found.p_value, e["p_value_t"], e, default)
