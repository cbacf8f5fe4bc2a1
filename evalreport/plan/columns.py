"""Whether the columns a spec names are in its files; reads headers, not rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from evalreport.data.read import column_names
from evalreport.data.source import open_source
from evalreport.errors import (
    DataError,
    EvalreportError,
    FilesError,
    Location,
    Problem,
    did_you_mean,
)
from evalreport.spec.datasets import LabelColumns, LabelList
from evalreport.spec.load import LoadedSpec
from evalreport.spec.models import (
    AnyModel,
    LinearModel,
    MarginModel,
    PredictionModel,
    ScoreModel,
    ScoresModel,
)

#: Single-column roles of a dataset.
ROLES = ("target", "id", "weight", "cluster", "group", "fold")


def check_columns(loaded: LoadedSpec) -> None:
    """Look for every column of a spec in the header of its file.

    Raises DataError with every column that is not there, FilesError where files
    cannot be read.
    """
    absent: list[Problem] = []
    unreadable: list[Problem] = []
    wrong: list[Problem] = []
    for name, dataset in loaded.spec.datasets.items():
        if not isinstance(dataset.path, str):
            continue
        try:
            folder = loaded.folder or Path()
            header = column_names(open_source(folder / dataset.path, dataset.path)).header
        except FilesError as error:
            unreadable.extend(_placed(error, loaded, name))
            continue
        except DataError as error:
            wrong.extend(error.problems)
            continue
        for column, where in _named(loaded, name):
            if column not in header:
                hint = did_you_mean(column, header, "columns")
                absent.append(Problem(f"no column '{column}' in {dataset.path}", hint, where))
    if unreadable:
        raise FilesError(*unreadable, *absent, *wrong)
    if absent or wrong:
        raise DataError(*absent, *wrong)


def _placed(error: EvalreportError, loaded: LoadedSpec, name: str) -> Iterator[Problem]:
    where = loaded.where(("datasets", name, "path"))
    for problem in error.problems:
        yield Problem(f"{problem.where}: {problem.what}", problem.instead, where)


def _named(loaded: LoadedSpec, name: str) -> Iterator[tuple[str, Location]]:
    """Every column the spec names for a dataset, with where it does."""
    spec = loaded.spec
    for role in ROLES:
        column = getattr(spec.datasets[name], role)
        if isinstance(column, str):
            yield column, loaded.where(("datasets", name, role))
    for column, place in _of_sets(spec.datasets[name].target):
        yield column, loaded.where(("datasets", name, "target", *place))
    period = spec.datasets[name].period
    if period is not None:
        yield period.column, loaded.where(("datasets", name, "period", "column"))
    for number, crossing in enumerate(spec.subgroups):
        for column in crossing:
            yield column, loaded.where(("subgroups", number))
    for model_name, model in spec.models.items():
        if name in spec.datasets_of(model_name):
            for column, place in _of_model(model):
                yield column, loaded.where(("models", model_name, *place))


def _of_sets(source: str | LabelColumns | LabelList) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The columns that sets of labels are read from, with where they stand."""
    if isinstance(source, LabelColumns):
        for label, column in source.labels.items():
            yield column, ("labels", label)
    elif isinstance(source, LabelList):
        yield source.column, ("list",)


def _of_model(model: AnyModel) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The columns a model names, with where it does."""
    if isinstance(model, ScoreModel):
        yield model.score, ("score",)
    elif isinstance(model, MarginModel):
        yield model.margin, ("margin",)
    elif isinstance(model, PredictionModel) and isinstance(model.prediction, str):
        yield model.prediction, ("prediction",)
    elif isinstance(model, PredictionModel):
        for column, place in _of_sets(model.prediction):
            yield column, ("prediction", *place)
    elif isinstance(model, ScoresModel):
        for label, column in model.scores.items():
            yield column, ("scores", label)
    elif isinstance(model, LinearModel):
        for column in model.linear.weights:
            yield column, ("linear", "weights", column)
