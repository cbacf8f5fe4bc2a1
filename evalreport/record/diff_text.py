"""What changed between two runs, in words."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from evalreport.lines import one_line
from evalreport.report.markdown import cell
from evalreport.report.numbers import difference_text, level_text, p_text, value_text
from evalreport.report.words import (
    counted,
    label_text,
    measure_title,
    method_text,
    subgroup_text,
    visible,
)

MOST_LINES = 40
NOT_KEPT = (
    "rows that came or went are not known: neither run kept digests of its rows "
    "(datasets: keep_rows: true, in both)"
)
WORDS = {
    "pass": "passed",
    "fail": "failed",
    "not_evaluated": "not evaluated",
    "continue": "to be continued",
    None: "absent",
    "reproduced": "reproduced",
    "other_method": "by another method",
    "not_reproducible": "not reproducible",
}


class _Metric(NamedTuple):
    """The metric of an entry, as its heading needs it."""

    metric: str
    params: Mapping[str, Any]
    average: str | None
    title: str
    indeterminate: str | None


def describe(found: Mapping[str, Any]) -> str:
    """The differences as plain text, the most telling first."""
    lines = [
        f"old: {visible(found['old']['run'])}  {found['old']['at']}",
        f"new: {visible(found['new']['run'])}  {found['new']['at']}",
    ]
    for title, body in _sections(found):
        lines += ["", title, *(f"  {line}" for line in body)]
    return "\n".join(map(one_line, lines))


def describe_markdown(found: Mapping[str, Any]) -> str:
    """The differences as Markdown, for the description of a change."""
    old, new = (
        f"{cell(visible(found[side]['run']))} ({cell(str(found[side]['at']))})"
        for side in ("old", "new")
    )
    lines = [f"## {cell(visible(str(found['new']['title'])))}: {old} to {new}"]
    for title, body in _sections(found):
        lines += ["", f"### {title.capitalize()}", ""]
        lines += [f"- {cell(line.strip())}" for line in body]
    return "\n".join(lines)


def _sections(found: Mapping[str, Any]) -> Iterator[tuple[str, Iterator[str]]]:
    """Each part of the differences with its lines, the most telling first."""
    yield "criteria", _criteria(found)
    yield "data", _data(found)
    yield "spec", _keys(found["spec"])
    yield "versions", _keys(found["versions"])
    yield "measures", _measures(found)
    yield "cautions", _cautions(found)


def _criteria(found: Mapping[str, Any]) -> Iterator[str]:
    changed = [entry for entry in found["criteria"] if entry["change"] != "same"]
    if not found["criteria"]:
        yield "none declared"
    elif not changed:
        yield f"no change in {counted(len(found['criteria']), 'criterion', 'criteria')}"
    for entry in changed:
        text = visible(entry["text"])
        if entry["change"] == "changed":
            text = f"{visible(entry['old_text'])} -> {text}"
        yield f"{entry['change']}: {text}, {place_text(entry)}: {outcome_change(entry)}"


def outcome_change(entry: Mapping[str, Any]) -> str:
    """The outcome of a criterion then and now.

    >>> outcome_change({"old": "pass", "new": "fail", "reason": None})
    'passed -> failed'
    """
    text = f"{WORDS[entry['old']]} -> {WORDS[entry['new']]}"
    return f"{text} ({visible(entry['reason'])})" if entry["reason"] else text


def place_text(entry: Mapping[str, Any]) -> str:
    """Dataset, model, subgroup, fold and threshold of a record, in words."""
    parts = [label_text(entry["dataset"]), label_text(entry["model"])]
    if entry.get("subgroup"):
        parts.append(subgroup_text(entry["subgroup"]))
    if entry.get("fold") is not None:
        parts.append(f"fold {label_text(entry['fold'])}")
    at = threshold_of(entry)
    return ", ".join([*parts, f"threshold {at}"] if at else parts)


def threshold_of(entry: Mapping[str, Any]) -> str:
    """The threshold of a record: its rule, else its number; empty where there is none."""
    if entry.get("threshold_rule") is not None:
        return visible(str(entry["threshold_rule"]))
    sides = [side for side in (entry.get("new"), entry.get("old")) if isinstance(side, dict)]
    at = next((side["threshold"] for side in sides if side.get("threshold") is not None),
              entry.get("threshold"))  # fmt: skip
    return "" if at is None else f"{at:g}" if isinstance(at, float | int) else visible(str(at))


def _data(found: Mapping[str, Any]) -> Iterator[str]:
    for entry in found["files"]:
        yield f"{label_text(entry['dataset'])}: {file_text(entry)}"
    for entry in found["rows"]:
        labels, used = entry["labels"], entry["rows"]["used"]
        shares = ", ".join(
            f"{label_text(c['label'])} {c['old']} -> {c['new']}" for c in labels["counts"][:20]
        )
        yield f"{place_text(entry)}: rows used {used[0]} -> {used[1]}; {shares}"
        yield f"  labels: {shift_text(labels, 'chi-square')}"
    for entry in found["scores"]:
        yield f"{place_text(entry)}: scores of {label_text(entry['label'])}: {score_text(entry)}"
    for entry in found["rows_by_id"]:
        yield f"{label_text(entry['dataset'])}: {rows_text(entry)}"
    if not found["rows_by_id"]:
        yield NOT_KEPT


def rows_text(entry: Mapping[str, Any]) -> str:
    """Rows that came, went and changed, by id."""
    if entry["reason"]:
        return f"rows are not paired by id: {visible(entry['reason'])}"
    text = f"by id {entry['added']} rows added, {entry['removed']} removed, {entry['both']} in both"
    if entry["changed"] is not None:
        text += f", of which {entry['changed']} changed"
    elif entry["changed_reason"]:
        text += f"; {entry['changed_reason']}"
    for own in entry["models"]:
        if own["changed"] is not None:
            text += f"; {label_text(own['model'])} says another thing of {own['changed']}"
    if any(entry["not_unique"]):
        text += f"; rows with an id that is not unique: {entry['not_unique']}"
    return text


def paired_text(entry: Mapping[str, Any]) -> str:
    """The difference on the rows of both runs, where others are in one only."""
    paired = entry.get("paired")
    if paired is None or entry["interval"] is not None or paired["difference"] is None:
        return ""
    text = f"on the {paired['rows']} rows in both {difference_text(paired['difference'])}"
    limits = paired["interval"]
    if limits is not None:
        ends = f"{difference_text(limits['low'])} to {difference_text(limits['high'])}"
        text += f" ({ends}, {method_text(limits['method'])}"
        p = paired["p_value"]
        text += f", p {p_text(p)})" if p is not None else ")"
    return text


def file_text(entry: Mapping[str, Any]) -> str:
    """What became of a dataset's file."""
    one, two = entry["old"], entry["new"]
    if one is None or two is None:
        return "added" if one is None else "removed"
    if entry["same"]:
        return f"the same file, {counted(two['rows'], 'row')}"
    if entry["same"] is None:
        return f"given in memory, {one['rows']} -> {two['rows']} rows"
    hashes = f"sha256 {one['sha256'][:12]} -> {two['sha256'][:12]}"
    return f"another file: {one['rows']} -> {two['rows']} rows, {hashes}"


