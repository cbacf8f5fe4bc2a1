"""Whether the files and columns that a spec names are there; reads headers, not rows."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from evalreport.data.decimals import check_read_columns
from evalreport.data.dialect import Dialect
from evalreport.data.files import Files, open_files, parts_of, written_in
from evalreport.data.findings import nearest_column
from evalreport.data.joined import Joined, check_keys
from evalreport.data.parquet_file import parquet_header
from evalreport.data.source import Source
from evalreport.data.stores import is_stored
from evalreport.errors import (
    DataError,
    EvalreportError,
    FilesError,
    Location,
    Problem,
    SpecError,
    nearest,
)
from evalreport.spec.datasets import Dataset, LabelColumns, LabelList, Read
from evalreport.spec.load import LoadedSpec
from evalreport.spec.model import crossed, crossing_reader
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
from evalreport.spec.sampling import Readers
from evalreport.spec.scalars import Scalar
from evalreport.spec.yaml_document import Document, read_document
from evalreport.spec.yaml_document import Path as Place

Opened = Callable[[Path, str], Source]


def source_of(folder: Path, dataset: Dataset, opened: Opened = open_files) -> Source:
    """What a dataset's path stands for, joined where it says so. Raises FilesError.

    ``opened`` hashes a file by its path in a spec of ``folder``.
    """
    source = _written(_found(folder, str(dataset.path), opened), dataset.read or Read())
    if dataset.join is None:
        return source
    from evalreport.data.joined import joined_source

    join = dataset.join
    right = _written(_found(folder, join.path, opened), join.read or Read())
    return joined_source(source, right, (join.left, join.right))


def _found(folder: Path, path: str, opened: Opened) -> Source:
    """A file by its path; one that is not there is told with near names and the folder."""
    try:
        return opened(folder, path)
    except FilesError as error:
        if is_stored(path):
            raise
        place = (folder / path).parent
        if os.path.lexists(folder / path) or not place.is_dir():
            if place.is_dir() or os.path.lexists(folder / path):
                raise
            above = next(one for one in place.parents if one.is_dir())
            told = f"there is no folder {place.name}; the folder searched is "
            if path.startswith("~"):
                told = "~ is not read as your home folder, write the path out; folder searched: "
            told += _shown(above)
            raise FilesError(*(replace(p, instead=told) for p in error.problems)) from None
        names = sorted(one.name for one in place.iterdir() if one.is_file())
        close = nearest(Path(path).name, names)
        hint = "" if close is None else f"did you mean '{Path(path).with_name(close)}'? "
        told = f"{hint}the folder searched is {_shown(place)}"
        raise FilesError(*(replace(p, instead=told) for p in error.problems)) from None


def _shown(folder: Path) -> str:
    return str(folder) if folder.is_absolute() else str(folder.resolve())


def _written(source: Source, read: Read) -> Source:
    pivot = read.pivot
    dialect = Dialect(
        read.delimiter,
        read.decimal,
        read.encoding,
        read.sheet,
        read.percent,
        read.missing,
        None if pivot is None else (pivot.row, pivot.column, pivot.value),
        read.strip,
        read.escape,
    )
    return source if dialect.is_usual else written_in(source, dialect)


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
        document = _document(path, overrides)
        if document is None:
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
            (read,) = crossing_reader().validate_python((crossing,))
            yield number, crossed(read)
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
        header = parquet_header(parts_of(source)[0].source)
        check_read_columns(source.dialect, header, source.name)
        return (*header, *keys)
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
                hint = nearest_column(column, header)
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
    for column, inner in _of_rows(dataset):
        yield column, parts.where(("datasets", name, *inner))
    tested = any(name in model.evaluated_on(parts.datasets) for model in parts.models.values())
    if tested or not parts.models:
        yield from _described(parts)
    for model_name, model in parts.models.items():
        if name in model.evaluated_on(parts.datasets):
            for column, inner in _of_model(model):
                yield column, parts.where(("models", model_name, *inner))


def _of_rows(dataset: Dataset) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The columns by which rows are selected, and put into periods."""
    if dataset.period is not None:
        yield dataset.period.column, ("period", "column")
    for column in dataset.where or ():
        yield column, ("where", column)


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


#: Where models and the report name files: keys below the name of a model, and below the root.
OF_MODELS: tuple[Place, ...] = (("skops",), ("onnx",), ("history", "path"))
OF_THE_REPORT: tuple[Place, ...] = (("report", "logo"),)


def missing_files(document: Document, folder: Path) -> tuple[Problem, ...]:
    """A problem for each named file that is not there, at the place where it is named."""
    return tuple(
        Problem(
            f"{path}: file not found",
            f"a file that is there, relative to {folder.resolve()}",
            document.where(place),
        )
        for place, path in _files_named(document)
        if not _is_there(folder / path)
    )


def files_of_wrong_spec(path: Path, overrides: Sequence[str]) -> tuple[Problem, ...]:
    """The same for a spec that has mistakes, as far as it can be read at all."""
    document = _document(path, overrides)
    return () if document is None else missing_files(document, path.parent)


def only_of_absent_models(
    path: Path, overrides: Sequence[str], mistakes: Sequence[Problem]
) -> bool:
    """Whether every mistake of a spec is about models whose files are not there.

    What such a model takes cannot be known, so the missing file is the answer.
    """
    document = _document(path, overrides)
    if document is None:
        return False
    absent = {
        place[:2]
        for place, name in _files_named(document)
        if place[0] == "models" and not _is_there(path.parent / name)
    }
    places = {
        where
        for found in (document.values, document.keys)
        for place, where in found.items()
        if place[:2] in absent
    }
    return bool(absent) and all(one.where in places for one in mistakes)


def _document(path: Path, overrides: Sequence[str]) -> Document | None:
    try:
        document = read_document(path.read_bytes(), str(path))
    except (SpecError, OSError):
        return None
    apply_overrides(document, overrides)
    return document if isinstance(document.root, dict) else None


def _files_named(document: Document) -> Iterator[tuple[Place, str]]:
    """Every file that is named, with the place where it is."""
    models = document.root.get("models") if isinstance(document.root, dict) else None
    for name in models if isinstance(models, dict) else ():
        for keys in OF_MODELS:
            yield from _text(document, ("models", name, *keys))
    for keys in OF_THE_REPORT:
        yield from _text(document, keys)


def _text(document: Document, place: Place) -> Iterator[tuple[Place, str]]:
    found: Any = document.root
    for key in place:
        found = found.get(key) if isinstance(found, dict) else None
    text = found.text if isinstance(found, Scalar) else found
    if isinstance(text, str) and text:
        yield place, text


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False
