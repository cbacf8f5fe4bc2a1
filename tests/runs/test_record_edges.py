"""What writing, recovery and verification do where little is there, or all goes wrong."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest
from runs.publish_once import publish
from verify.whole_results import holding, whole

import evalreport.verify.recompute as recompute_module
from evalreport.engine.reference.run import records_of
from evalreport.errors import FilesError, Location, VerificationError
from evalreport.results.codec import decode, encode
from evalreport.results.records import Gap
from evalreport.runs import recovery
from evalreport.runs.hashing import canonical_json
from evalreport.runs.recorded import read_recorded
from evalreport.runs.runs import PRUNING, make_runs
from evalreport.runs.signals import stopping_cleanly
from evalreport.verify.printed import printed_problems
from evalreport.verify.recompute import recompute
from evalreport.verify.recorded_state import RecordedState

PLACE = {"dataset": "d", "model": "m", "subgroup": {}}


def measure(metric: str, value: float) -> dict[str, Any]:
    return {
        **PLACE, "id": "m1", "fold": None, "metric": metric, "params": {}, "average": None,
        "label": "yes", "threshold": None, "state": "value", "value": value, "reason": None,
        "interval": None, "n": 10, "table": None, "formula": "", "substituted": "",
    }  # fmt: skip


def test_end_tags_that_close_nothing_change_nothing() -> None:
    results = decode(holding(measures=[measure("recall", 0.5)]))
    number = '<b data-measure="m1"><i><span data-value="0.5">0.5</span></i></b>'
    assert printed_problems(f"<p>{number}</p>", results) == ()
    assert printed_problems(f"</u><p></s>{number}</u></p></p></b>", results) == ()
    wrong = number.replace(">0.5<", ">0.6<")
    assert printed_problems(f"</u><p></s>{wrong}</u></p></p></b>", results)


@pytest.mark.parametrize("told", ["text", 3, None, []])
def test_a_measure_that_is_none_is_told(told: Any) -> None:
    found = recompute(whole(measures=[told]))
    assert "measures[0]: " in str(found.problems[0])
    assert found.recomputed == 0


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"no json", "is not a results.json: "),
        (b"[]", "schema"),
        (b'{"schema": "other/1"}', "schema"),
    ],
)
def test_results_of_other_files(data: bytes, word: str) -> None:
    with pytest.raises(FilesError, match=word):
        records_of(data, Location("x.json"))


def test_recorded_results_are_held_against_their_manifest(tmp_path: Path) -> None:
    publish(tmp_path, "one")
    run = (tmp_path / "latest").resolve()
    path = run / "results.json"
    if not path.exists():
        path.write_bytes(b"{}")
    else:
        path.write_bytes(path.read_bytes() + b" ")
    with pytest.raises(VerificationError, match="altered"):
        read_recorded(path)
    alone = tmp_path / "results.json"
    alone.write_bytes(canonical_json(whole()))
    assert encode(read_recorded(alone).results) == encode(decode(whole()))
    alone.write_bytes(canonical_json({"schema": "evalreport/results/1"}))
    with pytest.raises(FilesError, match="measures: is missing"):
        read_recorded(alone)


def test_a_run_put_aside_and_there_again_is_left_to_people(tmp_path: Path) -> None:
    """Not recorded as pruned, and its place taken: neither is removed nor renamed."""
    publish(tmp_path, "one")
    run = (tmp_path / "latest").resolve()
    aside = tmp_path / f"{PRUNING}{run.name}"
    aside.mkdir()
    recovery.recover(tmp_path)
    assert aside.is_dir()
    assert run.is_dir()


def test_making_what_is_there_changes_nothing(tmp_path: Path) -> None:
    make_runs(tmp_path / "runs")
    before = sorted((tmp_path / "runs").iterdir())
    make_runs(tmp_path / "runs")
    assert sorted((tmp_path / "runs").iterdir()) == before


def test_a_part_that_failed_and_cannot_be_made_again_is_no_second_problem(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def part(_again: RecordedState, _kind: type) -> Any:
        raise ValueError("by a test")

    again, made_again = RecordedState(decode(whole())), recompute_module._rebuilt
    monkeypatch.setattr(RecordedState, "part", part)
    assert made_again(Gap, (), again)[1] == ["cannot be made again: ValueError: by a test"]
    monkeypatch.setattr(recompute_module.failures, "silenced", lambda *_: True)
    assert made_again(Gap, (), again) == ([], [])


def test_a_signal_that_is_ignored_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with stopping_cleanly():
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
            assert signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
