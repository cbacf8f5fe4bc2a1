"""Whether the columns a spec names are in its files; reads headers, not rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from evalreport.data.files import Files, parts_of
from evalreport.data.joined import Joined, check_keys
from evalreport.data.parquet_file import parquet_header
from evalreport.data.source import Source
from evalreport.errors import (
    DataError,
    EvalreportError,
    FilesError,
    Location,
    Problem,
    SpecError,
    did_you_mean,
)
from evalreport.plan.sources import source_of
from evalreport.spec.datasets import Dataset, LabelColumns, LabelList
from evalreport.spec.load import LoadedSpec
from evalreport.spec.model import Crossing, crossed
from evalreport.spec.models import (
    EstimatorModel,
    FitColumn,
    LinearModel,
    Model,
    PredictionModel,
    ScoresModel,
)
from evalreport.spec.outline import outline
from evalreport.spec.overrides import apply_overrides
from evalreport.spec.readers import Readers
from evalreport.spec.yaml_document import Document, read_document
from evalreport.spec.yaml_document import Path as Place

#: Single-column roles of a dataset.
ROLES = ("target", "id", "weight", "count", "cluster", "group", "fold")


def check_columns(loaded: LoadedSpec) -> None:
    """Look for every column of a spec in the header of its file.

    Raises DataError with every column that is not there, FilesError where files
    cannot be read.
    """
    spec = loaded.spec
    _look(
        _Parts(
            spec.datasets,
            spec.models,
            tuple(enumerate(spec.crossings)),
            loaded.folder or Path(),
            loaded.document,
            spec.report.characteristics,
        )
    )


def columns_of_wrong_spec(path: Path, overrides: Sequence[str]) -> tuple[Problem, ...]:
    """Columns that are not in their files, of the parts of a wrong spec that can be read.

    So that one check tells the mistakes of the spec and those of its columns together.
    """
    try:
        document = read_document(path.read_bytes(), str(path))
        apply_overrides(document, overrides)
        if not isinstance(document.root, dict):
            return ()
        known = outline(document)
        _look(
            _Parts(known.datasets, known.models, tuple(_crossings(document)), path.parent, document)
        )
    except (DataError, FilesError) as error:
        return error.problems
    except (SpecError, OSError):
        return ()
    return ()


@dataclass(frozen=True)
class _Parts:
    """What names columns: all of a spec, or as much of it as could be read."""

    datasets: Mapping[str, Dataset]
    models: Mapping[str, Model]
    crossings: Sequence[tuple[int, Sequence[str]]]
    folder: Path
    document: Document
    characteristics: Sequence[str] = ()

    def where(self, place: Place) -> Location:
        return self.document.where(place)


def _crossings(document: Document) -> Iterator[tuple[int, Sequence[str]]]:
    raw = document.root.get("subgroups")
    for number, crossing in enumerate(raw if isinstance(raw, list) else ()):
        try:
            yield number, crossed(TypeAdapter(Crossing).validate_python(crossing))
        except ValidationError:
            continue


def _header(source: Source) -> tuple[str, ...]:
    """Every column of a dataset; of text the first rows are looked at as well."""
    if isinstance(source, Joined):
        left, right = _header(source.left), _header(source.right)
        for header, key, side in zip(
            (left, right), source.on, (source.left, source.right), strict=True
        ):
            check_keys(header, key, side.name)
        return (*left, *(name for name in right if name not in left))
    if source.suffix == ".parquet":
        keys = source.keys if isinstance(source, Files) else ()
        return (*parquet_header(parts_of(source)[0].source), *keys)
    from evalreport.data.read import column_names

    return column_names(source).header


def _look(parts: _Parts) -> None:
    absent: list[Problem] = []
    unreadable: list[Problem] = []
    wrong: list[Problem] = []
    for name, dataset in parts.datasets.items():
        if not isinstance(dataset.path, str):
            continue
        try:
            header = _header(source_of(parts.folder, dataset))
        except FilesError as error:
            unreadable.extend(_placed(error, parts, name))
            continue
        except DataError as error:
            wrong.extend(error.problems)
            continue
        for column, where in _named(parts, name):
            if column not in header:
                hint = did_you_mean(column, header, "columns")
                absent.append(Problem(f"no column '{column}' in {dataset.path}", hint, where))
    if unreadable:
        raise FilesError(*unreadable, *absent, *wrong)
    if absent or wrong:
        raise DataError(*absent, *wrong)


def _placed(error: EvalreportError, parts: _Parts, name: str) -> Iterator[Problem]:
    where = parts.where(("datasets", name, "path"))
    for problem in error.problems:
        yield Problem(f"{problem.where}: {problem.what}", problem.instead, where)


def _named(parts: _Parts, name: str) -> Iterator[tuple[str, Location]]:
    """Every column the spec names for a dataset, with where it does."""
    dataset = parts.datasets[name]
    for role in ROLES:
        column = getattr(dataset, role)
        place = ("datasets", name, role)
        # A wrong dataset is read with a stand-in for its target.
        if isinstance(column, str) and place in parts.document.values:
            yield column, parts.where(place)
    for column, inner in _of_sets(dataset.target):
        yield column, parts.where(("datasets", name, "target", *inner))
    for column, inner in _of_readers(dataset.readers):
        yield column, parts.where(("datasets", name, "readers", *inner))
    if dataset.period is not None:
        yield dataset.period.column, parts.where(("datasets", name, "period", "column"))
    tested = any(name in model.evaluated_on(parts.datasets) for model in parts.models.values())
    if tested or not parts.models:
        yield from _described(parts)
    for model_name, model in parts.models.items():
        if name in model.evaluated_on(parts.datasets):
            for column, inner in _of_model(model):
                yield column, parts.where(("models", model_name, *inner))


def _described(parts: _Parts) -> Iterator[tuple[str, Location]]:
    """The columns of subgroups and of characteristics, which every dataset has."""
    for number, crossing in parts.crossings:
        for column in crossing:
            yield column, parts.where(("subgroups", number))
    for number, column in enumerate(parts.characteristics):
        yield column, parts.where(("report", "characteristics", number))


def _of_readers(readers: str | Readers | None) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The columns of readers and of their cases, with where they stand."""
    if isinstance(readers, str):
        yield readers, ()
    elif readers is not None:
        yield readers.column, ("column",)
        if readers.case is not None:
            yield readers.case, ("case",)


def _of_sets(source: str | LabelColumns | LabelList) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The columns that sets of labels are read from, with where they stand."""
    if isinstance(source, LabelColumns):
        for label, column in source.labels.items():
            yield column, ("labels", label)
    elif isinstance(source, LabelList):
        yield source.column, ("list",)


def _of_model(model: Model) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The columns a model names, with where it does."""
    for key in ("score", "margin", "prediction", "scores"):
        column = getattr(model, key, None)
        if isinstance(column, str):
            yield column, (key,)
    if isinstance(model, PredictionModel) and not isinstance(model.prediction, str):
        for column, place in _of_sets(model.prediction):
            yield column, ("prediction", *place)
    elif isinstance(model, ScoresModel) and isinstance(model.scores, Mapping):
        for label, column in model.scores.items():
            yield column, ("scores", label)
    elif isinstance(model, LinearModel):
        for column in model.linear.weights:
            yield column, ("linear", "weights", column)
    elif isinstance(model, EstimatorModel) and isinstance(model.fit_on, FitColumn):
        yield model.fit_on.column, ("fit_on", "column")
