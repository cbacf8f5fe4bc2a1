"""Classifiers and preprocessing steps that a spec may name, from scikit-learn's own list.

Nothing is imported here; steps are fitted inside each fold.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, Field, ValidationInfo, model_serializer, model_validator

from evalreport.errors import did_you_mean
from evalreport.spec.fields import (
    Anything,
    Column,
    Distinct,
    Fault,
    Many,
    Name,
    Part,
    refuse,
    wrong_type,
)

_PATH = re.compile(r"[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z][A-Za-z0-9_]*)+")

#: ``sklearn.utils.all_estimators("classifier")`` by public module, but for those of
#: :data:`TAKE_SEVERAL_TARGETS`. Making one (:mod:`evalreport.predict`) looks here too.
_BY_MODULE = {
    "calibration": ("CalibratedClassifierCV",),
    "discriminant_analysis": ("LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis"),
    "dummy": ("DummyClassifier",),
    "ensemble": (
        "AdaBoostClassifier",
        "BaggingClassifier",
        "ExtraTreesClassifier",
        "GradientBoostingClassifier",
        "HistGradientBoostingClassifier",
        "RandomForestClassifier",
        "StackingClassifier",
        "VotingClassifier",
    ),
    "gaussian_process": ("GaussianProcessClassifier",),
    "linear_model": (
        "LogisticRegression",
        "LogisticRegressionCV",
        "PassiveAggressiveClassifier",
        "Perceptron",
        "RidgeClassifier",
        "RidgeClassifierCV",
        "SGDClassifier",
    ),
    "model_selection": ("FixedThresholdClassifier", "TunedThresholdClassifierCV"),
    "multiclass": ("OneVsOneClassifier", "OneVsRestClassifier", "OutputCodeClassifier"),
    "naive_bayes": ("BernoulliNB", "CategoricalNB", "ComplementNB", "GaussianNB", "MultinomialNB"),
    "neighbors": ("KNeighborsClassifier", "NearestCentroid", "RadiusNeighborsClassifier"),
    "neural_network": ("MLPClassifier",),
    "semi_supervised": ("LabelPropagation", "LabelSpreading", "SelfTrainingClassifier"),
    "svm": ("LinearSVC", "NuSVC", "SVC"),
    "tree": ("DecisionTreeClassifier", "ExtraTreeClassifier"),
}

CLASSIFIERS = tuple(
    f"sklearn.{module}.{name}" for module, names in _BY_MODULE.items() for name in names
)

#: Classifiers of several target columns, which the rows of an evaluation do not have.
TAKE_SEVERAL_TARGETS = (
    "sklearn.multioutput.ClassifierChain",
    "sklearn.multioutput.MultiOutputClassifier",
)
ONE_TARGET = "a classifier of one target, such as sklearn.multiclass.OneVsRestClassifier"

_BY_NAME = {path.rpartition(".")[2]: path for path in CLASSIFIERS}

#: Where validation finds the packages that ``--allow-import`` admits.
ALLOWED = "allow_import"


def estimator_path(path: str, info: ValidationInfo) -> str:
    """The path of a classifier that may be used, or a fault.

    Classes of an admitted package are looked up when the model is made.
    """
    if path in _BY_NAME:
        raise refuse(Fault(f"'{path}' has no module", f"did you mean '{_BY_NAME[path]}'?"))
    if not _PATH.fullmatch(path) or "__" in path:
        raise refuse(
            Fault(
                f"'{path[:60]}' is not a path of a class",
                "a classifier of scikit-learn, such as sklearn.linear_model.LogisticRegression",
            )
        )
    if path in CLASSIFIERS:
        return path
    if path in TAKE_SEVERAL_TARGETS:
        raise refuse(Fault(f"{path} learns several targets at once", ONE_TARGET))
    package = path.partition(".")[0]
    allowed: tuple[str, ...] = tuple((info.context or {}).get(ALLOWED, ()))
    if package in allowed and package != "sklearn":
        return path
    raise refuse(Fault(f"'{path}' is not a classifier of scikit-learn", _instead(path, package)))


def _instead(path: str, package: str) -> str:
    name = path.rpartition(".")[2]
    if name in _BY_NAME:
        return f"did you mean '{_BY_NAME[name]}'?"
    if package != "sklearn":
        return f"--allow-import {package} admits the classifiers of an installed package"
    hint = did_you_mean(path, CLASSIFIERS)
    return hint if hint.startswith("did") else "a classifier of its own list"


EstimatorPath: TypeAlias = Annotated[Name, AfterValidator(estimator_path)]


class Impute(Part):
    """Fill in missing values."""

    strategy: Literal["mean", "median", "most_frequent", "constant"] = Field(
        "median", description="What a missing value becomes."
    )
    value: Anything = Field(None, description="The constant, for strategy: constant.")
    columns: Distinct[Column] | None = Field(None, description="Columns; all unless declared.")


class Scale(Part):
    """Bring columns to one scale."""

    method: Literal["standard", "min_max", "robust"] = Field(
        "standard", description="standard: mean 0 and standard deviation 1."
    )
    columns: Distinct[Column] | None = Field(None, description="Columns; numbers unless declared.")


class OneHot(Part):
    """One 0/1 column per value."""

    columns: Distinct[Column] | None = Field(None, description="Columns; text unless declared.")


STEPS = ("impute", "scale", "one_hot")


class Step(Part):
    """One step: its name, or ``{name: {parameter: value}}``."""

    impute: Impute | None = Field(None, description="Fill in missing values.")
    scale: Scale | None = Field(None, description="Bring columns to one scale.")
    one_hot: OneHot | None = Field(None, description="One 0/1 column per value of a text column.")

    @model_validator(mode="before")
    @classmethod
    def _read(cls, raw: Any) -> Any:
        if isinstance(raw, Step):
            return raw
        if isinstance(raw, str):
            if raw not in STEPS:
                raise refuse(Fault(f"unknown step '{raw}'", did_you_mean(raw, STEPS, "steps")))
            return {raw: {}}
        if not isinstance(raw, dict):
            raise wrong_type(raw, f"one of {', '.join(STEPS)}")
        if len(raw) != 1:
            raise refuse(Fault(f"a step with {len(raw)} keys", "one step each"))
        return raw

    @model_serializer(mode="wrap")
    def _written(self, handler: Any) -> Any:
        return {key: value for key, value in handler(self).items() if value is not None}


Steps: TypeAlias = Annotated[Many[Step], Field(min_length=1)]
