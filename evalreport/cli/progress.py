"""What a command says on standard error: progress, and lines of text or JSON.

Progress is bars on a terminal, one plain line per step elsewhere. Operators of schedules
collect one JSON object on each line; ``--log json`` chooses it. Standard output
keeps what was asked for.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from time import monotonic
from types import TracebackType
from typing import Any, Self, TypeVar

import click

from evalreport.lines import json_text, one_line

Command = TypeVar("Command", bound=Callable[..., Any])


class _Form:
    """Whether lines are JSON; standard error belongs to the process, so this does too."""

    json = False


def say(text: str, kind: str = "note") -> None:
    """One line on standard error; ``kind`` is problem, failed, warning, note, step or rows.

    Where nobody can be told, as on a full disk, the status still tells.
    """
    with suppress(OSError):
        print(_line(text, kind), file=sys.stderr, flush=True)


def tell(texts: Iterable[str], kind: str = "problem") -> None:
    """Several lines of one kind."""
    for text in texts:
        say(text, kind)


def plain() -> None:
    """Plain lines again, as a command begins."""
    _Form.json = False


def in_json() -> bool:
    """Whether lines are JSON, so that nothing may be drawn over them."""
    return _Form.json


def _line(text: str, kind: str) -> str:
    if not _Form.json:
        return one_line(f"note: {text}" if kind == "note" else text)
    from datetime import UTC, datetime

    when = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return json_text({"kind": kind, "text": text, "time": when})


def _choose(_context: click.Context, _option: click.Parameter, value: str) -> None:
    _Form.json = value == "json"


LOG = click.option(
    "--log",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    expose_value=False,
    is_eager=True,
    callback=_choose,
    help="Plain lines on standard error, or one JSON object on each.",
)


def timeout_option(told: str) -> Callable[[Command], Command]:
    """The option ``--timeout SECONDS``, with its help."""
    seconds = click.FloatRange(min=0, min_open=True)
    return click.option("--timeout", type=seconds, default=None, metavar="SECONDS", help=told)


#: From so many rows on a plain line tells them and their rate.
_MANY = 100_000


class Progress:
    """Tells what is going on; ``step`` starts a step, ``advance`` moves it on.

    >>> with Progress(quiet=True) as progress:
    ...     progress.step("tasks", 3)
    ...     progress.advance()
    """

    def __init__(self, quiet: bool = False) -> None:
        self.quiet = quiet
        self.live = not quiet and not in_json() and sys.stderr.isatty()
        self._bars: Any = None
        self._task: Any = None
        self._what = ""
        self._begun = self._pass = 0.0
        self._rows = 0

    def __enter__(self) -> Self:
        if self.live:
            from rich.console import Console
            from rich.progress import (
                BarColumn,
                MofNCompleteColumn,
                TextColumn,
                TimeElapsedColumn,
            )
            from rich.progress import Progress as Bars

            self._bars = Bars(
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._bars.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bars is not None:
            self._bars.stop()

    def step(self, what: str, total: int | None = None) -> None:
        """Start the next step, of ``total`` parts where that is known."""
        what = one_line(what)
        self._what, self._rows = what, 0
        self._begun = self._pass = monotonic()
        if self.quiet:
            return
        if self._bars is not None:
            if self._task is not None:
                self._bars.remove_task(self._task)
            self._task = self._bars.add_task(what, total=total)
        else:
            say(f"{what} ({total:,})" if total else what, "step")

    def note(self, text: str) -> None:
        """A remark, before the step that it is about."""
        text = one_line(text)
        if self.quiet:
            return
        if self._bars is not None:
            self._bars.console.print(f"note: {text}", highlight=False, markup=False)
            return
        say(text)

    def advance(self, by: int = 1) -> None:
        """Move the current step on."""
        if self._bars is not None and self._task is not None:
            self._bars.advance(self._task, by)

    def seen(self, rows: int, total: int | None) -> None:
        """Rows of the present pass over a dataset, with their rate, on a terminal."""
        if rows < self._rows:
            self._pass = monotonic()
        self._rows = rows
        if self._bars is not None and self._task is not None:
            told = f"{self._what}: {rows:,} rows, {_rate(rows, self._pass)}"
            self._bars.update(self._task, description=told, completed=rows, total=total)

    def done(self, rows: int) -> None:
        """The rows of a dataset that is done, with their rate over all, where they are many."""
        if rows >= _MANY and not self.quiet:
            told = f"{self._what}: {rows:,} rows, {_rate(rows, self._begun)}"
            if self._bars is not None:
                self._bars.console.print(told, highlight=False, markup=False)
                return
            say(told, "rows")


def _rate(rows: int, since: float) -> str:
    return f"{rows / max(monotonic() - since, 1e-3):,.0f} rows/s"
