"""Every kind of record has its check, or a reason why results alone cannot settle it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from functools import cache
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import pytest
from record.whole_results import whole

from evalreport.record.checks import CHECKS, UNCHECKED, checks, numbers_in, under
from evalreport.record.failures import NOTHING_LEFT
from evalreport.record.recompute import MODULES, recompute
from evalreport.record.remade import REMADE
from evalreport.results.lookup import parts
from evalreport.results.records import Interval, Logo, Measure, Provenance, SampleSize


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


def test_every_kind_of_record_has_a_check_or_a_reason_for_none() -> None:
    assert MODULES
    assert set(CHECKS) | set(UNCHECKED) == set(parts())
    assert not set(CHECKS) & set(UNCHECKED)
    assert [r for r in UNCHECKED.values() if len(r.split()) < 4 or len(r) <= 20] == []


def test_a_kind_with_neither_is_an_error_that_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(CHECKS, SampleSize)
    with pytest.raises(LookupError, match="SampleSize has neither a check nor a reason for none"):
        recompute(whole())
    monkeypatch.undo()
    monkeypatch.delitem(UNCHECKED, Logo)
    with pytest.raises(LookupError, match="Logo has neither a check nor a reason for none"):
        recompute(whole())
    monkeypatch.undo()
    assert recompute(whole()).problems == ()


@pytest.mark.parametrize("kind", [SampleSize, Logo])
def test_no_kind_has_two_answers(kind: type) -> None:
    with pytest.raises(ValueError, match=f"{kind.__name__} has a check or a reason"):
        checks(kind, lambda _record, _place: "", holds=())(lambda _record, _known: [])


def test_records_are_counted_by_their_part_with_the_reason_for_none() -> None:
    rows = [{"dataset": "d", "model": "m", "read": 9, "used": 7, "excluded": []}]
    told = {"section": "drift", "reason": "the disk was full"}
    found = recompute(whole(rows=rows, failures=[told]))
    assert found.held == {"rows": 1, "provenance": 1}
    assert found.reasons["failures", NOTHING_LEFT] == 1
    seed = "provenance.seed", CHECKS[Provenance].why_not("seed")
    assert found.left_out[seed] == 1
    (problem,) = found.problems
    assert problem.what == "rows of d, m: read is 9, used and excluded are 7"


@pytest.mark.parametrize("kind", parts())
def test_no_number_of_a_kind_is_forgotten(kind: type) -> None:
    """Each is held by the check, or left out for a reason that is written down."""
    if kind in UNCHECKED:
        return
    declared = CHECKS[kind]
    known = declared.holds | declared.unless.keys()
    forgotten = [path for path in number_paths(kind) if not under(path, frozenset(known))]
    assert forgotten == []
    for path in number_paths(kind):
        assert declared.why_not(path), path


def test_a_number_that_nobody_spoke_of_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"dataset": "d", "model": "m", "read": 9, "used": 9, "excluded": []}]
    declared = CHECKS[next(kind for kind, part in parts().items() if part == "rows")]
    monkeypatch.setattr(type(declared), "why_not", lambda _self, _path: None)
    with pytest.raises(LookupError, match=r"Provenance\.seed is neither held by its check nor"):
        recompute(whole(rows=rows))


def test_every_path_of_a_number_is_found_in_a_record() -> None:
    interval = Interval(0.95, 0.1, 0.4, "wilson", resamples=2000)
    assert numbers_in(interval) == {"level": 1, "low": 1, "high": 1, "resamples": 1}
    assert number_paths(Interval) >= numbers_in(interval).keys()
    assert {"value", "n", "interval.low", "reached.tp", "params"} <= number_paths(Measure)


def test_parts_that_are_made_again_are_kinds_of_records() -> None:
    assert set(REMADE) <= set(parts())


def test_numbers_are_counted_as_held_or_as_left_out_for_a_reason() -> None:
    rows = [{"dataset": "d", "model": "m", "read": 9, "used": 7,
             "excluded": [{"reason": "no target", "count": 2}]}]  # fmt: skip
    found = recompute(whole(rows=rows))
    assert found.numbers == {"rows": 1}
    assert found.recomputed == 1
    assert found.left_out["rows.excluded", "why rows were left out is counted from rows"] == 1
    # the seed of the provenance, too
    assert found.recomputed + sum(found.left_out.values()) == 4
