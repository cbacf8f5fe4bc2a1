"""The child's side of :mod:`evalreport.render.limited`: carry out one request within its limits."""

from __future__ import annotations

import base64
import json
import os
import sys
import time
from contextlib import suppress
from typing import Any

from evalreport.errors import MissingLibraryError, Problem, RenderingError
from evalreport.render.limited import MEMORY


def main() -> None:
    """Carry out the request on standard input; the argument is its task."""
    task = sys.argv[1]
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints must not mix with the answer
    _limit_memory(task)
    _load(task)
    body = sys.stdin.buffer.read()
    if body:
        out.write(_answer(task, json.loads(body)))
        out.flush()


def _load(task: str) -> None:
    """Load beside the parent's work what takes long; what fails here is told later."""
    with suppress(Exception):
        if task == "pdf":
            from evalreport.render.paper import load

            load()
        else:
            import evalreport.render.html  # noqa: F401


def _answer(task: str, asked: dict[str, Any]) -> bytes:
    """A line of JSON, then the bytes of the page."""
    _limit_time(asked["seconds"])
    content = b""
    try:
        content = _carried_out(task, asked["request"])
        answer: dict[str, Any] = {"ok": True}
    except MemoryError:
        problem = {
            "what": f"making the {task.upper()} needs too much memory",
            "instead": "simplify the template, or print fewer tables",
            "where": None,
        }
        answer = {"ok": False, "limit": True, "problems": [problem]}
    except RenderingError as error:
        missing = isinstance(error, MissingLibraryError)
        problems = [_plain(p) for p in error.problems]
        answer = {"ok": False, "missing": missing, "problems": problems}
    return json.dumps(answer).encode("utf-8") + b"\n" + content


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


def _limit_memory(task: str) -> None:
    _limit("RLIMIT_AS", MEMORY[task])


def _limit_time(seconds: float) -> None:
    """From now on; the processor's time so far was spent on loading."""
    _limit("RLIMIT_CPU", int(time.process_time() + seconds) + 1)


def _limit(name: str, amount: int) -> None:
    """A limit of the process, where the system has it."""
    try:
        import resource
    except ImportError:  # pragma: no cover - not on this system
        return
    what = getattr(resource, name)
    _, hard = resource.getrlimit(what)
    top = amount if hard == resource.RLIM_INFINITY else min(amount, hard)
    with suppress(ValueError, OSError):  # a system that does not limit this
        resource.setrlimit(what, (top, hard))


if __name__ == "__main__":
    main()
