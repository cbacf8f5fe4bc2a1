"""Findings of those who read the data and divided it, passed on as cautions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from evalreport.data.findings import PROCEDURE
from evalreport.data.label_hints import MISSPELT
from evalreport.engine.cautions.declare import Caution, caution
from evalreport.engine.cautions.facts import RunFacts
from evalreport.engine.cautions.wording import by_dataset
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
#: The caution of findings that have none of their own.
OTHER = "data_finding"
#: Findings that other cautions count from the rows themselves, or that the report tells elsewhere.
ELSEWHERE = ("one_class", "positive_not_seen", "scores_outside_unit", PROCEDURE)


@caution(
    "look_alike_labels",
    severity="warning",
    title="Labels look alike",
    why="labels that look alike are counted as different classes",
    read_instead="the label ledger, and the data with one spelling per class",
)
def look_alike_labels(run: RunFacts) -> Iterator[Caution]:
    """The data reader found labels that a reader could take for one."""
    yield from by_dataset(run, partial(_passed_on, "look_alike_labels"))


@caution(
    MISSPELT,
    severity="warning",
    title="A label of the spec is in no row",
    why="where another label is meant, its rows are counted as a class of their own",
    read_instead="the label ledger, and the spec with the label as the file writes it",
)
def misspelt_label(run: RunFacts) -> Iterator[Caution]:
    """`map` or `indeterminate` names a label that no row has; a near one has no name there."""
    yield from by_dataset(run, partial(_passed_on, MISSPELT))


@caution(
    "hidden_characters",
    severity="warning",
    title="Labels contain invisible characters",
    why="such a label looks on the page like one without them",
    read_instead="the label ledger, which writes these characters out",
)
def hidden_characters(run: RunFacts) -> Iterator[Caution]:
    """The data reader found invisible characters, or letters of another script, in labels."""
    yield from by_dataset(run, partial(_passed_on, "hidden_characters"))


@caution(
    "float32_scores",
    severity="note",
    title="Scores are stored in single precision",
    why="a score stored as 0.7 in single precision is 0.699999988 and falls below 0.7",
    read_instead="the counts at the threshold, or scores stored in double precision",
)
def float32_scores(run: RunFacts) -> Iterator[Caution]:
    """Scores were widened from 32 to 64 bits as stored."""
    yield from by_dataset(run, partial(_passed_on, "float32_scores"))


@caution(
    "rounded_scores",
    severity="note",
    title="Scores are rounded",
    why="scores that differed may be tied, and one near a threshold may cross it",
    read_instead="the scores as they are, where they fit in memory",
)
def rounded_scores(run: RunFacts) -> Iterator[Caution]:
    """The spec asks for scores to be rounded before rows are counted."""
    yield from by_dataset(run, partial(_passed_on, "rounded_scores"))


@caution(
    "leakage",
    severity="warning",
    title="Test rows may have been seen in training",
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
            yield Caution(sentence, overlap.dataset, model, numbers=finding)
    yield from by_dataset(run, partial(_passed_on, "leakage"))


@caution(
    "fold_lacks_class",
    whole_table=True,
    severity="warning",
    title="A fold lacks a class",
    why="a class that is not trained cannot be predicted, and a fold of one class leaves "
    "metrics that need two undefined",
    read_instead="the pooled table, or folds that are stratified by class",
)
def fold_lacks_class(run: RunFacts) -> Iterator[Caution]:
    """A fold has no training rows of a class, or test rows of one class only."""
    yield from by_dataset(run, partial(_passed_on, "fold_lacks_class"))


@caution(
    "labels_differ",
    severity="warning",
    title="A model's labels differ from those of its score",
    why="a model that decides otherwise than by the threshold has two sets of tables, and only "
    "one of them is shown",
    read_instead="the tables of what is used: with “decides: prediction” a model's labels, with "
    "“decides: score” its score at the thresholds",
)
def labels_differ(run: RunFacts) -> Iterator[Caution]:
    """Labels that a model decides, or that stand beside its scores, differ from the scores."""
    yield from by_dataset(run, partial(_passed_on, "labels_differ"))


@caution(
    "data_finding",
    severity="note",
    title="About the data",
    why="the data contain something that is allowed but may mislead",
    read_instead="the data themselves at the place named",
)
def data_finding(run: RunFacts) -> Iterator[Caution]:
    """Every other finding of the data reader."""
    yield from by_dataset(run, partial(_passed_on, OTHER))


def _passed_on(code: str, view: View) -> Iterator[Caution]:
    """The findings that belong to a caution, each in its own words."""
    for finding in getattr(view.ledger, "findings", ()):
        if finding.code not in ELSEWHERE and BELONGS_TO.get(finding.code, OTHER) == code:
            message = finding.message.strip().rstrip(".")
            yield Caution(f"{message}.", numbers={"finding": finding.code})
