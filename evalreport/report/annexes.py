"""Annexes: methods and formulas used, what was not computed, where it came from, who signs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from evalreport.metrics.advice import ADVICES, VAN_CALSTER, Advice
from evalreport.metrics.catalogue import find, named_within
from evalreport.report.checklists import identity_text
from evalreport.report.citations import References
from evalreport.report.columns import Column, left, right, table_of
from evalreport.report.contents import Contents, view_of
from evalreport.report.differences import difference_blocks
from evalreport.report.formulas import typeset
from evalreport.report.metric_sections import CARDS_ABREAST
from evalreport.report.model import (
    Block,
    Code,
    Facts,
    Signatures,
    Text,
)
from evalreport.report.numbers import bytes_text, level_text
from evalreport.report.sample_size import multiplicity_words, size_blocks, width_words
from evalreport.report.sections import section
from evalreport.report.signing import SIGNED
from evalreport.report.slices import wanted
from evalreport.report.words import (
    counted,
    label_text,
    listed,
    prose,
    subgroup_text,
    visible,
)
from evalreport.results.identity import MEAN_OF_FOLDS
from evalreport.results.records import (
    CitedProtocol,
    Comparison,
    Criterion,
    Curve,
    Failure,
    Input,
    Interval,
    Measure,
    OmnibusTest,
    Plan,
    Provenance,
    SampleSize,
    SkippedTask,
    SpecFile,
)

MOST_LINES = 80
#: Places named on a line of what was not computed.
MOST_PLACES = 4
#: Values, and classes of a value, named on such a line.
MOST_VALUES, MOST_LABELS = 30, 12
MEANINGS = ("written by", "reviewed by", "accepted by")


@section("methods", "Methods and formulas", short="Methods", of=(SampleSize,), annex=True)
def methods_blocks(contents: Contents) -> list[Block]:
    """One line per metric used: meaning, formula, interval, reference; then the references.

    Meanings and formulas that stand beside the values of every metric are not told again.
    """
    found: dict[str, list[Measure]] = {}
    for m in contents.measures:
        found.setdefault(contents.heading(m, averaged=False), []).append(m)
    references = References()
    cell = _usual_cell([one for same in found.values() for one in _methods_of(same)])
    brief = set(found) <= _titles_of_cards(contents)
    formula: Column[Method] = left("formula", lambda one: one.formula)
    columns: list[Column[Method]] = [
        left("metric", lambda one: one.title),
        left("use" if brief else "what it is", lambda one: one.meaning),
        *(() if brief else (formula,)),
        left("interval", lambda one: one.interval),
        right("reference", lambda one: one.cited),
    ]
    rows = [
        _method(contents, title, same, references, cell, brief=brief)
        for title, same in found.items()
    ]
    differences = difference_blocks(contents, references)
    tests = _tests_words(contents, references)
    advice = _advice_words(contents, references)
    cited = references.text()
    blocks: list[Block] = [
        table_of("", rows, columns, style="methods"),
        *differences,
        *([Text(STUDIED.format(cell), "small")] if cell else []),
        Text(" ".join(filter(None, (_interval_words(contents), tests))), "small"),
        *([Text(advice, "small")] if advice else []),
        *([Text(f"References: {cited}", "small")] if cited else []),
        *size_blocks(contents),
    ]
    return blocks if rows else []


def _methods_of(same: Iterable[Measure]) -> list[Interval]:
    """The interval by each method of a metric that held least often in the coverage study.

    Models, groups and averages may differ. Single folds, of few rows, do not speak where values of
    all rows do.
    """
    found: dict[str, Interval] = {}
    every = list(same)
    for m in [m for m in every if m.fold in (None, MEAN_OF_FOLDS)] or every:
        own = m.interval
        if own is not None and _share_held(own) < _share_held(found.get(own.method)):
            found[own.method] = own
    return list(found.values())


def _share_held(interval: Interval | None) -> float:
    """How often such limits held; of none, or none that was studied, more than often."""
    if interval is None:
        return 3.0
    return 2.0 if interval.held is None else interval.held


def _titles_of_cards(contents: Contents) -> set[str]:
    """The metrics that have a card, with their meaning and formula, in the sections before."""
    if not {"measures", "scores"} <= set(contents.sections) or len(contents.views) > CARDS_ABREAST:
        return set()
    own = [m for view in contents.views for m in contents.pooled(view) if wanted(contents, m)]
    return {contents.heading(m, averaged=False) for m in own}


class Method(NamedTuple):
    """A metric of the table of methods: what it is, its formula, its interval, its source."""

    title: str
    meaning: str
    formula: str
    interval: str
    cited: str


def _method(
    contents: Contents,
    title: str,
    same: Sequence[Measure],
    references: References,
    cell: str,
    *,
    brief: bool,
) -> Method:
    m = same[0]
    declared = find(m.metric)
    own = "" if m.average or len(m.formula) > 120 else m.formula
    formula = typeset((declared.formula if declared else "") or own) or "see the card"
    agreed = contents.words.meaning(m)
    meaning = agreed or (declared.meaning if declared is not None else "")
    use = declared.use if declared is not None and not agreed else ""
    if brief:
        meaning = f"{use[:1].upper()}{use[1:]}." if use else "–"
    elif use:
        meaning += f" Use it {use}."
    meaning = contents.said(m.dataset, meaning)
    cited = references.cite(declared.reference) if declared is not None else ""
    told = [_method_and_share(interval, references, cell) for interval in _methods_of(same)]
    said = " / ".join(told) or "none"
    return Method(title, meaning, formula, said, cited or "–")


def _usual_cell(intervals: Iterable[Interval]) -> str:
    """The cell of the coverage study in which most of these held too rarely; empty without one."""
    cells = Counter(one.held_cell for one in intervals if one.held_cell and one.is_rarely_held)
    return cells.most_common(1)[0][0] if cells else ""


def _method_and_share(interval: Interval, references: References, usual: str) -> str:
    """The method of an interval, its source, and how often it held where that is too rarely.

    The usual cell of the study is told once for all.
    """
    said, held = references.methods([interval.method]), interval.study
    if held is None or not interval.is_rarely_held:
        return said
    elsewhere = "" if held.cell == usual else f" at {held.cell}"
    return f"{said}; covers {100 * held.low:.1f} to {100 * held.high:.1f} %{elsewhere}"


def _tests_words(contents: Contents, references: References) -> str:
    """What differences are tested by, what intervals and bands are, how p values are adjusted."""
    own, curves = contents.of(Comparison), contents.of(Curve)
    told = {
        "Differences are tested by": [
            *(c.test for c in own if c.test and c.p_value is not None),
            *(one.test for one in contents.of(OmnibusTest)),
        ],
        "p values are adjusted by": [
            c.correction for c in own if c.correction != "none" and c.p_adjusted is not None
        ],
        "bands of curves are": [c.band.method for c in curves if c.band and c.band.method],
    }
    said = [
        f"{what} {references.methods(dict.fromkeys(names))}"
        for what, names in told.items()
        if names
    ]
    words = "; ".join(said)
    return f"{words[0].upper()}{words[1:]}." if said else ""


def _advice_words(contents: Contents, references: References) -> str:
    """What guidance on models for medical decisions says of the measures shown, if it is asked."""
    told: dict[Advice, dict[str, None]] = {}
    for m in contents.measures if contents.words.guidance else ():
        declared = find(m.metric)
        if declared is not None and declared.advice is not None:
            told.setdefault(declared.advice, {})[contents.heading(m, averaged=False)] = None
    if not told:
        return ""
    own = [one for one in ADVICES if one in told]
    said = "; ".join(f"{listed(list(told[one]))}: {one.text}" for one in own)
    start = "Guidance on models that support medical decisions"
    return contents.said(None, f"{start} {references.cite(VAN_CALSTER)}. {said}.")


AVERAGED = "An average over classes excludes those with an undefined value."
CHOSEN = "Intervals at a threshold chosen on the same rows are conditional on it."


def _interval_words(contents: Contents) -> str:
    confidence = contents.spec.get("confidence") or {}
    levels = {m.interval.level for m in contents.measures if m.interval}
    parts = (
        [f"Intervals are two-sided, {' and '.join(level_text(x) for x in sorted(levels))}."]
        if levels
        else []
    )
    compared = (c.interval for c in contents.of(Comparison))
    intervals = (*(m.interval for m in contents.measures), *compared)
    resampled = any("bootstrap" in one.method for one in intervals if one is not None)
    if resampled and isinstance(confidence, dict) and confidence.get("resamples"):
        parts.append(
            f"Bootstraps draw {confidence['resamples']} times, seed {confidence.get('seed', 0)}."
        )
    views = {view_of(m) for m in contents.measures if m.threshold is not None}
    decide = dict.fromkeys(contents.operator(view) for view in contents.views if view in views)
    parts += [f"{operator} threshold predicts the positive class." for operator in decide]
    if any(m.average for m in contents.measures):
        parts.append(AVERAGED)
    if any(m.exploratory for m in contents.measures):
        parts.append(CHOSEN)
    parts += [words for words in (width_words(contents), multiplicity_words(contents)) if words]
    return " ".join(parts)


#: What a share of intervals that held is, said once below the methods.
STUDIED = (
    "Covers: the % of samples of the coverage study with 95 % limits around the true value, "
    "if below 93, at {} unless stated."
)


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
        key = (_places(list(places)), missing.state, missing.why)
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


def _places(places: list[str]) -> str:
    """Where a value is missing: the first few places, and how many more there are."""
    return _first(places, MOST_PLACES, "; ")


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
            parts.append(bytes_text(entry.bytes))
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
