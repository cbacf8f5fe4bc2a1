"""Samples drawn, or labelled, by a declared design: held to published studies and R's survey."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import survey_rows
from scipy import special, stats

import evalreport
from evalreport.errors import DataError, SpecError
from evalreport.statistics import proportions
from evalreport.verify.recompute import recompute

Z = 1.959963984540054

#: Olofsson P. et al. Remote Sensing of Environment 148, 2014, table 8: rows are map classes,
#: columns reference classes; and the pixels mapped as each class.
CLASSES = ["deforestation", "forest gain", "stable forest", "stable non-forest"]
SAMPLED = [[66, 0, 5, 4], [0, 55, 8, 12], [1, 0, 153, 11], [2, 1, 9, 313]]
PIXELS = [200_000, 150_000, 3_200_000, 6_450_000]


def run(frame: dict[str, list[Any]], **more: Any) -> Any:
    spec: dict[str, Any] = {"evalreport": 1, "title": "t", "models": {"m": {"prediction": "p"}}}
    spec |= more
    return evalreport.run(spec, frames=dict.fromkeys(spec["datasets"], frame))


def expanded(counts: list[list[int]], names: list[str]) -> dict[str, list[Any]]:
    cells = [(i, j) for i in range(len(names)) for j in range(len(names))]
    return {
        "p": [names[i] for i, j in cells for _ in range(counts[i][j])],
        "y": [names[j] for i, j in cells for _ in range(counts[i][j])],
    }


@pytest.fixture(scope="module")
def olofsson() -> Any:
    metrics = ["accuracy", "recall", "precision", "prevalence"]
    totals = dict(zip(CLASSES, PIXELS, strict=True))
    return run(
        expanded(SAMPLED, CLASSES),
        datasets={"d": {"target": "y", "sampling": {"strata": "p", "totals": totals}}},
        metrics=metrics,
        confidence={"methods": dict.fromkeys(metrics, "sandwich")},
    )


def of(results: Any, metric: str, label: str | None = None, average: str | None = None) -> Any:
    return next(
        m
        for m in results.json["measures"]
        if (m["metric"], m["label"], m["average"]) == (metric, label, average) and not m["subgroup"]
    )


@pytest.mark.parametrize(
    ("metric", "label", "average", "value", "half"),
    [
        ("accuracy", None, "micro", "0.95", "0.02"),
        ("recall", "deforestation", None, "0.75", "0.21"),
        ("prevalence", "deforestation", None, "0.0235", "0.0068"),
        ("precision", "deforestation", None, "0.88", "0.07"),
        ("precision", "forest gain", None, "0.73", "0.10"),
        ("precision", "stable forest", None, "0.93", "0.04"),
        ("precision", "stable non-forest", None, "0.96", "0.02"),
        ("recall", "forest gain", None, "0.85", "0.25"),
        ("recall", "stable forest", None, "0.93", "0.03"),
        ("recall", "stable non-forest", None, "0.96", "0.02"),
    ],
)
def test_the_published_map_accuracies_and_their_errors(
    olofsson: Any, metric: str, label: str | None, average: str | None, value: str, half: str
) -> None:
    m = of(olofsson, metric, label, average)
    places = len(value.partition(".")[2])
    assert f"{m['value']:.{places}f}" == value
    wide = (m["interval"]["high"] - m["interval"]["low"]) / 2
    if m["interval"]["high"] < 1:
        assert f"{wide:.{len(half.partition('.')[2])}f}" == half
    assert f"{Z * m['interval']['standard_error']:.{len(half.partition('.')[2])}f}" == half


def test_rows_and_estimated_cells_stand_side_by_side(olofsson: Any) -> None:
    (table,) = olofsson.json["tables"]
    assert table["sampled_rows"] == [list(row) for row in zip(*SAMPLED, strict=True)]
    assert table["counts"][0][0] == pytest.approx(66 / 75 * 200_000)
    assert sum(map(sum, table["counts"])) == pytest.approx(sum(PIXELS))
    page = olofsson.to_html()
    cell = re.search(r"<td[^>]*>(<b>)?176\u202f000<.*?</td>", page)
    assert cell is not None
    assert "n 66" in cell[0]
    assert "estimated from n rows" in page
    assert recompute(olofsson.json).problems == ()


#: Stehman S. International Journal of Remote Sensing 35, 2014, table 2: ten pixels of each of four
#: strata that are not the map classes, with reference and map class.
STRATA = {"A": 40_000, "B": 30_000, "C": 20_000, "D": 10_000}
REFERENCE = "AAAAACBABCABBBBBAABBCCCCCDDBBADDDDDDDCCB"
MAPPED = "AAAAAAABBBABBBBBBBBBBBCCCCCCBBDDDDDDDDDD"


@pytest.fixture(scope="module")
def stehman() -> Any:
    metrics = ["accuracy", "recall", "precision", "prevalence"]
    strata = [name for name in STRATA for _ in range(10)]
    return run(
        {"y": list(REFERENCE), "p": list(MAPPED), "s": strata},
        datasets={"d": {"target": "y", "sampling": {"strata": "s", "totals": STRATA}}},
        metrics=metrics,
        confidence={"methods": dict.fromkeys(metrics, "sandwich")},
    )


@pytest.mark.parametrize(
    ("metric", "label", "average", "value", "error"),
    [
        # values and errors as the paper prints them ...
        ("accuracy", None, "micro", "0.63", "0.085"),
        ("prevalence", "A", None, "0.35", "0.082"),
        ("prevalence", "C", None, "0.20", "0.064"),
        # ... and with the digits that the R package mapac gives for its example
        ("precision", "A", None, "0.7419355", "0.1645627"),
        ("precision", "B", None, "0.5744681", "0.1248023"),
        ("precision", "C", None, "0.5000000", "0.2151657"),
        ("recall", "A", None, "0.6571429", "0.1477318"),
        ("recall", "B", None, "0.7941176", "0.1165671"),
    ],
)
def test_strata_that_are_not_the_classes_as_published(
    stehman: Any, metric: str, label: str | None, average: str | None, value: str, error: str
) -> None:
    m = of(stehman, metric, label, average)
    assert f"{m['value']:.{len(value.partition('.')[2])}f}" == value
    found, half_digit = m["interval"]["standard_error"], 0.5 * 10.0 ** -len(error.partition(".")[2])
    # the example leaves out the finite population correction: at most 10 rows of 10 000
    assert float(error) * (1 - 10 / 10_000) ** 0.5 - half_digit <= found
    assert found <= float(error) + half_digit


#: Drum and Christacopoulos 1972, as in Begg and Greenes 1983: liver scans, biopsies of some.
SCANS = [("1", "1", 231, 1), ("0", "1", 27, 1), ("1", "0", 32, 1), ("0", "0", 54, 1),
         ("1", None, 166, 0), ("0", None, 140, 0)]  # fmt: skip


def scans() -> dict[str, list[Any]]:
    return {
        "p": [p for p, _, n, _ in SCANS for _ in range(n)],
        "y": [y for _, y, n, _ in SCANS for _ in range(n)],
        "v": [v for _, _, n, v in SCANS for _ in range(n)],
    }


def test_begg_and_greenes_on_the_liver_scans() -> None:
    metrics = ["recall", "specificity", "precision", "npv"]
    design = {"verified": "v", "strata": ["predicted"]}
    found = run(
        scans(),
        datasets={"d": {"target": "y", "sampling": design}},
        metrics=metrics,
        acceptance=[{"metric": "recall", "at_least": 0.8}],
    )
    assert f"{of(found, 'recall', '1')['value']:.3f}" == "0.836"
    assert f"{of(found, 'specificity', '1')['value']:.3f}" == "0.738"
    # predictive values are those of the verified, as their strata are those of the prediction
    assert of(found, "precision", "1")["value"] == pytest.approx(231 / 263)
    assert found.json["acceptance"][0]["outcome"] == "pass"
    (row,) = found.json["rows"]
    assert (row["read"], row["used"]) == (650, 344)
    assert row["excluded"] == [{"reason": "v: not verified", "count": 306}]
    # Begg and Greenes 1983: logit Se has variance 1 / (N p (1 - p)) + sum of (1 - f) / (f n)
    p, ill = 429 / 650, (231 / 263, 27 / 81)
    logit = 1 / (650 * p * (1 - p)) + (1 - ill[0]) / 231 + (1 - ill[1]) / 27
    recall = of(found, "recall", "1")
    expected = recall["value"] * (1 - recall["value"]) * np.sqrt(logit)
    assert recall["interval"]["standard_error"] == pytest.approx(expected, rel=5e-3)
    naive = run(scans(), datasets={"d": {"target": "y", "missing": "exclude"}}, metrics=metrics)
    assert f"{of(naive, 'recall', '1')['value']:.3f}" == "0.895"
    assert f"{of(naive, 'specificity', '1')['value']:.3f}" == "0.628"


DESIGNS = {
    survey_rows.TOTALS: {"strata": "h"},
    survey_rows.STRATA: {"weight": "w", "strata": "h"},
    survey_rows.CLUSTERS: {"weight": "w", "cluster": "k"},
    survey_rows.BOTH: {"weight": "w", "strata": "h", "cluster": "k"},
}


@pytest.mark.parametrize("kind", list(DESIGNS))
def test_standard_errors_by_design_are_those_of_r_survey(kind: int) -> None:
    numbers = range(kind, 200, 25)  # all 200 in tests/statistics/test_design_based.py
    frames = {f"d{number}": survey_rows.rows(number) for number in numbers}
    datasets = {}
    for number in numbers:
        design: dict[str, Any] = dict(DESIGNS[kind])
        if kind == survey_rows.TOTALS:
            design["totals"] = survey_rows.totals(frames[f"d{number}"]["h"])
        datasets[f"d{number}"] = {"target": "y", "sampling": design}
    metrics = ["accuracy", "recall", "specificity", "precision", "npv", "prevalence", "f1",
               "brier", "balanced_accuracy"]  # fmt: skip
    found = evalreport.run(
        {
            "evalreport": 1,
            "title": "t",
            "datasets": datasets,
            "models": {"m": {"score": "s"}},
            "metrics": metrics,
            "subgroups": ["g"],
        },
        frames=frames,
    ).json["measures"]
    known, compared = survey_rows.answers(kind), 0
    for m in found:
        domain = m["subgroup"].get("g", "")
        if domain == "b":
            continue
        value, error = known[int(m["dataset"][1:]), m["metric"], domain]
        assert m["value"] == pytest.approx(value, abs=1e-9)
        if error > 1e-9:
            assert m["interval"]["standard_error"] == pytest.approx(error, rel=1e-9), m["dataset"]
            compared += 1
    assert compared > 130


def sampled_scores(seed: int = 3, n: int = 400) -> dict[str, list[Any]]:
    rng = np.random.default_rng(seed)
    h = rng.integers(0, 4, n)
    y = (rng.random(n) < 0.2 + 0.15 * h).astype(int)
    s = np.clip(0.35 * y + 0.65 * rng.random(n), 0, 1).round(2)
    return {"y": y.tolist(), "s": s.tolist(), "t": rng.random(n).round(2).tolist(),
            "h": h.tolist(), "g": rng.choice(["a", "b"], n).tolist(),
            "p": (s >= 0.5).astype(int).tolist()}  # fmt: skip


def test_areas_and_average_precision_have_the_error_that_replicates_have() -> None:
    metrics = ["roc_auc", "average_precision", "f1"]
    totals = {str(k): 2000 * (k + 1) for k in range(4)}
    more: dict[str, Any] = {
        "datasets": {"d": {"target": "y", "sampling": {"strata": "h", "totals": totals}}},
        "models": {"m": {"score": "s"}},
        "metrics": metrics,
    }
    plain = run(sampled_scores(), **more)
    methods = dict.fromkeys(metrics, "bootstrap_percentile")
    drawn = run(sampled_scores(), **more, confidence={"methods": methods, "resamples": 1500})
    for metric in metrics:
        own, other = (of(r, metric, "1")["interval"] for r in (plain, drawn))
        assert own["method"] == "sandwich"
        width, expected = (i["high"] - i["low"] for i in (own, other))
        assert width == pytest.approx(expected, rel=0.1), metric


@pytest.mark.parametrize("metric", ["h_measure", "oe_ratio"])
def test_units_are_left_out_in_groups_where_no_formula_is_known(metric: str) -> None:
    totals = {str(k): 2000 * (k + 1) for k in range(4)}
    more: dict[str, Any] = {
        "datasets": {"d": {"target": "y", "sampling": {"strata": "h", "totals": totals}}},
        "models": {"m": {"score": "s"}},
        "metrics": [metric],
    }
    plain = of(run(sampled_scores(), **more), metric, "1")
    asked = {"methods": {metric: "survey_bootstrap"}, "resamples": 1000}
    drawn = of(run(sampled_scores(), **more, confidence=asked), metric, "1")["interval"]
    interval = plain["interval"]
    assert (interval["method"], interval["groups"]) == ("grouped_jackknife", 50)
    assert drawn["method"] == "survey_bootstrap"
    assert interval["low"] < plain["value"] < interval["high"]
    width, expected = (one["high"] - one["low"] for one in (interval, drawn))
    assert width == pytest.approx(expected, rel=0.3)


def test_a_stratum_of_one_row_is_put_together_with_another_and_said() -> None:
    frame = sampled_scores(n=60)
    frame["h"][0] = 9
    totals = {"0": 500, "1": 500, "2": 500, "3": 500, "9": 40}
    found = run(
        frame,
        metrics=["accuracy"],
        datasets={"d": {"target": "y", "sampling": {"strata": "h", "totals": totals}}},
    )
    assert of(found, "accuracy", "1")["interval"]["standard_error"] > 0
    told = [c["message"] for c in found.json["cautions"] if "single row" in c["message"]]
    assert len(told) == 1
    assert "9 with" in told[0]


@pytest.mark.parametrize(
    ("sampling", "told"),
    [
        ({"strata": "h"}, "does not state how rows were chosen"),
        ({"strata": "h", "totals": {"0": 5}, "weight": "w"}, "both totals and weight"),
        ({"totals": {"0": 5}}, "values of one column"),
        ({"verified": "v"}, "by what rows were chosen"),
        ({"proxy": "q", "strata": "h"}, "do not go with proxy"),
        ({"strata": "h", "totals": {"0": -1}}, "a number above 0"),
    ],
)
def test_a_design_that_says_too_little_or_too_much_is_refused(
    sampling: dict[str, Any], told: str
) -> None:
    with pytest.raises(SpecError, match=told):
        run(
            sampled_scores(n=20),
            metrics=["accuracy"],
            datasets={"d": {"target": "y", "sampling": sampling}},
        )


@pytest.mark.parametrize(
    ("totals", "told"),
    [
        ({"0": 900, "1": 900, "2": 900}, "without a total: '3'"),
        ({"0": 900, "1": 900, "2": 900, "3": 900, "4": 5}, "'4' in totals"),
        ({"0": 900, "1": 900, "2": 900, "3": 2}, "more rows of '3'"),
    ],
)
def test_totals_that_do_not_fit_the_rows_are_refused(totals: dict[str, int], told: str) -> None:
    with pytest.raises(DataError, match=told):
        run(
            sampled_scores(n=80),
            metrics=["accuracy"],
            datasets={"d": {"target": "y", "sampling": {"strata": "h", "totals": totals}}},
        )


def test_a_stratum_that_nobody_verified_is_refused() -> None:
    frame = scans()
    frame["v"] = [0 if p == "0" else v for p, v in zip(frame["p"], frame["v"], strict=True)]
    design = {"verified": "v", "strata": ["predicted"]}
    with pytest.raises(DataError, match="'0' has 221 rows, and none of them is verified"):
        run(frame, metrics=["recall"], datasets={"d": {"target": "y", "sampling": design}})


def test_differences_of_models_have_the_error_of_the_design() -> None:
    frame = sampled_scores(n=500)
    frame["q"] = [int(t >= 0.5) for t in frame["t"]]
    totals = {str(k): 2000 * (k + 1) for k in range(4)}
    metrics = ["accuracy", "recall", "f1", "brier", "roc_auc", "gini", "average_precision"]
    spec: dict[str, Any] = {
        "datasets": {"d": {"target": "y", "sampling": {"strata": "h", "totals": totals}}},
        "models": {"a": {"score": "s"}, "b": {"score": "t"}},
        "metrics": metrics,
    }
    found = run(frame, **spec, comparisons={"reference": "b"}).json["comparisons"]
    assert [c["metric"] for c in found] == metrics
    drawn = run(
        frame,
        **spec,
        confidence={"resamples": 1500},
        comparisons={
            "reference": "b",
            "methods": dict.fromkeys(metrics, "bootstrap_percentile"),
            "tests": dict.fromkeys(metrics, "bootstrap"),
        },
    ).json["comparisons"]
    for own, other in zip(found, drawn, strict=True):
        assert own["test"] == "design_based", own["metric"]
        assert own["interval"]["method"] == "sandwich"
        width, expected = (c["interval"]["high"] - c["interval"]["low"] for c in (own, other))
        assert width == pytest.approx(expected, rel=0.12), own["metric"]
        z = own["difference"] / own["interval"]["standard_error"]
        assert own["statistic"] == pytest.approx(z)
    # accuracy by hand: Cochran 1977, 5.6, the stratified variance of row-wise differences
    y, h, p, q = (np.array(frame[name]) for name in "yhpq")
    d = (p == y).astype(float) - (q == y)
    whole = np.array([totals[str(k)] for k in range(4)], float)
    n = np.bincount(h)
    spread = np.array([d[h == k].var(ddof=1) for k in range(4)])
    by_hand = (whole**2 * (1 - n / whole) * spread / n).sum() / whole.sum() ** 2
    assert found[0]["interval"]["standard_error"] == pytest.approx(np.sqrt(by_hand), rel=1e-9)
    # and the degrees of freedom of that variance by Satterthwaite, of which t and limits are
    far = [(whole[k] / n[k]) * (d[h == k] - d[h == k].mean()) for k in range(4)]
    squared = np.array([(own**2).sum() for own in far])
    fourth = np.array([(own**4).sum() for own in far])
    df = min(len(y) - 4, 2 * squared.sum() ** 2 / (fourth - squared**2 / n).sum())
    assert found[0]["df"] == found[0]["interval"]["df"] == pytest.approx(df, rel=1e-9)
    assert df < 496
    for own in found:
        error = own["interval"]["standard_error"]
        wide = stats.t.ppf(0.975, own["df"]) * error
        limits = own["difference"] - wide, own["difference"] + wide
        assert (own["interval"]["low"], own["interval"]["high"]) == pytest.approx(limits, rel=1e-9)
        p_value = 2 * stats.t.sf(abs(own["statistic"]), own["df"])
        assert own["p_value"] == pytest.approx(p_value, rel=1e-9)


def test_models_whose_rows_weigh_differently_are_not_compared() -> None:
    data = scans()
    data["q"] = ["1" if k % 3 else "0" for k in range(len(data["p"]))]
    design = {"verified": "v", "strata": ["predicted"]}
    found = run(
        data,
        datasets={"d": {"target": "y", "sampling": design}},
        metrics=["recall"],
        models={"a": {"prediction": "p"}, "b": {"prediction": "q"}},
        comparisons={"reference": "a"},
    ).json["comparisons"]
    assert found[0]["p_value"] is None
    assert "name the strata by a column" in found[0]["reason"]


def proxied(seed: int, n: int = 4000, share: float = 0.1, good: float = 0.9) -> dict[str, Any]:
    """Rows with a cheap label that is mostly right, and a target for some of them."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(int)
    p = np.where(rng.random(n) < 0.8, y, 1 - y)
    judge = np.where(rng.random(n) < good, y, 1)  # it says 1 too often
    seen = rng.random(n) < share
    return {
        "y": [str(a) if s else None for a, s in zip(y, seen, strict=True)],
        "p": p.astype(str).tolist(),
        "judge": judge.astype(str).tolist(),
        "s": (0.1 + 0.8 * p).tolist(),
        "truth": y,
        "seen": seen,
    }


