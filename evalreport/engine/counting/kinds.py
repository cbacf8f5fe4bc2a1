"""Kinds of rows in the place of rows, and how many rows are of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evalreport.predict.view import View

Codes = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class KindView(View):
    """Kinds of rows in the place of rows; ``times``: how many rows are of each kind."""

    times: Codes = None  # type: ignore[assignment]

    @property
    def rows(self) -> int:
        return int(self.times.sum())

    @property
    def class_rows(self) -> tuple[int, ...]:
        sums = np.bincount(self.actual, self.times, len(self.labels))
        return tuple(int(total) for total in sums)


@dataclass(frozen=True, eq=False)
class Joint:
    """Two models on the rows that both use: the same kinds under each.

    ``cut`` says why scores are known only by the thresholds that they reach; None where
    they are known.
    """

    first: KindView
    second: KindView
    cut: str | None = None


def joint_notes(views: Sequence[View]) -> list[str]:
    """What is counted for comparisons, and what is not compared for it, in words."""
    notes = []
    for view in views:
        joints: Mapping[str, Joint] = getattr(view, "joints", {})
        for reference, joint in joints.items():
            kinds = f"{len(joint.first.times):,} kinds of rows"
            by = "what each says" if joint.cut is not None or joint.first.score is None else "score"
            told = f"counted by true class and {by}, {kinds}"
            more = "" if joint.cut is None else f"; scores are not compared: {joint.cut}"
            notes.append(f"{view.dataset}, {view.model} and {reference}: {told}{more}")
    return notes
