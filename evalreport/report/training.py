"""Training: learning curves, the steps of training runs, and repeats of cross-validation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evalreport.report import panels as drawn
from evalreport.report.contents import Contents, Record
from evalreport.report.curves import size_of
from evalreport.report.drawing import data_url, draw_abreast
from evalreport.report.model import (
    Block,
    Chart,
    Charts,
    Column,
    Facts,
    PlainTable,
    TableRow,
    Text,
)
from evalreport.report.numbers import count_text, share_text, threshold_text, value_text
from evalreport.report.overlap import overlap_blocks
from evalreport.report.slices import spread_over
from evalreport.report.tuning import tuning_blocks
from evalreport.report.words import counted, label_text, listed, measure_title, plain_name, prose

MOST_RUNS = 12
ABREAST = 3
DATA_LINES = 8


def training_blocks(contents: Contents) -> list[Block]:
    """Rows learned from, parameters chosen, learning curves, then training runs."""
    return [
        *overlap_blocks(contents),
        *tuning_blocks(contents),
        *_learning(contents),
        *_histories(contents),
    ]


def _learning(contents: Contents) -> list[Block]:
    """A chart for each model: every metric over the rows trained on, training and test."""
    records = contents.many("learning_curves")
    if not records:
        return []
    blocks: list[Block] = []
    metrics = list(dict.fromkeys(m for r in records for p in r["points"] for m in p["test"]))
    blocks += [
        Charts((_learning_chart(contents, records[:ABREAST], metric),)) for metric in metrics[:6]
    ]
    if len(records) > ABREAST:
        blocks.append(Text(f"{ABREAST} of {len(records)} models are drawn.", "small"))
    notes = dict.fromkeys(prose(n) for r in records for n in r.get("notes") or [])
    return [*blocks, *(Text(f"{n[:1].upper()}{n[1:]}.", "small") for n in notes)]


def _learning_chart(contents: Contents, records: Sequence[Record], metric: str) -> Chart:
    panels, names, tables, said = [], [], [], []
    title = _metric_name(contents, metric)
    for record in records:
        mark = contents.mark((record["dataset"], record["model"]))
        place = contents.models.index(record["model"]) if record["model"] in contents.models else 0
        parts = {part: _spreads(record, part, metric) for part in ("train", "test")}
        panels.append(drawn.learning_panel(mark.name, place, parts, title))
        names.append(mark.name)
        last = parts["test"][-1] if parts["test"] else None
        if last is not None:
            said.append(f"{mark.name}: {value_text(last[1])} at {count_text(last[0])} rows")
        tables.append(_learning_table(record, metric, f"{title}, {mark.name}"))
    svg = draw_abreast(panels, 3.45 if len(panels) == 1 else 7.1)
    caption = f"{title} by rows trained on, {listed(names)}"
    return Chart(
        data_url(svg),
        f"{caption}. On test rows, {'; '.join(said)}.",
        caption,
        *size_of(svg),
        "The line is the mean over repeats, the bars one standard deviation.",
        tuple(tables),
        wide=len(panels) > 1,
    )


def _metric_name(contents: Contents, metric: str) -> str:
    own = next((m for m in contents.measures if m["metric"] == metric), None)
    return measure_title({**own, "average": None}) if own else plain_name(metric)


def _spreads(record: Record, part: str, metric: str) -> list[tuple[float, float, float]]:
    """Rows trained on, mean and standard deviation, where there is a mean."""
    found = []
    for point in record["points"]:
        value = (point.get(part) or {}).get(metric) or {}
        if value.get("mean") is not None:
            found.append((point["train_rows"], value["mean"], value.get("spread") or 0.0))
    return found


def _learning_table(record: Record, metric: str, caption: str) -> PlainTable:
    rows = []
    for point in record["points"]:
        cells = [count_text(point["train_rows"])]
        for part in ("train", "test"):
            value = (point.get(part) or {}).get(metric) or {}
            cells.append(_spread_text(value))
        rows.append(TableRow(tuple(cells)))
    columns = (Column("rows trained on", "right"), Column("training rows", "right"))
    return PlainTable(caption, (*columns, Column("test rows", "right")), tuple(rows))


def _spread_text(value: Record) -> str:
    if value.get("mean") is None:
        return prose(value.get("reason") or "undefined")
    said = value_text(value["mean"])
    return said if value.get("spread") is None else f"{said} (SD {value_text(value['spread'])})"


def _histories(contents: Contents) -> list[Block]:
    """Runs side by side: mistakes and cost over the steps, and where each is least."""
    runs = contents.many("histories")
    if not runs:
        return []
    shown = runs[:MOST_RUNS]
    blocks: list[Block] = [_best_steps(contents, shown)]
    blocks += [
        Charts((_history_chart(shown[k : k + ABREAST]),)) for k in range(0, len(shown), ABREAST)
    ]
    said = tuple((label_text(r["run"]), prose(r["sentence"])) for r in shown if r.get("sentence"))
    if said:
        blocks.append(Facts("What the runs say", said, "about"))
    if len(runs) > len(shown):
        text = f"{len(shown)} of {counted(len(runs), 'run')}; the others are in results.json."
        blocks.append(Text(text, "small"))
    return blocks


def _best_steps(contents: Contents, runs: Sequence[Record]) -> PlainTable:
    rows = []
    for run in runs:
        by_count, by_cost = run["best_by_misclassified"], run["best_by_cost"]
        rows.append(
            TableRow(
                (
                    label_text(run["run"]),
                    contents.mark((run["dataset"], run["model"])).name,
                    count_text(len(run["steps"])),
                    *_at_step(run, by_count),
                    *_at_step(run, by_cost),
                    "they differ" if run.get("differ") else "cost misclassifies no more",
                )
            )
        )
    heads = (
        ("run", "left", "10%"),
        ("model", "left", "10%"),
        ("steps", "right", "6%"),
        ("fewest mistakes: step", "right", "9%"),
        ("mistakes", "right", "13%"),
        ("cost", "right", "8%"),
        ("lowest cost: step", "right", "9%"),
        ("mistakes", "right", "13%"),
        ("cost", "right", "8%"),
        ("the two steps", "left", "13%"),
    )
    note = "A step chosen on the rows that it is judged by is exploratory."
    return PlainTable(
        "The best step of each run, by mistakes and by cost",
        tuple(Column(*h) for h in heads),
        tuple(rows),
        note,
    )


def _at_step(run: Record, step: Any) -> tuple[str, str, str]:
    """A step, the rows misclassified there, and the cost there."""
    if step is None or step not in run["steps"]:
        return ("none", "–", "–")
    k = run["steps"].index(step)
    wrong, rows = run["misclassified"][k], run["rows"]
    cost = run["cost"][k]
    said = f"{count_text(wrong)} of {count_text(rows)} ({share_text(wrong, rows)})"
    return (threshold_text(step), said, "–" if cost is None else value_text(cost))


def _history_chart(runs: Sequence[Record]) -> Chart:
    most = max((x for r in runs for x in r["misclassified"]), default=1)
    panels = [drawn.history_panel(label_text(r["run"]), r, most) for r in runs]
    names = [label_text(r["run"]) for r in runs]
    svg = draw_abreast(panels, 2.4 * len(panels) if len(panels) < ABREAST else 7.1)
    caption = f"Mistakes and cost by step, {listed(names)}"
    said = " ".join(prose(r.get("sentence") or "") for r in runs)
    tables = tuple(_history_table(r) for r in runs)
    aside = (
        "Solid: rows misclassified, on one scale for all runs. Dashed: cost as a share of its "
        "largest value. Dot and diamond: the least of each."
    )
    return Chart(
        data_url(svg),
        f"{caption}. {said}",
        caption,
        *size_of(svg),
        aside,
        tables,
        wide=len(panels) > 1,
    )


def _history_table(run: Record) -> PlainTable:
    rows = [
        TableRow(
            (
                threshold_text(run["steps"][k]),
                count_text(run["misclassified"][k]),
                "–" if run["cost"][k] is None else value_text(run["cost"][k]),
            )
        )
        for k in spread_over(len(run["steps"]), DATA_LINES)
    ]
    columns = tuple(Column(n, "right") for n in ("step", "misclassified", "cost"))
    note = f"{len(rows)} of {len(run['steps'])} steps; all are in results.json."
    return PlainTable(f"Run {label_text(run['run'])}", columns, tuple(rows), note)


def repeat_blocks(contents: Contents) -> list[Block]:
    """How values vary over repeats of the whole cross-validation, model by model."""
    blocks: list[Block] = []
    for view in contents.views:
        rows = []
        number = 0
        for m in contents.pooled(view):
            repeats = m.get("repeats")
            if not repeats:
                continue
            number = max(number, len(repeats["values"]))
            cells = (
                measure_title(m),
                _or_dash(repeats.get("mean")),
                _or_dash(repeats.get("spread")),
                _or_dash(repeats.get("low")),
                _or_dash(repeats.get("high")),
                " · ".join(_or_dash(v) for v in repeats["values"][:10]),
            )
            rows.append(TableRow(cells))
        if rows:
            mark = contents.mark(view)
            heads = (
                ("metric", "left", "22%"),
                ("mean", "right", "9%"),
                ("SD", "right", "9%"),
                ("lowest", "right", "9%"),
                ("highest", "right", "9%"),
                ("each repeat", "left", "42%"),
            )
            note = "Repeats share their rows: their spread is no interval."
            caption = f"{counted(number, 'repeat')} of the cross-validation, {mark.name}"
            columns = tuple(Column(*h) for h in heads)
            blocks.append(PlainTable(caption, columns, tuple(rows[:40]), note))
    return blocks


def _or_dash(value: Any) -> str:
    return "–" if value is None else value_text(value)
