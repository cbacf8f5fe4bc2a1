"""Readers: who read each case, and what of a study of readers is taken as a sample."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, Tag

from evalreport.spec.fields import Column, Distinct, Part, form, text_or_mapping


class Readers(Part):
    """The column of the readers, with what a study of them is to hold for."""

    column: Column = Field(description="Column of who read the case of a row.")
    case: Column | None = Field(
        None,
        description="Column that names the case; the dataset's `id` by default, else its "
        "`cluster`.",
    )
    random: Annotated[Distinct[Literal["readers", "cases"]], Field(min_length=1)] = Field(
        ("readers", "cases"),
        description="What is a sample of more of its kind: [readers, cases]; [readers] for "
        "these cases alone; [cases] for these readers alone.",
    )


#: A column, or a column with what is said of it.
AnyReaders: TypeAlias = Annotated[
    Annotated[Column, Tag("(text)")] | Annotated[Readers, Tag("(mapping)")],
    form(text_or_mapping),
]
