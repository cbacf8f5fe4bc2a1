"""Tables are of what a model decides, curves of its scores, wherever the model comes from."""

from __future__ import annotations

import html
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    accuracy_score,
    cohen_kappa_score,
    confusion_matrix,
    recall_score,
    roc_auc_score,
)
from sklearn.model_selection import (
    FixedThresholdClassifier,
    KFold,
    TunedThresholdClassifierCV,
    cross_val_predict,
)
from sklearn.svm import SVC, LinearSVC

from evalreport import SpecError, evaluate_estimator, run

X, Y = make_classification(160, 5, flip_y=0.2, weights=[0.8], random_state=3)
X3, Y3 = make_classification(200, 6, n_informative=4, n_classes=3, flip_y=0.2, random_state=3)


def pooled(results, metric, **where):
    found = results.measures
    found = found[(found["metric"] == metric) & found["fold"].isna()]
    found = found[found["subgroup"].map(lambda s: not s)]
    for key, wanted in where.items():
        found = found[found[key].isna() if wanted is None else found[key] == wanted]
    assert len(found) == 1, found
    return found.iloc[0]["value"]


def told(results):
    found = results.cautions
    return found[found["code"] == "labels_differ"]["message"].tolist()


def test_a_tuned_threshold_is_that_of_each_fold() -> None:
    rng = np.random.default_rng(0)
    rows, y = rng.normal(size=(90, 2)), np.zeros(90, int)
    y[rng.permutation(90)[:7]] = 1
    rows[y == 1] += 1.0
    model = TunedThresholdClassifierCV(LogisticRegression(), cv=3, thresholds=[0.05, 0.1, 0.2])
    said = cross_val_predict(model, rows, y, cv=5)
    scores = cross_val_predict(model, rows, y, cv=5, method="predict_proba")[:, 1]
    right = recall_score(y, said)
    assert right > recall_score(y, scores >= 0.5)
    results = evaluate_estimator(model, rows, y, cv=5, metrics=["recall", "roc_auc"])
    assert pooled(results, "recall") == right
    assert pooled(results, "roc_auc") == pytest.approx(roc_auc_score(y, scores))
    assert results.table().to_numpy().tolist() == confusion_matrix(y, said).tolist()
    differ = int(np.count_nonzero(said != (scores >= 0.5)))
    (message,) = told(results)
    assert message.startswith(
        "TunedThresholdClassifierCV: the labels that it decides differ from those of "
        f"score ≥ 0.50 in {differ} of 90 rows; "
    )


@pytest.mark.parametrize(
    "model",
    [
        FixedThresholdClassifier(LogisticRegression(), threshold=0.2),
        FixedThresholdClassifier(LinearSVC(), threshold=-0.4),
        SVC(probability=True, random_state=0),
    ],
)
@pytest.mark.filterwarnings("ignore::FutureWarning")  # SVC(probability=True) will go
def test_a_fitted_classifier_is_judged_by_its_predict(model) -> None:
    fitted = model.fit(X, Y)
    said = fitted.predict(X)
    how = "predict_proba" if hasattr(fitted, "predict_proba") else "decision_function"
    scores = getattr(fitted, how)(X)
    scores = scores[:, 1] if scores.ndim == 2 else scores
    usual = scores >= (0.5 if how == "predict_proba" else 0)
    assert (usual != said).any()
    results = evaluate_estimator(fitted, X, Y, metrics=["recall", "specificity", "roc_auc"])
    assert pooled(results, "recall") == pytest.approx(recall_score(Y, said))
    assert pooled(results, "specificity") == pytest.approx(recall_score(Y, said, pos_label=0))
    assert pooled(results, "roc_auc") == pytest.approx(roc_auc_score(Y, scores))
    assert set(results.measures["threshold"]) == {None}
    assert len(told(results)) == 1


def test_labels_of_the_usual_threshold_stand_at_it_without_a_word() -> None:
    results = evaluate_estimator(LogisticRegression().fit(X, Y), X, Y)
    assert pooled(results, "accuracy", threshold=0.5) == pytest.approx(
        accuracy_score(Y, LogisticRegression().fit(X, Y).predict(X))
    )
    assert not told(results)


def test_a_threshold_that_is_asked_for_is_held_against_what_the_model_decides() -> None:
    model = LogisticRegression().fit(X, Y)
    score = model.predict_proba(X)[:, 1]
    results = evaluate_estimator(model, X, Y, threshold=0.2, metrics=["recall"])
    assert pooled(results, "recall") == pytest.approx(recall_score(Y, score >= 0.2))
    differ = int(np.count_nonzero(model.predict(X) != (score >= 0.2)))
    (message,) = told(results)
    assert f"differ from those of score ≥ 0.20 in {differ} of 160 rows" in message
    assert "The score is used" in message


