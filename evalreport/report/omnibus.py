"""One test of all models at once, where the spec asks for it."""

from __future__ import annotations

from evalreport.report.contents import Contents
from evalreport.report.model import Block, Column, PlainTable, TableRow
from evalreport.report.numbers import count_text, number_text, p_text, value_text
from evalreport.report.words import label_text, method_text, prose
from evalreport.results.records import OmnibusTest

NOTE = (
    "Whether the models of a dataset differ at all, on the rows that every one of them uses: a "
    "small p value says that they are not all alike, not which. The p values are "
    "not corrected for their number."
)


def omnibus_blocks(contents: Contents) -> list[Block]:
    """One line for each test of all models."""
    found = contents.of(OmnibusTest)
    if not found:
        return []
    heads = (
        ("metric", "left", "22%"),
        ("models and values", "left", "36%"),
        ("n", "right", "8%"),
        ("test", "left", "14%"),
        ("statistic", "right", "8%"),
        ("df", "right", "5%"),
        ("p", "right", "7%"),
    )
    rows = tuple(TableRow(_row(contents, record)) for record in found)
    reasons = [f"{r.title}: {prose(r.reason)}." for r in found if r.reason]
    columns = tuple(Column(*head) for head in heads)
    note = " ".join([NOTE, *reasons])
    return [PlainTable("All models at once", columns, rows, note, "gaps")]


def _row(contents: Contents, record: OmnibusTest) -> tuple[str, ...]:
    values = record.values or (None,) * len(record.models)
    models = ", ".join(
        f"{label_text(model)} {'–' if value is None else value_text(value)}"
        for model, value in zip(record.models, values, strict=True)
    )
    return (
        contents.heading(record),
        models,
        count_text(record.n),
        method_text(record.test),
        "–" if record.statistic is None else number_text(record.statistic),
        "–" if record.df is None else number_text(record.df),
        "–" if record.p_value is None else p_text(record.p_value),
    )
