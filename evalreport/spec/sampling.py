"""How rows came into a dataset: by a design, by what was predicted, and read by whom.

Rows are sampled, or get their labels, by a design or by what was predicted; where readers read
the cases, it is said what of a study is taken as a sample.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field, Tag, model_validator

from evalreport.spec.fields import (
    Column,
    Distinct,
    Fault,
    Label,
    Number,
    Part,
    form,
    refuse,
    text_or_mapping,
)

#: The keys of which one says what kind of sample it is, with an example of each.
KINDS = {
    "totals": "strata: column, totals: {name: 1000}",
    "weight": "weight: column",
    "verified": "verified: column, strata: [predicted]",
    "proxy": "proxy: column",
}


def _strata_form(value: Any) -> str:
    return "(list)" if isinstance(value, (list, tuple)) else "(column)"


class Sampling(Part):
    """How rows were sampled, or how they got their labels; exactly one kind of sample."""

    strata: (
        Annotated[
            Annotated[Column, Tag("(column)")]
            | Annotated[Annotated[Distinct[Column], Field(min_length=1)], Tag("(list)")],
            form(_strata_form),
        ]
        | None
    ) = Field(
        None,
        description="Column, or list of columns, of the strata that rows were drawn or verified "
        "in. `predicted` means what a model predicts, where no column has that name.",
    )
    totals: Mapping[Label, Annotated[Number, Field(gt=0)]] | None = Field(
        None,
        description="How many rows each stratum was drawn from: each row weighs as many rows as "
        "it represents, and the finite population correction is made.",
    )
    weight: Column | None = Field(
        None,
        description="Column with the number of rows that each represents: 1 over the chance "
        "to be drawn.",
    )
    cluster: Column | None = Field(
        None, description="Column of the clusters that were drawn whole, within strata."
    )
    verified: Column | None = Field(
        None,
        description="Column that says whether the label of a row is known (1, true or yes): the "
        "labels of the others are taken to be missing by chance within strata.",
    )
    proxy: Column | None = Field(
        None,
        description="Column of a second, cheaper label that all rows have: the target of some "
        "corrects it.",
    )

    @property
    def strata_columns(self) -> tuple[str, ...]:
        """The columns whose values are the strata."""
        if self.strata is None:
            return ()
        return (self.strata,) if isinstance(self.strata, str) else tuple(self.strata)

    @property
    def kind(self) -> str:
        """The kind of sample: ``proxy``, ``verified``, ``stratified`` or ``complex``."""
        if self.proxy is not None:
            return "proxy"
        if self.verified is not None:
            return "verified"
        return "complex" if self.totals is None else "stratified"

    @model_validator(mode="after")
    def _one_kind(self) -> Sampling:
        given = [key for key in KINDS if getattr(self, key) is not None]
        faults = [
            Fault(f"sampling has both {given[0]} and {key}", "keep one", (key,), at_key=True)
            for key in given[1:]
        ]
        if not given:
            faults.append(
                Fault(
                    "sampling does not state how rows were chosen",
                    "one of: " + "; ".join(f"{{{text}}}" for text in KINDS.values()),
                )
            )
        if given[:1] == ["totals"] and len(self.strata_columns) != 1:
            faults.append(
                Fault(
                    "totals are for the values of one column",
                    "strata: that column",
                    ("totals",),
                    at_key=True,
                )
            )
        if given[:1] in (["verified"], ["proxy"]) and self.cluster is not None:
            faults.append(
                Fault(
                    f"cluster does not go with {given[0]}",
                    "`cluster` of the dataset, or none",
                    ("cluster",),
                    at_key=True,
                )
            )
        if given[:1] == ["proxy"] and self.strata is not None:
            faults.append(
                Fault("strata do not go with proxy", "leave them out", ("strata",), at_key=True)
            )
        if given[:1] == ["verified"] and self.strata is None:
            faults.append(
                Fault(
                    "the spec does not state by what rows were chosen to be verified",
                    "strata: [predicted], or the columns by which they were chosen",
                    ("verified",),
                    at_key=True,
                )
            )
        if faults:
            raise refuse(*faults)
        return self


#: ``cohort`` or ``case_control``, or how rows were sampled.
AnySampling: TypeAlias = Annotated[
    Annotated[Literal["cohort", "case_control"], Tag("(text)")]
    | Annotated[Sampling, Tag("(mapping)")],
    form(text_or_mapping),
]


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
