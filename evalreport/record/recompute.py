"""Every record of the results again, from the tables and curves in them alone.

One loop over the kinds of records: each has its check (:mod:`evalreport.record.checks`), or
a reason why the results alone cannot settle it. Every number of a record is counted as held,
or as left out for a reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from evalreport.errors import FilesError, Problem
from evalreport.record import (
    accounted,
    compared,
    described,
    failures,
    impact,
    interval_limits,
    judgements,
    looks,
    measure_values,
    readers,
    recompute_periods,
    roc_curves,
)
from evalreport.record.checks import (
    OTHER_VERSION,
    Apart,
    Declared,
    Held,
    Known,
    Unchecked,
    check_of,
    numbers_in,
    under,
)
from evalreport.record.recorded_tables import NotRecorded
from evalreport.record.remade import OF_ROWS, REMADE, ground_of, unlike
from evalreport.results.codec import decode
from evalreport.results.lookup import Results, parts
from evalreport.results.records import Measure
from evalreport.values import dataclass

#: The modules that declare checks.
MODULES = (
    compared,
    described,
    failures,
    impact,
    interval_limits,
    judgements,
    looks,
    measure_values,
    accounted,
    readers,
    recompute_periods,
    roc_curves,
)
_MALFORMED = (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError,
              AssertionError, StopIteration)  # fmt: skip

#: Stands among what was found where the whole record was held against another.
_ALL = frozenset([""])
EVERY_NUMBER = Held(_ALL)


@dataclass(frozen=True)
class Recomputation:
    """What came of it: the problems, and the ids of measures checked and not checked.

    ``held``: records that were checked, by the part of the results that they stand in;
    ``reasons``: why others were not, by part and reason, with how many they are.
    ``numbers``: how many numbers of each part were held; ``left_out``: how many were not, by
    the part with the field, and the reason.
    """

    problems: tuple[Problem, ...]
    checked: tuple[str, ...] = ()
    unchecked: tuple[str, ...] = ()
    held: Mapping[str, int] = field(default_factory=dict)
    reasons: Mapping[tuple[str, str], int] = field(default_factory=dict)
    numbers: Mapping[str, int] = field(default_factory=dict)
    left_out: Mapping[tuple[str, str], int] = field(default_factory=dict)

    @property
    def recomputed(self) -> int:
        """How many numbers were held against others."""
        return sum(self.numbers.values())


def recompute(content: Any) -> Recomputation:
    """Check every record of results, read or as parsed JSON; never raises for what is in it.

    Raises LookupError where a kind of record has neither a check nor a reason for none, or
    a number of it neither.
    """
    try:
        results = content if isinstance(content, Results) else decode(content)
    except FilesError as error:
        return Recomputation(tuple(Problem(one.what, one.instead) for one in error.problems))
    known, found = Known(results), _Found()
    for kind, part in parts().items():
        declared = check_of(kind)
        own: tuple[Any, ...] = results.of(kind)
        again = _made_again(kind, own, known)
        found.problems += [Problem(f"{part}: {what}") for what in again.problems]
        for place, record in enumerate(own):
            told = _told(declared, record, known)
            made = again.records[place] if place < len(again.records) else None
            if made is not None:
                told = _held_against(made, record, told, known)
            found.add(part, record, declared, place, told)
    return found.all()


@dataclass(frozen=True)
class _Part:
    """A part made again: a record, or None, for each that is there, and what is wrong with it."""

    records: tuple[Any, ...] = ()
    problems: tuple[str, ...] = ()


def _made_again(kind: type, own: tuple[Any, ...], known: Known) -> _Part:
    """The part of a kind of records as it follows from the others, as far as it does."""
    if kind not in REMADE:
        return _Part()
    try:
        made = tuple(known.again.part(kind))
    except NotRecorded:
        return _Part()
    except _MALFORMED as error:
        if not own and failures.silenced(kind, known.results):
            return _Part()
        return _Part((), (f"cannot be made again: {type(error).__name__}: {error}",))
    if len(made) == len(own):
        return _Part(made)
    if not known.same_version or (not own and failures.silenced(kind, known.results)):
        return _Part()
    return _Part(made, (f"there are {len(own)} records, the others give {len(made)}",))


def _held_against(made: Any, record: Any, told: Told, known: Known) -> Told:
    """What was found of a record, with what is unlike the one that was made again."""
    apart = list(unlike(record, made))
    below = failures.rests_on_failure(type(record), known.results)
    if apart and (below or not known.same_version):
        reason = failures.BELOW if below else OTHER_VERSION
        return told if isinstance(told, Unchecked) else [*told, Apart(reason, _ALL)]
    found = [] if isinstance(told, Unchecked) else told
    # what is wrong is told once, in the words of the check where it has found it too
    if not any(isinstance(one, str) for one in found):
        found = [*found, *apart]
    return [*found, EVERY_NUMBER]


@dataclass
class _Found:
    """What has been found so far."""

    problems: list[Problem] = field(default_factory=list)
    checked: list[str] = field(default_factory=list)
    unchecked: list[str] = field(default_factory=list)
    held: Counter[str] = field(default_factory=Counter)
    reasons: Counter[tuple[str, str]] = field(default_factory=Counter)
    numbers: Counter[str] = field(default_factory=Counter)
    left_out: Counter[tuple[str, str]] = field(default_factory=Counter)

    def leave_out(self, part: str, record: Any, reason: str) -> None:
        """Count a record that nothing settles, and its numbers."""
        self.reasons[part, reason] += 1
        for path, count in numbers_in(record).items():
            self.left_out[_named(part, path), reason] += count

    def add(
        self, part: str, record: Any, declared: Declared | Unchecked, place: int, told: Told
    ) -> None:
        """Count a record and its numbers, with what is wrong with it."""
        settled = not isinstance(told, Unchecked)
        if isinstance(record, Measure):
            (self.checked if settled else self.unchecked).append(record.id)
        if isinstance(told, Unchecked):
            self.leave_out(part, record, told.reason)
            return
        self.held[part] += 1
        called = f"{part}[{place}]"
        if isinstance(declared, Declared):
            called = declared.called(record, place)
        self.problems += [Problem(f"{called}: {what}") for what in told if isinstance(what, str)]
        self._count(part, record, declared, told)

    def _count(
        self, part: str, record: Any, declared: Declared | Unchecked, told: list[Any]
    ) -> None:
        every, ground = EVERY_NUMBER in told, ground_of(record)
        held = frozenset().union(*(one.paths for one in told if isinstance(one, Held)))
        apart = [one for one in told if isinstance(one, Apart)]
        for path, count in numbers_in(record).items():
            if under(path, ground):
                self.left_out[_named(part, path), OF_ROWS] += count
                continue
            if every or under(path, held):
                self.numbers[part] += count
                continue
            reason = next(
                (a.reason for a in apart if a.paths == _ALL or under(path, a.paths)), None
            )
            if reason is None and isinstance(declared, Declared):
                reason = declared.why_not(path)
            if reason is None:
                what = f"{type(record).__name__}.{path}"
                raise LookupError(f"{what} is neither held by its check nor left out for a reason")
            self.left_out[_named(part, path), reason] += count

    def all(self) -> Recomputation:
        """Everything that was found."""
        return Recomputation(
            tuple(self.problems),
            tuple(self.checked),
            tuple(self.unchecked),
            dict(self.held),
            dict(self.reasons),
            dict(self.numbers),
            dict(self.left_out),
        )


Told = list[Any] | Unchecked


def _named(part: str, path: str) -> str:
    """The part with the field of its records, which is enough to find a number."""
    return f"{part}.{path.partition('.')[0]}"


def _told(declared: Declared | Unchecked, record: Any, known: Known) -> Told:
    if isinstance(declared, Unchecked):
        return declared
    try:
        told = declared.check(record, known)
        return told if isinstance(told, Unchecked) else list(told)
    except _MALFORMED as error:
        return [f"cannot be checked, it is malformed: {error}"]
