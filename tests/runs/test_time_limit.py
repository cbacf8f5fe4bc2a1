"""A limit of time stops like a signal: what has begun to be published is finished."""

from __future__ import annotations

import signal
import time

import pytest

from evalreport.errors import ExitStatus, FilesError
from evalreport.runs.signals import signals_held, stopping_cleanly, time_limit


def _work(seconds: float = 20.0) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        time.sleep(0.005)


def test_without_a_limit_nothing_is_set() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with time_limit(None):
        assert signal.getsignal(signal.SIGALRM) is before


def test_what_takes_too_long_ends_with_status_4() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(FilesError) as caught, stopping_cleanly(), time_limit(0.05):
        _work()
    assert "not done in 0.05 s; nothing was published" in str(caught.value.problems[0])
    assert caught.value.status == ExitStatus.FILES
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_an_error_of_its_own_stays_one() -> None:
    with pytest.raises(ZeroDivisionError), stopping_cleanly(), time_limit(60):
        raise ZeroDivisionError


def test_a_library_that_turns_the_stop_into_its_own_error_changes_nothing() -> None:
    def library() -> None:
        try:
            _work()
        except SystemExit:
            raise ValueError("something went wrong in here") from None

    with pytest.raises(FilesError), stopping_cleanly(), time_limit(0.05):
        library()


def test_what_is_held_is_finished_first() -> None:
    done = []

    def publish() -> None:
        with signals_held():
            _work(0.2)
            done.append("published")
        done.append("after")

    with pytest.raises(FilesError), stopping_cleanly(), time_limit(0.05):
        publish()
    assert done == ["published"]
