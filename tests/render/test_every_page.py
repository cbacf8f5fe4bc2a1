"""Every page of every ready spec in every template: what stands where, and how small it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from golden.words_on_paper import clashes, words_of
from plain_results import render_html
from ready_specs import CONFIGS, results_of
from stress.paper import Paper, split

TEMPLATES = ["standard", "clinical", "audit", "model_card", "minimal", "quick"]
#: What a page on screen may weigh, how long the one on paper may be, and what share of a page
#: but the last may stay white: a picture or a pair of tables that stays whole can need the next.
BYTES, PAGES, WHITE = 600_000, 12, 1 / 3
#: How long the standard report of a ready spec may be.
STANDARD_PAGES = {
    "breast_cancer": 8, "cross_validation": 9, "digits": 8, "grouped_folds": 7, "imbalanced": 9,
    "leave_one_out": 7, "multilabel": 8, "penguins": 5, "training_history": 5,
}  # fmt: skip
#: What share of the last page may stay white, where signatures and provenance alone are on it;
#: templates of few pages end where they end.
LAST, SHORT = {"standard": 0.7}, {"minimal", "quick"}


@pytest.mark.nightly
@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_every_page_of_a_ready_spec(path: Path, template: str) -> None:
    results = results_of(path)
    page = render_html(results, template)
    assert len(page.encode("utf-8")) < BYTES
    paper = Paper(render_html(results, template, paper=True))
    found = {
        # those of charts stand in the file alone
        "words over words": [
            (number, *pair)
            for number, words in enumerate(words_of(paper.pdf()), start=1)
            for pair in clashes(words)
        ],
        "words over frames": paper.over_frames(),
        "split": split(paper.boxes("card")) + split(paper.boxes("fr-in")),
        "smaller than seven points": paper.type_below(7.0),
        "white at the foot": [
            (number, round(share, 2))
            for number, share in enumerate(paper.white_feet()[1:-1], start=2)
            if share > WHITE
        ],
        "tables printed thrice": paper.repeated_tables() if template == "standard" else {},
        "tables torn": paper.torn(),
        "headings at the foot": paper.ending_in_a_head(),
        "signatures alone on a page": paper.alone("signatures"),
        "values without their counts": paper.without_counts(results["measures"]),
    }
    assert {what: where for what, where in found.items() if where} == {}
    if template not in SHORT:
        assert paper.white_feet()[-1] <= LAST.get(template, 0.72)
    most = {"standard": STANDARD_PAGES[path.stem], "minimal": 1, "quick": 2}
    assert len(paper) <= most.get(template, PAGES)
