"""The parts of a spec that can be read by themselves, even where others are wrong.

Checks across parts have to run although some part has a mistake, so that all
mistakes are told at once: names come from the keys, and items that do not
validate are left out here, their own mistakes being told already.

Validation errors name a place that also holds the tags of unions; following it
through the model gives the path in the file and the keys that are known there.
"""

from __future__ import annotations

import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

from pydantic import Tag, ValidationError
from pydantic.fields import FieldInfo

from evalreport.spec.acceptance import Criterion, Declared, WhichNumber
from evalreport.spec.claims import Claim
from evalreport.spec.comparisons import Baselines, Comparisons
from evalreport.spec.cross_validation import CrossValidation, LearningCurve
from evalreport.spec.datasets import Dataset
from evalreport.spec.design import Design
from evalreport.spec.engine import Drift, Engine
from evalreport.spec.estimators import ALLOWED
from evalreport.spec.fields import FAULTS, Part
from evalreport.spec.hosts import HOSTS
from evalreport.spec.metric_requests import MetricRequest
from evalreport.spec.models import SOURCES, Model, source_of
from evalreport.spec.report import Report
from evalreport.spec.thresholds import Threshold
from evalreport.spec.yaml_document import Document, Path
from evalreport.values import dataclass


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
    for name, info in part.model_fields.items():
        if key in (name, info.alias):
            return info
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


def homes_of(key: str, root: type[Part]) -> tuple[str, ...]:
    """Where a key can stand at the top of ``root`` or one part below, as it is written there.

    >>> from evalreport.spec.model import Spec
    >>> homes_of("cluster", Spec)
    ('datasets: {NAME: {cluster: ...}}',)
    >>> homes_of("thresholds", Spec), homes_of("nowhere", Spec)
    (('thresholds: ...',), ())
    """
    if field_of(root, key) is not None:
        return (f"{key}: ...",)
    homes = []
    for name in known_keys(root):
        info = field_of(root, name)
        home = None if info is None else _home(_unwrapped(info.annotation), f"{key}: ...", key)
        homes += [] if home is None else [f"{name}: {home}"]
    return tuple(homes)


def _home(kind: Any, written: str, key: str) -> str | None:
    """How a key is written in a part, or in the parts of a mapping or list; None elsewhere."""
    if _is_part(kind):
        return f"{{{written}}}" if field_of(kind, key) is not None else None
    inside = _unwrapped(_inside(kind, 0))
    if not _is_part(inside) or field_of(inside, key) is None:
        return None
    return f"[{{{written}}}]" if get_origin(kind) is tuple else f"{{NAME: {{{written}}}}}"


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


P = TypeVar("P", bound=Part)


@dataclass(frozen=True)
class Outline:
    """What could be read, each with its path; names of datasets and models are complete."""

    document: Document
    dataset_names: tuple[str, ...]
    model_names: tuple[str, ...]
    datasets: dict[str, Dataset]
    models: dict[str, Model]
    metrics: tuple[tuple[Path, MetricRequest], ...]
    thresholds: tuple[tuple[Path, Threshold], ...]
    #: None where ``thresholds`` cannot be read as a whole.
    threshold_texts: tuple[str, ...] | None
    crossings: frozenset[frozenset[str]] | None
    criteria: tuple[tuple[Path, Criterion], ...]
    declared: tuple[tuple[Path, Declared], ...]
    claims: tuple[tuple[Path, Claim], ...] = ()
    single: dict[str, Part] = field(default_factory=dict)

    def has(self, key: str) -> bool:
        """Whether the spec writes this part at all."""
        return key in self.document.root

    def writes(self, *path: str) -> bool:
        """Whether something is written at a path of keys, right or wrong."""
        return path in self.document.values

    @cached_property
    def labels(self) -> dict[str, frozenset[str] | None]:
        """The declared labels of each dataset; None where it declares none."""
        return {
            name: None
            if (dataset := self.datasets.get(name)) is None or dataset.labels is None
            else frozenset(dataset.labels)
            for name in self.dataset_names
        }

    @cached_property
    def all_labels(self) -> frozenset[str] | None:
        """The labels of all datasets; None where not every one declares them."""
        declared = list(self.labels.values())
        return frozenset().union(*(one or () for one in declared)) if all(declared) else None

    def part(self, key: str, kind: type[P]) -> P | None:
        """A part that is a single mapping, if it is there and valid."""
        found = self.single.get(key)
        return found if isinstance(found, kind) else None

    def which_numbers(self) -> Iterator[tuple[Path, WhichNumber]]:
        """Everything that refers to numbers of the report."""
        yield from self.criteria
        yield from self.declared
        yield from self.claims

    def all_metrics(self) -> Iterator[tuple[Path, MetricRequest]]:
        """Every metric that is asked for anywhere, with its path."""
        yield from self.metrics
        for path, threshold in self.thresholds:
            for key, metric in threshold.metrics:
                yield (*path, key), metric
        for path, number in self.which_numbers():
            yield (*path, "metric"), number.metric
        curve = self.part("learning_curve", LearningCurve)
        for index, request in enumerate(() if curve is None else curve.metrics):
            yield ("learning_curve", "metrics", index), request


