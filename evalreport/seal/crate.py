"""The run as a research object: RO-Crate 1.1 metadata by the Process Run Crate profile 0.5.

Sources: https://w3id.org/ro/crate/1.1, https://w3id.org/ro/wfrun/process/0.5. The metadata
follow from the manifest and the title alone, so that the same run has the same bytes.
"""

from __future__ import annotations

import mimetypes
from typing import Any

from evalreport.record.files import CRATE as CRATE_FILE
from evalreport.record.hashing import FileRecord, canonical_json
from evalreport.record.manifest import NAME as MANIFEST
from evalreport.record.manifest import InputFile, Manifest

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
