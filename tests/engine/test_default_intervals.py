"""The one method of each kind of value and design, and its limits by hand."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import beta
from scipy.stats import t as student
from sklearn.metrics import average_precision_score, cohen_kappa_score, f1_score
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.proportion import confint_proportions_2indep

import evalreport
from evalreport.metrics.catalogue import catalogue, find
from evalreport.metrics.declare import Average, Table
from evalreport.metrics.kinds import Design
from evalreport.metrics.methods import VALUES, method_title
from evalreport.plan.inputs import Facts
from evalreport.plan.methods import choose
from evalreport.verify.recompute import recompute

THREE = {"source": "scores", "labels": ("a", "b", "c"), "positive": None}
DESIGNS: dict[str, dict[str, Any]] = {
    "rows": {},
    "weight": {"weighted": True},
    "cluster": {"clustered": True},
    "both": {"weighted": True, "clustered": True},
    "sample": {"weighted": True, "designed": "strata"},
}


def facts(**more: Any) -> Facts:
    given = {"source": "score", "labels": ("a", "b"), "positive": "b", "rows": 500, **more}
    return Facts("d", "m", **given)


def planned(metric: str, average: str | None = None, **more: Any) -> tuple[str | None, ...]:
    """The defaults of all designs, in order."""
    kind = None if average is None else Average(average)
    found = find(metric)
    assert found is not None
    return tuple(choose(found, kind, facts(**more, **own), None)[0] for own in DESIGNS.values())


SHARE = ("wilson", "wilson_kish", *("cluster_robust_t",) * 2, "wilson_n_eff")
SHARES = ("mover_jeffreys", "mover_weighted", *("mover_clusters",) * 2, "sandwich")
RATIO = ("miettinen_nurminen", "mover_weighted", *("mover_clusters",) * 2, "sandwich")
WHOLE = ("delta_t", "sandwich_t", *("cluster_robust_t",) * 2, "sandwich")
AREA = ("delong_score", "sandwich_score", *("obuchowski_score",) * 2, "sandwich")
RANKED = (*("influence_t",) * 4, "sandwich")
LOSS = ("log_t", "log_t", *("log_t_clusters",) * 2, "sandwich")
LEFT_OUT = ("grouped_jackknife",) * 5
CLASS_RANKS = (*("influence_t",) * 4, "grouped_jackknife")
CUT = (*("newcombe_at_cut",) * 2, *("clusters_at_cut",) * 2, "sandwich")


@pytest.mark.parametrize(
    ("methods", "metrics"),
    [
        (SHARE, ("accuracy", "recall", "precision", "jaccard", "prevalence")),
        (SHARES, ("f1", "mcc", "kappa", "youden_j", "balanced_accuracy", "markedness", "g_mean")),
        (SHARES, ("net_benefit", "standardised_net_benefit", "weighted_kappa")),
        (RATIO, ("lr_plus", "lr_minus", "diagnostic_odds_ratio", "ppv_at_prevalence")),
        (WHOLE, ("gwet_ac1",)),
        (AREA, ("roc_auc", "gini", "mann_whitney_u")),
        (CUT, ("ks",)),
        (RANKED, ("average_precision", "pr_auc", "partial_auc")),
        (LOSS, ("brier", "log_loss", "absolute_error")),
        (LEFT_OUT, ("h_measure", "lift", "brier_scaled", "pr_auc_interpolated")),
        (("wald_t", *LEFT_OUT[1:]), ("calibration_slope",)),
        ((None,) * 5, ("hosmer_lemeshow_p", "ece")),
    ],
)
def test_the_defaults_of_two_classes(
    methods: tuple[str | None, ...], metrics: tuple[str, ...]
) -> None:
    assert {metric: planned(metric) for metric in metrics} == dict.fromkeys(metrics, methods)


@pytest.mark.parametrize(
    ("metric", "average", "methods"),
    [
        ("kappa", None, WHOLE),
        ("weighted_kappa", None, WHOLE),
        ("mcc", None, WHOLE),
        ("f1", "macro", WHOLE),
        ("f1", None, SHARES),
        ("recall", "macro", WHOLE),
        ("recall", "micro", SHARE),
        ("youden_j", None, SHARES),
        ("roc_auc", None, AREA),
        ("roc_auc", "macro", CLASS_RANKS),
        ("average_precision", "micro", CLASS_RANKS),
        ("hand_till_auc", None, CLASS_RANKS),
        ("ks", "macro", (*CUT[:4], "grouped_jackknife")),
        ("lift", "macro", LEFT_OUT),
        ("log_loss", None, LOSS),
        ("top_k_accuracy", None, SHARE),
    ],
)
def test_the_defaults_of_three_classes(
    metric: str, average: str | None, methods: tuple[str, ...]
) -> None:
    assert planned(metric, average, **THREE) == methods


def test_no_number_of_rows_changes_a_default_and_none_is_drawn() -> None:
    cells = [own for by in VALUES.values() for d, own in by.items() if d is not Design.SAMPLE]
    drawn = {own[0] for own in cells if own}
    assert not {m for m in drawn if "bootstrap" in m}
    for metric in catalogue():
        few, many = (choose(metric, None, facts(rows=n), None) for n in (4, 10**9))
        assert few == many


@pytest.mark.parametrize(
    ("metric", "method"),
    [
        ("roc_auc", "delong"),
        ("roc_auc", "delong_logit"),
        ("gini", "hanley_mcneil"),
        ("youden_j", "newcombe_hybrid"),
        ("kappa", "wald"),
        ("mcc", "fisher_z"),
        ("lr_plus", "log"),
        ("ks", "bootstrap_bca"),
        ("average_precision", "bootstrap_logit_t"),
        ("average_precision", "influence"),
        ("f1", "delta"),
    ],
)
def test_the_classical_method_is_there_on_request(metric: str, method: str) -> None:
    found = find(metric)
    assert found is not None
    assert choose(found, None, facts(), method) == (method, "requested in the spec")


# -- the law -----------------------------------------------------------------------------------

PARAMETERS = {
    "fbeta": {"beta": 2}, "weighted_kappa": {"weights": "linear"}, "top_k_accuracy": {"k": 1},
    "ppv_at_prevalence": {"prevalence": 0.1}, "npv_at_prevalence": {"prevalence": 0.1},
    "partial_auc": {"max_fpr": 0.5}, "gain": {"top": 0.2}, "lift": {"top": 0.2},
    "recall_at_specificity": {"specificity": 0.9}, "specificity_at_recall": {"recall": 0.9},
    "precision_at_recall": {"recall": 0.9},
}  # fmt: skip


def of_every_metric(roles: list[str], classes: int) -> dict[str, Any]:
    """Two subgroups of 14 and 386 rows, and two models, of which the second is perfect."""
    rows, rng, names = 400, np.random.default_rng(2), "abc"[:classes]
    actual = np.arange(rows) % 5 % classes
    columns: dict[str, Any] = {
        "y": [names[k] for k in actual],
        "g": ["few" if k < 14 else "many" for k in range(rows)],
        "weight": rng.uniform(0.5, 3, rows).tolist(),
        "cluster": (np.arange(rows) // 2).tolist(),
    }
    models: dict[str, Any] = {}
    for model, apart in (("m", 1.6), ("perfect", 9.0)):
        noise = rng.normal(size=(rows, classes)).clip(-2, 2)
        raw = np.exp(noise + apart * np.eye(classes)[actual])
        share = np.round(raw / raw.sum(axis=1, keepdims=True), 9)
        share[:, 0] = 1 - share[:, 1:].sum(axis=1)
        columns |= {f"{model}{name}": share[:, k].tolist() for k, name in enumerate(names)}
        each = {name: f"{model}{name}" for name in names}
        models[model] = {"score": f"{model}b"} if classes == 2 else {"scores": each}
    costs = {"expected_cost"} if classes > 2 else set()
    asked = [m.name for m in catalogue() if m.table is not Table.LABEL_SETS and m.name not in costs]
    spec: dict[str, Any] = {
        "evalreport": 1,
        "title": "law",
        "datasets": {"d": {"target": "y", **{role: role for role in roles}}},
        "models": models,
        "metrics": [{name: PARAMETERS[name]} if name in PARAMETERS else name for name in asked],
        "subgroups": ["g"],
    }
    if classes == 2:
        spec |= {"positive": {"label": "b"}, "costs": {"false_negative": 5, "false_positive": 1}}
    else:
        spec["averaging"] = ["none", "macro", "micro", "weighted"]
    found: dict[str, Any] = evalreport.run(spec, frames={"d": columns}).json
    return found


@pytest.mark.long_but_first
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("roles", [[], ["weight"], ["cluster"], ["weight", "cluster"]])
def test_a_metric_has_one_method_in_every_slice_and_for_every_model(
    roles: list[str], classes: int
) -> None:
    found = of_every_metric(roles, classes)
    assert found["failures"] == []
    assert recompute(found).problems == ()
    methods, without = defaultdict(set), set()
    for m in found["measures"]:
        if m["state"] != "value":
            continue
        interval, group = m["interval"], m["subgroup"].get("g")
        metric = find(m["metric"])
        assert metric is not None
        kind = None if m["average"] is None else Average(m["average"])
        if interval is None:
            assert m["interval_reason"]
            given = {} if classes == 2 else THREE
            more = {"weighted": "weight" in roles, "clustered": "cluster" in roles}
            can_be = choose(metric, kind, facts(**given, **more), None)[0] is not None
            if can_be and m["model"] == "m" and group != "few":
                without.add(m["metric"])
            continue
        methods[m["metric"], m["average"]].add(interval["method"])
        # sums of weights round: a share of all of them may end a hair above 1
        room = 1e-12 * max(abs(m["value"]), 1)
        assert interval["low"] - room <= m["value"] <= interval["high"] + room
        assert interval["low"] < interval["high"]
    assert {key: names for key, names in methods.items() if len(names) > 1} == {}
    # the rate of the group with the highest is its own measure
    assert without <= {"impact_ratio"}


# -- by hand -----------------------------------------------------------------------------------


def intervals(
    columns: dict[str, Any], metrics: list[Any], model: Any = None, **more: Any
) -> dict[str, Any]:
    found = evalreport.run(
        {
            "evalreport": 1,
            "title": "by hand",
            "datasets": {"d": {"target": "y", **more.pop("roles", {})}},
            "models": {"m": model or {"score": "s"}},
            "metrics": metrics,
            "confidence": {"resamples": 100, "methods": more.pop("methods", {})},
            **more,
        },
        frames={"d": columns},
    ).json
    assert recompute(found).problems == ()
    return {m["metric"]: {**m, **(m["interval"] or {})} for m in found["measures"]}


def of_cells(tp: int, fn: int, fp: int, tn: int) -> dict[str, list[Any]]:
    score = [0.9] * tp + [0.1] * fn + [0.9] * fp + [0.1] * tn
    return {"y": [1] * (tp + fn) + [0] * (fp + tn), "s": score}


def ends(interval: dict[str, Any]) -> tuple[float, float]:
    return interval["low"], interval["high"]


def widened(
    value: float, variance: float, k: int, bounds: tuple[float, float] = (0, 1), parts: int = 1
) -> Any:
    """Limits on the logit with t of k - 1, one unit's binomial variance shared out added."""
    low, high = bounds
    width, place = high - low, (value - low) / (high - low)
    if place in (0, 1):
        place = abs(place - 0.5 / (k + 1))
        floor = place * (1 - place) * width**2 / (parts * (k + 1))
    else:
        floor = place * (1 - place) * width**2 / (parts * k * (k + 1))
    half = student.ppf(0.975, k - 1) * math.sqrt(variance + floor) / width / place / (1 - place)
    logit = math.log(place / (1 - place))
    found = [low + width / (1 + math.exp(-(logit + side * half))) for side in (-1, 1)]
    return pytest.approx((min(found[0], value), max(found[1], value)), rel=1e-6)


