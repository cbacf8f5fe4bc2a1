"""A measure as a printed number, and as a card with its table laid flat and its arithmetic."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from evalreport.metrics import kinds
from evalreport.metrics.catalogue import find
from evalreport.numbers import (
    count_text,
    df_text,
    exact_text,
    grouped_figures,
    level_text,
    limits_text,
    p_text,
    shortened,
    shortest,
    six_decimals,
    threshold_text,
    value_text,
)
from evalreport.report.contents import Contents, grouped
from evalreport.report.formulas import formula_parts
from evalreport.report.marking import flat_counts, flat_marks
from evalreport.report.meanings import meaning_of
from evalreport.report.model import MetricBlock
from evalreport.report.pieces import Card, LineCell, Number, Whisker
from evalreport.report.words import (
    OUTCOME_MARKS,
    method_text,
    prose,
    rows_text,
    subgroup_text,
    visible,
)
from evalreport.results.identity import REPEATS_SHARE_ROWS
from evalreport.results.records import (
    Claim,
    Criterion,
    Declared,
    Interval,
    Measure,
    Reached,
    Table,
    verdict_of,
)


def number_of(
    contents: Contents,
    m: Measure,
    whisker: bool = True,
    criterion: Criterion | None = None,
    *,
    limits: bool = True,
) -> Number:
    """A measure worded for the page.

    Its whisker shows what each criterion on it requires, or what the one ``criterion`` does.
    Without ``limits`` it is the value alone.
    """
    interval = m.interval if limits else None
    return Number(
        measure=m.id,
        metric=m.metric,
        label=m.label if m.label is not None else "",
        average=str(m.average or ""),
        value="" if m.value is None else exact_text(m.value),
        text=said_value(m),
        state=m.state,
        interval=interval_text(interval, m.value),
        level=f"{level_text(interval.level)} CI" if interval else "",
        method=_method(interval),
        reason=_reason(m) if limits else "",
        n=size_text(contents, m),
        table=str(m.table or ""),
        whisker=whisker_of(contents, m, criterion) if whisker else None,
    )


def _reason(m: Measure) -> str:
    """Why there is no value, or in short no interval; the card says it in full.

    What holds for the metric, or for all repeats, is not said of each value.
    """
    declared = find(m.metric)
    said = declared is None or declared.no_interval or m.interval_reason == REPEATS_SHARE_ROWS
    return prose(m.reason or ("" if said else (m.interval_reason or "").partition(":")[0]))


def size_text(contents: Contents, m: Measure) -> str:
    """What a value rests on: the rows of its denominator, of how many, in how many clusters.

    With the effective number of rows of its interval, where weights or clusters make one.
    """
    whole, view = m.n, (m.dataset, m.model)
    declared = find(m.metric)
    share = declared is not None and declared.interval is kinds.Interval.PROPORTION
    plain = share and m.average is None and m.weight is None
    own = m.denominator if plain else None
    rows = count_text(whole)
    if own is not None and 0 <= own < whole:
        rows = f"{count_text(own)} of {rows_text(whole)}"
    clusters = contents.clusters(view)
    # of a part of the rows it is not known how many clusters they are in
    part = m.subgroup or m.fold is not None or whole != contents.used(view)
    if clusters is not None and not part:
        rows = rows if " " in rows else rows_text(whole)
        rows += f" in {count_text(clusters)} cluster{'s' * (clusters != 1)}"
    effective = None if m.interval is None else m.interval.n_effective
    return rows if effective is None else f"{rows}, effective n {count_text(round(effective))}"


def said_value(m: Measure) -> str:
    """The value as printed, a p value as such; or the word for its state."""
    if m.value is None:
        return m.state.replace("_", " ")
    declared = find(m.metric)
    is_p = declared is not None and declared.p_value
    return p_text(m.value) if is_p else value_text(m.value)


def interval_text(interval: Interval | None, value: float | None = None) -> str:
    """The limits of an interval, told from the value by their digits; or nothing.

    >>> interval_text(Interval(0.95, 0.788, 0.886, "wilson"))
    '0.788 to 0.886'
    """
    return "" if interval is None else limits_text(interval.low, interval.high, value)


def _method(interval: Interval | None) -> str:
    if interval is None:
        return ""
    note = f"; {visible(interval.note)}" if interval.note else ""
    df = "" if interval.df is None else f", t with {df_text(interval.df)} df"
    return method_text(interval.method) + df + note


def whisker_of(
    contents: Contents,
    m: Measure,
    criterion: Criterion | None = None,
    axis: tuple[float, float] | None = None,
) -> Whisker | None:
    """Dot and whisker on an axis, else on the metric's whole scale.

    None where that has no end or no value. With what one criterion requires of it, else with
    what each criterion does.
    """
    declared = find(m.metric)
    table = contents.table_of(m.table)
    classes = 3 if table is None else len(table.labels)
    low, high = axis or (declared.range_of(classes) if declared else (0.0, 1.0))
    if m.value is None or not (math.isfinite(low) and math.isfinite(high)):
        return None
    interval = m.interval
    own = contents.criteria.get(m.id, []) if criterion is None else [criterion]
    # what is required of a difference has no place on the axis of the value
    required = dict.fromkeys(
        c.required for c in own if c.reference is None and c.required is not None
    )
    mark = contents.mark((m.dataset, m.model))

    def place(x: Any) -> str | None:
        return (
            None if x is None else f"{round(100 * min(max((x - low) / (high - low), 0), 1), 2):g}"
        )

    words = f"{value_text(m.value)} on an axis from {value_text(low)} to {value_text(high)}"
    return Whisker(
        point=place(m.value) or "0",
        low=None if interval is None else place(interval.low),
        high=None if interval is None else place(low + high - interval.high),
        required=tuple(at for limit in required if (at := place(limit)) is not None),
        zero=place(0) if low < 0 else None,
        style=mark.style,
        words=words,
    )


def judged_title(contents: Contents, entry: Claim | Declared) -> str:
    """The number that a printed or declared value is of, and the measure it is held against."""
    m = contents.measure_of(entry.measure)
    title = contents.heading(m or entry)
    if entry.subgroup:
        title += f", {subgroup_text(entry.subgroup)}"
    return f"{title} ({m.id})" if m else title


def outcome_cell(outcome: str, reason: str = "") -> LineCell:
    """What came of a criterion, as a stamp, and why."""
    return LineCell(OUTCOME_MARKS[outcome], outcome=verdict_of(outcome), aside=reason)


def flat_cells(
    contents: Contents, table: Table | None, measure: Measure | None, place: str
) -> list[LineCell] | None:
    """The four cells of a two-class table, marked for a measure; None for other tables.

    ``place`` is ``first``, ``last``, ``only`` or ``middle``: where frames close.
    """
    counts = flat_counts(table) if table is not None else None
    if table is None or counts is None:
        return None
    costs = contents.costs_of(table)
    top, sides = flat_marks(measure, costs, contents.flat) if measure is not None else (set(), {})
    ends = {"first": "t", "last": "b", "only": "tb"}.get(place, "")
    found = []
    for name in contents.flat:
        framed = name in sides
        found.append(
            LineCell(
                text=count_text(counts[name]),
                cell=name.lower(),
                top=name in top,
                frame=sides.get(name, "") + ends if framed else "",
            )
        )
    return found


def card_of(contents: Contents, m: Measure) -> Card:
    """The card of a measure."""
    return Card(
        number=number_of(contents, m),
        mark=contents.mark((m.dataset, m.model)),
        formula=formula_parts(_arithmetic(m, m.formula)),
        substituted=formula_parts(_arithmetic(m, m.substituted)),
        result=_result(m),
        flags=("exploratory",) if m.exploratory else (),
        detail=_detail(m),
        # the table of two classes that it is of, with its marks
        flat=tuple(flat_cells(contents, contents.table_of(m.table), m, "only") or ()),
    )


def _arithmetic(m: Measure, text: str) -> str:
    """A formula, where the value has one: none of what does not apply."""
    return "" if m.state == "not_applicable" or text == m.metric else text


def _result(m: Measure) -> str:
    """The plain fraction and six decimals, for a check by hand."""
    top, bottom = m.numerator, m.denominator
    steps = []
    if top is not None and bottom is not None:
        plain = f"{shortest(top)} / {shortest(bottom)}"
        if plain != shortened(m.substituted):
            steps.append(plain)
    if m.value is not None:
        steps.append(six_decimals(m.value))
    return grouped_figures("".join(f" = {step}" for step in steps))


def _detail(m: Measure) -> str:
    """What a value needs said with it."""
    parts = []
    if m.reason:
        parts.append(prose(m.reason))
    if m.interval is None:
        why = prose(m.interval_reason or "")
        parts.append(f"no interval: {why}" if why else "no interval")
    if m.reached:
        parts.append(reached_text(m.reached))
    return "; ".join(parts)


def reached_text(reached: Reached) -> str:
    """The threshold where a largest difference lies, and the table there, laid flat.

    >>> reached_text(Reached(0.4, tp=8, fn=2, fp=1, tn=9))
    'reached at the threshold 0.40: TN 9, FP 1, FN 2, TP 8'
    """
    counts = (("TN", reached.tn), ("FP", reached.fp), ("FN", reached.fn), ("TP", reached.tp))
    cells = ", ".join(f"{name} {count_text(count)}" for name, count in counts)
    return f"reached at the threshold {threshold_text(reached.threshold)}: {cells}"


def metric_blocks(contents: Contents, measures: Sequence[Measure]) -> list[MetricBlock]:
    """Each metric with the cards of its models; a formula that these share stands once."""
    blocks = []
    for same in grouped(measures).values():
        first = same[0]
        aka, meaning = about(contents, first)
        heading = contents.heading(first)
        if contents.names_class(first):
            heading = f"{heading} of {visible(str(first.label), 60)}"
        cards = [card_of(contents, m) for m in same]
        formulas = {card.formula for card in cards if card.formula}
        shared = formulas.pop() if len(formulas) == 1 else ()
        if shared:
            cards = [replace(card, formula=()) for card in cards]
        blocks.append(MetricBlock(heading, aka, meaning, tuple(cards), shared))
    return blocks


def about(contents: Contents, m: Measure) -> tuple[str, str]:
    """Other names of a metric and what the value means, from the catalogue."""
    declared = find(m.metric)
    view = (m.dataset, m.model)
    sets = contents.has_sets(view)
    own = contents.words.meaning(m)
    meaning = meaning_of(m, several_classes=not contents.is_binary(view), has_sets=sets, own=own)
    if own or declared is None:
        return "", meaning
    meaning = contents.said(m.dataset, meaning)
    title = _letters(contents.words.title(m) or declared.title)
    names = [
        n for n in (declared.name, *declared.aliases) if not _tells_nothing(_letters(n), title)
    ]
    return ", ".join(n.replace("_", " ") for n in names[:2]), meaning


def _letters(name: str) -> str:
    return "".join(c for c in name.casefold() if c.isalnum())


def _tells_nothing(name: str, title: str) -> bool:
    """Whether another name is only the title spelt differently."""
    return name.startswith(title) or title.startswith(name)
