"""Comparisons that a spec asks for beside plain differences, each a table of its own.

These are hypotheses (superiority, non-inferiority, equivalence, one side), differences with a
margin, one test of all models at once, ratios of two shares, and net reclassification: the rows
that move between two models, and what that adds up to.
"""

from __future__ import annotations

from evalreport.report.cards import interval_text
from evalreport.report.comparisons import against_text, comparison_blocks, comparison_title
from evalreport.report.contents import Contents
from evalreport.report.model import Block, Column, PlainTable, TableRow
from evalreport.report.numbers import count_text, difference_text, number_text, p_text, value_text
from evalreport.report.sections import section
from evalreport.report.words import label_text, method_text, prose
from evalreport.results.records import (
    Comparison,
    Hypothesis,
    Moves,
    OmnibusTest,
    Ratio,
    Reclassification,
    Reference,
    ScorePairs,
)

HYPOTHESIS_NOTE = (
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
        ("metric", "left"),
        ("models", "left"),
        ("to be shown", "left"),
        ("difference", "right"),
        ("interval", "right"),
        ("test", "left"),
        ("p", "right"),
        ("", "right"),
    )
    rows = tuple(
        TableRow(_hypothesis_row(contents, c, c.hypothesis)) for c in found if c.hypothesis
    )
    corrected = any(c.correction != "none" for c in found)
    note = HYPOTHESIS_NOTE + CORRECTED if corrected else HYPOTHESIS_NOTE
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


def _hypothesis_row(contents: Contents, c: Comparison, asked: Hypothesis) -> tuple[str, ...]:
    told = {True: "shown", False: "not shown", None: "–"}[asked.shown]
    p = asked.p_adjusted
    return (
        comparison_title(contents, c),
        f"{label_text(c.model)} against {against_text(c)}",
        stated(asked),
        "–" if c.difference is None else difference_text(c.difference),
        interval_text(c.interval) or "–",
        method_text(asked.test),
        "–" if p is None else f"{p_text(p)} ({number_text(asked.alpha)})",
        told if asked.reason is None else f"{told}: {asked.reason}",
    )


MARGIN_NOTE = (
    "Non-inferior: the interval of model minus reference leaves out a loss as large as the margin. "
    "Otherwise such a loss is not ruled out, which is not to say that there is one."
)


def margin_blocks(contents: Contents) -> list[Block]:
    """One line for each comparison that the spec gives a margin for."""
    found = [c for c in contents.of(Comparison) if c.margin is not None]
    if not found:
        return []
    heads = (
        ("metric", "left"),
        ("models", "left"),
        ("n", "right"),
        ("value", "right"),
        ("reference", "right"),
        ("difference", "right"),
        ("interval", "right"),
        ("margin", "right"),
        ("", "right"),
    )
    rows = tuple(TableRow(_margin_row(contents, c)) for c in found)
    return [
        PlainTable("Non-inferiority", tuple(Column(*h) for h in heads), rows, MARGIN_NOTE, "gaps")
    ]


def _margin_row(contents: Contents, c: Comparison) -> tuple[str, ...]:
    told = "–" if c.non_inferior is None else "yes" if c.non_inferior else "not shown"
    values = (c.model_value, c.reference_value)
    return (
        comparison_title(contents, c),
        f"{label_text(c.model)} against {against_text(c)}",
        count_text(c.n),
        *("–" if value is None else value_text(value) for value in values),
        "–" if c.difference is None else difference_text(c.difference),
        interval_text(c.interval) or "–",
        number_text(c.margin),
        told,
    )


MOVES_NOTE = (
    "Up: only the model predicts the positive class; down: only the reference does. Of the "
    "actual positives net is (up − down) / n, of the others (down − up) / n; their sum is the "
    "difference of the two models in recall plus that in specificity. A positive sum can come "
    "from a model that is no better calibrated and no more useful: read it with recall, "
    "specificity and net benefit, never alone. p is not corrected for the number of tests."
)


