"""Recomputation: every wrong number is found, and no right one is called wrong."""

from __future__ import annotations

import copy
import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from verify.exact_tables import Counts, Table, read_table
from verify.second_definitions import (
    CLASS_METRICS,
    INFINITE,
    UNDEFINED,
    square_root,
    table_outcome,
)
from verify.whole_results import holding

import evalreport
from evalreport.results import records
from evalreport.results.codec import decode, decode_as
from evalreport.verify.printed import printed_problems
from evalreport.verify.recompute import recompute
from evalreport.verify.verify import verify_numbers

pytestmark = pytest.mark.requirement("R12")

#: Metrics that are not asked for with more classes here.
TWO_CLASSES_ONLY = ("npv_at_prevalence", "ppv_at_prevalence")

PLACE = {"dataset": "d", "model": "m", "subgroup": {}}


def table(counts: list[list[float]], labels: list[Any], positive: Any = None, **more: Any) -> Any:
    own = {"id": "t1", "counts": counts, "labels": labels, "positive": positive}
    return {**PLACE, "fold": None, "threshold": None, **own, **more}


def measure(metric: str, **more: Any) -> dict[str, Any]:
    base: dict[str, Any] = {
        "id": "m1", "dataset": "d", "model": "m", "subgroup": {}, "fold": None,
        "metric": metric, "params": {}, "average": None, "label": None,
        "threshold": 0.5, "threshold_rule": None, "state": "value", "value": None,
        "reason": None, "interval": None, "numerator": None, "denominator": None,
        "n": 100, "table": "t1", "formula": "", "substituted": "",
    }  # fmt: skip
    return {**base, **more}


def results(table: Any, *measures: Any, curves: Any = ()) -> dict[str, Any]:
    return holding(tables=[table], measures=list(measures), curves=list(curves))


def read(table: dict[str, Any]) -> Table:
    return read_table(decode_as(records.Table, table))


# The 100 tumours of a textbook: 87 found, 1 missed, 10 false alarms, 2 cleared.
TUMOURS = table([[2, 10], [1, 87]], ["benign", "malignant"], "malignant")
RIGHT = [
    ("accuracy", {}, 89 / 100, 89, 100),
    ("error_rate", {}, 11 / 100, 11, 100),
    ("recall", {}, 87 / 88, 87, 88),
    ("specificity", {}, 2 / 12, 2, 12),
    ("precision", {}, 87 / 97, 87, 97),
    ("npv", {}, 2 / 3, 2, 3),
    ("fpr", {}, 10 / 12, 10, 12),
    ("fnr", {}, 1 / 88, 1, 88),
    ("fdr", {}, 10 / 97, 10, 97),
    ("false_omission_rate", {}, 1 / 3, 1, 3),
    ("prevalence", {}, 88 / 100, 88, 100),
    ("predicted_prevalence", {}, 97 / 100, 97, 100),
    ("selection_rate", {}, 97 / 100, 97, 100),
    ("detection_rate", {}, 87 / 100, 87, 100),
    ("no_information_rate", {}, 88 / 100, 88, 100),
    ("f1", {}, 174 / 185, 174, 185),
    ("fbeta", {"beta": 2.0}, 435 / (435 + 4 + 10), 435, 449),
    ("jaccard", {}, 87 / 98, 87, 98),
    ("balanced_accuracy", {}, (87 / 88 + 2 / 12) / 2, None, None),
    ("balanced_error_rate", {}, 1 - (87 / 88 + 2 / 12) / 2, None, None),
    ("youden_j", {}, 87 / 88 + 2 / 12 - 1, None, None),
    ("markedness", {}, 87 / 97 + 2 / 3 - 1, None, None),
    ("g_mean", {}, math.sqrt(87 / 88 * 2 / 12), None, None),
    ("fowlkes_mallows", {}, 87 / math.sqrt(97 * 88), None, None),
    ("lr_plus", {}, (87 / 88) / (10 / 12), None, None),
    ("lr_minus", {}, (1 / 88) / (2 / 12), None, None),
    ("diagnostic_odds_ratio", {}, 87 * 2 / (10 * 1), None, None),
    ("mcc", {}, (87 * 2 - 10 * 1) / math.sqrt(97 * 88 * 12 * 3), None, None),
    # po = .89, pe = .88 * .97 + .12 * .03
    ("kappa", {}, (0.89 - 0.8572) / (1 - 0.8572), None, None),
    ("weighted_kappa", {"weights": "linear"}, (0.89 - 0.8572) / (1 - 0.8572), None, None),
    ("ppv_at_prevalence", {"prevalence": 0.01}, 87 / 88 * 0.01 / (87 / 88 * 0.01 + 10 / 12 * 0.99),
     None, None),
    ("npv_at_prevalence", {"prevalence": 0.01}, 2 / 12 * 0.99 / (2 / 12 * 0.99 + 1 / 88 * 0.01),
     None, None),
]  # fmt: skip


