"""Problems as GitHub marks them at lines of a file."""

from __future__ import annotations

from evalreport.errors import Problem
from evalreport.lines import one_line


def annotation(problem: Problem, kind: str = "error") -> str:
    """One workflow command; what would end or split it is escaped.

    >>> from evalreport.errors import Location
    >>> annotation(Problem("unknown key 'x'", "remove it", Location("a.yaml", 3, 7)))
    "::error file=a.yaml,line=3,col=7,title=evalreport::unknown key 'x'; remove it"
    """
    properties = {"title": "evalreport"}
    where = problem.where
    if where is not None:
        places = {"file": where.file, "line": where.line, "col": where.column}
        properties = {k: str(v) for k, v in places.items() if v is not None} | properties
    told = one_line(f"{problem.what}; {problem.instead}" if problem.instead else problem.what)
    inside = ",".join(f"{key}={_property(one_line(value))}" for key, value in properties.items())
    return f"::{kind} {inside}::{_message(told)}"


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