def test_a_proxy_on_all_rows_is_corrected_by_the_target_of_some() -> None:
    data = proxied(1)
    truth, seen = data.pop("truth"), data.pop("seen")
    found = run(
        data,
        datasets={"d": {"target": "y", "sampling": {"proxy": "judge"}}},
        metrics=["accuracy", "recall", "prevalence"],
        confidence={"methods": {"accuracy": "sandwich", "prevalence": "sandwich"}},
    )
    p, judge = np.array(data["p"]).astype(int), np.array(data["judge"]).astype(int)
    n, known = len(p), int(seen.sum())
    # each row is of one class: of its target, and without one of its proxy
    (rows,) = found.json["rows"]
    ill = int(np.where(seen, truth, judge).sum())
    assert {one["label"]: one["count"] for one in rows["classes"]} == {"0": n - ill, "1": ill}
    assert not recompute(found.json).problems
    # Angelopoulos et al. 2023: the mean of the proxy plus the mean correction of the labelled
    f, e = (judge == p).astype(float), ((truth == p).astype(float) - (judge == p))
    accuracy = of(found, "accuracy", "1")
    assert accuracy["value"] == pytest.approx(f.mean() + e[seen].mean())
    mixed = (f + n / known * e)[seen]
    variance = (known * mixed.var(ddof=1) + (n - known) * f[~seen].var(ddof=1)) / n**2
    assert accuracy["interval"]["standard_error"] == pytest.approx(np.sqrt(variance), rel=2e-3)
    assert accuracy["n"] == n
    share = of(found, "prevalence", "1")
    assert share["value"] == pytest.approx(judge.mean() + (truth - judge)[seen].mean())
    # closer than the labelled rows alone, and right where the proxy alone is not
    alone = np.sqrt(share["value"] * (1 - share["value"]) / known)
    assert share["interval"]["standard_error"] < alone
    assert share["interval"]["low"] < truth.mean() < share["interval"]["high"] < judge.mean()
    (table,) = found.json["tables"]
    rows = [[int(((truth == a) & (p == b) & seen).sum()) for b in (0, 1)] for a in (0, 1)]
    assert table["sampled_rows"] == rows
    assert sum(map(sum, table["counts"])) == pytest.approx(n)
    (ledger,) = found.json["rows"]
    assert (ledger["read"], ledger["used"]) == (n, n)


