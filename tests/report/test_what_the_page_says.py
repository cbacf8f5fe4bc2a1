"""What the page says of numbers, held against the numbers: pictures, shares, neighbours, lists."""

from __future__ import annotations

import json
import re

import pytest
from plain_results import render_html, summary_markdown
from report.example_results import Maker, indeterminate, many_classes, states, two_models
from report.html_page import parse

import evalreport
from evalreport.lines import cut

LONG = "a network of several layers, version 3.2.1 of last spring"


def section_of(page, name):
    return next(s for s in parse(page).all("section") if s.attrs["id"] == name)


def left_of(element):
    """Where a mark stands on its axis, in percent."""
    return float(re.search(r"left:([\d.]+)%", element.attrs["style"])[1])


@pytest.fixture(scope="module")
def forty_two_criteria():
    """Recall 0.9 of 200 rows, and 42 lower limits of 0.50, 0.51 ... required of it."""
    maker = Maker("Many criteria")
    table = maker.table(["no", "yes"], [[90, 10], [10, 90]], positive="yes", threshold=0.5)
    recall = maker.ratios(table, threshold=0.5)["recall"]
    m = next(m for m in maker.results["measures"] if m["id"] == recall)
    low = m["interval"]["low"]
    for k in range(42):
        required = round(0.50 + 0.01 * k, 2)
        maker.results["acceptance"].append(
            {
                "criterion": k,
                "measure": recall,
                "dataset": "d",
                "model": "m",
                "bound": "lower",
                "direction": "at_least",
                "required": required,
                "observed": low,
                "outcome": "pass" if low >= required else "fail",
                "reason": None,
            }
        )
    return maker.results, section_of(render_html(maker.results), "verdict")


def test_every_criterion_is_printed(forty_two_criteria):
    _, section = forty_two_criteria
    table = next(t for t in section.all("table") if "acc" in t.attrs.get("class", ""))
    required = [re.search(r"≥ (0\.\d+)", row.text)[1] for row in table.all("tr")[1:]]
    assert sorted(map(float, required)) == [round(0.50 + 0.01 * k, 2) for k in range(42)]


def test_each_row_draws_the_line_of_its_own_criterion(forty_two_criteria):
    _, section = forty_two_criteria
    table = next(t for t in section.all("table") if "acc" in t.attrs.get("class", ""))
    for row in table.all("tr")[1:]:
        required = float(re.search(r"≥ (0\.\d+)", row.text)[1])
        lines = row.all("u")
        assert [left_of(u) for u in lines] == [pytest.approx(100 * required, abs=0.01)]
        # a fail is seen as one: the lower limit lies left of what is required
        lower = left_of(next(i for i in row.all("i")))
        assert ("✗" in row.text) == (lower < left_of(lines[0]))


def test_a_card_draws_the_line_of_each_criterion_on_it(forty_two_criteria):
    results, _ = forty_two_criteria
    section = section_of(render_html(results), "measures")
    card = next(a for a in section.all("article") if a.attrs["data-metric"] == "recall")
    assert len(card.all("u")) == 42


def test_baselines_of_several_classes_have_no_table():
    results = many_classes(3)
    like = {"dataset": "d", "metric": "recall", "params": {}, "label": None, "n": 30, "note": ""}
    results["baselines"] = [
        {**like, "baseline": name, "average": "macro", "value": 0.123}
        for name in ("majority_class", "prevalence")
    ]
    text = render_html(results)
    assert "Models against simple rules" not in text
    assert (
        "The values of majority class and prevalence by every metric are in results.json." in text
    )


@pytest.mark.long
def test_a_table_of_baselines_holds_every_model():
    results = two_models()
    first = next(m for m in results["measures"] if m["metric"] == "recall")
    models = ["logistic", "forest", *(f"model {k}" for k in range(5))]
    for model in models[2:]:
        for m in [m for m in results["measures"] if m["model"] == "forest" and m["fold"] is None]:
            results["measures"].append({**m, "id": f"{m['id']}{model[-1]}", "model": model})
    results["baselines"] = [
        {"dataset": "d", "baseline": "majority_class", "metric": "recall", "params": {},
         "average": None, "label": first["label"], "value": 0.0, "n": 569, "note": "of these rows"}
    ]  # fmt: skip
    section = next(
        s
        for s in parse(render_html(results)).all("section")
        if "Models against simple rules" in s.text
    )
    strips = [t for t in section.all("table") if "Models against simple rules" in t.text]
    named = " ".join(t.all("tbody")[0].text for t in strips)
    assert all(model in named for model in models)


