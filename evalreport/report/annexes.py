"""Annexes: what was not computed, where the results came from, who signs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from evalreport.metrics.catalogue import find, named_within
from evalreport.report.checklists import identity_text
from evalreport.report.columns import Column, left, table_of
from evalreport.report.contents import Contents
from evalreport.report.model import Block, Code, Facts, Signatures, Text
from evalreport.report.sections import section
from evalreport.report.signing import SIGNED
from evalreport.report.words import counted, label_text, prose, subgroup_text, visible
from evalreport.results.records import (
    CitedProtocol,
    Criterion,
    Failure,
    Input,
    Plan,
    Provenance,
    SkippedTask,
    SpecFile,
)

MOST_LINES = 80
#: Places named on a line of what was not computed.
MOST_PLACES = 4
#: Values, and classes of a value, named on such a line.
MOST_VALUES, MOST_LABELS = 30, 12
MEANINGS = ("written by", "reviewed by", "accepted by")


@section(
    "not_computed",
    "What was not computed, and why",
    short="Not computed",
    of=(Plan, Failure),
    annex=True,
)
def not_computed_blocks(contents: Contents) -> list[Block]:
    """Values that do not apply or do not exist, and planned work that was left out, if any."""
    rows: dict[_Missing, dict[str, None]] = {}
    for m in contents.measures:
        if m.state in {"not_applicable", "undefined", "infinite"}:
            where = contents.mark((m.dataset, m.model)).name
            if m.fold is not None:
                where += ", folds"
            elif m.subgroup:
                where += f", {subgroup_text(m.subgroup)}"
            label = label_text(m.label) if contents.names_class(m) else ""
            why = prose(m.reason or "no reason was recorded")
            missing = _Missing(contents.heading(m), label, m.state.replace("_", " "), why)
            rows.setdefault(missing, {})[where] = None
    # a value that does not apply is planned as skipped too; once is enough
    known = {
        (m.dataset, m.model, m.metric, m.reason)
        for m in contents.measures
        if m.state == "not_applicable"
    }
    plan = contents.results.plan
    for skipped in plan.skipped if plan is not None else ():
        if (skipped.dataset, skipped.model, skipped.task, skipped.reason) in known:
            continue
        missing = _Missing(_in_words(skipped.task), "", "skipped", prose(skipped.reason))
        rows.setdefault(missing, {})[_where(skipped)] = None
    for failure in contents.of(Failure):
        missing = _Missing(visible(failure.section), "", "failed", prose(failure.reason))
        rows.setdefault(missing, {})[_where(failure)] = None
    lines = _for_one_reason(rows)
    if not lines:  # the provenance says so in a line
        return []
    heads = ("what", "where", "state", "why")
    columns: list[Column[Sequence[str]]] = [left(h, itemgetter(k)) for k, h in enumerate(heads)]
    return [table_of("", lines, columns, style="methods", most=MOST_LINES)]


def _in_words(task: str) -> str:
    """What was asked for, with metrics and relations as a sentence has them.

    >>> _in_words("threshold: recall at_least 0.8"), _in_words("fbeta(beta=2)")
    ('threshold: recall at least 0.8', 'fbeta(beta=2)')
    """
    words = visible(task).split(" ")
    return " ".join(
        named_within(word) if find(word) is not None or word in ("at_least", "at_most") else word
        for word in words
    )


class _Missing(NamedTuple):
    """What is missing, of which class, and why."""

    what: str
    label: str
    state: str
    why: str


def _for_one_reason(rows: Mapping[_Missing, Iterable[str]]) -> list[tuple[str, str, str, str]]:
    """A line for each place and reason: everything that is missing there for it."""
    found: dict[tuple[str, str, str], dict[str, list[str]]] = {}
    for missing, places in rows.items():
        key = (_first(list(places), MOST_PLACES, "; "), missing.state, missing.why)
        labels = found.setdefault(key, {}).setdefault(missing.what, [])
        labels += [missing.label] if missing.label else []
    lines = []
    for key, own in found.items():
        values = [
            f"{what} of {_first(labels, MOST_LABELS, ', ')}" if labels else what
            for what, labels in own.items()
        ]
        lines.append((_first(values, MOST_VALUES, "; "), *key))
    return lines


def _first(named: list[str], most: int, between: str) -> str:
    """The first few, and how many more there are."""
    more = len(named) - most
    return between.join(named[:most]) + (f" and {more:,} more" if more > 0 else "")


def _where(record: SkippedTask | Failure) -> str:
    """The model and dataset that something was not done for."""
    named = (record.model, record.dataset)
    return ", ".join(label_text(name) for name in named if name is not None) or "–"


@section("provenance", "Provenance", of=(Provenance,), annex=True)
def provenance_blocks(contents: Contents) -> list[Block]:
    """Hashes, versions, clock and seed, how thresholds were fixed, and the spec as written."""
    record = contents.results.provenance
    spec, plan, engine = record.spec, contents.results.plan, record.engine
    items = [("run time", _clock_words(record))]
    text = "" if spec is None else spec.text or ""
    whole = contents.shows_spec or bool(contents.report.get("sections"))
    elsewhere = "; as written in results.json" if text and not whole else ""
    items.append(("spec", "given as data" if spec is None else _hashed(spec) + elsewhere))
    items += [(f"data, {label_text(entry.dataset)}", _hashed(entry)) for entry in record.inputs]
    items += [(f"model, {label_text(one.model)}", identity_text(one)) for one in record.models]
    if record.protocol is not None:
        items += _protocol_words(record.protocol)
    if record.plan_sha256:
        said = f", {counted(plan.tasks, 'task')}" if plan is not None else ""
        items.append(("plan", f"sha256 {record.plan_sha256}{said}"))
    if engine is not None:
        items.append(("engine", f"{label_text(engine.name)}: {prose(engine.reason)}"))
    made = {"evalreport": record.version or "unknown", **dict(sorted(record.versions.items()))}
    made_with = ", ".join(f"{name} {visible(version)}" for name, version in made.items())
    items.append(("made with", f"{made_with}; seed {record.seed}"))
    if not not_computed_blocks(contents):
        items.append(("not computed", "nothing: every requested value exists"))
    criteria = len({c.criterion for c in contents.of(Criterion)})
    if criteria:  # that there are none stands first in the summary
        items.append(("criteria", _criteria_words(contents, criteria)))
    facts = Facts("", tuple(items), "hashes")
    return [facts, Code("The spec as written", _code(text))] if text and whole else [facts]


def _protocol_words(cited: CitedProtocol) -> list[tuple[str, str]]:
    """What was fixed before the data, by the protocol that the spec cites."""
    day = f" on {visible(cited.fixed)}, as the spec declares" if cited.fixed else ""
    number = len(cited.criteria) + len(cited.post_hoc)
    of = counted(number, "criterion", "criteria")
    told = [
        ("protocol", f"fixed in protocol {cited.sha256}{day}; {visible(cited.name)}"),
        (
            "criteria in the protocol",
            f"{len(cited.criteria)} of {of}",
        ),
    ]
    if cited.post_hoc:
        told.append(("post hoc, not in the protocol", "; ".join(map(prose, cited.post_hoc))))
    if cited.not_judged:
        told.append(("in the protocol, not judged", "; ".join(map(prose, cited.not_judged))))
    return told


def _clock_words(record: Provenance) -> str:
    """The time of the run, and whether it was read off the computer."""
    at = visible(record.at or "not recorded")
    told = {
        "given": " (set by the user; the true time may differ)",
        "source_date_epoch": " (set by SOURCE_DATE_EPOCH; the true time may differ)",
        "read": " (system clock)",
    }
    return at + told.get(record.clock, "")


def _criteria_words(contents: Contents, number: int) -> str:
    said = f"{counted(number, 'criterion', 'criteria')}, tied to this run by the hash of the spec"
    if contents.results.provenance.clock != "read":
        return f"{said}; not dated, as the run time was set by the user"
    return f"{said}; set no later than the run time"


def _hashed(entry: SpecFile | Input) -> str:
    parts = [label_text(entry.name or "given as data")]
    what = "sha256"
    if isinstance(entry, Input):
        parts.append(counted(entry.rows, "row"))
        if entry.bytes is not None:
            parts.append(f"{entry.bytes} bytes")
        of = entry.sha256_of
        if of is not None:
            what = "sha256 of the rows" if of.startswith("rows") else f"sha256 of {of}"
    if entry.sha256:
        parts.append(f"{what} {entry.sha256}")
    return ", ".join(parts)


def _code(text: str) -> str:
    """The text of a spec with its lines kept, cut where it would fill the report."""
    lines = text.splitlines()
    shown = [visible(line, 400) for line in lines[:200]]
    if len(lines) > 200:
        shown.append(f"… {len(lines) - 200} more lines; the whole is in results.json")
    return "\n".join(shown)


@section("signatures", "Signatures", annex=True)
def signature_blocks(contents: Contents) -> list[Block]:
    """Lines to sign on: those the spec asks for, else one for each usual meaning."""
    asked = contents.spec.get("signatures") or contents.report.get("signatures") or []
    lines = [_line(entry) for entry in asked][:8] or [(word, "", "") for word in MEANINGS]
    signed = contents.signed
    if signed is not None:
        # the line of its meaning is filled, or it is a line more
        own = (signed.meaning, signed.name, signed.role)
        others = (line for line in lines if line[0] != signed.meaning)
        return [Text(SIGNED), Signatures((own, *others), signed.at)]
    words = (
        "UNSIGNED. A signature covers the meaning in its row, and only the report with the "
        "identifier at the foot of the page."
    )
    return [Text(words), Signatures(tuple(lines))]


def _line(entry: Any) -> tuple[str, str, str]:
    """Meaning, printed name and role of one signature."""
    if not isinstance(entry, dict):
        return (label_text(entry), "", "")
    said = {key: prose(entry[key]) for key in ("meaning", "name", "role") if entry.get(key)}
    return (said.get("meaning", ""), said.get("name", ""), said.get("role", ""))
