"""Baselines: what every model is set beside, besides what needs no model."""

from __future__ import annotations

from pydantic import Field

from evalreport.spec.fields import Name, Part


class Baselines(Part):
    """Baselines beside majority class, prevalence and stratified random, which are always there."""

    previous: Name | None = Field(
        None, description="The model in use until now; the others are compared with it, row by row."
    )
