"""The first page shows the best models first and says how many it leaves to the sections."""

from __future__ import annotations

import numpy as np
import pytest
from plain_results import render_html
from report.html_page import parse
from scipy.stats import t
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from evalreport.api import evaluate, run
from evalreport.report.terminal import headline, headline_lines

ACTUAL = np.array(["no", "yes"] * 20)
#: How many of the 20 positives score above all negatives: the others score below all.
WON = {"even": 10, "poor": 2, "fair": 14, "best": 20, "good": 17, "bad": 0, "late": 13}


def _scores(won: int) -> list[float]:
    scores = np.full(40, 0.5)
    scores[1::2] = np.where(np.arange(20) < won, 0.9, 0.1)
    return scores.tolist()


def _page(names: list[str], **more: object) -> tuple[str, list[str]]:
    """The sentences of the first page, and the models of its table in their order."""
    frame = {"y": ACTUAL.tolist(), **{name: _scores(WON[name]) for name in names}}
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "models": {name: {"score": name} for name in names},
        "metrics": ["recall", "roc_auc"],
    }
    root = parse(render_html(run(spec | more, frames={"d": frame}).json))
    first = next(s for s in root.all("section") if s.attrs["id"] == "verdict")
    lines = next(t for t in first.all("table") if "ROC AUC" in t.text).all("tr")
    begin = next(k for k, line in enumerate(lines) if "ROC AUC" in line.text)
    cells = [cell.text for line in lines[begin:] for cell in line.all("td")]
    shown = [n for text in cells for n in names if text.split()[-1:] == [n]]
    return first.text, list(dict.fromkeys(shown))


@pytest.mark.long
def test_seven_models_are_shown_best_first_by_the_primary_metric() -> None:
    """The area is the share of positives that win: 1, 0.85 and 0.7; the spec has 0.5 first."""
    areas = {name: roc_auc_score(ACTUAL == "yes", _scores(won)) for name, won in WON.items()}
    assert areas == {name: won / 20 for name, won in WON.items()}
    text, shown = _page(list(WON), about={"primary_metric": "ROC AUC"})
    assert shown == ["best", "good", "fair"]
    assert "3 of 7, best first by ROC AUC; even, poor, bad and late are in the sections" in text


def test_ties_in_the_first_metric_are_ordered_by_the_next() -> None:
    """At 0.05 every row is called positive, so recall is 1 throughout."""
    text, shown = _page(["poor", "even", "good"], thresholds=[0.05])
    assert shown == ["good", "even", "poor"]
    assert "best first" not in text


def test_a_threshold_is_that_of_the_models_with_scores() -> None:
    labels = {"prediction": "said"}
    frame = {"y": ACTUAL.tolist(), "fair": _scores(14), "said": ACTUAL.tolist()}
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "models": {"said": labels, "fair": {"score": "fair"}},
        "metrics": ["recall"],
    }
    first = parse(render_html(run(spec, frames={"d": frame}).json)).all("dd")[0].text
    assert first.startswith("Models fair at score ≥ 0.50 and said by the labels given, on 40 rows")


@pytest.mark.parametrize(
    ("words", "leads"),
    [
        ("The number of misclassified rows.", "Error rate"),
        ("Share of errors; no kind of error matters more.", "Error rate"),
        ("The recall, because a missed one costs most.", "Recall"),
        ("Whatever is best.", "ROC AUC"),
    ],
)
def test_the_declared_metric_leads_the_page(words: str, leads: str) -> None:
    text, _ = _page(["fair"], metrics=["recall", "error_rate", "roc_auc"],
                    about={"primary_metric": words})  # fmt: skip
    assert f"no verdict. {leads} is 0." in text
    table = text.partition("modelfound / of")[2]
    assert leads == min(("Error rate", "Recall", "ROC AUC"), key=table.index)


def test_models_left_out_are_named_where_they_are_few() -> None:
    text, _ = _page(["poor", "even", "fair", "best", "good"])
    assert "3 of 5, best first by ROC AUC; poor and even are in" in text


@pytest.mark.long
def test_cross_validated_models_stand_in_the_order_of_the_mean_that_leads() -> None:
    """Folds by scikit-learn: both models have 143 of 150 right in the first repeat, and means over
    the 50 folds of five repeats that differ."""
    iris = load_iris()
    splits = RepeatedStratifiedKFold(n_splits=10, n_repeats=5, random_state=3)
    kinds = {
        "bayes": GaussianNB(),
        "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
    }
    means = {k: cross_val_score(m, iris.data, iris.target, cv=splits).mean()
             for k, m in kinds.items()}  # fmt: skip
    assert 0.001 < means["logistic"] - means["bayes"] < 0.01
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "models": {
            "bayes": {"estimator": "sklearn.naive_bayes.GaussianNB"},
            "logistic": {
                "estimator": "sklearn.linear_model.LogisticRegression",
                "steps": ["scale"],
            },
        },
        "cross_validation": {"scheme": "stratified_k_fold", "folds": 10, "repeats": 5, "seed": 3},
        "metrics": ["accuracy"],
    }
    frame = {"y": iris.target_names[iris.target].tolist()}
    frame |= {f"x{k}": iris.data[:, k].tolist() for k in range(4)}
    page = parse(render_html(run(spec, frames={"d": frame}).json))
    first = next(s for s in page.all("section") if s.attrs["id"] == "verdict")
    said = next(dd.text for dd in first.all("dd") if "mean over folds" in dd.text)
    assert f"is {means['logistic']:.3f} (" in said
    assert ") for logistic; naming the largest class every time gives 0.333." in said
    table = next(t for t in first.all("table") if "results" in t.attrs["class"])
    assert table.text.index("logistic") < table.text.index("bayes")


