"""The records of a watch: how every series of some folders of runs stands, as ``--json`` has it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from evalreport.results.history import CADENCES, LookLine
from evalreport.results.marks import one_of

#: States from the most harm to the least; the first three need attention.
STATES = ("failing", "broken", "late", "continues", "passed", "done")
CALLING = STATES[:3]


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """A series as its line of history leaves it."""

    folder: str
    series: str
    state: Annotated[str, one_of(*STATES)]
    since: Annotated[str, "The clock of the first run, or attempt, of the row of this outcome."]
    times: Annotated[int, "How many are in that row."]
    outcome: str | None = None
    run: str | None = None
    when: str | None = None
    failed: int = 0
    criteria: Mapping[str, int] | None = None
    looks: tuple[LookLine, ...] = ()
    attempt: Annotated[int | None, "The newest attempt's status, where no run came after."] = None
    cadence: Annotated[str | None, one_of(*CADENCES)] = None
    due: Annotated[str | None, "When the next run was due; null without a cadence."] = None
    late_days: float = 0.0
    calls: Annotated[bool, "Whether it needs attention."] = False

    @property
    def harm(self) -> tuple[Any, ...]:
        """What it is sorted by: the state, then how much of it and for how long."""
        return (STATES.index(self.state), -self.failed, -self.times, -self.late_days, self.series)


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """Every series, the most harmful first."""

    schema: Literal["evalreport/watch/1"] = "evalreport/watch/1"
    at: str
    states: Annotated[Mapping[str, int], "How many series are in each."]
    calls: Annotated[bool, "Whether anything needs attention."]
    unreadable: Annotated[Mapping[str, int], "By folder, lines of its history that cannot be read."]
    series: tuple[Watched, ...]
