"""Files as people and libraries write them: ``init`` and ``run`` mean what their author meant.

Scores of the files are those of ``make_files``, so the expected areas come from
scikit-learn and the arrays there; a wrong class or column gives another area.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from sklearn.metrics import roc_auc_score
from spec.first import make_files as made

from evalreport.cli import status_of

pytestmark = pytest.mark.long_but_first


FILES = Path(__file__).parent / "files"
AUC_P, AUC_Q = roc_auc_score(made.Y, made.P), roc_auc_score(made.Y, made.Q)
RIGHT_P = float(np.mean((made.P >= 0.5) == made.Y))


def without(*rows: int) -> float:
    kept = np.delete(np.arange(made.N), rows)
    return float(roc_auc_score(made.Y[kept], made.P[kept]))


def of_file(name: str, label: str, score: str) -> float:
    frame = pd.read_csv(FILES / name)
    return float(roc_auc_score(frame[label], frame[score]))


DUMPED = without(7, 57, 107)
ONE = {"one": AUC_P}
#: The positive class (None for more than two), and areas of the models in their order.
EXPECTED: dict[str, tuple[str | None, list[float]]] = {
    "azure_automl.csv": ("1", [AUC_P]),
    "azure_designer.csv": ("yes", [AUC_P]),
    "bare_model_names.csv": ("1", [AUC_P, AUC_Q]),
    "benign_malignant_probability_named.csv": ("malignant", [AUC_P]),
    "bigquery_ml.jsonl": ("1", []),
    "booleans.csv": ("True", [AUC_P]),
    "capitals_differ.csv": ("Yes", []),
    "catboost_eval.tsv": ("1", [AUC_P]),
    "columns_named_as_classes.csv": (None, [1.0]),
    "confusable_names.csv": ("ill", [AUC_P]),
    "database_dump.csv": ("1", [DUMPED]),
    "database_dump_bars.txt": ("1", [DUMPED]),
    "dataiku.csv": ("1", [AUC_P]),
    "datarobot.csv": ("1", [AUC_P]),
    "fastai.csv": (None, [1.0]),
    "first_class_is_positive.csv": ("abnormal", [AUC_P]),
    "floats_because_of_gaps.csv": ("1", []),
    "gaps_in_scores.csv": ("1", [without(0, 9, 77)]),
    "good_bad.csv": ("Bad", [AUC_P]),
    "good_bad_score_of_good.csv": ("Good", [AUC_P]),
    "h2o_predictions.csv": ("1", [AUC_P]),
    "hugging_face_pipeline.jsonl": ("POSITIVE", []),
    "hugging_face_scores.jsonl": (None, [1.0]),
    "hugging_face_trainer.jsonl": (None, [1.0]),
    "knime.csv": ("yes", [AUC_P]),
    "labels_only.csv": (None, []),
    "language_model_answers.jsonl": (None, []),
    "lightgbm_predict.csv": ("1", [of_file("lightgbm_predict.csv", "y_test", "y_pred")]),
    "lightgbm_raw.csv": ("1", [AUC_P]),
    "long_format.csv": (None, [1.0]),
    "matlab.csv": ("1", [AUC_P]),
    "minus_one_and_one.csv": ("1", [AUC_P]),
    "ml_net.csv": ("True", [AUC_P]),
    "mlflow_eval_table.csv": ("1", [AUC_P]),
    "models_beside_features.csv": ("1", [AUC_P, AUC_Q]),
    "orange.csv": ("yes", [AUC_P, AUC_Q]),
    "out_of_fold.csv": ("1", [AUC_P]),
    "pandas.csv.gz": ("1", [AUC_P]),
    "pandas.parquet": ("1", [AUC_P]),
    "pandas_index_twice.csv": ("1", [AUC_P]),
    "pandas_records.jsonl": ("spam", [AUC_P]),
    "pandas_tabs.tsv": (None, []),
    "pandas_with_index.csv": ("1", [AUC_P]),
    "percent_numbers.csv": ("1", [of_file("percent_numbers.csv", "truth", "probability_percent")]),
    "percent_sign.csv": ("yes", [roc_auc_score(made.Y, [float(f"{p:.1%}"[:-1]) for p in made.P])]),
    "polars.csv": ("1", [AUC_P]),
    "polars.parquet": ("1", [AUC_P]),
    "prodigy.jsonl": ("accept", [AUC_P]),
    "r_broom.csv": ("1", [AUC_P]),
    "r_caret.csv": ("yes", [AUC_P]),
    "r_tidymodels.csv": ("yes", [AUC_P]),
    "r_with_na.csv": ("yes", [without(1, 4)]),
    "r_write_csv.csv": ("yes", [AUC_P]),
    "r_write_csv2.csv": ("yes", [AUC_P]),
    "r_write_table.tsv": ("yes", [AUC_P]),
    "rapidminer.csv": ("yes", [AUC_P]),
    "sas_dots.csv": ("1", [without(3, 9)]),
    "sas_logistic.csv": ("1", [AUC_P]),
    "sklearn_decision_function.csv": ("1", [AUC_P]),
    "sklearn_predict_proba.csv": ("1", [of_file("sklearn_predict_proba.csv", "y_true", "proba_1")]),
    "sklearn_proba_classes.csv": (None, [1.0]),
    "spark_parts": ("1.0", [AUC_P]),
    "spreadsheet.xlsx": ("yes", [AUC_P]),
    "spreadsheet_german.csv": ("krank", [AUC_P]),
    "spreadsheet_percent_comma.csv": ("positiv", [AUC_P]),
    "spreadsheet_unicode.txt": ("1", [AUC_P]),
    "spreadsheet_windows.csv": ("d\u00e9c\u00e9d\u00e9", [AUC_P]),
    "spss.csv": ("1", [AUC_P]),
    "survey_weights.csv": ("1", []),
    "two_models_with_labels.csv": ("1", [AUC_P, AUC_Q]),
    "weka.csv": ("2:yes", []),
    "xgboost_predict.csv": ("1", [of_file("xgboost_predict.csv", "label", "prediction")]),
    "xgboost_softprob.csv": (None, [1.0]),
}


@pytest.fixture(name="written")
def first_spec(tmp_path, monkeypatch):
    """Write a first spec for a file, and run it unchanged; the spec and the results."""

    def make(name: str, *options: str):
        monkeypatch.chdir(tmp_path)
        source = FILES / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, tmp_path / name)
        spec = tmp_path / "first.yaml"
        assert status_of(["init", name, "-o", "first.yaml", *options]) == 0
        assert status_of(["run", "first.yaml", "--formats", "json", "--quiet"]) == 0
        results = json.loads((tmp_path / "runs" / "latest" / "results.json").read_text())
        return spec.read_text(), results

    return make


def areas(results) -> list[float]:
    return [
        m["value"]
        for m in results["measures"]
        if m["metric"] == "roc_auc"
        and not m["subgroup"]
        and m["average"] in (None, "macro")
        and (m["average"] == "macro" or len(results["tables"][0]["labels"]) == 2)
    ]


def test_the_script_writes_every_file() -> None:
    assert set(made.MAKERS) == set(EXPECTED) == {path.name for path in FILES.iterdir()}
    assert len(EXPECTED) >= 70


@pytest.mark.nightly_but_each(2)
@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_a_file_means_what_its_author_meant(written, name: str) -> None:
    text, results = written(name)
    positive, expected = EXPECTED[name]
    assert results["tables"][0]["positive"] == positive, text
    if expected:
        assert areas(results) == pytest.approx(expected, abs=1e-9), text
    spec = yaml.safe_load(text)
    assert spec["models"]
    assert text.startswith("# yaml-language-server: $schema=")
    if not expected and positive is None:
        right = next(m for m in results["measures"] if m["metric"] == "accuracy")
        assert right["value"] == 1.0


def test_columns_without_telling_names_are_taken_where_they_agree(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    pd.DataFrame(
        {"truth": made.Y, "alice": (made.P > 0.5).astype(int), "smoker": made.SMOKER}
    ).to_csv("d.csv", index=False)
    assert status_of(["init", "d.csv"]) == 0
    text = Path("d.yaml").read_text()
    assert yaml.safe_load(text)["models"] == {"alice": {"prediction": "alice"}}
    assert "# assumed: alice: used as predicted labels" in text


def test_what_the_data_cannot_say_is_said(written) -> None:
    text, _ = written("hugging_face_pipeline.jsonl")
    assert "# assumed: score is the confidence in label" in text


def test_labels_beside_scores_are_held_against_them(written) -> None:
    text, results = written("sklearn_predict_proba.csv")
    assert "score: proba_1, prediction: y_pred" in text
    assert len({m["model"] for m in results["measures"]}) == 1


def test_gaps_are_left_out_and_said(written) -> None:
    text, results = written("database_dump.csv")
    assert "missing: exclude   # rows lack risk_score in 3" in text
    assert "read: {missing: {risk_score: [NULL]}}" in text.replace('"', "")
    assert results["rows"][0]["excluded"] == [{"reason": "risk_score is missing", "count": 3}]


def test_an_area_far_below_one_half_is_said_at_once(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    pd.DataFrame({"y_true": made.Y, "y_score": 1 - made.P}).to_csv("d.csv", index=False)
    assert status_of(["init", "d.csv"]) == 0
    assert f"its ROC AUC for 1 is {1 - AUC_P:.2f}, far below one half" in capsys.readouterr().err
    assert "# look at this: y_score" in Path("d.yaml").read_text()


def unsure(folder: Path) -> None:
    pd.DataFrame(
        {"class": np.where(made.Y, "red", "blue"), "said": np.where(made.P > 0.5, "red", "blue")}
    ).to_csv(folder / "d.csv", index=False)


def test_a_terminal_is_asked_which_class_is_positive(tmp_path, monkeypatch, capsys) -> None:
    import sys

    monkeypatch.chdir(tmp_path)
    unsure(tmp_path)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("click.prompt", lambda *_args, **_named: "blue")
    assert status_of(["init", "d.csv", "-o", "asked.yaml"]) == 0
    assert "positive: {label: blue}" in Path("asked.yaml").read_text()
    assert "# assumed" not in Path("asked.yaml").read_text()
    assert status_of(["init", "d.csv", "-o", "yes.yaml", "--yes"]) == 0
    assert "positive: {label: red}" in Path("yes.yaml").read_text()
    assert "# assumed: red is assumed to be the positive class" in Path("yes.yaml").read_text()
    assert status_of(["init", "d.csv", "-o", "said.yaml", "--positive", "blue"]) == 0
    assert "positive: {label: blue}" in Path("said.yaml").read_text()
    assert status_of(["init", "d.csv", "-o", "no.yaml", "--positive", "bleu"]) == 2
    assert "did you mean 'blue'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "status", "says"),
    [
        ("a,b\n1.5,2.5\n3.5,4.5\n", 3, "true label"),
        ("y,name\n0,ann\n1,bob\n0,cem\n1,dan\n", 3, "score or a predicted label"),
        ("", 3, "empty"),
        ("y\n", 3, "no rows"),
        ("y,p\n0,0.1\n1\n", 3, "row 2 has 1 field"),
        ("1,0.83\n0,0.2\n1,0.9\n", 3, "put a line of names before it"),
    ],
)
def test_a_file_without_models_is_refused_in_words(
    tmp_path, monkeypatch, capsys, content, status, says
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("d.csv").write_text(content)
    assert status_of(["init", "d.csv"]) == status
    assert says in capsys.readouterr().err
    assert not Path("d.yaml").exists()


def test_values_inside_values_are_named_where_they_are_needed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = [{"label": "POS" if y else "NEG", "cats": {"POS": 0.7}} for y in (0, 1, 0, 1)]
    Path("d.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert status_of(["init", "d.jsonl"]) == 3
    assert "cats have objects, which are not read; make a column" in capsys.readouterr().err


def test_two_models_that_rank_alike_stay_two(tmp_path, monkeypatch) -> None:
    """A calibrated score ranks as the raw one does, and is another model all the same."""
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame({"y": made.Y, "p_raw": made.P, "p_calibrated": made.P**2})
    frame.to_csv("d.csv", index=False)
    assert status_of(["init", "d.csv"]) == 0
    assert len(yaml.safe_load(Path("d.yaml").read_text())["models"]) == 2


def test_labels_of_another_model_are_not_put_beside_a_score(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    says = (made.P >= 0.5).astype(int)
    pd.DataFrame({"y": made.Y, "rf_proba": made.P, "lr_pred": says}).to_csv("d.csv", index=False)
    assert status_of(["init", "d.csv"]) == 0
    assert len(yaml.safe_load(Path("d.yaml").read_text())["models"]) == 2


def test_a_folder_that_is_no_dataset_is_no_bug(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    assert status_of(["init", "."]) == 4
    Path("a.csv").write_text("y,p\n0,0.5\n")
    Path("b.pdf").write_text("x")
    assert status_of(["init", "."]) == 4
    assert status_of(["init", "none.csv"]) == 4
    assert "file not found" in capsys.readouterr().err
    assert status_of(["init", "b.pdf"]) == 3


def test_the_schema_is_beside_the_spec_for_editors(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    unsure(tmp_path)
    assert status_of(["init", "d.csv"]) == 0
    schema = json.loads(Path("evalreport.schema.json").read_text())
    assert "datasets" in schema["properties"]


@pytest.mark.parametrize(
    ("content", "count"),
    [
        ("truth,said,n\nill,ill,30\nill,ok,5\nok,ill,7\nok,ok,90\n", "n"),
        ("truth,said,sex,Freq\nill,ill,f,3\nill,ill,m,0\nok,ok,f,4\nok,ok,m,9\n", "Freq"),
        # a kind that stands twice, a score and a number that is not whole are of single rows
        ("truth,said,n\nill,ill,30\nill,ill,5\nok,ill,7\nok,ok,90\n", None),
        ("truth,p_ill,n\nill,0.7,30\nill,0.6,5\nok,0.2,7\nok,0.1,90\n", None),
        ("truth,said,n\nill,ill,0.5\nill,ok,5\nok,ill,7\nok,ok,90\n", None),
    ],
)
def test_kinds_of_rows_are_counted_by_how_many_they_are(
    tmp_path, monkeypatch, content, count
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("d.csv").write_text(content)
    assert status_of(["init", "d.csv"]) == 0
    text = Path("d.yaml").read_text()
    assert yaml.safe_load(text)["datasets"]["data"].get("count") == count
    assert ("gives the number of rows of each kind" in text) is (count is not None)
    assert status_of(["check", "d.yaml"]) == 0
