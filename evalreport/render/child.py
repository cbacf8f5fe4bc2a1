"""The child's side of :mod:`evalreport.render.limited`: carry out one request within its limits."""

from __future__ import annotations

import base64
import json
import os
import sys
from typing import Any

from evalreport.errors import Problem, RenderingError
from evalreport.render.limited import MEMORY


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
