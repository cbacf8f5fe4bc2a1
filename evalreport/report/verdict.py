"""The first page: criteria, headline numbers, what the labels mean, where the rows went."""

from __future__ import annotations

from typing import Any

from evalreport.report.cards import brief, card_of, number_of
from evalreport.report.contents import Contents, Record, identity
from evalreport.report.ledgers import ledgers
from evalreport.report.marking import FLAT, flat_counts
from evalreport.report.model import (
    Block,
    CardGrid,
    Column,
    Criteria,
    Criterion,
    Line,
    LineCell,
    Note,
    Notes,
)
from evalreport.report.numbers import (
    count_text,
    difference_text,
    observed_text,
    threshold_text,
    value_text,
)
from evalreport.report.strips import flat_cells
from evalreport.report.words import (
    condition_text,
    counted,
    label_text,
    listed,
    measure_title,
    name_width,
    prose,
    subgroup_text,
    visible,
)

MOST_CRITERIA = 40
MOST_CAUTIONS, MOST_ALIKE, LONGEST_CAUTION = 40, 3, 320
MOST_HEADLINES = 4
MOST_CLASSES_LISTED = 12
#: Letters of a metric and a model that share a line of a small card.
ON_A_LINE = 23
WORDS = {"pass": "✓ pass", "fail": "✗ fail", "not_evaluated": "○ not evaluated"}
ORDER = {"not_evaluated": 1, "fail": 0, "pass": 2}
BOUNDS = {"point": "the value", "lower": "lower limit", "upper": "upper limit"}


def verdict_title(contents: Contents) -> str:
    """The outcome in one line."""
    outcomes = [str(c["outcome"]) for c in contents.many("acceptance")]
    if not outcomes:
        return "Summary: no acceptance criteria were declared"
    failed, none, passed = (outcomes.count(o) for o in ("fail", "not_evaluated", "pass"))
    of = counted(len(outcomes), "criterion", "criteria")
    if passed == len(outcomes):
        return f"Verdict: {of}, all passed" if passed > 1 else "Verdict: the one criterion passed"
    parts = [
        f"{n} {word}"
        for n, word in ((failed, "failed"), (none, "not evaluated"), (passed, "passed"))
        if n
    ]
    return f"Verdict: of {of} {listed(parts)}"


def verdict_blocks(contents: Contents) -> list[Block]:
    """Criteria, headline cards, ledgers and cautions."""
    blocks: list[Block] = []
    if contents.many("acceptance"):
        blocks.append(_criteria(contents))
    blocks += headlines(contents)
    blocks.append(ledgers(contents))
    notes = cautions(contents)
    return [*blocks, notes] if notes.items else blocks


def _criteria(contents: Contents) -> Criteria:
    entries = sorted(contents.many("acceptance"), key=lambda c: ORDER.get(str(c["outcome"]), 3))
    shown = entries[:MOST_CRITERIA]
    flat = any(_flat(contents, c) for c in shown)
    views = [(str(c.get("dataset")), str(c["model"])) for c in shown if c.get("model")]
    named = name_width((contents.mark(view).name for view in views), 10, 14)
    columns = [Column("criterion", "left", f"{33 - named}%")]
    columns.append(Column("model", "left", f"{named}%"))
    if flat:
        columns += [Column(name, "right", "4.4%") for name in FLAT]
    else:
        columns.append(Column("n", "right", "6%"))
    columns += [
        Column("value", "right", "7.5%"),
        Column("held against it", "right", "13%"),
        Column("required", "right", "7.5%"),
        Column("", "left", "8%"),
        Column("outcome", "left", "12.5%"),
    ]
    caption = "Acceptance criteria"
    if len(shown) < len(entries):
        caption += f", {len(shown)} of {len(entries)}; the others are in results.json"
    if any(c.get("measure") for c in shown):
        caption += ". The upright line on an axis is what is required"
    return Criteria(caption, tuple(columns), tuple(_criterion(contents, c, flat) for c in shown))


def _flat(contents: Contents, entry: Record) -> bool:
    m = contents.measure.get(str(entry.get("measure")))
    table = contents.tables.get(str(m.get("table"))) if m else None
    return table is not None and flat_counts(table) is not None


def _criterion(contents: Contents, entry: Record, flat: bool) -> Criterion:
    m = contents.measure.get(str(entry.get("measure")))
    table = contents.tables.get(str(m.get("table"))) if m else None
    view = (str(entry.get("dataset")), str(entry.get("model")))
    cells = [LineCell(_criterion_text(contents, entry, m), head=True)]
    cells.append(LineCell(mark=contents.mark(view)) if entry.get("model") else LineCell("–"))
    laid = flat_cells(table, m, "only")
    if flat:
        cells += laid if laid is not None else [LineCell() for _ in FLAT]
    else:
        known = m is not None and m.get("n") is not None
        cells.append(LineCell(count_text(m["n"]) if m is not None and known else "", "right"))
    number = number_of(contents, m) if m else None
    observed = entry.get("observed")
    plain = value_text(observed) if m is None and observed is not None else ""
    cells.append(LineCell(plain, number=number, align="right"))
    cells += [LineCell(_held(entry), "right"), LineCell(_required(entry), "right")]
    outcome = str(entry["outcome"])
    reason = prose(entry.get("reason") or "")
    breaches = entry.get("breaches_in_a_row") or 0
    if breaches > 1:
        reason = f"{reason}{'; ' if reason else ''}{breaches} runs in a row"
    return Criterion(
        Line(tuple(cells), table=str(table["id"]) if table is not None and laid else ""),
        outcome,
        WORDS.get(outcome, outcome),
        "" if outcome == "pass" else reason,
    )


