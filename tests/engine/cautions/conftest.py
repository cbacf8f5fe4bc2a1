"""Runs small enough to be worked out by hand, through the engine's own pieces."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from evalreport.engine.cautions import RunFacts, find_cautions
from evalreport.engine.comparisons.roc import roc_relations
from evalreport.engine.counting.memory import MemoryTables
from evalreport.engine.evaluation import LabelEvaluator, Numbering
from evalreport.engine.measures import Measurer
from evalreport.engine.settings import Settings
from evalreport.engine.thresholds import Resolved
from evalreport.metrics.catalogue import find
from evalreport.plan.build import build_plan
from evalreport.plan.build import thresholds as planned_thresholds
from evalreport.plan.inputs import Facts, MetricRequest, Requests
from evalreport.plan.task import ThresholdRequest
from evalreport.predict.view import LabelView
from evalreport.results.records import Caution


@dataclass(frozen=True)
class Finding:
    code: str
    message: str


@dataclass(frozen=True)
class Ledger:
    rows_read: int
    excluded: tuple[tuple[str, int], ...] = ()
    findings: tuple[Finding, ...] = ()


def view(
    actual: Sequence[int],
    *,
    score: Sequence[float] | None = None,
    predicted: Sequence[int] | None = None,
    class_scores: Any = None,
    labels: Sequence[str] = ("no", "yes"),
    model: str = "m",
    dataset: str = "d",
    source: str | None = None,
    groups: Mapping[str, Sequence[str]] | None = None,
    weight: Sequence[float] | None = None,
    cluster: Sequence[int] | None = None,
    fold: Sequence[str] | None = None,
    indeterminate: Sequence[str] = (),
    ledger: Any = None,
) -> LabelView:
    """A view from plain lists; the last of two labels is positive."""
    given = {"score": score, "scores": class_scores, "prediction": predicted}
    kind = source or next(name for name, values in given.items() if values is not None)
    return LabelView(
        dataset=dataset,
        model=model,
        source=kind,
        labels=tuple(labels),
        positive=len(labels) - 1 if len(labels) <= 2 else None,
        actual=np.array(actual, dtype=np.int32),
        row=np.arange(len(actual)),
        predicted=None if predicted is None else np.array(predicted, dtype=np.int32),
        score=None if score is None else np.array(score, dtype=np.float64),
        class_scores=None if class_scores is None else np.array(class_scores, dtype=np.float64),
        weight=None if weight is None else np.array(weight, dtype=np.float64),
        cluster=None if cluster is None else (np.array(cluster), max(cluster) + 1),
        fold=None if fold is None else _coded(fold),
        groups={column: _coded(values) for column, values in (groups or {}).items()},
        indeterminate=tuple(indeterminate),
        ledger=ledger,
    )


def _coded(values: Sequence[str]) -> tuple[Any, tuple[str, ...]]:
    names = tuple(dict.fromkeys(values))
    return np.array([names.index(value) for value in values]), names


def from_counts(tp: int, fn: int, fp: int, tn: int, **more: Any) -> LabelView:
    """Predicted labels that make up a table of two classes."""
    return view(
        [1] * (tp + fn) + [0] * (fp + tn),
        predicted=[1] * tp + [0] * fn + [1] * fp + [0] * tn,
        **more,
    )


def _facts(one: LabelView) -> Facts:
    given = one.class_scores if len(one.labels) > 2 else one.score
    return Facts(
        dataset=one.dataset,
        model=one.model,
        source=one.source,
        labels=one.labels,
        positive=None if one.positive is None else one.labels[one.positive],
        rows=one.rows,
        weighted=one.weight is not None,
        clustered=one.cluster is not None,
        indeterminate=one.indeterminate,
        folds=() if one.fold is None else one.fold[1],
        groups={(column,): tuple((n,) for n in names) for column, (_, names) in one.groups.items()},
        low=None if given is None or not given.size else float(given.min()),
        high=None if given is None or not given.size else float(given.max()),
    )


def run(
    views: LabelView | Sequence[LabelView],
    metrics: Sequence[str] = (),
    *,
    thresholds: Sequence[float] = (),
    rules: Mapping[str, float | None] | None = None,
    methods: Mapping[str, str] | None = None,
    resamples: int = 200,
    **facts: Any,
) -> RunFacts:
    """The facts of a run of the metrics; ``rules`` are thresholds by rule, as they were solved."""
    views = [views] if isinstance(views, LabelView) else list(views)
    settings = Settings(resamples=resamples)
    numbers = [ThresholdRequest(number) for number in thresholds]
    solved = {ThresholdRequest(None, rule): number for rule, number in (rules or {}).items()}
    columns = {column: None for one in views for column in one.groups}
    requests = Requests(
        metrics=tuple(MetricRequest(_metric(name)) for name in metrics),
        thresholds=(*numbers, *solved),
        methods=methods or {},
        subgroups=tuple((column,) for column in columns),
    )
    plan = build_plan(requests, [_facts(one) for one in views])
    numbering, measures, tables, memory = Numbering(), [], [], {}
    for one in views:
        asked = planned_thresholds(requests, _facts(one))
        resolved = {
            request: Resolved(solved.get(request, request.number), None, request in solved)
            for request in asked
            if request is not None
        }
        memory[one.dataset, one.model] = MemoryTables(one)
        own = memory[one.dataset, one.model]
        measurer = Measurer(one, own, settings, resolved)
        found = LabelEvaluator(measurer, numbering, asked[0]).run(plan)
        measures += found.measures
        tables += found.tables

    def scores(dataset: str, model: str, index: int | None = None) -> Any:
        from evalreport.results.identity import EVERYTHING

        own = memory[dataset, model]
        missing = index is not None and own.view.class_scores is None
        return None if missing else own.scores(EVERYTHING, index)

    return RunFacts(
        views=views,
        measures=measures,
        tables=tables,
        scores=scores,
        settings=settings,
        requested=tuple(metrics),
        roc=roc_relations(views, lambda view: scores(view.dataset, view.model)),
        **facts,
    )


def _metric(name: str) -> Any:
    found = find(name)
    assert found is not None, name
    return found


@dataclass
class Kit:
    """What tests build runs with."""

    view: Callable[..., LabelView] = view
    from_counts: Callable[..., LabelView] = from_counts
    run: Callable[..., RunFacts] = run
    ledger: type[Ledger] = Ledger
    finding: type[Finding] = Finding

    def cautions(self, facts: RunFacts, code: str) -> list[Caution]:
        """The records of one code."""
        return [record for record in find_cautions(facts) if record.code == code]

    def message(self, facts: RunFacts, code: str) -> str | None:
        """The message of the only record of a code, or None where it is silent."""
        found = self.cautions(facts, code)
        assert len(found) <= 1, found
        return found[0].message if found else None


@pytest.fixture(scope="session")
def kit() -> Kit:
    return Kit()
