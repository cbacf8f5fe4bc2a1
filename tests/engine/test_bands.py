"""Bands of ROC and precision-recall curves: limits at each point, or why there are none."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

import evalreport
from evalreport.engine import curves as engine_curves
from evalreport.results.codec import results_schema
from evalreport.verify.recompute import recompute

KINDS = {"roc": "tpr", "precision_recall": "precision"}
SMOOTH = "smoothed_calibration"


def drawn(models: int = 2, rows: int = 80) -> dict[str, Any]:
    random = np.random.default_rng(5)
    ill = random.random(rows) < 0.4
    frame: dict[str, Any] = {
        "y": np.where(ill, "ill", "well").tolist(),
        "w": random.choice([0.5, 1.0, 2.0], rows).tolist(),
        "person": [f"p{k // 2}" for k in range(rows)],
    }
    for name in [f"m{k}" for k in range(models)]:
        frame[name] = (1 / (1 + np.exp(-random.normal(size=rows) - ill))).round(3).tolist()
    return frame


def made(models: int = 2, rows: int = 80, level: float = 0.9, **roles: str) -> evalreport.Results:
    names = [f"m{k}" for k in range(models)]
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y", **roles}},
        "positive": {"label": "ill"},
        "models": {name: {"score": name} for name in names},
        "metrics": ["roc_auc"],
        "confidence": {"level": level},
    }
    return evalreport.run(spec, frames={"d": drawn(models, rows)})


@pytest.fixture(scope="module")
def run() -> evalreport.Results:
    return made()


def bands(results: Any) -> list[Any]:
    return [c for c in results["curves"] if c["kind"] in KINDS]


@pytest.mark.parametrize("kind", list(KINDS))
def test_limits_are_those_of_statsmodels(run: evalreport.Results, kind: str) -> None:
    curve = next(c for c in run.json["curves"] if c["kind"] == kind)
    points, of = curve["points"], KINDS[kind]
    below = points["p"] if kind == "roc" else np.add(points["tp"], points["fp"])
    low, high = proportion_confint(np.array(points["tp"]), np.array(below), 0.1, "wilson")
    assert points[f"{of}_low"] == pytest.approx(np.clip(low, 0, 1), abs=1e-12)
    assert points[f"{of}_high"] == pytest.approx(np.clip(high, 0, 1), abs=1e-12)
    assert curve["band"] == {"of": of, "level": 0.9, "method": "wilson"}


def test_a_thinned_curve_has_the_limits_of_the_whole_table(
    run: evalreport.Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_curves, "MOST_POINTS", 20)
    thin = made().json
    for kind, of in KINDS.items():
        whole, fewer = (
            next(c["points"] for c in r["curves"] if c["kind"] == kind) for r in (run.json, thin)
        )
        columns = ("tp", "fp", f"{of}_low", f"{of}_high")
        every = set(zip(*(whole[name] for name in columns), strict=True))
        kept = list(zip(*(fewer[name] for name in columns), strict=True))
        assert len(kept) < len(every) or kind == "roc"
        known = {(tp, fp): limits for tp, fp, *limits in every}
        for tp, fp, *limits in kept:
            assert known.get((tp, fp), limits) == limits
    # what is left out needs the rows; the band is held all the same
    found = recompute(thin)
    assert found.problems == ()
    assert found.numbers["curves"] >= 4 * 20


@pytest.mark.long_but_first
@pytest.mark.parametrize(
    ("roles", "reason"),
    [({"weight": "w"}, "rows have weights"), ({"cluster": "person"}, "rows come in clusters")],
)
def test_rows_that_do_not_count_one_each_have_none_and_the_reason(
    roles: dict[str, str], reason: str
) -> None:
    run = made(models=1, **roles)
    for curve in bands(run.json):
        assert curve["band"]["method"] is None
        assert curve["band"]["reason"] == reason
        assert not any(name.endswith(("_low", "_high")) for name in curve["points"])
    assert recompute(run.json).problems == ()
    page = run.to_html()
    assert page.count(f"No band: {reason}.") == 3
    assert "Shaded area" not in page


@pytest.mark.parametrize("kind", list(KINDS))
@pytest.mark.parametrize("thinned", [False, True])
def test_a_changed_limit_is_found(run: evalreport.Results, kind: str, thinned: bool) -> None:
    for end in ("low", "high"):
        changed = copy.deepcopy(dict(run.json))
        curve = next(c for c in changed["curves"] if c["kind"] == kind)
        curve["points"][f"{KINDS[kind]}_{end}"][3] += 1e-6
        if thinned:
            curve["thinned"] = True
        told = [str(problem) for problem in recompute(changed).problems]
        assert any(f"points.{KINDS[kind]}_{end} is" in one for one in told)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"level": 0.95}, "band.level is 0.95, the other records give 0.9"),
        ({"method": None}, "band.method is None, the other records give 'wilson'"),
    ],
)
def test_another_level_and_a_method_taken_out_are_found(
    run: evalreport.Results, change: dict[str, Any], told: str
) -> None:
    changed = copy.deepcopy(dict(run.json))
    bands(changed)[0]["band"].update(change)
    assert any(told in str(problem) for problem in recompute(changed).problems)


@pytest.mark.long
def test_the_page_names_method_and_level(run: evalreport.Results) -> None:
    page = made(models=1).to_html().replace("\u202f", " ")
    for of in ("recall", "precision"):
        assert f"Shaded area: pointwise 90 % limits of {of} at each threshold (Wilson)." in page
        # bands of several curves would hide each other
        assert f"limits of {of} at each threshold" not in run.to_html().replace("\u202f", " ")


def test_the_schema_has_the_band() -> None:
    text = str(results_schema())
    assert "Of the limits; null where there are none." in text


def test_the_error_of_a_smoothed_share_is_that_of_a_weighted_regression(
    run: evalreport.Results,
) -> None:
    x = np.array(drawn()["m0"])
    y = np.array(drawn()["y"]) == "ill"
    own = next(c for c in run.json["curves"] if c["kind"] == SMOOTH)
    points, near = own["points"], int(0.75 * len(x))
    for place in (0, len(points["score"]) // 2, len(points["score"]) - 1):
        at = points["score"][place]
        reach = np.sort(np.abs(x - at))[near - 1] * (1 + 1e-6)
        weight = np.clip(1 - (np.abs(x - at) / reach) ** 3, 0, None) ** 3
        columns = np.stack([np.ones(len(x)), x - at], axis=1)
        # the rows of the inverse give value and slope as weighted sums of the rows
        sums = np.linalg.solve(
            columns.T @ (weight[:, None] * columns), (weight[:, None] * columns).T
        )
        value, slope = sums @ y
        line = np.clip(value + slope * (x - at), 0, 1)
        error = np.sqrt(np.sum(sums[0] ** 2 * line * (1 - line)))
        assert points["observed"][place] == pytest.approx(min(1, max(0, value)), abs=1e-9)
        assert points["standard_error"][place] == pytest.approx(error, abs=1e-9)
        low, high = (points[f"observed_{end}"][place] for end in ("low", "high"))
        assert low == pytest.approx(max(0, points["observed"][place] - 1.6448536269514722 * error))
        assert high == pytest.approx(min(1, points["observed"][place] + 1.6448536269514722 * error))
    assert own["band"] == {"of": "observed", "level": 0.9, "method": "normal"}


def test_a_changed_limit_of_a_smoothed_share_is_found(run: evalreport.Results) -> None:
    changed = copy.deepcopy(run.json)
    own = next(c for c in changed["curves"] if c["kind"] == SMOOTH)
    assert recompute(run.json).problems == ()
    own["points"]["observed_low"][3] += 0.01
    assert any("points.observed_low is" in str(p) for p in recompute(changed).problems)


SUMS = {
    "roc": ["roc_auc"],
    "precision_recall": ["average_precision"],
    "calibration": ["oe_ratio", "calibration_slope", "calibration_intercept"],
}


def test_what_sums_a_curve_up_is_the_metric_of_that_name_and_is_verified() -> None:
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "positive": {"label": "ill"},
        "models": {"m0": {"score": "m0"}},
        "metrics": [name for names in SUMS.values() for name in names],
    }
    results = dict(evalreport.run(spec, frames={"d": drawn()}).json)
    values = {m["metric"]: m["value"] for m in results["measures"]}
    sums = {c["kind"]: c["sums"] for c in results["curves"] if "sums" in c}
    assert {kind: list(own) for kind, own in sums.items()} == SUMS
    for own in sums.values():
        assert own == pytest.approx({name: values[name] for name in own}, rel=1e-12)
    forged = copy.deepcopy(results)
    next(c for c in forged["curves"] if "sums" in c)["sums"]["roc_auc"] += 0.001
    assert recompute(results).problems == ()
    assert any("sums.roc_auc" in str(one) for one in recompute(forged).problems)
