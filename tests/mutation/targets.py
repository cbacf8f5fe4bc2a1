"""What is mutated, and the tests that run on it: the quick ones first."""

from __future__ import annotations

Stages = tuple[tuple[str, ...], ...]

_FACTS = (
    "tests/metrics/test_more_facts.py",
    "tests/metrics/test_more_declaring.py",
    "tests/metrics/test_more_arithmetic.py",
    "tests/metrics/test_more_counts.py",
    "tests/metrics/test_more_matrix.py",
    "tests/metrics/test_more_scores.py",
    "tests/metrics/test_more_corners.py",
    "tests/metrics/test_more_probabilities.py",
    "tests/metrics/test_more_sets.py",
    "tests/docs/test_docs_metrics.py",
)
_METRICS: Stages = (
    _FACTS,
    (
        "tests/metrics/test_more_order.py",
        "tests/metrics/test_metric_examples.py",
        "tests/metrics/test_score_traps.py",
        "tests/metrics/test_curves.py",
    ),
    (
        "tests/metrics/test_score_laws.py",
        "tests/metrics/test_scores_against_scikit_learn.py",
        "tests/examples/test_worked_examples.py",
    ),
)
_ENGINE = ("tests/examples/test_worked_examples.py",)

#: Loaded once, before the tests of any mutant: it is most of their time otherwise.
PRELOADED = (
    "numpy",
    "scipy.special",
    "scipy.optimize",
    "scipy.stats",
    "scipy.interpolate",
    "pandas",
    "sklearn.metrics",
    "statsmodels.nonparametric.smoothers_lowess",
    "hypothesis.extra.numpy",
    "hypothesis.strategies",
    "_hypothesis_pytestplugin",
    "_pytest.doctest",
    "unittest.mock",
    "pydantic",
    "yaml",
    "jsonschema",
)


#: Files whose tests take no fixtures: these are called without a session of pytest.
PLAIN = (
    "test_more_facts.py",
    "test_more_declaring.py",
    "test_more_arithmetic.py",
    "test_more_counts.py",
    "test_more_matrix.py",
    "test_more_scores.py",
    "test_more_corners.py",
    "test_more_probabilities.py",
    "test_more_sets.py",
    "test_docs_metrics.py",
    "test_labels_more.py",
    "test_evaluate.py",
    "test_thresholds.py",
    "test_classification.py",
)


def _own_first(module: str, stages: Stages) -> Stages:
    return (*stages[:1], (module,), *stages[1:])


TARGETS: dict[str, Stages] = {
    **{
        f"evalreport/metrics/{name}.py": _METRICS
        for name in (
            "counts",
            "combined",
            "diagnostic",
            "matrix",
            "ranking",
            "precision_recall",
            "h_measure",
            "targeting",
            "probabilities",
            "calibration",
            "goodness_of_fit",
            "label_sets",
            "label_ranking",
        )
    },
    **{
        path: _own_first(path, _METRICS)
        for path in (
            "evalreport/metrics/declare.py",
            "evalreport/metrics/catalogue.py",
            "evalreport/metrics/formula.py",
            "evalreport/metrics/tables.py",
            "evalreport/metrics/sets_table.py",
            "evalreport/metrics/probability_bins.py",
        )
    },
    "evalreport/data/labels.py": (
        ("tests/data/test_labels_more.py",),
        ("tests/data/test_labels.py", "evalreport/data/labels.py"),
        ("tests/data/test_look_alikes.py",),
    ),
    "evalreport/engine/metric_values.py": (
        ("tests/engine/test_evaluate.py",),
        _ENGINE,
        ("tests/laws/test_laws.py",),
    ),
    "evalreport/engine/thresholds.py": (
        ("tests/engine/test_thresholds.py",),
        ("tests/engine/test_threshold_rules.py", *_ENGINE),
    ),
    "evalreport/engine/counting/classification.py": (
        ("tests/engine/test_classification.py",),
        _ENGINE,
    ),
}
