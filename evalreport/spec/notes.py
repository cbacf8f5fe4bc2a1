"""Remarks on a spec that stop nothing: what is asked twice, has no effect, or looks alike."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from evalreport.errors import Location, Problem
from evalreport.metrics.declare import Goal
from evalreport.spec.comparisons import Comparisons
from evalreport.spec.datasets import NamedPositive
from evalreport.spec.model import Spec
from evalreport.spec.models import EstimatorModel
from evalreport.spec.outline import Outline

#: Scripts with letters that look like Latin ones.
_LOOK_ALIKE = ("GREEK", "CYRILLIC", "ARMENIAN", "CHEROKEE")


def notes(known: Outline, spec: Spec) -> Iterator[Problem]:
    """Every remark, in the order of the parts."""
    yield from _asked_twice(known)
    yield from _without_effect(known, spec)
    yield from _tables_without_scores(known, spec)
    yield from _wrong_way(known)
    yield from _mixed_scripts(known, spec)


def _asked_twice(known: Outline) -> Iterator[Problem]:
    first: dict[object, str] = {}
    for path, request in known.metrics:
        if request in first:
            yield Problem(
                f"{request.asked} is {first[request]}, which is already requested",
                "it is given once",
                known.document.where(path),
            )
        first.setdefault(request, request.text)


def _without_effect(known: Outline, spec: Spec) -> Iterator[Problem]:
    trained = any(isinstance(model, EstimatorModel) for model in spec.models.values())
    for key in ("cross_validation", "learning_curve"):
        if known.has(key) and not trained:
            where = known.document.where_key((key,))
            yield Problem(f"{key} has no effect: no model is trained", "", where)
    if spec.largest_gap and not spec.subgroups:
        where = known.document.where_key(("largest_gap",))
        yield Problem("largest_gap has no effect: there are no subgroups", "", where)
    comparisons = known.part("comparisons", Comparisons)
    yield from _not_requested(known, spec, comparisons)
    if comparisons is not None and isinstance(comparisons.reference, str):
        others = [name for name in spec.models if name != comparisons.reference]
        if not others:
            where = known.document.where(("comparisons", "reference"))
            yield Problem("there is no other model to compare with the reference", "", where)
    if comparisons is not None:
        for key, place, what, instead in comparisons.unfit(_same_rows(spec, comparisons)):
            yield Problem(what, instead, known.document.where(("comparisons", key, place)))


def _not_requested(
    known: Outline, spec: Spec, comparisons: Comparisons | None
) -> Iterator[Problem]:
    """What is set for a metric that no part of the spec asks for."""
    asked = {request.name for _, request in known.all_metrics()}
    methods = spec.confidence.methods
    for name in () if isinstance(methods, str) else methods:
        if name not in asked:
            where = known.document.where(("confidence", "methods"))
            yield Problem(f"a method for {name}, which is not requested", "", where)
    for key in ("tests", "methods", "margins", "hypotheses", "ratios"):
        for name in () if comparisons is None else getattr(comparisons, key):
            if name not in asked:
                where = known.document.where(("comparisons", key))
                yield Problem(f"{key} names {name}, which is not requested", "", where)


def _same_rows(spec: Spec, comparisons: Comparisons) -> list[bool]:
    """Whether models are compared on the rows of one dataset, of two, or some of them each way."""
    reference = comparisons.reference
    if not isinstance(reference, str):
        return [False]
    own = set(spec.datasets_of(reference)) if reference in spec.models else set()
    others = [name for name in spec.models if name != reference]
    found = {bool(own.intersection(spec.datasets_of(name))) for name in others}
    return sorted(found, reverse=True) or [True]


def _tables_without_scores(known: Outline, spec: Spec) -> Iterator[Problem]:
    """Models that are not evaluated on a table in the spec, because it has labels only."""
    for name, dataset in spec.datasets.items():
        for model in spec.models if dataset.table is not None else ():
            if name not in spec.datasets_of(model) and spec.models[model].datasets is None:
                what = f"{model} is not evaluated on {name}, a table: it has no rows to score"
                yield Problem(what, "", known.document.where_key(("models", model)))


def _wrong_way(known: Outline) -> Iterator[Problem]:
    """Criteria that a worse model, or fewer rows, would pass more easily."""
    for path, criterion in known.criteria:
        metric = criterion.metric.metric
        if criterion.deliberate or criterion.required is None:
            continue
        if criterion.at_most is not None and metric.goal is Goal.MAXIMIZE:
            yield Problem(
                f"of {metric.name} larger is better, and at_most asks for a small one",
                f"at_least: {criterion.at_most:g}; or deliberate: true, if the worse side is meant",
                known.document.where_key((*path, "at_most")),
            )
        elif criterion.bound == ("upper" if criterion.at_least is not None else "lower"):
            better = "lower" if criterion.at_least is not None else "upper"
            yield Problem(
                f"the {criterion.bound} limit is the easier one to pass with: the fewer rows, the "
                "wider the interval, the sooner it passes",
                f"bound: {better}; or deliberate: true, if it is meant",
                known.document.where((*path, "bound")),
            )


def _mixed_scripts(known: Outline, spec: Spec) -> Iterator[Problem]:
    where = known.document.where
    yield from _if_mixed(spec.title, "title", where(("title",)))
    for name, dataset in spec.datasets.items():
        at = known.document.where_key(("datasets", name))
        yield from _if_mixed(name, "dataset", at)
        labels = [*(dataset.labels or ()), *dataset.indeterminate]
        if isinstance(dataset.positive, NamedPositive):
            labels.append(dataset.positive.label)
        for label in labels:
            yield from _if_mixed(label, "label", at)
    for name in spec.models:
        yield from _if_mixed(name, "model", known.document.where_key(("models", name)))
    if isinstance(spec.positive, NamedPositive):
        yield from _if_mixed(spec.positive.label, "label", where(("positive", "label")))


def _if_mixed(text: str, what: str, where: Location) -> Iterator[Problem]:
    strange = look_alikes(text)
    if strange:
        shown = ", ".join(f"{c} ({unicodedata.name(c).lower()})" for c in strange)
        yield Problem(f"{what} '{text}' mixes letters of two scripts: {shown}", "", where)


def look_alikes(text: str) -> tuple[str, ...]:
    r"""Letters of scripts that resemble Latin, in words that hold Latin letters too.

    >>> look_alikes("m\u0430lignant") == ("\u0430",)
    True
    >>> look_alikes("\u0430 malignant")
    ()
    """
    found: dict[str, None] = {}
    for word in text.split():
        letters = [c for c in word if c.isalpha()]
        scripts = {c: unicodedata.name(c, "").partition(" ")[0] for c in letters}
        if "LATIN" in scripts.values():
            found.update(dict.fromkeys(c for c in letters if scripts[c] in _LOOK_ALIKE))
    return tuple(found)
