"""The grouped jackknife: exact for means, near the bootstrap, and covering as it says."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score

import evalreport
from evalreport.engine.intervals import bootstrap, grouped_jackknife
from evalreport.metrics.catalogue import catalogue, find
from evalreport.metrics.declare import Average, Table
from evalreport.metrics.methods import DRAWN
from evalreport.metrics.tables import ScoreTable
from evalreport.plan.build import build_plan
from evalreport.plan.comparisons import ComparisonRequest, plan_comparisons
from evalreport.plan.inputs import Facts, MetricRequest, Requests
from evalreport.plan.methods import ASKED, choose
from evalreport.plan.task import ThresholdRequest

pytestmark = pytest.mark.long_but_first


SCORES = {"source": "scores", "labels": ("a", "b", "c"), "positive": None}
WIDE = {"source": "scores", "labels": tuple(map(str, range(500))), "positive": None}
WHY = "no formula is known: groups of rows are left out"


def facts(**more: Any) -> Facts:
    given = {"source": "score", "labels": ("a", "b"), "positive": "b", "rows": 5_000, **more}
    return Facts("d", "m", **given)


def chosen(metric: str, average: str | None, **more: Any) -> tuple[str | None, str]:
    found = find(metric)
    assert found is not None
    return choose(found, None if average is None else Average(average), facts(**more), None)


@pytest.mark.parametrize("average", [None, "macro", "weighted"])
@pytest.mark.parametrize("metric", ["gain", "lift", "h_measure", "pr_auc_interpolated"])
@pytest.mark.parametrize("design", [None, "weighted", "clustered"])
def test_what_has_no_formula_has_it_whatever_the_classes_rows_and_design(
    metric: str, average: str | None, design: str | None
) -> None:
    of_design = {} if design is None else {design: True}
    for classes in ({}, SCORES, WIDE):
        for rows in (30, 10**8):
            given = {"rows": rows, **classes, **of_design}
            assert chosen(metric, average, **given) == ("grouped_jackknife", WHY)


@pytest.mark.parametrize("metric", ["partial_auc", "roc_auc", "average_precision"])
def test_averages_of_a_known_influence_have_it_but_in_samples_by_design(metric: str) -> None:
    sample = {"weighted": True, "designed": "strata"}
    for classes in ({}, SCORES):
        for design in ({}, {"weighted": True}, {"clustered": True}):
            assert chosen(metric, "macro", **classes, **design)[0] == "influence_t"
        assert chosen(metric, "macro", **classes, **sample)[0] == "grouped_jackknife"


def test_groups_are_as_equal_as_can_be() -> None:
    rng = np.random.default_rng(0)
    assert np.bincount(grouped_jackknife.groups_of(1000, rng)).tolist() == [20] * 50
    assert sorted(grouped_jackknife.groups_of(7, rng).tolist()) == list(range(7))


def test_leaving_out_single_rows_of_a_mean_gives_students_interval() -> None:
    x = np.random.default_rng(1).normal(size=30)
    left_out = (x.sum() - x) / 29
    found = grouped_jackknife.interval(left_out, float(x.mean()), 0.9, (-math.inf, math.inf))
    assert found is not None
    low, high = stats.t.interval(0.9, 29, x.mean(), x.std(ddof=1) / math.sqrt(30))
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))
    assert found.groups == 30


def test_a_group_without_a_value_is_told() -> None:
    found = grouped_jackknife.interval(np.array([1.0, 2.0, np.nan]), 1.5, 0.95, (0, 9))
    assert found is not None
    assert found.note == "undefined without 1 of 3 groups"
    assert grouped_jackknife.interval(np.array([1.0, np.nan]), 1.0, 0.95, (0, 9)) is None


def test_tables_without_a_group_hold_the_other_rows() -> None:
    scores, code = np.array([0.9, 0.5, 0.1]), np.array([0, 1, 4, 5, 2, 3])
    weight = np.array([1.0, 0.1, 0.2, 0.3, 0.7, 2.0])
    group = np.array([0, 0, 1, 1, 2, 2])
    kept = (((group != g) * weight)[None] for g in range(3))
    counted = bootstrap._counted(code, 6, kept)
    tables = list(bootstrap._tables(scores, counted))
    assert tables[0].positives.tolist() == [[0, 0, 0.7]]  # not 1e-17: the row is gone
    assert tables[0].negatives.tolist() == [[2.0, 0.2, 0.3]]
    assert len(tables) == 3


def test_counted_rows_are_put_into_groups_without_being_listed() -> None:
    few = ScoreTable(np.array([0.9, 0.1]), np.array([3, 1]), np.array([1, 2]))
    many = ScoreTable(few.scores, few.positives * 10**11, few.negatives * 10**11)
    for table in (few, many):
        parts = list(grouped_jackknife.of_counts(table, np.random.default_rng(2)))
        groups = len(parts)
        kept = sum(part.positives + part.negatives for part in parts)
        # each row is left out once
        assert kept.tolist() == [((groups - 1) * (table.positives + table.negatives)).tolist()]
        assert groups == min(int(table.total), 50)


@pytest.mark.nightly
@pytest.mark.parametrize("design", ["plain", "weight", "cluster"])
def test_bca_of_more_rows_than_can_be_left_out_one_by_one(
    design: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from evalreport.engine.intervals import class_bootstrap, jackknife

    metrics: list[Any] = ["roc_auc", "h_measure"]
    asked = {"methods": dict.fromkeys(metrics, "bootstrap_bca")}
    for classes in (2, 3):
        exact = run(400, classes, design, metrics, **asked)
        monkeypatch.setattr(jackknife, "MOST_LEFT_OUT", 50)
        monkeypatch.setattr(class_bootstrap, "MOST_LEFT_OUT", 50)
        grouped = run(400, classes, design, metrics, **asked)
        monkeypatch.undo()
        for key, limits in grouped.items():
            assert limits["method"] == "bootstrap_bca"
            width = exact[key]["high"] - exact[key]["low"]
            assert limits["low"] == pytest.approx(exact[key]["low"], abs=0.1 * width), key
            assert limits["high"] == pytest.approx(exact[key]["high"], abs=0.1 * width), key


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "params", "rows", "data_sets"),
    [("gain", {"top": 0.2}, 1_000, 400), ("pr_auc_interpolated", {}, 2_000, 200)],
)
def test_it_covers_as_often_as_it_says(
    name: str, params: dict[str, float], rows: int, data_sets: int
) -> None:
    """Within three and a half standard errors of 95 %."""
    metric, rng = find(name), np.random.default_rng(20261121)

    def drawn(size: int) -> ScoreTable:
        actual = rng.random(size) < 0.3
        score = rng.normal(size=size) + 1.2 * actual
        order = np.argsort(-score)
        return ScoreTable(score[order], actual[order] * 1, ~actual[order] * 1)

    truth = metric(drawn(1_000_000), **params).outcome().number
    inside = 0
    for _ in range(data_sets):
        table = drawn(rows)
        parts = grouped_jackknife.of_counts(table, rng)
        left = np.array([metric(part, **params).array().item() for part in parts])
        value = metric(table, **params).outcome().number
        found = grouped_jackknife.interval(left, value, 0.95, metric.bounds)
        assert found is not None
        inside += found.low <= truth <= found.high
    room = 3.5 * math.sqrt(0.95 * 0.05 / data_sets)
    assert abs(inside / data_sets - 0.95) <= room


def run(
    rows: int,
    classes: int,
    design: str,
    metrics: list[Any],
    more: dict[str, Any] | None = None,
    **confidence: Any,
) -> dict[Any, Any]:
    rng = np.random.default_rng(5)
    names = list("abc")[:classes]
    actual = rng.integers(0, classes, rows)
    raw = rng.normal(size=(rows, classes))
    raw[np.arange(rows), actual] += 1
    shares = np.exp(raw) / np.exp(raw).sum(axis=1, keepdims=True)
    columns: dict[str, Any] = {"y": [names[k] for k in actual]}
    columns |= {f"p{name}": shares[:, k] for k, name in enumerate(names)}
    dataset: dict[str, Any] = {"target": "y"}
    if design == "weight":
        columns["w"], dataset["weight"] = rng.choice([0.5, 1.0, 2.0], rows), "w"
    if design == "cluster":
        columns["k"], dataset["cluster"] = np.arange(rows) // 4, "k"
    each = {"scores": {name: f"p{name}" for name in names}} if classes > 2 else {"score": "pb"}
    found = evalreport.run(
        {
            "evalreport": 1,
            "title": "many rows",
            "datasets": {"d": dataset},
            "models": {"m": each},
            "metrics": metrics,
            "averaging": ["macro", "weighted"],
            "confidence": {"resamples": 600, **confidence},
            **(more or {}),
        },
        frames={"d": columns},
    ).json
    return {(m["metric"], m["average"], m["label"]): m["interval"] for m in found["measures"]}


@pytest.mark.parametrize("design", ["plain", "weight", "cluster"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("averaging", [["none"], ["macro", "weighted"]])
def test_its_limits_are_near_those_of_the_bootstrap(
    averaging: list[str], classes: int, design: str
) -> None:
    metrics: list[Any] = ["h_measure", {"gain": {"top": 0.2}}, {"partial_auc": {"max_fpr": 0.3}}]
    metrics += ["hand_till_auc"] if classes > 2 else []
    names = ["h_measure", "gain", "partial_auc", "hand_till_auc"][: len(metrics)]
    more = {"averaging": averaging}
    asked = dict.fromkeys(names, "bootstrap_percentile")
    drawn = run(900, classes, design, metrics, more, methods=asked)
    left = run(900, classes, design, metrics, more)
    assert drawn.keys() == left.keys()
    alone = averaging == ["none"]
    for key, limits in left.items():
        known = key[0] in ("partial_auc", "hand_till_auc")
        assert limits["method"] == ("influence_t" if known else "grouped_jackknife"), key
        assert "bootstrap" in drawn[key]["method"]
        width = limits["high"] - limits["low"]
        near = pytest.approx(drawn[key]["high"] - drawn[key]["low"], rel=0.5 if alone else 0.4)
        assert width == near, key


@pytest.mark.parametrize("metric", ["ece", "mce"])
@pytest.mark.parametrize("more", [{}, {"weighted": True}, {"clustered": True}, {"rows": 10**6}])
def test_a_distance_that_chance_adds_to_has_no_interval_and_says_why(
    metric: str, more: dict[str, Any]
) -> None:
    """A model that is calibrated by construction: the bootstrap's limits leave out 0."""
    for average in (None, "macro"):
        method, why = chosen(metric, average, **SCORES, **more)
        assert method is None
        assert "leave out the truth" in why
    found = find(metric)
    assert found is not None
    assert choose(found, None, facts(**SCORES), "bootstrap_bca") == ("bootstrap_bca", ASKED)