def test_a_correlation_adds_the_squares_of_jeffreys_limits_of_its_shares() -> None:
    got = intervals(of_cells(3, 0, 4, 16), ["mcc"])["mcc"]
    assert got["method"] == "mover_jeffreys"

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
    for place, pair in enumerate(limits):
        moves = [
            mcc(*(e if k == place else x for k, x in enumerate(own))) - mcc(*own) for e in pair
        ]
        down, up = down + min(*moves, 0.0) ** 2, up + max(*moves, 0.0) ** 2
    assert got["low"] == pytest.approx(mcc(*own) - math.sqrt(down), abs=1e-9)
    assert got["high"] == pytest.approx(mcc(*own) + math.sqrt(up), abs=1e-9)


@pytest.mark.parametrize("cells", [(3, 2, 4, 20), (300, 200, 400, 2000)])
def test_few_rows_and_many_have_the_same_form_of_two_rates(cells: tuple[int, ...]) -> None:
    got = intervals(of_cells(*cells), ["youden_j", "balanced_accuracy"])
    tp, fn, fp, tn = cells
    found, alarms = tp / (tp + fn), fp / (fp + tn)
    one = beta.ppf([0.025, 0.975], tp + 0.5, fn + 0.5)
    two = beta.ppf([0.025, 0.975], fp + 0.5, tn + 0.5)
    j = found - alarms
    low = j - math.hypot(found - one[0], two[1] - alarms)
    high = j + math.hypot(one[1] - found, alarms - two[0])
    assert ends(got["youden_j"]) == pytest.approx((low, high), rel=1e-9)
    assert ends(got["balanced_accuracy"]) == pytest.approx(((1 + low) / 2, (1 + high) / 2))


