"""Comparisons and cautions of a run, from what has been computed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalreport.engine.cautions.facts import RunFacts
from evalreport.engine.cautions.find import find_cautions
from evalreport.engine.counting.binned_scores import BinnedScores
from evalreport.metrics.tables import ScoreTable
from evalreport.plan.comparisons import ComparisonRequest, plan_comparisons
from evalreport.plan.task import EVERYTHING
from evalreport.predict.label_sets import SetView
from evalreport.spec.comparisons import Comparisons, DatasetReference, RunReference

if TYPE_CHECKING:
    from evalreport.engine.working import Working


def comparison_request(asked: Comparisons) -> ComparisonRequest | None:
    """What a spec wants compared; None where the reference is an earlier run."""
    if isinstance(asked.reference, RunReference):
        return None
    of_dataset = isinstance(asked.reference, DatasetReference)
    return ComparisonRequest(
        reference=None if of_dataset else str(asked.reference),
        reference_dataset=asked.reference.dataset
        if isinstance(asked.reference, DatasetReference)
        else None,
        correction=asked.correction,
        tests=dict(asked.tests),
        methods=dict(asked.methods),
        margins=dict(asked.margins),
    )


def comparisons_of(working: Working) -> list[dict[str, Any]]:
    """Comparisons of models, or of datasets, as the spec asks for them."""
    asked = working.prepared.loaded.spec.comparisons
    request = comparison_request(asked) if asked is not None else None
    if request is None:
        return []
    planned = plan_comparisons(request, working.prepared.plan.tasks, working.prepared.facts)
    from evalreport.engine.comparisons.records import compare  # only where asked: it loads much

    return compare(
        request, working.tables, working.thresholds, planned.tasks, working.prepared.settings
    )


def cautions_of(
    working: Working,
    comparisons: list[dict[str, Any]],
    acceptance: list[dict[str, Any]],
    thresholds: list[dict[str, Any]],
    drift: list[dict[str, Any]],
) -> list[dict[str, Any]]:
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
        drift=drift,
        drift_limits=(0.1, 0.25) if spec.drift is None else (spec.drift.note, spec.drift.warning),
        against=working.against,
    )
    return find_cautions(facts, dict(spec.cautions.off), working.failures)