def test_ece_is_given_without_limits_in_a_run() -> None:
    rng = np.random.default_rng(6)
    p = rng.uniform(0.05, 0.95, 500)
    found = evalreport.run(
        {
            "evalreport": 1,
            "title": "t",
            "datasets": {"d": {"target": "y"}},
            "models": {"m": {"score": "s"}},
            "metrics": ["ece"],
        },
        frames={"d": {"y": (rng.random(500) < p).astype(int).tolist(), "s": p.tolist()}},
    ).json["measures"]
    assert found[0]["value"] > 0
    assert found[0]["interval"] is None
    assert "too high" in found[0]["interval_reason"]


def shares(rows: int, both: int, first: int, second: int) -> dict[str, list[Any]]:
    """Three classes; both models right on some rows, one alone on others."""
    actual = [k % 3 for k in range(rows)]
    frame: dict[str, list[Any]] = {"y": ["abc"[k] for k in actual]}
    for model, right in (("s", both + first), ("z", both + second)):
        hit = [k < both or (k < right if model == "s" else both + first <= k < right + first)
               for k in range(rows)]  # fmt: skip
        said = [a if h else (a + 1) % 3 for a, h in zip(actual, hit, strict=True)]
        for k, name in enumerate("abc"):
            frame[f"{model}_{name}"] = [0.6 if k == one else 0.2 for one in said]
    return frame