def shift_text(labels: Mapping[str, Any], test: str) -> str:
    """Stability index and p value of a shift."""
    psi = labels["psi"]
    first = f"PSI {value_text(psi)}" if psi is not None else f"no PSI: {labels['psi_reason']}"
    p = labels["p_value"]
    return first if p is None else f"{first}, {test} p {p_text(p)}"


def score_text(entry: Mapping[str, Any]) -> str:
    """How far scores have moved."""
    text = shift_text({**entry, "p_value": None}, "")
    if entry["ks"] is None:
        return text
    return f"{text}, KS {value_text(entry['ks'])} (p {p_text(entry['p_value'])})"


def _keys(changes: list[dict[str, Any]]) -> Iterator[str]:
    if not changes:
        yield "no change"
    for entry in changes:
        yield key_text(entry)


def key_text(entry: Mapping[str, Any]) -> str:
    """One key that changed.

    >>> key_text({"key": "a.b", "change": "changed", "old": 1, "new": 2})
    'a.b: 1 -> 2'
    """
    key = visible(entry["key"])
    if entry["change"] == "added":
        return f"{key}: added, {_shown(entry['new'])}"
    if entry["change"] == "removed":
        return f"{key}: removed, was {_shown(entry['old'])}"
    return f"{key}: {_shown(entry['old'])} -> {_shown(entry['new'])}"


