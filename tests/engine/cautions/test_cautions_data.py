"""Cautions about the rows themselves, on data small enough to count."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from evalreport.data.findings import Finding
from evalreport.engine.cautions.findings import BELONGS_TO
from evalreport.results.records import Input, InputPart


def test_imbalance_starts_below_ten_percent(kit: Any) -> None:
    rare = kit.run(kit.from_counts(10, 8, 20, 162), ["recall"])
    assert kit.message(rare, "imbalance") == "18 of 200 rows (9.0\u202f%) are actually yes."
    assert kit.message(kit.run(kit.from_counts(5, 5, 10, 80), ["recall"]), "imbalance") is None
    # that there are fewer than ten says as much
    few = kit.run(kit.from_counts(5, 4, 10, 81), ["recall"])
    assert kit.message(few, "imbalance") is None
    assert kit.message(few, "few_rows_of_class") is not None


def test_imbalance_of_several_classes_is_against_the_largest(kit: Any) -> None:
    actual = [0] * 500 + [1] * 450 + [2] * 40
    facts = kit.run(kit.view(actual, predicted=actual, labels=["a", "b", "c"]), ["recall"])
    assert kit.message(facts, "imbalance") == (
        "The smallest class, c, has 40 rows; the largest, a, has 500."
    )
    ten = list(range(10)) * 20
    even = kit.run(kit.view(ten, predicted=ten, labels=list("abcdefghij")), ["recall"])
    assert kit.message(even, "imbalance") is None


def test_files_of_a_dataset_that_are_the_same_are_named(kit: Any) -> None:
    files = tuple(InputPart(f"{k}.csv", sha256, 9) for k, sha256 in zip("abc", "xyx", strict=True))
    one = Input("d", "data/", "z", 27, 6, files=files)
    view = kit.from_counts(40, 20, 40, 20)
    facts = kit.run(view, ["recall"], inputs=[one, replace(one, files=files[:1] * 2)])
    assert kit.message(facts, "same_files") == (
        "a.csv and c.csv of d are the same byte for byte: each of their rows counts 2 times."
    )


def test_models_that_share_rows_are_warned_of_once(kit: Any) -> None:
    views = [kit.from_counts(5, 4, 10, 81, model="a"), kit.from_counts(4, 5, 11, 80, model="b")]
    (found,) = kit.cautions(kit.run(views, ["recall"]), "few_rows_of_class")
    assert (found.dataset, found.model, found.models) == ("d", None, ())
    views[1] = kit.from_counts(4, 3, 11, 80, model="b")
    (found,) = kit.cautions(kit.run(views, ["recall"]), "few_rows_of_class")
    assert (found.dataset, found.model, found.models) == ("d", None, ("a", "b"))
    assert found.message == ("a: Class yes has 9 actual rows. b: Class yes has 7 actual rows.")


def test_few_rows_of_a_class(kit: Any) -> None:
    facts = kit.run(kit.from_counts(5, 4, 10, 81), ["recall"])
    assert kit.message(facts, "few_rows_of_class") == ("Class yes has 9 actual rows.")
    assert kit.message(kit.run(kit.from_counts(5, 5, 10, 81)), "few_rows_of_class") is None


def test_one_class(kit: Any) -> None:
    facts = kit.run(kit.from_counts(5, 0, 0, 0), ["recall"])
    assert kit.message(facts, "one_class") == "All 5 rows are actually yes."
    assert kit.message(facts, "class_never_true") is None
    well = kit.run(kit.from_counts(0, 0, 1, 3), ["recall"])
    assert kit.message(well, "one_class") == "All 4 rows are actually no, none yes."
    assert kit.message(kit.run(kit.from_counts(5, 1, 1, 5)), "one_class") is None


def test_a_class_that_never_occurs(kit: Any) -> None:
    one = kit.view([0, 0, 1, 1], predicted=[0, 2, 1, 1], labels=["a", "b", "c"])
    assert kit.message(kit.run(one, ["recall"]), "class_never_true") == (
        "No row is actually c (1 of 3 classes)."
    )
    two = kit.view([0, 2, 1, 1], predicted=[0, 2, 1, 1], labels=["a", "b", "c"])
    assert kit.message(kit.run(two, ["recall"]), "class_never_true") is None


@pytest.mark.parametrize(("left_out", "severity"), [(5, "note"), (6, "warning")])
def test_rows_left_out_are_counted_by_reason(kit: Any, left_out: int, severity: str) -> None:
    ledger = kit.ledger(100, (("y is empty", left_out - 2), ("p is missing", 2)))
    used = 100 - left_out
    one = kit.from_counts(40, 10, 10, used - 60, ledger=ledger)
    (record,) = kit.cautions(kit.run(one, ["recall"]), "rows_excluded")
    assert record.message == (
        f"{left_out} of 100 rows ({left_out}.0\u202f%) were left out. Reasons: "
        f"y is empty ({left_out - 2}) and p is missing (2)."
    )
    assert record.severity == severity


def test_no_row_left_out_says_nothing(kit: Any) -> None:
    one = kit.from_counts(40, 10, 10, 40, ledger=kit.ledger(100))
    assert kit.message(kit.run(one), "rows_excluded") is None


@pytest.mark.parametrize(
    ("code", "caution"),
    [
        ("look_alike_labels", "look_alike_labels"),
        ("hidden_characters", "hidden_characters"),
        ("float32", "float32_scores"),
        ("undeclared_class", "data_finding"),
        ("repeated_rows", "leakage"),
        ("feature_equals_target", "leakage"),
        ("one_class_fold", "fold_lacks_class"),
    ],
)
def test_findings_of_the_data_are_passed_on(kit: Any, code: str, caution: str) -> None:
    ledger = kit.ledger(20, findings=(Finding(code, "What was found."),))
    facts = kit.run(kit.from_counts(5, 5, 5, 5, ledger=ledger), ["recall"])
    for other in (*dict.fromkeys(BELONGS_TO.values()), "data_finding"):
        expected = "What was found." if other == caution else None
        assert kit.message(facts, other) == expected


def test_findings_that_are_counted_from_the_rows_are_not_repeated(kit: Any) -> None:
    findings = (Finding("one_class", "x."), Finding("scores_outside_unit", "y."))
    one = kit.view([1, 1], score=[2.0, 3.0], ledger=kit.ledger(2, findings=findings))
    facts = kit.run(one, ["recall"])
    assert kit.message(facts, "data_finding") is None
    assert kit.message(facts, "one_class")
    assert kit.message(facts, "not_probabilities")


def test_weights_lower_the_effective_number_of_rows(kit: Any) -> None:
    """(10 * 1 + 10 * 3)^2 / (10 * 1 + 10 * 9) = 1600 / 100 = 16 of 20 rows."""
    one = kit.from_counts(5, 5, 5, 5, weight=[1.0, 3.0] * 10)
    (record,) = kit.cautions(kit.run(one, ["recall"]), "effective_sample_size")
    assert record.message == (
        "For a value unrelated to the weights, the effective size of the 20 rows is 16 "
        "(80.0\u202f%). The effective size of each share is beside its interval."
    )
    assert record.severity == "note"
    even = kit.from_counts(5, 5, 5, 5, weight=[0.1] * 20)
    assert kit.message(kit.run(even, ["recall"]), "effective_sample_size") is None


def test_one_heavy_row_is_a_warning(kit: Any) -> None:
    one = kit.from_counts(5, 5, 5, 5, weight=[100.0] + [1.0] * 19)
    (record,) = kit.cautions(kit.run(one, ["recall"]), "effective_sample_size")
    assert record.severity == "warning"


def test_few_clusters(kit: Any) -> None:
    few = kit.from_counts(5, 5, 5, 5, cluster=[i % 10 for i in range(20)])
    assert kit.message(kit.run(few, ["recall"]), "few_clusters") == (
        "The 20 rows come from 10 clusters."
    )
    many = kit.from_counts(20, 10, 10, 20, cluster=[i % 30 for i in range(60)])
    assert kit.message(kit.run(many, ["recall"]), "few_clusters") is None


def test_more_classes_than_are_given(kit: Any) -> None:
    labels = [f"c{i:04}" for i in range(501)]
    actual = list(range(501))
    facts = kit.run(kit.view(actual, predicted=actual, labels=labels), ["accuracy"])
    message = kit.message(facts, "class_count_cap")
    assert message is not None
    assert message.startswith("There are 501 classes; not given: records per class (limit 500)")
    few = kit.run(kit.view([0, 1, 2], predicted=[0, 1, 2], labels=labels[:3]), ["accuracy"])
    assert kit.message(few, "class_count_cap") is None


def test_unknown_category(kit: Any) -> None:
    for unknown, fires in ((5, False), (6, True)):
        values = np.array(["f", "m"] * 50, dtype=object)
        values[:unknown] = "(missing)"
        one = kit.from_counts(30, 20, 20, 30, groups={"sex": values.tolist()})
        message = kit.message(kit.run(one, ["recall"]), "unknown_category")
        assert message == ("6 of 100 rows (6.0\u202f%) have no sex." if fires else None)


def test_groups_that_are_spelled_in_two_ways(kit: Any) -> None:
    two = kit.from_counts(30, 20, 20, 30, groups={"sex": ["f", "m"] * 50})
    assert kit.message(kit.run(two, ["recall"]), "look_alike_groups") is None
    four = kit.from_counts(30, 20, 20, 30, groups={"sex": ["f", "m", "M", "m "] * 25})
    message = kit.message(kit.run(four, ["recall"]), "look_alike_groups")
    assert message is not None
    assert message.startswith("Values of sex look alike but are different groups: ")
    assert "upper and lower case" in message
    assert "'f'" not in message


def test_a_tiny_subgroup(kit: Any) -> None:
    sites = ["north"] * 29 + ["south"] * 71
    one = kit.from_counts(30, 20, 20, 30, groups={"site": sites})
    assert kit.message(kit.run(one, ["recall"]), "tiny_subgroup") == (
        "1 of 2 subgroups has fewer than 30 rows: site = north (29)."
    )
    even = kit.from_counts(30, 20, 20, 30, groups={"site": ["north"] * 30 + ["south"] * 70})
    assert kit.message(kit.run(even, ["recall"]), "tiny_subgroup") is None


def test_a_subgroup_that_lacks_a_class(kit: Any) -> None:
    """The first 50 rows are the actual positives."""
    one = kit.from_counts(30, 20, 20, 30, groups={"site": ["north"] * 50 + ["south"] * 50})
    assert kit.message(kit.run(one, ["recall"]), "subgroup_lacks_class") == (
        "2 of 2 subgroups lack a class: site = north (no no) and site = south (no yes)."
    )
    mixed = kit.from_counts(30, 20, 20, 30, groups={"site": ["north", "south"] * 50})
    assert kit.message(kit.run(mixed, ["recall"]), "subgroup_lacks_class") is None


def test_a_column_with_dozens_of_values(kit: Any) -> None:
    def run(groups: int) -> Any:
        values = [f"s{k % groups}" for k in range(60)]
        own = kit.view([0, 1] * 30, predicted=[0, 1] * 30, groups={"site": values})
        return kit.message(kit.run(own, ["recall"]), "many_subgroups")

    assert run(23) is None
    assert run(24) == "site makes 24 subgroups, of 2 to 3 rows."
    assert run(60) == "site makes 60 subgroups, of 1 to 1 rows."


def test_hardly_any_rows(kit: Any) -> None:
    assert kit.message(kit.run(kit.from_counts(1, 1, 0, 1)), "few_rows") == (
        "The dataset has 3 rows in all."
    )
    assert kit.message(kit.run(kit.from_counts(5, 0, 0, 5)), "few_rows") is None
