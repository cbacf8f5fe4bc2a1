"""What one part of a spec needs of another: a name it refers to, costs, prevalences, folds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path as FilePath
from typing import Any

from evalreport.errors import Problem, did_you_mean
from evalreport.metrics.catalogue import find
from evalreport.metrics.declare import Metric
from evalreport.metrics.kinds import Design as Drawn
from evalreport.metrics.methods import CLASSICAL, interval_methods
from evalreport.spec.acceptance import Criterion, WhichNumber, as_threshold
from evalreport.spec.comparisons import (
    Baselines,
    Comparisons,
    DatasetReference,
    Reference,
    RunReference,
)
from evalreport.spec.confidence import averaged, requestable
from evalreport.spec.cross_validation import CrossValidation
from evalreport.spec.datasets import PREDICTED, NamedPositive
from evalreport.spec.design import Design
from evalreport.spec.engine import Drift, Engine
from evalreport.spec.metric_requests import CORNER
from evalreport.spec.models import EstimatorModel, Model, PredictionModel, ScoresModel, source_of
from evalreport.spec.outline import Outline
from evalreport.spec.report import TEMPLATES, Report
from evalreport.spec.scalars import Scalar
from evalreport.spec.yaml_document import Path


def unknown_references(known: Outline) -> Iterator[Problem]:
    """Every name that refers to something the spec does not declare."""
    yield from _of_models(known)
    yield from _of_thresholds(known)
    for path, number in known.which_numbers():
        yield from _of_number(known, path, number)
    comparisons = known.part("comparisons", Comparisons)
    if comparisons is not None:
        yield from _of_reference(known, ("comparisons", "reference"), comparisons.reference)
    baselines = known.part("baselines", Baselines)
    if baselines is not None and baselines.previous is not None:
        path = ("baselines", "previous")
        yield from _unknown(known, path, baselines.previous, known.model_names, "model")
    design = known.part("design", Design)
    for model in () if design is None else design.references:
        if known.model_names and model not in known.model_names:
            where = known.document.where_key(("design", "references", model))
            hint = did_you_mean(model, known.model_names, "models")
            yield Problem(f"there is no model '{model}'", hint, where)
    drift = known.part("drift", Drift)
    if drift is not None:
        yield from _of_drift(known, drift)
    yield from _of_labels(known)


def _unknown(
    known: Outline, path: Path, name: str, names: Iterable[str], what: str
) -> Iterator[Problem]:
    """The problem of a name that is not among those declared (and some are)."""
    declared = names if isinstance(names, (dict, frozenset)) else tuple(names)
    if declared and name not in declared:
        hint = did_you_mean(name, declared, f"{what}s")
        yield Problem(f"there is no {what} '{name}'", hint, known.document.where(path))


def _of_models(known: Outline) -> Iterator[Problem]:
    for name, model in known.models.items():
        for index, dataset in enumerate(model.datasets or ()):
            path = ("models", name, "datasets", index)
            yield from _unknown(known, path, dataset, known.dataset_names, "dataset")
        for key in ("trained_on", "tuned_on"):
            if getattr(model, key) is not None:
                yield from _of_training(known, name, model, key)
        if isinstance(model, EstimatorModel) and model.fit_dataset is not None:
            yield from _of_fit(known, name, model, model.fit_dataset)


def _of_fit(known: Outline, name: str, model: EstimatorModel, dataset: str) -> Iterator[Problem]:
    """A dataset that is fitted on is one of the spec, and not one that is tested."""
    path = ("models", name, "fit_on")
    where = known.document.where(path)
    yield from _unknown(known, path, dataset, known.dataset_names, "dataset")
    if dataset in (model.datasets or ()):
        yield Problem(
            f"{name} would be tested on '{dataset}', which it is fitted on", "other datasets", where
        )
    elif known.dataset_names and not model.evaluated_on(known.dataset_names):
        yield Problem(
            f"{name} is evaluated on no dataset: it is fitted on the only one",
            "another dataset, or fit_on: {column: part, train: [train]}",
            where,
        )


def _of_training(known: Outline, name: str, model: Model, key: str) -> Iterator[Problem]:
    """A dataset learned from is one of the spec, not the only one; estimators have none."""
    path, dataset = ("models", name, key), str(getattr(model, key))
    where = known.document.where(path)
    yield from _unknown(known, path, dataset, known.dataset_names, "dataset")
    if isinstance(model, EstimatorModel):
        what = f"{name} is trained here, inside the folds of each dataset it is tested on"
        yield Problem(what, f"remove {key}", where)
    elif known.dataset_names and not model.evaluated_on(known.dataset_names):
        what = f"{name} is evaluated on no dataset: it learned from every one"
        yield Problem(what, f"another dataset, or datasets: [{dataset}]", where)


def _of_thresholds(known: Outline) -> Iterator[Problem]:
    for path, threshold in known.thresholds:
        if threshold.on is not None:
            yield from _unknown(known, (*path, "on"), threshold.on, known.dataset_names, "dataset")


def _of_number(known: Outline, path: Path, number: WhichNumber) -> Iterator[Problem]:
    if number.dataset is not None:
        at = (*path, "dataset")
        yield from _unknown(known, at, number.dataset, known.dataset_names, "dataset")
    if number.model is not None:
        yield from _unknown(known, (*path, "model"), number.model, known.model_names, "model")
    yield from _not_evaluated_there(known, path, number)
    if number.threshold is not None and known.threshold_texts is not None:
        words = as_threshold(number.threshold)
        if words not in known.threshold_texts:
            hint = f"one of {', '.join(known.threshold_texts)}; or add it to thresholds"
            yield Problem(
                f"the spec has no threshold {words}",
                hint,
                known.document.where((*path, "threshold")),
            )
    yield from _of_subgroup(known, path, number)
    yield from _of_label(known, path, number)
    if isinstance(number, Criterion) and number.reference is not None:
        yield from _of_reference(known, (*path, "reference"), number.reference)


def _not_evaluated_there(known: Outline, path: Path, number: WhichNumber) -> Iterator[Problem]:
    model = known.models.get(number.model or "")
    if model is None or model.datasets is None or number.dataset is None:
        return
    if number.dataset in known.dataset_names and number.dataset not in model.datasets:
        yield Problem(
            f"model '{number.model}' is not evaluated on '{number.dataset}'",
            f"one of its datasets: {', '.join(model.datasets)}",
            known.document.where((*path, "dataset")),
        )


def _of_subgroup(known: Outline, path: Path, number: WhichNumber) -> Iterator[Problem]:
    if number.subgroup is None or known.crossings is None:
        return
    where = known.document.where((*path, "subgroup"))
    if not known.crossings:
        yield Problem("the spec declares no subgroups", "subgroups: [column]", where)
    elif number.subgroup != "each" and frozenset(number.subgroup) not in known.crossings:
        declared = sorted(" x ".join(sorted(columns)) for columns in known.crossings)
        asked = " x ".join(sorted(number.subgroup))
        hint = did_you_mean(asked, declared, "subgroups")
        yield Problem(f"'{asked}' is not among the subgroups", hint, where)


def _of_label(known: Outline, path: Path, number: WhichNumber) -> Iterator[Problem]:
    """A label is known where every dataset meant declares its labels."""
    if number.label is None or number.label == next(_named_positive(known), None):
        return
    labels = known.all_labels if number.dataset is None else known.labels.get(number.dataset)
    yield from _unknown(known, (*path, "label"), number.label, labels or (), "label")


def _named_positive(known: Outline) -> Iterator[str]:
    """The positive class of the spec, where it has a name."""
    positive = known.document.root.get("positive")
    label = positive.get("label") if isinstance(positive, dict) else None
    text = label.text if isinstance(label, Scalar) else label
    if isinstance(text, str) and text:
        yield text


def _of_reference(known: Outline, path: Path, reference: Reference) -> Iterator[Problem]:
    if isinstance(reference, RunReference):
        return
    if isinstance(reference, DatasetReference):
        at = (*path, "dataset")
        yield from _unknown(known, at, reference.dataset, known.dataset_names, "dataset")
        if [*known.dataset_names] == [reference.dataset]:
            what = f"there is no other dataset to compare with {reference.dataset}"
            yield Problem(what, "a second dataset, or a model", known.document.where(at))
        return
    for problem in _unknown(known, path, reference, known.model_names, "model"):
        if reference in known.dataset_names:
            yield Problem(problem.what, f"{{dataset: {reference}}}", problem.where)
        else:
            yield problem


def _of_drift(known: Outline, drift: Drift) -> Iterator[Problem]:
    path = ("drift", "reference")
    if isinstance(drift.reference, str):
        hint = f"{{dataset: {drift.reference}}}, or {{run: folder}}"
        yield Problem(
            f"drift is against a dataset or run, not '{drift.reference}'",
            hint,
            known.document.where(path),
        )
    else:
        yield from _of_reference(known, path, drift.reference)
    if isinstance(drift.reference, RunReference) and drift.columns:
        yield Problem(
            "results of a run have no columns to compare with",
            "reference: {dataset: name}, or no columns",
            known.document.where(("drift", "columns")),
        )


def _of_labels(known: Outline) -> Iterator[Problem]:
    """Indeterminate results are no classes, and a positive class is one of those declared."""
    for name, dataset in known.datasets.items():
        for index, label in enumerate(dataset.indeterminate):
            if label in (dataset.labels or ()):
                yield Problem(
                    f"'{label}' is declared as a class and as indeterminate",
                    "keep one",
                    known.document.where(("datasets", name, "indeterminate", index)),
                )
        if isinstance(dataset.positive, NamedPositive) and dataset.labels is not None:
            path = ("datasets", name, "positive", "label")
            yield from _unknown(known, path, dataset.positive.label, dataset.labels, "label")
    yield from _of_positive(known)
    yield from _of_costs(known)


def _of_positive(known: Outline) -> Iterator[Problem]:
    """The spec's positive class has to be a class of some dataset, where all are declared."""
    label = next(_named_positive(known), None)
    if label is not None:
        labels = known.all_labels or ()
        yield from _unknown(known, ("positive", "label"), label, labels, "label")


