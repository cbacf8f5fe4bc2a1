"""Comparisons that a spec asks for beside plain differences, each a table of its own.

These are hypotheses (superiority, non-inferiority, equivalence, one side), differences with a
margin, one test of all models at once, ratios of two shares, and net reclassification: the rows
that move between two models, and what that adds up to.
"""

from __future__ import annotations

from evalreport.numbers import count_text, difference_text, number_text, or_dash, p_text
from evalreport.report.cards import interval_text
from evalreport.report.columns import Column, left, right, table_of
from evalreport.report.comparisons import against_text, comparison_blocks, comparison_title
from evalreport.report.contents import Contents
from evalreport.report.model import Block
from evalreport.report.sections import section
from evalreport.report.words import label_text, method_text, prose, reasons_text
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
    "Each p value is one-sided and compared with the level beside it; of two one-sided tests "
    "(equivalence) it is the larger. Not shown is not disproved: the rows do not decide it."
)
CORRECTED = (
    " The p values are corrected with those of the other comparisons, in place of two-sided ones."
)


def hypothesis_blocks(contents: Contents) -> list[Block]:
    """One line for each comparison of which the spec states what is to be shown."""
    found = [(c, c.hypothesis) for c in contents.of(Comparison) if c.hypothesis is not None]
    if not found:
        return []
    columns: list[Column[tuple[Comparison, Hypothesis]]] = [
        left("metric", lambda one: comparison_title(contents, one[0])),
        left("models", lambda one: _models(one[0])),
        left("to be shown", lambda one: stated(one[1])),
        right("difference", lambda one: or_dash(one[0].difference, difference_text)),
        right("interval", lambda one: interval_text(one[0].interval) or "–"),
        left("test", lambda one: method_text(one[1].test)),
        # with the level that it is held against
        right(
            "p",
            lambda one: or_dash(
                one[1].p_adjusted, lambda p: f"{p_text(p)} ({number_text(round(one[1].alpha, 12))})"
            ),
        ),
        right("", lambda one: _shown(one[1])),
    ]
    corrected = any(c.correction != "none" for c, _ in found)
    note = HYPOTHESIS_NOTE + CORRECTED if corrected else HYPOTHESIS_NOTE
    return [table_of("What was to be shown", found, columns, note, "gaps")]


def _models(c: Comparison) -> str:
    return f"{label_text(c.model)} against {against_text(c)}"


def _pair(record: Reclassification) -> str:
    return f"{label_text(record.model)} against {label_text(record.reference)}"


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


def _shown(asked: Hypothesis) -> str:
    told = {True: "shown", False: "not shown", None: "–"}[asked.shown]
    return told if asked.reason is None else f"{told}: {asked.reason}"


MARGIN_NOTE = (
    "Non-inferior: the interval of model minus reference excludes a loss as large as the margin. "
    "Otherwise such a loss is not ruled out, which does not mean there is one."
)


def margin_blocks(contents: Contents) -> list[Block]:
    """One line for each comparison that the spec gives a margin for."""
    found = [c for c in contents.of(Comparison) if c.margin is not None]
    if not found:
        return []
    told = {True: "yes", False: "not shown", None: "–"}
    columns: list[Column[Comparison]] = [
        left("metric", lambda c: comparison_title(contents, c)),
        left("models", _models),
        right("n", lambda c: count_text(c.n)),
        right("value", lambda c: or_dash(c.model_value)),
        right("reference", lambda c: or_dash(c.reference_value)),
        right("difference", lambda c: or_dash(c.difference, difference_text)),
        right("interval", lambda c: interval_text(c.interval) or "–"),
        right("margin", lambda c: number_text(c.margin)),
        right("", lambda c: told[c.non_inferior]),
    ]
    return [table_of("Non-inferiority", found, columns, MARGIN_NOTE, "gaps")]


MOVES_NOTE = (
    "Up: only the model predicts the positive class; down: only the reference does. Of the "
    "actual positives net is (up − down) / n, of the others (down − up) / n; their sum is the "
    "difference of the two models in recall plus that in specificity. A positive sum can come "
    "from a model that is no better calibrated and no more useful: read it with recall, "
    "specificity and net benefit, never alone. p is not corrected for the number of tests."
)


