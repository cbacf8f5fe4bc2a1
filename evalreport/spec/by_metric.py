"""Settings of single metrics: mappings whose keys are metric names or aliases."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeVar

from evalreport.errors import did_you_mean
from evalreport.metrics.catalogue import find
from evalreport.metrics.declare import Metric
from evalreport.spec.faults import Fault, refuse
from evalreport.spec.metric_requests import unknown_metric

T = TypeVar("T")


def by_metric(settings: Mapping[str, T]) -> Mapping[str, T]:
    """The settings by canonical name; raises the faults of names that are no metric."""
    found: dict[str, T] = {}
    faults: list[Fault] = []
    for word, setting in settings.items():
        metric = find(word)
        if metric is None:
            faults.append(unknown_metric(word, at_key=True))
        elif metric.name in found:
            what = f"{word} is {metric.name}, which is set already"
            faults.append(Fault(what, "keep one of them", (word,), at_key=True))
        else:
            found[metric.name] = setting
    if faults:
        raise refuse(*faults)
    return found


def methods_by_metric(
    known: Callable[[Metric], tuple[str, ...]], what: str
) -> Callable[[Mapping[str, str]], Mapping[str, str]]:
    """A validator of ``{metric: method}`` where ``known`` gives the methods of a metric."""

    def check(methods: Mapping[str, str]) -> Mapping[str, str]:
        faults: list[Fault] = []
        for word, method in methods.items():
            metric = find(word)
            if metric is not None and method not in known(metric):
                words = f"those of {metric.name}"
                hint = partial(did_you_mean, method, known(metric), words)
                faults.append(Fault(f"{metric.name} has no {what} '{method}'", hint, (word,)))
            elif metric is None:
                faults.append(unknown_metric(word, at_key=True))
        if faults:
            raise refuse(*faults)
        return by_metric(methods)

    return check