def test_estimates_with_a_proxy_cover() -> None:
    inside = 0
    for seed in range(60):
        data = proxied(seed, n=1500, share=0.2)
        truth = data.pop("truth")
        del data["seen"]
        found = run(
            data,
            datasets={"d": {"target": "y", "sampling": {"proxy": "judge"}}},
            metrics=["recall"],
        )
        recall = of(found, "recall", "1")["interval"]
        inside += recall["low"] <= 0.8 <= recall["high"]
        assert truth.size == 1500
    # 95 % of 60 within three standard errors
    assert inside >= 52


def test_ranks_are_not_corrected_and_too_few_labels_say_so() -> None:
    data = proxied(3)
    del data["truth"], data["seen"]
    design = {"d": {"target": "y", "sampling": {"proxy": "judge"}}}
    found = run(data, datasets=design, models={"m": {"score": "s"}}, metrics=["roc_auc", "brier"])
    area, brier = of(found, "roc_auc", "1"), of(found, "brier")
    assert area["state"] == "not_applicable"
    assert "not the ranks" in area["reason"]
    assert brier["interval"]["method"] == "sandwich"
    few = {
        "p": ["1", "0"] * 20,
        "judge": ["1", "0"] * 20,
        "y": ["0", "0", "0", *[None] * 37],
    }
    found = run(few, datasets=design, metrics=["recall"])
    assert recompute(found.json).problems == ()
    wrong = found.json["measures"][0]
    assert wrong["state"] == "undefined"
    assert "too few to correct" in wrong["reason"]


