"""Stopping cleanly: SIGTERM, SIGHUP and Ctrl-C become SystemExit, so that clean-up runs.

SIGTERM, and SIGHUP of a terminal that is closed, have no clean-up by default. Between the
steps of publishing, signals are held and acted on afterwards, so that a run is never half
published by one.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

from evalreport.errors import ExitStatus, FilesError, Problem

STOPPING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class _Held:
    """How many callers hold signals, the first that came meanwhile, and the one acted on.

    Handlers belong to the process, so this state does too.
    """

    depth = 0
    pending: int | None = None
    acted_on: int | None = None


def _stop(number: int, _frame: FrameType | None) -> None:
    if _Held.depth:
        _Held.pending = _Held.pending or number
    else:
        _act(number)


def _act(number: int) -> NoReturn:
    _Held.acted_on = number
    raise SystemExit(_status(number))


def _status(number: int) -> int:
    """130 from the keyboard, 143 from outside, 4 where the time is over."""
    if number == signal.SIGALRM:
        return int(ExitStatus.FILES)
    return 128 + (signal.SIGTERM if number == signal.SIGHUP else number)


def status_of_signal() -> int | None:
    """The status to end with where a signal was acted on, whatever became of its exception.

    Some libraries turn any exception that reaches them into one of their own.
    """
    return None if _Held.acted_on is None else _status(_Held.acted_on)


@contextmanager
def stopping_cleanly() -> Iterator[None]:
    """While open, SIGTERM and SIGHUP raise SystemExit(143) and SIGINT SystemExit(130).

    A SIGHUP that is ignored, as ``nohup`` has it, stays ignored. For the command's main
    thread; in another thread, where Python allows no handlers, it changes nothing. The
    handlers found are put back at the end.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    _Held.acted_on = None
    found = {number: signal.getsignal(number) for number in STOPPING}
    if found[signal.SIGHUP] is signal.SIG_IGN:
        del found[signal.SIGHUP]
    for number in found:
        signal.signal(number, _stop)
    try:
        yield
    finally:
        for number, handler in found.items():
            # None: a handler not installed from Python, which cannot be put back.
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


class OutOfTimeError(FilesError):
    """The time that a command was given is over."""


@contextmanager
def time_limit(seconds: float | None, left: str = "; nothing was published") -> Iterator[None]:
    """While open, stop as a signal does when so many seconds have passed; None is no limit.

    Publishing that has begun is finished. Raises OutOfTimeError when the time is over; ``left``
    is what it says of the work. For the command's main thread.
    """
    if seconds is None:
        yield
        return
    found = signal.signal(signal.SIGALRM, _stop)
    try:
        # in here, since a short time may be over at once
        signal.setitimer(signal.ITIMER_REAL, seconds)
        yield
    except BaseException:
        # some libraries turn what stops them into an error of their own
        if _Held.acted_on != signal.SIGALRM:
            raise
        problem = Problem(f"not done in {seconds:g} s{left}", "a longer --timeout")
        raise OutOfTimeError(problem) from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, found)


@contextmanager
def signals_held() -> Iterator[None]:
    """While open, a stopping signal waits; when closed, it acts. May be nested."""
    _Held.depth += 1
    try:
        yield
    finally:
        _Held.depth -= 1
        if not _Held.depth and _Held.pending is not None:
            number, _Held.pending = _Held.pending, None
            _act(number)
