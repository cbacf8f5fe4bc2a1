"""The records of ``history.jsonl``: what one line tells of a run, or of an attempt at one.

A line is read leniently (:func:`evalreport.results.codec.decode_readable`): the history of
strangers and of other versions is looked at whole, and what a line holds beside these fields
says nothing here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from evalreport.results.marks import OMITTED, one_of

#: How often a series may be due.
CADENCES = ("day", "week", "month", "quarter", "year")


@dataclass(frozen=True, slots=True, kw_only=True)
class LookLine:
    """One look at a criterion, as far as the history tells of it."""

    criterion: Annotated[int | None, "Its number in the spec, from 1."] = None
    model: str | None = None
    look: Annotated[int | None, "Which look of the series it is, from 1."] = None
    planned: Annotated[int | None, "How many looks there are; null for no end."] = None
    spent: Annotated[float | None, "The share of false alarms that is used up."] = None
    outcome: str | None = None
    decided_at: Annotated[int | None, "The look that decided."] = None


@dataclass(frozen=True, slots=True)
class Attempt:
    """A run that came to nothing."""

    status: Annotated[int | None, "The exit status."] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryLine:
    """One line: a published run, an attempt that ended without one, or runs that were removed."""

    when: Annotated[str, "The time of the run, attempt or removal."] = ""
    version: str = ""
    run: Annotated[str | None, OMITTED, "The run's name; there is none for an attempt."] = None
    spec_sha256: Annotated[str | None, OMITTED] = None
    data_sha256: Annotated[str | None, OMITTED] = None
    plan_sha256: Annotated[str | None, OMITTED] = None
    outcome: Annotated[str | None, OMITTED] = None
    manifest_sha256: Annotated[str | None, OMITTED] = None
    series: Annotated[str | None, OMITTED] = None
    cadence: Annotated[str | None, OMITTED, one_of(*CADENCES)] = None
    criteria: Annotated[Mapping[str, int], OMITTED, "How many had which outcome."] = field(
        default_factory=dict
    )
    looks: Annotated[tuple[LookLine, ...], OMITTED] = ()
    as_of: Annotated[str | None, OMITTED, "What the data are of, a date or a time."] = None
    delivered: Annotated[Mapping[str, str], OMITTED, "The hash of each dataset's file."] = field(
        default_factory=dict
    )
    positive: Annotated[
        Mapping[str, str | None], OMITTED, "Each dataset's positive class; null of several classes."
    ] = field(default_factory=dict)
    recovered: Annotated[bool, OMITTED, "Written later, after a crash."] = False
    attempt: Annotated[Attempt | None, OMITTED] = None
    pruned: Annotated[tuple[str, ...], OMITTED, "Names of the runs that were removed."] = ()
    kept: Annotated[Mapping[str, str], OMITTED, "The sha256 of what is kept of each of them."] = (
        field(default_factory=dict)
    )
    n: Annotated[int | None, OMITTED, "The number of the line, from 1."] = None
    previous: Annotated[str | None, OMITTED, "The sha256 of the line before."] = None
    sha256: Annotated[str | None, OMITTED, "Of the line without this field."] = None

    @property
    def time(self) -> str:
        """What the data of a run are of, where it says so; else its clock."""
        return self.as_of or self.when

    def follows(self, run: HistoryLine) -> bool:
        """Whether an attempt was made after a run, and at data no older than the run's.

        One at older data is a backfill that came to nothing, and says nothing of the newest.
        """
        older = self.as_of is not None and self.as_of < run.time[: len(self.as_of)]
        return self.when >= run.when and not older