def _criterion_text(contents: Contents, entry: Record, m: Record | None) -> str:
    if m is None:
        return visible(
            str(entry.get("text") or entry.get("metric") or f"criterion {entry['criterion']}")
        )
    text = measure_title(m)
    view = (m["dataset"], m["model"])
    if m.get("label") is not None and not contents.is_binary(view):
        text += f" of {label_text(m['label'])}"
    if m.get("subgroup"):
        text += f", {subgroup_text(m['subgroup'])}"
    if entry.get("reference"):
        name = str(entry["reference"])
        told = "the earlier run" if name.startswith("run ") else label_text(name)
        text += f", no worse than {told}"
    first = contents.first_threshold(view)
    if m.get("threshold") is not None and (m["threshold"], m.get("threshold_rule")) != first:
        text += f", {condition_text(m['threshold'], contents.operator(view))}"
    return text


def _held(entry: Record) -> str:
    bound = BOUNDS.get(str(entry.get("bound")), str(entry.get("bound")))
    if entry.get("reference"):
        what = "the difference" if entry.get("bound") == "point" else bound
        observed = entry.get("observed")
        return what if observed is None else f"{what} {difference_text(observed)}"
    if entry.get("observed") is None:
        return bound
    if entry.get("bound") == "point":
        return bound
    return f"{bound} {observed_text(entry['observed'], entry['required'])}"


def _required(entry: Record) -> str:
    sign = {"at_least": "≥", "at_most": "≤"}.get(str(entry.get("direction")))
    if sign is None:
        sign = "≤" if "<=" in str(entry.get("text") or "") else "≥"
    return f"{sign} {_as_written(entry['required'])}"


def _as_written(required: float) -> str:
    """A requirement with at least two decimals and never fewer than were declared."""
    return (
        threshold_text(required)
        if abs(required) < 1 and len(repr(required)) <= 4
        else value_text(required)
        if float(value_text(required).replace("−", "-")) == required
        else repr(required)
    )


def headlines(contents: Contents) -> list[Block]:
    """Up to four metrics of up to three models, with their tables."""
    views = contents.views[: 3 if len(contents.views) == 3 else 2]
    chosen = _headline_identities(contents)
    blocks: list[Block] = []
    for view in views:
        own = {identity(m): m for m in contents.pooled(view)}
        measures = [own[i] for i in chosen if i in own]
        if not measures:
            continue
        small = len(contents.classes(view)) <= 4
        made = (
            card_of(
                contents, m, heading=measure_title(m), with_table=small, small=True, result=False
            )
            for m in measures
        )
        cards = tuple(brief(card) for card in made)
        stacked = any(len(c.heading) + len(contents.mark(view).name) > ON_A_LINE for c in cards)
        blocks.append(CardGrid("", cards, stacked=stacked))
    return blocks


def _headline_identities(contents: Contents) -> list[tuple[Any, ...]]:
    """Metrics with a criterion first, then in the order of the spec."""
    judged = [contents.measure[i] for i in contents.criteria if i in contents.measure]
    found: dict[tuple[Any, ...], None] = {}
    for m in judged:
        found.setdefault(identity(m))
    metrics = {str(key[0]) for key in found}
    for view in contents.views[:1]:
        ranked = sorted(contents.pooled(view), key=_average_rank)
        for m in contents.pooled(view) if contents.is_binary(view) else ranked:
            own = contents.is_binary(view) or m.get("label") is None
            if own and (contents.is_binary(view) or m["metric"] not in metrics):
                metrics.add(str(m["metric"]))
                found.setdefault(identity(m))
    return list(found)[:MOST_HEADLINES]


def _average_rank(m: Record) -> int:
    """Which average stands for a metric: right rows for accuracy, else the plain mean."""
    order = ("micro", None, "macro") if m["metric"] == "accuracy" else (None, "macro", "micro")
    return order.index(m.get("average")) if m.get("average") in order else 3


def cautions(contents: Contents) -> Notes:
    """Every caution, warnings first; alike ones one after the other."""
    entries = sorted(contents.many("cautions"), key=lambda c: c.get("severity") != "warning")
    groups: dict[tuple[str, str], list[Record]] = {}
    for entry in entries:
        key = (str(entry.get("severity") or "note"), str(entry.get("code") or ""))
        groups.setdefault(key, []).append(entry)
    items = []
    for (severity, code), same in list(groups.items())[:MOST_CAUTIONS]:
        said = dict.fromkeys(_shortened(_said(contents, c)) for c in same)
        shown = list(said)[: MOST_ALIKE if len(said) > MOST_ALIKE + 1 else None]
        if len(said) > len(shown):
            shown.append(f"{len(said) - len(shown)} more like these are in results.json")
        title = prose(same[0].get("title") or "")
        items.append(Note(severity, code, title, tuple(shown), prose(same[0].get("read") or "")))
    return Notes("Cautions", tuple(items))


def _said(contents: Contents, caution: Record) -> str:
    """The message, with the name of its model where there are several and it begins otherwise."""
    message = prose(caution.get("message") or "").rstrip(".")
    dataset, model = caution.get("dataset"), caution.get("model")
    if len(contents.views) < 2 or dataset is None or message.startswith(f"{model}:"):
        return message
    if model is not None:
        return f"{contents.mark((dataset, model)).name}: {message}"
    return f"{label_text(dataset)}: {message}" if len(contents.datasets) > 1 else message


def _shortened(text: str) -> str:
    """A message cut between words where it would fill the page."""
    if len(text) <= LONGEST_CAUTION:
        return text
    return text[:LONGEST_CAUTION].rsplit(" ", 1)[0] + " … (the whole is in results.json)"
