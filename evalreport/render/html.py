"""The report as one HTML file: no script, no request, fonts and charts inside.

A template sees dataclasses as plain values, and nothing more.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalreport.errors import Location, Problem, RenderingError
from evalreport.render.locate import Template, find_template
from evalreport.render.references import blocked_reference, guarded
from evalreport.render.shipped import basic
from evalreport.report.build import build
from evalreport.report.directions import RUNNING, isolated
from evalreport.report.model import Code, Report
from evalreport.report.signing import Signed
from evalreport.results.lookup import Results

if TYPE_CHECKING:
    from jinja2.sandbox import ImmutableSandboxedEnvironment


def as_plain(value: Any, *, running: bool = False) -> Any:
    """Text, numbers, truth values, None, lists and dicts only.

    In ``running`` text names in scripts from right to left are kept apart from what is around them.

    >>> from evalreport.report.model import Text
    >>> as_plain(Text("hello"))
    {'style': '', 'kind': 'text', 'text': 'hello'}
    """
    if isinstance(value, str):
        return isolated(value) if running else value
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, (list, tuple)):
        return [as_plain(item, running=running) for item in value]
    if isinstance(value, dict):
        return {str(key): as_plain(item) for key, item in value.items()}
    if is_dataclass(type(value)):
        words, others = _fields(value.__class__)
        plain = {name: as_plain(getattr(value, name)) for name in others}
        return plain | {name: as_plain(getattr(value, name), running=True) for name in words}
    raise TypeError(f"a template cannot be given a {type(value).__name__}")


@cache
def _fields(of: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The fields of a dataclass that hold running text, and the others with its kind if it has one.

    Text shown as it was written is none.
    """
    names = [field.name for field in fields(of) if field.compare]
    words = tuple(name for name in names if name in RUNNING and of is not Code)
    kind = ["kind"] if isinstance(getattr(of, "kind", None), str) else []
    return words, tuple(name for name in (*names, *kind) if name not in words)


def render_html(
    results: Results,
    template: str | Path | None = None,
    signed: Signed | None = None,
    *,
    paper: bool = False,
) -> str:
    """The report of results as HTML: `built`, then drawn by `page_of`."""
    return page_of(built(results, template, signed), template, paper=paper)


def page_of(report: Report, template: str | Path | None = None, *, paper: bool = False) -> str:
    """A report as HTML, as a screen shows it or as it is laid out on ``paper``.

    ``template`` is the name of a shipped template, or a folder or file of the
    user's own; those run in a child process with limits and must refer to nothing
    outside the page. On paper stand the same words without what is folded away on screen, and
    charts are pictures, so that nothing in them is looked at by the rules of the page. Raises
    RenderingError, LimitError, UsageError or FilesError.
    """
    found = find_template(template)
    plain = as_plain(report)
    plain["logo"] = found.logo or plain["logo"]
    plain |= {"running": running_lines(plain), "paper": paper}
    if found.trusted:
        return fill(found, plain)
    from evalreport.render.limited import run_limited

    page = run_limited(
        "html",
        {
            "name": found.name,
            "files": found.files,
            "main": found.main,
            "report": plain,
        },
    )
    return page.decode("utf-8")


def built(
    results: Results,
    template: str | Path | None = None,
    signed: Signed | None = None,
    failed: list[str] | None = None,
) -> Report:
    """The report itself, with the sections of the template: what every format is written from.

    ``signed`` is who signs this copy; ``failed`` is told what could not be made and stands as
    FAILED in the report.
    """
    return build(results, find_template(template).name, failed, signed)


