"""Looks: how often criteria are judged while data come in, and what error that may spend."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from evalreport.spec.faults import Fault, refuse
from evalreport.spec.fields import Flag, Part, Whole


class Looks(Part):
    """Criteria are judged again with every run of the series, on all rows so far."""

    planned: Annotated[Whole, Field(ge=2, le=1000)] | None = Field(
        None, description="How many looks there will be, the last one included."
    )
    spending: Literal["obrien_fleming", "pocock"] | None = Field(
        None,
        description="How the error is spent over planned looks: pocock (the default) nearly "
        "evenly, so that harm is found soon; obrien_fleming little of it early.",
    )
    always: Flag | None = Field(
        None, description="true: looks without end, by confidence sequences."
    )

    @model_validator(mode="after")
    def _one_kind(self) -> Looks:
        if self.always and (self.planned is not None or self.spending is not None):
            key = "planned" if self.planned is not None else "spending"
            fault = Fault("looks without end are not planned", "one of the two", (key,))
            raise refuse(fault)
        if not self.always and self.planned is None:
            hint = "planned: 12, or always: true"
            raise refuse(Fault("neither a number of looks nor always", hint))
        return self

    @property
    def rule(self) -> str | None:
        """The spending function; None for looks without end."""
        return None if self.always else self.spending or "pocock"
