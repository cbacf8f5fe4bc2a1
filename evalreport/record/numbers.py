"""The numbers in a record: every leaf of it that is a number, with its path.

What verify counts is what stands in ``results.json``: a measure's value, each limit of its
interval, each count of a table, each coordinate of a curve. Truth values are no numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Annotated, Any, get_args, get_origin, get_type_hints


def numbers_in(record: Any) -> Counter[str]:
    """How many numbers stand under each path of a record, such as ``interval.low``.

    Places in lists are left out of a path; keys of mappings stand in it, as ``points.tp``.

    >>> from evalreport.results.records import Interval
    >>> dict(numbers_in(Interval(0.95, 0.1, 0.4, "wilson")))
    {'level': 1, 'low': 1, 'high': 1}
    """
    found: Counter[str] = Counter()
    _count(record, "", found)
    return found


def _count(value: Any, path: str, found: Counter[str]) -> None:
    kind = type(value)
    if kind is float or kind is int:
        found[path] += 1
    elif kind is tuple or kind is list:
        _count_all(value, path, found)
    elif kind is dict:
        for key, inner in value.items():
            _count(inner, f"{path}.{key}", found)
    elif is_dataclass(kind):
        for name in _names(kind):
            inner = getattr(value, name)
            if inner is not None:
                _count(inner, f"{path}.{name}" if path else name, found)


def _count_all(values: Any, path: str, found: Counter[str]) -> None:
    for one in values:
        if type(one) is float or type(one) is int:
            found[path] += 1
        elif one is not None:
            _count(one, path, found)


@cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(one.name for one in fields(kind))


@cache
def number_paths(kind: type) -> frozenset[str]:
    """Every path of a kind of record under which a number can stand, by its annotations."""
    hints = get_type_hints(kind, include_extras=True)
    return frozenset(path for name, hint in hints.items() for path in _paths(hint, name))


def _paths(hint: Any, path: str) -> Iterator[str]:
    if get_origin(hint) is Annotated:
        hint = get_args(hint)[0]
    if hint in (int, float, Any):
        yield path
    elif is_dataclass(hint):
        yield from (f"{path}.{inner}" for inner in number_paths(hint))  # type: ignore[arg-type]
    else:
        inner = get_args(hint)
        for one in inner[1:] if get_origin(hint) is Mapping else inner:
            yield from _paths(one, path)


def under(path: str, prefixes: frozenset[str]) -> bool:
    """Whether a path is one of the prefixes, or lies within it.

    >>> under("interval.low", frozenset(["interval"])), under("intervals", frozenset(["interval"]))
    (True, False)
    """
    while path:
        if path in prefixes:
            return True
        path = path.rpartition(".")[0]
    return False
