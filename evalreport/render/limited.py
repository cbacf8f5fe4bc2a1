"""A child process with limits: where templates of unknown origin run and pages are laid out.

The parent writes one JSON request to the child's standard input and reads the
answer from its standard output: a line of JSON, then bytes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from tempfile import TemporaryDirectory
from typing import Any

from evalreport.errors import FilesError, LimitError, Location, Problem, RenderingError

#: Seconds that a template, and a page, may take.
SECONDS = {"html": 20, "pdf": 300}
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
                made = TemporaryDirectory(prefix="evalreport-", ignore_cleanup_errors=True)
                until_started.callback(made.cleanup)
                self._process = subprocess.Popen(  # noqa: S603  # our own module and interpreter
                    [sys.executable, "-m", "evalreport.render.child", task],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env=_environment(made.name),
                )
                self._folder = made
                until_started.pop_all()
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
        self._folder.cleanup()

    def ask(self, request: Mapping[str, Any], seconds: float | None = None) -> bytes:
        """The bytes that the task makes; a child answers once.

        Raises LimitError when a limit of time or memory is reached, RenderingError
        with the child's own words otherwise.
        """
        allowed = SECONDS[self.task] if seconds is None else seconds
        body = json.dumps({"seconds": allowed, "request": dict(request)}).encode("utf-8")
        try:
            answered, _ = self._process.communicate(body, timeout=allowed + 5)
        except subprocess.TimeoutExpired:
            raise _too_long(self.task, allowed) from None
        head, _, content = answered.partition(b"\n")
        try:
            answer = json.loads(head)
        except ValueError:
            raise _died(self.task, self._process.returncode, allowed) from None
        if answer.get("ok"):
            return content
        kind = LimitError if answer.get("limit") else RenderingError
        raise kind(*(_problem(p) for p in answer["problems"]))


def run_limited(task: str, request: Mapping[str, Any], seconds: float | None = None) -> bytes:
    """The bytes a task makes in a child process of its own, see :meth:`Child.ask`."""
    with Child(task) as child:
        return child.ask(request, seconds)


def _environment(folder: str) -> dict[str, str]:
    own = {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    own |= {"PYTHONHASHSEED": "0", "PYTHONIOENCODING": "utf-8"}
    return {**os.environ, **own, **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), folder)}


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