@pytest.mark.long
def test_lists_of_the_spec_are_read_as_sentences():
    results = two_models()
    results["spec"]["about"] = {
        "question": "Does it work?",
        "limitations": ["Two centres.", "One reader"],
        "sites": ["Kiel", "Flensburg"],
        "contact": {"name": "A. Person", "room": 3},
    }
    text = section_of(render_html(results), "guide").text
    assert "Two centres. One reader" in text
    assert "Kiel; Flensburg" in text
    assert "name: A. Person; room: 3" in text
    assert "['" not in text


def test_a_label_of_sets_is_a_share_of_the_rows():
    results = two_models()
    results["labels"] = [
        {**record, "label_sets": True, "positive": None, "order": ["cough", "fever"]}
        for record in results["labels"]
    ]
    for record in results["rows"]:
        record.update(
            read=10, used=10, excluded=[],
            classes=[{"label": "cough", "count": 4}, {"label": "fever", "count": 9}],
        )  # fmt: skip
    ledger = next(t for t in parse(render_html(results)).all("table") if "Rows of d" in t.text)
    text = ledger.text.replace("\u202f", " ")
    # 4 and 9 of 10 rows, not of 13 labels
    assert "40.0 %" in text
    assert "90.0 %" in text
    assert "30.8 %" not in text


def test_each_average_has_a_sentence_of_its_own():
    results = many_classes(3)
    plain = next(m for m in results["measures"] if m["metric"] == "accuracy")
    own = next(m for m in results["measures"] if m["metric"] == "precision")
    for k, average in enumerate(("macro", "weighted"), start=1):
        mean = {"id": f"a{k}", "label": None, "average": average, "value": 0.997}
        results["measures"].append({**own, **mean})
    results["measures"].append({**plain, "id": "a3", "metric": "f1", "title": "F1"})
    section = section_of(render_html(results), "measures")
    said = {h.text: h.up("div").text.removeprefix(h.text) for h in section.all("h3") if h.up("div")}
    sentence = "The share of rows that are predicted right."
    assert [title for title, words in said.items() if sentence in words] == ["Accuracy"]
    # averages stand below the column of their terms
    strip = next(t for t in section.all("table") if "Each class against the rest" in t.text)
    heads = [th.text for th in strip.all("thead")[0].all("th")]
    lines = {row.all("th")[0].text: row.all("td") for row in strip.all("tbody")[0].all("tr")}
    place = heads.index("Precision") - 1
    for line in ("macro, mean of the classes", "weighted by rows"):
        assert lines[line][place].all(data_value=True)[0].text == "0.997"


@pytest.fixture(scope="module")
def corrected():
    """An interval that leaves out 0 beside a corrected p of 0.41, and one that is told from 0."""
    results = two_models()
    apart = {"level": 0.95, "low": 0.01, "high": 0.09, "method": "newcombe"}
    first, second = results["comparisons"]
    first.update(difference=0.05, interval=apart, p_value=0.03, p_adjusted=0.41, told_apart=False)
    second.update(difference=0.05, interval=apart, p_value=0.001, p_adjusted=0.01, told_apart=True)
    return results


@pytest.mark.long
def test_a_star_follows_the_corrected_p_value(corrected):
    section = section_of(render_html(corrected), "comparisons")
    rows = [r.text for r in section.all("tr") if "+0.0100 to +0.0900" in r.text]
    assert [("*" in row) for row in rows] == ["0.41" not in row for row in rows] == [False, True]
    assert "the corrected ones show a difference in 1 of 2 comparisons (marked *)" in section.text
    assert "the interval excludes 0 in 2 of 2 comparisons" in section.text


@pytest.mark.long
def test_without_a_correction_a_star_follows_the_test_and_limits_that_disagree_are_named(corrected):
    first, second = ({**c, "correction": "none"} for c in corrected["comparisons"])
    first |= {"p_value": 0.06, "p_adjusted": 0.06}
    plain = {**corrected, "comparisons": [first, second]}
    section = section_of(render_html(plain), "comparisons")
    rows = [r.text for r in section.all("tr") if "+0.0100 to +0.0900" in r.text]
    assert ["*" in row for row in rows] == [False, True]
    assert "A difference is shown in 1 of 2 comparisons (marked *)" in section.text
    named = "disagree on whether there is a difference; the test decides: "
    assert section.text.count(named) == 1


