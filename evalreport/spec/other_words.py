"""What other programs and newcomers call the keys of a spec, and what is written here instead.

A hint is given only where its key is known, so that no word leads to another mistake.
"""

from __future__ import annotations

import re
from collections.abc import Collection

#: Words, the key that has to be known where they stand, and what to write.
_WORDS: tuple[tuple[str, str, str], ...] = (
    (
        "file filename filepath data csv source location",
        "path",
        "path: the file",
    ),
    (
        "label y y_true truth actual ground_truth outcome class response",
        "target",
        "target: {}",
    ),
    (
        "pos_label positive_label pos positive_class event_level",
        "positive",
        'positive: {{label: "{}"}}',
    ),
    (
        "bootstrap n_bootstrap n_boot bootstraps n_resamples iterations",
        "resamples",
        "resamples: {}",
    ),
    (
        "bootstrap n_bootstrap n_boot bootstraps n_resamples resamples",
        "confidence",
        "confidence: {{resamples: {}}}",
    ),
    (
        "random_state random_seed",
        "seed",
        "seed: {}",
    ),
    (
        "seed random_state random_seed",
        "confidence",
        "confidence: {{seed: {}}}",
    ),
    (
        "alpha ci conf_level confidence_level level",
        "confidence",
        "confidence: {{level: 0.95}}",
    ),
    (
        "min minimum >= > ge gte above greater_than lower_limit",
        "at_least",
        "at_least: {}",
    ),
    (
        "max maximum <= < le lte below less_than upper_limit",
        "at_most",
        "at_most: {}",
    ),
    (
        "output out output_dir outdir runs folder",
        "report",
        "on the command line: evalreport run SPEC -o FOLDER",
    ),
    (
        "format formats template sections language",
        "report",
        "report: {{{key}: ...}}",
    ),
    (
        "cv splits folds k_fold",
        "cross_validation",
        "cross_validation: {{scheme: stratified_k_fold, folds: 5, seed: 0}}",
    ),
    (
        "cv n_splits splits k",
        "folds",
        "folds: {}",
    ),
    (
        "name heading",
        "title",
        "title: {}",
    ),
    (
        "group groups by slices strata",
        "subgroups",
        "subgroups: [column]",
    ),
    (
        "sep separator delimiter decimal encoding sheet sheet_name",
        "read",
        "read: {{{key}: ...}}",
    ),
    (
        "prob probability proba probabilities p y_prob y_proba confidence",
        "score",
        "score: {}",
    ),
    (
        "label labels pred class said y_pred",
        "prediction",
        "prediction: {}",
    ),
    (
        "pickle pkl joblib file path model",
        "skops",
        "skops: model.skops, for a pickle would run code",
    ),
    (
        "classifier sklearn class_name type",
        "estimator",
        "estimator: sklearn.linear_model.LogisticRegression",
    ),
    (
        "threshold thresholds cutoff",
        "thresholds",
        "thresholds: [{}]",
    ),
    (
        "weights class_weight sample_weight",
        "weight",
        "weight: {}",
    ),
)
#: How the values of keys are written that people write in another form.
_FORMS = {
    "acceptance": "[{metric: recall, at_least: 0.9}]",
    "comparisons": "{reference: the name of a model}",
    "cross_validation": "{scheme: stratified_k_fold, folds: 5, seed: 0}",
    "subgroups": "[sex, {column: age, bins: [40, 60]}]",
    "scores": "{class: column}, one column for each class",
}
_COMPARED = re.compile(r"\s*([A-Za-z_]\w*)\s*(>=|=>|>|<=|=<|<)\s*(\d*\.?\d+)\s*")


def other_word(key: str, value: object, known: Collection[str]) -> str:
    """What to write instead of a key that other programs use; empty where nothing is known.

    >>> other_word("pos_label", "ill", ["positive", "title"])
    'positive: {label: "ill"}'
    >>> other_word("min", "0.9", ["at_least"]), other_word("min", "0.9", ["title"])
    ('at_least: 0.9', '')
    """
    word = key.strip().casefold().replace("-", "_").replace(" ", "_")
    for words, needed, hint in _WORDS:
        if word in words.split() and needed in known:
            return hint.format(_plain(value), key=key)
    return ""


def _plain(value: object) -> str:
    """A value in a hint: itself where it is one short word."""
    text = str(getattr(value, "text", value))
    return text if isinstance(value, str) or (hasattr(value, "text") and len(text) < 40) else "..."


def form_of(key: str) -> str:
    """How a key is written whose value has another form; empty where nothing is known.

    >>> form_of("comparisons")
    '{reference: the name of a model}'
    """
    return _FORMS.get(key, "")


def criterion_of(text: object) -> str:
    """A comparison that was written as text, as a criterion; empty where it is none.

    >>> criterion_of("recall >= 0.9"), criterion_of("recall")
    ('{metric: recall, at_least: 0.9}', '')
    """
    found = _COMPARED.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        return ""
    bound = "at_least" if ">" in found[2] else "at_most"
    return f"{{metric: {found[1]}, {bound}: {found[3]}}}"
