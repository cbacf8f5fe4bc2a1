"""The results of one published run, read and held against its manifest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalreport.errors import FilesError, Location, Problem, VerificationError
from evalreport.record.durable import explained
from evalreport.record.hashing import parse_json, sha256
from evalreport.record.manifest import NAME as MANIFEST
from evalreport.record.manifest import read_manifest

RESULTS = "results.json"
SCHEMA = "evalreport/results/1"


@dataclass(frozen=True)
class RecordedRun:
    """A run by its name: what its ``results.json`` holds, and the file's sha256."""

    name: str
    results: Mapping[str, Any]
    sha256: str

    @property
    def at(self) -> str:
        """The run's clock as text; empty where it is not recorded."""
        return str((self.results.get("provenance") or {}).get("at") or "")


def read_recorded(path: Path) -> RecordedRun:
    """The results of a run folder, of a link to one, or of a ``results.json`` by itself.

    Raises FilesError when there are none, VerificationError when they are not what
    the manifest beside them recorded.
    """
    file = path / RESULTS if path.is_dir() else path
    where = Location(str(file))
    with explained("read the results", file):
        if not file.is_file():
            hint = "give the folder of a run, such as RUNS/latest"
            raise FilesError(Problem(f"no {RESULTS}", hint, where))
        data = file.read_bytes()
    digest = sha256(data)
    folder = file.parent.resolve()
    if file.name == RESULTS and (folder / MANIFEST).is_file():
        recorded = read_manifest(folder)[0].outputs.get(RESULTS)
        if recorded is None or recorded.sha256 != digest:
            raise VerificationError(
                Problem(f"altered: sha256 {digest}, {MANIFEST} records another", "", where)
            )
    return RecordedRun(folder.name, results_of(data, where), digest)


def results_of(data: bytes, where: Location) -> dict[str, Any]:
    """The content of a ``results.json``. Raises FilesError when it is none."""
    try:
        content = parse_json(data)
    except ValueError as error:
        raise FilesError(Problem(f"is no {RESULTS}: {error}", "", where)) from None
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        raise FilesError(Problem(f"is no {RESULTS}", f"a file with schema {SCHEMA}", where))
    return content
