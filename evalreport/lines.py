"""Text for a terminal or a log: what comes from files cannot act there, nor pass for our own.

A label may hold the sequence that moves a cursor, a column's name a line break with a line
behind it that looks like one of the program, or like a command to the runner of a workflow.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from typing import Any

#: Control, format (that turns text too), lone surrogates, unassigned; ends of lines and paragraphs.
_ACTING = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
#: How runners of workflows know a command to them: at the start of a line, and anywhere in it.
_COMMAND = re.compile(r"^(\s*):(?=:)")
_MARKED = re.compile(r"##(?=\[|vso\[|teamcity\[)", re.IGNORECASE)


#: Letters from which on a name is cut, and of a cut one that has room for a hash.
LONGEST_NAME, HASHED = 60, 40


def cut(text: str, longest: int = LONGEST_NAME) -> str:
    """The text in so many letters: a longer one keeps both ends, which tell names apart.

    Where there is room, the first letters of a hash of the whole stand between them.

    >>> cut("benign"), cut("candidate-2026-11-01-run-0007", 18)
    ('benign', 'candidate-2…n-0007')
    >>> cut("x" * 70)
    'xxxxxxxxxxxxxxxxxxxxxxxxxxxxx… #c71bd109 …xxxxxxxxxxxxxxxxxx'
    """
    if len(text) <= longest:
        return text
    middle = "…"
    if longest >= HASHED:
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        middle = f"… #{digest[:8]} …"
    kept = longest - len(middle)
    last = kept * 2 // 5
    return f"{text[: kept - last].rstrip()}{middle}{text[len(text) - last :].lstrip()}"


def one_line(text: str) -> str:
    r"""The text on one line, what would act on a terminal or a runner spelt out.

    >>> one_line("a\n::error::b\x1b[2J"), one_line("::error::x"), one_line("## [x] ##[error]y")
    ('a\\n::error::b\\x1b[2J', '\\x3a:error::x', '## [x] #\\x23[error]y')
    """
    if not (text.isascii() and text.isprintable()):
        text = "".join(
            c.encode("unicode_escape").decode("ascii") if unicodedata.category(c) in _ACTING else c
            for c in text
        )
    return _MARKED.sub(r"#\\x23", _COMMAND.sub(r"\1\\x3a", text))


def json_text(body: Any, indent: int | None = None) -> str:
    r"""Data as JSON for standard output: sorted, readable, and inert as :func:`one_line` is.

    >>> json_text({"a": "\x9b ##[error]"})
    '{"a": "\\u009b #\\u0023[error]"}'
    """
    text = json.dumps(body, indent=indent, sort_keys=True, ensure_ascii=False)
    if not text.isascii():
        # JSON itself spells out the control characters of ASCII.
        text = "".join(
            json.dumps(c)[1:-1] if c > "~" and unicodedata.category(c) in _ACTING else c
            for c in text
        )
    return _MARKED.sub(r"#\\u0023", text)
