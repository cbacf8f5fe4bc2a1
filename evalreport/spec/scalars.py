"""Plain scalars of YAML 1.2: what they are, and their text exactly as written.

Whether ``1.0`` is a number or the name of a class depends on where it stands, so
a scalar that is no text keeps its source text until a field says what it wants.

>>> resolve("no"), resolve("2026-11-21")
('no', '2026-11-21')
>>> resolve("1.0")
Scalar(text='1.0', kind='float')
>>> resolve("0x1F").value
31
"""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from evalreport.values import dataclass

#: Types of the core schema, https://yaml.org/spec/1.2.2/#1032-tag-resolution
_NULL = re.compile(r"null|Null|NULL|~|")
_BOOLEAN = re.compile(r"true|True|TRUE|false|False|FALSE")
_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(
    r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"
)

#: Numbers that YAML 1.1, YAML 1.2 and people read differently.
_LEADING_ZERO = re.compile(r"[-+]?0[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?")
_SEPARATED = re.compile(r"[-+]?[0-9][0-9_]*([:.][0-9_]*)*([eE][-+]?[0-9_]+)?")

#: More digits than any double has, before and after the point.
MOST_DIGITS = 400

Plain: TypeAlias = bool | int | float | None


@dataclass(frozen=True, slots=True)
class Scalar:
    """A plain scalar that is no text: its source text and its type."""

    text: str
    kind: Literal["null", "boolean", "integer", "float"]

    @property
    def value(self) -> Plain:
        """The value as Python has it."""
        match self.kind:
            case "null":
                return None
            case "boolean":
                return self.text[0] in "tT"
            case "integer":
                base = {"0o": 8, "0x": 16}.get(self.text[:2], 10)
                return int(self.text, base)
        return float(re.sub(r"^([-+]?)\.([iInN])", r"\1\2", self.text))


def resolve(text: str) -> str | Scalar:
    """A plain scalar's meaning by the core types of YAML 1.2."""
    if _NULL.fullmatch(text):
        return Scalar(text, "null")
    if _BOOLEAN.fullmatch(text):
        return Scalar(text, "boolean")
    if _INTEGER.fullmatch(text):
        return Scalar(text, "integer")
    if _FLOAT.fullmatch(text):
        return Scalar(text, "float")
    return text


def ambiguity(text: str) -> str | None:
    """Why a plain scalar would be read as different things by different readers, or None.

    >>> ambiguity("007")
    'a number with leading zeros'
    >>> ambiguity("12:30")
    'digits with a colon'
    >>> ambiguity("0.5")
    """
    if _LEADING_ZERO.fullmatch(text):
        return "a number with leading zeros"
    if "_" in text and _SEPARATED.fullmatch(text):
        return "a number with an underscore"
    if ":" in text and _SEPARATED.fullmatch(text):
        return "digits with a colon"
    return None


def out_of_range(scalar: Scalar) -> bool:
    """Whether a number is too long to convert, or no double is near it.

    >>> out_of_range(Scalar("1e400", "float")), out_of_range(Scalar("1e-400", "float"))
    (True, True)
    """
    if scalar.kind not in ("integer", "float"):
        return False
    if len(scalar.text) > MOST_DIGITS:
        return True
    if scalar.kind == "integer":
        value = scalar.value
        return isinstance(value, int) and abs(value) >= 1 << 1023
    if "n" in scalar.text.casefold():
        return False
    mantissa = re.split("[eE]", scalar.text)[0]
    value = float(scalar.text)
    return value in (float("inf"), float("-inf")) or (
        value == 0 and re.search("[1-9]", mantissa) is not None
    )
