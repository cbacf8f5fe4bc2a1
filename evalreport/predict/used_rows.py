"""Checked rows as models that predict here take and give them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from evalreport.data.checked import Checked
from evalreport.data.completeness import Lost, joined
from evalreport.data.findings import Finding
from evalreport.predict.columns import from_checked, noted
from evalreport.predict.labels_beside_scores import own_labels
from evalreport.predict.outcome import Output
from evalreport.predict.view import LabelView


def view_of_rows(
    dataset: str, model: str, checked: Checked, output: Output, notes: tuple[Finding, ...] = ()
) -> LabelView:
    """The checked rows with what a model says of them; notes become findings."""
    several = len(checked.labels) > 2
    told = replace(checked, findings=(*checked.findings, *notes))
    view = from_checked(dataset, model, told, output.source)
    view = replace(
        view,
        predicted=output.predicted,
        score=output.score,
        class_scores=output.class_scores if several else None,
    )
    return noted(view, own_labels(view))


def without(checked: Checked, lacking: Any, reason: str) -> Checked:
    """The checked rows but for some, of which nothing can be predicted for a reason."""
    places = np.flatnonzero(lacking)
    gone = rows_of(checked, places)
    lost = Lost(
        row=gone.used,
        weight=np.ones(len(places), np.int64) if gone.weight is None else gone.weight,
        actual=gone.actual,
        predicted=np.full(len(places), -1, np.int32),
        score=np.full(len(places), np.nan),
        groups={column: codes for column, (codes, _) in gone.groups.items()},
    )
    return replace(
        rows_of(checked, np.flatnonzero(~lacking)),
        excluded=(*checked.excluded, (reason, len(places))),
        lost=joined(checked.lost, lost) if len(places) else checked.lost,
    )


def rows_of(checked: Checked, places: Any) -> Checked:
    """Some of the checked rows, in the order of their places."""

    def some(given: Any) -> Any:
        return None if given is None else given[places]

    return replace(
        checked,
        used=checked.used[places],
        actual=checked.actual[places],
        predicted=some(checked.predicted),
        score=some(checked.score),
        class_scores=some(checked.class_scores),
        weight=some(checked.weight),
        sample=None if checked.sample is None else checked.sample.taken(places),
        cluster=None if checked.cluster is None else renumbered(checked.cluster[0][places]),
        fold=None if checked.fold is None else (checked.fold[0][places], checked.fold[1]),
        groups={name: (codes[places], names) for name, (codes, names) in checked.groups.items()},
    )


def renumbered(codes: Any) -> tuple[Any, int]:
    """Codes numbered from 0 without gaps, and how many there are."""
    distinct, places = np.unique(codes, return_inverse=True)
    return places.astype(np.int64), len(distinct)
