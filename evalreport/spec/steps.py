"""Preprocessing steps of an estimator, fitted inside each fold."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field, model_serializer, model_validator

from evalreport.errors import did_you_mean
from evalreport.spec.faults import Fault, refuse, wrong_type
from evalreport.spec.fields import Anything, Column, Distinct, Many, Part


class Impute(Part):
    """Fill in missing values."""

    strategy: Literal["mean", "median", "most_frequent", "constant"] = Field(
        "median", description="What a missing value becomes."
    )
    value: Anything = Field(None, description="The constant, for strategy: constant.")
    columns: Distinct[Column] | None = Field(None, description="Columns; all unless declared.")


class Scale(Part):
    """Bring columns to one scale."""

    method: Literal["standard", "min_max", "robust"] = Field(
        "standard", description="standard: mean 0 and standard deviation 1."
    )
    columns: Distinct[Column] | None = Field(None, description="Columns; numbers unless declared.")


class OneHot(Part):
    """One 0/1 column per value."""

    columns: Distinct[Column] | None = Field(None, description="Columns; text unless declared.")


STEPS = ("impute", "scale", "one_hot")


class Step(Part):
    """One step: its name, or ``{name: {parameter: value}}``."""

    impute: Impute | None = Field(None, description="Fill in missing values.")
    scale: Scale | None = Field(None, description="Bring columns to one scale.")
    one_hot: OneHot | None = Field(None, description="One 0/1 column per value of a text column.")

    @model_validator(mode="before")
    @classmethod
    def _read(cls, raw: Any) -> Any:
        if isinstance(raw, Step):
            return raw
        if isinstance(raw, str):
            if raw not in STEPS:
                raise refuse(Fault(f"unknown step '{raw}'", did_you_mean(raw, STEPS, "steps")))
            return {raw: {}}
        if not isinstance(raw, dict):
            raise wrong_type(raw, f"one of {', '.join(STEPS)}")
        if len(raw) != 1:
            raise refuse(Fault(f"a step with {len(raw)} keys", "one step each"))
        return raw

    @model_serializer(mode="wrap")
    def _written(self, handler: Any) -> Any:
        return {key: value for key, value in handler(self).items() if value is not None}


Steps: TypeAlias = Annotated[Many[Step], Field(min_length=1)]