@pytest.mark.parametrize("cells", [(9, 2, 3, 8), (2, 0, 1, 3), (56, 14, 48, 32)])
def test_limits_of_two_rates_that_were_asked_for_are_newcombes(cells: tuple[int, ...]) -> None:
    asked = ["youden_j", "balanced_accuracy", "balanced_error_rate"]
    got = intervals(of_cells(*cells), list(asked), methods=dict.fromkeys(asked, "newcombe_hybrid"))
    tp, fn, fp, tn = cells
    low, high = confint_proportions_2indep(
        tp, tp + fn, fp, fp + tn, method="newcomb", compare="diff"
    )
    assert ends(got["youden_j"]) == pytest.approx((low, high))
    assert ends(got["balanced_accuracy"]) == pytest.approx(((1 + low) / 2, (1 + high) / 2))
    assert ends(got["balanced_error_rate"]) == pytest.approx(((1 - high) / 2, (1 - low) / 2))


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")  # within statsmodels
@pytest.mark.parametrize("cells", [(9, 2, 3, 8), (36, 4, 16, 64), (360, 40, 160, 640)])
def test_score_limits_of_the_odds_ratio_are_those_of_statsmodels(cells: tuple[int, ...]) -> None:
    got = intervals(of_cells(*cells), ["diagnostic_odds_ratio"])["diagnostic_odds_ratio"]
    assert got["method"] == "miettinen_nurminen"
    tp, fn, fp, tn = cells
    low, high = confint_proportions_2indep(
        tp, tp + fn, fp, fp + tn, method="score", compare="odds-ratio"
    )
    assert ends(got) == pytest.approx((low, high), rel=1e-6)


