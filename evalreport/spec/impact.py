"""Impact ratios of subgroups: which categories take part."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from evalreport.spec.fields import Distinct, Label, Number, Part


class Impact(Part):
    """Which categories of subgroups take part in impact ratios."""

    smallest_share: Annotated[Number, Field(ge=0, lt=1)] = Field(
        0.0,
        description="Categories with a smaller share of the rows are left out of impact ratios; "
        "their number and rate are shown. 0.02 is the most that New York City's rule allows.",
    )
    unknown: Distinct[Label] = Field(
        (),
        description="Values that say that a category is not known, as an empty one does: such "
        "rows are counted and have no rate.",
    )
