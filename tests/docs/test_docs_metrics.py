"""The page of the metrics says what the catalogue says, of every metric."""

from __future__ import annotations

import importlib.util
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from evalreport.metrics.catalogue import catalogue, find, known_names
from evalreport.metrics.declare import Metric
from evalreport.metrics.methods import interval_methods

DOCS = Path(__file__).resolve().parents[2] / "docs"


@cache
def make_docs() -> Any:
    spec = importlib.util.spec_from_file_location("make_docs", DOCS / "make_docs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def page() -> str:
    return (DOCS / "metrics.md").read_text(encoding="utf-8")


def test_the_page_of_metrics_is_current() -> None:
    assert page() == make_docs().metrics_page(), "run: make docs"


@pytest.mark.parametrize("metric", catalogue(), ids=lambda metric: metric.name)
def test_every_metric_has_a_section_with_its_facts(metric: Metric) -> None:
    start = page().index(f"### `{metric.name}`\n")
    section = page()[start:].split("\n### ")[0]
    assert metric.meaning in section
    assert metric.reference in section
    for alias in metric.aliases:
        assert f"`{alias}`" in section
    for parameter in metric.parameters:
        assert f"`{parameter.name}`" in section
    for method in interval_methods(metric):
        assert f"`{method}`" in section


def test_every_name_and_alias_leads_to_a_metric_of_the_page() -> None:
    for word in known_names():
        found = find(word)
        assert found is not None
        assert f"### `{found.name}`\n" in page()