@pytest.mark.long
def test_a_card_says_how_many_rows_its_denominator_has():
    results = two_models()
    section = section_of(render_html(results), "measures")
    found = {
        (a.attrs["data-metric"], a.attrs["data-measure"]): a.text for a in section.all("article")
    }
    recall = next(text for (metric, _), text in found.items() if metric == "recall")
    accuracy = next(text for (metric, _), text in found.items() if metric == "accuracy")
    # 212 of the 569 masses are malignant
    assert "n 212 of 569 rows" in recall
    assert "n 569" in accuracy
    assert "569 of" not in accuracy


@pytest.mark.long
def test_a_card_says_in_how_many_clusters_the_rows_are():
    results = two_models()
    for record in results["rows"]:
        record["clusters"] = 32
    for m in results["measures"]:
        if m["interval"]:
            m["interval"]["n_effective"] = 101.4
    cards = section_of(render_html(results), "measures").all("article", data_metric="accuracy")
    assert "n 569 rows in 32 clusters, effective n 101" in cards[0].text


@pytest.mark.long_but_first
@pytest.mark.parametrize("clock", ["given", "source_date_epoch", "read"])
def test_a_time_that_was_given_is_marked_as_given(clock):
    results = two_models()
    results["provenance"].update(at="2019-01-01T00:00:00Z", clock=clock)
    page = render_html(results)
    head = parse(page).all("header")[0].text
    provenance = section_of(page, "provenance").text
    assert ("issued 2019-01-01 00:00:00 UTC (time set by" in head) == (clock != "read")
    assert ("the true time may differ" in provenance) == (clock != "read")
    assert ("SOURCE_DATE_EPOCH" in provenance) == (clock == "source_date_epoch")
    assert ("no later than the run time" in provenance) == (clock == "read")


def test_names_from_right_to_left_do_not_turn_the_numbers_beside_them():
    results = two_models()
    name = "\u0643\u0644\u0628"
    results["cautions"][0]["message"] = f"ROC AUC of {name} 0.996 (0.205 to 0.999) of {name}"
    page = render_html(results)
    caution = next(li for li in parse(page).all("li") if name in li.text)
    text = caution.text
    around = [text[m.start() - 1] + text[m.end()] for m in re.finditer(name, text)]
    assert around == ["\u2068\u2069"] * 2
    # the same in the summary for a pull request, and what is declared as a label is left alone
    assert f"\u2068{name}\u2069 0.996" in summary_markdown(results)


def test_the_spec_as_written_is_not_touched():
    results = two_models()
    text = "title: \u0643\u0644\u0628 0.5"
    results["provenance"]["spec"]["text"] = text
    assert section_of(render_html(results), "provenance").all("pre")[0].text == text


def test_labels_from_right_to_left_are_the_labels():
    name = "\u0643\u0644\u0628 a\u0643 1"
    results = states((name, "other"))
    tables = parse(render_html(results)).all("table", data_table=True)
    heads = [th for t in tables for th in t.all("th", scope="row")]
    assert name in {th.text for th in heads if "data-label" not in th.attrs}


def test_every_class_has_its_curves_and_short_ones_are_printed_whole():
    results = many_classes(8)
    labels = results["tables"][0]["labels"]
    points = {
        "roc": {"threshold": [None, 0.6, 0.2], "fpr": [0.0, 0.4, 1.0], "tpr": [0.0, 0.8, 1.0]},
        "calibration": {
            "low": [k / 10 for k in range(10)],
            "mean_score": [k / 10 + 0.05 for k in range(10)],
            "observed": [k / 10 + 0.04 for k in range(10)],
            "observed_low": [k / 10 for k in range(10)],
            "observed_high": [k / 10 + 0.1 for k in range(10)],
        },
        "score_distribution": {
            "low": [0.0, 0.5], "high": [0.5, 1.0], "positives": [3, 17], "negatives": [60, 20],
        },
    }  # fmt: skip
    of = {"dataset": "d", "model": "m", "subgroup": {}}
    results["curves"] = [
        {**of, "id": f"{kind}{k}", "label": label, "kind": kind, "points": columns}
        for kind, columns in points.items()
        for k, label in enumerate(labels)
    ]
    section = section_of(render_html(results), "curves")
    figures = {kind: [] for kind in ("ROC curve", "Calibration", "Scores by")}
    for figure in section.all("figure"):
        for kind, found in figures.items():
            # before it stands what the chart shows
            if f" {kind}" in f" {figure.all('figcaption')[0].text}":
                found.append(figure)
    for kind, found in figures.items():
        said = " ".join(f.all("svg")[0].attrs["aria-label"] for f in found)
        assert all(f"{label}: " in said for label in labels), kind
        data = [row.all("th")[0].text for f in found for row in f.all("tr")[1:] if row.all("td")]
        assert {label for label in data if label in labels} == set(labels), kind
    # ten bins of each of eight classes
    assert sum(len(f.all("tr")) - 1 for f in figures["Calibration"]) == 80


