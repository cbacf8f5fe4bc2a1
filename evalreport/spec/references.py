"""Checks across parts of a spec: names that are referred to, and what one part needs of another."""
from __future__ import annotations
from collections.abc import Iterator, Sequence
from pathlib import Path
from evalreport.errors import Problem
from evalreport.spec.model import Spec
from evalreport.spec.yaml_document import Document


def reference_problems(document: Document, *, frames: Sequence[str], folder: Path | None) -> list[Problem]:
    """TODO"""
    return []


def reference_notes(document: Document, spec: Spec) -> Iterator[Problem]:
    """TODO"""
    return iter(())
