"""What one part of a spec needs of another: costs, prevalences, folds, a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path as FilePath
from typing import Any

from evalreport.errors import Problem, did_you_mean
from evalreport.spec.cross_validation import CrossValidation
from evalreport.spec.datasets import PREDICTED
from evalreport.spec.engine import Engine
from evalreport.spec.metric_requests import CORNER
from evalreport.spec.models import EstimatorModel, PredictionModel, ScoresModel, source_of
from evalreport.spec.outline import Outline
from evalreport.spec.report import TEMPLATES, Report
from evalreport.spec.yaml_document import Path

#: Metrics that take from the spec what is not written beside them: (key, an example).
FROM_OTHER_PARTS = {
    "costs": ("costs", "costs: {false_negative: 5, false_positive: 1}"),
    "parents": ("hierarchy", "hierarchy: {child: parent}"),
}
#: What models of sets of labels may be.
SETS = "prediction: {labels: {a: column_a}}, prediction: {list: column}, or scores: {a: column_a}"
#: Schemes that keep the rows of a group together.
GROUPED = ("group_k_fold", "stratified_group_k_fold", "leave_one_group_out")


def unmet_needs(
    known: Outline, *, frames: Sequence[str], folder: FilePath | None
) -> Iterator[Problem]:
    """Everything that is asked for and cannot be had for lack of another part."""
    yield from _paths(known, frames)
    yield from _label_sets(known)
    yield from _tables(known)
    yield from _metrics(known)
    yield from _cross_validation(known)
    yield from _engine(known)
    yield from _template(known, folder)


def _paths(known: Outline, frames: Sequence[str]) -> Iterator[Problem]:
    for name in known.datasets:
        given = any(known.writes("datasets", name, key) for key in ("path", "table"))
        if not given and name not in frames:
            yield Problem(
                f"path is missing in {name}",
                "path: a csv, tsv, jsonl or parquet file; or table: {labels: [...], counts: [...]}",
                known.document.where_key(("datasets", name)),
            )
    for name in frames:
        if name not in known.dataset_names:
            hint = did_you_mean(name, known.dataset_names, "datasets")
            yield Problem(f"a frame is given for '{name}', which is no dataset", hint)


def _label_sets(known: Outline) -> Iterator[Problem]:
    """Models of one label per row on datasets with sets of labels, and the other way round."""
    for name, model in known.models.items():
        source = source_of(model).strip("()")
        where = known.document.where_key(("models", name, source))
        gives_sets = isinstance(model, PredictionModel) and not isinstance(model.prediction, str)
        for dataset in model.evaluated_on(known.dataset_names):
            target = _target(known, dataset)
            if isinstance(target, dict) and not (gives_sets or isinstance(model, ScoresModel)):
                what = f"{dataset} has sets of labels, {name} gives one label per row"
                yield Problem(what, SETS, where)
            elif gives_sets and target is not None and not isinstance(target, dict):
                what = f"{dataset} has one label per row, {name} gives sets of labels"
                yield Problem(what, "prediction: column, or a target with sets of labels", where)


def _tables(known: Outline) -> Iterator[Problem]:
    """A table in the spec is of exactly one model, which gives labels, and has no columns."""
    where = known.document.where_key
    for dataset in (name for name, one in known.datasets.items() if one.table is not None):
        own = {n: m for n, m in known.models.items() if dataset in m.evaluated_on(known.datasets)}
        giving = [name for name, model in own.items() if isinstance(model, PredictionModel)]
        for name, model in own.items():
            if name not in giving and model.datasets is not None:
                what = f"{dataset} is a table, which has no scores and no features for {name}"
                yield Problem(what, "a model with `prediction`", where(("models", name)))
        if len(giving) != 1 and known.models:
            told = f"{' and '.join(giving)} give" if giving else "none gives"
            what = f"{dataset} is the table of one model, and of its models {told} predictions"
            instead = f"name: {{prediction: {PREDICTED}, datasets: [{dataset}]}}"
            yield Problem(what, instead, where(("datasets", dataset)))
        if known.has("subgroups"):
            what = f"subgroups are columns, and {dataset} is a table, which has none"
            instead = "a file with a column `count`, or a table for each group"
            yield Problem(what, instead, where(("subgroups",)))


def _target(known: Outline, dataset: str) -> Any:
    """The target of a dataset as it is written; None where there is none."""
    datasets = known.document.root.get("datasets")
    written = datasets.get(dataset) if isinstance(datasets, dict) else None
    return written.get("target") if isinstance(written, dict) else None


def _metrics(known: Outline) -> Iterator[Problem]:
    for path, request in known.all_metrics():
        if request.name == CORNER:
            continue
        for word in request.metric.context:
            key, example = FROM_OTHER_PARTS.get(word, ("", ""))
            if key and not known.has(key):
                yield Problem(f"{request.name} needs {key}", example, known.document.where(path))
        needs_prevalence = any(
            p.name == "prevalence" and p.required for p in request.metric.parameters
        )
        if needs_prevalence and not request.params and not known.has("prevalence"):
            yield Problem(
                f"{request.name} needs a prevalence",
                f"{{{request.name}: {{prevalence: 0.01}}}}, or prevalence: [0.01] for the spec",
                known.document.where(path),
            )


def _cross_validation(known: Outline) -> Iterator[Problem]:
    trained = {
        n: m for n, m in known.models.items() if isinstance(m, EstimatorModel) and not m.fit_on
    }
    if trained and not known.has("cross_validation"):
        for name in trained:
            yield Problem(
                f"{name} has to be trained, and the spec declares no cross_validation",
                "cross_validation: {scheme: stratified_k_fold, folds: 10, seed: 0}, or fit_on: "
                "the dataset it is trained on",
                known.document.where_key(("models", name, "estimator")),
            )
    folds = known.part("cross_validation", CrossValidation)
    if folds is None:
        return
    path: Path = ("cross_validation", "scheme")
    for name in _datasets_of(known, trained):
        declares = partial(known.writes, "datasets", name)
        if folds.scheme == "column" and not declares("fold"):
            yield Problem(
                f"scheme column needs the folds of {name}",
                "fold: a column, in the dataset",
                known.document.where(path),
            )
        if folds.scheme in GROUPED and not (declares("group") or declares("cluster")):
            yield Problem(
                f"scheme {folds.scheme} needs the groups of {name}",
                "group or cluster: a column, in the dataset",
                known.document.where(path),
            )


def _datasets_of(known: Outline, trained: dict[str, EstimatorModel]) -> list[str]:
    """The datasets that trained models are evaluated on, in their order."""
    wanted = {
        name for model in trained.values() for name in model.evaluated_on(known.dataset_names)
    }
    return [name for name in known.dataset_names if name in wanted]


def _engine(known: Outline) -> Iterator[Problem]:
    engine = known.part("engine", Engine)
    if engine is not None and engine.name == "spark" and not known.writes("engine", "spark"):
        yield Problem(
            "the engine spark needs the address of a cluster",
            "spark: {url: sc://host:port}",
            known.document.where(("engine", "name")),
        )


def _template(known: Outline, folder: FilePath | None) -> Iterator[Problem]:
    report = known.part("report", Report)
    if report is None or report.template in TEMPLATES:
        return
    name = report.template
    if folder is not None and _is_folder(folder / name):
        return
    has_path = "/" in name or "\\" in name or name in (".", "..")
    if folder is None and has_path:
        return
    hint = (
        f"{', '.join(TEMPLATES)}, or a folder relative to the spec"
        if has_path
        else did_you_mean(name, TEMPLATES, "templates")
    )
    yield Problem(f"no such template: '{name}'", hint, known.document.where(("report", "template")))


def _is_folder(path: FilePath) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False
