"""What is wrong with a history: lines altered, added, moved, removed or cut off.

A chain cannot show that its last lines were removed; the folders of those runs
can, and verify looks for them.
"""

from __future__ import annotations

from pathlib import Path

from evalreport.errors import Location, Problem
from evalreport.record.hashing import canonical_json, parse_json, sha256
from evalreport.record.history import BEGINNING, History


def chain_problems(history: History, path: Path) -> list[Problem]:
    """Everything wrong with the lines of a history and their order, by line."""
    found = [
        Problem(what, "", Location(str(path), number))
        for number, line in enumerate(history.lines, start=1)
        for what in [*line_problems(line), *_link_problems(history, number)]
    ]
    if history.torn:
        what = "the last line was cut off while it was written"
        where = Location(str(path), len(history.lines) + 1)
        found.append(Problem(what, "the next run puts this right", where))
    return [*found, *_repeated_runs(history, path)]


def line_problems(line: bytes) -> list[str]:
    """What is wrong with one line by itself."""
    try:
        entry = parse_json(line)
        if not isinstance(entry, dict):
            return ["not a JSON object"]
        stated = entry.pop("sha256", None)
        if canonical_json({**entry, "sha256": stated}) != line:
            return ["not written as this program writes it"]
    except ValueError as error:
        return [f"not JSON: {error}"]
    return [] if stated == sha256(canonical_json(entry)) else ["its content was altered"]


def _link_problems(history: History, number: int) -> list[str]:
    entry = history.entries.get(number)
    if entry is None:
        return []
    before = sha256(history.lines[number - 2]) if number > 1 else BEGINNING
    found = []
    if entry.n != number:
        found.append(f"says that it is line {entry.n!r}; lines were removed, added or moved")
    if entry.previous != before:
        found.append("does not follow from the line before it; one of the two was altered")
    return found


def _repeated_runs(history: History, path: Path) -> list[Problem]:
    seen: dict[str, int] = {}
    found = []
    for number, entry in history.entries.items():
        run = entry.run
        if run is not None and seen.setdefault(run, number) != number:
            what = f"run {run} is recorded in line {seen[run]} already"
            found.append(Problem(what, "", Location(str(path), number)))
    return found
