"""Views of models that predict here: linear, cross-validated, saved."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

from evalreport.data.checked import Checked, check
from evalreport.data.findings import Finding, rows_problem
from evalreport.data.scores import numbers
from evalreport.data.source import open_source, reading
from evalreport.data.table import RawTable
from evalreport.errors import DataError, Location, Problem
from evalreport.metrics.readings import sigmoid
from evalreport.predict.columns import Where, roles_of, rules_of
from evalreport.predict.linear import linear_output
from evalreport.predict.made import Made
from evalreport.predict.making import Making, features_of
from evalreport.predict.model_file import Format
from evalreport.predict.outcome import EVERY_FOLD, FoldFailure, Output
from evalreport.predict.saved import check_saved, saved_output
from evalreport.predict.trained import fixed, trained
from evalreport.predict.used_rows import view_of_rows, without
from evalreport.predict.view import LabelView
from evalreport.results.records import Failure
from evalreport.spec.model import Spec
from evalreport.spec.models import EstimatorModel, LinearModel, OnnxModel, SkopsModel


def made_here(
    spec: Spec,
    dataset: str,
    model: str,
    table: RawTable,
    subgroups: tuple[str, ...],
    where: Where,
    making: Making,
) -> Made:
    """The predictions of a model that predicts here.

    Raises DataError and SpecError for mistakes of the data and the spec; what an
    estimator cannot do is a failure of the result, so that other models go on.
    """
    declared = spec.models[model]
    roles = roles_of(spec.datasets[dataset], declared, subgroups)
    checked = check(table, roles, rules_of(spec, dataset), where)
    if isinstance(declared, LinearModel):
        return Made(_linear(spec, dataset, model, table, checked, declared))
    if isinstance(declared, EstimatorModel):
        how = trained if declared.fit_on is None else fixed
        return how(spec, dataset, model, table, checked, declared, making)
    assert isinstance(declared, (SkopsModel, OnnxModel))
    return Made(_saved(spec, dataset, model, table, checked, declared, making))


def _linear(
    spec: Spec, dataset: str, model: str, table: RawTable, checked: Checked, declared: LinearModel
) -> LabelView:
    linear = declared.linear
    columns = {name: numbers(table, name) for name in linear.weights}
    problems = [problem for found in columns.values() for problem in found.problems]
    if len(checked.labels) > 2:
        raise DataError(
            f"model '{model}': a linear model needs two classes, "
            f"{table.name} has {len(checked.labels)}"
        )
    if problems:
        raise DataError(*problems)
    for name, found in columns.items():
        lacking = found.missing[checked.used]
        if lacking.any() and spec.datasets[dataset].missing != "exclude":
            gaps = checked.used[lacking].tolist()
            instead = "fill it in, or set `missing: exclude` to leave such rows out"
            raise DataError(rows_problem(table, f"{name} is missing", gaps, instead))
        if lacking.any():
            checked = without(checked, lacking, f"{name} is missing")
    values = {name: found.values[checked.used] for name, found in columns.items()}
    made = linear_output(values, linear.bias, linear.weights, linear.seed)
    if linear.link == "logit":
        output = Output("score", score=sigmoid(made.value))
        return view_of_rows(dataset, model, checked, output)
    notes = (
        ()
        if made.note is None
        else (
            Finding(
                "on_boundary",
                f"{model}: {made.note}",
                {"rows": made.on_boundary, "positive": made.drawn_positive},
            ),
        )
    )
    view = view_of_rows(dataset, model, checked, Output("margin", score=made.distance), notes)
    return replace(view, margin_unit=made.norm, drawn_negative=made.drawn_negative)


def _saved(
    spec: Spec,
    dataset: str,
    model: str,
    table: RawTable,
    checked: Checked,
    declared: SkopsModel | OnnxModel,
    making: Making,
) -> LabelView:
    path, form, asked = _saved_file(declared)
    content = saved_content(declared, making.folder)
    features = features_of(spec, dataset, table, declared).take(checked.used)
    made = saved_output(content, form, features, making.trusted, path, asked=asked)
    output = made.output(checked.labels, checked.positive, str(path))
    notes = tuple(Finding("saved_model", f"{model}: {note}") for note in made.notes)
    return view_of_rows(dataset, model, checked, output, notes)


def _saved_file(declared: SkopsModel | OnnxModel) -> tuple[str, Format, tuple[str, ...]]:
    """Path and format of a saved model, and the types its spec asks for."""
    if isinstance(declared, SkopsModel):
        return str(declared.skops), "skops", tuple(declared.trusted)
    return str(declared.onnx), "onnx", ()


def saved_content(declared: SkopsModel | OnnxModel, folder: Path) -> bytes:
    """The bytes of a saved model; nothing in them has been looked at but their hash.

    Raises FilesError where the file cannot be read, DataError where its hash is not the one
    that the spec declares.
    """
    path = _saved_file(declared)[0]
    with reading(open_source(folder / path, path)) as stream:
        content = bytes(stream.read())
    found = hashlib.sha256(content).hexdigest()
    if declared.sha256 is not None and declared.sha256.lower() != found:
        what = f"its sha256 is {found}, the spec declares {declared.sha256}"
        raise DataError(Problem(what, "the file of the model that was declared", Location(path)))
    return content


def check_saved_models(spec: Spec, folder: Path, trusted: tuple[str, ...]) -> None:
    """Look into every saved model of a spec without loading it.

    Raises DataError with all that is wrong, FilesError for files that cannot be read.
    """
    problems: list[Problem] = []
    for declared in spec.models.values():
        if isinstance(declared, SkopsModel | OnnxModel):
            path, form, asked = _saved_file(declared)
            try:
                check_saved(saved_content(declared, folder), form, trusted, path, asked)
            except DataError as error:
                problems += [p for p in error.problems if p not in problems]
    if problems:
        raise DataError(*problems)


def failure_records(dataset: str, failures: tuple[FoldFailure, ...]) -> list[Failure]:
    """Failures as they stand in the results, in the section of the measures."""
    return [
        Failure(
            "measures",
            one.reason if one.fold == EVERY_FOLD else f"fold {one.fold}: {one.reason}",
            dataset,
            one.model,
        )
        for one in failures
    ]
