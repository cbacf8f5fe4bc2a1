from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from evalreport.data import Checked, RawTable, Roles, Rules, check, read_frame
from evalreport.errors import DataError, Location

TableOf = Callable[[str], RawTable]
EXCLUDE = Rules(missing="exclude")
P, S = Roles("y", prediction="p"), Roles("y", score="s")


def told(table: RawTable, roles: Roles, rules: Rules = Rules(), **more: Any) -> str:  # noqa: B008
    with pytest.raises(DataError) as caught:
        check(table, roles, rules, **more)
    return str(caught.value)


def codes(checked: Checked) -> list[str]:
    return [finding.code for finding in checked.findings]


def test_labels_of_truth_and_prediction_become_one_set(table_of: TableOf) -> None:
    found = check(table_of("y,p\nb,a\nc,c\nb,b\n"), P, Rules())
    assert found.labels == ("a", "b", "c")
    assert found.actual.tolist() == [1, 2, 1]
    assert found.predicted is not None
    assert found.predicted.tolist() == [0, 2, 1]
    assert (found.seen_true, found.seen_predicted) == (("b", "c"), ("a", "b", "c"))
    assert found.positive is None
    assert found.rows_read == 3
    assert found.used.tolist() == [0, 1, 2]


def test_declared_labels_come_first_in_their_order(table_of: TableOf) -> None:
    table = table_of("y,p\nb,a\na,z\n")
    found = check(table, P, Rules(declared=("z", "b", "q")))
    assert found.labels == ("z", "b", "q", "a")
    assert codes(found) == ["undeclared_class"]
    assert found.findings[0].details == {"labels": ["a"]}
    assert codes(check(table_of("y,p\nb,a\n"), P, Rules(declared=("a", "b")))) == ["one_class"]


def test_the_largest_label_is_positive_as_a_number_or_by_code_point(table_of: TableOf) -> None:
    numbers = table_of("y,p\n10,9\n9,9\n")
    assert check(numbers, P, Rules()).labels == ("9", "10")
    assert check(numbers, P, Rules()).positive == 1
    declared = check(numbers, P, Rules(declared=("10", "9")))
    assert (declared.labels, declared.positive) == (("10", "9"), 0)
    assert check(numbers, P, Rules(positive="smallest")).positive == 0
    assert check(numbers, P, Rules(positive={"label": "9"})).positive == 0
    assert check(table_of("y,p\nno,yes\nyes,no\n"), P, Rules()).positive == 1


def test_a_named_positive_class_joins_the_classes(table_of: TableOf) -> None:
    table = table_of("y,p,s\nno,no,0.5\nno,no,0.2\n")
    found = check(table, P, Rules(positive={"label": "bad"}))
    assert (found.labels, found.positive) == (("bad", "no"), 0)
    assert codes(found) == ["one_class"]
    scored = check(table, S, Rules(positive={"label": "yes"}))
    assert (scored.labels, scored.positive) == (("no", "yes"), 1)


def test_booleans_match_declared_words_and_true_is_largest() -> None:
    table = read_frame({"y": [True, False], "s": [0.5, 0.6]}, "f")
    found = check(table, S, Rules())
    assert (found.labels, found.label_kind, found.positive) == (("false", "true"), "boolean", 1)
    declared = check(table, S, Rules(declared=("True", "False")))
    assert (declared.labels, declared.positive) == (("True", "False"), 0)


def test_whole_floats_and_integers_are_one_class() -> None:
    table = read_frame({"y": np.array([1, 0]), "p": np.array([1.0, np.nan])}, "f")
    found = check(table, P, EXCLUDE)
    assert (found.labels, found.label_kind) == (("1",), "number")
    table = read_frame({"y": [1, 0], "p": [1.0, 0.0]}, "f")
    assert check(table, P, Rules(declared=("0.0", "1.0"))).labels == ("0.0", "1.0")