@pytest.mark.parametrize(("metric", "params", "value", "above", "below"), RIGHT)
def test_the_second_definitions_give_the_numbers_of_a_textbook(
    metric: str, params: dict[str, Any], value: float, above: int | None, below: int | None
) -> None:
    told = measure(metric, params=params, label="malignant", value=value)
    outcome = table_outcome(read(TUMOURS), decode_as(records.Measure, told))
    assert isinstance(outcome, Fraction)
    assert float(outcome) == pytest.approx(value, rel=1e-12)
    if above is not None and below is not None:
        assert outcome == Fraction(above, below)


CLASSES = {2: ["ill", "well"], 3: ["cat", "dog", "foosa"]}


@pytest.mark.parametrize("size", CLASSES)
@pytest.mark.parametrize("seed", range(4))
def test_the_engine_agrees_with_the_second_definitions(seed: int, size: int) -> None:
    """Two texts of every definition, one in fractions: a mistake would have to be made twice."""
    random, labels = np.random.default_rng(seed), CLASSES[size]
    actual = random.choice(labels, 60)
    said = np.where(random.random(60) < 0.6, actual, random.choice(labels, 60))
    metrics: list[Any] = [{name: params} if params else name for name, params, *_ in RIGHT]
    spec = {
        "evalreport": 1, "title": "t", "datasets": {"d": {"target": "y"}},
        "models": {"m": {"prediction": "p"}}, "averaging": ["none", "macro", "micro", "weighted"],
        "metrics": [m for m in metrics if size == 2 or m not in TWO_CLASSES_ONLY],
        **({"positive": {"label": "ill"}} if size == 2 else {}),
    }  # fmt: skip
    if size == 2:
        del spec["averaging"]
    frame = {"y": actual.tolist(), "p": said.tolist()}
    found = decode(dict(evalreport.run(spec, frames={"d": frame}).json))
    compared = 0
    for one in found.measures:
        if one.state == "not_applicable" or one.table is None:
            continue
        own = read_table(found.table(one.table))
        outcome = table_outcome(own, one)
        if isinstance(outcome, Fraction):
            assert one.value == pytest.approx(float(outcome), rel=1e-12, abs=1e-15), one.id
            compared += 1
        elif outcome is not None:
            assert one.state == outcome
    assert compared > 25


def test_a_wrong_number_of_a_run_is_found_and_named() -> None:
    content = evaluated()
    assert recompute(content).problems == ()
    for name, value in (("value", 0.5), ("n", 7), ("numerator", 3), ("denominator", 99)):
        changed = copy.deepcopy(content)
        changed["measures"][0][name] = value
        problems = [one.what for one in recompute(changed).problems]
        start = f"measures[0] (m1, d, m, recall, ill): {name} is {value!r}"
        assert any(what.startswith(start) for what in problems)
    changed = copy.deepcopy(content)
    changed["measures"][0].update(state="undefined", value=None, reason="said so")
    assert recompute(changed).problems


@pytest.mark.parametrize(
    "broken",
    [
        {"table": "t9"}, {"label": "nobody"}, {"n": "100"}, {"value": True}, {"value": "0.9"},
        {"value": None}, {"params": None}, {"state": 3}, {"metric": "none"},
    ],
)  # fmt: skip
def test_malformed_measures_are_problems_not_crashes(broken: dict[str, Any]) -> None:
    content = evaluated()
    content["measures"][0].update(broken)
    assert recompute(content).problems


