"""Twenty jobs and more that come out the same, whichever engine counts: each leaf of results.json.

Every job is a spec without its datasets' paths; all are of the rows of ``ROWS``, and of two thirds
of them where there is a second dataset. Nothing in them needs single rows: what does is refused by
an engine that is named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import pytest
from engine.counting.counted_runs import comparable, run

#: 1 200 rows: truths of two and three classes, labels, scores with ties and gaps, a margin, an age,
#: groups with gaps, folds, weights, clusters, days, codes whose text is of two kinds.
ROWS = """
SELECT CASE WHEN h % 3 = 0 THEN 'sick' ELSE 'well' END AS truth,
       ['low', 'mid', 'high'][h % 3 + 1] AS truth3,
       CASE WHEN h % 60 = 7 THEN NULL WHEN h % 5 = 0 THEN 'sick' ELSE 'well' END AS gaps,
       CASE WHEN h % 5 < 2 THEN 'sick' ELSE 'well' END AS said,
       CASE WHEN h % 3 = 0 AND h % 7 < 5 THEN 'sick' ELSE 'well' END AS other_said,
       CASE WHEN h % 9 = 4 THEN 'unsure' WHEN h % 5 = 0 THEN 'sick' ELSE 'well' END AS doubt,
       ['low', 'mid', 'high'][(h + (h % 5 = 0)::INT) % 3 + 1] AS said3,
       round((h % 97 + (h % 3 = 0)::INT * 30) / 128, 2)::DOUBLE AS score,
       CASE WHEN h % 50 = 3 THEN NULL ELSE (h % 89 + (h % 3 = 0)::INT * 20) / 110 END AS holes,
       ((h % 83 + (h % 3 = 0)::INT * 15) / 100)::DOUBLE AS other,
       ((h % 97 + (h % 3 = 0)::INT * 30) / 16 - 4)::DOUBLE AS margin,
       (20 + h % 61)::INTEGER AS age, (h % 4)::INTEGER AS site,
       CASE h % 11 WHEN 0 THEN NULL WHEN 2 THEN 'F' ELSE 'M' END AS sex,
       (i % 5)::INTEGER AS fold, [0.1, 0.7, 1.3, 2.9][h % 4 + 1]::DOUBLE AS w,
       ('k' || (h % 40)) AS c, ('2026-0' || (1 + i % 9) || '-1' || (h % 9)) AS day,
       (h % 2)::INTEGER AS red, (h % 3 = 0)::INTEGER AS green, (h % 5 < 2)::INTEGER AS blue,
       (h % 4 < 2)::INTEGER AS red_said, (h % 7 < 3)::INTEGER AS green_said,
       (h % 10 < 4)::INTEGER AS blue_said,
       ['a;b', 'b', 'a', 'a;c', 'c'][h % 5 + 1] AS tags,
       CASE WHEN h % 40 = 1 THEN NULL ELSE ['a;b', 'a', 'c', 'b'][h % 4 + 1] END AS tags_said,
       (1 + h % 7) / 32 AS high, (5 - h % 5) / 16 AS mid,
       1 - (1 + h % 7) / 32 - (5 - h % 5) / 16 AS low, (h % 16) / 16 AS ill,
       1 - (h % 16) / 16 AS fine,
       format('[{}, {}, {}]', (1 + h % 7) / 32, 1 - (1 + h % 7) / 32 - (5 - h % 5) / 16,
              (5 - h % 5) / 16) AS listed,
       CASE WHEN h % 2 = 0 THEN '1.0' ELSE '1' END AS code, i::INTEGER AS id
