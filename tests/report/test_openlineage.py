"""The run event as a file: OpenLineage 2-0-2, the same bytes twice, hashes of what it names."""

from __future__ import annotations

import copy
import hashlib
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from jsonschema import Draft202012Validator, FormatChecker
from schedules.weekly_runs import SPEC, Counts, audit

from evalreport.cli import status_of

GOOD: Counts = (40, 10, 10, 90)
BAD: Counts = (20, 30, 10, 90)
FORMATS = ("--formats", "openlineage")

#: What https://openlineage.io/spec/2-0-2/OpenLineage.json and the schemas of the facets require,
#: written down from them: keys and types of events, runs, jobs, datasets and facets.
URI = {"type": "string", "pattern": r"^[a-z][a-z0-9+.-]*:\S+$"}
TEXT = {"type": "string"}


def _object(required: dict[str, Any], more: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"type": "object", "properties": required | (more or {}), "required": list(required)}


BASE = {"_producer": URI, "_schemaURL": URI}


def _facets(**known: dict[str, Any]) -> dict[str, Any]:
    """Every facet has producer and schema; those of the standard have what theirs requires."""
    own = {name: _object(BASE | content) for name, content in known.items()}
    return {"type": "object", "properties": own, "additionalProperties": _object(BASE)}


def _dataset(more: dict[str, Any]) -> dict[str, Any]:
    facets = _facets(version={"datasetVersion": TEXT})
    return _object({"namespace": TEXT, "name": TEXT}, {"facets": facets} | more)


ASSERTION = _object(
    {"assertion": TEXT, "success": {"type": "boolean"}},
    {
        **dict.fromkeys(("severity", "name", "expected", "actual", "column", "description"), TEXT),
        "params": {"type": "object"},
    },
)
INPUT_FACETS = _facets(
    dataQualityMetrics={"columnMetrics": {"type": "object"}, "rowCount": {"type": "integer"}},
    dataQualityAssertions={"assertions": {"type": "array", "items": ASSERTION}},
)
EVENT = _object(
    {
        "eventTime": {"type": "string", "format": "date-time"},
        "producer": URI,
        "schemaURL": URI,
        "run": _object(
            {"runId": {"type": "string", "format": "uuid"}},
            {
                "facets": _facets(
                    processing_engine={"version": TEXT}, nominalTime={"nominalStartTime": TEXT}
                )
            },
        ),
        "job": _object(
            {"namespace": TEXT, "name": TEXT},
            {
                "facets": _facets(
                    documentation={"description": TEXT},
                    jobType={"processingType": TEXT, "integration": TEXT},
                )
            },
        ),
    },
    {
        "eventType": {"enum": ["START", "RUNNING", "COMPLETE", "ABORT", "FAIL", "OTHER"]},
        "inputs": {"type": "array", "items": _dataset({"inputFacets": INPUT_FACETS})},
        "outputs": {"type": "array", "items": _dataset({})},
    },
)
VALIDATOR = Draft202012Validator(EVENT, format_checker=FormatChecker())


def _event(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "runs/latest/openlineage.json").read_bytes())
    return found


def test_the_event_is_one_by_the_published_schema(tmp_path: Path) -> None:
    assert audit(tmp_path, GOOD, 1, *FORMATS) == 0
    event = _event(tmp_path)
    VALIDATOR.validate(event)
    for path in (
        ("run", "runId"),
        ("job", "name"),
        ("inputs", 0, "facets", "version", "_producer"),
    ):
        broken: Any = copy.deepcopy(event)
        at = broken
        for key in path[:-1]:
            at = at[key]
        del at[path[-1]]
        with pytest.raises(jsonschema.ValidationError):
            VALIDATOR.validate(broken)


def test_it_names_inputs_spec_and_results_by_their_hashes(tmp_path: Path) -> None:
    audit(tmp_path, GOOD, 1, *FORMATS)
    event = _event(tmp_path)

    def digest(path: str) -> str:
        return hashlib.sha256((tmp_path / path).read_bytes()).hexdigest()

    (read,), (made,) = event["inputs"], event["outputs"]
    assert (read["namespace"], read["name"]) == ("file", "week.csv")
    assert read["facets"]["version"]["datasetVersion"] == digest("week.csv")
    assert read["inputFacets"]["dataQualityMetrics"]["rowCount"] == 150
    assert event["job"]["name"] == "audit"
    assert event["job"]["facets"]["evalreport_spec"]["sha256"] == digest("audit.yaml")
    assert made["name"] == "audit/results.json"
    assert made["facets"]["version"]["datasetVersion"] == digest("runs/latest/results.json")
    assert event["eventTime"] == "2026-11-01T06:00:00Z"


@pytest.mark.parametrize(("counts", "status", "passed"), [(GOOD, 0, True), (BAD, 1, False)])
def test_criteria_are_assertions_on_the_data(
    tmp_path: Path, counts: Counts, status: int, *, passed: bool
) -> None:
    assert audit(tmp_path, counts, 1, *FORMATS) == status
    event = _event(tmp_path)
    (told,) = event["inputs"][0]["inputFacets"]["dataQualityAssertions"]["assertions"]
    assert told["success"] is passed
    assert (told["assertion"], told["expected"]) == ("recall >= 0.7", "0.7")
    assert told["actual"] == ("0.8" if passed else "0.4")
    outcome = event["run"]["facets"]["evalreport_outcome"]
    assert outcome["outcome"] == ("passed" if passed else "failed")
    # the job did its work, whatever the model is worth
    assert event["eventType"] == "COMPLETE"


def test_the_same_run_is_the_same_event_and_another_run_another(tmp_path: Path) -> None:
    ids = []
    for name, day in (("a", 1), ("b", 1), ("c", 2)):
        audit(tmp_path / name, GOOD, day, *FORMATS)
        ids.append(_event(tmp_path / name)["run"]["runId"])
    same = [(tmp_path / n / "runs/latest/openlineage.json").read_bytes() for n in "ab"]
    assert same[0] == same[1]
    assert ids[0] == ids[1] != ids[2]


def test_it_is_drawn_again_and_verified(tmp_path: Path) -> None:
    spec = SPEC.replace("title:", "series: triage\ntitle:")
    audit(tmp_path, GOOD, 1, *FORMATS, spec=spec)
    run = (tmp_path / "runs" / "latest").resolve()
    event = run / "openlineage.json"
    assert _event(tmp_path)["job"]["name"] == "triage"
    out = tmp_path / "again"
    command = ["render", str(run / "results.json"), "-o", str(out), *FORMATS]
    assert status_of(command) == 0
    assert (out / "openlineage.json").read_bytes() == event.read_bytes()
    assert status_of(["verify", str(run)]) == 0
    event.write_bytes(event.read_bytes().replace(b"COMPLETE", b"ABORT"))
    assert status_of(["verify", str(run)]) == 5


def test_a_criterion_on_an_area_is_at_no_threshold(tmp_path: Path) -> None:
    spec = SPEC.replace("f1,", "f1, roc_auc,")
    spec = spec.replace("acceptance:\n", "acceptance:\n  - {metric: roc_auc, at_least: 0.5}\n")
    assert audit(tmp_path, GOOD, 1, *FORMATS, spec=spec) == 0
    file = tmp_path / "runs" / "latest" / "openlineage.json"
    (own,) = json.loads(file.read_text(encoding="utf-8"))["inputs"]
    area, recall = own["inputFacets"]["dataQualityAssertions"]["assertions"]
    assert "threshold" not in area["params"]
    assert recall["params"]["threshold"] == "0.5"
