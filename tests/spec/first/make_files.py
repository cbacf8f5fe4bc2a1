"""Writes the prediction files of this folder, each with the code of what it stands for.

    python tests/spec/first/make_files.py tests/spec/first/files

Needs pandas, scikit-learn, polars, xgboost, lightgbm, openpyxl, sqlite3 and Rscript; a
file whose library is absent is left as it is, and named. The numbers are made up.
"""

from __future__ import annotations

import csv
import gzip
import json
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

RNG = np.random.default_rng(20)
N = 120
Y = (RNG.random(N) < 0.4).astype(int)
P = np.round(np.clip(0.28 + 0.4 * Y + RNG.normal(0, 0.2, N), 0.004, 0.996), 6)
Q = np.round(np.clip(0.35 + 0.25 * Y + RNG.normal(0, 0.2, N), 0.004, 0.996), 6)
AGE = RNG.integers(19, 91, N)
SEX = np.where(RNG.random(N) < 0.5, "F", "M")
SMOKER = (RNG.random(N) < 0.3).astype(int)
ANIMALS = np.array(["cat", "dog", "owl"])
Z = RNG.integers(0, 3, N)
RAW = RNG.random((N, 3)) + 1.2 * np.eye(3)[Z]
SHARES = RAW / RAW.sum(axis=1, keepdims=True)
MAKERS: dict[str, Callable[[Path], None]] = {}


def makes(name: str) -> Callable[[Callable[[Path], None]], Callable[[Path], None]]:
    def keep(make: Callable[[Path], None]) -> Callable[[Path], None]:
        MAKERS[name] = make
        return make

    return keep


@makes("pandas_with_index.csv")
def _(path: Path) -> None:
    pd.DataFrame({"y_true": Y, "y_score": P}).to_csv(path)


@makes("pandas_index_twice.csv")
def _(path: Path) -> None:
    first = path.with_suffix(".tmp")
    pd.DataFrame({"target": Y, "proba": P}).to_csv(first)
    pd.read_csv(first).to_csv(path)
    first.unlink()


@makes("sklearn_predict_proba.csv")
def _(path: Path) -> None:
    from sklearn.linear_model import LogisticRegression

    x = np.stack([AGE / 50, SMOKER, P], axis=1)
    model = LogisticRegression().fit(x, Y)
    frame = pd.DataFrame(model.predict_proba(x), columns=["proba_0", "proba_1"])
    frame.insert(0, "y_true", Y)
    frame.insert(1, "y_pred", model.predict(x))
    frame.to_csv(path, index=False)


@makes("sklearn_proba_classes.csv")
def _(path: Path) -> None:
    frame = pd.DataFrame(SHARES, columns=[f"proba_{name}" for name in ANIMALS])
    frame["y_true"] = ANIMALS[Z]
    frame.to_csv(path, index=False)


@makes("columns_named_as_classes.csv")
def _(path: Path) -> None:
    frame = pd.DataFrame(SHARES.round(4), columns=ANIMALS)
    frame.insert(0, "species", ANIMALS[Z])
    frame.to_csv(path, index=False)


@makes("sklearn_decision_function.csv")
def _(path: Path) -> None:
    pd.DataFrame({"y_test": Y, "decision_function": np.round((P - 0.5) * 6, 5)}).to_csv(
        path, index=False
    )


@makes("bare_model_names.csv")
def _(path: Path) -> None:
    pd.DataFrame({"y": Y, "rf": P, "lr": Q}).to_csv(path, index=False)


@makes("models_beside_features.csv")
def _(path: Path) -> None:
    pd.DataFrame(
        {
            "id": range(1, N + 1),
            "age": AGE,
            "smoker": SMOKER,
            "sex": SEX,
            "outcome": Y,
            "xgb_prob": P,
            "logreg_prob": Q,
        }
    ).to_csv(path, index=False)


@makes("two_models_with_labels.csv")
def _(path: Path) -> None:
    pd.DataFrame(
        {
            "label": Y,
            "rf_proba": P,
            "rf_pred": (P >= 0.5).astype(int),
            "lr_proba": Q,
            "lr_pred": (Q >= 0.5).astype(int),
        }
    ).to_csv(path, index=False)


@makes("labels_only.csv")
def _(path: Path) -> None:
    said = ANIMALS[SHARES.argmax(axis=1)]
    pd.DataFrame({"actual": ANIMALS[Z], "predicted": said}).to_csv(path, index=False)


