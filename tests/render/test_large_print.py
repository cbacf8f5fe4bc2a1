"""Large print: nothing below ten points, one column, on paper laid across."""

from __future__ import annotations

import copy
import io
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pikepdf
import pytest
from golden.words_on_paper import clashes
from plain_results import render_html
from ready_specs import CONFIGS, results_of
from report.example_results import two_models
from stress.paper import Paper

from evalreport.render.pdf import render_pdf

#: Specs whose tables of ten classes, or lines of labels, take a sheet by themselves.
MANY_LABELS = {"digits", "multilabel"}


def large() -> dict[str, Any]:
    results = two_models()
    results["spec"]["report"] = {**results["spec"].get("report", {}), "large": True}
    return results


def test_nothing_is_small_and_nothing_stands_over_another() -> None:
    paper = Paper(render_html(large(), paper=True))
    assert paper.type_below(10.0) == []
    assert paper.over_frames() == []
    over = [pair for words in paper.words() for pair in clashes(words) if "margin" not in pair[1]]
    assert over == []
    # cards of two models stand one below the other
    cards = paper.boxes("card")
    assert len({round(card.left) for card in cards}) == 1


@pytest.mark.parametrize(("page", "size"), [("a4", (842, 595)), ("letter", (792, 612))])
def test_the_paper_lies_across(page: str, size: tuple[int, int]) -> None:
    made = render_pdf(
        render_html(large(), paper=True), at=datetime(2026, 1, 1, tzinfo=UTC), page=page
    )
    with pikepdf.open(io.BytesIO(made)) as pdf:
        _, _, wide, high = (round(float(x)) for x in pdf.pages[0].MediaBox)
    assert (wide, high) == size


@pytest.mark.nightly_but_each(4)
@pytest.mark.parametrize("template", ["clinical", "minimal"])
@pytest.mark.parametrize(
    "path", [p for p in CONFIGS if p.stem not in MANY_LABELS], ids=lambda path: path.stem
)
def test_the_first_page_of_other_templates_is_one_sheet(path: Path, template: str) -> None:
    results = copy.deepcopy(results_of(path))
    results["spec"].setdefault("report", {})["large"] = True
    if template == "clinical":
        results["spec"]["report"]["sections"] = ["verdict", "cautions"]
    paper = Paper(render_html(results, template, paper=True))
    assert {box.page for box in paper.boxes("verdict") + paper.boxes("brief")} == {1}
    assert {box.page for box in paper.boxes("standing")} <= {1}
    assert template == "clinical" or len(paper) == 1


@pytest.mark.nightly_but_each(4)
@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_the_first_page_is_one_sheet(path: Path) -> None:
    results = copy.deepcopy(results_of(path))
    results["spec"].setdefault("report", {})["large"] = True
    paper = Paper(render_html(results, paper=True))
    assert {box.page for box in paper.boxes("verdict") + paper.boxes("brief")} == {1}
    assert {box.page for box in paper.boxes("toc")} == {2}
    counted = paper.without_counts(results["measures"])
    assert [where for where in counted if where[0] == 1] == []
    assert (paper.torn(), paper.ending_in_a_head()) == ([], [])


def test_others_are_as_they_were() -> None:
    assert "Large print" not in render_html(two_models())