def test_declared_labels_settle_text_beside_numbers() -> None:
    table = read_frame({"y": [1, 0], "p": ["1", "0"]}, "f")
    message = told(table, P)
    assert "'1' (number, row 1), '1' (text, row 1)" in message
    found = check(table, P, Rules(declared=("0", "1")))
    assert found.actual.tolist() == [1, 0]
    assert found.predicted is not None
    assert found.predicted.tolist() == [1, 0]


def test_one_class_in_several_spellings_is_refused(table_of: TableOf) -> None:
    message = told(table_of("y,p\n1,1.0\n0,0\n"), P)
    assert "'1' (text, row 1 (line 2)), '1.0' (text, row 1 (line 2))" in message
    assert "declare every class with `labels`" in message
    found = check(table_of("y,p\n1,1.0\n0,0\n"), P, Rules(declared=("0", "1", "1.0")))
    assert found.labels == ("0", "1", "1.0")
    mixed = read_frame({"y": [1, 0, 1.0, True], "p": [1, 0, 1, 1]}, "f")
    assert "'true' (boolean, row 4)" in told(mixed, P)
    assert "declared" in told(table_of("y,p\n1.0,1.0\n"), P, Rules(declared=("1",)))


def test_missing_rows_are_an_error_unless_excluded(table_of: TableOf) -> None:
    text = "y,s,w,c,f,i\n" + "1,0.5,1,a,1,1\n" + "".join(
        f"{row}\n" for row in (",,,,,", "1,,,,,", "1,0.5,nan,,,", "1,0.5,1,,,", "0,0.5,1,a,,",
                               "0,0.5,1,a,1,", "0,0.1,0,a,1,7", "0,0.2,2,b,2,8")
    )  # fmt: skip
    table = table_of(text)
    roles = Roles("y", score="s", weight="w", cluster="c", fold="f", id="i")
    message = told(table, roles)
    for reason, rows in [("y is empty", 1), ("s is missing", 2), ("w is missing", 3),
                         ("c is empty", 4), ("f is empty", 5), ("i is empty", 6)]:  # fmt: skip
        line = next(line for line in message.splitlines() if reason in line)
        assert line.count("row ") == min(rows, 5)
        assert ("and 1 more" in line) == (rows == 6)
    assert "missing: exclude" in message
    found = check(table, roles, EXCLUDE)
    assert found.excluded == (
        ("y is empty", 1), ("s is missing", 1), ("w is missing", 1), ("c is empty", 1),
        ("f is empty", 1), ("i is empty", 1), ("weight is 0", 1),
    )  # fmt: skip
    assert found.used.tolist() == [0, 8]
    assert found.rows_read == len(found.used) + sum(count for _, count in found.excluded)
    assert found.weight is not None
    assert found.weight.tolist() == [1.0, 2.0]
    assert found.ids is not None
    assert found.ids.tolist() == ["1", "8"]


def test_weight_zero_leaves_a_row_out_without_being_an_error(table_of: TableOf) -> None:
    found = check(table_of("y,p,w\na,a,0\nb,b,1\n"), Roles("y", prediction="p", weight="w"),
                  Rules())  # fmt: skip
    assert found.excluded == (("weight is 0", 1),)
    assert found.labels == ("b",)
    assert codes(found)[0] == "class_only_excluded"


def test_wrong_weights_are_data_errors(table_of: TableOf) -> None:
    table = table_of("y,p,w\na,a,-1\nb,b,inf\na,a,x\n")
    message = told(table, Roles("y", prediction="p", weight="w"))
    assert "w is infinite" in message
    assert "w is not a number" in message
    assert "w is negative in row 1" in message


def test_wrong_scores_are_wrong_even_where_rows_are_excluded(table_of: TableOf) -> None:
    assert "s is not a number in row 1" in told(table_of("y,s\n,abc\n1,0.5\n0,1\n"), S, EXCLUDE)


def test_all_problems_come_at_once(table_of: TableOf) -> None:
    table = table_of("y,s,w,i\n1,inf,1,a\n1.0,0.5,-1,a\n,0.5,1,b\nx,0.5,1,\n")
    message = told(table, Roles("y", score="s", weight="w", id="i"))
    for part in ("s is infinite", "w is negative", "y is empty", "i is empty",
                 "i is not unique", "several ways"):  # fmt: skip
        assert part in message


