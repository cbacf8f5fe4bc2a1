"""Schemes of cross-validation, and learning curves."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_serializer, model_validator

from evalreport.spec.confidence import Seed
from evalreport.spec.fields import Fault, Many, Once, Part, ShareOrCount, Whole, refuse
from evalreport.spec.metric_requests import MetricRequest

#: The settings that each scheme uses, beside ``scheme`` and ``seed``.
SETTINGS: dict[str, tuple[str, ...]] = {
    "k_fold": ("folds", "repeats"),
    "stratified_k_fold": ("folds", "repeats"),
    "group_k_fold": ("folds", "repeats"),
    "stratified_group_k_fold": ("folds", "repeats"),
    "leave_one_out": (),
    "leave_one_group_out": (),
    "shuffle_split": ("folds", "repeats", "test_size"),
    "stratified_shuffle_split": ("folds", "repeats", "test_size"),
    "time_series_split": ("folds", "test_size"),
    "column": (),
}


class CrossValidation(Part):
    """How rows are split into training and test rows."""

    scheme: Literal[
        "k_fold",
        "stratified_k_fold",
        "group_k_fold",
        "stratified_group_k_fold",
        "leave_one_out",
        "leave_one_group_out",
        "shuffle_split",
        "stratified_shuffle_split",
        "time_series_split",
        "column",
    ] = Field(
        "stratified_k_fold",
        description="column: the folds in the dataset's `fold`; time_series_split: rows in the "
        "order of the file.",
    )
    folds: Annotated[Whole, Field(ge=2, le=1000)] = Field(
        10, description="Number of folds, or of splits where they are drawn."
    )
    repeats: Annotated[Whole, Field(ge=1, le=1000)] = Field(
        1, description="How many times the splitting is repeated."
    )
    seed: Seed = Field(0, description="Seed of the splits.")
    test_size: ShareOrCount | None = Field(
        None, description="Test rows of a split: a share such as 0.2, or a count."
    )

    @model_validator(mode="before")
    @classmethod
    def _settings_of_the_scheme(cls, raw: Any) -> Any:
        scheme = raw.get("scheme", "stratified_k_fold") if isinstance(raw, dict) else None
        if not isinstance(scheme, str) or scheme not in SETTINGS:
            return raw
        unused = [
            key
            for key in ("folds", "repeats", "test_size")
            if key in raw and key not in SETTINGS[scheme] and not _says_one(raw[key], key)
        ]
        if unused:
            raise refuse(
                *(
                    Fault(f"{scheme} has no {key}", "remove it", (key,), at_key=True)
                    for key in unused
                )
            )
        return raw

    @model_serializer(mode="wrap")
    def _written(self, handler: Any) -> Any:
        written: dict[str, Any] = handler(self)
        used = {"scheme", "seed", *SETTINGS[self.scheme]}
        return {key: value for key, value in written.items() if key in used}


def _says_one(value: Any, key: str) -> bool:
    """Whether the key says ``repeats: 1``, which is true of every scheme."""
    return key == "repeats" and getattr(value, "text", str(value)) == "1"


class LearningCurve(Part):
    """Scores of models trained on less."""

    sizes: Annotated[Many[ShareOrCount], Field(min_length=1, max_length=100)] = Field(
        description="Training rows: shares such as 0.25 (1.0 for all), or counts."
    )
    repeats: Annotated[Whole, Field(ge=1, le=1000)] = Field(
        10, description="Random subsets of each size."
    )
    seed: Seed = Field(0, description="Seed of the subsets.")
    metrics: Once[MetricRequest] = Field(
        (), description="The metrics drawn; those of the spec unless declared."
    )
