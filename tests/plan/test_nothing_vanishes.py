"""Whatever a spec asks for is done, or named as not done, with the reason: plan, results, page.

Specs that ask for everything in combinations that cannot work.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evalreport.cli import status_of

ROWS = [
    (f"{'yes' if k % 3 else 'no'}", f"0.{30 + (k * 37) % 60}", "yes" if k % 2 else "no", k % 5)
    for k in range(60)
]
HISTORY = "step,bias,x\n" + "".join(f"{k},{-1 + 0.5 * k},{0.2 * k}\n" for k in range(5))


def write(folder: Path, text: str) -> Path:
    lines = [f"{y},{s},{p},{x}" for y, s, p, x in ROWS]
    for name in ("a", "b"):
        (folder / f"{name}.csv").write_text("\n".join(["y,s,p,x", *lines]) + "\n")
    (folder / "h.csv").write_text(HISTORY)
    path = folder / "spec.yaml"
    path.write_text(text)
    return path


def planned(path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[dict[str, Any], str]:
    assert status_of(["plan", str(path), "--json"]) == 0
    body = json.loads(capsys.readouterr().out)
    assert status_of(["plan", str(path)]) == 0
    return body, capsys.readouterr().out


def run(path: Path) -> tuple[dict[str, Any], str]:
    status_of(["run", str(path), "-o", str(path.parent / "runs"), "--quiet", "--formats", "html"])
    latest = path.parent / "runs" / "latest"
    return json.loads((latest / "results.json").read_text()), (latest / "report.html").read_text()


def left_out(body: dict[str, Any]) -> dict[tuple[str, str | None], str]:
    return {
        (f"{one['part']}: {one['what']}", one["model"]): one["reason"]
        for one in body["requests"]
        if one["reason"]
    }


IMPOSSIBLE = """
evalreport: 1
datasets:
  a: {path: a.csv, target: y}
  b: {path: b.csv, target: y}
positive: {label: "yes"}
models:
  scored: {score: s, datasets: [a]}
  says: {prediction: p, datasets: [b]}
  descent: {history: {path: h.csv, step: step, bias: bias, weights: {x: x}}, datasets: [a]}
metrics: [recall, roc_auc]
averaging: [none, samples]
one_versus_rest: true
thresholds: [0.5, {maximize: youden_j, on: b}]
comparisons: {reference: {dataset: b}, net_reclassification: true}
learning_curve: {sizes: [0.5]}
acceptance:
  - {metric: recall, at_least: 0.1, model: descent}
  - {metric: recall, at_least: 0.1, model: says}
