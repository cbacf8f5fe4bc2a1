"""The report: formats, template, sections, annexes and signatures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from pydantic import Field, StringConstraints

from evalreport.spec.datasets import LocalFile
from evalreport.spec.fields import Column, Distinct, Flag, Many, Name, Once, Part, Text
from evalreport.spec.formats import FILES

TEMPLATES = ("standard", "clinical", "audit", "model_card", "minimal", "quick")

if TYPE_CHECKING:
    Format: TypeAlias = str
else:
    Format = Literal[tuple(FILES)]
#: A language, with a script, region and variants where they matter (RFC 5646, section 2.1).
Language: TypeAlias = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$", max_length=35)
]
Checklist: TypeAlias = Literal["stard_2015", "tripod_ai", "model_card", "eu_ai_act", "ll144"]


class Signature(Part):
    """A line for somebody to sign."""

    role: Text = Field(description="Who signs, e.g. statistician.")
    meaning: Text = Field(description="What the signature means, e.g. reviewed.")
    name: Text | None = Field(None, description="The printed name.")


class PdfSettings(Part):
    """Settings of the PDF."""

    variant: Literal["pdf/a-3a", "pdf/ua-1"] = Field(
        "pdf/a-3a", description="The standard it is written by."
    )


class Report(Part):
    """How results are shown."""

    formats: Annotated[Once[Format], Field(min_length=1)] = Field(
        ("html", "pdf"), description="The files to write; results.json is always written."
    )
    template: Name = Field(
        "standard", description="A shipped template, or a folder relative to the spec."
    )
    sections: Annotated[Distinct[Name], Field(min_length=1)] | None = Field(
        None, description="The sections and their order; those of the template unless declared."
    )
    checklists: Distinct[Checklist] | None = Field(
        None,
        description="Annexes to be filled from the run. Unless declared, the template clinical has "
        "stard_2015 and the others have none; an empty list is none.",
    )
    signatures: Many[Signature] = Field((), description="Lines to sign.")
    logo: LocalFile | None = Field(
        None, description="A PNG or SVG file, relative to the spec, drawn at the head."
    )
    language: Language | None = Field(
        None,
        description="The language of titles and names as a BCP 47 tag such as de or pt-BR. That of "
        "the page and the PDF, by which words are broken and read aloud; en unless declared; the "
        "report's own words are English.",
    )
    large: Flag = Field(
        False,
        description="Large print: no type below 10 points, one column, on paper laid across.",
    )
    page_size: Literal["a4", "letter"] = Field("a4", description="The paper of the PDF.")
    pdf: PdfSettings = Field(default_factory=PdfSettings, description="How the PDF is written.")
    characteristics: Distinct[Column] = Field(
        (), description="Columns described by class in a first table."
    )


class Cautions(Part):
    """Which cautions are not wanted, and why."""

    off: Mapping[Name, Annotated[Text, StringConstraints(min_length=1)]] = Field(
        default_factory=dict, description="The reason for which each caution is switched off."
    )
