"""The records of ``rows.json``: what a run keeps of its rows, by which two runs are paired."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from evalreport.results.marks import OMITTED


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptModel:
    """What a model says of the used rows; classes as their places among the labels."""

    labels: tuple[str, ...]
    positive: int | None
    independent: Annotated[bool, "Rows have neither weights nor clusters."]
    rows: Annotated[tuple[int, ...], "Places of the used rows among those of the dataset."]
    actual: tuple[int, ...]
    score: tuple[float, ...] | None
    predicted: tuple[int, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptDataset:
    """The rows of a dataset as keyed digests, in the order of the digests of their ids."""

    ids: tuple[str, ...]
    columns: tuple[str, ...]
    rows: Annotated[tuple[str, ...], "Digests of everything but the ids."]
    models: Mapping[str, KeptModel] = field(default_factory=dict)
    counted: Annotated[
        tuple[str, ...] | None, OMITTED, "Ids that looks before counted and that are gone, sorted."
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptRows:
    """The content of ``rows.json``."""

    schema: Literal["evalreport/rows/1"] = "evalreport/rows/1"
    key_sha256: Annotated[str, "Shows whether two runs made their digests with one key."]
    datasets: Mapping[str, KeptDataset] = field(default_factory=dict)
