"""The audit as one would write it by hand with scikit-learn: two curves; no part of evalreport.

Arguments: a Parquet file, the number of resamples (0: no intervals), the page to write.
"""

from __future__ import annotations

import base64
import io
import sys
from collections.abc import Callable

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from sklearn import metrics

Row = dict[str, float]


def measured(y: np.ndarray, p: np.ndarray) -> Row:
    said = p >= 0.5
    return {
        "accuracy": metrics.accuracy_score(y, said),
        "balanced_accuracy": metrics.balanced_accuracy_score(y, said),
        "precision": metrics.precision_score(y, said),
        "recall": metrics.recall_score(y, said),
        "specificity": metrics.recall_score(~y, ~said),
        "f1": metrics.f1_score(y, said),
        "mcc": metrics.matthews_corrcoef(y, said),
        "kappa": metrics.cohen_kappa_score(y, said),
        "roc_auc": metrics.roc_auc_score(y, p),
        "average_precision": metrics.average_precision_score(y, p),
        "log_loss": metrics.log_loss(y, p),
        "brier": metrics.brier_score_loss(y, p),
    }


def with_limits(y: np.ndarray, p: np.ndarray, resamples: int) -> pd.DataFrame:
    found = pd.DataFrame({"value": measured(y, p)})
    if not resamples:
        return found
    rng = np.random.default_rng(0)
    drawn = []
    for _ in range(resamples):
        rows = rng.integers(0, len(y), len(y))
        drawn.append(measured(y[rows], p[rows]))
    limits = pd.DataFrame(drawn).quantile([0.025, 0.975]).T
    return found.assign(low=limits[0.025], high=limits[0.975])


def picture(draw: Callable[[Figure], object]) -> str:
    figure = Figure(figsize=(5, 4))
    draw(figure)
    out = io.BytesIO()
    figure.savefig(out, format="svg")
    return f'<img src="data:image/svg+xml;base64,{base64.b64encode(out.getvalue()).decode()}">'


def main() -> None:
    rows, resamples, page = pd.read_parquet(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    y, p = (rows["truth"] == "sick").to_numpy(), rows["score"].to_numpy()
    parts = [with_limits(y, p, resamples).to_html()]
    for column in ("sex", "site"):
        for value, index in rows.groupby(column).indices.items():
            table = with_limits(y[index], p[index], resamples)
            parts += [f"<h2>{column} {value}</h2>", table.to_html()]
    fpr, tpr, _ = metrics.roc_curve(y, p)
    precision, recall, _ = metrics.precision_recall_curve(y, p)
    for across, up in ((fpr, tpr), (recall, precision)):
        step = max(1, len(across) // 1000)
        parts.append(
            picture(lambda f, a=across[::step], b=up[::step]: f.subplots().plot(a, b))  # type: ignore[misc]
        )
    with open(page, "w", encoding="utf-8") as out:  # noqa: PTH123
        out.write("\n".join(parts))


main()