@pytest.mark.long
def test_curves_of_seven_models_are_all_drawn():
    results = two_models()
    for k in range(5):
        for name in ("labels", "rows", "thresholds"):
            own = [r for r in results[name] if r["model"] == "forest"]
            results[name] += [{**r, "model": f"copy {k}"} for r in own]
        own = [c for c in results["curves"] if c["model"] == "forest"]
        results["curves"] += [{**c, "id": f"{c['id']}{k}", "model": f"copy {k}"} for c in own]
    section = section_of(render_html(results), "curves")
    captions = " ".join(c.text for c in section.all("figcaption") if c.text.startswith("ROC curve"))
    assert all(f"copy {k}" in captions for k in range(5))
    assert "logistic" in captions


@pytest.mark.long_but_first
@pytest.mark.parametrize("positive", ["benign", "malignant"])
def test_the_cells_are_named_in_the_order_of_the_reports_tables(positive):
    results = two_models()
    for table in results["tables"]:
        table["positive"] = positive
    section = section_of(render_html(results), "guide")
    table = next(t for t in section.all("table") if "The four cells" in t.text)
    heads = [th.text for th in table.all("thead")[0].all("th")][1:]
    named = {
        (row.all("th")[0].text, head): td.text[:2]
        for row in table.all("tbody")[0].all("tr")
        for head, td in zip(heads, row.all("td"), strict=True)
    }
    other = {"benign": "malignant", "malignant": "benign"}[positive]
    assert heads == ["benign", "malignant"]
    assert named == {
        (positive, positive): "TP",
        (positive, other): "FN",
        (other, positive): "FP",
        (other, other): "TN",
    }
    assert "type I errors" in table.text
    assert "type II errors" in table.text
    # the legend shows no numbers that a reader could take for those of the report
    legend = next(dl for dl in section.all("dl") if dl.attrs.get("class") == "legend")
    assert not re.search(r"\d\.\d{3}|\b\d\d+\b(?! %)", legend.text.replace("95\u202f%", ""))
    assert "Some texts put predictions in rows" in section.text


def test_the_tables_of_baselines_stand_beside_their_values():
    results = two_models()
    first = next(m for m in results["measures"] if m["metric"] == "recall")
    results["baselines"] = [
        {"dataset": "d", "baseline": "majority_class", "metric": "recall", "params": {},
         "average": None, "label": first["label"], "value": 0.0, "n": 569, "note": ""}
    ]  # fmt: skip
    results["baseline_tables"] = [
        {"dataset": "d", "baseline": "majority_class", "threshold": None,
         "labels": ["benign", "malignant"], "positive": "malignant", "counts": [[357, 0], [212, 0]]}
    ]  # fmt: skip
    section = next(
        s
        for s in parse(render_html(results)).all("section")
        if "Models against simple rules" in s.text
    )
    table = next(t for t in section.all("table") if "Models against simple rules" in t.text)
    first_row, *of_models = table.all("tbody")[0].all("tr")
    assert [cell.text for cell in first_row.all("td")] == ["357", "0", "212", "0", "0"]
    cells = results["tables"][0]["counts"]
    assert [int(cell.text) for cell in of_models[0].all("td")[1:5]] == [*cells[0], *cells[1]]


