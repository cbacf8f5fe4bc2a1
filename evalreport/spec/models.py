"""Models: where predictions come from, exactly one source each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, Field, StringConstraints, Tag, model_validator

from evalreport.errors import did_you_mean
from evalreport.spec.datasets import DataFile, LabelSource, LocalFile
from evalreport.spec.estimators import EstimatorPath, Steps
from evalreport.spec.fields import (
    Anything,
    Column,
    Distinct,
    Fault,
    Label,
    Name,
    Number,
    Part,
    Text,
    Whole,
    form,
    one_key,
    refuse,
    text_or_mapping,
    wrong_type,
)
from evalreport.spec.metric_requests import MetricRequest
from evalreport.spec.other_words import other_word


class Model(Part):
    """What every model may declare beside its source."""

    datasets: Annotated[Distinct[Name], Field(min_length=1)] | None = Field(
        None,
        description="The datasets it is evaluated on; all of them unless declared, but for "
        "those it was trained or tuned on.",
    )
    trained_on: Name | None = Field(
        None,
        description="The dataset it was trained on, elsewhere: rows that a tested dataset shares "
        "with it, by id, group or content, are counted and reported.",
    )

    tuned_on: Name | None = Field(
        None,
        description="The dataset whose labels chose its parameters, elsewhere; treated as "
        "trained_on is.",
    )
    version: Text | None = Field(None, description="Its version, as its makers name it.")
    sha256: Annotated[Text, StringConstraints(pattern=r"^[0-9a-fA-F]{64}$")] | None = Field(
        None,
        description="The hash of what was tested: of a `.skops` or `.onnx` file that is read here "
        "it is compared with the file, of any other model it is declared.",
    )
    repository: Text | None = Field(None, description="Where its code is kept; printed, no link.")
    revision: Text | None = Field(None, description="The revision of that code, e.g. a commit.")

    def evaluated_on(self, every: Iterable[str]) -> tuple[str, ...]:
        """The datasets it is evaluated on, of ``every`` dataset of the spec."""
        learned = (self.trained_on, self.tuned_on, getattr(self, "fit_dataset", None))
        return self.datasets or tuple(name for name in every if name not in learned)


class ScoredModel(Model):
    """Scores, with the label that the model itself decided where it is known."""

    prediction: Column | None = Field(
        None,
        description="Column with the label that the model gave beside its score; the report says "
        "whether the labels are those of the threshold.",
    )
    decides: Literal["score", "prediction"] = Field(
        "score",
        description="Where tables come from: `score`, at the thresholds, or `prediction`, as the "
        "model itself decides; thresholds that are declared then have tables beside them. Labels "
        "that are those of the usual threshold in every row stand at it. Curves are of the score.",
    )

    @model_validator(mode="after")
    def _decides_by_what_it_has(self) -> ScoredModel:
        if self.decides == "prediction" and self.prediction is None:
            fault = Fault("decides: prediction without a column of them", "prediction: column")
            raise refuse(fault)
        return self


class ScoreModel(ScoredModel):
    """A score of the positive class; higher is more positive."""

    score: Column = Field(description="Column with the score of the positive class.")


class PredictionModel(Model):
    """A predicted label, or set of labels."""

    prediction: LabelSource = Field(description="Column with the predicted label.")


ScoreColumns: TypeAlias = Annotated[
    Annotated[Mapping[Label, Column], Field(min_length=2), Tag("(mapping)")]
    | Annotated[Column, Tag("(text)")],
    form(text_or_mapping),
]


class ScoresModel(ScoredModel):
    """One score per class: each in its column, or all in a column of lists."""

    scores: ScoreColumns = Field(
        description="The column of scores of each class, by the name of the class; or one "
        "column that lists them, in the order of the dataset's labels, else of the sorted classes."
    )


class MarginModel(ScoredModel):
    """A signed distance: threshold 0."""

    margin: Column = Field(description="Column with the signed distance to the boundary.")


class Linear(Part):
    """A linear model written out: sign(bias + weights . x).

    With ``link: logit`` it is a logistic equation: sigmoid(bias + weights . x) is the
    probability of the positive class, and the threshold 0.5.
    """

    bias: Number = Field(0.0, description="The constant term.")
    weights: Annotated[Mapping[Column, Number], Field(min_length=1)] = Field(
        description="The weight of each column."
    )
    seed: Annotated[Whole, Field(ge=0)] = Field(
        0,
        description="Seed of the class that is drawn for each point exactly on the boundary. "
        "Labels and tables at the threshold 0 follow from it; as a score such a point is 0.",
    )
    link: Literal["logit"] | None = Field(
        None,
        description="logit: the sum is the log odds of the positive class, as in a published "
        "logistic equation. Without it the score is the signed distance to the boundary.",
    )


class LinearModel(Model):
    """A linear model written out in the spec."""

    linear: Linear = Field(description="Bias and weights.")


class AllExcept(Part):
    """All columns that have no other role, but for some."""

    columns: Distinct[Column] = Field(alias="except", description="The columns left out.")


Features: TypeAlias = Annotated[
    Annotated[Distinct[Column], Field(min_length=1), Tag("(list)")]
    | Annotated[AllExcept, Tag("(except)")],
    form(lambda value: "(except)" if isinstance(value, (dict, AllExcept)) else "(list)"),
]


class Tune(Part):
    """A search for parameters on an inner split, so that the test fold is never looked at."""

    grid: Annotated[
        Mapping[Name, Annotated[Distinct[Anything], Field(min_length=1)]], Field(min_length=1)
    ] = Field(description="The values to try for each parameter.")
    metric: MetricRequest = Field(description="The metric that decides.")
    folds: Annotated[Whole, Field(ge=2)] = Field(3, description="Folds of the inner split.")


class FitColumn(Part):
    """A column that says of each row whether it is trained on."""

    column: Column = Field(description="The column.")
    train: Annotated[Distinct[Label], Field(min_length=1)] = Field(
        description="Its values in rows that are trained on."
    )
    test: Annotated[Distinct[Label], Field(min_length=1)] | None = Field(
        None, description="Its values in rows that are tested; all others that have one."
    )

    @model_validator(mode="after")
    def _apart(self) -> FitColumn:
        both = [value for value in self.test or () if value in self.train]
        if both:
            what = f"'{both[0]}' marks rows to train on and to test"
            raise refuse(Fault(what, "each value once", ("test",)))
        return self


FitOn: TypeAlias = Annotated[
    Annotated[FitColumn, Tag("(mapping)")] | Annotated[Name, Tag("(text)")],
    form(text_or_mapping),
]


class EstimatorModel(Model):
    """A classifier trained and tested by the spec's cross-validation, or once by `fit_on`."""

    estimator: EstimatorPath = Field(
        description="A classifier of scikit-learn, e.g. sklearn.ensemble.RandomForestClassifier."
    )
    params: Mapping[Name, Anything] = Field(
        default_factory=dict, description="Its parameters; others keep their defaults."
    )
    steps: Steps | None = Field(
        None, description="Preprocessing, fitted inside each fold; by column kind unless declared."
    )
    features: Features | None = Field(
        None, description="The columns it is trained on; all without another role by default."
    )
    tune: Tune | None = Field(None, description="Parameters to be searched for.")
    fit_on: FitOn | None = Field(
        None,
        description="Instead of cross-validation: the dataset it is trained on, once, to be "
        "tested on every other one; or the column that says which rows are which.",
    )

    @property
    def fit_dataset(self) -> str | None:
        """The dataset that it is trained on, None where it is trained in each."""
        return self.fit_on if isinstance(self.fit_on, str) else None


