"""One-sided tests of a difference against a margin: superiority, non-inferiority, equivalence."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.weightstats import ttost_paired

import evalreport
from evalreport.engine.read_and_plan import prepare
from evalreport.plan.explain import explain
from evalreport.spec.comparisons import Kind
from evalreport.spec.load import load_spec, parse_spec
from evalreport.verify.recompute import recompute

pytestmark = pytest.mark.long_but_first


def frame(seed: int, ill: int = 60, healthy: int = 90) -> dict[str, list[Any]]:
    rng = np.random.default_rng(seed)
    truth = np.array([1] * ill + [0] * healthy)
    first = 1 / (1 + np.exp(-(1.6 * truth - 0.8 + rng.normal(0, 1.0, truth.size))))
    second = 1 / (1 + np.exp(-(1.4 * truth - 0.7 + rng.normal(0, 1.0, truth.size))))
    return {
        "y": ["ill" if t else "healthy" for t in truth],
        "p": np.clip((first + second) / 2, 0.001, 0.999).tolist(),
        "q": second.tolist(),
    }


FRAMES = {"new": frame(3), "old": frame(4)}
METRICS = ["recall", "precision", "roc_auc", "brier", "f1", "gini"]


def run(reference: Any = "n", **asked: Any) -> evalreport.Results:
    spec = {
        "evalreport": 1,
        "title": "t",
        "positive": {"label": "ill"},
        "datasets": {name: {"target": "y"} for name in FRAMES},
        "models": {"m": {"score": "p"}, "n": {"score": "q"}},
        "metrics": METRICS,
        "confidence": {"resamples": 300},
        "comparisons": {"reference": reference, **asked},
    }
    return evalreport.run(spec, frames=FRAMES)


def of(results: evalreport.Results, metric: str) -> dict[str, Any]:
    found = results.json["comparisons"]
    return next(c for c in found if c["metric"] == metric and c["dataset"] == "new")


def losses() -> tuple[Any, Any]:
    own = FRAMES["new"]
    y = np.array([1.0 if t == "ill" else 0.0 for t in own["y"]])
    return tuple((np.array(own[k]) - y) ** 2 for k in ("p", "q"))


@pytest.mark.parametrize("reference", ["n", {"dataset": "old"}], ids=["models", "datasets"])
@pytest.mark.parametrize("kind", get_args(Kind))
def test_every_hypothesis_of_every_family_is_tested(kind: str, reference: Any) -> None:
    """The p value rejects at half the level exactly where its own normal limits leave out."""
    asked = dict.fromkeys(METRICS, kind)
    results = run(reference, hypotheses=asked, margins=dict.fromkeys(METRICS, 0.06))
    for metric in METRICS:
        record = of(results, metric)
        found = record["hypothesis"]
        assert found["kind"] == kind
        assert found["margin"] == 0.06
        assert found["reason"] is None
        assert 0 < found["p_value"] <= 1
        assert abs(found["null"]) == 0.06
        assert found["alpha"] == pytest.approx(0.025)
        assert found["shown"] is (found["p_value"] < found["alpha"])
        assert "margin" not in record
        assert record["p_adjusted"] is None
        if found["standard_error"] is not None:
            away = (record["difference"] - found["null"]) / found["standard_error"]
            assert found["statistic"] == pytest.approx(away, rel=1e-9)


def test_equivalence_of_means_is_that_of_statsmodels() -> None:
    first, second = losses()
    expected = ttost_paired(first, second, -0.03, 0.03)
    asked = {"hypotheses": {"brier": "equivalence"}, "tests": {"brier": "paired_t"}}
    found = of(run(**asked, margins={"brier": 0.03}), "brier")
    record = found["hypothesis"]
    assert record["test"] == "paired_t"
    assert record["p_value"] == pytest.approx(expected[0], rel=1e-9)
    assert record["df"] == expected[1][2]


@pytest.mark.parametrize(
    ("kind", "margin", "alternative", "null"),
    [
        ("superiority", None, "less", 0.0),
        ("superiority", 0.01, "less", -0.01),
        ("non_inferiority", 0.02, "less", 0.02),
        ("greater", None, "greater", 0.0),
        ("less", 0.01, "less", -0.01),
    ],
)
def test_of_a_loss_less_is_better(
    kind: str, margin: float | None, alternative: str, null: float
) -> None:
    first, second = losses()
    expected = stats.ttest_1samp(first - second, null, alternative=alternative)
    margins = {} if margin is None else {"margins": {"brier": margin}}
    asked = {"hypotheses": {"brier": kind}, "tests": {"brier": "paired_t"}}
    found = of(run(**asked, **margins), "brier")["hypothesis"]
    assert found["null"] == null
    assert found["p_value"] == pytest.approx(expected.pvalue, rel=1e-9)
    assert found["statistic"] == pytest.approx(expected.statistic, rel=1e-9)


def test_exact_tests_are_one_sided_exact_tests() -> None:
    """Without a margin the test of equality is one-sided; with one it gives way to a score test."""
    for test in ("mcnemar_exact", "mcnemar_midp"):
        found = of(run(hypotheses={"recall": "superiority"}, tests={"recall": test}), "recall")
        n10, n01 = found["joint_table"]["n10"], found["joint_table"]["n01"]
        p = stats.binomtest(n10, n10 + n01, alternative="greater").pvalue
        if test == "mcnemar_midp":
            p -= stats.binom.pmf(n10, n10 + n01, 0.5) / 2
        assert found["hypothesis"]["test"] == test
        assert found["hypothesis"]["p_value"] == pytest.approx(p, rel=1e-9)
    asked = {"hypotheses": {"recall": "superiority"}, "tests": {"recall": "fisher_exact"}}
    found = of(run({"dataset": "old"}, **asked), "recall")
    (a, b), (c, d) = found["model_fraction"], found["reference_fraction"]
    p = stats.fisher_exact([[a, b - a], [c, d - c]], alternative="greater").pvalue
    assert found["hypothesis"]["p_value"] == pytest.approx(p, rel=1e-9)
    found = of(run(hypotheses={"recall": "superiority"}, margins={"recall": 0.02}), "recall")
    assert found["hypothesis"]["test"] == "tango"
    assert found["hypothesis"]["why"] == "mcnemar_exact is of equality alone"


def test_the_p_value_of_the_hypothesis_is_the_one_of_the_family() -> None:
    asked = {"recall": "non_inferiority", "roc_auc": "superiority"}
    results = run(hypotheses=asked, margins={"recall": 0.1}, correction="bonferroni", alpha=0.05)
    records = results.json["comparisons"]
    for record in records:
        stated = record.get("hypothesis")
        own, adjusted = (
            (record["p_value"], record["p_adjusted"])
            if stated is None
            else (stated["p_value"], stated["p_adjusted"])
        )
        assert adjusted == pytest.approx(min(1.0, own * record["family_tests"]))
        if stated is not None:
            assert record["p_adjusted"] is None
            assert stated["alpha"] == 0.05
            assert stated["shown"] is (adjusted < 0.05)


@pytest.mark.long
def test_the_page_says_what_was_to_be_shown() -> None:
    page = run(hypotheses={"recall": "non_inferiority"}, margins={"recall": 0.1}).to_html()
    assert "What was to be shown" in page
    assert "not worse by 0.1 or more" in page


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("hypotheses: {recall: non_inferiority}", "the non-inferiority of recall has no margin"),
        ("hypotheses: {recall: equivalence}", "the equivalence of recall has no margin"),
        (
            "hypotheses: {prevalence: superiority}",
            "neither more nor less of prevalence is better: no superiority",
        ),
        ("alpha: 0.05", "alpha without a hypothesis"),
        ("hypotheses: {recall: better}", "better"),
    ],
)
def test_what_cannot_be_tested_is_a_mistake_of_the_spec(asked: str, words: str) -> None:
    text = (
        "evalreport: 1\ndatasets: {d: {path: a.csv, target: y}}\n"
        "models: {m: {score: p}, n: {score: q}}\nmetrics: [recall, prevalence]\n"
        f"comparisons: {{reference: n, {asked}}}\n"
    )
    with pytest.raises(evalreport.errors.EvalreportError) as refused:
        parse_spec(text)
    assert words in str(refused.value)


def test_a_weighted_or_clustered_difference_is_tested_by_its_draws() -> None:
    own = {**FRAMES["new"], "g": [str(k // 3) for k in range(150)]}
    spec = {
        "evalreport": 1,
        "title": "t",
        "positive": {"label": "ill"},
        "datasets": {"new": {"target": "y", "cluster": "g"}},
        "models": {"m": {"score": "p"}, "n": {"score": "q"}},
        "metrics": ["recall", "roc_auc", "brier"],
        "confidence": {"resamples": 300},
        "comparisons": {
            "reference": "n",
            "hypotheses": dict.fromkeys(("recall", "roc_auc", "brier"), "non_inferiority"),
            "margins": dict.fromkeys(("recall", "roc_auc", "brier"), 0.1),
        },
    }
    results = evalreport.run(spec, frames={"new": own})
    tests = {m: of(results, m)["hypothesis"]["test"] for m in ("brier", "recall", "roc_auc")}
    assert tests == {"brier": "design_based", "recall": "square_and_add",
                     "roc_auc": "obuchowski_score"}  # fmt: skip
    drawn = of(results, "brier")
    z = (0.1 - drawn["difference"]) / drawn["hypothesis"]["standard_error"]
    p_value = stats.t.sf(z, drawn["hypothesis"]["df"])
    assert drawn["hypothesis"]["p_value"] == pytest.approx(p_value, rel=1e-9)
    found = of(results, "recall")
    assert found["difference"] > -0.1
    down = (found["difference"] - found["interval"]["low"]) / stats.norm.ppf(0.975)
    z = (found["difference"] + 0.1) / down
    assert found["hypothesis"]["p_value"] == pytest.approx(stats.norm.sf(z), rel=1e-9)
    area = of(results, "roc_auc")["hypothesis"]
    assert area["df"] == 49  # 50 clusters
    assert area["p_value"] == pytest.approx(stats.t.sf(area["statistic"], 49), rel=1e-9)


@pytest.mark.parametrize("metric", ["recall", "brier"])
def test_verify_works_the_test_out_again(metric: str) -> None:
    asked = {"recall": "non_inferiority", "brier": "equivalence"}
    content = run(hypotheses=asked, margins={"recall": 0.1, "brier": 0.03}).json
    assert recompute(content).problems == ()
    one = next(c["hypothesis"] for c in content["comparisons"] if c["metric"] == metric)
    for changes, words in (
        ({"p_value": 0.4, "p_adjusted": 0.4}, "hypothesis.p_value is 0.4"),
        ({"statistic": 9.0}, "hypothesis.statistic is 9.0"),
        ({"shown": not one["shown"]}, "hypothesis.shown is"),
        ({"p_adjusted": 0.4}, "p_adjusted is 0.4"),
    ):
        kept = dict(one)
        one.update(changes)
        found = recompute(content).problems
        assert any(words in problem.what for problem in found), words
        one.update(kept)


def test_the_plan_names_what_is_to_be_shown(tmp_path: Path) -> None:
    own = FRAMES["new"]
    rows = ["y,p,q", *(f"{own['y'][k]},{own['p'][k]},{own['q'][k]}" for k in range(150))]
    (tmp_path / "a.csv").write_text("\n".join(rows), encoding="utf-8")
    (tmp_path / "s.yaml").write_text(
        "evalreport: 1\ntitle: t\ndatasets: {d: {path: a.csv, target: y}}\npositive: {label: ill}\n"
        "models: {m: {score: p}, n: {score: q}}\nmetrics: [recall, lr_plus]\n"
        "comparisons: {reference: n, hypotheses: {recall: non_inferiority},"
        " margins: {recall: 0.1}}\n",
        encoding="utf-8",
    )
    planned = prepare(load_spec(tmp_path / "s.yaml")).plan
    assert "non_inferiority by 0.1: tango" in explain(planned)
    stated = planned.as_json()["comparisons"][0]["hypothesis"]
    assert (stated["kind"], stated["margin"], stated["test"]) == ("non_inferiority", 0.1, "tango")


@pytest.mark.parametrize("seed", range(8))
def test_a_hypothesis_and_the_limits_beside_it_never_contradict_each_other(seed: int) -> None:
    """On 80 rows, with two models of which the second repeats most predictions of the first."""
    rng = np.random.default_rng(seed)
    truth = np.arange(80) < 40
    first = np.where(rng.random(80) < 0.9, truth, ~truth)
    second = np.where(rng.random(80) < 0.7, first, np.where(rng.random(80) < 0.9, truth, ~truth))
    metrics = ["precision", "recall", "accuracy", "npv"]
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "models": {"a": {"prediction": "p"}, "b": {"prediction": "q"}},
        "metrics": metrics,
        "comparisons": {
            "reference": "a",
            "correction": "none",
            "hypotheses": dict.fromkeys(metrics, "non_inferiority"),
            "margins": dict.fromkeys(metrics, 0.1),
        },
    }
    columns = (("y", truth), ("p", first), ("q", second))
    rows = {name: [int(x) for x in column] for name, column in columns}
    for found in evalreport.run(spec, frames={"d": rows}).json["comparisons"]:
        stated, limits = found["hypothesis"], found["interval"]
        if limits is None:  # the two models predict alike
            assert (stated["p_value"], stated["shown"]) == (None, None)
            continue
        assert stated["shown"] == (limits["low"] > -0.1)
        assert stated["test"] == limits["method"]
