"""One row is no rows, each step of a calculation stands once, averages say what they are of."""

from __future__ import annotations

import re
from typing import Any

from report.html_page import parse

import evalreport
from evalreport.report.meanings import meaning_of
from evalreport.results.identity import WhichNumber


def _page(frame: dict[str, Any], **more: Any) -> str:
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "models": {"m": {"prediction": "p"}},
        "metrics": ["accuracy", "recall"],
        **more,
    }
    return evalreport.run(spec, frames={"d": frame}).to_html()


def test_a_single_row_is_singular() -> None:
    """Six rows, one of them a fossa, which is called a genet."""
    frame = {"y": list("ccgggf"), "p": list("ccgggg")}
    names = {"c": "civet", "g": "genet", "f": "fossa"}
    page = _page({key: [names[x] for x in column] for key, column in frame.items()})
    assert "Of 6 rows, m classified 5 correctly." in page
    assert "of 1 row of fossa it found 0 (0" in page
    numbered = _page({"y": [0, 0, 0, 1], "p": [0, 0, 1, 1]})
    assert "Of 1 row of class 1, the model found 1" in numbered
    assert not re.search(r"\b1 rows\b", parse(page).text + parse(numbered).text)


def test_each_step_of_a_calculation_stands_once() -> None:
    """The log loss of 0.9 and 0.6 is (0.105361 + 0.510826) / 2 = 0.616186 / 2 = 0.308093."""
    frame = {"y": ["no", "yes"], "p": [0.1, 0.6]}
    page = parse(_page(frame, models={"m": {"score": "p"}}, metrics=["log_loss"]))
    card = next(a for a in page.all("article") if a.attrs.get("data-metric") == "log_loss").text
    assert card.count("0.616186 / 2") == 1
    assert "= 0.308093" in card


def test_a_long_table_has_lines_not_rows_of_the_data() -> None:
    """Of 26 classes with two rows each the table has 26 lines and that of the mean; the data 52."""
    letters = list("abcdefghijklmnopqrstuvwxyz") * 2
    names = [summary.text for summary in parse(_page({"y": letters, "p": letters})).all("summary")]
    assert any(name.endswith("m: 27 lines") for name in names)


def test_scores_of_several_classes_stand_beside_no_threshold() -> None:
    shares = {"pa": 0.6, "pb": 0.3, "pc": 0.1}
    frame = {"y": ["a", "b", "c"] * 4, **{name: [p] * 12 for name, p in shares.items()}}
    models = {"m": {"scores": {k: f"p{k}" for k in "abc"}}}
    page = parse(_page(frame, models=models, metrics=["log_loss"]))
    section = next(s for s in page.all("section") if s.attrs["id"] == "scores")
    assert "declared threshold" not in section.text


def test_a_step_whose_last_digit_is_0_stands_once_too() -> None:
    """Of 0.1005 and 0.6 the losses are 0.01010025 + 0.16 = 0.17010025, half of it 0.085050."""
    frame = {"y": ["no", "yes"], "p": [0.1005, 0.6]}
    page = parse(_page(frame, models={"m": {"score": "p"}}, metrics=["brier"]))
    card = next(a for a in page.all("article") if a.attrs.get("data-metric") == "brier").text
    assert card.count("/ 2") == 1
    assert "= 0.1701 / 2 = 0.085050" in " ".join(card.split())


def test_a_mean_over_rows_is_of_the_labels_of_a_row() -> None:
    def said(metric: str) -> str:
        number = WhichNumber("d", "m", metric, average="samples")
        return meaning_of(number, several_classes=True, has_sets=True)

    mean = "The mean over the rows, each by its own labels: of the labels "
    assert said("precision") == f"{mean}predicted for a row, the share that it truly has."
    assert said("recall") == f"{mean}that a row truly has, the share that is predicted."
