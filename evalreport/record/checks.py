"""What is compared of a record: its numbers by their paths, made again or held by an account.

Most kinds of records are made again by the engine (:mod:`evalreport.record.remade`) and compared
leaf by leaf. The accounts of rows, labels, plan, provenance and failures follow from nothing, but
have to add up::

    @account(RowLedger, {"excluded": "why rows were left out is counted from rows"})
    def rows(record: RowLedger, again: Remaker) -> Iterator[Finding]: ...

gives what is wrong, sentence by sentence, and :class:`Held` for the numbers that it looked at.

The numbers of a record are its leaves, each with its path. What verify counts is what stands in
``results.json``: a measure's value, each limit of its interval, each count of a table, each
coordinate of a curve. Truth values are no numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from typing import Any, TypeVar, cast

from evalreport.record.measured_again import Made, same
from evalreport.record.remade import REMADE, Remaker
from evalreport.results import records


def numbers_in(record: Any) -> Counter[str]:
    """How many numbers stand under each path of a record, such as ``interval.low``.

    Places in lists are left out of a path; keys of mappings stand in it, as ``points.tp``.

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
        _count_all(value, path, found)
    elif kind is dict:
        for key, inner in value.items():
            _count(inner, f"{path}.{key}", found)
    elif is_dataclass(kind):
        for name in _names(kind):
            inner = getattr(value, name)
            if inner is not None:
                _count(inner, f"{path}.{name}" if path else name, found)


def _count_all(values: Any, path: str, found: Counter[str]) -> None:
    for one in values:
        if type(one) is float or type(one) is int:
            found[path] += 1
        elif one is not None:
            _count(one, path, found)


@cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(one.name for one in fields(kind))


def under(path: str, prefixes: Iterable[str]) -> bool:
    """Whether a path is one of the prefixes, or lies within it.

    >>> under("interval.low", frozenset(["interval"])), under("intervals", frozenset(["interval"]))
    (True, False)
    """
    while path:
        if path in prefixes:
            return True
        path = path.rpartition(".")[0]
    return False


# -- made again -----------------------------------------------------------------------------


def unlike(record: Any, made: Made) -> Iterator[str]:
    """What a record says otherwise than the one that was made again, leaf by leaf."""
    yield from _unlike(record, made.record, "")


def _unlike(own: Any, other: Any, path: str) -> Iterator[str]:
    if same(own, other):
        return
    if is_dataclass(own) and type(own) is type(other):
        for name in _names(cast("Any", type(own))):
            inner = f"{path}.{name}" if path else name
            yield from _unlike(getattr(own, name), getattr(other, name), inner)
    elif isinstance(own, Mapping) and isinstance(other, Mapping) and own.keys() == other.keys():
        for key, value in own.items():
            yield from _unlike(value, other[key], f"{path}.{key}")
    elif isinstance(own, tuple) and isinstance(other, tuple) and len(own) == len(other):
        if any(map(is_dataclass, own)):
            for one, two in zip(own, other, strict=True):
                yield from _unlike(one, two, path)
        else:
            yield f"{path} is {_shown(own)}, the other records give {_shown(other)}"
    else:
        yield f"{path} is {_shown(own)}, the other records give {_shown(other)}"


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:197]}..."


# -- accounts -------------------------------------------------------------------------------

R = TypeVar("R")


@dataclass(frozen=True)
class Held:
    """These numbers of the record follow from others: paths, each with all that is within."""

    paths: frozenset[str]


def held(*paths: str) -> Held:
    """What an account says of the numbers that it has looked at."""
    return Held(frozenset(paths))


#: What an account gives: a problem, or what it has held.
Finding = str | Held
Check = Callable[[Any, Remaker], Iterable[Finding]]

#: Why a number is left out where nobody gives another reason.
NOTHING = "nothing in the results settles it"


@dataclass(frozen=True)
class Account:
    """What has to add up in a kind of record; why numbers that it does not hold are left out."""

    check: Check
    unless: Mapping[str, str] = field(default_factory=dict)


def reason_of(path: str, reasons: Mapping[str, str]) -> str | None:
    """The reason that is given for a path, or for what it lies within."""
    while path:
        if path in reasons:
            return reasons[path]
        path = path.rpartition(".")[0]
    return reasons.get("")


ACCOUNTS: dict[type, Account] = {}


def account(
    kind: type[R], unless: Mapping[str, str] | None = None
) -> Callable[[Callable[[R, Remaker], Iterable[Finding]]], Check]:
    """Declare the decorated function as the account of a kind of record.

    Raises ValueError where the kind has one.
    """

    def declare(check: Callable[[R, Remaker], Iterable[Finding]]) -> Check:
        if kind in ACCOUNTS:
            raise ValueError(f"{kind.__name__} has an account already")
        ACCOUNTS[kind] = Account(check, dict(unless or {}))
        return check

    return declare


#: Why what comes out otherwise is no problem in results of another version.
OTHER_VERSION = "another version of evalreport made it, and this one makes it otherwise"

#: Why records of a kind, or some of them, cannot be made again from the results alone.
UNSETTLED: Mapping[type, str] = {
    records.Logo: "the picture is not in the folder of the run",
    records.Threshold: "a rule is solved on the scores of rows",
    records.Table: "tables are what is counted from rows; everything else is held against them",
    records.Caution: "most cautions look at the rows themselves",
    records.Criterion: "the difference from the reference is compared on rows, or with an "
    "earlier run",
    records.Plan: "the plan follows from the spec and the data: verify --rerun makes it again",
    records.Reference: "the earlier run is verified by itself",
    records.Drift: "the values of both datasets need the rows",
    records.LearningCurve: "models are trained for it",
    records.History: "steps of training are taken from the file of the model's history",
    records.Tuning: "models are trained for it",
    records.TrainingOverlap: "rows are compared with those of other datasets",
    records.AgainstBaseline: "the two models are compared row by row",
    records.Claim: "a claim is judged by every declared method: verify --rerun does it again",
    records.ClaimCounts: "counts near the recorded ones are searched by verify --rerun",
}


def is_known(kind: type) -> bool:
    """Whether a kind of record is made again, has an account, or a reason for neither."""
    return kind in REMADE or kind in ACCOUNTS or kind in UNSETTLED
