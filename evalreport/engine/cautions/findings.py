"""Findings of those who read the data and divided it, passed on as cautions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evalreport.data.findings import PROCEDURE
from evalreport.data.label_hints import MISSPELT
from evalreport.engine.cautions.declare import (
    Caution,
    CheckOfView,
    by_dataset,
    caution,
    caution_of_views,
)
from evalreport.engine.cautions.facts import RunFacts
from evalreport.engine.cautions.wording import counted
from evalreport.predict.overlap import Overlap
from evalreport.predict.view import View

#: Code of a finding -> code of the caution that passes it on.
BELONGS_TO = {
    "look_alike_labels": "look_alike_labels",
    "hidden_characters": "hidden_characters",
    "float32": "float32_scores",
    "rounded_scores": "rounded_scores",
    "repeated_rows": "leakage",
    "feature_equals_target": "leakage",
    "near_perfect_feature": "leakage",
    "groups_across_folds": "leakage",
    "class_not_trained": "fold_lacks_class",
    "one_class_fold": "fold_lacks_class",
    "labels_differ": "labels_differ",
    MISSPELT: MISSPELT,
}
#: Letters of a first sentence that stands for the whole finding.
LONGEST = 110
#: The caution of findings that have none of their own.
OTHER = "data_finding"
#: Findings that other cautions count from the rows themselves, or that the report tells elsewhere.
ELSEWHERE = ("one_class", "positive_not_seen", "scores_outside_unit", PROCEDURE)


def _found_for(code: str) -> CheckOfView:
    """The findings that belong to a caution, each in its own words."""

    def check(_run: RunFacts, view: View) -> Iterator[Caution]:
        for finding in getattr(view.ledger, "findings", ()):
            if finding.code not in ELSEWHERE and BELONGS_TO.get(finding.code, OTHER) == code:
                message = finding.message.strip().rstrip(".")
                first = message.partition(". ")[0]
                yield Caution(
                    f"{message}.",
                    numbers={"finding": finding.code},
                    headline=first if len(first) <= LONGEST else "",
                )

    return check


def _passed_on(code: str, when: str, **declared: Any) -> None:
    """Declare a caution that passes findings on; ``when``: what they say, for the catalogue."""
    check = _found_for(code)
    check.__doc__ = when
    caution_of_views(code, **declared)(check)


_passed_on(
    "look_alike_labels",
    "The data reader found labels that a reader could take for one.",
    severity="warning",
    title="Some labels look alike",
    why="labels that look alike are counted as different classes",
    read_instead="the label ledger, and the data with one spelling per class",
)
_passed_on(
    MISSPELT,
    "`map` or `indeterminate` names a label that no row has; a near one has no name there.",
    severity="warning",
    title="No row has a label that the spec names",
    why="where another label is meant, its rows are counted as a class of their own",
    read_instead="the label ledger, and the spec with the label as the file writes it",
)
_passed_on(
    "hidden_characters",
    "The data reader found invisible characters, or letters of another script, in labels.",
    severity="warning",
    title="Labels contain invisible characters",
    why="such a label looks on the page like one without them",
    read_instead="the label ledger, which writes these characters out",
)
_passed_on(
    "float32_scores",
    "Scores were widened from 32 to 64 bits as stored.",
    severity="note",
    title="Scores are stored in single precision",
    why="a score stored as 0.7 in single precision is 0.699999988 and falls below 0.7",
    read_instead="the counts at the threshold, or scores stored in double precision",
)
_passed_on(
    "rounded_scores",
    "The spec asks for scores to be rounded before rows are counted.",
    severity="note",
    title="Scores are rounded",
    why="scores that differed may be tied, and one near a threshold may cross it",
    read_instead="the scores as they are, where they fit in memory",
)


#: What is the matter with tested rows that are shared, in a few words.
SHARED = {
    ("training", "id"): "in the training data",
    ("training", "group"): "relatives of training rows",
    ("training", "content"): "equal to training rows",
    ("tuning", "id"): "used to choose parameters",
    ("tuning", "group"): "relatives of rows used to choose parameters",
    ("tuning", "content"): "equal to rows used to choose parameters",
}


def _headline(overlap: Overlap) -> str:
    """How many tested rows are shared, and with what."""
    count = overlap.rows or 0
    told = SHARED[overlap.use, overlap.by]
    return f"{counted(count, 'test row')} {'is' if count == 1 else 'are'} {told}"


@caution(
    "leakage",
    severity="warning",
    title="Training may have seen test rows",
    why="a model tested on its training data, or given the answer by a feature, looks better than "
    "it is",
    read_instead="results on rows, groups and features that training could not have seen",
)
def leakage(run: RunFacts) -> Iterator[Caution]:
    """Rows, groups, a feature or the tuning link what is tested with what was trained on."""
    for overlap in run.overlaps:
        sentence = overlap.sentence()
        if sentence is not None:
            model = overlap.models[0] if len(overlap.models) == 1 else None
            counts = {"rows": overlap.rows, "of": overlap.of}
            numbers = {name: count for name, count in counts.items() if count is not None}
            finding = {"finding": f"{overlap.use}_{overlap.by}", **numbers}
            headline = "" if overlap.rows is None else _headline(overlap)
            yield Caution(sentence, overlap.dataset, model, numbers=finding, headline=headline)
    yield from by_dataset(_found_for("leakage"), run)


_passed_on(
    "fold_lacks_class",
    "A fold has no training rows of a class, or test rows of one class only.",
    whole_table=True,
    severity="warning",
    title="A fold lacks a class",
    why="a class that is not trained cannot be predicted, and a fold of one class leaves "
    "metrics that need two undefined",
    read_instead="the pooled table, or folds that are stratified by class",
)
_passed_on(
    "labels_differ",
    "Labels that a model decides, or that stand beside its scores, differ from the scores.",
    severity="warning",
    title="A model's labels do not follow from its scores",
    why="a model that decides otherwise than by the threshold has two sets of tables, and only "
    "one of them is shown",
    read_instead="the tables of what is used: with “decides: prediction” a model's labels, with "
    "“decides: score” its score at the thresholds",
)
_passed_on(
    OTHER,
    "Every other finding of the data reader.",
    severity="note",
    title="About the data",
    why="the data contain something that is allowed but may mislead",
    read_instead="the data themselves at the place named",
)
