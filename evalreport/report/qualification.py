"""The page of a qualification, from its plain data: outcome, failures, matrix, every check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from evalreport.numbers import count_text
from evalreport.report.columns import Column, left, right, table_of
from evalreport.report.model import Block, Facts, Report, Section, Signatures, Text
from evalreport.report.words import prose, visible

Json = Mapping[str, Any]
WORDS = {"passed": "passed", "failed": "FAILED", "not_done": "not done"}
#: Characters of what a command said that are printed; the whole is in the JSON.
MOST_SAID, MOST_WRONG = 300, 2000


def qualification(data: Json, sha256: str, signed: str = "UNSIGNED") -> Report:
    """The page as a report. ``sha256`` names the JSON beside it, which holds the same."""
    sections = [
        _section("1", "outcome", "What came of it", _outcome(data)),
        _section("2", "requirements", "Requirements and their checks", [_matrix(data)]),
        *(
            _section(
                str(number),
                part["part"],
                f"{part['part']}: {part['title'].partition(': ')[0].lower()}",
                _part(data, part["part"]),
            )
            for number, part in enumerate(data["parts"], 3)
        ),
        _section("6", "signatures", "Signatures", _signatures(sha256)),
    ]
    failed = sum(part["failed"] for part in data["parts"])
    return Report(
        title="Qualification of evalreport on this machine",
        lead=_lead(data),
        language="en",
        identifier=f"qualification {sha256[:12]}",
        issued=_when(data),
        created=data["at"],
        version=data["version"],
        spec="" if data["spec"] is None else data["spec"]["sha256"][:12],
        sections=tuple(sections),
        outcome="Every check that was done passed" if not failed else f"{failed} checks FAILED",
        kicker="Qualification",
        signed=signed,
    )


def _section(number: str, name: str, title: str, blocks: Sequence[Block]) -> Section:
    return Section(name.lower(), number, title, title, "", tuple(blocks), run_on=number != "1")


def _when(data: Json) -> str:
    at = str(data["at"]).replace("T", " ").replace("Z", " UTC")
    return at if data["clock"] == "read" else f"{at} (time set by the user)"


def _lead(data: Json) -> str:
    done = {key: sum(part[key] for part in data["parts"]) for key in WORDS}
    told = f"{count_text(done['passed'])} checks passed, {count_text(done['failed'])} failed"
    if done["not_done"]:
        told += f", {count_text(done['not_done'])} were not done"
    return (
        f"{told}. It states what was checked on this machine and what was found; its user decides "
        "whether the tool is fit for a use."
    )


def _outcome(data: Json) -> list[Block]:
    columns: list[Column[Json]] = [
        left("Part", lambda part: f"{part['part']}, {part['title']}"),
        *_counted(),
    ]
    parts = table_of("Outcome by part", data["parts"], columns)
    about = [("evalreport", data["version"]), ("date", _when(data))]
    about += [(name, visible(value)) for name, value in data["machine"].items()]
    about.append(("tested with Python", data["tested_with_python"]))
    if data["spec"] is not None:
        spec = data["spec"]
        about.append(("the user's spec", f"{visible(spec['name'])}, sha256 {spec['sha256']}"))
    return [
        _failures(data),
        _not_done(data),
        parts,
        Facts("Version, date and machine", tuple(about)),
    ]


def _failures(data: Json) -> Block:
    failed = [one for one in data["checks"] if one["outcome"] == "failed"]
    if not failed:
        return Text("No check failed.")
    columns: list[Column[Json]] = [
        left("Check", lambda one: one["id"]),
        left("Requirement", lambda one: one["requirement"]),
        left("What", lambda one: visible(one["what"])),
        left("What is wrong", lambda one: _said(one["reason"], MOST_WRONG)),
    ]
    return table_of("What failed", failed, columns)


def _counted() -> list[Column[Json]]:
    """How many checks passed, failed and were not done."""
    return [
        right("Passed", lambda one: count_text(one["passed"])),
        right("Failed", lambda one: count_text(one["failed"])),
        right("Not done", lambda one: count_text(one["not_done"])),
    ]


def _not_done(data: Json) -> Block:
    undone = [one for one in data["checks"] if one["outcome"] == "not_done"]
    if not undone:
        return Text("Every check was done.")
    told = [f"{one['id']}, {visible(one['what'])}: {_said(one['reason'])}." for one in undone]
    return Text(f"Not done: {' '.join(told)}")


def _matrix(data: Json) -> Block:
    columns: list[Column[Json]] = [
        left("No.", lambda one: one["id"]),
        left("Requirement", lambda one: prose(one["text"])),
        left("Checks", lambda one: _span(one["checks"])),
        *_counted(),
    ]
    note = (
        "A requirement without a check here is tested where the tool is developed; "
        "docs/requirements.md lists the tests of each."
    )
    return table_of("From requirement to check to result", data["requirements"], columns, note)


def _span(names: Sequence[str]) -> str:
    """Checks that follow each other as first to last.

    >>> _span(["OQ-1", "OQ-2", "OQ-3", "OQ-9"])
    'OQ-1 to OQ-3, OQ-9'
    """
    runs: list[list[str]] = []
    for name in names:
        part, number = name.split("-")
        if runs and runs[-1][-1] == f"{part}-{int(number) - 1}":
            runs[-1].append(name)
        else:
            runs.append([name])
    told = [run[0] if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs]
    return ", ".join(told) or "none here"


def _part(data: Json, part: str) -> list[Block]:
    """The checks of a part; answers that have a source, in a table for each case."""
    checks = [one for one in data["checks"] if one["part"] == part]
    cases = groupby(checks, lambda one: one["what"].split(", ")[0] if one["source"] else "")
    return [_table(case, list(own)) for case, own in cases]


def _table(case: str, checks: Sequence[Json]) -> Block:
    source: Column[Json] = left("Source", lambda one: visible(one["source"]))
    columns: list[Column[Json]] = [
        left("Check", lambda one: f"{one['id']} {one['requirement']}"),
        left("What", lambda one: visible(one["what"].removeprefix(f"{case}, "))),
        left("Expected", lambda one: visible(one["expected"])),
        left("Found", lambda one: _said(one["found"])),
        *((source,) if case else ()),
        left("Outcome", lambda one: WORDS[one["outcome"]]),
    ]
    caption = f"Reference case {case}" if case else ""
    return table_of(caption, checks, columns, strong=lambda one: one["outcome"] == "failed")


def _signatures(sha256: str) -> list[Block]:
    words = (
        "UNSIGNED. A signature covers the meaning in its row, for these checks on this machine "
        f"only. The JSON beside this page has sha256 {sha256}."
    )
    lines = (("carried out by", "", ""), ("reviewed by", "", ""), ("accepted by", "", ""))
    return [Text(words), Signatures(lines)]


def _said(text: str, most: int = MOST_SAID) -> str:
    return visible(" ".join(text.split()), most)
