"""A measure as a printed number, and as a card with its table and arithmetic."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from evalreport.metrics.catalogue import find
from evalreport.report.contents import Contents, Record, grouped
from evalreport.report.count_tables import count_table, place_text
from evalreport.report.formulas import formula_parts
from evalreport.report.model import MetricBlock
from evalreport.report.numbers import (
    count_text,
    exact_text,
    level_text,
    six_decimals,
    value_text,
)
from evalreport.report.parts import Card, CountTable, Mark, Number, Whisker
from evalreport.report.words import measure_title, method_text, prose, visible

#: Tables of more classes stand once in a section, not in every card.
CLASSES_IN_CARD = 6
#: Letters of a formula that a small card without its table still holds.
LONG_FORMULA = 40


def number_of(contents: Contents, m: Record, whisker: bool = True) -> Number:
    """A measure worded for the page."""
    state = str(m["state"])
    interval = m.get("interval") or None
    return Number(
        measure=str(m["id"]),
        metric=str(m["metric"]),
        label=str(m["label"]) if m.get("label") is not None else "",
        average=str(m.get("average") or ""),
        value=exact_text(m["value"]) if state == "value" else "",
        text=value_text(m["value"]) if state == "value" else state.replace("_", " "),
        state=state,
        interval=interval_text(interval),
        level=f"{level_text(interval['level'])} CI" if interval else "",
        method=_method(interval),
        reason=prose(m.get("reason") or ""),
        n=count_text(m["n"]) if m.get("n") is not None else "",
        table=str(m.get("table") or ""),
        whisker=whisker_of(contents, m) if whisker else None,
    )


def interval_text(interval: Record | None) -> str:
    """The limits of an interval, or nothing.

    >>> interval_text({"low": 0.788, "high": 0.886})
    '0.788 to 0.886'
    """
    if not interval or interval.get("low") is None or interval.get("high") is None:
        return ""
    return f"{value_text(interval['low'])} to {value_text(interval['high'])}"


def _method(interval: Record | None) -> str:
    if not interval:
        return ""
    note = f"; {visible(str(interval['note']))}" if interval.get("note") else ""
    return method_text(str(interval["method"])) + note


def whisker_of(contents: Contents, m: Record) -> Whisker | None:
    """Dot and whisker on the metric's whole scale; None where that has no end or no value."""
    declared = find(str(m["metric"]))
    low, high = declared.bounds if declared else (0.0, 1.0)
    if m["state"] != "value" or not (math.isfinite(low) and math.isfinite(high)):
        return None
    interval = m.get("interval") or {}
    own = contents.criteria.get(str(m["id"]), [])
    # what is required of a difference has no place on the axis of the value
    required = [c["required"] for c in own if c.get("reference") is None]
    mark = contents.mark((m["dataset"], m["model"]))

    def place(x: Any) -> str | None:
        return None if x is None else f"{100 * min(max((x - low) / (high - low), 0), 1):.2f}"

    words = f"{value_text(m['value'])} on an axis from {value_text(low)} to {value_text(high)}"
    return Whisker(
        point=place(m["value"]) or "0",
        low=place(interval.get("low")),
        high=place(low + high - interval["high"]) if interval.get("high") is not None else None,
        required=place(required[0]) if required else None,
        zero=place(0) if low < 0 else None,
        style=mark.style,
        words=words,
    )


def card_of(
    contents: Contents,
    m: Record,
    *,
    heading: str = "",
    with_table: bool = True,
    small: bool = False,
    result: bool = True,
) -> Card:
    """The card of a measure."""
    table = contents.tables.get(str(m.get("table")))
    printed: CountTable | None = None
    if table is not None and with_table and len(table["labels"]) <= CLASSES_IN_CARD:
        caption = f"{table['id']} · {place_text(contents, table)}" if small else ""
        printed = count_table(contents, table, m, caption=caption)
    return Card(
        number=number_of(contents, m),
        heading=heading,
        mark=contents.mark((m["dataset"], m["model"])),
        table=printed,
        formula=formula_parts(_arithmetic(m, "formula")),
        substituted=formula_parts(_arithmetic(m, "substituted")),
        result=_result(m) if result else "",
        flags=_flags(m),
        detail=_detail(m),
    )


def brief(card: Card) -> Card:
    """A card for the first page: the note on a method and long arithmetic stand further on."""
    number = replace(card.number, method=card.number.method.partition(";")[0])
    if card.table is None and len("".join(p.text for p in card.formula)) > LONG_FORMULA:
        card = replace(card, formula=(), substituted=())
    return replace(card, number=number)


def _arithmetic(m: Record, key: str) -> str:
    """A formula, where the value has one: none of what does not apply."""
    text = str(m.get(key) or "")
    return "" if m["state"] == "not_applicable" or text == m["metric"] else text


def _result(m: Record) -> str:
    """The plain fraction and six decimals, for a check by hand."""
    top, bottom = m.get("numerator"), m.get("denominator")
    steps = []
    if top is not None and bottom is not None:
        plain = f"{_plain(top)} / {_plain(bottom)}"
        if plain != str(m.get("substituted")):
            steps.append(plain)
    if m["state"] == "value":
        steps.append(six_decimals(m["value"]))
    return "".join(f" = {step}" for step in steps)


def _plain(number: float) -> str:
    text = six_decimals(number)
    return text.rstrip("0").rstrip(".") if "." in text else text


def _flags(m: Record) -> tuple[str, ...]:
    found = []
    if m.get("exploratory"):
        found.append("exploratory")
    return tuple(found)


def _detail(m: Record) -> str:
    """What a value needs said with it."""
    parts = []
    if m.get("reason"):
        parts.append(prose(m["reason"]))
    if m["state"] != "value" or not m.get("interval"):
        parts.append("no interval")
    return "; ".join(parts)


def metric_blocks(
    contents: Contents, measures: Sequence[Record], *, with_tables: bool = True
) -> list[MetricBlock]:
    """Each metric with the cards of its models."""
    blocks = []
    for same in grouped(measures).values():
        first = same[0]
        aka, meaning = about(first)
        heading = measure_title(first)
        if first.get("label") is not None and not contents.is_binary(
            (first["dataset"], first["model"])
        ):
            heading = f"{heading} of {visible(str(first['label']), 60)}"
        small = len(same) > 2
        cards = tuple(card_of(contents, m, with_table=with_tables, small=small) for m in same)
        blocks.append(MetricBlock(heading, aka, meaning, cards))
    return blocks


def about(m: Record) -> tuple[str, str]:
    """Other names of a metric and what it means, from the catalogue."""
    declared = find(str(m["metric"]))
    if m.get("meaning"):
        return "", str(m["meaning"])
    if declared is None:
        return "", ""
    title = _letters(str(m.get("title") or declared.title))
    names = [
        n for n in (declared.name, *declared.aliases) if not _tells_nothing(_letters(n), title)
    ]
    return ", ".join(n.replace("_", " ") for n in names[:2]), declared.meaning


def _letters(name: str) -> str:
    return "".join(c for c in name.casefold() if c.isalnum())


def _tells_nothing(name: str, title: str) -> bool:
    """Whether another name is only the title spelt differently."""
    return name.startswith(title) or title.startswith(name)


def mark_of(contents: Contents, m: Record) -> Mark:
    """The mark of a measure's model."""
    return contents.mark((m["dataset"], m["model"]))
