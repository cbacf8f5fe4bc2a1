"""A child process with limits: where templates of unknown origin run and pages are laid out.

The parent writes one JSON request to the child's standard input and reads the
answer from its standard output: a line of JSON, then bytes.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from importlib.util import find_spec
from typing import Any

from evalreport.errors import (
    FilesError,
    LimitError,
    Location,
    MissingLibraryError,
    Problem,
    RenderingError,
)
from evalreport.processes import child_environment, python
from evalreport.scratch import scratch_folder

#: Seconds of a processor that a template, and a page, may take.
SECONDS = {"html": 20, "pdf": 300}
#: Times as many seconds may pass while a busy machine gives the child its share of a processor.
WAITING = 10
#: Bytes of address space.
MEMORY = {"html": 2 << 30, "pdf": 6 << 30}


class Child:
    """A process that loads what a task needs and waits for its one request.

    ``task`` is ``html`` or ``pdf``. Started early, it loads beside the work before the
    request. It ends with its context, and by itself when its parent is gone. Raises
    RenderingError where it cannot be started.
    """

    def __init__(self, task: str) -> None:
        self.task = task
        try:
            with ExitStack() as until_started:
                # Fonts are unpacked into a folder that goes with the child, however it ends.
                folder = until_started.enter_context(scratch_folder())
                self._process = subprocess.Popen(  # noqa: S603  # our own module and interpreter
                    python("evalreport.render.child", task),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env=_environment(folder),
                    cwd=folder,
                )
                self._folder = until_started.pop_all()
        except OSError as error:
            raise RenderingError(
                Problem(
                    f"making the {task.upper()} cannot begin: {error.strerror or error}",
                    "free processes and a folder for temporary files that can be written (TMPDIR)",
                )
            ) from None

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
        with suppress(OSError):
            self._process.communicate()
        self._folder.close()

    def ask(self, request: Mapping[str, Any], seconds: float | None = None) -> bytes:
        """The bytes that the task makes; a child answers once.

        ``seconds`` are those of the processor: the child is ended when it has used them, however
        long that took. Raises LimitError when a limit of time or memory is reached,
        RenderingError with the child's own words otherwise.
        """
        allowed = SECONDS[self.task] if seconds is None else seconds
        body = json.dumps({"seconds": allowed, "request": dict(request)}).encode("utf-8")
        try:
            answered, _ = self._process.communicate(body, timeout=_patience(allowed))
        except subprocess.TimeoutExpired:
            raise _too_long(self.task, allowed) from None
        head, _, content = answered.partition(b"\n")
        try:
            answer = json.loads(head)
        except ValueError:
            raise _died(self.task, self._process.returncode, allowed) from None
        if answer.get("ok"):
            return content
        kind: type[FilesError] = LimitError if answer.get("limit") else RenderingError
        kind = MissingLibraryError if answer.get("missing") else kind
        raise kind(*(_problem(p) for p in answer["problems"]))


def _patience(seconds: float) -> float:
    """Seconds by the clock after which a child that has used no more than these is given up.

    Only where the system counts the processor's time; elsewhere the clock is the limit.
    """
    counts_processor_time = find_spec("resource") is not None
    return seconds * (WAITING if counts_processor_time else 1) + 5


def run_limited(task: str, request: Mapping[str, Any], seconds: float | None = None) -> bytes:
    """The bytes a task makes in a child process of its own, see :meth:`Child.ask`."""
    with Child(task) as child:
        return child.ask(request, seconds)


def _environment(folder: str) -> dict[str, str]:
    own = {"PYTHONIOENCODING": "utf-8", **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), folder)}
    return child_environment(dict(os.environ), own)


def _problem(plain: Mapping[str, Any]) -> Problem:
    where = plain.get("where")
    return Problem(plain["what"], plain["instead"], Location(*where) if where else None)


def _too_long(task: str, seconds: float) -> LimitError:
    return LimitError(
        Problem(
            f"making the {task.upper()} took longer than {seconds:g} seconds",
            "simplify the template, or print fewer tables",
        )
    )


def _died(task: str, status: int, seconds: float) -> FilesError:
    if status in {-24, -9, 137, 152}:  # SIGXCPU, SIGKILL
        return LimitError(
            Problem(
                f"making the {task.upper()} used more than {seconds:g} seconds or too much memory",
                "simplify the template, or print fewer tables",
            )
        )
    return RenderingError(Problem(f"making the {task.upper()} stopped with status {status}"))
