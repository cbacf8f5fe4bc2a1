"""Run in the environment of the published checkers: a sealed run by their own rules.

``python published_profiles.py RUN`` prints a JSON object: what rocrate-validator finds against
what the Process Run Crate profile requires, and the predicate as in-toto's own classes read it.
The contexts that RO-Crate names lie behind addresses; here they are answered with the terms that
a seal uses (https://w3id.org/ro/crate/1.1/context, https://w3id.org/ro/terms/workflow-run), so
that no network is needed.
"""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path
from typing import Any

import requests
from google.protobuf import json_format
from in_toto_attestation.predicates.test_result.v0 import test_result_pb2
from in_toto_attestation.v1 import statement_pb2
from in_toto_attestation.v1.statement import Statement
from rdflib.plugins.shared.jsonld import context, util
from rocrate_validator import models, services
from rocrate_validator.utils.http import HttpRequester

SCHEMA_ORG = (
    "CreateAction CreativeWork Dataset SoftwareApplication about actionStatus additionalType "
    "contentSize datePublished description encodingFormat endTime hasPart instrument license "
    "mentions name object result softwareRequirements softwareVersion version"
)
CONTEXTS: dict[str, dict[str, Any]] = {
    "https://w3id.org/ro/crate/1.1/context": {
        "@context": {
            **{term: f"http://schema.org/{term}" for term in SCHEMA_ORG.split()},
            "File": "http://schema.org/MediaObject",
            "conformsTo": "http://purl.org/dc/terms/conformsTo",
        }
    },
    "https://w3id.org/ro/terms/workflow-run/context": {
        "@context": {"sha256": "https://w3id.org/ro/terms/workflow-run#sha256"}
    },
}

_to_json, _send = util.source_to_json, requests.Session.send


def source_to_json(source: Any, *more: Any, **named: Any) -> Any:
    address = getattr(source, "system_id", None) or source
    if isinstance(address, str) and address in CONTEXTS:
        return CONTEXTS[address], None
    return _to_json(source, *more, **named)


def send(session: requests.Session, request: Any, **named: Any) -> Any:
    if request.url not in CONTEXTS:
        return _send(session, request, **named)
    answer = requests.Response()
    answer.status_code, answer.url, answer.request = 200, request.url, request
    answer._content = json.dumps(CONTEXTS[request.url]).encode()
    answer.headers["Content-Type"] = "application/ld+json"
    return answer


def crate_issues(run: Path) -> list[str]:
    util.source_to_json = context.source_to_json = source_to_json
    requests.Session.send = send  # type: ignore[method-assign]
    HttpRequester(no_cache=True)
    found = services.validate(
        services.ValidationSettings(
            rocrate_uri=str(run),
            profile_identifier="process-run-crate-0.5",
            requirement_severity=models.Severity.REQUIRED,
            no_cache=True,
        )
    )
    return [f"{one.check.identifier}: {one.message}" for one in found.get_issues()]


def predicate(run: Path) -> dict[str, Any]:
    value = json.loads(base64.b64decode(json.loads((run / "SEAL.json").read_text())["payload"]))
    Statement.copy_from_pb(json_format.ParseDict(value, statement_pb2.Statement())).validate()
    read = json_format.ParseDict(value["predicate"], test_result_pb2.TestResult())
    return dict(json_format.MessageToDict(read))


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    print(json.dumps({"crate": crate_issues(folder), "predicate": predicate(folder)}))
