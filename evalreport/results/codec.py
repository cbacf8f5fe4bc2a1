"""Records from JSON and back: the one place where results are data without types.

``results.json`` of version 1 is read and written here. What is read is held to the records
strictly: an unknown key, a value of another type or a missing field is told with its path,
such as ``measures[3].interval.low``. Records of results that do not belong together are told
in the same way (:mod:`evalreport.results.whole`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from evalreport.errors import FilesError, Location, Problem
from evalreport.results.forms import FormError, form_of
from evalreport.results.lookup import SCHEMA, Results
from evalreport.results.whole import disagreements

R = TypeVar("R")


def decode(content: Any, source: str = "results.json") -> Results:
    """The results in parsed JSON. Raises FilesError with everything that is not of the form.

    >>> decode({"schema": "evalreport/results/1", "titel": "A"})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    evalreport.errors.FilesError: results.json: titel: is no field; did you mean 'title'?
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


def decode_part(kind: type[R], content: Any, source: str = "results.json") -> R:
    """The fields of parsed results that a record of this kind has, held to their form.

    For who reads hundreds of results and a little of each. Raises FilesError as :func:`decode`.
    """
    _check_schema(content, source)
    wanted = _form(kind).keys
    return decode_as(kind, {key: own for key, own in content.items() if key in wanted}, source)


def _check_schema(content: Any, source: str) -> None:
    version = content.get("schema") if isinstance(content, Mapping) else None
    if version != SCHEMA:
        hint = f"a file with schema {SCHEMA}"
        raise FilesError(Problem("is no results.json", hint, Location(source)))


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
