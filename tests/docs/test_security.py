"""SECURITY.md: every paragraph of what is defended has tests, and those that it names are there."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
_ROW = re.compile(r"^\| ([^|]+?): ([^|]+?) \| `([^`|]+)::([^`|]+)` \|$", re.MULTILINE)


def section(title: str) -> str:
    """The text under a heading, up to the next."""
    found = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", TEXT, re.MULTILINE | re.DOTALL)
    assert found is not None, title
    return found[1]


def paragraphs() -> list[str]:
    """What is defended, by the words in bold that begin each paragraph."""
    found = re.findall(r"^\*\*([^*]+)\*\*", section("What is defended"), re.MULTILINE)
    return [name.rstrip(".") for name in found]


ROWS = _ROW.findall(section("What tests it"))


@cache
def functions_in(path: str) -> dict[str, ast.FunctionDef]:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_every_paragraph_has_tests_and_every_test_a_paragraph() -> None:
    assert len(paragraphs()) >= 15
    assert {name for name, *_ in ROWS} == {*paragraphs(), "Dependencies"}


def test_no_row_is_passed_over() -> None:
    table = [line for line in section("What tests it").splitlines() if line.startswith("|")]
    assert len(ROWS) == len(table) - 2  # the heading and its rule
    assert len({(name, claim) for name, claim, *_ in ROWS}) == len(ROWS)


@pytest.mark.parametrize(("paragraph", "claim", "path", "name"), ROWS)
def test_the_test_of_a_claim_is_there_and_is_run(
    paragraph: str, claim: str, path: str, name: str
) -> None:
    assert (ROOT / path).is_file(), f"{paragraph}: {claim}"
    test = functions_in(path).get(name)
    assert test is not None, f"{path} has no {name}"
    marks = [ast.unparse(one) for one in test.decorator_list]
    assert not any("xfail" in mark or "mark.skip(" in mark for mark in marks)
