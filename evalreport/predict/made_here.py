"""Views of models that predict here: linear, cross-validated, saved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evalreport.data.checked import Checked, check
from evalreport.data.findings import Finding, rows_problem
from evalreport.data.scores import numbers
from evalreport.data.source import open_source, reading
from evalreport.data.table import RawTable
from evalreport.errors import DataError
from evalreport.predict.columns import Where, roles_of, rules_of
from evalreport.predict.linear import linear_output
from evalreport.predict.making import Made, Making, features_of
from evalreport.predict.outcome import EVERY_FOLD, FoldFailure, Output
from evalreport.predict.saved import saved_output
from evalreport.predict.trained import trained
from evalreport.predict.used_rows import view_of_rows, without
from evalreport.predict.view import View
from evalreport.spec.model import Spec
from evalreport.spec.models import EstimatorModel, LinearModel, OnnxModel, SkopsModel

#: Models whose predictions are made here, not read from a column.
MADE_HERE = (LinearModel, EstimatorModel, SkopsModel, OnnxModel)


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
        return trained(spec, dataset, model, table, checked, declared, making)
    assert isinstance(declared, (SkopsModel, OnnxModel))
    return Made(_saved(spec, dataset, model, table, checked, declared, making))


def _linear(
    spec: Spec, dataset: str, model: str, table: RawTable, checked: Checked, declared: LinearModel
) -> View:
    linear = declared.linear
    columns = {name: numbers(table, name) for name in linear.weights}
    problems = [problem for found in columns.values() for problem in found.problems]
    if len(checked.labels) > 2:
        raise DataError(f"model '{model}': a linear model needs two classes, "
                        f"{table.name} has {len(checked.labels)}")
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
    notes = () if made.note is None else (
        Finding("on_boundary", f"{model}: {made.note}", {"rows": made.on_boundary,
                                                       "positive": made.drawn_positive}),
    )
    return view_of_rows(dataset, model, checked, Output("margin", score=made.score), notes)


def _saved(
    spec: Spec,
    dataset: str,
    model: str,
    table: RawTable,
    checked: Checked,
    declared: SkopsModel | OnnxModel,
    making: Making,
) -> View:
    path = declared.skops if isinstance(declared, SkopsModel) else declared.onnx
    source = open_source(making.folder / path, str(path))
    with reading(source) as stream:
        content = stream.read()
    features = features_of(spec, dataset, table, declared).take(checked.used)
    skops = isinstance(declared, SkopsModel)
    trusted = declared.trusted if isinstance(declared, SkopsModel) else ()
    made = saved_output(content, "skops" if skops else "onnx", features, trusted, str(path))
    output = made.output(checked.labels, checked.positive, str(path))
    notes = tuple(Finding("saved_model", f"{model}: {note}") for note in made.notes)
    return view_of_rows(dataset, model, checked, output, notes)


def failure_records(dataset: str, failures: tuple[FoldFailure, ...]) -> list[Mapping[str, Any]]:
    """Failures as they stand in the results, in the section of the measures."""
    return [
        {"section": "measures", "dataset": dataset, "model": failure.model, "reason":
         failure.reason if failure.fold == EVERY_FOLD else f"fold {failure.fold}: {failure.reason}"}
        for failure in failures
    ]
