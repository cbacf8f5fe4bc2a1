"""What a seal says of a run: an in-toto statement, and the run as a research object.

What is signed is the statement, with the test-result predicate. Sources:
https://in-toto.io/Statement/v1, https://in-toto.io/attestation/test-result/v0.1. Subjects are all
files of the run that the seal covers; the tests are its acceptance criteria.

The research object is RO-Crate 1.1 metadata by the Process Run Crate profile 0.5. Sources:
https://w3id.org/ro/crate/1.1, https://w3id.org/ro/wfrun/process/0.5. The metadata follow from the
manifest and the title alone, so that the same run has the same bytes.
"""

from __future__ import annotations

import mimetypes
from collections.abc import Mapping, Sequence
from typing import Any

from evalreport.results.records import CONTINUE, HELD, Criterion
from evalreport.runs.hashing import FileRecord, canonical_json
from evalreport.runs.manifest import CRATE as CRATE_FILE
from evalreport.runs.manifest import NAME as MANIFEST
from evalreport.runs.manifest import InputFile, Manifest

STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "https://in-toto.io/attestation/test-result/v0.1"
#: The word of the predicate for each outcome of a run: without a criterion nothing was passed.
RESULTS = {"passed": "PASSED", "failed": "FAILED", "done": "WARNED", CONTINUE: "WARNED"}


def statement(manifest: Manifest, criteria: Sequence[Criterion], files: Mapping[str, str]) -> bytes:
    """The bytes of the statement; ``files`` are names with their sha256."""
    tests: dict[str, list[str]] = {"passedTests": [], "warnedTests": [], "failedTests": []}
    for one in criteria:
        key = "passedTests" if one.outcome in HELD else "failedTests"
        key = "warnedTests" if one.outcome == CONTINUE else key
        tests[key].append(f"{one.criterion}: {_of(one)}, {one.outcome.replace('_', ' ')}")
    if manifest.details.outcome == "done":
        tests["warnedTests"].append("no acceptance criterion was declared")
    spec = manifest.details.spec
    return canonical_json(
        {
            "_type": STATEMENT,
            "subject": [
                {"name": name, "digest": {"sha256": sha256}}
                for name, sha256 in sorted(files.items())
            ],
            "predicateType": PREDICATE,
            "predicate": {
                "result": RESULTS.get(manifest.details.outcome, "FAILED"),
                "configuration": [
                    {"name": "spec", "digest": {"sha256": spec.sha256}},
                    *(
                        {"name": one.name, "digest": {"sha256": one.sha256}}
                        for one in sorted(manifest.details.inputs)
                    ),
                ],
                **tests,
            },
        }
    )


def _of(criterion: Criterion) -> str:
    """A criterion with the place it was judged at."""
    groups = [f"{column} {value}" for column, value in sorted(criterion.subgroup.items())]
    places = [part for part in (criterion.dataset, criterion.model, *groups) if part]
    return ", ".join([criterion.text or criterion.metric, *places])


def subjects_of(value: Any) -> dict[str, str]:
    """The files of a parsed statement with their sha256; ValueError where it is none."""
    if not isinstance(value, Mapping) or value.get("_type") != STATEMENT:
        raise ValueError("no in-toto statement")
    if value.get("predicateType") != PREDICATE:
        raise ValueError(f"its predicate is {value.get('predicateType')!r}, not {PREDICATE}")
    found: dict[str, str] = {}
    try:
        for one in value["subject"]:
            found[str(one["name"])] = str(one["digest"]["sha256"])
    except (KeyError, TypeError):
        raise ValueError("its subjects do not follow the in-toto format") from None
    return found


CRATE = "https://w3id.org/ro/crate/1.1"
PROFILE = "https://w3id.org/ro/wfrun/process/0.5"
CONTEXT = (f"{CRATE}/context", "https://w3id.org/ro/terms/workflow-run/context")

Entity = dict[str, Any]


def crate_metadata(manifest: Manifest, record: FileRecord, title: str) -> bytes:
    """The bytes of ro-crate-metadata.json of a run; ``record`` is that of its manifest."""
    files = [
        _file(name, one) for name, one in sorted({**manifest.outputs, MANIFEST: record}.items())
    ]
    inputs = [_input(place, one) for place, one in enumerate(sorted(manifest.details.inputs), 1)]
    spec = _spec(manifest)
    graph = [
        _descriptor(),
        _root(manifest, title, files),
        {
            "@id": PROFILE,
            "@type": "CreativeWork",
            "name": "Process Run Crate",
            "version": "0.5",
        },
        _action(manifest, [spec, *inputs], files),
        _software(manifest),
        {
            "@id": "#licence",
            "@type": "CreativeWork",
            "name": "not stated",
            "description": "The run states no licence; its owner decides who may use it.",
        },
        spec,
        *inputs,
        *files,
    ]
    return canonical_json({"@context": list(CONTEXT), "@graph": graph})


def _descriptor() -> Entity:
    return {
        "@id": CRATE_FILE,
        "@type": "CreativeWork",
        "about": {"@id": "./"},
        "conformsTo": {"@id": CRATE},
    }


def _root(manifest: Manifest, title: str, files: list[Entity]) -> Entity:
    return {
        "@id": "./",
        "@type": "Dataset",
        "name": title or "Classifier evaluation",
        "description": "A classifier evaluation by evalreport: results, report and manifest.",
        "datePublished": manifest.details.when,
        "license": {"@id": "#licence"},
        "conformsTo": {"@id": PROFILE},
        "hasPart": [_reference(one) for one in files],
        "mentions": {"@id": "#run"},
    }


def _action(manifest: Manifest, objects: list[Entity], files: list[Entity]) -> Entity:
    return {
        "@id": "#run",
        "@type": "CreateAction",
        "name": f"evalreport run, outcome {manifest.details.outcome}",
        "description": "Evaluate the predictions of the spec and publish the report.",
        "actionStatus": "http://schema.org/CompletedActionStatus",
        "endTime": manifest.details.when.replace("Z", "+00:00"),
        "instrument": {"@id": "#evalreport"},
        "object": [_reference(one) for one in objects],
        "result": [_reference(one) for one in files],
    }


def _software(manifest: Manifest) -> Entity:
    version = manifest.details.version
    return {
        "@id": "#evalreport",
        "@type": "SoftwareApplication",
        "name": "evalreport",
        "softwareVersion": version,
        "softwareRequirements": [f"{k} {v}" for k, v in sorted(manifest.details.versions.items())],
    }


def _spec(manifest: Manifest) -> Entity:
    spec = manifest.details.spec
    return {
        "@id": "#spec",
        "@type": "CreativeWork",
        "name": "the spec, kept whole in results.json",
        "sha256": spec.sha256,
        "contentSize": str(spec.size),
    }


def _input(place: int, one: InputFile) -> Entity:
    # The data are not in the folder of a run: told by name and hash, and no part of the crate.
    return {
        "@id": f"#input-{place}",
        "@type": "CreativeWork",
        "name": one.name,
        "additionalType": one.role,
        "sha256": one.sha256,
        "contentSize": str(one.size),
    }


def _file(name: str, record: FileRecord) -> Entity:
    kind = mimetypes.types_map.get(f".{name.rpartition('.')[2]}", "application/octet-stream")
    return {
        "@id": name,
        "@type": "File",
        "name": name,
        "encodingFormat": kind,
        "contentSize": str(record.size),
        "sha256": record.sha256,
    }


def _reference(entity: Entity) -> Entity:
    return {"@id": entity["@id"]}
