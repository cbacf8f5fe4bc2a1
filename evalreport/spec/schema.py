"""The JSON Schema of the spec language, for completion and checking in editors.

Draft 7, which editors know best: the keywords beside a reference are kept by
wrapping it, lists have one kind of item, and null is allowed only in a table of counts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from evalreport.metrics.catalogue import catalogue
from evalreport.metrics.declare import Metric, Parameter
from evalreport.metrics.methods import known_intervals, known_tests
from evalreport.spec.confidence import requestable
from evalreport.spec.estimators import CLASSIFIERS, STEPS
from evalreport.spec.metric_requests import CORNER, OF_A_TABLE
from evalreport.spec.model import Spec
from evalreport.spec.report import TEMPLATES

Schema = dict[str, Any]

_ID = "https://evalreport.invalid/spec/1"


def spec_schema() -> Schema:
    """The schema as plain JSON data; the same at every call."""
    raw = Spec.model_json_schema(by_alias=True, ref_template="#/definitions/{model}")
    parts: dict[str, Schema] = {name: _tidy(part) for name, part in raw.pop("$defs").items()}
    root = _tidy(raw)
    metrics = catalogue()
    parts["MetricRequest"] = _metric(metrics, "A metric: its name, or {name: {parameter: value}}.")
    of_a_table = [metric for metric in metrics if metric.table in OF_A_TABLE]
    parts["RuleMetric"] = _metric(
        of_a_table, f"A metric of a classification table, or {CORNER}.", extra=(CORNER,)
    )
    parts["Reach"] = _reach(of_a_table)
    parts["Threshold"] = {
        "description": parts["Threshold"]["description"],
        "anyOf": [{"type": "number"}, {**parts["Threshold"], "minProperties": 1}],
    }
    parts["Step"] = {
        "description": parts["Step"]["description"],
        "anyOf": [
            {"enum": list(STEPS)},
            {**parts["Step"], "minProperties": 1, "maxProperties": 1},
        ],
    }
    _methods(parts, metrics)
    # a table in the spec stands in the place of a file, and has its own columns
    parts["Dataset"].pop("required", None)
    parts["Dataset"]["anyOf"] = [{"required": ["path", "target"]}, {"required": ["table"]}]
    # the one place where null is a value: a cell that nobody counted
    cells = parts["CountTable"]["properties"]["counts"]["items"]
    cells["items"] = {**cells["items"], "type": ["integer", "null"]}
    parts["Report"]["properties"]["template"]["examples"] = list(TEMPLATES)
    parts["EstimatorModel"]["properties"]["estimator"]["examples"] = list(CLASSIFIERS)
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": _ID,
        **root,
        "title": "evalreport spec",
        "definitions": dict(sorted(parts.items())),
    }


def _tidy(node: Any, *, names: bool = False) -> Any:
    """A schema as editors of draft 7 take it; ``names``: its keys are names, not keywords."""
    if isinstance(node, list):
        return [_tidy(item) for item in node]
    if not isinstance(node, dict):
        return node
    if names:
        return {key: _tidy(value) for key, value in node.items()}
    array = node.get("type") == "array"
    tidy = {
        _keyword(key, array=array): _tidy(value, names=key == "properties")
        for key, value in node.items()
        if key not in ("title", "discriminator")
        and not (key == "default" and value in (None, {}, []))
    }
    if "anyOf" in tidy:
        tidy["anyOf"] = [one for one in tidy["anyOf"] if one != {"type": "null"}]
        if len(tidy["anyOf"]) == 1:
            tidy = {**tidy.pop("anyOf")[0], **tidy}
    if "const" in tidy:
        tidy["enum"] = [tidy.pop("const")]
    if "description" in tidy:
        tidy["description"] = " ".join(tidy["description"].replace("``", "`").split())
    if "$ref" in tidy and len(tidy) > 1:
        tidy["allOf"] = [{"$ref": tidy.pop("$ref")}]
    return tidy


def _keyword(key: str, *, array: bool) -> str:
    """The keyword of draft 7 for one that pydantic writes."""
    if array and key in ("minLength", "maxLength"):
        return key.replace("Length", "Items")
    return {
        "oneOf": "anyOf",
        "gt": "exclusiveMinimum",
        "ge": "minimum",
        "lt": "exclusiveMaximum",
        "le": "maximum",
    }.get(key, key)


def _metric(
    metrics: tuple[Metric, ...] | list[Metric], description: str, extra: tuple[str, ...] = ()
) -> Schema:
    """The schema of a metric request: any name or alias, with parameters where it has them."""
    words = [(word, metric.meaning) for metric in metrics for word in _words(metric)]
    words += [(word, "The distance to the top-left corner of the ROC curve.") for word in extra]
    return {
        "description": description,
        "anyOf": [
            {"enum": [word for word, _ in words], "enumDescriptions": [text for _, text in words]},
            {
                "type": "object",
                "minProperties": 1,
                "maxProperties": 1,
                "additionalProperties": False,
                "properties": {
                    word: _params(metric) for metric in metrics for word in _words(metric)
                },
            },
        ],
    }


def _words(metric: Metric) -> tuple[str, ...]:
    return (metric.name, *metric.aliases)


def _params(metric: Metric) -> Schema:
    return {
        "type": "object",
        "description": metric.meaning,
        "additionalProperties": False,
        "properties": {p.name: _parameter(p) for p in metric.parameters},
    }


def _parameter(parameter: Parameter) -> Schema:
    schema: Schema = {"description": parameter.meaning}
    if parameter.choices:
        schema["enum"] = list(parameter.choices)
        return schema
    schema["type"] = {bool: "boolean", int: "integer", float: "number"}[parameter.type]
    if parameter.low > float("-inf"):
        schema["exclusiveMinimum" if parameter.open_low else "minimum"] = parameter.low
    if parameter.high < float("inf"):
        schema["exclusiveMaximum" if parameter.open_high else "maximum"] = parameter.high
    return schema


def _reach(metrics: list[Metric]) -> Schema:
    """The schema of a value to reach: ``{recall: 0.95}``."""
    properties: Schema = {}
    for metric in metrics:
        with_value = _params(metric)
        with_value["properties"]["value"] = {"type": "number", "description": "To be reached."}
        with_value["required"] = ["value"]
        number: Schema = {"type": "number"}
        schema = {"anyOf": [number, with_value]} if metric.parameters else number
        properties.update(dict.fromkeys(_words(metric), schema))
    return {
        "description": "A metric and the value it has to reach.",
        "type": "object",
        "minProperties": 1,
        "maxProperties": 1,
        "additionalProperties": False,
        "properties": properties,
    }


def _methods(parts: dict[str, Schema], metrics: tuple[Metric, ...]) -> None:
    """Say which methods each metric has, where methods are chosen by metric."""
    choices: tuple[tuple[str, str, Callable[[Metric], tuple[str, ...]]], ...] = (
        ("Confidence", "methods", requestable),
        ("Comparisons", "tests", known_tests),
        ("Comparisons", "methods", known_intervals),
    )
    for part, key, known in choices:
        schema = parts[part]["properties"][key]
        schema = next((one for one in schema.get("oneOf", ()) if one["type"] == "object"), schema)
        schema["additionalProperties"] = False
        schema["properties"] = {
            word: {"enum": list(known(metric))}
            for metric in metrics
            for word in _words(metric)
            if known(metric)
        }
    margins = parts["Comparisons"]["properties"]["margins"]
    margins["propertyNames"] = {"enum": [w for metric in metrics for w in _words(metric)]}
