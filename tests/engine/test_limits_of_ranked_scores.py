"""Limits of KS and average precision, and of their differences, by hand and where they end."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from scipy.stats import t as student
from sklearn.metrics import average_precision_score

import evalreport
from evalreport.engine.intervals.at_cut import left_out
from evalreport.metrics.tables import ScoreTable
from evalreport.statistics.proportions import wilson, wilson_n_eff
from evalreport.verify.recompute import recompute

Columns = dict[str, list[Any]]


def columns_of(rows: int = 120, positives: int = 30, seed: int = 5) -> Columns:
    rng = np.random.default_rng(seed)
    actual = (np.arange(rows) < positives).astype(int)
    one = np.clip(0.4 + 0.2 * actual + rng.normal(0, 0.2, rows), 0, 1)
    two = np.clip(0.4 + 0.1 * actual + rng.normal(0, 0.2, rows), 0, 1)
    weight = np.where(np.arange(rows) % 3 == 0, 3.0, 1.0)
    units = (np.arange(rows) * 7) % 24
    named = {"y": actual, "a": one, "b": two, "w": weight, "c": units}
    return {name: values.tolist() for name, values in named.items()}


def results(columns: Columns, metrics: list[str], **more: Any) -> evalreport.Results:
    role = {name: more.pop(name) for name in ("weight", "cluster") if name in more}
    spec = {
        "evalreport": 1,
        "title": "ranked",
        "datasets": {"d": {"target": "y", **role}},
        "models": {"a": {"score": "a"}, "b": {"score": "b"}},
        "metrics": metrics,
        "confidence": {"resamples": 200},
        **more,
    }
    return evalreport.run(spec, frames={"d": columns})


def of(found: evalreport.Results, metric: str, model: str = "a") -> dict[str, Any]:
    measures = found.json["measures"]
    return next(m for m in measures if (m["metric"], m["model"]) == (metric, model))


def at_the_cut(columns: Columns, weights: list[float] | None = None) -> tuple[float, float]:
    """Both rates where they are farthest apart."""
    actual, score = np.array(columns["y"]), np.array(columns["a"])
    weight = np.ones(len(actual)) if weights is None else np.array(weights)
    rates = [
        tuple(
            (weight * (actual == k) * (score >= cut)).sum() / weight[actual == k].sum()
            for k in (1, 0)
        )
        for cut in score
    ]
    found, alarms = max(rates, key=lambda r: abs(r[0] - r[1]))
    return float(found), float(alarms)


def hybrid(rates: tuple[float, float], sides: tuple[Any, Any]) -> tuple[float, float]:
    (found, alarms), (one, two) = rates, sides
    down = math.hypot(found - one.low, two.high - alarms)
    return found - alarms - down, found - alarms + math.hypot(one.high - found, alarms - two.low)


def brute_force(score: list[float], actual: list[int], units: list[int] | None = None) -> float:
    """The distance of rates where each row, or unit, is judged by the cut that others choose."""
    s, y = np.array(score), np.array(actual)

    def apart(kept: Any, cut: float) -> float:
        rates = [float(np.mean(s[kept & (y == k)] >= cut)) for k in (1, 0)]
        return rates[0] - rates[1]

    every = np.ones(len(y), bool)
    cuts = np.unique(s)[::-1]
    whole = [apart(every, cut) for cut in cuts]
    sign = 1.0 if max(whole) >= -min(whole) else -1.0
    called = np.zeros(len(y), bool)
    unit = np.arange(len(y)) if units is None else np.array(units)
    for own_unit in np.unique(unit):
        kept = unit != own_unit
        if not all(np.any(y[kept] == k) for k in (0, 1)):
            return 0.0
        own = [cut for cut in cuts if np.any(s[kept] == cut)]
        found = [sign * apart(kept, cut) for cut in own]
        # of equally good cuts the highest; one below all is no better than none
        best = next(k for k, one in enumerate(found) if one >= max(found) - 1e-12)
        called[~kept] = (found[best] > 1e-12) & (s[~kept] >= own[best])
    return abs(float(called[y == 1].mean() - called[y == 0].mean()))


@pytest.mark.parametrize("seed", range(60))
def test_each_row_is_judged_by_the_cut_that_all_others_choose(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(4, 30))
    actual = np.append([0, 1, 0, 1], rng.integers(0, 2, rows))
    # scores of few digits tie within and between classes; some models are turned round
    score = np.round(rng.normal(size=len(actual)) + rng.choice([-1, 0, 1, 3]) * actual, seed % 3)
    distinct, place = np.unique(-score, return_inverse=True)
    sides = (np.bincount(place, actual == k, len(distinct)) for k in (1, 0))
    table = ScoreTable(-distinct, *sides)
    expected = brute_force(score.tolist(), actual.tolist())
    assert left_out(table, (1.0, 1.0)) == pytest.approx(expected, abs=1e-12)


def test_limits_of_ks_are_newcombes_at_the_cut_lowered_by_what_the_others_cuts_lack() -> None:
    columns = columns_of()
    found = results(columns, ["ks"])
    measure = of(found, "ks")
    rates = at_the_cut(columns)
    assert measure["value"] == pytest.approx(rates[0] - rates[1])
    sides = wilson(rates[0] * 30, 30, 0.95), wilson(rates[1] * 90, 90, 0.95)
    low, high = hybrid(rates, sides)
    bias = measure["value"] - brute_force(columns["a"], columns["y"])
    assert 0 < bias < 0.1
    interval = measure["interval"]
    assert interval["method"] == "newcombe_at_cut"
    assert (interval["low"], interval["high"]) == pytest.approx((low - bias, high), rel=1e-9)
    assert f"lowered by {bias:.3g}" in interval["note"]
    assert "resamples" not in interval
    assert recompute(found.json).problems == ()


def test_weighted_rows_count_as_many_as_they_are_worth() -> None:
    columns = columns_of()
    interval = of(results(columns, ["ks"], weight="w"), "ks")["interval"]
    rates = at_the_cut(columns, columns["w"])
    weight, actual = np.array(columns["w"]), np.array(columns["y"])
    worth = [weight[actual == k].sum() ** 2 / (weight[actual == k] ** 2).sum() for k in (1, 0)]
    sides = [wilson_n_eff(rate, n, 0.95) for rate, n in zip(rates, worth, strict=True)]
    _, high = hybrid(rates, (sides[0], sides[1]))
    assert interval["high"] == pytest.approx(high, rel=1e-9)


def test_clusters_are_judged_by_the_cut_of_the_others_whatever_their_names() -> None:
    columns = columns_of()
    measure = of(results(columns, ["ks"], cluster="c"), "ks")
    bias = measure["value"] - brute_force(columns["a"], columns["y"], columns["c"])
    assert bias > 0
    assert f"lowered by {bias:.3g}" in measure["interval"]["note"]
    many = columns_of(600, 180)
    limits = []
    for names in (np.arange(200), np.random.default_rng(9).permutation(200)):
        many["c"] = np.repeat(names, 3).tolist()
        interval = of(results(many, ["ks"], cluster="c"), "ks")["interval"]
        limits.append((interval["low"], interval["high"]))
    assert limits[0] == pytest.approx(limits[1], rel=1e-12)


def test_clusters_have_students_t_and_are_wider_than_single_rows() -> None:
    columns = columns_of()
    alone, clustered = (
        of(results(columns, ["ks"], **more), "ks")["interval"] for more in ({}, {"cluster": "c"})
    )
    assert clustered["method"] == "clusters_at_cut"
    assert clustered["high"] - clustered["low"] > alone["high"] - alone["low"]


def test_two_rates_that_are_never_taken_for_certain() -> None:
    apart = {**columns_of(8, 2), "a": [0.9, 0.8, 0.3, 0.2, 0.1, 0.1, 0.2, 0.3]}
    interval = of(results(apart, ["ks"]), "ks")["interval"]
    # 2 of 2 and 0 of 6: Wilson from 0.3424, and up to 0.3903. Without the positive of 0.8 the cut
    # is 0.9, which it does not reach: 1 of 2 are called, the distance shrinks from 1 to 0.5
    assert brute_force(apart["a"], apart["y"]) == 0.5
    assert interval["low"] == max(1 - math.hypot(0.6576, 0.3903) - 0.5, 0)
    assert interval["high"] == 1.0


@pytest.mark.parametrize("role", [{}, {"weight": "w"}, {"cluster": "c"}])
def test_average_precision_has_t_on_the_logit(role: Any) -> None:
    columns = columns_of()
    measure = of(results(columns, ["average_precision"], **role), "average_precision")
    interval, value = measure["interval"], measure["value"]
    actual, score, weight = (np.array(columns[name]) for name in "yaw")
    # units of the class with fewer: positives, Kish's of them, or clusters that hold one
    units, weighted = 30.0, "weight" in role
    weight = weight if weighted else np.ones(len(actual))
    if weighted:
        units = weight[actual == 1].sum() ** 2 / (weight[actual == 1] ** 2).sum()
    steps = 1e-5 * np.eye(len(actual))
    ends = [
        [
            average_precision_score(actual, score, sample_weight=weight * (1 + side * e))
            for e in steps
        ]
        for side in (1, -1)
    ]
    own = (np.array(ends[0]) - np.array(ends[1])) / 2e-5
    if "cluster" in role:
        clusters = np.array(columns["c"])
        units = float(len(np.unique(clusters[actual == 1])))
        own = np.bincount(clusters, own)
    variance = len(own) / (len(own) - 1) * (own**2).sum()
    assert (interval["method"], interval["df"]) == ("influence_t", pytest.approx(units - 1))
    assert interval["standard_error"] == pytest.approx(math.sqrt(variance), rel=1e-5)
    wide = math.sqrt(variance + value * (1 - value) / units / (units + 1))
    half = student.ppf(0.975, units - 1) * wide / value / (1 - value)
    logit = math.log(value / (1 - value))
    limits = [1 / (1 + math.exp(-(logit + side * half))) for side in (-1, 1)]
    assert [interval["low"], interval["high"]] == pytest.approx(limits, rel=1e-5)


@pytest.mark.parametrize("role", [{}, {"weight": "w"}, {"cluster": "c"}])
def test_differences_add_the_squares_of_the_limits_of_both_values(role: Any) -> None:
    columns = columns_of()
    found = results(columns, ["ks"], comparisons={"reference": "b"}, **role)
    (record,) = found.json["comparisons"]
    one, two = of(found, "ks", "a"), of(found, "ks", "b")
    assert (record["test"], record["interval"]["method"]) == ("square_and_add",) * 2
    down = one["value"] - one["interval"]["low"], two["interval"]["high"] - two["value"]
    up = one["interval"]["high"] - one["value"], two["value"] - two["interval"]["low"]
    low, high = (record["difference"] - record["interval"]["low"],
                 record["interval"]["high"] - record["difference"])  # fmt: skip
    # one correlation of the two values explains both limits
    r = (down[0] ** 2 + down[1] ** 2 - low**2) / (2 * down[0] * down[1])
    assert -1 < r < 1
    assert high**2 == pytest.approx(up[0] ** 2 + up[1] ** 2 - 2 * r * up[0] * up[1], rel=1e-6)
    side = low if record["difference"] > 0 else high
    z = record["difference"] / side * NormalDist().inv_cdf(0.975)
    assert record["statistic"] == pytest.approx(z, rel=1e-9)
    assert recompute(found.json).problems == ()


@pytest.mark.parametrize("metric", ["recall", "f1", "kappa", "roc_auc"])
def test_differences_of_weighted_rows_add_the_squares_of_both_limits(metric: str) -> None:
    found = results(columns_of(), [metric], weight="w", comparisons={"reference": "b"})
    (record,) = found.json["comparisons"]
    one, two = of(found, metric, "a"), of(found, metric, "b")
    assert record["interval"]["method"] == record["test"] == "square_and_add"
    assert record["why"].startswith("by the limits of both values")
    far = math.hypot(one["value"] - one["interval"]["low"], two["interval"]["high"] - two["value"])
    # the two models are hardly correlated here
    assert record["difference"] - record["interval"]["low"] == pytest.approx(far, rel=0.3)
    assert (record["p_value"] < 0.05) == (
        record["interval"]["low"] > 0 or record["interval"]["high"] < 0
    )
    assert recompute(found.json).problems == ()


@pytest.mark.parametrize(("metric", "method"), [("f1", "square_and_add"), ("brier", "sandwich")])
def test_few_weighted_rows_and_many_are_compared_alike(metric: str, method: str) -> None:
    for columns in (columns_of(24, 8), columns_of(), columns_of(400, 150)):
        found = results(columns, [metric], weight="w", comparisons={"reference": "b"})
        (record,) = found.json["comparisons"]
        assert record["interval"]["method"] == method


def test_a_difference_that_is_asked_for_is_drawn_and_asked_limits_of_values_are_added() -> None:
    columns, drawn = columns_of(), {"ks": "bootstrap_percentile"}
    (record,) = results(columns, ["ks"], comparisons={"reference": "b", "methods": drawn}).json[
        "comparisons"
    ]
    assert record["interval"]["method"] == "bootstrap_percentile"
    asked = {"resamples": 100, "methods": drawn}
    found = results(columns, ["ks"], comparisons={"reference": "b"}, confidence=asked)
    assert of(found, "ks")["interval"]["method"] == "bootstrap_percentile"
    assert found.json["comparisons"][0]["interval"]["method"] == "square_and_add"


def test_two_datasets_add_squares_without_a_correlation() -> None:
    spec = {
        "evalreport": 1,
        "datasets": {"now": {"target": "y"}, "then": {"target": "y"}},
        "models": {"a": {"score": "a"}},
        "metrics": ["ks", "f1", "roc_auc"],
        "confidence": {"resamples": 200},
        "comparisons": {
            "reference": {"dataset": "then"},
            "hypotheses": {"f1": "superiority", "ks": "superiority"},
        },
    }
    frames = {"now": columns_of(), "then": columns_of(100, 12, seed=8)}
    found = evalreport.run(spec, frames=frames).json
    records = {c["metric"]: c for c in found["comparisons"]}
    methods = {name: c["interval"]["method"] for name, c in records.items()}
    area = "delong_score_unpaired"
    assert methods == {"ks": "square_and_add", "f1": "square_and_add", "roc_auc": area}
    own = {m["dataset"]: m for m in found["measures"] if m["metric"] == "ks"}
    one, two = own["now"], own["then"]
    down = math.hypot(one["value"] - one["interval"]["low"], two["interval"]["high"] - two["value"])
    ks = records["ks"]
    assert ks["difference"] - ks["interval"]["low"] == pytest.approx(down, rel=1e-9)
    for name in ("ks", "f1"):
        record = records[name]
        assert (record["p_value"] < 0.05) == (
            record["interval"]["low"] > 0 or record["interval"]["high"] < 0
        )
        assert record["hypothesis"]["p_value"] is not None
    assert recompute(found).problems == ()


def test_the_distance_where_alarms_outrun_what_is_found() -> None:
    columns = columns_of()
    turned = {**columns, "a": [1 - s for s in columns["a"]]}
    plain, other = (of(results(c, ["ks"]), "ks") for c in (columns, turned))
    assert other["interval"]["high"] == pytest.approx(plain["interval"]["high"], rel=1e-9)
