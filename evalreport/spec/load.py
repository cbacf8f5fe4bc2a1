"""Loading a spec: a file, overrides on top, every mistake at once."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from evalreport.data.source import readable_name
from evalreport.errors import FilesError, Location, Problem, SpecError
from evalreport.spec.estimators import ALLOWED
from evalreport.spec.faults import shown
from evalreport.spec.hosts import HOSTS
from evalreport.spec.model import VERSION, Spec
from evalreport.spec.needs import unmet_needs
from evalreport.spec.notes import notes
from evalreport.spec.outline import outline
from evalreport.spec.overrides import apply_overrides, without_folders
from evalreport.spec.problems import of_validation
from evalreport.spec.references import unknown_references
from evalreport.spec.scalars import Scalar
from evalreport.spec.yaml_document import MOST_BYTES, MOST_PROBLEMS, Document, read_document
from evalreport.spec.yaml_document import Path as Place

#: Characters of one message; names in a spec may be far longer.
MOST_WORDS = 600


@dataclass(frozen=True)
class LoadedSpec:
    """A spec that has no mistakes, with what is needed to speak about it.

    ``folder`` is where relative paths start (None for a spec that is no file);
    ``sha256`` the hash of the file's bytes; ``notes`` are remarks that stop nothing.
    """

    spec: Spec
    name: str
    path: Path | None
    text: str = field(repr=False)
    sha256: str
    overrides: tuple[str, ...]
    notes: tuple[Problem, ...]
    document: Document = field(repr=False)

    @property
    def folder(self) -> Path | None:
        """The folder where relative paths start."""
        return None if self.path is None else self.path.parent

    @property
    def series(self) -> str:
        """The line of history of its runs: as declared, else its file's name without suffix."""
        return self.spec.series or Path(self.name).stem

    def where(self, place: Place) -> Location:
        """Where something stands, e.g. ``("datasets", "holdout", "target")``."""
        return self.document.where(place)

    def where_key(self, place: Place) -> Location:
        """Where the key of something stands."""
        return self.document.where_key(place)

    def resolved(self) -> dict[str, Any]:
        """The spec with its overrides and defaults as plain JSON data; it loads again.

        Absolute paths that overrides give are named by their last part.
        """
        names = without_folders(self.overrides)
        data: dict[str, Any] = _renamed(resolved(self.spec), names)
        return data

    @property
    def overrides_shown(self) -> tuple[str, ...]:
        """The overrides as outputs tell them: absolute paths by their last part."""
        names = without_folders(self.overrides)
        shown = list(self.overrides)
        for path in sorted(names, key=len, reverse=True):
            shown = [text.replace(path, names[path]) for text in shown]
        return tuple(shown)


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _renamed(inner, names) for key, inner in value.items()}
    if isinstance(value, list):
        return [_renamed(inner, names) for inner in value]
    return names.get(value, value) if isinstance(value, str) else value


def resolved(spec: Spec) -> dict[str, Any]:
    """A spec as plain JSON data, in the spec language itself."""
    data: dict[str, Any] = spec.model_dump(mode="json", by_alias=True, exclude_none=True)
    return {key: value for key, value in data.items() if value not in ({}, [])}


def load_spec(
    path: str | os.PathLike[str],
    overrides: Sequence[str] = (),
    *,
    frames: Sequence[str] = (),
    allow_import: Sequence[str] = (),
    allow_hosts: Sequence[str] = (),
) -> LoadedSpec:
    """Load a spec from a file.

    Args:
        path: the YAML file.
        overrides: texts such as ``confidence.level=0.9``.
        frames: datasets whose rows are given otherwise, so that they need no path.
        allow_import: packages whose classifiers may be named beside scikit-learn's.
        allow_hosts: computers whose databases and clusters may be named beside this one.

    Raises:
        FilesError: the file could not be read.
        SpecError: every mistake of the spec.
    """
    return parse_spec(
        _read(Path(path)),
        str(path),
        overrides,
        path=Path(path),
        frames=frames,
        allow_import=allow_import,
        allow_hosts=allow_hosts,
    )


