"""Pages about runs, drawn and written: the history site and the page of a diff."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from evalreport.errors import FilesError, Location, Problem, UsageError
from evalreport.record.durable import explained
from evalreport.record.trend import Course, PastRun
from evalreport.results.changes import Diff
from evalreport.version import __version__

_TRENDS = re.compile(r"trends-[0-9]+\.html")
#: By this the pages of an earlier site are known, so that nothing else is ever replaced.
MARK = '<meta name="generator" content="evalreport '


def draw(page: str, values: Mapping[str, Any]) -> str:
    """A page of the shipped history template (``index``, ``criteria``, ``trends``, ``diff``)."""
    from evalreport.render.html import fill
    from evalreport.render.locate import Template, fonts_css, templates_folder
    from evalreport.render.plain import as_plain

    folder = templates_folder() / "history"
    files = {p.name: p.read_text(encoding="utf-8") for p in sorted(folder.iterdir())}
    files["fonts.css"] = fonts_css()
    plain = as_plain(dict(values))
    return fill(Template("history", files, trusted=True, main=f"{page}.html.j2"), plain)


def write_site(course: Course, runs: Path, folder: Path, changes: Diff | None) -> Path:
    """Write the pages of a history into a folder; the first page.

    Pages of an earlier site there are replaced, anything else is refused: UsageError.
    ``changes`` is the diff of the two newest runs. Raises FilesError.
    """
    from evalreport.record.diff_page import diff_page
    from evalreport.record.trend_site import site_pages

    stale = _pages_there(folder)
    pages = site_pages(course, _links(runs, folder), __version__)
    if changes is not None:
        pages["changes.html"] = {**diff_page(changes, __version__), "home": "index.html"}
    texts = {name: draw(str(values["page"]), values) for name, values in pages.items()}
    with explained("write the pages", folder):
        folder.mkdir(parents=True, exist_ok=True)
        for name in sorted(texts, key=lambda name: name == "index.html"):
            replace_file(folder / name, texts[name])
        for path in stale:
            if path.name not in texts:
                path.unlink()
    return folder / "index.html"


def replace_file(path: Path, text: str) -> None:
    """Write a page so that a reader sees the old one or the new one, never a part."""
    with explained("write the page", path):
        aside = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            aside.write_text(text, encoding="utf-8", newline="\n")
            aside.replace(path)
        finally:
            aside.unlink(missing_ok=True)


def refuse_foreign(path: Path) -> None:
    """Refuse to replace a file that is no page of ours. Raises UsageError, FilesError."""
    if not path.exists():
        return
    where = Location(str(path))
    try:
        ours = MARK in path.read_text(encoding="utf-8", errors="replace")[:2000]
    except OSError as error:
        raise FilesError(Problem(f"cannot be read: {error.strerror}", "", where)) from error
    if not ours or (path.parent / "MANIFEST.json").exists():
        raise UsageError(
            Problem("holds something that is no page of a history", "another name", where)
        )


def _pages_there(folder: Path) -> list[Path]:
    where = Location(str(folder))
    if (folder / "MANIFEST.json").exists():
        hint = "another folder with --html"
        raise UsageError(Problem("this is a published run, which is never changed", hint, where))
    with explained("look at the folder", folder):
        there = sorted(folder.iterdir()) if folder.exists() else []
    ours = [
        path
        for path in there
        if path.name in ("index.html", "criteria.html", "changes.html")
        or _TRENDS.fullmatch(path.name)
    ]
    for path in ours:
        refuse_foreign(path)
    return ours


def _links(runs: Path, folder: Path) -> Callable[[PastRun, str], str | None]:
    """Addresses relative to the pages, so that both folders can be moved together."""
    base = Path(os.path.relpath(runs.resolve(), folder.resolve())).as_posix()

    def link(run: PastRun, name: str) -> str | None:
        return quote(f"{base}/{run.name}/{name}") if name in run.files else None

    return link
