"""What was to be shown of differences: superiority, non-inferiority, equivalence, one side."""

from __future__ import annotations

from evalreport.report.cards import interval_text
from evalreport.report.comparisons import comparison_title
from evalreport.report.contents import Contents
from evalreport.report.model import Block, Column, PlainTable, TableRow
from evalreport.report.numbers import difference_text, number_text, p_text
from evalreport.report.words import label_text, method_text
from evalreport.results.records import Comparison, Hypothesis

NOTE = (
    "Each p value is one-sided and held against the level beside it; of two one-sided tests "
    "(equivalence) it is the larger. Not shown is not disproved: the rows do not settle it."
)
CORRECTED = (
    " The p values are corrected with those of the other comparisons, in place of two-sided ones."
)


def hypothesis_blocks(contents: Contents) -> list[Block]:
    """One line for each comparison of which the spec states what is to be shown."""
    found = [c for c in contents.of(Comparison) if c.hypothesis is not None]
    if not found:
        return []
    heads = (
        ("metric", "left", "19%"),
        ("models", "left", "20%"),
        ("to be shown", "left", "17%"),
        ("difference", "right", "9%"),
        ("interval", "right", "13%"),
        ("test", "left", "10%"),
        ("p", "right", "6%"),
        ("", "right", "6%"),
    )
    rows = tuple(TableRow(_row(contents, c, c.hypothesis)) for c in found if c.hypothesis)
    corrected = any(c.correction != "none" for c in found)
    note = NOTE + CORRECTED if corrected else NOTE
    caption = "What was to be shown"
    return [PlainTable(caption, tuple(Column(*h) for h in heads), rows, note, "gaps")]


def stated(hypothesis: Hypothesis) -> str:
    """The hypothesis in words, with its margin.

    >>> stated(Hypothesis(kind="equivalence", margin=0.1, null=None, test="tango", statistic=None,
    ...     p_value=None, p_adjusted=None, alpha=0.025, shown=None))
    'differs by less than 0.1'
    """
    by = number_text(hypothesis.margin)
    words = {
        "superiority": "better" if not hypothesis.margin else f"better by more than {by}",
        "non_inferiority": f"not worse by {by} or more",
        "equivalence": f"differs by less than {by}",
        "greater": "larger" if not hypothesis.margin else f"larger by more than {by}",
        "less": "smaller" if not hypothesis.margin else f"smaller by more than {by}",
    }
    return words[hypothesis.kind]


def _row(contents: Contents, c: Comparison, asked: Hypothesis) -> tuple[str, ...]:
    told = {True: "shown", False: "not shown", None: "–"}[asked.shown]
    against = c.reference_dataset or c.reference
    p = asked.p_adjusted
    return (
        comparison_title(contents, c),
        f"{label_text(c.model)} against {label_text(against)}",
        stated(asked),
        "–" if c.difference is None else difference_text(c.difference),
        interval_text(c.interval) or "–",
        method_text(asked.test),
        "–" if p is None else f"{p_text(p)} ({number_text(asked.alpha)})",
        told if asked.reason is None else f"{told}: {asked.reason}",
    )