def test_a_cross_validated_model_leads_with_limits_that_allow_for_training() -> None:
    """Folds by scikit-learn; the corrected resampled t of Nadeau and Bengio, 2003, by hand."""
    iris = load_iris()
    rows, ill = iris.data[50:], iris.target[50:] == 2
    folds = StratifiedKFold(5, shuffle=True, random_state=3)
    accuracy = cross_val_score(GaussianNB(), rows, ill, cv=folds)
    wide = t.ppf(0.975, 4) * np.sqrt(np.var(accuracy, ddof=1) * (1 / 5 + 20 / 80))
    low, high = accuracy.mean() - wide, min(1.0, accuracy.mean() + wide)
    columns = {f"x{k}": rows[:, k].tolist() for k in range(4)}
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "models": {"bayes": {"estimator": "sklearn.naive_bayes.GaussianNB"}},
        "cross_validation": {"scheme": "stratified_k_fold", "folds": 5, "seed": 3},
        "metrics": ["accuracy"],
    }
    frame = {"y": np.where(ill, "yes", "no").tolist(), **columns}
    found = run(spec, frames={"d": frame})
    first = next(
        s for s in parse(render_html(found.json)).all("section") if s.attrs["id"] == "verdict"
    )
    text = f"{accuracy.mean():.3f} ({low:.3f} to {high:.3g})"
    assert f"Accuracy, mean over folds, is {text}" in first.text
    heads = [head.text for head in first.all("th") if "Accuracy" in head.text]
    assert heads == ["Accuracy, mean over folds", "Accuracy, folds pooled"]
    mean, pooled = found.summary().to_dict("records")
    assert (mean["over"], pooled["over"]) == ("mean over folds", "")
    assert [mean[k] for k in ("value", "low", "high")] == pytest.approx(
        [accuracy.mean(), low, high]
    )
    printed = "\n".join(headline_lines(found.records))
    assert f"Accuracy, mean over folds  {accuracy.mean():.3f}  {low:.3f} to {high:.3g}" in printed


def _rows(**more: object) -> list[str]:
    """The metrics and models of the tables of the first page, row by row."""
    frame = {"y": ACTUAL.tolist(), "s": _scores(14), "p": ["no"] * 40}
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "models": {"risk": {"score": "s"}},
    }
    root = parse(render_html(run(spec | more, frames={"d": frame}).json))
    first = next(s for s in root.all("section") if s.attrs["id"] == "verdict")
    tables = [t for t in first.all("table") if "results" in t.attrs["class"]]
    bodies = [line for table in tables for line in table.all("tbody")[0].all("tr")]
    heads = [line.all("th")[0].text.strip() if line.all("th") else "" for line in bodies]
    cells = [next(td.text for td in line.all("td") if td.text.strip()) for line in bodies]
    models = [cell.split()[-1] for cell in cells]
    return [f"{head} {model}".strip() for head, model in zip(heads, models, strict=True)]


def test_a_risk_model_leads_with_what_no_cut_off_decides() -> None:
    """Ranking, calibration and loss stand before what is true at one threshold."""
    metrics = ["f1", "accuracy", "recall", "brier", "calibration_slope", "roc_auc"]
    assert _rows(metrics=metrics) == [
        "ROC AUC risk", "Calibration slope risk", "Recall risk", "F1 risk", "Accuracy risk",
        "Brier score risk",
    ]  # fmt: skip


def test_the_primary_metric_and_those_with_a_limit_stand_before_it() -> None:
    spec = {
        "metrics": ["f1", "specificity", "accuracy", "roc_auc"],
        "about": {"primary_metric": "F1, as the plan says"},
        "acceptance": [{"metric": "accuracy", "at_least": 0.5}],
    }
    assert _rows(**spec) == ["F1 risk", "Accuracy risk", "ROC AUC risk", "Specificity risk"]


def test_labels_alone_keep_the_order_of_the_spec() -> None:
    rule = {"rule": {"prediction": "p"}}
    metrics = ["f1", "accuracy", "recall"]
    assert _rows(metrics=metrics, models=rule) == ["F1 rule", "Accuracy rule", "Recall rule"]


def test_a_rule_without_scores_has_no_row_of_what_needs_them() -> None:
    models = {"rule": {"prediction": "p"}, "risk": {"score": "s"}}
    shown = _rows(metrics=["recall", "roc_auc"], models=models)
    assert shown == ["ROC AUC risk", "Recall risk", "rule"]


def test_arrays_of_scores_are_answered_with_ranking_and_loss_first() -> None:
    found = evaluate(ACTUAL == "yes", np.asarray(_scores(14)))
    metrics = [m["metric"] for m in headline(found.records)]
    assert metrics[:3] == ["roc_auc", "brier", "recall"]
