"""Names in scripts that run from right to left, kept from turning what stands around them.

Next to letters that run from right to left, numbers and signs are read as part of their run:
``0.14`` after an Arabic name would change places with what follows it. Runs of such letters
in a sentence are therefore put between isolating marks (U+2068, U+2069), as HTML does with
``bdi``; what is a name and nothing else stands in an element of its own already.
"""

from __future__ import annotations

import re

#: Hebrew, Arabic, Syriac, Thaana, N'Ko and their presentation forms.
_LETTERS = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
_LETTER = re.compile(f"[{_LETTERS}]")
_RUN = re.compile(rf"[{_LETTERS}](?:\W*[{_LETTERS}])*")
OPEN, CLOSE = "\u2068", "\u2069"
#: Fields of a report that hold text in which names stand among other words; labels stay.
RUNNING = frozenset(
    {"aka", "alt", "aside", "caption", "detail", "flags", "heading", "intro", "items", "kicker",
     "lead", "legend", "meaning", "messages", "note", "notes", "partial", "parts", "read", "reason",
     "rows", "text", "title", "words"}
)  # fmt: skip


def isolated(text: str) -> str:
    r"""Text whose runs of letters from right to left are isolated, unless they are all of it.

    >>> isolated("of \u0643\u0644\u0628 0.14") == "of \u2068\u0643\u0644\u0628\u2069 0.14"
    True
    >>> isolated("\u0643\u0644\u0628") == "\u0643\u0644\u0628", isolated("cat 0.14")
    (True, 'cat 0.14')
    """
    if not _LETTER.search(text) or OPEN in text:
        return text
    if _RUN.fullmatch(text):
        return text
    return _RUN.sub(lambda run: f"{OPEN}{run[0]}{CLOSE}", text)