_SINGLE: dict[str, type[Part]] = {
    "baselines": Baselines,
    "comparisons": Comparisons,
    "cross_validation": CrossValidation,
    "learning_curve": LearningCurve,
    "design": Design,
    "drift": Drift,
    "engine": Engine,
    "report": Report,
}


def outline(
    document: Document, allow_import: Sequence[str] = (), allow_hosts: Sequence[str] = ()
) -> Outline:
    """Read what can be read of a document whose root is a mapping."""
    root: dict[str, Any] = document.root
    context = {ALLOWED: tuple(allow_import), HOSTS: tuple(allow_hosts)}
    thresholds = _items(root, "thresholds", Threshold)
    datasets = _named(root.get("datasets"), Dataset, context)
    return Outline(
        document=document,
        dataset_names=_keys(root.get("datasets")),
        model_names=_keys(root.get("models")),
        datasets=datasets,
        models=_models(root.get("models"), context),
        metrics=_items(root, "metrics", MetricRequest),
        thresholds=thresholds,
        threshold_texts=_texts(root.get("thresholds"), thresholds),
        crossings=_crossings(root.get("subgroups"), datasets.values()),
        criteria=_items(root, "acceptance", Criterion),
        declared=_items(root, "declared", Declared),
        claims=_items(root, "claims", Claim),
        single={
            key: part
            for key, kind in _SINGLE.items()
            if (part := _valid(root.get(key), kind, context)) is not None
        },
    )


#: What stands in for required keys that are missing or wrong, so that the others can be read.
_STAND_INS: dict[type[Part], tuple[dict[str, Any], ...]] = {
    Criterion: ({"metric": "accuracy"}, {"metric": "accuracy", "at_least": 0.5}),
    Declared: ({"metric": "accuracy", "value": 0.5, "source": ""},),
    Claim: ({"metric": "accuracy", "value": "0.5"},),
    Dataset: ({"target": "target"},),
    Comparisons: ({"reference": {"run": "earlier"}},),
    Drift: ({"reference": {"run": "earlier"}},),
    LearningCurve: ({"sizes": [1]},),
}


def _valid(raw: Any, kind: type[P], context: dict[str, Any] | None = None) -> P | None:
    """The part as far as its keys are right; None where it cannot be read at all."""
    if raw is None:
        return None
    try:
        return kind.model_validate(raw, context=context)
    except ValidationError as error:
        wrong = {path[0] for path in _places(error, kind) if path}
        if not isinstance(raw, dict) or kind is Threshold:
            return None
        rest = {key: value for key, value in raw.items() if key not in wrong}
    for stand_ins in ({}, *_STAND_INS.get(kind, ())):
        try:
            return kind.model_validate({**stand_ins, **rest}, context=context)
        except ValidationError:
            continue
    return None


def _places(error: ValidationError, kind: type[Part]) -> Iterator[Path]:
    """The paths of what is wrong, from the part on."""
    for one in error.errors(include_url=False):
        path = follow(one["loc"], kind).path
        faults = one["ctx"][FAULTS] if one["type"] == FAULTS else ()
        yield from ((*path, *fault.path) for fault in faults)
        if not faults:
            yield path


def _keys(raw: Any) -> tuple[str, ...]:
    return tuple(raw) if isinstance(raw, dict) else ()


def _named(raw: Any, kind: type[P], context: dict[str, Any]) -> dict[str, P]:
    items = raw.items() if isinstance(raw, dict) else ()
    valid = ((name, _valid(value, kind, context)) for name, value in items)
    return {name: part for name, part in valid if part is not None}


def _models(raw: Any, context: dict[str, Any]) -> dict[str, Model]:
    found: dict[str, Model] = {}
    for name, value in raw.items() if isinstance(raw, dict) else ():
        kind = SOURCES[source_of(value).strip("()")]
        model = _valid(value, kind, context)
        if model is not None:
            found[name] = model
    return found


def _items(root: dict[str, Any], key: str, kind: type[P]) -> tuple[tuple[Path, P], ...]:
    raw = root.get(key)
    return tuple(
        ((key, index), part)
        for index, value in enumerate(raw if isinstance(raw, list) else ())
        if not (isinstance(value, dict) and "claim" in value)
        if (part := _valid(value, kind)) is not None
    )


def _texts(raw: Any, thresholds: tuple[tuple[Path, Threshold], ...]) -> tuple[str, ...] | None:
    """The words of every threshold; those of the defaults where none is declared."""
    if raw is None:
        return ("0.5", "0")
    if not isinstance(raw, list) or len(raw) != len(thresholds):
        return None
    return tuple(threshold.text for _, threshold in thresholds)


def _crossings(raw: Any, datasets: Iterable[Dataset]) -> frozenset[frozenset[str]] | None:
    """The sets of columns that are crossed, periods among them; None where they cannot be read."""
    from evalreport.spec.model import crossed, crossing_reader

    periods = frozenset(frozenset((d.period.column,)) for d in datasets if d.period is not None)
    if raw is None:
        return periods
    try:
        read = crossing_reader().validate_python(tuple(raw), strict=False)
    except (ValidationError, TypeError):
        return None
    return periods | frozenset(frozenset(crossed(columns)) for columns in read)
