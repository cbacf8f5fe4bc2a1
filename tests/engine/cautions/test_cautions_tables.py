"""Cautions about classification tables, on the tables of teaching texts."""

from __future__ import annotations

from typing import Any

import pytest

from evalreport.api import run
from evalreport.engine.cautions.wording import name
from evalreport.metrics.tables import Matrix
from evalreport.report.words import label_text

ACCURACY = ["accuracy"]


def test_accuracy_not_shown_above_the_majority(kit: Any) -> None:
    """87 + 2 of 100 right, always saying yes has 88; Wilson of 89 / 100: 0.814 to 0.937 (R)."""
    facts = kit.run(kit.from_counts(87, 1, 10, 2), ACCURACY)
    (record,) = kit.cautions(facts, "majority_class")
    assert record.message == (
        "Accuracy is 89 / 100 = 0.890 (0.814 to 0.937); always naming yes gives 88 / 100 = 0.880."
    )
    assert record.severity == "warning"
    assert record.measure == facts.measures[0].id
    assert record.table == facts.tables[0].id


def test_accuracy_that_nobody_asked_for_is_not_judged(kit: Any) -> None:
    assert kit.message(kit.run(kit.from_counts(95, 0, 5, 0), ["recall"]), "majority_class") is None


def test_thresholds_further_on_give_up_accuracy_on_purpose(kit: Any) -> None:
    """At 0.5 all 20 rows are right; at 0.1 all are called yes, and 10 of 20 are right."""
    one = kit.view([0] * 10 + [1] * 10, score=[0.2] * 10 + [0.8] * 10)
    facts = kit.run(one, ACCURACY, thresholds=[0.5, 0.1])
    assert [m.value for m in facts.measures] == [1.0, 0.5]
    assert kit.message(facts, "majority_class") is None


def test_accuracy_under_the_majority_of_three_classes(kit: Any) -> None:
    """Wilson of 4 / 8: 0.215 to 0.785, symmetric about one half."""
    one = kit.view([0] * 6 + [1, 2], predicted=[0, 0, 0, 1, 1, 2, 1, 0], labels=["a", "b", "c"])
    assert kit.message(kit.run(one, ACCURACY), "majority_class") == (
        "Accuracy is 4 / 8 = 0.500 (0.215 to 0.785); always naming a gives 6 / 8 = 0.750."
    )


def test_accuracy_well_above_the_majority_is_silent(kit: Any) -> None:
    assert kit.message(kit.run(kit.from_counts(45, 5, 5, 45), ACCURACY), "majority_class") is None


def test_one_class_has_no_majority_to_beat(kit: Any) -> None:
    assert kit.message(kit.run(kit.from_counts(5, 0, 0, 0), ACCURACY), "majority_class") is None


def test_clustered_accuracy_is_held_against_its_interval(kit: Any) -> None:
    """60 of 100 right, in 4 clusters that are all right or wrong: far less than 100 rows."""
    clusters = [0] * 30 + [1] * 20 + [2] * 20 + [3] * 30
    one = kit.from_counts(30, 20, 20, 30, cluster=clusters)
    message = kit.message(kit.run(one, ACCURACY), "majority_class")
    assert message is not None
    # limits of 100 independent rows would begin at 0.502 (Wilson)
    assert message.startswith("Accuracy is 60 / 100 = 0.600 (0.0886 to 0.959);")


def test_every_row_predicted_the_same(kit: Any) -> None:
    facts = kit.run(kit.from_counts(9, 0, 1, 0), ["recall"])
    assert kit.message(facts, "one_prediction") == "Every row is predicted yes: 10 of 10."
    assert kit.message(kit.run(kit.from_counts(8, 1, 1, 0)), "one_prediction") is None


