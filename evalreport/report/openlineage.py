"""A run as one OpenLineage event: what was read, what was judged, what came out.

Sources: https://openlineage.io/spec/2-0-2/OpenLineage.json and the schemas of the standard facets
that are named below. The event follows from the results alone, so that the same run has the same
bytes, and the same ``runId``. Facets of our own begin with ``evalreport_``, as the specification
asks; their schema is that of any facet.

The event is of the type COMPLETE: the job did its work. Whether the model passed is told by the
assertions on each dataset and by the facet ``evalreport_outcome``.
"""

from __future__ import annotations

import json
import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from evalreport.report.words import subgroup_name
from evalreport.results.codec import encode
from evalreport.results.lookup import Results, outcome_of
from evalreport.results.records import CONTINUE, HELD, Criterion, Input
from evalreport.version import __version__

SPECIFICATION = "https://openlineage.io/spec/2-0-2/OpenLineage.json"
FACETS = "https://openlineage.io/spec/facets"
#: A package URL; the program has no other address.
PRODUCER = "pkg:pypi/evalreport"
NAMESPACE = "evalreport"
#: The namespace of files without an address, by OpenLineage's rules of naming.
FILES = "file"

Json = dict[str, Any]


def run_event(results: Results, results_sha256: str) -> bytes:
    """The bytes of ``openlineage.json``; ``results_sha256`` is that of ``results.json``."""
    series = _series(results)
    event = {
        "eventType": "COMPLETE",
        "eventTime": results.provenance.at,
        "producer": _producer(results),
        "schemaURL": f"{SPECIFICATION}#/$defs/RunEvent",
        "run": {"runId": _run_id(results, series), "facets": _run_facets(results)},
        "job": {"namespace": NAMESPACE, "name": series, "facets": _job_facets(results)},
        "inputs": _inputs(results),
        "outputs": [_output(results, series, results_sha256)],
    }
    text = json.dumps(event, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return (text + "\n").encode("utf-8")


def _series(results: Results) -> str:
    """The line of history of the run: as the spec declares, else its file's name."""
    spec = results.provenance.spec
    named = "results" if spec is None else PurePosixPath(spec.name).stem
    return str(results.spec.get("series") or named)


def _producer(results: Results) -> str:
    return f"{PRODUCER}@{results.provenance.version or __version__}"


def _run_id(results: Results, series: str) -> str:
    """A UUID (version 5) of everything that makes this run another one than the next."""
    told = results.provenance
    spec = [] if told.spec is None else [told.spec.sha256, *told.spec.overrides]
    read = [str(one.sha256) for one in told.inputs]
    parts = [
        series,
        told.at,
        str(results.as_of),
        told.version,
        told.plan_sha256,
        *spec,
        *read,
    ]
    return str(uuid.uuid5(uuid.NAMESPACE_URL, json.dumps([PRODUCER, *parts])))


def _facet(results: Results, schema: str, content: Mapping[str, Any]) -> Json:
    return {"_producer": _producer(results), "_schemaURL": schema, **content}


def _standard(results: Results, version: str, name: str, content: Mapping[str, Any]) -> Json:
    return _facet(results, f"{FACETS}/{version}/{name}.json#/$defs/{name}", content)


def _own(results: Results, kind: str, content: Mapping[str, Any]) -> Json:
    return _facet(results, f"{SPECIFICATION}#/$defs/{kind}", content)


def _run_facets(results: Results) -> Json:
    told = results.provenance
    engine = {"name": "evalreport", "version": told.version or __version__}
    facets = {
        "processing_engine": _standard(results, "1-1-1", "ProcessingEngineRunFacet", engine),
        "evalreport_outcome": _own(results, "RunFacet", _outcome(results)),
        "evalreport_provenance": _own(
            results,
            "RunFacet",
            {
                "clock": told.clock,
                "engine": None if told.engine is None else told.engine.name,
                "plan_sha256": told.plan_sha256,
                "seed": told.seed,
                "versions": dict(told.versions),
                "models": [encode(one) for one in told.models],
                "references": [encode(one) for one in results.references],
                **({} if told.protocol is None else {"protocol": encode(told.protocol)}),
            },
        ),
    }
    of = results.as_of or (told.at if told.clock == "given" else None)
    if of is not None:
        content = {"nominalStartTime": of if "T" in of else f"{of}T00:00:00Z"}
        facets["nominalTime"] = _standard(results, "1-0-1", "NominalTimeRunFacet", content)
    return facets


def _outcome(results: Results) -> Json:
    return {
        "outcome": outcome_of(results),
        "criteria": dict(Counter(entry.outcome for entry in results.acceptance)),
        "cautions": len(results.cautions),
        "failed_sections": [one.section for one in results.failures],
    }


def _job_facets(results: Results) -> Json:
    kind = {"processingType": "BATCH", "integration": "EVALREPORT", "jobType": "EVALUATION"}
    facets = {
        "documentation": _standard(
            results, "1-1-0", "DocumentationJobFacet", {"description": results.title}
        ),
        "jobType": _standard(results, "2-0-4", "JobTypeJobFacet", kind),
    }
    spec = results.provenance.spec
    if spec is not None:
        content = {"name": spec.name, "sha256": spec.sha256, "overrides": list(spec.overrides)}
        facets["evalreport_spec"] = _own(results, "JobFacet", content)
    return facets


def _inputs(results: Results) -> list[Json]:
    """One input for each file or table; datasets of one file share it."""
    together: dict[tuple[str, str], list[Input]] = {}
    for one in results.provenance.inputs:
        together.setdefault(_named(one.name), []).append(one)
    return [_input(results, name, group) for name, group in together.items()]


def _named(name: str) -> tuple[str, str]:
    """Namespace and name of a dataset, by OpenLineage's rules.

    >>> _named("s3://bucket/week/a.parquet"), _named("../data/a.csv")
    (('s3://bucket', 'week/a.parquet'), ('file', '../data/a.csv'))
    """
    parts = urlsplit(name) if "://" in name else None
    if parts is None or not parts.netloc:
        return FILES, name
    # Who may read it is nobody's business here: a name or password is left out.
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}", parts.path.lstrip("/") or "/"


