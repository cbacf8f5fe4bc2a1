"""What a run needs that is installed with an extra, found before anything is read or computed."""

from __future__ import annotations

import importlib.util
from collections.abc import Collection, Iterator
from typing import NamedTuple

from evalreport.errors import FilesError, Location, Problem
from evalreport.spec.datasets import ClusterTable, Query
from evalreport.spec.hosts import POSTGRES
from evalreport.spec.load import LoadedSpec
from evalreport.spec.models import OnnxModel


class Extra(NamedTuple):
    """Modules that an extra of the package installs, and what needs them."""

    name: str
    modules: tuple[str, ...]
    what: str


#: Files of Excel and of object stores are not here: their header is what is read first of all.
_DOCX = Extra("docx", ("docx",), "the Word document needs python-docx")
_SPARK = Extra("spark", ("pyspark",), "the engine spark needs its client")
_POSTGRES = Extra(
    "postgres", ("adbc_driver_manager", "adbc_driver_postgresql"), "Postgres needs its driver"
)
_ONNX = Extra("onnx", ("onnxruntime",), "models in ONNX need onnxruntime")


def check_installed(loaded: LoadedSpec, formats: Collection[str], engine: str) -> None:
    """Raise FilesError for each extra that a run needs and that is not installed.

    ``engine``: the one that was asked for with the run, ``auto`` for that of the spec.
    """
    found: dict[str, Problem] = {}
    for extra, where in _needed(loaded, formats, engine):
        if any(importlib.util.find_spec(module) is None for module in extra.modules):
            hint = f"pip install 'evalreport[{extra.name}]'"
            what = f"the extra {extra.name} is not installed: {extra.what}"
            found.setdefault(extra.name, Problem(what, hint, where))
    if found:
        raise FilesError(*found.values())


def _needed(
    loaded: LoadedSpec, formats: Collection[str], engine: str
) -> Iterator[tuple[Extra, Location | None]]:
    """The extras that are needed, each with the place of the spec that needs it."""
    spec = loaded.spec
    if "docx" in formats:
        named = "docx" in spec.report.formats
        yield _DOCX, loaded.where(("report", "formats")) if named else None
    if "spark" in (engine, spec.engine.name if engine == "auto" else ""):
        yield _SPARK, loaded.where(("engine", "name")) if engine == "auto" else None
    for name, dataset in spec.datasets.items():
        where = loaded.where(("datasets", name, "path"))
        if isinstance(dataset.path, ClusterTable):
            yield _SPARK, where
        elif isinstance(dataset.path, Query) and dataset.path.database.startswith(POSTGRES):
            yield _POSTGRES, where
    for name, model in spec.models.items():
        if isinstance(model, OnnxModel):
            yield _ONNX, loaded.where(("models", name, "onnx"))
