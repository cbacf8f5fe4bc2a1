"""Whether the files that a spec names beside its data are there; nothing of them is read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from evalreport.errors import Problem, SpecError
from evalreport.spec.overrides import apply_overrides
from evalreport.spec.scalars import Scalar
from evalreport.spec.yaml_document import Document, read_document
from evalreport.spec.yaml_document import Path as Place

#: Where models and the report name files: keys below the name of a model, and below the root.
OF_MODELS: tuple[Place, ...] = (("skops",), ("onnx",), ("history", "path"))
OF_THE_REPORT: tuple[Place, ...] = (("report", "logo"),)


def missing_files(document: Document, folder: Path) -> tuple[Problem, ...]:
    """A problem for each named file that is not there, at the place where it is named."""
    return tuple(
        Problem(
            f"{path}: there is no such file",
            f"a file that is there, relative to {folder.resolve()}",
            document.where(place),
        )
        for place, path in _named(document)
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
        for place, name in _named(document)
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


def _named(document: Document) -> Iterator[tuple[Place, str]]:
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
