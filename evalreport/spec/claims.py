"""Claims: values and limits as somebody printed them, to be found again from the counts."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import partial
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    StringConstraints,
    WithJsonSchema,
    model_validator,
)

from evalreport.errors import did_you_mean
from evalreport.spec.acceptance import WhichNumber
from evalreport.spec.confidence import Level, requestable
from evalreport.spec.fields import Fault, Name, Part, Text, as_text, refuse

_PRINTED = re.compile(r"[-+\u2212]?([0-9]+([.\u00b7,][0-9]+)?|[.\u00b7][0-9]+)")


def _number(text: str) -> str:
    """A number as printed, with a decimal point; a fault for any other text."""
    bare = text.strip().removesuffix("%").strip()
    if not _PRINTED.fullmatch(bare):
        raise refuse(Fault(f"is '{text}'", "a number as it is printed, such as 97.52", named=True))
    return bare.replace("\u2212", "-").replace("\u00b7", ".").replace(",", ".")


#: A number as it is printed: its digits say how exactly it is known.
Printed: TypeAlias = Annotated[
    str,
    BeforeValidator(as_text),
    StringConstraints(min_length=1),
    AfterValidator(_number),
    WithJsonSchema({"type": ["string", "number"]}),
]


class Claim(WhichNumber):
    """A value of a paper, a label, a submission or a vendor, as printed."""

    value: Printed = Field(
        description="The value with its digits as printed; quote it, so that a last zero is kept."
    )
    low: Printed | None = Field(None, description="The lower limit as printed.")
    high: Printed | None = Field(None, description="The upper limit as printed.")
    unit: Literal["percent", "share"] = Field(
        "share",
        description="percent: printed as 97.52; share: printed as 0.9752, and what is no "
        "share of 100.",
    )
    level: Level = Field(0.95, description="The confidence level of the limits.")
    method: Name | None = Field(
        None, description="The method of the limits that the source states; not known by default."
    )
    source: Text | None = Field(None, description="Where it is printed.")

    @model_validator(mode="before")
    @classmethod
    def _percentages_say_so(cls, given: Any) -> Any:
        """A percent sign is no ornament: without ``unit: percent`` 0.91% would be read as 0.91."""
        if isinstance(given, dict) and given.get("unit", "share") == "share":
            faults = [
                Fault(f"{name} is '{given[name]}'", "unit: percent beside it", (name,))
                for name in ("value", "low", "high")
                if isinstance(given.get(name), str) and given[name].strip().endswith("%")
            ]
            if faults:
                raise refuse(*faults)
        return given

    @model_validator(mode="after")
    def _can_be_found(self) -> Claim:
        known = requestable(self.metric.metric)
        faults = [*_outside(self)]
        if self.method is not None and self.method not in known:
            hint = partial(did_you_mean, self.method, known, f"those of {self.metric.name}")
            what = f"{self.metric.name} has no interval method '{self.method}'"
            faults.append(Fault(what, hint, ("method",)))
        if self.method is not None and self.low is None and self.high is None:
            faults.append(
                Fault(
                    "a method of limits that are not given",
                    "low and high as printed",
                    ("method",),
                    at_key=True,
                )
            )
        both = self.low is not None and self.high is not None
        if both and Decimal(self.low or 0) > Decimal(self.high or 0):
            faults.append(
                Fault(
                    f"the lower limit {self.low} is above the upper, {self.high}",
                    "low: the smaller one",
                    ("low",),
                )
            )
        if self.subgroup == "each":
            faults.append(
                Fault("a claim is of one number", "subgroup: {column: value}", ("subgroup",))
            )
        if faults:
            raise refuse(*faults)
        return self


def _outside(claim: Claim) -> list[Fault]:
    """A value that the metric cannot have: nearly always a share printed as percent.

    Limits may lie outside: some methods give such, and they are printed.
    """
    of_one = 100 if claim.unit == "percent" else 1
    low, high = (of_one * bound for bound in claim.metric.metric.bounds)
    value = float(claim.value)
    if low <= value <= high:
        return []
    sign = " %" if claim.unit == "percent" else ""
    hint = f"a value from {low:g} to {high:g}"
    if claim.unit == "share" and high == 1 and 1 < value <= 100:
        hint = f"unit: percent, if {claim.value} % is meant"
    return [Fault(f"{claim.metric.name} is never {claim.value}{sign}", hint, ("value",))]


class ClaimCriterion(Part):
    """Every claim has to be found again."""

    claim: Literal["all"] = Field(description="all: every claim of the spec.")
    outcome: Literal["reproduced"] = Field(
        "reproduced",
        description="reproduced: to the printed digits, by the method that is "
        "stated, or by any where none is.",
    )