def test_a_difference_of_two_means_has_the_paired_t_of_single_rows() -> None:
    """12 right under both, 9 under the first alone, 3 under the second, of 40: t by scipy."""
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "models": {m: {"scores": {c: f"{m}_{c}" for c in "abc"}} for m in ("s", "z")},
        "metrics": [{"top_k_accuracy": {"k": 1}}],
        "comparisons": {"reference": "z"},
    }
    (found,) = evalreport.run(spec, frames={"d": shares(40, 12, 9, 3)}).json["comparisons"]
    one = np.array([1.0] * 21 + [0.0] * 19)
    two = np.array([1.0] * 12 + [0.0] * 9 + [1.0] * 3 + [0.0] * 16)
    known = stats.ttest_rel(one, two)
    limits = known.confidence_interval(0.95)
    assert found["test"] == found["interval"]["method"] == "grouped_jackknife"
    assert (found["statistic"], found["df"], found["p_value"]) == pytest.approx(
        (known.statistic, 39, known.pvalue), rel=1e-9
    )
    assert (found["interval"]["low"], found["interval"]["high"]) == pytest.approx(
        (limits.low, limits.high), rel=1e-9
    )


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize(
    "design",
    [
        {},
        {"weighted": True},
        {"clustered": True},
        {"weighted": True, "clustered": True},
        {"weighted": True, "designed": "stratified"},
    ],
)
@pytest.mark.parametrize("classes", [2, 3])
def test_nothing_is_drawn_unless_a_spec_asks_for_it(
    paired: bool, design: dict[str, Any], classes: int
) -> None:
    """No value and no difference of any metric, class or average has a default that draws."""
    of_classes = {} if classes == 2 else SCORES
    names = ("m", "n") if paired else ("m", "m")
    every = [
        replace(facts(**of_classes, **design), dataset=dataset, model=model, low=0.0, high=1.0)
        for dataset, model in zip(("d", "d") if paired else ("d", "e"), names, strict=True)
    ]
    metrics = [m for m in catalogue() if m.table is not Table.LABEL_SETS and not m.context]
    requests = Requests(
        tuple(MetricRequest(m) for m in metrics if not any(p.required for p in m.parameters)),
        thresholds=(ThresholdRequest(0.5),),
        averages=("none", "macro", "micro", "weighted"),
    )
    tasks = build_plan(requests, every).tasks
    assert {"h_measure", "roc_auc", "ece", "calibration_slope"} <= {t.metric for t in tasks}
    assert not {t.interval for t in tasks} & {*DRAWN}
    request = ComparisonRequest("n") if paired else ComparisonRequest(reference_dataset="e")
    compared = plan_comparisons(request, tasks, every).tasks
    methods = {name for t in compared for name in (t.test, t.interval)}
    assert "grouped_jackknife" in methods or not paired
    assert not methods & {*DRAWN, "bootstrap"}
    undecided = {t.task.metric for t in compared if not t.test}
    assert "ece" in undecided
    assert "h_measure" not in undecided


