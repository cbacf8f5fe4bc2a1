"""The spec that results carry, read again: what was asked for, with its settings."""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from collections.abc import Iterator

from evalreport.engine.read_and_plan import settings_of
from evalreport.engine.settings import Settings
from evalreport.errors import EvalreportError
from evalreport.plan.from_spec import requests_of
from evalreport.plan.inputs import Requests
from evalreport.record.hashing import sha256
from evalreport.results.identity import Frozen, frozen_params
from evalreport.results.lookup import Results
from evalreport.spec.load import LoadedSpec, parse_spec
from evalreport.values import dataclass


@dataclass(frozen=True, eq=False)
class RecordedSpec:
    """The resolved spec of results in its typed form, what it requests, and its settings."""

    loaded: LoadedSpec
    requests: Requests
    settings: Settings

    def params_of(self, metric: str) -> frozenset[Frozen]:
        """The parameters with which a metric is asked for, defaults filled in."""
        return frozenset(
            frozen_params({name: value for name, value in given.items() if value is not None})
            for request in self.requests.metrics
            if request.metric.name == metric
            for given in (dict(request.params), request.metric.arguments(dict(request.params)))
        )


def written_spec(results: Results) -> LoadedSpec | None:
    """The spec as its text in the results says it, in its own order of datasets and models.

    None where there is no text, or it cannot be read by itself: it may name packages or computers
    that only the operator of the run admitted.
    """
    made_by = results.provenance
    if made_by.spec is None or not made_by.spec.text:
        return None
    frames = tuple(results.spec.get("datasets") or ())
    source = made_by.spec.text.encode("utf-8")
    try:
        return parse_spec(source, made_by.spec.name, made_by.spec.overrides, frames=frames)
    except EvalreportError:
        return None


def spec_problems(results: Results) -> Iterator[str]:
    """Where the text of the spec, the resolved spec and the title do not say the same.

    Nothing is said of a text that cannot be read by itself.
    """
    made_by = results.provenance
    if made_by.spec is None or not made_by.spec.text:
        return
    source = made_by.spec.text.encode("utf-8")
    known = {sha256(source), sha256(BOM_UTF8 + source)}
    if made_by.spec.sha256 not in known:
        yield "the text of the spec does not have the sha256 that is stated beside it"
    loaded = written_spec(results)
    if loaded is None:
        return
    if loaded.spec.title != results.title:
        yield f"the title is {results.title!r}, the text of the spec says {loaded.spec.title!r}"
    resolved = loaded.resolved()
    for key in sorted(resolved.keys() | results.spec.keys()):
        if resolved.get(key) != results.spec.get(key):
            yield f"spec.{key} is not what the text of the spec gives"


def recorded_spec(results: Results) -> RecordedSpec | None:
    """The spec that stands in the results; None where it cannot be read by itself."""
    try:
        datasets = tuple(results.spec.get("datasets") or ())
        # nothing outside is admitted: what the results name is not trusted for being named there
        loaded = parse_spec(json.dumps(results.spec), "spec", frames=datasets)
    except (EvalreportError, TypeError, ValueError, AttributeError):
        return None
    return RecordedSpec(loaded, requests_of(loaded.spec), settings_of(loaded))
