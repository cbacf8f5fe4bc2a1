"""A spec to results, without a file being written."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalreport.api.given import checked_frames, end_of_order, ordered_categories, spec_text
from evalreport.api.results import Ran, Results

if TYPE_CHECKING:
    from evalreport.data.findings import Finding
    from evalreport.spec.load import LoadedSpec
    from evalreport.spec.model import Spec


def run(
    spec: str | os.PathLike[str] | Mapping[str, Any],
    *,
    frames: Mapping[str, Any] | None = None,
    overrides: tuple[str, ...] = (),
    engine: str = "auto",
    at: str | None = None,
    allow_import: Sequence[str] = (),
    trust: Sequence[str] = (),
    allow_hosts: Sequence[str] = (),
) -> Results:
    """Evaluate a spec and return the results; nothing is written.

    Args:
        spec: path of a spec file, or the spec itself as a mapping.
        frames: rows of datasets by name, as data frames (pandas, polars, pyarrow) or
            mappings of columns, instead of the files the spec names.
        overrides: texts such as ``confidence.level=0.9``.
        engine: ``auto``, ``memory``, ``duckdb`` or ``spark``.
        at: the clock as ISO 8601 text; else SOURCE_DATE_EPOCH, else now.
        allow_import: packages whose classifiers may be named as estimators, beside
            scikit-learn's; the option ``--allow-import`` of the command.
        trust: types that saved models may hold, beside those that scikit-learn's models are
            made of; the option ``--trust`` of the command.
        allow_hosts: computers whose databases and clusters the spec may name, beside this one,
            and buckets of object stores (s3://bucket);
            the option ``--allow-host`` of the command.

    Raises:
        UsageError: arguments of another kind than these.
        SpecError: every mistake of the spec.
        DataError: every mistake of the data.
        FilesError: a file could not be read.

    >>> result = run(
    ...     {
    ...         "evalreport": 1,
    ...         "datasets": {"d": {"target": "y"}},
    ...         "models": {"m": {"prediction": "p"}},
    ...         "metrics": ["accuracy"],
    ...     },
    ...     frames={"d": {"y": ["cat", "dog", "cat", "cat"], "p": ["cat", "dog", "cat", "dog"]}},
    ... )
    >>> result.json["measures"][0]["substituted"]
    '(1 + 2) / (1 + 1 + 0 + 2)'
    """
    from evalreport.spec.load import load_spec, parse_spec

    rows = checked_frames(frames)
    given, allowed = tuple(rows), _packages(allow_import)
    hosts = _packages(allow_hosts)

    def load(told: tuple[str, ...]) -> LoadedSpec:
        if isinstance(spec, Mapping):
            text = spec_text(spec)
            return parse_spec(
                text, "spec", told, frames=given, allow_import=allowed, allow_hosts=hosts
            )
        path = Path(_path(spec))
        return load_spec(path, told, frames=given, allow_import=allowed, allow_hosts=hosts)

    loaded = load(overrides)
    if orders := _orders(loaded.spec, rows):
        loaded = load((*overrides, *orders))
    return evaluated(loaded, rows, engine, at, allowed, _packages(trust))


def _orders(spec: Spec, frames: Mapping[str, Any]) -> tuple[str, ...]:
    """Overrides that declare the classes of true labels which are ordered categoricals."""
    found = []
    for name, rows in frames.items():
        dataset = spec.datasets.get(name)
        if dataset is None or dataset.labels is not None or not isinstance(dataset.target, str):
            continue
        there = dataset.target in rows
        categories = ordered_categories(rows[dataset.target]) if there else []
        if len(categories) > 1:
            found.append(f'datasets."{name}".labels={json.dumps(categories)}')
            positive = end_of_order(categories, spec.positive_of(name))
            if isinstance(positive, str) and positive in categories:
                found.append(f'datasets."{name}".positive={json.dumps({"label": positive})}')
    return tuple(found)


def evaluated(
    loaded: Any,
    frames: Mapping[str, Any],
    engine: str = "auto",
    at: str | None = None,
    allowed: tuple[str, ...] = (),
    trust: tuple[str, ...] = (),
    findings: Mapping[str, Sequence[Finding]] | None = None,
) -> Results:
    """The results of a loaded spec on its files and the ``frames``.

    ``findings``: what is known of models beside their rows, by their names.
    """
    from evalreport.engine.predicting import Fitting
    from evalreport.engine.read_and_plan import prepare
    from evalreport.engine.run import evaluate
    from evalreport.predict.columns import noted
    from evalreport.predict.trust import granted
    from evalreport.processes import SafeChildren
    from evalreport.publish.installed import check_installed
    from evalreport.publish.refusals import check_names
    from evalreport.results.codec import encode
    from evalreport.runs.clock import clock_kind, clock_text, read_clock

    when = read_clock(at, os.environ)
    fitting = Fitting(allowed=allowed, trusted=granted(trust, os.environ))
    # A package that the program admits may lie beside it: workers then find what it finds.
    check_names(loaded)
    check_installed(loaded, (), engine)
    with SafeChildren(keep_path=bool(allowed)):
        prepared = prepare(loaded, frames, engine, fitting=fitting)
        if findings:
            views = (noted(view, findings.get(view.model, ())) for view in prepared.views)
            prepared = replace(prepared, views=tuple(views))
        found = evaluate(prepared, clock_text(when), clock=clock_kind(at, os.environ))
    return Results(encode(found), Ran(prepared, when, dict(frames)))


def _path(spec: Any) -> str:
    from evalreport.errors import Problem, UsageError

    try:
        return str(os.fspath(spec))
    except TypeError:
        what = f"spec is a {type(spec).__name__}"
        raise UsageError(Problem(what, "the path of a spec, or a spec as a mapping")) from None


def _packages(names: Any) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)
