"""What people usually meant where a text is no YAML: the line to mend and how.

A parser says where it could not go on, which is often a line below the mistake, in words
for those who know its grammar.
"""

from __future__ import annotations

import json
import re

from evalreport.values import dataclass

#: How far above the place of a failure its cause is looked for.
_ABOVE = 3
_KEY = re.compile(r"^(\s*(?:- )?)([A-Za-z_][\w-]*):(.*)$")
_NO_SPACE = re.compile(r"^\s*(?:- )?\{?\s*([A-Za-z_][\w-]*):([^\s:/][^:]*)$")


@dataclass(frozen=True)
class Meant:
    """A mistake in plain words, what would be right, and the line (from 1) and column."""

    what: str
    instead: str
    line: int
    column: int


Place = tuple[int, int]


@dataclass(frozen=True)
class Failure:
    """A failure of the parser as :func:`meant` is told of it."""

    lines: list[str]
    problem: str
    context: str
    at: Place
    began: Place | None

    def line(self, number: int) -> str:
        """A line of the text by its number, from 1."""
        return self.lines[number - 1] if 0 < number <= len(self.lines) else ""


def meant(
    text: str, problem: str, context: str, at: tuple[int, int], began: tuple[int, int] | None
) -> Meant | None:
    """The mistake behind a failure of the parser, None where nothing better can be said.

    ``problem`` and ``context`` are the parser's words; ``at`` and ``began`` the line and
    column, from 1, where it failed and where what it was reading had begun.
    """
    failure = Failure(text.split("\n"), problem, context, at, began)
    for look in (
        _open_bracket,
        _open_quote,
        _escape,
        _tab,
        _sign,
        _colon,
        _no_space,
        _dash,
        _equals,
        _indent,
    ):
        found = look(failure)
        if found is not None:
            return found
    return None


def _open_bracket(failure: Failure) -> Meant | None:
    kinds = {"flow mapping": ("brace", "}"), "flow sequence": ("bracket", "]")}
    began = failure.began
    for words, (name, sign) in kinds.items():
        if words in failure.context and began is not None:
            # in one line a comma may be what is missing
            if "expected ','" in failure.problem and began[0] == failure.at[0]:
                return None
            return Meant(f"a {name} that is not closed", f"'{sign}' at its end", *began)
    return None


def _open_quote(failure: Failure) -> Meant | None:
    began = failure.began
    if "quoted scalar" not in failure.context or began is None:
        return _swallowed(failure)
    if "unexpected end" not in failure.problem:
        return None
    sign = failure.line(began[0])[began[1] - 1 : began[1]]
    return Meant("a quote that is not closed", f"{sign} at the end of the text", *began)


def _swallowed(failure: Failure) -> Meant | None:
    """A quote whose text goes on to the next quote, some lines below."""
    for number in range(1, failure.at[0] + 1):
        found = _KEY.match(failure.line(number))
        value = "" if found is None else found[3].strip()
        sign = value[:1]
        if sign in ('"', "'") and sign and value.count(sign) == 1:
            column = failure.line(number).index(sign) + 1
            return Meant(
                "a quote that is not closed", f"{sign} at the end of the text", number, column
            )
    return None


def _escape(failure: Failure) -> Meant | None:
    if "escape" not in failure.problem:
        return None
    return Meant(
        "a backslash between double quotes starts an escape",
        "single quotes or forward slashes around a path: 'C:\\data\\d.csv' or C:/data/d.csv",
        *failure.at,
    )


def _tab(failure: Failure) -> Meant | None:
    for number in range(failure.at[0], max(failure.at[0] - _ABOVE, 0), -1):
        line = failure.line(number)
        indent = line[: len(line) - len(line.lstrip())]
        if "\t" in indent:
            return Meant("a line is indented by a tab", "spaces", number, indent.index("\t") + 1)
    return None


def _sign(failure: Failure) -> Meant | None:
    if "cannot start any token" not in failure.problem:
        return None
    rest = failure.line(failure.at[0])[failure.at[1] - 1 :].strip()
    return Meant(f"a text begins with {rest[:1]}", f"quote it: {_quoted(rest)}", *failure.at)


def _colon(failure: Failure) -> Meant | None:
    """A value with a colon and a space in it, which would be a key."""
    if "mapping values are not allowed" not in failure.problem:
        return None
    found = _KEY.match(failure.line(failure.at[0]))
    if found is None or ": " not in f"{found[3]} " or not found[3].strip():
        return _no_space(failure)
    value = found[3].strip()
    column = len(found[1]) + len(found[2]) + 1 + found[3].index(value) + 1
    return Meant(
        f"the text of {found[2]} has a colon in it",
        f"quote it: {_quoted(value)}",
        failure.at[0],
        column,
    )


def _no_space(failure: Failure) -> Meant | None:
    """A key whose colon touches the value."""
    for number in range(failure.at[0], max(failure.at[0] - _ABOVE, 0), -1):
        found = _NO_SPACE.match(failure.line(number))
        if found is not None:
            column = found.start(2)
            what = f"'{found[1]}:{found[2].strip()}' is one word"
            right = f"a space after the colon: {found[1]}: {found[2].strip()}"
            return Meant(what, right, number, column)
    return None


def _dash(failure: Failure) -> Meant | None:
    """An item of a list whose dash touches the text."""
    for number in range(failure.at[0], max(failure.at[0] - _ABOVE, 0), -1):
        found = re.match(r"^(\s*)-([A-Za-z{\"']\S*)", failure.line(number))
        if found is not None:
            right = f"a space after the dash: - {found[2]}"
            return Meant(f"'-{found[2]}' is one word", right, number, len(found[1]) + 1)
    return None


def _equals(failure: Failure) -> Meant | None:
    """A key that is given its value by an equals sign."""
    for number in range(failure.at[0], max(failure.at[0] - _ABOVE, 0), -1):
        found = re.match(r"^(\s*)([A-Za-z_]\w*)\s*=\s*(\S.*)$", failure.line(number))
        if found is not None:
            right = f"a colon: {found[2]}: {found[3].strip()}"
            return Meant(f"{found[2]} is followed by =", right, number, len(found[1]) + 1)
    return None


def _indent(failure: Failure) -> Meant | None:
    """A key that stands neither below nor beside those above it."""
    if "block mapping" not in failure.context and "block" not in failure.problem:
        return None
    own = _KEY.match(failure.line(failure.at[0]))
    if own is None:
        return None
    depth = len(own[1])
    for number in range(failure.at[0] - 1, 0, -1):
        above = _KEY.match(failure.line(number))
        if above is None:
            continue
        if len(above[1]) != depth:
            return Meant(
                f"{own[2]} has an indent of {_spaces(depth)}, {above[2]} above it one of "
                f"{_spaces(len(above[1]))}",
                f"the same indent as {above[2]}, where both belong together",
                failure.at[0],
                depth + 1,
            )
        return None
    return None


def _spaces(count: int) -> str:
    return f"{count} space" + ("" if count == 1 else "s")


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