def test_a_class_never_predicted(kit: Any) -> None:
    one = kit.view([0, 1, 2, 2], predicted=[0, 1, 1, 0], labels=["a", "b", "c"])
    assert kit.message(kit.run(one, ["recall"]), "class_never_predicted") == (
        "1 class of 3 occurs but is never predicted: c (2) (actual rows in brackets)."
    )
    every = kit.view([0, 1, 2, 2], predicted=[0, 1, 2, 0], labels=["a", "b", "c"])
    assert kit.message(kit.run(every, ["recall"]), "class_never_predicted") is None
    # an estimate below 0 is of no rows
    facts = kit.run(one, ["recall"])
    estimated = Matrix.from_counts([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, -1.5, 0.0]])
    facts._matrices[facts.tables[0].id] = estimated
    assert kit.message(facts, "class_never_predicted") is None


def test_indeterminate_predictions_are_counted(kit: Any) -> None:
    one = kit.view([0, 0, 0, 1, 1], predicted=[0, 0, 2, 1, 2], indeterminate=["equivocal"])
    facts = kit.run(one, ["recall"])
    assert kit.message(facts, "indeterminate_predictions") == (
        "2 of 5 predictions (40.0\u202f%) are equivocal."
    )
    none = kit.view([0, 0, 1], predicted=[0, 0, 1], indeterminate=["equivocal"])
    assert kit.message(kit.run(none, ["recall"]), "indeterminate_predictions") is None


def test_indeterminate_rows_are_in_the_favourable_accuracy(kit: Any) -> None:
    """At best 3 + 2 of 5 rows are right; the table itself holds 3."""
    one = kit.view([0, 0, 0, 1, 1], predicted=[0, 0, 2, 1, 2], indeterminate=["equivocal"])
    message = kit.message(kit.run(one, ACCURACY), "majority_class")
    assert message is not None
    assert message.startswith("Accuracy, indeterminate counted for, is 5 / 5 = 1 (")


def test_a_proportion_of_none_or_all_of_few_rows(kit: Any) -> None:
    facts = kit.run(kit.from_counts(10, 0, 20, 70), ["recall", "specificity"])
    (record,) = kit.cautions(facts, "extreme_proportion")
    assert record.message == ("Recall is 1, on 10 rows: Recall of yes 10 of 10.")
    assert kit.message(facts, "small_denominator") is None
    many = kit.run(kit.from_counts(30, 0, 20, 70), ["recall", "specificity"])
    assert kit.message(many, "extreme_proportion") is None


def test_a_proportion_on_few_rows(kit: Any) -> None:
    facts = kit.run(kit.from_counts(25, 4, 20, 70), ["recall", "specificity", "precision"])
    (record,) = kit.cautions(facts, "small_denominator")
    assert record.message == ("Recall rests on 29 rows: Recall of yes 25 of 29.")
    assert record.numbers == {"fewest": 29, "proportions": 1}
    enough = kit.run(kit.from_counts(25, 5, 20, 70), ["recall", "specificity"])
    assert kit.message(enough, "small_denominator") is None


def test_proportions_at_several_thresholds_say_which() -> None:
    """All 10 score above 0.5, 5 of them above 0.9; of 90 others none does."""
    frame = {"y": ["yes"] * 10 + ["no"] * 90, "s": [0.95] * 5 + [0.6] * 5 + [0.1] * 90}
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "models": {"m": {"score": "s"}},
        "metrics": ["recall"],
        "thresholds": [0.5, 0.9],
    }
    found = {c["code"]: c["message"] for c in run(spec, frames={"d": frame}).json["cautions"]}
    named = "Recall of yes"
    assert found["extreme_proportion"] == (
        f"Recall is 1, on 10 rows: {named} 10 of 10 at the threshold 0.50."
    )
    assert found["small_denominator"] == (
        f"Recall rests on 10 rows: {named} 5 of 10 at the threshold 0.90."
    )


