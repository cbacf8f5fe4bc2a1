"""The spec that results carry, read again: what was asked for, with its settings."""

from __future__ import annotations

import json
import re
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from evalreport.engine.read_and_plan import settings_of
from evalreport.engine.settings import Settings
from evalreport.errors import EvalreportError
from evalreport.plan.from_spec import requests_of
from evalreport.plan.inputs import Requests
from evalreport.results.lookup import Results
from evalreport.runs.hashing import sha256
from evalreport.spec.load import LoadedSpec, parse_spec
from evalreport.version import __version__


@dataclass(frozen=True, eq=False)
class RecordedSpec:
    """The spec of results in its typed form, what it requests, and its settings.

    ``in_order``: whether its datasets and models stand in the order of its text.
    """

    loaded: LoadedSpec
    requests: Requests
    settings: Settings
    in_order: bool


def written_spec(results: Results) -> LoadedSpec | None:
    """The spec as its text in the results says it; None where it cannot be read by itself."""
    own = results.provenance.spec
    if own is None or not own.text:
        return None
    try:
        return _parsed(results, own.text.encode("utf-8"), own.name, own.overrides)
    except EvalreportError:
        return None


def _parsed(
    results: Results, source: bytes | str, name: str, overrides: Sequence[str] = ()
) -> LoadedSpec:
    """A spec with its datasets as frames, its packages and its computers admitted.

    Reading imports no package and asks no computer; nothing that is done here does.
    """
    texts = list(_texts(results.spec))
    return parse_spec(
        source,
        name,
        overrides,
        frames=tuple(results.spec.get("datasets") or ()),
        allow_import=tuple({text.partition(".")[0] for text in texts if "." in text}),
        allow_hosts=tuple({h for text in texts if "://" in text for h in _hosts(text)}),
        templates=False,
    )


def spec_problems(results: Results) -> Iterator[str]:
    """Where the text of the spec, the resolved spec and the title do not say the same.

    Nothing is said of a text that cannot be read by itself. Other versions have other keys and
    defaults: of their results only what the text itself states is looked at.
    """
    made_by = results.provenance
    if made_by.spec is None or not made_by.spec.text:
        return
    source = made_by.spec.text.encode("utf-8")
    known = {sha256(source), sha256(BOM_UTF8 + source)}
    if made_by.spec.sha256 not in known:
        yield "the text of the spec does not have the sha256 stated beside it"
    loaded = written_spec(results)
    if loaded is None:
        return
    if loaded.spec.title != results.title:
        yield f"the title is {results.title!r}, the text of the spec has {loaded.spec.title!r}"
    if made_by.version == __version__:
        told = loaded.resolved()
        wrong = {
            key for key in told.keys() | results.spec if told.get(key) != results.spec.get(key)
        }
    else:
        stated = loaded.stated()
        wrong = {key for key in stated if not _holds(results.spec.get(key), stated[key])}
    for key in sorted(wrong):
        yield f"spec.{key} is not what the text of the spec gives"


def _holds(recorded: Any, stated: Any) -> bool:
    """Whether all that is stated is recorded; what else is are defaults of another version."""
    if isinstance(stated, dict):
        return isinstance(recorded, dict) and all(
            key in recorded and _holds(recorded[key], inner) for key, inner in stated.items()
        )
    if isinstance(stated, list):
        return (
            isinstance(recorded, list)
            and len(recorded) == len(stated)
            and all(_holds(own, inner) for own, inner in zip(recorded, stated, strict=True))
        )
    return bool(recorded == stated)


def recorded_spec(results: Results) -> RecordedSpec | None:
    """The spec by its text, or else as it was resolved; None where neither can be read."""
    loaded = written = written_spec(results)
    if loaded is None:
        try:
            loaded = _parsed(results, json.dumps(results.spec), "spec")
        except (EvalreportError, TypeError, ValueError, AttributeError):
            return None
    in_order = written is not None
    return RecordedSpec(loaded, requests_of(loaded.spec), settings_of(loaded), in_order)


_BUCKETS = re.compile(r"\w+://[^/\s]+", re.ASCII)
_HOSTS = re.compile(r"[\w.-]+|\[[0-9A-Fa-f:.]+\]", re.ASCII)


def _hosts(address: str) -> list[str]:
    """What may be a host in an address, and its bucket in a store of objects."""
    return [*_HOSTS.findall(address), *_BUCKETS.findall(address)]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
