"""A right spec: what it means, its defaults, and text exactly as written."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from evalreport.errors import FilesError, Location, SpecError
from evalreport.spec.costs import TwoClassCosts
from evalreport.spec.datasets import LabelColumns, LabelList, NamedPositive, Query
from evalreport.spec.load import load_spec, parse_spec
from evalreport.spec.models import (
    AllExcept,
    EstimatorModel,
    LinearModel,
    MarginModel,
    PredictionModel,
    ScoreModel,
    ScoresModel,
    SkopsModel,
)

CORPUS = Path(__file__).parent / "corpus"
CONFIGS = Path(__file__).parents[2] / "configs"


@pytest.fixture(scope="module")
def everything():
    return load_spec(CORPUS / "everything.yaml")


def test_every_kind_of_model_is_told_by_its_source(everything):
    models = everything.spec.models
    assert {name: type(model) for name, model in models.items()} == {
        "logistic": ScoreModel,
        "rule": PredictionModel,
        "softmax": ScoresModel,
        "svm": MarginModel,
        "by_hand": LinearModel,
        "forest": EstimatorModel,
        "deployed": SkopsModel,
    }
    assert models["softmax"].scores == {"cat": "p_cat", "dog": "p_dog"}
    assert models["by_hand"].linear.bias == -1.2
    assert models["by_hand"].linear.weights == {"radius": 0.31, "texture": -0.05}
    assert models["forest"].params == {"n_estimators": 200, "random_state": 0}
    assert models["forest"].features == ("radius", "texture")


def test_every_part_of_a_dataset(everything):
    dataset = everything.spec.datasets["holdout"]
    assert dataset.path == "../sample_data/breast.csv"
    assert (dataset.target, dataset.id, dataset.weight) == ("diagnosis", "case_id", "w")
    assert (dataset.cluster, dataset.fold, dataset.missing) == ("patient", "fold", "exclude")
    assert dataset.labels == ("benign", "malignant")
    assert dataset.indeterminate == ("equivocal",)


def test_settings(everything):
    spec = everything.spec
    assert [m.text for m in spec.metrics][5] == "fbeta(beta=2)"
    assert spec.metrics[5].params == {"beta": 2.0}
    assert [t.text for t in spec.thresholds] == [
        "0.5",
        "maximize youden_j",
        "recall at_least 0.95",
        "minimize expected_cost",
    ]
    assert spec.averaging == ("none", "macro", "micro", "weighted")
    assert spec.subgroups == (("sex",), ("sex", "site"))
    assert spec.costs == TwoClassCosts(false_negative=5.0, false_positive=1.0)
    assert spec.prevalence == (0.01, 0.05)
    assert spec.confidence.methods == {"accuracy": "clopper_pearson"}
    assert (spec.confidence.level, spec.confidence.seed) == (0.95, 20261121)
    assert (spec.cross_validation.scheme, spec.cross_validation.folds) == ("stratified_k_fold", 10)
    assert spec.learning_curve.sizes == (0.1, 0.25, 0.5, 1.0)
    assert (spec.comparisons.reference, spec.comparisons.correction) == ("logistic", "holm")
    assert [(c.metric.name, c.required, c.bound) for c in spec.acceptance] == [
        ("recall", 0.9, "lower"),
        ("roc_auc", 0.95, "point"),
    ]
    assert spec.report.formats == ("html", "pdf")


def test_defaults(load):
    spec = load().spec
    assert (spec.positive, spec.averaging, spec.thresholds) == ("largest", None, None)
    assert spec.confidence.model_dump() == {
        "level": 0.95,
        "resamples": 2000,
        "seed": 0,
        "stratify": False,
        "methods": {},
        "width": None,
    }
    assert (spec.report.formats, spec.report.template) == (("html", "pdf"), "standard")
    assert spec.datasets["d"].missing == "error"
    assert (spec.subgroup_minimum, spec.engine.name, spec.acceptance) == (10, "auto", ())


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.yaml")), ids=lambda path: path.name)
def test_every_config_loads_without_a_remark(path):
    assert load_spec(path).notes == ()


@pytest.mark.parametrize(
    "path", [*sorted(CONFIGS.glob("*.yaml")), *sorted(CORPUS.glob("*.yaml"))], ids=lambda p: p.name
)
def test_the_resolved_spec_is_a_spec_and_means_the_same(path):
    loaded = load_spec(path)
    again = parse_spec(json.dumps(loaded.resolved(), ensure_ascii=False), "again")
    assert again.spec == loaded.spec
    assert again.resolved() == loaded.resolved()


def test_a_spec_cannot_be_changed(load):
    spec = load().spec
    with pytest.raises(ValidationError):
        spec.title = "other"


def test_labels_and_names_are_text_exactly_as_written(load):
    spec = parse_spec(
        """\
