"""The first page: short, in the nouns of the study, with one axis and the losses apart."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from plain_results import render_html
from ready_specs import CONFIGS, results_of
from report.html_page import Element, parse

import evalreport

#: Words on a first page: those of sentences, heads and names, without numbers.
MOST_WORDS = 350
#: Numbers on it: those of sentences, results and tables; a chart's own and those of the cells of
#: more classes than this are not counted.
MOST_NUMBERS, MOST_CLASSES = 90, 5


def first_page(page: str) -> Element:
    return next(s for s in parse(page).all("section") if s.attrs["id"] == "verdict")


@pytest.mark.long_but_first
@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_it_is_short_and_says_nothing_twice(path: Path) -> None:
    section = first_page(render_html(results_of(path)))
    kinds = ("dl", "h2", "ul", "figcaption")
    shown = [e for kind in kinds for e in section.all(kind)]
    shown += [t for t in section.all("table") if "strip" not in t.attrs.get("class", "")]
    words = [w for e in shown for w in re.findall(r"[A-Za-z]{2,}", e.text)]
    assert len(words) <= MOST_WORDS
    lines = [li.text.strip() for li in section.all("li")]
    assert len(lines) == len(set(lines)) <= 6
    assert not [text for dd in section.all("dd") if (text := dd.text.strip()).endswith("…")]
    # one axis for all rows of a table, with its ends in the head
    for table in section.all("table"):
        if "results" in table.attrs.get("class", ""):
            axes = [th for th in table.all("th") if th.attrs.get("class") == "axis"]
            assert len(axes) <= 1


@pytest.mark.long_but_first
@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_it_has_few_numbers(path: Path) -> None:
    section = first_page(render_html(results_of(path)))
    shown = [e.text for kind in ("dl", "h2", "ul") for e in section.all(kind)]
    for table in (t for t in section.all("table") if t.up("details") is None):
        kinds = table.attrs.get("class", "").split()
        many = "cm" in kinds and len(table.all("th", scope="col")) > MOST_CLASSES
        if "strip" not in kinds and not many:
            shown += [cell.text for cell in table.all("td")]
    numbers = [n for text in shown for n in re.findall(r"(?<![\w.])\d+(?:\.\d+)?", text)]
    assert 30 < len(numbers) <= MOST_NUMBERS


def _spec(**more: Any) -> dict[str, Any]:
    return {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "positive": {"label": "1"},
        "models": {"m": {"score": "s"}},
        "metrics": ["recall", "log_loss", "roc_auc"],
        **more,
    }


FRAME = {"y": [1, 1, 1, 0, 0, 0, 0, 0], "s": [0.9, 0.7, 0.2, 0.6, 0.4, 0.3, 0.2, 0.1]}


def test_sentences_use_the_nouns_of_the_study() -> None:
    """Of three masses that are 1 the scores 0.9 and 0.7 are at 0.5 or above; so is one 0."""
    spec = _spec(about={"unit": "mass", "positive_means": "malignant"})
    section = first_page(evalreport.run(spec, frames={"d": FRAME}).to_html())
    said = {d.all("dt")[0].text: d.all("dd")[0].text for d in section.all("div") if d.all("dt")}
    assert "on 8 masses of d, 3 of them malignant" in said["What."]
    assert said["In plain numbers."] == (
        "Of 3 malignant masses, the model found 2 and missed 1, "
        "with 1 false alarm among 5 rows of class 0."
    )


def test_what_is_better_lower_has_a_table_and_an_axis_of_their_own() -> None:
    section = first_page(evalreport.run(_spec(), frames={"d": FRAME}).to_html())
    captions = [
        t.all("caption")[0].text for t in section.all("table") if "results" in t.attrs["class"]
    ]
    assert captions == ["Results", "Lower is better"]


@pytest.mark.parametrize(("share", "kind"), [(0.5, "ROC curve"), (0.1, "Precision and recall")])
def test_the_chart_is_the_one_that_tells_most_of_such_a_prevalence(share: float, kind: str) -> None:
    many = 200
    truth = [int(k < share * many) for k in range(many)]
    scores = [0.3 + 0.4 * t + 0.02 * ((k * 7) % 10 - 5) for k, t in enumerate(truth)]
    frame = {"y": truth, "s": scores}
    section = first_page(evalreport.run(_spec(), frames={"d": frame}).to_html())
    (chart,) = section.all("svg")
    assert chart.attrs["aria-label"].startswith(kind)
    _, _, wide, high = map(float, chart.attrs["viewbox"].split())
    assert abs((wide - 32) - (high - 48)) <= 1
