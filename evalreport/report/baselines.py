"""The models beside what needs no model, and beside values declared elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from evalreport.report.cards import interval_text, number_of
from evalreport.report.contents import Contents, Record, View
from evalreport.report.model import (
    Block,
    Column,
    Facts,
    Line,
    LineCell,
    PlainTable,
    Strip,
    TableRow,
)
from evalreport.report.numbers import count_text, difference_text, p_text, value_text
from evalreport.report.parts import Number
from evalreport.report.slices import wanted
from evalreport.report.words import (
    counted,
    label_text,
    measure_title,
    method_text,
    prose,
    subgroup_text,
    visible,
)

MOST_LINES = 40
#: Metrics of the table of baselines.
MOST_BASELINES = 11
#: Models beside the baselines; all of them are in the sections on metrics.
MOST_MODELS = 4


def baseline_blocks(contents: Contents) -> list[Block]:
    """Baselines of each dataset beside its models, then declared values beside measured ones."""
    blocks: list[Block] = []
    for dataset in contents.datasets:
        strip = _baselines(contents, dataset)
        blocks += [] if strip is None else [strip]
        blocks += _against(contents, dataset)
    declared = contents.many("declared")
    return [*blocks, _declared(contents, declared)] if declared else [*blocks]


def _baselines(contents: Contents, dataset: str) -> Strip | None:
    """One line per metric: each baseline, then each model with its interval."""
    own = [b for b in contents.many("baselines") if b["dataset"] == dataset]
    names = list(dict.fromkeys(str(b["baseline"]) for b in own))
    known = {(str(b["baseline"]), _key(b)): b for b in own}
    views = [v for v in contents.views if v[0] == dataset][:MOST_MODELS]
    lines = []
    # First the metrics that the plainest baselines have a value of.
    plainest = {_key(b) for b in own if b["baseline"] != names[-1] and b["value"] is not None}
    keys = sorted(dict.fromkeys(_key(b) for b in own), key=lambda k: k not in plainest)
    for key in keys:
        measures = [_measure(contents, view, key) for view in views]
        values = [known.get((name, key), {}).get("value") for name in names]
        first = next((m for m in measures if m is not None), None)
        if first is None or all(v is None for v in values):
            continue
        cells = [LineCell(measure_title(first), head=True)]
        cells += [LineCell("–" if v is None else value_text(v), "right") for v in values]
        cells += [
            LineCell(number=_bare(contents, m), align="right")
            if m is not None
            else LineCell("–", "right")
            for m in measures
        ]
        lines.append(Line(tuple(cells), rule=False))
    if not lines:
        return None
    notes = _notes(own, len(lines))
    columns = [Column("metric", "left", "22%")]
    columns += [Column(visible(n.replace("_", " ")), "right") for n in names]
    columns += [Column(contents.mark(v).name, "right") for v in views]
    return Strip(
        f"What needs no model, beside the models, {label_text(dataset)}{_rows(contents, views)}",
        tuple(columns),
        tuple(lines[:MOST_BASELINES]),
        (notes,),
        "many",
    )


def _rows(contents: Contents, views: list[View]) -> str:
    """The number of rows that the values are of, where it is one."""
    counts = {m["n"] for view in views for m in contents.pooled(view) if m.get("n") is not None}
    return f", n {count_text(counts.pop())}" if len(counts) == 1 else ""


def _against(contents: Contents, dataset: str) -> list[Block]:
    """What the intervals say of each model and the baselines, in a sentence."""
    said = []
    for view in contents.views:
        own = [
            r for r in contents.many("against_baselines") if (r["dataset"], r["model"]) == view
        ]
        judged = [r for r in own if r["outcome"] != "not_judged"]
        if view[0] != dataset or not judged:
            continue
        better = sum(r["outcome"] == "better" for r in judged)
        parts = [f"better than a baseline in {better} of {counted(len(judged), 'comparison')}"]
        for outcome, words in (("worse", "worse"), ("not_shown", "not shown to be better")):
            by_metric: dict[str, list[str]] = {}
            for r in judged:
                if r["outcome"] == outcome:
                    by_metric.setdefault(measure_title(r), []).append(_name(r))
            listed_ones = [f"{title} ({', '.join(names)})" for title, names in by_metric.items()]
            parts += [f"{words} on {'; '.join(listed_ones)}"] if listed_ones else []
        left = len(own) - len(judged)
        parts += [f"{counted(left, 'comparison')} not judged"] if left else []
        said.append((contents.mark(view).name, "; ".join(parts)))
    if not said:
        return []
    return [Facts("What the intervals say of the models and the baselines", tuple(said), "about")]


def _name(record: Record) -> str:
    """A baseline by its name, the previous model by its own too."""
    words = visible(str(record["baseline"]).replace("_", " "))
    previous = record.get("previous") or record.get("model")
    if record["baseline"] != "previous" or previous is None:
        return words
    return f"{words}: {label_text(previous)}"


def _bare(contents: Contents, m: Record) -> Number:
    """A measure without its interval, which stands in the sections on metrics."""
    return replace(number_of(contents, m, whisker=False), interval="", reason="")


def _notes(own: Sequence[Record], lines: int) -> str:
    """The notes of baselines, and what is left out."""
    found = list(dict.fromkeys(prose(b["note"]) for b in own if b.get("note")))
    notes = [f"{note[:1].upper()}{note[1:]}." for note in found]
    if lines > MOST_BASELINES:
        notes.append(f"{MOST_BASELINES} of {lines} metrics; the others are in results.json.")
    return " ".join(notes)


def _key(b: Record) -> tuple[Any, ...]:
    params = tuple(sorted((k, str(v)) for k, v in (b.get("params") or {}).items()))
    return (b["metric"], params)


def _measure(contents: Contents, view: View, key: tuple[Any, ...]) -> Record | None:
    """The model's value of the metric: of the positive class, or over classes."""
    own = [m for m in contents.pooled(view) if _key(m) == key and wanted(contents, m)]
    order = {None: 0, "macro": 1, "micro": 2, "weighted": 3, "samples": 4}
    return min(own, key=lambda m: order.get(m.get("average"), 5), default=None)


