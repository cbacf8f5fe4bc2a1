"""What is given for sets of labels, for whom, and what is refused and why."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from engine.label_sets.set_specs import (
    ACTUAL,
    AT,
    GIVEN,
    LABELS,
    RANKINGS,
    SETS,
    columns,
    many_rows,
    measure,
    named,
    of_scores,
    of_sets,
    results,
)
from plain_results import render_html

from evalreport.metrics.catalogue import catalogue
from evalreport.metrics.declare import Table
from evalreport.results.codec import results_schema
from evalreport.verify.recompute import recompute

ROWS, SCORES = many_rows(labels=3)
ROOT = Path(__file__).resolve().parents[3]


def test_the_rankings_are_the_metrics_that_use_scores():
    declared = {
        m.name
        for m in catalogue()
        if m.table is Table.LABEL_SETS and m.function.__module__.endswith("label_ranking")
    }
    flagged = {m.name for m in catalogue() if m.ranks_labels}
    assert declared == flagged == set(RANKINGS)


def test_default_is_each_label_and_the_plain_mean():
    found = of_sets(ACTUAL, GIVEN, ["precision", "exact_match"])
    assert [(m["metric"], m["label"], m["average"]) for m in found["measures"]] == [
        ("precision", "a", None),
        ("precision", "b", None),
        ("precision", "c", None),
        ("precision", None, "macro"),
        ("exact_match", None, None),
    ]


def test_a_label_stands_beside_its_table_and_all_labels_beside_all_tables():
    found = of_sets(ACTUAL, GIVEN, ["precision", "exact_match"])
    tables = {t["id"]: t["label"] for t in found["tables"]}
    for m in found["measures"]:
        if m["label"] is not None:
            assert tables[m["table"]] == m["label"]
        else:
            assert m["table"] is None
            assert [tables[i] for i in m["tables"]] == list(LABELS)


def test_sets_of_labels_have_no_rankings():
    found = of_sets(ACTUAL, GIVEN, RANKINGS)
    assert {m["state"] for m in found["measures"]} == {"not_applicable"}
    assert all("m gives sets of labels only" in m["reason"] for m in found["measures"])


@pytest.mark.parametrize(
    ("metric", "words"),
    [
        ("top_k_accuracy", "one class per row"),
        ("hand_till_auc", "one class per row"),
        ("softmax_cost", "margins"),
        ("impact_ratio", "declare subgroups"),
    ],
)
def test_metrics_that_sets_of_labels_cannot_give_say_why(metric, words):
    asked = {"top_k_accuracy": {"top_k_accuracy": {"k": 2}}}.get(metric, metric)
    found = of_scores(ROWS, SCORES, [asked])
    own = [m for m in found["measures"] if m["metric"] == metric]
    assert own
    assert all(m["state"] == "not_applicable" and words in m["reason"] for m in own)


def test_every_metric_of_the_catalogue_comes_out_or_says_why():
    needed = {
        "fbeta": {"beta": 2},
        "partial_auc": {"max_fpr": 0.1},
        "top_k_accuracy": {"k": 2},
        "gain": {"top": 0.1},
        "lift": {"top": 0.1},
    }
    asked = [{m.name: needed[m.name]} if m.name in needed else m.name for m in catalogue()]
    found = of_scores(
        ROWS,
        SCORES,
        asked,
        averaging=["none", "macro", "micro", "weighted", "samples"],
        hierarchy={"b": "a"},
        prevalence=[0.1],
        costs={"false_negative": 5, "false_positive": 1},
        subgroups=["g"],
        frame={"g": ["u", "v", "w"] * 100},
        confidence={"resamples": 50},
    )
    assert found["failures"] == []
    assert {m["metric"] for m in found["measures"]} == {m.name for m in catalogue()}
    for m in found["measures"]:
        assert (m["value"] is not None) == (m["state"] == "value")
        assert m["state"] == "value" or m["reason"]
    told = json.dumps(found)
    assert "NaN" not in told
    assert "Infinity" not in told


def test_costs_of_two_kinds_of_mistake_and_no_others():
    costs = {"false_negative": 5, "false_positive": 1}
    found = of_sets(ACTUAL, GIVEN, ["expected_cost"], costs=costs)
    assert measure(found, "expected_cost", label="b")["value"] == 5 / 4
    assert measure(found, "expected_cost", label="c")["value"] == 1 / 4
    pairs = of_sets(ACTUAL, GIVEN, ["expected_cost"], costs={"a": {"b": 1}, "b": {"a": 2}})
    of_b = measure(pairs, "expected_cost", label="b")
    assert of_b["state"] == "undefined"
    assert "pairs of classes" in of_b["reason"]


def test_a_threshold_rule_is_not_solved_for_sets():
    found = of_scores(ROWS, SCORES, ["recall"], thresholds=[0.4, {"maximize": "youden_j"}])
    assert {m["threshold"] for m in found["measures"]} == {0.4}
    (reason,) = {s["reason"] for s in found["plan"]["skipped"]}
    assert reason.startswith("maximize youden_j: a rule chooses a threshold of one score")
    again = recompute(found)
    assert (again.problems, again.numbers["measures"] > 0) == ((), True)


def test_subgroups_hold_their_own_rows():
    groups = np.array(["u", "v", "w"] * 100)
    found = of_scores(
        ROWS, SCORES, ["hamming_loss", "recall"], subgroups=["g"], frame={"g": groups.tolist()}
    )
    inside = groups == "v"
    given = SCORES[inside] >= 0.5
    own = measure(found, "hamming_loss", subgroup={"g": "v"})
    assert own["value"] == pytest.approx((ROWS[inside] != given).mean())
    assert own["n"] == 100
    hits = (ROWS[inside] & given)[:, 0].sum()
    recall = measure(found, "recall", label="a", subgroup={"g": "v"})
    assert recall["numerator"] == hits
    tables = {t["id"]: t for t in found["tables"]}
    assert tables[recall["table"]]["subgroup"] == {"g": "v"}


def test_folds_and_their_mean():
    folds = ["1", "2", "3"] * 100
    found = of_scores(
        ROWS, SCORES, ["hamming_loss", "recall"], dataset={"fold": "f"}, frame={"f": folds}
    )
    each = [measure(found, "hamming_loss", fold=name)["value"] for name in "123"]
    mean = measure(found, "hamming_loss", fold="mean")
    assert mean["value"] == pytest.approx(sum(each) / 3, abs=1e-15)
    assert len(mean["tables"]) == 9
    of_b = measure(found, "recall", fold="mean", label="b")
    assert (of_b["table"], len(of_b["tables"])) == (None, 3)


def test_one_label_and_two_labels_are_sets_too():
    for labels in (("a",), ("a", "b")):
        found = results(
            {
                **columns("y", ACTUAL[:, : len(labels)].astype(int), labels),
                **columns("p", GIVEN[:, : len(labels)].astype(int), labels),
            },
            {"m": {"prediction": {"labels": named("p", labels)}}},
            ["recall", "exact_match", "mcc"],
            labels,
        )
        assert [t["label"] for t in found["tables"]] == list(labels)
        assert found["labels"][0]["positive"] is None
        assert measure(found, "mcc", label="a")["value"] == 1


def test_comparisons_of_sets_are_refused_and_nothing_breaks():
    frame = {**columns("y", ACTUAL.astype(int)), **columns("p", GIVEN.astype(int))}
    sets = {"prediction": {"labels": named("p")}}
    found = results(
        frame, {"m": sets, "k": sets}, ["recall", "hamming_loss"], comparisons={"reference": "m"}
    )
    assert found["comparisons"] == []


def test_acceptance_of_an_average_and_of_a_label():
    criteria = [
        {"metric": "recall", "average": "macro", "at_least": 0.7, "bound": "point"},
        {"metric": "recall", "label": "b", "at_least": 0.7, "bound": "point"},
        {"metric": "hamming_loss", "at_most": 0.2, "bound": "point"},
    ]
    found = of_sets(ACTUAL, GIVEN, ["recall", "hamming_loss"], acceptance=criteria)
    assert [c["outcome"] for c in found["acceptance"]] == ["pass", "fail", "pass"]


def test_curves_are_drawn_for_each_label():
    found = of_scores(ROWS, SCORES, ["roc_auc"])
    assert [c["label"] for c in found["curves"] if c["kind"] == "roc"] == list(LABELS)


def test_results_keep_to_the_schema_and_come_out_the_same_again():
    import jsonschema

    asked = [*SETS, *RANKINGS, "recall", "roc_auc"]
    first, second = (of_scores(ROWS, SCORES, asked) for _ in range(2))
    assert json.dumps(first, sort_keys=True) == json.dumps(second, sort_keys=True)
    jsonschema.validate(json.loads(json.dumps(first)), results_schema())


def test_numbers_of_labels_are_recomputed_from_their_tables():
    found = of_scores(ROWS, SCORES, ["recall", "f1", "mcc", "hamming_loss"])
    again = recompute(json.loads(json.dumps(found)))
    assert again.problems == ()
    values = [m for m in found["measures"] if m["value"] is not None]
    over_rows = [m for m in values if m["metric"] == "hamming_loss"]
    # means over rows need the rows; all others follow from the tables of the labels
    reasons = {key: n for key, n in again.left_out.items() if key[0] == "measures.value"}
    assert sum(reasons.values()) == len(over_rows) < len(values)
    own = next(m for m in found["measures"] if (m["metric"], m["average"]) == ("f1", "macro"))
    own["value"] += 0.01
    assert any("(m" in p.what and "value is" in p.what for p in recompute(found).problems)


def test_every_number_has_its_tables_in_its_section_but_on_the_first_page():
    from lxml import html

    found = of_scores(ROWS, SCORES, [*SETS, *RANKINGS, "recall"], averaging=["macro", "samples"])
    page = html.fromstring(render_html(dict(found)))
    records = {m["id"]: m for m in found["measures"]}
    shown = page.xpath("//*[@data-measure]")
    assert {e.get("data-metric") for e in shown} == {*SETS, *RANKINGS, "recall"}
    for element in shown:
        record = records[element.get("data-measure")]
        (section,) = element.xpath("ancestor::section[1]")
        where = page if section.get("id") == "verdict" else section
        tables = set(where.xpath(".//@data-table"))
        assert set(record.get("tables", [record["table"]])) <= tables


def test_the_ready_spec_runs():
    from evalreport.api import run

    found = run(
        ROOT / "configs" / "multilabel.yaml", overrides=("confidence.resamples=50",), at=AT
    ).json
    assert {c["outcome"] for c in found["acceptance"]} == {"pass"}
    assert measure(found, "exact_match", model="logistic")["substituted"] == "1342 / 1797"
