"""The best steps of a training history: table, weights, metrics and cost, worked out apart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from plain_results import measures_latex, render_html
from report.html_page import parse
from sklearn.metrics import confusion_matrix, roc_auc_score

import evalreport
from evalreport.report.terminal import headline_lines
from tests.trap_runs import one, results_of

RANDOM = np.random.default_rng(5)
TRUTH = RANDOM.random(80) < 0.5
X = (RANDOM.normal(size=80) + 1.5 * TRUTH).round(3)
COLUMNS = {"y": np.where(TRUTH, "p", "n").tolist(), "x": X.tolist()}
#: Steps of a descent: bias and weight of x.
WEIGHTS = [(0, 0.0, 0.0), (1, -0.1, 0.4), (2, -0.7, 1.0), (3, -1.5, 1.6), (4, -2.6, 1.8)]
METRICS = ["accuracy", "recall", "roc_auc", "softmax_cost"]


def _cost(bias: float, weight: float) -> float:
    return float(np.mean(np.log1p(np.exp(-np.where(TRUTH, 1, -1) * (bias + weight * X)))))


def _wrong(bias: float, weight: float) -> int:
    return int(((bias + weight * X >= 0) != TRUTH).sum())


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = tmp_path_factory.mktemp("h") / "h.csv"
    path.write_text("step,b,w\n" + "\n".join(f"{s},{b},{w}" for s, b, w in WEIGHTS) + "\n")
    history = {"path": str(path), "step": "step", "bias": "b", "weights": {"x": "w"}}
    by_cost = min(WEIGHTS, key=lambda s: _cost(*s[1:]))
    linear = {"bias": by_cost[1], "weights": {"x": by_cost[2]}}
    return results_of(
        COLUMNS,
        {"history": history},
        METRICS,
        models={"same": {"linear": linear}},
        positive={"label": "p"},
    )


def test_the_best_steps_have_their_table_weights_and_metrics(made: Any):
    (history,) = made["histories"]
    fewest = min(WEIGHTS, key=lambda s: _wrong(*s[1:]))
    expected = {fewest, min(WEIGHTS, key=lambda s: _cost(*s[1:]))}
    assert {best["step"] for best in history["best"]} == {step for step, _, _ in expected}
    for best in history["best"]:
        _, bias, weight = WEIGHTS[int(best["step"])]
        assert (best["bias"], best["weights"]) == (bias, {"x": weight})
        tn, fp, fn, tp = confusion_matrix(TRUTH, bias + weight * X >= 0).ravel().tolist()
        assert [best[cell] for cell in ("tn", "fp", "fn", "tp")] == [tn, fp, fn, tp]
        values = {m["metric"]: m["value"] for m in best["metrics"]}
        assert values["accuracy"] == (tp + tn) / 80
        assert values["roc_auc"] == pytest.approx(roc_auc_score(TRUTH, weight * X), abs=1e-12)
        assert values["softmax_cost"] == pytest.approx(_cost(bias, weight), abs=1e-12)


def test_the_same_weights_written_out_have_the_same_numbers(made: Any):
    best = next(b for b in made["histories"][0]["best"] if "cost" in b["by"])
    values = {m["metric"]: m["value"] for m in best["metrics"]}
    for name in METRICS:
        assert one(made, name, model="same")["value"] == pytest.approx(values[name], abs=1e-12)


def test_the_page_shows_table_weights_and_both_panels(made: Any):
    page = render_html(made)
    assert "The table and the metrics at the best steps" in page
    assert "The weights at the best steps" in page
    assert "Above: rows misclassified, one scale for all runs. Below: cost." in page


def test_a_history_of_labels_has_no_cost_and_is_shown(tmp_path: Path):
    said = [np.where(b + w * X >= 0, "p", "n") for _, b, w in WEIGHTS]
    lines = [f"{step},{label}" for step, labels in enumerate(said) for label in labels]
    (tmp_path / "h.csv").write_text("step,said\n" + "\n".join(lines) + "\n")
    history = {"path": str(tmp_path / "h.csv"), "step": "step", "prediction": "said"}
    made = results_of(
        COLUMNS,
        {"history": history},
        ["accuracy", "roc_auc"],
        models={"m2": {"linear": {"bias": -1, "weights": {"x": 1}}}},
        positive={"label": "p"},
    )
    (run,) = made["histories"]
    assert run["cost"] is None
    (best,) = run["best"]
    assert best["weights"] is None
    values = {m["metric"]: m for m in best["metrics"]}
    assert values["accuracy"]["value"] == 1 - min(run["misclassified"]) / 80
    assert values["roc_auc"]["value"] is None
    assert values["roc_auc"]["reason"]
    assert "The table and the metrics at the best steps" in render_html(made)


def test_a_history_alone_leads_its_page(tmp_path: Path) -> None:
    """Two runs: in b the cost falls from step 0 to 1 while mistakes rise; no other model."""
    runs = {"a": WEIGHTS, "b": [(0, -0.7, 1.0), (1, -1.1, 1.2), (2, -1.9, 1.8)]}
    lines = [f"{name},{s},{b},{w}" for name, own in runs.items() for s, b, w in own]
    (tmp_path / "h.csv").write_text("run,step,b,w\n" + "\n".join(lines) + "\n")
    history = {
        "path": str(tmp_path / "h.csv"), "step": "step", "run": "run", "bias": "b",
        "weights": {"x": "w"},
    }  # fmt: skip
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "positive": {"label": "p"},
        "models": {"descent": {"history": history}},
        "metrics": ["accuracy", "roc_auc", {"fbeta": {"beta": 2}}, {"fbeta": {"beta": 0.5}}],
    }
    results = evalreport.run(spec, frames={"d": COLUMNS})
    steps = [(name, *step) for name, own in runs.items() for step in own]
    fewest = min(steps, key=lambda s: _wrong(*s[2:]))
    cheapest = min(steps, key=lambda s: _cost(*s[2:]))
    page = parse(results.to_html())
    verdict = next(s for s in page.all("section") if s.attrs["id"] == "verdict").text
    training = next(s for s in page.all("section") if s.attrs["id"] == "training").text
    assert "Nothing" not in verdict
    assert "2 training runs of descent on 80 rows of d." in verdict
    assert (
        f"fewest mistakes in run {fewest[0]} at step {fewest[1]}, {_wrong(*fewest[2:])} of 80"
        in verdict
    )
    assert f"lowest cost in run {cheapest[0]} at step {cheapest[1]}, " in verdict
    for title in ("The best step of each run", "The weights at the best steps"):
        assert title in verdict
        assert title not in training
    rise = (
        f"from {_cost(-0.7, 1.0):.4g} to {_cost(-1.5, 1.6):.4g} while mistakes rise from 12 to 13"
    )
    assert f"From step 2 to step 3 the cost falls {rise}." in verdict
    for title in ("ROC AUC", "F-beta (beta 2", "F-beta (beta 0.5)"):
        assert title in verdict
    guide = "".join(s.text for s in page.all("section") if s.attrs["id"] == "guide")
    assert "numerator cells" not in guide  # no card, no formula
    texts = (
        results.to_markdown(),
        measures_latex(results.json),
        headline_lines(results.records)[0],
    )
    for text in texts:
        assert f"fewest mistakes in run {fewest[0]} at step {fewest[1]}" in text
