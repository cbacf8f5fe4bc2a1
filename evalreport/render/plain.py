"""Dataclasses as plain values: what a template may see and nothing more."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any


def as_plain(value: Any) -> Any:
    """Text, numbers, truth values, None, lists and dicts only.

    >>> from evalreport.report.model import Text
    >>> as_plain(Text("hello"))
    {'text': 'hello', 'style': '', 'kind': 'text'}
    """
    if is_dataclass(value) and not isinstance(value, type):
        found = {f.name: as_plain(getattr(value, f.name)) for f in fields(value)}
        kind = getattr(type(value), "kind", None)
        return found | {"kind": kind} if isinstance(kind, str) else found
    if isinstance(value, (list, tuple)):
        return [as_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): as_plain(item) for key, item in value.items()}
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    raise TypeError(f"a template cannot be given a {type(value).__name__}")
