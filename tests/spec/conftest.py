"""A small spec that is right, and what is said about one that is not."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from evalreport.errors import SpecError
from evalreport.spec.load import LoadedSpec, parse_spec

MINIMAL = """\
evalreport: 1
title: t
datasets:
  d: {path: d.csv, target: y}
models:
  m: {score: p}
metrics: [accuracy]
"""


def full_text(text: str) -> str:
    """The minimal spec, its last lines replaced or followed by ``text``."""
    return MINIMAL + textwrap.dedent(text)


@pytest.fixture
def load() -> Callable[..., LoadedSpec]:
    """Load the minimal spec with more lines after it."""

    def loaded(more: str = "", **options: object) -> LoadedSpec:
        return parse_spec(full_text(more), "s.yaml", **options)  # type: ignore[arg-type]

    return loaded


@pytest.fixture
def mistakes() -> Callable[..., list[str]]:
    """The problems of a spec, as lines without the name of the file."""

    def found(text: str, *, whole: bool = False, **options: object) -> list[str]:
        source = textwrap.dedent(text) if whole else full_text(text)
        with pytest.raises(SpecError) as caught:
            parse_spec(source, "s.yaml", **options)  # type: ignore[arg-type]
        return [str(problem).removeprefix("s.yaml:") for problem in caught.value.problems]

    return found


@pytest.fixture
def hostile() -> Path:
    """The folder of hostile specs."""
    return Path(__file__).parent / "hostile"
