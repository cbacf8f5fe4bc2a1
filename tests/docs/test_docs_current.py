"""The documentation names everything it is about, and is what its functions write."""

from __future__ import annotations

import importlib.util
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from evalreport import errors
from evalreport.engine.cautions.catalogue import catalogue
from evalreport.errors import ExitStatus
from evalreport.metrics.catalogue import known_names
from evalreport.spec.schema import spec_schema

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


@cache
def make_docs() -> Any:
    spec = importlib.util.spec_from_file_location("make_docs", DOCS / "make_docs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def text_of(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "name",
    [
        "metrics.md",
        "methods.md",
        "cautions.md",
        "errors.md",
        "requirements.md",
        "spec.md",
        "../configs/evalreport.schema.json",
    ],
)
def test_a_written_page_is_current(name: str) -> None:
    assert text_of(name) == make_docs().PAGES[name](), "run: make docs"


def test_every_page_that_says_it_is_written_is_one_of_them() -> None:
    written = {p.name for p in DOCS.glob("*.md") if "<!-- Written by" in text_of(p.name)}
    whole = {name for name in make_docs().PAGES if name.endswith(".md")} - {"methods.md"}
    assert written == whole


def test_every_caution_is_documented() -> None:
    codes = re.findall(r"^## `(\w+)` \((?:note|warning)\)$", text_of("cautions.md"), re.MULTILINE)
    assert sorted(codes) == sorted(declared.code for declared in catalogue())


def test_every_exit_status_is_documented_with_the_number_of_the_contract() -> None:
    rows = re.findall(r"^\| (\d+) \| ", text_of("errors.md"), re.MULTILINE)
    assert [int(row) for row in rows] == [0, 1, 2, 3, 4, 5, 70, 130, 143]
    assert [int(row) for row in rows] == [status.value for status in ExitStatus]


def test_every_kind_of_error_is_documented_with_its_status() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| (\d+) \|", text_of("errors.md"), re.MULTILINE))
    kinds = {
        name: str(kind.status.value)
        for name, kind in vars(errors).items()
        if isinstance(kind, type) and issubclass(kind, errors.EvalreportError)
    }
    assert rows == kinds


def test_every_key_of_the_spec_is_documented() -> None:
    schema = spec_schema()
    page = text_of("spec.md")
    for key in schema["properties"]:
        assert f"| `{key}` |" in page
    for part in schema["definitions"].values():
        for form in (part, *part.get("anyOf", ())):
            for key in set(form.get("properties", {})) - set(known_names()):
                assert f"| `{key}` |" in page, key


def test_every_shipped_spec_is_described() -> None:
    pages = (ROOT / "README.md", ROOT / "configs" / "README.md", *DOCS.glob("*.md"))
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages if page.exists())
    described = set(re.findall(r"^\| `(?:configs/)?(\w+\.yaml)` \| .+ \|$", text, re.MULTILINE))
    assert {path.name for path in (ROOT / "configs").glob("*.yaml")} - described == set()


def test_editors_find_the_schema_of_every_config() -> None:
    specs = sorted((ROOT / "configs").glob("*.yaml"))
    assert specs
    for path in specs:
        first = path.read_text(encoding="utf-8").splitlines()[0]
        name = first.partition("# yaml-language-server: $schema=")[2]
        assert (path.parent / name).is_file(), path.name


def test_every_requirement_has_a_test_of_its_own() -> None:
    from evalreport.qualify.checks import REQUIREMENTS

    parts = re.split(r"^## (R\d+)$", text_of("requirements.md"), flags=re.MULTILINE)[1:]
    named = dict(zip(parts[::2], parts[1::2], strict=True))
    assert list(named) == [one.id for one in REQUIREMENTS]
    assert [number for number, text in named.items() if "- `tests/" not in text] == []
