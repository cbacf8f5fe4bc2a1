"""What readers of a template look for first: the study as the spec and the run have it."""

from __future__ import annotations

from collections.abc import Mapping

from evalreport.numbers import count_text
from evalreport.report.checklists import filled_text, folds_text, model_identity
from evalreport.report.contents import Contents, View
from evalreport.report.ledgers import clusters_text
from evalreport.report.model import Block, Facts
from evalreport.report.words import (
    MOST_NAMES,
    class_text,
    column_text,
    counted,
    label_text,
    listed,
    named,
    prose,
    rows_of_class,
)
from evalreport.results import records

NOT_PROVIDED = "NOT PROVIDED"
#: Letters of the models as the spec defines them, from which on their names stand instead.
LONGEST = 210


def study_facts(contents: Contents) -> list[Block]:
    """What readers of this template look for first, in the words of the spec."""
    about, items = contents.about, []
    for title, fields in contents.words.study:
        own = next((prose(about[name]) for name in fields if about.get(name)), "")
        found = IN_THE_RUN[title](contents) if title in IN_THE_RUN and not own else ""
        items.append((title, own or found or NOT_PROVIDED))
    filled = filled_text(contents)
    if contents.large and items:  # one line for all that is lacking, and how much that is
        lacking = [title.lower() for title, text in items if text == NOT_PROVIDED]
        items = [(title, text) for title, text in items if text != NOT_PROVIDED]
        told = "; ".join([*([listed(lacking)] if lacking else ()), *map(": ".join, filled)])
        return [Facts("", (*items, ("Not provided", told)) if told else tuple(items), "study")]
    return [Facts("", (*items, *filled), "study")] if items else []


def _models(contents: Contents) -> str:
    """The models as the spec defines them; their names where it does not, or at length."""
    defined = model_identity(contents)
    if defined and len(defined) <= LONGEST:
        return defined
    return named(list(map(label_text, contents.models)))


def _versions(contents: Contents) -> str:
    stated = contents.results.provenance.models
    return listed([f"{label_text(m.model)} {prose(m.version)}" for m in stated if m.version])


def _training_data(contents: Contents) -> str:
    """What models were fitted on: as stated, or of those that are fitted here the other folds."""
    stated = contents.results.provenance.models
    told = [f"{label_text(m.trained_on)} ({label_text(m.model)})" for m in stated if m.trained_on]
    folds = contents.spec.get("cross_validation")
    if not told and isinstance(folds, Mapping):
        parts = folds_text(folds)
        told = [f"{rows_of_run(contents)}, fitted on all folds but the one tested ({parts})"]
    return listed(told)


def _factors(contents: Contents) -> str:
    """The columns by whose groups the results are shown, periods apart."""
    groups = dict.fromkeys(tuple(m.subgroup) for m in contents.measures if m.subgroup)
    factors = [columns for columns in groups if columns not in contents.period_columns]
    return listed([" with ".join(map(column_text, one)) for one in factors])


def rows_of_run(contents: Contents) -> str:
    """How many rows of which datasets, of which classes, and how many were left out."""
    told = []
    for dataset in contents.datasets[:2]:
        view = next(v for v in contents.views if v[0] == dataset)
        ledger = contents.row_record(view)
        if ledger is None:
            continue
        lost = ledger.read - ledger.used
        out = f", {count_text(lost)} of {count_text(ledger.read)} read left out" if lost else ""
        groups = f" {clusters_text(ledger)}" if ledger.clusters else ""
        where = contents.rows_text(ledger.used)
        # recordings of a dataset of that name
        where += "" if where.endswith(f" {label_text(dataset)}") else f" of {label_text(dataset)}"
        told.append(f"{where}{groups}{_classes_text(contents, view, ledger)}{out}")
    more = len(contents.datasets) - len(told)
    if told and more > 0:
        told.append(counted(more, "other dataset"))
    return listed(told) if told else "the rows given"


def _classes_text(contents: Contents, view: View, ledger: records.RowLedger) -> str:
    """How many of the rows are of the positive class, or of which classes they are."""
    positive = contents.positive(view)
    own = next((c for c in ledger.classes if c.label == positive), None)
    if own is not None and contents.is_binary(view):
        meant = prose(contents.about.get("positive_means") or "")
        least = "at least " if own.uncounted else ""
        return f", {least}{count_text(own.count)} of them {meant or class_text(positive)}"
    classes = [
        f"{'at least ' if c.uncounted else ''}{rows_of_class(c.count, c.label, noun=False)}"
        for c in ledger.classes[:MOST_NAMES]
    ]
    if len(ledger.classes) > MOST_NAMES:
        one, many = ("label", "labels") if contents.has_sets(view) else ("class", "classes")
        return f" ({counted(len(ledger.classes), one, many)})"
    return f" ({listed(classes)})" if classes else ""


#: What a run itself knows of its study, where the spec says nothing.
IN_THE_RUN = {
    "Model": _models,
    "Version": _versions,
    "Training data": _training_data,
    "Factors": _factors,
}
