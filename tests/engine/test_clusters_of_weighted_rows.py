"""Limits of clusters of weighted rows: those of clusters, on the rows that weighted ones are worth.

All by hand, from the rows.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm
from scipy.stats import t as student

import evalreport
from evalreport.statistics.ratios import odds_ratio_score
from evalreport.statistics.square_and_add import square_and_add
from evalreport.verify.recompute import recompute

CLUSTERS = 14


def rows(weighted: bool = True) -> dict[str, Any]:
    """56 rows in 14 clusters, whose rows are alike."""
    rng = np.random.default_rng(5)
    cluster = np.arange(4 * CLUSTERS) // 4
    actual = (np.arange(4 * CLUSTERS) % 3 == 0).astype(int)
    shared = rng.normal(size=CLUSTERS)[cluster]
    score = 1 / (1 + np.exp(-(1.4 * actual - 0.7 + 0.6 * shared + 0.6 * rng.normal(size=56))))
    weight = rng.lognormal(0, 0.7, 56) if weighted else np.ones(56)
    return {"y": actual, "s": score.round(6), "c": cluster, "w": weight.round(6)}


def limits(columns: dict[str, Any], metrics: list[Any], roles: dict[str, str]) -> Any:
    found = evalreport.run(
        {
            "evalreport": 1,
            "title": "clusters of weighted rows",
            "datasets": {"d": {"target": "y", **roles}},
            "models": {"m": {"score": "s"}},
            "metrics": metrics,
        },
        frames={"d": {name: np.asarray(column).tolist() for name, column in columns.items()}},
    ).json
    assert recompute(found).problems == ()
    return {m["metric"]: (m["value"], m["interval"]) for m in found["measures"]}


def cells_of(columns: dict[str, Any]) -> Any:
    """TP, FN, FP, TN of each cluster, shape (14, 4)."""
    place = np.where(columns["y"] == 1, 0, 2) + (columns["s"] < 0.5) * (columns["y"] == 1)
    place = place + ((columns["s"] < 0.5) & (columns["y"] == 0))
    cells = np.zeros((CLUSTERS, 4))
    np.add.at(cells, (columns["c"], place), columns["w"])
    return cells


@pytest.mark.parametrize("weighted", [True, False])
def test_a_function_of_the_table_is_squared_and_added_over_the_design_effect(
    weighted: bool,
) -> None:
    columns = rows(weighted)
    roles = {"weight": "w", "cluster": "c"} if weighted else {"cluster": "c"}
    _, interval = limits(columns, ["f1"], roles)["f1"]
    assert interval["method"] == "mover_clusters"
    tp, fn, fp, _ = cells_of(columns).sum(axis=0)
    top, bottom = 2 * tp, 2 * tp + fn + fp
    by_cell = np.array([2 / bottom - 2 * top / bottom**2, *2 * (-top / bottom**2,), 0.0])
    totals = cells_of(columns) @ by_cell
    total, weights = columns["w"].sum(), columns["w"]
    together = CLUSTERS / (CLUSTERS - 1) * float(np.sum(totals**2))
    alone = float(np.sum(cells_of(columns).sum(axis=0) * by_cell**2)) * total / 56
    kish = 56 * float(np.sum(weights**2)) / total**2
    effect = max(together / alone, kish, 1.0)
    assert interval["n_effective"] == pytest.approx(56 / effect, rel=1e-9)
    wider = (student.ppf(0.975, CLUSTERS - 1) / norm.ppf(0.975)) ** 2
    few = cells_of(columns).sum(axis=0) / total * 56 / effect / wider
    f1 = lambda t: 2 * t[:, 0] / (2 * t[:, 0] + t[:, 1] + t[:, 2])  # noqa: E731
    own = square_and_add(f1, tuple(few), "either", 0.95)
    assert own is not None
    assert (interval["low"], interval["high"]) == pytest.approx(tuple(own), rel=1e-9)


def test_an_area_is_in_score_form_on_kishs_rows() -> None:
    columns = rows()
    value, interval = limits(columns, ["roc_auc"], {"weight": "w", "cluster": "c"})["roc_auc"]
    assert interval["method"] == "obuchowski_score"
    assert interval["df"] == CLUSTERS - 1
    y, s, w = columns["y"], columns["s"], columns["w"]
    pos, neg = y == 1, y == 0
    won = (s[pos][:, None] > s[neg][None]) + 0.5 * (s[pos][:, None] == s[neg][None])
    area = float(w[pos] @ won @ w[neg]) / w[pos].sum() / w[neg].sum()
    assert value == pytest.approx(area, rel=1e-12)
    influence = np.zeros(56)
    influence[pos] = w[pos] / w[pos].sum() * (won @ w[neg] / w[neg].sum() - area)
    influence[neg] = w[neg] / w[neg].sum() * (w[pos] @ won / w[pos].sum() - area)
    totals = np.bincount(columns["c"], influence)
    error = math.sqrt(CLUSTERS / (CLUSTERS - 1) * float(np.sum(totals**2)))
    assert interval["standard_error"] == pytest.approx(error, rel=1e-9)
    assert interval["low"] < area < interval["high"]
    # wider than plus and minus z errors, and not beyond 1
    assert interval["high"] - interval["low"] > 2 * norm.ppf(0.975) * error * 0.8
    assert interval["high"] < 1


def test_losses_have_students_t_on_the_logarithm() -> None:
    columns = rows()
    value, interval = limits(columns, ["brier"], {"weight": "w", "cluster": "c"})["brier"]
    assert interval["method"] == "log_t_clusters"
    lost, w = (columns["s"] - columns["y"]) ** 2, columns["w"]
    mean = float(w @ lost / w.sum())
    assert value == pytest.approx(mean, rel=1e-12)
    apart = np.bincount(columns["c"], w * (lost - mean))
    error = math.sqrt(CLUSTERS / (CLUSTERS - 1) * float(np.sum(apart**2))) / w.sum()
    totals = np.bincount(columns["c"], w * lost)
    carrying = (w @ lost) ** 2 / np.sum((w * lost) ** 2)
    df = min((carrying - 1) / 1.5, (w @ lost) ** 2 / np.sum(totals**2) - 1)
    half = student.ppf(0.975, df) * error / mean
    assert interval["df"] == pytest.approx(df, rel=1e-9)
    expected = mean * math.exp(-half), mean * math.exp(half)
    assert (interval["low"], interval["high"]) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    "roles", [{"cluster": "c"}, {"weight": "w"}, {"weight": "w", "cluster": "c"}]
)
def test_an_infinite_ratio_has_a_lower_limit(roles: dict[str, str]) -> None:
    columns = rows()
    columns["s"] = np.where(columns["y"] == 1, np.maximum(columns["s"], 0.6), columns["s"])
    found = limits(columns, ["diagnostic_odds_ratio", "lr_plus"], roles)
    value, interval = found["diagnostic_odds_ratio"]
    assert value is None
    assert interval["high"] == "infinity"
    few = cells_of({**columns, "w": columns["w"] if "weight" in roles else np.ones(56)}).sum(axis=0)
    few *= interval["n_effective"] / few.sum()
    if "cluster" in roles:
        few /= (student.ppf(0.975, CLUSTERS - 1) / norm.ppf(0.975)) ** 2
    tp, fn, fp, tn = few.tolist()
    own = odds_ratio_score(tp, fn, fp, tn, 0.95)
    assert own is not None
    assert interval["low"] == pytest.approx(own.low, rel=1e-6)
    assert interval["low"] > 0
    assert found["lr_plus"][1]["high"] != "infinity"
