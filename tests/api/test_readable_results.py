"""Results print as a table, and give their numbers by the name of a metric."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import (
    accuracy_score,
    confusion_matrix,
    fbeta_score,
    recall_score,
    roc_auc_score,
)

import evalreport
from evalreport import evaluate, run

ROOT = Path(__file__).parents[2]
RNG = np.random.default_rng(8)
Y = np.array(["no", "yes"], object)[RNG.integers(0, 2, 80)]
P = np.clip(0.4 * (Y == "yes") + 0.6 * RNG.random(80), 0, 1)
SAID = np.where(P >= 0.5, "yes", "no")
Y3 = RNG.choice(["cat", "dog", "owl"], 90)
S3 = RNG.dirichlet([1, 1, 1], 90)


def test_results_print_as_a_table_of_metrics() -> None:
    text = str(evaluate(Y, P, metrics=["recall", "roc_auc"], title="Mine"))
    found = Y == "yes"
    right, of = int((SAID[found] == "yes").sum()), int(found.sum())
    lines = text.splitlines()
    assert lines[:4] == ["Mine", "", "positive class: yes", ""]
    assert lines[4].split("  ")[0] == "model, score ≥ 0.50"
    assert lines[4].split()[4:] == ["value", "95", "%", "limits", "n"]
    assert lines[6].split()[:2] == ["Recall", f"{right / of:.3f}"]
    z = 1.959963984540054  # Wilson's limits by hand
    p, q = right / of, z * z / of
    half = z * math.sqrt(p * (1 - p) / of + q / 4 / of)
    low, high = (p + q / 2 - half) / (1 + q), (p + q / 2 + half) / (1 + q)
    assert f"{low:.3f} to {high:.3f}" in lines[6]
    assert lines[6].endswith("  30 / 32  Wilson")
    assert lines[5].split()[:3] == ["ROC", "AUC", f"{roc_auc_score(Y == 'yes', P):.3f}"]
    assert "<Results" not in text


def test_several_models_have_a_block_each_and_a_reason_where_there_is_no_number() -> None:
    results = evaluate(Y, {"a": P}, y_pred={"rule": SAID}, metrics=["accuracy", "roc_auc"])
    text = str(results)
    assert text.index("\na, ") < text.index("\nrule ")
    assert "not applicable" in text
    assert "it needs scores; rule gives labels only" in text
    assert repr(results) == text


def test_accuracy_of_all_classes_comes_first() -> None:
    results = evaluate(Y3, S3)
    overall = accuracy_score(Y3, np.array(["cat", "dog", "owl"])[S3.argmax(axis=1)])
    first = results.summary().iloc[0]
    assert (first["metric"], first["label"]) == ("accuracy", None)
    assert first["value"] == overall
    assert str(results).splitlines()[3].split()[:2] == ["Accuracy", f"{overall:.3f}"]
    assert results["accuracy"].value == overall
    macro = recall_score(Y3, np.array(["cat", "dog", "owl"])[S3.argmax(axis=1)], average="macro")
    assert results["recall"].value == pytest.approx(macro)
    assert results["recall"].record.average == "macro"


def test_a_metric_is_found_by_name_and_by_alias() -> None:
    results = evaluate(Y, P, metrics=["recall", "roc_auc", {"fbeta": {"beta": 2}}])
    one = results["sensitivity"]
    assert one.value == recall_score(Y, SAID, pos_label="yes")
    assert one.low < one.value < one.high
    assert (one.n, one.method) == (80, "wilson")
    assert one.table.to_numpy().tolist() == confusion_matrix(Y, SAID).tolist()
    assert float(one) == one.value
    assert results["auc"].value == pytest.approx(roc_auc_score(Y == "yes", P))
    assert results["fbeta"].value == pytest.approx(fbeta_score(Y, SAID, beta=2, pos_label="yes"))
    assert repr(one).startswith(f"Recall {one.value:.3f} (")


def test_metrics_are_listed_and_found_in_results() -> None:
    results = evaluate(Y, {"a": P, "b": 1 - P}, metrics=["recall", "roc_auc"])
    assert sorted(results) == ["recall", "roc_auc"]
    assert "sensitivity" in results
    assert ("recall", "b") in results
    assert not [key for key in ("f1", "nope", 0, ("recall", "x")) if key in results]
    with pytest.raises(KeyError, match="'x' is no model or dataset of recall"):
        results["recall", "x"]


def test_the_model_is_named_where_there_are_several() -> None:
    results = evaluate(Y, {"a": P, "b": 1 - P}, metrics=["recall"])
    assert results["recall", "b"].value == recall_score(
        Y, np.where(P <= 0.5, "yes", "no"), pos_label="yes"
    )
    with pytest.raises(KeyError) as raised:
        results["recall"]
    assert str(raised.value) == (
        "recall was measured for 2 models; results['recall', 'a'], results['recall', 'b']"
    )


def test_the_dataset_is_named_where_there_are_several() -> None:
    spec = {
        "evalreport": 1,
        "datasets": {"old": {"target": "y"}, "new": {"target": "y"}},
        "models": {"m": {"prediction": "p"}},
        "metrics": ["accuracy"],
    }
    frames = {"old": {"y": [0, 1], "p": [0, 1]}, "new": {"y": [0, 1, 1, 1], "p": [0, 1, 1, 0]}}
    results = run(spec, frames=frames)
    assert results["accuracy", "new"].value == 0.75
    assert results["accuracy", "m", "old"].value == 1
    with pytest.raises(KeyError, match="measured for 2 datasets"):
        results["accuracy"]
    assert "new, m" in str(results)


@pytest.mark.parametrize(
    ("key", "says"),
    [
        ("recal", "'recal' was not measured; did you mean 'recall'?"),
        ("brier", "'brier' was not measured; metrics: [brier]"),
        (("recall", "modle"), "'modle' is no model or dataset of recall; did you mean 'model'?"),
        ("fbeta", "fbeta was measured 2 times; results.summary() has all of them"),
    ],
)
def test_a_name_that_is_no_measure_is_told_with_the_nearest(key, says) -> None:
    results = evaluate(Y, P, metrics=["recall", {"fbeta": {"beta": 2}}, {"fbeta": {"beta": 0.5}}])
    with pytest.raises(KeyError) as raised:
        results[key]
    assert str(raised.value) == says
    assert isinstance(raised.value, evalreport.UsageError)


def test_frames_of_numbers_begin_with_what_is_read_first() -> None:
    results = evaluate(Y, P, groups={"half": np.arange(80) % 2}, threshold=[0.5, 0.3])
    wanted = ["metric", "model", "value", "low", "high", "n", "method"]
    assert results.measures.columns[:7].tolist() == wanted
    summary = results.summary()
    assert summary.columns[:7].tolist() == wanted
    # all rows, the first threshold, one row for each metric
    assert summary["metric"].is_unique
    assert set(summary["threshold"].dropna()) == {0.5}
    assert len(results.measures) == len(results.json["measures"])
    with pd.option_context("display.width", 80):
        shown = str(results.measures)
    assert "metric" in shown
    assert "recall" in shown


def test_labels_that_decide_speak_before_declared_thresholds() -> None:
    rows = {"y": [0, 0, 1, 1], "p": [0.1, 0.4, 0.3, 0.9], "said": [0, 0, 1, 1]}
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "models": {"m": {"score": "p", "prediction": "said", "decides": "prediction"}},
        "metrics": ["recall"],
        "thresholds": [0.5],
    }
    results = run(spec, frames={"d": rows})
    assert results["recall"].value == 1  # at 0.5 it is 1 of 2
    assert len(results.summary()) == 1
    assert results.to_markdown().count("| Recall |") == 1


@pytest.mark.long
def test_sets_of_labels_print_their_own_metrics() -> None:
    text = str(run(ROOT / "configs" / "multilabel.yaml"))
    assert "Exact match" in text
    assert "Macro recall" in text


def test_the_table_of_the_readme_is_what_is_printed() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (call,) = re.findall(r"results = (evalreport\.evaluate\(.*?\n\))", readme, re.DOTALL)
    (shown,) = re.findall(r"```text\n(Evaluation of.*?)```", readme, re.DOTALL)
    frame = pd.read_csv(ROOT / "sample_data" / "breast_cancer.csv")
    results = eval(call, {"evalreport": evalreport, "df": frame})
    assert f"{results}\n" == shown


def test_a_run_that_failed_says_so_and_is_not_accepted() -> None:
    frame = pd.DataFrame({"x": range(30), "y": ["a"] * 14 + ["b"] * 14 + ["c"] * 2})
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "models": {"m": {"estimator": "sklearn.linear_model.LogisticRegression"}},
        "metrics": ["accuracy"],
        "cross_validation": {"folds": 5},
    }
    results = evalreport.run(spec, frames={"d": frame})
    assert not results.accepted
    assert "FAILED measures, m, d: class 'c' has 2 rows" in repr(results)
    with pytest.raises(KeyError, match="was not measured; measures, m, d: class 'c' has 2 rows"):
        results["accuracy"]
