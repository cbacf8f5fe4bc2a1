"""Results are read by their fields: no code outside the codec looks into them by a key of text.

Counted is every ``x["key"]`` that is read and every ``x.get("key")`` whose key is the name of a
field of some record, in the steps that results pass through. What is read so is something else
than a record; each such place is listed with what it is, so that a new one has to be argued
for, and one that has gone is taken off the list. mypy knows the type of every field that is
read otherwise.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest

from evalreport.results import changes, history, kept_rows, lookup, records

PACKAGE = Path(__file__).parents[2] / "evalreport"
#: The steps that make, keep, draw or hand on results.
STEPS = (
    "api", "cli", "design", "engine", "publish", "qualify", "render", "report", "runs", "seal",
    "results", "testing.py", "tracking.py", "verify",
)  # fmt: skip
FIELDS = frozenset(
    field.name
    for module in (records, lookup, history, changes, kept_rows)
    for kind in vars(module).values()
    if isinstance(kind, type) and dataclasses.is_dataclass(kind)
    for field in dataclasses.fields(kind)
)

#: What is read, file, and the keys that it may be read by.
EXCEPTIONS: dict[str, dict[str, str]] = {
    "the codec itself: which schema a file says it has": {
        "results/codec.py": "schema",
    },
    "points of a curve are columns, called by their axes": {
        "engine/reference/run.py": "rows threshold",
        "report/choosing.py": "fpr threshold tpr",
        "verify/recorded_models.py": "threshold",
        "verify/recorded_tables.py": "threshold",
        "verify/rebuild_parts.py": "fp rows threshold tp",
        "report/contents.py": "n unit",
        "report/curve_charts.py": "n score",
        "report/curves.py": "fp rows tp",
        "report/slices.py": "threshold",
        "report/training.py": "test",
    },
    "the resolved spec, which is plain data": {
        "verify/kept.py": "datasets",
        "verify/recorded_spec.py": "datasets",
        "report/characteristics.py": "datasets",
        "report/checklists.py": "bias folds models params repeats weights",
        "report/methods.py": "resamples seed",
        "report/openlineage.py": "series",
        "report/page_one.py": "cadence",
        "report/series.py": "cadence",
        "results/lookup.py": "as_of",
        "report/slices.py": "column",
        "report/wording.py": "datasets metrics models",
    },
    "arguments of a metric, by their names": {
        "engine/intervals/table_intervals.py": "weights",
    },
    "the manifest and its settings, a file of its own with a reader of its own": {
        "cli/redrawing.py": "cadence series",
        "runs/manifest.py": "schema",
        "runs/run_folder.py": "series",
        "seal/statement.py": "name sha256",
    },
    "protocols and qualifications, files of their own": {
        "design/study.py": "sha256",
        "engine/ledgers/named_files.py": "criteria schema sha256 text",
        "qualify/reference.py": "cases columns high id low method metric of params source "
        "spec state threshold value",
        "report/protocol.py": "alpha cases criteria denominator_needed level measures method name "
        "notes pairs planned readers reason references rows sha256 spec_sha256 test text title "
        "value",
        "report/qualification.py": "at clock found id name outcome part reason sha256 source spec "
        "text title version what",
    },
    "checklists, as their files say what each item asks for": {
        "report/checklists.py": "label missing note reason rule title what",
    },
    "failures of cross-validation, kept in the cache and decoded where they are read": {
        "engine/learning.py": "failures",
    },
    "what a command prints, or was given, is plain data": {
        "cli/asking.py": "code severity title",
        "cli/running.py": "outcome",
        "cli/sealing.py": "name",
        "report/annexes.py": "name",
        "api/results.py": "interval",
        "report/charts/canvas.py": "id",
    },
    "the bytes of a line of the history, which its own hash is taken of": {
        "runs/history.py": "sha256",
    },
    "a spec that does not load": {
        "runs/run_folder.py": "as_of series",
    },
    "fields of records that are being put together": {
        "engine/run.py": "reader_differences readers",
    },
    "parts of the name of a run": {
        "verify/verify.py": "clock spec",
    },
    "sections of the report by their names": {
        "report/build.py": "baselines cautions measures scores",
    },
    "the report as the templates and the process that draws it see it": {
        "render/child.py": "at files name",
        "render/html.py": "logo title",
        "render/limited.py": "missing what",
        "render/references.py": "name",
    },
    "the answer of a time-stamp authority": {
        "seal/stamp.py": "status",
    },
}


def keys_in(text: str) -> Iterator[str]:
    """Fields of records that code reads by a key of text.

    >>> sorted(keys_in("x = m['value'] + m.get('low'); m['n'] = 1; m.value"))
    ['low', 'value']
    """
    for node in ast.walk(ast.parse(text)):
        key: ast.expr | None = None
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            # of a type such as Literal["actual"] it is no key
            named = isinstance(node.value, ast.Name) and node.value.id == "Literal"
            key = None if named else node.slice
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("get", "pop")
            and node.args
        ):
            key = node.args[0]
        if isinstance(key, ast.Constant) and key.value in FIELDS:
            yield str(key.value)


def found() -> dict[str, set[str]]:
    """The keys that each module of the steps reads."""
    paths = [
        path
        for step in STEPS
        for path in ([PACKAGE / step] if step.endswith(".py") else (PACKAGE / step).rglob("*.py"))
    ]
    keys = {
        path.relative_to(PACKAGE).as_posix(): set(keys_in(path.read_text(encoding="utf-8")))
        for path in paths
    }
    return {path: own for path, own in keys.items() if own}


def test_results_are_read_by_fields_and_not_by_keys() -> None:
    allowed: dict[str, set[str]] = {}
    for files in EXCEPTIONS.values():
        for path, keys in files.items():
            allowed.setdefault(path, set()).update(keys.split())
    assert found() == allowed


@pytest.mark.parametrize(
    "code", ['measure["value"]', 'measure.get("interval")', 'results.json["measures"]']
)
def test_a_key_in_code_is_found(code: str) -> None:
    assert list(keys_in(code))


def test_other_keys_are_none_of_results() -> None:
    assert not list(keys_in('m["no field of a record"]; m.value; m["value"] = 1; m[0]'))