def running_lines(report: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What stands in the margins of each page that a browser prints, as style sheets write it.

    The writer of the PDF takes its own lines from the page; browsers know no such strings.
    """
    lines = (
        ("top-left", report["title"]),
        ("bottom-left", f"report {report['identifier']}"),
        ("bottom-center", report["signed"]),
    )
    return [(place, style_text(str(text))) for place, text in lines]


def style_text(text: str) -> str:
    r"""Text within the quotes of a style sheet: all but letters, figures and spaces escaped.

    >>> style_text('a "b" </style>')
    'a \\22 b\\22  \\3c \\2f style\\3e '
    """
    return "".join(c if c.isalnum() or c == " " else f"\\{ord(c):x} " for c in text)


def fill_untrusted(template: Template, report: Mapping[str, Any]) -> str:
    """The template filled, with a policy before all else that keeps it from loading anything.

    The page is judged as it is published. RenderingError where it refers to anything outside.
    """
    page = guarded(fill(template, report))
    reference = blocked_reference(page, "\n".join(template.files.values()))
    if reference is not None:
        raise RenderingError(
            Problem(
                f"the template refers to {reference}, which a report may not load",
                "put images and fonts into the page as data: addresses",
                Location(template.main),
            )
        )
    return page


def sandbox(template: Template) -> ImmutableSandboxedEnvironment:
    """Where a template is compiled and filled: it sees plain values and refers to its own files."""
    import jinja2

    if template.trusted:
        return _shipped_sandbox(tuple(template.files.items()))
    environment = _sandbox(template.files)
    environment.globals.clear()
    environment.globals.update(range=_range, namespace=jinja2.utils.Namespace)
    return environment


@lru_cache(maxsize=8)
def _shipped_sandbox(files: tuple[tuple[str, str], ...]) -> ImmutableSandboxedEnvironment:
    """One for each shipped template, which Jinja compiles once in a process."""
    return _sandbox(dict(files))


def _sandbox(files: Mapping[str, str]) -> ImmutableSandboxedEnvironment:
    import jinja2
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    return ImmutableSandboxedEnvironment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        loader=jinja2.DictLoader(files),
        keep_trailing_newline=True,
        # most of a page is said once: to look for what is constant takes longer than it saves
        optimized=False,
    )


def fill(template: Template, report: Mapping[str, Any]) -> str:
    """The template filled in a sandbox that knows ``report`` and nothing else.

    ``report.fonts`` names the smallest fonts that have all letters of the page.
    """
    import jinja2
    from jinja2.exceptions import SecurityError

    environment = sandbox(template)
    # what a template of the user's own says beside the report is not known here
    small = template.trusted and basic(json.dumps(report, ensure_ascii=False))
    seen = {**report, "fonts": "basic_fonts.css" if small else "fonts.css"}
    try:
        page = environment.get_template(template.main).render(report=seen)
    except jinja2.TemplateSyntaxError as error:
        where = Location(error.name or template.main, error.lineno)
        raise RenderingError(
            Problem(f"the template has a mistake: {error.message}", "", where)
        ) from None
    except jinja2.UndefinedError as error:
        raise _refused(
            template,
            error,
            "a template sees only 'report': text, numbers, lists and mappings of plain values",
        ) from None
    except SecurityError as error:
        raise _refused(
            template,
            error,
            "only plain values reach a template, and only their content may be used",
        ) from None
    except (
        jinja2.TemplateError,
        TypeError,
        ValueError,
        ArithmeticError,
        LookupError,
        AttributeError,
        RecursionError,
    ) as error:
        raise _refused(template, error, "correct the template") from None
    # Readers of HTML turn a bare carriage return, which only a label can hold, into a line feed.
    return page.replace("\r", "&#13;")


def _range(*args: int) -> range:
    """A range of bounded length."""
    found = range(*args)
    if len(found) > 100_000:
        raise ValueError("a range in a template holds at most 100000 numbers")
    return found


def _refused(template: Template, error: Exception, instead: str) -> RenderingError:
    """The error of a template with the file and line where it arose."""
    where = Location(template.main)
    trace = error.__traceback__
    while trace is not None:
        name = Path(trace.tb_frame.f_code.co_filename).name
        code = trace.tb_frame.f_globals.get("__jinja_template__")
        if (
            code is not None
            or name in template.files
            or trace.tb_frame.f_code.co_filename == "<template>"
        ):
            shown = getattr(code, "name", None) or (
                name if name in template.files else template.main
            )
            where = Location(str(shown), trace.tb_lineno)
        trace = trace.tb_next
    return RenderingError(Problem(f"the template cannot be filled: {error}", instead, where))
