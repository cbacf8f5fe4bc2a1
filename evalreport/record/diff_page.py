"""What changed between two runs, as the plain values of a page."""

from __future__ import annotations

from typing import Any

from evalreport.record.diff_text import (
    NOT_KEPT,
    caution_place,
    criterion_change,
    criterion_place,
    file_text,
    key_text,
    label_shift_text,
    measure_place,
    outcome_change,
    paired_text,
    rows_text,
    score_text,
    summary_text,
)
from evalreport.record.naming import name_text, place_text
from evalreport.report.numbers import difference_text, p_text, value_text
from evalreport.report.words import label_text, method_text, visible
from evalreport.results.changes import CriterionChange, Diff, MeasureChange, MeasureSide
from evalreport.results.records import Caution

#: A page holds no more measures than this; the rest is in the JSON.
MOST_MEASURES = 2000


def diff_page(found: Diff, version: str) -> dict[str, Any]:
    """The values of the page of a diff, as :func:`evalreport.record.diff.differences` gives it.

    ``home`` is the address of the history that the page is part of, where it is part of one.
    """
    measures = [m for m in found.measures if m.change == "both"]
    return {
        "page": "diff",
        "home": None,
        "title": f"{visible(found.new.title)}: what changed",
        "version": version,
        "old": {"run": visible(found.old.run), "at": found.old.at},
        "new": {"run": visible(found.new.run), "at": found.new.at},
        "criteria": [_criterion(entry) for entry in found.criteria],
        "data": _data(found),
        "spec": [key_text(entry) for entry in found.spec],
        "versions": [key_text(entry) for entry in found.versions],
        "summary": summary_text(found),
        "measures": [_measure(m) for m in measures[:MOST_MEASURES]],
        "cut": max(0, len(measures) - MOST_MEASURES),
        "only": [
            f"{name_text(m)}, {measure_place(m)}: {m.change}"
            for m in found.measures
            if m.change != "both"
        ],
        "new_cautions": [_caution(c) for c in found.cautions.new],
        "cleared_cautions": [_caution(c) for c in found.cautions.cleared],
    }


def _criterion(entry: CriterionChange) -> dict[str, Any]:
    return {
        "text": f"{criterion_change(entry)}, {criterion_place(entry)}",
        "change": entry.change,
        "outcome": outcome_change(entry),
    }


def _data(found: Diff) -> list[str]:
    lines = [f"{label_text(entry.dataset)}: {file_text(entry)}" for entry in found.files]
    for entry in found.rows:
        used = entry.rows.used
        lines.append(
            f"{place_text(entry.dataset, entry.model)}: rows used {used[0]} to {used[1]}; labels: "
            f"{label_shift_text(entry.labels)}"
        )
    lines += [f"{label_text(one.dataset)}: {rows_text(one)}" for one in found.rows_by_id]
    if not found.rows_by_id:
        lines.append(NOT_KEPT)
    return lines + [
        f"{place_text(one.dataset, one.model)}: scores of {label_text(one.label)}: "
        f"{score_text(one)}"
        for one in found.scores
    ]


def _measure(m: MeasureChange) -> dict[str, Any]:
    interval = m.interval
    limits = ""
    if interval is not None:
        limits = f"{difference_text(interval.low)} to {difference_text(interval.high)}"
    return {
        "name": name_text(m),
        "place": measure_place(m),
        "old": _value(m.old),
        "new": _value(m.new),
        "difference": "" if m.difference is None else difference_text(m.difference),
        "interval": limits,
        "method": method_text(interval.method)
        if interval
        else paired_text(m) or visible(str(m.interval_reason)),
        "p": "" if m.p_value is None else p_text(m.p_value),
        "beyond": m.beyond_chance is True,
    }


def _value(side: MeasureSide | None) -> str:
    if side is None:
        return ""
    return side.state.replace("_", " ") if side.value is None else value_text(side.value)


def _caution(caution: Caution) -> dict[str, str]:
    return {
        "code": visible(caution.code),
        "place": caution_place(caution),
        "message": visible(caution.message),
    }
