"""Kinds of rows in the place of rows, and how many rows are of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.predict.view import View

Codes = npt.NDArray[np.int64]

#: Why scores are not known where none of the metrics that are asked for takes them.
NOT_ASKED = "no metric of scores is asked for"


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

    def group_rows(self, column: str) -> dict[str, int]:
        codes, names = self.groups[column]
        sums = np.bincount(codes, self.times, len(names))
        return {name: int(total) for name, total in zip(names, sums, strict=True)}

    def total_weight(self, chosen: Any = slice(None), power: int = 1) -> float:
        assert self.weight is not None
        parts, kind = np.unique(self.weight[chosen] ** power, return_inverse=True)
        times = np.bincount(kind.reshape(-1), self.times[chosen], len(parts))
        # Rounded once, as the sum over all rows would be.
        pairs = zip(parts.tolist(), times.tolist(), strict=True)
        return float(sum((Fraction(part) * int(n) for part, n in pairs), Fraction()))


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
        if isinstance(view, KindView):
            units = [name for name in ("weight", "cluster") if getattr(view, name) is not None]
            told = f"counted by what each row holds and its {' and '.join(units)}"
            notes.append(f"{view.dataset}, {view.model}: {told}, {len(view.times):,} kinds of rows")
        joints: Mapping[str, Joint] = getattr(view, "joints", {})
        for reference, joint in joints.items():
            kinds = f"{len(joint.first.times):,} kinds of rows"
            by = "what each says" if joint.cut is not None or joint.first.score is None else "score"
            told = f"counted by true class and {by}, {kinds}"
            apart = joint.cut not in (None, NOT_ASKED)
            more = f"; scores are not compared: {joint.cut}" if apart else ""
            notes.append(f"{view.dataset}, {view.model} and {reference}: {told}{more}")
    return notes