def test_every_table_of_few_rows_has_limits_that_hold_its_value() -> None:
    columns: dict[str, list[Any]] = {"y": [], "s": [], "g": []}
    for cells in product(range(4), repeat=4):
        columns = {name: columns[name] + more for name, more in of_cells(*cells).items()} | {
            "g": columns["g"] + [str(cells)] * sum(cells)
        }
    found = evalreport.run(
        {
            "evalreport": 1,
            "datasets": {"d": {"target": "y"}},
            "models": {"m": {"score": "s"}},
            "metrics": ["f1", "mcc", "kappa", "youden_j", "lr_plus", "diagnostic_odds_ratio"],
            "subgroups": ["g"],
        },
        frames={"d": columns},
    ).json
    assert found["failures"] == []
    for m in found["measures"]:
        if m["state"] == "value":
            assert m["interval"] is not None, (m["metric"], m["subgroup"])
            assert m["interval"]["low"] <= m["value"] <= m["interval"]["high"]


def score_form(
    area: float, rows: Any, variance: float | None, units: float = 0, df: float = 0
) -> tuple[Any, Any]:
    """Areas that are t of k + 5 of their own errors away, by a root finder."""
    m, n = rows
    k = units or min(rows)

    def formed(a: float) -> float:
        q1, q2 = a / (2 - a), 2 * a * a / (1 + a)
        return (a * (1 - a) + (m - 1) * (q1 - a * a) + (n - 1) * (q2 - a * a)) / (m * n)

    factor = 1.0 if not variance else (k * variance / formed(area) + 6) / (k + 6)
    t = student.ppf(0.975, df or k + 5)

    def excess(a: float) -> float:
        return abs(area - a) - t * math.sqrt(factor * max(formed(a), 0.0))

    low = brentq(excess, 0, area - 1e-12, xtol=1e-13)
    return low, 1.0 if area == 1 else brentq(excess, area + 1e-12, 1, xtol=1e-13)