def parse_spec(
    source: bytes | str,
    name: str = "spec",
    overrides: Sequence[str] = (),
    *,
    path: Path | None = None,
    frames: Sequence[str] = (),
    allow_import: Sequence[str] = (),
    allow_hosts: Sequence[str] = (),
) -> LoadedSpec:
    """Load a spec from its text; see :func:`load_spec`.

    ``name`` stands in messages; ``path`` is the file it came from, if any.
    """
    document = read_document(source, name)
    if not isinstance(document.root, dict):
        what = f"a spec is a mapping; this is {shown(document.root)}"
        raise SpecError(Problem(what, "it starts with 'evalreport: 1'", document.where(())))
    override_problems = apply_overrides(document, overrides)
    _refuse_newer(document)
    problems = list(override_problems)
    spec = None
    try:
        context = {ALLOWED: tuple(allow_import), HOSTS: tuple(allow_hosts)}
        spec = Spec.model_validate(document.root, context=context)
    except ValidationError as error:
        problems.extend(of_validation(error, document, Spec))
    folder = None if path is None else path.parent
    known = outline(document, allow_import, allow_hosts)
    problems.extend(islice(unknown_references(known), MOST_PROBLEMS))
    problems.extend(islice(unmet_needs(known, frames=frames, folder=folder), MOST_PROBLEMS))
    if problems or spec is None:
        raise SpecError(*in_order(problems))
    data = source.encode() if isinstance(source, str) else source
    return LoadedSpec(
        spec=spec,
        name=readable_name(Path(name).name),
        path=path,
        text=data.decode("utf-8-sig"),
        sha256=hashlib.sha256(data).hexdigest(),
        overrides=tuple(overrides),
        notes=tuple(notes(known, spec)),
        document=document,
    )


def _read(path: Path) -> bytes:
    """The bytes of a regular file of bounded size; nothing else is opened."""
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            kind = "a folder" if stat.S_ISDIR(found.st_mode) else "not a regular file"
            raise FilesError(Problem(f"it is {kind}", "a spec file", Location(str(path))))
        with path.open("rb") as file:
            return file.read(MOST_BYTES + 1)
    except OSError as error:
        what = f"cannot be read: {error.strerror or error}"
        raise FilesError(Problem(what, "an existing spec file", Location(str(path)))) from None
    except ValueError as error:
        raise FilesError(Problem(f"no file name: {error}", "", Location(str(path)))) from None


def _refuse_newer(document: Document) -> None:
    """A newer version is refused before its keys are called unknown."""
    version = document.root.get("evalreport")
    number = version.value if isinstance(version, Scalar) else None
    if isinstance(number, (int, float)) and not isinstance(number, bool) and number > VERSION:
        raise SpecError(
            Problem(
                f"this spec is written in version {shown(version)} of the spec language; "
                f"this program knows version {VERSION}",
                "install a newer evalreport",
                document.where(("evalreport",)),
            )
        )


def in_order(problems: Sequence[Problem]) -> list[Problem]:
    """Problems each once, by their place in the file, none of them endless."""
    unique = dict.fromkeys(
        replace(p, what=_bounded(p.what), instead=_bounded(p.instead)) for p in problems
    )
    ordered = sorted(unique, key=_place)
    if len(ordered) > MOST_PROBLEMS:
        rest = f"{MOST_PROBLEMS} mistakes are shown; there are more"
        return [*ordered[:MOST_PROBLEMS], Problem(rest)]
    return ordered


def _bounded(text: str) -> str:
    """A message that quotes the spec, cut where the quoted text is very long."""
    return text if len(text) <= MOST_WORDS else f"{text[:MOST_WORDS]}..."


def _place(problem: Problem) -> tuple[str, int, int]:
    where = problem.where
    return ("", 0, 0) if where is None else (where.file, where.line or 0, where.column or 0)
