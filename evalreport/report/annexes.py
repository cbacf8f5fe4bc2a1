"""Annexes: methods and formulas used, what was not computed, where it came from, who signs."""

from __future__ import annotations

from typing import Any

from evalreport.metrics.catalogue import find
from evalreport.report.contents import Contents, Record, grouped
from evalreport.report.formulas import typeset
from evalreport.report.model import (
    Block,
    Code,
    Column,
    Facts,
    PlainTable,
    Signatures,
    TableRow,
    Text,
)
from evalreport.report.numbers import bytes_text, level_text
from evalreport.report.sample_size import multiplicity_words, size_blocks, width_words
from evalreport.report.words import (
    counted,
    label_text,
    measure_title,
    method_text,
    prose,
    subgroup_text,
    visible,
)

MOST_LINES = 80
#: Places named on a line of what was not computed.
MOST_PLACES = 4
MEANINGS = ("written by", "reviewed by", "accepted by")


def methods_blocks(contents: Contents) -> list[Block]:
    """One line per metric used: meaning, formula, interval, reference; then the references."""
    found: dict[str, TableRow] = {}
    references: dict[str, int] = {}
    for same in grouped(contents.measures).values():
        m = next((x for x in same if x.get("interval")), same[0])
        title = measure_title({**m, "average": None})
        if title not in found:
            found[title] = _method_row(title, m, references)
    columns = (
        Column("metric", "left", "13%"),
        Column("what it is", "left", "46%"),
        Column("formula", "left", "20.5%"),
        Column("interval", "left", "16%"),
        Column("ref.", "right", "4.5%"),
    )
    listed_references = " ".join(f"[{k}] {text}." for text, k in references.items())
    blocks: list[Block] = [
        PlainTable("", columns, tuple(found.values()), "", "methods"),
        Text(_interval_words(contents), "small"),
        *([Text(f"References: {listed_references}", "small")] if references else []),
        *size_blocks(contents),
    ]
    return blocks if found else []


def _method_row(title: str, m: Record, references: dict[str, int]) -> TableRow:
    declared = find(str(m["metric"]))
    interval = _method_and_why(m["interval"]) if m.get("interval") else "none"
    own = (
        "" if m.get("average") or len(str(m.get("formula"))) > 120 else str(m.get("formula") or "")
    )
    formula = typeset((declared.formula if declared else "") or own) or "see the card"
    meaning = str(m.get("meaning") or (declared.meaning if declared is not None else ""))
    if declared is not None and declared.use and not m.get("meaning"):
        meaning += f" Of use {declared.use}."
    cited = declared.reference.rstrip(".") if declared is not None else ""
    number = references.setdefault(cited, len(references) + 1) if cited else ""
    return TableRow((title, meaning, formula, interval, f"[{number}]" if cited else "–"))


def _method_and_why(interval: Record) -> str:
    """The method of an interval, with the reason why it was chosen where it is recorded."""
    why = f": {prose(interval['why'])}" if interval.get("why") else ""
    return method_text(str(interval["method"])) + why


def _interval_words(contents: Contents) -> str:
    confidence = contents.one("spec").get("confidence") or {}
    levels = {m["interval"]["level"] for m in contents.measures if m.get("interval")}
    parts = (
        [f"Intervals are two-sided, {' and '.join(level_text(x) for x in sorted(levels))}."]
        if levels
        else []
    )
    resampled = any(
        "bootstrap" in str(m["interval"]["method"]) for m in contents.measures if m.get("interval")
    )
    if resampled and isinstance(confidence, dict) and confidence.get("resamples"):
        parts.append(
            f"Bootstraps draw {confidence['resamples']} times, seed {confidence.get('seed', 0)}."
        )
    parts.append(
        "score ≥ threshold predicts the positive class. An average over classes leaves out classes "
        "whose value is undefined and says how many; a long sum shows its first terms, and the "
        "others are the values of the classes in results.json. At a threshold chosen on the same "
        "rows an interval is conditional on that threshold."
    )
    parts += [words for words in (width_words(contents), multiplicity_words(contents)) if words]
    return " ".join(parts)


