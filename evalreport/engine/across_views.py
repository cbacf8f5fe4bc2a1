"""Comparisons and cautions of a run, from what has been computed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evalreport.engine.cautions.facts import RunFacts
from evalreport.engine.cautions.find import find_cautions
from evalreport.engine.counting.binned_scores import BinnedScores
from evalreport.engine.predicting import further_repeats
from evalreport.metrics.tables import ScoreTable
from evalreport.plan.everything import comparison_request
from evalreport.predict.label_sets import SetView
from evalreport.predict.view import View
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

if TYPE_CHECKING:
    from evalreport.engine.working import Key, Working


def comparisons_of(working: Working) -> list[Comparison]:
    """Comparisons of models, or of datasets, as the spec asks for them."""
    asked = working.prepared.loaded.spec.comparisons
    request = comparison_request(asked) if asked is not None else None
    if request is None:
        return []
    from evalreport.engine.comparisons.records import compare  # only where asked: it loads much

    return compare(
        request,
        working.tables,
        working.thresholds,
        working.prepared.plan.comparisons,
        working.prepared.settings,
        repeats_of(working),
    )


def repeats_of(working: Working) -> dict[Key, tuple[View, ...]]:
    """The further repeats of each cross-validated dataset and model."""
    predictions = working.prepared.predictions
    return {
        (view.dataset, view.model): further_repeats(predictions, view)
        for view in working.prepared.views
    }


def cautions_of(
    working: Working,
    comparisons: list[Comparison],
    acceptance: list[Criterion],
    thresholds: list[Threshold],
    drift: list[Drift],
    roc: list[RocRelation],
    courses: Sequence[Period] = (),
) -> list[Caution]:
    """Every caution that applies to this run."""
    spec = working.prepared.loaded.spec

    def scores(dataset: str, model: str) -> ScoreTable | None:
        tables = working.tables[dataset, model]
        table = tables.scores(EVERYTHING) if tables.view.has_score else None
        # Bins would be taken for distinct scores.
        return None if isinstance(table, BinnedScores) else table

    facts = RunFacts(
        views=[v for v in working.prepared.views if not isinstance(v, SetView)],
        set_views=[v for v in working.prepared.views if isinstance(v, SetView)],
        measures=working.measures,
        tables=[t for e in working.evaluations for t in e.tables],
        comparisons=comparisons,
        acceptance=acceptance,
        thresholds=thresholds,
        scores=scores,
        settings=working.prepared.settings,
        requested=tuple(dict.fromkeys(m.name for m in spec.metrics)),
        overlaps=working.prepared.overlaps,
        enriched=frozenset(
            name
            for name, dataset in spec.datasets.items()
            if dataset.sampling == "case_control" and not spec.prevalence
        ),
        drift=drift,
        drift_limits=(0.1, 0.25) if spec.drift is None else (spec.drift.note, spec.drift.warning),
        against=working.against,
        roc=roc,
        courses=courses,
        periods=working.prepared.requests.periods,
        due=working.due,
    )
    return find_cautions(facts, dict(spec.cautions.off), working.failures)