def _input(results: Results, name: tuple[str, str], group: Sequence[Input]) -> Json:
    first = group[0]
    datasets = {one.dataset for one in group}
    facets: Json = {
        "evalreport_dataset": _own(
            results,
            "DatasetFacet",
            {
                "datasets": sorted(datasets),
                "sha256": first.sha256,
                "sha256_of": first.sha256_of or "file",
                "files": [encode(part) for part in first.files],
            },
        )
    }
    if first.sha256 is not None:
        version = {"datasetVersion": first.sha256}
        facets["version"] = _standard(results, "1-0-1", "DatasetVersionDatasetFacet", version)
    counted: Json = {"rowCount": first.rows, "columnMetrics": {}}
    if first.bytes is not None:
        counted["bytes"] = first.bytes
    read = {
        "dataQualityMetrics": _standard(
            results, "1-0-3", "DataQualityMetricsInputDatasetFacet", counted
        )
    }
    # a criterion that continues is neither met nor missed before a further look
    decided = (e for e in results.acceptance if e.outcome != CONTINUE)
    judged = [_assertion(e) for e in decided if e.dataset in datasets]
    if judged:
        read["dataQualityAssertions"] = _standard(
            results, "1-1-0", "DataQualityAssertionsDatasetFacet", {"assertions": judged}
        )
    return {"namespace": name[0], "name": name[1], "facets": facets, "inputFacets": read}


def _assertion(entry: Criterion) -> Json:
    place = {"model": entry.model, "outcome": entry.outcome, "reason": entry.reason}
    if entry.subgroup:
        place["subgroup"] = subgroup_name(entry.subgroup)
    if entry.asked_at is not None:
        place["threshold"] = entry.asked_at
    told: Json = {
        "assertion": entry.text,
        "name": f"criterion {entry.criterion}",
        "severity": "error",
        "success": entry.outcome in HELD,
        "params": {key: value for key, value in place.items() if value is not None},
    }
    for key, value in (("expected", entry.required), ("actual", entry.observed)):
        if value is not None:
            told[key] = repr(value)
    return told


def _output(results: Results, series: str, results_sha256: str) -> Json:
    version = {"datasetVersion": results_sha256}
    return {
        "namespace": NAMESPACE,
        "name": f"{series}/results.json",
        "facets": {
            "version": _standard(results, "1-0-1", "DatasetVersionDatasetFacet", version),
        },
    }