def test_a_difference_of_pooled_areas_leaves_out_rows_of_all_classes() -> None:
    """Micro averages of 40 rows, each left out in turn: areas by scikit-learn."""
    rng = np.random.default_rng(5)
    actual = np.arange(40) % 3
    scores = {m: rng.dirichlet(np.ones(3), 40) + 0.3 * s * np.eye(3)[actual]
              for m, s in (("s", 1.0), ("z", 0.4))}  # fmt: skip
    scores = {m: own / own.sum(axis=1, keepdims=True) for m, own in scores.items()}
    frame: dict[str, list[Any]] = {"y": ["abc"[k] for k in actual]}
    frame |= {f"{m}_{c}": own[:, k].tolist() for m, own in scores.items()
              for k, c in enumerate("abc")}  # fmt: skip
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "models": {m: {"scores": {c: f"{m}_{c}" for c in "abc"}} for m in scores},
        "metrics": ["roc_auc"],
        "averaging": ["micro"],
        "comparisons": {
            "reference": "z",
            "tests": {"roc_auc": "grouped_jackknife"},
            "methods": {"roc_auc": "grouped_jackknife"},
        },
    }
    (found,) = evalreport.run(spec, frames={"d": frame}).json["comparisons"]

    def apart(kept: np.ndarray) -> float:
        truth = np.eye(3)[actual[kept]].ravel()
        one, two = (roc_auc_score(truth, scores[m][kept].ravel()) for m in ("s", "z"))
        return float(one - two)

    left = np.array([apart(np.arange(40) != k) for k in range(40)])
    error = math.sqrt(39 / 40 * np.sum((left - left.mean()) ** 2))
    assert found["difference"] == pytest.approx(apart(np.ones(40, bool)), rel=1e-9)
    assert found["interval"]["standard_error"] == pytest.approx(error, rel=1e-9)
    assert found["p_value"] == pytest.approx(
        2 * stats.t.sf(abs(found["difference"]) / error, 39), rel=1e-9
    )


