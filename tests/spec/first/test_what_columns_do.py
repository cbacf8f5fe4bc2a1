"""``init`` goes by what columns hold: how they agree with the truth, and with each other.

Every file holds the same 120 rows; what `run` makes of the first spec is held against scikit-learn.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml
from sklearn.metrics import accuracy_score, roc_auc_score
from spec.first.make_files import ANIMALS, SEX, SMOKER, P, Q, Y, Z

from evalreport.cli import status_of
from evalreport.spec.column_agreement import agrees, spelling
from evalreport.spec.column_names import positive_by_words

N = len(Y)
SAYS = (P >= 0.5).astype(int)
SURE = np.round(np.maximum(P, 1 - P), 6)
RIGHT, AUC = accuracy_score(Y, SAYS), roc_auc_score(Y, P)
WORDS = np.array(["no", "yes"])
#: Scores of three classes of which the largest is right in most rows and not in all.
MIXED = np.random.default_rng(5).random((N, 3)) + 0.55 * np.eye(3)[Z]
SHARES = np.round(MIXED / MIXED.sum(axis=1, keepdims=True), 4)
LARGEST = SHARES.argmax(axis=1)
VECTORS = [f"[{1 - p:.6f},{p:.6f}]" for p in P]


def first(folder: Path, columns: dict[str, Any] | pd.DataFrame) -> tuple[dict[str, Any], str, Any]:
    """The first spec of a file, as data and as text, and what a run of it finds."""
    pd.DataFrame(columns).to_csv(folder / "d.csv", index=False)
    return first_of(folder)


def first_of(folder: Path, name: str = "d.csv") -> tuple[dict[str, Any], str, Any]:
    spec, runs = folder / "d.yaml", folder / "runs"
    assert status_of(["init", str(folder / name)]) == 0
    assert status_of(["run", str(spec), "-o", str(runs), "--formats", "json", "--quiet"]) == 0
    results = json.loads((runs / "latest" / "results.json").read_text())
    return yaml.safe_load(spec.read_text()), spec.read_text(), results


def value(results: Any, metric: str, average: str | None = None) -> float:
    (found,) = [
        m["value"]
        for m in results["measures"]
        if (m["metric"], m["average"], m["subgroup"]) == (metric, average, {})
        and (average is not None or len(results["tables"][0]["labels"]) == 2)
    ]
    return float(found)


def long_table() -> pd.DataFrame:
    """A row for each case and model, cases one after the other."""
    both = [
        pd.DataFrame({"patient_id": range(N), "model": name, "truth": Y, "score": scores})
        for name, scores in (("forest", P), ("logreg", Q))
    ]
    return pd.concat(both).sort_values(["patient_id", "model"])


def test_a_long_table_by_model_has_a_model_for_each(tmp_path) -> None:
    spec, _, results = first(tmp_path, long_table())
    assert spec["datasets"]["data"]["read"]["pivot"]["column"] == "model"
    assert {m["dataset"]: m["n"] for m in results["measures"]} == {"data": N}
    areas = {m["model"]: m["value"] for m in results["measures"] if m["metric"] == "roc_auc"}
    expected = {"forest": AUC, "logreg": roc_auc_score(Y, Q)}
    assert areas == pytest.approx(expected, abs=1e-12)


def test_names_of_models_are_never_labels(tmp_path) -> None:
    """Without names of the cases nothing pairs the rows of two models: that is said."""
    spec, text, _ = first(tmp_path, long_table().drop(columns="patient_id"))
    assert spec["models"] == {"score": {"score": "score"}}
    assert spec["subgroups"] == ["model"]
    assert "model seems to name the model of each row" in text


@pytest.mark.parametrize(
    ("truth", "label", "score"),
    [
        (("y", [0, 1]), ("pred", ["LABEL_0", "LABEL_1"]), "score"),
        (("y", [0, 1]), ("model_says", ["no", "yes"]), "conf"),
        (("churn", ["no", "yes"]), ("$L-churn", ["no", "yes"]), "$LP-churn"),
        (("truth", ["well", "ill"]), ("machine", ["B", "A"]), "certainty_score"),
        (("status", [0, 1]), ("grp", [False, True]), "conf"),
    ],
)
def test_confidence_in_the_label_is_no_score_of_a_class(tmp_path, truth, label, score) -> None:
    """Read as a score of the positive class its area is far from that of the model."""
    columns = {
        truth[0]: np.array(truth[1])[Y],
        label[0]: np.array(label[1])[SAYS],
        score: SURE,
        "sex": SEX,
        "smoker": np.array(["smokes", "does not"])[SMOKER],
    }
    spec, text, results = first(tmp_path, columns)
    assert spec["models"] == {label[0]: {"prediction": label[0]}}
    assert spec["subgroups"] == ["sex", "smoker"]
    assert value(results, "accuracy") == pytest.approx(RIGHT, abs=1e-15)
    assert f"{score} is the confidence in {label[0]}" in text
    assert abs(roc_auc_score(Y, SURE) - AUC) > 0.2


def test_the_eight_rows_by_hand(tmp_path) -> None:
    """Six of eight labels are right; the score read as that of class 1 made it five."""
    (tmp_path / "d.csv").write_text(
        "text,label,pred,score\na,1,LABEL_1,0.95\nb,1,LABEL_1,0.9\nc,1,LABEL_0,0.6\n"
        "d,0,LABEL_0,0.7\ne,0,LABEL_1,0.55\nf,1,LABEL_1,0.8\ng,0,LABEL_0,0.58\nh,1,LABEL_1,0.85\n"
    )
    assert value(first_of(tmp_path)[2], "accuracy") == 6 / 8


def test_a_confidence_that_nothing_calls_a_score_is_told_too(tmp_path) -> None:
    """Turned for the rows called no, ``sure`` ranks the rows as the scores of yes do."""
    columns = {"y": Y, "model_says": WORDS[SAYS], "sure": SURE}
    spec, text, _ = first(tmp_path, columns)
    assert spec["models"] == {"model_says": {"prediction": "model_says"}}
    assert "# assumed: sure is the confidence in model_says" in text


def test_a_score_cut_elsewhere_is_a_score(tmp_path) -> None:
    """All scores above one half, and labels that follow from them, are no confidences."""
    high = 0.5 + P / 2
    columns = {"y": Y, "pred": (high >= 0.8).astype(int), "score": high}
    spec, _, results = first(tmp_path, columns)
    assert spec["models"] == {"model": {"score": "score", "prediction": "pred"}}
    assert value(results, "roc_auc") == pytest.approx(AUC, abs=1e-12)


def test_a_score_that_is_never_low_is_told(tmp_path) -> None:
    spec, text, _ = first(tmp_path, {"y": Y, "score": SURE})
    assert spec["models"] == {"score": {"score": "score"}}
    assert "# look at this: score is never below 0.5: is it the confidence" in text


def test_confidence_is_seen_where_most_rows_are_positive(tmp_path) -> None:
    """Of 77 % positives the confidence ranks well by itself; the label says that it is none."""
    rng = np.random.default_rng(77)
    truth = (rng.random(600) < 0.77).astype(int)
    p = 1 / (1 + np.exp(-(2 * (truth - 0.5) + rng.normal(0, 1, 600) + np.log(0.77 / 0.23))))
    says, sure = (p >= 0.5).astype(int), np.maximum(p, 1 - p).round(4)
    assert 0.7 < roc_auc_score(truth, sure) < roc_auc_score(truth, p)
    columns = {"churn": WORDS[truth], "$L-churn": WORDS[says], "score": sure}
    spec, text, results = first(tmp_path, columns)
    assert spec["models"] == {"$L-churn": {"prediction": "$L-churn"}}
    assert "score is the confidence in $L-churn" in text
    assert value(results, "accuracy") == pytest.approx(accuracy_score(truth, says), abs=1e-15)


def test_labels_that_agree_no_more_than_chance_are_a_subgroup(tmp_path) -> None:
    columns = {"y": WORDS[Y], "score": P, "smoker": WORDS[SMOKER], "sex": SEX}
    spec, _, _ = first(tmp_path, columns)
    assert spec["models"] == {"score": {"score": "score"}}
    assert spec["subgroups"] == ["smoker", "sex"]


def test_the_truth_once_more_is_no_model(tmp_path) -> None:
    columns = {"y": Y, "score": P, "group": np.array(["well", "ill"])[Y]}
    assert first(tmp_path, columns)[0]["models"] == {"score": {"score": "score"}}


def test_spellings_that_would_turn_the_truth_round_are_not_mapped(tmp_path) -> None:
    """Labels 0 and 1 of a truth of 1 and 2: one map for both columns has no place for them."""
    columns = {"y": Y + 1, "score": P, "pred": SAYS}
    spec, text, results = first(tmp_path, columns)
    assert "map" not in spec["datasets"]["data"]
    assert "pred seems to write 0 for 1, 1 for 2, and y does not; it is not used" in text
    assert spec["positive"] == {"label": "2"}
    assert value(results, "roc_auc") == pytest.approx(AUC, abs=1e-12)


def test_of_one_and_two_the_data_or_else_the_largest_is_positive(tmp_path) -> None:
    assert first(tmp_path, {"y": Y + 1, "pred": SAYS + 1})[0]["positive"] == {"label": "2"}
    assert positive_by_words(["1", "2"]) is None
    assert positive_by_words(["0", "1"]) == positive_by_words(["-1", "1"]) == ("1", True)
    assert positive_by_words(["-1", "0"]) is None


def test_scores_that_are_higher_for_the_first_of_two_are_of_it(tmp_path) -> None:
    spec, _, results = first(tmp_path, {"y": 2 - Y, "score": P})
    assert spec["positive"] == {"label": "1"}
    assert value(results, "roc_auc") == pytest.approx(AUC, abs=1e-12)


@pytest.mark.parametrize("blank", [" ", "  ", "\t"])
def test_a_blank_after_each_comma_is_no_part_of_a_name(tmp_path, blank) -> None:
    rows = [f"{i},{blank}{y},{blank}{p}" for i, (y, p) in enumerate(zip(Y, P, strict=True))]
    (tmp_path / "d.csv").write_text("\n".join([f"id,{blank}y,{blank}score", *rows]) + "\n")
    spec, _, results = first_of(tmp_path)
    assert spec["datasets"]["data"]["read"] == {"strip": True}
    assert value(results, "roc_auc") == pytest.approx(AUC, abs=1e-12)


def test_a_spreadsheet_names_its_delimiter_in_its_first_line(tmp_path) -> None:
    rows = [f"{y};{str(p).replace('.', ',')};" for y, p in zip(Y, P, strict=True)]
    (tmp_path / "d.csv").write_text("\n".join(["sep=;", "y;score;", *rows]) + "\n")
    spec, _, results = first_of(tmp_path)
    assert spec["datasets"]["data"]["read"] == {"decimal": ","}
    assert value(results, "roc_auc") == pytest.approx(AUC, abs=1e-12)


def test_quotes_escaped_by_a_backslash_are_declared(tmp_path) -> None:
    rows = [f'{y},{p},"say \\"{y}\\", please"' for y, p in zip(Y, P, strict=True)]
    (tmp_path / "d.csv").write_text("\n".join(["y,score,comment", *rows]) + "\n")
    spec, _, results = first_of(tmp_path)
    assert spec["datasets"]["data"]["read"] == {"escape": "\\"}
    assert value(results, "roc_auc") == pytest.approx(AUC, abs=1e-12)


def test_confidence_in_one_of_three_labels_is_told(tmp_path) -> None:
    columns = {"y": ANIMALS[Z], "pred": ANIMALS[LARGEST], "score": SHARES.max(axis=1)}
    spec, text, results = first(tmp_path, columns)
    assert spec["models"] == {"pred": {"prediction": "pred"}}
    assert "score is the confidence in pred" in text
    assert value(results, "accuracy", "micro") == pytest.approx(accuracy_score(Z, LARGEST))


def test_padded_labels_are_predictions(tmp_path) -> None:
    """As SAS writes the class into which a row goes."""
    columns = {"BAD": Y, "I_BAD": [str(s).rjust(12) for s in SAYS], "P_BAD1": P}
    spec, _, results = first(tmp_path, columns)
    assert spec["models"] == {"P_BAD1": {"score": "P_BAD1", "prediction": "I_BAD"}}
    assert value(results, "roc_auc") == pytest.approx(AUC, abs=1e-12)
    assert value(results, "accuracy") == pytest.approx(RIGHT, abs=1e-15)


@pytest.mark.parametrize(
    "vectors",
    [
        VECTORS,
        [f"[{1 - p:.6f} {p:.6f}]" for p in P],
        [f"array([{1 - p:.6f}, {p:.6f}], dtype=float32)" for p in P],
        [f"DenseVector([{1 - p:.6f}, {p:.6f}])" for p in P],
    ],
)
def test_a_list_of_probabilities_in_a_cell_is_a_model(tmp_path, vectors) -> None:
    columns = {"label": Y, "probability": vectors, "prediction": SAYS.astype(float)}
    spec, text, results = first(tmp_path, columns)
    assert spec["models"] == {"probability": {"scores": "probability"}}
    assert "subgroups" not in spec
    assert "in the order of the classes: 0, 1: the largest is prediction in every row" in text
    assert value(results, "roc_auc") == pytest.approx(AUC, abs=1e-12)
    assert value(results, "accuracy") == pytest.approx(RIGHT, abs=1e-15)


def test_lists_of_json_lines_are_a_model(tmp_path) -> None:
    rows = [{"label": int(y), "probs": [1 - p, p]} for y, p in zip(Y, P, strict=True)]
    (tmp_path / "d.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    spec, _, results = first_of(tmp_path, "d.jsonl")
    assert spec["models"] == {"probs": {"scores": "probs"}}
    assert value(results, "roc_auc") == pytest.approx(AUC, abs=1e-12)


def test_of_two_lists_the_probabilities_are_taken(tmp_path) -> None:
    raw = [f"[{3 - 6 * p:.6f},{6 * p - 3:.6f}]" for p in P]
    columns = {"label": Y, "rawPrediction": raw, "probability": VECTORS, "prediction": SAYS}
    spec, text, _ = first(tmp_path, columns)
    assert list(spec["models"]) == ["probability"]
    assert "rawPrediction is not used: probability has probabilities" in text


def test_the_order_of_a_list_follows_from_the_label_beside_it(tmp_path) -> None:
    """Indexes by how frequent a label is: the first number is of "well", the last by its name."""
    turned = [f"[{1 - p:.6f},{p:.6f}]" for p in P]
    truth = np.array(["well", "ill"])[Y]
    columns = {"status": truth, "probability": turned, "prediction": SAYS.astype(float)}
    spec, _, results = first(tmp_path, columns)
    assert spec["datasets"]["data"]["labels"] == ["well", "ill"]
    assert spec["positive"] == {"label": "ill"}
    assert value(results, "roc_auc") == pytest.approx(AUC, abs=1e-12)


@pytest.mark.parametrize("beside", [None, "said"])
def test_columns_of_classes_with_other_names_are_one_model(tmp_path, beside) -> None:
    scores = {name: SHARES[:, i] for i, name in enumerate(["prob_LOW", "prob_MID", "prob_HIGH"])}
    columns = {"y": Z, **scores, **({} if beside is None else {beside: ANIMALS[LARGEST]})}
    spec, text, results = first(tmp_path, columns)
    (model,) = spec["models"].values()
    assert model == {"scores": {"0": "prob_LOW", "1": "prob_MID", "2": "prob_HIGH"}}
    reason = (
        "the largest agrees with y in" if beside is None else "the largest is said in every row"
    )
    assert reason in text
    assert value(results, "accuracy", "micro") == pytest.approx(accuracy_score(Z, LARGEST))
    even = SHARES / SHARES.sum(axis=1, keepdims=True)
    expected = roc_auc_score(Z, even, multi_class="ovr", average="macro")
    assert value(results, "roc_auc", "macro") == pytest.approx(expected, abs=1e-3)


def test_columns_that_nothing_tells_apart_are_named_where_no_model_is_found(
    tmp_path, capsys
) -> None:
    """Shares that have nothing to do with the classes: made-up values, the same for each class."""
    shares = np.random.default_rng(3).dirichlet([2, 2, 2], N).round(4)
    columns = {"y": Z, **{name: shares[:, i] for i, name in enumerate(["sand", "silt", "clay"])}}
    pd.DataFrame(columns).to_csv(tmp_path / "d.csv", index=False)
    assert status_of(["init", str(tmp_path / "d.csv")]) == 3
    assert "sand, silt, clay add up to 1, and nothing shows which class" in capsys.readouterr().err


def test_two_columns_that_add_up_are_told_apart_by_the_truth(tmp_path) -> None:
    columns = {"y": Y, "prob_HIGH": P, "prob_LOW": np.round(1 - P, 6)}
    spec, _, results = first(tmp_path, columns)
    (model,) = spec["models"].values()
    assert model == {"score": "prob_HIGH"}
    assert value(results, "roc_auc") == pytest.approx(AUC, abs=1e-12)


@pytest.mark.parametrize("cell", ["Total", "\u22120.31", "-inf", "#DIV/0!"])
def test_one_bad_cell_is_named_and_hides_no_column(tmp_path, cell, capsys) -> None:
    scores: list[Any] = list(P)
    scores[7] = cell
    spec, text, results = first(tmp_path, {"y": Y, "score": scores, "other": Q})
    told = f"score holds {cell!r} in row 8 (line 9), which is not a number"
    assert told in text
    assert told in capsys.readouterr().err
    assert spec["datasets"]["data"]["read"] == {"missing": {"score": [cell]}}
    rows = next(r for r in results["rows"] if r["model"] == "score")
    assert (rows["used"], rows["excluded"]) == (
        N - 1,
        [{"reason": "score is missing", "count": 1}],
    )
    kept = np.delete(np.arange(N), 7)
    found = next(
        m["value"] for m in results["measures"] if (m["metric"], m["model"]) == ("roc_auc", "score")
    )
    assert found == pytest.approx(roc_auc_score(Y[kept], P[kept]), abs=1e-12)


def test_many_bad_cells_are_named_where_no_model_is_found(tmp_path, capsys) -> None:
    """Minus signs of typography in every second row."""
    scores = [str(round(p - 0.45, 3)).replace("-", "\u2212") for p in P]
    pd.DataFrame({"y": Y, "logit": scores}).to_csv(tmp_path / "d.csv", index=False)
    assert status_of(["init", str(tmp_path / "d.csv")]) == 3
    bad = sum("\u2212" in text for text in scores)
    row = next(i for i, text in enumerate(scores) if "\u2212" in text)
    told = capsys.readouterr().err
    assert f"d.csv:{row + 2}: {bad} of {N} values of logit are not numbers, first " in told


def test_codes_for_no_value_hold_in_their_column(tmp_path) -> None:
    """NA is no score; it is a country, and of two labels one."""
    scores: list[Any] = list(P)
    scores[3] = "NA"
    columns = {"y": Y, "score": scores, "country": np.where(SMOKER, "NA", "ZA")}
    spec, _, results = first(tmp_path, columns)
    assert spec["datasets"]["data"]["read"] == {"missing": {"score": ["NA"]}}
    groups = {m["subgroup"]["country"] for m in results["measures"] if m["subgroup"]}
    assert groups == {"NA", "ZA"}


def test_spellings_and_agreement() -> None:
    assert spelling(["LABEL_1"], ["0", "1"]) == {"LABEL_1": "1"}
    assert spelling(["LABEL_0", "LABEL_10"], ["0", "1"]) is None
    assert spelling(["negative", "positive"], ["0", "1"]) == {"negative": "0", "positive": "1"}
    assert spelling(["f", "m"], ["0", "1"]) is None
    # kappa by hand: 8 of 10 right, chance (6 * 6 + 4 * 4) / 100 = 0.52, so 0.28 / 0.48 = 0.58,
    # but 0.28 is less than three standard errors, 3 * sqrt(0.52 * 0.48 / 10) = 0.47
    truth, said = list("aaaaaabbbb"), list("aaaaabbbba")
    assert not agrees(truth, said)
    assert agrees(truth * 3, said * 3)


@pytest.mark.parametrize(
    "rows", ["0,0.1\n1,0.6\nTotal,", "0,0.1\n0,0.6\nTotal,1.2", "0,0\n1,1\ntotal:,1"]
)
def test_a_last_line_of_totals_is_named_and_no_class(tmp_path, capsys, rows) -> None:
    (tmp_path / "d.csv").write_text(f"y,p\n{rows}\n")
    assert (
        status_of(["init", str(tmp_path / "d.csv"), "--yes", "-o", str(tmp_path / "s.yaml")]) == 3
    )
    assert "the last line has totals" in capsys.readouterr().err
    assert not (tmp_path / "s.yaml").exists()
