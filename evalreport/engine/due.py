"""The runs that stand in a series already, as far as cautions look at them."""

from __future__ import annotations

from collections.abc import Mapping

from evalreport.values import dataclass


@dataclass(frozen=True)
class EarlierRun:
    """A recorded run: its name, what its data are of (else its clock), the hash of each dataset."""

    run: str
    of: str
    files: Mapping[str, str]


@dataclass(frozen=True)
class Due:
    """A run of a series with a cadence, and the runs that were there before it.

    ``of``: what its data are of, else its clock. ``files``: the hash of each dataset that is
    delivered; what drift is held against is not.
    """

    cadence: str
    of: str
    files: Mapping[str, str]
    earlier: tuple[EarlierRun, ...] = ()

    @property
    def previous(self) -> EarlierRun | None:
        """The run before this one in time, whenever it was made."""
        before = [one for one in self.earlier if one.of < self.of]
        return max(before, key=lambda one: one.of, default=None)

    def same(self, dataset: str) -> tuple[EarlierRun, ...]:
        """Runs of another time that read the same file, oldest first."""
        digest = self.files[dataset]
        found = [
            one
            for one in self.earlier
            if one.files.get(dataset) == digest and one.of[: len(self.of)] != self.of
        ]
        return tuple(sorted(found, key=lambda one: one.of))
