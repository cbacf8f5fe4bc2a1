"""What readers of the same cases give, again from each reader's counts and their covariances."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from evalreport.engine.readers import means
from evalreport.engine.readers.agreement import coefficient, is_paired, note_of, reader_pair
from evalreport.engine.readers.placing import AREA, FOUND, Reading, cuts_of
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
    level = again.spec.settings.level
    asked = [
        means.asked_for(reading, metric, cut)
        for reading in _readings(again)
        for metric, cut in means.asked_of(reading)
    ]
    for one in again.planned(r.ReaderMean, asked):
        ground = ("cases", "readings", "clusters", "covariance", "readers.positives",
                  "readers.negatives", "readers.cells")  # fmt: skip
        left_out = dict.fromkeys(ground, OF_READERS)
        valued = [own for own in one.readers if own.value is not None]
        if [len(row) for row in one.covariance] != [len(valued)] * len(valued):
            raise ValueError("covariance is not one row and column for each reader with a value")
        readers = []
        for own in one.readers:
            made = _reader(one, own)
            if made.value is not None and one.clusters is None:
                place = valued.index(own)
                variance = max(one.covariance[place][place], 0.0)
                limits = means.independent_limits(made, one.metric, variance, level)
                made = replace(made, interval=limits)
            readers.append(made)
        if any(own.cells is None for own in one.readers):
            left_out["readers.value"] = OF_READERS
        if one.clusters is not None:
            left_out["readers.interval"] = OF_READERS
        crossed = one.readings == one.cases * len(one.readers)
        empty = replace(
            one, readers=tuple(readers), crossed=crossed,
            note=means.note_of(crossed=crossed), value=None, between=None, variance=None,
            same_modality=None, standard_error=None, df=None, interval=None, reason=None,
        )  # fmt: skip
        yield Made(means.with_mean(empty, level), left_out, tuple(_reader_problems(again, one)))


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


def _reader(one: r.ReaderMean, own: r.ReaderValue) -> r.ReaderValue:
    """The value of a reader by the four cells; that of an area is taken over."""
    if own.cells is None or own.value is None:
        return own
    cells = own.cells
    right, wrong = (cells.tp, cells.fn) if one.metric == FOUND else (cells.tn, cells.fp)
    return replace(own, value=right / (right + wrong) if right + wrong else None)


def reader_differences(again: RecordedState) -> Iterator[Made]:
    """Differences from the values and covariances of both models and those between them."""
    level, compared = again.spec.settings.level, again.spec.loaded.spec.comparisons
    margins = {} if compared is None else dict(compared.margins)
    empty: dict[str, Any] = dict.fromkeys(
        ("difference", "between", "variance", "same_reader", "same_modality", "neither",
         "standard_error", "df", "interval", "test", "statistic", "p_value", "better", "reason")
    )  # fmt: skip
    asked = [
        means.difference_asked_for(*both)
        for both in means.planned_differences(again.state, _readings(again))
    ]
    found = {
        (own.dataset, own.metric, own.label, own.model, own.threshold): own
        for own in reversed(again.results.of(r.ReaderMean))
    }
    for one in again.planned(r.ReaderDifference, asked):
        made = replace(one, **empty, told_apart=False)
        both = ((one.model, one.threshold), (one.reference, one.reference_threshold))
        sides = [found[one.dataset, one.metric, one.label, *side] for side in both]
        values = [{own.reader: own.value for own in side.readers} for side in sides]
        crossed = sides[0].crossed and sides[1].crossed
        note = means.difference_note([*values[0], *values[1]], one.readers, crossed=crossed)
        made = replace(made, note=note)
        if not one.readers:
            yield Made(replace(made, reason=one.reason))
            continue
        first, second = (tuple(float(own[n] or 0.0) for n in one.readers) for own in values)
        made = replace(made, values=first, reference_values=second)
        blocks = [_covariances(side, one.readers) for side in sides]
        cross = np.array(one.cross)
        matrix = np.block([[blocks[0], cross], [cross.T, blocks[1]]])
        made = means.with_difference(made, matrix, level)
        yield Made(means.with_margin(made, margins.get(one.metric)), {"cross": OF_READERS})


def _covariances(side: r.ReaderMean, names: Sequence[str]) -> Any:
    own = [one.reader for one in side.readers if one.value is not None]
    places = [own.index(name) for name in names]
    return np.array(side.covariance)[np.ix_(places, places)]


def agreement(again: RecordedState) -> Iterator[Made]:
    """Coefficients and kappas from how many readers put how many cases where."""
    level = again.spec.settings.level
    asked = [
        {
            "dataset": reading.view.dataset,
            "model": reading.view.model,
            "threshold": cut.number,
            "threshold_rule": cut.rule,
        }
        for reading in _readings(again)
        for cut in reading.cuts
    ]
    for one in again.planned(r.ReaderAgreement, asked):
        view = again.model_of(one.dataset, one.model).view
        counts = np.array([kind.counts for kind in one.ratings], np.int64)
        table = np.repeat(counts, [kind.cases for kind in one.ratings], axis=0)
        own = [mean for mean in again.results.of(r.ReaderMean)
               if (mean.dataset, mean.model) == (one.dataset, one.model)]  # fmt: skip
        # more than two classes have no means that name the readers
        names = tuple(reader.reader for reader in own[0].readers) if own else one.readers
        paired, note = is_paired(len(names), len(one.labels)), one.note
        if own:
            note = note_of(clustered=own[0].clusters is not None, paired=paired)
        made = replace(
            one,
            labels=tuple(x for x in (*view.labels, *view.indeterminate) if x in one.labels),
            readers=names,
            note=note,
            coefficients=tuple(coefficient(old.name, table, level) for old in one.coefficients),
            pairs=tuple(
                reader_pair(*both, np.array(pair.counts), level)
                for pair, both in zip(
                    one.pairs, combinations(names, 2) if paired else (), strict=True
                )
            ),
        )
        yield Made(made, dict.fromkeys(("ratings", "pairs.counts"), OF_READERS))