def test_a_proportion_on_rows_that_are_worth_few(kit: Any) -> None:
    # a few heavy rows were missed: by Kish 116^2 / (25 + 4 * 400 + 11) = 8.22
    heavy = [1.0] * 25 + [20.0] * 4 + [1.0] * 11 + [1.0] * 90
    facts = kit.run(kit.from_counts(25, 15, 20, 70, weight=heavy), ["recall", "specificity"])
    (record,) = kit.cautions(facts, "small_denominator")
    assert record.message == (
        "1 proportion rests on rows with an effective size under 30: "
        "Recall of yes 25 of 116 (effective size 8.22)."
    )
    assert record.numbers["fewest"] == pytest.approx(116**2 / (25 + 4 * 400 + 11))


def test_wald_intervals_are_named(kit: Any) -> None:
    view = kit.from_counts(40, 10, 10, 40)
    asked = kit.run(view, ["recall", "precision"], methods={"recall": "wald"})
    assert kit.message(asked, "wald_interval") == "1 proportion with a Wald interval: Recall."
    assert kit.message(kit.run(view, ["recall"]), "wald_interval") is None


@pytest.mark.parametrize("tn", [400, 0])
def test_same_precision_and_recall(kit: Any, tn: int) -> None:
    """200 / 300 and 200 / 500 twice, with 400 and with no true negatives."""
    views = [
        kit.from_counts(200, 300, 100, 400, dataset="one"),
        kit.from_counts(200, 300, 100, tn, dataset="two"),
    ]
    message = kit.message(kit.run(views, ["precision", "recall"]), "same_precision_and_recall")
    if tn == 400:
        assert message is None
    else:
        assert message == (
            "m on one and m on two both have precision 0.667 and recall 0.400; their "
            "specificities are 0.800 and 0 (400 and 0 true negatives)."
        )


def test_same_precision_and_recall_of_two_models(kit: Any) -> None:
    views = [
        kit.from_counts(50, 50, 25, 75, model="a"),
        kit.from_counts(50, 50, 25, 25, model="b"),
    ]
    (record,) = kit.cautions(kit.run(views, ["recall"]), "same_precision_and_recall")
    assert record.message.startswith("a and b both have precision 0.667 and recall 0.5")
    assert record.dataset == "d"


def test_scores_that_were_given_as_labels(kit: Any) -> None:
    """Nobody means 0.31 as the name of a class."""
    labels = ["no", "yes", "0.31", "0.62", "0.7"]
    one = kit.view([0, 0, 1, 1], predicted=[2, 3, 4, 3], labels=labels)
    assert kit.message(kit.run(one, ACCURACY), "foreign_predictions") == (
        "4 of 4 predictions name a class that no row has: 0.31, 0.62 and 0.7; "
        "they look like scores: declare the column as score."
    )


def test_labels_that_are_spelled_in_two_ways(kit: Any) -> None:
    one = kit.view([0, 0, 1, 1], predicted=[0, 2, 2, 2], labels=["no", "yes", "Yes"])
    (record,) = kit.cautions(kit.run(one, ACCURACY), "foreign_predictions")
    assert record.message == "3 of 4 predictions name a class that no row has: Yes."
    assert record.numbers == {"foreign": 3, "rows": 4}
    fewer = kit.view([0, 0, 1, 1], predicted=[0, 1, 1, 2], labels=["no", "yes", "Yes"])
    assert kit.cautions(kit.run(fewer, ACCURACY), "foreign_predictions") == []


@pytest.mark.parametrize("tail", ["", "x" * 30], ids=["in full", "cut"])
def test_classes_that_share_their_first_letters_keep_names_of_their_own(tail: str) -> None:
    """41 letters are the same; names of more than 60 end with a hash of all of them."""
    start = "Erkrankung_des_Bewegungsapparates_und_der"
    labels = [f"{start}_{end}{tail}" for end in ("Haut", "Gelenke")]
    assert len({name(label) for label in labels}) == 2
    # as the tables beside the caution have them
    assert [name(label) for label in labels] == [label_text(label) for label in labels]
