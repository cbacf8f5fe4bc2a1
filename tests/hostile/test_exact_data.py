"""Data that misleads other programs and must be read exactly, the same on every engine."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
from hostile.command import Outcome, Workshop
from hostile.rows import write_rows

pytestmark = pytest.mark.long_but_first


S = "{score: score}"
FORMATS = ("csv", "tsv", "csv.gz", "jsonl", "parquet")
COLUMNS = ["y", "p"]
TEXT = ["VARCHAR", "VARCHAR"]


@pytest.fixture(params=FORMATS)
def suffix(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def run_rows(
    workshop: Workshop, suffix: str, engine: str, rows: list[tuple[Any, ...]], types: list[str],
    header: list[str] = COLUMNS, **parts: Any,
) -> Outcome:  # fmt: skip
    path = f"a.{suffix}"
    write_rows(workshop.folder / path, header, rows, types)
    workshop.spec(path=path, **parts)
    return workshop.done(engine=engine)


def cells(found: Outcome) -> dict[tuple[str, str], int]:
    """The first table: (actual, predicted) -> count, empty cells left out."""
    table = found.results["tables"][0]
    return {
        (actual, predicted): count
        for actual, row in zip(table["labels"], table["counts"], strict=True)
        for predicted, count in zip(table["labels"], row, strict=True)
        if count
    }


WORDS = ["None", "NA", "N/A", "null", "nan", "NaN", "<NA>", "none", "No", "n/a", "cat", "#N/A",
         "NULL", "-nan", "1.#IND", "-NaN", "#NA", "nil", "NONE", "missing", "-", "."]  # fmt: skip


def test_words_for_no_value_are_labels(workshop: Workshop, suffix: str, engine: str) -> None:
    """20: of a text file only the empty field is missing."""
    rows: list[tuple[Any, ...]] = [(word, word) for word in WORDS]
    found = run_rows(workshop, suffix, engine, [*rows, (None, None)], TEXT,
                     dataset="missing: exclude")  # fmt: skip
    assert cells(found) == {(word, word): 1 for word in WORDS}
    (told,) = found.results["rows"]
    assert (told["read"], told["used"]) == (len(WORDS) + 1, len(WORDS))
    assert sum(e["count"] for e in told["excluded"]) == 1


def test_leading_zeros(workshop: Workshop, suffix: str, engine: str) -> None:
    """21: 007 and 7 are two labels that look alike."""
    rows = [("007", "7"), ("010", "010"), ("7", "007")]
    found = run_rows(workshop, suffix, engine, rows, TEXT)
    assert cells(found) == {("007", "7"): 1, ("010", "010"): 1, ("7", "007"): 1}
    assert "007" in str(found.results["cautions"])


@pytest.mark.parametrize("pair", [
    ("yes", "no"), ("T", "F"), ("12:30", "01:30"), ("2020-01-31", "2020-02-30"), ("on", "off"),
    ("True", "False"), ("1e5", "100001"), ("1,5", "2,5"), ("0x10", "17"), ("Jan", "1. Feb"),
    ("inf", "-inf"), ("1/2", "2/1"), ("$1", "$2"), ("1%", "2%"), ("''", "'"), ("a b", "a  b"),
    (" x", "x "), ("{}", "[]"), ("-0", "1"), ("+1", "2"), ("١", "٢"),
])  # fmt: skip
def test_text_stays_text(workshop: Workshop, engine: str, pair: tuple[str, str]) -> None:
    """22: TP 1, FP 1, FN 0, TN 1 by hand, whatever the words."""
    a, b = pair
    for suffix in ("csv", "jsonl", "parquet"):
        found = run_rows(workshop, suffix, engine, [(a, a), (b, b), (b, a)], TEXT)
        assert cells(found) == {(a, a): 1, (b, b): 1, (b, a): 1}


def test_norway_by_its_command(workshop: Workshop, engine: str) -> None:
    """Dataset "on", model "off", positive "no": accuracy 2/3, recall 1/2, precision 1/1."""
    workshop.file("a.csv", "id,y,p\n1,yes,yes\n2,no,no\n3,no,yes\n")
    workshop.spec(
        "evalreport: 1\ntitle: no\ndatasets:\n"
        "  on: {path: a.csv, target: y, id: id, labels: [yes, no]}\nmodels:\n"
        "  off: {prediction: p}\nmetrics: [accuracy, recall, precision]\npositive: {label: no}\n"
    )
    found = workshop.done(engine=engine)
    assert found.results["title"] == "no"
    shown = {
        m["metric"]: (m["dataset"], m["model"], m["numerator"], m["denominator"])
        for m in found.results["measures"]
    }
    assert shown == {
        "accuracy": ("on", "off", 2, 3), "recall": ("on", "off", 1, 2),
        "precision": ("on", "off", 1, 1),
    }  # fmt: skip


def test_marks_and_line_ends(workshop: Workshop, engine: str) -> None:
    """28, 33: the same results with a byte order mark, CR LF, CR, quotes, a late new type."""
    plain = "y,p\n" + "1,1\n" * 30_000 + "x,1\n"
    told = []
    for data in (
        plain,
        "\ufeff" + plain,
        plain.replace("\n", "\r\n"),
        plain.replace("\n", "\r"),
        plain.replace("1,1", '"1","1"'),
        plain.removesuffix("\n"),
        plain + "\n\n",
    ):
        workshop.file("a.csv", data)
        workshop.spec()
        told.append(cells(workshop.done(engine=engine)))
    assert told == [{("1", "1"): 30_000, ("x", "1"): 1}] * len(told)


def test_ids_above_two_to_the_53(workshop: Workshop, suffix: str, engine: str) -> None:
    """36: neighbours differ, as text and as stored integers."""
    big = 2**53
    for kind, ids in (("VARCHAR", [str(big), str(big + 1)]), ("BIGINT", [big, big + 1])):
        rows = [(ids[0], "1", "1"), (ids[1], "0", "1")]
        found = run_rows(workshop, suffix, engine, rows, [kind, *TEXT], ["id", "y", "p"],
                         dataset="id: id")  # fmt: skip
        assert found.results["rows"][0]["used"] == 2


TWINS = [
    ("é", "e\u0301"), ("a b", "a\u00a0b"), ("ab", "a\u200bb"), ("paypal", "p\u0430yp\u0430l"),
    ("a1", "\uff41\uff11"), ("x", "\ufeffx"), ("A", "\u0391"), ("cat", "cat "), ("Cat", "cat"),
    ("\u202eabc", "abc"), ("co", "c\u00ado"), ("ſ", "s"), ("\u212a", "K"),
]  # fmt: skip


@pytest.mark.parametrize("twins", TWINS, ids=[ascii(pair) for pair in TWINS])
def test_look_alikes_are_apart_and_flagged(
    workshop: Workshop, engine: str, twins: tuple[str, str]
) -> None:
    """37: two classes, never one, and the reader is told."""
    a, b = twins
    for suffix in ("csv", "parquet"):
        found = run_rows(workshop, suffix, engine, [(a, a), (b, b), (a, b)], TEXT)
        assert cells(found) == {(a, a): 1, (b, b): 1, (a, b): 1}
        assert "look" in str(found.results["cautions"])


def test_one_class(workshop: Workshop, suffix: str, engine: str) -> None:
    """38: accuracy and recall 5/5 with intervals, the rest undefined for one class."""
    found = run_rows(
        workshop, suffix, engine, [("1", "1", 0.9)] * 5, [*TEXT, "DOUBLE"], ["y", "p", "score"],
        model=S, metrics="[accuracy, recall, specificity, roc_auc, mcc, kappa]",
        more="positive: {label: '1'}\n",
    )  # fmt: skip
    for metric in ("accuracy", "recall"):
        record = found.measure(metric)
        assert (record["numerator"], record["denominator"]) == (5, 5)
        assert record["interval"]["low"] < 1 == record["interval"]["high"]
    for metric in ("specificity", "roc_auc", "mcc", "kappa"):
        record = found.measure(metric)
        assert (record["state"], record["value"]) == ("undefined", None)
        assert record["reason"]
    assert "one_class" in found.cautions


def test_every_score_tied(workshop: Workshop, suffix: str, engine: str) -> None:
    """39: roc_auc and average precision .5, ks 0, one step, whatever the order of rows."""
    rows: list[tuple[Any, ...]] = [(n % 2, 0.5) for n in range(10)]
    told = []
    for seed in (None, 1, 2):
        if seed:
            random.Random(seed).shuffle(rows)
        found = run_rows(
            workshop, suffix, engine, rows, ["INT", "DOUBLE"], ["y", "score"], model=S,
            metrics="[roc_auc, average_precision, ks]",
        )  # fmt: skip
        results = found.results
        told.append((results["measures"], results["curves"], results["tables"]))
        values = {m["metric"]: m["value"] for m in results["measures"]}
        assert values == {"roc_auc": 0.5, "average_precision": 0.5, "ks": 0.0}
        (roc,) = [c for c in results["curves"] if c["kind"] == "roc"]
        assert (roc["points"]["fpr"], roc["points"]["tpr"]) == ([0, 1], [0, 1])
    assert told[0] == told[1] == told[2]


def test_class_columns_in_another_order(workshop: Workshop, suffix: str, engine: str) -> None:
    """40: -(ln .9 + ln .9 + ln .8) / 3, all three right."""
    found = run_rows(
        workshop, suffix, engine, [("cat", 0.1, 0.9), ("dog", 0.9, 0.1), ("cat", 0.2, 0.8)],
        ["VARCHAR", "DOUBLE", "DOUBLE"], ["y", "prob_dog", "prob_cat"],
        model="{scores: {cat: prob_cat, dog: prob_dog}}", metrics="[accuracy, log_loss]",
    )  # fmt: skip
    assert found.measure("accuracy")["numerator"] == 3
    expected = -(2 * math.log(0.9) + math.log(0.8)) / 3
    assert math.isclose(found.measure("log_loss")["value"], expected, rel_tol=1e-15)
    assert math.isclose(expected, 0.1446215275432874, rel_tol=1e-15)


def test_scores_outside_0_to_1(workshop: Workshop, suffix: str, engine: str) -> None:
    """25: ranking is exact, losses of probabilities are not applicable, with the reason."""
    rows = [(1, 3.5), (0, -2.0), (1, 1.2), (0, 1.3)]
    found = run_rows(workshop, suffix, engine, rows, ["INT", "DOUBLE"], ["y", "score"], model=S,
                     metrics="[roc_auc, log_loss, brier]")  # fmt: skip
    assert found.measure("roc_auc")["value"] == 0.75
    for metric in ("log_loss", "brier"):
        record = found.measure(metric)
        assert (record["state"], record["value"]) == ("not_applicable", None)
        assert record["reason"]


def test_single_precision_at_its_threshold(workshop: Workshop, engine: str) -> None:
    """41: 0.7 stored as float32 is 0.699999988: below 0.7 on every engine, and flagged."""
    found = run_rows(
        workshop, "parquet", engine, [(1, 0.7), (0, 0.69)], ["INT", "FLOAT"], ["y", "score"],
        model=S, metrics="[recall, precision]", more="thresholds: [0.7]",
    )  # fmt: skip
    assert (found.measure("recall")["numerator"], found.measure("recall")["denominator"]) == (0, 1)
    assert found.measure("precision")["state"] == "undefined"
    assert "float32" in str(found.results["cautions"])


@pytest.mark.nightly
def test_many_classes_in_bounded_time(workshop: Workshop) -> None:
    """43: 60,000 classes, 6 of them right; the table is not printed whole, and says so."""
    count = 60_000
    rows = "".join(f"c{i},c{(i * 7) % count}\n" for i in range(count))
    workshop.file("a.csv", "y,p\n" + rows)
    workshop.spec()
    found = workshop.run(formats="html")
    assert found.status == 0, found.err
    record = found.measure("accuracy", average="micro")
    assert (record["numerator"], record["denominator"]) == (6, count)
    assert found.results["tables"][0]["counts"] is None
    assert len(found.page) < 20 << 20
    assert "60,000" in found.page


@pytest.mark.nightly_but_first
@pytest.mark.parametrize("name", [
    'x"; DROP TABLE data; --', "x' OR '1'='1", "c0", "data", "SELECT", "a.b", "a b", "ä", "😀",
    "<b>", "$x", "{{x}}", "n", "k0", "rowid", "file_row_number", "filename", "Y", "__index__",
    "0", "-", "*", "x\ty", "x\ny", "%s", "''", '""', "p)", "count(*)",
])  # fmt: skip
def test_a_hostile_header_is_a_name(workshop: Workshop, engine: str, name: str) -> None:
    """47: a column is found by its exact name and never becomes a query."""
    # The writer of these files knows no case; readers of them must.
    for suffix in ("csv",) if name == "Y" else ("csv", "parquet"):
        path = f"a.{suffix}"
        write_rows(workshop.folder / path, [name, "y"], [("a", "a"), ("b", "b"), ("a", "b")], TEXT)
        quoted = '"' + "".join(
            c if c.isalnum() and c.isascii() else f"\\U{ord(c):08x}" for c in name
        ) + '"'  # fmt: skip
        workshop.spec(path=path, model=f"{{prediction: {quoted}}}", more=f"subgroups: [{quoted}]")
        found = workshop.done(engine=engine)
        assert cells(found) == {("a", "a"): 1, ("b", "b"): 1, ("b", "a"): 1}


def test_a_header_of_another_case_is_another_column(workshop: Workshop, engine: str) -> None:
    """Engines that know no case must not mix up p and P."""
    rows = [("a", "a", "b"), ("b", "b", "a")]
    workshop.file("a.csv", "y,p,P\na,a,b\nb,b,a\n")
    for path in ("a.csv", "a.jsonl"):
        if path == "a.jsonl":
            write_rows(workshop.folder / path, ["y", "p", "P"], rows, [])
        workshop.spec(path=path, model="{prediction: P}")
        assert workshop.done(engine=engine).measure("accuracy")["numerator"] == 0
        workshop.spec(path=path, model="{prediction: p}")
        assert workshop.done(engine=engine).measure("accuracy")["numerator"] == 2


def test_a_subgroup_that_is_empty_is_a_group(workshop: Workshop, suffix: str, engine: str) -> None:
    rows = [("a", "a", None), ("b", "b", "x"), ("a", "b", "x")]
    found = run_rows(workshop, suffix, engine, rows, [*TEXT, "VARCHAR"], ["y", "p", "g"],
                     more="subgroups: [g]")  # fmt: skip
    groups = {
        m["subgroup"].get("g"): m["denominator"]
        for m in found.results["measures"]
        if m["metric"] == "accuracy"
    }
    assert groups == {None: 3, "(missing)": 1, "x": 2}
