"""Which measure is meant by a name: ``results["recall"]``, ``results["recall", "forest"]``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from evalreport.errors import Problem, UsageError, did_you_mean
from evalreport.results.lookup import Results
from evalreport.results.records import Measure


class UnknownMeasureError(UsageError, KeyError):
    """A name that no measure, or more than one, goes by."""

    __str__ = UsageError.__str__


def found(results: Results, key: Sequence[str]) -> Measure:
    """The measure at the head that a metric and, where there are several, a model name.

    A dataset may be named as a model is. Raises UnknownMeasureError, a KeyError.
    """
    from evalreport.metrics.catalogue import find
    from evalreport.report.contents import Contents
    from evalreport.report.headline import headline_measures

    contents = Contents(results)
    every = [m for view in contents.views for m in headline_measures(contents, view)]
    asked, *places = map(str, key)
    declared = find(asked)
    metric = asked if declared is None else declared.name
    measured = dict.fromkeys(m.metric for m in every)
    if metric not in measured and results.failures:
        from evalreport.report.printed import failure_words

        _refuse(f"'{asked}' was not measured", "; ".join(map(failure_words, results.failures)))
    if metric not in measured:
        near = did_you_mean(asked, measured, "metrics")
        _refuse(f"'{asked}' was not measured", near if declared is None else f"metrics: [{metric}]")
    own = [m for m in every if m.metric == metric]
    for place in places:
        names = dict.fromkeys(name for m in own for name in (m.model, m.dataset))
        if place not in names:
            near = did_you_mean(place, names, "models and datasets")
            _refuse(f"'{place}' is no model or dataset of {metric}", near)
        own = [m for m in own if place in (m.model, m.dataset)]
    for kind in ("model", "dataset"):
        several = list(dict.fromkeys(getattr(m, kind) for m in own))
        if len(several) > 1:
            told = ", ".join(f"results[{asked!r}, {name!r}]" for name in several[:3])
            _refuse(f"{metric} was measured for {len(several)} {kind}s", told)
    own = [m for m in own if m.indeterminate != "for"] or own
    own = [m for m in own if not contents.names_class(m)] or own
    if len(own) > 1:
        _refuse(f"{metric} was measured {len(own)} times", "results.summary() has all of them")
    return own[0]


def _refuse(what: str, instead: str) -> NoReturn:
    raise UnknownMeasureError(Problem(what, instead))