def _declared(contents: Contents, entries: Sequence[Record]) -> PlainTable:
    """Declared values, who declared them, and whether the interval measured here holds them."""
    rows = []
    for entry in entries[:MOST_LINES]:
        m = contents.measure.get(str(entry.get("measure")))
        title = measure_title(m or entry)
        if entry.get("subgroup"):
            title += f", {subgroup_text(entry['subgroup'])}"
        within = entry.get("within")
        outcome = "inside" if within else "outside"
        if within is None:
            outcome = prose(entry.get("reason") or "–")
        tested = "–"
        if entry.get("p_value") is not None:
            tested = f"{p_text(entry['p_value'])}, {method_text(str(entry['test']))}"
        rows.append(
            TableRow(
                (
                    f"{title} ({m['id']})" if m else title,
                    label_text(entry.get("model") or "–"),
                    value_text(entry["value"]),
                    prose(entry.get("source") or "not said"),
                    _or_dash(entry.get("measured"), value_text),
                    interval_text(entry.get("interval")) or "–",
                    _or_dash(entry.get("difference"), difference_text),
                    outcome,
                    tested,
                )
            )
        )
    words = "metric,model,declared,source,measured,interval,difference,declared value,p"
    heads = words.split(",")
    sides = ("left", "left", "right", "left", "right", "right", "right", "left", "left")
    columns = tuple(Column(h, s) for h, s in zip(heads, sides, strict=True))
    note = "Inside and outside are of the interval measured here; neither is a verdict."
    return PlainTable("Declared elsewhere and measured here", columns, tuple(rows), note)


def _or_dash(value: Any, shown: Any) -> str:
    return "–" if value is None else str(shown(value))
