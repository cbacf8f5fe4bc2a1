"""Compiled templates are used where they are whole and of this text, and never else."""

from __future__ import annotations

import sys
from pathlib import Path

import jinja2
import pytest

from evalreport.render.compiled import CompiledTemplates


def filled(folder: Path, text: str = "{{ 2 * n }} rows", **values: int) -> str:
    environment = jinja2.Environment(
        loader=jinja2.DictLoader({"page": text}),
        bytecode_cache=CompiledTemplates(folder),
        autoescape=True,
    )
    return environment.get_template("page").render(**values)


def files(folder: Path) -> list[Path]:
    return sorted((folder / "__pycache__").glob("*"))


@pytest.fixture(autouse=True)
def _written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The templates that were compiled."""
    names: list[str] = []
    compile_ = jinja2.Environment._compile

    def counted(self: jinja2.Environment, source: str, filename: str) -> object:
        names.append(filename)
        return compile_(self, source, filename)

    monkeypatch.setattr(jinja2.Environment, "_compile", counted)
    return names


def test_a_second_process_compiles_nothing(tmp_path: Path, compiled: list[str]) -> None:
    assert filled(tmp_path, n=2) == "4 rows"
    assert len(compiled) == 1
    assert [file.suffix for file in files(tmp_path)] == [".bin"]
    assert filled(tmp_path, n=3) == "6 rows"
    assert len(compiled) == 1


def test_another_text_is_compiled_anew(tmp_path: Path, compiled: list[str]) -> None:
    filled(tmp_path, n=2)
    assert filled(tmp_path, "{{ n }} of {{ n }}", n=2) == "2 of 2"
    assert len(compiled) == 2
    assert len(files(tmp_path)) == 2


@pytest.mark.parametrize("kept", [0, 3, 40, 90])
def test_a_file_that_is_cut_off_is_made_again(tmp_path: Path, kept: int) -> None:
    filled(tmp_path, n=2)
    (file,) = files(tmp_path)
    whole = file.read_bytes()
    file.write_bytes(whole[:kept])
    assert filled(tmp_path, n=2) == "4 rows"
    assert file.read_bytes() == whole


def test_where_none_can_be_written_the_page_is_the_same(tmp_path: Path) -> None:
    (tmp_path / "__pycache__").write_text("a file, and no folder")
    assert filled(tmp_path, n=2) == "4 rows"
    assert (tmp_path / "__pycache__").read_text() == "a file, and no folder"


def test_python_is_obeyed_that_writes_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert filled(tmp_path, n=2) == "4 rows"
    assert not (tmp_path / "__pycache__").exists()