@makes("good_bad.csv")
def _(path: Path) -> None:
    pd.DataFrame({"class": np.where(Y, "Bad", "Good"), "score": P}).to_csv(path, index=False)


@makes("good_bad_score_of_good.csv")
def _(path: Path) -> None:
    pd.DataFrame({"class": np.where(Y, "Bad", "Good"), "score": 1 - P}).to_csv(path, index=False)


@makes("benign_malignant_probability_named.csv")
def _(path: Path) -> None:
    pd.DataFrame({"diagnosis": np.where(Y, "malignant", "benign"), "p_malignant": P}).to_csv(
        path, index=False
    )


@makes("first_class_is_positive.csv")
def _(path: Path) -> None:
    pd.DataFrame(
        {
            "truth": np.where(Y, "abnormal", "normal"),
            "probability": P,
            "prediction": np.where(P >= 0.5, "abnormal", "normal"),
        }
    ).to_csv(path, index=False)


@makes("booleans.csv")
def _(path: Path) -> None:
    pd.DataFrame({"y_true": Y.astype(bool), "y_pred": P >= 0.5, "y_prob": P}).to_csv(
        path, index=False
    )


@makes("floats_because_of_gaps.csv")
def _(path: Path) -> None:
    said = pd.Series((P >= 0.5).astype(float))
    said[[3, 40]] = np.nan
    pd.DataFrame({"y_true": Y, "y_pred": said}).to_csv(path, index=False)


@makes("gaps_in_scores.csv")
def _(path: Path) -> None:
    score = pd.Series(P)
    score[[0, 9, 77]] = np.nan
    pd.DataFrame({"y_true": Y, "score": score}).to_csv(path, index=False)


@makes("percent_sign.csv")
def _(path: Path) -> None:
    with path.open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["patient_id", "outcome", "risk"])
        out.writerows(
            [f"P{i:04d}", ("no", "yes")[y], f"{p:.1%}"]
            for i, (y, p) in enumerate(zip(Y, P, strict=True))
        )


@makes("percent_numbers.csv")
def _(path: Path) -> None:
    pd.DataFrame({"truth": Y, "probability_percent": np.round(P * 100, 2)}).to_csv(
        path, index=False
    )


@makes("spreadsheet_german.csv")
def _(path: Path) -> None:
    text = pd.DataFrame(
        {"Fall": range(1, N + 1), "true_label": np.where(Y, "krank", "gesund"), "Score": P}
    ).to_csv(index=False, sep=";", decimal=",", lineterminator="\r\n")
    path.write_bytes(("\ufeff" + text).encode("utf-8"))


@makes("spreadsheet_windows.csv")
def _(path: Path) -> None:
    text = pd.DataFrame({"outcome": np.where(Y, "décédé", "vivant"), "score": P}).to_csv(
        index=False, sep=";", decimal=",", lineterminator="\r\n"
    )
    path.write_bytes(text.encode("cp1252"))


@makes("spreadsheet_unicode.txt")
def _(path: Path) -> None:
    text = pd.DataFrame({"y_true": Y, "score": P}).to_csv(index=False, sep="\t")
    path.write_bytes(text.encode("utf-8"))


@makes("spreadsheet.xlsx")
def _(path: Path) -> None:
    pd.DataFrame(
        {"case": range(1, N + 1), "Actual": np.where(Y, "yes", "no"), "Model score": P}
    ).to_excel(path, index=False, sheet_name="Results")


@makes("polars.csv")
def _(path: Path) -> None:
    import polars as pl

    pl.DataFrame({"id": list(range(N)), "y": Y.tolist(), "prediction": P.tolist()}).write_csv(path)


@makes("polars.parquet")
def _(path: Path) -> None:
    import polars as pl

    pl.DataFrame({"label": Y.tolist(), "score": P.tolist()}).write_parquet(
        path, compression="uncompressed"
    )


@makes("pandas.parquet")
def _(path: Path) -> None:
    frame = pd.DataFrame({"y_true": Y, "y_score": P}, index=[f"r{i}" for i in range(N)])
    frame.to_parquet(path, compression=None)


@makes("pandas_records.jsonl")
def _(path: Path) -> None:
    pd.DataFrame({"target": np.where(Y, "spam", "ham"), "spam_probability": P}).to_json(
        path, orient="records", lines=True
    )


@makes("pandas.csv.gz")
def _(path: Path) -> None:
    text = pd.DataFrame({"y_true": Y, "y_prob": P}).to_csv(index=False)
    path.write_bytes(gzip.compress(text.encode(), mtime=0))


