"""Checklist annexes: item by item, what the run shows, what the spec says, and what is missing.

The lists are data: an item's number, a label in our own words, and where its content comes
from. They say which items carry content and nothing more.

An item is filled from the run only by what a function here finds. Each names the thing itself,
in words that can be checked on the page, so that a reader sees what the item rests on; where a
run holds nothing, it is ``""``. An item that asks for more than is there is filled in part, and
says which part is missing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from evalreport.numbers import count_text, threshold_text
from evalreport.report.contents import Contents
from evalreport.report.model import Block, Checklist, ChecklistItem, Text
from evalreport.report.sections import section
from evalreport.report.words import (
    counted,
    first_few,
    label_text,
    listed,
    method_text,
    prose,
    rows_text,
    visible,
)
from evalreport.results.records import (
    Characteristics,
    Comparison,
    Criterion,
    Declared,
    Heterogeneity,
    Impact,
    ModelIdentity,
    RowLedger,
)

#: Names that are listed; of more the number is said.
MOST_NAMES = 6


def shown(contents: Contents, names: Iterable[str]) -> str:
    """What the run holds of these things, in a sentence; empty where it holds none."""
    found = [said for name in names if name in FINDERS and (said := FINDERS[name](contents))]
    return "; ".join(dict.fromkeys(found))


def model_identity(contents: Contents) -> str:
    """The models that the spec defines so that they can be made again; none that are columns."""
    models = contents.spec.get("models") or {}
    told = []
    stated = {one.model: one for one in contents.results.provenance.models}
    for name, declared in models.items():
        if name in stated:
            told.append(f"{label_text(name)}: {identity_text(stated[name])}")
            continue
        known = declared if isinstance(declared, Mapping) else {}
        if known.get("estimator"):
            params = ", ".join(f"{k} {v}" for k, v in (known.get("params") or {}).items())
            kind = f"{known['estimator']}, {params or 'its default parameters'}"
        elif isinstance(known.get("linear"), Mapping):
            kind = _linear(known["linear"])
        elif isinstance(known.get("history"), Mapping):
            kind = _steps_of(known["history"])
        else:
            # a column of predictions says nothing of what made them
            return ""
        told.append(f"{label_text(name)}: {prose(kind)}")
    return "; ".join(first_few(told, MOST_NAMES))


def _linear(given: Mapping[str, Any]) -> str:
    """A linear model with its parameters, or how many there are."""
    weights = given.get("weights") or {}
    what = "logistic equation" if given.get("link") == "logit" else "linear"
    told = [f"{k} {prose(v)}" for k, v in (*weights.items(), ("bias", given.get("bias", 0)))]
    if len(told) > MOST_NAMES + 1:
        return f"{what}, {counted(len(weights), 'weight')} and the bias in the spec"
    return f"{what}, {', '.join(told)}"


def _steps_of(given: Mapping[str, Any]) -> str:
    """What a history of training has of each step."""
    weights = list(given.get("weights") or {})
    file = prose(given.get("path") or "the data").rpartition("/")[2]
    if weights:
        return f"linear in {listed(first_few(weights, MOST_NAMES))}, weights by step in {file}"
    kind = next((key for key in ("score", "margin", "prediction") if given.get(key)), "scores")
    return f"training history, {kind} by step in {file}"


def identity_text(identity: ModelIdentity) -> str:
    """What is known of which model it was, the source of its hash said."""
    parts = [] if identity.version is None else [f"version {visible(identity.version)}"]
    if identity.file is not None:
        parts.append(f"file {visible(identity.file)}")
    if identity.sha256 is not None:
        declared = "" if identity.sha256_of == "file" else " (declared in the spec)"
        parts.append(f"sha256 {identity.sha256}{declared}")
    if identity.repository is not None:
        parts.append(f"code in {visible(identity.repository)}")
    if identity.revision is not None:
        parts.append(f"revision {visible(identity.revision)}")
    if identity.trained_on is not None:
        parts.append(f"trained on {label_text(identity.trained_on)}")
    return ", ".join(parts)


def _thresholds(contents: Contents) -> str:
    found = dict.fromkeys(
        f"{threshold_text(t.threshold)} "
        f"{'found on these rows' if t.status == 'exploratory' else 'declared'}"
        for view in contents.views
        for t in contents.thresholds(view)
        if t.threshold is not None
    )
    return f"thresholds: {_few(list(found))}" if found else ""


def _rows(contents: Contents) -> str:
    found = dict.fromkeys(
        f"{label_text(r.dataset)}: {rows_text(r.read)} read, "
        f"{count_text(r.read - r.used)} excluded, {count_text(r.used)} used"
        for r in contents.of(RowLedger)
    )
    return _few(list(found))


def _missing(contents: Contents) -> str:
    if not contents.of(RowLedger):
        return ""
    found = dict.fromkeys(
        f"{rows_text(lost.count)} excluded: {prose(lost.reason)}"
        for r in contents.of(RowLedger)
        for lost in r.excluded
    )
    return _few(list(found)) or "no row was excluded for a value that is missing"


def _indeterminate(contents: Contents) -> str:
    if not contents.tables:
        return ""
    names: dict[str, None] = {}
    for table in contents.tables.values():
        names |= dict.fromkeys(table.extra_columns)
    if names:
        return f"counted separately: {_few([label_text(n) for n in names])}"
    return "no prediction was declared to be indeterminate"


def _measures(contents: Contents) -> str:
    own = [m for m in contents.measures if m.state == "value"]
    intervals = sum(bool(m.interval) for m in own)
    return f"{counted(len(own), 'value')}, {intervals} with an interval" if own else ""


def _metrics(contents: Contents) -> str:
    names = dict.fromkeys(contents.heading(m, averaged=False) for m in contents.measures)
    return f"metrics: {_few(list(names))}" if names else ""


def _methods(contents: Contents) -> str:
    methods = [m.interval.method for m in contents.measures if m.interval]
    tests = [c.test for c in contents.of(Comparison) if c.test]
    names = dict.fromkeys(method_text(str(name)) for name in (*methods, *tests))
    return f"intervals and tests: {_few(list(names))}" if names else ""


def _tables(contents: Contents) -> str:
    number = len(contents.tables)
    return counted(number, "classification table") if number else ""


def _subgroups(contents: Contents) -> str:
    periods = contents.period_columns
    columns = dict.fromkeys(tuple(m.subgroup) for m in contents.measures if m.subgroup)
    names = [" and ".join(map(label_text, c)) for c in columns if c not in periods]
    return f"by {_few(names)}" if names else ""


def _heterogeneity(contents: Contents) -> str:
    tests = [t for t in contents.of(Heterogeneity) if t.p_value is not None]
    return counted(len(tests), "test") + " of equal values in all groups" if tests else ""


def _characteristics(contents: Contents) -> str:
    names = dict.fromkeys(
        label_text(column.column)
        for record in contents.of(Characteristics)
        for column in record.columns or ()
    )
    return _few(list(names))


def _criteria(contents: Contents) -> str:
    number = len({c.criterion for c in contents.of(Criterion)})
    read = contents.results.provenance.clock == "read"
    when = "" if read else "; the time of the run was given, so that it shows no order in time"
    return f"{counted(number, 'criterion', 'criteria')} in the spec{when}" if number else ""


def _declared(contents: Contents) -> str:
    number = len(contents.of(Declared))
    return counted(number, "declared value") if number else ""


def _impact(contents: Contents) -> str:
    names = [" and ".join(map(label_text, r.columns)) for r in contents.of(Impact)]
    return f"by {_few(list(dict.fromkeys(names)))}" if names else ""


def _folds(contents: Contents) -> str:
    scheme = contents.spec.get("cross_validation") or {}
    told = folds_text(scheme) if scheme else ""
    return told if not told or "cross-validation" in told else f"cross-validation: {told}"


def folds_text(scheme: Mapping[str, Any]) -> str:
    """How rows are split: ``stratified 10-fold cross-validation, 3 repeats``."""
    counts = ((scheme.get("folds"), "fold"), (scheme.get("repeats"), "repeat"))
    told = [counted(number, noun) for number, noun in counts if number and number > 1]
    name, folds = prose(str(scheme.get("scheme")).replace("_", " ")), scheme.get("folds")
    if name.endswith("k fold") and folds:
        name, told = f"{name.removesuffix('k fold')}{folds}-fold cross-validation", told[1:]
    return ", ".join([name, *told])


def _protocol(contents: Contents) -> str:
    cited = contents.results.provenance.protocol
    return "" if cited is None else f"{visible(cited.name)}, sha256 {cited.sha256}"


def _inputs(contents: Contents) -> str:
    names = [
        f"{label_text(entry.name or 'data')}, sha256 {entry.sha256[:12]}"
        for entry in contents.results.provenance.inputs
        if entry.sha256
    ]
    return _few(names)


def _clock(contents: Contents) -> str:
    record = contents.results.provenance
    given = " (given to the run)" if record.clock != "read" else ""
    return f"{prose(record.at)}{given}" if record.at else ""


def _few(names: list[str]) -> str:
    return listed(first_few(names, MOST_NAMES))


FINDERS: Mapping[str, Callable[[Contents], str]] = {
    "acceptance": _criteria,
    "characteristics": _characteristics,
    "clock": _clock,
    "declared": _declared,
    "folds": _folds,
    "heterogeneity": _heterogeneity,
    "impact": _impact,
    "indeterminate": _indeterminate,
    "inputs": _inputs,
    "measures": _measures,
    "methods": _methods,
    "metrics": _metrics,
    "missing": _missing,
    "model": model_identity,
    "protocol": _protocol,
    "rows": _rows,
    "subgroups": _subgroups,
    "tables": _tables,
    "thresholds": _thresholds,
}


IN_PART = "in part"
#: What a rule lets an item be filled from; by the rule N from nothing.
FROM_RUN, FROM_BOTH, FROM_SPEC, NOT_APPLICABLE = "A", "AS", "S", "NA"


def asked(contents: Contents) -> tuple[str, ...]:
    """The checklists that the spec asks for, else those of the template; an empty list is none."""
    own = declared(contents)
    return contents.words.checklists if own is None else own


def declared(contents: Contents) -> tuple[str, ...] | None:
    """The checklists that the spec names; None where it says nothing of them."""
    names = contents.report.get("checklists")
    return None if names is None else tuple(str(name) for name in names)


@section(
    "checklists",
    "Checklists",
    intro="Where each item is addressed. A filled item does not mean it is adequate.",
    annex=True,
)
def made_last(_: Contents) -> list[Block]:
    """Nothing yet: a checklist refers to the other sections and is made when they are."""
    return []


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


def filled_text(contents: Contents) -> list[tuple[str, str]]:
    """Each list that is asked for by its title, with how many of its items carry content."""
    lists = [data for name in asked(contents) if (data := load_checklist(name)) is not None]
    told = [(data["title"], _counted(_items(contents, data, {}))) for data in lists]
    return [(title, text.replace(" carry content", "")) for title, text in told]


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
    items = _items(contents, data, places)
    edition = (
        f"{data['edition']}, {data['date_is']} {data['date']}. "
        "Item numbers are those of the source; labels are our own words."
    )
    return Checklist(
        data["title"],
        f"{_counted(items)}.",
        f"{edition} {data.get('note', '')}".strip(),
        data["url"],
        items,
    )


def _items(
    contents: Contents, data: Mapping[str, Any], places: Mapping[str, str]
) -> tuple[ChecklistItem, ...]:
    return tuple(_item(contents, entry, places) for entry in data["items"])


def _counted(items: Sequence[ChecklistItem]) -> str:
    """How many of the items that apply carry content, and how many do in part."""
    applicable = [i for i in items if i.status != "not applicable"]
    filled = sum(i.status in {"from the run", "from the spec"} for i in applicable)
    said = f"{filled} of {len(applicable)} items carry content"
    in_part = sum(i.status == IN_PART for i in applicable)
    if in_part:
        said += f", {in_part} more {IN_PART}"
    left_out = len(items) - len(applicable)
    if left_out:
        said += f"; {left_out} more do not apply"
    return said


def _item(contents: Contents, entry: Mapping[str, Any], places: Mapping[str, str]) -> ChecklistItem:
    rule = str(entry["rule"])
    if rule == NOT_APPLICABLE:
        return _made(entry, "not applicable", prose(entry["reason"]))
    found = shown(contents, entry.get("shows") or ()) if rule in {FROM_RUN, FROM_BOTH} else ""
    quoted = _quoted(contents, entry.get("about") or ()) if rule in {FROM_BOTH, FROM_SPEC} else ""
    if found or quoted:
        return _filled(contents, entry, places, found, quoted)
    if rule == FROM_RUN:
        missing = entry.get("missing") or "the run has nothing for it"
        return _made(entry, "not provided", prose(missing))
    keys = " or ".join(f"about: {key}" for key in entry.get("about") or ())
    return _made(entry, "not provided", f"state it in the spec as {keys}" if keys else "")


def _filled(
    contents: Contents, entry: Mapping[str, Any], places: Mapping[str, str], found: str, quoted: str
) -> ChecklistItem:
    """An item that something is there for, with the sections where that stands."""
    status = "from the run" if found else "from the spec"
    linked = tuple((s, places[s]) for s in entry.get("sections") or () if found and s in places)
    also: Mapping[str, Any] = entry.get("also") or {}
    reason = _quoted(contents, also.get("about") or (), int(also.get("words") or 0))
    missing = f"not provided: {also['what']}" if also and not reason else ""
    if missing and also.get("signed") and contents.signed is not None:
        status, reason, missing = "from the run", contents.signed.line, ""
    said = ". ".join(part for part in (found, quoted, reason, missing) if part)
    return _made(entry, IN_PART if missing else status, said, linked)


def _made(
    entry: Mapping[str, Any], status: str, text: str, linked: tuple[tuple[str, str], ...] = ()
) -> ChecklistItem:
    return ChecklistItem(str(entry["item"]), str(entry["label"]), status, text, linked)


def _quoted(contents: Contents, keys: Sequence[str], words: int = 0) -> str:
    """The spec's own words on an item, where there are as many as this."""
    said = [prose(contents.about[key]) for key in keys if contents.about.get(key)]
    return " ".join(f"“{visible(text, 600)}”" for text in said if len(text.split()) >= words)
