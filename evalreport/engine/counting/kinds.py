"""What two models say of the rows that both use, and what is told of kinds of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evalreport.predict.view import LabelView, View
from evalreport.values import dataclass

#: Why scores are not known where none of the metrics that are asked for takes them.
NOT_ASKED = "no metric of scores is asked for"


@dataclass(frozen=True, eq=False)
class Joint:
    """Two models on the rows that both use: the same kinds under each.

    ``cut`` says why scores are known only by the thresholds that they reach; None where
    they are known.
    """

    first: LabelView
    second: LabelView
    cut: str | None = None


def joint_notes(views: Sequence[View]) -> list[str]:
    """What is counted for comparisons, and what is not compared for it, in words."""
    notes = []
    for view in views:
        if view.times is not None and not view.counted:
            units = [name for name in ("weight", "cluster") if getattr(view, name) is not None]
            own = f" and its {' and '.join(units)}" if units else ""
            told = f"counted by what each row holds{own}"
            notes.append(f"{view.dataset}, {view.model}: {told}, {len(view.times):,} kinds of rows")
        joints: Mapping[str, Joint] = getattr(view, "joints", {})
        for reference, joint in joints.items():
            kinds = f"{len(joint.first.actual):,} kinds of rows"
            by = "what each says" if joint.cut is not None or joint.first.score is None else "score"
            told = f"counted by true class and {by}, {kinds}"
            apart = joint.cut not in (None, NOT_ASKED)
            more = f"; scores are not compared: {joint.cut}" if apart else ""
            notes.append(f"{view.dataset}, {view.model} and {reference}: {told}{more}")
    return notes