def not_computed_blocks(contents: Contents) -> list[Block]:
    """Values that do not apply or do not exist, and planned work that was left out."""
    rows: dict[tuple[str, str, str], dict[str, None]] = {}
    for m in contents.measures:
        if m["state"] in {"not_applicable", "undefined", "infinite"}:
            where = contents.mark((m["dataset"], m["model"])).name
            if m.get("fold") is not None:
                where += ", folds"
            elif m.get("subgroup"):
                where += f", {subgroup_text(m['subgroup'])}"
            state = str(m["state"]).replace("_", " ")
            key = (measure_title(m), state, prose(m.get("reason") or "no reason was recorded"))
            rows.setdefault(key, {})[where] = None
    for skipped in contents.one("plan").get("skipped") or []:
        where = ", ".join(
            label_text(skipped[k]) for k in ("model", "dataset") if skipped.get(k) is not None
        )
        key = (visible(str(skipped.get("task"))), "skipped", prose(skipped.get("reason") or ""))
        rows.setdefault(key, {})[where or "–"] = None
    # a value that does not apply is planned as skipped too; once is enough
    known = {why for _, state, why in rows if state == "not applicable"}
    lines = [
        (what, _places(list(places)), state, why)
        for (what, state, why), places in rows.items()
        if not (state == "skipped" and why in known)
    ]
    if not lines:
        return [Text("Everything that was planned was computed, and every value exists.", "words")]
    columns = (
        Column("what", "left", "24%"),
        Column("where", "left", "22%"),
        Column("state", "left", "12%"),
        Column("why", "left", "42%"),
    )
    note = (
        f"{MOST_LINES} of {len(lines)} lines; the others are in results.json."
        if len(lines) > MOST_LINES
        else ""
    )
    return [PlainTable("", columns, tuple(TableRow(k) for k in lines[:MOST_LINES]), note)]


def _places(places: list[str]) -> str:
    """Where a value is missing: the first few places, and how many more there are."""
    more = len(places) - MOST_PLACES
    return "; ".join(places[:MOST_PLACES]) + (f"; {more} more" if more > 0 else "")


def provenance_blocks(contents: Contents) -> list[Block]:
    """Hashes, versions, clock and seed, how thresholds were fixed, and the spec as written."""
    record = contents.one("provenance")
    spec = record.get("spec") or {}
    items = [("evaluated with", f"evalreport {visible(str(record.get('version', 'unknown')))}")]
    items.append(("clock of the run", visible(str(record.get("at") or "not recorded"))))
    items.append(("spec", _hashed(spec)))
    items += [
        (f"data, {label_text(entry.get('dataset'))}", _hashed(entry))
        for entry in record.get("inputs") or []
    ]
    if record.get("plan_sha256"):
        tasks = contents.one("plan").get("tasks")
        said = f", {counted(int(tasks), 'task')}" if tasks is not None else ""
        items.append(("plan", f"sha256 {record['plan_sha256']}{said}"))
    if record.get("seed") is not None:
        items.append(("seed", str(record["seed"])))
    engine = record.get("engine") or {}
    if engine:
        items.append(
            ("counted by", f"{label_text(engine.get('name'))}: {prose(engine.get('reason') or '')}")
        )
    versions = record.get("versions") or {}
    if versions:
        items.append(("libraries", ", ".join(f"{k} {versions[k]}" for k in sorted(versions))))
    items.append(("criteria", _criteria_words(contents)))
    blocks: list[Block] = [Facts("", tuple(items), "hashes")]
    if spec.get("text"):
        blocks.append(Code("The spec as written", _code(str(spec["text"]))))
    return blocks


def _criteria_words(contents: Contents) -> str:
    number = len({c.get("criterion") for c in contents.many("acceptance")})
    if not number:
        return "none declared"
    return (
        f"{counted(number, 'criterion', 'criteria')} declared in the spec; they existed no later "
        "than the clock of the run, which the hash of the spec ties them to"
    )


def _hashed(entry: Any) -> str:
    parts = [label_text(entry.get("name") or "given as data")]
    if entry.get("rows") is not None:
        parts.append(counted(int(entry["rows"]), "row"))
    if entry.get("bytes") is not None:
        parts.append(bytes_text(int(entry["bytes"])))
    if entry.get("sha256"):
        what = "sha256 of the rows" if entry.get("sha256_of") == "rows" else "sha256"
        parts.append(f"{what} {entry['sha256']}")
    return ", ".join(parts)


def _code(text: str) -> str:
    """The text of a spec with its lines kept, cut where it would fill the report."""
    lines = text.splitlines()
    shown = [visible(line, 400) for line in lines[:200]]
    if len(lines) > 200:
        shown.append(f"… {len(lines) - 200} more lines; the whole is in results.json")
    return "\n".join(shown)


def signature_blocks(contents: Contents) -> list[Block]:
    """Lines to sign on: those the spec asks for, else one for each usual meaning."""
    report = contents.one("spec").get("report") or {}
    asked = contents.one("spec").get("signatures") or report.get("signatures") or []
    lines = [_line(entry) for entry in asked][:8] or [(word, "", "") for word in MEANINGS]
    words = (
        "UNSIGNED. A signature here says what stands beside it, for the report with the "
        "identifier at the foot of the page and for no other."
    )
    return [Text(words), Signatures(tuple(lines))]


def _line(entry: Any) -> tuple[str, str, str]:
    """Meaning, printed name and role of one signature."""
    if not isinstance(entry, dict):
        return (label_text(entry), "", "")
    said = {key: prose(entry[key]) for key in ("meaning", "name", "role") if entry.get(key)}
    return (said.get("meaning", ""), said.get("name", ""), said.get("role", ""))