"""


@pytest.fixture(scope="module")
def impossible(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("impossible"), IMPOSSIBLE)


REASONS = {
    ("comparison: with the dataset b", "scored"): "scored is not evaluated on b",
    ("comparison: with the dataset b", "says"): "says is evaluated on no other dataset",
    ("comparison: net reclassification", "scored"): "two models on the same rows",
    ("comparison: net reclassification", "says"): "two models on the same rows",
    ("one_versus_rest: a table of each class", "scored"): "with two classes",
    ("one_versus_rest: a table of each class", "says"): "with two classes",
    ("threshold: 0.5", "says"): "says gives labels",
    ("threshold: maximize youden_j on b", "says"): "says gives labels",
    ("threshold: maximize youden_j on b", "scored"): "scored has no scores in b",
    ("learning_curve: scores by training rows", "scored"): "scored is not trained here",
    ("learning_curve: scores by training rows", "says"): "says is not trained here",
    ("learning_curve: scores by training rows", "descent"): "descent is not trained here",
    ("criterion: 1. recall", "descent"): "descent is a training history",
}


def test_the_plan_names_each_request_that_cannot_be_met(
    impossible: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    body, text = planned(impossible, capsys)
    found = left_out(body)
    assert set(found) == set(REASONS)
    for key, words in REASONS.items():
        assert words in found[key], key
        assert words in text.partition("Skipped, because:")[2]
    # the others of the same kinds are planned
    done = {(one["part"], one["model"]) for one in body["requests"] if not one["reason"]}
    assert done >= {("threshold", "scored"), ("curves", "scored"), ("history", "descent")}
    no_average = [s["reason"] for s in body["skipped"] if s["average"] == "samples"]
    assert no_average
    assert all("one label each, not sets" in r or "it needs scores" in r for r in no_average)
    # and both classes are measured, as averaging says
    labels = {t["label"] for t in body["tasks"] if t["metric"] == "recall" and t["model"] == "says"}
    assert labels == {"yes", "no"}


@pytest.mark.long
def test_results_and_page_name_them_too(impossible: Path) -> None:
    results, page = run(impossible)
    told = {(s["task"], s["model"]): s["reason"] for s in results["plan"]["skipped"]}
    shown = " ".join(page.split())
    for (what, model), words in REASONS.items():
        part, _, rest = what.partition(": ")
        assert words in told[f"{part.replace('_', ' ')}: {rest}", model]
        assert words in shown
    (of_descent, _) = results["acceptance"]
    assert (of_descent["outcome"], of_descent["measure"]) == ("not_evaluated", None)
    assert ALL not in page
    # the course of the training, and both metrics at its best steps
    assert {"part": "history", "count": 3} in results["plan"]["planned"]
    (best, *_) = results["histories"][0]["best"]
    assert [(m["metric"], m["value"] is None, bool(m["reason"])) for m in best["metrics"]] == [
        ("recall", False, False),
        ("roc_auc", False, False),
    ]


def test_the_hash_covers_every_request(
    impossible: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = planned(impossible, capsys)[0]["sha256"]
    for old, new in (
        ("one_versus_rest: true", "one_versus_rest: false"),
        ("net_reclassification: true", "net_reclassification: false"),
        ("learning_curve: {sizes: [0.5]}", ""),
        ("{maximize: youden_j, on: b}", "{maximize: youden_j}"),
        ("reference: {dataset: b}", "reference: {dataset: a}"),
    ):
        assert old in IMPOSSIBLE
        path = write(tmp_path, IMPOSSIBLE.replace(old, new))
        assert planned(path, capsys)[0]["sha256"] != first


#: What the provenance says where nothing is missing.
ALL = "nothing: every requested value exists"
POSSIBLE = """
evalreport: 1
datasets:
  a: {path: a.csv, target: y}
positive: {label: "yes"}
models:
  scored: {score: s}
  other: {score: x}
metrics: [recall, roc_auc]
comparisons: {reference: scored, tests: {recall: mcnemar}}
"""


@pytest.mark.long
def test_comparisons_are_planned_as_they_are_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, POSSIBLE)
    body, text = planned(path, capsys)
    results, _ = run(path)
    own = [(c["metric"], c["test"], c["model"], c["reference"]) for c in body["comparisons"]]
    assert own == [
        ("recall", "mcnemar", "other", "scored"),
        ("roc_auc", "delong_score", "other", "scored"),
    ]
    made = [(c["metric"], c["test"], c["model"], c["reference"]) for c in results["comparisons"]]
    assert made == own
    assert {"part": "comparison", "count": 2} in results["plan"]["planned"]
    assert "2 comparisons" in text
    changed = planned(write(tmp_path, POSSIBLE.replace("mcnemar", "mcnemar_exact")), capsys)[0]
    assert changed["sha256"] != body["sha256"]


@pytest.mark.long
def test_all_was_computed_is_said_only_where_it_is_true(tmp_path: Path) -> None:
    one = POSSIBLE.replace("  other: {score: x}\n", "").partition("comparisons")[0]
    page = run(write(tmp_path, one))[1]
    assert ALL in page
    asked_more = one + "one_versus_rest: true\n"
    page = run(write(tmp_path, asked_more))[1]
    assert ALL not in page
    assert "compares each class with the other" in page


def test_a_criterion_against_a_reference_that_stands_alone_is_not_evaluated(
    tmp_path: Path,
) -> None:
    one = POSSIBLE.replace("  other: {score: x}\n", "").partition("comparisons")[0]
    text = one + "acceptance:\n  - {metric: recall, reference: scored, margin: 0.1}\n"
    results, page = run(write(tmp_path, text))
    (entry,) = results["acceptance"]
    assert (entry["outcome"], entry["reason"]) == (
        "not_evaluated",
        "there is nothing but the model scored",
    )
    assert "there is nothing but the model scored" in page
