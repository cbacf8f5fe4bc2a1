"""The kinds of value a spec's fields have, and the base of all its parts.

Each kind says how a scalar is read where it stands: a label or a title is text
exactly as written, a level is a number, and nothing is converted silently. A field may be
wrong in several places at once; each is told with its own.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from typing import Annotated, Any, TypeAlias, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Strict,
    StringConstraints,
    WithJsonSchema,
)
from pydantic_core import PydanticCustomError

from evalreport.spec.scalars import Scalar
from evalreport.values import dataclass

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


T = TypeVar("T")

#: Seeds are whole numbers below this.
SEED_LIMIT = 1 << 63


class Part(BaseModel):
    """A part of a spec: frozen, nothing converted, unknown keys refused."""

    model_config = ConfigDict(
        strict=True, extra="forbid", frozen=True, populate_by_name=True, defer_build=True
    )


def as_text(value: Any) -> str:
    """Text exactly as written, whatever it looks like.

    >>> as_text(Scalar("1.0", "float")), as_text("no")
    ('1.0', 'no')
    """
    if isinstance(value, str):
        return value
    if isinstance(value, Scalar):
        if value.kind != "null":
            return value.text
        raise refuse(Fault(f"is {shown(value)}", "quote it if it is meant as text", named=True))
    raise wrong_type(value, "text")


def as_number(value: Any) -> float:
    """A finite number."""
    if isinstance(value, bool):
        raise wrong_type(value, "a number")
    if isinstance(value, (int, float)):
        return float(value)
    if isinstance(value, Scalar) and value.kind in ("integer", "float"):
        found = float(value.value or 0)
        if math.isfinite(found):
            return found
        raise wrong_type(value, "a finite number")
    raise wrong_type(value, "a number", number_hint(value))


def number_hint(value: Any) -> str:
    """The number that a text was meant to be, as a hint; nothing where it is none."""
    if not isinstance(value, str):
        return ""
    text = value.strip()
    try:
        if text.endswith("%"):
            return f"a share: {float(text[:-1]) / 100:g}"
        if math.isfinite(float(text.replace(",", "."))):
            return (
                f"a number with a decimal point: {text.replace(',', '.')}"
                if "," in text
                else (f"a number, without quotes: {text}")
            )
    except ValueError:
        pass
    return ""


def as_whole(value: Any) -> int:
    """A whole number."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, Scalar) and value.kind in ("integer", "float"):
        found = value.value
        if isinstance(found, int) or (isinstance(found, float) and found.is_integer()):
            return int(found)
    number = re.fullmatch(r"(\d+)(\.0*)?", value) if isinstance(value, str) else None
    raise wrong_type(value, "a whole number" + (f": {number[1]}" if number else ""))


def as_flag(value: Any) -> bool:
    """True or false."""
    if isinstance(value, bool):
        return value
    if isinstance(value, Scalar) and value.kind == "boolean":
        return bool(value.value)
    raise wrong_type(value, "true or false")


def as_share_or_count(value: Any) -> int | float:
    """A share such as 0.1 (written with a point) or a count of rows such as 100."""
    written_whole = isinstance(value, Scalar) and value.kind == "integer"
    if written_whole or (isinstance(value, int) and not isinstance(value, bool)):
        count = as_whole(value)
        if count < 1:
            raise wrong_type(value, "at least 1 row, or a share above 0 and at most 1.0")
        return count
    share = as_number(value)
    if not 0 < share <= 1:
        raise wrong_type(value, "a share above 0 and at most 1.0, or a whole number of rows")
    return share


def plain(value: Any) -> Any:
    """Plain Python data of a value whose types are not ours to know."""
    if isinstance(value, Scalar):
        return value.value
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def as_list(value: Any) -> Any:
    """A list; anything else is refused with the brackets it lacks."""
    if isinstance(value, (list, tuple)):
        return value
    hint = f"a list: [{_listed(value)}]" if isinstance(value, (str, Scalar)) else "a list"
    raise wrong_type(value, "a list", hint)


def _listed(value: str | Scalar) -> str:
    """What stands between the brackets that are missing: parts of a text with commas."""
    text = value if isinstance(value, str) else value.text
    parts = [part.strip() for part in text.split(",")]
    plain = len(parts) > 1 and all(part.replace("_", "").isalnum() for part in parts)
    return ", ".join(parts) if plain else shown(value)


def without_repeats(values: tuple[T, ...]) -> tuple[T, ...]:
    """The values in their order, each once."""
    return tuple(dict.fromkeys(values))


def no_repeats(values: tuple[T, ...]) -> tuple[T, ...]:
    """The same values; a repeated one is refused at its place."""
    faults = []
    seen: dict[str, int] = {}
    for index, value in enumerate(values):
        if str(value) in seen:
            faults.append(Fault(f"'{value}' is listed twice", "keep one", (index,)))
        seen.setdefault(str(value), index)
    if faults:
        raise refuse(*faults)
    return values


def form(choose: Callable[[Any], str]) -> Discriminator:
    """Choose the form of a value from what was written."""
    return Discriminator(choose)


def text_or_mapping(value: Any) -> str:
    """The form of a value that is either text or a mapping."""
    return "(mapping)" if isinstance(value, (dict, BaseModel)) else "(text)"


def one_key(value: Any, keys: Iterable[str], what: str) -> None:
    """Refuse a mapping that does not have exactly one of ``keys``."""
    known = list(keys)
    found = [key for key in known if isinstance(value, dict) and key in value]
    if len(found) > 1:
        raise refuse(
            *(
                Fault(f"{what} has both {found[0]} and {key}", "keep one", (key,), at_key=True)
                for key in found[1:]
            )
        )


_TEXT: dict[str, Any] = {"type": ["string", "number", "boolean"]}

Text: TypeAlias = Annotated[str, BeforeValidator(as_text), WithJsonSchema(_TEXT)]
#: Text that is not empty: a name, a column, a path.
Name: TypeAlias = Annotated[
    str,
    BeforeValidator(as_text),
    StringConstraints(min_length=1),
    WithJsonSchema({**_TEXT, "minLength": 1}),
]
Column: TypeAlias = Name
#: The name of a class, exactly as written; an empty one would be a missing value.
Label: TypeAlias = Name
Number: TypeAlias = Annotated[float, BeforeValidator(as_number)]
Whole: TypeAlias = Annotated[int, BeforeValidator(as_whole)]
Flag: TypeAlias = Annotated[bool, BeforeValidator(as_flag)]
ShareOrCount: TypeAlias = Annotated[
    int | float,
    BeforeValidator(as_share_or_count),
    WithJsonSchema({"type": "number", "exclusiveMinimum": 0}),
]
Anything: TypeAlias = Annotated[Any, BeforeValidator(plain), WithJsonSchema({})]
Many: TypeAlias = Annotated[tuple[T, ...], Strict(False), BeforeValidator(as_list)]
Distinct: TypeAlias = Annotated[
    tuple[T, ...], Strict(False), BeforeValidator(as_list), AfterValidator(no_repeats)
]
#: Repeats are harmless here and dropped.
Once: TypeAlias = Annotated[
    tuple[T, ...], Strict(False), BeforeValidator(as_list), AfterValidator(without_repeats)
]