@pytest.mark.parametrize(
    "counts", [[[1, 2]], [[1, 2], [3]], [[1, -2], [3, 4]], [[1, "2"], [3, 4]], [[1, 2], None]]
)
def test_malformed_tables_are_problems(counts: Any) -> None:
    content = evaluated()
    content["tables"][0]["counts"] = counts
    assert recompute(content).problems
    sparse = evaluated()
    sparse["tables"][0].update(counts=None, cells=[[5, 5, 1]])
    assert recompute(sparse).problems


def evaluated() -> dict[str, Any]:
    """A small run of labels."""
    frame = {"y": ["ill", "well"] * 20, "p": ["ill", "well", "well"] * 13 + ["ill"]}
    spec = {
        "evalreport": 1, "title": "t", "datasets": {"d": {"target": "y"}},
        "positive": {"label": "ill"}, "models": {"m": {"prediction": "p"}},
        "metrics": ["recall", "f1"],
    }  # fmt: skip
    return copy.deepcopy(dict(evalreport.run(spec, frames={"d": frame}).json))


def test_every_metric_of_a_class_is_in_the_list_above() -> None:
    assert set(CLASS_METRICS) <= {metric for metric, *_ in RIGHT}


@pytest.mark.parametrize(
    ("counts", "metric", "outcome"),
    [
        ((0, 10, 0, 90), "precision", UNDEFINED),
        ((0, 10, 0, 90), "f1", Fraction(0)),
        ((0, 0, 0, 9), "recall", UNDEFINED),
        ((0, 0, 3, 9), "lr_plus", UNDEFINED),
        ((0, 0, 3, 9), "npv_at_prevalence", UNDEFINED),
        ((0, 0, 0, 0), "accuracy", UNDEFINED),
        ((0, 0, 0, 9), "mcc", UNDEFINED),
        ((0, 0, 0, 9), "kappa", UNDEFINED),
        ((5, 5, 0, 9), "lr_plus", INFINITE),
        ((0, 5, 0, 9), "lr_plus", UNDEFINED),
        ((5, 5, 3, 0), "lr_minus", INFINITE),
        ((5, 0, 3, 0), "lr_minus", UNDEFINED),
        ((5, 0, 3, 3), "diagnostic_odds_ratio", INFINITE),
        ((5, 0, 3, 0), "diagnostic_odds_ratio", UNDEFINED),
        ((0, 9, 0, 0), "youden_j", UNDEFINED),
        ((9, 0, 0, 0), "ppv_at_prevalence", UNDEFINED),
    ],
)
def test_undefined_and_infinite(counts: Any, metric: str, outcome: Any) -> None:
    c = Counts(*map(Fraction, counts))
    assert CLASS_METRICS[metric](c, {"prevalence": 0.5}) == outcome


# truth     cat dog cat cat cat dog cat foosa
# predicted dog cat cat dog cat dog cat foosa
PETS = table([[3, 2, 0], [1, 1, 0], [0, 0, 1]], ["cat", "dog", "foosa"])


@pytest.mark.parametrize(
    ("metric", "average", "label", "value"),
    [
        ("precision", "macro", None, (3 / 4 + 1 / 3 + 1) / 3),
        ("precision", "micro", None, 5 / 8),
        ("precision", "weighted", None, (5 * 3 / 4 + 2 * 1 / 3 + 1) / 8),
        ("precision", None, "dog", 1 / 3),
        ("recall", "macro", None, (3 / 5 + 1 / 2 + 1) / 3),
        ("accuracy", None, "cat", 5 / 8),
        ("accuracy", None, "foosa", 1.0),
        ("accuracy", "macro", None, (5 / 8 + 5 / 8 + 1) / 3),
        ("accuracy", "micro", None, 5 / 8),
        ("accuracy", None, None, 5 / 8),
        ("balanced_accuracy", None, None, (3 / 5 + 1 / 2 + 1) / 3),
        ("no_information_rate", None, None, 5 / 8),
        # agreement by chance: five times four, two times three, one: 27 of 64
        ("kappa", None, None, (5 / 8 - 27 / 64) / (1 - 27 / 64)),
        # Gorodkin: 8 times 5 less 27, over the root of 64 - 30 times 64 - 26
        ("mcc", None, None, 13 / math.sqrt(34 * 38)),
        # dog: 1 found, 1 missed, 2 false alarms, 4 cleared
        ("mcc", None, "dog", (4 - 2) / math.sqrt(3 * 2 * 6 * 5)),
        ("kappa", None, "dog", (8 * 5 - 36) / (64 - 36)),
        ("balanced_accuracy", None, "dog", (1 / 2 + 4 / 6) / 2),
    ],
)
def test_three_classes(metric: str, average: str | None, label: str | None, value: float) -> None:
    told = decode_as(records.Measure, measure(metric, average=average, label=label))
    outcome = table_outcome(read(PETS), told)
    assert isinstance(outcome, Fraction)
    assert float(outcome) == pytest.approx(value, rel=1e-12)


