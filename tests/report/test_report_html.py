"""The HTML page against the results it was made from."""

from __future__ import annotations

import itertools
import re

import pytest
from plain_results import render_html
from report.example_results import (
    indeterminate,
    many_classes,
    states,
    ten_models,
    two_models,
)
from report.html_page import parse, table_of
from verify.whole_results import numbers_of

from evalreport.errors import UsageError
from evalreport.render.references import blocked_reference
from evalreport.verify.printed import printed_problems

pytestmark = pytest.mark.long_but_first


HOSTILE = [
    ("<script>alert(1)</script>", "</style><img src=x onerror=alert(1)>"),
    ("'\"><svg onload=alert(1)>", "javascript:alert(1)"),
    ("</script> ", "a;background:url(file:///etc/passwd)"),
    ("$\\frac{$", "_hidden"),
    ('=HYPERLINK("http://evil.example","x")', "{{7*7}}"),
    ("\u202egnp", "tab\tline\n"),
    ("", "x" * 20000),
]
MADE = {
    "two models": two_models,
    "three classes": lambda: many_classes(3),
    "ten classes": lambda: many_classes(10),
    "three hundred classes": lambda: many_classes(300),
    "states": states,
    "ten models": ten_models,
    "indeterminate": indeterminate,
    **{f"hostile {k}": (lambda labels=labels: states(labels)) for k, labels in enumerate(HOSTILE)},
}


@pytest.fixture(scope="module", params=list(MADE))
def made(request):
    results = MADE[request.param]()
    page = render_html(results)
    return results, page, parse(page)


def test_every_printed_number_is_the_one_in_the_results(made):
    results, page, root = made
    assert printed_problems(page, numbers_of(results)) == ()
    known = {m["id"]: m for m in results["measures"]}
    shown = root.all(data_measure=True)
    assert shown
    for element in shown:
        m = known[element.attrs["data-measure"]]
        assert element.attrs["data-metric"] == m["metric"]
        assert element.attrs["data-label"] == (m["label"] or "")
        assert element.attrs["data-average"] == (m["average"] or "")
        (value,) = element.all(data_value=True)
        assert value.attrs["data-value"] == (repr(m["value"]) if m["state"] == "value" else "")
        if m["state"] != "value":
            assert value.text == m["state"].replace("_", " ")
        else:
            shown_value = float(value.text.replace("\u2212", "-"))
            assert shown_value == pytest.approx(m["value"], rel=0.005, abs=0.0005)
            assert (shown_value in {0.0, 1.0}) == (m["value"] in {0.0, 1.0})


def test_every_number_has_its_table_in_reach_with_the_counts_of_the_results(made):
    results, _, root = made
    tables = {t["id"]: t for t in results["tables"]}
    known = {m["id"]: m for m in results["measures"]}
    for element in root.all(data_measure=True):
        m = known[element.attrs["data-measure"]]
        if m["table"] is None:
            section = element.up("section")
            for name in m["tables"]:
                assert section.all(data_table=name), (
                    m["id"],
                    name,
                )
            continue
        found = table_of(element)
        assert found is not None, m
        name, counts = found
        assert name == m["table"]
        table = tables[name]
        labels = table["labels"]
        if table.get("extra_columns"):
            columns = [*labels, *table["extra_columns"]]
            assert counts == {
                (a, p): str(table["counts"][i][j])
                for i, a in enumerate(labels)
                for j, p in enumerate(columns)
            }
            continue
        if set(counts) == {"tp", "fp", "fn", "tn"}:
            (tn, fp), (fn, tp) = table["counts"]
            assert counts == {"tp": str(tp), "fp": str(fp), "fn": str(fn), "tn": str(tn)}
            continue
        whole = {
            (a, p): str(table["counts"][i][j])
            for i, a in enumerate(labels)
            for j, p in enumerate(labels)
        }
        shown = {(a, p): c for (a, p), c in counts.items()}
        expected = {k: v for k, v in whole.items() if k in shown} if len(labels) > 50 else whole
        assert shown == expected
        assert len(shown) >= min(len(labels), 12) ** 2


