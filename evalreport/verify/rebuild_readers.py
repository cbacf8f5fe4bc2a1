"""What readers of the same cases give, again from each reader's counts and their covariances."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from evalreport.engine.readers import means
from evalreport.engine.readers.agreement import filled_agreement, planned_agreement
from evalreport.engine.readers.placing import AREA, Reading, cuts_of
from evalreport.predict.view import LabelView
from evalreport.results import records as r
from evalreport.results.identity import EVERYTHING
from evalreport.verify.leaves import Made

if TYPE_CHECKING:
    from evalreport.verify.recorded_state import RecordedState


def _readings(again: RecordedState) -> list[Reading]:
    """Every dataset with readers as each model sees it, as far as the spec tells."""
    found, datasets = [], again.spec.loaded.spec.datasets
    for model in again.models:
        reading, view = datasets[model.view.dataset].reading, model.view
        if reading is not None and not model.folds and isinstance(view, LabelView):
            thresholds = again.state.thresholds[view.dataset, view.model]
            found.append(Reading(view, reading, cuts_of(view, thresholds)))
    return found


OF_READERS = "which reader read which case is not in the results"


def readers(again: RecordedState) -> Iterator[Made]:
    """The mean over readers from their values and covariances, and each from its counts."""
    level, planned = again.spec.settings.level, means.planned_means(_readings(again))
    counted = ("cases", "readings", "clusters", "covariance", "readers.positives",
               "readers.negatives", "readers.cells")  # fmt: skip
    for one in again.counted(r.ReaderMean, planned, counted):
        left_out = dict.fromkeys(counted, OF_READERS)
        if any(own.cells is None for own in one.readers):
            left_out["readers.value"] = OF_READERS
        if one.clusters is not None:
            left_out["readers.interval"] = OF_READERS
        yield Made(means.filled(one, level), left_out, tuple(_reader_problems(again, one)))


def _reader_problems(again: RecordedState, one: r.ReaderMean) -> Iterator[str]:
    """What readers read is what the model is evaluated on."""
    model = again.model_of(one.dataset, one.model)
    if one.readings != model.view.rows:
        yield f"there are {one.readings} readings of {model.view.rows} rows"
    up = model.view.positive_index
    rows = {"positives": model.view.class_rows[up], "negatives": model.view.class_rows[1 - up]}
    for name, wanted in rows.items():
        found = sum(getattr(own, name) for own in one.readers)
        if found != wanted:
            yield f"the {name} of all readers are {found}, there are {wanted}"
    first = next(own for own in again.results.of(r.ReaderMean) if own.model == one.model)
    if [own.reader for own in one.readers] != [own.reader for own in first.readers]:
        yield "the readers differ from those of the first measure"
    if one.metric == AREA or model.weighted or model.view.indeterminate:
        return
    counts = model.tables.classification(EVERYTHING, one.threshold).binary()
    for name in ("tp", "fn", "fp", "tn"):
        told = sum(getattr(own.cells, name) for own in one.readers if own.cells is not None)
        wanted = getattr(counts, name).value
        if told != wanted:
            yield f"{name} of all readers is {told}, the table has {wanted}"


def reader_differences(again: RecordedState) -> Iterator[Made]:
    """Differences from the values and covariances of both models and those between them."""
    level, margins = again.spec.settings.level, means.margins_of(again.state)
    differences = means.planned_differences(again.state, _readings(again))
    planned = [means.planned_difference(*both) for both in differences]
    for one in again.counted(r.ReaderDifference, planned, ("cross",)):
        both = means.sides_of(one, again.results.of(r.ReaderMean))
        names, cross = means.shared_readers(both), np.array(one.cross)
        if names:
            blocks = [_covariances(side, names) for side in both]
            cross = np.block([[blocks[0], cross], [cross.T, blocks[1]]])
        made = means.filled_difference(one, both, cross, margins, level)
        yield Made(made, {"cross": OF_READERS})


def _covariances(side: r.ReaderMean, names: Sequence[str]) -> Any:
    own = [one.reader for one in side.readers if one.value is not None]
    places = [own.index(name) for name in names]
    return np.array(side.covariance)[np.ix_(places, places)]


def agreement(again: RecordedState) -> Iterator[Made]:
    """Coefficients and kappas from how many readers put how many cases where."""
    level, counted = again.spec.settings.level, ("ratings", "pairs.counts")
    planned = [one for reading in _readings(again) for one in planned_agreement(reading)]
    for one in again.counted(r.ReaderAgreement, planned, (*counted, "labels", "readers")):
        view = again.model_of(one.dataset, one.model).view
        labels = tuple(x for x in (*view.labels, *view.indeterminate) if x in one.labels)
        # more than two classes have no means that name the readers
        own = next((mean for mean in again.results.of(r.ReaderMean)
                    if (mean.dataset, mean.model) == (one.dataset, one.model)), None)  # fmt: skip
        names = one.readers if own is None else tuple(reader.reader for reader in own.readers)
        counts = np.array([kind.counts for kind in one.ratings], np.int64)
        table = np.repeat(counts, [kind.cases for kind in one.ratings], axis=0)
        made = filled_agreement(
            replace(one, labels=labels, readers=names),
            table,
            [np.array(pair.counts) for pair in one.pairs],
            level,
            clustered=own is not None and own.clusters is not None,
        )
        yield Made(made, dict.fromkeys(counted, OF_READERS))