@settings(deadline=None)  # the first example imports scikit-learn
@given(st.lists(st.lists(st.integers(0, 30), min_size=4, max_size=4), min_size=4, max_size=4))
def test_kappa_mcc_and_recall_against_scikit_learn(counts: list[list[int]]) -> None:
    from sklearn import metrics as reference

    cells = np.array(counts)
    if np.count_nonzero(cells.sum(axis=1)) < 2 or np.count_nonzero(cells.sum(axis=0)) < 2:
        return
    truth = np.repeat(np.repeat(np.arange(4), 4), cells.ravel())
    predicted = np.repeat(np.tile(np.arange(4), 4), cells.ravel())
    own = read(table(counts, ["0", "1", "2", "3"]))

    def value(metric: str, **more: Any) -> float:
        outcome = table_outcome(own, decode_as(records.Measure, measure(metric, **more)))
        assert isinstance(outcome, Fraction)
        return float(outcome)

    kappa = reference.cohen_kappa_score
    assert value("kappa") == pytest.approx(kappa(truth, predicted), rel=1e-9, abs=1e-12)
    for weights in ("linear", "quadratic"):
        assert value("weighted_kappa", params={"weights": weights}) == pytest.approx(
            kappa(truth, predicted, weights=weights), rel=1e-9, abs=1e-12
        )
    assert value("mcc") == pytest.approx(
        reference.matthews_corrcoef(truth, predicted), rel=1e-9, abs=1e-12
    )
    occurring = [i for i in range(4) if cells[i].sum()]
    assert value("recall", average="macro") == pytest.approx(
        reference.recall_score(truth, predicted, labels=occurring, average="macro"), rel=1e-12
    )
    assert value("accuracy", average="micro") == pytest.approx(
        reference.accuracy_score(truth, predicted), rel=1e-12
    )


def test_numbers_on_the_page() -> None:
    told = [
        measure("recall", id="m1", value=0.8969072164948454),
        measure("recall", id="m2", state="undefined", reason="no rows"),
        measure("mcc", id="m3", value=-0.0412),
        measure("lr_plus", id="m4", state="infinite"),
    ]
    page = """<!doctype html><body><p>text<br>
      <div data-measure="m1"><span data-value="0.8969072164948454">0.897</span> <i>0.82</i></div>
      <td data-measure="m1"><b><em data-value="0.8969072164948454">89.7&nbsp;%</em></b>
      <div data-measure="m2"><span data-value="">undefined</span></div>
      <div data-measure="m3"><span data-value="-0.0412">\N{MINUS SIGN}0.041</span></div>
      <div data-measure="m4"><img src=x><span data-value="">infinite</span></div>"""
    whole = decode(results(TUMOURS, *told))
    assert printed_problems(page, whole) == ()

    def problem(old: str, new: str) -> str:
        assert old in page
        found = printed_problems(page.replace(old, new, 1), whole)
        assert len(found) == 1
        return found[0]

    assert "data-value is" in problem('"0.8969072164948454"', '"0.8969072164948455"')
    assert "printed as '0.896'" in problem(">0.897<", ">0.896<")
    assert "printed as '89.6 %'" in problem("89.7", "89.6")
    assert "printed as '0.041'" in problem("\N{MINUS SIGN}0.041", "0.041")
    assert "m9: is on the page but not" in problem('data-measure="m1"', 'data-measure="m9"')
    assert "undefined, yet the page gives '0'" in problem('"">undefined', '"0">undefined')
    assert "undefined, yet the page reads '0.000'" in problem(">undefined<", ">0.000<")
    assert "infinite, yet the page reads" in problem(">infinite<", "><")
    assert "printed as 'undefined'" in problem(">0.897<", ">undefined<")
    assert "m3: shown without its value" in problem('data-value="-0.0412"', "")
    assert printed_problems(page, decode(results(TUMOURS)))


