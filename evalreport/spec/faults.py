"""How a field's validator says what is wrong: several faults at once, each with its own place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic_core import PydanticCustomError

from evalreport.spec.scalars import Scalar

#: The type of validation errors that carry faults.
FAULTS = "faults"


@dataclass(frozen=True)
class Fault:
    """What is wrong with a field and what would be right.

    ``path`` leads from the field to the part that is wrong; ``at_key`` points at the
    key there; ``named`` puts the field's name before ``what``. ``instead`` may be a
    function, called only for faults that are told: looking for a near name takes time.
    """

    what: str
    instead: str | Callable[[], str] = ""
    path: tuple[str | int, ...] = ()
    at_key: bool = False
    named: bool = False


def refuse(*faults: Fault) -> PydanticCustomError:
    """The error to raise from a validator."""
    return PydanticCustomError(FAULTS, "see faults", {FAULTS: faults})


def wrong_type(value: Any, wanted: str, hint: str = "") -> PydanticCustomError:
    """The error for a value of another type than is wanted."""
    return refuse(Fault(f"is {shown(value)}", hint or wanted, named=True))


def shown(value: Any) -> str:
    """A value as a message names it.

    >>> shown(["a"]), shown("a"), shown(Scalar("", "null"))
    ('a list', "'a'", 'empty')
    """
    match value:
        case dict():
            return "a mapping"
        case list() | tuple():
            return "a list"
        case Scalar(kind="null"):
            return value.text or "empty"
        case Scalar():
            return value.text if len(value.text) <= 60 else value.text[:60] + "..."
        case str():
            return f"'{value if len(value) <= 60 else value[:60] + '...'}'"
    return str(value)
