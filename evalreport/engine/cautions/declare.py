"""How a caution is declared: once, with its reason and what to read instead.

A caution is a function from the facts of a run, or from these and one view, to the places where it
applies. The decorator adds what is always said; records and the listing follow from it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial, wraps
from typing import Any, Literal

from evalreport.engine.cautions.facts import RunFacts
from evalreport.predict.view import View
from evalreport.results import records

Severity = Literal["note", "warning"]


@dataclass(frozen=True)
class Caution:
    """One place where a caution applies: the sentence with its numbers, and where.

    ``headline`` is what to conclude from it in a few words, where the declared title does not
    say what was found.
    ``dataset`` and ``model`` are None where it belongs to several; ``measure``
    and ``table`` are ids of records. ``severity`` replaces the declared one where
    the numbers call for it.
    """

    message: str
    dataset: str | None = None
    model: str | None = None
    measure: str | None = None
    table: str | None = None
    numbers: Mapping[str, Any] = field(default_factory=dict)
    severity: Severity | None = None
    headline: str = ""


Check = Callable[[RunFacts], Iterator[Caution]]
CheckOfView = Callable[[RunFacts, View], Iterator[Caution]]


@dataclass(frozen=True)
class Declared:
    """A caution of the catalogue; calling it runs its check.

    ``whole_table``: it takes every row to be there, so that it says nothing of datasets of
    which a cell of the table was not counted. ``unless``: codes of cautions that say as much of
    the same rows and model, beside which this one would only repeat them.
    """

    code: str
    severity: Severity
    title: str
    why: str
    read_instead: str
    check: Check
    whole_table: bool = False
    unless: tuple[str, ...] = ()

    def __call__(self, run: RunFacts) -> Iterator[Caution]:
        return self.check(run)

    def record(self, found: Caution) -> records.Caution:
        """The record as it stands in the results, with what is always said."""
        return records.Caution(
            code=self.code,
            severity=found.severity or self.severity,
            title=self.title,
            headline=found.headline,
            message=found.message,
            why=self.why,
            read=self.read_instead,
            dataset=found.dataset,
            model=found.model,
            measure=found.measure,
            table=found.table,
            numbers={key: _plain(found.numbers[key]) for key in sorted(found.numbers)},
        )


#: Every caution by its code, in the order of declaration.
CAUTIONS: dict[str, Declared] = {}


def caution(
    code: str,
    *,
    severity: Severity,
    title: str,
    why: str,
    read_instead: str,
    whole_table: bool = False,
    unless: tuple[str, ...] = (),
) -> Callable[[Check], Declared]:
    """Declare the decorated check as a caution of the catalogue.

    Raises ValueError where the code is taken.
    """

    def declare(check: Check) -> Declared:
        if code in CAUTIONS:
            raise ValueError(f"caution {code!r} is declared twice")
        CAUTIONS[code] = Declared(
            code, severity, title, why, read_instead, check, whole_table, unless
        )
        return CAUTIONS[code]

    return declare


def caution_of_views(code: str, **declared: Any) -> Callable[[CheckOfView], Declared]:
    """Declare the decorated check of one view, see :func:`caution`."""

    def declare(check: CheckOfView) -> Declared:
        return caution(code, **declared)(wraps(check)(partial(by_dataset, check)))

    return declare


def by_dataset(check: CheckOfView, run: RunFacts) -> Iterator[Caution]:
    """What is found in each view; said once where every model's rows agree."""
    every = (*run.views, *run.set_views)
    for dataset in dict.fromkeys(view.dataset for view in every):
        views = [view for view in every if view.dataset == dataset]
        found = [(view, caution) for view in views for caution in check(run, view)]
        said: set[str] = set()
        for view, one in found:
            same = {v.model for v, c in found if c.message == one.message}
            if len(same) == len(views):
                if one.message not in said:
                    yield replace(one, dataset=dataset, model=None)
                said.add(one.message)
            else:
                yield replace(one, dataset=dataset, model=view.model)


def _plain(value: Any) -> Any:
    """A number of numpy as one of Python; what JSON cannot hold as None."""
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
