"""Every record of the results again, from the tables and curves in them alone.

One loop over the kinds of records: each is made again by the engine from the others, or has an
account that must add up, or a reason why the results alone cannot settle it. Every number of a
record is counted as recomputed, or as left out for a reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from evalreport.errors import FilesError, Problem
from evalreport.record import accounted, described, failures
from evalreport.record.checks import (
    ACCOUNTS,
    NOTHING,
    OTHER_VERSION,
    UNSETTLED,
    Held,
    is_known,
    numbers_in,
    reason_of,
    under,
    unlike,
)
from evalreport.record.measured_again import Made
from evalreport.record.recorded_tables import NotRecorded
from evalreport.record.remade import REMADE, Remaker
from evalreport.results.codec import decode
from evalreport.results.lookup import Results, parts
from evalreport.results.records import Comparison, Measure

#: The modules that declare accounts.
MODULES = (accounted, described, failures)
_MALFORMED = (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError,
              AssertionError, StopIteration)  # fmt: skip


@dataclass
class Recomputation:
    """What came of it: problems, and how many numbers of each part were recomputed.

    ``left_out``: how many were not, by the part with the field, and the reason.
    """

    problems: tuple[Problem, ...] = ()
    numbers: Counter[str] = field(default_factory=Counter)
    left_out: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def recomputed(self) -> int:
        """How many numbers were recomputed."""
        return sum(self.numbers.values())


def recompute(content: Any) -> Recomputation:
    """Compare every record of results, read or as parsed JSON; never raises for what is in it.

    Raises LookupError where a kind of record is neither made again nor has an account or a
    reason for neither.
    """
    found = Recomputation()
    try:
        results = content if isinstance(content, Results) else decode(content)
    except FilesError as error:
        found.problems += tuple(Problem(one.what, one.instead) for one in error.problems)
        return found
    again = Remaker(results)
    for kind, part in parts().items():
        if not is_known(kind):
            raise LookupError(
                f"{kind.__name__} is not verified: say in REMADE how it is made again, declare an "
                "account of it, or say in UNSETTLED why neither can be"
            )
        own: tuple[Any, ...] = again.results.of(kind)
        made = _Part.made_again(kind, own, again)
        found.problems += tuple(Problem(f"{part}: {what}") for what in made.problems)
        for place, record in enumerate(own):
            called = named(part, place, record)
            for what in _compared(found, part, record, made.of(place), again):
                found.problems += (Problem(f"{called}: {what}"),)
    return found


def _compared(
    found: Recomputation, part: str, record: Any, made: Made, again: Remaker
) -> Iterator[str]:
    """What is wrong with a record; its numbers are counted as recomputed or left out."""
    kind, left_out, holds, wrong = type(record), made.left_out, frozenset[str](), list[str]()
    if kind in ACCOUNTS:
        try:
            findings = list(ACCOUNTS[kind].check(record, again))
        except _MALFORMED as error:
            findings = [f"cannot be checked, it is malformed: {error}"]
        holds = holds.union(*(one.paths for one in findings if isinstance(one, Held)))
        wrong += [one for one in findings if isinstance(one, str)]
    if kind in REMADE and "" not in left_out:
        try:
            apart = list(unlike(record, made))
        except _MALFORMED as error:
            apart = [f"cannot be compared: {error}"]
        below = failures.rests_on_failure(kind, again.results)
        if apart and (below or not again.same_version):
            left_out = {"": failures.BELOW if below else OTHER_VERSION}
            apart = [] if below else [one for one in apart if _is_of_any_version(kind, one)]
        # what is wrong is reported once, in the words of the account where it found it too
        wrong += apart if not wrong else []
    unless = ACCOUNTS[kind].unless if kind in ACCOUNTS else {}
    for path, count in numbers_in(record).items():
        reason = reason_of(path, left_out)
        if under(path, holds) or (reason is None and kind in REMADE):
            found.numbers[part] += count
        else:
            reason = reason_of(path, unless) or reason or UNSETTLED.get(kind, NOTHING)
            found.left_out[f"{part}.{path.partition('.')[0]}", reason] += count
    yield from wrong


#: What follows from tables and names by definitions that no version changes, by kind of record.
ANY_VERSION: Mapping[type, tuple[str, ...]] = {
    Measure: ("value", "numerator", "denominator"),
    Comparison: ("model_value", "reference_value", "difference", "p_value", "statistic"),
}


def _is_of_any_version(kind: type, problem: str) -> bool:
    return any(problem.startswith(f"{name} is ") for name in ANY_VERSION.get(kind, ()))


@dataclass(frozen=True)
class _Part:
    """A part made again: a record for each that is there, and what is wrong with it."""

    records: tuple[Any, ...] = ()
    problems: tuple[str, ...] = ()
    reason: str = NOTHING

    def of(self, place: int) -> Made:
        """The record at a place as it was made again."""
        made = self.records[place] if place < len(self.records) else None
        if made is None:
            return Made(None, {"": self.reason})
        return made if isinstance(made, Made) else Made(made)

    @classmethod
    def made_again(cls, kind: type, own: tuple[Any, ...], again: Remaker) -> _Part:
        """The part of a kind of records as it follows from the others, as far as it does."""
        why = UNSETTLED.get(kind, NOTHING)
        if kind not in REMADE:
            return cls(reason=why)
        silenced = not own and failures.silenced(kind, again.results)
        try:
            made = tuple(again.part(kind))
        except NotRecorded as absent:
            return cls(reason=str(absent))
        except _MALFORMED as error:
            if silenced:
                return cls(reason=why)
            return cls((), (f"cannot be made again: {type(error).__name__}: {error}",), why)
        if len(made) == len(own):
            return cls(made, reason=why)
        if not again.same_version or silenced:
            return cls(reason=why)
        return cls(made, (f"there are {len(own)} records, the others give {len(made)}",), why)


#: What a record is called by, beside its place.
_NAMES = ("id", "dataset", "model", "reference", "metric", "average", "label", "text", "code",
          "section", "kind")  # fmt: skip


def named(part: str, place: int, record: Any) -> str:
    """How a record is called in a problem: ``measures[3] (m4, ward, one, recall)``."""
    words = [getattr(record, name, None) for name in _NAMES]
    told = ", ".join(word for word in words if isinstance(word, str))
    return f"{part}[{place}] ({told})" if told else f"{part}[{place}]"
