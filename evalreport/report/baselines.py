"""The models beside what needs no model, and beside values declared elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

from evalreport.numbers import count_text, difference_text, or_dash, p_text, value_text
from evalreport.report.cards import flat_cells, interval_text, judged_title, number_of
from evalreport.report.columns import Column, left, left_out, right, table_of
from evalreport.report.contents import Contents, View, identity
from evalreport.report.leading import best_first
from evalreport.report.marking import flat_counts, flat_counts_of
from evalreport.report.model import Block, Head, Line, TableBlock, Text
from evalreport.report.pieces import LineCell
from evalreport.report.sections import section
from evalreport.report.slices import wanted
from evalreport.report.words import (
    condition_text,
    counted,
    label_text,
    listed,
    method_text,
    prose,
    visible,
)
from evalreport.results.identity import MEAN_OF_FOLDS, Quantity
from evalreport.results.records import AgainstBaseline, Baseline, BaselineTable, Declared, Measure

MOST_LINES = 40
#: Metrics of the table of baselines.
MOST_BASELINES = 6


@section(
    "baselines",
    "Baselines and declared values",
    short="Baselines",
    of=(Baseline, BaselineTable, AgainstBaseline, Declared),
)
def baseline_blocks(contents: Contents) -> list[Block]:
    """Baselines of each dataset beside its models, then declared values beside measured ones.

    Of several classes it is said in words what they come to; each value is in results.json.
    """
    blocks: list[Block] = []
    for dataset in contents.datasets:
        blocks += _against(contents, dataset)
        if all(contents.is_binary(view) for view in contents.views if view[0] == dataset):
            strip = _baselines(contents, dataset)
            blocks += [] if strip is None else [strip]
        elif names := dict.fromkeys(b.baseline for b in _of_dataset(contents, dataset)):
            told = listed([visible(name.replace("_", " ")) for name in names])
            blocks.append(
                Text(f"The values of {told} by every metric are in results.json.", "small")
            )
    declared = contents.of(Declared)
    return [*blocks, _declared(contents, declared)] if declared else [*blocks]


def _baselines(contents: Contents, dataset: str) -> TableBlock | None:
    """One line per baseline, then one per model: the counts of two classes, then the values."""
    views = [v for v in best_first(contents) if v[0] == dataset]
    own = _of_dataset(contents, dataset)
    names = list(dict.fromkeys(b.baseline for b in own))
    known = {(b.baseline, _key(b)): b.value for b in own}
    found = {key: [_measure(contents, view, key) for view in views] for key in _keys(own, names)}
    alone = [_title(contents, b) for b in own if not any(found.get(_key(b), [True]))]
    found = {key: measures for key, measures in found.items() if any(measures)}
    if not found:
        return None
    keys = list(found)[:MOST_BASELINES]
    tables = _tables(contents, dataset)
    lines = []
    for name in names:
        values = [LineCell(or_dash(known.get((name, key)))) for key in keys]
        heads = LineCell(visible(name.replace("_", " ")), head=True)
        lines.append(Line((heads, *_counts(contents, tables, name), *values), rule=False))
    lines += [
        _of_model(contents, view, [found[key][k] for key in keys], flat=bool(tables))
        for k, view in enumerate(views)
    ]
    titles = [contents.heading(next(filter(None, found[key]))) for key in keys]
    flat = [Head(name, "right") for name in contents.flat] if tables else []
    columns = (Head("baseline or model"), *flat, *(Head(title, "right") for title in titles))
    at = _at(list(tables.values()))
    notes = [at, _notes(own, len(found), list(dict.fromkeys(alone))), _left_out(contents, own)]
    title = f"Models against simple rules, {label_text(dataset)}{_rows(contents, views)}"
    return TableBlock(title, columns, tuple(lines), (" ".join(filter(None, notes)),), "many")


def _of_dataset(contents: Contents, dataset: str) -> list[Baseline]:
    return [b for b in contents.of(Baseline) if b.dataset == dataset]


def _keys(own: Sequence[Baseline], names: Sequence[str]) -> list[Quantity]:
    """The metrics with a value, first those that the plainest baselines have one of."""
    plainest = {_key(b) for b in own if b.baseline != names[-1] and b.value is not None}
    keys = dict.fromkeys(_key(b) for b in own if b.value is not None)
    return sorted(keys, key=lambda k: k not in plainest)


def _tables(contents: Contents, dataset: str) -> dict[str, BaselineTable]:
    """The tables of two classes that the values of the baselines follow from, by baseline."""
    own = {t.baseline: t for t in contents.of(BaselineTable) if t.dataset == dataset}
    return {name: t for name, t in own.items() if len(t.labels) == 2 and t.positive in t.labels}


def _counts(contents: Contents, tables: dict[str, BaselineTable], name: str) -> list[LineCell]:
    """The cells of a baseline laid flat; none where no baseline has them."""
    if not tables:
        return []
    table = tables.get(name)
    if table is None:
        return [LineCell() for _ in contents.flat]
    four = flat_counts_of(table.counts, table.labels.index(str(table.positive)))
    return [LineCell(count_text(four[name])) for name in contents.flat]


def _of_model(
    contents: Contents, view: View, measures: Sequence[Measure | None], *, flat: bool
) -> Line:
    """The line of a model: its table of two classes laid flat, then its values."""
    tables = (contents.table_of(m.table) for m in measures if m is not None)
    table = next((t for t in tables if t is not None and flat_counts(t) is not None), None)
    cells = [LineCell(mark=contents.mark(view))]
    if flat:
        laid = flat_cells(contents, table, None, "middle")
        cells += laid or [LineCell() for _ in contents.flat]
    for m in measures:
        number = None if m is None else number_of(contents, m, whisker=False, limits=False)
        cells.append(LineCell("–" if number is None else "", number=number))
    return Line(tuple(cells), table=table.id if flat and table is not None else "", rule=False)


def _at(tables: Sequence[BaselineTable]) -> str:
    """The threshold of the baselines that give scores."""
    found = [t for t in tables if t.threshold is not None]
    at = next((t.threshold for t in found), None)
    if at is None:
        return ""
    names = listed([visible(t.baseline.replace("_", " ")) for t in found])
    return f"The table of {names} is at {condition_text(at)}."


def _rows(contents: Contents, views: list[View]) -> str:
    """The number of rows that the values are of, where it is one."""
    counts = {m.n for view in views for m in contents.pooled(view)}
    return f", n {count_text(counts.pop())}" if len(counts) == 1 else ""


def _against(contents: Contents, dataset: str) -> list[Block]:
    """Whether each model is better than guessing and than the previous model, with the numbers."""
    said = []
    for view in best_first(contents):
        own = [r for r in contents.of(AgainstBaseline) if (r.dataset, r.model) == view]
        if view[0] == dataset and own:
            text = "; ".join(_judged(contents, r) for r in own)
            said.append(f"{contents.mark(view).name} is {text}.")
    return [Text(" ".join(said), "small")] if said else []


def _judged(contents: Contents, r: AgainstBaseline) -> str:
    """What one model is judged by, with both values, or why it is not judged."""
    what = "guessing" if r.baseline == "chance" else visible(r.baseline.replace("_", " "))
    if r.previous is not None:
        what = f"the previous model {label_text(r.previous)}"
    inside = f" ({interval_text(r.interval)})" if r.interval is not None else ""
    shown = "" if r.difference is None else f", difference {difference_text(r.difference)}{inside}"
    values = (
        f"{_summary(contents, r)} {value_text(r.value)}{'' if shown else inside}, "
        f"{what} {value_text(r.baseline_value)}{shown}"
    )
    told = {
        "better": f"better than {what}",
        "worse": f"worse than {what}",
        "not_shown": f"not shown to be better than {what}",
        "not_judged": f"not judged against {what}, because {prose(r.reason or '')}",
    }[r.outcome]
    return f"{told}: {values}"


def _summary(contents: Contents, r: AgainstBaseline) -> str:
    """The number that a model is judged by."""
    measure = contents.measure_of(r.measure)
    of_folds = measure is not None and measure.fold == MEAN_OF_FOLDS
    return f"{contents.heading(r)}{', mean over folds,' if of_folds else ''}"


def _notes(own: Sequence[Baseline], lines: int, alone: Sequence[str]) -> str:
    """The notes of baselines, and what is left out: ``alone`` are values that no model has."""
    found = list(dict.fromkeys(prose(b.note) for b in own if b.note))
    notes = [f"{note[:1].upper()}{note[1:]}." for note in found]
    notes.append(left_out(MOST_BASELINES, lines, "metrics"))
    if alone:
        notes.append(f"Computed for the baselines and for no model: {listed(list(alone))}.")
    return " ".join(filter(None, notes))


def _left_out(contents: Contents, own: Sequence[Baseline]) -> str:
    """Which averages of baselines are over fewer classes than those of the models."""
    found: dict[tuple[str, int], list[str]] = {}
    for b in own:
        if b.left_out and b.value is not None:
            key = _title(contents, b), len(b.left_out)
            found.setdefault(key, []).append(visible(b.baseline.replace("_", " ")))
    told = [
        f"{title} of {listed(names)} leaves out {counted(some, 'class', 'classes')} on which it is "
        "undefined."
        for (title, some), names in found.items()
    ]
    return " ".join(told)


def _key(b: Baseline | Measure) -> Quantity:
    """What a value is of but its class, which is the positive one or none."""
    return identity(b)._replace(label=None, indeterminate=None)


def _title(contents: Contents, b: Baseline) -> str:
    """A baseline's metric by the title that measures of it have."""
    same = next((m for m in contents.measures if m.metric == b.metric), None)
    return contents.heading(b, title="" if same is None else contents.words.title(same))


