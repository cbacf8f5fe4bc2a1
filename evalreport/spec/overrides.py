"""Overrides on top of a spec: ``confidence.level=0.9``, values typed as in YAML.

Names are joined by points, items of lists are numbered from 0, and a name that
itself holds a point or ``=`` is put in double quotes: ``models."a.b".score=p``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from evalreport.errors import Location, Problem, SpecError, did_you_mean
from evalreport.spec.yaml_document import Document, Path, paths, read_document

_STEP = re.compile(r'"([^"]*)"|([^."=]+)')
#: Parts whose keys are names that the spec itself gives.
NAMED = ("datasets", "models")
#: Keys whose values are paths of files and folders.
PATHS = frozenset(("path", "template", "logo", "skops", "onnx", "run", "database", "file"))


def apply_overrides(document: Document, overrides: Sequence[str]) -> list[Problem]:
    """Put overrides into a document in their order; returns what is wrong with them.

    The places of values that are not overridden stay as they are; overridden
    values have the override as their place.
    """
    problems: list[Problem] = []
    for text in overrides:
        where = Location(f"--set {text}")
        try:
            names, value = _parsed(text, where)
        except SpecError as error:
            problems.extend(error.problems)
            continue
        problem = _put(document, names, value, where)
        if problem is not None:
            problems.append(problem)
    return problems


def without_folders(overrides: Sequence[str]) -> dict[str, str]:
    """The absolute paths that overrides give, each with the name that stands for it in outputs.

    A path that the caller's machine has is no part of the study: results, manifests and reports
    name the file alone. A spec's own text is reproduced as it was written.

    >>> without_folders(["datasets.d.path=/home/me/rows.csv", "title=/a/b"])
    {'/home/me/rows.csv': 'rows.csv'}
    """
    found: dict[str, str] = {}
    for text in overrides:
        try:
            names, value = _parsed(text, Location("--set"))
        except SpecError:
            continue
        for path in [(), *paths(value)]:
            inner = value
            for step in path:
                inner = inner[step]
            key = next((s for s in reversed((*names, *path)) if isinstance(s, str)), "")
            if key in PATHS and isinstance(inner, str) and _is_absolute(inner):
                found[inner] = PureWindowsPath(PurePosixPath(inner).name).name
    return found


def _is_absolute(path: str) -> bool:
    return PurePosixPath(path).is_absolute() or bool(PureWindowsPath(path).drive)


def replaced(recorded: Sequence[str], given: Sequence[str]) -> tuple[str, ...]:
    """Recorded overrides, those of the same key in place of them; further ones at the end.

    >>> replaced(["a.b=1", "c=2"], ["c=3", "d=4"])
    ('a.b=1', 'c=3', 'd=4')
    """
    own = {text.partition("=")[0]: text for text in given}
    kept = [own.pop(text.partition("=")[0], text) for text in recorded]
    return (*kept, *own.values())


def _parsed(text: str, where: Location) -> tuple[list[str], Any]:
    """The steps of the path, and the value."""
    names = []
    position = 0
    while True:
        step = _STEP.match(text, position)
        if step is None:
            raise SpecError(Problem("no path and value", "key.path=value", where))
        names.append(step.group(1) if step.group(1) is not None else step.group(2).strip())
        position = step.end()
        if text[position : position + 1] == "=":
            break
        if text[position : position + 1] != ".":
            raise SpecError(Problem("no path and value", "key.path=value", where))
        position += 1
    written = text[position + 1 :]
    if not written.strip():
        raise SpecError(Problem("there is no value", 'a value; "" is empty text', where))
    try:
        return names, read_document(written, where.file).root
    except SpecError as error:
        problems = [Problem(p.what, p.instead, where) for p in error.problems]
        raise SpecError(*problems) from None


def _put(document: Document, names: list[str], value: Any, where: Location) -> Problem | None:
    """Put one value where the names lead; the problem if they lead nowhere."""
    here = document.root
    path: Path = ()
    for depth, name in enumerate(names):
        last = depth == len(names) - 1
        if isinstance(here, list):
            if not name.isdecimal() or int(name) >= len(here):
                what = f"'{'.'.join(map(str, path))}' has no item {name}"
                return Problem(what, f"0 to {len(here) - 1}" if here else "it is empty", where)
            step: str | int = int(name)
        elif isinstance(here, dict):
            step = name
            if name not in here and not last:
                if len(path) == 1 and path[0] in NAMED:
                    hint = did_you_mean(name, here, str(path[0]))
                    return Problem(f"'{path[0]}' has no '{name}'", hint, where)
                here[name] = {}
                _place(document, (*path, name), where)
        else:
            return Problem(f"'{'.'.join(map(str, path))}' has nothing inside", "a path", where)
        path = (*path, step)
        if last:
            here[step] = value
            _forget(document, path)
            for inner in paths(value):
                _place(document, (*path, *inner), where)
        else:
            here = here[step]
    return None


def _place(document: Document, path: Path, where: Location) -> None:
    document.values[path] = where
    document.keys[path] = where


def _forget(document: Document, path: Path) -> None:
    """Forget the places of what was there before."""
    for places in (document.values, document.keys):
        for old in [known for known in places if known[: len(path)] == path]:
            del places[old]
