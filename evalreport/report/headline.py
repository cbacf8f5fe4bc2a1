"""The measures that short formats print, and two of these: LaTeX and ``model-index``.

They are measures of all rows, pooled, at the first threshold: as a table for a paper's appendix,
and as the block of a Hugging Face model card. The block is for programs and has all of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from evalreport.report.cards import said_value
from evalreport.report.contents import Contents
from evalreport.report.marking import flat_counts
from evalreport.report.numbers import count_text, level_text, limits_text, threshold_text
from evalreport.report.results_table import share_of_rows
from evalreport.report.training import best_step_text
from evalreport.report.words import POOLED, counted, listed, method_text, prose
from evalreport.results.lookup import Results
from evalreport.results.records import Measure, Table

#: Above so many measures of a model those of single classes are left out.
MOST = 40
#: Tables printed, of no more classes than this.
MOST_TABLES, MOST_CLASSES = 12, 12
#: Tables named beside a measure that is taken over those of several labels.
MOST_NAMED = 4


class Headline(NamedTuple):
    """The measures that are printed, and in words how many of each kind are not."""

    measures: tuple[Measure, ...]
    left_out: str


def headline_of(contents: Contents) -> Headline:
    """Measures of all rows at the first threshold, model by model, and what they leave out.

    Of a model with more than ``MOST`` those of single classes are left to ``results.json``.
    """
    shown, classes, none = [], 0, 0
    for view in contents.views:
        known = [m for m in contents.pooled(view) if m.state != "not_applicable"]
        none += len(contents.pooled(view)) - len(known)
        own = known
        if len(known) > MOST:
            own = [m for m in known if not contents.names_class(m)]
        classes += len(known) - len(own)
        shown += own
    subgroups = sum(bool(m.subgroup) for m in contents.measures)
    folds = sum(m.fold is not None and not m.subgroup for m in contents.measures)
    others = len(contents.measures) - len(shown) - classes - none - subgroups - folds
    kinds = (
        (classes, "of single classes"),
        (subgroups, "of subgroups"),
        (folds, "of folds"),
        (others, "at other thresholds"),
        (none, "not applicable to their model"),
    )
    told = [f"{count_text(number)} {kind}" for number, kind in kinds if number]
    words = (
        f"Measures not shown here: {listed(told)}; results.json has all of them." if told else ""
    )
    return Headline(tuple(shown), words)


def headline_tables(results: Results, measures: Sequence[Measure]) -> tuple[list[Table], int]:
    """The tables that these measures stand on, and how many more are too large to be printed."""
    ids = dict.fromkeys(name for m in measures for name in _tables_of(m))
    own = [results.table(i) for i in ids if results.has_table(i)]
    printed = [t for t in own if t.counts is not None and len(t.labels) <= MOST_CLASSES]
    shown = printed[:MOST_TABLES]
    return shown, len(own) - len(shown)


def _tables_of(m: Measure) -> list[str]:
    """The table of a measure, or those of the labels that it is taken over."""
    return [m.table] if m.table else [name for name in m.tables or () if name]


def tables_words(m: Measure) -> str:
    """The names of the tables that a measure stands on."""
    names = _tables_of(m)
    more = len(names) - MOST_NAMED
    return ", ".join(names) if more < 1 else f"{', '.join(names[:MOST_NAMED])} and {more} more"


def table_title(table: Table) -> str:
    """What a table is of, in words."""
    parts = [table.id, prose(table.dataset), prose(table.model)]
    if table.threshold is not None:
        parts.append(f"threshold {threshold_text(table.threshold)}")
    return ", ".join(parts)


def table_lines(table: Table) -> list[list[str]]:
    """Rows of a table as texts: the head of labels, then each actual class with its counts."""
    head = ["actual, predicted →", *table.labels, *table.extra_columns]
    rows = zip(table.labels, table.counts or (), strict=True)
    return [head, *([label, *map(count_text, counts)] for label, counts in rows)]


def value_words(m: Measure) -> str:
    """The value as printed, or the word for its state."""
    return said_value(m)


def interval_words(m: Measure) -> str:
    """``0.779 to 0.879 (95 %, Wilson)``, or why there is none."""
    interval = m.interval
    if interval is None:
        return prose(m.reason or m.interval_reason or "none")
    limits = limits_text(interval.low, interval.high, m.value)
    level, method = level_text(interval.level), method_text(interval.method)
    return f"{limits} ({level}, {method})"


def counts_words(contents: Contents, m: Measure) -> str:
    """``177 / 212`` where the value is a share of rows, else the table of two classes, else n."""
    share, table = share_of_rows(contents, m), contents.table_of(m.table)
    flat = None if table is None else flat_counts(table)
    if share or not flat:
        return share or f"n {count_text(m.n)}"
    return " ".join(f"{name} {count_text(flat[name])}" for name in contents.flat)


def name_words(contents: Contents, m: Measure) -> str:
    """What the page calls a measure; of a study of readers it says that readings are pooled."""
    name = contents.title(m)
    return f"{name}, {POOLED}" if contents.pools_readings(m) else name


def more_tables(count: int) -> str:
    """How many tables are left to the report."""
    return f"The report has {counted(count, 'more table')}."


_ESCAPES = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "→": r"$\to$", "\u202f": r"\,",
    "∞": r"$\infty$", "−": r"$-$", "≥": r"$\ge$", "≤": r"$\le$", "<": r"$<$", ">": r"$>$",
}  # fmt: skip


def measures_latex(results: Results) -> str:
    """Tabulars of the headline measures and of their tables; they need no package."""
    return "\n".join(_lines(Contents(results))) + "\n"


def _lines(contents: Contents) -> Iterator[str]:
    results = contents.results
    yield f"% {prose(results.title)}, evalreport {results.provenance.version}"
    steps = best_step_text(contents)
    if steps:
        yield escaped(steps)
    measures, left_out = headline_of(contents)
    if not measures:
        return
    yield r"\begin{tabular}{lllrlrl}"
    yield r"\hline"
    yield r"dataset & model & measure & value & interval & counts & table \\"
    yield r"\hline"
    for m in measures:
        cells = (
            m.dataset,
            m.model,
            name_words(contents, m),
            value_words(m),
            interval_words(m),
            counts_words(contents, m),
            tables_words(m),
        )
        yield " & ".join(escaped(cell) for cell in cells) + r" \\"
    yield r"\hline"
    if left_out:
        yield rf"\multicolumn{{7}}{{l}}{{{escaped(left_out)}}} \\"
    yield r"\end{tabular}"
    yield from _tables(results, measures)


def _tables(results: Results, measures: Sequence[Measure]) -> Iterator[str]:
    """A tabular for each classification table that the measures stand on."""
    tables, more = headline_tables(results, measures)
    for table in tables:
        head, *rows = table_lines(table)
        yield f"% table {prose(table_title(table))}"
        yield rf"\begin{{tabular}}{{l{'r' * (len(head) - 1)}}}"
        yield r"\hline"
        yield " & ".join(map(escaped, head)) + r" \\"
        yield r"\hline"
        for row in rows:
            yield " & ".join(map(escaped, row)) + r" \\"
        yield r"\hline"
        yield r"\end{tabular}"
    if more:
        yield escaped(more_tables(more))


def escaped(text: Any) -> str:
    r"""Text without characters that LaTeX takes as commands.

    >>> escaped("50% of $5_a")
    '50\\% of \\$5\\_a'
    """
    return "".join(_ESCAPES.get(c, c) for c in prose(text))


def model_index(results: Results) -> bytes:
    """YAML with one entry per model and one result per dataset; written as JSON, a part of YAML."""
    models: dict[str, dict[str, list[dict[str, Any]]]] = {}
    contents = Contents(results)
    for view in contents.views:
        metrics = [
            {"type": m.metric, "name": contents.title(m), "value": m.value, "args": dict(m.params)}
            for m in contents.pooled(view)
            if m.value is not None
        ]
        if metrics:
            dataset, model = view
            models.setdefault(model, {})[dataset] = metrics
    index = [
        {
            "name": model,
            "results": [
                {
                    "task": {"type": "tabular-classification"},
                    "dataset": {"name": dataset, "type": dataset},
                    "metrics": metrics,
                }
                for dataset, metrics in datasets.items()
            ],
        }
        for model, datasets in models.items()
    ]
    text = json.dumps({"model-index": index}, indent=2, ensure_ascii=False, allow_nan=False)
    return (text + "\n").encode("utf-8")