class SkopsModel(Model):
    """A saved model in the skops format."""

    skops: LocalFile = Field(description="The .skops file, relative to the spec.")
    trusted: Distinct[Name] = Field(
        (),
        description="Types in the file that whoever runs the spec is asked to trust, by "
        "their full names; only the option --trust trusts them.",
    )
    features: Features = Field(description="The columns it takes, in its order.")


class OnnxModel(Model):
    """A saved model in the ONNX format."""

    onnx: LocalFile = Field(description="The .onnx file, relative to the spec.")
    features: Features = Field(description="The columns it takes, in its order.")


class History(Part):
    """Predictions or weights at each step of training."""

    path: DataFile = Field(description="File relative to the spec, one row per step (and row).")
    step: Column = Field(description="Column with the step, e.g. epoch.")
    run: Column | None = Field(None, description="Column that tells several runs apart.")
    score: Column | None = Field(None, description="Column with the score at that step.")
    margin: Column | None = Field(None, description="Column with the signed distance.")
    prediction: Column | None = Field(None, description="Column with the predicted label.")
    bias: Column | None = Field(None, description="Column with the constant term.")
    weights: Mapping[Column, Column] = Field(
        default_factory=dict, description="For each feature the column with its weight."
    )

    @model_validator(mode="after")
    def _one_kind(self) -> History:
        given = [
            key
            for key in ("score", "margin", "prediction", "weights")
            if getattr(self, key) not in (None, {})
        ]
        if len(given) != 1:
            what = f"a history with {' and '.join(given) or 'nothing to judge'}"
            raise refuse(Fault(what, "one of score, margin, prediction and weights"))
        return self


