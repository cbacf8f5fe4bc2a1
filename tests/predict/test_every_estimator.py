"""Every classifier that a spec may name is fitted; parameters and labels are the user's own."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from threadpoolctl import threadpool_limits

from evalreport.errors import SpecError
from evalreport.predict.cross_validation import Recipe, cross_validate
from evalreport.predict.estimators import check_param_names, make_estimator, package_classifiers
from evalreport.predict.features import Feature, FeatureTable
from evalreport.predict.schemes import Scheme, make_splits
from evalreport.spec.estimators import CLASSIFIERS
from tests.trap_runs import one, results_of

TREE = "sklearn.tree.DecisionTreeClassifier"
LOGISTIC = {"sklearn.linear_model.LogisticRegression": {"C": 0.5}}
#: What cannot be made without being told.
NEEDED: dict[str, Any] = {
    "sklearn.ensemble.StackingClassifier": {"estimators": {"l": LOGISTIC, "t": TREE}},
    "sklearn.ensemble.VotingClassifier": {"estimators": {"l": LOGISTIC, "t": TREE}},
    "sklearn.model_selection.FixedThresholdClassifier": {"estimator": LOGISTIC},
    "sklearn.model_selection.TunedThresholdClassifierCV": {"estimator": LOGISTIC},
    "sklearn.multiclass.OneVsOneClassifier": {"estimator": TREE},
    "sklearn.multiclass.OneVsRestClassifier": {"estimator": LOGISTIC},
    "sklearn.multiclass.OutputCodeClassifier": {"estimator": TREE},
    "sklearn.semi_supervised.SelfTrainingClassifier": {"estimator": LOGISTIC},
    "sklearn.neighbors.RadiusNeighborsClassifier": {"radius": 5.0},
    "sklearn.ensemble.HistGradientBoostingClassifier": {"min_samples_leaf": 5},
    # Every category that a fold may test has to be known.
    "sklearn.naive_bayes.CategoricalNB": {"min_categories": 6},
}

RANDOM = np.random.default_rng(12)
ACTUAL = np.arange(60) % 2
MATRIX = np.column_stack([RANDOM.integers(0, 3, 60) + 3 * ACTUAL, RANDOM.integers(0, 5, 60)])


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("path", CLASSIFIERS)
def test_every_classifier_that_may_be_named_is_fitted(path: str):
    columns = (Feature(name, "number", MATRIX[:, k].astype(float)) for k, name in enumerate("ab"))
    table = FeatureTable(tuple(columns), len(ACTUAL))
    splits = make_splits(Scheme("stratified_k_fold", 2), ACTUAL, ("n", "p"))
    recipe = Recipe("m", path, NEEDED.get(path, {}))
    made = cross_validate(recipe, table, ACTUAL, ("n", "p"), 1, splits, workers=1)
    assert not made.failures, made.failures
    assert made.output is not None
    assert made.output.rows == 60
    # All of them learn something of so plain a pattern, the dummy apart.
    share = (made.output.labels_at() == ACTUAL[made.row]).mean()
    assert share > 0.5 or path.startswith("sklearn.dummy")


def test_hist_gradient_boosting_is_known_by_its_documented_path():
    made = make_estimator("sklearn.ensemble.HistGradientBoostingClassifier", {"max_iter": 5}, 3)
    assert (type(made).__name__, made.max_iter, made.random_state) == (
        "HistGradientBoostingClassifier",
        5,
        3,
    )


def test_classifiers_of_several_targets_are_refused_with_what_would_do():
    columns = {"y": ["n", "p"] * 5, "x": list(range(10))}
    estimator = {"estimator": "sklearn.multioutput.ClassifierChain"}
    with pytest.raises(SpecError, match="several targets at once; a classifier of one target"):
        results_of(columns, estimator, ["accuracy"])


def test_a_classifier_inside_another_is_checked_too():
    path = "sklearn.multiclass.OneVsRestClassifier"
    with pytest.raises(SpecError, match="has no parameter 'CC'; did you mean 'C'"):
        make_estimator(path, {"estimator": {"sklearn.svm.LinearSVC": {"CC": 1}}})
    with pytest.raises(SpecError, match="not a classifier of scikit-learn"):
        make_estimator(path, {"estimator": "os.system"})
    with pytest.raises(SpecError, match="estimator is 3, no classifier"):
        make_estimator(path, {"estimator": 3})


# -- class weights ---------------------------------------------------------------------------


def _columns(no: Any, yes: Any) -> dict[str, Any]:
    random = np.random.default_rng(7)
    truth = random.random(120) < 0.3
    x = random.normal(size=120) + truth
    return {"y": [yes if t else no for t in truth], "x": x.tolist(), "z": (x**2).tolist()}


@pytest.mark.parametrize(("no", "yes"), [("no", "yes"), (0, 1), ("b", "a"), (2.0, 3.5)])
def test_class_weights_are_by_the_labels_of_the_user(no: Any, yes: Any):
    """Held to scikit-learn's own fit on the labels themselves."""
    columns = _columns(no, yes)
    model = {
        "estimator": "sklearn.linear_model.LogisticRegression",
        "params": {"class_weight": {no: 1, yes: 5}},
    }
    made = results_of(
        columns,
        model,
        ["log_loss"],
        positive={"label": str(yes)},
        cross_validation={"scheme": "stratified_k_fold", "folds": 4, "seed": 2},
    )
    actual = np.array([label == yes for label in columns["y"]]).astype(int)
    # Folds are drawn by the code of a class, which follows the order of the labels.
    order = actual if str(no) < str(yes) else 1 - actual
    matrix = np.column_stack([columns["x"], columns["z"]])
    with threadpool_limits(1):
        p = cross_val_predict(
            LogisticRegression(class_weight={0: 1, 1: 5}),
            matrix,
            actual,
            method="predict_proba",
            cv=list(StratifiedKFold(4, shuffle=True, random_state=2).split(matrix, order)),
        )[:, 1]
    expected = -np.mean(np.log(np.where(actual == 1, p, 1 - p)))
    assert one(made, "log_loss", fold=None)["value"] == pytest.approx(expected, abs=1e-6)


