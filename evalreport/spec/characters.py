"""Characters that no spec may contain: they change how text looks without being seen."""

from __future__ import annotations

import re
import unicodedata

#: Controls (all but tab and line ends), line separators, bidirectional and
#: zero-width marks, fillers that look like nothing, surrogates and noncharacters.
_FORBIDDEN = (
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e007f"
)
FORBIDDEN = re.compile(f"[{_FORBIDDEN}]")
_FORBIDDEN_OR_RETURN = re.compile(f"[\r{_FORBIDDEN}]")


def describe(character: str) -> str:
    r"""A character by its code point and name.

    >>> describe("\u202e")
    'U+202E (right-to-left override)'
    >>> describe("\x07")
    'U+0007 (control character)'
    """
    name = unicodedata.name(character, "").lower() or "control character"
    return f"U+{ord(character):04X} ({name})"


def forbidden_in(text: str) -> str | None:
    r"""The first forbidden character of a scalar's text, or None; escapes are decoded by then.

    >>> forbidden_in("a\u200bb") == "\u200b"
    True
    >>> forbidden_in("two\nlines")
    """
    found = _FORBIDDEN_OR_RETURN.search(text)
    return found.group() if found else None