@pytest.fixture(scope="module")
def three_species():
    """143, 0, 8 / 4, 6, 58 / 7, 5, 111: penguins told apart by the length of their bills."""
    labels = ["Adelie", "Chinstrap", "Gentoo"]
    counts = [[143, 0, 8], [4, 6, 58], [7, 5, 111]]
    maker = Maker("Penguins")
    table = maker.table(labels, counts)
    for k, label in enumerate(labels):
        row = sum(counts[k])
        maker.measure("recall", table, value=counts[k][k] / row, n=342, label=label)
    against = {"Adelie": [[180, 11], [8, 143]], "Chinstrap": [[269, 5], [62, 6]],
               "Gentoo": [[153, 66], [12, 111]]}  # fmt: skip
    for label, own in against.items():
        maker.table([f"not {label}", label], own, positive=label, label=label)
    return section_of(render_html(maker.results), "measures"), against


def test_a_class_stands_beside_its_counts_against_the_rest(three_species):
    section, against = three_species
    strip = next(t for t in section.all("table") if "Each class against the rest" in t.text)
    heads = [th.text for th in strip.all("thead")[0].all("th")]
    assert heads[:6] == ["class", "TN", "FP", "FN", "TP", "Recall"]
    for row in strip.all("tbody")[0].all("tr"):
        (tn, fp), (fn, tp) = against[row.all("th")[0].text]
        assert [td.text for td in row.all("td")[:4]] == [str(c) for c in (tn, fp, fn, tp)]


def test_tables_against_the_rest_are_printed_where_they_were_asked_for(three_species):
    section, against = three_species
    for label, counts in against.items():
        table = next(t for t in section.all("table") if f"{label} against the rest" in t.text)
        cells = [td.own_text for td in table.all("td") if "data-total" not in td.attrs]
        assert [c for c in cells if c.strip().isdigit()] == [str(c) for row in counts for c in row]


def test_repeats_name_their_classes_and_all_their_values():
    results = many_classes(3)
    for m in results["measures"]:
        values = [1.0] * 12 if m["label"] == "class 001" else [0.5, 0.7] * 6
        m["repeats"] = {"values": values, "mean": sum(values) / 12, "spread": 1.24e-16,
                        "low": min(values), "high": max(values)}  # fmt: skip
    text = render_html(results)
    table = next(t for t in parse(text).all("table") if "repeats of the cross" in t.text)
    rows = {row.all("th")[0].text: row for row in table.all("tbody")[0].all("tr")}
    assert {"Recall of class 000", "Recall of class 001", "Recall of class 002"} <= set(rows)
    cells = [td.text for td in rows["Recall of class 001"].all("td")]
    assert cells[1] == "0"
    assert cells[4].count("1") == 12


def test_a_learning_curve_stands_beside_the_tables_of_its_test_rows():
    results = two_models()
    summary = {
        "accuracy": {"mean": 0.7, "spread": 0.1, "low": 0.6, "high": 0.8, "values": [0.6, 0.8]}
    }
    points = [
        {"size": s, "train_rows": s, "test": summary, "train": summary, "counts": counts}
        for s, counts in ((50, [[30, 10], [5, 15]]), (100, [[35, 5], [4, 16]]))
    ]
    results["learning_curves"] = [
        {"dataset": "d", "model": model, "repeats": 3, "notes": [], "points": points}
        for model in ("logistic", "forest", "logistic", "forest")
    ]
    section = section_of(render_html(results), "training")
    table = next(t for t in section.all("table") if "Test rows by rows trained on" in t.text)
    assert [th.text for th in table.all("thead")[0].all("th")][1:5] == ["TN", "FP", "FN", "TP"]
    rows = [[td.text for td in row.all("td")[:4]] for row in table.all("tbody")[0].all("tr")]
    assert rows == [["30", "10", "5", "15"], ["35", "5", "4", "16"]]
    # four curves: three abreast, then the fourth
    assert len(section.all("figure")) == 2


@pytest.mark.long_but_first
@pytest.mark.parametrize(
    ("positive", "order"),
    [("malignant", ["tn", "fp", "fn", "tp"]), ("benign", ["tp", "fn", "fp", "tn"])],
)
def test_cells_that_are_laid_flat_stand_as_they_do_in_the_tables(positive, order):
    """A table that is read line by line gives its cells in this order."""
    results = two_models()
    for table in results["tables"]:
        table["positive"] = positive
    root = parse(render_html(results))
    rows = [row for row in root.all("tr") if row.all("td", data_cell=True)]
    assert rows
    for row in rows:
        cells = row.all("td", data_cell=True)
        assert [c.attrs["data-cell"] for c in cells] == order
        heads = [th.text for th in row.up("table").all("thead")[0].all("th")]
        at = heads.index(order[0].upper())
        assert heads[at : at + 4] == [name.upper() for name in order]
        # a frame is open between cells and closed at its ends
        drawn = [c.attrs.get("class", "").split() for c in cells]
        sides = [("fl" in names, "fr" in names) for names in drawn]
        assert sum(left for left, _ in sides) == sum(right for _, right in sides)
        opened = 0
        for left, right in sides:
            opened += left
            assert opened in {0, 1}
            opened -= right
    sweep = next(t for t in root.all("table") if "Threshold sweep" in t.text)
    heads = [th.text for th in sweep.all("thead")[0].all("th")]
    assert heads[1:5] == [name.upper() for name in order]