def reclassification_blocks(contents: Contents) -> list[Block]:
    """Three lines for each pair of models: actual positives, the others, and their sum."""
    found: list[tuple[Reclassification, Moves | None, str]] = []
    reasons = []
    for record in contents.of(Reclassification):
        if record.net is None or record.events is None or record.nonevents is None:
            reasons.append(f"{_pair(record)}: {prose(record.reason or '')}.")
            continue
        if record.note:
            reasons.append(f"{_pair(record)}: {prose(record.note)}.")
        found.append((record, record.events, f"actual {label_text(record.label)}"))
        found += [(record, record.nonevents, "the others"), (record, None, "sum")]
    if not found and not reasons:
        return []
    columns: list[Column[tuple[Reclassification, Moves | None, str]]] = [
        left("models", lambda one: _pair(one[0]) if one[1] is one[0].events else ""),
        left("rows", lambda one: one[2]),
        right("n", lambda one: count_text(one[0].rows if one[1] is None else one[1].n)),
        right("up", lambda one: "" if one[1] is None else count_text(one[1].up)),
        right("down", lambda one: "" if one[1] is None else count_text(one[1].down)),
        right("net", lambda one: or_dash((one[1] or one[0]).net, difference_text)),
        right("interval", lambda one: interval_text((one[1] or one[0]).interval) or "–"),
        right("p", lambda one: "" if one[1] else or_dash(one[0].p_value, p_text)),
    ]
    return [
        table_of(
            "Net reclassification",
            found,
            columns,
            " ".join([MOVES_NOTE, *reasons]),
            "gaps",
            strong=lambda one: one[1] is None,
        )
    ]


OMNIBUS_NOTE = (
    "Whether the models of a dataset differ at all, on the rows that every one of them uses: a "
    "small p value means that not all are alike, not which differ. The p values are "
    "not corrected for their number."
)


def omnibus_blocks(contents: Contents) -> list[Block]:
    """One line for each test of all models."""
    found = contents.of(OmnibusTest)
    if not found:
        return []
    columns: list[Column[OmnibusTest]] = [
        left("metric", contents.heading),
        left("models and values", _models_and_values),
        right("n", lambda one: count_text(one.n)),
        left("test", lambda one: method_text(one.test)),
        right("statistic", lambda one: or_dash(one.statistic, number_text)),
        right("df", lambda one: or_dash(one.df, number_text)),
        right("p", lambda one: or_dash(one.p_value, p_text)),
    ]
    note = " ".join([OMNIBUS_NOTE, *reasons_text((one.title, one.reason) for one in found)])
    return [table_of("All models at once", found, columns, note, "gaps")]


def _models_and_values(one: OmnibusTest) -> str:
    values = one.values or (None,) * len(one.models)
    pairs = zip(one.models, values, strict=True)
    return ", ".join(f"{label_text(model)} {or_dash(value)}" for model, value in pairs)


RATIO_NOTE = (
    "The share of the model over that of the reference. Whether there is a difference is told by "
    "the test of the comparison."
)


def ratio_blocks(contents: Contents) -> list[Block]:
    """One line for each comparison whose ratio was asked for."""
    found = [(c, c.ratio) for c in contents.of(Comparison) if c.ratio is not None]
    if not found:
        return []
    columns: list[Column[tuple[Comparison, Ratio]]] = [
        left("metric", lambda one: comparison_title(contents, one[0])),
        left("models", lambda one: _models(one[0])),
        right("value", lambda one: or_dash(one[0].model_value)),
        right("reference", lambda one: or_dash(one[0].reference_value)),
        right("ratio", lambda one: or_dash(one[1].value)),
        right("interval", lambda one: interval_text(one[1].interval) or "–"),
        left("method", lambda one: _method(one[1])),
    ]
    return [table_of("Ratios", found, columns, RATIO_NOTE, "gaps")]


def _method(ratio: Ratio) -> str:
    if ratio.interval is not None:
        return method_text(ratio.interval.method)
    return ratio.reason or ""


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