@makes("pandas_tabs.tsv")
def _(path: Path) -> None:
    pd.DataFrame({"gold": ANIMALS[Z], "pred": ANIMALS[SHARES.argmax(axis=1)]}).to_csv(
        path, sep="\t", index=False
    )


@makes("xgboost_predict.csv")
def _(path: Path) -> None:
    import xgboost as xgb

    x = np.stack([AGE / 50, SMOKER, P], axis=1)
    booster = xgb.train(
        {"objective": "binary:logistic", "seed": 1, "nthread": 1},
        xgb.DMatrix(x, label=Y),
        num_boost_round=5,
    )
    pd.DataFrame({"label": Y, "prediction": booster.predict(xgb.DMatrix(x))}).to_csv(
        path, index=False
    )


@makes("xgboost_softprob.csv")
def _(path: Path) -> None:
    import xgboost as xgb

    booster = xgb.train(
        {"objective": "multi:softprob", "num_class": 3, "seed": 1, "nthread": 1},
        xgb.DMatrix(RAW, label=Z),
        num_boost_round=5,
    )
    frame = pd.DataFrame(
        booster.predict(xgb.DMatrix(RAW)), columns=["class_0", "class_1", "class_2"]
    )
    frame.insert(0, "y_true", Z)
    frame.to_csv(path, index=False)


@makes("lightgbm_predict.csv")
def _(path: Path) -> None:
    import lightgbm as lgb

    x = np.stack([AGE / 50, SMOKER, P], axis=1)
    model = lgb.train(
        {"objective": "binary", "seed": 1, "verbose": -1, "num_threads": 1},
        lgb.Dataset(x, label=Y),
        num_boost_round=5,
    )
    pd.DataFrame({"y_test": Y, "y_pred": model.predict(x)}).to_csv(path, index=False)


@makes("hugging_face_pipeline.jsonl")
def _(path: Path) -> None:
    with path.open("w") as file:
        for number, (y, p) in enumerate(zip(Y, P, strict=True)):
            said = "POSITIVE" if p >= 0.5 else "NEGATIVE"
            answer = {"label": said, "score": round(float(max(p, 1 - p)), 6)}
            line = {"text": f"review {number}", "reference": ("NEGATIVE", "POSITIVE")[y], **answer}
            file.write(json.dumps(line) + "\n")


@makes("hugging_face_scores.jsonl")
def _(path: Path) -> None:
    with path.open("w") as file:
        for number, (z, row) in enumerate(zip(Z, SHARES, strict=True)):
            line = {"idx": number, "gold_label": str(ANIMALS[z])}
            line |= {f"score_{n}": float(v) for n, v in zip(ANIMALS, row, strict=True)}
            file.write(json.dumps(line) + "\n")


@makes("language_model_answers.jsonl")
def _(path: Path) -> None:
    with path.open("w") as file:
        for number, (z, row) in enumerate(zip(Z, SHARES, strict=True)):
            line = {
                "id": f"q-{number}",
                "prompt": f"Which animal is number {number}?",
                "ground_truth": str(ANIMALS[z]),
                "prediction": str(ANIMALS[row.argmax()]),
            }
            file.write(json.dumps(line) + "\n")


@makes("long_format.csv")
def _(path: Path) -> None:
    frame = pd.DataFrame(SHARES, columns=ANIMALS)
    frame["id"], frame["truth"] = np.arange(N), ANIMALS[Z]
    frame.melt(["id", "truth"], var_name="class", value_name="probability").sort_values(
        ["id", "class"]
    ).to_csv(path, index=False)