def _shown(value: Any) -> str:
    return visible(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), 120)


def _measures(found: Mapping[str, Any]) -> Iterator[str]:
    yield summary_text(found)
    shown = sorted(
        (m for m in found["measures"] if m["difference"]),
        key=lambda m: (not m["beyond_chance"], bool(m["subgroup"]), m["fold"] is not None),
    )
    for entry in shown[:MOST_LINES]:
        mark = "*" if entry["beyond_chance"] else " "
        yield f"{mark} {name_text(entry)}, {place_text(entry)}: {change_text(entry)}"
    if len(shown) > MOST_LINES:
        yield f"  and {len(shown) - MOST_LINES} more; all of them with --json or --html"
    for entry in found["measures"]:
        if entry["change"] == "both" and entry["old"]["state"] != entry["new"]["state"]:
            yield f"! {name_text(entry)}, {place_text(entry)}: {entry['interval_reason']}"


def summary_text(found: Mapping[str, Any]) -> str:
    """How many measures differ, and how many would by chance alone."""
    s = found["summary"]
    text = f"{s['differ']} of {counted(s['measures'], 'measure')} differ"
    if s["added"] or s["removed"]:
        text += f", {s['added']} added, {s['removed']} removed"
    if not s["tested"]:
        return f"{text}; none can be held against chance"
    limits = [m["interval"] or (m["paired"] or {}).get("interval") for m in found["measures"]]
    level = next(one["level"] for one in limits if one)
    expected = value_text(s["tested"] * (1 - level))
    return (
        f"{text}; {s['beyond_chance']} beyond chance (*: the {level_text(level)} interval of the "
        f"difference leaves out 0) of {s['tested']} held against it, where about {expected} would "
        "be if nothing had changed"
    )


def name_text(entry: Mapping[str, Any]) -> str:
    """A measure by its title and class."""
    metric = _Metric(
        entry["metric"],
        entry.get("params") or {},
        entry.get("average"),
        entry.get("title") or "",
        entry.get("indeterminate"),
    )
    title = visible(measure_title(metric))
    return f"{title} of {label_text(entry['label'])}" if entry["label"] is not None else title


def change_text(entry: Mapping[str, Any]) -> str:
    """Values then and now and their difference."""
    values = f"{value_text(entry['old']['value'])} -> {value_text(entry['new']['value'])}"
    text = f"{values}, {difference_text(entry['difference'])}"
    interval = entry["interval"]
    if interval is None:
        told = paired_text(entry)
        return f"{text}; {told}" if told else f"{text} (no interval: {entry['interval_reason']})"
    limits = f"{difference_text(interval['low'])} to {difference_text(interval['high'])}"
    text += f" ({limits}, {method_text(interval['method'])}"
    return f"{text}, p {p_text(entry['p_value'])})" if entry["p_value"] is not None else f"{text})"


def _cautions(found: Mapping[str, Any]) -> Iterator[str]:
    both = found["cautions"]
    if not both["new"] and not both["cleared"]:
        yield "no change"
    for word in ("new", "cleared"):
        for caution in both[word]:
            place = ", ".join(
                label_text(caution[k]) for k in ("dataset", "model") if caution.get(k) is not None
            )
            where = f" ({place})" if place else ""
            yield f"{word}: {caution['code']}{where}: {visible(caution['message'])}"
