"""Nights of five specs with all that goes wrong: the history tells exactly what happened."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from programs import lacks
from schedules.nights import (
    EarlierProgram,
    Nights,
    hold,
    hold_course,
    hold_folder,
    hold_lines,
    hold_watch,
)


@pytest.fixture(scope="module")
def some_nights(tmp_path_factory: pytest.TempPathFactory) -> Nights:
    nights = Nights(tmp_path_factory.mktemp("nights"), seed=3, keep=12)
    nights.pass_by(33)
    return nights


@pytest.mark.long
def test_the_history_tells_what_happened(some_nights: Nights) -> None:
    entries = some_nights.book.entries
    # everything that the nights are for has happened
    assert {entry.status for entry in entries} == {0, 1, 2, 3, 4}
    assert {entry.version for entry in entries} == {"0.1.0", "0.2.0"}
    assert any(entry.pruned for entry in entries)
    assert any(entry.run.endswith("-2") for entry in entries)
    runs = [entry.when for entry in some_nights.book.runs("triage")]
    assert runs != sorted(runs), "no backfill"
    hold(some_nights)


@pytest.mark.long
def test_a_book_that_says_otherwise_is_found(some_nights: Nights) -> None:
    """The checks compare: each fails where one thing did not happen as it is told."""
    book = some_nights.book
    newest = book.in_time("triage")[-1]
    newest.when, kept = "2031-01-01T00:00:00Z", newest.when
    for check in (hold_lines, hold_watch, hold_course):
        with pytest.raises(AssertionError):
            check(some_nights)
    newest.when = kept
    book.there.add("20240101T020000Z-00000000")
    with pytest.raises(AssertionError):
        hold_folder(some_nights)
    book.there.remove("20240101T020000Z-00000000")
    hold(some_nights)


@pytest.mark.nightly
def test_an_upgrade_from_an_earlier_program(tmp_path: Path) -> None:
    """What an earlier state of the program left is read, told, pruned and verified today."""
    if not EarlierProgram.is_there():
        lacks("the history of the repository, which keeps the earlier program")
    with EarlierProgram(tmp_path / "earlier") as before:
        nights = Nights(tmp_path, seed=5, keep=22)
        nights.pass_by(34, before)
    hold(nights)
    entries = nights.book.entries
    assert {entry.version for entry in entries} == {"0.0.9", "0.2.0"}
    assert any(entry.pruned for entry in entries)
    there = [e for e in nights.book.runs() if e.run in nights.book.there]
    assert {entry.version for entry in there} == {"0.0.9", "0.2.0"}, "nothing earlier is left"


@pytest.mark.nightly
def test_a_season(tmp_path: Path) -> None:
    nights = Nights(tmp_path, seed=2026)
    nights.pass_by(92)
    hold(nights)
    lines = (nights.runs / "history.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) > 400
    assert json.loads(lines[-1])["version"] == "0.2.0"
