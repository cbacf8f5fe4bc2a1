"""The runs that stand in a series already, as far as cautions look at them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evalreport.results.history import HistoryLine


def last_before(earlier: Sequence[HistoryLine], of: str) -> HistoryLine | None:
    """The last of the runs that are of a time before this one; None where none is.

    Of those of one time, the one that was recorded last: what was wrong was put right.
    """
    before = [one for one in earlier if one.time < of]
    return max(reversed(before), key=lambda one: one.time, default=None)


@dataclass(frozen=True)
class Due:
    """A run of a series with a cadence, and the runs that were there before it.

    ``of``: what its data are of, else its clock. ``files``: the hash of each dataset that is
    delivered; what drift is held against is not.
    """

    cadence: str
    of: str
    files: Mapping[str, str]
    earlier: tuple[HistoryLine, ...] = ()

    @property
    def previous(self) -> HistoryLine | None:
        """The run before this one in time, whenever it was made."""
        return last_before(self.earlier, self.of)

    def same(self, dataset: str) -> tuple[HistoryLine, ...]:
        """Runs of another time that read the same file, oldest first."""
        digest = self.files[dataset]
        found = [
            one
            for one in self.earlier
            if one.delivered.get(dataset) == digest and one.time[: len(self.of)] != self.of
        ]
        return tuple(sorted(found, key=lambda one: one.time))
