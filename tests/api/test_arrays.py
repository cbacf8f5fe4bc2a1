"""Arrays, lists, series and frames give the numbers of scikit-learn and of a spec."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import yaml
from sklearn.metrics import (
    accuracy_score,
    brier_score_loss,
    log_loss,
    matthews_corrcoef,
    recall_score,
    roc_auc_score,
)

import evalreport
from evalreport import DataError, SpecError, UsageError, evaluate

RNG = np.random.default_rng(5)
Y = RNG.integers(0, 2, 60)
P = np.clip(0.35 * Y + 0.65 * RNG.random(60), 0, 1)


def value(results, metric, **where):
    found = results.measures
    found = found[(found["metric"] == metric) & found["subgroup"].map(lambda s: not s)]
    for key, wanted in where.items():
        found = found[found[key] == wanted]
    assert len(found) == 1, found
    return found.iloc[0]["value"]


def test_a_score_gives_the_numbers_of_scikit_learn() -> None:
    results = evaluate(Y, P)
    said = (P >= 0.5).astype(int)
    assert value(results, "recall") == pytest.approx(recall_score(Y, said), abs=1e-15)
    assert value(results, "mcc") == pytest.approx(matthews_corrcoef(Y, said), abs=1e-12)
    assert value(results, "roc_auc") == pytest.approx(roc_auc_score(Y, P), abs=1e-12)
    assert value(results, "log_loss") == pytest.approx(log_loss(Y, P), abs=1e-12)
    assert results.table().to_numpy().sum() == 60
    assert results.cautions["code"].notna().all()
    assert list(results.criteria.columns)[:2] == ["criterion", "text"]
    assert results.comparisons.empty


@pytest.mark.parametrize(
    "form",
    [
        list,
        tuple,
        np.array,
        lambda v: np.array(v).reshape(-1, 1),
        pd.Series,
        lambda v: pd.Series(v, index=range(100, 100 + len(v))),
        lambda v: pd.DataFrame({"v": v})["v"],
    ],
)
def test_every_container_of_rows_means_the_same(form) -> None:
    assert value(
        evaluate(form(Y.tolist()), form(P.tolist()), metrics="roc_auc"), "roc_auc"
    ) == pytest.approx(roc_auc_score(Y, P), abs=1e-12)


@pytest.mark.parametrize(
    ("truth", "largest"),
    [
        (Y.astype(bool), "true"),
        (Y.astype(float), "1"),
        (np.where(Y, "yes", "no"), "yes"),
        (pd.Categorical(np.where(Y, "yes", "no")), "yes"),
        (pd.Series(np.where(Y, 10, 9)), "10"),
        ([np.int64(v) for v in Y], "1"),
    ],
)
def test_labels_of_any_type_name_their_classes(truth, largest) -> None:
    results = evaluate(truth, P, metrics=["recall"])
    assert results.measures.loc[0, "label"] == largest
    assert results.measures.loc[0, "value"] == pytest.approx(recall_score(Y, P >= 0.5))


def test_truth_values_predicted_beside_numbers_are_the_numbers() -> None:
    results = evaluate(Y, y_pred=P >= 0.5, metrics=["accuracy"])
    assert value(results, "accuracy") == pytest.approx(accuracy_score(Y, P >= 0.5))


@pytest.mark.parametrize(
    ("given", "classes", "positive"),
    [
        ([False, True, True], [0, 1], None),
        ([False, True, True], [0, 1], 1),
        ([0, 1, 1], [False, True], True),
        ([0.0, 1.0, 1.0], ["0", "1"], None),
        ([True, True, True], None, 1),
        ([1, 1, 1], None, True),
    ],
)
def test_classes_are_known_by_their_values(given, classes, positive) -> None:
    scores = [0.2, 0.7, 0.4]
    results = evaluate(given, scores, labels=classes, positive=positive, metrics=["accuracy"])
    expected = accuracy_score(np.array(given) == 1, np.array(scores) >= 0.5)
    assert results["accuracy"].value == pytest.approx(expected)
    assert results.json["labels"][0]["positive"] == str(given[-1]).lower().removesuffix(".0")


def test_a_named_positive_class_takes_its_column_of_a_matrix() -> None:
    truth = np.where(Y, "Bad", "Good")
    both = np.stack([P, 1 - P], axis=1)  # columns in the order of the classes: Bad, Good
    results = evaluate(truth, both, positive="Bad", metrics=["roc_auc", "recall"])
    assert value(results, "roc_auc") == pytest.approx(roc_auc_score(Y, P), abs=1e-12)
    assert set(results.measures["label"].dropna()) == {"Bad"}


def test_a_matrix_of_three_classes_and_a_frame_in_another_order_agree() -> None:
    truth = RNG.choice(["cat", "dog", "owl"], 50)
    raw = RNG.random((50, 3)).astype(np.float64)
    shares = raw / raw.sum(axis=1, keepdims=True)
    matrix = evaluate(truth, shares, metrics=["accuracy", "log_loss"])
    frame = evaluate(
        truth,
        pd.DataFrame(shares[:, ::-1], columns=["owl", "dog", "cat"]),
        metrics=["accuracy", "log_loss"],
    )
    expected = log_loss(truth, shares, labels=["cat", "dog", "owl"])
    assert value(matrix, "log_loss") == pytest.approx(expected, abs=1e-12)
    assert value(frame, "log_loss") == pytest.approx(expected, abs=1e-12)


def test_columns_of_a_matrix_are_sorted_as_scikit_learn_sorts_them() -> None:
    truth = RNG.choice(["9", "10", "100"], 50)
    raw = RNG.random((50, 3))
    shares = raw / raw.sum(axis=1, keepdims=True)
    expected = log_loss(truth, shares, labels=["10", "100", "9"])
    assert evaluate(truth, shares, metrics=["log_loss"])["log_loss"].value == pytest.approx(
        expected
    )
    numbers = truth.astype(int)
    expected = log_loss(numbers, shares, labels=[9, 10, 100])
    results = evaluate(numbers, shares, metrics=["log_loss"])
    assert results["log_loss"].value == pytest.approx(expected)
    two = np.where(Y, "10", "9")
    both = np.stack([P, 1 - P], axis=1)  # of 10 and of 9
    found = evaluate(two, both, metrics=["roc_auc"])["roc_auc"].value
    assert found == pytest.approx(roc_auc_score(Y, P), abs=1e-12)


def test_several_models_are_compared_with_the_first() -> None:
    results = evaluate(Y, {"a": P, "b": 1 - P}, y_pred={"rule": Y}, metrics=["accuracy"])
    assert set(results.measures["model"]) == {"a", "b", "rule"}
    compared = results.comparisons
    assert set(compared["reference"]) == {"a"}
    assert {"low", "high", "p_value"} <= set(compared)
    assert value(results, "accuracy", model="rule") == 1


def test_distances_below_zero_are_cut_at_zero() -> None:
    distance = (P - 0.5) * 8
    results = evaluate(Y, distance, metrics=["recall", "roc_auc"])
    assert value(results, "recall") == pytest.approx(recall_score(Y, distance >= 0))


def test_labels_beside_distances_are_of_the_same_model() -> None:
    results = evaluate(Y, P - 0.5, (P >= 0.5).astype(int), metrics=["recall", "roc_auc"])
    assert set(results.measures["model"]) == {"model"}
    assert value(results, "roc_auc") == pytest.approx(roc_auc_score(Y, P))
    assert results.cautions["message"].str.contains("those of score ≥ 0 in all 60 rows").any()


#: Every way to give scores and labels, and every other argument, each of which may go with each.
GIVEN = {
    "score": {"y_score": P},
    "labels": {"y_pred": (P >= 0.5).astype(int)},
    "both": {"y_score": P, "y_pred": (P >= 0.5).astype(int)},
    "distances": {"y_score": P - 0.5},
    "matrix": {"y_score": np.stack([1 - P, P], axis=1)},
    "models": {"y_score": {"a": P, "b": 1 - P}},
    "frame": {"y_score": pd.DataFrame({"a": P, "b": 1 - P})},
}
BESIDE = {
    "positive": 0,
    "labels": [0, 1],
    "sample_weight": np.arange(60) % 3 + 1.0,
    "groups": {"sex": ["F", "M"] * 30},
    "clusters": np.arange(60) // 2,
    "threshold": 0.4,
    "title": "A: title",
}


@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize("beside", [*BESIDE, "all"])
def test_every_argument_goes_with_every_form_of_scores(given, beside) -> None:
    more = BESIDE if beside == "all" else {beside: BESIDE[beside]}
    results = evaluate(Y, **GIVEN[given], metrics=["accuracy", "recall"], **more)
    positive = 0 if "positive" in more else 1
    assert set(results.measures["model"]) == (
        {"a", "b"} if given in ("models", "frame") else {"model"}
    )
    records = results.json
    assert {t["positive"] for t in records["tables"]} == {str(positive)}
    assert ("subgroups" in results.spec) == ("groups" in more)
    assert ("cluster: " in results.spec) == ("clusters" in more)
    assert ("weight: " in results.spec) == ("sample_weight" in more)
    cut = ((0.4 if "threshold" in more and given not in ("labels", "distances") else 0.5) <= P) * 1
    if given == "distances" and "threshold" in more:
        cut = (P - 0.5 >= 0.4) * 1
    # a single score is that of the positive class, whichever that is
    if positive == 0 and given in ("score", "both", "distances", "models", "frame"):
        cut = 1 - cut
    if positive == 0 and given == "matrix":
        cut = 1 - (((0.4 if "threshold" in more else 0.5) <= 1 - P) * 1)
    weights = more.get("sample_weight")
    right = np.average(cut == Y, weights=weights)
    first = results.measures[results.measures["metric"] == "accuracy"].iloc[0]
    assert first["value"] == pytest.approx(right, abs=1e-12)


def test_weights_groups_and_clusters_play_their_parts() -> None:
    weight = RNG.random(60)
    results = evaluate(
        Y,
        P,
        sample_weight=weight,
        groups={"sex": np.where(RNG.random(60) < 0.5, "F", "M")},
        clusters=np.arange(60) // 2,
        metrics=["accuracy"],
        threshold=[0.4, 0.6],
    )
    found = results.measures
    whole = found[found["subgroup"].map(lambda s: not s)]
    assert whole["value"].tolist() == pytest.approx(
        [accuracy_score(Y, t <= P, sample_weight=weight) for t in (0.4, 0.6)]
    )
    assert {tuple(s.items()) for s in found["subgroup"]} == {(), (("sex", "F"),), (("sex", "M"),)}


def test_a_group_named_as_a_column_of_ours_keeps_its_name() -> None:
    results = evaluate(Y, P, groups=pd.DataFrame({"model": Y, 3: Y}), metrics=["recall"])
    named = {key for s in results.measures["subgroup"] for key in s}
    assert named == {"model", "3"}


def test_series_with_one_index_in_two_orders_are_not_paired_by_their_place() -> None:
    truth, score = pd.Series(Y), pd.Series(P)
    order = np.random.default_rng(1).permutation(len(Y))
    shuffled = truth.iloc[order]
    with pytest.raises(DataError, match=r"y_score has the index of y_true in another order"):
        evaluate(shuffled, score)
    with pytest.raises(DataError, match=r"y_score\['new'\].loc\[y_true.index\]"):
        evaluate(shuffled, {"new": score})
    with pytest.raises(DataError, match="groups has the index"):
        evaluate(truth, score, groups=pd.DataFrame({"g": truth.astype(str)}).iloc[order])
    wanted = value(evaluate(truth, score), "roc_auc")
    assert value(evaluate(shuffled, score.loc[shuffled.index]), "roc_auc") == wanted
    # other names for the rows say nothing of their order, and arrays have none
    assert value(evaluate(truth.set_axis(range(500, 560)), score), "roc_auc") == wanted
    assert value(evaluate(shuffled, score.to_numpy()[order]), "roc_auc") == wanted


def test_a_matrix_of_two_classes_that_is_no_distribution_names_the_class_of_the_larger() -> None:
    logits = np.random.default_rng(2).normal(size=(60, 2))
    results = evaluate(Y, logits)
    said, margin = logits.argmax(axis=1), logits[:, 1] - logits[:, 0]
    assert value(results, "accuracy") == accuracy_score(Y, said)
    assert accuracy_score(Y, said) != accuracy_score(Y, logits[:, 1] >= 0)
    assert value(results, "roc_auc") == pytest.approx(roc_auc_score(Y, margin), abs=1e-12)
    assert results.cautions["message"].str.contains("is used as a margin").any()
    assert "log_loss" not in set(results.measures["metric"])
    with pytest.raises(DataError, match="do not add up to 1"):
        evaluate(Y, np.c_[P, P])


def test_the_spec_on_the_saved_rows_gives_the_same_numbers(tmp_path) -> None:
    results = evaluate(
        pd.Series(np.where(Y, "yes", "no")),
        P.astype(np.float32),
        groups={"a b": Y},
        threshold={"maximize": "youden_j"},
        title="Mine: all",
    )
    again = evalreport.run(results.save_spec(tmp_path / "new"))
    kept = ["metric", "value", "low", "high", "threshold"]
    pd.testing.assert_frame_equal(results.measures[kept], again.measures[kept])
    assert yaml.safe_load(results.spec)["title"] == "Mine: all"


@pytest.mark.long
def test_saving_publishes_a_run_that_verifies(tmp_path) -> None:
    results = evaluate(Y, P, metrics=["recall"])
    run = results.save(tmp_path / "runs", formats=["html", "markdown"])
    assert {"results.json", "report.html", "summary.md", "measures.csv", "MANIFEST.json"} <= {
        path.name for path in run.iterdir()
    }
    for command in (["verify", str(run)], ["history", str(tmp_path / "runs")]):
        done = subprocess.run(
            [sys.executable, "-m", "evalreport", *command],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "runs" / "latest").resolve() == run.resolve()
    leading, _, rest = results.to_markdown().partition("\n\n")
    assert leading.startswith("**NO LIMIT SET: Recall is 0.857 ")
    assert rest.startswith("## Evaluation of model")
    shown = results._repr_html_()
    assert shown.count("<iframe") == 1
    assert "results.save(folder)" in shown


@pytest.mark.long
def test_a_pdf_is_written_where_it_is_told(tmp_path) -> None:
    path = evaluate(Y, P, metrics=["recall"]).to_pdf(tmp_path / "a" / "report.pdf")
    assert path.read_bytes().startswith(b"%PDF-")


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: evaluate(Y), DataError, "neither y_score nor y_pred"),
        (lambda: evaluate(Y, P[:9]), DataError, "9 rows, y_true has 60"),
        (lambda: evaluate("abc", P), DataError, "y_true is a str"),
        (lambda: evaluate(None, P), DataError, "y_true is nothing"),
        (lambda: evaluate([], []), DataError, "y_true is empty"),
        (lambda: evaluate(Y, ["a"] * 60), DataError, "row 1 of y_score is 'a'"),
        (lambda: evaluate(Y, np.ones((60, 3))), DataError, "3 columns, and there are 2 classes"),
        (lambda: evaluate(np.ones((60, 3)), P), DataError, "one score per row, and there are 3"),
        (lambda: evaluate(Y, P, positive="ill"), DataError, "positive='ill' is not a class"),
        (lambda: evaluate(Y, P, metrics=["accurcy"]), SpecError, "accuracy"),
        (lambda: evaluate(Y, P, metrics=[recall_score]), SpecError, "function of Python"),
        (lambda: evaluate(Y, P, threshold="half"), SpecError, "half"),
        (lambda: evaluate(Y, P, groups="sex"), DataError, "groups is the text 'sex'"),
        (lambda: evaluate(Y, np.where(Y, np.inf, 0)), DataError, "infinite"),
        (lambda: evaluate(Y, np.where(Y, np.nan, 0)), DataError, "leave such rows out of every"),
        (lambda: evaluate(np.eye(2)[Y], P), DataError, "argmax"),
        (lambda: evaluate(Y, {"a": P}.values()), DataError, "y_score has lists"),
        (lambda: evaluate(Y, y_pred=[{"a"}] * 60), DataError, "y_pred has sets"),
        (lambda: evaluate(Y, {0: 1 - P, 1: P}), DataError, "a mapping of the classes (0, 1)"),
        (lambda: evaluate(Y, P, sample_weight=-P - 1), DataError, "negative"),
        (lambda: evalreport.run(3), UsageError, "spec is a int"),
        (
            lambda: evalreport.run("a.yaml", frames=pd.DataFrame({"y": Y})),
            UsageError,
            "frames={'holdout': frame}",
        ),
        (
            lambda: evalreport.Results(evaluate(Y, P, metrics="recall").json).save("x"),
            UsageError,
            "needs the evaluation",
        ),
    ],
)
def test_wrong_arguments_are_told_in_our_own_words(call, error, says) -> None:
    with pytest.raises(error) as raised:
        call()
    assert says in str(raised.value)


def test_a_spec_of_numpy_values_and_numbered_columns_runs() -> None:
    spec = {
        "evalreport": np.int64(1),
        "datasets": {"d": {"target": 0}},
        "models": {"m": {"score": np.int64(1)}},
        "metrics": ("recall",),
        "thresholds": np.array([0.5]),
    }
    results = evalreport.run(spec, frames={"d": pd.DataFrame({0: Y, 1: P})})
    assert value(results, "recall") == pytest.approx(recall_score(Y, P >= 0.5))


def test_an_estimator_where_a_name_was_meant_is_told_with_its_name() -> None:
    from sklearn.linear_model import LogisticRegression

    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "metrics": ["recall"],
        "models": {"m": {"estimator": LogisticRegression()}},
    }
    with pytest.raises(SpecError) as raised:
        evalreport.run(spec, frames={"d": {"y": Y}})
    assert "'sklearn.linear_model._logistic.LogisticRegression'" in str(raised.value)
    assert "models.m.estimator" in str(raised.value)


def test_a_subgroup_called_as_the_truth_leaves_the_truth_alone() -> None:
    half = [0, 1] * (len(Y) // 2) + [0] * (len(Y) % 2)
    plain = evalreport.evaluate(Y, P, metrics=["recall"])
    found = evalreport.evaluate(Y, P, metrics=["recall"], groups={"y_true": half})
    assert value(found, "recall") == value(plain, "recall")
    groups = found.measures[found.measures["subgroup"].map(bool)]
    assert [dict(one) for one in groups["subgroup"]] == [{"y_true": "0"}, {"y_true": "1"}]


def test_what_rounding_leaves_below_zero_is_a_probability() -> None:
    noisy = np.where(np.arange(len(P)) == int(np.argmin(P)), -1e-17, P)
    results = evalreport.evaluate(Y, noisy, metrics=["recall", "brier"])
    assert set(results.measures["threshold"].dropna()) == {0.5}
    expected = brier_score_loss(Y, np.clip(noisy, 0, 1))
    assert value(results, "brier") == pytest.approx(expected)


def test_labels_beside_scores_of_each_class_are_of_the_same_model() -> None:
    shares = np.array([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1], [0.1, 0.8, 0.1], [0.1, 0.2, 0.7]])
    actual, said = [2, 0, 1, 2], [1, 0, 1, 2]
    alone = evalreport.evaluate(actual, shares, said, metrics=["accuracy"], averaging=["micro"])
    assert alone.measures["model"].unique().tolist() == ["model"]
    assert "labels_differ" in set(alone.cautions["code"])
    models = {"a": shares, "a labels": shares[::-1]}
    both = evalreport.evaluate(
        actual, models, {"a": said}, metrics=["accuracy"], averaging=["micro"]
    )
    found = both.measures.set_index("model")["value"].to_dict()
    # the largest of each row of the second matrix: 2, 1, 0, 2
    assert found == {"a": 1.0, "a labels": 0.5}


def test_public_names_are_listed_and_each_has_an_example() -> None:
    assert dir(evalreport) == sorted(evalreport.__all__)
    for name in ("evaluate", "evaluate_estimator", "run", "scorer", "Results"):
        assert ">>>" in getattr(evalreport, name).__doc__, name
    with pytest.raises(AttributeError, match="evaluat"):
        _ = evalreport.evaluat


@pytest.mark.parametrize("made", [np.array, pd.Series, lambda p: pd.DataFrame({"m": p})])
def test_scores_of_single_precision_are_named(made) -> None:
    scores = np.array([0.7, 0.2] * 6, np.float32)
    found = evaluate([1, 0] * 6, made(scores), threshold=0.7, metrics=["recall"])
    assert "float32_scores" in list(found.cautions.code)
    wide = evaluate([1, 0] * 6, made(scores.astype(float)), threshold=0.7, metrics=["recall"])
    assert "float32_scores" not in list(wide.cautions.code)
    assert wide["recall"].value == found["recall"].value
    both = evaluate([1, 0] * 6, np.stack([1 - scores, scores], axis=1), metrics=["recall"])
    assert "float32_scores" in list(both.cautions.code)


def test_rows_that_are_mappings_are_refused() -> None:
    with pytest.raises(
        DataError, match="rows of y_score of model are mappings; a frame with a col"
    ):
        evaluate(["a", "b"], [{"a": 0.2, "b": 0.8}, {"a": 0.4, "b": 0.6}])


@pytest.mark.parametrize("truth", [[1, "1", 0, "0"], [1, True, 0, False]])
def test_a_class_of_two_types_in_one_column_is_refused_as_in_a_file(truth) -> None:
    for given in (
        {"y_true": truth, "y_pred": [1, 1, 0, 0]},
        {"y_true": [1, 1, 0, 0], "y_pred": truth},
    ):
        with pytest.raises(DataError, match="one class seems to be written in several ways: '1' "):
            evaluate(**given)
    found = evaluate([1, "a", 0], y_pred=[1, "a", 1], metrics=["accuracy"])
    assert found["accuracy"].n == 3


def test_truth_values_are_spelled_as_the_words_beside_them() -> None:
    """Two of three are right, and two classes are known."""
    results = evaluate([True, False, True], y_pred=["True", "False", "False"], metrics=["accuracy"])
    assert value(results, "accuracy") == pytest.approx(2 / 3)
    assert results.json["labels"][0]["order"] == ["False", "True"]