FROM (SELECT i, (i * 7919 + i * i * 31) % 1009 AS h FROM range(1200) t(i))
"""
LABELS = ["accuracy", "balanced_accuracy", "precision", "recall", "specificity", "f1", "mcc",
          "kappa", "lr_plus", "prevalence"]  # fmt: skip
SCORES = [*LABELS[:7], "roc_auc", "gini", "average_precision", "ks", "log_loss", "brier", "ece"]
MULTI = ["f1", "recall", "hamming_loss", "subset_accuracy", "jaccard"]
CLASSES = ["accuracy", "f1", "kappa", "roc_auc", "average_precision", "log_loss", "brier",
           "top_k_accuracy"]  # fmt: skip
SICK = {"positive": {"label": "sick"}}


def _job(model: dict[str, str], metrics: list[str], **parts: Any) -> dict[str, Any]:
    dataset = {"target": "truth", **parts.pop("dataset", {})}
    return {
        "evalreport": 1, "datasets": {"d": dataset}, "models": {"m": model}, "metrics": metrics,
        "confidence": {"resamples": 50}, **parts,
    }  # fmt: skip


def _two(
    one: dict[str, str], two: dict[str, str], metrics: list[str], **dataset: str
) -> dict[str, Any]:
    return {
        **_job(one, metrics, dataset=dataset, **SICK),
        "models": {"m": one, "n": two},
        "comparisons": {"reference": "m", "net_reclassification": True},
    }


_HAS = {"target": {"labels": {"red": "red", "green": "green", "blue": "blue"}}}
_SETS = {"prediction": {"labels": {n: f"{n}_said" for n in ("red", "green", "blue")}}}
_OF_EACH = {"scores": {"low": "low", "mid": "mid", "high": "high"}}
_OF_OTHERS = {"scores": {"low": "mid", "mid": "high", "high": "low"}}
_SCORE, _SAID = {"score": "score"}, {"prediction": "said"}
_DESCRIBED = {"report": {"characteristics": ["age", "sex", "w", "code", "score"]}}
_ON_E = {"maximize": "youden_j", "on": "e"}

JOBS: Mapping[str, dict[str, Any]] = MappingProxyType(
    {
        "labels of two classes": _job(_SAID, LABELS, subgroups=["sex", "site"], **SICK),
        "labels of three classes": _job(
            {"prediction": "said3"}, LABELS[:6], dataset={"target": "truth3"},
            averaging=["none", "macro", "micro", "weighted"]),
        "labels that are unsure": _job(
            {"prediction": "doubt"}, LABELS, dataset={"indeterminate": ["unsure"]}),
        "labels that are missing": _job(
            {"prediction": "gaps"}, LABELS, dataset={"missing": "exclude", "id": "id"}),
        "scores": _job(_SCORE, SCORES, dataset={"id": "id"}, **SICK),
        "scores by crossed subgroups": _job(
            _SCORE, SCORES, subgroups=["sex", ["sex", "site"]], **SICK),
        "scores at chosen thresholds": _job(
            _SCORE, SCORES, thresholds=[0.37, {"maximize": "f1"}, {"at_least": {"recall": 0.9}}],
            **SICK),
        "scores that are missing": _job(
            {"score": "holes"}, SCORES, dataset={"missing": "exclude"}, subgroups=["sex"]),
        "margins": _job({"margin": "margin"}, [*SCORES[:-3], "softmax_cost"], **SICK),
        "folds": _job(_SCORE, SCORES, dataset={"fold": "fold"}, **SICK),
        "subgroups of numbers": _job(
            _SCORE, SCORES, subgroups=[{"column": "age", "bins": [40, 60]}], **SICK),
        "bootstraps": _job(
            _SCORE, ["f1", "roc_auc"],
            confidence={"resamples": 60, "methods": {
                "f1": "bootstrap_bca", "roc_auc": "bootstrap_percentile"}}),
        "criteria": _job(
            _SCORE, SCORES, **SICK,
            acceptance=[{"metric": "recall", "at_least": 0.7, "bound": "lower"},
                        {"metric": "roc_auc", "at_least": 0.6}]),
        "two models of labels": _two(_SAID, {"prediction": "other_said"}, LABELS[:7]),
        "two models of scores": _two(_SCORE, {"score": "other"}, SCORES[:9]),
        "weights": _job(_SAID, LABELS, dataset={"weight": "w"}, subgroups=["site"]),
        "clusters and weights": _job(_SAID, LABELS, dataset={"cluster": "c", "weight": "w"}),
        "scores of weighted rows": _job(
            _SCORE, [*SCORES, "calibration_slope"], dataset={"weight": "w"}, subgroups=["site"],
            **SICK),
        "scores of clustered rows": _job(
            _SCORE, SCORES, dataset={"cluster": "c", "missing": "exclude"}, subgroups=["sex"],
            **SICK),
        "margins of clustered rows with weights": _job(
            {"margin": "margin"}, ["recall", "f1", "roc_auc", "ks"],
            dataset={"cluster": "c", "weight": "w"}, **SICK),
        "two models of weighted rows": _two(
            _SCORE, {"score": "other"}, SCORES[:9], weight="w"),
        "two models of clustered rows with weights": _two(
            _SAID, {"prediction": "other_said"}, LABELS[:7], cluster="c", weight="w"),
        "scores and labels of clustered rows": _two(
            _SCORE, _SAID, LABELS[:7], cluster="c"),
        "periods": _job(
            _SCORE, SCORES, dataset={"period": {"column": "day", "every": "quarter"}},
            subgroups=["sex"], **SICK),
        "declared types": _job(
            _SCORE, SCORES, dataset={"types": {"code": "number", "truth": "text"}},
            subgroups=["code"]),
        "scores of each class": _job(
            _OF_EACH, CLASSES, dataset={"target": "truth3", "id": "id"}, subgroups=["sex"],
            averaging=["none", "macro", "micro", "weighted"]),
        "scores of each of two classes": _job(
            {"scores": {"sick": "ill", "well": "fine"}}, SCORES, subgroups=["site"], **SICK),
        "scores in a list": _job(
            {"scores": "listed"}, CLASSES, dataset={"target": "truth3", "missing": "exclude"},
            confidence={"resamples": 40, "stratify": True}),
        "scores of each class of clustered rows with weights": _job(
            _OF_EACH, CLASSES, dataset={"target": "truth3", "cluster": "c", "weight": "w"}),
        "three models, two with scores of each class": {
            **_job(_OF_EACH, [*CLASSES, "hand_till_auc"], dataset={"target": "truth3"}),
            "models": {"m": _OF_EACH, "n": _OF_OTHERS, "p": {"prediction": "said3"}},
            "comparisons": {"reference": "m", "omnibus": True, "subgroups": True},
            "subgroups": ["site"],
        },
        "sets of labels": _job(
            _SETS, MULTI, dataset={**_HAS, "id": "id"}, subgroups=["sex"],
            averaging=["none", "macro", "micro", "weighted", "samples"]),
        "sets of labels in lists of clustered rows with weights": _job(
            {"prediction": {"list": "tags_said", "separator": ";"}}, MULTI,
            dataset={"target": {"list": "tags", "separator": ";"}, "cluster": "c", "weight": "w",
                     "missing": "exclude"},
            averaging=["macro", "micro", "samples"]),
        "scores of sets of labels": _job(
            {"scores": {"red": "score", "green": "other", "blue": "ill"}},
            [*MULTI, "roc_auc", "coverage_error"], dataset=_HAS,
            averaging=["none", "macro", "weighted", "micro"], **_DESCRIBED),
        "a score beside a label": _job(
            {"score": "score", "prediction": "gaps"}, SCORES[:9], thresholds=[0.37, 0.6], **SICK),
        "margins beside labels of clustered rows": _job(
            {"margin": "margin", "prediction": "said"}, SCORES[:9], dataset={"cluster": "c"},
            **SICK),
        "drift of columns": {
            **_job(_SCORE, SCORES[7:], **SICK),
            "datasets": {"d": {"target": "truth"}, "e": {"target": "truth"}},
            "drift": {"reference": {"dataset": "e"}, "columns": ["age", "sex", "code", "w"]},
        },
        "rows described by class": _job(
            {"score": "holes"}, SCORES[7:], dataset={"missing": "exclude", "id": "id"},
            subgroups=[{"column": "age", "bins": [40, 60]}], **_DESCRIBED, **SICK),
        "rows of two models described by class": {
            **_two(_SCORE, _SAID, LABELS[:3]), **_DESCRIBED,
        },
        "weighted rows with scores of each class described": _job(
            _OF_EACH, CLASSES, dataset={"target": "truth3", "weight": "w"}, **_DESCRIBED),
        "two models at a threshold of another dataset": {
            **_two(_SCORE, {"score": "other"}, SCORES[:9]),
            "thresholds": [_ON_E, 0.5],
            "datasets": {"d": {"target": "truth"}, "e": {"target": "truth"}},
        },
        "a threshold of another dataset": {
            **_job(_SCORE, SCORES, thresholds=[_ON_E, 0.5], **SICK),
            "datasets": {"d": {"target": "truth"}, "e": {"target": "truth"}},
        },
    }
)  # fmt: skip

#: The rows of the second dataset.
SOME = "id % 3 > 0"
#: What the engine may tell in its own way, and nothing else.
PROVENANCE = {"engine", "inputs"}


#: Jobs that hold one of each kind; on engines beside DuckDB the others are nightly.
SMALL = {
    "labels of three classes", "scores", "clusters and weights", "two models of scores", "periods",
    "sets of labels",
}  # fmt: skip
EACH_KIND = [
    pytest.param(job, marks=[] if job in SMALL else pytest.mark.nightly, id=job) for job in JOBS
]


def with_paths(job: str, path_of: Callable[[str], Any]) -> dict[str, Any]:
    """A job on its rows; ``path_of`` gives the path of the dataset ``d`` or ``e``."""
    asked = JOBS[job]
    datasets = {name: {"path": path_of(name), **one} for name, one in asked["datasets"].items()}
    return {**asked, "datasets": datasets}


def leaves(value: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """Every leaf of plain data with its place."""
    if isinstance(value, dict | list) and value:
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        for key, part in pairs:
            yield from leaves(part, f"{place}/{key}")
    else:
        yield place, value


def differing(one: dict[str, Any], two: dict[str, Any]) -> list[str]:
    """The leaves of two results that differ, engine and inputs aside."""
    sides = []
    for results in (one, two):
        plain = comparable(results)
        provenance = results["provenance"].items()
        plain["provenance"] = {k: v for k, v in provenance if k not in PROVENANCE | {"spec"}}
        sides.append(dict(leaves(plain)))
    first, second = sides
    places = sorted({*first, *second})
    absent = object()
    return [p for p in places if first.get(p, absent) != second.get(p, absent)]


def check(job: dict[str, Any], engine: str) -> None:
    """Assert that a job on an engine gives each leaf that it gives in memory."""
    memory, counted = run(job, "memory"), run(job, engine)
    assert counted["provenance"]["engine"]["name"] == engine
    assert len(list(leaves(comparable(counted)))) > 100
    assert differing(memory, counted) == []
