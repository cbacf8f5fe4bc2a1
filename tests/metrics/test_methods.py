"""Every method of an interval or a test is declared once, and nothing else is ever recorded."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from ready_specs import CONFIGS, results_of

from evalreport.metrics import methods
from evalreport.metrics.catalogue import catalogue
from evalreport.metrics.kinds import Design
from evalreport.metrics.methods import DECLARED, METHODS, OWN, VALUES, interval_methods
from evalreport.statistics.hypotheses import PAIRED_TAILS, UNPAIRED_TAILS
from evalreport.statistics.proportions import PROPORTION_METHODS
from evalreport.statistics.unpaired import UNPAIRED_METHODS

ROOT = Path(__file__).parents[2]
#: What is in every textbook, or is named by what it does.
WITHOUT_SOURCE = {
    "binomial_exact", "bonferroni", "chi_square", "cochran_armitage", "fisher_exact", "fisher_z",
    "kolmogorov_smirnov", "likelihood_ratio", "log", "logit", "mid_p",
    "newcombe_hybrid_simultaneous",
    "normal", "paired_t", "square_and_add_simultaneous", "two_proportion_z",
    "wald", "wald_t", "wald_cc", "weighted_slope",
}  # fmt: skip


def recorded(part: Any) -> Iterator[str]:
    """The methods of limits and the tests in plain results, wherever they stand."""
    if isinstance(part, dict):
        if isinstance(part.get("method"), str) and "low" in part:
            yield part["method"]
        if isinstance(part.get("test"), str):
            yield part["test"]
        for inner in part.values():
            yield from recorded(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from recorded(inner)


def test_what_can_be_asked_for_is_declared() -> None:
    asked = {name for metric in catalogue() for name in interval_methods(metric, Design)}
    for family, design, paired in product(methods.Family, Design, (True, False)):
        tests, limits = methods.methods_of(family, design, paired=paired)
        asked |= {*tests, *limits}
    asked |= {*methods.AT_A_MARGIN.values(), *methods.SEVERAL.values()}
    assert asked <= METHODS.keys()


def test_what_is_carried_out_by_name_is_declared() -> None:
    carried = {*PROPORTION_METHODS, *UNPAIRED_METHODS, *PAIRED_TAILS, *UNPAIRED_TAILS}
    listed = {name for by in VALUES.values() for cell in by.values() for name in cell}
    assert carried | listed - {OWN} <= METHODS.keys()


@pytest.mark.long
def test_what_ready_specs_hold_is_declared() -> None:
    found = set()
    for path in CONFIGS:
        found |= set(recorded(results_of(path)))
    assert len(found) > 20
    assert found <= METHODS.keys()


def test_each_is_declared_once() -> None:
    names = [method.name for method in DECLARED]
    assert len(names) == len(set(names))


def test_each_has_a_title_and_a_source_unless_it_needs_none() -> None:
    assert all(method.title for method in METHODS.values())
    assert {method.name for method in METHODS.values() if not method.source} == WITHOUT_SOURCE


def test_each_is_explained() -> None:
    told = (ROOT / "docs" / "methods.md").read_text(encoding="utf-8")
    assert [name for name in METHODS if f"`{name}`" not in told] == []


def test_the_module_of_each_formula_is_there() -> None:
    missing = [m.name for m in DECLARED if find_spec(f"evalreport.{m.formula}") is None]
    assert missing == []