evalreport: 1
title: no
datasets:
  on: {path: d.csv, target: y, labels: [no, Yes, 1.0, 1, "007", True, 0x1F, 2026-11-21, "null"]}
models:
  off: {scores: {no: 7, 1e3: true}}
metrics: [accuracy]
positive: {label: 1.0}
subgroups: [2020, [y, n]]
costs: {1: {no: 3}, no: {1: 1.5}}
acceptance: [{metric: recall, at_least: 0.5, subgroup: {2020: 1.50}}]
"""
    ).spec
    assert spec.title == "no"
    assert list(spec.datasets) == ["on"]
    assert spec.datasets["on"].labels == (
        "no",
        "Yes",
        "1.0",
        "1",
        "007",
        "True",
        "0x1F",
        "2026-11-21",
        "null",
    )
    assert spec.models["off"].scores == {"no": "7", "1e3": "true"}
    assert spec.positive == NamedPositive(label="1.0")
    assert spec.subgroups == (("2020",), ("y", "n"))
    assert spec.costs == {"1": {"no": 3.0}, "no": {"1": 1.5}}
    assert spec.acceptance[0].subgroup == {"2020": "1.50"}


@pytest.mark.parametrize(
    "title",
    [
        "{{7*7}} {% raw %}",
        "${HOME} ~ %(x)s $(id) `id`",
        "<script>alert(1)</script>",
        "a\\nb",
        "=1+1",
    ],
)
def test_nothing_is_substituted_in_text(load, title):
    assert load(f"about: {{question: '{title}'}}").spec.about == {"question": title}


def test_free_text_may_be_long_and_nested(load):
    spec = load("about:\n  a: |\n    one\n    two\n  b: [x, 1.0]\n  c: {d: yes}\n").spec
    assert spec.about == {"a": "one\ntwo\n", "b": ["x", "1.0"], "c": {"d": "yes"}}


def test_numbers_are_those_of_yaml_1_2(load):
    spec = load(
        "thresholds: [1e-3, .5, +0.25, 0o17, 0x10, 5.]\nconfidence: {seed: 1e3, resamples: 0x64}"
    ).spec
    assert [t.value for t in spec.thresholds] == [0.001, 0.5, 0.25, 15.0, 16.0, 5.0]
    assert (spec.confidence.seed, spec.confidence.resamples) == (1000, 100)


def test_parameters_of_estimators_keep_their_types():
    spec = load_spec(CORPUS / "training.yaml").spec
    assert spec.models["forest"].params == {
        "n_estimators": 200,
        "max_features": 0.5,
        "max_depth": None,
        "bootstrap": True,
        "criterion": "gini",
    }
    assert spec.models["forest"].features == AllExcept.model_validate({"except": ["patient"]})
    assert spec.models["tuned"].tune.grid == {"C": (0.1, 1, 10)}
    steps = [s.model_dump(exclude_none=True) for s in spec.models["tuned"].steps]
    assert [next(iter(step)) for step in steps] == ["impute", "scale", "one_hot"]


def test_sets_of_labels():
    spec = load_spec(CORPUS / "label_sets.yaml").spec
    assert spec.datasets["d"].target == LabelColumns(labels={"a": "is_a", "b": "is_b"})
    assert spec.models["list"].prediction == LabelList.model_validate(
        {"list": "found", "separator": "|"}
    )
    assert spec.hierarchy == {"b": "a"}


def test_rows_of_a_database(load):
    spec = parse_spec(
        "evalreport: 1\ndatasets: {d: {path: {sql: SELECT 1, database: a.sqlite}, target: y}}\n"
        "models: {m: {score: p}}\nmetrics: [recall]\n"
    ).spec
    assert spec.datasets["d"].path == Query(sql="SELECT 1", database="a.sqlite")


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("{at_most: {fpr: 0.1}, maximize: recall}", "fpr at_most 0.1, maximize recall"),
        ("{maximize: {fbeta: {beta: 0.5}}, on: d}", "maximize fbeta(beta=0.5) on d"),
        ("{at_least: {fbeta: {beta: 2, value: 0.9}}}", "fbeta(beta=2) at_least 0.9"),
        ("{minimize: distance_to_corner}", "minimize distance_to_corner"),
        ("{maximize: sensitivity}", "maximize recall"),
        ("{top: 100}", "top 100"),
        ("{top: 0.1}", "top 0.1"),
        ("{value: 0.25, status: exploratory}", "0.25"),
        ("1", "1"),
    ],
)
def test_thresholds_in_words(load, written, words):
    assert [t.text for t in load(f"thresholds: [{written}]").spec.thresholds] == [words]


def test_one_metric_under_two_names_is_given_once_and_noted(load):
    loaded = parse_spec(
        "evalreport: 1\ndatasets: {d: {path: d.csv, target: y}}\nmodels: {m: {score: p}}\n"
        "metrics: [sensitivity, recall, f1, fbeta]\n",
        "s.yaml",
    )
    assert [(m.asked, m.name) for m in loaded.spec.metrics] == [
        ("sensitivity", "recall"),
        ("f1", "f1"),
        ("fbeta", "fbeta"),
    ]
    assert [str(note) for note in loaded.notes] == [
        "s.yaml:4:24: recall is recall, which is already requested; it is given once"
    ]


def test_places_are_told_by_path(everything):
    name = str(CORPUS / "everything.yaml")
    assert everything.where(("datasets", "holdout", "target")) == Location(name, 8, 13)
    assert everything.where_key(("datasets", "holdout", "target")) == Location(name, 8, 5)
    assert everything.where(("thresholds", 2)) == Location(name, 34, 41)
    assert everything.where(("thresholds", 2, "nothing", 5)) == Location(name, 34, 41)


def test_the_hash_is_that_of_the_file(everything):
    data = (CORPUS / "everything.yaml").read_bytes()
    assert everything.sha256 == hashlib.sha256(data).hexdigest()
    assert everything.text == data.decode()
    assert everything.name == "everything.yaml"


def test_a_byte_order_mark_and_windows_line_ends_are_allowed():
    text = (CORPUS / "everything.yaml").read_text()
    data = b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()
    loaded = parse_spec(data, "s")
    assert loaded.spec == parse_spec(text, "s").spec
    assert loaded.where(("title",)) == Location("s", 2, 8)


def test_a_dataset_given_as_a_frame_needs_no_path():
    text = "evalreport: 1\ndatasets: {d: {target: y}}\nmodels: {m: {score: p}}\nmetrics: [f1]\n"
    assert parse_spec(text, frames=("d",)).spec.datasets["d"].path is None
    with pytest.raises(SpecError, match="path is missing in d"):
        parse_spec(text)
    with pytest.raises(SpecError, match="a frame is given for 'e', which is not a dataset"):
        parse_spec(text, frames=("d", "e"))


@pytest.mark.parametrize("make", ["nothing", "folder", "pipe"])
def test_what_is_no_file_is_not_opened(tmp_path, make):
    import os

    path = tmp_path / "s.yaml"
    if make == "folder":
        path.mkdir()
    if make == "pipe":
        os.mkfifo(path)
    with pytest.raises(FilesError) as caught:
        load_spec(path)
    assert str(path) in str(caught.value)


def test_letters_of_two_scripts_in_one_word_are_noted(load):
    loaded = load("positive: {label: m\u0430lignant}")
    assert ["cyrillic small letter a" in str(note) for note in loaded.notes] == [True]
    assert loaded.spec.positive == NamedPositive(label="m\u0430lignant")


def test_datasets_of_a_model_and_their_positive_class():
    spec = load_spec(CORPUS / "training.yaml").spec
    assert spec.datasets_of("tuned") == ("rows",)
    assert spec.datasets_of("onnx_model") == ("rows", "other")
    assert spec.positive_of("rows") == "largest"
