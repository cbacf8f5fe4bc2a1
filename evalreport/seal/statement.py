"""What is signed: an in-toto statement with the test-result predicate.

Sources: https://in-toto.io/Statement/v1, https://in-toto.io/attestation/test-result/v0.1.
Subjects are all files of the run that the seal covers; the tests are its acceptance criteria.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evalreport.record.hashing import canonical_json
from evalreport.record.manifest import Manifest
from evalreport.results.records import CONTINUE, HELD, Criterion

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
        raise ValueError("its subjects are not laid out as in-toto says") from None
    return found