def test_absent_columns_are_named_with_the_nearest(table_of: TableOf) -> None:
    table = table_of("y,score\na,1\n")
    place = {"score": Location("a.yaml", 9, 3)}
    message = told(table, Roles("Y", score="scor", subgroups=("sex",)), where=place.get)
    assert "a.csv has no column 'Y' (target); did you mean 'y'?" in message
    assert "a.yaml:9:3: a.csv has no column 'scor' (score); did you mean 'score'?" in message
    assert "no column 'sex' (subgroups)" in message


def test_columns_of_lists_are_no_labels() -> None:
    table = read_frame({"y": [["a"], ["b"]], "p": ["a", "b"]}, "f")
    assert "column 'y' of f (target) does not have single values" in told(table, P)


def test_no_row_left(table_of: TableOf) -> None:
    message = told(table_of("y,s\n,1\n1,\n,\n"), S, EXCLUDE)
    assert message.startswith("a.csv: none of 3 rows can be used (y is empty: 2, s is missing: 1)")


def test_repeated_ids_need_a_cluster(table_of: TableOf) -> None:
    table = table_of("y,p,i,c\na,a,7,1\nb,b,8,1\na,a,7,2\nb,a,8,2\n")
    message = told(table, Roles("y", prediction="p", id="i"))
    assert message == (
        "a.csv:4: i is not unique: '7' in row 1 (line 2) and row 3 (line 4), '8' in row 2 "
        "(line 3) and row 4 (line 5); give each row its own id, or declare the `cluster` that "
        "rows belong to"
    )
    assert check(table, Roles("y", prediction="p", id="i", cluster="c"), Rules()).ids is not None
    many = table_of("y,p,i\n" + "".join(f"a,b,{i % 9}\n" for i in range(18)))
    assert "and 4 more;" in told(many, Roles("y", prediction="p", id="i"))


def test_ids_are_text(table_of: TableOf) -> None:
    roles = Roles("y", prediction="p", id="i")
    table = table_of("y,p,i\na,a,9007199254740992\nb,b,9007199254740993\na,b,007\na,b,7\n")
    found = check(table, roles, Rules())
    assert found.ids is not None
    assert found.ids.tolist() == ["9007199254740992", "9007199254740993", "007", "7"]
    assert check(table_of("y,p\na,b\n"), P, Rules()).ids is None
    typed = read_frame({"y": ["a", "b"], "p": ["a", "b"], "i": [2**53, 2**53 + 1]}, "f")
    assert check(typed, roles, Rules()).ids is not None
    mixed = read_frame({"y": ["a", "b"], "p": ["a", "b"], "i": [1, "1"]}, "f")
    assert "'1' in row 1 and row 2" in told(mixed, roles)
    empty = read_frame({"y": ["a", "b"], "p": ["a", "b"], "i": ["", "1"]}, "f")
    assert "i is empty in row 1" in told(empty, roles)


@pytest.mark.parametrize("role", ["score", "margin"])
def test_scores_of_more_than_two_classes_are_refused(table_of: TableOf, role: str) -> None:
    table = table_of("y,s\na,0.1\nb,0.2\nc,0.3\n")
    message = told(table, Roles("y", **{role: "s"}))
    assert f"a {role} needs two classes, a.csv has 3: 'a', 'b', 'c'" in message
    assert "use `scores: {class: column, ...}` or `prediction`" in message


def test_rows_of_one_line_are_named_once(table_of: TableOf) -> None:
    table = replace(table_of("y,p\na,a\nb,\nb,\nb,\n"), kind=np.array([0, 1, 1, 1]))
    assert "p is empty in row 2 (line 3), 3 rows in all; " in told(table, P)