def test_a_class_weight_of_no_class_names_the_nearest():
    model = {
        "estimator": "sklearn.linear_model.LogisticRegression",
        "params": {"class_weight": {"no": 1, "yess": 5}},
    }
    with pytest.raises(SpecError, match=r"class_weight names 'yess', which is not a class.*'yes'"):
        results_of(_columns("no", "yes"), model, ["accuracy"], cross_validation={"folds": 3})


# -- classes that wrap a library -------------------------------------------------------------

WRAPPER = '''
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier

class Base(BaseEstimator):
    def __init__(self, max_depth=3, eta=0.1, **kwargs):
        self.max_depth, self.eta, self.kwargs = max_depth, eta, kwargs
    def get_params(self, deep=True):
        return {"max_depth": self.max_depth, "eta": self.eta, "objective": self.objective,
                **self.kwargs}
    def set_params(self, **params):
        for name, value in params.items():
            setattr(self, name, value)
        return self
    def fit(self, X, y):
        self.inner = DummyClassifier().fit(X, y)
        self.classes_ = self.inner.classes_
        return self
    def predict_proba(self, X):
        return self.inner.predict_proba(X)

class Boosted(ClassifierMixin, Base):
    """Names one parameter and passes the others on, as XGBoost's class does."""
    def __init__(self, *, objective="binary", **kwargs):
        self.objective = objective
        super().__init__(**kwargs)
    @classmethod
    def _get_param_names(cls):
        return ["objective"]
'''


def test_parameters_of_a_wrapped_library_are_those_that_it_tells_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "boostish.py").write_text(WRAPPER)
    monkeypatch.syspath_prepend(tmp_path)
    try:
        kind = package_classifiers("boostish")["boostish.Boosted"]
        made = make_estimator("boostish.Boosted", {"max_depth": 7}, allowed=("boostish",))
        assert made.max_depth == 7
        check_param_names("boostish.Boosted", kind, ["eta", "objective", "lambda_l1"])
        with pytest.raises(SpecError, match="no parameter 'max_dept'; did you mean 'max_depth'"):
            check_param_names("boostish.Boosted", kind, ["max_dept"])
    finally:
        sys.modules.pop("boostish", None)