def _of_costs(known: Outline) -> Iterator[Problem]:
    """Costs of two classes each name classes of some dataset, where all are declared."""
    costs, labels = known.document.root.get("costs"), known.all_labels or frozenset()
    for actual, row in costs.items() if labels and isinstance(costs, dict) else ():
        for path in ((actual,), *((actual, one) for one in row)) if isinstance(row, dict) else ():
            if path[-1] not in labels:
                hint = did_you_mean(path[-1], labels, "labels")
                where = known.document.where_key(("costs", *path))
                yield Problem(f"there is no label '{path[-1]}'", hint, where)


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
    known: Outline, *, frames: Sequence[str], folder: FilePath | None, templates: bool
) -> Iterator[Problem]:
    """Everything that is asked for and cannot be had for lack of another part."""
    yield from _paths(known, frames)
    yield from _label_sets(known)
    yield from _tables(known)
    yield from _metrics(known)
    yield from _methods(known)
    yield from _cross_validation(known)
    yield from _engine(known)
    if templates:
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
            yield Problem(f"a frame is given for '{name}', which is not a dataset", hint)


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
            elif isinstance(target, dict) and getattr(model, "prediction", None) and not gives_sets:
                what = f"{dataset} has sets of labels, and {name} one label beside its scores"
                yield Problem(what, "scores alone", where)
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
        listed = request.metric.of_spec
        if listed is not None and not request.params and not known.has(listed.name):
            yield Problem(
                f"{request.name} needs a {listed.name}",
                f"{{{request.name}: {{{listed.name}: 0.01}}}}, "
                f"or {listed.name}: [0.01] for the spec",
                known.document.where(path),
            )


