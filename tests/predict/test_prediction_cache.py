"""Kept predictions: used only for the same key and only as written."""

from __future__ import annotations

import fcntl
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from evalreport.predict.cache import (
    cache_key,
    cached,
    cached_record,
    load,
    store,
    versions,
)
from evalreport.predict.outcome import FoldedPredictions, FoldFailure, Output

KEY = cache_key({"features": "f"}, {"folds": 2}, versions())


def folded(failures: tuple[FoldFailure, ...] = ()) -> FoldedPredictions:
    return FoldedPredictions(
        model="m",
        labels=("a", "b"),
        positive=1,
        row=np.array([1, 0]),
        repeat=np.array([0, 0]),
        fold=np.array([0, 1]),
        folds=("x", "y"),
        output=Output(
            "score",
            score=np.array([0.1, 1 / 3]),
            class_scores=np.array([[0.9, 0.1], [2 / 3, 1 / 3]]),
        ),
        fold_sizes={"x": (1, 1), "y": (1, 1)},
        failures=failures,
        chosen={"x": {"depth": 3, "kind": "a"}},
        notes=("a note",),
    )


def test_what_is_kept_is_what_was_made(tmp_path):
    made = folded()
    assert store(tmp_path / "cache", KEY, made)
    kept = load(tmp_path / "cache", KEY)
    for field in fields(FoldedPredictions):
        one, other = getattr(made, field.name), getattr(kept, field.name)
        if field.name == "output":
            assert np.array_equal(one.score, other.score)
            assert np.array_equal(one.class_scores, other.class_scores)
            assert (other.source, other.predicted) == ("score", None)
        else:
            assert np.array_equal(one, other), field.name


def test_nothing_is_refitted_unless_fresh(tmp_path):
    calls = []

    def work() -> FoldedPredictions:
        calls.append(1)
        return folded()

    assert cached(tmp_path, KEY, work)[1] is False
    assert cached(tmp_path, KEY, work)[1] is True
    assert len(calls) == 1
    assert cached(tmp_path, KEY, work, fresh=True)[1] is False
    assert len(calls) == 2
    assert cached(tmp_path, "another", work)[1] is False
    assert cached(None, KEY, work)[1] is False


def test_any_changed_byte_makes_an_entry_void(tmp_path):
    store(tmp_path, KEY, folded())
    (path,) = tmp_path.iterdir()
    whole = path.read_bytes()
    for place in range(0, len(whole), 37):
        if place == 64:  # the line end between digest and body
            continue
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert load(tmp_path, KEY) is None, place
    path.write_bytes(whole[:-1])
    assert load(tmp_path, KEY) is None
    path.write_bytes(b"")
    assert load(tmp_path, KEY) is None


def test_entry_of_another_key_is_void(tmp_path):
    store(tmp_path, KEY, folded())
    (tmp_path / f"{KEY}.oof").rename(tmp_path / "other.oof")
    assert load(tmp_path, "other") is None


def test_failures_are_not_kept(tmp_path):
    cached(tmp_path, KEY, lambda: folded((FoldFailure("m", "x", "why"),)))
    assert list(tmp_path.iterdir()) == []


def test_folder_that_cannot_be_used_costs_only_time(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    assert cached(blocked, KEY, folded)[0].model == "m"
    assert not store(blocked, KEY, folded())


def test_records_are_kept_and_verified_too(tmp_path):
    calls = []

    def work() -> dict[str, float]:
        calls.append(1)
        return {"mean": 1 / 3}

    assert cached_record(tmp_path, KEY, work) == cached_record(tmp_path, KEY, work)
    assert len(calls) == 1
    (path,) = tmp_path.iterdir()
    path.write_bytes(path.read_bytes().replace(b"mean", b"mesn"))
    assert cached_record(tmp_path, KEY, work) == {"mean": 1 / 3}
    assert len(calls) == 2


def test_key_follows_data_spec_and_versions():
    keys = {
        cache_key({"features": "f"}, {"folds": 2}, {"numpy": "2"}),
        cache_key({"features": "g"}, {"folds": 2}, {"numpy": "2"}),
        cache_key({"features": "f"}, {"folds": 3}, {"numpy": "2"}),
        cache_key({"features": "f"}, {"folds": 2}, {"numpy": "3"}),
    }
    assert len(keys) == 4
    with pytest.raises(ValueError, match="JSON"):
        cache_key({}, {"x": float("nan")}, {})
    assert {"python", "numpy", "scikit-learn", "evalreport"} <= set(versions())
    assert Path(f"{KEY}.oof").name == f"{KEY}.oof"


def test_parts_that_nobody_writes_any_more_are_removed(tmp_path):
    """One that another process holds stays, and so does what only looks like one."""
    left, held, other = tmp_path / ".part-left", tmp_path / ".part-held", tmp_path / "part-x"
    for path in (left, held, other):
        path.write_bytes(b"half")
    with held.open("rb") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        assert store(tmp_path, KEY, folded())
        assert sorted(p.name for p in tmp_path.iterdir()) == [".part-held", f"{KEY}.oof", "part-x"]
    assert store(tmp_path, KEY, folded())
    assert sorted(p.name for p in tmp_path.iterdir()) == [f"{KEY}.oof", "part-x"]


def test_a_signal_while_a_part_is_written_leaves_none(tmp_path, monkeypatch):
    def stopped(*_: object) -> None:
        raise SystemExit(143)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", stopped)
        with pytest.raises(SystemExit):
            store(tmp_path, KEY, folded())
    assert list(tmp_path.iterdir()) == []