def test_some_lines_of_a_sweep_are_printed_from_end_to_end():
    root = parse(render_html(two_models()))
    sweeps = [t for t in root.all("table") if "Threshold sweep" in t.text]
    # every second of those from 1 down to 0 in steps of a twentieth, for each of two models
    heads = [[tr.all("th")[0].text for tr in t.all("tbody")[0].all("tr")] for t in sweeps]
    assert heads == [["1", *(f"{k / 10:.2f}" for k in range(9, 0, -1)), "0"]] * 2
    assert "11 of 21 thresholds; all are in results.json" in root.text


def test_long_names_are_cut_in_tables_of_many_lines_and_told_in_whole():
    results = json.loads(json.dumps(two_models()).replace('"forest"', json.dumps(LONG)))
    root = parse(render_html(results))
    strip = next(t for t in root.all("table") if "by size" in t.text)
    names = {span.all("bdi")[0].text for span in strip.all("span") if "mo" in span.attrs["class"]}
    short = cut(LONG, 28)
    assert names == {"logistic", short}
    section = next(s for s in root.all("section") if s.attrs["id"] == "subgroups")
    assert f"◆ {short}: {LONG}." in section.text
    # a card has room for the name
    cards = next(s for s in root.all("section") if s.attrs["id"] == "measures")
    assert LONG in cards.text


@pytest.mark.long
def test_short_names_are_not_told_again():
    root = parse(render_html(two_models()))
    assert "● logistic:" not in root.text


def test_curves_without_a_point_are_named_and_not_drawn_as_empty_frames():
    """Only one class occurs: no row is an actual positive, so no recall is defined."""
    results = two_models()
    for curve in results["curves"]:
        for name in ("tpr", "recall"):
            if name in curve["points"]:
                curve["points"][name] = [None] * len(curve["points"][name])
    section = section_of(render_html(results), "curves")
    captions = [c.text for c in section.all("figcaption")]
    assert captions
    assert not any(c.startswith(("ROC", "Precision and")) for c in captions)
    assert "no point is defined on these rows: ROC curve of logistic and forest" in section.text
    assert "precision and recall of logistic and forest" in section.text
    # specificity is defined at every threshold
    assert any("specificity and precision by threshold" in c for c in captions)


def test_heads_of_cells_do_not_stand_over_blanks():
    """With a column of indeterminate predictions no table can be laid flat."""
    results = indeterminate()
    first = results["measures"][0]
    for k, metric in enumerate(("f1", "mcc", "npv", "fpr", "fnr", "kappa")):
        more = {**first, "metric": metric, "title": metric, "state": "value", "value": 0.5}
        results["measures"].append({**more, "id": f"x{k}"})
        results["measures"].append({**more, "id": f"y{k}", "subgroup": {"sex": "F"}})
    for strip in parse(render_html(results)).all("table"):
        if "strip" not in strip.attrs.get("class", ""):
            continue
        heads = [th.text for th in strip.all("thead")[0].all("th")]
        if "TP" in heads:
            assert strip.all("td", data_cell=True)


@pytest.mark.long_but_first
@pytest.mark.parametrize(("declared", "told"), [(None, "en"), ("pt-BR", "pt-BR")])
def test_the_page_is_in_the_language_that_the_spec_declares(declared, told):
    results = two_models()
    results["spec"]["report"] = {"language": declared} if declared else {}
    assert parse(render_html(results)).all("html")[0].attrs["lang"] == told


