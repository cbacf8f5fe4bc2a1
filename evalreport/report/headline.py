"""The measures that short formats print: all rows, pooled, at the first threshold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evalreport.report.numbers import count_text, level_text, value_text
from evalreport.report.words import measure_title, method_text, prose

Record = Mapping[str, Any]

#: Above so many measures of a model the per-class ones are left to the report.
MOST = 40


def headline_measures(results: Record) -> list[Record]:
    """Measures of all rows, not of subgroups or folds, at the first threshold of their model."""
    first: dict[tuple[str, str], tuple[Any, Any]] = {}
    for t in results.get("thresholds", ()):
        first.setdefault((t["dataset"], t["model"]), (t["threshold"], t["rule"]))
    found = []
    for m in results["measures"]:
        if m["subgroup"] or m["fold"] is not None or m["state"] == "not_applicable":
            continue
        place = (m["dataset"], m["model"])
        at = (m["threshold"], m["threshold_rule"])
        if at == (None, None) or at == first.get(place, at):
            found.append(m)
    if len(found) > MOST:
        found = [m for m in found if m["average"] is not None or m["label"] is None]
    return found


def value_words(m: Record) -> str:
    """The value as printed, or the word for its state."""
    if m["state"] == "value":
        return value_text(m["value"])
    return str(m["state"]).replace("_", " ")


def interval_words(m: Record) -> str:
    """``0.779 to 0.879 (95 %, Wilson)``, or why there is none."""
    interval = m.get("interval")
    if interval is None:
        return prose(m.get("reason") or m.get("interval_reason") or "none")
    low, high = value_text(interval["low"]), value_text(interval["high"])
    level, method = level_text(interval["level"]), method_text(interval["method"])
    return f"{low} to {high} ({level}, {method})"


def counts_words(m: Record) -> str:
    """``177 / 212`` where the value is one fraction of whole rows, else n."""
    top, bottom = m.get("numerator"), m.get("denominator")
    if isinstance(top, int) and isinstance(bottom, int):
        return f"{count_text(top)} / {count_text(bottom)}"
    return f"n {count_text(m['n'])}"


def name_words(m: Record) -> str:
    """The measure's title with its class or average."""
    title = measure_title(m)
    if m["average"]:
        return f"{title}, {m['average']} average"
    return f"{title} of {m['label']}" if m["label"] is not None else title
