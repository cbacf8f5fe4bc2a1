"""The JSON Schema and the reference page say the same as the loader."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from evalreport.metrics.catalogue import known_names
from evalreport.spec.fields import plain
from evalreport.spec.load import load_spec
from evalreport.spec.reference import spec_reference
from evalreport.spec.schema import spec_schema
from evalreport.spec.yaml_document import read_document

ROOT = Path(__file__).parents[2]
SPECS = [
    *sorted((ROOT / "configs").glob("*.yaml")),
    *sorted((Path(__file__).parent / "corpus").glob("*.yaml")),
]


@pytest.fixture(scope="module")
def schema():
    return spec_schema()


@pytest.fixture(scope="module")
def validator(schema):
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.name)
def test_every_spec_is_valid_as_written_and_as_resolved(validator, path):
    for document in (
        plain(read_document(path.read_bytes(), path.name).root),
        load_spec(path).resolved(),
    ):
        assert [error.message for error in validator.iter_errors(document)] == []


@pytest.mark.parametrize(
    "text",
    [
        "treshold: [0.5]",
        "confidence: {level: 1.5}",
        "confidence: {methods: {recall: delong}}",
        "confidence: {seed: 1.5}",
        "thresholds: []",
        "thresholds: [{maximize: roc_auc}]",
        "thresholds: [{maximise: f1}]",
        "averaging: macro",
        "prevalence: [1]",
        "subgroups: [[]]",
        "report: {formats: [htlm]}",
        "cross_validation: {scheme: kfold}",
        "acceptance: [{metric: recal, at_least: 0.5}]",
        "comparisons: {correction: holm}",
        "title: null",
        "engine: {grain: 0}",
        "evalreport: one",
        "models: {m: {scor: p}}",
        "datasets: {d: {target: y}}",
        "metrics: [{fbeta: {beta: 0}}]",
    ],
)
def test_what_the_loader_refuses_the_schema_refuses(validator, text):
    base = {
        "evalreport": 1,
        "datasets": {"d": {"path": "d.csv", "target": "y"}},
        "models": {"m": {"score": "p"}},
        "metrics": ["f1"],
    }
    assert validator.is_valid(base)
    assert not validator.is_valid(base | plain(read_document(text, "s").root))


def test_every_key_has_a_description(schema):
    parts = {"spec": schema, **schema["definitions"]}
    lacking = [
        f"{name}.{key}"
        for name, part in parts.items()
        if name not in ("MetricRequest", "RuleMetric", "Reach")
        for key, field in part.get("properties", {}).items()
        if not field.get("description")
    ]
    assert lacking == []
    assert [name for name, part in parts.items() if not part.get("description")] == []


def test_editors_are_offered_every_metric_name(schema):
    offered = schema["definitions"]["MetricRequest"]["anyOf"][0]
    assert sorted(offered["enum"]) == list(known_names())
    assert len(offered["enumDescriptions"]) == len(offered["enum"])


def test_draft_7_only(schema):
    text = json.dumps(schema)
    for newer in ("$defs", "prefixItems", "dependentRequired", "unevaluatedProperties"):
        assert newer not in text
    # null is a value in one place: a cell of a table that nobody counted
    assert text.count('"null"') == 1
    assert text == json.dumps(spec_schema())


def test_the_reference_page_is_the_one_in_docs():
    page = (ROOT / "docs" / "spec.md").read_text(encoding="utf-8")
    assert page == spec_reference(), "run: python -m evalreport.spec.reference > docs/spec.md"