def _measure(contents: Contents, view: View, key: Quantity) -> Measure | None:
    """The model's value of the same metric and average: of the positive class, or over classes."""
    own = (m for m in contents.pooled(view) if _key(m) == key and wanted(contents, m))
    return min(own, key=lambda m: m.indeterminate is not None, default=None)


def _declared(contents: Contents, entries: Sequence[Declared]) -> TableBlock:
    """Declared values, who declared them, and whether the interval measured here holds them."""
    columns: list[Column[Declared]] = [
        left("metric", lambda one: judged_title(contents, one)),
        left("model", lambda one: label_text(one.model or "–")),
        right("declared", lambda one: value_text(one.value)),
        left("source", lambda one: prose(one.source or "not stated")),
        right("measured", lambda one: or_dash(one.measured)),
        right("interval", lambda one: interval_text(one.interval) or "–"),
        right("difference", lambda one: or_dash(one.difference, difference_text)),
        left("declared value", _within),
        left("p", _tested),
    ]
    note = "Inside and outside are of the interval measured here; neither is a verdict."
    title = "Declared elsewhere and measured here"
    return table_of(title, entries, columns, note, most=MOST_LINES)


def _within(entry: Declared) -> str:
    if entry.within is None:
        return prose(entry.reason or "–")
    return "inside" if entry.within else "outside"


def _tested(entry: Declared) -> str:
    if entry.p_value is None:
        return "–"
    return f"{p_text(entry.p_value)}, {method_text(str(entry.test))}"