def _few_clusters() -> tuple[dict[str, list[Any]], Any]:
    rng = np.random.default_rng(11)
    y = rng.random(120) < 0.4
    score = np.round(rng.normal(size=120) + 1.1 * y, 6)
    frame: dict[str, list[Any]] = {
        "y": y.astype(int).tolist(),
        "s": score.tolist(),
        "w": np.where(np.arange(120) % 2, 3.0, 1.0).tolist(),
        "h": [f"h{k // 6 % 2}" for k in range(120)],
        "k": [f"k{k // 6}" for k in range(120)],
    }
    sampling = {"weight": "w", "strata": "h"}
    asked = {
        "datasets": {"d": {"target": "y", "cluster": "k", "sampling": sampling}},
        "models": {"m": {"margin": "s"}},
        "positive": {"label": "1"},
        "thresholds": [0.5],
        "metrics": ["recall", "f1", "roc_auc"],
    }
    return frame, asked


def test_limits_have_the_degrees_of_freedom_of_the_design() -> None:
    frame, asked = _few_clusters()
    found = {m["metric"]: m["interval"] for m in run(frame, **asked).json["measures"]}
    # 20 clusters in 2 strata
    share = found["recall"]
    assert share["df"] == 18
    limits = proportions.wilson_t(*(_value(frame, asked, "recall"), share["n_effective"], 18, 0.95))
    assert (share["low"], share["high"]) == pytest.approx(limits)
    f1 = found["f1"]
    assert 2 < f1["df"] <= 18
    half = stats.t.ppf(0.975, f1["df"]) * f1["standard_error"]
    assert (f1["high"] - f1["low"]) / 2 == pytest.approx(half)
    area, value = found["roc_auc"], _value(frame, asked, "roc_auc")
    assert 2 < area["df"] <= 18
    half = stats.t.ppf(0.975, area["df"]) * area["standard_error"] / (value * (1 - value))
    ends = special.expit(special.logit(value) + np.array([-half, half]))
    assert (area["low"], area["high"]) == pytest.approx(tuple(ends))
    page = run(frame, **asked).to_html()
    assert "t with 18 df" in page