def test_the_page_is_one_file_that_asks_for_nothing(made):
    _, page, root = made
    assert blocked_reference(page) is None
    assert not root.all("script")
    assert root.all("meta", http_equiv="Content-Security-Policy")[0].attrs["content"] == (
        "default-src 'none'; img-src data:; style-src 'unsafe-inline'; font-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    for element in root.walk():
        for name, value in element.attrs.items():
            assert not name.startswith("on")
            if name in {"src", "href"}:
                assert value.startswith(("data:", "#")), value


def test_ids_are_unique_and_anchors_lead_somewhere(made):
    _, _, root = made
    ids = [e.attrs["id"] for e in root.walk() if "id" in e.attrs]
    assert len(ids) == len(set(ids))
    for link in root.all("a"):
        assert link.attrs["href"].removeprefix("#") in ids


def test_the_page_can_be_read_without_seeing_it(made):
    _, _, root = made
    assert root.all("html")[0].attrs["lang"] == "en"
    assert len(root.all("main")) == 1
    assert len(root.all("h1")) == 1
    assert all(image.attrs["alt"].strip() for image in root.all("img"))
    # what later drawings are made of is no drawing, and hidden from those who listen
    parts = [svg for svg in root.all("svg") if svg.attrs.get("aria-hidden") == "true"]
    assert all([e.tag for e in svg.children if not isinstance(e, str)] == ["defs"] for svg in parts)
    charts = [svg for svg in root.all("svg") if "aria-hidden" not in svg.attrs]
    assert charts or not root.all("figure")
    assert all(c.attrs["role"] == "img" and c.attrs["aria-label"].strip() for c in charts)
    levels = [int(e.tag[1]) for e in root.walk() if re.fullmatch("h[1-6]", e.tag)]
    assert all(b - a <= 1 for a, b in itertools.pairwise(levels))
    for table in root.all("table"):
        assert all("scope" in th.attrs for th in table.all("th"))


def test_words_that_promise_too_much_are_not_printed(made):
    _, _, root = made
    text = " ".join(e.text for e in root.all("body")).casefold()
    for word in (
        "compliant",
        "certified",
        "validated",
        "approved",
        "guaranteed",
        "unbiased",
        "conforms",
    ):
        assert word not in text


def test_sections_appear_in_order_and_only_with_content():
    root = parse(render_html(two_models()))
    assert [s.attrs["id"] for s in root.all("section")] == [
        "verdict",
        "cautions",
        "guide",
        "measures",
        "subgroups",
        "thresholds",
        "curves",
        "comparisons",
        "folds",
        "methods",
        "signatures",
        "provenance",
    ]
    small = parse(render_html(states()))
    assert "curves" not in [s.attrs["id"] for s in small.all("section")]
    assert "not_computed" in [s.attrs["id"] for s in small.all("section")]


def _stamps(root, style):
    """The outcomes in the tables of a style."""
    tables = [t for t in root.all("table") if style in t.attrs.get("class", "").split()]
    spans = [span for table in tables for span in table.all("span")]
    return [e.text for e in spans if e.attrs.get("class", "").startswith("st ")]


def test_outcomes_of_criteria_failures_first_and_in_words():
    root = parse(render_html(two_models()))
    assert root.all("h2")[0].text.strip() == "FAILED 1 of 3 limits"
    marks, shown = (_stamps(root, style) for style in ("acc", "results"))
    # the results show what is held on one of their lines, the list what is on none
    assert marks == ["○ not evaluated"]
    assert sorted(shown) == ["✓ pass", "✗ fail"]


def test_outcomes_that_the_results_cannot_tell_stand_failures_first():
    results = two_models()
    for entry in results["acceptance"][:2]:
        entry["exploratory"] = True
    root = parse(render_html(results))
    assert _stamps(root, "acc") == ["✗ fail", "○ not evaluated", "✓ pass"]


@pytest.mark.long
def test_a_failed_part_is_told_in_its_place():
    results = two_models()
    results["failures"] = [
        {"dataset": "d", "model": "forest", "section": "curves", "reason": "no memory left"},
        {"dataset": "d", "model": "forest", "section": "no such", "reason": "odd"},
    ]
    root = parse(render_html(results))
    sections = {s.attrs["id"]: s.text for s in root.all("section")}
    assert "FAILED: curves, forest · d: no memory left" in sections["curves"]
    assert "FAILED: no such, forest · d: odd" in sections["verdict"]


def test_a_large_table_is_printed_in_part_and_says_so():
    root = parse(render_html(many_classes(300)))
    # classes stand with the metrics that are of them
    (section,) = [s for s in root.all("section") if s.attrs["id"] == "measures"]
    assert "12 classes of 300 with the most mistakes" in section.text
    assert "50 of 300 classes" in section.text
    assert "The whole table is in results.json" in section.text


@pytest.mark.long
def test_the_same_results_give_the_same_page():
    assert render_html(two_models()) == render_html(two_models())


@pytest.mark.long
def test_old_results_without_additions_still_make_a_page():
    results = two_models()
    for name in ("spec", "labels", "thresholds", "plan", "failures"):
        del results[name]
    for m in results["measures"]:
        del m["title"]
    root = parse(render_html(results))
    assert root.all(data_measure=True)


def test_a_standard_report_of_two_models_is_small():
    assert len(render_html(two_models()).encode()) < 600_000


@pytest.mark.long
def test_marks_say_numerator_and_denominator():
    root = parse(render_html(two_models()))
    card = root.all("article", data_metric="recall")[0]
    marked = {c.all("small")[0].text: c.attrs["class"] for c in card.all("td")}
    assert "k" in marked["TP"].split()
    assert "k" not in marked["FN"].split()
    assert "fl" in marked["FN"].split()
    assert "fr" in marked["TP"].split()
    assert marked["TN"] == ""
    found = {c.attrs["data-cell"]: c.text for c in card.all("span", data_cell=True)}
    assert set(found) == {"tp", "fp", "fn", "tn"}


@pytest.mark.long
def test_each_table_of_counts_stands_in_its_section_once():
    root = parse(render_html(two_models()))
    (section,) = [s for s in root.all("section") if s.attrs["id"] == "measures"]
    cards = section.all("article", data_measure=True)
    assert cards
    # each has the cells that it is counted from, so that none has to stand above them
    assert all(card.all(data_cell=True) for card in cards)
    # whole they are on screen, where they can be unfolded
    (again,) = section.all("details", **{"class": "again"})
    whole = section.all("table", data_table=True)
    assert whole == again.all("table", data_table=True)
    assert {t.attrs["data-table"] for t in whole} == {c.attrs["data-table"] for c in cards}
    root = parse(render_html(many_classes(6)))
    (section,) = [s for s in root.all("section") if s.attrs["id"] == "measures"]
    standing = [t.attrs["data-table"] for t in section.all("table") if "data-table" in t.attrs]
    assert sorted(standing) == sorted(set(standing)) != []


@pytest.mark.long
def test_ten_models_stay_bounded():
    assert len(render_html(ten_models()).encode()) < 1_500_000


def test_sections_and_their_order_can_be_asked_for():
    results = two_models()
    results["spec"]["report"] = {"sections": ["curves", "verdict"]}
    root = parse(render_html(results))
    assert [s.attrs["id"] for s in root.all("section")] == ["curves", "verdict"]
    results["spec"]["report"] = {"sections": ["curvs"]}
    with pytest.raises(UsageError, match="did you mean 'curves'"):
        render_html(results)


@pytest.mark.long
@pytest.mark.parametrize("template", ["clinical", "audit", "model_card", "minimal"])
def test_the_other_templates_hold_the_same_numbers(template):
    results = two_models()
    page = render_html(results, template)
    assert printed_problems(page, numbers_of(results)) == ()
    assert parse(page).all("section")