@pytest.mark.parametrize("times", [1, 30])
def test_an_area_is_in_score_form_with_students_t(times: int) -> None:
    actual = [1, 1, 0, 1, 0, 1, 0, 0, 0] * times
    score = [0.9, 0.8, 0.8, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1] * times
    got = intervals({"y": actual, "s": score}, ["roc_auc", "gini"])
    y, s = np.array(actual), np.array(score)
    wins = np.sign(s[y == 1][:, None] - s[y == 0][None]) / 2 + 0.5
    area, rows = wins.mean(), wins.shape
    variance = sum(wins.mean(axis=a).var(ddof=1) / rows[1 - a] for a in (0, 1))
    low, high = score_form(area, rows, variance)
    own = got["roc_auc"]
    assert (own["method"], own["df"]) == ("delong_score", min(rows) + 5)
    assert own["standard_error"] == pytest.approx(math.sqrt(variance))
    assert ends(own) == pytest.approx((low, high), rel=1e-9)
    assert ends(got["gini"]) == pytest.approx((2 * low - 1, 2 * high - 1), rel=1e-9)


@pytest.mark.parametrize("rows", [(2, 2), (1, 6), (12, 30)])
def test_a_perfect_area_has_the_same_method_and_width(rows: tuple[int, int]) -> None:
    m, n = rows
    columns = {"y": [1] * m + [0] * n, "s": [0.9 - k / 99 for k in range(m)] + [0.1] * n}
    got = intervals(columns, ["roc_auc"])["roc_auc"]
    assert (got["method"], got["df"]) == ("delong_score", min(rows) + 5)
    assert "standard_error" not in got
    assert ends(got) == pytest.approx(score_form(1.0, rows, None), rel=1e-9)


def by_weights(function: Callable[[Any], float], rows: int) -> Any:
    """Derivatives by the weight of each row, from a function of the weights."""
    steps = 1e-5 * np.eye(rows)
    return np.array([(function(1 + e) - function(1 - e)) / 2e-5 for e in steps])


def test_average_precision_has_the_influence_of_its_rows() -> None:
    actual = np.array([1, 1, 0, 1, 0, 0, 1, 0, 0, 0])
    score = np.array([0.9, 0.8, 0.8, 0.6, 0.5, 0.4, 0.4, 0.3, 0.2, 0.1])
    got = intervals({"y": actual.tolist(), "s": score.tolist()}, ["average_precision"])
    own, value = got["average_precision"], average_precision_score(actual, score)
    slopes = by_weights(
        lambda w: float(average_precision_score(actual, score, sample_weight=w)), 10
    )
    variance = 10 / 9 * (slopes**2).sum()
    assert (own["method"], own["df"]) == ("influence_t", 3)
    assert own["standard_error"] == pytest.approx(math.sqrt(variance), rel=1e-6)
    assert ends(own) == widened(value, variance, 4)