def test_no_limit_moves_with_a_name() -> None:
    rng = np.random.default_rng(6)
    actual = rng.random(400) < 0.4
    scores = np.round(0.3 * actual + 0.7 * rng.random(400), 3).tolist()
    columns = {"y": np.where(actual, "ill", "well").tolist(), "s": scores, "g": ["all"] * 400}

    def limits(dataset: str, model: str) -> list[Any]:
        spec = {
            "evalreport": 1,
            "positive": {"label": "ill"},
            "datasets": {dataset: {"target": "y"}},
            "models": {model: {"score": "s"}},
            "metrics": ["brier_scaled", "oe_ratio", "h_measure", {"lift": {"top": 0.2}}],
            "subgroups": ["g"],
        }
        found = evalreport.run(spec, frames={dataset: columns}).json["measures"]
        assert {m["interval"]["method"] for m in found} == {"grouped_jackknife"}
        return [[m["interval"] for m in found if m["subgroup"] == g] for g in ({}, {"g": "all"})]

    whole, group = limits("d", "m")
    for one, other in zip(whole, group, strict=True):
        assert (one["low"], one["high"]) == (other["low"], other["high"])
    assert limits("another", "name") == [whole, group]


def test_no_limit_of_a_difference_moves_with_the_reference() -> None:
    rng = np.random.default_rng(2)
    actual = rng.random(300) < 0.4
    columns = {
        "y": np.where(actual, "ill", "well").tolist(),
        "s": np.round(0.3 * actual + 0.7 * rng.random(300), 3).tolist(),
        "t": np.round(0.1 * actual + 0.9 * rng.random(300), 3).tolist(),
    }

    def differences(reference: str) -> list[Any]:
        spec = {
            "evalreport": 1,
            "positive": {"label": "ill"},
            "datasets": {"d": {"target": "y"}},
            "models": {"a": {"score": "s"}, "b": {"score": "t"}},
            "metrics": ["brier_scaled", "h_measure", {"lift": {"top": 0.2}}],
            "comparisons": {"reference": reference},
        }
        found: list[Any] = evalreport.run(spec, frames={"d": columns}).json["comparisons"]
        return found

    for one, other in zip(differences("a"), differences("b"), strict=True):
        assert one["interval"]["method"] == "grouped_jackknife"
        assert one["difference"] == -other["difference"]
        assert one["interval"]["low"] == pytest.approx(-other["interval"]["high"])
        assert one["p_value"] == pytest.approx(other["p_value"])
