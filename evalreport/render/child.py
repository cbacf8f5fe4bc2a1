"""A child process with limits: where templates of unknown origin run and pages are laid out.

The parent writes one JSON request to the child's standard input and reads the
answer from its standard output: a line of JSON, then bytes.
"""

from __future__ import annotations

import base64
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


def main() -> None:
    """Carry out the request on standard input."""
    asked = json.loads(sys.stdin.buffer.read())
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints must not mix with the answer
    _limit(asked["task"], asked["seconds"])
    try:
        content = _carried_out(asked["task"], asked["request"])
        answer: dict[str, Any] = {"ok": True}
    except MemoryError:
        content, answer = (
            b"",
            {
                "ok": False,
                "limit": True,
                "problems": [
                    {
                        "what": f"making the {asked['task'].upper()} needs too much memory",
                        "instead": "simplify the template, or print fewer tables",
                        "where": None,
                    }
                ],
            },
        )
    except RenderingError as error:
        content, answer = b"", {"ok": False, "problems": [_plain(p) for p in error.problems]}
    out.write(json.dumps(answer).encode("utf-8") + b"\n" + content)
    out.flush()
    # A clean end would only take the page apart piece by piece.
    os._exit(0)


def _plain(problem: Problem) -> dict[str, Any]:
    where = problem.where
    place = [where.file, where.line, where.column] if where else None
    return {"what": problem.what, "instead": problem.instead, "where": place}


def _carried_out(task: str, request: dict[str, Any]) -> bytes:
    if task == "html":
        from evalreport.render.html import fill_untrusted
        from evalreport.render.locate import Template

        template = Template(request["name"], request["files"], trusted=False, main=request["main"])
        return fill_untrusted(template, request["report"]).encode("utf-8")
    from evalreport.render.paper import print_page

    attachments = {k: base64.b64decode(v) for k, v in request["attachments"].items()}
    return print_page(
        request["html"], request["variant"], attachments, request["at"], request["page"]
    )


def _limit(task: str, seconds: float) -> None:
    """Limits of processor time and memory, where the system has them."""
    try:
        import resource
    except ImportError:  # pragma: no cover - not on this system
        return
    for what, amount in (
        (resource.RLIMIT_CPU, int(seconds) + 1),
        (resource.RLIMIT_AS, MEMORY[task]),
    ):
        _, hard = resource.getrlimit(what)
        top = amount if hard == resource.RLIM_INFINITY else min(amount, hard)
        try:
            resource.setrlimit(what, (top, hard))
        except (ValueError, OSError):  # a system that does not limit this
            continue


if __name__ == "__main__":
    main()