def test_an_average_precision_of_1_has_width() -> None:
    columns = {"y": [1] * 6 + [0] * 9, "s": [0.9] * 6 + [0.2] * 9}
    own = intervals(columns, ["average_precision"])["average_precision"]
    assert (own["method"], own["value"]) == ("influence_t", 1.0)
    assert ends(own) == widened(1.0, 0.0, 6)


TABLE = np.array([[11, 2, 1], [3, 7, 2], [0, 2, 6]])


def three_classes(table: Any = TABLE) -> tuple[dict[str, Any], Any, Any]:
    actual, called = np.repeat(np.argwhere(table >= 0), table.ravel(), axis=0).T
    names = np.array(list("abc"))
    return {"y": names[actual].tolist(), "p": names[called].tolist()}, actual, called


def test_a_kappa_of_three_classes_is_by_the_delta_method() -> None:
    own = intervals(three_classes()[0], ["kappa"], {"prediction": "p"})["kappa"]
    known = cohens_kappa(TABLE)
    assert (own["method"], own["df"]) == ("delta_t", 7)
    assert own["value"] == pytest.approx(known.kappa)
    assert own["standard_error"] == pytest.approx(math.sqrt(known.var_kappa))
    assert ends(own) == widened(known.kappa, known.var_kappa, 8, (-1, 1), 3)


@pytest.mark.parametrize("weights", ["linear", "quadratic"])
def test_a_weighted_kappa_of_three_classes_is_by_the_delta_method(weights: str) -> None:
    columns, actual, called = three_classes()
    asked = [{"weighted_kappa": {"weights": weights}}]
    roles = {"labels": ["a", "b", "c"]}
    own = intervals(columns, list(asked), {"prediction": "p"}, roles=roles)["weighted_kappa"]
    value = cohen_kappa_score(actual, called, weights=weights)
    slopes = by_weights(
        lambda w: float(cohen_kappa_score(actual, called, weights=weights, sample_weight=w)),
        len(actual),
    )
    assert (own["method"], own["df"]) == ("delta_t", 7)
    assert own["value"] == pytest.approx(value)
    assert ends(own) == widened(value, (slopes**2).sum(), 8, (-1, 1), 3)


def test_the_average_f1_of_three_classes_is_by_the_delta_method() -> None:
    columns, actual, called = three_classes()
    got = intervals(columns, ["f1"], {"prediction": "p"}, averaging=["macro"])["f1"]
    value = f1_score(actual, called, average="macro")
    slopes = by_weights(
        lambda w: float(f1_score(actual, called, average="macro", sample_weight=w)), len(actual)
    )
    variance = (slopes**2).sum()
    assert (got["method"], got["df"]) == ("delta_t", 7)
    assert got["standard_error"] == pytest.approx(math.sqrt(variance), rel=1e-6)
    assert ends(got) == widened(value, variance, 8, parts=3)


def test_a_perfect_table_of_three_classes_has_width() -> None:
    columns = three_classes(np.diag([14, 12, 8]))[0]
    got = intervals(columns, ["kappa", "f1"], {"prediction": "p"}, averaging=["macro"])
    assert ends(got["f1"]) == widened(1.0, 0.0, 8, parts=3)
    assert ends(got["kappa"]) == widened(1.0, 0.0, 8, (-1, 1), 3)


def test_losses_have_students_t_on_the_logarithm() -> None:
    actual = np.array([1, 1, 1, 0, 0, 0, 0, 1] * 2)
    score = np.array([8, 9, 4, 2, 1, 3, 6, 7, 5, 5, 7, 3, 4, 2, 2, 6]) / 10
    got = intervals({"y": actual.tolist(), "s": score.tolist()}, ["brier"])["brier"]
    loss = (actual - score) ** 2
    df = (loss.sum() ** 2 / (loss**2).sum() - 1) / 1.5
    factor = math.exp(student.ppf(0.975, df) * loss.std(ddof=1) / 4 / loss.mean())
    assert got["method"] == "log_t"
    assert ends(got) == pytest.approx((loss.mean() / factor, loss.mean() * factor))


