"""The metrics that most evaluations ask for, where nobody has said which."""

from __future__ import annotations


def usual_metrics(classes: int, *, scored: bool, probabilities: bool) -> list[str]:
    """Names of metrics for so many classes; ``scored``: there are scores, not only labels.

    >>> usual_metrics(3, scored=False, probabilities=False)
    ['accuracy', 'balanced_accuracy', 'recall', 'precision', 'f1', 'mcc']
    """
    names = ["accuracy", "balanced_accuracy", "recall", "precision", "f1", "mcc"]
    if classes <= 2:
        names.insert(3, "specificity")
        if scored:
            names += ["roc_auc", "average_precision"]
        if probabilities:
            names += ["brier", "log_loss"]
    elif scored:
        names += ["roc_auc", "log_loss"]
    return names
