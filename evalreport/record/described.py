"""Whether the description of rows adds up: values to n, and n with what is missing to a class."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from evalreport.errors import Problem

_MALFORMED = (KeyError, TypeError, ValueError, AttributeError)


def described_problems(results: Mapping[str, Any]) -> list[Problem]:
    """What in ``characteristics`` contradicts itself or the account of rows; never raises."""
    found: list[Problem] = []
    try:
        described = results.get("characteristics") or ()
        used = {(r["dataset"], r["model"]): r["used"] for r in results["rows"]} if described else {}
        for record in described:
            where = f"characteristics of {record['dataset']}"
            told = [*_whole(record, used), *_columns(record)]
            found += [Problem(f"{where}: {what}") for what in told]
    except _MALFORMED as error:
        found.append(Problem(f"characteristics cannot be checked, they are malformed: {error!r}"))
    return found


def _whole(record: Mapping[str, Any], used: Mapping[tuple[str, str], int]) -> Iterator[str]:
    for model in record["models"]:
        rows = used[record["dataset"], model]
        if rows != record["rows"]:
            yield f"they describe {record['rows']} rows, {model} used {rows}"


def _columns(record: Mapping[str, Any]) -> Iterator[str]:
    expected = {None: record["rows"]} | {c["label"]: c["rows"] for c in record["classes"]}
    for column in record["columns"]:
        for group in column["groups"]:
            name = f"{column['column']}, {group['label'] or 'all rows'}"
            total = group["n"] + group["missing"]
            if total != expected[group["label"]]:
                yield f"{name}: {total} rows of {expected[group['label']]}"
            if column["kind"] == "category":
                counted = group["other"] + sum(value["count"] for value in group["values"])
                if counted != group["n"]:
                    yield f"{name}: values of {counted} rows, n is {group['n']}"
            elif group["n"]:
                yield from _disordered(name, group)


def _disordered(name: str, group: Mapping[str, Any]) -> Iterator[str]:
    order = [group[k] for k in ("low", "quartile_1", "median", "quartile_3", "high")]
    if order != sorted(order):
        yield f"{name}: the range and the quartiles are not in order"
    # a mean of floats may round past a limit that all of them share
    slack = 1e-12 * max(abs(order[0]), abs(order[-1]))
    if not order[0] - slack <= group["mean"] <= order[-1] + slack:
        yield f"{name}: the mean lies outside the range"
