"""What is said of a field beside its type: when it is written, and what it may hold.

A field of a record is annotated with ``Annotated[type, ...]``; a text among the marks is the
field's description in the JSON Schema. A field without a mark is written always, as null
where it is None, and a field with a default may be absent from a file that is read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True)
class Omitted:
    """Written only where it differs from its default."""


@dataclass(frozen=True)
class Where:
    """Written, as null if need be, only where another field is ``value``, or is not None."""

    field: str
    value: str | None = None

    def holds(self, record: Any) -> bool:
        """Whether the field is written for this record."""
        found = getattr(record, self.field)
        return found is not None if self.value is None else found == self.value


@dataclass(frozen=True)
class OneOf:
    """One of these texts."""

    texts: tuple[str, ...]


@dataclass(frozen=True)
class AtLeast:
    """No number below this."""

    number: float


@dataclass(frozen=True)
class OrInfinite:
    """Plus infinity too, which is the text ``infinity`` in JSON."""


OMITTED: Final = Omitted()
OR_INFINITE: Final = OrInfinite()
#: Plus infinity as JSON and CSV have it.
INFINITY: Final = "infinity"


def one_of(*texts: str) -> OneOf:
    """A mark for one of these texts."""
    return OneOf(texts)
