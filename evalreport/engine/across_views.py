"""Comparisons and cautions of a run, from what has been computed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evalreport.engine.cautions.facts import RunFacts
from evalreport.engine.cautions.find import find_cautions
from evalreport.engine.predicting import further_repeats
from evalreport.metrics.tables import ScoreTable
from evalreport.plan.everything import comparison_request
from evalreport.predict.label_sets import SetView
from evalreport.predict.view import LabelView
from evalreport.results.identity import EVERYTHING
from evalreport.results.records import (
    Caution,
    Comparison,
    Criterion,
    Drift,
    Period,
    RocRelation,
    Threshold,
)
from evalreport.spec.models import HistoryModel

if TYPE_CHECKING:
    from evalreport.engine.run_state import Key, RunState


def comparisons_of(state: RunState) -> list[Comparison]:
    """Comparisons of models, or of datasets, as the spec asks for them."""
    request = comparison_request(state.prepared.loaded.spec)
    if request is None:
        return []
    from evalreport.engine.comparisons.records import compare  # only where asked: it loads much

    return compare(
        request,
        state.tables,
        state.thresholds,
        state.prepared.plan.comparisons,
        state.prepared.settings,
        repeats_of(state),
    )


def repeats_of(state: RunState) -> dict[Key, tuple[LabelView, ...]]:
    """The further repeats of each cross-validated dataset and model."""
    predictions = state.prepared.predictions
    return {
        (view.dataset, view.model): further_repeats(predictions, view)
        for view in state.prepared.views
    }


def cautions_of(
    state: RunState,
    comparisons: list[Comparison],
    acceptance: list[Criterion],
    thresholds: list[Threshold],
    drift: list[Drift],
    roc: list[RocRelation],
    courses: Sequence[Period] = (),
) -> list[Caution]:
    """Every caution that applies to this run."""
    spec = state.prepared.loaded.spec

    def scores(dataset: str, model: str, index: int | None) -> ScoreTable | None:
        sets = state.set_tables.get((dataset, model))
        if sets is not None and index is not None:
            given = sets.view.label_scores is not None
            return sets.of_labels[index].scores(EVERYTHING) if given else None
        tables = state.tables.get((dataset, model))
        given = tables is not None and (
            tables.view.has_score if index is None else tables.view.class_scores is not None
        )
        return tables.scores(EVERYTHING, index) if tables is not None and given else None

    facts = RunFacts(
        views=[v for v in state.prepared.views if isinstance(v, LabelView)],
        set_views=[v for v in state.prepared.views if isinstance(v, SetView)],
        measures=state.measures,
        tables=[t for e in state.evaluations for t in e.tables],
        comparisons=comparisons,
        acceptance=acceptance,
        thresholds=thresholds,
        scores=scores,
        settings=state.prepared.settings,
        requested=tuple(dict.fromkeys(m.name for m in spec.metrics)),
        overlaps=state.prepared.overlaps,
        enriched=frozenset(
            name for name, dataset in spec.datasets.items() if dataset.sampling == "case_control"
        ),
        drift=drift,
        drift_limits=(0.1, 0.25) if spec.drift is None else (spec.drift.note, spec.drift.warning),
        against=state.against,
        roc=roc,
        courses=courses,
        periods=state.prepared.requests.periods,
        due=state.due,
        looks=state.looks,
        later_look=state.later_look,
        inputs=state.prepared.inputs,
        histories=[n for n, model in spec.models.items() if isinstance(model, HistoryModel)],
    )
    return find_cautions(facts, dict(spec.cautions.off), state.failures)
