"""How models were trained: learning curves, steps, tuning, repeats, and rows learned from.

Rows of tested datasets that a model learned from stand in a table; that there are none is
written as well.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from evalreport.numbers import (
    alike_text,
    count_text,
    mean_count_text,
    or_dash,
    share_text,
    threshold_text,
    value_text,
)
from evalreport.report.charts.canvas import HALF, WHOLE, beside, drawing, grid
from evalreport.report.charts.points import spread_over
from evalreport.report.charts.training import learning, shared_height, training_history
from evalreport.report.columns import Column, across, left, left_out, right, table_of
from evalreport.report.contents import Contents, View, view_of
from evalreport.report.findings import as_title, history_finding, learning_finding
from evalreport.report.leading import best_first
from evalreport.report.marking import flat_counts_of
from evalreport.report.model import Block, Chart, Charts, Facts, TableBlock, TablePair, Text
from evalreport.report.pieces import LineCell
from evalreport.report.sections import section
from evalreport.report.words import (
    counted,
    first_few,
    label_text,
    listed,
    lower_first,
    plain_name,
    prose,
    rows_text,
)
from evalreport.results.records import (
    BestStep,
    History,
    LearningCurve,
    LearningPoint,
    Measure,
    Summary,
    TrainingOverlap,
    Tuning,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_COLUMNS = 6


def overlap_blocks(contents: Contents) -> list[Block]:
    """What tested datasets share with those that models learned from; nothing shared is said."""
    records = contents.of(TrainingOverlap)
    if not records:
        return []
    columns: list[Column[TrainingOverlap]] = [
        left("tested", lambda one: label_text(one.dataset)),
        left("learned from", lambda one: f"{label_text(one.other)} ({one.use})"),
        left("by models", lambda one: listed([label_text(name) for name in one.models])),
        left("compared", _compared_by),
        left("rows shared", _rows_shared),
    ]
    note = (
        "Rows equal in every column compared need not be the same case; with few columns some "
        "are equal by chance."
    )
    return [table_of("Tested rows that a model learned from", records, columns, note)]


def _rows_shared(record: TrainingOverlap) -> str:
    shared, of = record.rows, record.of
    if shared is None or of is None:
        return prose(record.reason or "not counted")
    return f"{count_text(shared)} of {count_text(of)} ({share_text(shared, of)})"


def _compared_by(record: TrainingOverlap) -> str:
    """How rows were compared, with the first few columns."""
    shown = listed(first_few(list(map(label_text, record.columns or ())), MOST_COLUMNS))
    return f"by {record.by}: {shown}" if shown else "–"


MOST_NAMED = 10


def tuning_blocks(contents: Contents) -> list[Block]:
    """Each choice of parameters with the folds that made it, the most frequent first."""
    blocks: list[Block] = []
    for record in contents.of(Tuning):
        mark = contents.mark((record.dataset, record.model))
        by_choice: dict[str, list[str]] = {}
        for fold in record.folds:
            params = (f"{prose(name)} = {prose(str(v))}" for name, v in fold.params.items())
            by_choice.setdefault(", ".join(params), []).append(label_text(fold.fold))
        times = Counter({choice: len(folds) for choice, folds in by_choice.items()})
        columns: list[Column[tuple[str, list[str], int]]] = [
            left("parameters chosen", lambda one: one[0]),
            right("folds", lambda one: f"{len(one[1])} of {one[2]}"),
            left("which", lambda one: _named(one[1])),
        ]
        choices = [(c, by_choice[c], len(record.folds)) for c, _ in times.most_common()]
        note = (
            "Chosen on inner folds of the training rows; no label of a tested row took part. "
            "Choices that differ from fold to fold are part of the variation of training."
        )
        caption = f"Tuning in {counted(len(record.folds), 'fold')}, {mark.name}"
        blocks.append(table_of(caption, choices, columns, note))
    return blocks


def _named(folds: list[str]) -> str:
    more = len(folds) - MOST_NAMED
    return ", ".join(folds[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


MOST_RUNS = 12
#: Runs in which mistakes and cost disagree that the first page quotes.
MOST_SAID = 2
ABREAST = 3
DATA_LINES = 8
MOST_METRICS = 6
MOST_WEIGHTED = 6
MOST_FEATURES = 20
BEST_BY = {"misclassified": "mistakes", "cost": "cost"}


@section("training", "Training", of=(LearningCurve, History, Tuning, TrainingOverlap))
def training_blocks(contents: Contents) -> list[Block]:
    """How models were trained, rows learned from, parameters, learning curves, training runs."""
    return [
        *_procedure(contents),
        *overlap_blocks(contents),
        *tuning_blocks(contents),
        *_learning(contents),
        *_histories(contents),
    ]


def _procedure(contents: Contents) -> list[Block]:
    """How each model that is trained here made its predictions."""
    procedures = {}
    for view in best_first(contents):
        record = contents.row_record(view)
        if record is not None and record.procedure:
            procedures[view] = [*map(prose, record.procedure)]
    # what is said of every model is said once
    every = list(procedures.values())
    common = [one for one in every[0] if all(one in said for said in every)] if every else []
    names = {view: contents.mark(view).name for view in procedures}
    told = [(listed(list(names.values())), common)]
    told += [
        (names[view], [one for one in said if one not in common])
        for view, said in procedures.items()
    ]
    lines = tuple((name, _sentence(said)) for name, said in told if said)
    return [Facts("How the models were trained", lines, "about")] if lines else []


def _sentence(said: Sequence[str]) -> str:
    text = "; ".join(said)
    return f"{text[:1].upper()}{text[1:]}."


def _learning(contents: Contents) -> list[Block]:
    """A chart for each model: every metric over the rows trained on, training and test."""
    order = {view: place for place, view in enumerate(best_first(contents))}
    records = sorted(contents.of(LearningCurve), key=lambda r: order.get(view_of(r), len(order)))
    if not records:
        return []
    blocks: list[Block] = []
    metrics = list(dict.fromkeys(m for r in records for p in r.points for m in p.test))
    blocks += [
        Charts((_learning_chart(contents, records[k : k + ABREAST], metric),))
        for metric in metrics
        for k in range(0, len(records), ABREAST)
    ]
    blocks += [t for r in records if (t := _tables_by_size(contents, r, metrics)) is not None]
    notes = dict.fromkeys(prose(n) for r in records for n in r.notes)
    return [*blocks, *(Text(f"{n[:1].upper()}{n[1:]}.", "small") for n in notes)]


def _tables_by_size(
    contents: Contents, record: LearningCurve, metrics: Sequence[str]
) -> TableBlock | None:
    """The table of the test rows at each size, beside the means that are drawn."""
    known = [(point, point.counts) for point in record.points if point.counts]
    view = (record.dataset, record.model)
    labels = contents.classes(view)
    if not known or len(labels) != len(known[0][1]):
        return None
    two = len(labels) == 2
    heads = contents.flat if two else ("right", "tested")
    positive = contents.positive(view)
    place = labels.index(positive) if positive in labels else 1
    columns: list[Column[tuple[LearningPoint, dict[str, Any]]]] = [
        right("rows trained on", lambda one: mean_count_text(one[0].train_rows))
    ]
    columns += across(zip(heads, heads, strict=True), lambda head, one: count_text(one[1][head]))
    columns += across(
        [(f"{_metric_name(contents, m)}, mean", m) for m in metrics],
        lambda metric, one: _spread_text(one[0].test.get(metric)),
    )
    counted_so = [
        (
            point,
            flat_counts_of(counts, place)
            if two
            else {
                "right": sum(row[k] for k, row in enumerate(counts)),
                "tested": sum(map(sum, counts)),
            },
        )
        for point, counts in known
    ]
    caption = f"Test rows by rows trained on, {contents.mark(view).name}"
    note = f"Counts add up {counted(record.repeats, 'repeat')}."
    return table_of(caption, counted_so, columns, note)


def _learning_chart(contents: Contents, records: Sequence[LearningCurve], metric: str) -> Chart:
    panels, names, tables, said = [], [], [], []
    title = _metric_name(contents, metric)
    for record in records:
        mark = contents.mark((record.dataset, record.model))
        place = contents.models.index(record.model) if record.model in contents.models else 0
        parts = {
            "train": _spreads(record, metric, lambda point: point.train),
            "test": _spreads(record, metric, lambda point: point.test),
        }
        panels.append((mark.name, place, parts))
        names.append(mark.name)
        last = parts["test"][-1] if parts["test"] else None
        if last is not None:
            said.append(f"{mark.name}: {value_text(last[1])} at {mean_count_text(last[0])} rows")
        tables.append(_learning_table(record, metric, f"{title}, {mark.name}"))
    finding = learning_finding(title, [(name, parts["test"]) for name, _, parts in panels])
    ends, metric_name = shared_height([parts for *_, parts in panels]), lower_first(title)
    paints = [
        partial(learning, name=name, place=place, parts=parts, metric=metric_name, ends=ends)
        for name, place, parts in panels
    ]
    caption = f"{title} by rows trained on, {listed(names)}"
    return Chart(
        drawing(beside(paints, 46, 28, 76, 30), HALF if len(panels) == 1 else WHOLE, 112),
        f"{caption}. On test rows, {'; '.join(said)}.",
        caption,
        "The line is the mean over repeats, the band one standard deviation each way.",
        tuple(tables),
        wide=len(panels) > 1,
        finding=finding,
        name="learning_curve",
    )


def _metric_name(contents: Contents, metric: str) -> str:
    own = next((m for m in contents.measures if m.metric == metric), None)
    if own is not None:
        return contents.heading(own, averaged=False)
    # a metric that is asked for twice has its parameters behind its name
    name, _, inside = metric.partition("(")
    told = f" ({inside.rstrip(')').replace('=', ' ')})" if inside else ""
    return f"{contents.words.titles.get(name) or plain_name(name)}{told}"


def _spreads(
    record: LearningCurve, metric: str, part: Callable[[LearningPoint], Mapping[str, Summary]]
) -> list[tuple[float, float, float]]:
    """Rows trained on, mean and standard deviation, where there is a mean."""
    found = []
    for point in record.points:
        value = part(point).get(metric)
        if value is not None and value.mean is not None:
            found.append((point.train_rows, value.mean, value.spread or 0.0))
    return found


def _learning_table(record: LearningCurve, metric: str, caption: str) -> TableBlock:
    columns: list[Column[LearningPoint]] = [
        right("rows trained on", lambda point: mean_count_text(point.train_rows)),
        right("training rows", lambda point: _spread_text(point.train.get(metric))),
        right("test rows", lambda point: _spread_text(point.test.get(metric))),
    ]
    return table_of(caption, record.points, columns)


def _spread_text(value: Summary | None) -> str:
    if value is None or value.mean is None:
        return prose((value.reason if value is not None else None) or "undefined")
    said = value_text(value.mean)
    return said if value.spread is None else f"{said} (SD {value_text(value.spread)})"


def _histories(contents: Contents) -> list[Block]:
    """Runs side by side: mistakes and cost over the steps, and where each is least."""
    runs = contents.of(History)
    if not runs:
        return []
    shown = runs[:MOST_RUNS]
    # with nothing else to report the best steps stand on the first page
    blocks = best_steps(contents) if contents.views else []
    blocks += [
        Charts((_history_chart(shown[k : k + ABREAST]),)) for k in range(0, len(shown), ABREAST)
    ]
    more = left_out(len(shown), len(runs), "runs")
    return [*blocks, *([Text(more, "small")] if more else [])]


def best_steps(contents: Contents) -> list[Block]:
    """The best step of each run with its table, metrics and weights; nothing without a history."""
    shown = contents.of(History)[:MOST_RUNS]
    return [_best_by_run(contents, shown), *_steps_chosen(contents, shown)] if shown else []


def runs_text(contents: Contents) -> str:
    """How many runs of how many rows the training histories hold; empty without one."""
    told = []
    for (dataset, model), own in _by_view(contents).items():
        runs = counted(len(own), "training run")
        rows = f"{rows_text(own[0].rows)} of {label_text(dataset)}"
        told.append(f"{runs} of {label_text(model)} on {rows}")
    return listed(told)


def best_step_text(contents: Contents) -> str:
    """The best step of each history by mistakes and by cost, and the runs in which they differ."""
    told = []
    for (dataset, model), own in _by_view(contents).items():
        run = min(own, key=lambda run: min(run.misclassified))
        step, mistakes, cost = _at_step(run, run.best_by_misclassified)
        name = contents.mark((dataset, model)).name
        text = f"{name}: fewest mistakes {_place(own, run, step)}, {mistakes} wrong"
        costly = [run for run in own if run.cost]
        if costly:
            run = min(costly, key=lambda run: min(run.cost or (math.inf,)))
            step, mistakes, lowest = _at_step(run, run.best_by_cost)
            text += f", cost {cost}; lowest cost {_place(own, run, step)}, {lowest}"
            text += f", with {mistakes} wrong"
        told.append(f"{text}.")
        told += [prose(run.sentence) for run in own if run.differ][:MOST_SAID]
    return " ".join(told)


def _place(runs: Sequence[History], run: History, step: str) -> str:
    return f"in run {label_text(run.run)} at step {step}" if len(runs) > 1 else f"at step {step}"


def _by_view(contents: Contents) -> dict[View, list[History]]:
    found: dict[View, list[History]] = {}
    for run in contents.of(History):
        found.setdefault(view_of(run), []).append(run)
    return found


def _best_by_run(contents: Contents, runs: Sequence[History]) -> TableBlock:
    def place(by: str, k: int, run: History) -> str:
        return _at_step(run, getattr(run, f"best_by_{by}"), runs)[k]

    columns: list[Column[History]] = [
        left("run", lambda run: label_text(run.run)),
        left("model", lambda run: LineCell(mark=contents.mark(view_of(run)))),
        right("steps", lambda run: count_text(len(run.steps))),
        right("fewest mistakes: step", partial(place, "misclassified", 0)),
        right("mistakes", partial(place, "misclassified", 1)),
        right("cost", partial(place, "misclassified", 2)),
        right("lowest cost: step", partial(place, "cost", 0)),
        right("mistakes", partial(place, "cost", 1)),
        right("cost", partial(place, "cost", 2)),
        left("at lowest cost", _at_lowest_cost),
    ]
    note = "A step chosen on the rows it is judged on is exploratory."
    return table_of("The best step of each run, by mistakes and by cost", runs, columns, note)


def _at_lowest_cost(run: History) -> str:
    """How many more mistakes the step of lowest cost makes than the best one."""
    if run.best_by_cost is None:
        return "–"
    more = run.misclassified[run.steps.index(run.best_by_cost)] - min(run.misclassified)
    return counted(more, "more mistake") if more else "no more mistakes"


def _costs(run: History) -> Sequence[Any]:
    """The cost at each step; of labels, which have none, nothing."""
    return run.cost or [None] * len(run.steps)


def _steps_chosen(contents: Contents, runs: Sequence[History]) -> list[Block]:
    """The best steps one by one: the table there, the metrics asked for, and the weights."""
    best = [(run, step) for run in runs for step in run.best or ()]
    if not best:
        return []
    metrics = list(dict.fromkeys(m.metric for _, step in best for m in step.metrics))
    columns: list[Column[tuple[History, BestStep]]] = [
        left("run", lambda one: label_text(one[0].run)),
        right("step", lambda one: threshold_text(one[1].step)),
        left("best by", lambda one: listed([BEST_BY[name] for name in one[1].by])),
    ]
    columns += across(
        [(cell, cell.lower()) for cell in contents.flat],
        lambda cell, one: count_text(getattr(one[1], cell)),
    )
    values = {
        name: [m.value for _, step in best for m in step.metrics if m.metric == name]
        for name in metrics[:MOST_METRICS]
    }

    def value(name: str, one: tuple[History, BestStep]) -> str:
        own = next((m.value for m in one[1].metrics if m.metric == name), None)
        known = [value for value in values[name] if value is not None]
        return or_dash(own, lambda value: alike_text(value, known))

    columns += across([(_metric_name(contents, name), name) for name in values], value)
    more = len(metrics) - MOST_METRICS
    note = f"{counted(more, 'other metric')} in results.json." if more > 0 else ""
    blocks: list[Block] = [
        table_of("The table and the metrics at the best steps", best, columns, note)
    ]
    weighted = [(run, step, step.weights) for run, step in best if step.weights is not None]
    if weighted:
        blocks.append(_weights_chosen(weighted))
    return blocks


def _weights_chosen(best: Sequence[tuple[History, BestStep, Mapping[str, float]]]) -> TableBlock:
    """The constant term and the weight of each feature at the best steps, features in lines."""
    features = list(dict.fromkeys(name for _, _, weights in best for name in weights))
    shown = best[:MOST_WEIGHTED]
    lines = [("constant term", [step.bias for _, step, _ in shown])]
    lines += [
        (label_text(name), [weights.get(name) for _, _, weights in shown])
        for name in features[:MOST_FEATURES]
    ]
    left_out = [(len(best) - len(shown), "step"), (len(features) - len(lines) + 1, "feature")]
    told = [counted(count, f"other {what}") for count, what in left_out if count > 0]
    note = f"{listed(told)} in results.json." if told else ""
    heads = [f"{label_text(run.run)}, step {threshold_text(step.step)}" for run, step, _ in shown]
    columns: list[Column[tuple[str, list[float | None]]]] = [
        left("weight of", lambda line: line[0])
    ]
    columns += across(
        zip(heads, range(len(heads)), strict=True), lambda k, line: or_dash(line[1][k])
    )
    return table_of("The weights at the best steps", lines, columns, note)


def _at_step(run: History, step: Any, runs: Sequence[History] = ()) -> tuple[str, str, str]:
    """A step, the rows misclassified there, and the cost there, as those of other runs look."""
    if step is None or step not in run.steps:
        return ("none", "–", "–")
    k = run.steps.index(step)
    wrong, rows = run.misclassified[k], run.rows
    said = f"{count_text(wrong)} of {count_text(rows)} ({share_text(wrong, rows)})"
    costs = [r.cost[r.steps.index(at)] for r in runs for at in _best_steps_of(r) if r.cost]
    cost = or_dash(_costs(run)[k], lambda cost: alike_text(cost, costs))
    return (threshold_text(step), said, cost)


def _best_steps_of(run: History) -> list[Any]:
    """The steps with the fewest mistakes and with the lowest cost."""
    best = (run.best_by_misclassified, run.best_by_cost)
    return [step for step in best if step in run.steps]


def _history_chart(runs: Sequence[History]) -> Chart:
    most = max((x for r in runs for x in r.misclassified), default=1)
    names = [label_text(r.run) for r in runs]
    paint = partial(_draw_runs, runs, names, most)
    caption = f"Mistakes and cost by step, {listed(names)}"
    said = " ".join(prose(r.sentence or "") for r in runs)
    tables = tuple(_history_table(r) for r in runs)
    aside = (
        "Above: rows misclassified, one scale for all runs. Below: cost. Dashed line: the step "
        "with the fewest mistakes; dotted line: the step with the lowest cost."
    )
    width = HALF if len(runs) == 1 else WHOLE
    return Chart(
        drawing(paint, width, 210 if any(run.cost for run in runs) else 130),
        f"{caption}. {said}",
        caption,
        aside,
        tables,
        wide=len(runs) > 1,
        finding=as_title(history_finding(runs)),
        name="training_history",
    )


def _draw_runs(runs: Sequence[History], names: Sequence[str], most: float, figure: Figure) -> None:
    """Runs side by side, each with its mistakes above its cost."""
    costs = any(run.cost for run in runs)
    panels = grid(
        figure, len(runs) * (1 + costs), len(runs), left=34, right=8, top=18, bottom=28,
        gap=(36, 24),
    )  # fmt: skip
    for k, (run, name) in enumerate(zip(runs, names, strict=True)):
        lower = panels[len(runs) + k] if costs else None
        if lower is not None and not run.cost:
            lower.remove()
            lower = None
        training_history(panels[k], lower, run, name, most)


def _history_table(run: History) -> TableBlock:
    shown = spread_over(len(run.steps), DATA_LINES)
    columns: list[Column[int]] = [
        right("step", lambda k: threshold_text(run.steps[k])),
        right("misclassified", lambda k: count_text(run.misclassified[k])),
        right("cost", lambda k: or_dash(_costs(run)[k])),
    ]
    note = f"{len(shown)} of {len(run.steps)} steps; all are in results.json."
    return table_of(f"Run {label_text(run.run)}", shown, columns, note)


def repeat_blocks(contents: Contents) -> list[Block]:
    """How values vary over repeats of the whole cross-validation, model by model."""
    repeated = {v: [m for m in contents.pooled(v) if m.repeats] for v in best_first(contents)}
    tables = [_repeats(contents, view, own) for view, own in repeated.items() if own]
    if len(tables) > 1 and all(len(table.columns) <= FEW_COLUMNS for table in tables):
        return [TablePair(tuple(tables[k : k + 2])) for k in range(0, len(tables), 2)]
    return list(tables)


#: Repeats whose lowest and highest value are seen at a glance.
FEW_REPEATS = 3
#: Columns of a table that has room for another beside it.
FEW_COLUMNS = 4


def _repeats(contents: Contents, view: View, own: Sequence[Measure]) -> TableBlock:
    """The values of a model over repeats; few of them tell the lowest and the highest."""
    lines = [(m, m.repeats) for m in own if m.repeats]
    number = max(len(repeats.values) for _, repeats in lines)
    ends: list[Column[tuple[Measure, Summary]]] = [
        right("lowest", lambda one: or_dash(one[1].low)),
        right("highest", lambda one: or_dash(one[1].high)),
    ]
    columns: list[Column[tuple[Measure, Summary]]] = [
        left("metric", lambda one: contents.title(one[0])),
        right("mean", lambda one: or_dash(one[1].mean)),
        right("SD", lambda one: _spread(one[1])),
        *(() if number <= FEW_REPEATS else ends),
        left("each repeat", lambda one: " · ".join(map(or_dash, one[1].values))),
    ]
    note = "Repeats share their rows: their spread is not an interval."
    name = contents.mark(view).name
    caption = f"{counted(number, 'repeat')} of the cross-validation, {name}"
    return table_of(caption, lines, columns, note)


def _spread(repeats: Summary) -> str:
    """The standard deviation over repeats: 0 where all are equal, whatever rounding left of it."""
    same = repeats.low is not None and repeats.low == repeats.high
    return "0" if same else or_dash(repeats.spread)
