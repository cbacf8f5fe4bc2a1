"""An earlier run that a spec refers to: its measures and outcomes, from its results alone."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalreport.errors import FilesError, LimitError, Location, Problem, explained
from evalreport.results.codec import decode, parse_json
from evalreport.results.identity import WhichNumber
from evalreport.results.lookup import SCHEMA, Results
from evalreport.results.records import Curve, Measure, Reference
from evalreport.spec.comparisons import RunReference
from evalreport.spec.series import LATEST, series_link
from evalreport.statistics.shift import Sample

if TYPE_CHECKING:
    from evalreport.spec.load import LoadedSpec

RESULTS = "results.json"
#: The folder, beside the runs, of what is kept of those that were pruned.
KEPT = "kept"
#: The link to the newest run: what it leads to is the run before this one.
PREVIOUS = LATEST
#: No results file that is read is larger.
MOST_BYTES = 1 << 30


@dataclass(frozen=True)
class CountedRows:
    """The rows that were counted so far: the key of their digests, and per dataset those of ids."""

    key: bytes
    digests: Mapping[str, frozenset[str]]


@dataclass(frozen=True, eq=False)
class ReferenceRun:
    """An earlier run: the name of its folder, the sha256 of its results, and what they hold."""

    name: str
    sha256: str
    results: Results
    previous: bool = False
    #: What is known of the rows that its looks have counted, where runs keep them.
    counted: CountedRows | None = None

    @cached_property
    def measures(self) -> dict[WhichNumber, Measure]:
        """Its measures by what they measure."""
        return {m.which.series: m for m in self.results.measures}

    @property
    def of(self) -> str:
        """What its data are of, else its clock."""
        return self.results.as_of or self.results.provenance.at

    @cached_property
    def data(self) -> dict[str, str | None]:
        """The sha256 of the file of each dataset."""
        return {one.dataset: one.sha256 for one in self.results.provenance.inputs}

    def record(self) -> Reference:
        """What tells which run it was."""
        provenance = self.results.provenance
        return Reference(
            run=self.name,
            results_sha256=self.sha256,
            at=provenance.at,
            title=self.results.title,
            spec_sha256=None if provenance.spec is None else provenance.spec.sha256,
        )


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

    def records(self) -> tuple[Reference, ...]:
        """The records that name them."""
        return tuple(run.record() for run in self.runs.values())


def read_references(loaded: LoadedSpec) -> References:
    """Every earlier run that comparisons, drift or criteria refer to.

    Raises FilesError with every one that cannot be read.
    """
    found: dict[str, ReferenceRun] = {}
    problems: list[Problem] = []
    for path, where in wanted(loaded):
        if path in found:
            continue
        try:
            run, previous = _led_to((loaded.folder or Path()) / path, loaded.series, where)
            found[path] = read_reference(run, where, previous=previous)
        except FilesError as error:
            problems.extend(error.problems)
    if problems:
        raise FilesError(*problems)
    return References(found)


def wanted(loaded: LoadedSpec) -> Iterator[tuple[str, Location]]:
    """The paths of the earlier runs that a spec refers to, and where it does."""
    spec = loaded.spec
    if spec.comparisons is not None and isinstance(spec.comparisons.reference, RunReference):
        path = ("comparisons", "reference", "run")
        yield spec.comparisons.reference.run, loaded.where(path)
    if spec.drift is not None and isinstance(spec.drift.reference, RunReference):
        yield spec.drift.reference.run, loaded.where(("drift", "reference", "run"))
    for number, criterion in spec.criteria:
        index = number - 1
        if isinstance(criterion.reference, RunReference):
            where = loaded.where(("acceptance", index, "reference", "run"))
            yield criterion.reference.run, where


def _led_to(path: Path, series: str, where: Location) -> tuple[Path, bool]:
    """The run that a path means, and whether that is the run before this one.

    ``runs/latest`` is the newest run of the spec's own series, ``runs/latest/other`` that of
    another. A folder of an older version knows no series: there it is its newest run.
    """
    previous = is_previous(path, series)
    if path.parent.name == PREVIOUS and not path.exists():
        return path.parent.parent / series_link(path.name), previous
    if path.name != PREVIOUS:
        return path, path.name == series_link(series)
    own = path.parent / series_link(series)
    if own.exists() or not any(path.parent.glob(f"{PREVIOUS}-*")):
        return (own if own.exists() else path), True
    what = f"'{path.parent}' has no run of the series '{series}' yet"
    hint = f"{PREVIOUS}/NAME is the newest run of another series; a first run has none to refer to"
    raise FilesError(Problem(what, hint, where))


def is_previous(path: Path, series: str) -> bool:
    """Whether a path, as it is written, means the run before the one that refers to it."""
    if path.parent.name == PREVIOUS:
        return path.name == series
    return path.name in (PREVIOUS, series_link(series))


def read_reference(path: Path, where: Location, *, previous: bool = False) -> ReferenceRun:
    """The run in a folder, or that a link leads to; of one that was pruned what is kept of it.

    Raises FilesError.
    """
    file = results_of(path)
    try:
        data = read_file(file)
        return ReferenceRun(
            path.resolve().name, hashlib.sha256(data).hexdigest(), records_of(data, where), previous
        )
    except FilesError as error:
        if not file.is_file():
            hint = "the folder of an earlier run; a first run has none to refer to"
            raise FilesError(Problem(f"'{path}' has no {RESULTS}", hint, where)) from None
        told = "; ".join(one.what for one in error.problems)
        what = f"'{path}': its {RESULTS} is none: {told}"
        raise FilesError(Problem(what, f"a run with schema {SCHEMA}", where)) from None


def read_file(path: Path) -> bytes:
    """The bytes of a regular file of no more than 1 GiB. Raises FilesError, LimitError."""
    where = Location(str(path))
    with explained("cannot be read", path, ""):
        # Found out before it is opened: a pipe would wait for ever.
        if not path.is_file():
            what = "is not a file" if path.exists() else "file not found"
            raise FilesError(Problem(what, "give a results.json", where))
        if path.stat().st_size > MOST_BYTES:
            raise LimitError(Problem(f"is larger than {MOST_BYTES:,} bytes", "", where))
        return path.read_bytes()


def records_of(data: bytes, where: Location) -> Results:
    """The records of a ``results.json``, held to their form and their own references.

    This is where results that come from a file enter: what is read of them later is there, of
    its type and length. Raises FilesError with every path that is not.
    """
    try:
        content = parse_json(data)
    except ValueError as error:
        raise FilesError(Problem(f"is not a {RESULTS}: {error}", "", where)) from None
    return decode(content, where.file)


def results_of(path: Path) -> Path:
    """The results of a run; where only its numbers are left beside it, those."""
    file, run = path / RESULTS, path.resolve()
    kept = run.parent / KEPT / f"{run.name}.json"
    return kept if not file.exists() and kept.is_file() else file


def scores_of_curve(curve: Curve) -> Sample:
    """Scores by a gain curve, of which every point is exact.

    Where there are more scores than points, a point stands for its score and those up to the next.
    """
    ends = [float(rows or 0) for rows in curve.points["rows"]]
    steps = (after - before for before, after in pairwise([0.0, *ends]))
    told = zip(curve.points["threshold"], steps, strict=True)
    values = [(float(at), rows) for at, rows in told if at is not None][::-1]
    return Sample(values, curve.in_bins)
