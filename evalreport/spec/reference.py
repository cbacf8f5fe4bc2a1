"""The reference of the spec language as a page, written from its JSON Schema.

``python -m evalreport.spec.reference`` prints it.
"""

from __future__ import annotations

import re
from typing import Any

from evalreport.spec.schema import Schema, spec_schema

_INTRODUCTION = """\
# The spec

<!-- Written by `python -m evalreport.spec.reference`; a test compares it. -->

A spec is one YAML document of at most 1 MiB with the core types of YAML 1.2: no tags, no anchors,
no key twice. `no`, `yes`, `on` and dates are text. A name, a label or a title is taken exactly as
written, quoted or not; `null`, `~`, numbers with leading zeros or `_`, and digits with `:` have to
be quoted. Nothing is substituted in any text. Relative paths start at the folder of the spec.

`evalreport check SPEC` lists every mistake with its line. `evalreport schema spec` prints the JSON
Schema (draft 7) of this page, for completion in editors. `--set confidence.level=0.9` puts a value
on top of the file: names joined by points, items of lists numbered from 0.

Metrics, their parameters and interval methods are listed by `evalreport metrics`.
"""

#: Parts that the page explains in words of their own.
_NOT_LISTED = ("MetricRequest", "RuleMetric", "Reach")


def spec_reference() -> str:
    """The page as Markdown text; the same for the same version."""
    schema = spec_schema()
    definitions: dict[str, Schema] = schema["definitions"]
    lines = [_INTRODUCTION, "## The spec as a whole", "", *_table(schema)]
    for name in _in_order(schema, definitions):
        part = definitions[name]
        lines += [f"## {_title(name)}", "", part["description"], ""]
        lines += _table(_mapping_form(part))
    return "\n".join(lines).rstrip() + "\n"


def _mapping_form(part: Schema) -> Schema:
    """The form of a part that has keys, where it also has others."""
    for form in part.get("anyOf", ()):
        if "properties" in form:
            found: Schema = form
            return found
    return part


def _in_order(schema: Schema, definitions: dict[str, Schema]) -> list[str]:
    """Parts in the order in which they are first referred to."""
    found: dict[str, None] = {}
    waiting: list[Any] = [schema["properties"]]
    while waiting:
        for name in _references(waiting.pop(0)):
            if name not in found and name not in _NOT_LISTED:
                found[name] = None
                waiting.append(_mapping_form(definitions[name]).get("properties", {}))
    return list(found)


def _references(node: Any) -> list[str]:
    if isinstance(node, list):
        return [name for item in node for name in _references(item)]
    if not isinstance(node, dict):
        return []
    own = [node["$ref"].rpartition("/")[2]] if isinstance(node.get("$ref"), str) else []
    return own + [name for value in node.values() for name in _references(value)]


def _title(name: str) -> str:
    """``CrossValidation`` as ``Cross validation``."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return words[0] + words[1:].lower()


def _table(part: Schema) -> list[str]:
    required = part.get("required", ())
    lines = ["| key | value | meaning |", "|---|---|---|"]
    for key, field in part.get("properties", {}).items():
        default = field.get("default")
        notes = []
        if key in required:
            notes.append("Required.")
        if default is not None:
            notes.append(f"Default: `{_written(default)}`.")
        meaning = " ".join([field.get("description", ""), *notes])
        lines.append(f"| `{key}` | {_cell(_kind(field))} | {_cell(meaning)} |")
    return [*lines, ""]


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{', '.join(_written(item) for item in value)}]"
    return str(value)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ").strip()


def _kind(field: Schema) -> str:
    """What a field takes, in a few words."""
    if "$ref" in field:
        return _part(field["$ref"].rpartition("/")[2])
    if "allOf" in field:
        return _kind(field["allOf"][0])
    if "enum" in field:
        return ", ".join(f"`{value}`" for value in field["enum"])
    if "anyOf" in field:
        return " or ".join(dict.fromkeys(_kind(form) for form in field["anyOf"]))
    return _of_type(field)


def _part(name: str) -> str:
    if name in _NOT_LISTED:
        return "{metric: number}" if name == "Reach" else "metric"
    return f"[{_title(name)}](#{_title(name).lower().replace(' ', '-')})"


def _of_type(field: Schema) -> str:
    kind = field.get("type")
    if isinstance(kind, list):
        return "text" if "object" not in kind else "text, list or mapping of text"
    if kind == "array":
        return f"list of {_kind(field.get('items', {}))}"
    if kind == "object":
        return _mapping_kind(field)
    words = {"integer": "whole number", "boolean": "true, false", "string": "text"}
    return words.get(str(kind), str(kind or "anything")) + _range(field)


def _mapping_kind(field: Schema) -> str:
    inside = field.get("additionalProperties")
    if isinstance(inside, dict) and inside:
        return f"mapping of name to {_kind(inside)}"
    if field.get("additionalProperties") is False and field.get("required"):
        return f"mapping of {' and '.join(field['required'])}"
    return "mapping by metric" if "properties" in field else "mapping"


def _range(field: Schema) -> str:
    words = {
        "minimum": "at least",
        "exclusiveMinimum": "above",
        "maximum": "at most",
        "exclusiveMaximum": "below",
    }
    parts = [f"{word} {field[key]}" for key, word in words.items() if key in field]
    return " " + " and ".join(parts) if parts else ""


if __name__ == "__main__":
    import sys

    sys.stdout.write(spec_reference())
