"""The shipped templates: which sections in what order, under what headings, in whose words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evalreport.metrics.catalogue import find

ANNEXES = ("methods", "not_computed", "checklists", "provenance", "signatures")


@dataclass(frozen=True)
class Wording:
    """A template: ``sections`` in order, ``titles`` with heading, short name and opening words.

    ``metrics`` are titles of metrics that differ from the catalogue's; in that order the
    metrics come first. ``impact``: impact ratios are shown without being asked for.
    """

    sections: tuple[str, ...]
    kicker: str = "Classifier evaluation report"
    titles: Mapping[str, tuple[str, str, str]] = field(default_factory=dict)
    metrics: Mapping[str, str] = field(default_factory=dict)
    impact: bool = False


#: Metrics that ask for the table of impact ratios.
RATES = ("selection_rate", "impact_ratio")
#: Words for a target that is itself a test and no reference standard.
AGREEMENT = {
    "recall": (
        "Positive percent agreement (PPA)",
        "Of the rows that the other test calls positive, the share that the model calls positive.",
    ),
    "specificity": (
        "Negative percent agreement (NPA)",
        "Of the rows that the other test calls negative, the share that the model calls negative.",
    ),
    "accuracy": (
        "Overall percent agreement (OPA)",
        "The share of rows on which the model and the other test agree; read it with PPA and NPA.",
    ),
}
#: The words for a reference standard, and what stands in their place without one.
_AGREED = (
    ("balanced accuracy", "mean of PPA and NPA"),
    ("recall", "PPA"),
    ("sensitivity", "PPA"),
    ("tpr", "PPA"),
    ("specificities", "NPA"),
    ("specificity", "NPA"),
    ("tnr", "NPA"),
    ("diagnostic accuracy", "agreement of the tests"),
    ("accuracy", "overall agreement"),
)
AGREEMENT_NOTE = (
    "The target of {} is another test and no reference standard. The two tests are compared: "
    "agreement is reported, and neither of them is taken to be right."
)

STANDARD = (
    "verdict",
    "guide",
    "characteristics",
    "measures",
    "scores",
    "subgroups",
    "periods",
    "drift",
    "thresholds",
    "curves",
    "comparisons",
    "baselines",
    "folds",
    "training",
    "classes",
    *ANNEXES,
)
CLINICAL = Wording(
    (
        "verdict",
        "rows",
        "characteristics",
        "guide",
        "measures",
        "scores",
        "curves",
        "thresholds",
        "classes",
        "subgroups",
        "periods",
        "drift",
        "folds",
        "training",
        "comparisons",
        "baselines",
        *ANNEXES,
    ),
    "Diagnostic accuracy report",
    {
        "rows": ("Flow of rows and labels", "Flow", ""),
        "guide": ("Question, intended use, and how to read the results", "Question", ""),
        "measures": (
            "Diagnostic accuracy",
            "Diagnostic accuracy",
            (
                "Cross-tabulation of the test against the target, with an interval for every "
                "estimate. Predictive values hold for the prevalence at which they are given."
            ),
        ),
        "scores": (
            "Discrimination and calibration",
            "Discrimination",
            (
                "These use every score, not one cut-off; the table beside each is the one at the "
                "declared cut-off."
            ),
        ),
        "curves": ("Calibration, decision and other curves", "Curves", ""),
        "thresholds": (
            "Cut-offs",
            "Cut-offs",
            (
                "A cut-off chosen on the rows that it is then judged by is exploratory, not "
                "prespecified: its values are optimistic."
            ),
        ),
        "subgroups": (
            "Variability: results by subgroup",
            "Subgroups",
            (
                "Each line is a cross-tabulation laid flat. Few rows support little: look at the "
                "width of an interval before its place."
            ),
        ),
        "comparisons": ("Comparison of the tests", "Comparison", ""),
    },
    {
        "recall": "Sensitivity",
        "specificity": "Specificity",
        "lr_plus": "Positive likelihood ratio",
        "lr_minus": "Negative likelihood ratio",
        "precision": "Positive predictive value",
        "npv": "Negative predictive value",
        "ppv_at_prevalence": "Positive predictive value at a declared prevalence",
        "npv_at_prevalence": "Negative predictive value at a declared prevalence",
    },
)
AUDIT = Wording(
    (
        "verdict",
        "rows",
        "characteristics",
        "subgroups",
        "periods",
        "drift",
        "comparisons",
        "baselines",
        "measures",
        "scores",
        "thresholds",
        "curves",
        "classes",
        "folds",
        "training",
        "guide",
        *ANNEXES,
    ),
    "Audit of a classifier",
    {
        "rows": ("Rows examined", "Rows", ""),
        "subgroups": (
            "Results by group, gaps and ratios",
            "Groups",
            (
                "Each line is a classification table laid flat. A gap is a difference and a ratio "
                "is a quotient of two groups; read both with their intervals and with n."
            ),
        ),
        "comparisons": ("Comparison with the reference", "Reference", ""),
        "baselines": ("Against baselines and declared values", "Baselines", ""),
        "measures": ("Evidence: metrics of the classification table", "Table metrics", ""),
        "scores": ("Evidence: metrics of the scores", "Score metrics", ""),
        "guide": ("Scope, and how to read and check this report", "Scope", ""),
    },
    impact=True,
)
MODEL_CARD = Wording(
    (
        "guide",
        "verdict",
        "characteristics",
        "measures",
        "scores",
        "subgroups",
        "periods",
        "drift",
        "classes",
        "curves",
        "comparisons",
        "baselines",
        *ANNEXES,
    ),
    "Model card",
    {
        "guide": ("Intended use and limits", "Intended use", ""),
        "verdict": ("", "Summary", ""),
        "measures": ("Metrics and thresholds", "Metrics", ""),
        "scores": ("Metrics of the scores", "Score metrics", ""),
        "subgroups": (
            "Factors: results by group",
            "Factors",
            "Single and crossed groups, each with its table, n and interval.",
        ),
        "provenance": ("Model and evaluation data", "Data", ""),
    },
)
MINIMAL = Wording(
    ("verdict", "measures", "scores", "provenance"),
    "Classifier evaluation, in short",
    {
        "measures": ("Metrics", "Metrics", ""),
        "provenance": ("Where the numbers come from", "Provenance", ""),
    },
)
TEMPLATES: Mapping[str, Wording] = {
    "standard": Wording(STANDARD),
    "clinical": CLINICAL,
    "audit": AUDIT,
    "model_card": MODEL_CARD,
    "minimal": MINIMAL,
}


def agreed(text: str) -> str:
    """The text in the words of agreement between two tests.

    >>> agreed("Balanced accuracy and recall of a"), agreed("Accuracy"), agreed("macro recall")
    ('Mean of PPA and NPA and PPA of a', 'Overall agreement', 'macro PPA')
    """
    for pattern, word in _AGREED:
        text = re.sub(rf"\b{pattern}\b", word, text)
        text = re.sub(rf"\b{pattern.capitalize()}\b", word[0].upper() + word[1:], text)
    return text


def reworded(results: Mapping[str, Any], wording: Wording) -> dict[str, Any]:
    """Results with the metric titles of a template, and of a target that is only another test.

    Values, ids and records are untouched; measures change place where the template says so.
    """
    agreement = non_reference(results)
    ranks = {metric: k for k, metric in enumerate(wording.metrics)}
    found = dict(results)
    for name in ("measures", "comparisons", "subgroup_gaps", "baselines", "declared", "periods"):
        if isinstance(results.get(name), list):
            found[name] = [_titled(r, wording, agreement) for r in results[name]]
    if agreement:
        found["cautions"] = [
            _said(r, agreement, ("message", "title", "why", "read"))
            for r in results.get("cautions") or ()
        ]
        found["acceptance"] = [
            _said(r, agreement, ("text",)) for r in results.get("acceptance") or ()
        ]
    if not (wording.impact or any(m["metric"] in RATES for m in results.get("measures") or ())):
        found.pop("impact", None)
    if ranks and "measures" in found:
        found["measures"].sort(key=lambda m: ranks.get(m["metric"], len(ranks)))
    return found


def in_words(results: Mapping[str, Any]) -> dict[str, Any]:
    """Results in the words of the standard template: what short formats print."""
    return reworded(results, TEMPLATES["standard"])


def non_reference(results: Mapping[str, Any]) -> Sequence[str]:
    """The datasets whose target is another test."""
    datasets = (results.get("spec") or {}).get("datasets") or {}
    return [
        name
        for name, declared in datasets.items()
        if isinstance(declared, Mapping) and declared.get("benchmark") == "non_reference"
    ]


def _said(
    record: Mapping[str, Any], agreement: Sequence[str], keys: Sequence[str]
) -> Mapping[str, Any]:
    """A record with its texts in the words of agreement; one of no dataset may be of any."""
    if record.get("dataset") not in (*agreement, None):
        return record
    return {**record, **{key: agreed(str(record[key])) for key in keys if record.get(key)}}


def _titled(
    record: Mapping[str, Any], wording: Wording, agreement: Sequence[str]
) -> Mapping[str, Any]:
    metric = str(record.get("metric"))
    if record.get("dataset") in agreement:
        title, meaning = AGREEMENT.get(metric) or _agreed_about(metric, record, wording)
        return {**record, "title": title, "meaning": meaning}
    if metric in wording.metrics:
        return {**record, "title": wording.metrics[metric]}
    return record


def _agreed_about(metric: str, record: Mapping[str, Any], wording: Wording) -> tuple[str, str]:
    declared = find(metric)
    known = declared.title if declared is not None else metric.replace("_", " ").capitalize()
    title = wording.metrics.get(metric) or str(record.get("title") or known)
    return agreed(title), agreed(declared.meaning if declared is not None else "")
