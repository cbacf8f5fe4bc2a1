"""The leaves of a record, each by its path: counted as numbers, and compared with another record.

What verify counts is what stands in ``results.json``: a measure's value, each limit of its
interval, each count of a table, each coordinate of a curve. Truth values are no numbers. Places
in lists are left out of a path; keys of mappings stand in it, as ``points.tp``.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from typing import Any, cast

#: Another order of the same sums, or another processor, moves no more than this.
CLOSE = 1e-9


@dataclass(frozen=True)
class Made:
    """A record as it follows from the others.

    ``left_out``: the paths of what is not made, each with the reason: it is None here, or taken
    over from the record that is there; the path "" stands for all of it. ``problems``: what
    contradicts itself, or others, in ways that no other record shows.
    """

    record: Any
    left_out: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[str, ...] = ()


class Miscounted(Exception):  # noqa: N818 - found, not an error of the program
    """There are more records of a kind than the others give, or fewer."""

    def __init__(self, there: int, given: int) -> None:
        super().__init__(f"there are {there} records, the others give {given}")


def numbers_in(record: Any) -> Counter[str]:
    """How many numbers stand under each path of a record, such as ``interval.low``.

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
        for one in value:
            # long columns of curves go without a call for each number
            if type(one) is float or type(one) is int:
                found[path] += 1
            else:
                _count(one, path, found)
    elif kind is dict:
        for key, inner in value.items():
            _count(inner, f"{path}.{key}", found)
    elif is_dataclass(kind):
        for name in _names(kind):
            _count(getattr(value, name), f"{path}.{name}" if path else name, found)


@cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(one.name for one in fields(kind))


def reason_of(path: str, reasons: Mapping[str, str]) -> str | None:
    """The reason that is given for a path, or for what it lies within."""
    while path:
        if path in reasons:
            return reasons[path]
        path = path.rpartition(".")[0]
    return reasons.get("")


def same(one: Any, other: Any) -> bool:
    """Whether plain values, or lists of them, are equal: floats to within the rounding of sums."""
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float) or isinstance(other, float):
        numbers = all(isinstance(value, (int, float)) for value in (one, other))
        return numbers and math.isclose(one, other, rel_tol=CLOSE, abs_tol=1e-12)
    return bool(one == other)


def unlike(
    own: Any, other: Any, left_out: Mapping[str, str], path: str = ""
) -> Iterator[tuple[str, str]]:
    """The leaves that a record has otherwise than the one made again: path, and what is told."""
    if own is other or (other is None and reason_of(path, left_out) is not None):
        return
    pairs: list[tuple[Any, Any, str]] = []
    if is_dataclass(own) and type(own) is type(other):
        inside = f"{path}." if path else ""
        pairs = [
            (getattr(own, n), getattr(other, n), inside + n) for n in _names(cast("Any", type(own)))
        ]
    elif isinstance(own, Mapping) and isinstance(other, Mapping) and own.keys() == other.keys():
        pairs = [(own[key], other[key], f"{path}.{key}") for key in own]
    elif isinstance(own, tuple) and isinstance(other, tuple) and len(own) == len(other):
        # a list of plain values is told whole
        records = any(map(is_dataclass, own))
        pairs = [(a, b, path) for a, b in zip(own, other, strict=True) if records]
    if not pairs and not same(own, other):
        yield path, f"{path} is {_shown(own)}, the other records give {_shown(other)}"
    for one, two, inner in pairs:
        yield from unlike(one, two, left_out, inner)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:197]}..."