def _value(frame: dict[str, list[Any]], asked: Any, metric: str) -> float:
    measures = run(frame, **asked).json["measures"]
    return float(next(m["value"] for m in measures if m["metric"] == metric))


def test_a_method_that_is_asked_for_is_the_classical_one() -> None:
    frame, asked = _few_clusters()
    asked["confidence"] = {"methods": dict.fromkeys(asked["metrics"], "sandwich")}
    for m in run(frame, **asked).json["measures"]:
        assert "df" not in m["interval"]
        if m["metric"] != "roc_auc":
            half = (m["interval"]["high"] - m["interval"]["low"]) / 2
            assert half == pytest.approx(Z * m["interval"]["standard_error"])


def test_an_estimated_cell_of_few_rows_is_said_on_the_page() -> None:
    def of_missed(rows: int) -> Any:
        called = ["yes"] * 60 + ["no"] * 100
        actual = [1] * 30 + [0] * 30 + [1] * rows + [0] * (100 - rows)
        totals = {"yes": 120, "no": 4000}
        return run(
            {"y": actual, "p": [int(c == "yes") for c in called], "h": called},
            datasets={"d": {"target": "y", "sampling": {"strata": "h", "totals": totals}}},
            positive={"label": "1"},
            metrics=["recall", "npv"],
        )

    few = of_missed(4)
    (told,) = [c for c in few.json["cautions"] if c["code"] == "few_sampled_rows"]
    assert "actual 1 predicted 0 from 4 rows" in told["message"]
    assert (told["severity"], told["numbers"]) == ("warning", {"cells": 1, "fewest": 4})
    assert "An estimated cell rests on few rows of the sample" in few.to_html()
    assert not [c for c in of_missed(10).json["cautions"] if c["code"] == "few_sampled_rows"]
