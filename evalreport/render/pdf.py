"""The report as PDF, printed from the same HTML in a child process."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from datetime import datetime

from evalreport.errors import Problem, UsageError, did_you_mean
from evalreport.render.limited import Child, run_limited

VARIANTS = ("pdf/a-3a", "pdf/ua-1")
PAGES = ("a4", "letter")


def render_pdf(
    html: str,
    *,
    variant: str = "pdf/a-3a",
    attachments: Mapping[str, bytes] | None = None,
    at: datetime,
    page: str = "a4",
    seconds: float | None = None,
    child: Child | None = None,
) -> bytes:
    """A tagged PDF with bookmarks and attachments; the same bytes for the same input.

    ``at`` dates the document and its attachments; ``child`` is a process for the task
    that was started before, with its own context. Raises RenderingError where it
    cannot be drawn (a missing library, a reference out of the page), LimitError
    where it takes too long or too much memory.
    """
    for name, given, known in (("variant", variant, VARIANTS), ("page", page, PAGES)):
        if given not in known:
            raise UsageError(Problem(f"unknown {name} {given!r}", did_you_mean(given, known)))
    encoded = {
        k: base64.b64encode(v).decode("ascii") for k, v in sorted((attachments or {}).items())
    }
    request = {
        "html": html,
        "variant": variant,
        "attachments": encoded,
        "at": at.isoformat(),
        "page": page,
    }
    if child is not None:
        return child.ask(request, seconds)
    return run_limited("pdf", request, seconds)
