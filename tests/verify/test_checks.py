"""Every kind of record is made again or has a reason for not; every number is counted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from functools import cache
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import pytest
from verify.whole_results import whole

from evalreport.results.lookup import parts
from evalreport.results.records import Interval, Logo, Measure, SampleSize
from evalreport.verify.accounts import NOTHING
from evalreport.verify.leaves import numbers_in, reason_of, unlike
from evalreport.verify.rebuild_parts import REBUILT
from evalreport.verify.recompute import UNSETTLED, recompute


@cache
def number_paths(kind: type) -> frozenset[str]:
    """Every path of a kind of record under which a number can stand, by its annotations."""
    hints = get_type_hints(kind, include_extras=True)
    return frozenset(path for name, hint in hints.items() for path in _paths(hint, name))


def _paths(hint: Any, path: str) -> Iterator[str]:
    if get_origin(hint) is Annotated:
        hint = get_args(hint)[0]
    if hint in (int, float, Any):
        yield path
    elif is_dataclass(hint):
        yield from (f"{path}.{inner}" for inner in number_paths(hint))  # type: ignore[arg-type]
    else:
        inner = get_args(hint)
        for one in inner[1:] if get_origin(hint) is Mapping else inner:
            yield from _paths(one, path)


def test_every_kind_of_record_is_verified_or_has_a_reason_for_not() -> None:
    assert set(REBUILT) | set(UNSETTLED) == set(parts())
    assert [r for r in UNSETTLED.values() if len(r.split()) < 4 or len(r) <= 20] == []


def test_a_kind_that_is_not_verified_is_an_error_that_names_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(REBUILT, SampleSize)  # type: ignore[misc]
    with pytest.raises(LookupError, match="SampleSize is not verified"):
        recompute(whole())
    monkeypatch.undo()
    monkeypatch.delitem(UNSETTLED, Logo)  # type: ignore[misc]
    with pytest.raises(LookupError, match="Logo is not verified"):
        recompute(whole())
    monkeypatch.undo()
    assert recompute(whole()).problems == ()


def test_a_reason_is_that_of_the_nearest_path() -> None:
    reasons = {"interval": "by rows", "": "by all"}
    assert reason_of("interval.low", reasons) == "by rows"
    assert reason_of("value", reasons) == "by all"
    assert reason_of("value", {"interval": "by rows"}) is None


def test_every_path_of_a_number_is_found_in_a_record() -> None:
    interval = Interval(0.95, 0.1, 0.4, "wilson", resamples=2000)
    assert numbers_in(interval) == {"level": 1, "low": 1, "high": 1, "resamples": 1}
    assert number_paths(Interval) >= numbers_in(interval).keys()
    assert {"value", "n", "interval.low", "reached.tp", "params"} <= number_paths(Measure)


def test_numbers_are_counted_as_recomputed_or_as_left_out_for_a_reason() -> None:
    rows = [{"dataset": "d", "model": "m", "read": 9, "used": 7,
             "excluded": [{"reason": "no target", "count": 2}]}]  # fmt: skip
    found = recompute(whole(rows=rows))
    assert found.numbers == {"rows": 1}
    assert found.recomputed == 1
    assert found.left_out["rows.excluded", "why rows were left out is counted from rows"] == 1
    assert found.left_out["provenance.seed", NOTHING] == 1
    assert found.recomputed + sum(found.left_out.values()) == 4


def test_an_account_that_does_not_add_up_is_a_problem_of_its_record() -> None:
    rows = [{"dataset": "d", "model": "m", "read": 9, "used": 7, "excluded": []}]
    (problem,) = recompute(whole(rows=rows)).problems
    assert problem.what == "rows[0] (d, m): read is 9, the other records give 7"


@pytest.mark.parametrize(
    ("own", "other", "told"),
    [
        (Interval(0.9, 0.1, 0.4, "wilson"), Interval(0.9, 0.1, 0.4 + 1e-12, "wilson"), []),
        (Interval(0.9, 0.1, 0.4, "wilson"), Interval(0.9, 0.2, 0.4, "wald"), ["low", "method"]),
        ({"a": {"b": 1}}, {"a": {"b": 2}}, [".a.b"]),
        ({"a": 1}, {"b": 1}, [""]),
        ((Interval(0.9, 0.1, 0.4, "wilson"), None), (None, None), [""]),
        ((1, 2), (1, 3), [""]),
        ((), (1,), [""]),
    ],
)
def test_what_is_unlike_is_told_leaf_by_leaf(own: Any, other: Any, told: list[str]) -> None:
    assert [path for path, _ in unlike(own, other, {})] == told
