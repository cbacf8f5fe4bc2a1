"""Records from JSON and back: every byte stays, and nothing that is not a record is read."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from ready_specs import CONFIGS, results_of

from evalreport.api import run
from evalreport.errors import FilesError
from evalreport.results.codec import decode, decode_as, encode, results_schema
from evalreport.results.lookup import Results, parts
from evalreport.results.records import Interval, Measure
from evalreport.runs.hashing import canonical_json

pytestmark = pytest.mark.long_but_first


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft7Validator:
    schema = results_schema()
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


def written(path: Path) -> dict[str, Any]:
    """The results of a ready spec, as they are read from their file."""
    return dict(json.loads(json.dumps(results_of(path), sort_keys=True)))


@pytest.mark.long
@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_accepted_results_are_read_and_written_to_the_same_bytes(
    path: Path, validator: jsonschema.Draft7Validator
) -> None:
    content = written(path)
    results = decode(content)
    again = encode(results)
    assert canonical_json(again) == canonical_json(content)
    assert decode(again) == results
    assert [error.message for error in validator.iter_errors(again)] == []


@pytest.mark.long
def test_ready_specs_hold_most_kinds_of_records() -> None:
    assert len(CONFIGS) >= 9
    held = {
        kind.__name__
        for path in CONFIGS
        for results in [decode(written(path))]
        for kind in parts()
        if results.of(kind)
    }
    # the others have runs of their own: below, and of readers in tests/engine/test_readers.py
    assert {kind.__name__ for kind in parts()} - held <= {
        "Claim", "ClaimCounts", "Declared", "Drift", "Failure", "Logo", "Look", "OmnibusTest",
        "Period", "ReaderAgreement", "ReaderDifference", "ReaderMean", "Reclassification",
        "Reference", "RocRelation", "TrainingOverlap",
    }  # fmt: skip


SPEC: dict[str, Any] = {
    "evalreport": 1,
    "datasets": {
        "then": {"target": "y", "weight": "w", "missing": "exclude"},
        "now": {
            "target": "y",
            "missing": "exclude",
            "indeterminate": ["unsure"],
            "period": {"column": "day", "every": "month"},
        },
    },
    "positive": {"label": "yes"},
    "models": {"score": {"score": "p"}, "rule": {"prediction": "said"}},
    "metrics": ["accuracy", "recall", "specificity", "f1", "roc_auc", "brier"],
    "thresholds": [0.5, {"maximize": "youden_j"}],
    "subgroups": ["sex"],
    "prevalence": [0.1],
    "confidence": {"resamples": 40, "width": 0.2},
    "comparisons": {"reference": "rule", "net_reclassification": True},
    "drift": {"reference": {"dataset": "then"}, "at_most": {"psi": 0.5}, "columns": ["sex"]},
    "baselines": {"previous": "rule"},
    "looks": {"always": True},
    "declared": [{"metric": "recall", "value": 0.9, "source": "the label"}],
    "acceptance": [
        {"metric": "recall", "at_least": 0.2, "bound": "lower", "subgroup": "each"},
        {"metric": "recall", "reference": "rule", "margin": 0.3, "bound": "lower"},
    ],
    "report": {"characteristics": ["sex", "age"]},
}


def _frame(rows: int, shift: int) -> dict[str, list[Any]]:
    """Rows that follow a fixed pattern: every third is yes, some lack something."""
    at = range(rows)
    return {
        "y": [None if i % 29 == 0 else "yes" if i % 3 == 0 else "no" for i in at],
        "p": [None if i % 31 == 0 else ((i * 37 + shift) % 101) / 101 for i in at],
        "said": [
            None
            if i % 31 == 0
            else "unsure"
            if shift and i % 17 == 0
            else "yes"
            if i % 4 == 0
            else "no"
            for i in at
        ],
        "w": [1.0 + (i % 3) / 2 for i in at],
        "sex": ["F" if i % 5 < 3 else "M" for i in at],
        "age": [20 + (i * 7) % 60 for i in at],
        "day": [f"2026-0{1 + i % 7}-11" for i in at],
    }


@pytest.fixture(scope="module")
def full() -> dict[str, Any]:
    """Results of a spec that asks for much at once, weights, gaps and periods among it."""
    frames = {"then": _frame(240, 0), "now": _frame(230, 40)}
    return json.loads(canonical_json(run(SPEC, frames=frames, at="2026-11-21T12:00:00Z").json))


@pytest.mark.long
def test_a_run_that_asks_for_much_keeps_every_byte(
    full: dict[str, Any], validator: jsonschema.Draft7Validator
) -> None:
    results = decode(full)
    assert results.failures == ()
    for name in ("declared", "drift", "looks", "periods", "reclassification", "characteristics"):
        assert getattr(results, name), name
    assert any(m.weight is not None for m in results.measures)
    assert any(m.missing_bounds is not None for m in results.measures)
    assert canonical_json(encode(results)) == canonical_json(full)
    assert [error.message for error in validator.iter_errors(full)] == []


def test_every_object_of_the_schema_is_whole() -> None:
    """Only what the spec, a metric or the data name has keys that no record has."""
    open_ones: set[str] = set()

    def walk(schema: Any, place: str) -> None:
        if isinstance(schema, dict):
            if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
                open_ones.add(place)
            for key, inner in schema.items():
                walk(inner, f"{place}.{key}")

    for name, schema in results_schema()["definitions"].items():
        for field, own in schema["properties"].items():
            walk(own, f"{name}.{field}")
        assert schema["additionalProperties"] is False, name
        assert schema["description"], name
    fields = {place.split(".")[1] for place in open_ones}
    assert fields == {
        "against_subgroup", "numbers", "params", "points", "subgroup", "sums", "test", "train",
        "versions",
    }  # fmt: skip


def _changed(change: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    content = copy.deepcopy(written(CONFIGS[0]))
    change(content)
    return content


CHANGES: list[tuple[Callable[[dict[str, Any]], None], str]] = [
    (
        lambda r: r["measures"][0]["interval"].update(low="0.9"),
        "results.json: measures[0].interval.low: is '0.9', not a number",
    ),
    (
        lambda r: r["measures"][1].update(n=True),
        "results.json: measures[1].n: is True, not a whole number",
    ),
    (
        lambda r: r["measures"][1].update(n=-1),
        "results.json: measures[1].n: is -1, below 0",
    ),
    (
        lambda r: r["measures"][2].update(valeu=1),
        "results.json: measures[2].valeu: is not a field; did you mean 'value'?",
    ),
    (
        lambda r: r["measures"][2].pop("n"),
        "results.json: measures[2].n: is missing",
    ),
    (
        lambda r: r["measures"][0].update(state="vlaue"),
        "results.json: measures[0].state: is 'vlaue'; did you mean 'value'?",
    ),
    (
        lambda r: r["tables"][0]["counts"][1].__setitem__(0, "3"),
        "results.json: tables[0].counts[1][0]: is '3', not a number or null",
    ),
    (
        lambda r: r["tables"][0].update(rows="predicted"),
        "results.json: tables[0].rows: is 'predicted', not 'actual'",
    ),
    (
        lambda r: r["curves"][0]["points"].update(fpr=3),
        "results.json: curves[0].points.fpr: is 3, not a list",
    ),
    (
        lambda r: r["provenance"]["inputs"].append("a.csv"),
        "results.json: provenance.inputs[1]: is 'a.csv', not an object",
    ),
    (
        lambda r: r.update(cautoins=[]),
        "results.json: cautoins: is not a field; did you mean 'cautions'?",
    ),
]


@pytest.mark.parametrize(("change", "told"), CHANGES, ids=[told for _, told in CHANGES])
def test_what_is_no_record_is_told_with_its_path(
    change: Callable[[dict[str, Any]], None], told: str, validator: jsonschema.Draft7Validator
) -> None:
    content = _changed(change)
    with pytest.raises(FilesError) as raised:
        decode(content)
    assert [str(problem) for problem in raised.value.problems] == [told]
    assert list(validator.iter_errors(content)), "the schema lets it through"


def test_all_that_is_wrong_is_told_at_once() -> None:
    def several(results: dict[str, Any]) -> None:
        results["measures"][0]["value"] = "much"
        results["measures"][7]["label"] = 3
        results["title"] = None

    with pytest.raises(FilesError) as raised:
        decode(_changed(several))
    assert [problem.what for problem in raised.value.problems] == [
        "measures[0].value: is 'much', not a number or null",
        "measures[7].label: is 3, not text or null",
        "title: is None, not text",
    ]


@pytest.mark.parametrize("content", [None, [], 3, {}, {"schema": "evalreport/results/2"}])
def test_what_is_no_results_file_is_told_as_such(content: Any) -> None:
    with pytest.raises(FilesError, match="a file with schema evalreport/results/1"):
        decode(content, "x.json")


def test_fields_that_hold_only_sometimes_are_written_only_then() -> None:
    first = written(CONFIGS[0])["measures"][0]
    plain = {name: first[name] for name in first if name not in ("spread", "tables")}
    measure = decode_as(Measure, {**plain, "fold": None})
    assert "spread" not in encode(measure)
    mean = decode_as(Measure, {**plain, "fold": "mean", "spread": None, "tables": ["t1", None]})
    assert encode(mean)["spread"] is None
    assert encode(mean)["tables"] == ["t1", None]
    assert encode(Interval(0.95, 0, 1, "wilson"))["low"] == 0


def test_whole_numbers_stay_whole_and_others_do_not_become_it() -> None:
    found = [decode_as(Interval, {"level": 0.95, "low": low, "high": 1.0, "method": "wilson"})
             for low in (0, 0.0)]  # fmt: skip
    assert [json.dumps(encode(one)["low"]) for one in found] == ["0", "0.0"]


@pytest.mark.long
def test_fifteen_thousand_measures_are_read_and_written_back() -> None:
    content = written(CONFIGS[0])
    own = content["measures"]
    content["measures"] = [
        {**m, "id": m["id"] if k == 0 else f"{m['id']}.{k}"}
        for k in range(15_000 // len(own) + 1)
        for m in own
    ]
    results = decode(content)
    assert isinstance(results, Results)
    assert len(results.measures) == len(content["measures"]) >= 15_000
    assert canonical_json(encode(results)) == canonical_json(content)
