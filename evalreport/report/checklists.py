"""Checklist annexes: item by item, what the run shows, what the spec says, and what is missing.

The lists are data: an item's number, a label in our own words, and where its content comes
from. They say which items carry content and nothing more. What is said to come from the run
quotes what it rests on (:mod:`evalreport.report.evidence`); an item that asks for more than
is there is filled in part, and says which part is missing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from evalreport.report.contents import Contents
from evalreport.report.evidence import shown
from evalreport.report.model import Block, Checklist, ChecklistItem, Text
from evalreport.report.words import label_text, prose, visible

IN_PART = "in part"
#: What a rule lets an item be filled from.
FROM_RUN, FROM_BOTH, FROM_SPEC, NEVER, NOT_APPLICABLE = "A", "AS", "S", "N", "NA"


def asked(contents: Contents) -> tuple[str, ...]:
    """The checklists that the spec asks for."""
    report = contents.spec.get("report") or {}
    return tuple(str(name) for name in report.get("checklists") or ())


def checklist_blocks(contents: Contents, places: Mapping[str, str]) -> list[Block]:
    """The lists asked for; ``places`` names the sections that are on the page, by id."""
    blocks: list[Block] = []
    for name in asked(contents):
        data = load_checklist(name)
        if data is None:
            blocks.append(Text(f"There is no checklist {label_text(name)}."))
        else:
            blocks.append(_annex(contents, data, places))
    return blocks


@cache
def load_checklist(name: str) -> Any:
    """The data of a shipped list; None where there is none of this name."""
    if not name.replace("_", "").isalnum():
        return None
    shipped = Path(str(resources.files("evalreport"))) / "_data" / "templates"
    folder = shipped if shipped.is_dir() else Path(__file__).parents[2] / "templates"
    path = folder / "checklists" / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None


def _annex(contents: Contents, data: Mapping[str, Any], places: Mapping[str, str]) -> Checklist:
    items = tuple(_item(contents, entry, places) for entry in data["items"])
    applicable = [i for i in items if i.status != "not applicable"]
    filled = sum(i.status in {"from the run", "from the spec"} for i in applicable)
    said = f"{filled} of {len(applicable)} items carry content"
    in_part = sum(i.status == IN_PART for i in applicable)
    if in_part:
        said += f", {in_part} more {IN_PART}"
    left_out = len(items) - len(applicable)
    if left_out:
        said += f"; {left_out} more do not apply"
    edition = (
        f"{data['edition']}, {data['date_is']} {data['date']}. "
        "Item numbers are those of the source; labels are our own words."
    )
    return Checklist(
        data["title"], f"{said}.", f"{edition} {data.get('note', '')}".strip(), data["url"], items
    )


def _item(contents: Contents, entry: Mapping[str, Any], places: Mapping[str, str]) -> ChecklistItem:
    rule = str(entry["rule"])
    if rule == NOT_APPLICABLE:
        return _made(entry, "not applicable", prose(entry["reason"]))
    found = shown(contents, entry.get("shows") or ()) if rule in {FROM_RUN, FROM_BOTH} else ""
    quoted = _quoted(contents, entry.get("about") or ()) if rule in {FROM_BOTH, FROM_SPEC} else ""
    if found or quoted:
        return _filled(contents, entry, places, found, quoted)
    if rule == FROM_RUN:
        missing = entry.get("missing") or "the run holds nothing for it"
        return _made(entry, "not provided", prose(missing))
    keys = " or ".join(f"about: {key}" for key in entry.get("about") or ())
    return _made(entry, "not provided", f"the spec can say it in {keys}" if keys else "")


def _filled(
    contents: Contents, entry: Mapping[str, Any], places: Mapping[str, str], found: str, quoted: str
) -> ChecklistItem:
    """An item that something is there for, with the sections where that stands."""
    status = "from the run" if found else "from the spec"
    linked = tuple((s, places[s]) for s in entry.get("sections") or () if found and s in places)
    also: Mapping[str, Any] = entry.get("also") or {}
    reason = _quoted(contents, also.get("about") or (), int(also.get("words") or 0))
    missing = f"not provided: {also['what']}" if also and not reason else ""
    said = ". ".join(part for part in (found, quoted, reason, missing) if part)
    item = _made(entry, IN_PART if missing else status, said, linked)
    return replace(item, unsigned=missing) if also.get("signed") else item


def _made(
    entry: Mapping[str, Any], status: str, text: str, linked: tuple[tuple[str, str], ...] = ()
) -> ChecklistItem:
    return ChecklistItem(str(entry["item"]), str(entry["label"]), status, text, linked)


def _quoted(contents: Contents, keys: Sequence[str], words: int = 0) -> str:
    """The spec's own words on an item, where there are as many as this."""
    about = contents.spec.get("about") or {}
    said = [prose(about[key]) for key in keys if about.get(key)]
    return " ".join(f"“{visible(text, 600)}”" for text in said if len(text.split()) >= words)