def reclassification_blocks(contents: Contents) -> list[Block]:
    """Three lines for each pair of models: actual positives, the others, and their sum."""
    rows: list[TableRow] = []
    reasons = []
    for record in contents.of(Reclassification):
        pair = f"{label_text(record.model)} against {label_text(record.reference)}"
        if record.net is None or record.events is None or record.nonevents is None:
            reasons.append(f"{pair}: {prose(record.reason or '')}.")
            continue
        label = label_text(record.label)
        rows.append(TableRow((pair, f"actual {label}", *_moves(record.events), "")))
        rows.append(TableRow(("", "the others", *_moves(record.nonevents), "")))
        p = "–" if record.p_value is None else p_text(record.p_value)
        limits = interval_text(record.interval) or "–"
        total = (count_text(record.rows), "", "", difference_text(record.net), limits, p)
        rows.append(TableRow(("", "sum", *total), strong=True))
    heads = (
        ("models", "left"),
        ("rows", "left"),
        ("n", "right"),
        ("up", "right"),
        ("down", "right"),
        ("net", "right"),
        ("interval", "right"),
        ("p", "right"),
    )
    if not rows and not reasons:
        return []
    note = " ".join([MOVES_NOTE, *reasons])
    columns = tuple(Column(*head) for head in heads)
    return [PlainTable("Net reclassification", columns, tuple(rows), note, "gaps")]


def _moves(part: Moves) -> tuple[str, ...]:
    return (
        count_text(part.n),
        count_text(part.up),
        count_text(part.down),
        "–" if part.net is None else difference_text(part.net),
        interval_text(part.interval) or "–",
    )


OMNIBUS_NOTE = (
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
        ("metric", "left"),
        ("models and values", "left"),
        ("n", "right"),
        ("test", "left"),
        ("statistic", "right"),
        ("df", "right"),
        ("p", "right"),
    )
    rows = tuple(TableRow(_omnibus_row(contents, record)) for record in found)
    reasons = [f"{r.title}: {prose(r.reason)}." for r in found if r.reason]
    columns = tuple(Column(*head) for head in heads)
    note = " ".join([OMNIBUS_NOTE, *reasons])
    return [PlainTable("All models at once", columns, rows, note, "gaps")]


def _omnibus_row(contents: Contents, record: OmnibusTest) -> tuple[str, ...]:
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


RATIO_NOTE = (
    "The share of the model over that of the reference. Limits that leave out 1 tell them apart."
)


def ratio_blocks(contents: Contents) -> list[Block]:
    """One line for each comparison whose ratio was asked for."""
    found = [(c, c.ratio) for c in contents.of(Comparison) if c.ratio is not None]
    if not found:
        return []
    heads = (
        ("metric", "left"),
        ("models", "left"),
        ("value", "right"),
        ("reference", "right"),
        ("ratio", "right"),
        ("interval", "right"),
        ("method", "left"),
    )
    rows = tuple(TableRow(_ratio_row(contents, c, ratio)) for c, ratio in found)
    return [PlainTable("Ratios", tuple(Column(*h) for h in heads), rows, RATIO_NOTE, "gaps")]


def _ratio_row(contents: Contents, c: Comparison, ratio: Ratio) -> tuple[str, ...]:
    values = (c.model_value, c.reference_value, ratio.value)
    method = ratio.reason or ""
    if ratio.interval is not None:
        method = method_text(ratio.interval.method)
    return (
        comparison_title(contents, c),
        f"{label_text(c.model)} against {against_text(c)}",
        *("–" if value is None else value_text(value) for value in values),
        interval_text(ratio.interval) or "–",
        method,
    )


@section(
    "comparisons",
    "Comparison of the models",
    short="Comparison",
    of=(Comparison, OmnibusTest, Reclassification, Reference, ScorePairs),
)
def comparison_section(contents: Contents) -> list[Block]:
    """Differences, then hypotheses, margins, ratios, all models and moves as asked for."""
    blocks = comparison_blocks(contents)
    asked = [
        *hypothesis_blocks(contents),
        *margin_blocks(contents),
        *ratio_blocks(contents),
        *omnibus_blocks(contents),
    ]
    return [*blocks, *asked, *reclassification_blocks(contents)]
