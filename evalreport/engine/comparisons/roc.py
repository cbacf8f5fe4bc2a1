"""How the ROC curves of every two models of a dataset lie to each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

from evalreport.metrics.roc_relation import RocRelation, roc_relation
from evalreport.metrics.tables import ScoreTable
from evalreport.plan.unknown import unknown_words
from evalreport.predict.label_sets import SetView
from evalreport.predict.view import View
from evalreport.results import records

ScoresOf = Callable[[View], ScoreTable]


def roc_relations(views: Sequence[View], scores: ScoresOf) -> list[records.RocRelation]:
    """One record for every two models of a dataset of two classes, of which one has scores.

    ``relation`` is that of the first curve to the second (above, below, cross or equal), or
    None with the ``reason``; ``crossings`` are the first ones of ``crossing_count``.
    """
    found = []
    for dataset in dict.fromkeys(view.dataset for view in views):
        own = [view for view in views if view.dataset == dataset and _ranked(view)]
        tables = {view.model: scores(view) for view in own if view.has_score}
        for first, second in combinations(own, 2):
            if first.model in tables or second.model in tables:
                found.append(_of_pair(dataset, tables, first.model, second.model, first.unknown))
    return found


def _ranked(view: View) -> bool:
    return not isinstance(view, SetView) and len(view.labels) <= 2 and view.rows > 0


def _of_pair(
    dataset: str,
    tables: dict[str, ScoreTable],
    first: str,
    second: str,
    unknown: Sequence[str],
) -> records.RocRelation:
    reason = None
    for model in (first, second):
        if model not in tables:
            reason = f"{model} gives labels, which are one point and no curve"
        elif unknown:
            reason = f"the {unknown_words(unknown)} are not known"
    found = None if reason else roc_relation(tables[first], tables[second])
    known = found if found is not None else RocRelation("")
    return records.RocRelation(
        dataset=dataset,
        first=first,
        second=second,
        relation=None if found is None else found.relation,
        crossings=tuple(records.RocPoint(fpr, tpr) for fpr, tpr in known.crossings),
        crossing_count=known.crossing_count,
        first_leads=known.leads[0],
        second_leads=known.leads[1],
        reason=None if found is not None else reason or "rows of one class only have no curve",
    )
