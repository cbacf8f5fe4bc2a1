"""What changed in the spec and in what the numbers were made with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evalreport.results.changes import KeyChange
from evalreport.results.records import Provenance

#: Lists whose items have a name of their own: an item added in the middle moves no other.
_NAMED_ITEMS = ("metrics", "thresholds", "subgroups", "averaging")


def spec_changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[KeyChange, ...]:
    """Every key of the resolved specs that was added, removed or changed, by its path.

    >>> for one in spec_changes({"a": {"b": 1}}, {"a": {"b": 2, "c": [3]}}):
    ...     print(one)
    KeyChange(key='a.b', change='changed', old=1, new=2)
    KeyChange(key='a.c[0]', change='added', old=None, new=3)
    """
    return _changes(*(dict(_leaves(_lasting(spec))) for spec in (old, new)))


def _lasting(spec: Mapping[str, Any]) -> dict[str, Any]:
    """A spec without what its data are of, which is another with every run as its clock is."""
    return {key: value for key, value in spec.items() if key != "as_of"}


def version_changes(old: Provenance, new: Provenance) -> tuple[KeyChange, ...]:
    """Program, libraries, engine and seed that differ between two provenances."""
    return _changes(_made_with(old), _made_with(new))


def _made_with(provenance: Provenance) -> dict[str, Any]:
    found = {
        "evalreport": provenance.version,
        "engine": None if provenance.engine is None else provenance.engine.name,
        "seed": provenance.seed,
    }
    return {**found, **provenance.versions}


def _changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[KeyChange, ...]:
    found = []
    for key in sorted({*before, *after}):
        if key in before and key in after and before[key] == after[key]:
            continue
        change = (
            "changed"
            if key in before and key in after
            else ("added" if key in after else "removed")
        )
        found.append(KeyChange(key=key, change=change, old=before.get(key), new=after.get(key)))
    return tuple(found)


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping) and value:
        for key, item in value.items():
            yield from _leaves(item, f"{path}.{key}" if path else str(key))
    elif isinstance(value, Sequence) and not isinstance(value, str) and value:
        if path in _NAMED_ITEMS:
            for item in value:
                yield f"{path}[{_word(item)}]", item
        else:
            for index, item in enumerate(value):
                yield from _leaves(item, f"{path}[{index}]")
    else:
        yield path, value


def _word(item: Any) -> str:
    if isinstance(item, Mapping):
        return ", ".join(f"{key}: {_word(inner)}" for key, inner in item.items())
    if isinstance(item, (list, tuple)):
        return " x ".join(_word(inner) for inner in item)
    return str(item)
