"""An earlier run that a spec refers to: its measures and outcomes, from its results alone."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from evalreport.errors import FilesError, Location, Problem
from evalreport.metrics.recorded import series_key
from evalreport.spec.comparisons import RunReference
from evalreport.spec.load import LoadedSpec

RESULTS = "results.json"
SCHEMA = "evalreport/results/1"
#: The link to the newest run: what it leads to is the run before this one.
PREVIOUS = "latest"
#: No results file that is read is larger.
MOST_BYTES = 1 << 30


@dataclass(frozen=True, eq=False)
class ReferenceRun:
    """An earlier run: the name of its folder, the sha256 of its results, and what they hold."""

    name: str
    sha256: str
    results: Mapping[str, Any]
    previous: bool = False

    @cached_property
    def measures(self) -> dict[str, Mapping[str, Any]]:
        """Its measures by what they measure."""
        return {series_key(m): m for m in self.results["measures"]}

    @cached_property
    def data(self) -> dict[str, str | None]:
        """The sha256 of the file of each dataset."""
        inputs = self.results["provenance"].get("inputs") or []
        return {str(one["dataset"]): one.get("sha256") for one in inputs}

    def as_json(self) -> dict[str, Any]:
        """What tells which run it was."""
        provenance = self.results["provenance"]
        return {
            "run": self.name,
            "results_sha256": self.sha256,
            "at": provenance.get("at"),
            "title": self.results.get("title"),
            "spec_sha256": (provenance.get("spec") or {}).get("sha256"),
        }


@dataclass(frozen=True)
class References:
    """The earlier runs of a spec, by their paths as written."""

    runs: Mapping[str, ReferenceRun] = field(default_factory=dict)

    def of(self, reference: Any) -> ReferenceRun | None:
        """The run that is meant; None for a reference of another kind."""
        return self.runs[reference.run] if isinstance(reference, RunReference) else None

    @property
    def previous(self) -> ReferenceRun | None:
        """The run before this one, where the spec refers to it."""
        return next((run for run in self.runs.values() if run.previous), None)

    def as_json(self) -> dict[str, Any]:
        """The part of ``results.json`` that names them; nothing without any."""
        return {"references": [run.as_json() for run in self.runs.values()]} if self.runs else {}


def read_references(loaded: LoadedSpec) -> References:
    """Every earlier run that comparisons, drift or criteria refer to.

    Raises FilesError with every one that cannot be read.
    """
    found: dict[str, ReferenceRun] = {}
    problems: list[Problem] = []
    for path, where in _wanted(loaded):
        if path in found:
            continue
        try:
            found[path] = read_reference((loaded.folder or Path()) / path, where)
        except FilesError as error:
            problems.extend(error.problems)
    if problems:
        raise FilesError(*problems)
    return References(found)


def _wanted(loaded: LoadedSpec) -> Iterator[tuple[str, Location]]:
    spec = loaded.spec
    if spec.comparisons is not None and isinstance(spec.comparisons.reference, RunReference):
        path = ("comparisons", "reference", "run")
        yield spec.comparisons.reference.run, loaded.where(path)
    if spec.drift is not None and isinstance(spec.drift.reference, RunReference):
        yield spec.drift.reference.run, loaded.where(("drift", "reference", "run"))
    for index, criterion in enumerate(spec.acceptance):
        if isinstance(criterion.reference, RunReference):
            where = loaded.where(("acceptance", index, "reference", "run"))
            yield criterion.reference.run, where


def read_reference(path: Path, where: Location) -> ReferenceRun:
    """The run in a folder, or that a link leads to. Raises FilesError."""
    file = path / RESULTS
    try:
        if not file.is_file():
            hint = "the folder of an earlier run; a first run has none to refer to"
            raise FilesError(Problem(f"'{path}' holds no {RESULTS}", hint, where))
        if file.stat().st_size > MOST_BYTES:
            raise FilesError(Problem(f"'{path}': larger than {MOST_BYTES} bytes", "", where))
        data = file.read_bytes()
        name = path.resolve().name
    except OSError as error:
        reason = error.strerror or str(error)
        raise FilesError(Problem(f"'{path}' cannot be read: {reason}", "", where)) from error
    digest = hashlib.sha256(data).hexdigest()
    return ReferenceRun(name, digest, _content(data, path, where), path.name == PREVIOUS)


def _content(data: bytes, path: Path, where: Location) -> Mapping[str, Any]:
    try:
        content = json.loads(data)
        if content["schema"] == SCHEMA and isinstance(content["measures"], list):
            return dict(content)
    except (ValueError, TypeError, KeyError, RecursionError):
        pass
    raise FilesError(
        Problem(f"'{path}': its {RESULTS} is none", f"a run with schema {SCHEMA}", where)
    )