def _methods(known: Outline) -> Iterator[Problem]:
    """Interval methods of other designs than those of the datasets that they are asked for."""
    designs = [dataset.drawn for dataset in known.datasets.values()]
    confidence = known.document.root.get("confidence")
    asked = confidence.get("methods") if isinstance(confidence, dict) else None
    for word, method in asked.items() if isinstance(asked, dict) else ():
        yield from _of_design(known, ("confidence", "methods", word), find(word), method, designs)
    for path, one in known.criteria:
        if one.method is None:
            continue
        at = (*path, "method")
        own = [d for name, d in known.datasets.items() if one.dataset in (None, name)]
        drawn = [dataset.drawn for dataset in own]
        yield from _of_design(known, at, one.metric.metric, one.method, drawn, one.average)
        if known.has("looks") or any(dataset.readers for dataset in own):
            what = "limits of looks and of means over readers have a method of their own"
            yield Problem(what, "leave it out", known.document.where(at))


def _of_design(
    known: Outline,
    path: Path,
    metric: Metric | None,
    method: Any,
    designs: Sequence[Drawn],
    average: str | None = None,
) -> Iterator[Problem]:
    """The problem of a method of a metric that fits none of the designs, with those that do."""
    mean = averaged(average)
    if metric is None or not designs or method not in requestable(metric, mean):
        return
    fit = interval_methods(metric, designs, mean)
    # one for independent rows can be carried out of any rows, and says what it passes over
    if method in (*fit, *interval_methods(metric, average=mean), CLASSICAL):
        return
    drawn = " and of ".join(design.value for design in dict.fromkeys(designs))
    name = metric.name if mean is None else f"{mean.value} {metric.name}"
    what = f"{method} gives no limits of {name} of {drawn}"
    yield Problem(what, f"one of {', '.join((*fit, CLASSICAL))}", known.document.where(path))


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