def test_numbers_of_a_run_folder(tmp_path: Path) -> None:
    good = evaluated()
    value = good["measures"][0]["value"]
    page = f'<p data-measure="m1"><b data-value="{value!r}">{value:.3f}</b></p>'
    (tmp_path / "results.json").write_text(json.dumps(good))
    assert verify_numbers(tmp_path).problems == ()
    (tmp_path / "report.html").write_text(page)
    assert verify_numbers(tmp_path).problems == ()
    (tmp_path / "report.html").write_text(page.replace(f">{value:.3f}<", ">0.998<"))
    (problem,) = verify_numbers(tmp_path).problems
    assert str(problem).startswith(f"{tmp_path}/report.html: measure m1: printed as '0.998'")
    bad = copy.deepcopy(good)
    bad["measures"][0]["value"] = 0.123
    (tmp_path / "results.json").write_text(json.dumps(bad))
    assert len(verify_numbers(tmp_path).problems) >= 2
    for text in ("[]", "{", '{"a": NaN}'):
        (tmp_path / "results.json").write_text(text)
        assert len(verify_numbers(tmp_path).problems) == 1
    (tmp_path / "results.json").write_text(json.dumps(good))
    (tmp_path / "report.html").write_bytes(b"\xff")
    assert len(verify_numbers(tmp_path).problems) == 1
    (tmp_path / "results.json").unlink()
    assert len(verify_numbers(tmp_path).problems) == 1


@given(st.fractions(min_value=0))
def test_square_root(value: Fraction) -> None:
    root = square_root(value)
    assert root * root <= value
    assert float(root) == pytest.approx(math.sqrt(value), rel=1e-15)


def test_whole_tables_where_nothing_is_defined() -> None:
    def outcome(metric: str, counts: list[list[float]], **more: Any) -> Any:
        labels = ["a", "b", "c"][: len(counts)]
        own = read(table(counts, labels, labels[-1]))
        return table_outcome(own, decode_as(records.Measure, measure(metric, **more)))

    one_class = [[5, 0, 0], [0, 0, 0], [0, 0, 0]]
    nothing = [[0, 0], [0, 0]]
    for metric in ("balanced_accuracy", "balanced_error_rate", "kappa", "mcc"):
        assert outcome(metric, one_class) == UNDEFINED
    for metric in ("accuracy", "no_information_rate"):
        assert outcome(metric, nothing) == UNDEFINED
    assert outcome("precision", nothing, average="macro") == UNDEFINED
    assert outcome("error_rate", [[1, 2], [3, 4]], average="micro") == Fraction(1, 2)


def test_pages_with_broken_or_foreign_markup() -> None:
    whole = decode(results(TUMOURS, measure("recall", value=0.5)))
    number = '<b data-measure="m1"><i data-value="0.5">0.5</i></b>'
    for page in (
        f"</p></div>{number}",
        f"<svg><path/><g/></svg>{number}<br/>",
        f'{number}<i data-value="7">no measure</i>',
        f"{number}<!-- <b data-measure='m7'> -->",
        '<b data-measure="m1"><i data-value="0.5">&lt; 0.6</i></b>',
    ):
        assert printed_problems(page, whole) == ()
    (problem,) = printed_problems(number.replace('"0.5"', '"half"'), whole)
    assert "data-value is 'half'" in problem


def test_repeats_of_cross_validation_are_no_part_of_the_mean_over_folds() -> None:
    """The mean is held to the folds whose tables it lists."""
    spec = {
        "evalreport": 1,
        "title": "repeats",
        "datasets": {"d": {"target": "y"}},
        "models": {
            "m": {"estimator": "sklearn.tree.DecisionTreeClassifier", "params": {"random_state": 0}}
        },
        "cross_validation": {"scheme": "stratified_k_fold", "folds": 3, "repeats": 2, "seed": 1},
        "metrics": ["accuracy"],
    }
    columns = {"y": ["a", "b"] * 15, "x": [float(k * 7 % 11) for k in range(30)]}
    results = evalreport.run(spec, frames={"d": columns}).json
    names = {m["fold"] for m in results["measures"]}
    assert {"mean", "repeat 2"} <= names
    assert recompute(results).problems == ()
