"""The measures that short formats print, and two of these: LaTeX and ``model-index``.

They are measures of all rows, pooled, at the first threshold: as a table for a paper's appendix,
and as the block of a Hugging Face model card.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from evalreport.report.cards import said_value
from evalreport.report.contents import Contents
from evalreport.report.numbers import count_text, level_text, limits_text, threshold_text
from evalreport.report.words import POOLED, measure_title, method_text, prose
from evalreport.results.lookup import Results
from evalreport.results.records import Measure, Table

#: Above so many measures of a model the per-class ones are left to the report.
MOST = 40
#: Tables printed, of no more classes than this.
MOST_TABLES, MOST_CLASSES = 12, 12
#: Tables named beside a measure that is taken over those of several labels.
MOST_NAMED = 4


def headline_measures(results: Results) -> list[Measure]:
    """Measures of all rows, not of subgroups or folds, at the first threshold of their model."""
    first: dict[tuple[str, str], tuple[Any, Any]] = {}
    for t in results.thresholds:
        first.setdefault((t.dataset, t.model), (t.threshold, t.rule))
    found = []
    for m in results.measures:
        if m.subgroup or m.fold is not None or m.state == "not_applicable":
            continue
        place = (m.dataset, m.model)
        at = (m.threshold, m.threshold_rule)
        if at == (None, None) or at == first.get(place, at):
            found.append(m)
    if len(found) > MOST:
        found = [m for m in found if m.average is not None or m.label is None]
    return found


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


def counts_words(m: Measure) -> str:
    """``177 / 212`` where the value is one fraction of whole rows, else n."""
    top, bottom = m.numerator, m.denominator
    if isinstance(top, int) and isinstance(bottom, int):
        return f"{count_text(top)} / {count_text(bottom)}"
    return f"n {count_text(m.n)}"


def name_words(heading: str, label: str | None) -> str:
    """A measure's heading, in which its average stands, with its class."""
    return heading if label is None else f"{heading} of {label}"


def with_readings(contents: Contents, m: Measure, name: str) -> str:
    """The name of a measure; of a study of readers it says that their readings are pooled."""
    return f"{name}, {POOLED}" if contents.pools_readings(m) else name


_ESCAPES = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "→": r"$\to$", "\u202f": r"\,",
    "−": r"$-$", "≥": r"$\ge$", "≤": r"$\le$", "<": r"$<$", ">": r"$>$",
}  # fmt: skip


def measures_latex(results: Results) -> str:
    """Tabulars of the headline measures and of their tables; they need no package."""
    return "\n".join(_lines(Contents(results))) + "\n"


def _lines(contents: Contents) -> Iterator[str]:
    results = contents.results
    yield f"% {prose(results.title)}, evalreport {results.provenance.version}"
    yield r"\begin{tabular}{lllrlrl}"
    yield r"\hline"
    yield r"dataset & model & measure & value & interval & counts & table \\"
    yield r"\hline"
    measures = headline_measures(results)
    for m in measures:
        cells = (
            m.dataset,
            m.model,
            with_readings(contents, m, name_words(contents.heading(m), m.label)),
            value_words(m),
            interval_words(m),
            counts_words(m),
            tables_words(m),
        )
        yield " & ".join(escaped(cell) for cell in cells) + r" \\"
    yield r"\hline"
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
        yield f"% {more} more tables are in the report"


def escaped(text: Any) -> str:
    r"""Text without characters that LaTeX takes as commands.

    >>> escaped("50% of $5_a")
    '50\\% of \\$5\\_a'
    """
    return "".join(_ESCAPES.get(c, c) for c in prose(text))


def model_index(results: Results) -> bytes:
    """YAML with one entry per model and one result per dataset; written as JSON, a part of YAML."""
    models: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for m in headline_measures(results):
        if m.value is None:
            continue
        found = models.setdefault(m.model, {}).setdefault(m.dataset, [])
        found.append(
            {
                "type": m.metric,
                "name": name_words(measure_title(m), m.label),
                "value": m.value,
                "args": dict(m.params),
            }
        )
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
