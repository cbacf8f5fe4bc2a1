"""Records from JSON and back, and their schema: the one place where results have no types.

``results.json`` of version 1 is read and written here. What is read is held to the records
strictly: an unknown key, a value of another type or a missing field is told with its path,
such as ``measures[3].interval.low``. Records of results that do not belong together, which
their types alone cannot say, are told in the same way: a reader that looks a table up by its
id, or a cell by the place of its label, relies on what is checked here, once. The JSON Schema
follows from the same annotations.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, TypeVar, cast

from evalreport.errors import FilesError, Location, Problem
from evalreport.results import records as r
from evalreport.results.forms import FormError, definitions, form_of
from evalreport.results.lookup import SCHEMA, Results

#: No more problems are told.
MOST_PROBLEMS = 20

Found = tuple[str, str]


def disagreements(results: Results) -> list[Found]:
    """What does not belong together: pairs of a path and a sentence, the first ones."""
    return list(islice(_all(results), MOST_PROBLEMS))


def _all(results: Results) -> Iterator[Found]:
    yield from _repeated("tables", (table.id for table in results.tables))
    yield from _repeated("measures", (measure.id for measure in results.measures))
    yield from _repeated("curves", (curve.id for curve in results.curves))
    for place, table in enumerate(results.tables):
        yield from _of_table(f"tables[{place}]", table)
    tables = {table.id for table in results.tables}
    for place, measure in enumerate(results.measures):
        yield from _of_measure(f"measures[{place}]", measure, tables)
    for place, curve in enumerate(results.curves):
        sizes = {len(column) for column in curve.points.values()}
        if len(sizes) > 1:
            yield f"curves[{place}].points", "has columns of different lengths"
    yield from _references(results, tables)
    yield from _places(results)


def _repeated(part: str, ids: Iterable[str]) -> Iterator[Found]:
    seen: set[str] = set()
    for place, one in enumerate(ids):
        if one in seen:
            yield f"{part}[{place}].id", f"is {one!r}, which is there before"
        seen.add(one)


def _of_table(path: str, table: r.Table) -> Iterator[Found]:
    rows, columns = len(table.labels), len(table.labels) + len(table.extra_columns)
    if len(set(table.labels)) != rows or not rows:
        yield f"{path}.labels", "is empty, or lists a label twice"
    if table.positive is not None and table.positive not in table.labels:
        yield f"{path}.positive", f"is {table.positive!r}, which is none of the labels"
    yield from _of_counts(path, table, rows, columns)
    if table.missing is not None:
        if len(table.missing.without_prediction) != rows:
            yield f"{path}.missing.without_prediction", "is not one number for each label"
        # a model of scores has no indeterminate predictions: their place holds 0, and no column
        told = table.missing.without_target
        if len(told) < columns or any(told[columns:]):
            yield f"{path}.missing.without_target", "is not one number for each column"


def _of_counts(path: str, table: r.Table, rows: int, columns: int) -> Iterator[Found]:
    if table.counts is None:
        if table.cells is None:
            yield f"{path}.counts", "is null, and there are no cells"
    elif [len(row) for row in table.counts] != [columns] * rows:
        yield f"{path}.counts", f"is not {rows} rows of {columns} counts, one for each label"
    elif table.sampled_rows is None and any((n or 0) < 0 for row in table.counts for n in row):
        # but those of a sample that are corrected may lie outside their range
        yield f"{path}.counts", "has a count below 0"
    for place, (actual, predicted, _) in enumerate(table.cells or ()):
        if not (0 <= actual < rows and 0 <= predicted < columns):
            yield f"{path}.cells[{place}]", "is a cell of no label"


def _of_measure(path: str, measure: r.Measure, tables: set[str]) -> Iterator[Found]:
    if (measure.state == "value") != (measure.value is not None):
        yield f"{path}.value", f"is {measure.value}, and the state is {measure.state}"
    if measure.table is not None and measure.table not in tables:
        yield f"{path}.table", f"is {measure.table!r}, which is not a table"
    for place, one in enumerate(measure.tables or ()):
        if one is not None and one not in tables:
            yield f"{path}.tables[{place}]", f"is {one!r}, which is not a table"
    if measure.state == "value" and not measure.metric:
        yield f"{path}.metric", "is empty"


def _references(results: Results, tables: set[str]) -> Iterator[Found]:
    """Ids of measures and tables that other records name."""
    measures = {measure.id for measure in results.measures}
    named: list[tuple[str, tuple[Any, ...]]] = [
        ("acceptance", results.acceptance),
        ("cautions", results.cautions),
        ("sample_size", results.sample_size),
    ]
    for part, records in named:
        for place, record in enumerate(records):
            if record.measure is not None and record.measure not in measures:
                yield f"{part}[{place}].measure", f"is {record.measure!r}, which is not a measure"
    for place, caution in enumerate(results.cautions):
        if caution.table is not None and caution.table not in tables:
            yield f"cautions[{place}].table", f"is {caution.table!r}, which is not a table"


def _places(results: Results) -> Iterator[Found]:
    """Datasets and models that records are of: each has its account of rows."""
    known = {(ledger.dataset, ledger.model) for ledger in results.rows}
    of: list[tuple[str, tuple[Any, ...]]] = [
        ("labels", results.labels),
        ("tables", results.tables),
        ("measures", results.measures),
        ("curves", results.curves),
        ("thresholds", results.thresholds),
    ]
    for part, records in of:
        for place, record in enumerate(records):
            if (record.dataset, record.model) not in known:
                of_what = f"{record.model!r} on {record.dataset!r}"
                what = f"is of {of_what}, which have no account of rows"
                yield f"{part}[{place}]", what


def parse_json(data: bytes) -> Any:
    """The value of JSON bytes; strict. Raises ValueError for anything that is not JSON.

    NaN, Infinity, a key twice in one object, numbers too long to be numbers and
    nesting too deep to be read are errors.
    """
    try:
        return json.loads(
            data.decode("utf-8"),
            parse_constant=_refuse_constant,
            object_pairs_hook=_object_without_duplicates,
        )
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _object_without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"key {twice!r} is there twice")
    return found


R = TypeVar("R")


def decode(content: Any, source: str = "results.json") -> Results:
    """The results in parsed JSON. Raises FilesError with everything that is not of the form.

    >>> decode({"schema": "evalreport/results/1", "titel": "A"})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    evalreport.errors.FilesError: results.json: titel: is not a field; did you mean 'title'?
    results.json: acceptance: is missing
    ...
    """
    _check_schema(content, source)
    results = decode_as(Results, content, source)
    apart = disagreements(results)
    if apart:
        where = Location(source)
        raise FilesError(*(_problem(path, what, where) for path, what in apart))
    return results


def _check_schema(content: Any, source: str) -> None:
    version = content.get("schema") if isinstance(content, Mapping) else None
    if version != SCHEMA:
        hint = f"a file with schema {SCHEMA}"
        raise FilesError(Problem("is not a results.json", hint, Location(source)))


def decode_as(kind: type[R], content: Any, source: str = "results.json") -> R:
    """One record of a kind from parsed JSON. Raises FilesError as :func:`decode` does."""
    try:
        return cast("R", _form(kind).read(content))
    except FormError as error:
        where = Location(source)
        raise FilesError(*(_problem(path, what, where) for path, what in error.problems)) from None


def decode_readable(kind: type[R], content: Any) -> R | None:
    """One record of what can be read of parsed JSON; None where that is no such record.

    Keys that are no field, and fields of another form, are left out: for files that others
    wrote, and that are looked at whatever they hold.

    >>> from evalreport.results.history import HistoryLine
    >>> line = decode_readable(HistoryLine, {"run": "r", "series": 7, "mood": "good"})
    >>> line.run, line.series
    ('r', None)
    """
    try:
        return cast("R", _form(kind).readable(content))
    except FormError:
        return None


def _form(kind: Any) -> Any:
    return form_of(kind)


def _problem(path: str, what: str, where: Location) -> Problem:
    named = path.removeprefix(".")
    return Problem(f"{named}: {what}" if named else what, "", where)


def encode(record: Any) -> dict[str, Any]:
    """Results, or one record, as plain data that JSON can hold; fields in their order.

    >>> from evalreport.results.records import Interval
    >>> encode(Interval(0.95, 0.1, 0.4, "wilson"))
    {'level': 0.95, 'low': 0.1, 'high': 0.4, 'method': 'wilson'}
    """
    return cast("dict[str, Any]", _form(type(record)).write(record))


def results_schema() -> dict[str, Any]:
    """The schema, draft 7. Every record is described whole: it has no other keys."""
    known = definitions(form_of(Results))
    whole = known.pop(Results.__name__)
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "evalreport results",
        **whole,
        "definitions": {name: known[name] for name in sorted(known)},
    }