@pytest.mark.parametrize(
    ("stray", "instead"),
    [
        ("NA", "`read: {missing: {y: ['NA']}}` with `missing: exclude` where 'NA' means no value"),
        ("-1", "`map: {'-1': ...}` where it is one of the two"),
        (" 1", "`read: {strip: true}`"),
    ],
)
@pytest.mark.parametrize("declared", [(), ("0", "1"), "all"])
def test_a_label_too_many_for_a_score_is_told_with_what_helps(
    table_of: TableOf, stray: str, instead: str, declared: tuple[str, ...]
) -> None:
    table = table_of(f"y,s\n{stray},0.1\n0,0.1\n1,0.2\n0,0.3\n1,0.4\n")
    message = told(table, S, Rules(declared=("0", "1", stray) if declared == "all" else declared))
    assert f"too many: '{stray}' (row 1 (line 2)); " in message
    assert instead in message
    assert "with `labels`" not in message


def test_one_class_written_in_several_ways_is_told_with_its_map(table_of: TableOf) -> None:
    message = told(table_of("y,p\n0,0.0\n1,1.0\n"), P)
    assert "`map: {'0.0': '0'}`" in message
    assert "`map: {'1.0': '1'}`" in message
    stored = read_frame({"y": ["a", 1], "p": ["1", "a"]}, "f")
    assert "`map: {'1': '1'}`" in told(stored, P)


def test_scores_of_one_class_are_set_against_its_absence(table_of: TableOf) -> None:
    table = table_of("y,s,p\nx,0.1,x\nx,0.2,x\n")
    found = check(table, S, Rules())
    assert (found.labels, found.positive) == (("not x", "x"), 1)
    assert found.actual.tolist() == [1, 1]
    assert found.seen_true == ("x",)
    assert codes(found) == ["one_class"]
    single = check(table, P, Rules())
    assert (single.labels, single.positive) == (("x",), 0)
    declared = check(table, S, Rules(declared=("x", "w")))
    assert (declared.labels, declared.positive) == (("x", "w"), 0)


def test_columns_of_scores_are_matched_by_class(table_of: TableOf) -> None:
    table = table_of("y,prob_dog,prob_cat\ncat,0.1,0.9\ndog,0.9,0.1\ncat,0.2,0.8\n")
    roles = Roles("y", scores={"dog": "prob_dog", "cat": "prob_cat", "bird": "none"})
    assert "no column 'none' (scores)" in told(table, roles)
    found = check(table, Roles("y", scores={"dog": "prob_dog", "cat": "prob_cat"}), Rules())
    assert found.labels == ("cat", "dog")
    assert found.class_scores is not None
    assert found.class_scores.tolist() == [[0.9, 0.1], [0.1, 0.9], [0.8, 0.2]]


def test_each_class_needs_a_column_of_scores(table_of: TableOf) -> None:
    table = table_of("y,a,b\na,0.1,0.9\nc,0.9,0.1\n")
    message = told(table, Roles("y", scores={"a": "a", "b": "b"}))
    assert "classes without a column of scores: 'c'" in message
    both = check(table_of("y,a,b\na,0.1,0.9\n"), Roles("y", scores={"b": "b", "a": "a"}), Rules())
    assert both.labels == ("a", "b")


def test_class_scores_that_are_no_probabilities(table_of: TableOf) -> None:
    roles = Roles("y", scores={"a": "a", "b": "b"})
    assert "do not add up to 1" in told(table_of("y,a,b\na,0.1,0.8\nb,0.5,0.5\n"), roles)
    found = check(table_of("y,a,b\na,3,-2\nb,0.5,0.5\n"), roles, Rules())
    assert codes(found) == ["scores_outside_unit"] * 2


def test_findings_of_scores(table_of: TableOf) -> None:
    table = table_of("y,s\na,-1\nb,2\n")
    assert codes(check(table, S, Rules())) == ["scores_outside_unit"]
    assert codes(check(table, Roles("y", margin="s"), Rules())) == []
    single = read_frame({"y": ["a", "b"], "s": np.array([0.7, 0.1], np.float32)}, "f")
    assert codes(check(single, S, Rules())) == ["float32"]


def test_indeterminate_predictions_follow_the_classes(table_of: TableOf) -> None:
    table = table_of("y,p\na,a\nb,unsure\na,?\nb,a\n")
    found = check(table, P, Rules(indeterminate=("?", "unsure")))
    assert found.labels == ("a", "b")
    assert found.predicted is not None
    assert found.predicted.tolist() == [0, 3, 2, 0]
    assert found.indeterminate == ("?", "unsure")
    assert found.seen_predicted == ("a",)
    assert found.positive == 1


