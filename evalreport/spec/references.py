"""Names in a spec that refer to other parts of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from evalreport.errors import Problem, did_you_mean
from evalreport.spec.acceptance import Criterion, WhichNumber, as_threshold
from evalreport.spec.baselines import Baselines
from evalreport.spec.comparisons import Comparisons, DatasetReference, Reference, RunReference
from evalreport.spec.datasets import NamedPositive
from evalreport.spec.design import Design
from evalreport.spec.engine import Drift
from evalreport.spec.models import EstimatorModel, Model
from evalreport.spec.outline import Outline
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
            "results of a run hold no columns to compare with",
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


def _of_positive(known: Outline) -> Iterator[Problem]:
    """The spec's positive class has to be a class of some dataset, where all are declared."""
    label = next(_named_positive(known), None)
    if label is not None:
        labels = known.all_labels or ()
        yield from _unknown(known, ("positive", "label"), label, labels, "label")
