"""Measures and report of a published run in MLflow (``pip install evalreport[mlflow]``)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from evalreport.api.given import free_name
from evalreport.engine.reference.run import RESULTS, records_of
from evalreport.errors import Location, Problem, UsageError, explained
from evalreport.results.lookup import Results
from evalreport.results.records import HELD, Measure

#: What MLflow admits in the name of a metric; anything else becomes an underscore.
_FOREIGN = re.compile(r"[^A-Za-z0-9_.\- /]+")


def log_run(run: str | Path, client: Any = None) -> dict[str, float]:
    """Log a published run to the active MLflow run; the metrics that were logged.

    Every measure of all rows that has a value becomes a metric, its interval two more
    (``.low``, ``.high``); hashes, version and outcome become tags; the files of the
    run become artifacts. ``client`` stands in for the module ``mlflow``. Raises
    UsageError where MLflow is not installed, FilesError where there is no run.
    """
    folder = Path(run)
    results = _results(folder)
    found = client if client is not None else _mlflow()
    metrics = metrics_of(results)
    found.log_metrics(metrics)
    found.set_tags(_tags(results, folder.resolve().name))
    found.log_artifacts(str(folder), artifact_path="evalreport")
    return metrics


def metrics_of(results: Results) -> dict[str, float]:
    """Names and values of the measures of all rows, in their order.

    >>> from evalreport import evaluate
    >>> metrics_of(evaluate(["ill", "well", "well", "ill"], y_pred=["ill", "well", "ill", "ill"],
    ...            positive="ill", metrics=["prevalence"]).records)["data/model/prevalence/ill"]
    0.5
    """
    found: dict[str, float] = {}
    for measure in results.measures:
        if measure.subgroup or measure.fold is not None or measure.value is None:
            continue
        name = free_name(_name(measure), found)
        found[name] = float(measure.value)
        if measure.interval is not None:
            found[f"{name}.low"] = float(measure.interval.low)
            found[f"{name}.high"] = float(measure.interval.high)
    return found


def _name(measure: Measure) -> str:
    inside = " ".join(f"{key} {value}" for key, value in sorted(measure.params.items()))
    at = measure.threshold_rule or measure.threshold
    parts = [
        measure.dataset,
        measure.model,
        " ".join(filter(None, (measure.average, measure.metric, inside))),
        measure.label,
        None if at is None else f"at {at}",
        measure.indeterminate,
    ]
    return "/".join(_FOREIGN.sub("_", str(p)).replace("/", "_") for p in parts if p is not None)


def _tags(results: Results, name: str) -> dict[str, str]:
    provenance = results.provenance
    outcomes = {entry.outcome for entry in results.acceptance}
    tags = {
        "evalreport.run": name,
        "evalreport.version": provenance.version,
        "evalreport.at": provenance.at,
        "evalreport.spec_sha256": "" if provenance.spec is None else provenance.spec.sha256,
        "evalreport.accepted": str(outcomes <= set(HELD)).lower() if outcomes else "no criteria",
    }
    return tags | {
        f"evalreport.data_sha256.{_FOREIGN.sub('_', one.dataset)}": str(one.sha256)
        for one in provenance.inputs
    }


def _results(folder: Path) -> Results:
    """The results of a run. Raises FilesError."""
    path = folder / RESULTS
    with explained("cannot be read", path, "the folder of a run, such as runs/latest"):
        data = path.read_bytes()
    return records_of(data, Location(str(path)))


def _mlflow() -> Any:
    import importlib

    try:
        return importlib.import_module("mlflow")
    except ImportError:
        raise UsageError(
            Problem("MLflow is not installed", "pip install 'evalreport[mlflow]'")
        ) from None