def test_indeterminate_labels_are_no_classes(table_of: TableOf) -> None:
    table = table_of("y,p\na,a\n?,b\n")
    assert "the indeterminate label '?' is in the truth (y, row 2 (line 3))" in told(
        table, P, Rules(indeterminate=("?",))
    )
    table = table_of("y,p\na,a\nb,b\n")
    for rules in (
        Rules(declared=("a", "x"), indeterminate=("x",)),
        Rules(positive={"label": "x"}, indeterminate=("x",)),
    ):
        assert "'x' is declared as a class and as indeterminate" in told(table, P, rules)


def test_clusters_folds_and_groups(table_of: TableOf) -> None:
    table = table_of("y,p,c,f,sex\na,a,z,10,F\nb,b,x,9,\n,a,y,8,Q\na,a,z,9,M\nb,a,x,10,F\n")
    roles = Roles("y", prediction="p", cluster="c", fold="f", subgroups=("sex", "f"))
    found = check(table, roles, EXCLUDE)
    assert found.cluster is not None
    # in the order of their names
    assert (found.cluster[0].tolist(), found.cluster[1]) == ([1, 0, 1, 0], 2)
    assert found.fold is not None
    assert (found.fold[0].tolist(), found.fold[1]) == ([1, 0, 0, 1], ("9", "10"))
    groups, names = found.groups["sex"]
    assert (groups.tolist(), names) == ([0, 2, 1, 0], ("F", "M", "(missing)"))
    assert found.groups["f"][1] == ("9", "10")


def test_no_fold_has_the_name_of_their_mean(table_of: TableOf) -> None:
    table = table_of("y,p,f\na,a,mean\nb,b,2\n")
    said = told(table, Roles("y", prediction="p", fold="f"), Rules())
    assert "f has a fold 'mean', which is the name of the mean over folds" in said


def test_a_group_called_missing_is_not_the_group_without_value(table_of: TableOf) -> None:
    table = table_of("y,p,g\na,a,(missing)\nb,b,\na,b,\n")
    groups, names = check(table, Roles("y", prediction="p", subgroups=("g",)), Rules()).groups["g"]
    assert names == ("(missing)", "(missing, no value)")
    assert groups.tolist() == [0, 1, 1]


def test_truth_alone_can_be_checked(table_of: TableOf) -> None:
    found = check(table_of("y,r\na,1\nb,2\n"), Roles("y", features=("r",)), Rules())
    assert found.predicted is None
    assert found.score is None
    assert found.class_scores is None
    assert found.labels == ("a", "b")


def test_an_empty_typed_label_is_a_class_and_told() -> None:
    table = read_frame({"y": ["", "x"], "p": ["", None]}, "f")
    found = check(table, P, Rules(missing="exclude", positive={"label": ""}))
    assert found.labels == ("",)
    assert found.positive == 0
    assert "hidden_characters" in codes(found)


def test_columns_are_worked_out_once(table_of: TableOf, monkeypatch: pytest.MonkeyPatch) -> None:
    table = table_of("y,p,s,c\na,a,0.5,1\nb,b,0.2,2\n")
    check(table, P, Rules())
    check(table, Roles("y", score="s", cluster="c"), Rules())

    def never(*_: object) -> None:
        raise AssertionError("worked out again")

    monkeypatch.setattr("evalreport.data.scores._numbers", never)
    monkeypatch.setattr("evalreport.data.label_column._label_column", never)
    monkeypatch.setattr("evalreport.data.label_column._texts", never)
    check(table, P, Rules())
    check(table, Roles("y", score="s", cluster="c"), Rules())


def test_roles_list_their_columns() -> None:
    roles = Roles("y", scores={"a": "p_a", "b": "p_b"}, id="i", subgroups=("g",), features=("r",))
    assert roles.columns() == {"y", "p_a", "p_b", "i", "g", "r"}