def test_the_first_page_says_what_was_tested_what_came_out_and_what_to_beware_of():
    results = two_models()
    section = section_of(render_html(results), "verdict")
    said = {d.all("dt")[0].text: d.all("dd")[0].text for d in section.all("div") if d.all("dt")}
    assert "logistic and forest" in said["What."]
    assert " below 0.90" in said["What decided."]
    table = next(t for t in results["tables"] if not t["subgroup"] and t["fold"] is None)
    k = table["labels"].index(table["positive"])
    row = table["counts"][k]
    assert f"Of {sum(row)} {table['positive']}, " in said["In plain numbers."]
    assert f"found {row[k]} and missed {row[1 - k]}" in said["In plain numbers."]


def test_the_worst_class_is_named_on_the_first_page():
    results = many_classes(3)
    table = next(t for t in results["tables"] if not t.get("label"))
    shares = {
        label: row[k] / sum(row)
        for k, (label, row) in enumerate(zip(table["labels"], table["counts"], strict=True))
    }
    worst = min(shares, key=shares.__getitem__)
    text = section_of(render_html(results), "verdict").text
    rows = sum(table["counts"][table["labels"].index(worst)])
    assert f"Worst class: of {rows} rows of {worst} " in text


def test_indeterminate_predictions_flatter_nobody_on_the_first_page():
    """14 of 20 right, 4 unsure: right or wrong, as they are counted; three classes are three."""
    truth = ["a"] * 8 + ["b"] * 6 + ["c"] * 6
    says = ["a"] * 6 + ["?"] * 2 + ["b"] * 4 + ["?"] * 2 + ["c"] * 4 + ["a"] * 2
    spec = {
        "evalreport": 1,
        "title": "Unsure",
        "datasets": {"d": {"target": "y", "indeterminate": ["?"]}},
        "models": {"m": {"prediction": "p"}},
        "metrics": ["accuracy", "recall"],
    }
    page = render_html(evalreport.run(spec, frames={"d": {"y": truth, "p": says}}).json)
    text = section_of(page, "verdict").text
    assert "counted for, is 0.900" in text
    assert "counted against, is 0.700" in text
    assert "Worst class" in text


def test_a_row_of_the_results_draws_the_limit_that_decides_it(forty_two_criteria):
    results, section = forty_two_criteria
    table = next(t for t in section.all("table") if "results" in t.attrs.get("class", ""))
    row = next(r for r in table.all("tr") if r.attrs.get("data-metric") == "recall")
    low = next(m for m in results["measures"] if m["metric"] == "recall")["interval"]["low"]
    nearest = min(
        (c["required"] for c in results["acceptance"] if c["required"] > low),
        key=lambda limit: limit - low,
    )
    # one of those that fail, the nearest, with the number of the others
    assert f"≥ {nearest:.2f}" in row.text
    assert "and 41 more" in row.text
    assert "✗" in row.text
    (line,) = row.all("u")
    # the line of the limit lies right of the lower end of the interval
    assert left_of(row.all("i")[0]) < left_of(line)


@pytest.mark.long
def test_thresholds_have_their_tables_where_scores_alone_are_measured():
    made = evalreport.evaluate(
        [1, 1, 0, 1, 1, 0, 0, 1, 0, 0],
        [0.99, 0.98, 0.72, 0.70, 0.65, 0.51, 0.39, 0.24, 0.11, 0.01],
        metrics=["roc_auc"],
        threshold=[0.72, 0.65, {"maximize": "youden_j"}],
    )
    tables = {(t.threshold, t.threshold_rule): t.counts for t in made.records.tables}
    assert tables == {
        (0.72, None): ((4, 1), (3, 2)),
        (0.65, None): ((4, 1), (1, 4)),
        (0.65, "maximize youden_j"): ((4, 1), (1, 4)),
    }
    laid = parse(made.to_html()).all("tr", data_table=True)
    cells = [[td.text for td in row.all("td", data_cell=True)] for row in laid]
    cells = [row for row in cells if row]
    assert cells[:3] == [["4", "1", "3", "2"], ["4", "1", "1", "4"], ["4", "1", "1", "4"]]


def test_a_first_page_without_a_model_that_could_be_measured():
    frame = {"y": [0, 1] * 6, "x": list(range(12))}
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"path": "d.csv", "target": "y"}},
        "models": {"m": {"estimator": "sklearn.naive_bayes.GaussianNB", "features": ["x"]}},
        "cross_validation": {"folds": 500},
        "metrics": ["recall"],
    }
    page = evalreport.run(spec, frames={"d": frame}).to_html()
    assert "No model could be judged" in section_of(page, "verdict").text
    assert "500 folds of 12 rows" in page
    assert "could not be made" not in page
