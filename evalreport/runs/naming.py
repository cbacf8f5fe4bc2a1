"""What a measure, a criterion or a change of one is called: its name, its place, outcomes."""

from __future__ import annotations

from collections.abc import Mapping

from evalreport.report.pages import stamp
from evalreport.report.pieces import LineCell
from evalreport.report.words import (
    OUTCOME_WORDS,
    label_text,
    measure_title,
    subgroup_text,
    visible,
)
from evalreport.results.changes import MeasureChange
from evalreport.results.history import LookTold
from evalreport.results.records import HELD, Measure

#: What an attempt came to nothing by, by its exit status.
STATUS_WORDS = {
    2: "the spec or the command is wrong",
    3: "the data are wrong",
    4: "files, limits or rendering",
}


def outcome_word(outcome: str | None) -> str:
    """An outcome in words; None where there is no criterion."""
    return "absent" if outcome is None else OUTCOME_WORDS[outcome]


def status_text(status: int | None) -> str:
    """The exit status of an attempt and what it stands for.

    >>> status_text(3)
    'status 3: the data are wrong'
    """
    why = STATUS_WORDS.get(status or 0)
    return f"status {status}" + (f": {why}" if why else "")


def look_text(look: LookTold) -> str:
    """Which look a line of the history records, what it spent, and what is decided."""
    text = f"look {look.look}" + (f" of {look.planned}" if look.planned else "")
    if isinstance(look.spent, float):
        text += f", {look.spent:.3g} spent"
    at = look.decided_at
    since = f" since look {at}" if at is not None and at != look.look else ""
    return f"{text}: criterion {look.criterion} {outcome_word(look.outcome)}{since}"


def outcome_stamp(outcome: str | None, aside: str = "") -> LineCell:
    """The outcome of a criterion as it is drawn; a dash where there is none."""
    if outcome is None:
        return LineCell("–", aside=aside)
    kind = "pass" if outcome in HELD else outcome
    kind = kind if kind in ("pass", "continue", "not_evaluated") else "fail"
    return stamp(kind, outcome_word(outcome), aside)


def name_text(record: Measure | MeasureChange) -> str:
    """A measure by its title and class."""
    title = visible(measure_title(record))
    return f"{title} of {label_text(record.label)}" if record.label is not None else title


def measure_place(record: Measure | MeasureChange) -> str:
    """Dataset, model, subgroup, fold and threshold of a measure, in words."""
    at = threshold_text(record.threshold_rule, record.threshold)
    return place_text(record.dataset, record.model, record.subgroup, record.fold, at)


def place_text(
    dataset: str | None,
    model: str | None,
    subgroup: Mapping[str, str] | None = None,
    fold: str | None = None,
    at: str = "",
) -> str:
    """Dataset, model, subgroup, fold and threshold, in words."""
    parts = [label_text(dataset), label_text(model)]
    if subgroup:
        parts.append(subgroup_text(subgroup))
    if fold is not None:
        parts.append(f"fold {label_text(fold)}")
    return ", ".join([*parts, f"threshold {at}"] if at else parts)


def threshold_text(rule: str | None, threshold: float | str | None) -> str:
    """A threshold by its rule, else by its number; empty where there is none.

    >>> threshold_text("maximize youden_j", 0.4), threshold_text(None, 0.5)
    ('maximize youden_j', '0.5')
    """
    if rule is not None:
        return visible(rule)
    if threshold is None:
        return ""
    return visible(threshold) if isinstance(threshold, str) else f"{threshold:g}"