# -- what was asked for ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("metric", "method", "columns"),
    [
        # one positive among few rows: KS of no resample is below the value
        ("ks", "bootstrap_bca", {"y": [0, 0, 1, 0], "s": [0.9, 0.5, 0.4, 0.1]}),
        ("roc_auc", "delong_logit", of_cells(3, 0, 0, 4)),
        ("lr_minus", "log", of_cells(3, 0, 1, 4)),
        ("mcc", "fisher_z", of_cells(3, 0, 0, 4)),
        ("average_precision", "bootstrap_logit_t", of_cells(3, 0, 0, 4)),
    ],
)
def test_what_a_method_that_was_asked_for_cannot_give_is_none_with_a_reason(
    metric: str, method: str, columns: dict[str, Any]
) -> None:
    got = intervals(columns, [metric], methods={metric: method})[metric]
    assert "low" not in got
    assert f"{method_title(method)} gives no limits" in got["interval_reason"]


def test_ks_of_many_distinct_scores_uses_the_influence_for_the_acceleration() -> None:
    from evalreport.engine.intervals import jackknife
    from evalreport.metrics.ranking import ks
    from evalreport.metrics.tables import ScoreTable
    from evalreport.statistics.resampling import _acceleration

    rng = np.random.default_rng(4)
    actual = (rng.random(1500) < 0.3).astype(int)
    scores = np.sort(rng.random(1500) + 0.3 * actual)[::-1]
    table = ScoreTable(scores, actual, 1 - actual)
    whole = np.concatenate([table.positives, table.negatives]).astype(float)
    code = np.flatnonzero(whole)
    rows = jackknife.Units(code, np.ones(len(code)), np.arange(len(code)))

    def of_flat(stack: np.ndarray) -> np.ndarray:
        return ks(ScoreTable(scores, stack[:, :1500], stack[:, 1500:])).array()

    exact = jackknife.without_each(of_flat, whole, rows)
    assert exact is not None
    assert ks.influence is not None
    first_order = jackknife.by_influence(lambda t: ks(t).array(), table, ks.influence)
    assert _acceleration(*first_order) == pytest.approx(_acceleration(*exact), abs=2e-4)


@pytest.mark.parametrize("clusters", [12, 150])
def test_a_share_of_clusters_has_students_t(clusters: int) -> None:
    rng = np.random.default_rng(clusters)
    shared = np.repeat(rng.normal(size=clusters), 6)
    actual = (rng.random(6 * clusters) < 0.4).astype(int)
    actual[::6] = 1  # each cluster has a positive row
    called = 1.5 * actual - 0.7 + 0.6 * shared + rng.normal(size=6 * clusters) > 0
    unit = np.arange(6 * clusters) // 6
    columns = {"y": actual.tolist(), "p": called.astype(int).tolist(), "c": unit.tolist()}
    got = intervals(columns, ["recall"], {"prediction": "p"}, roles={"cluster": "c"})["recall"]
    assert got["method"] == "cluster_robust_t"
    # a ratio of totals of clusters, by its definition
    hits, sizes = (np.bincount(unit, x) for x in (actual * called, actual))
    share = hits.sum() / sizes.sum()
    residual = ((hits - share * sizes) ** 2).sum()
    error = math.sqrt(clusters / (clusters - 1) * residual) / sizes.sum()
    rows = min(share * (1 - share) / error**2, sizes.sum())
    assert got["n_effective"] == pytest.approx(rows)
    for limit in ends(got):
        own = student.ppf(0.975, clusters - 1) * math.sqrt(limit * (1 - limit) / rows)
        assert abs(share - limit) == pytest.approx(own, rel=1e-6)
