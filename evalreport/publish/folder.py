"""A run's files into its folder: written aside, listed with their hashes, published whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path, PureWindowsPath
from typing import TYPE_CHECKING, Any

from evalreport.data.findings import quoted
from evalreport.data.labels import Written, value_of
from evalreport.errors import DataError, Problem
from evalreport.results.lookup import outcome_of
from evalreport.results.records import Look
from evalreport.runs.hashing import FileRecord, canonical_json
from evalreport.runs.history import last_positive
from evalreport.runs.manifest import InputFile, RunDetails
from evalreport.runs.row_digests import rows_key, with_counted
from evalreport.runs.run_folder import RunFolder

if TYPE_CHECKING:
    from evalreport.engine.prepared import Prepared
    from evalreport.results.lookup import Results


def published(
    runs: Path,
    prepared: Prepared,
    results: Results,
    files: Mapping[str, bytes],
    when: datetime,
) -> Path:
    """Publish the drawn ``files`` of an evaluation as a new run; the run's folder.

    Raises FilesError where it cannot be written, ConflictError where RUNS is in use.
    """
    from evalreport.engine.ledgers.kept_rows import keeps_rows, kept_rows
    from evalreport.results.codec import encode

    loaded = prepared.loaded
    with RunFolder(runs, loaded.sha256, when) as folder:
        for name, content in files.items():
            folder.write(name, content)
        if keeps_rows(prepared):
            kept = with_counted(kept_rows(prepared, rows_key(runs)), runs, results)
            folder.write("rows.json", canonical_json(encode(kept)))
        return folder.publish(details(results, loaded.series, loaded.spec.cadence))


def template_of(loaded: Any) -> str | Path:
    """The template of a spec: a shipped one by name, or a folder relative to the spec."""
    name = str(loaded.spec.report.template)
    if loaded.folder is not None and ("/" in name or (loaded.folder / name).is_dir()):
        return Path(loaded.folder) / name
    return name


def details(results: Results, series: str, cadence: str | None) -> RunDetails:
    """What the manifest says of a run beside its files. Raises ValueError without a spec."""
    made_by = results.provenance
    if made_by.spec is None:
        raise ValueError("the results of no spec")
    sources = {one.dataset: one.sha256 for one in made_by.inputs if one.sha256 is not None}
    classes = {one.dataset: one.positive for one in results.labels if not one.label_sets}
    beside = {
        "engine": made_by.engine and made_by.engine.name,
        "cadence": cadence,
        "as_of": results.as_of,
        "delivered": sources,
        "positive": classes,
    }
    return RunDetails(
        when=made_by.at,
        version=made_by.version,
        outcome=outcome_of(results),
        spec=FileRecord(made_by.spec.sha256, len(made_by.spec.text.encode("utf-8"))),
        plan_sha256=made_by.plan_sha256,
        inputs=(*_protocol(results), *_data(results)),
        versions=dict(made_by.versions) | drawing_versions(),
        settings={
            "overrides": list(made_by.spec.overrides),
            "series": series,
            **_judged(results),
            **{name: found for name, found in beside.items() if found},
        },
    )


def _positive(prepared: Prepared) -> dict[str, str | None]:
    """The positive class of each dataset; None where there are more than two classes."""
    return {
        facts.dataset: facts.positive if facts.two_classes else None
        for facts in prepared.facts
        if not facts.label_sets
    }


def check_positive(runs: Path, prepared: Prepared) -> None:
    """Raise DataError where the positive class is not that of the last run of the series.

    A spec in memory that names no series is held against runs of the same classes alone.
    """
    loaded = prepared.loaded
    run, before = last_positive(runs, loaded.series)
    unnamed = loaded.folder is None and loaded.spec.series is None
    problems: dict[str, Problem] = {}
    for facts in prepared.facts:
        now, name = _positive(prepared).get(facts.dataset), facts.dataset
        was = before.get(name, now)
        if _same(now, was) or facts.label_sets or (unnamed and was not in facts.labels):
            continue
        problems[name] = Problem(
            f"the positive class of {name} would be {_class(now)}; in the last run of the series "
            f"'{loaded.series}', {run}, it was {_class(was)}",
            (f"`positive: {{label: {was}}}`" if was else "the same classes, `labels: [...]`")
            + ", or a series of its own, `series: NAME`",
            loaded.where(("datasets", name, "target")),
        )
    if problems:
        raise DataError(*problems.values())


def _same(one: str | None, other: str | None) -> bool:
    """Whether two labels are of one class, as 1 and 1.0 are."""
    if one is None or other is None:
        return one is other
    return bool(value_of(Written(one)) == value_of(Written(other)))


def _class(label: str | None) -> str:
    return "none, of more than two classes" if label is None else quoted(label)


def _judged(results: Results) -> dict[str, Any]:
    """How many criteria had which outcome, and the looks at them: what the history tells."""
    found: dict[str, Any] = {}
    if results.acceptance:
        found["criteria"] = dict(Counter(entry.outcome for entry in results.acceptance))
    if looks := results.of(Look):
        names = ("criterion", "model", "look", "planned", "spent", "outcome", "decided_at")
        found["looks"] = [{name: getattr(one, name) for name in names} for one in looks]
    return found


def drawing_versions() -> dict[str, str]:
    """Versions of the libraries that charts and paper are drawn with, as far as they are there."""
    from evalreport.render.paper import pango_version

    found = {"pango": pango_version()}
    for name in ("weasyprint", "python-docx", "matplotlib"):
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return {name: own for name, own in found.items() if own is not None}


def _data(results: Results) -> Iterator[InputFile]:
    """The files of the datasets; of rows and objects no bytes were hashed."""
    for one in results.provenance.inputs:
        files = [(part.name, part.sha256, part.bytes) for part in one.files]
        if not files and one.sha256 is not None and one.bytes is not None:
            files = [(file_name(one.name), one.sha256, one.bytes)]
        for name, sha256, size in files:
            yield InputFile("dataset", f"{one.dataset}: {name}", sha256, size)


def _protocol(results: Results) -> list[InputFile]:
    """The protocol that the run cites, as a file that was read."""
    cited = results.provenance.protocol
    if cited is None:
        return []
    return [InputFile("protocol", cited.name, cited.file_sha256, cited.bytes)]


def file_name(path: str) -> str:
    r"""The last part of a path, by the rules of every system.

    >>> file_name("/data/a.csv"), file_name("C:\\data\\a.csv")
    ('a.csv', 'a.csv')
    """
    return PureWindowsPath(Path(path).name).name
