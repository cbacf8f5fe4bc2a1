"""What came of the criteria, in a word and of how many."""

from __future__ import annotations

from collections.abc import Sequence

from evalreport.report.contents import Contents, View
from evalreport.report.leading import MOST_MODELS
from evalreport.report.words import counted, listed
from evalreport.results import records
from evalreport.results.records import CONTINUE, HELD, NOT_HELD

#: Words for what came of the criteria, the gravest first, and the outcomes that they stand for.
OUTCOMES = (
    ("FAILED", "fail", NOT_HELD),
    ("NOT EVALUATED", "not_evaluated", ("not_evaluated",)),
    ("CONTINUE", "continue", (CONTINUE,)),
)
NO_LIMIT = ("NO LIMIT SET", "none", "results only")


def outcome_text(contents: Contents) -> str:
    """What came of the criteria in one line: ``FAILED: 1 of 4 limits, 2 models``."""
    word, _, told = outcome(contents)
    return f"{word}: {told}" if told else word


def outcome(contents: Contents) -> tuple[str, str, str]:
    """What came of the criteria: in a word, as the word's look, and of how many."""
    entries = contents.of(records.Criterion)
    if not entries:
        return ("RESULTS", "none", "") if contents.words.brief else NO_LIMIT
    for word, look, names in OUTCOMES:
        if any(c.outcome in names for c in entries):
            return word, look, _of_limits(contents, entries, names)
    return "PASSED", "pass", _of_limits(contents, entries, HELD)


def _of_limits(
    contents: Contents, entries: Sequence[records.Criterion], names: Sequence[str]
) -> str:
    """How many limits had one of these outcomes, and where: ``1 of 4 limits for forest``.

    Of limits that had it only in part of groups or models it is said how often.
    """
    hit = [c for c in entries if c.outcome in names]
    limits = {c.criterion for c in hit}
    told = f"{len(limits)} of {counted(len({c.criterion for c in entries}), 'limit')}"
    judged = [c for c in entries if c.criterion in limits]
    models = {c.model for c in judged}
    if len(hit) == len(judged):  # wherever it was judged
        each = len({(c.criterion, c.model) for c in hit}) == len(limits) * len(models)
        every = "both" if len(models) == 2 else f"all {len(models)}"
        return f"{told}, {every} models" if each and len(models) > 1 else told
    of_view: dict[View, set[int]] = {}
    for c in hit:
        of_view.setdefault((str(c.dataset), str(c.model)), set()).add(c.criterion)
    same = all(own == limits for own in of_view.values())
    whole = not any(c.subgroup for c in judged)
    if whole and same and len(of_view) <= MOST_MODELS:
        short = not any(contents.mark(view).key for view in of_view)
        named = listed([contents.called(view) for view in of_view])
        return f"{told} for {named}" if short else f"{told}, {len(of_view)} models"
    groups = len(limits) == len(of_view) == len(models) == 1 and not whole
    return f"{told}, {len(hit)} of {len(judged)} {'groups' if groups else 'outcomes'}"
