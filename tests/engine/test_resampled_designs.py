"""Bootstrap limits of averages, clusters, weights and class columns, whatever the order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

import evalreport
from evalreport.engine.counting.canonical_rows import canonical_rows, codes_of
from evalreport.engine.counting.mirrored_scores import mirrored
from evalreport.engine.intervals import jackknife
from evalreport.metrics.declare import Kind
from evalreport.metrics.tables import ScoreTable

N = 90


def rows(seed: int | None = None) -> dict[str, list[Any]]:
    """Two and three classes, tied scores, weights, clusters of unequal size; shuffled by seed."""
    rng = np.random.default_rng(20261121)
    truth = rng.integers(0, 2, N)
    score = np.round(np.clip(rng.normal(0.35 + 0.3 * truth, 0.2), 0, 1), 2)
    three = rng.integers(0, 3, N)
    columns = np.round(rng.dirichlet([1, 1, 1], N) + 0.4 * np.eye(3)[three], 2) / 2
    columns[:, 2] = 1 - columns[:, 0] - columns[:, 1]
    found: dict[str, list[Any]] = {
        "y": ["yes" if t else "no" for t in truth],
        "s": score.tolist(),
        "z": [f"k{k}" for k in three],
        "w": rng.choice([0.5, 1.25, 2.0], N).tolist(),
        "c": [f"c{k}" for k in rng.integers(0, 25, N)],
        **{f"p{k}": np.clip(columns[:, k], 0, 1).tolist() for k in range(3)},
    }
    if seed is not None:
        order = np.random.default_rng(seed).permutation(N)
        found = {name: [values[i] for i in order] for name, values in found.items()}
        # other names for the same clusters, met in another order
        found["c"] = [f"x{(7 * int(c[1:])) % 25}" for c in found["c"]]
    return found


def run(data: dict[str, list[Any]], metrics: list[Any], method: str, **more: Any) -> Any:
    three, plain = more.pop("three", False), more.pop("plain", [])
    model = {"scores": {f"k{k}": f"p{k}" for k in range(3)}} if three else {"score": "s"}
    names = [m if isinstance(m, str) else next(iter(m)) for m in metrics]
    return evalreport.run(
        {
            "evalreport": 1,
            "title": "designs",
            "datasets": {"d": {"target": "z" if three else "y", **more.pop("roles", {})}},
            "models": {"m": model},
            "metrics": [*metrics, *plain],
            "confidence": {
                "resamples": 300, "seed": 5, "methods": dict.fromkeys(names, method),
            },
            **more,
        },
        frames={"d": data},
    ).json  # fmt: skip


ROLES = [{}, {"weight": "w"}, {"cluster": "c"}, {"weight": "w", "cluster": "c"}]


# -- averages of one score over two classes -----------------------------------------------------


def test_the_average_over_two_classes_takes_the_mirrored_scores() -> None:
    data = rows()
    truth, score = np.array(data["y"]) == "yes", np.array(data["s"])
    results = run(data, ["average_precision", "roc_auc"], "bootstrap_percentile",
                  averaging=["none", "macro", "weighted"])  # fmt: skip
    found = {(m["metric"], m["average"]): m for m in results["measures"] if m["label"] != "no"}
    own = average_precision_score(truth, score)
    other = average_precision_score(~truth, 1 - score)
    assert found["average_precision", None]["value"] == pytest.approx(own)
    assert found["average_precision", "macro"]["value"] == pytest.approx((own + other) / 2)
    share = truth.mean()
    assert found["average_precision", "weighted"]["value"] == pytest.approx(
        share * own + (1 - share) * other
    )
    assert found["roc_auc", "macro"]["value"] == pytest.approx(roc_auc_score(truth, score))
    for average in ("macro", "weighted"):
        for metric in ("average_precision", "roc_auc"):
            m = found[metric, average]
            assert m["interval"]["low"] < m["value"] < m["interval"]["high"]
            assert m["interval"]["method"] == "bootstrap_percentile"
    # an area is the same for both classes, and so are its limits
    limits = [found["roc_auc", a]["interval"]["low"] for a in (None, "macro")]
    assert limits[0] == pytest.approx(limits[1], abs=1e-12)


def test_mirrored_probabilities_that_become_equal_share_an_entry() -> None:
    table = ScoreTable(np.array([0.5, 1e-20, 0.0]), np.array([1, 0, 2]), np.array([0, 3, 4]))
    other = mirrored(table, Kind.PROBABILITY)
    assert other.scores.tolist() == [1.0, 0.5]
    assert other.positives.tolist() == [7, 0]
    assert other.negatives.tolist() == [2, 1]
    kept = mirrored(table, Kind.RANK)
    assert kept.scores.tolist() == [0.0, -1e-20, -0.5]
    nothing = ScoreTable(np.zeros(0), np.zeros(0, np.int64), np.zeros(0, np.int64))
    assert len(mirrored(nothing, Kind.RANK).scores) == 0


@pytest.mark.parametrize("roles", ROLES)
def test_an_average_of_one_score_has_limits_in_every_design(roles: dict[str, str]) -> None:
    results = run(rows(), ["average_precision"], "bootstrap_bca", averaging=["macro"], roles=roles)
    (measure,) = results["measures"]
    assert measure["interval"]["method"] == "bootstrap_bca"
    assert measure["interval"]["low"] < measure["value"] < measure["interval"]["high"]


# -- BCa ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("roles", ROLES)
@pytest.mark.parametrize("three", [False, True])
def test_bca_gives_limits_for_clusters_weights_and_class_columns(
    roles: dict[str, str], three: bool
) -> None:
    metrics = ["f1", "roc_auc", "log_loss"] + (["hand_till_auc"] if three else [])
    results = run(rows(), metrics, "bootstrap_bca", roles=roles, three=three,
                  averaging=["none", "macro"])  # fmt: skip
    for m in results["measures"]:
        if m["state"] != "value":
            continue
        assert m["interval"] is not None, (m["metric"], m.get("interval_reason"))
        assert m["interval"]["method"] == "bootstrap_bca"
        assert m["interval"]["low"] < m["interval"]["high"]


def test_clusters_left_out_by_hand() -> None:
    clusters = np.array([[[1, 0], [0, 2]], [[0, 1], [0, 1]], [[2, 0], [1, 0]]], float)

    def accuracy(stack: Any) -> Any:
        return (stack[:, 0, 0] + stack[:, 1, 1]) / stack.sum(axis=(1, 2))

    unit, code = np.nonzero(clusters.reshape(3, 4))
    rows = jackknife.Units(code, clusters.reshape(3, 4)[unit, code], unit)
    whole = clusters.sum(axis=0).reshape(-1)
    values, weights = jackknife.without_each(  # type: ignore[misc]
        lambda flat: accuracy(flat.reshape(-1, 2, 2)), whole, rows
    )
    assert values.tolist() == [3 / 5, 5 / 6, 4 / 5]
    assert weights.tolist() == [1, 1, 1]


def test_weighted_rows_left_out_by_hand() -> None:
    code, weight = np.array([3, 0, 3, 1]), np.array([2.0, 0.5, 2.0, 1.5])
    table = np.bincount(code, weight, 4).reshape(2, 2)

    def accuracy(stack: Any) -> Any:
        return (stack[:, 0, 0] + stack[:, 1, 1]) / stack.sum(axis=(1, 2))

    values, times = jackknife.without_each(  # type: ignore[misc]
        lambda flat: accuracy(flat.reshape(-1, 2, 2)),
        table.reshape(-1),
        jackknife.Units(code, weight, np.arange(4)),
    )
    found = sorted(np.repeat(values, times.astype(int)).tolist())
    by_hand = []
    for k in range(4):
        kept = np.bincount(np.delete(code, k), np.delete(weight, k), 4).reshape(2, 2)
        by_hand.append((kept[0, 0] + kept[1, 1]) / kept.sum())
    assert found == pytest.approx(sorted(by_hand))


def test_scored_clusters_left_out_by_scikit_learn() -> None:
    data = rows()
    truth, score = np.array(data["y"]) == "yes", np.array(data["s"])
    weight, cluster = np.array(data["w"]), np.unique(data["c"], return_inverse=True)[1]
    distinct = np.unique(score)[::-1]
    entry = np.searchsorted(-distinct, -score)
    size, code = len(distinct), entry + len(distinct) * ~truth
    values, _ = jackknife.without_each(  # type: ignore[misc]
        lambda flat: _auc(ScoreTable(distinct, flat[:, :size], flat[:, size:])),
        np.bincount(code, weight, 2 * size),
        jackknife.Units(code, weight, cluster),
    )
    for k in range(cluster.max() + 1):
        kept = cluster != k
        assert values[k] == pytest.approx(
            roc_auc_score(truth[kept], score[kept], sample_weight=weight[kept])
        )


def _auc(table: ScoreTable) -> Any:
    above = np.cumsum(table.positives, axis=-1) - table.positives
    won = (table.negatives * (above + table.positives / 2)).sum(axis=-1)
    return won / table.positives.sum(axis=-1) / table.negatives.sum(axis=-1)


# -- order --------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["bootstrap_percentile", "bootstrap_bca", None])
@pytest.mark.parametrize("roles", ROLES)
@pytest.mark.parametrize("three", [False, True])
def test_neither_the_order_of_rows_nor_names_of_clusters_change_a_limit(
    method: str | None, roles: dict[str, str], three: bool
) -> None:
    metrics = ["f1", "roc_auc"] + (["hand_till_auc", "log_loss"] if three else ["ece"])
    plain = [] if method else [*metrics, "ks", "average_precision", "recall", "kappa"]
    found, ends = [], []
    for seed in (None, 1, 2):
        results = run(rows(seed), metrics if method else [], method or "", roles=roles,
                      three=three, averaging=["none", "macro"], plain=plain)  # fmt: skip
        found.append([(m["metric"], m["label"], m["interval"]) for m in results["measures"]])
        limits = [interval for _, _, interval in found[-1] if interval is not None]
        ends.append([i[end] for i in limits for end in ("low", "high")])
    if method:
        assert found[0] == found[1] == found[2]
    # a formula adds clusters up in the order of their names, which rounds
    assert ends[1] == pytest.approx(ends[0], rel=1e-12)
    assert ends[2] == pytest.approx(ends[0], rel=1e-12)


def test_equal_rows_and_clusters_are_exchangeable() -> None:
    code = np.array([2, 1, 2, 1, 3])
    cluster = np.array([0, 0, 1, 1, 2])
    order, unit = canonical_rows(code, None, cluster)
    assert sorted(order.tolist()) == [0, 1, 2, 3, 4]
    held = [code[order][unit == u].tolist() for u in range(3)]
    assert sorted(held) == [[1, 2], [1, 2], [3]]
    assert codes_of(np.array([1, 0, 1]), np.array([0.5, 0.5, 0.5])).tolist() == [1, 0, 1]


def test_the_jackknife_is_refused_where_it_would_take_too_long() -> None:
    unit = np.arange(10_001)
    rows = jackknife.Units(unit, np.ones(len(unit)), unit)
    whole = np.ones(jackknife.MOST_CELLS // 10_000)
    assert jackknife.without_each(lambda t: t[:, 0], whole, rows) is None


def test_an_interval_that_does_not_hold_its_value_says_so_with_the_bias() -> None:
    # ten rows in each of ten bins, as many positives as the scores say: perfectly calibrated
    score = [(2 * k + 1) / 20 for k in range(10) for _ in range(20)]
    truth = ["yes" if j < 2 * k + 1 else "no" for k in range(10) for j in range(20)]
    results = run({"y": truth, "s": score}, ["ece"], "bootstrap_percentile")
    (measure,) = results["measures"]
    assert measure["value"] == pytest.approx(0, abs=1e-12)
    assert measure["interval"]["low"] > measure["value"]
    assert measure["interval"]["bias"] > 0
    assert "the value lies outside" in measure["interval"]["note"]
    (caution,) = [c for c in results["cautions"] if c["code"] == "biased_resamples"]
    assert caution["measure"] == measure["id"]
    held = run(rows(), ["average_precision"], "bootstrap_percentile")
    assert "bias" not in held["measures"][0]["interval"]
    assert "biased_resamples" not in {c["code"] for c in held["cautions"]}


def test_a_comparison_of_averages_draws_the_mirrored_scores_as_well() -> None:
    data = rows()
    data["t"] = [round(1 - v if k % 4 == 0 else v, 2) for k, v in enumerate(data["s"])]
    results = run(data, ["average_precision"], "bootstrap_percentile",
                  averaging=["none", "macro"],
                  models={"m": {"score": "s"}, "other": {"score": "t"}},
                  comparisons={"reference": "m"})  # fmt: skip
    own, macro = results["comparisons"]
    truth = np.array(data["y"]) == "yes"
    gaps = []
    for column in ("t", "s"):
        score = np.array(data[column])
        both = (average_precision_score(truth, score), average_precision_score(~truth, 1 - score))
        gaps.append(sum(both) / 2)
    assert macro["difference"] == pytest.approx(gaps[0] - gaps[1])
    assert macro["interval"]["low"] < macro["difference"] < macro["interval"]["high"]
    assert macro["interval"]["low"] != own["interval"]["low"]


def test_a_comparison_names_the_parameters_that_its_measures_name() -> None:
    data = rows() | {"t": rows()["s"][::-1]}
    results = run(data, ["ece"], "bootstrap_percentile", comparisons={"reference": "m"},
                  models={"m": {"score": "s"}, "other": {"score": "t"}})  # fmt: skip
    (comparison,) = results["comparisons"]
    assert comparison["params"] == results["measures"][0]["params"] != {}


@pytest.mark.parametrize("average", ["macro", "weighted"])
@pytest.mark.parametrize("three", [False, True])
def test_averages_of_large_samples_have_the_limits_that_resampling_gives(
    average: str, three: bool
) -> None:
    """Rows ten times over: as many distinct scores, and a sample large enough for both.

    But for KS, a greatest distance, which replicates put too high: its limits are at the cut.
    """
    data = {name: values * 10 for name, values in rows().items()}
    metrics = ["roc_auc", "average_precision", "gini", "pr_auc"]
    drawn = run(data, metrics, "bootstrap_percentile", three=three, averaging=[average])
    formula = run(data, [], "", three=three, averaging=[average], plain=metrics)
    for one, two in zip(drawn["measures"], formula["measures"], strict=True):
        assert two["interval"]["method"] == "influence_t"
        assert one["value"] == two["value"]
        for side in ("low", "high"):
            width = one["interval"]["high"] - one["interval"]["low"]
            gap = abs(one["interval"][side] - two["interval"][side])
            assert gap < 0.25 * width, (one["metric"], one["interval"], two["interval"])


@pytest.mark.parametrize("stratify", [True, False])
def test_stratified_rows_keep_the_number_of_each_class(stratify: bool) -> None:
    """What follows from the numbers of the classes alone has no spread when they are held."""
    constant = {"pa": [0.2] * 30, "pb": [0.3] * 30, "pc": [0.5] * 30}
    specs = {
        "class columns": ({"y": list("abc") * 10, **constant},
                          {"scores": {n: f"p{n}" for n in "abc"}}, "brier", {}),
        "weighted table": ({"y": [0, 1] * 15, "s": [0.7] * 30, "w": [1.5] * 30},
                           {"score": "s"}, "prevalence", {"weight": "w"}),
        "weighted scores": ({"y": [0, 1] * 15, "s": [0.7] * 30, "w": [1.5] * 30},
                            {"score": "s"}, "brier", {"weight": "w"}),
    }  # fmt: skip
    for name, (columns, model, metric, more) in specs.items():
        found = evalreport.run(
            {
                "evalreport": 1,
                "title": name,
                "datasets": {"d": {"target": "y", **more}},
                "models": {"m": model},
                "metrics": [metric],
                "confidence": {"resamples": 60, "stratify": stratify,
                               "methods": {metric: "bootstrap_percentile"}},
            },
            frames={"d": columns},
        ).json  # fmt: skip
        measure = next(m for m in found["measures"] if m["metric"] == metric)
        assert (measure["interval"] is None) == stratify, name