class _Rule(ClassifierMixin, BaseEstimator):
    """Of three classes the last wherever it has a fifth of the probability."""

    def fit(self, rows, y):
        self.inside_ = LogisticRegression().fit(rows, y)
        self.classes_ = self.inside_.classes_
        return self

    def predict_proba(self, rows):
        return self.inside_.predict_proba(rows)

    def predict(self, rows):
        told = self.predict_proba(rows)
        return np.where(told[:, 2] >= 0.2, self.classes_[2], self.classes_[told.argmax(axis=1)])


@pytest.mark.parametrize("cv", [None, KFold(4)])
def test_a_rule_of_three_classes_decides(cv) -> None:
    model = _Rule().fit(X3, Y3)
    said, scores = model.predict(X3), model.predict_proba(X3)
    if cv is not None:
        said = cross_val_predict(_Rule(), X3, Y3, cv=cv)
        scores = cross_val_predict(_Rule(), X3, Y3, cv=cv, method="predict_proba")
    results = evaluate_estimator(model, X3, Y3, cv=cv, metrics=["kappa", "roc_auc"])
    assert pooled(results, "kappa") == pytest.approx(cohen_kappa_score(Y3, said))
    assert cohen_kappa_score(Y3, said) != cohen_kappa_score(Y3, scores.argmax(axis=1))
    assert pooled(results, "roc_auc", label="2") == pytest.approx(
        roc_auc_score(Y3 == 2, scores[:, 2])
    )
    differ = int(np.count_nonzero(said != scores.argmax(axis=1)))
    (message,) = told(results)
    assert f"differ from those of the largest score in {differ} of 200 rows" in message


# -- in a spec ---------------------------------------------------------------------------------

FRAME = pd.DataFrame(X, columns=list("abcde")).assign(y=Y, half=np.arange(160) % 2)
FIXED = {
    "estimator": "sklearn.model_selection.FixedThresholdClassifier",
    "params": {
        "estimator": {"sklearn.linear_model.LogisticRegression": {}},
        "threshold": 0.2,
    },
    "features": list("abcde"),
}


def spec(model, **more):
    return {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "models": {"m": model},
        "metrics": ["recall", "roc_auc"],
        **more,
    }


def test_an_estimator_of_a_spec_is_judged_by_its_predict() -> None:
    own = FixedThresholdClassifier(LogisticRegression(random_state=7), threshold=0.2)
    cv = KFold(4, shuffle=True, random_state=7)
    said = cross_val_predict(own, X, Y, cv=cv)
    scores = cross_val_predict(own, X, Y, cv=cv, method="predict_proba")[:, 1]
    folds = {"scheme": "k_fold", "folds": 4, "seed": 7}
    results = run(spec(FIXED, cross_validation=folds), frames={"d": FRAME})
    assert pooled(results, "recall") == pytest.approx(recall_score(Y, said))
    assert recall_score(Y, said) != recall_score(Y, scores >= 0.5)
    assert pooled(results, "roc_auc") == pytest.approx(roc_auc_score(Y, scores))
    assert len(told(results)) == 1
    # trained once, on rows that a column marks
    fit_on = {"column": "half", "train": [0]}
    results = run(spec({**FIXED, "fit_on": fit_on}), frames={"d": FRAME})
    train, test = FRAME["half"] == 0, FRAME["half"] == 1
    said = own.fit(X[train], Y[train]).predict(X[test])
    assert pooled(results, "recall") == pytest.approx(recall_score(Y[test], said))


@pytest.mark.long
def test_a_saved_model_is_judged_by_its_predict(tmp_path) -> None:
    skops = pytest.importorskip("skops.io")
    own = FixedThresholdClassifier(LogisticRegression(), threshold=0.2).fit(X, Y)
    skops.dump(own, tmp_path / "m.skops")
    FRAME.to_csv(tmp_path / "d.csv", index=False)
    (tmp_path / "s.yaml").write_text(
        "evalreport: 1\ndatasets: {d: {path: d.csv, target: y}}\n"
        "models: {m: {skops: m.skops, features: [a, b, c, d, e]}}\nmetrics: [recall, roc_auc]\n"
    )
    results = run(tmp_path / "s.yaml")
    assert pooled(results, "recall") == pytest.approx(recall_score(Y, own.predict(X)))
    assert pooled(results, "roc_auc") == pytest.approx(roc_auc_score(Y, own.predict_proba(X)[:, 1]))
    assert len(told(results)) == 1


RNG = np.random.default_rng(4)
SCORE = LogisticRegression().fit(X, Y).predict_proba(X)[:, 1]
ROWS = pd.DataFrame(
    {
        "y": Y,
        "p": SCORE,
        "said": np.where(X[:, 0] > 1, 1, (SCORE > 0.3) * 1),
        "sex": RNG.choice(["F", "M"], 160),
        "w": RNG.random(160) + 0.5,
        "who": np.arange(160) // 2,
        "fold": np.arange(160) % 4,
    }
)
BOTH = {"score": "p", "prediction": "said", "decides": "prediction"}


