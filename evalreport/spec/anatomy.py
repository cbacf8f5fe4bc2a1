"""Which part of the spec's model a place of a spec belongs to.

Validation errors name a place that also holds the tags of unions; following it
through the model gives the path in the file and the keys that are known there.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import Tag
from pydantic.fields import FieldInfo

from evalreport.spec.fields import Part
from evalreport.spec.yaml_document import Path


@dataclass(frozen=True)
class Anatomy:
    """Where an error's place leads: the path in the file and the part of the model there."""

    path: Path
    part: type[Part] | None = None


def known_keys(part: type[Part]) -> tuple[str, ...]:
    """The keys of a part as they are written."""
    return tuple(field.alias or name for name, field in part.model_fields.items())


def field_of(part: type[Part], key: str) -> FieldInfo | None:
    """The field that a key stands for, or None."""
    for name, field in part.model_fields.items():
        if key in (name, field.alias):
            return field
    return None


def follow(place: tuple[str | int, ...], root: type[Part]) -> Anatomy:
    """Follow the place of a validation error from ``root``; tags are left out of the path."""
    path: Path = ()
    kind: Any = root
    for step in place:
        kind = _unwrapped(kind)
        chosen = _tagged(kind, step)
        if chosen is not None:
            kind = chosen
            continue
        path = (*path, step)
        kind = _inside(kind, step)
    kind = _unwrapped(kind)
    return Anatomy(path, kind if _is_part(kind) else None)


def _is_part(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Part)


def _unwrapped(kind: Any) -> Any:
    """A type without its annotations and without ``| None``."""
    while True:
        if get_origin(kind) is Annotated:
            kind = get_args(kind)[0]
        elif get_origin(kind) in (Union, types.UnionType):
            members = [arg for arg in get_args(kind) if arg is not type(None)]
            if len(members) > 1:
                return kind
            kind = members[0]
        else:
            return kind


def _tagged(kind: Any, step: str | int) -> Any:
    """The member of a union that carries the tag ``step``, or None."""
    if get_origin(kind) not in (Union, types.UnionType):
        return None
    for member in get_args(kind):
        tags = [m.tag for m in get_args(member)[1:] if isinstance(m, Tag)]
        if step in tags:
            return member
    return None


def _inside(kind: Any, step: str | int) -> Any:
    """The type of an item or field, or None where it is not known."""
    if _is_part(kind):
        field = field_of(kind, str(step))
        return None if field is None else field.annotation
    arguments = get_args(kind)
    if get_origin(kind) in (dict, Mapping) and len(arguments) == 2:
        return arguments[1]
    if get_origin(kind) is tuple and arguments:
        return arguments[0]
    return None