class HistoryModel(Model):
    """A model over the course of its training."""

    history: History = Field(description="Where the steps are recorded.")


SOURCES: Mapping[str, type[Model]] = {
    "score": ScoreModel,
    "prediction": PredictionModel,
    "scores": ScoresModel,
    "margin": MarginModel,
    "linear": LinearModel,
    "estimator": EstimatorModel,
    "skops": SkopsModel,
    "onnx": OnnxModel,
    "history": HistoryModel,
}


def _one_source(value: Any) -> Any:
    if isinstance(value, Model):
        return value
    if not isinstance(value, dict):
        raise wrong_type(value, "a mapping, such as {score: column} or {prediction: column}")
    one_key(value, _sources_beside(value), "the model")
    if not any(key in value for key in SOURCES):
        faults = [
            Fault(
                f"unknown key '{key}'",
                other_word(key, written, SOURCES) or did_you_mean(key, SOURCES, "sources"),
                (key,),
                at_key=True,
            )
            for key, written in value.items()
            if key not in Model.model_fields
        ]
        raise refuse(
            *(faults or [Fault("the model has no source", f"one of {', '.join(SOURCES)}")])
        )
    return value


def _sources_beside(value: Any) -> tuple[str, ...]:
    """The sources of which one is allowed: a label may stand beside scores."""
    scored = isinstance(value, dict) and not {"score", "scores", "margin"}.isdisjoint(value)
    return tuple(key for key in SOURCES if not (scored and key == "prediction"))


def source_of(value: Any) -> str:
    """The name of a model's source, of what was written or of the typed model."""
    for key in ("margin", "scores"):  # a label may stand beside them
        if isinstance(value, dict) and key in value:
            return f"({key})"
    for key, kind in SOURCES.items():
        if (isinstance(value, dict) and key in value) or isinstance(value, kind):
            return f"({key})"
    return "(score)"


AnyModel: TypeAlias = Annotated[
    Annotated[
        Annotated[ScoreModel, Tag("(score)")]
        | Annotated[PredictionModel, Tag("(prediction)")]
        | Annotated[ScoresModel, Tag("(scores)")]
        | Annotated[MarginModel, Tag("(margin)")]
        | Annotated[LinearModel, Tag("(linear)")]
        | Annotated[EstimatorModel, Tag("(estimator)")]
        | Annotated[SkopsModel, Tag("(skops)")]
        | Annotated[OnnxModel, Tag("(onnx)")]
        | Annotated[HistoryModel, Tag("(history)")],
        form(source_of),
    ],
    BeforeValidator(_one_source),
]
