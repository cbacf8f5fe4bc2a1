"""Sets of labels from Python give the numbers of scikit-learn's multilabel metrics."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.metrics import (
    accuracy_score,
    f1_score,
    hamming_loss,
    jaccard_score,
    label_ranking_average_precision_score,
    precision_score,
    recall_score,
    roc_auc_score,
)

import evalreport
from evalreport import DataError, evaluate

RNG = np.random.default_rng(12)
NAMES = ["cat", "dog", "owl"]
Y = RNG.integers(0, 2, (80, 3))
S = np.clip(0.4 * Y + 0.6 * RNG.random((80, 3)), 0, 1)
SAID = (S >= 0.5).astype(int)
#: Rows with a label in one of both sets: of two empty sets there is no Jaccard index here.
SOME = (Y | SAID).any(axis=1)


def sets(flags):
    return [{name for name, has in zip(NAMES, row, strict=True) if has} for row in flags]


def frame(flags):
    return pd.DataFrame(flags, columns=NAMES)


TRUTHS = {
    "matrix": Y,
    "truth values": Y == 1,
    "sparse": csr_array(Y),
    "frame": frame(Y),
    "sets": sets(Y),
    "tuples": [tuple(sorted(one)) for one in sets(Y)],
    "series of sets": pd.Series(sets(Y)),
    "frozen sets": [frozenset(one) for one in sets(Y)],
}


@pytest.mark.parametrize("form", TRUTHS)
@pytest.mark.parametrize("said", ["matrix", "frame", "sets"])
def test_sets_in_every_form_give_the_numbers_of_scikit_learn(form, said) -> None:
    predicted = {"matrix": SAID, "frame": frame(SAID), "sets": sets(SAID)}[said]
    named = form not in ("matrix", "truth values", "sparse")
    labels = None if named and said != "matrix" else NAMES
    results = evaluate(TRUTHS[form], y_pred=predicted, labels=labels)
    assert results["exact_match"].value == pytest.approx(accuracy_score(Y, SAID))
    assert results["hamming_loss"].value == pytest.approx(hamming_loss(Y, SAID))
    assert results["example_jaccard"].value == pytest.approx(
        jaccard_score(Y[SOME], SAID[SOME], average="samples")
    )
    assert results["recall"].value == pytest.approx(recall_score(Y, SAID, average="macro"))
    assert set(results.measures["label"].dropna()) == set(NAMES)


def test_scores_of_each_label_rank_the_rows_and_the_labels() -> None:
    for scores in (S, pd.DataFrame(S[:, ::-1], columns=NAMES[::-1])):
        results = evaluate(frame(Y), scores)
        assert results["roc_auc"].value == pytest.approx(roc_auc_score(Y, S, average="macro"))
        assert results["label_ranking_average_precision"].value == pytest.approx(
            label_ranking_average_precision_score(Y[Y.any(axis=1)], S[Y.any(axis=1)])
        )
        assert results["exact_match"].value == pytest.approx(accuracy_score(Y, SAID))


@pytest.mark.parametrize("average", ["macro", "micro", "weighted", "samples"])
def test_averages_are_those_that_are_asked_for(average) -> None:
    results = evaluate(Y, y_pred=SAID, metrics=["precision", "f1"], averaging=average)
    assert set(results.measures["average"]) == {average}
    expected = precision_score(Y, SAID, average=average, zero_division=0)
    if average != "samples":  # rows without a predicted label have no precision here
        assert results["precision"].value == pytest.approx(expected)
        assert results["f1"].value == pytest.approx(f1_score(Y, SAID, average=average))


def test_averages_of_classes_are_those_that_are_asked_for() -> None:
    truth, said = RNG.choice(NAMES, 60), RNG.choice(NAMES, 60)
    results = evaluate(truth, y_pred=said, metrics=["recall"], averaging=["weighted", "micro"])
    found = results.measures.set_index("average")["value"]
    for average in ("weighted", "micro"):
        assert found[average] == pytest.approx(recall_score(truth, said, average=average))
    assert len(found) == 2


def test_several_models_groups_weights_and_distances(tmp_path) -> None:
    weight = RNG.random(80) + 0.5
    results = evaluate(
        frame(Y),
        {"a": S - 0.5, "b": S - 0.6},
        groups={"half": np.arange(80) % 2},
        sample_weight=weight,
        metrics=["hamming_loss"],
    )
    assert results["hamming_loss", "a"].value == pytest.approx(
        hamming_loss(Y, SAID, sample_weight=weight)
    )
    assert results["hamming_loss", "b"].value == pytest.approx(
        hamming_loss(Y, S >= 0.6, sample_weight=weight)
    )
    again = evalreport.run(results.save_spec(tmp_path))
    pd.testing.assert_frame_equal(
        results.measures[["metric", "value", "low"]], again.measures[["metric", "value", "low"]]
    )


def test_labels_that_are_only_predicted_are_labels() -> None:
    results = evaluate([{"a"}, {"a", "c"}, set()], y_pred=[{"a", "b"}, {"c"}, set()])
    flags = np.array([[1, 0, 0], [1, 0, 1], [0, 0, 0]])
    said = np.array([[1, 1, 0], [0, 0, 1], [0, 0, 0]])
    assert results["hamming_loss"].value == pytest.approx(hamming_loss(flags, said))
    assert {t["label"] for t in results.json["tables"]} >= {"a", "b", "c"}


def test_columns_of_predicted_labels_are_taken_by_their_names() -> None:
    truth = pd.DataFrame({"a": [1, 0, 1], "b": [0, 1, 1]})
    said = pd.DataFrame({"b": [0, 1, 0], "a": [1, 0, 1]})
    expected = hamming_loss(truth, said[["a", "b"]])
    assert expected == pytest.approx(1 / 6)
    assert evaluate(truth, y_pred=said)["hamming_loss"].value == pytest.approx(expected)
    other = said[["a", "b"]].set_axis(["b", "x"], axis=1)
    with pytest.raises(DataError) as raised:
        evaluate(truth, y_pred=other)
    assert str(raised.value).startswith(
        "y_pred of model has the columns b, x; columns named as the classes (a, b); or labels="
    )
    for by_place, labels in ((other, ["a", "b"]), (other.set_axis([0, 1], axis=1), None)):
        results = evaluate(truth, y_pred=by_place, labels=labels)
        assert results["hamming_loss"].value == pytest.approx(expected)


@pytest.mark.parametrize("given", ["scores", "labels"])
def test_a_label_that_no_set_has_is_of_no_row(given) -> None:
    sets_of_two = [{"a"}, {"b"}, {"a", "b"}]
    flags = np.array([[1, 0, 0], [0, 1, 0], [1, 1, 0]])
    said = np.array([[0, 0, 1], [1, 1, 0], [1, 1, 0]])
    told = pd.DataFrame(0.2 + 0.5 * said if given == "scores" else said, columns=list("abc"))
    results = evaluate(sets_of_two, **{"y_score" if given == "scores" else "y_pred": told})
    assert results["hamming_loss"].value == pytest.approx(hamming_loss(flags, said))
    with pytest.raises(DataError, match="y_true has 2 columns, and there are 3 labels: a, b, c"):
        evaluate(pd.DataFrame(flags[:, :2], columns=list("ab")), told)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: evaluate(np.eye(3)[Y[:, 0]], S), "y_true.argmax(axis=1)"),
        (lambda: evaluate([[0, 1], [1, 1]], y_pred=[[0, 1], [1, 1]]), "indicators or labels"),
        (lambda: evaluate(Y * 2, S), "row 1 of y_true has 2"),
        (lambda: evaluate(Y, S[:, :2]), "has 2 columns, and there are 3"),
        (lambda: evaluate(Y, S[:, 0]), "one score per row, and there are 3 labels: 0, 1, 2"),
        (lambda: evaluate(Y, y_pred=SAID[:, 0]), "y_pred of model has no sets of labels"),
        (lambda: evaluate(Y, y_pred=SAID[:70]), "y_pred of model has 70 rows, y_true has 80"),
        (lambda: evaluate(Y, S, positive=1), "positive is of rows with one label each"),
        (lambda: evaluate(Y, {"a": S, "b": S - 0.5}), "the scores of b are signed distances"),
        (lambda: evaluate([{"a"}, {"b"}], y_pred=[{"a"}, {"b"}], labels=["a"]), "the label 'b'"),
    ],
)
def test_what_is_no_set_of_labels_is_told(call, says) -> None:
    with pytest.raises(DataError) as raised:
        call()
    assert says in str(raised.value)


def test_labels_that_are_not_known_are_left_out_label_by_label() -> None:
    """A dog may be in row 3 or not: recall of dogs is over the other rows, exact match over all."""
    flags = frame(Y.astype(float))
    flags.loc[2, "dog"] = np.nan
    results = evaluate(flags, y_pred=frame(SAID), metrics=["recall", "exact_match"])
    known = np.arange(80) != 2
    assert results["exact_match"].value == pytest.approx(accuracy_score(Y[known], SAID[known]))
    own = [recall_score(Y[rows, k], SAID[rows, k]) for k, rows in ((0, slice(None)), (1, known))]
    by_label = results.measures.set_index(["metric", "label"])["value"]
    assert [by_label["recall", "cat"], by_label["recall", "dog"]] == pytest.approx(own)
    flags.loc[2, "dog"] = -1
    with pytest.raises(DataError, match="NaN where it is not known"):
        evaluate(flags, y_pred=frame(SAID))
