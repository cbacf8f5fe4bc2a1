"""A page holds every block of its report, or is not made: none is left out in silence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, get_args

import pytest

from evalreport.errors import RenderingError
from evalreport.render.html import as_plain, fill
from evalreport.render.locate import find_template
from evalreport.report.model import Block, Report, Section, Text


@dataclass(frozen=True)
class Unheard:
    """A block that no template knows."""

    text: str
    kind: ClassVar[str] = "unheard"


def _page(block: object) -> str:
    section = Section("measures", "1", "Metrics", "Metrics", "", (block,))  # type: ignore[arg-type]
    report = Report("A", "", "en", "0" * 12, "", "", "", "", (section,), "", "", "")
    return fill(find_template("standard"), as_plain(report))


def test_a_block_that_the_template_does_not_know_is_an_error() -> None:
    assert "told" in _page(Text("told"))
    with pytest.raises(RenderingError, match="the drawing of a block 'unheard'"):
        _page(Unheard("lost"))


def test_every_kind_of_block_stands_in_the_template() -> None:
    drawn = find_template("standard").files["blocks.html.j2"]
    kinds = {one.kind for one in get_args(Block)}
    assert len(kinds) > 15
    assert {kind for kind in kinds if f'b.kind == "{kind}"' not in drawn} == set()
