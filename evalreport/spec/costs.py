"""Costs of mistakes: of the two kinds, or of every pair of classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypeAlias

from pydantic import BeforeValidator, Field, Tag

from evalreport.spec.fields import Fault, Label, Number, Part, form, refuse, wrong_type


class TwoClassCosts(Part):
    """Costs of the four outcomes of two classes."""

    false_negative: Number = Field(0.0, description="Cost of missing a positive.")
    false_positive: Number = Field(0.0, description="Cost of a false alarm.")
    true_positive: Number = Field(0.0, description="Cost of a found positive.")
    true_negative: Number = Field(0.0, description="Cost of a true negative.")


ClassCosts: TypeAlias = Annotated[
    Mapping[Label, Annotated[Mapping[Label, Number], Field(min_length=1)]], Field(min_length=1)
]


def _form(value: Any) -> str:
    if isinstance(value, dict) and value and all(isinstance(v, dict) for v in value.values()):
        return "(classes)"
    return "(two)"


def _readable(value: Any) -> Any:
    if isinstance(value, TwoClassCosts):
        return value
    if not isinstance(value, dict) or not value:
        forms = "{false_negative: 5, false_positive: 1}, or {actual: {predicted: cost}}"
        raise wrong_type(value, forms)
    nested = [key for key, item in value.items() if isinstance(item, dict)]
    if nested and len(nested) < len(value):
        key = next(key for key in value if key not in nested)
        raise refuse(
            Fault(
                f"'{key}' is not a mapping like '{nested[0]}'",
                "costs of two kinds of mistake, or {predicted: cost} for each actual class",
                (key,),
                at_key=True,
            )
        )
    return value


Costs: TypeAlias = Annotated[
    Annotated[
        Annotated[TwoClassCosts, Tag("(two)")] | Annotated[ClassCosts, Tag("(classes)")],
        form(_form),
    ],
    BeforeValidator(_readable),
]
