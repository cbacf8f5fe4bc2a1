"""A results.json changed in one place at a time, in every way that a careless hand or an enemy has.

Places are told apart by their form: of a list of records the first and the last are changed.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

Path = tuple[str | int, ...]
DROPPED = "dropped"


@dataclass(frozen=True)
class Mutation:
    """One change: ``name`` is the place and what was done there; ``first`` its outermost key."""

    name: str
    content: dict[str, Any]

    @property
    def first(self) -> str:
        return self.name.split(".")[0].split("[")[0].split(" ")[0]


def mutations(content: dict[str, Any], step: int = 1) -> Iterator[Mutation]:
    """Every change of every place, in one order; of them one in ``step``."""
    for path, what, changed in islice(_changes(content), 0, None, step):
        made = without(content, path) if what == DROPPED else with_value(content, path, changed)
        yield Mutation(f"{shown(path)} {what}", made)


def _changes(content: dict[str, Any]) -> Iterator[tuple[Path, str, Any]]:
    for path, value in places(content):
        for what, changed in changes(value):
            yield path, what, changed
        yield path, DROPPED, None


def places(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every place below a value, of lists the first and the last entry."""
    steps: list[tuple[str | int, Any]] = []
    if isinstance(value, dict):
        # What the spec says is kept as it was written: it is no part of the form.
        steps = [(k, v) for k, v in sorted(value.items()) if (path, k) != ((), "spec")]
    elif isinstance(value, list) and value:
        steps = [(k, value[k]) for k in sorted({0, len(value) - 1})]
    for step, inner in steps:
        yield (*path, step), inner
        yield from places(inner, (*path, step))


def changes(value: Any) -> Iterator[tuple[str, Any]]:
    """Other values in place of one: no value, other types, other lengths, other sizes."""
    for what, other in (("null", None), ("object", {}), ("list", []), ("text", "x"), ("number", 7),
                        ("true", True), ("large", 1.7e308), ("negative", -3)):  # fmt: skip
        if type(other) is not type(value) or other != value:
            yield f"as {what}", other
    if isinstance(value, list) and value:
        yield "cut short", value[:-1]
        yield "longer", [*value, value[0]]
        yield "with null", [*value, None]
    if isinstance(value, dict):
        yield "with more", {**value, "unheard_of": 1}
    if isinstance(value, str):
        yield "long", value + "x" * 3
        yield "with a line break", f"{value}\n::error::x"


def with_value(content: Any, path: Path, value: Any) -> Any:
    made = copy.deepcopy(content)
    place = made
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return made


def without(content: Any, path: Path) -> Any:
    made = copy.deepcopy(content)
    place = made
    for step in path[:-1]:
        place = place[step]
    del place[path[-1]]
    return made


def shown(path: Path) -> str:
    """A path as messages name it.

    >>> shown(("measures", 3, "interval", "low"))
    'measures[3].interval.low'
    """
    return "".join(f"[{s}]" if isinstance(s, int) else f".{s}" for s in path).removeprefix(".")