@makes("database_dump.csv")
def _(path: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.db"
        _fill(file)
        text = subprocess.run(
            ["sqlite3", "-header", "-csv", "-nullvalue", "NULL", str(file), "SELECT * FROM scored"],
            capture_output=True,
            check=True,
        )
        path.write_bytes(text.stdout)


@makes("database_dump_bars.txt")
def _(path: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.db"
        _fill(file)
        text = subprocess.run(
            [
                "sqlite3",
                "-header",
                "-separator",
                "|",
                str(file),
                "SELECT account_id, defaulted, risk_score FROM scored",
            ],
            capture_output=True,
            check=True,
        )
        path.write_bytes(text.stdout)


def _fill(file: Path) -> None:
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE scored (account_id, defaulted, risk_score, scored_at)")
        rows = [
            (1000 + i, int(y), None if i % 50 == 7 else float(p), "2026-05-01")
            for i, (y, p) in enumerate(zip(Y, P, strict=True))
        ]
        connection.executemany("INSERT INTO scored VALUES (?, ?, ?, ?)", rows)


def _r(path: Path, call: str) -> None:
    """Let R write a frame ``d`` with outcome, prob and pred."""
    values = ", ".join(f"{p}" for p in P)
    labels = ", ".join(f'"{"yes" if y else "no"}"' for y in Y)
    code = (
        f"d <- data.frame(outcome = c({labels}), prob = c({values})); "
        'd$pred <- ifelse(d$prob >= 0.5, "yes", "no"); ' + call.replace("FILE", str(path))
    )
    subprocess.run(["Rscript", "-e", code], check=True, capture_output=True)


@makes("r_write_csv.csv")
def _(path: Path) -> None:
    _r(path, 'write.csv(d, "FILE")')


@makes("r_write_csv2.csv")
def _(path: Path) -> None:
    _r(path, 'write.csv2(d, "FILE", row.names = FALSE)')


@makes("r_with_na.csv")
def _(path: Path) -> None:
    _r(
        path,
        'd$prob[c(2, 5)] <- NA; write.csv(d[, c("outcome", "prob")], "FILE", row.names = FALSE)',
    )


@makes("r_write_table.tsv")
def _(path: Path) -> None:
    _r(path, r'write.table(d, "FILE", sep = "\t", row.names = FALSE, quote = FALSE)')


@makes("r_tidymodels.csv")
def _(path: Path) -> None:
    _r(
        path,
        "e <- data.frame(.pred_no = 1 - d$prob, .pred_yes = d$prob, .pred_class = d$pred, "
        '.row = seq_len(nrow(d)), truth = d$outcome); write.csv(e, "FILE", '
        "row.names = FALSE)",
    )


@makes("r_caret.csv")
def _(path: Path) -> None:
    _r(
        path,
        "e <- data.frame(pred = d$pred, obs = d$outcome, no = 1 - d$prob, yes = d$prob, "
        'rowIndex = seq_len(nrow(d))); write.csv(e, "FILE", row.names = FALSE)',
    )


@makes("spark_parts")
def _(path: Path) -> None:
    """As DataFrame.write.csv(header=True) leaves a folder: parts, their sums, a marker."""
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir()
    frame = pd.DataFrame(
        {"label": Y.astype(float), "prediction": (P >= 0.5).astype(float), "probability": P}
    )
    for part in range(3):
        name = f"part-{part:05d}-6f0b7f2e-c000.csv"
        frame.iloc[part * 40 : (part + 1) * 40].to_csv(path / name, index=False)
        (path / f".{name}.crc").write_bytes(b"crc\0")
    (path / "_SUCCESS").write_bytes(b"")


@makes("mlflow_eval_table.csv")
def _(path: Path) -> None:
    pd.DataFrame({"target": Y, "prediction": (P >= 0.5).astype(int), "prediction_score": P}).to_csv(
        path, index=False
    )


@makes("survey_weights.csv")
def _(path: Path) -> None:
    pd.DataFrame(
        {
            "y_true": Y,
            "y_score": P,
            "sample_weight": np.round(RNG.random(N) + 0.5, 3),
            "site": np.where(RNG.random(N) < 0.5, "north", "south"),
        }
    ).to_csv(path, index=False)


@makes("minus_one_and_one.csv")
def _(path: Path) -> None:
    pd.DataFrame({"y": 2 * Y - 1, "svm": np.round((P - 0.5) * 4, 6)}).to_csv(path, index=False)


@makes("capitals_differ.csv")
def _(path: Path) -> None:
    pd.DataFrame(
        {"Actual": np.where(Y, "Yes", "No"), "Predicted": np.where(P >= 0.5, "YES", "NO")}
    ).to_csv(path, index=False)


@makes("out_of_fold.csv")
def _(path: Path) -> None:
    pd.DataFrame({"row_id": range(N), "fold": np.arange(N) % 5, "y": Y, "oof_proba": P}).to_csv(
        path, index=False
    )


@makes("confusable_names.csv")
def _(path: Path) -> None:
    pd.DataFrame(
        {
            "outcome": np.where(Y, "ill", "well"),
            "chill": np.round(RNG.random(N), 3),
            "had": SMOKER,
            "prob_ill": P,
            "prob_well": np.round(1 - P, 6),
        }
    ).to_csv(path, index=False)


SAYS = (P >= 0.5).astype(int)
SAID = np.where(P >= 0.5, "yes", "no")
NAMED = np.where(Y, "yes", "no")
REST = np.round(1 - P, 6)
LOG_ODDS = np.round(np.log(P / (1 - P)), 6)


def as_lines(path: Path, rows: list[dict[str, object]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


@makes("sas_logistic.csv")
def _(path: Path) -> None:
    """PROC LOGISTIC; OUTPUT OUT= PREDPROBS=I, as PROC EXPORT writes it."""
    pd.DataFrame({"_FROM_": Y, "_INTO_": SAYS, "IP_0": REST, "IP_1": P, "_LEVEL_": 1}).to_csv(
        path, index=False
    )


@makes("sas_dots.csv")
def _(path: Path) -> None:
    shown = ["." if row in (3, 9) else f"{p:.6f}" for row, p in enumerate(P)]
    pd.DataFrame({"outcome": Y, "p_1": shown}).to_csv(path, index=False)


@makes("knime.csv")
def _(path: Path) -> None:
    """CSV Writer behind a learner's Predictor node, with the row keys."""
    frame = {"Row ID": [f"Row{i}" for i in range(N)], "Churn": NAMED}
    frame |= {"P (Churn=no)": REST, "P (Churn=yes)": P, "Prediction (Churn)": SAID}
    pd.DataFrame(frame).to_csv(path, index=False)


@makes("weka.csv")
def _(path: Path) -> None:
    """The output of predictions as CSV: the probability of what is predicted."""
    frame = {
        "inst#": range(1, N + 1),
        "actual": [f"{1 + y}:{name}" for y, name in zip(Y, NAMED, strict=True)],
        "predicted": [f"{1 + s}:{name}" for s, name in zip(SAYS, SAID, strict=True)],
        "error": np.where(Y == SAYS, "", "+"),
        "prediction": np.maximum(P, REST).round(3),
    }
    pd.DataFrame(frame).to_csv(path, index=False)


@makes("rapidminer.csv")
def _(path: Path) -> None:
    frame = {"id": range(N), "label": NAMED, "prediction(label)": SAID}
    frame |= {"confidence(no)": REST, "confidence(yes)": P}
    pd.DataFrame(frame).to_csv(path, index=False)


@makes("orange.csv")
def _(path: Path) -> None:
    """Test and Score, its predictions saved: two learners side by side."""
    frame: dict[str, object] = {"disease": NAMED}
    for name, score in {"Logistic Regression": P, "Random Forest": Q}.items():
        frame[name] = np.where(score >= 0.5, "yes", "no")
        frame[f"{name} (no)"], frame[f"{name} (yes)"] = np.round(1 - score, 6), score
    pd.DataFrame({**frame, "Fold": np.arange(N) % 5 + 1}).to_csv(path, index=False)


@makes("azure_designer.csv")
def _(path: Path) -> None:
    frame = {"age": AGE, "income": NAMED, "Scored Labels": SAID, "Scored Probabilities": P}
    pd.DataFrame(frame).to_csv(path, index=False)


@makes("azure_automl.csv")
def _(path: Path) -> None:
    frame = {"orig_y": Y, "predicted_y": SAYS}
    frame |= {"predicted_proba_0": REST, "predicted_proba_1": P}
    pd.DataFrame(frame).to_csv(path, index=False)


@makes("h2o_predictions.csv")
def _(path: Path) -> None:
    """h2o.cbind(model.predict(frame), frame["y"]), exported."""
    pd.DataFrame({"predict": SAYS, "p0": REST, "p1": P, "y": Y}).to_csv(path, index=False)


@makes("catboost_eval.tsv")
def _(path: Path) -> None:
    """catboost calc --output-columns SampleId,Label,RawFormulaVal,Probability,Class."""
    frame = {"SampleId": range(N), "Label": Y, "RawFormulaVal": LOG_ODDS}
    pd.DataFrame({**frame, "Probability": P, "Class": SAYS}).to_csv(path, index=False, sep="\t")


@makes("lightgbm_raw.csv")
def _(path: Path) -> None:
    """predict(raw_score=True): log odds."""
    pd.DataFrame({"label": Y, "raw_score": LOG_ODDS}).to_csv(path, index=False)


@makes("ml_net.csv")
def _(path: Path) -> None:
    frame = {"Label": Y == 1, "PredictedLabel": SAYS == 1, "Score": LOG_ODDS, "Probability": P}
    pd.DataFrame(frame).to_csv(path, index=False)


@makes("datarobot.csv")
def _(path: Path) -> None:
    frame = {
        "row_id": range(N),
        "readmitted_1_PREDICTION": P,
        "readmitted_0_PREDICTION": REST,
        "readmitted_PREDICTION": SAYS,
        "THRESHOLD": 0.5,
        "POSITIVE_CLASS": 1,
        "readmitted": Y,
    }
    pd.DataFrame(frame).to_csv(path, index=False)


@makes("dataiku.csv")
def _(path: Path) -> None:
    frame = {"churn": Y, "proba_0": REST, "proba_1": P, "prediction": SAYS}
    right = np.where(SAYS == Y, "true", "false")
    pd.DataFrame({**frame, "prediction_correct": right}).to_csv(path, index=False)


@makes("matlab.csv")
def _(path: Path) -> None:
    """[Yhat, scores] = predict(model, X), written by writetable: columns count from 1."""
    frame = {"Y": Y, "Yhat": SAYS, "scores_1": REST, "scores_2": P}
    pd.DataFrame(frame).to_csv(path, index=False)


@makes("spss.csv")
def _(path: Path) -> None:
    """LOGISTIC REGRESSION /SAVE=PRED PGROUP."""
    pd.DataFrame({"default": Y, "PRE_1": P, "PGR_1": SAYS}).to_csv(path, index=False)


@makes("r_broom.csv")
def _(path: Path) -> None:
    """write.csv(broom::augment(fit, type.predict = "response"))."""
    frame = {".rownames": range(1, N + 1), "case": Y, "age": AGE, ".fitted": P}
    frame |= {".resid": np.round(Y - P, 4), ".hat": 0.01, ".cooksd": 0.001}
    pd.DataFrame(frame).to_csv(path, index=False, quoting=csv.QUOTE_NONNUMERIC)


@makes("fastai.csv")
def _(path: Path) -> None:
    frame: dict[str, object] = {"fname": [f"img/{i}.jpg" for i in range(N)], "label": ANIMALS[Z]}
    frame["pred"] = ANIMALS[SHARES.argmax(axis=1)]
    frame |= {name: SHARES[:, i].round(5) for i, name in enumerate(ANIMALS)}
    pd.DataFrame(frame).to_csv(path, index=False)


@makes("hugging_face_trainer.jsonl")
def _(path: Path) -> None:
    """trainer.predict(): label_ids and one logit for each class."""
    logits = np.log(SHARES).round(5).tolist()
    rows = zip(Z.tolist(), logits, strict=True)
    as_lines(path, [{"label_ids": z, "logits": own} for z, own in rows])


@makes("prodigy.jsonl")
def _(path: Path) -> None:
    """prodigy db-out of a textcat.teach session: the truth is the answer."""
    rows = enumerate(zip(Y.tolist(), P.tolist(), strict=True))
    as_lines(
        path,
        [
            {
                "text": f"Text {row}",
                "_input_hash": 1000 + row,
                "_task_hash": -row,
                "label": "SPAM",
                "score": p,
                "answer": "accept" if y else "reject",
                "_view_id": "classification",
            }
            for row, (y, p) in rows
        ],
    )


@makes("bigquery_ml.jsonl")
def _(path: Path) -> None:
    """ML.PREDICT, exported as JSON lines: the probabilities are a list of records."""
    rows = zip(Y.tolist(), SAYS.tolist(), P.tolist(), strict=True)
    as_lines(
        path,
        [
            {
                "predicted_label": str(said),
                "predicted_label_probs": [{"label": "1", "prob": p}, {"label": "0", "prob": 1 - p}],
                "label": str(y),
            }
            for y, said, p in rows
        ],
    )


@makes("spreadsheet_percent_comma.csv")
def _(path: Path) -> None:
    lines = ["Befund;Wahrscheinlichkeit"]
    for y, p in zip(Y, P, strict=True):
        shown = f"{100 * p:.4f}".replace(".", ",")
        lines.append(f"{'positiv' if y else 'negativ'};{shown} %")
    path.write_text("\r\n".join(lines) + "\r\n", "utf-8")


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in MAKERS.items():
        try:
            make(folder / name)
        except (ImportError, OSError, subprocess.CalledProcessError) as error:
            print(f"{name}: left as it is, {type(error).__name__}: {error}")
    print(f"{len(MAKERS)} files")


if __name__ == "__main__":
    main()
