"""Results as a text: for each model one measure of each metric, with its limits and rows.

The same measures are what ``results["recall"]`` gives and ``results.summary()`` lists.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from evalreport.report.contents import Contents, View, identity
from evalreport.report.criteria import counted_outcomes
from evalreport.report.headline import name_words, value_words
from evalreport.report.numbers import THIN, count_text, level_text, limits_text
from evalreport.report.results_table import average_rank
from evalreport.report.words import counted, label_text, prose
from evalreport.results.lookup import Results
from evalreport.results.records import HELD, Measure


def main_measures(contents: Contents) -> dict[View, list[Measure]]:
    """One measure of each metric of every model: of all rows, at its first threshold.

    With two classes that of the positive one; with more the value over all classes, else the
    first average, and that of each class only where there is nothing else. Indeterminate
    predictions counted for and against make two.
    """
    return {view: own for view in contents.views if (own := _of_view(contents, view))}


def _of_view(contents: Contents, view: View) -> list[Measure]:
    found: dict[tuple[object, ...], list[Measure]] = {}
    for m in contents.pooled(view):
        key = (m.metric, identity(m).params, m.indeterminate)
        found.setdefault(key, []).append(m)
    main = []
    for own in found.values():
        over_all = [m for m in own if not contents.names_class(m)]
        main += [min(over_all, key=lambda m: average_rank(contents, m))] if over_all else own
    return main


def printed(results: Results) -> str:
    """The results as a table: a block for each model, a line for each metric."""
    contents = Contents(results)
    return "\n".join(_lines(contents))


def one_line(results: Results, m: Measure) -> str:
    """One measure as a line: ``Recall 0.835 (0.779 to 0.879)``."""
    row = _row(Contents(results), m)
    told = row.limits or row.reason
    text = f"{row.name.strip()} {row.value}"
    return f"{text} ({told})" if told else text


class _Row(NamedTuple):
    """The texts of a measure; ``reason`` says why it has no limits."""

    name: str
    value: str
    limits: str
    n: str
    reason: str = ""


def _lines(contents: Contents) -> Iterator[str]:
    results = contents.results
    yield prose(results.title)
    by_view = main_measures(contents)
    positive = {contents.positive(view) for view in by_view}
    if len(positive) == 1 and None not in positive:
        yield ""
        yield f"positive class: {label_text(str(positive.pop()))}"
    yield from _blocks(contents, by_view)
    if results.acceptance:
        passed = sum(entry.outcome in HELD for entry in results.acceptance)
        yield ""
        yield f"passed: {passed} of {counted_outcomes(contents)}"
    warnings = sum(caution.severity == "warning" for caution in results.cautions)
    if warnings:
        yield ""
        yield f"{counted(warnings, 'warning')}: results.cautions"


def _blocks(contents: Contents, by_view: Mapping[View, Sequence[Measure]]) -> Iterator[str]:
    """A head for each model of each dataset, and its measures below."""
    level = next((m.interval.level for m in contents.measures if m.interval is not None), 0.95)
    columns = ("value", f"{level_text(level)} interval".replace(THIN, " "), "n")
    blocks = {
        view: [_Row(_head(contents, view), *columns), *(_row(contents, m) for m in own)]
        for view, own in by_view.items()
    }
    widths = [max(len(row[i]) for own in blocks.values() for row in own) for i in range(4)]
    for rows in blocks.values():
        yield ""
        for row in rows:
            name, value = f"{row.name:<{widths[0]}}", f"{row.value:>{widths[1]}}"
            limits, n = f"{row.limits:<{widths[2]}}", f"{row.n:>{widths[3]}}"
            yield f"{name}  {value}  {limits}  {n}  {row.reason}".rstrip()


def _head(contents: Contents, view: View) -> str:
    dataset, model = view
    return label_text(f"{dataset}, {model}" if len(contents.datasets) > 1 else model)


def _row(contents: Contents, m: Measure) -> _Row:
    name = name_words(contents, m)
    told = {"for": "indeterminate as right", "against": "indeterminate as wrong"}
    if m.indeterminate is not None:
        name = f"{name}, {told[m.indeterminate]}"
    limits, reason = "", prose(m.reason or m.interval_reason or "")
    if m.interval is not None:
        limits, reason = limits_text(m.interval.low, m.interval.high, m.value), ""
    texts = (f"  {label_text(name)}", value_words(m), limits, count_text(m.n), reason)
    return _Row(*(text.replace(THIN, " ") for text in texts))
