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
from typing import Any

from evalreport.errors import FilesError, LimitError, Location, Problem, RenderingError

#: Seconds that a template, and a page, may take.
SECONDS = {"html": 20, "pdf": 300}
#: Bytes of address space.
MEMORY = {"html": 2 << 30, "pdf": 6 << 30}


def run_limited(task: str, request: Mapping[str, Any], seconds: float | None = None) -> bytes:
    """The bytes a task makes in a child process.

    ``task`` is ``html`` or ``pdf``. Raises LimitError when a limit of time or memory
    is reached, RenderingError with the child's own words otherwise.
    """
    allowed = SECONDS[task] if seconds is None else seconds
    body = json.dumps({"task": task, "seconds": allowed, "request": dict(request)}).encode("utf-8")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    environment |= {"PYTHONHASHSEED": "0", "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-m", "evalreport.render.child"]
    try:
        done = subprocess.run(  # noqa: S603  # our own module, our own interpreter
            command,
            input=body,
            capture_output=True,
            timeout=allowed + 5,
            env=environment,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise _too_long(task, allowed) from None
    head, _, content = done.stdout.partition(b"\n")
    try:
        answer = json.loads(head)
    except ValueError:
        raise _died(task, done.returncode, allowed) from None
    if answer.get("ok"):
        return content
    kind = LimitError if answer.get("limit") else RenderingError
    raise kind(*(_problem(p) for p in answer["problems"]))


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
