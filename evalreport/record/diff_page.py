"""What changed between two runs, as the plain values of a page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evalreport.record.diff_text import (
    NOT_KEPT,
    file_text,
    key_text,
    name_text,
    outcome_change,
    paired_text,
    place_text,
    rows_text,
    score_text,
    shift_text,
    summary_text,
)
from evalreport.report.numbers import difference_text, p_text, value_text
from evalreport.report.words import label_text, method_text, visible

#: A page holds no more measures than this; the rest is in the JSON.
MOST_MEASURES = 2000


def diff_page(found: Mapping[str, Any], version: str) -> dict[str, Any]:
    """The values of the page of a diff, as :func:`evalreport.record.diff.differences` gives it.

    ``home`` is the address of the history that the page is part of, where it is part of one.
    """
    measures = [m for m in found["measures"] if m["change"] == "both"]
    return {
        "page": "diff",
        "home": None,
        "title": f"{visible(str(found['new']['title']))}: what changed",
        "version": version,
        "old": {"run": visible(found["old"]["run"]), "at": found["old"]["at"]},
        "new": {"run": visible(found["new"]["run"]), "at": found["new"]["at"]},
        "criteria": [_criterion(entry) for entry in found["criteria"]],
        "data": _data(found),
        "spec": [key_text(entry) for entry in found["spec"]],
        "versions": [key_text(entry) for entry in found["versions"]],
        "summary": summary_text(found),
        "measures": [_measure(m) for m in measures[:MOST_MEASURES]],
        "cut": max(0, len(measures) - MOST_MEASURES),
        "only": [
            f"{name_text(m)}, {place_text(m)}: {m['change']}"
            for m in found["measures"]
            if m["change"] != "both"
        ],
        "new_cautions": [_caution(c) for c in found["cautions"]["new"]],
        "cleared_cautions": [_caution(c) for c in found["cautions"]["cleared"]],
    }


def _criterion(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "text": f"{visible(entry['text'])}, {place_text(entry)}",
        "change": entry["change"],
        "outcome": outcome_change(entry),
    }


def _data(found: Mapping[str, Any]) -> list[str]:
    lines = [f"{label_text(entry['dataset'])}: {file_text(entry)}" for entry in found["files"]]
    for entry in found["rows"]:
        used = entry["rows"]["used"]
        lines.append(
            f"{place_text(entry)}: rows used {used[0]} to {used[1]}; labels: "
            f"{shift_text(entry['labels'], 'chi-square')}"
        )
    lines += [
        f"{label_text(entry['dataset'])}: {rows_text(entry)}" for entry in found["rows_by_id"]
    ]
    if not found["rows_by_id"]:
        lines.append(NOT_KEPT)
    return lines + [
        f"{place_text(entry)}: scores of {label_text(entry['label'])}: {score_text(entry)}"
        for entry in found["scores"]
    ]


def _measure(m: Mapping[str, Any]) -> dict[str, Any]:
    interval = m["interval"]
    limits = ""
    told = paired_text(m)
    if interval is not None:
        limits = f"{difference_text(interval['low'])} to {difference_text(interval['high'])}"
    return {
        "name": name_text(m),
        "place": place_text(m),
        "old": _value(m["old"]),
        "new": _value(m["new"]),
        "difference": "" if m["difference"] is None else difference_text(m["difference"]),
        "interval": limits,
        "method": method_text(interval["method"])
        if interval
        else told or visible(m["interval_reason"]),
        "p": "" if m["p_value"] is None else p_text(m["p_value"]),
        "beyond": m["beyond_chance"] is True,
    }


def _value(side: Mapping[str, Any]) -> str:
    if side["state"] != "value":
        return str(side["state"]).replace("_", " ")
    return value_text(side["value"])


def _caution(caution: Mapping[str, Any]) -> dict[str, str]:
    return {
        "code": visible(str(caution["code"])),
        "place": ", ".join(
            label_text(caution[key]) for key in ("dataset", "model") if caution.get(key) is not None
        ),
        "message": visible(str(caution["message"])),
    }
