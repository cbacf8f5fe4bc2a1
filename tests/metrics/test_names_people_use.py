"""Names of metrics as people write them, F-alpha, and thresholds that are no probability."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics as peer

from evalreport.errors import SpecError
from evalreport.metrics import catalogue
from evalreport.metrics.catalogue import find, known_names, suggestion
from evalreport.metrics.combined import fbeta
from evalreport.metrics.tables import Counts
from evalreport.verify.recompute import recompute
from tests.trap_runs import one, results_of

COLUMNS = {
    "y": ["p"] * 10 + ["n"] * 30,
    "says": ["p"] * 7 + ["n"] * 3 + ["p"] * 5 + ["n"] * 25,
    "score": [0.9] * 6 + [1.0] + [0.2] * 3 + [0.6] * 4 + [1.0] + [0.1] * 25,
}


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("true_positive_rate", "recall"),
        ("hit_rate", "recall"),
        ("false_positive_rate", "fpr"),
        ("type_i_error", "fpr"),
        ("type_ii_error", "fnr"),
        ("positive_predictive_value", "precision"),
        ("negative_predictive_value", "npv"),
        ("success_rate", "accuracy"),
        ("logloss", "log_loss"),
        ("f_measure", "f1"),
        ("false_alarm_ratio", "fdr"),
    ],
)
def test_words_of_the_texts_lead_to_their_metric(word: str, meant: str):
    found = find(word)
    assert found is not None
    assert found.name == meant


def test_suggestions_are_slips_of_the_pen_and_nothing_else():
    assert suggestion("acuracy") == "did you mean 'accuracy'?"
    assert suggestion("specifity") == "did you mean 'specificity'?"
    assert suggestion("rocauc") == "did you mean 'roc_auc'?"
    assert suggestion("F-Measure") == "did you mean 'f_measure'?"
    assert suggestion("f0.5_score") == "did you mean {fbeta: {beta: 0.5}}?"
    # Each of these was once taken for its opposite, or for something else.
    for word in ("loss_rate", "recall_rate", "win_rate", "rmse", "npw", "true_rate"):
        assert suggestion(word) is None, word


def test_no_name_is_suggested_for_another_metric():
    """Leave one name out, ask for it: what is suggested is the same metric or nothing false."""
    opposites = {("tpr", "tnr"), ("fpr", "fnr"), ("recall", "precision")}
    for word in known_names():
        hint = suggestion(word + "x") if len(word) > 3 else None
        if hint is not None:
            told = hint.removeprefix("did you mean ").rstrip("?").strip("'")
            assert (find(word).name, told) not in opposites  # type: ignore[union-attr]
            assert find(word) in {find(part.strip("'")) for part in told.split(" or ")}


def test_f_alpha_is_van_rijsbergens():
    made = results_of(
        COLUMNS, {"prediction": "says"}, [{"fbeta": {"alpha": 0.2}}, "f1"], positive={"label": "p"}
    )
    found = one(made, "fbeta")
    # alpha = 1 / (1 + beta^2), so 0.2 is beta 2.
    expected = peer.fbeta_score(COLUMNS["y"], COLUMNS["says"], beta=2, pos_label="p")
    assert found["value"] == pytest.approx(expected, abs=1e-14)
    assert found["params"] == {"alpha": 0.2}
    assert found["formula"] == "TP / (TP + 0.2 * FP + 0.8 * FN)"
    assert found["interval"]["low"] < expected < found["interval"]["high"]
    assert not recompute(made).problems
    cells = Counts(tp=7, fp=5, fn=3, tn=25)
    assert float(fbeta(cells, alpha=0.5).exact()) == pytest.approx(one(made, "f1")["value"])


def test_beta_and_alpha_together_are_refused():
    with pytest.raises(SpecError, match="fbeta takes beta or alpha, not both"):
        results_of(COLUMNS, {"prediction": "says"}, [{"fbeta": {"alpha": 0.2, "beta": 2}}])


@pytest.mark.parametrize("threshold", [0.0, 1.0])
def test_net_benefit_is_undefined_where_the_threshold_is_no_probability(threshold: float):
    made = results_of(
        COLUMNS,
        {"score": "score"},
        ["net_benefit", "recall"],
        thresholds=[threshold],
        positive={"label": "p"},
    )
    found = one(made, "net_benefit")
    assert (found["state"], found["value"], found["interval"]) == ("undefined", None, None)
    assert found["reason"] == (
        f"its threshold is a probability above 0 and below 1, not {threshold:g}"
    )
    assert one(made, "recall")["state"] == "value"
    assert not recompute(made).problems


def test_net_benefit_of_two_models_at_a_threshold_of_one_has_no_difference():
    made = results_of(
        {**COLUMNS, "other": COLUMNS["score"][::-1]},
        {"score": "score"},
        ["net_benefit"],
        models={"o": {"score": "other"}},
        thresholds=[1.0],
        comparisons={"reference": "m"},
    )
    assert all(c["difference"] is None for c in made["comparisons"])


def test_brier_of_several_classes_ends_at_two():
    labels = ["a", "b", "c"] * 4
    wrong = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]] * 4, float)
    columns = {"y": labels, **{f"p{k}": wrong[:, i] for i, k in enumerate("abc")}}
    scores = {"scores": {k: f"p{k}" for k in "abc"}}
    found = one(results_of(columns, scores, ["brier"]), "brier")
    assert found["value"] == 2.0
    declared = find("brier")
    assert declared is not None
    assert (declared.range_of(2), declared.range_of(3)) == ((0.0, 1.0), (0.0, 2.0))
    assert "over more classes 0 to 2" in declared.meaning


def test_what_no_metric_declares_is_an_error() -> None:
    with pytest.raises(LookupError, match="caution no_such"):
        catalogue.of_caution("no_such")
    with pytest.raises(LookupError, match="line curvature"):
        catalogue.of_line("curvature")


def test_what_texts_call_one_number_is_one_number():
    """The definitions by hand: 7 and 5 of 40 rows wrong, by class and by label."""
    actual, said = [1] * 10 + [0] * 30, [1] * 7 + [0] * 3 + [1] * 5 + [0] * 25
    cells = Counts(tp=7, fp=5, fn=3, tn=25)
    by_hand = {
        "classification_accuracy": 32 / 40,
        "recognition_rate": 32 / 40,
        "error": 8 / 40,
        "failure_rate": 8 / 40,
        # the mean of 3 of 10 and 5 of 30
        "class_balanced_error": (3 / 10 + 5 / 30) / 2,
    }
    assert by_hand["class_balanced_error"] == pytest.approx(
        1 - peer.balanced_accuracy_score(actual, said)
    )
    for word, value in by_hand.items():
        metric = find(word)
        assert metric is not None
        assert float(metric(cells).exact()) == pytest.approx(value, abs=1e-15), word
    for word, name in (
        ("exact_match_ratio", "exact_match"),
        ("binary_cross_entropy", "log_loss"),
        ("mean_square_error", "squared_error"),
    ):
        assert find(word) is find(name)


def test_what_is_no_metric_names_what_to_write():
    for word in ("confusion_matrix", "Confusion matrix", "roc_curve", "precision_recall_curve"):
        assert (suggestion(word) or "").startswith("leave it out"), word
    for word, told in catalogue.NO_METRICS.items():
        assert find(word) is None
        assert suggestion(word) == told
    # every metric that a hint tells to write is one
    named = ("roc_auc", "average_precision", "ece", "error_rate", "hamming_loss")
    assert {find(name).name for name in named} == set(named)  # type: ignore[union-attr]
    # a loss that weighs both kinds of mistake has another value than the one that does not
    with pytest.raises(SpecError, match=r"extended_hamming_loss.*alpha_evaluation"):
        results_of(COLUMNS, {"prediction": "says"}, ["extended_hamming_loss"])
