"""The first page: short, in the nouns of the study, with one axis and the losses apart."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from golden.words_on_paper import words_of as words_on_paper
from plain_results import render_html
from ready_specs import CONFIGS, results_of
from report.html_page import Element, parse
from stress.paper import Paper

import evalreport
from evalreport.report.contents import Contents
from evalreport.report.wording import TEMPLATES

#: Words on a first page, without numbers.
MOST_WORDS = 350
#: Numbers on it: those of sentences, results and tables; a chart's own and those of the cells of
#: more classes than this are not counted.
MOST_NUMBERS, MOST_CLASSES = 90, 5


def first_page(page: str) -> Element:
    return next(s for s in parse(page).all("section") if s.attrs["id"] == "verdict")


def words_of(section: Element) -> list[str]:
    kinds = ("dl", "h2", "ul", "figcaption")
    shown = [e for kind in kinds for e in section.all(kind)]
    tables = [(t, t.attrs.get("class", "").split()) for t in section.all("table")]
    shown += [t for t, names in tables if "strip" not in names or "results" in names]
    return [w for e in shown for w in re.findall(r"[A-Za-z]{2,}", e.text)]


@pytest.mark.long_but_first
@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_it_is_short_in_every_template(path: Path) -> None:
    results = dict(results_of(path))
    report = {**results["spec"]["report"], "sections": ["verdict", "cautions"]}
    results["spec"] = {**results["spec"], "report": report}
    for template in TEMPLATES:
        assert len(words_of(first_page(render_html(results, template)))) <= MOST_WORDS, template


@pytest.mark.long_but_first
@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_its_sheet_has_few_words(path: Path) -> None:
    """Every word of the first sheet of the PDF, those of charts, tables and its foot too."""
    sheet = next(words_on_paper(Paper(render_html(results_of(path), paper=True)).pdf()))
    words = [w for word in sheet for w in re.findall(r"(?<!\w)[^\W\d_]{2,}(?!\w)", word.text)]
    assert 150 < len(words) <= MOST_WORDS


@pytest.mark.long_but_first
@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_it_says_nothing_twice(path: Path) -> None:
    section = first_page(render_html(results_of(path)))
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
def test_a_caution_is_found_again_by_its_sentence(path: Path) -> None:
    """A line of page one stands in bold where its link leads, and is not repeated there."""
    page = parse(render_html(results_of(path)))
    front = first_page(render_html(results_of(path)))
    links = [a for li in front.all("li") for a in li.all("a")]
    said = {li.attrs.get("id"): li for li in page.all("li") if "id" in li.attrs}
    for link in links:
        if re.match(r"\d+ (more|caution)", link.text):
            continue
        whole = said[link.attrs["href"].removeprefix("#")]
        bold = whole.all("b")[0].text.partition(": ")[2].removesuffix(".")
        assert bold == link.text
        assert whole.text.count(link.text) == 1


@pytest.mark.long_but_first
@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_it_has_few_numbers(path: Path) -> None:
    section = first_page(render_html(results_of(path)))
    shown = [e.text for kind in ("dl", "h2", "ul") for e in section.all(kind)]
    for table in (t for t in section.all("table") if t.up("details") is None):
        kinds = table.attrs.get("class", "").split()
        many = "cm" in kinds and len(table.all("th", scope="col")) > MOST_CLASSES
        if ("strip" not in kinds or "results" in kinds) and not many:
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
        "Of 3 malignant masses, the model found 2 and missed 1, with 1 false alarm among 5 others."
    )


@pytest.mark.parametrize(
    ("means", "others", "alarms"),
    [
        ({"unit": "patient", "positive_means": "ill"}, "5 other patients", "among 5 others."),
        ({"unit": "patient"}, "5 other patients", "among 5 others."),
        (
            {"unit": "patient", "positive_means": "ill", "negative_means": "healthy"},
            "5 healthy patients",
            "among 5 healthy.",
        ),
    ],
)
def test_rows_that_are_not_positive_have_the_words_of_the_spec(
    means: dict[str, str], others: str, alarms: str
) -> None:
    """Without words of their own they are the others of those that have some."""
    results = evalreport.run(
        _spec(about=means, positive={"label": "yes"}),
        frames={"d": {**FRAME, "y": ["yes" if y else "no" for y in FRAME["y"]]}},
    )
    assert Contents(results.records).rows_of(5, "no", positive=False) == others
    assert alarms in first_page(results.to_html()).text


def test_cautions_that_are_all_named_above_have_a_line_that_leads_to_them() -> None:
    """The line also ends the page on paper; a page by itself has none, for nothing follows."""
    results = evalreport.run(_spec(), frames={"d": FRAME})
    (line,) = first_page(results.to_html()).all("li")
    assert "named above, in full" in line.text
    assert line.all("a")[0].attrs["href"] == "#caution-1"
    assert "in full" not in first_page(render_html(results.records, "minimal")).text


def said_by(spec: dict[str, Any], frame: dict[str, Any]) -> dict[str, str]:
    """The sentences of a first page by what they answer."""
    section = first_page(evalreport.run(spec, frames={"d": frame}).to_html())
    return {d.all("dt")[0].text: d.all("dd")[0].text for d in section.all("div") if d.all("dt")}


@pytest.mark.parametrize(
    ("metric", "guess"),
    [
        ("accuracy", "naming the largest class every time gives 0.625."),
        ("roc_auc", "the same score for every row gives 0.500."),
        ("average_precision", "the same score for every row gives 0.375."),
    ],
)
def test_the_primary_metric_stands_beside_what_guessing_gives(metric: str, guess: str) -> None:
    """3 of 8 rows are positive: always naming the other class is right in 5 of 8."""
    assert said_by(_spec(metrics=[metric]), FRAME)["Result."].endswith(f"; {guess}")


def test_a_share_of_one_class_is_held_against_no_guess() -> None:
    said = said_by(_spec(metrics=["recall"], about={"primary_metric": "recall"}), FRAME)
    assert "gives" not in said["Result."].removeprefix("No acceptance limit was set, so this")[20:]


def test_one_number_under_two_names_has_one_row() -> None:
    """Macro recall of several classes is their balanced accuracy."""
    frame = {"y": list("abcabcabc"), "p": list("abcabbacc")}
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "models": {"m": {"prediction": "p"}},
        "metrics": ["balanced_accuracy", "recall", "f1"],
    }
    section = first_page(evalreport.run(spec, frames={"d": frame}).to_html())
    table = next(t for t in section.all("table") if "results" in t.attrs["class"])
    heads = [line.all("th")[0].text.strip() for line in table.all("tbody")[0].all("tr")]
    assert heads == ["Balanced accuracy", "Macro F1"]


def test_label_sets_are_told_in_counts() -> None:
    """Rows 1 and 3 have both labels right; a is in rows 1, 2 and 4 and found twice."""
    frame = {"y": ["a;b", "a", "b", "a"], "p": ["a;b", "a;b", "b", "b"]}
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": {"list": "y"}}},
        "models": {"m": {"prediction": {"list": "p"}}},
        "metrics": ["exact_match", "recall"],
    }
    assert said_by(spec, frame)["In plain numbers."] == (
        "The model had all labels right in 2 of 4 rows and found 2 of 3 rows of a, its worst "
        "label, with 0 false alarms."
    )


def test_a_model_worse_than_the_reference_is_called_so() -> None:
    many = 300
    truth = [k % 2 for k in range(many)]
    frame = {
        "y": truth,
        "s": [0.9 if t else 0.1 for t in truth],
        "t": [0.9 if (t and k % 5) else 0.1 + (k % 7) / 10 for k, t in enumerate(truth)],
    }
    spec = _spec(
        models={"good": {"score": "s"}, "poor": {"score": "t"}},
        metrics=["brier"],
        comparisons={"reference": "good"},
    )
    assert "poor is worse than good on Brier score." in said_by(spec, frame)["Do not trust."]


def _facts(template: str, **more: Any) -> dict[str, str]:
    spec = _spec(report={"template": template}, **more)
    section = first_page(evalreport.run(spec, frames={"d": GROUPED}).to_html())
    return {d.all("dt")[0].text: d.all("dd")[0].text for d in section.all("div") if d.all("dt")}


GROUPED = {**FRAME, "at_site": ["a", "b"] * 4}


def test_a_clinical_report_says_how_much_of_its_checklist_is_filled() -> None:
    facts = _facts("clinical")
    assert re.fullmatch(r"\d+ of 34 items.*", facts["STARD 2015"])
    assert facts["Reference standard"] == "NOT PROVIDED"


def test_a_model_card_names_the_models_and_groups_of_its_run() -> None:
    facts = _facts("model_card", subgroups=["at_site"])
    assert (facts["Model"], facts["Factors"]) == ("m", "at site")
    assert facts["Version"] == "NOT PROVIDED"
    facts = _facts("model_card", about={"model": "Nodule 2", "factors": "age"})
    assert (facts["Model"], facts["Factors"]) == ("Nodule 2", "age")


@pytest.mark.parametrize(
    ("metrics", "captions"),
    [
        (["recall", "log_loss", "roc_auc"], ["Results", "Lower is better"]),
        (["log_loss"], ["Results. Lower is better"]),
    ],
)
def test_what_is_better_lower_has_a_table_and_an_axis_of_their_own(
    metrics: list[str], captions: list[str]
) -> None:
    page = evalreport.run(_spec(metrics=metrics), frames={"d": FRAME}).to_html()
    tables = [t for t in first_page(page).all("table") if "results" in t.attrs["class"]]
    assert [t.all("caption")[0].text for t in tables] == captions


@pytest.mark.parametrize(("share", "kind"), [(0.5, "ROC curve"), (0.1, "Precision and recall")])
def test_the_chart_is_the_one_that_tells_most_of_such_a_prevalence(share: float, kind: str) -> None:
    many = 200
    truth = [int(k < share * many) for k in range(many)]
    scores = [0.3 + 0.4 * t + 0.02 * ((k * 7) % 10 - 5) for k, t in enumerate(truth)]
    frame = {"y": truth, "s": scores}
    section = first_page(evalreport.run(_spec(), frames={"d": frame}).to_html())
    (chart,) = section.all("svg")
    assert chart.attrs["aria-label"].startswith(kind)
