"""What a command says on standard error: plain lines, or one JSON object on each.

Operators of schedules collect the second kind; ``--log json`` chooses it. Standard output
keeps what was asked for.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import suppress

import click

from evalreport.lines import json_text, one_line


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