@pytest.mark.parametrize(
    "dataset",
    [{}, {"weight": "w"}, {"cluster": "who"}, {"weight": "w", "cluster": "who"}, {"fold": "fold"}],
)
@pytest.mark.parametrize("method", [None, "bootstrap_percentile"])
def test_labels_that_decide_give_the_tables_of_labels_and_the_curves_of_scores(
    dataset, method
) -> None:
    asked = {
        "metrics": ["recall", "precision", "f1", "roc_auc", "brier"],
        "subgroups": ["sex"],
        "datasets": {"d": {"target": "y", **dataset}},
        "confidence": {
            "resamples": 60,
            **({"methods": {"f1": method, "roc_auc": method}} if method else {}),
        },
    }

    def records(model):
        found = run(spec(model, **asked), frames={"d": ROWS}).json["measures"]
        names = ("metric", "label", "average", "subgroup", "fold", "value", "interval", "state")
        return [{name: one[name] for name in (*names, "n")} for one in found]

    both, labels, scores = records(BOTH), records({"prediction": "said"}), records({"score": "p"})
    for one in both:
        of = scores if one["metric"] in ("roc_auc", "brier") else labels
        assert one in of
    assert len(both) == len(scores)


def test_thresholds_that_are_declared_have_tables_beside_the_labels() -> None:
    models = {"m": BOTH, "p": {"score": "p"}}
    asked = {"thresholds": [0.5, 0.4], "metrics": ["recall", "net_benefit", "roc_auc"]}
    results = run(
        spec(BOTH, models=models, comparisons={"reference": "p"}, **asked),
        frames={"d": ROWS},
    )
    assert pooled(results, "recall", model="m", threshold=None) == pytest.approx(
        recall_score(Y, ROWS["said"])
    )
    for at in (0.5, 0.4):
        right = recall_score(Y, at <= SCORE)
        assert pooled(results, "recall", model="m", threshold=at) == pytest.approx(right)
        assert pooled(results, "recall", model="p", threshold=at) == pytest.approx(right)
    compared = results.comparisons.set_index("metric")
    wanted = recall_score(Y, ROWS["said"]) - recall_score(Y, SCORE >= 0.5)
    assert compared.loc["recall", "difference"] == pytest.approx(wanted)
    assert compared.loc["roc_auc", "difference"] == 0
    net = results.measures.query("metric == 'net_benefit' and model == 'm'")
    assert net["state"].tolist() == ["value", "value", "not_applicable"]
    assert net.iloc[2]["reason"] == "it needs a threshold; m decides by labels of its own"


@pytest.mark.long
def test_a_run_whose_labels_decide_verifies(tmp_path) -> None:
    ROWS.to_csv(tmp_path / "d.csv", index=False)
    results = run(
        spec(
            BOTH,
            datasets={"d": {"path": str(tmp_path / "d.csv"), "target": "y"}},
            subgroups=["sex"],
            thresholds=[0.4],
        )
    )
    folder = results.save(tmp_path / "runs", formats=["html"])
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "own labels" in page
    done = subprocess.run(
        [sys.executable, "-m", "evalreport", "verify", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert not results.json.get("failed")


def test_labels_of_several_classes_beside_their_scores_are_held_against_the_largest() -> None:
    model = _Rule().fit(X3, Y3)
    told_of = pd.DataFrame(model.predict_proba(X3), columns=["a", "b", "c"])
    rows = told_of.assign(y=Y3, said=model.predict(X3))
    given = {"scores": {0: "a", 1: "b", 2: "c"}, "prediction": "said"}
    by_score = run(spec(given, metrics=["kappa"]), frames={"d": rows})
    largest = model.predict_proba(X3).argmax(axis=1)
    assert pooled(by_score, "kappa") == pytest.approx(cohen_kappa_score(Y3, largest))
    assert "The scores are used" in told(by_score)[0]
    own = run(spec({**given, "decides": "prediction"}, metrics=["kappa"]), frames={"d": rows})
    assert pooled(own, "kappa") == pytest.approx(cohen_kappa_score(Y3, rows["said"]))
    assert "Tables are of these labels" in told(own)[0]


def test_the_first_page_says_no_threshold_of_what_decides_by_its_own() -> None:
    page = run(spec(BOTH, models={"m": BOTH, "p": {"score": "p"}}), frames={"d": ROWS}).to_html()
    assert "score ≥ 0.50 on" not in page
    assert "the model's own labels; curves are of its score" in html.unescape(page)


def test_labels_that_decide_have_a_column() -> None:
    with pytest.raises(SpecError, match="decides: prediction without a column of them"):
        run(spec({"score": "p", "decides": "prediction"}), frames={"d": ROWS})
